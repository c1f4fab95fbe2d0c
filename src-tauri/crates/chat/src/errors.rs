//! The errors of conversations.

use diffsan_agent::{Agent, Failure};
use diffsan_config::AgentConfig;
use diffsan_pipeline::error::{Error, ErrorCode};
use diffsan_redact::Session;

/// The error for a conversation that does not exist.
pub fn unknown_conversation() -> Error {
    Error::new(ErrorCode::NotFound, "The conversation no longer exists.").hint("Start a new one.")
}

/// The error for a conversation in which an answer is being written.
pub(super) fn busy() -> Error {
    Error::new(ErrorCode::Busy, "An answer is being written in this conversation.")
        .hint("Wait for the answer, or stop it here or in the other window.")
        .retryable()
}

/// The error for an agent that does not support conversations.
pub(super) fn cannot_chat(agent: &Agent) -> Error {
    let message = format!("{} answers only single prompts and does not support conversations.", agent.title());
    Error::new(ErrorCode::AgentExecFailed, message)
        .hint(format!("Choose another agent, or set its protocol (agents.{}.chat.speaks).", agent.name))
}

/// The error for a turn without an answer.
pub(super) fn failed(agent: &Agent, config: &AgentConfig, session: &mut Session, failure: Failure) -> Error {
    let mut error = diffsan_pipeline::agents::no_answer(agent, config, "answer", session, failure);
    let again = |text: String| text.replace("review again", "send it again").replace("Review again", "Send it again");
    error.hint = error.hint.map(again);
    error
}
