//! The review queue: reviews rows of the inbox in the background, one after the other, inside a budget for each day.
//!
//! In: rows, agents, and the order that the user chose. Out: saved reviews, and the state of each item. Every step is in the store before
//! it begins, so that a killed process repeats no answer of an agent and loses no item. One process works at a time. This crate decides
//! neither how a change is reviewed (`app`) nor whose turn it is (`inbox`).

mod budget;
mod digest;
mod entry;
mod outcome;
mod recovery;
mod work;

use std::fs::{File, TryLockError};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use diffsan_app::App;
use diffsan_inbox::{Group, Row};
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::{Error, ErrorCode, Result, to_pretty_json};
use diffsan_store::Store;
use diffsan_store::files::artifacts::now;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

pub use budget::QueueBudget;
pub use entry::{QueueEntry, QueueItem, QueueState, QueueView};
pub use work::{Progress, Stopped};

/// The entry of the store that says whether the queue works, and why it stopped by itself.
const SWITCH: &str = "queue.switch";
/// The file whose lock shows that a process works on the queue.
const LOCK_FILE: &str = "queue.lock";
/// The pause after which a queue that has to wait looks again: for a new day, for a server, for another process.
const RETRY_INTERVAL: Duration = Duration::from_secs(60);

/// Whether the queue works.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Switch {
    on: bool,
    /// The reason why it stopped by itself.
    note: Option<String>,
}

/// The review queue.
pub struct Queue {
    app: Arc<App>,
    /// Whether the background task of this process runs.
    working: AtomicBool,
    /// Wakes the background task.
    changed: Notify,
}

impl Queue {
    /// Creates the queue over the application. Nothing runs until [`Self::work_in_background`] or [`Self::work`].
    pub fn new(app: Arc<App>) -> Arc<Self> {
        Arc::new(Self { app, working: AtomicBool::new(false), changed: Notify::new() })
    }

    fn store(&self) -> &Arc<Store> {
        self.app.store()
    }

    /// Returns the items, the budget, and whether the queue works. Blocks.
    pub fn view(&self) -> Result<QueueView> {
        let config = self.app.user_config()?;
        let switch = self.switch()?;
        let items: Vec<QueueItem> = self.store().queue_items()?.into_iter().filter_map(QueueItem::of).collect();
        Ok(QueueView {
            on: switch.on,
            note: switch.note,
            agent: entry::default_agent(&config),
            budget: budget::view(self.store(), &config.queue)?,
            items,
        })
    }

    /// Adds rows of the inbox to the end of the queue, with agents or the configured one. Rows that are done cannot be added. Blocks.
    pub fn add(&self, keys: &[String], agents: &[String]) -> Result<QueueView> {
        let rows = self.app.inbox_view()?.rows;
        let mut items = Vec::new();
        for key in keys {
            let row = rows.iter().find(|row| row.key == *key).filter(|row| row.group != Group::Done);
            let row = row.ok_or_else(|| {
                Error::new(ErrorCode::NotFound, "This row is not in the inbox, or it is done.")
                    .hint("Refresh the inbox.")
            })?;
            items.push((key.clone(), to_pretty_json(&QueueEntry::of(row, agents))?));
        }
        self.store().add_queue_items(&items, &now())?;
        self.changed.notify_one();
        self.view()
    }

    /// Removes items. The review of one that runs is cancelled. Blocks.
    pub fn remove(&self, keys: &[String]) -> Result<QueueView> {
        self.store().remove_queue_items(keys)?;
        self.view()
    }

    /// Removes all items that have ended. Blocks.
    pub fn remove_ended(&self) -> Result<QueueView> {
        let ended = |item: &QueueItem| matches!(item.state, QueueState::Done | QueueState::Failed);
        let keys: Vec<String> = self.view()?.items.into_iter().filter(ended).map(|item| item.key).collect();
        self.remove(&keys)
    }

    /// Moves an item to a place among those that wait, from 0. Blocks.
    pub fn move_to(&self, key: &str, place: usize) -> Result<QueueView> {
        let items = self.view()?.items;
        let mut waiting: Vec<String> = items
            .iter()
            .filter(|item| item.state == QueueState::Waiting && item.key != key)
            .map(|item| item.key.clone())
            .collect();
        if !items.iter().any(|item| item.key == key && item.state == QueueState::Waiting) {
            return Err(Error::new(ErrorCode::NotFound, "This item does not wait in the queue."));
        }
        waiting.insert(place.min(waiting.len()), key.to_owned());
        self.store().order_queue(&waiting)?;
        self.view()
    }

    /// Turns the queue on or off. A review that runs ends first. Blocks.
    pub fn set_on(&self, on: bool) -> Result<QueueView> {
        self.write_switch(&Switch { on, note: None })?;
        self.changed.notify_one();
        self.view()
    }

    fn switch(&self) -> Result<Switch> {
        let text = self.store().state(SWITCH)?;
        // A text of another version counts as off.
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }

    fn write_switch(&self, switch: &Switch) -> Result<()> {
        Ok(self.store().set_state(SWITCH, Some(&to_pretty_json(switch)?))?)
    }

    /// Works in the background while the queue is on. A second call does nothing. Must be called in a tokio runtime.
    pub fn work_in_background(self: &Arc<Self>) {
        if self.working.swap(true, Ordering::SeqCst) {
            return;
        }
        let queue = Arc::clone(self);
        tokio::runtime::Handle::current().spawn(async move {
            loop {
                queue.keep_working().await;
                queue.working.store(false, Ordering::SeqCst);
                // A call that turned the queue on in between has started no task.
                let is_on = queue.blocking(|queue| Ok(queue.switch()?.on)).await.unwrap_or(false);
                let is_ended = queue.app.cancellation().is_cancelled();
                if !is_on || is_ended || queue.working.swap(true, Ordering::SeqCst) {
                    return;
                }
            }
        });
    }

    async fn keep_working(self: &Arc<Self>) {
        let cancel = self.app.cancellation();
        loop {
            // An error of the store may be temporary: another process may hold the file.
            let stopped = self.work(true, &cancel, &|_| ()).await;
            if matches!(stopped, Ok(Stopped::Off)) || cancel.is_cancelled() {
                return;
            }
            let pause = async {
                tokio::select! {
                    () = self.changed.notified() => {}
                    () = tokio::time::sleep(RETRY_INTERVAL) => {}
                }
            };
            if cancel.run_until_cancelled(pause).await.is_none() {
                return;
            }
        }
    }

    /// Returns the lock of the process that works, or `None` if another one has it. Blocks.
    fn lock(&self) -> Result<Option<File>> {
        let path = self.app.places().data.join(LOCK_FILE);
        let failed = |error: std::io::Error| {
            Error::new(ErrorCode::IoFailed, format!("The review queue cannot be locked at {}.", path.display()))
                .cause(error)
        };
        let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }

    /// Runs blocking work with the queue.
    async fn blocking<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let queue = Arc::clone(self);
        blocking(move || work(&queue)).await
    }
}

/// Returns the rows that a queue is for: those that wait for the reader and are not reviewed at their head.
pub fn unreviewed(rows: &[Row]) -> Vec<String> {
    let waits = |row: &&Row| {
        row.group == Group::YourTurn && !row.hidden && !row.review.as_ref().is_some_and(|review| review.current)
    };
    rows.iter().filter(waits).map(|row| row.key.clone()).collect()
}
