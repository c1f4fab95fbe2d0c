//! The opening of a conversation: the system prompt, the prepared diff and the findings.

use super::ChatContext;
use super::history::{active, history};
use diffsan_agent::Agent;
use diffsan_agent::session::{Opening, Role};
use diffsan_config::StartIn;
use diffsan_pipeline::error::Result;
use diffsan_pipeline::review::{PreparedRoom, copies_folder, expected_room};
use diffsan_prepare::prompt::{ChatFinding, ChatPrompt, render_chat, render_room};
use diffsan_prepare::tokens;
use diffsan_redact::Session;
use diffsan_redact::types::Redacted;
use diffsan_review::finding::Finding;
use diffsan_store::Conversation;
use diffsan_store::files::prompts::build_system_prompt;
use schemars::JsonSchema;
use serde::Serialize;

/// Returns a key that identifies the change and the review of a context.
pub(super) fn context_key(chat_context: ChatContext<'_>) -> String {
    let review = chat_context.reviewed.map(|review| review.id.as_str()).unwrap_or_default();
    format!("{}+{review}", chat_context.opened.fingerprint.value)
}

/// Renders the context. Blocks.
pub(super) fn build_context(
    chat_context: ChatContext<'_>,
    marker: &str,
    session: &mut Session,
) -> Result<Redacted<String>> {
    let template = chat_context.prompts().require("chat.md")?;
    let prepared = chat_context.opened.prepared();
    let masked = prepared.masked.get();
    let title = chat_context.opened.written_title();
    let findings: Vec<ChatFinding> = chat_context
        .reviewed
        .map(|review| review.findings.iter().map(|(finding, decision)| chat_finding(finding, decision)).collect())
        .unwrap_or_default();
    // If a change is sent in several batches, a conversation gets the first batch.
    let diff = prepared.prepared.diffs().first().map(|diff| diff.as_str().to_owned()).unwrap_or_default();
    let text = render_chat(
        &template.text,
        &ChatPrompt {
            title: title.as_str(),
            truncation: &prepared.prepared.truncation,
            redacted: prepared.redaction.found,
            ignored: &prepared.prepared.ignored,
            folded: &prepared.prepared.folded,
            messages: &masked.messages,
            diff: &diff,
            findings: &findings,
            marker,
        },
    )?;
    Ok(session.text("prompt", &text))
}

fn chat_finding(finding: &Finding, decision: &str) -> ChatFinding {
    ChatFinding {
        severity: finding.content.severity.name().to_owned(),
        category: finding.content.category.name().to_owned(),
        place: finding.anchor.place(),
        state: format!("{:?}", finding.anchor.state).to_lowercase(),
        decision: decision.to_owned(),
        title: finding.content.title.clone(),
        body: finding.content.body_markdown.trim().to_owned(),
    }
}

/// Returns the current system prompt. Reads its files each time. Blocks.
pub(super) fn system(chat_context: ChatContext<'_>, session: &mut Session) -> Result<Redacted<String>> {
    let (text, _) = build_system_prompt(&chat_context.prompts())?;
    Ok(session.text("prompt", &text))
}

/// Describes the room for an agent that reads files.
pub(super) fn room_note(
    chat_context: ChatContext<'_>,
    agent: &Agent,
    room: Option<&PreparedRoom>,
    session: &mut Session,
) -> Result<Option<Redacted<String>>> {
    let folder = match room {
        Some(room) => Some(room.folder()),
        None => expected_room(chat_context.places, chat_context.opened, agent),
    };
    let Some(folder) = folder.filter(|_| agent.spec.reads_files) else { return Ok(None) };
    let name = match agent.spec.start_in {
        StartIn::Room => ".".to_owned(),
        StartIn::Empty => folder.display().to_string(),
    };
    let template = chat_context.prompts().require("room.md")?;
    let text = render_room(&template.text, &name, copies_folder(chat_context.opened))?;
    Ok(Some(session.text("prompt", &text)))
}

/// Assembles the part of a request before the message. Blocks.
pub(super) fn opening(
    chat_context: ChatContext<'_>,
    conversation: &Conversation,
    before: i64,
    room: Option<&Redacted<String>>,
    session: &mut Session,
) -> Result<Opening> {
    let messages = chat_context.store.messages(&conversation.id)?;
    let compactions = chat_context.store.compactions(&conversation.id)?;
    let mut context = session.text("prompt", &conversation.context);
    if let Some(room) = room {
        context.push(&Redacted::fixed("\n"));
        context.push(room);
    }
    Ok(Opening {
        system: system(chat_context, session)?,
        context,
        history: history(&messages, &compactions, before, session),
    })
}

/// The messages that would be sent with the next one, for display.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AssembledMessages {
    /// The messages, in order.
    pub messages: Vec<AssembledMessage>,
    /// The number of tokens of all messages.
    pub tokens: u64,
}

/// A message as it is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AssembledMessage {
    /// `system`, `user` or `assistant`.
    pub role: &'static str,
    /// The exact text.
    pub text: String,
}

/// Assembles the next request. Blocks.
pub fn assembled(
    chat_context: ChatContext<'_>,
    conversation: &Conversation,
    agent: &Agent,
) -> Result<AssembledMessages> {
    let mut session = chat_context.opened.prepared().session();
    let room = room_note(chat_context, agent, None, &mut session)?;
    let opening = opening(chat_context, conversation, i64::MAX, room.as_ref(), &mut session)?;
    let mut messages = vec![AssembledMessage { role: "system", text: opening.system.as_str().to_owned() }];
    messages.extend(opening.messages().into_iter().map(|message| {
        let role = if message.role == Role::User { "user" } else { "assistant" };
        AssembledMessage { role, text: message.text.into_inner() }
    }));
    let tokens = messages.iter().map(|message| tokens::count(&message.text)).sum();
    Ok(AssembledMessages { messages, tokens })
}

/// Returns the numbers of the messages that the agent of an open session must know. A compaction is represented by its
/// negative id.
pub(super) fn known(chat_context: ChatContext<'_>, conversation: &Conversation, before: i64) -> Result<Vec<i64>> {
    let messages = chat_context.store.messages(&conversation.id)?;
    let compactions = chat_context.store.compactions(&conversation.id)?;
    let compacted = super::history::in_force(&compactions, &messages).map(|one| (-one.id, one.through));
    let from = compacted.map_or(0, |one| one.1);
    let numbers = active(&messages).into_iter().map(|message| message.number);
    Ok(compacted.map(|one| one.0).into_iter().chain(numbers.filter(|at| *at > from && *at < before)).collect())
}
