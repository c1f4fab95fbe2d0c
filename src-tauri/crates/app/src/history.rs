//! The history of reviews, conversations and runs: lists entries, reopens their changes and removes them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::changes::given_up;
use super::{App, ChangeHandle, ChangeRequest};
use diffsan_change::Target;
use diffsan_git::Repo;
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_redact::TOKEN;
use diffsan_review::{ReviewMeta, ReviewOutput};
use diffsan_store::files::artifacts::{RunRecord, interrupted_runs};
use diffsan_store::{Conversation, HistoryPlace, HistoryQuery, HistoryRow, StoredReview};

/// The file in a run folder that contains the masked diff.
const SAVED_DIFF: &str = "diff.raw.patch";

/// An entry of the history that is reopened, with its change.
pub struct Reopened {
    /// The repository in which the change is opened. `None` if the change needs none.
    pub repo: Option<PathBuf>,
    /// The target to open.
    pub target: Target,
    /// The commit since which changes were sent, if not all of them were.
    pub since: Option<String>,
    /// The review to show with the change.
    pub review: Option<String>,
    /// The conversation.
    pub conversation: Option<Conversation>,
    /// A note for display if something differs from then.
    pub note: Option<String>,
    /// The change as it is now, if it differs.
    pub now: Option<Target>,
}

/// A review that is to be reopened.
struct PastReview {
    stored: StoredReview,
    /// Whether it is the latest review of its change.
    is_latest: bool,
    /// The reviewed change, if its description can be read.
    target: Option<Target>,
    /// The repository, if it still exists.
    repo: Option<PathBuf>,
    /// The facts about the review, if they can be read.
    meta: Option<ReviewMeta>,
}

impl PastReview {
    /// Returns the review with a change to open. `review` says whether the review has to be named, and `note` how the change differs.
    fn reopened(&self, target: Target, review: bool, note: Option<&str>) -> Reopened {
        Reopened {
            repo: self.repo.clone(),
            target,
            since: None,
            review: review.then(|| self.stored.id.clone()),
            conversation: None,
            note: note.map(str::to_owned),
            now: note.and(self.target.clone().filter(|_| self.repo.is_some())),
        }
    }
}

/// The kind of an entry, and the data that is removed with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    /// A review with its decisions and its run folder.
    Review,
    /// A conversation with its messages.
    Conversation,
    /// The folder of an interrupted run.
    Run,
}

impl App {
    /// Returns a page of the history, latest first. Blocks.
    pub fn history(&self, query: &HistoryQuery) -> Result<Vec<HistoryRow>> {
        self.store.history(query).map_err(Error::from)
    }

    /// Returns the repositories and projects in the history. Blocks.
    pub fn history_places(&self) -> Result<Vec<HistoryPlace>> {
        self.store.history_places().map_err(Error::from)
    }

    /// Returns the interrupted runs of all changes, latest first. Blocks.
    pub fn all_interrupted(&self) -> Vec<(PathBuf, RunRecord)> {
        interrupted_runs(&self.places.runs())
    }

    /// Returns an interrupted run. Blocks.
    pub fn interrupted_run(&self, run_id: &str) -> Result<(PathBuf, RunRecord)> {
        let found = self.all_interrupted().into_iter().find(|(_, record)| record.run_id == run_id);
        found.ok_or_else(diffsan_pipeline::review::no_such_run)
    }

    /// Returns the change of a review as it was reviewed, as far as it still exists. Fails with `Cancelled` if `cancel`
    /// is cancelled meanwhile.
    pub async fn reopen_review(self: &Arc<Self>, id: &str, cancel: &CancellationToken) -> Result<Reopened> {
        let (app, id) = (Arc::clone(self), id.to_owned());
        let past = blocking(move || app.past_review(&id)).await?;
        // First, the change itself, if it has not changed.
        let mut unreachable = false;
        if let Some(target) = past.target.clone() {
            match self.open_at(past.repo.clone(), target.clone(), cancel).await {
                Ok(handle) if handle.opened.fingerprint.value == past.stored.fingerprint => {
                    return Ok(past.reopened(target, !past.is_latest, None));
                }
                _ if cancel.is_cancelled() => return Err(given_up()),
                Ok(_) => {}
                Err(_) => unreachable = true,
            }
        }
        let app = Arc::clone(self);
        blocking(move || app.reopen_elsewhere(&past, unreachable)).await
    }

