//! What may have a program of an agent running, so that nothing of it outlives diffsan.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// What is under way.
#[derive(Debug, Default)]
pub(super) struct Work {
    begun: Mutex<Begun>,
    tracker: TaskTracker,
}

#[derive(Debug, Default)]
struct Begun {
    tokens: Vec<(u64, CancellationToken)>,
    last: u64,
    /// Whatever begins from now on is cancelled at once.
    ended: bool,
}

/// One piece of work, under way until this is dropped.
pub(super) struct AtWork<'a> {
    work: &'a Work,
    serial: u64,
    _tracked: TaskTrackerToken,
}

impl Work {
    /// Notes what `cancel` stops.
    pub(super) fn begin(&self, cancel: &CancellationToken) -> AtWork<'_> {
        let mut begun = self.lock();
        begun.last += 1;
        let serial = begun.last;
        begun.tokens.push((serial, cancel.clone()));
        if begun.ended {
            cancel.cancel();
        }
        AtWork { work: self, serial, _tracked: self.tracker.token() }
    }

    /// Stops everything, and waits until it has ended.
    pub(super) async fn end(&self) {
        {
            let mut begun = self.lock();
            begun.ended = true;
            begun.tokens.iter().for_each(|(_, cancel)| cancel.cancel());
        }
        self.tracker.close();
        self.tracker.wait().await;
    }

    fn lock(&self) -> MutexGuard<'_, Begun> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.work.lock().tokens.retain(|(serial, _)| *serial != self.serial);
    }
}
