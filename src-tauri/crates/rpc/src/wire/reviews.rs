//! What is said of kept reviews, and of decisions about their findings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use diffsan_review::finding::Finding;
use diffsan_review::{ReviewMeta, TokenUsage};

/// A kept review with what the reviewer decided.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReviewView {
    /// Names the review in later calls.
    pub review_id: String,
    /// When it was made, RFC 3339.
    pub created_at: String,
    /// Whether a later review of the same change is kept.
    pub earlier: bool,
    /// Whether the change has changed since: its fingerprint is another one now.
    pub outdated: bool,
    /// The summary, as Markdown.
    pub summary_markdown: String,
    /// The findings, worst first.
    pub findings: Vec<FindingView>,
    /// What the review stands on.
    pub meta: ReviewMeta,
    /// Where its artifacts are.
    pub run_dir: String,
    /// Tokens, if the agent reported them.
    pub tokens: Option<TokenUsage>,
    /// How many secrets were masked.
    pub masked: u32,
    /// How many files were cut or partly cut.
    pub cut_files: u32,
}

/// A finding with what the reviewer decided.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FindingView {
    /// The finding.
    pub finding: Finding,
    /// Index into `ChangeView.files` of its file, if it is one of them.
    pub file: Option<u32>,
    /// What the reviewer decided.
    pub decision: Decision,
    /// Why, if the reviewer said so.
    pub reason: Option<String>,
    /// The fix, where its suggested patch stands in the work tree.
    pub applied: Option<i64>,
}

/// What a reviewer decided about a finding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Nothing yet.
    #[default]
    Open,
    /// It holds, and will be posted.
    Accepted,
    /// It does not hold, or does not matter.
    Dismissed,
}

/// Decides about findings.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DecideParams {
    /// The review.
    pub review_id: String,
    /// The findings' ids.
    pub findings: Vec<String>,
    /// The decision.
    pub decision: Decision,
    /// Why.
    #[serde(default)]
    pub reason: Option<String>,
}
