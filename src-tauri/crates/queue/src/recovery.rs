//! Items whose process was killed: they wait again, and their answers are used again.

use std::path::PathBuf;

use diffsan_pipeline::error::Result;
use diffsan_pipeline::review::saved_answers;
use diffsan_store::files::artifacts::now;
use diffsan_store::{QueueItemChange, StoredQueueRun};

use crate::Queue;
use crate::entry::QueueState;
use crate::outcome::ENDED;

/// The number of interrupted runs after which an item is not tried again, because its review may end the process.
const MAX_INTERRUPTED: u32 = 3;
/// The number of hours for which an item that ended stays in the list.
const ENDED_HOURS: i64 = 7 * 24;

impl Queue {
    /// Lets items wait again whose process was killed. The caller holds the lock, so no process works on them. Blocks.
    pub(crate) fn recover(&self) -> Result<()> {
        let limit = jiff::Timestamp::now() - jiff::SignedDuration::from_hours(ENDED_HOURS);
        self.store().remove_ended_queue_items(&limit.to_string())?;
        for item in self.store().queue_items()? {
            if item.state != QueueState::Running.name() {
                continue;
            }
            let run = item.run_id.as_deref().map(|id| self.store().queue_run(id)).transpose()?.flatten();
            let change = QueueItemChange {
                state: QueueState::Waiting.name().to_owned(),
                reason: Some(ENDED.to_owned()),
                interrupted: true,
                at: now(),
                ..QueueItemChange::default()
            };
            let Some(run) = run else {
                self.store().change_queue_item(&item.key, &change)?;
                continue;
            };
            if self.store().review(&run.run_id)?.is_some() {
                // The review was saved, but not its end. The item finds it when its turn comes, unless its change has moved.
                let change = QueueItemChange { interrupted: false, reason: None, ..change };
                self.store().end_queue_run(&run, "done", None, &change)?;
            } else if item.attempts + 1 >= MAX_INTERRUPTED {
                let reason = format!("diffsan ended {MAX_INTERRUPTED} times during the review");
                let state = QueueState::Failed.name().to_owned();
                let change = QueueItemChange { state, reason: Some(reason), ..change };
                self.store().end_queue_run(&run, "interrupted", None, &change)?;
            } else {
                self.store().end_queue_run(&run, "interrupted", None, &change)?;
            }
        }
        Ok(())
    }

    /// Returns the folder of the earlier run with the most answers, if there is one. Blocks.
    pub(crate) fn resumable(&self, runs: &[StoredQueueRun]) -> Option<PathBuf> {
        let folders =
            runs.iter().filter(|run| run.state != "done").map(|run| self.app.places().runs().join(&run.run_id));
        let answers = folders.map(|folder| (saved_answers(&folder), folder)).filter(|(count, _)| *count > 0);
        answers.max_by_key(|(count, _)| *count).map(|(_, folder)| folder)
    }
}
