//! A turn of a conversation: one message and its answer.

mod answer;
mod begin;
mod listen;

use std::time::{Duration, Instant};

pub use begin::{Draft, PendingTurn, begin_turn, new_conversation};

use super::compaction::{compact_if_due, make_room};
use super::context::{known, opening, system};
use super::errors::failed;
use super::history::Facts;
use super::session::{OpenSession, SessionKey, SessionResources};
use super::{ChatContext, ChatEvent, PermissionRequest};
use begin::initial_facts;
use diffsan_agent::session::AgentSession;
use diffsan_agent::{Failure, FailureKind};
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_redact::{LiveText, Session};
use diffsan_store::MessageState;
use listen::TurnEnd;

/// The time for which this process holds a conversation without renewal, in milliseconds.
const LEASE_MS: i64 = 20_000;
/// The maximum wait before a message is sent again, in seconds.
const MAX_RETRY_SECONDS: u64 = 60;

/// Sends the message, and stores the answer until it ends.
pub async fn run_turn(chat_context: ChatContext<'_>, pending: PendingTurn) {
    let slot = chat_context.chats.session(&pending.conversation.id);
    // A stopped turn may still use the session for a moment.
    let mut slot = slot.lock().await;
    let session = chat_context.opened.prepared().session();
    let mut turn = Turn {
        chat_context,
        facts: initial_facts(&pending.choice),
        text: Some(LiveText::new(session.clone())),
        pending,
        session,
        asked: None,
        permissions: Vec::new(),
        saved: Instant::now(),
        drawn: Instant::now(),
        ended: false,
    };
    let previous = slot.take();
    match turn.run(previous).await {
        Ok(session) => *slot = session,
        Err(error) => {
            let state = match error.code {
                ErrorCode::AgentCancelled => MessageState::Stopped,
                _ => MessageState::Failed,
            };
            turn.end(state, Some(error));
        }
    }
}

struct Turn<'a> {
    chat_context: ChatContext<'a>,
    pending: PendingTurn,
    /// Masks the agent's texts.
    session: Session,
    facts: Facts,
    /// The answer so far; `None` after its end.
    text: Option<LiveText>,
    /// The time when the message was sent.
    asked: Option<Instant>,
    /// The requests for permission that the user has not answered.
    permissions: Vec<(PermissionRequest, Instant)>,
    saved: Instant,
    drawn: Instant,
    ended: bool,
}

/// The repeated attempts of a turn.
#[derive(Default)]
struct Retries {
    count: u32,
    /// The conversation was compacted because the model could not read it.
    compacted: bool,
    /// The program was started again because it had ended.
    restarted: bool,
}

impl Turn<'_> {
    fn id(&self) -> &str {
        &self.pending.conversation.id
    }

    /// Returns the number of the user's message.
    fn message_number(&self) -> i64 {
        self.pending.number - 1
    }

    fn publish(&self, event: ChatEvent) {
        self.chat_context.chats.publish(self.id(), event);
    }

    fn step(&self, message: String) {
        self.publish(ChatEvent::Step(message));
    }

    /// Runs the turn. Returns the session if the next message can use it.
    async fn run(&mut self, previous: Option<OpenSession>) -> Result<Option<OpenSession>> {
        let cancel = self.pending.stop.clone();
        let number = self.message_number();
        compact_if_due(self.chat_context, &self.pending.conversation, &self.pending.choice, number, &cancel).await?;
        let mut session = tokio::task::block_in_place(|| self.open_session(previous))?;
        let mut retries = Retries::default();
        loop {
            let message = self.session.contract("chat", &self.pending.prompt);
            session.agent.ask(&message);
            match self.listen(&mut session).await {
                TurnEnd::Done => {
                    session.known.extend([number, self.pending.number]);
                    let agent = &self.pending.choice.agent;
                    let forgets = cancel.is_cancelled() && agent.spec.chat.forgets_stopped;
                    let usable = !forgets && !agent.is_endpoint() && session.agent.is_usable();
                    return Ok(usable.then_some(session));
                }
                TurnEnd::SessionLost => return Ok(None),
                TurnEnd::Failed(failure) => self.prepare_retry(failure, &mut session, &mut retries).await?,
            }
            session = tokio::task::block_in_place(|| self.open_session(None))?;
        }
    }

    /// Waits until the message can be sent again. Fails if the error is final. A begun answer is never requested again.
    async fn prepare_retry(
        &mut self,
        failure: Failure,
        session: &mut OpenSession,
        retries: &mut Retries,
    ) -> Result<()> {
        let Failure::Failed { kind, retry_after, .. } = &failure else { return Err(self.error(failure)) };
        if self.text.as_ref().is_some_and(|text| !text.is_empty()) {
            return Err(self.error(failure));
        }
        let attempt = retries.count;
        retries.count += 1;
        let title = self.pending.choice.agent.title();
        if *kind == FailureKind::ContextTooLong && !retries.compacted && self.make_room().await? {
            retries.compacted = true;
        } else if *kind == FailureKind::Other && !retries.restarted && !session.agent.is_usable() {
            retries.restarted = true;
            self.step(format!("{title} ended; starting it again"));
        } else if kind.is_temporary() && attempt < self.chat_context.opened.settings.config.agent.max_retries {
            let wait = retry_after.unwrap_or(2 << attempt).min(MAX_RETRY_SECONDS);
            self.step(format!("{title} failed; retrying in {wait} s"));
            let waiting = tokio::time::sleep(Duration::from_secs(wait));
            if self.pending.stop.run_until_cancelled(waiting).await.is_none() {
                return Err(self.error(Failure::Cancelled));
            }
        } else {
            return Err(self.error(failure));
        }
        Ok(())
    }

    /// Compacts the conversation because the model's context is smaller than assumed. Returns whether there was
    /// anything to compact.
    async fn make_room(&self) -> Result<bool> {
        let PendingTurn { conversation, choice, stop, .. } = &self.pending;
        make_room(self.chat_context, conversation, choice, self.message_number(), stop).await
    }

    fn error(&mut self, failure: Failure) -> Error {
        let config = &self.chat_context.opened.settings.config.agent;
        failed(&self.pending.choice.agent, config, &mut self.session, failure)
    }

    /// Returns the previous session if its agent knows exactly the earlier messages; otherwise opens a new one. Blocks.
    fn open_session(&mut self, previous: Option<OpenSession>) -> Result<OpenSession> {
        let (chat_context, choice) = (self.chat_context, &self.pending.choice);
        let (conversation, number) = (&self.pending.conversation, self.message_number());
        let mut session = self.session.clone();
        let key = SessionKey {
            agent: choice.agent.name.clone(),
            model: choice.model.clone(),
            context: conversation.context.clone(),
            system: system(chat_context, &mut session)?.into_inner(),
        };
        let known = known(chat_context, conversation, number)?;
        if let Some(mut previous) = previous
            && previous.key == key
            && previous.known == known
            && previous.agent.is_usable()
        {
            return Ok(previous);
        }
        let verb = if choice.agent.is_endpoint() { "Asking" } else { "Starting" };
        self.step(format!("{verb} {}", choice.agent.title()));
        let resources = SessionResources::prepare(chat_context, choice, &mut session)?;
        let request = resources.request(chat_context, choice);
        let opening = opening(chat_context, conversation, number, resources.note.as_ref(), &mut session)?;
        Ok(OpenSession { agent: AgentSession::open(request, opening, resources), key, known })
    }
}
