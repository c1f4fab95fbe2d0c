//! Works on the queue: takes the first item that fits into the budget, reviews it, and records the end.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use diffsan_app::{ChangeHandle, ChangeRequest};
use diffsan_change::Target;
use diffsan_pipeline::agents::choose_agents;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_pipeline::review::{ReviewRequest, RunEvent, RunLocation, new_run_id};
use diffsan_store::files::artifacts::now;
use diffsan_store::{QueueItemChange, QueueUsage, StoredQueueItem, StoredQueueRun};
use jiff::Zoned;
use tokio_util::sync::CancellationToken;

use crate::budget::{self, Estimate, Fits};
use crate::entry::{QueueEntry, QueueState};
use crate::outcome::{Ended, RunOutcome, summary};
use crate::{Queue, Switch, digest};

/// The number of failures in a row after which the queue is turned off.
const MAX_FAILURES: u32 = 3;
/// The interval at which a running item is checked for its removal.
const REMOVAL_INTERVAL: Duration = Duration::from_millis(500);

/// The reason why work on the queue ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Nothing waits any more.
    Empty,
    /// The queue is off.
    Off,
    /// Items wait for a reason that ends by itself: the budget of the day, the hours, a server that cannot be reached.
    Later(String),
    /// Another process works on the queue.
    Busy,
    /// The work was cancelled.
    Cancelled,
}

/// The progress of the work.
#[derive(Clone, Debug)]
pub enum Progress {
    /// An item's review begins.
    Begins {
        /// The project and number, or the repository.
        place: String,
        /// The title.
        title: String,
    },
    /// An item has a new state.
    Changed {
        /// The project and number, or the repository.
        place: String,
        /// The state.
        state: QueueState,
        /// The reason of the state.
        reason: Option<String>,
    },
    /// A message about the running review.
    Message(String),
}

type Notify<'a> = &'a (dyn Fn(Progress) + Send + Sync);

/// An item with the change that it reviews.
struct Opened {
    item: StoredQueueItem,
    entry: QueueEntry,
    handle: ChangeHandle,
    agents: Vec<String>,
    digest: String,
    estimate: Estimate,
    /// The earlier runs of the same review.
    runs: Vec<StoredQueueRun>,
}

impl Queue {
    /// Works on the queue until nothing can be done any more. With `if_on`, only while the queue is on.
    pub async fn work(
        self: &Arc<Self>,
        if_on: bool,
        cancel: &CancellationToken,
        notify: Notify<'_>,
    ) -> Result<Stopped> {
        if if_on && !self.blocking(|queue| Ok(queue.switch()?.on)).await? {
            return Ok(Stopped::Off);
        }
        let Some(_lock) = self.blocking(Self::lock).await? else { return Ok(Stopped::Busy) };
        self.blocking(Self::recover).await?;
        let (mut held, mut reason, mut failures) = (HashSet::new(), None, 0);
        loop {
            if if_on && !self.blocking(|queue| Ok(queue.switch()?.on)).await? {
                return Ok(Stopped::Off);
            }
            let tried = held.clone();
            let (next, closed) = self.blocking(move |queue| queue.next(&tried)).await?;
            let Some(item) = next else { return Ok(reason.map_or(Stopped::Empty, Stopped::Later)) };
            if let Some(closed) = closed {
                return Ok(Stopped::Later(closed));
            }
            let key = item.key.clone();
            match self.one(item, cancel, notify).await? {
                Ended::Well => failures = 0,
                Ended::Badly => failures += 1,
                Ended::Held(why) => {
                    held.insert(key);
                    reason = Some(why);
                }
                Ended::Cancelled => return Ok(Stopped::Cancelled),
            }
            if failures >= MAX_FAILURES {
                let note = format!("{MAX_FAILURES} reviews in a row failed");
                self.blocking(move |queue| queue.write_switch(&Switch { on: false, note: Some(note) })).await?;
                return Ok(Stopped::Off);
            }
        }
    }

    /// Returns the first item that waits and was not tried, and why no review can start now. Blocks.
    fn next(&self, tried: &HashSet<String>) -> Result<(Option<StoredQueueItem>, Option<String>)> {
        let waits = |item: &StoredQueueItem| item.state == QueueState::Waiting.name() && !tried.contains(&item.key);
        let item = self.store().queue_items()?.into_iter().find(waits);
        let now = Zoned::now();
        let used = self.store().queue_usage(&budget::day(&now))?;
        Ok((item, budget::closed(&self.app.user_config()?.queue, used, &now)?))
    }

