//! The domain of reviews: the validated result of one run, and the facts that it is based on.

pub mod anchor;
pub mod answer;
pub mod failure;
pub mod finding;
pub mod merge;
pub mod rounds;
mod texts;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use diffsan_change::Fingerprint;

/// Tokens that an agent reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TokenUsage {
    /// Tokens read, cached ones included.
    pub input: u64,
    /// Of those, read from the provider's cache.
    pub cached_input: u64,
    /// Tokens written, reasoning included.
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

/// Milliseconds that the parts of a run took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Timings {
    /// Reading the change.
    pub fetch_ms: u64,
    /// Preparing it.
    pub prepare_ms: u64,
    /// All attempts of the agent.
    pub agent_ms: u64,
    /// Everything.
    pub total_ms: u64,
}

/// How one agent did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentResult {
    /// The agent.
    pub name: String,
    /// Which model it was asked to use, if one was named.
    pub model: Option<String>,
    /// How many findings it had; none if it failed.
    pub findings: Option<u32>,
    /// Which attempt was accepted, from 1.
    pub attempts: u32,
    /// What it reported, if it did.
    pub token_usage: Option<TokenUsage>,
    /// What it says that it cost, in US dollars.
    pub cost_usd: Option<f64>,
    /// Why it failed, in words.
    pub error: Option<String>,
}

/// What a review stands on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewMeta {
    /// Of the raw diff.
    pub fingerprint: Fingerprint,
    /// Which agents answered, joined by commas.
    pub agent: String,
    /// How each of them did, those that failed among them.
    #[serde(default)]
    pub agents: Vec<AgentResult>,
    /// Which model it was asked to use, if one was named.
    pub model: Option<String>,
    /// How long the parts took.
    pub timings: Timings,
    /// What the agents reported, if they did.
    pub token_usage: Option<TokenUsage>,
    /// What they say that it cost, in US dollars.
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
    /// What was and was not looked at, in a sentence.
    pub coverage: String,
    /// Which attempt was accepted, from 1.
    pub attempts: u32,
    /// In how many parts the change was reviewed.
    pub batches: u32,
    /// How the answer was read (`strict`, `fenced`, `recovered`, …).
    pub read_as: String,
}

/// One run's validated result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewOutput {
    /// What the change does and what to think of it, as Markdown, with the disclosures that are due.
    pub summary_markdown: String,
    /// The findings, each with its place.
    pub findings: Vec<Finding>,
    /// What the review stands on.
    pub meta: ReviewMeta,
}
