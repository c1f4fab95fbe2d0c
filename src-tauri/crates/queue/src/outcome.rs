//! The state of an item after its run.

use diffsan_app::ReviewOutcome;
use diffsan_pipeline::error::{ErrorCode, Result};
use diffsan_review::{ReviewOutput, TokenUsage};
use diffsan_store::QueueUsage;

use crate::entry::QueueState;

/// The reason of an item whose process ended.
pub(crate) const ENDED: &str = "diffsan ended during the review";
/// The reason of an item that is put back because its change has another head.
const PUSHED: &str = "pushed during the review";

/// The end of a run.
pub(crate) struct RunOutcome {
    /// The state of the run in the store.
    pub(crate) run: &'static str,
    /// The state of the item.
    pub(crate) item: QueueState,
    /// The reason of the item's state.
    pub(crate) reason: String,
    /// Whether the item moves to the end.
    pub(crate) to_end: bool,
    /// The usage of the run.
    pub(crate) usage: QueueUsage,
    /// The end for the work on the queue.
    pub(crate) ended: Ended,
}

/// The end of one item for the work on the queue.
pub(crate) enum Ended {
    /// It is reviewed, or there was nothing to review.
    Well,
    /// It failed.
    Badly,
    /// It stays where it is until the next call.
    Held(String),
    /// The work was cancelled.
    Cancelled,
}

impl RunOutcome {
    /// Judges the result of a run. `stopped` tells that the work was cancelled, `moved` that the change has another head by now.
    pub(crate) fn of(result: Result<ReviewOutcome>, usage: QueueUsage, stopped: bool, moved: bool) -> Self {
        let new = |run, item, reason: String, ended| Self { run, item, reason, to_end: false, usage, ended };
        match result {
            Ok(ReviewOutcome::Saved(saved)) => {
                let (usage, failed) = (spent(&saved.output, usage), failed_agents(&saved.output));
                let outcome = match (stopped && !failed.is_empty(), moved) {
                    // The answers of the others are used again.
                    (true, _) => new("interrupted", QueueState::Waiting, ENDED.to_owned(), Ended::Cancelled),
                    (false, true) => {
                        let outcome = new("done", QueueState::Waiting, PUSHED.to_owned(), Ended::Well);
                        Self { to_end: true, ..outcome }
                    }
                    (false, false) if failed.is_empty() => {
                        new("done", QueueState::Done, summary(&saved.output), Ended::Well)
                    }
                    (false, false) => {
                        let reason = format!("{}, but {} failed", summary(&saved.output), failed.join(", "));
                        new("failed", QueueState::Done, reason, Ended::Well)
                    }
                };
                Self { usage, ..outcome }
            }
            // No agent was asked.
            Ok(ReviewOutcome::Skipped { message, .. }) => new("skipped", QueueState::Done, message, Ended::Well),
            Err(_) if stopped => new("interrupted", QueueState::Waiting, ENDED.to_owned(), Ended::Cancelled),
            // The user cancelled it.
            Err(error) if error.code.is_cancelled() => {
                new("interrupted", QueueState::Failed, "cancelled".to_owned(), Ended::Well)
            }
            // The user is reviewing it.
            Err(error) if error.code == ErrorCode::Busy => {
                new("skipped", QueueState::Waiting, error.message.clone(), Ended::Held(error.message))
            }
            Err(error) => new("failed", QueueState::Failed, error.message, Ended::Badly),
        }
    }
}

fn failed_agents(output: &ReviewOutput) -> Vec<&str> {
    output.meta.agents.iter().filter(|agent| agent.error.is_some()).map(|agent| agent.name.as_str()).collect()
}

/// Returns the usage that a review and its second opinions report. Parts that the review does not report stay as estimated.
fn spent(output: &ReviewOutput, estimated: QueueUsage) -> QueueUsage {
    let total = |usage: TokenUsage| usage.input + usage.output;
    let given = output.second_opinion.as_ref();
    let tokens = output.meta.token_usage.map_or(estimated.tokens, total);
    let cost = output.meta.cost_usd.unwrap_or(estimated.cost);
    QueueUsage {
        tokens: tokens + given.and_then(|given| given.token_usage).map_or(0, total),
        cost: cost + given.and_then(|given| given.cost_usd).unwrap_or(0.0),
        ..estimated
    }
}

/// Returns the findings of a review in words, such as `3 findings, 1 high`.
pub(crate) fn summary(output: &ReviewOutput) -> String {
    let count = output.findings.len();
    let severities = || output.findings.iter().map(|finding| finding.content.severity);
    let Some(worst) = severities().max() else { return "no findings".to_owned() };
    let most = severities().filter(|severity| *severity == worst).count();
    let plural = if count == 1 { "finding" } else { "findings" };
    if most == count {
        format!("{count} {} {plural}", worst.name())
    } else {
        format!("{count} {plural}, {most} {}", worst.name())
    }
}
