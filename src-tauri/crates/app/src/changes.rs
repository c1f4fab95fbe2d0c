//! Opens changes and keeps them under an id for the interface.

use std::path::PathBuf;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use super::settings::limits_layer;
use super::{App, OPEN_CHANGES};
use diffsan_change::Target;
use diffsan_config::{Layer, Limits};
use diffsan_git::{ReadOptions, Repo};
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_pipeline::open::{LocalClone, OpenChange, OpenRequest, Source, fetch_merge_request, read_patch_file};
use diffsan_store::AllowedValue;
use diffsan_store::files::artifacts::now;
use diffsan_store::files::places::{make_private_folder, random_word};

/// The number of saved patches without a file.
const PATCHES: usize = 20;

/// The part of a change that is sent. The user chooses it for one change; it is not saved as a setting.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
pub struct ReviewScope {
    /// The limits, in place of those of the settings.
    #[serde(default)]
    pub limits: Option<Limits>,
    /// The paths of the files. All files if absent.
    #[serde(default)]
    pub files: Option<Vec<String>>,
}

/// A change to open.
#[derive(Clone, Debug)]
pub struct ChangeRequest {
    /// The repository. `None` for a patch or merge request without one.
    pub repo: Option<PathBuf>,
    /// The kind of change.
    pub target: Target,
    /// The version that was reviewed before, if only later edits are sent.
    pub since: Option<String>,
    /// The part that is sent. `None` for all that the settings allow.
    pub scope: Option<ReviewScope>,
    /// Whether a merge request is read from its server even if the inbox has fetched it.
    pub current: bool,
}

impl ChangeRequest {
    /// Creates a request for a whole change.
    pub fn new(repo: Option<PathBuf>, target: Target) -> Self {
        Self { repo, target, since: None, scope: None, current: false }
    }
}

/// An opened change and its id.
#[derive(Clone)]
pub struct ChangeHandle {
    /// The id for later calls.
    pub id: String,
    /// The change.
    pub opened: Arc<OpenChange>,
}

pub(super) fn given_up() -> Error {
    Error::new(ErrorCode::Cancelled, "Opening the change was cancelled.")
}

impl App {
    /// Opens a change. Commits of the version `since` that the clone does not have are fetched. Fails with `Cancelled` if `cancel` is
    /// cancelled meanwhile.
    pub async fn open_change(
        self: &Arc<Self>,
        request: ChangeRequest,
        cancel: &CancellationToken,
    ) -> Result<ChangeHandle> {
        // First the commit may be missing, then the history before it.
        for _ in 0..2 {
            let error = match self.open_change_once(request.clone(), cancel).await {
                Err(error) if request.since.is_some() => error,
                opened => return opened,
            };
            let Some((missing, whole_history)) = error.missing_commits() else { return Err(error) };
            let fetching = self.fetch_commits(request.repo.as_deref(), &request.target, &missing, whole_history);
            match cancel.run_until_cancelled(fetching).await {
                None => return Err(given_up()),
                Some(Err(why)) => {
                    let message = format!("{} It could not be fetched: {why}.", error.message);
                    return Err(Error { message, ..error });
                }
                Some(Ok(())) => {}
            }
        }
        self.open_change_once(request, cancel).await
    }

