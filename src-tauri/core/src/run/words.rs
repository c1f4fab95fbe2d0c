//! Failures of the doors in a reader's words, where several flows tell them.

use crate::agent::{self, Agent, Failure, FailureKind, PROXY_KEY};
use crate::config::AgentConfig;
use crate::error::{Error, ErrorCode, Result};
use crate::redact::Session;

/// The message with a capital letter and a full stop.
pub(crate) fn sentence(message: &str) -> String {
    let mut chars = message.chars();
    let capital: String = chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect();
    capital + "."
}

/// Runs what blocks where that is allowed.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|error| Err(Error::new(ErrorCode::DiffFetchFailed, "A step ended unexpectedly.").cause(error)))
}

/// No folders could be made for an agent.
pub(crate) fn no_folders(error: std::io::Error) -> Error {
    Error::new(ErrorCode::AgentExecFailed, format!("No folder can be made for the agent: {error}."))
        .hint("Check that the data folder can be written and that the disk is not full.")
}

/// Why an agent gave no answer; `what` was asked of it. Its own words are masked here.
pub(crate) fn no_answer(
    agent: &Agent,
    config: &AgentConfig,
    what: &str,
    session: &mut Session,
    failure: Failure,
) -> Error {
    let mut masked = |text: &str| session.contract("agent output", text).into_inner();
    match failure {
        Failure::Cancelled => Error::new(ErrorCode::AgentCancelled, format!("The {what} was cancelled.")),
        Failure::Timeout(which) => {
            let message = format!("{} was given up: {}.", agent.title(), masked(&which));
            Error::new(ErrorCode::AgentTimeout, message)
                .hint("Check the network and the agent, or raise the agent's timeouts in the settings.")
                .retryable()
        }
        Failure::Said { kind, message, .. } => {
            let mut error = agent::failure(agent.title(), &agent.spec.sign_in, kind, &masked(&message));
            if kind == FailureKind::NotSignedIn && !config.proxy_url.is_empty() {
                error.hint = Some(format!("Check the key in {PROXY_KEY} and agent.proxy_url, then review again."));
            }
            error
        }
    }
}
