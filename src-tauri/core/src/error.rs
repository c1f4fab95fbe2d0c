//! The one error that leaves the core: a closed code, a sentence for the user, and what to do.
//!
//! Doors have small error enums of their own; flows turn them into this. No message that is told carries a secret: the
//! command and the interface pass it through [`crate::redact::failure`].

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

/// A failure as a user meets it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// Which kind.
    pub code: ErrorCode,
    /// What happened and what it means, in one or two sentences.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// Facts for a closer look (names, places, numbers), never secrets.
    pub context: serde_json::Map<String, serde_json::Value>,
    /// The underlying failure in its own words.
    pub cause: Option<String>,
}

/// The result of everything above the steps.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A failure with its code and message.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: None,
            retryable: false,
            context: serde_json::Map::new(),
            cause: None,
        }
    }

    /// Adds what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the underlying failure.
    #[must_use]
    pub fn cause(mut self, cause: impl fmt::Display) -> Self {
        self.cause = Some(cause.to_string());
        self
    }

    /// Marks it as worth another try.
    #[must_use]
    pub fn retryable(mut self) -> Self {
        self.retryable = true;
        self
    }

    /// Adds a fact.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<serde_json::Value>) -> Self {
        self.context.insert(key.to_owned(), value.into());
        self
    }

    /// As it is written to `run.json`, events and JSON-RPC.
    pub fn info(&self) -> ErrorInfo {
        ErrorInfo {
            error_code: self.code,
            message: self.message.clone(),
            hint: self.hint.clone(),
            retryable: self.retryable,
            context: self.context.clone(),
            cause: self.cause.clone(),
        }
    }
}

/// The serialised form of [`Error`].
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
