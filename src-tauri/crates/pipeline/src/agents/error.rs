//! Converts failures of agents to errors for users.

use crate::error::{Error, ErrorCode};
use diffsan_agent::{Agent, Failure, FailureKind, PROXY_KEY};
use diffsan_config::AgentConfig;
use diffsan_redact::Session;

/// Returns the error for folders of an agent that cannot be created.
pub(crate) fn no_folders(error: std::io::Error) -> Error {
    Error::new(ErrorCode::AgentExecFailed, format!("No folder can be made for the agent: {error}."))
        .hint("Check that the data folder can be written and that the disk is not full.")
}

/// Returns the error for an agent without an answer. `what` names the request. Masks the agent's message.
pub fn no_answer(agent: &Agent, config: &AgentConfig, what: &str, session: &mut Session, failure: Failure) -> Error {
    let mut masked = |text: &str| session.contract("agent output", text).into_inner();
    match failure {
        Failure::Cancelled => Error::new(ErrorCode::AgentCancelled, format!("The {what} was cancelled.")),
        Failure::Timeout(which) => {
            let message = format!("{} was given up: {}.", agent.title(), masked(&which));
            Error::new(ErrorCode::AgentTimeout, message)
                .hint("Check the network and the agent, or raise the agent's timeouts in the settings.")
                .retryable()
        }
        Failure::Failed { kind, message, .. } => {
            let mut error = agent_error(agent.title(), &agent.spec.sign_in, kind, &masked(&message));
            if kind == FailureKind::NotSignedIn && !config.proxy_url.is_empty() {
                error.hint = Some(format!("Check the key in {PROXY_KEY} and agent.proxy_url, then review again."));
            }
            error
        }
    }
}

/// Returns the error for a kind of failure, with a hint. `message` is already masked.
fn agent_error(title: &str, sign_in: &str, kind: FailureKind, message: &str) -> Error {
    let said = message.trim();
    let (code, what, hint, retryable) = match kind {
        FailureKind::NotSignedIn => (
            ErrorCode::AgentExecFailed,
            format!("{title} is not signed in, or its key was refused."),
            format!("Sign in with `{sign_in}` in a terminal, then review again."),
            false,
        ),
        FailureKind::RateLimited => (
            ErrorCode::AgentQuota,
            format!("{title} was told to slow down: too many requests for now."),
            "Wait a little and review again, or choose another agent.".to_owned(),
            true,
        ),
        FailureKind::Quota => (
            ErrorCode::AgentQuota,
            format!("The plan or balance that {title} uses is used up."),
            "Check the account's plan, or choose another agent.".to_owned(),
            false,
        ),
        FailureKind::ContextTooLong => (
            ErrorCode::AgentExecFailed,
            format!("The prompt is too long for {title}'s model."),
            "Lower limits.max_diff_chars, ignore more files, or choose a model with a larger context.".to_owned(),
            false,
        ),
        FailureKind::BadModel => (
            ErrorCode::AgentExecFailed,
            format!("{title} does not know the model that was asked for, or may not use it."),
            "Choose another model (agent.model or --model), or leave it empty for the agent's own choice.".to_owned(),
            false,
        ),
        FailureKind::Unreachable => (
            ErrorCode::AgentExecFailed,
            format!("{title} could not reach its provider, or the connection broke."),
            "Check the network, the proxy and agent.proxy_url, then review again.".to_owned(),
            true,
        ),
        FailureKind::ProviderFailed => (
            ErrorCode::AgentExecFailed,
            format!("The provider that {title} uses failed or is overloaded."),
            "Wait a little and review again, or choose another agent.".to_owned(),
            true,
        ),
        FailureKind::PromptNotRead => (
            ErrorCode::AgentExecFailed,
            format!("{title} gave up waiting for the prompt: this machine is very busy."),
            "Review again when less is going on.".to_owned(),
            true,
        ),
        FailureKind::NoAnswer => (
            ErrorCode::AgentExecFailed,
            format!("{title} ended without an answer."),
            "Review again; if it stays so, look at agent.stderr.txt in the run's folder.".to_owned(),
            true,
        ),
        FailureKind::Other => (
            ErrorCode::AgentExecFailed,
            format!("{title} failed."),
            "The details are in agent.stderr.txt and agent.run.json in the run's folder.".to_owned(),
            false,
        ),
    };
    let mut error = Error::new(code, what).hint(hint);
    error.retryable = retryable;
    if !said.is_empty() {
        error.cause = Some(said.to_owned());
    }
    error
}
