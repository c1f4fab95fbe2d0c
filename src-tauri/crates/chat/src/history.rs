//! The messages of a conversation as they are sent again: those that are not superseded, and the summary of compacted
//! ones.

use serde::{Deserialize, Serialize};

use super::About;
use diffsan_agent::session::{Message, Role};
use diffsan_pipeline::error::ErrorInfo;
use diffsan_prepare::compact::Spoken;
use diffsan_redact::Session;
use diffsan_redact::types::Redacted;
use diffsan_review::TokenUsage;
use diffsan_review::sandbox::SandboxReceipt;
use diffsan_store::{Compaction, StoredMessage};

/// The text that is sent in place of a missing answer.
const NO_ANSWER: &str = "(no answer)";
/// The agent's message after a summary. It is needed where roles must alternate.
const RESUMED: &str = "I will continue from there.";

/// The facts of an answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// The agent's name in settings.
    pub agent: String,
    /// The agent's name for display.
    pub title: String,
    /// The requested model.
    pub model: Option<String>,
    /// The token usage of the latest request.
    pub usage: Option<TokenUsage>,
    /// The size of the model's context.
    pub limit: Option<u64>,
    /// The tools that the agent used.
    pub tools: Vec<ToolFact>,
    /// The confinement of the agent.
    pub sandbox: Option<SandboxReceipt>,
    /// The error of a failed answer.
    pub error: Option<ErrorInfo>,
    /// Milliseconds until the message was sent.
    pub asked_ms: Option<u64>,
    /// Milliseconds from then until the first text.
    pub first_text_ms: Option<u64>,
    /// Milliseconds until the end.
    pub total_ms: Option<u64>,
}

/// A tool that was used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFact {
    /// The title for display.
    pub title: String,
    /// Whether the call has ended.
    pub done: bool,
}

/// Parses the facts of an answer. Missing or damaged facts are empty.
pub fn facts_of(message: &StoredMessage) -> Facts {
    serde_json::from_str(&message.facts).unwrap_or_default()
}

/// The messages that a compaction replaces.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Covered {
    pub(super) numbers: Vec<i64>,
}

/// Returns the messages of user and agent that are not superseded.
pub(super) fn active(messages: &[StoredMessage]) -> Vec<&StoredMessage> {
    messages.iter().filter(|message| !message.superseded && message.role != "note").collect()
}

/// Returns the latest compaction that replaces no superseded message.
pub fn in_force<'a>(compactions: &'a [Compaction], messages: &[StoredMessage]) -> Option<&'a Compaction> {
    let counts = |number: &i64| messages.iter().any(|message| message.number == *number && !message.superseded);
    compactions.iter().rev().find(|one| {
        let covered: Covered = serde_json::from_str(&one.facts).unwrap_or_default();
        covered.numbers.iter().all(counts)
    })
}

/// Returns the messages before the message `before`, as they are sent.
pub(super) fn history(
    messages: &[StoredMessage],
    compactions: &[Compaction],
    before: i64,
    session: &mut Session,
) -> Vec<Message> {
    let mut history = Vec::new();
    let compaction = in_force(compactions, messages);
    if let Some(one) = compaction {
        let text = format!("{}\n\n# Summary of the conversation so far\n\n{}", one.intent, one.summary);
        history.push(Message { role: Role::User, text: session.contract("chat", &text) });
        history.push(Message { role: Role::Assistant, text: Redacted::fixed(RESUMED) });
    }
    let from = compaction.map_or(0, |one| one.through);
    let kept = active(messages).into_iter().filter(|message| message.number > from && message.number < before);
    for message in kept {
        let (role, text) = match message.role.as_str() {
            "user" => (Role::User, message.sent.as_str()),
            _ if message.text.trim().is_empty() => (Role::Assistant, NO_ANSWER),
            _ => (Role::Assistant, message.text.as_str()),
        };
        history.push(Message { role, text: session.contract("chat", text) });
    }
    history
}

/// Converts messages to the input of a compaction. `abouts` are the names of their attachments.
pub(super) fn spoken<'a>(messages: &[&'a StoredMessage], abouts: &'a [String]) -> Vec<Spoken<'a>> {
    let spoken = |(message, about): (&&'a StoredMessage, &'a String)| Spoken {
        number: message.number,
        by_user: message.role == "user",
        text: &message.text,
        about,
        at: message.created_at.parse::<jiff::Timestamp>().map_or(0, jiff::Timestamp::as_second),
    };
    messages.iter().zip(abouts).map(spoken).collect()
}

/// Returns the names of a message's attachments.
pub(super) fn about_word(message: &StoredMessage) -> String {
    let attached: Vec<About> = serde_json::from_str(&message.attached).unwrap_or_default();
    attached.iter().map(About::word).collect::<Vec<_>>().join(" ")
}
