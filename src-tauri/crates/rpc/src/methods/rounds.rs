//! The reviews of one change over time, and interrupted runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::findings::FindingView;
use super::reviews::review_view;
use crate::registry::{Table, opened};
use diffsan_app::{App, HistoryItem};
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::Result;
use diffsan_pipeline::review::ResumePart;

/// Identifies a review.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ReviewName {
    /// The review's id.
    pub review_id: String,
}

/// The reviews of a change, latest first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RoundsView {
    /// The summaries of the reviews.
    pub reviews: Vec<HistoryItem>,
}

/// Identifies two reviews of the same change.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct CompareParams {
    /// The id of one review.
    pub one: String,
    /// The id of the other review.
    pub other: String,
}

/// Two reviews, compared.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ComparedView {
    /// The id of the earlier review.
    pub earlier: String,
    /// The id of the later review.
    pub later: String,
    /// Every finding of both reviews, once: first new ones, then those still present, fixed, gone.
    pub findings: Vec<ComparedFinding>,
}

/// A finding in a comparison of two reviews.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ComparedFinding {
    /// `new`, `still`, `fixed` (its code was edited and the later review does not contain it) or `gone` (not found
    /// again for another reason).
    pub round: String,
    /// Facts about the status of its code, for display.
    pub why: String,
    /// The finding in the earlier review.
    pub earlier: Option<FindingView>,
    /// The finding in the later review.
    pub later: Option<FindingView>,
}

/// Asks for the plan of resuming an interrupted run.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ResumeParams {
    /// The opened change.
    pub change_id: String,
    /// The run's id.
    pub run_id: String,
}

/// The plan for resuming an interrupted run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ResumeView {
    /// The names of the agents.
    pub agents: Vec<String>,
    /// The model, if one was named.
    pub model: Option<String>,
    /// Instructions that the review adds.
    pub instructions: Option<String>,
    /// Every request to an agent, in order.
    pub parts: Vec<ResumePart>,
}

pub(super) fn register(table: &mut Table) {
    table.query(
        "rounds.list",
        "Lists all reviews of the change that a review belongs to",
        |app, params: ReviewName| {
            let reviews = app.rounds(&params.review_id)?.into_iter().map(HistoryItem::of).collect();
            Ok(RoundsView { reviews })
        },
    );
    table.query("rounds.compare", "Compares two reviews of a change", |app, params: CompareParams| {
        Ok(compared(app, &params)?)
    });
    table.async_query("run.plan", "Returns the plan for resuming an interrupted run", |app, params, ask| async move {
        let params: ResumeParams = params;
        let handle = opened(&app, &params.change_id)?;
        app.ensure_facts(&handle.opened, &ask.cancel).await;
        let (request, parts) = blocking(move || app.plan_resume(&handle.opened, &params.run_id)).await?;
        Ok(ResumeView { agents: request.agents, model: request.model, instructions: request.instructions, parts })
    });
}

fn compared(app: &App, params: &CompareParams) -> Result<ComparedView> {
    let rounds = app.compare_rounds(&params.one, &params.other)?;
    let earlier = review_view(&rounds.earlier, None).findings;
    let later = review_view(&rounds.later, None).findings;
    let findings = rounds.findings.into_iter().map(|one| ComparedFinding {
        round: one.round.name().to_owned(),
        why: one.why.to_owned(),
        earlier: one.earlier.and_then(|at| earlier.get(at).cloned()),
        later: one.later.and_then(|at| later.get(at).cloned()),
    });
    Ok(ComparedView { findings: findings.collect(), earlier: rounds.earlier.id, later: rounds.later.id })
}