    async fn open_change_once(
        self: &Arc<Self>,
        request: ChangeRequest,
        cancel: &CancellationToken,
    ) -> Result<ChangeHandle> {
        let ChangeRequest { repo, target, since, scope, current } = request;
        let fetched = match &target {
            Target::MergeRequest { .. } => {
                // Pending requests end at once.
                let reading = cancel.run_until_cancelled(self.read_merge_request(repo.clone(), &target, current));
                Some(reading.await.unwrap_or_else(|| Err(given_up()))?)
            }
            _ => None,
        };
        let (app, cancel) = (Arc::clone(self), cancel.clone());
        blocking(move || {
            let (source, target) = match (fetched, target, repo) {
                (Some(fetched), ..) => fetched,
                (None, Target::Patch { path, partial }, repo) => {
                    let base = repo.clone().unwrap_or_default();
                    let bytes = read_patch_file(&base.join(&path))?;
                    (Source::Patch(bytes, repo), Target::Patch { path, partial })
                }
                (None, target, Some(repo)) => (Source::Repository(repo), target),
                (None, target, None) => {
                    let message = format!("{} needs a repository, and none is open.", target.title());
                    return Err(Error::new(ErrorCode::InvalidInput, message).hint("Open the repository first."));
                }
            };
            let ReviewScope { limits, files: selected } = scope.unwrap_or_default();
            let overrides = limits.as_ref().map(limits_layer).transpose()?.into_iter().collect();
            let opened = app.read(OpenRequest { source, target, overrides, trusted: false, since, selected })?;
            // A cancelled change is not stored, so it does not displace another one.
            if cancel.is_cancelled() { Err(given_up()) } else { Ok(app.keep(opened)) }
        })
        .await
    }

    /// Opens a merge request. If `repo` is a clone, fetches its commits and reads the change from them, else from GitLab.
    pub async fn open_merge_request(
        self: &Arc<Self>,
        repo: Option<PathBuf>,
        target: &Target,
        overrides: Vec<Layer>,
        since: Option<String>,
    ) -> Result<ChangeHandle> {
        let (source, target) = self.fetch_merge_request(repo, target).await?;
        let app = Arc::clone(self);
        blocking(move || app.open(OpenRequest { source, target, overrides, trusted: false, since, selected: None }))
            .await
    }

    /// Returns a merge request as the inbox fetched it, unless `current` is set, or else from its server. If the server cannot be reached,
    /// an older state serves.
    async fn read_merge_request(
        self: &Arc<Self>,
        repo: Option<PathBuf>,
        target: &Target,
        current: bool,
    ) -> Result<(Source, Target)> {
        let prefetched = |any_age| {
            let (app, target, repo) = (Arc::clone(self), target.clone(), repo.clone());
            blocking(move || {
                let found = app.inbox.prefetched(&target, repo.as_deref(), &app.gitlab()?, any_age)?;
                Ok(found.map(|(target, fetched)| (Source::MergeRequest(Box::new(fetched), repo), target)))
            })
        };
        if !current && let Some(found) = prefetched(false).await? {
            return Ok(found);
        }
        match self.fetch_merge_request(repo.clone(), target).await {
            Err(error) if error.retryable => prefetched(true).await?.ok_or(error),
            fetched => fetched,
        }
    }

    async fn fetch_merge_request(self: &Arc<Self>, repo: Option<PathBuf>, target: &Target) -> Result<(Source, Target)> {
        let (app, path) = (Arc::clone(self), repo.clone());
        let (access, clone) = blocking(move || {
            let clone = path.map(|path| LocalClone { search: app.search_path_for(Some(&path)), path });
            Ok((app.gitlab()?, clone))
        })
        .await?;
        let (target, fetched) = fetch_merge_request(target, &access, clone.as_ref()).await?;
        Ok((Source::MergeRequest(Box::new(fetched), repo), target))
    }

    /// Opens a change as the request specifies. Blocks.
    pub fn open(&self, request: OpenRequest) -> Result<ChangeHandle> {
        Ok(self.keep(self.read(request)?))
    }

    fn read(&self, mut request: OpenRequest) -> Result<OpenChange> {
        request.overrides.splice(0..0, self.options.layers.iter().cloned());
        request.trusted |= self.options.trusted;
        OpenChange::open(&self.places, &self.store, self.key, request)
    }

    fn keep(&self, opened: OpenChange) -> ChangeHandle {
        let opened = Arc::new(opened);
        diffsan_versions::record(&opened);
        let id = random_word(8).unwrap_or_else(|_| opened.fingerprint.value.chars().take(16).collect());
        let mut changes = self.lock_changes();
        if changes.len() >= OPEN_CHANGES {
            changes.remove(0);
        }
        changes.push((id.clone(), Arc::clone(&opened)));
        ChangeHandle { id, opened }
    }

