//! The types of an agent's answer, and of findings with a place that was checked against the code.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::chapters::AgentChapter;
use crate::intent::AgentRequirement;
use crate::stability::RunCount;

/// The name of the capability reviewer among the sources of a finding.
pub const CAPABILITY_REVIEWER: &str = "capability";
/// The name of the person who reviews among the sources of a finding.
pub const REVIEWER: &str = "you";

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Severity {
    Info,
    Low,
    Medium,
    High,
    Critical,
}

impl Severity {
    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

/// What it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Category {
    Correctness,
    Security,
    Performance,
    Maintainability,
    Style,
    Testing,
    Docs,
    Other,
}

impl Category {
    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Correctness => "correctness",
            Self::Security => "security",
            Self::Performance => "performance",
            Self::Maintainability => "maintainability",
            Self::Style => "style",
            Self::Testing => "testing",
            Self::Docs => "docs",
            Self::Other => "other",
        }
    }
}

/// A side of the change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// After the change.
    #[default]
    New,
    /// Before the change.
    Old,
}

/// How a suggested patch is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PatchFormat {
    /// Hunks with `@@` headers.
    UnifiedDiff,
    /// The text that replaces `line_start..=line_end` of the head.
    Replacement,
}

/// A proposed fix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SuggestedPatch {
    /// How `content` is to be read.
    pub format: PatchFormat,
    /// The patch text.
    pub content: String,
}

/// One remark as an agent answers it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentFinding {
    /// The agent's own name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finding_id: Option<String>,
    /// How bad it is.
    pub severity: Severity,
    /// What it is about.
    pub category: Category,
    /// The file, relative to the repository's root.
    pub path: String,
    /// First line meant, from 1.
    pub line_start: u32,
    /// Last line meant, from 1.
    pub line_end: u32,
    /// A headline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The remark, as Markdown.
    pub body_markdown: String,
    /// Which side the lines are on; `new` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// The exact code meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// How sure the agent is, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub confidence: Option<f64>,
    /// A fix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested_patch: Option<SuggestedPatch>,
}

impl AgentFinding {
    /// Creates a finding about lines of a file, from the first to the last one, with an empty body and nothing that is optional.
    pub fn new(severity: Severity, category: Category, path: impl Into<String>, lines: (u32, u32)) -> Self {
        Self {
            finding_id: None,
            severity,
            category,
            path: path.into(),
            line_start: lines.0,
            line_end: lines.1,
            title: None,
            body_markdown: String::new(),
            side: None,
            quote: None,
            confidence: None,
            suggested_patch: None,
        }
    }
}

/// An agent's whole answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentReviewOutput {
    /// What the change does and what to think of it, as Markdown.
    pub summary_markdown: String,
    /// The remarks; none is a fine answer.
    pub findings: Vec<AgentFinding>,
    /// What the change should do by the words of its authors; empty if they say nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intent: Vec<AgentRequirement>,
    /// A sentence for each chapter of the reading order; empty if there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chapters: Vec<AgentChapter>,
}

/// The result of checking a finding's place against the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AnchorState {
    /// The quoted code is at the lines.
    Verified,
    /// The quoted code is elsewhere in the file; the anchor names that place.
    Moved,
    /// The lines exist, but nothing proves that they are the ones meant (no quote, or the quote was not found).
    Unverified,
    /// The file is part of the change or of the head, but no line of it could be found.
    File,
    /// The file does not exist.
    Unplaced,
}

/// The checked place of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Anchor {
    /// The result of checking the place.
    pub state: AnchorState,
    /// The path of the file as the change writes it (repaired if necessary); the agent's text if unplaced.
    pub path: String,
    /// The side that the lines are on.
    pub side: Side,
    /// The first line, from 1; `None` for a file or unplaced anchor.
    pub line_start: Option<u32>,
    /// The last line, from 1.
    pub line_end: Option<u32>,
    /// Whether the change contains the last line.
    pub in_change: bool,
    /// Notes for the reviewer about repairs and failed repairs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Anchor {
    /// Creates an anchor at lines of the new side, or without lines at the whole file. It has no notes.
    pub fn new(state: AnchorState, path: impl Into<String>, lines: Option<(u32, u32)>, in_change: bool) -> Self {
        let (line_start, line_end) = lines.unzip();
        Self { state, path: path.into(), side: Side::New, line_start, line_end, in_change, notes: Vec::new() }
    }

    /// Returns the place as text, such as `src/a.rs:3-5`.
    pub fn place(&self) -> String {
        let old = if self.side == Side::Old { " (old side)" } else { "" };
        match (self.line_start, self.line_end) {
            (Some(start), Some(end)) if start != end => format!("{}:{start}-{end}{old}", self.path),
            (Some(start), _) => format!("{}:{start}{old}", self.path),
            _ => self.path.clone(),
        }
    }
}

/// The result of checking a claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The code supports the claim.
    Verified,
    /// The code contradicts the claim.
    Contradicted,
    /// The claim was not or could not be checked.
    #[default]
    Unchecked,
}

/// A place that supports or contradicts a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// The path of the file.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The text of the line, masked.
    pub text: String,
}

/// A statement of a finding about the code that a search can check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    /// The statement: `parse` is never called.
    pub claim: String,
    /// The result of the check.
    pub verdict: Verdict,
    /// The place that decided the verdict, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
}

