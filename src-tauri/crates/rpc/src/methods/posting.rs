//! Plans and performs the posting of a review.

use std::collections::HashMap;
use std::sync::Arc;

use jsonrpsee::SubscriptionSink;
use jsonrpsee::core::SubscriptionResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::registry::{Fault, Table, listener, opened};
use diffsan_app::{App, Posting, ShownPlan};
use diffsan_forge::gitlab::Landing;
use diffsan_forge::post_plan::{ChosenFinding, PlannedItem};
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::{Error, ErrorCode, ErrorInfo};
use diffsan_posting::{FindingElsewhere, ItemResult, PlanOptions, Planned, PostEvent, PostOutcome, PostVerdict};

/// The maximum number of unread events of a posting.
const EVENTS: usize = 1024;

/// Plans a posting.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct PlanParams {
    /// The opened change, which is a merge request.
    pub change_id: String,
    /// The review. None for a plan without comments, whose posting only gives a verdict.
    pub review_id: Option<String>,
    /// The findings to post.
    pub chosen: Vec<ChosenFinding>,
    /// Whether to post the summary.
    pub summary: bool,
    /// The user's text, which replaces the words of the summary.
    #[serde(default)]
    pub summary_text: Option<String>,
    /// Whether the summary lists the requirements of the authors. The setting if absent.
    #[serde(default)]
    pub requirements: Option<bool>,
    /// Whether this plan replaces an earlier one, which has left out the findings of lower layers of the stack. The
    /// stack is not read again.
    #[serde(default)]
    pub replan: bool,
}

/// A post plan: exactly the comments that would be posted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlanView {
    /// The id of the plan, for `post.start`.
    pub plan_id: String,
    /// The items, the summary last.
    pub comments: Vec<PlannedComment>,
    /// The findings that are not posted here, because a lower layer of the stack introduced their lines.
    pub elsewhere: Vec<FindingElsewhere>,
    /// Why the stack could not be read. Findings of lower layers are then planned here.
    pub stack_error: Option<String>,
    /// Whether the summary lists the requirements of the authors, if the review has any.
    pub requirements: bool,
}

/// One item of a post plan.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlannedComment {
    /// The item's key; `summary` for the summary.
    pub key: String,
    /// The key of its finding. None for the summary.
    pub finding: Option<String>,
    /// The title.
    pub title: String,
    /// Its severity's name; empty for the summary.
    pub severity: String,
    /// The place, for display.
    pub place: String,
    /// The kind of comment that it becomes.
    pub placement: Placement,
    /// The text to send, without markers.
    pub body: String,
    /// Whether the text contains a suggestion that can be applied in GitLab.
    pub suggestion: bool,
    /// The current lines that the suggestion replaces; empty without a suggestion.
    pub replaced: Vec<String>,
    /// Notes about parts that cannot be posted as intended, with the reason.
    pub notes: Vec<String>,
    /// Whether the item is already posted.
    pub already_posted: bool,
}

/// The kind of comment that an item becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// A comment on one line.
    Inline,
    /// A comment on several lines.
    Range,
    /// A comment on a file.
    File,
    /// A part of the summary.
    InSummary,
    /// The summary.
    Summary,
    /// The summary, which replaces an earlier one.
    Replaced,
}

/// Posts a post plan.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct PostParams {
    /// The id of the plan.
    pub plan_id: String,
    /// Whether a finding whose line GitLab rejects is posted to its file or in the summary instead.
    #[serde(default)]
    pub degrade: bool,
    /// The verdict to give after all comments are posted.
    #[serde(default)]
    pub verdict: PostVerdict,
}

/// An event of a posting. The last event is always `done` or `failed`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum PostingEvent {
    /// A new step, or progress in a step.
    Step {
        /// Text for display.
        message: String,
    },
    /// The result of an item changed.
    Item {
        /// The result of the item.
        item: ItemResult,
    },
    /// The posting ended. Some items may have failed.
    Done {
        /// The result of each item.
        outcome: Box<PostOutcome>,
    },
    /// The posting could not begin.
    Failed {
        /// The error.
        error: ErrorInfo,
    },
}

pub(super) fn register(table: &mut Table) {
    table.async_query(
        "post.plan",
        "Returns the comments that would be posted",
        |app, params: PlanParams, _| async move { plan(app, params).await },
    );
    table.subscription::<PostParams, PostingEvent, _, _>(
        ["post.start", "post.event", "post.stop"],
        "Posts a plan. The last event contains the result",
        |app, params, _| match app.plan(&params.plan_id) {
            Some(plan) => Ok((plan, params)),
            None => Err(Error::new(ErrorCode::NotFound, "The plan is no longer available.")
                .hint("Open the posting view again, then post.")
                .into()),
        },
        |app, (plan, params), sink| start(app, plan, params, sink),
    );
}

