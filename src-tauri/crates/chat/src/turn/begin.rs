//! The beginning of a turn: the message is checked and stored before it is sent.

use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Instant;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::LEASE_MS;
use crate::attachments::render;
use crate::context::{build_context, context_key};
use crate::errors::{busy, cannot_chat, unknown_conversation};
use crate::history::{Facts, active};
use crate::{About, ChatContext, ChatEvent, PermissionAnswer};
use diffsan_agent::session::supports_sessions;
use diffsan_pipeline::agents::{AgentChoice, choose_agent};
use diffsan_pipeline::error::{Error, ErrorCode, Result, to_json, to_json_value};
use diffsan_pipeline::{random_id, random_marker};
use diffsan_prepare::prompt::reminder::get_system_reminder;
use diffsan_store::files::artifacts::now;
use diffsan_store::{Conversation, MessageState, StoredMessage};

/// The number of messages of the user after which the rules are repeated.
const REMINDER_INTERVAL: usize = 10;
/// The maximum length of a message, in characters.
const MAX_MESSAGE_CHARS: usize = 400_000;

/// A message to send.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct Draft {
    /// The text that the user typed.
    pub text: String,
    /// The things that the message is about; empty for the whole change.
    #[serde(default)]
    pub attached: Vec<About>,
    /// The agent to ask. The agent that was asked last if absent or empty.
    #[serde(default)]
    pub agent: Option<String>,
    /// The model to ask for. The model that was asked for last if absent or empty.
    #[serde(default)]
    pub model: Option<String>,
    /// The number of the message that this one replaces. That message and all later ones become superseded.
    #[serde(default)]
    pub replaces: Option<i64>,
    /// An extra instruction. If it is not empty, the rules are sent again together with it.
    #[serde(default)]
    pub tip: String,
}

/// A message that is stored but not sent yet.
pub struct PendingTurn {
    /// The conversation.
    pub conversation: Conversation,
    /// The answer's number.
    pub number: i64,
    pub(super) choice: AgentChoice,
    /// The message as the agent receives it.
    pub(super) prompt: String,
    pub(super) stop: CancellationToken,
    pub(super) permits: mpsc::UnboundedReceiver<(String, PermissionAnswer)>,
    pub(super) started: Instant,
}

impl PendingTurn {
    /// Returns the token that stops the answer.
    pub fn stop(&self) -> &CancellationToken {
        &self.stop
    }
}

/// Creates a conversation about a change. Blocks.
pub fn new_conversation(
    chat_context: ChatContext<'_>,
    agent: Option<&str>,
    model: Option<&str>,
) -> Result<Conversation> {
    let mut session = chat_context.opened.prepared().session();
    let marker = random_marker()?;
    let time = now();
    let conversation = Conversation {
        id: random_id(8)?,
        repository: chat_context.opened.repository_name(),
        target: chat_context.opened.written_target().to_string(),
        title: String::new(),
        fingerprint: context_key(chat_context),
        context: build_context(chat_context, &marker, &mut session)?.into_inner(),
        marker,
        agent: agent.unwrap_or_default().to_owned(),
        model: model.map(str::to_owned),
        created_at: time.clone(),
        updated_at: time,
    };
    chat_context.store.add_conversation(&conversation)?;
    Ok(conversation)
}

pub(super) fn milliseconds() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

