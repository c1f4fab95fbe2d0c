//! Follows the agent's events until the turn ends.

use std::time::{Duration, Instant};

use tokio::time::{MissedTickBehavior, interval};

use super::begin::milliseconds;
use super::{LEASE_MS, Turn};
use crate::history::ToolFact;
use crate::session::OpenSession;
use crate::{ChatEvent, PermissionAnswer, PermissionRequest, ToolCall};
use diffsan_agent::session::SessionEvent;
use diffsan_agent::{Failure, FailureKind};
use diffsan_pipeline::open::millis;
use diffsan_redact::LiveText;
use diffsan_store::MessageState;

/// The minimum interval between updates of the shown text.
const FRAME_INTERVAL: Duration = Duration::from_millis(30);
/// Long texts are updated less often, because drawing them takes longer.
const CHARS_PER_MS: usize = 1000;
/// The interval in which the lease of the conversation is renewed.
const LEASE_INTERVAL: Duration = Duration::from_secs(5);
/// The time in which an agent must confirm a stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(3);
/// The time that a request for permission waits for the user.
const PERMISSION_TIMEOUT: Duration = Duration::from_secs(180);

/// The end of a turn.
pub(super) enum TurnEnd {
    /// The turn is over; the session is usable.
    Done,
    /// The turn is over; the session is not usable.
    SessionLost,
    /// The answer was not shown as ended. It may be requested again.
    Failed(Failure),
}

/// The reaction to an event.
enum Reaction {
    /// Show and store the answer with the next frame.
    Continue,
    /// Show the text immediately.
    ShowNow,
    End(TurnEnd),
}

