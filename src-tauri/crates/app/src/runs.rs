//! The registry of running reviews: their progress so far, and the feed of their events. Every page of this process follows the same
//! registry, so that it can show and cancel a review that another page started. It does not know how a review is made.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use diffsan_change::Target;
use diffsan_pipeline::error::ErrorInfo;
use diffsan_pipeline::open::OpenChange;
use diffsan_pipeline::review::RunEvent;
use diffsan_review::TokenUsage;

/// The maximum number of unread events of a follower. A slower follower gets the whole state again.
const MAX_PENDING_EVENTS: usize = 2048;
/// The maximum number of progress messages of a run.
const MAX_LINES: usize = 200;
/// The maximum number of failed runs whose error stays.
const MAX_FAILED: usize = 20;

/// A running review with its progress so far, or the latest failed review of a change. Its texts are masked.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LiveRun {
    /// The run's id.
    pub run_id: String,
    /// The key of the change: `ChangeView.review_key`.
    pub change: String,
    /// The repository to open the change in. Empty for a change without one.
    pub repo: String,
    /// The change.
    pub target: Target,
    /// The title of the change, for display.
    pub title: String,
    /// The names of the agents. Empty until the configured agent is known.
    pub agents: Vec<String>,
    /// The milliseconds since the start of the run.
    pub elapsed_ms: u64,
    /// The current step: `fetch`, `prepare`, `room`, `prompt`, `agent` or `validate`.
    pub step: String,
    /// Whether the step `room` occurred. Not every agent reads files.
    pub has_room: bool,
    /// The latest progress messages, oldest first.
    pub log: Vec<RunLine>,
    /// The usage by agent.
    pub usage: BTreeMap<String, RunUsage>,
    /// The failure, if the run failed. It stays until the change is reviewed again, or the user closes it.
    pub failure: Option<RunFailure>,
}

/// A progress message of a run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RunLine {
    /// The milliseconds since the start of the run.
    pub elapsed_ms: u64,
    /// The agent's name, if the message is about one agent.
    pub agent: Option<String>,
    /// Text for display.
    pub message: String,
}

/// The usage of an agent so far.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RunUsage {
    /// The number of tokens, if the agent reports it.
    pub tokens: Option<TokenUsage>,
    /// The cost that the agent reports, in US dollars.
    pub cost_usd: Option<f64>,
}

/// The failure of a run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RunFailure {
    /// The error.
    pub error: ErrorInfo,
    /// The run folder, which contains everything that was produced.
    pub run_dir: String,
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RunEnd {
    /// The review is complete and saved.
    Done {
        /// The number of findings.
        findings: u32,
    },
    /// There was nothing to review.
    Skipped {
        /// Why: `NO_DIFF`, `NOTHING_SENT`, `AUTO_MERGE`, `SAME_FINGERPRINT`.
        reason: String,
        /// The reason as text for display.
        message: String,
    },
    /// The review failed.
    Failed {
        /// The failure.
        failure: RunFailure,
    },
    /// The user cancelled the review.
    Cancelled,
}

/// A change of the registry, or of a saved review.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ReviewEvent {
    /// The whole state. It is the first event, and comes again after the follower missed events.
    Snapshot {
        /// The running reviews, and failed ones, oldest first.
        runs: Vec<LiveRun>,
    },
    /// A review started. It replaces a failed one of the same change.
    Started {
        /// The run.
        run: Box<LiveRun>,
    },
    /// The agents are known.
    Agents {
        /// The run's id.
        run_id: String,
        /// The names of the agents.
        agents: Vec<String>,
    },
    /// The run made progress.
    Progress {
        /// The run's id.
        run_id: String,
        /// The step that began, if one did.
        step: Option<String>,
        /// The message.
        line: RunLine,
    },
    /// An agent reported its usage so far.
    Usage {
        /// The run's id.
        run_id: String,
        /// The agent's name.
        agent: String,
        /// The usage.
        usage: RunUsage,
    },
    /// A review ended.
    Ended {
        /// The run's id.
        run_id: String,
        /// Its end.
        end: RunEnd,
    },
    /// The user closed the error of a failed review.
    Closed {
        /// The run's id.
        run_id: String,
    },
    /// The saved review of a change was edited: decisions, findings or applied suggestions.
    Edited {
        /// The key of the change: `ChangeView.review_key`.
        change: String,
    },
}

/// An event, and the connection whose request caused it, which knows it already.
#[derive(Clone, Debug)]
pub struct FeedEvent {
    /// The number of the connection, if the event is not for it.
    pub by: Option<u64>,
    /// The event.
    pub event: ReviewEvent,
}

/// The state of the registry, and all later events.
pub struct FollowedRuns {
    /// The runs, oldest first.
    pub runs: Vec<LiveRun>,
    /// The later events.
    pub events: broadcast::Receiver<FeedEvent>,
}

/// The registry.
#[derive(Debug)]
pub(super) struct Runs {
    /// The running reviews and the failed ones, oldest first.
    runs: Mutex<Vec<Run>>,
    feed: broadcast::Sender<FeedEvent>,
}

#[derive(Debug)]
struct Run {
    view: LiveRun,
    started: Instant,
    cancel: CancellationToken,
}

impl Run {
    fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn is_running(&self) -> bool {
        self.view.failure.is_none()
    }
}

impl Default for Runs {
    fn default() -> Self {
        Self { runs: Mutex::default(), feed: broadcast::channel(MAX_PENDING_EVENTS).0 }
    }
}