/// Stores a message and its empty answer. Blocks.
pub fn begin_turn(chat_context: ChatContext<'_>, id: &str, draft: Draft) -> Result<PendingTurn> {
    let started = Instant::now();
    let mut conversation = chat_context.store.conversation(id)?.ok_or_else(unknown_conversation)?;
    let length = draft.text.chars().count();
    if draft.text.trim().is_empty() {
        return Err(Error::new(ErrorCode::InvalidInput, "The message is empty.").hint("Enter a message."));
    }
    if length > MAX_MESSAGE_CHARS {
        return Err(Error::new(
            ErrorCode::InvalidInput,
            format!("The message has {length} characters; the limit is {MAX_MESSAGE_CHARS}."),
        )
        .hint("Attach a file instead, or send the message in parts."));
    }
    let config = &chat_context.opened.settings.config;
    let asked = draft.agent.as_deref().filter(|name| !name.is_empty());
    let name = asked.or(Some(conversation.agent.as_str()).filter(|name| !name.is_empty()));
    let model = match (draft.model.as_deref().filter(|model| !model.trim().is_empty()), asked) {
        (Some(model), _) => Some(model.to_owned()),
        // Models belong to one agent.
        (None, Some(agent)) if agent != conversation.agent => None,
        _ => conversation.model.clone(),
    };
    let choice = choose_agent(name, model.as_deref(), config, &chat_context.opened.search_path())?;
    if !supports_sessions(&choice.agent) {
        return Err(cannot_chat(&choice.agent));
    }
    let time = milliseconds();
    if chat_context.chats.is_running(id)
        || !chat_context.store.occupy(id, chat_context.chats.process(), time, time + LEASE_MS)?
    {
        return Err(busy());
    }
    let (prompt, number) = match store_messages(chat_context, &mut conversation, &choice, &draft, model) {
        Ok(stored) => stored,
        Err(error) => {
            // The first error is reported; the lease ends by itself.
            let _ = chat_context.store.leave(id, chat_context.chats.process());
            return Err(error);
        }
    };
    let (stop, permits) = chat_context.chats.begin(id, number);
    let added = chat_context.store.messages(id)?;
    let added = added.into_iter().filter(|message| message.number >= number - 1).collect();
    let event = ChatEvent::Messages { messages: added, superseded_from: draft.replaces };
    chat_context.chats.publish(id, event);
    Ok(PendingTurn { conversation, number, choice, prompt, stop, permits, started })
}

fn store_messages(
    chat_context: ChatContext<'_>,
    conversation: &mut Conversation,
    choice: &AgentChoice,
    draft: &Draft,
    model: Option<String>,
) -> Result<(String, i64)> {
    let store = chat_context.store;
    store.settle_interrupted(&conversation.id)?;
    let mut session = chat_context.opened.prepared().session();
    let key = context_key(chat_context);
    if conversation.fingerprint != key {
        conversation.context = build_context(chat_context, &conversation.marker, &mut session)?.into_inner();
        conversation.fingerprint = key;
    }
    let before = store.messages(&conversation.id)?;
    let users = active(&before).into_iter().filter(|message| message.role == "user").count();
    let text = session.contract("chat", &draft.text).into_inner();
    let mut parts: Vec<String> =
        draft.attached.iter().map(|about| render(chat_context, about, &mut session, &conversation.marker)).collect();
    parts.push(text.clone());
    if !draft.tip.is_empty() || (users + 1).is_multiple_of(REMINDER_INTERVAL) {
        parts.push(get_system_reminder(&draft.tip));
    }
    let prompt = session.contract("chat", &parts.join("\n")).into_inner();
    if conversation.title.is_empty() {
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
        conversation.title = first.chars().take(80).collect();
    }
    conversation.agent.clone_from(&choice.agent.name);
    conversation.model = model;
    conversation.updated_at = now();
    store.update_conversation(conversation)?;
    let attached = to_json_value(&draft.attached)?;
    let attached = session.value("chat", attached).into_inner().to_string();
    let facts = initial_facts(choice);
    let message = |role: &str, state, text: &str, sent: &str, facts: String| StoredMessage {
        number: 0,
        role: role.to_owned(),
        state,
        text: text.to_owned(),
        sent: sent.to_owned(),
        attached: if role == "user" { attached.clone() } else { "[]".to_owned() },
        facts,
        superseded: false,
        created_at: now(),
    };
    let messages = [
        message("user", MessageState::Done, &text, &prompt, "{}".to_owned()),
        message("assistant", MessageState::Streaming, "", "", to_json(&facts)?),
    ];
    let first = store.add_messages(&conversation.id, &messages, draft.replaces)?;
    Ok((prompt, first + 1))
}

/// Returns the facts of an answer that has not begun.
pub(super) fn initial_facts(choice: &AgentChoice) -> Facts {
    Facts {
        agent: choice.agent.name.clone(),
        title: choice.agent.title().to_owned(),
        model: choice.model.clone(),
        ..Facts::default()
    }
}
