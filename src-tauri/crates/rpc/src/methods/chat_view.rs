//! Conversations as the interface shows them, and the events that update them.

use schemars::JsonSchema;
use serde::Serialize;

use diffsan_app::App;
use diffsan_chat::{About, ChatEvent, PermissionRequest, ToolCall, facts_of};
use diffsan_pipeline::error::{ErrorInfo, Result};
use diffsan_prepare::prompt::fix;
use diffsan_review::TokenUsage;
use diffsan_review::sandbox::SandboxReceipt;
use diffsan_store::{Compaction, Conversation, StoredFix, StoredMessage};

/// A conversation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ConversationItem {
    /// The conversation's id.
    pub id: String,
    /// The beginning of its first message; empty for a new conversation.
    pub title: String,
    /// The agent that was asked last; empty for the configured agent.
    pub agent: String,
    /// The model that was asked for last.
    pub model: Option<String>,
    /// The time of its last change, RFC 3339.
    pub updated_at: String,
}

/// A fix block of a message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FixBlockView {
    /// The line of its opening fence in the message, from 0. It identifies the block.
    pub line: u32,
    /// The number of lines in the message, including the fences.
    pub lines: u32,
    /// The file to edit.
    pub path: String,
    /// The text to replace; empty to create the file.
    pub old: String,
    /// The new text.
    pub new: String,
    /// Why the block is not a valid fix. None if it is valid.
    pub problem: Option<String>,
    /// The id of the fix, if the block is applied.
    pub applied: Option<i64>,
}

/// A message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MessageView {
    /// The message's number in the conversation, from 1.
    pub number: i64,
    /// `user` or `assistant`.
    pub role: String,
    /// `done`, `streaming`, `stopped`, `failed` or `interrupted`.
    pub state: String,
    /// Its text, masked.
    pub text: String,
    /// The things that the message is about.
    pub attached: Vec<About>,
    /// The title of the agent that answered, for display.
    pub agent: String,
    /// The model that was asked for.
    pub model: Option<String>,
    /// The token usage of its request.
    pub usage: Option<TokenUsage>,
    /// The size of the model's context, in tokens.
    pub limit: Option<u64>,
    /// The tools that the agent used.
    pub tools: Vec<ToolCall>,
    /// The error, if the answer failed.
    pub error: Option<ErrorInfo>,
    /// The duration of the answer, in milliseconds.
    pub milliseconds: Option<u64>,
    /// How the agent's process was confined; `None` for an endpoint, and before its end.
    pub sandbox: Option<SandboxReceipt>,
    /// The fix blocks of its text.
    pub blocks: Vec<FixBlockView>,
    /// Whether an edited message replaces it.
    pub superseded: bool,
    /// The creation time, RFC 3339.
    pub created_at: String,
}

/// A compaction: a summary that replaces earlier messages.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CompactionView {
    /// The compaction's id.
    pub id: i64,
    /// The number of the last message that it replaces.
    pub through: i64,
    /// The directive that replaces the user's messages.
    pub intent: String,
    /// The summary.
    pub summary: String,
    /// The origin of the summary: `agent`, `repaired` or `fallback`.
    pub how: String,
    /// Notes about repaired parts of the summary, or the reason why the agent's summary could not be used.
    pub notes: Vec<String>,
    /// The creation time, RFC 3339.
    pub created_at: String,
}

/// A whole conversation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChatView {
    /// The conversation's description.
    pub conversation: ConversationItem,
    /// Every message, including superseded ones.
    pub messages: Vec<MessageView>,
    /// The compactions, oldest first.
    pub compactions: Vec<CompactionView>,
    /// Whether an answer is being written.
    pub busy: bool,
    /// The agent's current step, for display.
    pub step: String,
    /// The open requests for permission.
    pub permissions: Vec<PermissionRequest>,
}

/// An event of a conversation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ChatUpdate {
    /// The whole conversation. It is the first event, and is sent again when events were missed.
    Snapshot {
        /// The conversation.
        view: Box<ChatView>,
    },
    /// Messages were added or have ended.
    Messages {
        /// The messages.
        messages: Vec<MessageView>,
        /// The number from which on other messages were superseded.
        superseded_from: Option<i64>,
    },
    /// A step before the agent answers.
    Step {
        /// Text for display.
        message: String,
    },
    /// The text of an answer grew or was corrected.
    Text {
        /// The number of the answer's message.
        number: i64,
        /// How much of the text so far is unchanged, in UTF-16 units.
        keep: u64,
        /// The text that follows the unchanged part.
        add: String,
    },
    /// The agent is thinking.
    Thinking,
    /// The agent started or finished using a tool.
    Tool {
        /// The use of the tool.
        tool: ToolCall,
    },
    /// The agent asks for permission.
    Permission {
        /// The request.
        permission: PermissionRequest,
    },
    /// A request for permission was answered.
    Permitted {
        /// The request's id.
        id: String,
    },
    /// The size of the conversation.
    Tokens {
        /// The token usage of the latest request.
        used: TokenUsage,
        /// The size of the model's context, in tokens.
        limit: Option<u64>,
    },
    /// Earlier messages were replaced by a summary.
    Compacted {
        /// The compaction.
        compaction: CompactionView,
    },
    /// The answer ended: it is complete, failed or was stopped.
    Ended,
}

