//! What is said of conversations.

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
    /// Names it.
    pub id: String,
    /// How its first message begins; empty for a new one.
    pub title: String,
    /// Who was asked last; empty for the configured agent.
    pub agent: String,
    /// The model that was asked for last.
    pub model: Option<String>,
    /// RFC 3339.
    pub updated_at: String,
}

/// The conversations about a change, latest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ConversationsView {
    /// They.
    pub conversations: Vec<ConversationItem>,
}

/// Begins a conversation.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ChatBeginParams {
    /// The opened change.
    pub change_id: String,
    /// Who is asked; the configured agent if absent.
    #[serde(default)]
    pub agent: Option<String>,
    /// The model to ask for.
    #[serde(default)]
    pub model: Option<String>,
}

/// Names a conversation.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ChatParams {
    /// It.
    pub conversation_id: String,
}

/// Names a conversation and its opened change.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ChatOfChangeParams {
    /// The opened change.
    pub change_id: String,
    /// The conversation.
    pub conversation_id: String,
    /// Who would be asked, if another.
    #[serde(default)]
    pub agent: Option<String>,
}

/// A message to be sent.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ChatSendParams {
    /// The opened change.
    pub change_id: String,
    /// The conversation.
    pub conversation_id: String,
    /// What was typed.
    pub text: String,
    /// What it is about; empty for the change.
    #[serde(default)]
    pub attached: Vec<About>,
    /// Who is asked; else who was asked last.
    #[serde(default)]
    pub agent: Option<String>,
    /// The model to ask for.
    #[serde(default)]
    pub model: Option<String>,
    /// The message that it stands in the place of; what was said since is superseded, too.
    #[serde(default)]
    pub replaces: Option<i64>,
    /// With it the rules are said again, and this.
    #[serde(default)]
    pub tip: Option<String>,
}

/// A message is on disk and on its way.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ChatSent {
    /// The number of its answer.
    pub number: i64,
}

/// What the user says to a request for permission.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PermitAnswer {
    /// No.
    Refuse,
    /// This once.
    Once,
    /// This kind of thing, for this conversation.
    Always,
}

/// An answer to a request for permission.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PermitParams {
    /// The conversation.
    pub conversation_id: String,
    /// The request.
    pub id: String,
    /// The answer.
    pub answer: PermitAnswer,
}

/// The messages that would go out with the next one.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AssembledView {
    /// In order.
    pub messages: Vec<AssembledMessage>,
    /// Of all of them.
    pub tokens: u64,
}

/// A message as it goes out.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AssembledMessage {
    /// `system`, `user`, `assistant`
    pub role: String,
    /// The exact text.
    pub text: String,
}

/// A fix block of a message.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FixBlockView {
    /// The line of its fence in the message, from 0: names it.
    pub line: u32,
    /// How many lines it has in the message, fences included.
    pub lines: u32,
    /// The file.
    pub path: String,
    /// What is to go; empty to create the file.
    pub old: String,
    /// What comes in its place.
    pub new: String,
    /// Why it is no fix; none if it is one.
    pub problem: Option<String>,
    /// The fix, where it is applied.
    pub applied: Option<i64>,
}

/// A tool that was used.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ToolView {
    /// Names the call while it runs.
    pub id: String,
    /// For people.
    pub title: String,
    /// Whether it ended.
    pub done: bool,
}

/// A message.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MessageView {
    /// Its place in the conversation, from 1.
    pub number: i64,
    /// `user`, `assistant`
    pub role: String,
    /// `done`, `streaming`, `stopped`, `failed`, `interrupted`
    pub state: String,
    /// Its text, masked.
    pub text: String,
    /// What it is about.
    pub attached: Vec<About>,
    /// Who answered, for people.
    pub agent: String,
    /// The model that was asked for.
    pub model: Option<String>,
    /// Tokens of its request.
    pub usage: Option<TokenUsage>,
    /// How many tokens the model holds.
    pub limit: Option<u64>,
    /// What was used.
    pub tools: Vec<ToolView>,
    /// Why it failed.
    pub error: Option<ErrorInfo>,
    /// How long the answer took, in milliseconds.
    pub milliseconds: Option<u64>,
    /// Its fix blocks.
    pub blocks: Vec<FixBlockView>,
    /// Whether an edited message stands in its place.
    pub superseded: bool,
    /// RFC 3339.
    pub created_at: String,
}

