//! Events of a run, as written to `events.jsonl` and streamed to the interface.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The severity of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Level {
    Debug,
    Info,
    Warn,
    Error,
}

/// The names of all events.
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
    #[serde(rename = "opinions.checked")]
    OpinionsChecked,
    #[serde(rename = "post.plan_built")]
    PostPlanBuilt,
    #[serde(rename = "gitlab.post.summary")]
    GitlabPostSummary,
    #[serde(rename = "gitlab.post.discussion")]
    GitlabPostDiscussion,
    #[serde(rename = "gitlab.post.verdict")]
    GitlabPostVerdict,
    #[serde(rename = "error.raised")]
    ErrorRaised,
    #[serde(rename = "run.finished")]
    RunFinished,
}

/// An event of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// The time, RFC 3339 in UTC with milliseconds.
    pub ts: String,
    /// The severity.
    pub level: Level,
    /// The name.
    pub event: EventName,
    /// Facts about the event. They never contain a secret.
    pub data: serde_json::Value,
}
