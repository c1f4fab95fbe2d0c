//! Runs, saves and exports reviews.

use std::collections::HashMap;
use std::sync::Arc;

use jsonrpsee::SubscriptionSink;
use jsonrpsee::core::SubscriptionResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::findings::FindingView;
use super::program::Cancelled;
use crate::registry::{Table, listener, opened};
use diffsan_app::{App, ChangeHandle, SavedReview};
use diffsan_pipeline::error::ErrorInfo;
use diffsan_pipeline::export::Format;
use diffsan_pipeline::open::OpenChange;
use diffsan_pipeline::review::{ReviewRequest, RunEvent, RunLocation, relocate};
use diffsan_review::finding::Decision;
use diffsan_review::{ReviewMeta, TokenUsage};

/// The number of unread events of a review. When it is reached, progress events are dropped, but never the result.
const EVENTS: usize = 256;

/// Identifies an opened change and a review to place on it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ReanchorParams {
    /// The opened change.
    pub change_id: String,
    /// The review.
    pub review_id: String,
}

/// Asks for a review in an export format.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ExportParams {
    /// The review.
    pub review_id: String,
    /// The name of the format. `config/schema/export-formats.json` lists them.
    pub format: String,
}

/// A saved review with the reviewer's decisions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReviewView {
    /// The review's id.
    pub review_id: String,
    /// The creation time, RFC 3339.
    pub created_at: String,
    /// Whether there is a later review of the same change.
    pub earlier: bool,
    /// Whether the change now has another fingerprint than the reviewed one.
    pub outdated: bool,
    /// The summary, as Markdown.
    pub summary_markdown: String,
    /// The findings, most severe first.
    pub findings: Vec<FindingView>,
    /// The metadata of the review.
    pub meta: ReviewMeta,
    /// The run folder, which contains the artifacts.
    pub run_dir: String,
    /// The number of tokens, if the agent reported it.
    pub tokens: Option<TokenUsage>,
    /// The number of secrets that were masked.
    pub masked: u32,
    /// The number of files that were cut, completely or partly.
    pub cut_files: u32,
}

/// Starts a review.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ReviewParams {
    /// The opened change.
    pub change_id: String,
    /// The agents, which review at the same time. The configured agent if empty.
    #[serde(default)]
    pub agents: Vec<String>,
    /// The model to ask for. The configured model or the agent's default if absent.
    #[serde(default)]
    pub model: Option<String>,
    /// Instructions that this review adds.
    #[serde(default)]
    pub instructions: Option<String>,
    /// The skills that were selected for this review. The configured skills if absent.
    #[serde(default)]
    pub skills: Option<Vec<String>>,
    /// Whether to review even if the settings say to skip the change.
    #[serde(default)]
    pub anyway: bool,
    /// An interrupted run to resume: its agents, model and instructions are used again, and its answers as far as they
    /// are still valid.
    #[serde(default)]
    pub resume: Option<String>,
}

/// An event of a running review. The last event is always `done`, `skipped`, `failed` or `cancelled`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ReviewEvent {
    /// The run has started. Its id can be used to cancel it.
    Started {
        /// The run's id.
        run_id: String,
        /// The agent's name.
        agent: String,
    },
    /// A new step began.
    Step {
        /// `fetch`, `prepare`, `room`, `prompt`, `agent`, `validate`.
        step: String,
        /// Text for display: `Codex is reading 41,000 tokens (attempt 1 of 3)`.
        message: String,
    },
    /// The agent reported progress.
    Progress {
        /// The agent's name.
        agent: String,
        /// Text for display: `thinking`, `reads src/main.rs`, `1,204 characters so far`.
        message: String,
        /// Milliseconds since the start of the run.
        elapsed_ms: u64,
    },
    /// The agent's usage so far.
    Usage {
        /// The agent's name.
        agent: String,
        /// The number of tokens, if the agent reports it.
        tokens: Option<TokenUsage>,
        /// The cost that the agent reports, in US dollars.
        cost_usd: Option<f64>,
    },
    /// The review is complete and saved.
    Done {
        /// The review.
        review: Box<ReviewView>,
    },
    /// There was nothing to review.
    Skipped {
        /// Why: `NO_DIFF`, `AUTO_MERGE`, `SAME_FINGERPRINT`.
        reason: String,
        /// The reason as text for display.
        message: String,
    },
    /// The review failed.
    Failed {
        /// The error.
        error: ErrorInfo,
        /// The run folder, which contains everything that was produced.
        run_dir: String,
    },
    /// The user cancelled the review.
    Cancelled {
        /// The run folder, which contains everything that was produced.
        run_dir: String,
    },
}

/// Identifies a run.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct RunParams {
    /// The run's id.
    pub run_id: String,
}

