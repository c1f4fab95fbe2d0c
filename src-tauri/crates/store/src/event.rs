//! What happens during a run, as it is written to `events.jsonl` and streamed to the interface.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much an event matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Level {
    Debug,
    Info,
    Warn,
    Error,
}

/// Every event has one of these names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum EventName {
    #[serde(rename = "run.started")]
    RunStarted,
    #[serde(rename = "config.loaded")]
    ConfigLoaded,
    #[serde(rename = "diff.fetched")]
    DiffFetched,
    #[serde(rename = "diff.prepared")]
    DiffPrepared,
    #[serde(rename = "skip.decided")]
    SkipDecided,
    #[serde(rename = "prompt.written")]
    PromptWritten,
    #[serde(rename = "agent.attempt")]
    AgentAttempt,
    #[serde(rename = "agent.progress")]
    AgentProgress,
    #[serde(rename = "review.validated")]
    ReviewValidated,
    #[serde(rename = "post.plan_built")]
    PostPlanBuilt,
    #[serde(rename = "gitlab.post.summary")]
    GitlabPostSummary,
    #[serde(rename = "gitlab.post.discussion")]
    GitlabPostDiscussion,
    #[serde(rename = "error.raised")]
    ErrorRaised,
    #[serde(rename = "run.finished")]
    RunFinished,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// When, RFC 3339 in UTC with milliseconds.
    pub ts: String,
    /// How much it matters.
    pub level: Level,
    /// What.
    pub event: EventName,
    /// Facts about it; never a secret.
    pub data: serde_json::Value,
}
