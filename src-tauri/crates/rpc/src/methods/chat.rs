//! Conversations, fixes from their answers, and commit messages.

use std::sync::Arc;

use jsonrpsee::SubscriptionSink;
use jsonrpsee::core::SubscriptionResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast::error::RecvError;

use super::changes::ChangeIdParams;
use super::chat_view::{
    ChatUpdate, CompactionView, ConversationItem, compaction_view, conversation_item, news, snapshot,
};
use super::findings::fix_view;
use super::program::{Cancelled, Done};
use crate::registry::{Fault, Table, opened, send};
use diffsan_app::App;
use diffsan_chat::{CommitMessage, Draft, PermissionAnswer};

/// The conversations about a change, latest first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ConversationsView {
    /// The conversations.
    pub conversations: Vec<ConversationItem>,
}

/// Begins a conversation.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ChatParams {
    /// The conversation's id.
    pub conversation_id: String,
}

/// Identifies a conversation and its opened change.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ChatSendParams {
    /// The opened change.
    pub change_id: String,
    /// The conversation.
    pub conversation_id: String,
    /// The message.
    #[serde(flatten)]
    pub draft: Draft,
}

/// The result of sending a message: it is saved and on its way to the agent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChatSent {
    /// The number of the answer's message.
    pub number: i64,
}

/// An answer to a request for permission.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct PermitParams {
    /// The conversation.
    pub conversation_id: String,
    /// The request's id.
    pub id: String,
    /// The answer.
    pub answer: PermissionAnswer,
}

/// Identifies a fix block to apply.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct UndoParams {
    /// The opened change.
    pub change_id: String,
    /// The id of the fix.
    pub fix: i64,
}

/// Asks for a commit message.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
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

pub(super) fn register(table: &mut Table) {
    table.method("chat.apply", "Applies a fix block to the work tree", |app, params: ApplyParams| {
        let handle = opened(app, &params.change_id)?;
        let block = (params.number, params.line as usize);
        let fix = app.apply_fix(&handle, &params.conversation_id, block, params.allow_protected.as_deref())?;
        Ok(fix_view(&fix))
    });
    table.method("chat.undo", "Undoes a fix", |app, params: UndoParams| {
        let handle = opened(app, &params.change_id)?;
        Ok(fix_view(&app.undo_fix(&handle.opened, params.fix)?))
    });
    let summary = "Writes a commit message for a change";
    table.async_query("commit.message", summary, async |app, params: CommitParams, ask| {
        let handle = opened(&app, &params.change_id)?;
        let (agent, model) = (params.agent.as_deref(), params.model.as_deref());
        Ok::<CommitMessage, Fault>(app.commit_message(&handle, agent, model, &ask.cancel).await?)
    });
    table.query("chat.list", "Lists the conversations about a change", |app, params: ChangeIdParams| {
        let handle = opened(app, &params.change_id)?;
        let conversations = app.conversations(&handle.opened)?;
        Ok(ConversationsView { conversations: conversations.into_iter().map(conversation_item).collect() })
    });
    table.method("chat.begin", "Begins a conversation about a change", |app, params: ChatBeginParams| {
        let handle = opened(app, &params.change_id)?;
        let begun = app.new_conversation(&handle, params.agent.as_deref(), params.model.as_deref())?;
        Ok(conversation_item(begun))
    });
    table.method("chat.remove", "Removes a conversation", |app, params: ChatParams| {
        app.remove_conversation(&params.conversation_id)?;
        Ok(Done {})
    });
    table.query(
        "chat.assembled",
        "Returns the messages that would be sent with the next one",
        |app, params: ChatOfChangeParams| {
            let handle = opened(app, &params.change_id)?;
            Ok(app.assembled(&handle, &params.conversation_id, params.agent.as_deref())?)
        },
    );
    let summary = "Replaces earlier messages by a summary";
    table.async_query("chat.compact", summary, async |app, params: ChatOfChangeParams, ask| {
        let handle = opened(&app, &params.change_id)?;
        let done = app.compact(&handle, &params.conversation_id, &ask.cancel).await?;
        Ok::<CompactionView, Fault>(compaction_view(&done))
    });
    table.method(
        "chat.send",
        "Sends a message. Its answer arrives through chat.follow",
        |app, params: ChatSendParams| {
            let handle = opened(app, &params.change_id)?;
            let begun = app.begin_turn(&handle, &params.conversation_id, params.draft)?;
            let number = begun.number;
            let app = Arc::clone(app);
            // The turn continues when every window is closed, so that the answer is saved.
            tokio::runtime::Handle::current().spawn(async move { app.run_turn(&handle.opened, begun).await });
            Ok(ChatSent { number })
        },
    );
    table.method("chat.stop", "Stops an answer", |app, params: ChatParams| {
        Ok(Cancelled { cancelled: app.stop_chat(&params.conversation_id) })
    });
    table.method("chat.answer_permission", "Answers an agent's request for permission", |app, params: PermitParams| {
        app.permit(&params.conversation_id, &params.id, params.answer);
        Ok(Done {})
    });
    table.subscription::<ChatParams, ChatUpdate, _, _>(
        ["chat.follow", "chat.event", "chat.unfollow"],
        "Subscribes to a conversation: its current state, then its events",
        |app, params, _| {
            app.conversation(&params.conversation_id)?;
            Ok(params.conversation_id)
        },
        follow,
    );
}

async fn follow(app: Arc<App>, id: String, sink: SubscriptionSink) -> SubscriptionResult {
    loop {
        let mut following = app.follow(&id);
        let Ok(view) = snapshot(&app, &id, following.live.take()) else { return Ok(()) };
        if !send(&sink, &ChatUpdate::Snapshot { view: Box::new(view) }).await {
            return Ok(());
        }
        loop {
            let event = tokio::select! {
                () = sink.closed() => return Ok(()),
                event = following.events.recv() => event,
            };
            match event {
                Ok(event) if *event.conversation != *id => {}
                Ok(event) => {
                    if !send(&sink, &news(&app, &id, event.event)).await {
                        return Ok(());
                    }
                }
                // Events were missed, so the whole conversation is sent again.
                Err(RecvError::Lagged(_)) => break,
                Err(RecvError::Closed) => return Ok(()),
            }
        }
    }
}
