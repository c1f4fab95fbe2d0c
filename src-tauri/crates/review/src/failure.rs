//! The code and the texts of a failure, as it is recorded and shown.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kinds of failure. The list is closed: new ones are added to the specification first.
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
    NotFound,
    InvalidInput,
    Busy,
    StoreFailed,
    IoFailed,
    Cancelled,
    Internal,
}

impl ErrorCode {
    /// Returns whether the failure is a cancellation by the user.
    pub fn is_cancelled(self) -> bool {
        matches!(self, Self::AgentCancelled | Self::Cancelled)
    }

    /// Returns the exit status of a command that fails with this code.
    pub fn exit_code(self) -> i32 {
        match self {
            Self::FormatFailed | Self::NotFound | Self::InvalidInput => 2,
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
            Self::Busy | Self::StoreFailed | Self::IoFailed | Self::Internal => 9,
            Self::AgentCancelled | Self::Cancelled => 130,
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

/// A failure in `run.json`, in events and in JSON-RPC answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorInfo {
    /// The kind of failure.
    pub error_code: ErrorCode,
    /// The failure and its meaning, in one or two sentences.
    pub message: String,
    /// The suggested action for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// Further facts for diagnosis.
    pub context: serde_json::Map<String, serde_json::Value>,
    /// The text of the underlying failure.
    pub cause: Option<String>,
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::ErrorCode;

    #[test]
    fn every_code_has_an_exit_status() {
        let schema = serde_json::to_value(schemars::schema_for!(ErrorCode)).expect("a schema");
        let codes: Vec<ErrorCode> = serde_json::from_value(schema["enum"].clone()).expect("codes");
        let table: String = codes.iter().map(|code| format!("{:>3} {code}\n", code.exit_code())).collect();
        expect![[r#"
              3 CONFIG_PARSE_ERROR
              3 CONFIG_UNTRUSTED
              4 DIFF_FETCH_FAILED
              4 DIFF_PARSE_FAILED
              8 REDACTION_ENGINE_FAILED
              7 GITLAB_FETCH_PRIOR_FAILED
              7 GITLAB_AUTH_ERROR
              7 GITLAB_POSITION_INVALID
              7 GITLAB_POST_FAILED
              7 GITLAB_HEAD_MOVED
              5 AGENT_NOT_FOUND
              5 AGENT_EXEC_FAILED
              6 AGENT_OUTPUT_INVALID
              5 AGENT_TIMEOUT
            130 AGENT_CANCELLED
              5 AGENT_QUOTA
              2 FORMAT_FAILED
              3 SECRET_STORE_UNAVAILABLE
              2 NOT_FOUND
              2 INVALID_INPUT
              9 BUSY
              9 STORE_FAILED
              9 IO_FAILED
            130 CANCELLED
              9 INTERNAL
        "#]]
        .assert_eq(&table);
    }
}