async fn plan(app: Arc<App>, params: PlanParams) -> Result<PlanView, Fault> {
    let handle = opened(&app, &params.change_id)?;
    let review_id = params.review_id.clone();
    let saved = review_id.as_deref().map(|id| app.review_by_id(id)).transpose()?;
    let layers = match saved.filter(|_| !params.replan) {
        Some(saved) => app.lower_layers(&handle.opened, saved.output.findings).await,
        None => Ok(HashMap::new()),
    };
    // Without the other merge requests of the project, the findings are planned here, and the view says so.
    let (elsewhere, stack_error) = match layers {
        Ok(layers) => (layers, None),
        Err(error) => (HashMap::new(), Some(error.message)),
    };
    let requirements = params.requirements.unwrap_or(handle.opened.settings.config.gitlab.post_requirements);
    let options = PlanOptions {
        chosen: Some(params.chosen),
        summary: params.summary,
        summary_text: params.summary_text,
        requirements: params.requirements,
        elsewhere,
        pipeline: None,
    };
    let planned = blocking(move || {
        let (plan_id, shown) = app.plan_posting(&handle.opened, review_id.as_deref(), &options)?;
        Ok(plan_view(plan_id, &shown.planned))
    });
    Ok(PlanView { stack_error, requirements, ..planned.await? })
}

pub(super) fn plan_view(plan_id: String, planned: &Planned) -> PlanView {
    let plan = &planned.plan;
    let already_posted = |key: &str| planned.posted.contains(key);
    let comment = |item: &PlannedItem, placement: Placement| PlannedComment {
        key: item.key.clone(),
        finding: Some(item.key.clone()),
        title: item.title.clone(),
        severity: item.severity.clone(),
        place: item.place.clone(),
        placement,
        body: without_marks(&item.body),
        suggestion: item.suggestion,
        replaced: item.replaced.clone(),
        notes: item.notes.clone(),
        already_posted: already_posted(&item.key),
    };
    let placement = |item: &PlannedItem| match &item.landing {
        Landing::Line { position } if position.line_range.is_some() => Placement::Range,
        Landing::Line { .. } => Placement::Inline,
        Landing::File { .. } => Placement::File,
        Landing::Summary => Placement::InSummary,
    };
    let mut comments: Vec<PlannedComment> = plan.items.iter().map(|item| comment(item, placement(item))).collect();
    if let Some(summary) = &plan.summary {
        comments.extend(summary.folded.iter().map(|item| comment(item, Placement::InSummary)));
        comments.push(PlannedComment {
            key: "summary".to_owned(),
            finding: None,
            title: "Summary".to_owned(),
            severity: String::new(),
            place: String::new(),
            placement: if summary.replaces.is_some() { Placement::Replaced } else { Placement::Summary },
            body: without_marks(&summary.body(&[], &planned.markers)),
            suggestion: false,
            replaced: Vec::new(),
            notes: Vec::new(),
            already_posted: already_posted(&summary.key),
        });
    }
    PlanView { plan_id, comments, elsewhere: planned.elsewhere.clone(), stack_error: None, requirements: false }
}

/// Removes the markers at the end, which only diffsan reads.
fn without_marks(body: &str) -> String {
    let lines: Vec<&str> = body.lines().filter(|line| !line.starts_with("<!-- diffsan:")).collect();
    lines.join("\n").trim_end().to_owned()
}

/// Posts a plan to the end. It continues when the subscriber goes away, because half a posting is of no use.
async fn start(app: Arc<App>, plan: Arc<ShownPlan>, params: PostParams, sink: SubscriptionSink) -> SubscriptionResult {
    let (sender, forward) = listener::<PostingEvent>(sink, EVENTS);
    let events = sender.clone();
    let notify = move |event: PostEvent| {
        let event = match event {
            PostEvent::Step { message } | PostEvent::Progress { message } => PostingEvent::Step { message },
            PostEvent::Item { item } => PostingEvent::Item { item: *item },
        };
        // A slow subscriber misses progress, not the result.
        let _ = events.try_send(event);
    };
    let posting = Posting {
        opened: &plan.opened,
        plan: &plan.planned.plan,
        review_id: plan.review_id.as_deref(),
        folder: plan.folder.clone(),
        degrade: params.degrade,
        verdict: params.verdict,
    };
    let posted = app.post(&posting, &app.cancellation(), &notify).await;
    drop(notify);
    let last = match posted {
        Ok(outcome) => PostingEvent::Done { outcome: Box::new(outcome) },
        Err(error) => PostingEvent::Failed { error: diffsan_pipeline::error::redacted(error).info() },
    };
    // The subscriber may be gone. Then the forwarding task has ended.
    let _ = sender.send(last).await;
    drop(sender);
    let _ = forward.await;
    Ok(())
}
