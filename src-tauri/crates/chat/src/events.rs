//! The events of running conversations. Every window of this process receives the same ones.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{broadcast, mpsc};
use tokio_util::sync::CancellationToken;

use super::session::OpenSession;
use diffsan_redact::{Patch, units};
use diffsan_review::TokenUsage;
use diffsan_store::files::places::random_word;
use diffsan_store::{Compaction, StoredMessage};

/// The maximum number of unread events of a listener. A slower listener reads the whole conversation again.
const MAX_PENDING_EVENTS: usize = 2048;

/// An event of a conversation. Its texts are masked.
#[derive(Clone, Debug, PartialEq)]
pub enum ChatEvent {
    /// Messages were added or have ended.
    Messages {
        /// The messages.
        messages: Vec<StoredMessage>,
        /// Earlier messages from this number on are superseded.
        superseded_from: Option<i64>,
    },
    /// A step before the agent is asked.
    Step(String),
    /// The text of an answer has changed.
    Text {
        /// The answer's number.
        number: i64,
        /// The edit of the text.
        patch: Patch,
    },
    /// The agent is thinking.
    Thinking,
    /// The agent started or finished using a tool.
    Tool(ToolCall),
    /// The agent requests a permission.
    Permission(PermissionRequest),
    /// The user has answered a request for permission.
    Permitted {
        /// The request's id.
        id: String,
    },
    /// The size of the conversation.
    Tokens {
        /// The tokens of the latest request.
        used: TokenUsage,
        /// The size of the model's context.
        limit: Option<u64>,
    },
    /// Earlier messages were compacted.
    Compacted(Compaction),
    /// The answer has ended.
    Ended,
}

/// A tool call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ToolCall {
    /// The call's id.
    pub id: String,
    /// The title for display.
    pub title: String,
    /// Whether the call has ended.
    pub done: bool,
}

/// A request for permission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PermissionRequest {
    /// The request's id.
    pub id: String,
    /// The kind of action.
    pub kind: String,
    /// The title for display.
    pub title: String,
}

/// The user's answer to a request for permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PermissionAnswer {
    /// Refuses the action.
    Refuse,
    /// Allows the action once.
    Once,
    /// Allows the kind of action for the rest of the conversation.
    Always,
}

/// An event and its conversation.
#[derive(Clone, Debug)]
pub struct ConversationEvent {
    /// The conversation's id.
    pub conversation: Arc<str>,
    /// The event.
    pub event: ChatEvent,
}

/// An answer that is being written.
#[derive(Clone, Debug, Default)]
pub struct LiveView {
    /// The answer's number.
    pub number: i64,
    /// The text that is shown.
    pub text: String,
    /// The current step.
    pub step: String,
    /// The tools that the agent used.
    pub tools: Vec<ToolCall>,
    /// The open requests for permission.
    pub permissions: Vec<PermissionRequest>,
}

struct Running {
    view: LiveView,
    stop: CancellationToken,
    permits: mpsc::UnboundedSender<(String, PermissionAnswer)>,
}

/// The current answer and all later events.
pub struct Following {
    /// The answer that is being written.
    pub live: Option<LiveView>,
    /// The later events.
    pub events: broadcast::Receiver<ConversationEvent>,
}

/// The session of a conversation, if one is open.
type SessionSlot = Arc<tokio::sync::Mutex<Option<OpenSession>>>;

/// The conversations of this process.
pub struct Chats {
    running: Mutex<HashMap<String, Running>>,
    sessions: Mutex<HashMap<String, SessionSlot>>,
    feed: broadcast::Sender<ConversationEvent>,
    process: String,
}

impl Default for Chats {
    fn default() -> Self {
        let process = random_word(8).unwrap_or_else(|_| std::process::id().to_string());
        Self {
            running: Mutex::default(),
            sessions: Mutex::default(),
            feed: broadcast::channel(MAX_PENDING_EVENTS).0,
            process,
        }
    }
}

