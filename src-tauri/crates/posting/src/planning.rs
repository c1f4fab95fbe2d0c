//! Plans the posting of a review to the current state of its merge request.

use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use diffsan_anchor::Relocated;
use diffsan_forge::gitlab::ServerVersion;
use diffsan_forge::post_plan::{self, ChosenFinding, MarkerKeys, OwnNote, PlanInput, PostPlan};
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_pipeline::open::{FetchedRequest, OpenChange, own_notes};
use diffsan_pipeline::review::{
    ClaimCheck, checked_chapters, checked_intent, known_posted_findings, place_answers, recheck, relocate,
};
use diffsan_review::answer;
use diffsan_review::finding::{AgentReviewOutput, Anchor, Side};
use diffsan_review::rounds::assign_keys;
use diffsan_review::{ReviewMeta, ReviewOutput, Timings, UnreadableFinding};
use diffsan_stacks::LayerOfFinding;

/// Selects the parts of a review that are posted.
#[derive(Clone, Debug, Default)]
pub struct PlanOptions {
    /// The findings to post. `None` means all of them.
    pub chosen: Option<Vec<ChosenFinding>>,
    /// Whether to post the summary.
    pub summary: bool,
    /// The user's text, which replaces the words of the summary.
    pub summary_text: Option<String>,
    /// Whether the summary lists the requirements of the authors. `None` for the setting.
    pub requirements: Option<bool>,
    /// The id of the pipeline that posts, if there is one.
    pub pipeline: Option<String>,
    /// The findings that belong to a lower layer of the stack, by their keys. They are not posted here.
    pub elsewhere: HashMap<String, LayerOfFinding>,
}

/// A finding that belongs to a lower layer of the stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FindingElsewhere {
    /// The key of the finding.
    pub key: String,
    /// The title, or the text of a finding without one.
    pub title: String,
    /// The place, for display.
    pub place: String,
    /// The layer that introduced its lines.
    pub layer: LayerOfFinding,
}

/// A plan, and the items that are already posted.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The plan.
    pub plan: PostPlan,
    /// The keys of the findings and of the review that are already posted.
    pub posted: HashSet<String>,
    /// The keys that seal the markers.
    pub markers: MarkerKeys,
    /// The chosen findings that are not posted here, because a lower layer of the stack introduced their lines.
    pub elsewhere: Vec<FindingElsewhere>,
}

/// Plans a posting. Fails if the review is of another version than the merge request; it must be relocated first. Blocks.
pub fn plan_posting(opened: &OpenChange, review: &ReviewOutput, options: &PlanOptions) -> Result<Planned> {
    let request = request_of(opened)?;
    if moved(opened, request, &review.meta) {
        return Err(head_moved(request, &review.meta));
    }
    let mut session = opened.prepared().session();
    // An agent may repeat a secret that it read elsewhere.
    let review = session.texts("agent output", review.clone(), ReviewOutput::for_each_text).into_inner();
    let all = || review.findings.iter().map(|one| ChosenFinding { finding: one.key.clone(), body: None }).collect();
    let mut chosen: Vec<ChosenFinding> = options.chosen.clone().unwrap_or_else(all);
    for choice in &mut chosen {
        if let Some(body) = &mut choice.body {
            *body = session.contract("reviewer", body).into_inner();
        }
        if !review.findings.iter().any(|finding| finding.key == choice.finding) {
            let message = format!("The review has no finding `{}`.", choice.finding);
            return Err(
                Error::new(ErrorCode::NotFound, message).hint("Name findings by their keys, as the review lists them.")
            );
        }
    }
    let summary_text = options.summary_text.as_ref().map(|text| session.contract("reviewer", text).into_inner());
    let elsewhere = leave_out(&mut chosen, &review, &options.elsewhere);
    let config = &opened.settings.config.gitlab;
    let own = own_notes(request);
    let truncation = &opened.prepared().prepared.truncation;
    let plan = post_plan::plan(&PlanInput {
        review: &review,
        chosen: &chosen,
        change: &opened.change,
        refs: &request.refs,
        file_comments: request.version.is_none_or(ServerVersion::has_file_comments),
        summary: options.summary,
        summary_text: summary_text.as_deref(),
        requirements: options.requirements.unwrap_or(config.post_requirements),
        tag: &config.summary_note_tag,
        own: &own,
        idempotent_summary: config.idempotent_summary,
        // The report about cut parts is valid only for the same diff, and for agents that get the prepared one.
        truncation: Some(truncation).filter(|_| review.meta.truncated && review.meta.fingerprint == opened.fingerprint),
        pipeline: options.pipeline.as_deref(),
        warn_of_secrets: config.warn_of_secrets,
        markers: &request.markers,
        head: &|path| head_text(opened, path),
    })?;
    let replaced = |note: &&OwnNote| plan.summary.as_ref().is_some_and(|one| one.supersedes(note.id, &note.marks));
    let counted = own.iter().filter(|note| !replaced(note));
    let posted = counted.flat_map(|note| note.marks.findings.iter().chain(&note.marks.review)).cloned().collect();
    Ok(Planned { plan, posted, markers: request.markers.clone(), elsewhere })
}

