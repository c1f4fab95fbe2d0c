//! Wire types of saved reviews and of decisions about their findings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use diffsan_review::finding::Finding;
use diffsan_review::{ReviewMeta, TokenUsage};

/// A saved review with the reviewer's decisions.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReviewView {
    /// The review's id.
    pub review_id: String,
    /// The creation time, RFC 3339.
    pub created_at: String,
    /// Whether there is a later review of the same change.
    pub earlier: bool,
    /// Whether the change now has another fingerprint than the reviewed one.
    pub outdated: bool,
    /// The summary, as Markdown.
    pub summary_markdown: String,
    /// The findings, most severe first.
    pub findings: Vec<FindingView>,
    /// The metadata of the review.
    pub meta: ReviewMeta,
    /// The run folder, which contains the artifacts.
    pub run_dir: String,
    /// The number of tokens, if the agent reported it.
    pub tokens: Option<TokenUsage>,
    /// The number of secrets that were masked.
    pub masked: u32,
    /// The number of files that were cut, completely or partly.
    pub cut_files: u32,
}

/// A finding with the reviewer's decision.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FindingView {
    /// The finding.
    pub finding: Finding,
    /// Index into `ChangeView.files` of the finding's file, if the file is part of the change.
    pub file: Option<u32>,
    /// The reviewer's decision.
    pub decision: Decision,
    /// The reviewer's reason for the decision, if there is one.
    pub reason: Option<String>,
    /// The id of the fix, if the suggested patch is applied to the work tree.
    pub applied: Option<i64>,
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

/// Sets the decision about findings.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DecideParams {
    /// The review's id.
    pub review_id: String,
    /// The keys of the findings.
    pub findings: Vec<String>,
    /// The decision.
    pub decision: Decision,
    /// The reason for the decision.
    #[serde(default)]
    pub reason: Option<String>,
}
