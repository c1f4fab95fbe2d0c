//! The record of a run from which its review is made, as it is saved in `placing.json`.

use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use diffsan_anchor::Files;
use diffsan_change::{Body, Change, FileChange, Hunk, Line, LineKind, RepoPath, Status};
use diffsan_prepare::types::{TruncationItem, TruncationReport};
use diffsan_review::ReviewMeta;
use diffsan_review::chapters::ChapterSentence;
use diffsan_review::finding::{ChainHop, Claim, Side, Verdict};
use diffsan_review::intent::Requirement;
use diffsan_review::rounds::KnownFinding;
use diffsan_review::since::EditsSince;

/// The format of the records that this version writes.
pub const FORMAT: u32 = 2;

/// Everything from which the review of a run is made. All texts are masked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlacingRecord {
    /// The format of the record.
    pub format: u32,
    /// The answers, in the order in which they are joined.
    pub answers: Vec<RecordedAnswer>,
    /// All agents of the run.
    pub agents: Vec<RecordedAgent>,
    /// The requirements of the authors, with checked evidence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intent: Vec<Requirement>,
    /// The sentences about chapters, with checked evidence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chapters: Vec<ChapterSentence>,
    /// The texts that the summary must contain; `None` if nothing was sent.
    pub disclosures: Option<Disclosures>,
    /// The facts about the run. The parts that come from the answers are filled in when they are read.
    pub meta: ReviewMeta,
    /// The costs in `meta` as exact decimal numbers: the sum, then that of each agent.
    pub costs: Vec<Option<String>>,
    /// The results of the checks that need the repository.
    pub checks: Vec<RecordedCheck>,
    /// The findings of earlier reviews of the change, whose keys are taken over.
    pub known: Vec<KnownFinding>,
    /// The texts of the review that were masked again after merging.
    pub corrections: Vec<Correction>,
    /// The author's edits since an earlier version, if only they were reviewed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edits: Option<EditsSince>,
    /// The files that findings name.
    pub files: Vec<RecordedFile>,
    /// The whole change.
    pub change: RecordedChange,
}

/// An answer of an agent about a part of the change. A part may have several answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedAnswer {
    /// The name of the agent.
    pub agent: String,
    /// The number of the part, from 1.
    pub part: u32,
    /// The number of parts.
    pub parts: u32,
    /// The path of the answer in the run folder.
    pub path: String,
    /// The form of the answer.
    pub form: AnswerForm,
    /// The path of the prompt in the run folder; `None` for the capability reviewer, which has none.
    pub prompt: Option<String>,
    /// The number of the run, from 1, if the agent was asked several times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<u32>,
}

/// The form in which an answer is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerForm {
    /// The output of the agent, masked as one text.
    Output,
    /// The accepted answer, masked field by field. It is used where masking the whole output changes its findings, and for an answer of an
    /// earlier run.
    Accepted,
}

/// An agent of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedAgent {
    /// The name.
    pub name: String,
    /// The name for people.
    pub title: String,
    /// The reason why it has no answer, as text.
    pub error: Option<String>,
    /// The errors of its runs without an answer, if it was asked several times and has others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_runs: Vec<String>,
}

/// The texts that the summary of a review must contain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disclosures {
    /// The parts of the change that were cut.
    pub truncation: TruncationReport,
    /// Whether secrets were masked.
    pub redacted: bool,
}

/// The result of the checks of a finding that need the repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedCheck {
    /// A digest of the finding and its place.
    pub finding: String,
    /// The combined verdict of its claims.
    pub verdict: Verdict,
    /// The claims.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
    /// The steps from the code to an effect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chain: Vec<ChainHop>,
}

/// A text of the review that was masked again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    /// The index of the text, in the order of [`diffsan_review::ReviewOutput::for_each_text`].
    pub at: usize,
    /// The masked text.
    pub text: String,
}

/// A whole file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedFile {
    /// The path.
    pub path: String,
    /// The side of the change.
    pub side: Side,
    /// The text. Every line ends with a line feed.
    pub text: String,
}

/// A change, as far as findings are placed by it. Text that is not UTF-8 contains replacement characters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedChange {
    /// The files, in their order.
    pub files: Vec<RecordedFileChange>,
}

/// A file of a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedFileChange {
    /// The path before the change.
    pub old_path: Option<String>,
    /// The path after the change.
    pub new_path: Option<String>,
    /// The hunks.
    pub hunks: Vec<RecordedHunk>,
}

/// A hunk of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedHunk {
    /// The first line on the old side.
    pub old_start: u32,
    /// The first line on the new side.
    pub new_start: u32,
    /// The lines, each with its sign: ` `, `+` or `-`.
    pub lines: Vec<String>,
}

