//! Creates the post plan: one comment for each selected finding with a position, and a summary with all others.
//!
//! In: a review, the selected findings, the change as GitLab has it. Out: the exact texts and positions that are shown first and
//! sent afterwards.

use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::body;
use super::markdown::code_block;
use super::marks::{self, MarkerKeys, Marks, OwnNote};
use super::sections::{Section, sections};
use super::suggestion::suggestion;
use crate::gitlab::{DiffRefs, Landing, Position, landing};
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
    /// The user's text, which replaces the agent's words in the summary.
    pub summary_text: Option<&'a str>,
    /// Whether the summary lists the requirements of the authors.
    pub requirements: bool,
    /// The tag of summaries.
    pub tag: &'a str,
    /// The comments of the token's user, oldest first.
    pub own: &'a [OwnNote],
    /// Whether the summary replaces that of the latest review.
    pub idempotent_summary: bool,
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
    /// The place of the comment.
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
    /// The findings that the note contains already and that are not selected. They stay as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<PlannedItem>,
    /// The text below the folded findings.
    pub tail: String,
    /// The markers.
    pub marks: String,
}

impl PlannedItem {
    /// Returns the item as a comment on its file, which has no line and no suggestion: its text names the place instead.
    #[must_use]
    pub fn on_file(&self, position: Position, keys: &MarkerKeys) -> Self {
        let position =
            Position { position_type: "file".to_owned(), old_line: None, new_line: None, line_range: None, ..position };
        Self {
            landing: Landing::File { position: Box::new(position) },
            body: body::on_file(&self.body, &self.place, &keys.seal(&marks::finding_mark(&self.key))),
            suggestion: false,
            replaced: Vec::new(),
            ..self.clone()
        }
    }
}

impl PlannedSummary {
    /// Returns whether a note is the summary of another review, which this one replaces. Its findings do not count as posted.
    pub fn supersedes(&self, note: u64, marks: &Marks) -> bool {
        self.replaces == Some(note) && marks.review.as_ref() != Some(&self.key)
    }

    /// Returns the findings in the text.
    pub fn contents(&self) -> impl Iterator<Item = &PlannedItem> {
        self.folded.iter().chain(&self.kept)
    }

    /// Returns the text with its sealed markers, proven inert as a whole. `more` are findings whose positions GitLab refused. A
    /// text that cannot be proven inert is shown as code.
    pub fn body(&self, more: &[&PlannedItem], keys: &MarkerKeys) -> String {
        let folded: Vec<&PlannedItem> = self.contents().chain(more.iter().copied()).collect();
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
        let texts = [text(body::shown_suggestions), text(|words| code_block("", words))];
        let note = texts.iter().find_map(|text| body::proven(text, &markers, &[]));
        note.unwrap_or_else(|| format!("{}\n\n{markers}", body::WITHHELD))
    }
}

/// Creates the post plan. Fails if the digest in the summary's markers cannot be serialised.
pub fn plan(input: &PlanInput<'_>) -> serde_json::Result<PostPlan> {
    let (mut items, mut folded) = (Vec::new(), Vec::new());
    let by_key: HashMap<&str, &Finding> =
        input.review.findings.iter().map(|finding| (finding.key.as_str(), finding)).collect();
    let mut chosen: Vec<(&ChosenFinding, &Finding)> =
        input.chosen.iter().filter_map(|choice| Some((choice, *by_key.get(choice.finding.as_str())?))).collect();
    let review = review_key(input.review);
    let words = input.summary_text.unwrap_or(&input.review.summary_markdown);
    let note = existing_summary(input, &review);
    let kept = kept_sections(input, note, &chosen);
    // A note that contains an unknown text is left as it is.
    let replaces =
        note.filter(|note| note.marks.review.as_ref() != Some(&review) && kept.is_some()).map(|note| note.id);
    let kept = kept.unwrap_or_default();
    let mut posted: HashSet<&str> = chosen.iter().map(|(choice, _)| choice.finding.as_str()).collect();
    posted.extend(input.own.iter().flat_map(|note| &note.marks.findings).map(String::as_str));
    let embedded: Vec<&Finding> =
        input.review.findings.iter().filter(|finding| posted.contains(finding.key.as_str())).collect();
    let count = embedded.len();
    chosen.sort_by_key(|(_, finding)| place_in(input.change, finding));
    for (choice, finding) in chosen {
        let item = item(input, finding, choice.body.as_deref());
        if input.summary && item.landing == Landing::Summary { folded.push(item) } else { items.push(item) }
    }
    let marks = marks::summary_marks(
        input.tag,
        &review,
        &input.review.meta.fingerprint,
        input.review.meta.head_sha.as_deref(),
        &body::digest(input.review, words, &embedded),
    )?;
    let summary = input.summary.then(|| PlannedSummary {
        head: body::summary_head(input.review, words, count, input.requirements),
        tail: body::summary_tail(input.review, count, input.truncation, input.pipeline, input.warn_of_secrets),
        marks,
        key: review,
        replaces,
        folded,
        kept,
    });
    Ok(PostPlan { refs: input.refs.clone(), items, summary })
}

