//! Versions of an opened change, and what is new since one of them.

use std::sync::Arc;

use super::App;
use diffsan_git::{Repo, VersionCommits};
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_pipeline::open::OpenChange;
use diffsan_versions::{CompareOptions, Comparison, VersionItem};

impl App {
    /// Returns the known versions of a change, oldest first.
    pub async fn versions(self: &Arc<Self>, opened: &Arc<OpenChange>) -> Result<Vec<VersionItem>> {
        let server = self.server_versions(opened).await;
        let (app, opened) = (Arc::clone(self), Arc::clone(opened));
        blocking(move || diffsan_versions::list(&repository(&opened)?, &app.store, &opened, &server)).await
    }

    /// Returns what the author did since a version: `last` for the last review, `v3` for the third known version, or a commit.
    pub async fn compare_since(
        self: &Arc<Self>,
        opened: &Arc<OpenChange>,
        since: String,
        options: CompareOptions,
    ) -> Result<Comparison> {
        let server = self.server_versions(opened).await;
        let (app, opened) = (Arc::clone(self), Arc::clone(opened));
        blocking(move || {
            let repo = repository(&opened)?;
            let old = diffsan_versions::since(&repo, &app.store, &opened, &server, &since)?;
            diffsan_versions::compare(&repo, &old, &diffsan_versions::opened_version(&opened)?, options)
        })
        .await
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

fn repository(opened: &OpenChange) -> Result<Repo> {
    let missing = || {
        Error::new(ErrorCode::DiffFetchFailed, "The commits of the change are not available.")
            .hint("Open the change in a clone that has its commits.")
    };
    Ok(Repo::open(opened.root.as_deref().ok_or_else(missing)?)?)
}