impl PlacingRecord {
    /// Calls `each` with every text of the record that comes from an agent, a person or a check. The change and its files are recorded from
    /// their masked form. Paths of answers are names of the program.
    pub fn for_each_text(&mut self, each: &mut dyn FnMut(&mut String)) {
        let Self {
            format: _,
            answers: _,
            agents,
            intent,
            chapters,
            disclosures,
            meta,
            costs: _,
            checks,
            known,
            corrections,
            edits,
            files: _,
            change: _,
        } = self;
        for RecordedAgent { name, title, error, failed_runs } in agents {
            [name, title].into_iter().chain(error).chain(failed_runs).for_each(&mut *each);
        }
        intent.iter_mut().for_each(|requirement| requirement.for_each_text(each));
        chapters.iter_mut().for_each(|chapter| chapter.for_each_text(each));
        if let Some(Disclosures { truncation, redacted: _ }) = disclosures {
            for TruncationItem { path, details, kind: _ } in &mut truncation.items {
                [path, details].into_iter().for_each(&mut *each);
            }
        }
        meta.for_each_text(each);
        for RecordedCheck { claims, chain, finding: _, verdict: _ } in checks {
            claims.iter_mut().for_each(|claim| claim.for_each_text(each));
            chain.iter_mut().for_each(|hop| hop.for_each_text(each));
        }
        for KnownFinding { finding, code_status: _ } in known {
            finding.for_each_text(each);
        }
        corrections.iter_mut().for_each(|Correction { text, at: _ }| each(text));
        if let Some(edits) = edits {
            edits.for_each_text(each);
        }
    }

    /// Returns the costs of a review as decimal numbers. A number in JSON may be read with another last digit.
    pub fn costs_of(meta: &ReviewMeta) -> Vec<Option<String>> {
        let all = std::iter::once(meta.cost_usd).chain(meta.agents.iter().map(|agent| agent.cost_usd));
        all.map(|cost| cost.map(|cost| cost.to_string())).collect()
    }

    /// Returns the facts with their exact costs.
    pub(super) fn exact_meta(&self) -> ReviewMeta {
        let mut meta = self.meta.clone();
        let places = std::iter::once(&mut meta.cost_usd).chain(meta.agents.iter_mut().map(|agent| &mut agent.cost_usd));
        for (place, cost) in places.zip(&self.costs) {
            *place = cost.as_ref().and_then(|cost| cost.parse().ok());
        }
        meta
    }

    /// Records whole files.
    pub fn files_of(files: &Files) -> Vec<RecordedFile> {
        let one = |(path, side, text): (&str, Side, String)| RecordedFile { path: path.to_owned(), side, text };
        files.texts().into_iter().map(one).collect()
    }
}

impl RecordedChange {
    /// Records a masked change.
    pub fn of(change: &Change) -> Self {
        let path = |path: &Option<RepoPath>| path.as_ref().map(|path| path.to_text().into_owned());
        let file = |file: &FileChange| RecordedFileChange {
            old_path: path(&file.old_path),
            new_path: path(&file.new_path),
            hunks: file.hunks().iter().map(recorded_hunk).collect(),
        };
        Self { files: change.files.iter().map(file).collect() }
    }

    /// Returns the change. It has no modes and no ids, and no binary content.
    pub fn to_change(&self) -> Change {
        let path = |path: &Option<String>| path.as_deref().map(RepoPath::from);
        let file = |file: &RecordedFileChange| FileChange {
            old_path: path(&file.old_path),
            new_path: path(&file.new_path),
            status: match (&file.old_path, &file.new_path) {
                (None, _) => Status::Added,
                (_, None) => Status::Deleted,
                (old, new) if old != new => Status::Renamed,
                _ => Status::Modified,
            },
            old_mode: None,
            new_mode: None,
            ids: None,
            similarity: None,
            body: Body::Text(file.hunks.iter().map(hunk).collect()),
        };
        Change { files: self.files.iter().map(file).collect(), ..Change::default() }
    }
}

fn recorded_hunk(hunk: &Hunk) -> RecordedHunk {
    let line = |line: &Line| {
        let sign = match line.kind {
            LineKind::Context => ' ',
            LineKind::Added => '+',
            LineKind::Removed => '-',
        };
        format!("{sign}{}", String::from_utf8_lossy(&line.text))
    };
    RecordedHunk { old_start: hunk.old_start, new_start: hunk.new_start, lines: hunk.lines.iter().map(line).collect() }
}

fn hunk(recorded: &RecordedHunk) -> Hunk {
    let line = |line: &String| {
        let kind = match line.as_bytes().first() {
            Some(b'+') => LineKind::Added,
            Some(b'-') => LineKind::Removed,
            _ => LineKind::Context,
        };
        let text = line.get(1..).unwrap_or_default();
        Line { kind, text: Bytes::copy_from_slice(text.as_bytes()), newline: true }
    };
    let lines: Vec<Line> = recorded.lines.iter().map(line).collect();
    let count =
        |other: LineKind| u32::try_from(lines.iter().filter(|line| line.kind != other).count()).unwrap_or(u32::MAX);
    Hunk {
        old_start: recorded.old_start,
        old_lines: count(LineKind::Added),
        new_start: recorded.new_start,
        new_lines: count(LineKind::Removed),
        section: Bytes::new(),
        lines: Arc::new(lines),
    }
}