/// What stands for earlier messages.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CompactionView {
    /// Names it.
    pub id: i64,
    /// The last message that it stands for.
    pub through: i64,
    /// The directive in the user's place.
    pub intent: String,
    /// The summary.
    pub summary: String,
    /// `agent`, `repaired`, `fallback`
    pub how: String,
    /// What was put right, or why there was nothing to go by.
    pub notes: Vec<String>,
    /// RFC 3339.
    pub created_at: String,
}

/// A request for permission.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PermissionView {
    /// Names it.
    pub id: String,
    /// The kind of thing.
    pub what: String,
    /// For people.
    pub title: String,
}

/// A conversation, whole.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ChatView {
    /// It.
    pub conversation: ConversationItem,
    /// Every message, also superseded ones.
    pub messages: Vec<MessageView>,
    /// What stands for earlier messages, oldest first.
    pub compactions: Vec<CompactionView>,
    /// Whether an answer is being written.
    pub busy: bool,
    /// What the agent is doing.
    pub step: String,
    /// What it wants to be allowed.
    pub permissions: Vec<PermissionView>,
}

/// What a conversation tells.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ChatNews {
    /// How it stands: the first event, and again where some were missed.
    Snapshot {
        /// It.
        view: Box<ChatView>,
    },
    /// Messages were added or have ended.
    Messages {
        /// They.
        messages: Vec<MessageView>,
        /// From which number on others were superseded.
        superseded_from: Option<i64>,
    },
    /// A step before the agent answers.
    Step {
        /// For people.
        message: String,
    },
    /// An answer grew, or was corrected.
    Text {
        /// Which one.
        number: i64,
        /// How much of its text stays, in UTF-16 units.
        keep: u64,
        /// What comes behind it.
        add: String,
    },
    /// The agent thinks.
    Thinking,
    /// It uses a tool, or has used it.
    Tool {
        /// It.
        tool: ToolView,
    },
    /// It wants to be allowed something.
    Permission {
        /// What.
        permission: PermissionView,
    },
    /// That was answered.
    Permitted {
        /// Which.
        id: String,
    },
    /// How full the conversation is.
    Tokens {
        /// Of the latest request.
        used: TokenUsage,
        /// How many fit.
        limit: Option<u64>,
    },
    /// Earlier messages were summed up.
    Compacted {
        /// What stands for them.
        compaction: CompactionView,
    },
    /// The answer ended, however.
    Ended,
}

/// Code of a message.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CodeParams {
    /// Its language, as the fence names it, or a file's path.
    pub language: String,
    /// The code.
    pub text: String,
}

/// Names a fix block.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ApplyParams {
    /// The opened change.
    pub change_id: String,
    /// The conversation.
    pub conversation_id: String,
    /// The message.
    pub number: i64,
    /// The block's line in it.
    pub line: u32,
    /// The protected file that the reviewer confirmed by its name, after a call that named it in `confirm_path`.
    #[serde(default)]
    pub allow_protected: Option<String>,
}

/// Names a fix.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UndoParams {
    /// The opened change.
    pub change_id: String,
    /// The fix.
    pub fix: i64,
}

/// A fix that was applied, or undone.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FixView {
    /// Names it.
    pub id: i64,
    /// The file.
    pub path: String,
    /// Whether it stands.
    pub applied: bool,
}

/// Asks for a commit message.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CommitParams {
    /// The opened change.
    pub change_id: String,
    /// Who is asked; the configured agent if absent.
    #[serde(default)]
    pub agent: Option<String>,
    /// The model to ask for.
    #[serde(default)]
    pub model: Option<String>,
}

/// A commit message.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CommitView {
    /// It.
    pub message: String,
    /// What is still wrong with it.
    pub problems: Vec<String>,
}

/// A finding of the reviewer's own, or made from an answer.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AddFindingParams {
    /// The opened change.
    pub change_id: String,
    /// The name that it had before it was removed, where it comes back.
    #[serde(default)]
    pub again: Option<String>,
    /// What it says, and where.
    #[serde(flatten)]
    pub finding: FindingWords,
}

/// A finding in the reviewer's words.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FindingWords {
    /// How bad it is.
    pub severity: Severity,
    /// Its kind.
    pub category: Category,
    /// The file.
    pub path: String,
    /// Which side the lines are on.
    pub side: Side,
    /// The first line.
    pub line_start: u32,
    /// The last line.
    pub line_end: u32,
    /// Its headline.
    pub title: String,
    /// Its text, Markdown.
    pub body: String,
}

impl From<FindingWords> for NewFinding {
    fn from(words: FindingWords) -> Self {
        let FindingWords { severity, category, path, side, line_start, line_end, title, body } = words;
        Self { severity, category, path, side, line_start, line_end, title, body }
    }
}
