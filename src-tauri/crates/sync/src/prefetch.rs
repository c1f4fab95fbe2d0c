//! Fetches merge requests before they are opened, and returns them when they are, so that opening one needs no network.
//!
//! The commits are in the private refs of a clone. Without a clone, the patch is saved. Threads are those of the last refresh.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use diffsan_agent::SearchPath;
use diffsan_change::Target;
use diffsan_forge::gitlab::{ClosedIssue, DiffRefs, Discussion, Person, ServerVersion};
use diffsan_inbox::{Group, Item, RowKind};
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::{Error, Result};
use diffsan_pipeline::open::{
    FetchedDiff, FetchedRequest, GitlabAccess, LocalClone, Threads, fetch_merge_request, local_diff,
};
use diffsan_store::StoredPrefetch;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::{ACCOUNTS, AccountState, Inbox, LOCAL, json};

/// The maximum size of a saved patch, in bytes.
const MAX_PATCH_BYTES: usize = 4 * 1024 * 1024;
/// The age of a complete refresh up to which its rows are the state of the server.
const MAX_REFRESH_AGE: SignedDuration = SignedDuration::from_mins(15);

/// Returns where git's credential helpers are searched for a repository. Blocks.
pub type SearchOf = Arc<dyn Fn(&Path) -> SearchPath + Send + Sync>;

/// The saved form of a [`FetchedRequest`], without its diff and its keys.
#[derive(Serialize, Deserialize)]
struct SavedRequest {
    target: Target,
    project_id: u64,
    version: Option<ServerVersion>,
    refs: DiffRefs,
    messages: Vec<String>,
    title: String,
    description: Option<String>,
    #[serde(default)]
    issues: Vec<ClosedIssue>,
    auto_merge: Option<bool>,
    web_url: Option<String>,
    state: String,
    source_branch: String,
    target_branch: String,
    author: Option<String>,
    me: Option<Person>,
    settings: Option<String>,
    discussions: Option<Vec<Discussion>>,
}

/// A merge request to fetch.
struct Wanted {
    key: String,
    state: String,
    target: Target,
    clone: Option<PathBuf>,
}

impl Inbox {
    /// Fetches the first `limit` merge requests that wait for the reader, one after the other, as far as they changed since they were
    /// fetched last. Ends at the first server that cannot be read, and when `cancel` is cancelled or another call begins. Returns the
    /// number of fetched ones.
    pub async fn prefetch(
        self: &Arc<Self>,
        limit: usize,
        access: GitlabAccess,
        search: SearchOf,
        cancel: CancellationToken,
    ) -> Result<usize> {
        let before = self.prefetching.lock().unwrap_or_else(PoisonError::into_inner).replace(cancel.clone());
        if let Some(before) = before {
            before.cancel();
        }
        let inbox = Arc::clone(self);
        let wanted = blocking(move || inbox.wanted(limit)).await?;
        let mut fetched = 0;
        for one in wanted {
            let work = self.prefetch_one(one, &access, &search);
            match cancel.run_until_cancelled(work).await {
                Some(Ok(())) => fetched += 1,
                // A merge request that cannot be read is opened from the server, which reports why.
                Some(Err(error)) if error.retryable => break,
                Some(Err(_)) => {}
                None => break,
            }
        }
        Ok(fetched)
    }

    /// Returns the merge requests to fetch, and forgets those that do not wait for the reader any more. Blocks.
    fn wanted(&self, limit: usize) -> Result<Vec<Wanted>> {
        let rows = self.view()?.rows.into_iter();
        let waits = |row: &diffsan_inbox::Row| {
            row.group == Group::YourTurn && !row.hidden && row.kind == RowKind::MergeRequest && row.problem.is_none()
        };
        let first: Vec<_> = rows.filter(waits).take(limit).collect();
        let keys: Vec<String> = first.iter().map(|row| row.key.clone()).collect();
        self.store.retain_inbox_prefetch(&keys)?;
        let known = self.store.inbox_prefetched()?;
        let wanted = first.into_iter().filter_map(|row| {
            let state = state_of(row.head.as_deref()?, row.updated_at.as_deref()?);
            if known.iter().any(|(key, before)| *key == row.key && *before == state) {
                return None;
            }
            Some(Wanted { key: row.key, state, target: row.target, clone: row.repository.map(PathBuf::from) })
        });
        Ok(wanted.collect())
    }

    async fn prefetch_one(&self, wanted: Wanted, access: &GitlabAccess, search: &SearchOf) -> Result<()> {
        let Wanted { key, state, target, clone } = wanted;
        let search = Arc::clone(search);
        let clone = blocking(move || Ok(clone.map(|path| LocalClone { search: search(&path), path }))).await?;
        let (target, fetched) = fetch_merge_request(&target, access, clone.as_ref()).await?;
        let patch = match &fetched.diff {
            FetchedDiff::Local(_) => None,
            FetchedDiff::Patch(bytes) if bytes.len() <= MAX_PATCH_BYTES => Some(bytes.to_vec()),
            FetchedDiff::Patch(_) => return Ok(()),
        };
        // The head may have moved since the list was read. Then the next refresh tells it.
        let current = state.starts_with(&fetched.refs.head_sha);
        let request = json(&SavedRequest::of(target, fetched))?;
        let store = Arc::clone(&self.store);
        blocking(move || {
            if current {
                store.save_inbox_prefetch(&StoredPrefetch { key, state, request, patch })?;
            }
            Ok(())
        })
        .await
    }

