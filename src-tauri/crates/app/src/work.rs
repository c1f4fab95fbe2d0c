//! The registry of running work. When a program ends, it stops all of it, so that no program of an agent outlives diffsan.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// The running work. The tokens of all requests and runs are children of one token, which [`Self::end`] cancels.
#[derive(Debug, Default)]
pub(super) struct Work {
    ended: CancellationToken,
    tracker: TaskTracker,
    /// The runs of reviews by their id.
    runs: Mutex<HashMap<String, CancellationToken>>,
}

impl Work {
    /// Returns a token for new work.
    pub(super) fn token(&self) -> CancellationToken {
        self.ended.child_token()
    }

    /// Registers work until the returned value is dropped. Cancels it at once if the program ends.
    pub(super) fn begin(&self, cancel: &CancellationToken) -> TaskTrackerToken {
        let tracked = self.tracker.token();
        if self.ended.is_cancelled() {
            cancel.cancel();
        }
        tracked
    }

    /// Registers a run under its id.
    pub(super) fn begin_run(&self, id: &str, cancel: &CancellationToken) {
        self.lock_runs().insert(id.to_owned(), cancel.clone());
    }

    /// Cancels a run. Returns `false` if it has ended.
    pub(super) fn cancel_run(&self, id: &str) -> bool {
        self.lock_runs().get(id).map(CancellationToken::cancel).is_some()
    }

    /// Removes a run from the registry.
    pub(super) fn end_run(&self, id: &str) {
        self.lock_runs().remove(id);
    }

    /// Cancels all work and waits until it has ended.
    pub(super) async fn end(&self) {
        self.ended.cancel();
        self.tracker.close();
        self.tracker.wait().await;
    }

    fn lock_runs(&self) -> MutexGuard<'_, HashMap<String, CancellationToken>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
