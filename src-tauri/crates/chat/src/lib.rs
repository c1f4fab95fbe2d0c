//! Conversations about a change. A message is stored before it is sent, and its answer while it is written.
//!
//! In: an opened change with its latest review, and the user's messages. Out: the events of a conversation, and its messages in the store.
//!
//! Connects context, redaction, the agent's session, the store and compaction. If an agent or this program is killed,
//! the messages are stored and the next one continues the conversation.

mod attachments;
mod commit;
mod compaction;
mod context;
mod errors;
mod events;
mod fixes;
mod history;
mod session;
mod single_request;
mod turn;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use diffsan_pipeline::open::OpenChange;
use diffsan_review::finding::Finding;
use diffsan_store::Store;
use diffsan_store::files::places::Places;
use diffsan_store::files::prompts::PromptFiles;

pub use attachments::About;
pub use commit::{CommitMessage, commit_message};
pub use compaction::{compact_now, threshold};
pub use context::{AssembledMessage, AssembledMessages, assembled};
pub use errors::unknown_conversation;
pub use events::{
    ChatEvent, Chats, ConversationEvent, Following, LiveView, PermissionAnswer, PermissionRequest, ToolCall,
};
pub use fixes::apply_fix;
pub use history::{Facts, ToolFact, facts_of, in_force};
pub use turn::{Draft, PendingTurn, begin_turn, new_conversation, run_turn};

/// The context that every use case of conversations needs.
#[derive(Clone, Copy)]
pub struct ChatContext<'a> {
    /// The folders of the application.
    pub places: &'a Places,
    /// The database.
    pub store: &'a Store,
    /// The running conversations.
    pub chats: &'a Chats,
    /// The change.
    pub opened: &'a Arc<OpenChange>,
    /// The latest review of the change.
    pub reviewed: Option<&'a Reviewed>,
}

impl ChatContext<'_> {
    fn prompts(&self) -> PromptFiles {
        self.opened.trust.prompts(self.places)
    }
}

/// The review that a conversation knows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reviewed {
    /// The review's id.
    pub id: String,
    /// The findings, each with its decision: `open`, `accepted` or `dismissed`.
    pub findings: Vec<(Finding, String)>,
}
