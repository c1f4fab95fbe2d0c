//! The domain of reviews: the validated result of one run, and the facts that it is based on.

pub mod answer;
pub mod chapters;
pub mod failure;
pub mod finding;
pub mod intent;
pub mod merge;
pub mod message;
pub mod opinion;
pub mod quotes;
pub mod rounds;
pub mod sandbox;
pub mod since;
pub mod stability;
mod texts;
pub mod unsent;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::chapters::ChapterSentence;
use crate::finding::{Finding, Severity};
use crate::intent::Requirement;
use crate::opinion::SecondOpinion;
use crate::sandbox::SandboxReceipt;
use crate::stability::RunsResult;
use crate::unsent::UnsentFiles;
use diffsan_change::Fingerprint;
use diffsan_evidence::Reading;
use diffsan_facts::FactsSummary;

/// The number of tokens that an agent reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TokenUsage {
    /// Tokens read, including cached ones.
    pub input: u64,
    /// The part of `input` that the provider read from its cache.
    pub cached_input: u64,
    /// Tokens written, including reasoning.
    pub output: u64,
}

impl TokenUsage {
    /// Returns the sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input: self.input + other.input,
            cached_input: self.cached_input + other.cached_input,
            output: self.output + other.output,
        }
    }
}

/// The durations of the parts of a run, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Timings {
    /// The time to read the change.
    pub fetch_ms: u64,
    /// The time to prepare the change.
    pub prepare_ms: u64,
    /// The time of all attempts of the agent.
    pub agent_ms: u64,
    /// The time of the whole run.
    pub total_ms: u64,
}

/// The result of one agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentResult {
    /// The name of the agent.
    pub name: String,
    /// The requested model, if one was named.
    pub model: Option<String>,
    /// The number of findings; `None` if the agent failed.
    pub findings: Option<u32>,
    /// The number of the accepted attempt, from 1.
    pub attempts: u32,
    /// The reported number of tokens, if any.
    pub token_usage: Option<TokenUsage>,
    /// The reported cost in US dollars.
    pub cost_usd: Option<f64>,
    /// The reason for its failure, as text.
    pub error: Option<String>,
    /// How its processes were confined; `None` for an endpoint, and if it failed.
    #[serde(default)]
    pub sandbox: Option<SandboxReceipt>,
    /// The runs of the same prompt, counted; `None` if it was asked once.
    #[serde(default)]
    pub runs: Option<RunsResult>,
}

/// A finding of an answer that cannot be read, for example because its severity is not known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnreadableFinding {
    /// The name of the agent.
    pub agent: String,
    /// The problems as `field: message`.
    pub problems: Vec<String>,
    /// The finding as the agent wrote it, as indented JSON.
    pub text: String,
}

impl UnreadableFinding {
    /// Returns the severity, or the highest one if it cannot be read: a finding must not pass a limit because of its form.
    pub fn severity(&self) -> Severity {
        let value = serde_json::from_str::<serde_json::Value>(&self.text).unwrap_or_default();
        let name = value["severity"].as_str().unwrap_or_default().trim().to_ascii_lowercase();
        serde_json::from_value(name.into()).unwrap_or(Severity::Critical)
    }

    /// Returns the agent and the problems as one line.
    pub fn reason(&self) -> String {
        format!("{}: {}", self.agent, self.problems.join("; "))
    }
}

/// Returns a heading such as `2 findings could not be read`.
pub fn unreadable_heading(count: usize) -> String {
    format!("{count} {} could not be read", if count == 1 { "finding" } else { "findings" })
}

/// The facts that a review is based on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewMeta {
    /// The fingerprint of the raw diff.
    pub fingerprint: Fingerprint,
    /// The names of the agents that answered, joined by commas.
    pub agent: String,
    /// The result of each agent, including those that failed.
    #[serde(default)]
    pub agents: Vec<AgentResult>,
    /// The requested model, if one was named.
    pub model: Option<String>,
    /// The durations of the parts.
    pub timings: Timings,
    /// The number of tokens that the agents reported, if any.
    pub token_usage: Option<TokenUsage>,
    /// The reported cost in US dollars.
    #[serde(default)]
    pub cost_usd: Option<f64>,
    /// Whether the agent saw less than the whole change.
    pub truncated: bool,
    /// Whether secrets were masked.
    pub redaction_found: bool,
    /// The base commit, if there is one.
    pub base_sha: Option<String>,
    /// The head commit, if there is one.
    pub head_sha: Option<String>,
    /// A sentence about the parts of the change that were and were not reviewed.
    pub coverage: String,
    /// The number of the accepted attempt, from 1.
    pub attempts: u32,
    /// The number of batches in which the change was reviewed.
    pub batches: u32,
    /// How the answer was found (`strict`, `fenced`, `recovered`, …).
    pub read_as: String,
    /// The findings of the answers that cannot be read. They are not in the list of findings.
    #[serde(default)]
    pub unreadable: Vec<UnreadableFinding>,
    /// The facts of the pipeline and of reports in numbers; `None` if there were none.
    #[serde(default)]
    pub facts: Option<FactsSummary>,
    /// The evidence of reading; `None` if no agent reviewed, and in reviews of earlier versions.
    #[serde(default)]
    pub reading: Option<Reading>,
    /// The files that were not sent wholly.
    #[serde(default, skip_serializing_if = "UnsentFiles::is_empty")]
    pub unsent: UnsentFiles,
    /// The commits that were reviewed, if the findings were placed on later ones since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewed: Option<ReviewedCommits>,
}

impl ReviewMeta {
    /// Returns the commits that were reviewed, wherever the findings are placed now.
    pub fn reviewed_commits(&self) -> Option<ReviewedCommits> {
        let placed = || Some(ReviewedCommits { base_sha: self.base_sha.clone(), head_sha: self.head_sha.clone()? });
        self.reviewed.clone().or_else(placed)
    }
}

/// The commits of a reviewed change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewedCommits {
    /// The base commit, if there is one.
    pub base_sha: Option<String>,
    /// The head commit.
    pub head_sha: String,
}

/// The validated result of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewOutput {
    /// The assessment of the change, as Markdown, with the required disclosures.
    pub summary_markdown: String,
    /// The findings, each with its anchor.
    pub findings: Vec<Finding>,
    /// The requirements of the authors, and whether the code meets them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intent: Vec<Requirement>,
    /// Sentences about the chapters of the reading order, in the order of the answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chapters: Vec<ChapterSentence>,
    /// Second opinions on the findings, if they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_opinion: Option<SecondOpinion>,
    /// The facts that the review is based on.
    pub meta: ReviewMeta,
}

impl ReviewOutput {
    /// Returns the highest severity of all findings, including those that cannot be read.
    pub fn worst_severity(&self) -> Option<Severity> {
        let findings = self.findings.iter().map(|finding| finding.content.severity);
        findings.chain(self.meta.unreadable.iter().map(UnreadableFinding::severity)).max()
    }
}
