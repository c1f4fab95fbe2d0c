//! The registry of running work. When a program ends, it stops all of it, so that no program of an agent outlives diffsan.

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// The running work. The tokens of all requests and runs are children of one token, which [`Self::end`] cancels.
#[derive(Debug, Default)]
pub(super) struct Work {
    ended: CancellationToken,
    tracker: TaskTracker,
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

    /// Cancels all work and waits until it has ended.
    pub(super) async fn end(&self) {
        self.ended.cancel();
        self.tracker.close();
        self.tracker.wait().await;
    }
}