    async fn one(
        self: &Arc<Self>,
        item: StoredQueueItem,
        cancel: &CancellationToken,
        notify: Notify<'_>,
    ) -> Result<Ended> {
        let Ok(entry) = serde_json::from_str::<QueueEntry>(&item.entry) else {
            // Another version added it. It is not shown either.
            self.blocking(move |queue| Ok(queue.store().remove_queue_items(&[item.key])?)).await?;
            return Ok(Ended::Well);
        };
        let opened = match self.open(item.clone(), entry.clone(), cancel).await {
            Ok(opened) => opened,
            Err(_) if cancel.is_cancelled() => return Ok(Ended::Cancelled),
            Err(error) if error.retryable => return self.hold(&item, &entry, error.message, notify).await,
            Err(error) => return self.settle(&item, &entry, QueueState::Failed, error.message, notify).await,
        };
        if let Some(reason) = self.reviewed_before(&opened).await? {
            return self.settle(&opened.item, &opened.entry, QueueState::Done, reason, notify).await;
        }
        let estimate = opened.estimate;
        let fits = self.blocking(move |queue| {
            let used = queue.store().queue_usage(&budget::day(&Zoned::now()))?;
            Ok(budget::fits(&queue.app.user_config()?.queue, used, estimate))
        });
        match fits.await? {
            Fits::Now => self.review(opened, cancel, notify).await,
            Fits::Later(reason) => self.hold(&opened.item, &opened.entry, reason, notify).await,
            Fits::Never(reason) => {
                self.settle(&opened.item, &opened.entry, QueueState::Failed, reason, notify).await?;
                // Nothing was reviewed, so no review failed.
                Ok(Ended::Well)
            }
        }
    }

    /// Opens the change of an item as it is now.
    async fn open(
        self: &Arc<Self>,
        item: StoredQueueItem,
        entry: QueueEntry,
        cancel: &CancellationToken,
    ) -> Result<Opened> {
        let repo = entry.repository.as_ref().map(PathBuf::from).filter(|path| path.is_dir());
        let handle = match &entry.target {
            // The state that the inbox fetched may be older than the server's.
            target @ Target::MergeRequest { .. } => {
                let opening = self.app.open_merge_request(repo, target, Vec::new(), None);
                let cancelled = || Err(Error::new(ErrorCode::Cancelled, "The review was cancelled."));
                cancel.run_until_cancelled(opening).await.unwrap_or_else(cancelled)?
            }
            target => self.app.open_change(ChangeRequest::new(repo, target.clone()), cancel).await?,
        };
        self.blocking(move |queue| {
            let named = match (&entry.agents[..], queue.app.user_config()?.queue.agent) {
                ([], agent) if agent.is_empty() => Vec::new(),
                ([], agent) => vec![agent],
                (named, _) => named.to_vec(),
            };
            let config = &handle.opened.settings.config;
            let chosen = choose_agents(&named, None, config, &handle.opened.search_path())?;
            let agents: Vec<String> = chosen.into_iter().map(|choice| choice.agent.name).collect();
            let digest = digest::digest(&handle.opened, &agents);
            let estimate = digest::estimate(queue.app.places(), &handle.opened, &agents)?;
            let runs = queue.store().queue_runs_of(&digest)?;
            Ok(Opened { item, entry, handle, agents, digest, estimate, runs })
        })
        .await
    }

    /// Returns the result of an earlier review of the same diff by the same agents, if there is one.
    async fn reviewed_before(self: &Arc<Self>, opened: &Opened) -> Result<Option<String>> {
        let (change, agents) = (Arc::clone(&opened.handle.opened), opened.agents.join(", "));
        let done: Vec<String> =
            opened.runs.iter().filter(|run| run.state == "done").map(|run| run.run_id.clone()).collect();
        self.blocking(move |queue| {
            for id in done.iter().rev() {
                if let Ok(saved) = queue.app.review_by_id(id) {
                    return Ok(Some(format!("reviewed before: {}", summary(&saved.output))));
                }
            }
            if !done.is_empty() {
                return Ok(Some("reviewed before; the review was deleted".to_owned()));
            }
            // A review that the user started has no digest. The settings of the queue's own reviews are known.
            let latest = queue.app.latest_review(&change)?;
            let same = latest
                .filter(|saved| saved.fingerprint == change.fingerprint.value && saved.output.meta.agent == agents);
            let Some(saved) = same else { return Ok(None) };
            let own = queue.store().queue_run(&saved.id)?.is_some();
            Ok((!own).then(|| format!("reviewed before: {}", summary(&saved.output))))
        })
        .await
    }

