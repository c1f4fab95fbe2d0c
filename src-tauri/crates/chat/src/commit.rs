//! Requests a commit message, checks it, and has it repaired once.

use schemars::JsonSchema;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::ChatContext;
use super::single_request::ask_once;
use diffsan_pipeline::agents::AgentChoice;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_pipeline::random_marker;
use diffsan_prepare::prompt::{commit, render_commit};

/// A commit message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommitMessage {
    /// The text.
    pub message: String,
    /// The problems that remain after a repair.
    pub problems: Vec<String>,
    /// Whether it was repaired.
    pub repaired: bool,
}

/// Requests a commit message. A message with problems is sent back once. Words are never cut.
pub async fn commit_message(
    chat_context: ChatContext<'_>,
    choice: &AgentChoice,
    cancel: &CancellationToken,
) -> Result<CommitMessage> {
    if chat_context.opened.change.files.is_empty() {
        return Err(Error::new(ErrorCode::DiffFetchFailed, "There is no change to describe.")
            .hint("Stage files (`git add`), or name another change."));
    }
    let prepared = chat_context.opened.prepared();
    let mut session = prepared.session();
    let template = chat_context.prompts().require("commit.md")?;
    let marker = random_marker()?;
    let diff = prepared.prepared.diffs().first().map(|diff| diff.as_str().to_owned()).unwrap_or_default();
    let mut previous: Option<(String, Vec<String>)> = None;
    for attempt in 0..2 {
        let refused = previous.as_ref().map(|(text, problems)| (text.as_str(), problems.as_slice()));
        let left_out = (&prepared.prepared.truncation, &prepared.prepared.folded[..]);
        let (system, message) = render_commit(&template.text, &diff, left_out, refused, &marker)?;
        let (system, message) = (session.text("prompt", &system), session.text("prompt", &message));
        let answer = ask_once(chat_context, choice, system, &message, &mut session, cancel).await?;
        let answer = session.contract("agent output", &answer).into_inner();
        let text = commit::tidy(&answer);
        // Wrapping lines between words loses nothing.
        let wrapped = commit::wrap(&text);
        let problems = commit::problems(&wrapped);
        if problems.is_empty() || attempt == 1 {
            if wrapped.is_empty() {
                let message = format!("{} returned no commit message.", choice.agent.title());
                return Err(Error::new(ErrorCode::AgentOutputInvalid, message)
                    .hint("Try again, or use another agent.")
                    .retryable());
            }
            return Ok(CommitMessage { message: wrapped, problems, repaired: attempt == 1 });
        }
        previous = Some((text, commit::problems(&commit::tidy(&answer))));
    }
    Err(Error::new(ErrorCode::AgentOutputInvalid, "The commit message is missing."))
}
