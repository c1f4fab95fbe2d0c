//! The waits before a question is asked again.

use std::time::Duration;

use backon::{BackoffBuilder as _, ExponentialBackoff, ExponentialBuilder};
use tokio_util::sync::CancellationToken;

use diffsan_agent::{Failure, Reply};

/// The shortest wait before a question is asked again, without jitter. Each further wait is twice as long.
const FIRST_WAIT: Duration = Duration::from_secs(2);
/// The longest wait before a question is asked again.
const LONGEST_WAIT: Duration = Duration::from_secs(120);

/// The remaining waits of one question.
pub struct Waits(ExponentialBackoff);

impl Waits {
    /// Creates the waits of a question that is asked again at most `retries` times.
    pub fn new(retries: u32) -> Self {
        let waits = ExponentialBuilder::new()
            .with_min_delay(FIRST_WAIT)
            .with_max_delay(LONGEST_WAIT)
            .with_max_times(retries as usize)
            .with_jitter();
        Self(waits.build())
    }

    /// Returns the wait after a reply: the one that the provider asks for, or a longer one each time. Returns `None` if the question is not asked
    /// again.
    pub fn after(&mut self, reply: &Reply) -> Option<Duration> {
        let Err(Failure::Failed { kind, retry_after, .. }) = &reply.answer else { return None };
        let own = self.0.next().filter(|_| kind.is_temporary())?;
        Some(retry_after.map_or(own, Duration::from_secs).min(LONGEST_WAIT))
    }
}

/// Waits. Returns the reply as that of a cancelled question if it is cancelled meanwhile.
pub async fn wait(time: Duration, reply: Reply, cancel: &CancellationToken) -> Option<Reply> {
    tokio::select! {
        () = cancel.cancelled() => Some(Reply { answer: Err(Failure::Cancelled), ..reply }),
        () = tokio::time::sleep(time) => None,
    }
}
