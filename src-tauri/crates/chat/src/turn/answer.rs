//! The answer of a turn. It is shown and stored while it is written, and ended exactly once.

use std::time::{Duration, Instant};

use super::Turn;
use crate::ChatEvent;
use diffsan_pipeline::error::{Error, to_json, to_json_value};
use diffsan_pipeline::open::millis;
use diffsan_redact::LiveText;
use diffsan_store::MessageState;

/// The interval in which an incomplete answer is stored.
const SAVE_INTERVAL: Duration = Duration::from_millis(500);

impl Turn<'_> {
    /// Shows new text. Returns whether there was any.
    pub(super) fn show(&mut self) -> bool {
        let Some(patch) = self.text.as_mut().and_then(LiveText::flush) else { return false };
        self.publish(ChatEvent::Text { number: self.pending.number, patch });
        true
    }

    /// Stores the answer so far.
    pub(super) fn save(&mut self) {
        let Some(text) = self.text.as_ref().filter(|_| self.saved.elapsed() >= SAVE_INTERVAL) else { return };
        self.saved = Instant::now();
        let Ok(facts) = to_json(&self.facts) else { return };
        let number = self.pending.number;
        let write =
            || self.chat_context.store.write_answer(self.id(), number, text.shown(), MessageState::Streaming, &facts);
        // The next write contains this text, and the end of the turn reports the error.
        let _ = tokio::task::block_in_place(write);
    }

    /// Ends the answer for the user. Later calls have no effect.
    pub(super) fn end(&mut self, state: MessageState, error: Option<Error>) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        let text = self.text.take().map(LiveText::finish).unwrap_or_default();
        self.facts.total_ms = Some(millis(self.pending.started));
        self.facts.error = error.filter(|_| state == MessageState::Failed).map(|error| error.info());
        let facts = to_json_value(&self.facts).map(|facts| self.session.value("chat", facts).into_inner());
        let (id, number) = (self.pending.conversation.id.clone(), self.pending.number);
        let store = self.chat_context.store;
        let stored = facts.and_then(|facts| {
            store.write_answer(&id, number, text.trim_end(), state, &facts.to_string()).map_err(Error::from)
        });
        // A lease that cannot be ended expires.
        let _ = store.leave(&id, self.chat_context.chats.process());
        let mut messages = store.messages(&id).unwrap_or_default();
        messages.retain(|message| message.number == number);
        if let (Err(error), Some(message)) = (stored, messages.first_mut()) {
            // The user keeps the text on the screen, with the error that it is not stored.
            message.text = text;
            message.state = MessageState::Failed;
            let info = error.info();
            message.facts = serde_json::json!({ "error": info }).to_string();
        }
        self.publish(ChatEvent::Messages { messages, superseded_from: None });
        self.publish(ChatEvent::Ended);
    }
}
