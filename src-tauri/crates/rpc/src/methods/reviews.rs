//! Runs, saves and exports reviews.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use jsonrpsee::SubscriptionSink;
use jsonrpsee::core::SubscriptionResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::findings::FindingView;
use super::program::{Cancelled, Done};
use crate::registry::{Table, opened, send};
use diffsan_app::{App, FeedEvent, FollowedRuns, InterruptedRun, ReviewEvent, SavedReview};
use diffsan_config::Verify;
use diffsan_evidence::Reading;
use diffsan_export::Format;
use diffsan_pipeline::error::{Error, Result};
use diffsan_pipeline::open::OpenChange;
use diffsan_pipeline::review::{ReviewRequest, RunLocation, check_runs};
use diffsan_review::chapters::ChapterSentence;
use diffsan_review::finding::Decision;
use diffsan_review::intent::Requirement;
use diffsan_review::opinion::SecondOpinion;
use diffsan_review::{ReviewMeta, TokenUsage};
use diffsan_store::files::artifacts::RunRequest;
use tokio::sync::broadcast::error::RecvError;

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
    /// Whether findings of equal severity are in the order of the track record.
    pub by_record: bool,
    /// The requirements of the authors, and whether the code meets them.
    pub intent: Vec<Requirement>,
    /// Sentences about the chapters of the reading order, each about the chapter that contains its first evidence. Empty if the change was
    /// edited after the review.
    pub chapters: Vec<ChapterSentence>,
    /// Facts about the second opinions, without the opinions. None if there are none.
    pub second_opinion: Option<SecondOpinion>,
    /// The metadata of the review.
    pub meta: ReviewMeta,
    /// The evidence of reading as sentences. Empty if there is none.
    pub reading: Vec<String>,
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
    /// How often each agent is asked the same prompt, at most 20. 0 and 1 mean once.
    #[serde(default)]
    pub runs: u32,
    /// The findings that get a second opinion. The setting if absent.
    #[serde(default)]
    pub verify: Option<Verify>,
    /// An interrupted run to resume: its agents, model and instructions are used again, and its answers as far as they
    /// are still valid.
    #[serde(default)]
    pub resume: Option<String>,
}

/// The state of the reviews of an opened change.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CurrentReview {
    /// The latest review, or the one that the change was opened with.
    pub review: Option<ReviewView>,
    /// The interrupted runs of this change (the program ended or the machine stopped), latest first.
    pub interrupted: Vec<InterruptedRun>,
}

/// Asks for the state of the reviews of an opened change.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct CurrentReviewParams {
    /// The opened change.
    pub change_id: String,
    /// Whether to show the latest review from now on, even if the change was opened with another one.
    #[serde(default)]
    pub latest: bool,
}

/// No parameters.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct FollowReviewsParams {}

/// Identifies a run.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct RunParams {
    /// The run's id.
    pub run_id: String,
}

pub(super) fn register(table: &mut Table) {
    let summary = "Reviews an opened change, unless it is already being reviewed. `review.follow` reports the progress";
    table.method("review.start", summary, |app, params: ReviewParams| {
        let resume = params.resume.as_deref().map(|run_id| app.resume(run_id)).transpose()?;
        let handle = opened(app, &params.change_id)?;
        check_runs(params.runs)?;
        Ok(app.start_review(handle, review_request(params, resume)))
    });
    table.method("review.cancel", "Stops a running review", |app, params: RunParams| {
        Ok(Cancelled { cancelled: app.cancel(&params.run_id) })
    });
    table.method("review.close", "Closes the error of a failed review", |app, params: RunParams| {
        app.close_failed_review(&params.run_id);
        Ok(Done {})
    });
    table.subscription::<FollowReviewsParams, ReviewEvent, _, _>(
        ["review.follow", "review.event", "review.unfollow"],
        "Subscribes to the running reviews: their current state, then their events; and to edits of saved reviews",
        |_, _, ask| Ok(ask.connection()),
        follow,
    );
    table.query("review.current", "Returns the current review of a change", |app, params: CurrentReviewParams| {
        let handle = opened(app, &params.change_id)?;
        if params.latest {
            handle.opened.pin(None);
        }
        Ok(current_review(app, &handle.opened)?)
    });
    table.query(
        "review.relocate",
        "Places the findings of a review on the current change",
        |app, params: ReanchorParams| {
            let handle = opened(app, &params.change_id)?;
            let saved = app.reanchor(&handle.opened, &params.review_id)?;
            Ok(review_view(&saved, Some(&handle.opened)))
        },
    );
    table.query("review.export", "Exports a review as a document", |app, params: ExportParams| {
        Ok(app.export_by_id(&params.review_id, Format::of(&params.format).map_err(Error::from)?)?)
    });
}

