//! How a failure is recorded and shown: its code and its texts.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kinds of failure, closed: new ones are added to the specification first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum ErrorCode {
    ConfigParseError,
    ConfigUntrusted,
    DiffFetchFailed,
    DiffParseFailed,
    RedactionEngineFailed,
    GitlabFetchPriorFailed,
    GitlabAuthError,
    GitlabPositionInvalid,
    GitlabPostFailed,
    GitlabHeadMoved,
    AgentNotFound,
    AgentExecFailed,
    AgentOutputInvalid,
    AgentTimeout,
    AgentCancelled,
    AgentQuota,
    FormatFailed,
    SecretStoreUnavailable,
}

impl ErrorCode {
    /// The process exit code of a command that fails so.
    pub fn exit_code(self) -> i32 {
        match self {
            Self::FormatFailed => 2,
            Self::ConfigParseError | Self::ConfigUntrusted | Self::SecretStoreUnavailable => 3,
            Self::DiffFetchFailed | Self::DiffParseFailed => 4,
            Self::AgentNotFound | Self::AgentExecFailed | Self::AgentTimeout | Self::AgentQuota => 5,
            Self::AgentOutputInvalid => 6,
            Self::GitlabFetchPriorFailed
            | Self::GitlabAuthError
            | Self::GitlabPositionInvalid
            | Self::GitlabPostFailed
            | Self::GitlabHeadMoved => 7,
            Self::RedactionEngineFailed => 8,
            Self::AgentCancelled => 130,
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match serde_json::to_value(self) {
            Ok(serde_json::Value::String(name)) => f.write_str(&name),
            _ => write!(f, "{self:?}"),
        }
    }
}

/// A failure as it stands in `run.json`, events and JSON-RPC answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorInfo {
    /// Which kind.
    pub error_code: ErrorCode,
    /// What happened and what it means.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// Facts for a closer look.
    pub context: serde_json::Map<String, serde_json::Value>,
    /// The underlying failure in its own words.
    pub cause: Option<String>,
}
