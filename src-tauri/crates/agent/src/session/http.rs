//! Conversations with an endpoint. Every message is sent with all earlier ones in the same order and form, so that the provider's
//! prompt cache is used.

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::super::failure::Failure;
use super::super::http::{self, StreamEvent};
use super::super::protocol::SessionCommand;
use super::super::request::AgentRequest;
use super::{Opening, Role, SessionEvent};

/// Answers one message.
pub(super) async fn run(
    request: &AgentRequest,
    opening: &Opening,
    mut commands: mpsc::UnboundedReceiver<SessionCommand>,
    events: &mpsc::UnboundedSender<SessionEvent>,
    cancel: &CancellationToken,
) -> Option<Failure> {
    let message = loop {
        match cancel.run_until_cancelled(commands.recv()).await {
            None => return Some(Failure::Cancelled),
            Some(Some(SessionCommand::Ask(message))) => break message,
            Some(Some(SessionCommand::Close) | None) => return None,
            Some(Some(SessionCommand::Stop | SessionCommand::Permit { .. })) => {}
        }
    };
    let answered = tokio::select! {
        biased;
        () = cancel.cancelled() => return Some(Failure::Cancelled),
        () = stopped(&mut commands) => None,
        answered = ask(request, messages(opening, message.as_str()), events) => Some(answered),
    };
    // Nobody listens to a dropped session.
    let _ = events.send(match answered {
        None => SessionEvent::Done { stopped: true },
        Some(Ok(())) => SessionEvent::Done { stopped: false },
        Some(Err(failure)) => SessionEvent::Failed(failure),
    });
    None
}

/// Returns when the user stops the answer.
async fn stopped(commands: &mut mpsc::UnboundedReceiver<SessionCommand>) {
    while let Some(SessionCommand::Ask(_) | SessionCommand::Permit { .. }) = commands.recv().await {}
}

async fn ask(
    request: &AgentRequest,
    messages: Vec<Value>,
    events: &mpsc::UnboundedSender<SessionEvent>,
) -> Result<(), Failure> {
    let emit = |event| {
        // Nobody listens to a dropped session.
        let _ = events.send(event);
    };
    emit(SessionEvent::Asked);
    let mut on_event = |event: StreamEvent<'_>| match event {
        StreamEvent::Text(text) => emit(SessionEvent::Text(text.to_owned())),
        StreamEvent::Thinking => emit(SessionEvent::Thinking),
        StreamEvent::Started | StreamEvent::Repeated => {}
    };
    let mut reading = http::complete(request, &messages, None, &mut on_event).await?;
    if let Some(used) = reading.usage {
        let limit = Some(request.agent.spec.context_tokens).filter(|context| *context > 0);
        emit(SessionEvent::Tokens { used, limit });
    }
    reading.take_answer(true, "").map(drop)
}

fn messages(opening: &Opening, message: &str) -> Vec<Value> {
    let entry = |role: &str, text: &str| json!({ "role": role, "content": text });
    let mut messages = vec![entry("system", opening.system.as_str())];
    for earlier in opening.messages() {
        let role = if earlier.role == Role::User { "user" } else { "assistant" };
        messages.push(entry(role, earlier.text.as_str()));
    }
    messages.push(entry("user", message));
    messages
}
