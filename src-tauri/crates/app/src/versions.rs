//! Versions of an opened change, and the author's edits since one of them.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::requests::projects;
use super::{App, ChangeHandle};
use diffsan_change::Target;
use diffsan_git::VersionCommits;
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::{Error, Result};
use diffsan_pipeline::open::{LocalClone, OpenChange};
use diffsan_versions::{CompareOptions, Comparison, VersionItem};

/// The number of comparisons that are kept for the pages of an interface.
const COMPARISONS: usize = 4;
/// The maximum number of missing commits that are fetched for one comparison: the bases and the heads of two versions.
const MAX_FETCHED: usize = 4;

/// The latest comparisons of opened changes, by the change's id and the version.
#[derive(Default)]
pub(super) struct Comparisons(Mutex<Vec<(ComparisonKey, Arc<Comparison>)>>);

/// The id of an opened change, and the names of the earlier and the later version.
type ComparisonKey = (String, String, Option<String>);

impl App {
    /// Returns the author's edits in a change since a version, as [`Self::compare_since`] does. The latest results are kept.
    pub async fn known_comparison(
        self: &Arc<Self>,
        handle: &ChangeHandle,
        since: String,
        until: Option<String>,
    ) -> Result<Arc<Comparison>> {
        let key = (handle.id.clone(), since.clone(), until.clone());
        let lock = || self.comparisons.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().iter().find(|(known, _)| *known == key).map(|(_, found)| Arc::clone(found));
        if let Some(found) = known {
            return Ok(found);
        }
        let options = CompareOptions { commits: true, ..CompareOptions::default() };
        let found = Arc::new(self.compare_since(&handle.opened, since, until, options).await?);
        let mut kept = lock();
        if kept.len() >= COMPARISONS {
            kept.remove(0);
        }
        kept.push((key, Arc::clone(&found)));
        Ok(found)
    }

    /// Returns the known versions of a change, oldest first.
    pub async fn versions(self: &Arc<Self>, opened: &Arc<OpenChange>) -> Result<Vec<VersionItem>> {
        let server = self.server_versions(opened).await;
        let (app, opened) = (Arc::clone(self), Arc::clone(opened));
        blocking(move || diffsan_versions::list(&diffsan_versions::repository(&opened)?, &app.store, &opened, &server))
            .await
    }

    /// Returns the author's edits since a version: `last` for the last review, `v3` for the third known version, a commit, or the
    /// full ids `BASE..HEAD`. `until` names the later version in the same way; without it, that is the opened one.
    pub async fn compare_since(
        self: &Arc<Self>,
        opened: &Arc<OpenChange>,
        since: String,
        until: Option<String>,
        options: CompareOptions,
    ) -> Result<Comparison> {
        self.with_commits(opened, move |app, opened, server| {
            let repo = diffsan_versions::repository(opened)?;
            let find = |name: &str| diffsan_versions::since(&repo, &app.store, opened, server, name);
            let new = until.as_deref().map_or_else(|| diffsan_versions::opened_version(opened), find)?;
            diffsan_versions::compare(&repo, &find(&since)?, &new, options)
        })
        .await
    }

    /// Returns the version that a name means, as [`Self::compare_since`] reads it, as a text for opening the change again with only later
    /// edits. The repository has its commits then.
    pub async fn since_commit(self: &Arc<Self>, opened: &Arc<OpenChange>, since: &str) -> Result<String> {
        let since = since.to_owned();
        self.with_commits(opened, move |app, opened, server| {
            let repo = diffsan_versions::repository(opened)?;
            let version = diffsan_versions::since(&repo, &app.store, opened, server, &since)?;
            diffsan_versions::check_history(&repo, &version, &diffsan_versions::opened_version(opened)?)?;
            Ok(match version {
                VersionCommits { base: Some(base), head } => format!("{base}..{head}"),
                VersionCommits { base: None, head } => head,
            })
        })
        .await
    }

    /// Runs work that needs the commits of versions. A commit that the repository does not have, or the history that a shallow clone does
    /// not have, is fetched, and the work runs again. The work gets the versions that the server lists.
    async fn with_commits<T: Send + 'static>(
        self: &Arc<Self>,
        opened: &Arc<OpenChange>,
        work: impl Fn(&Self, &OpenChange, &[VersionCommits]) -> Result<T> + Send + Sync + 'static,
    ) -> Result<T> {
        let server = Arc::new(self.server_versions(opened).await);
        let work = Arc::new(work);
        let mut fetched = HashSet::new();
        loop {
            let (app, change, server, work) =
                (Arc::clone(self), Arc::clone(opened), Arc::clone(&server), Arc::clone(&work));
            let error = match blocking(move || work(&app, &change, &server)).await {
                Err(error) => error,
                done => return done,
            };
            let Some((missing, whole_history)) = error.missing_commits() else { return Err(error) };
            if fetched.len() >= MAX_FETCHED || !fetched.insert((missing.clone(), whole_history)) {
                return Err(error);
            }
            let (root, target) = (opened.root.as_deref(), &opened.target);
            if let Err(why) = self.fetch_commits(root, target, &missing, whole_history).await {
                let message = format!("{} It could not be fetched: {why}.", error.message);
                return Err(Error { message, ..error });
            }
        }
    }

    /// Fetches commits of a change into its clone, with `whole_history` also those before them that a shallow clone does not have.
    pub(super) async fn fetch_commits(
        self: &Arc<Self>,
        root: Option<&Path>,
        target: &Target,
        commits: &[String],
        whole_history: bool,
    ) -> std::result::Result<(), String> {
        let root = root.ok_or("the change has no repository")?.to_owned();
        let project = match target {
            Target::MergeRequest { base, project, .. } => Some((base.clone(), project.clone())),
            _ => projects(&root).map_err(|error| error.message)?.into_iter().next(),
        };
        let (base, project) = project.ok_or("no remote of the repository is a project of a server")?;
        let access = self.gitlab().map_err(|error| error.message)?;
        let clone = LocalClone { search: self.search_path_for(Some(&root)), path: root };
        let project = (base.as_str(), project.as_str());
        for commit in commits {
            match whole_history {
                true => diffsan_pipeline::open::fetch_history(&access, &clone, project, commit).await?,
                false => diffsan_pipeline::open::fetch_commit(&access, &clone, project, commit).await?,
            }
        }
        Ok(())
    }

    /// Returns the versions that the server lists, oldest first. Without the server, the versions that diffsan saw are enough.
    async fn server_versions(self: &Arc<Self>, opened: &OpenChange) -> Vec<VersionCommits> {
        let Ok((client, project, iid, _)) = self.reach(opened).await else { return Vec::new() };
        let mut versions = client.versions(project, iid).await.unwrap_or_default();
        versions.sort_by_key(|version| version.id);
        let commits = |version: diffsan_forge::gitlab::Version| VersionCommits {
            base: Some(version.base_commit_sha),
            head: version.head_commit_sha,
        };
        versions.into_iter().map(commits).collect()
    }
}