    /// Marks a value as not secret in the repository of a change, or removes the mark. Blocks.
    pub fn allow_secret(&self, opened: &OpenChange, secret: &AllowedValue, allowed: bool) -> Result<()> {
        let repository = opened.repository_name();
        if repository.is_empty() {
            return Err(Error::new(
                ErrorCode::InvalidInput,
                "This change has no repository to save the exception for.",
            )
            .hint("Add an entry to redaction.allow in the settings, by rule or by path."));
        }
        let result = if allowed {
            self.store.allow_secret(&repository, secret, &now())
        } else {
            self.store.forbid_secret(&repository, &secret.value)
        };
        result.map_err(Error::from)
    }

    /// Returns an open change. Returns `None` if it was closed to make room, or belongs to an earlier start of the
    /// program.
    pub fn change(&self, id: &str) -> Option<ChangeHandle> {
        let mut changes = self.lock_changes();
        let at = changes.iter().position(|(name, _)| name == id)?;
        let entry = changes.remove(at);
        let handle = ChangeHandle { id: entry.0.clone(), opened: Arc::clone(&entry.1) };
        changes.push(entry);
        Some(handle)
    }

    /// Returns the change that was used last.
    pub(super) fn at_hand(&self) -> Option<Arc<OpenChange>> {
        self.lock_changes().last().map(|(_, opened)| Arc::clone(opened))
    }

    /// Returns every open change.
    pub(super) fn open_changes(&self) -> Vec<Arc<OpenChange>> {
        self.lock_changes().iter().map(|(_, opened)| Arc::clone(opened)).collect()
    }

    /// Returns the open change that was used last of those that `fits` accepts.
    pub(super) fn open_as(&self, fits: impl Fn(&OpenChange) -> bool) -> Option<Arc<OpenChange>> {
        self.lock_changes().iter().rev().map(|(_, opened)| opened).find(|opened| fits(opened)).cloned()
    }

    /// Whether the change in the repository differs from the opened one. Blocks.
    pub fn has_moved(&self, opened: &OpenChange) -> Result<bool> {
        let Some(root) = &opened.root else { return Ok(false) };
        if matches!(opened.target, Target::Patch { .. } | Target::MergeRequest { .. }) {
            return Ok(false);
        }
        let repo = Repo::open(root)?;
        // Another branch is another change, even if its diff is the same.
        let target = repo.named(opened.requested_target());
        if target != opened.target {
            return Ok(true);
        }
        let now = repo.change(&target, &ReadOptions::default())?;
        Ok(diffsan_change::fingerprint(&now) != opened.fingerprint)
    }

    /// Saves a patch that has no file, and deletes the oldest saved patches above the limit. Blocks.
    pub fn save_patch(&self, name: &str, text: &str) -> Result<PathBuf> {
        let failed = |error: std::io::Error| {
            Error::new(ErrorCode::IoFailed, "The patch could not be saved.")
                .hint("Check that the data folder is writable and that the disk is not full.")
                .cause(error)
        };
        let folder = self.places.patches();
        make_private_folder(&folder).map_err(failed)?;
        let mut patches: Vec<_> = std::fs::read_dir(&folder).map_err(failed)?.flatten().collect();
        patches.sort_by_key(|entry| entry.metadata().and_then(|about| about.modified()).ok());
        for old in patches.iter().take(patches.len().saturating_sub(PATCHES - 1)) {
            // The next patch tries again.
            let _ = std::fs::remove_file(old.path());
        }
        let plain = |char: char| if char.is_ascii_alphanumeric() || "-_.".contains(char) { char } else { '-' };
        let name: String = name.chars().map(plain).take(80).collect();
        let name = name.trim_start_matches(['.', '-']);
        let word = random_word(4).map_err(failed)?;
        let path = folder.join(format!("{word}-{}", if name.is_empty() { "dropped.patch" } else { name }));
        std::fs::write(&path, text).map_err(failed)?;
        Ok(path)
    }
}
