//! Creates the post plan: one comment for each selected finding with a position, and a summary with all others.
//!
//! In: a review, the selected findings, the change as GitLab has it. Out: the exact texts and positions that are shown first and
//! sent afterwards.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::body;
use super::markdown::code_block;
use super::marks::{self, MarkerKeys};
use super::suggestion::suggestion;
use crate::gitlab::{DiffRefs, Landing, landing};
use diffsan_change::{Change, FileChange, RepoPath};
use diffsan_prepare::types::TruncationReport;
use diffsan_review::ReviewOutput;
use diffsan_review::finding::{Finding, Side};
use diffsan_review::rounds::short_digest;

/// A finding that is selected for posting.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChosenFinding {
    /// The finding's key.
    pub finding: String,
    /// The user's text, which replaces the agent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}

/// The input of a post plan.
pub struct PlanInput<'a> {
    /// The review.
    pub review: &'a ReviewOutput,
    /// The selected findings.
    pub chosen: &'a [ChosenFinding],
    /// The change as GitLab has it.
    pub change: &'a Change,
    /// The commits of GitLab's diff.
    pub refs: &'a DiffRefs,
    /// Whether the server has comments on files.
    pub file_comments: bool,
    /// Whether the summary is posted.
    pub summary: bool,
    /// Whether the summary lists the requirements of the authors.
    pub requirements: bool,
    /// The tag of summaries.
    pub tag: &'a str,
    /// The ID of an existing summary that is replaced.
    pub replaces: Option<u64>,
    /// The report about omitted parts.
    pub truncation: Option<&'a TruncationReport>,
    /// The pipeline that posts.
    pub pipeline: Option<&'a str>,
    /// Whether the summary warns of secrets.
    pub warn_of_secrets: bool,
    /// The keys that seal the markers.
    pub markers: &'a MarkerKeys,
    /// Returns the whole text of a file of the head.
    pub head: &'a dyn Fn(&str) -> Option<String>,
}

/// All comments of a posting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PostPlan {
    /// The commits that the positions refer to.
    pub refs: DiffRefs,
    /// The comments with a position, as they are shown and sent.
    pub items: Vec<PlannedItem>,
    /// The summary.
    pub summary: Option<PlannedSummary>,
}

/// A planned comment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedItem {
    /// The finding's key, by which the comment is recognised later.
    pub key: String,
    /// The finding's title.
    pub title: String,
    /// The name of the severity.
    pub severity: String,
    /// The place of the finding for display: `src/a.rs:12-14`.
    pub place: String,
    /// Where the comment is posted.
    pub landing: Landing,
    /// The text, with its marker.
    pub body: String,
    /// Whether the text has a suggestion that can be applied.
    pub suggestion: bool,
    /// The current lines that the suggestion replaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<String>,
    /// The deviations from the intended comment, with their reasons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The planned summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedSummary {
    /// The review's key, by which the summary is recognised later.
    pub key: String,
    /// The ID of the note that it replaces.
    pub replaces: Option<u64>,
    /// The text above the folded findings.
    pub head: String,
    /// The findings that have no position.
    pub folded: Vec<PlannedItem>,
    /// The text below the folded findings.
    pub tail: String,
    /// The markers.
    pub marks: String,
}

impl PlannedSummary {
    /// Returns the text with its sealed markers, proven inert as a whole. `more` are findings whose positions GitLab refused. A
    /// text that cannot be proven inert is shown as code.
    pub fn body(&self, more: &[&PlannedItem], keys: &MarkerKeys) -> String {
        let folded: Vec<&PlannedItem> = self.folded.iter().chain(more.iter().copied()).collect();
        let carried = folded.iter().map(|item| marks::finding_mark(&item.key)).chain([self.marks.clone()]);
        let markers = keys.seal(&carried.collect::<Vec<_>>().join("\n"));
        let text = |words: fn(&str) -> String| {
            let mut parts = vec![words(&self.head)];
            if !folded.is_empty() {
                parts.push("**Findings without a line in this change**".to_owned());
            }
            let one =
                |item: &&PlannedItem| body::folded(&item.place, &item.severity, &words(marks::split(&item.body).0));
            parts.extend(folded.iter().map(one));
            parts.push(words(&self.tail));
            parts.join("\n\n")
        };
        // A suggestion only applies to a line, so in the summary it is plain code.
        let texts = [text(shown_suggestions), text(|words| code_block("", words))];
        let note = texts.iter().find_map(|text| body::proven(text, &markers, &[]));
        note.unwrap_or_else(|| format!("{}\n\n{markers}", body::WITHHELD))
    }
}

