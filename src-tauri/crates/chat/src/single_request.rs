//! A single question to an agent outside every conversation, for a compaction or a commit message.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::ChatContext;
use super::errors::{cannot_chat, failed};
use super::session::SessionResources;
use diffsan_agent::Failure;
use diffsan_agent::session::{AgentSession, Opening, SessionEvent, supports_sessions};
use diffsan_pipeline::agents::AgentChoice;
use diffsan_pipeline::error::{Error, Result};
use diffsan_redact::Session;
use diffsan_redact::types::Redacted;

/// The deadline of the answer.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(180);
/// The maximum length of the answer, in bytes.
const MAX_ANSWER_BYTES: usize = 1024 * 1024;

/// Asks an agent without files and tools. Returns the answer, which is not masked.
pub(super) async fn ask_once(
    chat_context: ChatContext<'_>,
    choice: &AgentChoice,
    system: Redacted<String>,
    message: &Redacted<String>,
    session: &mut Session,
    cancel: &CancellationToken,
) -> Result<String> {
    if !supports_sessions(&choice.agent) {
        return Err(cannot_chat(&choice.agent));
    }
    let (resources, request) = tokio::task::block_in_place(|| {
        let resources = SessionResources::without_room(chat_context)?;
        let request = resources.request(chat_context, choice);
        Ok::<_, Error>((resources, request))
    })?;
    let opening = Opening { system, ..Opening::default() };
    let mut agent = AgentSession::open(request, opening, resources);
    agent.ask(message);
    let asking = async {
        let mut answer = String::new();
        loop {
            match agent.next().await {
                Some(SessionEvent::Text(piece)) => {
                    answer.push_str(&piece);
                    if answer.len() > MAX_ANSWER_BYTES {
                        return Ok(answer);
                    }
                }
                // Text before a tool call is not part of the answer.
                Some(SessionEvent::Paragraph) => answer.clear(),
                Some(SessionEvent::Permission { id, .. }) => agent.permit(&id, false),
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
    agent.close().await;
    asked.map_err(|failure| failed(&choice.agent, &chat_context.opened.settings.config.agent, session, failure))
}
