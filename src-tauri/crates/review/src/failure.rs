//! The code and the texts of a failure, as it is recorded and shown.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The action that the window offers for a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NextStep {
    /// Try again.
    Retry,
    /// Choose or check an agent.
    Agents,
    /// Choose another change.
    Change,
    /// Decide about trust in the repository.
    Trust,
    /// None.
    None,
}

/// The presentation of all failures with the same code, in the window and in the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Presentation {
    /// The exit status of a command that fails with this code.
    pub exit_code: u8,
    /// The heading in the window. In the terminal, the message comes first.
    pub heading: &'static str,
    /// The advice for an error without a hint of its own.
    pub advice: &'static str,
    /// The action in the window.
    pub next: NextStep,
}

/// Defines the codes with their presentation: exit status, action, heading, advice.
macro_rules! error_codes {
    ($($code:ident => $exit:literal, $next:ident, $heading:literal, $advice:literal;)*) => {
        /// The kinds of failure. The list is closed: new ones are added to the specification first.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
        #[allow(missing_docs, reason = "the names are the documentation")]
        pub enum ErrorCode {
            $($code,)*
        }

        impl ErrorCode {
            /// All codes.
            pub const ALL: &[Self] = &[$(Self::$code,)*];

            /// Returns the presentation of failures with this code.
            pub const fn presentation(self) -> Presentation {
                match self {
                    $(Self::$code => {
                        Presentation { exit_code: $exit, heading: $heading, advice: $advice, next: NextStep::$next }
                    })*
                }
            }
        }
    };
}

error_codes! {
    ConfigParseError => 3, Retry, "A settings file is not valid",
        "Correct the settings and try again.";
    ConfigUntrusted => 3, Trust, "This repository needs your trust",
        "Check the requests of the repository, then trust it in the settings or with `diffsan config trust`.";
    DiffFetchFailed => 4, Change, "The change could not be read",
        "Check that the repository and the revisions exist, or choose another change.";
    DiffParseFailed => 4, Change, "This is not a patch that diffsan can read",
        "Use a patch in the format of `git diff`.";
    RedactionEngineFailed => 8, Retry, "Secrets could not be masked, so nothing was sent",
        "Correct redaction.extra_patterns and redaction.allow in the settings.";
    GitlabFetchFailed => 7, Retry, "GitLab could not be read",
        "Check the connection to GitLab and try again.";
    GitlabFetchPriorFailed => 7, Retry, "Earlier comments could not be read from GitLab",
        "Check the connection to GitLab and try again.";
    GitlabAuthError => 7, None, "GitLab refused access",
        "Use a token with the scope api.";
    GitlabPositionInvalid => 7, None, "GitLab did not accept a position in the diff",
        "Open the merge request again and check the positions of the findings.";
    GitlabPostFailed => 7, Retry, "Posting to GitLab failed",
        "Try again. Comments that are posted already are not posted twice.";
    GitlabHeadMoved => 7, Retry, "The merge request has new commits",
        "Open the merge request again and check the findings.";
    AgentNotFound => 5, Agents, "The agent is not installed",
        "Install the agent, or choose another one. `diffsan agents` lists them.";
    AgentExecFailed => 5, Retry, "The agent stopped with an error",
        "Check the agent with `diffsan agents --check NAME`, then try again.";
    AgentOutputInvalid => 6, Retry, "The agent’s answer could not be read",
        "Try again, or choose another model.";
    AgentTimeout => 5, Retry, "The agent took too long",
        "Try again with a smaller change, or raise agent.total_timeout_seconds in the settings.";
    AgentCancelled => 130, Retry, "Cancelled",
        "Start it again to continue.";
    AgentQuota => 5, Agents, "The agent’s account reached a limit",
        "Wait until the quota is renewed, or choose another agent.";
    FormatFailed => 2, None, "The result could not be written",
        "Choose another format.";
    SecretStoreUnavailable => 3, None, "The system’s keyring is not available",
        "Unlock the keyring, or set the token in an environment variable.";
    NotFound => 2, None, "Not found",
        "Check the name.";
    InvalidInput => 2, None, "Invalid input",
        "Correct the input and try again.";
    Busy => 9, Retry, "Currently in use",
        "Wait until the other operation has ended, then try again.";
    StoreFailed => 9, Retry, "The data could not be saved",
        "Check that the data folder can be written and that the disk is not full.";
    IoFailed => 9, Retry, "A file could not be read or written",
        "Check that the path exists, that it is accessible, and that the disk is not full.";
    UpdateFailed => 7, Retry, "The update was not installed",
        "Nothing was changed. Try again later, or download the release from its original place.";
    Cancelled => 130, Retry, "Cancelled",
        "Start it again to continue.";
    Internal => 9, Retry, "Internal error in diffsan",
        "Try again. If it fails again, report it with its details.";
}

