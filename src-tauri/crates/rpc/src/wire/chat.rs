//! Wire types of conversations.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use diffsan_app::NewFinding;
use diffsan_app::chat::About;
use diffsan_pipeline::error::ErrorInfo;
use diffsan_review::TokenUsage;
use diffsan_review::finding::{Category, Severity, Side};

/// A conversation.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
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

/// The conversations about a change, latest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ConversationsView {
    /// The conversations.
    pub conversations: Vec<ConversationItem>,
}

/// Begins a conversation.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ChatBeginParams {
    /// The opened change.
    pub change_id: String,
    /// The agent to ask. The configured agent if absent.
    #[serde(default)]
    pub agent: Option<String>,
    /// The model to ask for.
    #[serde(default)]
    pub model: Option<String>,
}

/// Identifies a conversation.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ChatParams {
    /// The conversation's id.
    pub conversation_id: String,
}

/// Identifies a conversation and its opened change.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ChatOfChangeParams {
    /// The opened change.
    pub change_id: String,
    /// The conversation.
    pub conversation_id: String,
    /// The agent that would be asked, if it is another one.
    #[serde(default)]
    pub agent: Option<String>,
}

/// A message to send.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ChatSendParams {
    /// The opened change.
    pub change_id: String,
    /// The conversation.
    pub conversation_id: String,
    /// The text that the user typed.
    pub text: String,
    /// The things that the message is about; empty for the whole change.
    #[serde(default)]
    pub attached: Vec<About>,
    /// The agent to ask. The agent that was asked last if absent.
    #[serde(default)]
    pub agent: Option<String>,
    /// The model to ask for.
    #[serde(default)]
    pub model: Option<String>,
    /// The number of the message that this one replaces. That message and all later ones become superseded.
    #[serde(default)]
    pub replaces: Option<i64>,
    /// An extra instruction. If present, the rules are sent again together with it.
    #[serde(default)]
    pub tip: Option<String>,
}

/// The result of sending a message: it is saved and on its way to the agent.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ChatSent {
    /// The number of the answer's message.
    pub number: i64,
}

/// The user's answer to a request for permission.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PermitAnswer {
    /// Refuses the request.
    Refuse,
    /// Allows this request only.
    Once,
    /// Allows this kind of request for the rest of the conversation.
    Always,
}

/// An answer to a request for permission.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PermitParams {
    /// The conversation.
    pub conversation_id: String,
    /// The request's id.
    pub id: String,
    /// The answer.
    pub answer: PermitAnswer,
}

/// The messages that would be sent with the next one.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AssembledView {
    /// The messages, in order.
    pub messages: Vec<AssembledMessage>,
    /// The number of tokens of all messages.
    pub tokens: u64,
}

/// A message as it is sent.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AssembledMessage {
    /// `system`, `user` or `assistant`.
    pub role: String,
    /// The exact text.
    pub text: String,
}

/// A fix block of a message.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
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

/// One use of a tool.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ToolView {
    /// The id of the call while it runs.
    pub id: String,
    /// The title for display.
    pub title: String,
    /// Whether the call has ended.
    pub done: bool,
}

/// A message.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
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
    pub tools: Vec<ToolView>,
    /// The error, if the answer failed.
    pub error: Option<ErrorInfo>,
    /// The duration of the answer, in milliseconds.
    pub milliseconds: Option<u64>,
    /// The fix blocks of its text.
    pub blocks: Vec<FixBlockView>,
    /// Whether an edited message replaces it.
    pub superseded: bool,
    /// The creation time, RFC 3339.
    pub created_at: String,
}

/// A compaction: a summary that replaces earlier messages.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
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

/// A request for permission.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PermissionView {
    /// The request's id.
    pub id: String,
    /// The kind of action.
    pub what: String,
    /// The title for display.
    pub title: String,
}

/// A whole conversation.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
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
    pub permissions: Vec<PermissionView>,
}

/// An event of a conversation.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ChatNews {
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
        tool: ToolView,
    },
    /// The agent asks for permission.
    Permission {
        /// The request.
        permission: PermissionView,
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

/// Code in a message.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CodeParams {
    /// The language as the fence names it, or the path of a file.
    pub language: String,
    /// The code.
    pub text: String,
}

/// Identifies a fix block to apply.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ApplyParams {
    /// The opened change.
    pub change_id: String,
    /// The conversation.
    pub conversation_id: String,
    /// The number of the message.
    pub number: i64,
    /// The line of the block's opening fence in the message.
    pub line: u32,
    /// The protected file that the user confirmed by typing its name. An earlier call named it in `confirm_path`.
    #[serde(default)]
    pub allow_protected: Option<String>,
}

/// Identifies a fix to undo.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UndoParams {
    /// The opened change.
    pub change_id: String,
    /// The id of the fix.
    pub fix: i64,
}

/// A fix that was applied or undone.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FixView {
    /// The id of the fix.
    pub id: i64,
    /// The file.
    pub path: String,
    /// Whether the fix is applied.
    pub applied: bool,
}

/// Asks for a commit message.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CommitParams {
    /// The opened change.
    pub change_id: String,
    /// The agent to ask. The configured agent if absent.
    #[serde(default)]
    pub agent: Option<String>,
    /// The model to ask for.
    #[serde(default)]
    pub model: Option<String>,
}

/// A commit message.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CommitView {
    /// The text of the message.
    pub message: String,
    /// The problems that the message still has.
    pub problems: Vec<String>,
}

/// A finding that the reviewer writes, or makes from an answer.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AddFindingParams {
    /// The opened change.
    pub change_id: String,
    /// The key that the finding had before it was removed, if the removal is undone.
    #[serde(default)]
    pub again: Option<String>,
    /// The content and place of the finding.
    #[serde(flatten)]
    pub finding: FindingWords,
}

/// A finding as the reviewer writes it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FindingWords {
    /// The severity.
    pub severity: Severity,
    /// The category.
    pub category: Category,
    /// The file.
    pub path: String,
    /// The side of the lines.
    pub side: Side,
    /// The first line.
    pub line_start: u32,
    /// The last line.
    pub line_end: u32,
    /// The title.
    pub title: String,
    /// The text, as Markdown.
    pub body: String,
}

impl From<FindingWords> for NewFinding {
    fn from(words: FindingWords) -> Self {
        let FindingWords { severity, category, path, side, line_start, line_end, title, body } = words;
        Self { severity, category, path, side, line_start, line_end, title, body }
    }
}