/// Converts the suggestions in a text to plain code blocks.
fn shown_suggestions(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let ticks = line.len() - line.trim_start_matches('`').len();
        if ticks >= 3 && line[ticks..].starts_with("suggestion") { &line[..ticks] } else { line }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Creates the post plan. Fails if the digest in the summary's markers cannot be serialised.
pub fn plan(input: &PlanInput<'_>) -> serde_json::Result<PostPlan> {
    let (mut items, mut folded) = (Vec::new(), Vec::new());
    let by_key: HashMap<&str, &Finding> =
        input.review.findings.iter().map(|finding| (finding.key.as_str(), finding)).collect();
    let mut chosen: Vec<(&ChosenFinding, &Finding)> =
        input.chosen.iter().filter_map(|choice| Some((choice, *by_key.get(choice.finding.as_str())?))).collect();
    let embedded: Vec<&Finding> = chosen.iter().map(|(_, finding)| *finding).collect();
    chosen.sort_by_key(|(_, finding)| place_in(input.change, finding));
    for (choice, finding) in chosen {
        let item = item(input, finding, choice.body.as_deref());
        if input.summary && item.landing == Landing::Summary { folded.push(item) } else { items.push(item) }
    }
    let posted = items.len() + folded.len();
    let review = review_key(input.review);
    let marks = marks::summary_marks(
        input.tag,
        &review,
        &input.review.meta.fingerprint,
        input.review.meta.head_sha.as_deref(),
        &body::digest(input.review, &embedded),
    )?;
    let summary = input.summary.then(|| PlannedSummary {
        head: body::summary_head(input.review, posted, input.requirements),
        tail: body::summary_tail(input.review, posted, input.truncation, input.pipeline, input.warn_of_secrets, &[]),
        marks,
        key: review,
        replaces: input.replaces,
        folded,
    });
    Ok(PostPlan { refs: input.refs.clone(), items, summary })
}

fn item(input: &PlanInput<'_>, finding: &Finding, edited: Option<&str>) -> PlannedItem {
    let anchor = &finding.anchor;
    let landing = match landing(file_of(input.change, finding), anchor, input.refs) {
        Landing::File { .. } if input.summary && !input.file_comments => Landing::Summary,
        landing => landing,
    };
    let mut notes = Vec::new();
    let fix = finding.fix.as_ref().map(|fix| {
        let line = match &landing {
            Landing::Line { position } => position.new_line,
            _ => None,
        };
        let line = line.filter(|_| anchor.side == Side::New && fix.path == anchor.path);
        let line = line.ok_or("the comment is not on a line of the new version")?;
        let head = (input.head)(&fix.path).ok_or("the file is not available")?;
        suggestion(fix, line, &head)
    });
    if let Some(Err(why)) = &fix {
        notes.push(format!("The proposed change is shown, but GitLab cannot apply it: {why}."));
    }
    let made = fix.and_then(Result::ok);
    let block = made.as_ref().map(|made| made.block.as_str());
    let (body, suggestion) = body::finding_note(finding, edited, block, input.markers);
    if made.is_some() && !suggestion {
        notes.push(
            "The proposed change is shown, but GitLab cannot apply it: it contains a line that GitLab could \
            execute or change."
                .to_owned(),
        );
    }
    PlannedItem {
        key: finding.key.clone(),
        title: body::title(finding),
        severity: finding.content.severity.name().to_owned(),
        place: body::place(finding),
        body,
        landing,
        suggestion,
        replaced: made.filter(|_| suggestion).map(|made| made.replaced).unwrap_or_default(),
        notes,
    }
}

/// Returns a key that orders findings like the lines of the change. Findings outside of the change are last.
fn place_in(change: &Change, finding: &Finding) -> (usize, Option<u32>) {
    (file_index(change, finding).unwrap_or(usize::MAX), finding.anchor.line_start)
}

/// Returns the file of the change that contains a finding.
fn file_of<'a>(change: &'a Change, finding: &Finding) -> Option<&'a FileChange> {
    change.files.get(file_index(change, finding)?)
}

fn file_index(change: &Change, finding: &Finding) -> Option<usize> {
    let is = |path: &Option<RepoPath>| path.as_ref().is_some_and(|path| path.to_text() == finding.anchor.path);
    let (new, old) = (|file: &FileChange| is(&file.new_path), |file: &FileChange| is(&file.old_path));
    match finding.anchor.side {
        Side::New => change.files.iter().position(new).or_else(|| change.files.iter().position(old)),
        Side::Old => change.files.iter().position(old).or_else(|| change.files.iter().position(new)),
    }
}

/// Returns the key of a review. A review has one summary, whichever findings are posted.
fn review_key(review: &ReviewOutput) -> String {
    let fixed = [review.meta.fingerprint.value.as_str(), &review.summary_markdown];
    short_digest(fixed.into_iter().chain(review.findings.iter().map(|finding| finding.key.as_str())))
}
