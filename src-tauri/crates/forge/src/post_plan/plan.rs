//! What is posted: one comment for each chosen finding where it belongs, and the summary with all the rest.
//!
//! In: a review, what of it was chosen, the change as GitLab has it. Out: the very texts and places that are shown before and sent then.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::body;
use super::markdown::code_block;
use super::marks::{self, MarkerKeys};
use super::suggestion::suggestion;
use crate::gitlab::{DiffRefs, Landing, landing};
use diffsan_change::{Change, FileChange, RepoPath};
use diffsan_prepare::types::TruncationReport;
use diffsan_review::ReviewOutput;
use diffsan_review::finding::{Finding, Side};

/// A finding that is to be posted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChosenFinding {
    /// Its key.
    pub finding: String,
    /// The remark in the reviewer's own words, in place of the agent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}

/// What a plan is made from.
pub struct PlanInput<'a> {
    /// The review.
    pub review: &'a ReviewOutput,
    /// What of it is posted.
    pub chosen: &'a [ChosenFinding],
    /// The change as GitLab has it.
    pub change: &'a Change,
    /// What GitLab computes it from.
    pub refs: &'a DiffRefs,
    /// Whether the summary is posted.
    pub summary: bool,
    /// The tag of summaries.
    pub tag: &'a str,
    /// A summary that is there and is replaced.
    pub replaces: Option<u64>,
    /// What was left out.
    pub truncation: Option<&'a TruncationReport>,
    /// The pipeline that posts.
    pub pipeline: Option<&'a str>,
    /// Whether the summary warns of secrets.
    pub warn_of_secrets: bool,
    /// The keys that seal the markers.
    pub markers: &'a MarkerKeys,
    /// A file of the head, whole.
    pub head: &'a dyn Fn(&str) -> Option<String>,
}

/// Everything that is posted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PostPlan {
    /// What the places stand on.
    pub refs: DiffRefs,
    /// Comments of their own, as they are shown and sent.
    pub items: Vec<PlannedItem>,
    /// The summary.
    pub summary: Option<PlannedSummary>,
}

/// A comment of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedItem {
    /// The finding's key, by which the comment is found again.
    pub key: String,
    /// Its headline.
    pub title: String,
    /// Its severity's name.
    pub severity: String,
    /// Where it is, for people: `src/a.rs:12-14`.
    pub place: String,
    /// How it lands.
    pub landing: Landing,
    /// Its text, with its mark.
    pub body: String,
    /// Whether it has a suggestion that can be applied.
    pub suggestion: bool,
    /// The lines that the suggestion replaces, as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<String>,
    /// What could not be as it was meant, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedSummary {
    /// The review's key, by which it is found again.
    pub key: String,
    /// The note that it replaces.
    pub replaces: Option<u64>,
    /// What stands above what is folded into it.
    pub head: String,
    /// Findings that have no place of their own.
    pub folded: Vec<PlannedItem>,
    /// What stands below.
    pub tail: String,
    /// Its marks.
    pub marks: String,
}

impl PlannedSummary {
    /// Its text with its sealed markers, proven inert as a whole; `more` are findings whose places GitLab refused. What cannot be proven is
    /// shown as code.
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
        // A suggestion applies to a line only; in a summary it is code.
        let texts = [text(shown_suggestions), text(|words| code_block("", words))];
        let note = texts.iter().find_map(|text| body::proven(text, &markers, &[]));
        note.unwrap_or_else(|| format!("{}\n\n{markers}", body::WITHHELD))
    }
}

/// The text with its suggestions as blocks of plain code.
fn shown_suggestions(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let ticks = line.len() - line.trim_start_matches('`').len();
        if ticks >= 3 && line[ticks..].starts_with("suggestion") { &line[..ticks] } else { line }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Makes the plan.
pub fn plan(input: &PlanInput<'_>) -> PostPlan {
    let (mut items, mut folded, mut told) = (Vec::new(), Vec::new(), Vec::new());
    let by_key: HashMap<&str, &Finding> =
        input.review.findings.iter().map(|finding| (finding.key.as_str(), finding)).collect();
    for choice in input.chosen {
        let Some(finding) = by_key.get(choice.finding.as_str()) else { continue };
        told.push(*finding);
        let item = item(input, finding, choice.body.as_deref());
        if item.landing == Landing::Summary { folded.push(item) } else { items.push(item) }
    }
    let posted = items.len() + folded.len();
    let review = review_key(input.review);
    let summary = input.summary.then(|| PlannedSummary {
        head: body::summary_head(input.review, posted),
        tail: body::summary_tail(input.review, posted, input.truncation, input.pipeline, input.warn_of_secrets, &[]),
        marks: marks::summary_marks(
            input.tag,
            &review,
            &input.review.meta.fingerprint,
            input.review.meta.head_sha.as_deref(),
            &body::digest(input.review, &told),
        ),
        key: review,
        replaces: input.replaces,
        folded,
    });
    PostPlan { refs: input.refs.clone(), items, summary }
}

fn item(input: &PlanInput<'_>, finding: &Finding, edited: Option<&str>) -> PlannedItem {
    let anchor = &finding.anchor;
    let landing = landing(file_of(input.change, finding), anchor, input.refs);
    let mut notes = Vec::new();
    let fix = finding.fix.as_ref().map(|fix| {
        let line = match &landing {
            Landing::Line { position } => position.new_line,
            _ => None,
        };
        let line = line.filter(|_| anchor.side == Side::New && fix.path == anchor.path);
        let line = line.ok_or("the comment is on no line of the head")?;
        let head = (input.head)(&fix.path).ok_or("the file is not at hand")?;
        suggestion(fix, line, &head)
    });
    if let Some(Err(why)) = &fix {
        notes.push(format!("The proposed change is shown, and cannot be applied with a click: {why}."));
    }
    let made = fix.and_then(Result::ok);
    let block = made.as_ref().map(|made| made.block.as_str());
    let (body, suggestion) = body::finding_note(finding, edited, block, input.markers);
    if made.is_some() && !suggestion {
        notes.push("The proposed change is shown, and cannot be applied with a click: it holds a line that GitLab could execute or change.".to_owned());
    }
    PlannedItem {
        key: finding.key.clone(),
        title: body::title(finding),
        severity: finding.said.severity.name().to_owned(),
        place: body::place(finding),
        body,
        landing,
        suggestion,
        replaced: made.filter(|_| suggestion).map(|made| made.replaced).unwrap_or_default(),
        notes,
    }
}

/// The file of the change that a finding is about.
fn file_of<'a>(change: &'a Change, finding: &Finding) -> Option<&'a FileChange> {
    let is = |path: &Option<RepoPath>| path.as_ref().is_some_and(|path| path.to_text() == finding.anchor.path);
    let (new, old) = (|file: &&FileChange| is(&file.new_path), |file: &&FileChange| is(&file.old_path));
    match finding.anchor.side {
        Side::New => change.files.iter().find(new).or_else(|| change.files.iter().find(old)),
        Side::Old => change.files.iter().find(old).or_else(|| change.files.iter().find(new)),
    }
}

/// The key of a review: whatever of it is posted, it has one summary.
fn review_key(review: &ReviewOutput) -> String {
    let fixed = [review.meta.fingerprint.value.as_str(), &review.summary_markdown];
    let mut digest = Sha256::new();
    for part in fixed.into_iter().chain(review.findings.iter().map(|finding| finding.key.as_str())) {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part.as_bytes());
    }
    hex::encode(&digest.finalize()[..8])
}