impl Turn<'_> {
    pub(super) async fn listen(&mut self, session: &mut OpenSession) -> TurnEnd {
        let mut frame_timer = interval(FRAME_INTERVAL);
        frame_timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut lease_timer = interval(LEASE_INTERVAL);
        let mut changed = false;
        let stop = self.pending.stop.clone();
        let mut stopped: Option<Instant> = None;
        let allowed = self.chat_context.store.allowances(self.id()).unwrap_or_default();
        loop {
            let stop_deadline = stopped.unwrap_or_else(Instant::now) + STOP_TIMEOUT;
            tokio::select! {
                biased;
                () = stop.cancelled(), if stopped.is_none() => {
                    // The answer ends for the user now. The agent gets a moment, so that its session stays usable.
                    session.agent.stop();
                    stopped = Some(Instant::now());
                    self.facts.sandbox = session.agent.sandbox();
                    self.end(MessageState::Stopped, None);
                }
                () = tokio::time::sleep_until(stop_deadline.into()), if stopped.is_some() => return TurnEnd::SessionLost,
                event = session.agent.next() => {
                    let event = event.unwrap_or(SessionEvent::Closed(None));
                    let reaction = match stopped {
                        None => self.event(session, event, &allowed),
                        Some(_) => self.event_after_stop(session, event),
                    };
                    match reaction {
                        Reaction::Continue => changed = true,
                        Reaction::ShowNow => changed = !self.show(),
                        Reaction::End(end) => return end,
                    }
                }
                Some((id, permit)) = self.pending.permits.recv() => self.permitted(session, &id, permit),
                _ = frame_timer.tick(), if changed && stopped.is_none() => {
                    if self.is_frame_due() {
                        self.drawn = Instant::now();
                        changed = false;
                        self.show();
                        self.save();
                    }
                }
                _ = lease_timer.tick(), if stopped.is_none() => {
                    self.renew_lease();
                    self.refuse_expired(session);
                }
            }
        }
    }

    fn event(&mut self, session: &OpenSession, event: SessionEvent, allowed: &[String]) -> Reaction {
        if matches!(event, SessionEvent::Done { .. } | SessionEvent::Failed(_) | SessionEvent::Closed(_)) {
            self.facts.sandbox = session.agent.sandbox();
        }
        match event {
            SessionEvent::Asked => {
                self.asked = Some(Instant::now());
                self.facts.asked_ms = Some(millis(self.pending.started));
                self.step("Waiting for the answer".to_owned());
            }
            SessionEvent::Text(piece) => return self.text(&piece),
            SessionEvent::Paragraph => {
                if let Some(text) = self.text.as_mut().filter(|text| !text.is_empty()) {
                    text.push("\n\n");
                }
            }
            SessionEvent::Thinking => self.publish(ChatEvent::Thinking),
            SessionEvent::Tool { id, title, done } => self.tool(id, &title, done),
            SessionEvent::Permission { id, kind, title } => {
                let title = self.session.contract("agent output", &title).into_inner();
                let kind = self.session.contract("agent output", &kind).into_inner();
                if allowed.contains(&kind) || !self.chat_context.chats.has_listeners() {
                    session.agent.permit(&id, allowed.contains(&kind));
                } else {
                    let permission = PermissionRequest { id, kind, title };
                    self.permissions.push((permission.clone(), Instant::now()));
                    self.publish(ChatEvent::Permission(permission));
                }
            }
            SessionEvent::Tokens { used, limit } => {
                self.facts.usage = Some(used);
                self.facts.limit = limit.or(self.facts.limit);
                self.publish(ChatEvent::Tokens { used, limit });
            }
            SessionEvent::Done { stopped } => {
                if !stopped && self.text.as_ref().is_none_or(LiveText::is_empty) {
                    return Reaction::End(TurnEnd::Failed(failure(FailureKind::NoAnswer, "")));
                }
                self.end(if stopped { MessageState::Stopped } else { MessageState::Done }, None);
                return Reaction::End(TurnEnd::Done);
            }
            SessionEvent::Failed(failure) => return Reaction::End(TurnEnd::Failed(failure)),
            SessionEvent::Closed(reason) => {
                let ended = || failure(FailureKind::Other, "it ended before the answer was complete");
                return Reaction::End(TurnEnd::Failed(reason.unwrap_or_else(ended)));
            }
        }
        Reaction::Continue
    }

    /// Handles an event after a stop. Only the state of the session still matters.
    fn event_after_stop(&mut self, session: &OpenSession, event: SessionEvent) -> Reaction {
        match event {
            SessionEvent::Permission { id, .. } => session.agent.permit(&id, false),
            SessionEvent::Tokens { used, limit } => {
                self.facts.usage = Some(used);
                self.facts.limit = limit.or(self.facts.limit);
            }
            SessionEvent::Done { .. } => return Reaction::End(TurnEnd::Done),
            SessionEvent::Failed(_) | SessionEvent::Closed(_) => return Reaction::End(TurnEnd::SessionLost),
            _ => {}
        }
        Reaction::Continue
    }

    fn text(&mut self, piece: &str) -> Reaction {
        if let Some(text) = &mut self.text {
            text.push(piece);
        }
        if self.facts.first_text_ms.is_some() {
            return Reaction::Continue;
        }
        self.facts.first_text_ms = self.asked.map(millis);
        Reaction::ShowNow
    }

    fn tool(&mut self, id: String, title: &str, done: bool) {
        let title = self.session.contract("agent output", title).into_inner();
        match self.facts.tools.iter_mut().find(|tool| tool.title == title) {
            Some(tool) => tool.done |= done,
            None => self.facts.tools.push(ToolFact { title: title.clone(), done }),
        }
        self.publish(ChatEvent::Tool(ToolCall { id, title, done }));
    }

    fn permitted(&mut self, session: &OpenSession, id: &str, permit: PermissionAnswer) {
        let Some(at) = self.permissions.iter().position(|(known, _)| known.id == id) else { return };
        let (permission, _) = self.permissions.remove(at);
        if permit == PermissionAnswer::Always {
            // If it cannot be stored, the permission is given once.
            let _ = self.chat_context.store.allow(self.id(), &permission.kind);
        }
        session.agent.permit(id, permit != PermissionAnswer::Refuse);
        self.publish(ChatEvent::Permitted { id: id.to_owned() });
    }

    /// Refuses requests that the user did not answer in time.
    fn refuse_expired(&mut self, session: &OpenSession) {
        let expired = self.permissions.iter().filter(|(_, since)| since.elapsed() > PERMISSION_TIMEOUT);
        let expired: Vec<String> = expired.map(|(permission, _)| permission.id.clone()).collect();
        for id in expired {
            self.permitted(session, &id, PermissionAnswer::Refuse);
        }
    }

    fn renew_lease(&self) {
        let time = milliseconds();
        let chats = self.chat_context.chats;
        let renew = || self.chat_context.store.occupy(self.id(), chats.process(), time, time + LEASE_MS);
        // The next renewal may succeed; the lease outlives several.
        let _ = tokio::task::block_in_place(renew);
    }

    fn is_frame_due(&self) -> bool {
        let length = self.text.as_ref().map_or(0, |text| text.shown().len());
        self.drawn.elapsed() >= FRAME_INTERVAL + Duration::from_millis((length / CHARS_PER_MS) as u64)
    }
}

fn failure(kind: FailureKind, message: &str) -> Failure {
    Failure::Failed { kind, message: message.to_owned(), retry_after: None }
}