/// Removes the findings of lower layers from the chosen ones, and returns them.
fn leave_out(
    chosen: &mut Vec<ChosenFinding>,
    review: &ReviewOutput,
    elsewhere: &HashMap<String, LayerOfFinding>,
) -> Vec<FindingElsewhere> {
    let mut left_out = Vec::new();
    chosen.retain(|choice| {
        let Some(layer) = elsewhere.get(&choice.finding) else { return true };
        let finding = review.findings.iter().find(|finding| finding.key == choice.finding);
        left_out.extend(finding.map(|finding| FindingElsewhere {
            key: finding.key.clone(),
            title: finding.content.title.clone().unwrap_or_else(|| finding.content.body_markdown.clone()),
            place: finding.anchor.place(),
            layer: layer.clone(),
        }));
        false
    });
    left_out
}

/// Plans a posting without comments, for a verdict alone.
pub fn plan_verdict(opened: &OpenChange) -> Result<Planned> {
    let request = request_of(opened)?;
    let plan = PostPlan { refs: request.refs.clone(), items: Vec::new(), summary: None };
    Ok(Planned { plan, posted: HashSet::new(), markers: request.markers.clone(), elsewhere: Vec::new() })
}

/// Reads a review from the text of a file: a whole review, or an agent's answer, whose findings are placed now. Blocks.
pub fn read_review(opened: &OpenChange, text: &str) -> Result<ReviewOutput> {
    let known = known_posted_findings(opened);
    let whole = match serde_json::from_str::<ReviewOutput>(text) {
        Ok(mut review) => {
            review.findings.iter_mut().for_each(|finding| order_lines(&mut finding.anchor));
            let meta = &review.meta;
            let is_same_head = meta.head_sha.is_some() && meta.head_sha == opened.change.head;
            // The fixes of a review of another version are checked when it is relocated.
            if is_same_head || meta.fingerprint == opened.fingerprint {
                recheck(opened, &mut review.findings, &mut opened.prepared().session());
            }
            assign_keys(&mut review.findings, &known);
            return Ok(review);
        }
        Err(error) => error,
    };
    let answer = answer::read(text).map_err(|refused| {
        Error::new(ErrorCode::AgentOutputInvalid, "The file is not a valid review.")
            .hint("Pass the review.json of a run, or an answer in the form of `diffsan schema agent-output`.")
            .cause(format!("as a review: {whole}; as an answer: {}", refused.problems.join("; ")))
    })?;
    let AgentReviewOutput { summary_markdown, findings, intent, chapters } = answer.output;
    let named = |finding: UnreadableFinding| UnreadableFinding { agent: "review".to_owned(), ..finding };
    let mut session = opened.prepared().session();
    let prepared = opened.prepared();
    let mut findings =
        place_answers(opened, vec![("review".to_owned(), findings)], Some(ClaimCheck::default()), &mut session);
    assign_keys(&mut findings, &known);
    Ok(ReviewOutput {
        summary_markdown,
        findings,
        second_opinion: None,
        intent: checked_intent(opened, vec![("review".to_owned(), intent)], &mut session),
        chapters: checked_chapters(opened, vec![("review".to_owned(), chapters)], &mut session),
        meta: ReviewMeta {
            fingerprint: opened.fingerprint.clone(),
            agent: "review".to_owned(),
            agents: Vec::new(),
            model: None,
            timings: Timings::default(),
            token_usage: None,
            cost_usd: None,
            truncated: prepared.prepared.truncation.truncated,
            redaction_found: prepared.redaction.found,
            base_sha: opened.change.base.clone(),
            head_sha: opened.change.head.clone(),
            coverage: prepared.prepared.coverage.summary.clone(),
            attempts: 1,
            batches: 1,
            read_as: answer.read_as.name().to_owned(),
            unreadable: answer.unreadable.into_iter().map(named).collect(),
            facts: None,
            reading: None,
            unsent: prepared.unsent(),
            reviewed: None,
        },
    })
}

/// Makes the lines of an anchor valid: a review from a file may contain any numbers.
fn order_lines(anchor: &mut Anchor) {
    let lines = anchor.line_start.zip(anchor.line_end).filter(|(start, end)| *start > 0 && *end > 0);
    let (start, end) = lines.map(|(start, end)| (start.min(end), start.max(end))).unzip();
    (anchor.line_start, anchor.line_end) = (start, end);
}