    /// Returns a merge request that was fetched before, if it has not changed since. With `any_age`, the last refresh may be old, for
    /// a server that cannot be reached. Blocks.
    pub fn prefetched(
        &self,
        target: &Target,
        repo: Option<&Path>,
        access: &GitlabAccess,
        any_age: bool,
    ) -> Result<Option<(Target, FetchedRequest)>> {
        let Some((item, source)) = self.item_of(target)? else { return Ok(None) };
        if !any_age && !self.is_fresh(&source)? {
            return Ok(None);
        }
        let Some(stored) = self.store.inbox_prefetch(&item.key)? else { return Ok(None) };
        let state = item.facts.head.as_deref().zip(item.updated_at.as_deref()).map(|(head, at)| state_of(head, at));
        if item.gone || state.as_deref() != Some(stored.state.as_str()) {
            return Ok(None);
        }
        // A state that another version saved is fetched again.
        let Ok(saved) = serde_json::from_str::<SavedRequest>(&stored.request) else { return Ok(None) };
        let local = repo.and_then(|path| local_diff(path, &saved.refs));
        let diff = match (local, stored.patch) {
            (Some(change), _) => FetchedDiff::Local(Arc::new(change)),
            (None, Some(patch)) => FetchedDiff::Patch(patch.into()),
            (None, None) => return Ok(None),
        };
        saved.restored(access, diff).map(Some)
    }

    /// Returns the saved row of a merge request, with its source.
    fn item_of(&self, target: &Target) -> Result<Option<(Item, String)>> {
        let Target::MergeRequest { base, project, iid } = target else { return Ok(None) };
        let stored = self.store.inbox_items()?.into_iter().filter(|row| row.source != LOCAL);
        let mut items = stored.filter_map(|row| Some((serde_json::from_str::<Item>(&row.item).ok()?, row.source)));
        Ok(items.find(|(item, _)| item.host == *base && item.project == *project && item.iid == *iid))
    }

    /// Returns whether the rows of an account are the state of its server.
    fn is_fresh(&self, source: &str) -> Result<bool> {
        let states: Vec<AccountState> = self.read(ACCOUNTS)?;
        let state = states.into_iter().find(|state| state.source() == source);
        let now = Timestamp::now();
        Ok(state.is_some_and(|state| {
            let age = state.refreshed_at.map(|at| now.duration_since(at));
            state.problem.is_none() && age.is_some_and(|age| age >= SignedDuration::ZERO && age < MAX_REFRESH_AGE)
        }))
    }
}

/// Returns a text that changes with a merge request. It begins with the head.
fn state_of(head: &str, updated_at: &str) -> String {
    format!("{head}/{updated_at}")
}

impl SavedRequest {
    fn of(target: Target, fetched: FetchedRequest) -> Self {
        let FetchedRequest {
            project_id,
            version,
            refs,
            diff: _,
            messages,
            title,
            description,
            issues,
            auto_merge,
            web_url,
            state,
            source_branch,
            target_branch,
            author,
            me,
            settings,
            commits: _,
            markers: _,
            threads,
        } = fetched;
        let discussions = threads.get().map(Arc::unwrap_or_clone);
        Self {
            target,
            project_id,
            version,
            refs,
            messages,
            title,
            description,
            issues,
            auto_merge,
            web_url,
            state,
            source_branch,
            target_branch,
            author,
            me,
            settings,
            discussions,
        }
    }

    /// Returns the merge request as it was fetched. Blocks.
    fn restored(self, access: &GitlabAccess, diff: FetchedDiff) -> Result<(Target, FetchedRequest), Error> {
        let (base, iid) = match &self.target {
            Target::MergeRequest { base, iid, .. } => (base.clone(), *iid),
            _ => Default::default(),
        };
        let (secret, _) = access.token(&base)?;
        let threads = Threads::default();
        if let Some(discussions) = self.discussions {
            threads.set(discussions);
        }
        let fetched = FetchedRequest {
            project_id: self.project_id,
            version: self.version,
            refs: self.refs,
            diff,
            messages: self.messages,
            title: self.title,
            description: self.description,
            issues: self.issues,
            auto_merge: self.auto_merge,
            web_url: self.web_url,
            state: self.state,
            source_branch: self.source_branch,
            target_branch: self.target_branch,
            author: self.author,
            me: self.me,
            settings: self.settings,
            commits: None,
            markers: access.marker_keys(&base, &secret, self.project_id, iid),
            threads,
        };
        Ok((self.target, fetched))
    }
}