impl Chats {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the name of this process among those that use the same store.
    pub(super) fn process(&self) -> &str {
        &self.process
    }

    /// Returns the session slot of a conversation. Only the holder of its lock uses the session.
    pub(super) fn session(&self, conversation: &str) -> SessionSlot {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(sessions.entry(conversation.to_owned()).or_default())
    }

    /// Stops every answer, and waits until no process of a session remains.
    pub async fn end(&self) {
        self.lock().values().for_each(|running| running.stop.cancel());
        let sessions: Vec<_> = self.sessions.lock().unwrap_or_else(PoisonError::into_inner).drain().collect();
        let ending = sessions.into_iter().map(|(_, session)| async move {
            if let Some(open) = session.lock().await.take() {
                open.agent.close().await;
            }
        });
        futures::future::join_all(ending).await;
    }

    /// Whether an answer is being written.
    pub fn is_running(&self, conversation: &str) -> bool {
        self.lock().contains_key(conversation)
    }

    /// Whether any answer is being written.
    pub fn is_any_running(&self) -> bool {
        !self.lock().is_empty()
    }

    pub(super) fn begin(
        &self,
        conversation: &str,
        number: i64,
    ) -> (CancellationToken, mpsc::UnboundedReceiver<(String, PermissionAnswer)>) {
        let (permits, receiver) = mpsc::unbounded_channel();
        let stop = CancellationToken::new();
        let view = LiveView { number, ..LiveView::default() };
        self.lock().insert(conversation.to_owned(), Running { view, stop: stop.clone(), permits });
        (stop, receiver)
    }

    /// Stops an answer. Returns `false` if none is being written.
    pub fn stop(&self, conversation: &str) -> bool {
        self.lock().get(conversation).map(|running| running.stop.cancel()).is_some()
    }

    /// Answers a request for permission. Returns `false` if the request is not open.
    pub fn permit(&self, conversation: &str, id: &str, permit: PermissionAnswer) -> bool {
        let running = self.lock();
        let Some(one) = running.get(conversation) else { return false };
        one.view.permissions.iter().any(|known| known.id == id) && one.permits.send((id.to_owned(), permit)).is_ok()
    }

    /// Whether anyone follows a conversation.
    pub(super) fn has_listeners(&self) -> bool {
        self.feed.receiver_count() > 0
    }

    /// Publishes an event, and updates the view for later listeners.
    pub(super) fn publish(&self, conversation: &str, event: ChatEvent) {
        let mut running = self.lock();
        if let Some(one) = running.get_mut(conversation) {
            let view = &mut one.view;
            match &event {
                ChatEvent::Step(words) => view.step.clone_from(words),
                ChatEvent::Text { patch, .. } => apply(&mut view.text, patch),
                ChatEvent::Tool(tool) => match view.tools.iter_mut().find(|known| known.id == tool.id) {
                    Some(known) => known.clone_from(tool),
                    None => view.tools.push(tool.clone()),
                },
                ChatEvent::Permission(permission) => view.permissions.push(permission.clone()),
                ChatEvent::Permitted { id } => view.permissions.retain(|known| known.id != *id),
                _ => {}
            }
        }
        if event == ChatEvent::Ended {
            running.remove(conversation);
        }
        // There may be no listener.
        let _ = self.feed.send(ConversationEvent { conversation: conversation.into(), event });
    }

    /// Follows a conversation from now on.
    pub fn follow(&self, conversation: &str) -> Following {
        let running = self.lock();
        let live = running.get(conversation).map(|one| one.view.clone());
        Following { live, events: self.feed.subscribe() }
    }
}

fn apply(text: &mut String, patch: &Patch) {
    let mut kept = 0;
    let mut end = text.len();
    for (at, char) in text.char_indices() {
        if kept >= patch.keep {
            end = at;
            break;
        }
        kept += char.len_utf16();
    }
    debug_assert!(units(&text[..end]) <= patch.keep);
    text.truncate(end);
    text.push_str(&patch.add);
}