impl ErrorCode {
    /// Returns whether the failure is a cancellation by the user.
    pub fn is_cancelled(self) -> bool {
        matches!(self, Self::AgentCancelled | Self::Cancelled)
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

    use super::{ErrorCode, Presentation};

    #[test]
    fn every_code_has_an_exit_status_an_action_a_heading_and_advice() {
        let mut table = String::new();
        for code in ErrorCode::ALL {
            let Presentation { exit_code, heading, advice, next } = code.presentation();
            assert!((2..=9).contains(&exit_code) || (code.is_cancelled() && exit_code == 130), "{code}");
            assert!(!heading.is_empty() && !heading.ends_with('.'), "{code}");
            assert!(advice.ends_with('.'), "{code}");
            table += &format!("{exit_code:>3} {code} ({next:?}): {heading}. {advice}\n");
        }
        expect![[r#"
              3 CONFIG_PARSE_ERROR (Retry): A settings file is not valid. Correct the settings and try again.
              3 CONFIG_UNTRUSTED (Trust): This repository needs your trust. Check the requests of the repository, then trust it in the settings or with `diffsan config trust`.
              4 DIFF_FETCH_FAILED (Change): The change could not be read. Check that the repository and the revisions exist, or choose another change.
              4 DIFF_PARSE_FAILED (Change): This is not a patch that diffsan can read. Use a patch in the format of `git diff`.
              8 REDACTION_ENGINE_FAILED (Retry): Secrets could not be masked, so nothing was sent. Correct redaction.extra_patterns and redaction.allow in the settings.
              7 GITLAB_FETCH_FAILED (Retry): GitLab could not be read. Check the connection to GitLab and try again.
              7 GITLAB_FETCH_PRIOR_FAILED (Retry): Earlier comments could not be read from GitLab. Check the connection to GitLab and try again.
              7 GITLAB_AUTH_ERROR (None): GitLab refused access. Use a token with the scope api.
              7 GITLAB_POSITION_INVALID (None): GitLab did not accept a position in the diff. Open the merge request again and check the positions of the findings.
              7 GITLAB_POST_FAILED (Retry): Posting to GitLab failed. Try again. Comments that are posted already are not posted twice.
              7 GITLAB_HEAD_MOVED (Retry): The merge request has new commits. Open the merge request again and check the findings.
              5 AGENT_NOT_FOUND (Agents): The agent is not installed. Install the agent, or choose another one. `diffsan agents` lists them.
              5 AGENT_EXEC_FAILED (Retry): The agent stopped with an error. Check the agent with `diffsan agents --check NAME`, then try again.
              6 AGENT_OUTPUT_INVALID (Retry): The agent’s answer could not be read. Try again, or choose another model.
              5 AGENT_TIMEOUT (Retry): The agent took too long. Try again with a smaller change, or raise agent.total_timeout_seconds in the settings.
            130 AGENT_CANCELLED (Retry): Cancelled. Start it again to continue.
              5 AGENT_QUOTA (Agents): The agent’s account reached a limit. Wait until the quota is renewed, or choose another agent.
              2 FORMAT_FAILED (None): The result could not be written. Choose another format.
              3 SECRET_STORE_UNAVAILABLE (None): The system’s keyring is not available. Unlock the keyring, or set the token in an environment variable.
              2 NOT_FOUND (None): Not found. Check the name.
              2 INVALID_INPUT (None): Invalid input. Correct the input and try again.
              9 BUSY (Retry): Currently in use. Wait until the other operation has ended, then try again.
              9 STORE_FAILED (Retry): The data could not be saved. Check that the data folder can be written and that the disk is not full.
              9 IO_FAILED (Retry): A file could not be read or written. Check that the path exists, that it is accessible, and that the disk is not full.
              7 UPDATE_FAILED (Retry): The update was not installed. Nothing was changed. Try again later, or download the release from its original place.
            130 CANCELLED (Retry): Cancelled. Start it again to continue.
              9 INTERNAL (Retry): Internal error in diffsan. Try again. If it fails again, report it with its details.
        "#]].assert_eq(&table);
    }
}
