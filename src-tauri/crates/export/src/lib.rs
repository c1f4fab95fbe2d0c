//! Exports a review as a document: for people (Markdown, one HTML file) and for other programs (SARIF, GitLab's code quality).
//!
//! In: a review, the decisions about it, and its masked change. Out: text. No file is read here, and all input is already masked. Text of a
//! model or an author can neither run nor load anything where the document is shown.

mod code_quality;
mod excerpt;
mod html;
mod markdown;
mod prose;
mod sarif;
mod style;
mod visible;

use diffsan_change::Change;
use diffsan_prepare::types::{CoverageMap, IgnoredFile, TruncationReport};
use diffsan_redact::types::Redacted;
use diffsan_review::ReviewOutput;
use diffsan_review::finding::{Finding, Side};
use diffsan_review::opinion::{Opinion, OpinionVerdict};
use serde::Serialize;

pub use visible::for_terminal;

/// A format of exported reviews.
#[derive(Debug)]
pub struct Format {
    /// The name on the command line and in JSON-RPC.
    pub name: &'static str,
    /// The file name extension.
    pub extension: &'static str,
    /// The name for people, as in "save the review as one HTML file".
    pub title: &'static str,
    /// Whether people read it in a terminal. Then control characters are made visible there.
    pub is_text: bool,
    render: fn(&Exported<'_>) -> serde_json::Result<String>,
}

/// All formats. The command, JSON-RPC and the interface take their lists from this table.
pub static FORMATS: &[Format] = &[
    Format {
        name: "json",
        extension: "json",
        title: "JSON",
        is_text: false,
        render: |review| to_pretty_json(review.output),
    },
    Format {
        name: "markdown",
        extension: "md",
        title: "Markdown",
        is_text: true,
        render: |review| Ok(markdown::write(review)),
    },
    Format {
        name: "html",
        extension: "html",
        title: "one HTML file",
        is_text: false,
        render: |review| Ok(html::write(review)),
    },
    Format {
        name: "sarif",
        extension: "sarif",
        title: "SARIF 2.1.0",
        is_text: false,
        render: |review| to_pretty_json(&sarif::write(review)),
    },
    Format {
        name: "code-quality",
        extension: "code-quality.json",
        title: "a GitLab code quality report",
        is_text: false,
        render: |review| to_pretty_json(&code_quality::write(review)),
    },
];

impl Format {
    /// Returns the format with this name.
    pub fn of(name: &str) -> Result<&'static Self, UnknownFormat> {
        FORMATS.iter().find(|format| format.name == name).ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

/// No format has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("There is no export format `{0}`.")]
pub struct UnknownFormat(pub String);

impl UnknownFormat {
    /// Returns the suggested action for the user.
    pub fn hint(&self) -> String {
        let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        format!("Choose one of: {}.", names.join(", "))
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Format {}

/// The reviewer's decision about a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// The key of the finding.
    pub finding: String,
    /// Whether the finding was dismissed; otherwise it was accepted.
    pub dismissed: bool,
    /// The reason, if one was given.
    pub reason: Option<Redacted<String>>,
}

/// The reviewed change, with reports about the parts that were and were not sent.
#[derive(Clone, Copy, Debug)]
pub struct ReviewedChange<'a> {
    /// The change, masked.
    pub change: &'a Redacted<Change>,
    /// The state of its lines.
    pub coverage: &'a CoverageMap,
    /// The ignored files, with reasons.
    pub ignored: &'a [IgnoredFile],
    /// The report of the parts that were cut.
    pub truncation: &'a TruncationReport,
}

/// A review with its decisions. The output was masked before it was stored.
#[derive(Clone, Debug)]
pub struct Exported<'a> {
    /// The title of the change.
    pub title: &'a Redacted<String>,
    /// The time of the review (RFC 3339).
    pub created_at: &'a str,
    /// The review.
    pub output: &'a ReviewOutput,
    /// The decisions about the findings.
    pub decisions: &'a [Decided],
    /// The number of masked places.
    pub masked: u32,
    /// The change as it was reviewed, if it is available.
    pub looked: Option<ReviewedChange<'a>>,
}

impl Exported<'_> {
    fn decided(&self, finding: &Finding) -> Option<&Decided> {
        self.decisions.iter().find(|one| one.finding == finding.key)
    }

    /// Returns the second opinion on a finding.
    fn opinion(&self, finding: &Finding) -> Option<&Opinion> {
        self.output.second_opinion.as_ref()?.of(&finding.key)
    }

    fn is_dismissed(&self, finding: &Finding) -> bool {
        self.decided(finding).is_some_and(|decided| decided.dismissed)
    }

