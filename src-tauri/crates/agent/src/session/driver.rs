//! The common part of all session protocols.

use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::Value;
use tokio::sync::mpsc;

use super::super::failure::Failure;
use super::super::protocol::{Flow, Protocol, SessionCommand, Waiting};
use super::{Opening, SessionEvent};
use diffsan_redact::types::Redacted;

/// A protocol of JSON lines, in which an agent is asked again and again.
pub(crate) trait Driver: Send {
    fn state(&mut self) -> &mut State;
    /// Returns the first input.
    fn begin(&mut self) -> Vec<u8>;
    /// Takes a message of the program.
    fn message(&mut self, message: &Value, reply: &mut Vec<u8>);
    /// Sends a message, or stores it in [`State::pending`] until the session is ready.
    fn ask(&mut self, message: Redacted<String>, reply: &mut Vec<u8>);
    /// Stops the turn.
    fn stop(&mut self, reply: &mut Vec<u8>);
    /// Answers a request for permission.
    fn permit(&mut self, id: &str, allowed: bool, reply: &mut Vec<u8>);

    /// Returns the input that ends the current turn before the program is ended.
    fn cancel(&mut self) -> Vec<u8> {
        Vec::new()
    }

    fn line(&mut self, line: &str, reply: &mut Vec<u8>) {
        // Programs write other lines, too.
        if let Ok(message) = serde_json::from_str(line) {
            self.message(&message, reply);
        }
    }

    fn command(&mut self, command: SessionCommand, reply: &mut Vec<u8>) -> Flow {
        match command {
            SessionCommand::Ask(message) => {
                self.state().begin_turn();
                self.ask(message, reply);
            }
            SessionCommand::Stop => {
                if self.state().pending.take().is_some() {
                    self.state().end_turn(SessionEvent::Done { stopped: true });
                } else if self.state().is_asked() {
                    self.state().stopping = true;
                    self.stop(reply);
                }
            }
            SessionCommand::Permit { id, allowed } => self.permit(&id, allowed, reply),
            SessionCommand::Close => return Flow::Finished,
        }
        Flow::Continue
    }
}

/// A driver as the process layer sees it.
pub(super) struct SessionProtocol(pub(super) Box<dyn Driver>);

impl Protocol for SessionProtocol {
    fn begin(&mut self) -> (Vec<u8>, bool) {
        (self.0.begin(), true)
    }

    fn line(&mut self, line: &str, reply: &mut Vec<u8>) -> Flow {
        self.0.line(line, reply);
        Flow::Continue
    }

    fn command(&mut self, command: SessionCommand, reply: &mut Vec<u8>) -> Flow {
        self.0.command(command, reply)
    }

    fn cancel(&mut self) -> Vec<u8> {
        self.0.cancel()
    }

    fn waiting(&mut self) -> Waiting {
        self.0.state().waiting()
    }
}

/// The state of every driver.
pub(crate) struct State {
    events: mpsc::UnboundedSender<SessionEvent>,
    /// The opening, until it was sent.
    pub(super) opening: Option<Opening>,
    /// A message that waits until the session is ready.
    pub(super) pending: Option<Redacted<String>>,
    /// The requests for permission without an answer, with data of the driver.
    pub(super) permissions: BTreeMap<String, Value>,
    waiting: Waiting,
    /// Whether the user stopped the current turn.
    pub(super) stopping: bool,
}

impl State {
    pub(crate) fn new(events: mpsc::UnboundedSender<SessionEvent>, opening: Opening) -> Self {
        Self {
            events,
            opening: Some(opening),
            pending: None,
            permissions: BTreeMap::new(),
            waiting: Waiting::Idle(Instant::now()),
            stopping: false,
        }
    }

    pub(super) fn emit(&self, event: SessionEvent) {
        // Nobody listens to a dropped session.
        let _ = self.events.send(event);
    }

    fn begin_turn(&mut self) {
        self.stopping = false;
        self.waiting = Waiting::Since(Instant::now());
    }

    pub(super) fn is_asked(&self) -> bool {
        matches!(self.waiting, Waiting::Since(_))
    }

    fn waiting(&self) -> Waiting {
        // The user may take any time to answer.
        if self.permissions.is_empty() { self.waiting } else { Waiting::Idle(Instant::now()) }
    }

    pub(super) fn end_turn(&mut self, event: SessionEvent) {
        self.waiting = Waiting::Idle(Instant::now());
        self.stopping = false;
        // A request that nobody answered must not disable the deadlines of the next turn.
        self.permissions.clear();
        self.emit(event);
    }

    pub(super) fn fail(&mut self, message: String) {
        self.end_turn(SessionEvent::Failed(Failure::classified(message)));
    }
}