    /// Reads a review that is to be reopened. Blocks.
    fn past_review(&self, id: &str) -> Result<PastReview> {
        let stored = self.stored(id)?;
        let latest = self.store.latest_review_id(&stored.repository, &stored.target)?;
        Ok(PastReview {
            is_latest: latest.is_some_and(|latest| latest == stored.id),
            target: serde_json::from_str(&stored.target).ok(),
            repo: self.repo_of(&stored),
            meta: serde_json::from_str::<ReviewOutput>(&stored.output).map(|output| output.meta).ok(),
            stored,
        })
    }

    /// Finds another state of a change that differs from the reviewed one, or that is `unreachable`. Blocks.
    fn reopen_elsewhere(&self, past: &PastReview, unreachable: bool) -> Result<Reopened> {
        let PastReview { stored, target, repo, meta, .. } = past;
        // Second, the commits that were reviewed.
        if let (Some(path), Some(meta)) = (repo, meta)
            && let Ok(open) = Repo::open(path)
            && let Some(head) = meta.head_sha.as_ref().filter(|head| open.has_commit(head))
            // For local changes, the head is the commit that they are based on, not their content.
            && !matches!(target, Some(Target::Unstaged | Target::Staged | Target::All { .. } | Target::Patch { .. }))
        {
            let then = match meta.base_sha.as_ref() {
                Some(base) if open.has_commit(base) => {
                    Some(Target::Range { base: base.clone(), head: head.clone(), merge_base: false })
                }
                None => Some(Target::Commit { rev: head.clone() }),
                Some(_) => None,
            };
            if let Some(then) = then {
                let note = "The change is newer than the review. It is shown at the reviewed commits.";
                return Ok(past.reopened(then, true, Some(note)));
            }
        }
        // Third, the diff in the run folder.
        let saved_diff = Path::new(&stored.run_dir).join(SAVED_DIFF);
        if !stored.run_dir.is_empty() && saved_diff.is_file() {
            let note = "The reviewed version no longer exists in the repository. The diff is shown from the run \
                folder, with secrets masked; whole files are not available.";
            let target = Target::Patch { path: saved_diff.display().to_string(), partial: true };
            return Ok(past.reopened(target, true, Some(note)));
        }
        // Last, the current state of the change.
        if let (Some(target), false) = (target, unreachable) {
            let note = "The reviewed version no longer exists. The findings are shown on the current version.";
            return Ok(past.reopened(target.clone(), true, Some(note)));
        }
        let note = "Neither the change nor its run folder exists any more. The review is shown without code.";
        Ok(past.reopened(self.nothing()?, true, Some(note)))
    }

    /// Returns the change of a conversation in its current state. Fails with `Cancelled` if `cancel` is cancelled
    /// meanwhile.
    pub async fn reopen_conversation(self: &Arc<Self>, id: &str, cancel: &CancellationToken) -> Result<Reopened> {
        let (app, id) = (Arc::clone(self), id.to_owned());
        let conversation = blocking(move || app.conversation(&id)).await?.conversation;
        let repo = existing(&conversation.repository);
        let mut opened = None;
        if let Ok(target) = serde_json::from_str::<Target>(&conversation.target)
            && self.open_at(repo.clone(), target.clone(), cancel).await.is_ok()
        {
            opened = Some(target);
        }
        if cancel.is_cancelled() {
            return Err(given_up());
        }
        let (target, note) = match opened {
            Some(target) => (target, None),
            None => {
                (self.nothing()?, Some("The change no longer exists. You can only read the conversation.".to_owned()))
            }
        };
        Ok(Reopened { repo, target, since: None, review: None, conversation: Some(conversation), note, now: None })
    }