/// Replaces lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Edit {
    /// The first line to remove, from 1; if none is removed, the line before which the text is inserted.
    pub line_start: u32,
    /// The number of lines to remove.
    pub lines: u32,
    /// The new text; every line has a line end.
    pub text: String,
}

/// A suggested patch that applies to the head exactly, as edits from top to bottom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fix {
    /// The path of the file.
    pub path: String,
    /// The edits; no two edits touch the same line.
    pub edits: Vec<Edit>,
}

impl Fix {
    /// Returns the file's text with the edits applied. New lines get the line end of the file's first line.
    pub fn applied_to(&self, text: &str) -> String {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let crlf = lines.first().is_some_and(|line| line.ends_with("\r\n"));
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for edit in &self.edits {
            let from = (edit.line_start as usize).saturating_sub(1).clamp(at, lines.len());
            out.extend(lines[at..from].iter().copied());
            if !edit.text.is_empty() && !out.is_empty() && !out.ends_with('\n') {
                out.push('\n');
            }
            match crlf {
                true => out.push_str(&edit.text.replace('\n', "\r\n")),
                false => out.push_str(&edit.text),
            }
            at = (from + edit.lines as usize).min(lines.len());
        }
        out.extend(lines[at..].iter().copied());
        // A file without a line feed at its end keeps that form.
        if !text.ends_with('\n') && out.ends_with('\n') && at == lines.len() {
            out.truncate(out.trim_end_matches(['\n', '\r']).len());
        }
        out
    }
}

/// One step of a chain, the steps from changed code to an effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChainHop {
    /// The symbol that is used here: `notificationClient.sendRefundNotice`.
    pub symbol: String,
    /// The path of the file.
    pub path: String,
    /// The line of the new side, from 1.
    pub line: u32,
    /// The text of the line, masked.
    pub text: String,
}

/// A finding with its anchor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Identifies the finding over rounds, rebases, edits and postings. Files of earlier versions contain a number such as `f1`, which is
    /// replaced when they are read.
    #[serde(alias = "id")]
    pub key: String,
    /// The finding as the agent or the reviewer wrote it.
    #[serde(flatten)]
    pub content: AgentFinding,
    /// The checked place.
    pub anchor: Anchor,
    /// The names of the agents that found it.
    pub sources: Vec<String>,
    /// The number of runs of each agent that found it, if the agents were asked several times.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<RunCount>,
    /// The combined result of checking its claims.
    #[serde(default)]
    pub verdict: Verdict,
    /// The checked claims.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
    /// The steps from the code to an effect, if the capability reviewer followed them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chain: Vec<ChainHop>,
    /// The suggested patch, if it applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<Fix>,
    /// The digest of the lines that it is about: their number and a hash. A decision is valid as long as this digest does not change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The finding before the reviewer edited it; `None` if it was not edited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<Box<AgentFinding>>,
    /// The version since which the author has not edited its lines, if the review was of the edits since that version. The finding is not
    /// about a new line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unedited_since: Option<String>,
}

impl Finding {
    /// Creates a finding without a key and sources, whose claims are not checked.
    pub fn new(content: AgentFinding, anchor: Anchor) -> Self {
        Self {
            key: String::new(),
            content,
            anchor,
            sources: Vec::new(),
            runs: Vec::new(),
            verdict: Verdict::Unchecked,
            claims: Vec::new(),
            chain: Vec::new(),
            fix: None,
            code: None,
            original: None,
            unedited_since: None,
        }
    }

    /// Returns whether the reviewer wrote it.
    pub fn is_own(&self) -> bool {
        self.sources == [REVIEWER]
    }

    /// Returns the finding in the agent's words, without the reviewer's edit.
    pub fn as_found(&self) -> &AgentFinding {
        self.original.as_deref().unwrap_or(&self.content)
    }
}

/// A reviewer's decision about a finding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// No decision yet.
    #[default]
    Open,
    /// The finding is a problem, and will be posted.
    Accepted,
    /// The finding is not a problem, or not an important one.
    Dismissed,
}

impl Decision {
    /// Returns the saved name. Open decisions are not saved.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Open => None,
            Self::Accepted => Some("accepted"),
            Self::Dismissed => Some("dismissed"),
        }
    }

    /// Returns the decision with this saved name. An unknown name is open.
    pub fn of(name: &str) -> Self {
        [Self::Accepted, Self::Dismissed].into_iter().find(|one| one.name() == Some(name)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(text: &str, edits: &[(u32, u32, &str)]) -> String {
        let edit = |&(line_start, lines, text): &(u32, u32, &str)| Edit { line_start, lines, text: text.to_owned() };
        Fix { path: "a".into(), edits: edits.iter().map(edit).collect() }.applied_to(text)
    }

    #[test]
    fn fixes_change_their_lines_and_nothing_else() {
        assert_eq!(edited("a\nb\nc\n", &[(2, 1, "B\nBB\n")]), "a\nB\nBB\nc\n");
        assert_eq!(edited("a\nb\nc\n", &[(1, 1, ""), (3, 0, "x\n")]), "b\nx\nc\n");
        assert_eq!(edited("a\nb\n", &[(3, 0, "c\n")]), "a\nb\nc\n");
        assert_eq!(edited("a\r\nb\r\n", &[(2, 1, "B\nC\n")]), "a\r\nB\r\nC\r\n");
        assert_eq!(edited("a\nb", &[(2, 1, "B\n")]), "a\nB");
        assert_eq!(edited("a\nb", &[(3, 0, "c\n")]), "a\nb\nc");
    }
}