    async fn review(self: &Arc<Self>, opened: Opened, cancel: &CancellationToken, notify: Notify<'_>) -> Result<Ended> {
        let run = StoredQueueRun {
            run_id: new_run_id(),
            key: opened.item.key.clone(),
            digest: opened.digest.clone(),
            day: budget::day(&Zoned::now()),
            started_at: now(),
            state: "running".to_owned(),
            usage: QueueUsage { runs: 1, tokens: opened.estimate.tokens, cost: opened.estimate.cost, seconds: 0 },
        };
        let (begun, runs) = (run.clone(), opened.runs.clone());
        let begin = move |queue: &Self| Ok((queue.store().begin_queue_run(&begun)?, queue.resumable(&runs)));
        let (begins, resume) = self.blocking(begin).await?;
        if !begins {
            // It was removed or taken meanwhile.
            return Ok(Ended::Well);
        }
        let QueueEntry { place, title, .. } = opened.entry.clone();
        notify(Progress::Begins { place, title });
        let request = ReviewRequest {
            run_id: Some(run.run_id.clone()),
            agents: opened.agents.clone(),
            model: None,
            instructions: None,
            skills: None,
            prior: None,
            records: Default::default(),
            known: Vec::new(),
            posted: None,
            verify: None,
            anyway: false,
            runs: 1,
            place: RunLocation::Data,
            resume,
        };
        let hear = |event: RunEvent| {
            if let RunEvent::Step { message, .. } | RunEvent::Progress { message, .. } = event {
                notify(Progress::Message(message));
            }
        };
        let started = Instant::now();
        let stop = cancel.child_token();
        let result = {
            let review = self.app.review(&opened.handle, request, stop.clone(), &hear);
            tokio::pin!(review);
            tokio::select! {
                (_, result) = &mut review => result,
                () = self.removed(&run) => {
                    stop.cancel();
                    review.await.1
                }
            }
        };
        let usage = QueueUsage { seconds: started.elapsed().as_secs(), ..run.usage };
        let moved = result.is_ok() && !cancel.is_cancelled() && self.has_moved(&opened).await;
        let outcome = RunOutcome::of(result, usage, cancel.is_cancelled(), moved);
        self.record(&opened, run, outcome, notify).await
    }

    /// Waits until an item is not in the queue any more, by whichever process it was removed.
    async fn removed(self: &Arc<Self>, run: &StoredQueueRun) {
        loop {
            tokio::time::sleep(REMOVAL_INTERVAL).await;
            let (key, id) = (run.key.clone(), run.run_id.clone());
            let there = self.blocking(move |queue| {
                let items = queue.store().queue_items()?;
                Ok(items.iter().any(|item| item.key == key && item.run_id.as_ref() == Some(&id)))
            });
            // If the store cannot be read, the review goes on.
            if matches!(there.await, Ok(false)) {
                return;
            }
        }
    }

    /// Records the end of a run, and the new state of its item.
    async fn record(
        self: &Arc<Self>,
        opened: &Opened,
        run: StoredQueueRun,
        outcome: RunOutcome,
        notify: Notify<'_>,
    ) -> Result<Ended> {
        let RunOutcome { run: run_state, item, reason, to_end, usage, ended } = outcome;
        let change = QueueItemChange {
            state: item.name().to_owned(),
            reason: Some(reason.clone()),
            to_end,
            at: now(),
            ..QueueItemChange::default()
        };
        self.blocking(move |queue| Ok(queue.store().end_queue_run(&run, run_state, Some(usage), &change)?)).await?;
        notify(Progress::Changed { place: opened.entry.place.clone(), state: item, reason: Some(reason) });
        Ok(ended)
    }

    /// Returns whether the change has another state than the reviewed one. If that cannot be read, it counts as the same.
    async fn has_moved(self: &Arc<Self>, opened: &Opened) -> bool {
        let change = Arc::clone(&opened.handle.opened);
        if change.merge_request.is_some() {
            return self.app.refresh_request(&change).await.is_ok_and(|(moved, _)| moved);
        }
        self.blocking(move |queue| queue.app.has_moved(&change)).await.unwrap_or(false)
    }

    /// Leaves an item where it is, with the reason.
    async fn hold(
        self: &Arc<Self>,
        item: &StoredQueueItem,
        entry: &QueueEntry,
        reason: String,
        notify: Notify<'_>,
    ) -> Result<Ended> {
        self.settle(item, entry, QueueState::Waiting, reason.clone(), notify).await?;
        Ok(Ended::Held(reason))
    }

    /// Changes an item that was not reviewed now.
    async fn settle(
        self: &Arc<Self>,
        item: &StoredQueueItem,
        entry: &QueueEntry,
        state: QueueState,
        reason: String,
        notify: Notify<'_>,
    ) -> Result<Ended> {
        let (key, place) = (item.key.clone(), entry.place.clone());
        let change = QueueItemChange {
            state: state.name().to_owned(),
            reason: Some(reason.clone()),
            at: now(),
            ..QueueItemChange::default()
        };
        self.blocking(move |queue| Ok(queue.store().change_queue_item(&key, &change)?)).await?;
        notify(Progress::Changed { place, state, reason: Some(reason) });
        Ok(if state == QueueState::Failed { Ended::Badly } else { Ended::Well })
    }
}