impl Runs {
    /// Registers a run of a change. Fails with the id of the running one if the change is already being reviewed.
    pub(super) fn begin(
        &self,
        run_id: &str,
        opened: &OpenChange,
        agents: &[String],
        cancel: &CancellationToken,
    ) -> Result<(), String> {
        let mut runs = self.lock();
        let change = opened.review_key();
        if let Some(known) = runs.iter().find(|run| run.view.change == change && run.is_running()) {
            return Err(known.view.run_id.clone());
        }
        runs.retain(|run| run.view.change != change);
        let view = LiveRun {
            run_id: run_id.to_owned(),
            change,
            repo: opened.repository_name(),
            target: opened.target.clone(),
            title: opened.title(),
            agents: agents.to_vec(),
            elapsed_ms: 0,
            step: "fetch".to_owned(),
            has_room: false,
            log: Vec::new(),
            usage: BTreeMap::new(),
            failure: None,
        };
        runs.push(Run { view: view.clone(), started: Instant::now(), cancel: cancel.clone() });
        self.publish(ReviewEvent::Started { run: Box::new(view) });
        Ok(())
    }

    /// Whether any review runs.
    pub(super) fn is_any_running(&self) -> bool {
        self.lock().iter().any(|run| run.view.failure.is_none())
    }

    /// Records the progress of a run. Ignores a run that was cancelled.
    pub(super) fn progress(&self, run_id: &str, event: &RunEvent) {
        let mut runs = self.lock();
        let Some(run) = runs.iter_mut().find(|run| run.view.run_id == run_id) else { return };
        let run_id = run_id.to_owned();
        let elapsed_ms = run.elapsed_ms();
        let event = match event.clone() {
            RunEvent::Agents { agents } => {
                run.view.agents.clone_from(&agents);
                ReviewEvent::Agents { run_id, agents }
            }
            RunEvent::Step { step, message } => {
                run.view.step = step.to_owned();
                run.view.has_room |= step == "room";
                let line = RunLine { elapsed_ms, agent: None, message };
                ReviewEvent::Progress { run_id, step: Some(step.to_owned()), line }
            }
            RunEvent::Progress { agent, message, .. } => {
                let line = RunLine { elapsed_ms, agent: Some(agent), message };
                ReviewEvent::Progress { run_id, step: None, line }
            }
            RunEvent::Usage { agent, usage, cost_usd } => {
                let usage = RunUsage { tokens: usage, cost_usd };
                run.view.usage.insert(agent.clone(), usage);
                ReviewEvent::Usage { run_id, agent, usage }
            }
        };
        if let ReviewEvent::Progress { line, .. } = &event {
            let log = &mut run.view.log;
            log.push(line.clone());
            log.drain(..log.len().saturating_sub(MAX_LINES));
        }
        self.publish(event);
    }

    /// Ends a run. The error of a failed one stays.
    pub(super) fn end(&self, run_id: &str, change: &str, end: RunEnd) {
        let mut runs = self.lock();
        let Some(at) = runs.iter().position(|run| run.view.run_id == run_id) else {
            // The run was cancelled, but its review was already being saved.
            if matches!(end, RunEnd::Done { .. }) {
                self.publish(ReviewEvent::Edited { change: change.to_owned() });
            }
            return;
        };
        let mut run = runs.remove(at);
        if let RunEnd::Failed { failure } = &end {
            run.view.failure = Some(failure.clone());
            run.view.elapsed_ms = run.elapsed_ms();
            runs.push(run);
            let failed = runs.iter().filter(|run| !run.is_running()).count();
            let oldest = runs.iter().position(|run| !run.is_running());
            if let (true, Some(oldest)) = (failed > MAX_FAILED, oldest) {
                runs.remove(oldest);
            }
        }
        self.publish(ReviewEvent::Ended { run_id: run_id.to_owned(), end });
    }

    /// Cancels a run. It ends at once for all pages; its programs are stopped meanwhile. Returns `false` if it has ended.
    pub(super) fn cancel(&self, run_id: &str) -> bool {
        let mut runs = self.lock();
        let Some(at) = runs.iter().position(|run| run.view.run_id == run_id && run.is_running()) else { return false };
        runs.remove(at).cancel.cancel();
        self.publish(ReviewEvent::Ended { run_id: run_id.to_owned(), end: RunEnd::Cancelled });
        true
    }

    /// Removes a failed run.
    pub(super) fn close(&self, run_id: &str) {
        let mut runs = self.lock();
        let Some(at) = runs.iter().position(|run| run.view.run_id == run_id && !run.is_running()) else { return };
        runs.remove(at);
        self.publish(ReviewEvent::Closed { run_id: run_id.to_owned() });
    }

    /// Reports that the saved review of a change was edited.
    pub(super) fn edited(&self, change: String, by: Option<u64>) {
        let _runs = self.lock();
        // There may be no follower.
        let _ = self.feed.send(FeedEvent { by, event: ReviewEvent::Edited { change } });
    }

    /// Returns the current state, and follows all later events.
    pub(super) fn follow(&self) -> FollowedRuns {
        let runs = self.lock();
        let view = |run: &Run| match run.is_running() {
            true => LiveRun { elapsed_ms: run.elapsed_ms(), ..run.view.clone() },
            false => run.view.clone(),
        };
        FollowedRuns { runs: runs.iter().map(view).collect(), events: self.feed.subscribe() }
    }

    /// Publishes an event. The caller holds the lock, so that the order of the events is that of the changes.
    fn publish(&self, event: ReviewEvent) {
        // There may be no follower.
        let _ = self.feed.send(FeedEvent { by: None, event });
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Run>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