/// Returns the note that becomes the summary: that of the same review, otherwise the one to replace.
fn existing_summary<'a>(input: &PlanInput<'a>, review: &str) -> Option<&'a OwnNote> {
    let same = input.own.iter().find(|note| note.marks.review.as_deref() == Some(review));
    let latest = || input.own.iter().rev().find(|note| note.marks.tag.as_deref() == Some(input.tag));
    same.or_else(|| latest().filter(|_| input.idempotent_summary)).filter(|_| input.summary)
}

/// Returns the findings that the summary's note contains and that are nowhere else: they are not chosen and have no comment. `None` if
/// the note is of another review and its text cannot be read.
fn kept_sections(
    input: &PlanInput<'_>,
    note: Option<&OwnNote>,
    chosen: &[(&ChosenFinding, &Finding)],
) -> Option<Vec<PlannedItem>> {
    let Some(note) = note else { return Some(Vec::new()) };
    let comments = input.own.iter().filter(|note| note.marks.review.is_none());
    let mut elsewhere: HashSet<&str> = comments.flat_map(|note| &note.marks.findings).map(String::as_str).collect();
    elsewhere.extend(chosen.iter().map(|(choice, _)| choice.finding.as_str()));
    let mut sections: HashMap<String, Section> =
        sections(note).into_iter().map(|section| (section.key.clone(), section)).collect();
    let keys = note.marks.findings.iter().filter(|key| !elsewhere.contains(key.as_str()));
    keys.map(|key| {
        let finding = input.review.findings.iter().find(|finding| finding.key == *key);
        match (sections.remove(key), finding) {
            (Some(section), _) => Some(kept_item(input, section, finding)),
            (None, Some(finding)) => Some(item(input, finding, None)),
            (None, None) => None,
        }
    })
    .collect()
}

/// Returns a finding of a posted summary with its posted text.
fn kept_item(input: &PlanInput<'_>, section: Section, finding: Option<&Finding>) -> PlannedItem {
    let Section { key, place, severity, body } = section;
    PlannedItem {
        title: finding.map_or_else(|| body.lines().next().unwrap_or_default().to_owned(), body::title),
        body: format!("{body}\n\n{}", input.markers.seal(&marks::finding_mark(&key))),
        key,
        severity,
        place,
        landing: Landing::Summary,
        suggestion: false,
        replaced: Vec::new(),
        notes: Vec::new(),
    }
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
    let item = PlannedItem {
        key: finding.key.clone(),
        title: body::title(finding),
        severity: finding.content.severity.name().to_owned(),
        place: body::place(finding),
        body,
        landing,
        suggestion,
        replaced: made.filter(|_| suggestion).map(|made| made.replaced).unwrap_or_default(),
        notes,
    };
    match &item.landing {
        Landing::File { position } if anchor.line_start.is_some() => item.on_file((**position).clone(), input.markers),
        _ => item,
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

/// Returns the key of a review. A review has one summary, whichever findings are posted and however its text is edited.
fn review_key(review: &ReviewOutput) -> String {
    let fixed = [review.meta.fingerprint.value.as_str(), &review.summary_markdown];
    let keys = review.findings.iter().map(|finding| finding.key.as_str());
    // A review of the rest of a change has its own summary, which names less files.
    short_digest(fixed.into_iter().chain(keys).chain(review.meta.unsent.paths.iter().map(String::as_str)))
}