/// Relocates a review to the current state of its change. A finding whose code is gone is placed on its file.
/// Blocks.
pub fn relocate_review(opened: &OpenChange, review: &ReviewOutput) -> Result<ReviewOutput> {
    let (head, base) = match opened.merge_request {
        Some(_) => {
            let refs = &request_of(opened)?.refs;
            (Some(refs.head_sha.clone()), Some(refs.base_sha.clone()))
        }
        None => (opened.change.head.clone(), opened.change.base.clone()),
    };
    let mut session = opened.prepared().session();
    let mut review = review.clone();
    let placed = relocate(opened, Some(&review.meta), &review.findings, &mut session);
    review.findings = placed.into_iter().map(Relocated::with_proven_lines).collect();
    let short =
        |sha: &Option<String>| sha.as_ref().map_or("another version".to_owned(), |sha| sha.chars().take(10).collect());
    let differs = |reviewed: &Option<String>, now: &Option<String>| reviewed.is_some() && reviewed != now;
    if differs(&review.meta.head_sha, &head) || differs(&review.meta.base_sha, &base) {
        review.meta.coverage +=
            &format!("; reviewed at {}, now placed at {}", short(&review.meta.head_sha), short(&head));
        // The code of the new version was not reviewed.
        review.meta.reviewed = review.meta.reviewed_commits();
    }
    (review.meta.head_sha, review.meta.base_sha) = (head, base);
    Ok(review)
}

/// Returns the merge request of an opened change. Fails if GitLab has not computed its diff.
pub fn request_of(opened: &OpenChange) -> Result<&FetchedRequest> {
    let request = opened.merge_request.as_deref().ok_or_else(|| {
        Error::new(ErrorCode::InvalidInput, "This change is not a merge request, so comments cannot be posted.")
            .hint("Open the merge request by its address, or with --mr.")
    })?;
    if request.refs.head_sha.is_empty() {
        let mut error =
            Error::new(ErrorCode::GitlabPostFailed, "GitLab has not computed the diff of this merge request yet.")
                .hint("Wait a moment and open it again.");
        error.retryable = true;
        return Err(error);
    }
    Ok(request)
}

/// Whether the merge request has changed since the review.
pub fn has_moved(opened: &OpenChange, review: &ReviewOutput) -> Result<bool> {
    Ok(moved(opened, request_of(opened)?, &review.meta))
}

fn moved(opened: &OpenChange, request: &FetchedRequest, meta: &ReviewMeta) -> bool {
    let differs = |reviewed: &Option<String>, now: &str| reviewed.as_deref().is_some_and(|reviewed| reviewed != now);
    // A review of a patch names no commit, so only an equal diff shows that it is of this version.
    let is_other_diff = meta.head_sha.is_none() && meta.fingerprint != opened.fingerprint;
    is_other_diff || differs(&meta.head_sha, &request.refs.head_sha) || differs(&meta.base_sha, &request.refs.base_sha)
}

fn head_moved(request: &FetchedRequest, meta: &ReviewMeta) -> Error {
    let short = |sha: &str| sha.chars().take(10).collect::<String>();
    let now = &request.refs.head_sha;
    let message = match &meta.head_sha {
        None => format!("The review names no commit, and its diff is not that of the merge request at {}.", short(now)),
        Some(reviewed) => {
            let what = if reviewed == now {
                "it has a new base".to_owned()
            } else {
                format!("its head is now {}", short(now))
            };
            format!("The review is of {}, but the merge request has changed: {what}.", short(reviewed))
        }
    };
    Error::new(ErrorCode::GitlabHeadMoved, message)
        .hint("Place the findings on the new head (--reanchor), or review the new commits.")
        .with("planned_head", meta.head_sha.clone())
        .with("current_head", now.clone())
}

/// Returns the text of a file at the head, if it is available in a repository or completely in the change.
fn head_text(opened: &OpenChange, path: &str) -> Option<String> {
    let bytes = opened.file(&path.into(), Side::New);
    if let Some(bytes) = bytes {
        return String::from_utf8(bytes.to_vec()).ok();
    }
    let new = |file: &&diffsan_change::FileChange| {
        file.old_path.is_none() && file.new_path.as_ref().is_some_and(|new| new.to_text() == path)
    };
    let file = opened.change.files.iter().find(new)?;
    let mut text = Vec::new();
    for line in file.hunks().iter().flat_map(|hunk| hunk.lines.iter()) {
        text.extend_from_slice(&line.text);
        text.push(b'\n');
    }
    String::from_utf8(text).ok()
}
