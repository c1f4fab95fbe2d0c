//! Converts failures of agents to errors for users.

use crate::error::{Error, ErrorCode};
use diffsan_agent::{Agent, Failure, FailureKind, PROXY_KEY};
use diffsan_config::AgentConfig;
use diffsan_redact::Session;

/// Returns the error for folders of an agent that cannot be created.
pub(crate) fn no_folders(error: std::io::Error) -> Error {
    Error::new(ErrorCode::AgentExecFailed, format!("The folder for the agent cannot be created: {error}."))
        .hint("Check that the data folder is writable and that the disk is not full.")
}

/// Returns the error for an agent without an answer. `what` names the request. Masks the agent's message.
pub fn no_answer(agent: &Agent, config: &AgentConfig, what: &str, session: &mut Session, failure: Failure) -> Error {
    let mut masked = |text: &str| session.contract("agent output", text).into_inner();
    match failure {
        Failure::Cancelled => Error::new(ErrorCode::AgentCancelled, format!("The {what} was cancelled.")),
        Failure::Timeout(which) => {
            let message = format!("{} was stopped: {}.", agent.title(), masked(&which));
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
    let detail = message.trim();
    let (code, what, hint, retryable) = match kind {
        FailureKind::NotSignedIn => (
            ErrorCode::AgentExecFailed,
            format!("{title} is not signed in, or its key was rejected."),
            match sign_in {
                "" => "Check its key in the settings, then review again.".to_owned(),
                command => format!("Sign in with `{command}` in a terminal, then review again."),
            },
            false,
        ),
        FailureKind::RateLimited => (
            ErrorCode::AgentQuota,
            format!("{title} reached a rate limit: too many requests."),
            "Wait a little and review again, or choose another agent.".to_owned(),
            true,
        ),
        FailureKind::Quota => (
            ErrorCode::AgentQuota,
            format!("The quota or balance of the account that {title} uses is exhausted."),
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
            format!("{title} does not know the selected model, or has no access to it."),
            "Choose another model (agent.model or --model), or leave it empty for the agent's own choice.".to_owned(),
            false,
        ),
        FailureKind::Unreachable => (
            ErrorCode::AgentExecFailed,
            format!("{title} could not reach its provider, or lost the connection."),
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
            format!("{title} stopped waiting for the prompt, because this machine is very busy."),
            "Review again when the machine is less busy.".to_owned(),
            true,
        ),
        FailureKind::NoAnswer => (
            ErrorCode::AgentExecFailed,
            format!("{title} ended without an answer."),
            "Review again. If it fails again, read agent.stderr.txt in the run folder.".to_owned(),
            true,
        ),
        FailureKind::NoSandbox => (
            ErrorCode::AgentExecFailed,
            format!("{title} was not started, because it cannot be sandboxed (agent.sandbox = \"required\")."),
            "Install bubblewrap (on Debian and Ubuntu: apt install bubblewrap), or set agent.sandbox to \"preferred\"."
                .to_owned(),
            false,
        ),
        FailureKind::LimitExceeded => (
            ErrorCode::AgentExecFailed,
            format!("{title} was stopped, because it used too many resources."),
            "Raise agent.max_memory_mb or agent.max_processes if the agent needs more.".to_owned(),
            false,
        ),
        FailureKind::Other => (
            ErrorCode::AgentExecFailed,
            format!("{title} failed."),
            "For details, read agent.stderr.txt and agent.run.json in the run folder.".to_owned(),
            false,
        ),
    };
    let mut error = Error::new(code, what).hint(hint);
    error.retryable = retryable;
    if !detail.is_empty() {
        error.cause = Some(detail.to_owned());
    }
    error
}