    /// Returns the change of an interrupted run in its current state. Blocks.
    pub fn reopen_run(&self, run_id: &str) -> Result<Reopened> {
        let (_, record) = self.interrupted_run(run_id)?;
        let target: Target = serde_json::from_value(record.target)
            .map_err(|error| Error::new(ErrorCode::StoreFailed, "The run does not record its change.").cause(error))?;
        let repo = record.repository.as_deref().and_then(|path| existing(path).or_else(|| self.written_as(path)));
        let since = record.request.and_then(|request| request.since);
        Ok(Reopened { repo, target, since, review: None, conversation: None, note: None, now: None })
    }

    /// Removes an entry of the history. Blocks.
    pub fn remove_from_history(&self, kind: EntryKind, id: &str) -> Result<()> {
        match kind {
            EntryKind::Conversation => self.remove_conversation(id),
            EntryKind::Review => {
                let Some(removed) = self.store.remove_review(id)? else { return Ok(()) };
                let shared = self.store.is_run_used(&removed.run_dir)?;
                if !shared { self.remove_run(Path::new(&removed.run_dir)) } else { Ok(()) }
            }
            EntryKind::Run => {
                let (folder, _) = self.interrupted_run(id)?;
                self.remove_run(&folder)
            }
        }
    }

    /// Removes a run folder, if it is directly inside the folder of runs.
    fn remove_run(&self, folder: &Path) -> Result<()> {
        if folder.parent() != Some(&self.places.runs()) || !folder.is_dir() {
            return Ok(());
        }
        fs::remove_dir_all(folder).map_err(|error| {
            let message = format!("The run folder {} cannot be removed: {error}.", folder.display());
            Error::new(ErrorCode::IoFailed, message).hint("Remove it manually; nothing else refers to it.")
        })
    }

    async fn open_at(
        self: &Arc<Self>,
        repo: Option<PathBuf>,
        target: Target,
        cancel: &CancellationToken,
    ) -> Result<ChangeHandle> {
        let needs = !matches!(target, Target::Patch { .. } | Target::MergeRequest { .. });
        if needs && repo.is_none() {
            return Err(Error::new(ErrorCode::NotFound, "The repository no longer exists."));
        }
        self.open_change(ChangeRequest::new(repo, target), cancel).await
    }

    /// Returns the known repository whose masked path is `written`.
    fn written_as(&self, written: &str) -> Option<PathBuf> {
        let redactor = Arc::new(self.redactor().ok().filter(|_| written.contains(TOKEN))?);
        let mut known = self.recent_repositories().ok()?;
        let masked = |path: &PathBuf| redactor.session().contract("repository", &path.display().to_string());
        known.retain(|path| masked(path).as_str() == written);
        // With several such repositories, it is unknown which one was meant.
        if known.len() == 1 { known.pop().filter(|path| path.is_dir()) } else { None }
    }

    /// Returns the repository of a review; for a merge request, the clone that its run used.
    fn repo_of(&self, stored: &StoredReview) -> Option<PathBuf> {
        let of_run = || RunRecord::read(Path::new(&stored.run_dir))?.repository;
        existing(&stored.repository).or_else(|| existing(&of_run()?))
    }

    /// Returns an empty change, to show a review or conversation without its change.
    fn nothing(&self) -> Result<Target> {
        let path = self.places.data.join("nothing.patch");
        if !path.is_file() {
            fs::write(&path, "").map_err(|error| {
                Error::new(ErrorCode::IoFailed, format!("{} cannot be written: {error}.", path.display()))
            })?;
        }
        Ok(Target::Patch { path: path.display().to_string(), partial: true })
    }
}

fn existing(path: &str) -> Option<PathBuf> {
    Some(PathBuf::from(path)).filter(|path| !path.as_os_str().is_empty() && path.is_dir())
}