    /// Returns the findings, the most severe first. Dismissed ones are at the end.
    fn in_order(&self) -> Vec<&Finding> {
        let mut findings: Vec<&Finding> = self.output.findings.iter().collect();
        findings.sort_by_key(|finding| (self.is_dismissed(finding), std::cmp::Reverse(finding.content.severity)));
        findings
    }
}

/// Exports a review in the given format. Fails if the review cannot be serialised.
pub fn export(format: &Format, review: &Exported<'_>) -> serde_json::Result<String> {
    (format.render)(review)
}

/// Serialises a value as indented JSON text for output, with a newline at the end. Characters that have effects in a terminal are escaped.
pub fn to_pretty_json(value: &impl Serialize) -> serde_json::Result<String> {
    let text = serde_json::to_string_pretty(value)? + "\n";
    Ok(visible::escaped_json(&text).into_owned())
}

/// Returns the place as text: `src/a.rs:3-5`.
fn place(finding: &Finding) -> String {
    let anchor = &finding.anchor;
    let lines = match (anchor.line_start, anchor.line_end) {
        (Some(start), Some(end)) if start != end => format!("{}:{start}-{end}", anchor.path),
        (Some(start), _) => format!("{}:{start}", anchor.path),
        _ => anchor.path.clone(),
    };
    if anchor.side == Side::Old && anchor.line_start.is_some() { format!("{lines} (before)") } else { lines }
}

/// Returns the title, or the name of the category if there is none.
fn headline(finding: &Finding) -> String {
    let title = finding.content.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
    title.unwrap_or(finding.content.category.name()).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the states of the anchor, of the claims and of the second opinion, as text.
fn standing(review: &Exported<'_>, finding: &Finding) -> Vec<&'static str> {
    use diffsan_review::finding::{AnchorState, Verdict};
    let mut words = vec![match finding.anchor.state {
        AnchorState::Verified => "place verified",
        AnchorState::Moved => "place moved",
        AnchorState::Unverified => "place unverified",
        AnchorState::File => "on the file",
        AnchorState::Unplaced => "not placed",
    }];
    match finding.verdict {
        Verdict::Verified => words.push("claim verified"),
        Verdict::Contradicted => words.push("claim disputed"),
        Verdict::Unchecked => {}
    }
    if finding.unedited_since.is_some() {
        words.push("was there before");
    }
    words.extend(review.opinion(finding).map(|opinion| match opinion.verdict {
        OpinionVerdict::Holds => "second opinion: holds",
        OpinionVerdict::Refuted => "second opinion: refuted",
        OpinionVerdict::Unsure => "second opinion: unsure",
    }));
    words
}

/// Returns the agents that found a finding, with the number of their runs if there were several.
fn sources(finding: &Finding) -> String {
    let runs = finding.runs_text().map(|runs| format!(" ({runs})")).unwrap_or_default();
    format!("{}{runs}", finding.sources.join(", "))
}

/// Returns the facts that the review is based on, as names and values.
fn facts(review: &Exported<'_>) -> Vec<(&'static str, String)> {
    let meta = &review.output.meta;
    let mut facts = vec![("Reviewed", review.created_at.to_owned()), ("By", meta.agent.clone())];
    if let Some(model) = &meta.model {
        facts.push(("Model", model.clone()));
    }
    if let Some(head) = &meta.head_sha {
        let short = |id: &str| id.chars().take(12).collect::<String>();
        let base = meta.base_sha.as_deref().map_or_else(|| "nothing".to_owned(), short);
        facts.push(("Commits", format!("{base} → {}", short(head))));
    }
    facts.push(("Fingerprint", format!("{}:{}", meta.fingerprint.algo, meta.fingerprint.value)));
    facts.push(("Coverage", meta.coverage.clone()));
    if let Some(reading) = &meta.reading {
        facts.push(("Read", reading.sentences().join(". ") + "."));
    }
    for agent in &meta.agents {
        facts.extend(agent.runs.as_ref().map(|runs| ("Stability", format!("{}: {}", agent.name, runs.sentence()))));
    }
    facts.push(("Secrets masked", review.masked.to_string()));
    facts.push(("Took", format!("{:.1} s", meta.timings.total_ms as f64 / 1000.0)));
    if let Some(usage) = meta.token_usage {
        facts.push(("Tokens", format!("{} read, {} written", usage.input, usage.output)));
    }
    if let Some(cost) = meta.cost_usd {
        facts.push(("Cost", format!("${cost:.2}")));
    }
    facts
}

#[cfg(test)]
mod tests;