pub(super) fn snapshot(app: &App, id: &str, live: Option<diffsan_chat::LiveView>) -> Result<ChatView> {
    let view = app.conversation(id)?;
    let live = live.unwrap_or_default();
    let mut messages: Vec<MessageView> = view.messages.iter().map(|one| message(one, &view.fixes)).collect();
    for one in messages.iter_mut().filter(|one| one.number == live.number && one.state == "streaming") {
        one.text.clone_from(&live.text);
        one.tools.clone_from(&live.tools);
    }
    Ok(ChatView {
        conversation: conversation_item(view.conversation),
        messages,
        compactions: view.compactions.iter().map(compaction_view).collect(),
        busy: view.busy,
        step: live.step,
        permissions: live.permissions,
    })
}

pub(super) fn news(app: &App, id: &str, event: ChatEvent) -> ChatUpdate {
    match event {
        ChatEvent::Messages { messages, superseded_from } => {
            let fixes = app.conversation_fixes(id).unwrap_or_default();
            ChatUpdate::Messages {
                messages: messages.iter().map(|one| message(one, &fixes)).collect(),
                superseded_from,
            }
        }
        ChatEvent::Step(message) => ChatUpdate::Step { message },
        ChatEvent::Text { number, patch } => ChatUpdate::Text { number, keep: patch.keep as u64, add: patch.add },
        ChatEvent::Thinking => ChatUpdate::Thinking,
        ChatEvent::Tool(tool) => ChatUpdate::Tool { tool },
        ChatEvent::Permission(permission) => ChatUpdate::Permission { permission },
        ChatEvent::Permitted { id } => ChatUpdate::Permitted { id },
        ChatEvent::Tokens { used, limit } => ChatUpdate::Tokens { used, limit },
        ChatEvent::Compacted(one) => ChatUpdate::Compacted { compaction: compaction_view(&one) },
        ChatEvent::Ended => ChatUpdate::Ended,
    }
}

pub(super) fn conversation_item(one: Conversation) -> ConversationItem {
    ConversationItem { id: one.id, title: one.title, agent: one.agent, model: one.model, updated_at: one.updated_at }
}

fn message(one: &StoredMessage, fixes: &[StoredFix]) -> MessageView {
    let facts = facts_of(one);
    let applied = |line: usize| fixes.iter().find(|fix| fix.is_of_block(one.number, line as i64)).map(|fix| fix.id);
    let blocks = if one.role == "assistant" { fix::find(&one.text) } else { Vec::new() };
    let blocks = blocks.into_iter().map(|found| {
        let (block, problem) = match found.block {
            Ok(block) => (block, None),
            Err(problem) => {
                (fix::FixBlock { path: String::new(), old: String::new(), new: String::new() }, Some(problem))
            }
        };
        FixBlockView {
            line: u32::try_from(found.line).unwrap_or(u32::MAX),
            lines: u32::try_from(found.lines).unwrap_or(u32::MAX),
            path: block.path,
            old: block.old,
            new: block.new,
            problem,
            applied: applied(found.line),
        }
    });
    let numbered = facts.tools.into_iter().enumerate();
    MessageView {
        number: one.number,
        role: one.role.clone(),
        state: one.state.name().to_owned(),
        text: one.text.clone(),
        attached: serde_json::from_str(&one.attached).unwrap_or_default(),
        agent: facts.title,
        model: facts.model,
        usage: facts.usage,
        limit: facts.limit,
        tools: numbered.map(|(at, tool)| ToolCall { id: at.to_string(), title: tool.title, done: tool.done }).collect(),
        error: facts.error,
        milliseconds: facts.total_ms,
        sandbox: facts.sandbox,
        blocks: blocks.collect(),
        superseded: one.superseded,
        created_at: one.created_at.clone(),
    }
}

pub(super) fn compaction_view(one: &Compaction) -> CompactionView {
    let facts: serde_json::Value = serde_json::from_str(&one.facts).unwrap_or_default();
    let notes = facts["notes"].as_array().into_iter().flatten();
    CompactionView {
        id: one.id,
        through: one.through,
        intent: one.intent.clone(),
        summary: one.summary.clone(),
        how: facts["how"].as_str().unwrap_or_default().to_owned(),
        notes: notes.filter_map(|note| note.as_str()).map(str::to_owned).collect(),
        created_at: one.created_at.clone(),
    }
}