fn review_request(params: ReviewParams, resume: Option<(PathBuf, RunRequest)>) -> ReviewRequest {
    let mut request = ReviewRequest {
        agents: params.agents,
        model: params.model,
        instructions: params.instructions,
        skills: params.skills,
        anyway: params.anyway,
        runs: params.runs,
        verify: params.verify,
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
            runs: asked.runs,
            verify: asked.verify.or(params.verify),
            resume: Some(folder),
            ..request
        };
    }
    request.model = request.model.filter(|model| !model.trim().is_empty());
    request
}

async fn follow(app: Arc<App>, connection: u64, sink: SubscriptionSink) -> SubscriptionResult {
    loop {
        let FollowedRuns { runs, mut events } = app.follow_reviews();
        if !send(&sink, &ReviewEvent::Snapshot { runs }).await {
            return Ok(());
        }
        loop {
            let event = tokio::select! {
                () = sink.closed() => return Ok(()),
                event = events.recv() => event,
            };
            match event {
                Ok(FeedEvent { by, .. }) if by == Some(connection) => {}
                Ok(FeedEvent { event, .. }) => {
                    if !send(&sink, &event).await {
                        return Ok(());
                    }
                }
                // Events were missed, so the whole state is sent again.
                Err(RecvError::Lagged(_)) => break,
                Err(RecvError::Closed) => return Ok(()),
            }
        }
    }
}

/// Returns the latest review of a change, or the one that it was opened with, and its interrupted runs. Blocks.
pub(super) fn current_review(app: &App, opened: &OpenChange) -> Result<CurrentReview> {
    let saved = app.latest_review(opened)?;
    let interrupted = app.interrupted(opened, saved.as_ref().map(|saved| saved.created_at.as_str()));
    Ok(CurrentReview {
        review: saved.map(|saved| review_view(&saved, Some(opened))),
        interrupted: interrupted.into_iter().map(|(folder, record)| InterruptedRun::of(&folder, record)).collect(),
    })
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
    let given = saved.output.second_opinion.as_ref();
    let placed = opened.and_then(|opened| saved.relocated(opened));
    let placed = placed.map(|placed| placed.into_iter().map(|one| one.finding).collect::<Vec<_>>());
    let findings = placed.as_ref().unwrap_or(&saved.output.findings).iter().map(|finding| {
        let stored = decisions.get(finding.key.as_str());
        FindingView {
            finding: finding.clone(),
            opinion: given.and_then(|given| given.of(&finding.key)).cloned(),
            file: files.get(finding.anchor.path.as_str()).copied(),
            decision: stored.map_or(Decision::Open, |stored| Decision::of(&stored.decision)),
            reason: stored.and_then(|stored| stored.reason.clone()),
            applied: saved.applied.iter().find(|(key, _)| *key == finding.key).map(|(_, fix)| *fix),
        }
    });
    let outdated = opened.is_some_and(|opened| saved.is_outdated(opened));
    ReviewView {
        review_id: saved.id.clone(),
        created_at: saved.created_at.clone(),
        earlier: saved.earlier,
        outdated,
        summary_markdown: saved.output.summary_markdown.clone(),
        findings: findings.collect(),
        by_record: opened.is_some_and(|opened| opened.settings.config.track_record.order_findings),
        intent: saved.output.intent.clone(),
        chapters: if outdated { Vec::new() } else { saved.output.chapters.clone() },
        second_opinion: given.map(|given| SecondOpinion { opinions: Vec::new(), ..given.clone() }),
        meta: saved.output.meta.clone(),
        reading: saved.output.meta.reading.as_ref().map(Reading::sentences).unwrap_or_default(),
        run_dir: saved.run_dir.clone(),
        tokens: saved.output.meta.token_usage,
        masked: saved.masked,
        cut_files: saved.cut_files,
    }
}