pub(super) fn register(table: &mut Table) {
    table.method("review.cancel", "Stops a running review", |app, params: RunParams| {
        Ok(Cancelled { cancelled: app.cancel(&params.run_id) })
    });
    table.subscription::<ReviewParams, ReviewEvent, _, _>(
        ["review.start", "review.event", "review.stop"],
        "Reviews an opened change. The last event contains the result",
        |app, params: ReviewParams| {
            let resume = params.resume.as_deref().map(|run_id| app.resume(run_id)).transpose()?;
            Ok((opened(app, &params.change_id)?, params, resume))
        },
        |app, (handle, params, resume), sink| {
            let mut request = ReviewRequest {
                agents: params.agents,
                model: params.model,
                instructions: params.instructions,
                skills: params.skills,
                anyway: params.anyway,
                place: RunLocation::Data,
                ..ReviewRequest::default()
            };
            if let Some((folder, asked)) = resume {
                request = ReviewRequest {
                    agents: asked.agents,
                    model: asked.model,
                    instructions: asked.instructions,
                    skills: asked.skills,
                    anyway: asked.anyway || params.anyway,
                    resume: Some(folder),
                    ..request
                };
            }
            request.model = request.model.filter(|model| !model.trim().is_empty());
            start_review(app, handle, request, sink)
        },
    );
    table.method(
        "review.relocate",
        "Places the findings of a review on the current change",
        |app, params: ReanchorParams| {
            let handle = opened(app, &params.change_id)?;
            let saved = app.reanchor(&handle.opened, &params.review_id)?;
            Ok(review_view(&saved, Some(&handle.opened)))
        },
    );
    table.method("review.export", "Exports a review as a document", |app, params: ExportParams| {
        Ok(app.export_by_id(&params.review_id, Format::of(&params.format)?)?)
    });
}

/// Runs a review to its end. It continues when the subscriber goes away, because the agent's answer was paid for.
async fn start_review(
    app: Arc<App>,
    handle: ChangeHandle,
    request: ReviewRequest,
    sink: SubscriptionSink,
) -> SubscriptionResult {
    let (sender, forward) = listener::<ReviewEvent>(sink, EVENTS);
    let events = sender.clone();
    let notify = move |event: RunEvent| {
        let event = match event {
            RunEvent::Started { run_id, agent } => ReviewEvent::Started { run_id, agent },
            RunEvent::Step { step, message } => ReviewEvent::Step { step: step.to_owned(), message },
            RunEvent::Progress { agent, message, elapsed_ms } => ReviewEvent::Progress { agent, message, elapsed_ms },
            RunEvent::Usage { agent, usage, cost_usd } => ReviewEvent::Usage { agent, tokens: usage, cost_usd },
        };
        // A slow subscriber misses progress events only.
        let _ = events.try_send(event);
    };
    let (folder, result) = app.review(&handle, request, app.cancellation(), &notify).await;
    drop(notify);
    let run_dir = folder.display().to_string();
    let last = match result {
        Ok(diffsan_app::ReviewOutcome::Saved(saved)) => {
            ReviewEvent::Done { review: Box::new(review_view(&saved, Some(&handle.opened))) }
        }
        Ok(diffsan_app::ReviewOutcome::Skipped { reason, message }) => {
            ReviewEvent::Skipped { reason: reason.to_owned(), message }
        }
        Err(error) if error.code.is_cancelled() => ReviewEvent::Cancelled { run_dir },
        Err(error) => ReviewEvent::Failed { error: error.info(), run_dir },
    };
    // The subscriber may be gone. Then the forwarding task has ended.
    let _ = sender.send(last).await;
    drop(sender);
    let _ = forward.await;
    Ok(())
}

/// Converts a saved review. With the open change, the findings get the indices of their files and the current places of
/// their code, and the review is marked as outdated if the change differs.
pub(super) fn review_view(saved: &SavedReview, opened: Option<&OpenChange>) -> ReviewView {
    let files: HashMap<_, u32> = opened
        .into_iter()
        .flat_map(|opened| {
            let paths = opened.plan.order().iter().map(|&index| opened.change.files[index].path().to_text());
            paths.zip(0..)
        })
        .collect();
    let decisions: HashMap<&str, _> = saved.decisions.iter().map(|one| (one.finding_key.as_str(), one)).collect();
    let moved_on = opened.filter(|opened| opened.fingerprint.value != saved.fingerprint);
    let outdated = moved_on.is_some_and(|opened| opened.pinned().as_ref() != Some(&saved.id));
    // A change that is shown from its run folder has no whole files, so the saved places are better.
    let placed = moved_on.filter(|opened| outdated || opened.tree.is_some()).map(|opened| {
        let mut session = opened.prepared().session();
        let placed = relocate(opened, Some(&saved.output.meta), &saved.output.findings, &mut session);
        placed.into_iter().map(|one| one.finding).collect::<Vec<_>>()
    });
    let findings = placed.as_ref().unwrap_or(&saved.output.findings).iter().map(|finding| {
        let stored = decisions.get(finding.key.as_str());
        FindingView {
            finding: finding.clone(),
            file: files.get(finding.anchor.path.as_str()).copied(),
            decision: stored.map_or(Decision::Open, |stored| Decision::of(&stored.decision)),
            reason: stored.and_then(|stored| stored.reason.clone()),
            applied: saved.applied.iter().find(|(key, _)| *key == finding.key).map(|(_, fix)| *fix),
        }
    });
    ReviewView {
        review_id: saved.id.clone(),
        created_at: saved.created_at.clone(),
        earlier: saved.earlier,
        // A change that is opened for an earlier review shows the reviewed state, as far as it still exists.
        outdated,
        summary_markdown: saved.output.summary_markdown.clone(),
        findings: findings.collect(),
        meta: saved.output.meta.clone(),
        run_dir: saved.run_dir.clone(),
        tokens: saved.output.meta.token_usage,
        masked: saved.masked,
        cut_files: saved.cut_files,
    }
}
