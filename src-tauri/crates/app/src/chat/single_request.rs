//! One question to an agent, beside every conversation: a compaction, a commit message.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::ChatContext;
use super::errors::{cannot_chat, failed};
use super::session::{Furniture, open};
use diffsan_agent::Failure;
use diffsan_agent::chat::{Opening, SessionEvent, can_chat};
use diffsan_pipeline::agents::{AgentChoice, agent_folders};
use diffsan_pipeline::error::Result;
use diffsan_redact::Session;
use diffsan_redact::types::Redacted;

/// How long it may take.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(180);
/// A longer answer is none, in bytes.
const MAX_ANSWER_BYTES: usize = 1024 * 1024;

/// Asks, with no files and no tools. Gives the answer as the agent wrote it.
pub(super) async fn ask_once(
    chat_context: ChatContext<'_>,
    choice: &AgentChoice,
    system: Redacted<String>,
    message: &Redacted<String>,
    session: &mut Session,
    cancel: &CancellationToken,
) -> Result<String> {
    if !can_chat(&choice.agent) {
        return Err(cannot_chat(&choice.agent));
    }
    let folders = agent_folders(chat_context.places, chat_context.opened)?;
    let furniture = Furniture { folders, room: None, note: None };
    let opening = Opening { system, context: Redacted::fixed(""), history: Vec::new() };
    let mut line = open(chat_context, choice, furniture, opening);
    line.ask(message);
    let asking = async {
        let mut answer = String::new();
        loop {
            match line.next().await {
                Some(SessionEvent::Text(piece)) => {
                    answer.push_str(&piece);
                    if answer.len() > MAX_ANSWER_BYTES {
                        return Ok(answer);
                    }
                }
                // What it wrote before it looked at something is not its answer.
                Some(SessionEvent::Passage) => answer.clear(),
                Some(SessionEvent::Permission { id, .. }) => line.permit(&id, false),
                Some(SessionEvent::Done { .. }) => return Ok(answer),
                Some(SessionEvent::Failed(failure) | SessionEvent::Closed(Some(failure))) => return Err(failure),
                Some(SessionEvent::Closed(None)) | None => return Ok(answer),
                Some(_) => {}
            }
        }
    };
    let asked = tokio::select! {
        () = cancel.cancelled() => Err(Failure::Cancelled),
        asked = tokio::time::timeout(REQUEST_TIMEOUT, asking) => {
            asked.unwrap_or_else(|_| Err(Failure::Timeout(format!("it did not finish within {} s", REQUEST_TIMEOUT.as_secs()))))
        }
    };
    line.end().await;
    asked.map_err(|failure| failed(&choice.agent, &chat_context.opened.settings.config.agent, session, failure))
}
