//! The interface between the process layer and a protocol: a state machine that takes lines and gives bytes. It does no IO.

use std::time::Instant;

use diffsan_redact::types::Redacted;
use serde_json::{Value, json};

/// Whether a program still has something to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// More lines follow.
    Continue,
    /// The program has written its last line.
    Finished,
}

/// Whether somebody waits for the program; deadlines depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// From its start to its end.
    SinceStart,
    /// Since it was asked something.
    Since(Instant),
    /// Nobody waits since then. An idle program is ended after a while.
    Idle(Instant),
}

/// A command to an open session.
#[derive(Debug)]
pub(crate) enum SessionCommand {
    Ask(Redacted<String>),
    /// Stops the current turn.
    Stop,
    Permit {
        id: String,
        allowed: bool,
    },
    /// Closes the program's input, so that it ends by itself.
    Close,
}

/// One side of the exchange with a program.
pub(crate) trait Protocol: Send {
    /// Returns the first input, and whether more may follow.
    fn begin(&mut self) -> (Vec<u8>, bool);

    /// Takes one line of output. Input for the program is appended to `reply`.
    fn line(&mut self, line: &str, reply: &mut Vec<u8>) -> Flow;

    /// Takes a command. Input for the program is appended to `reply`.
    fn command(&mut self, _command: SessionCommand, _reply: &mut Vec<u8>) -> Flow {
        Flow::Continue
    }

    /// Returns the input that asks the program to stop; empty if the protocol has none.
    fn cancel(&mut self) -> Vec<u8> {
        Vec::new()
    }

    fn waiting(&mut self) -> Waiting {
        Waiting::SinceStart
    }
}

/// Returns diffsan's name and version, for an agent.
pub(crate) fn client_info() -> Value {
    json!({ "name": "diffsan", "title": "diffsan", "version": env!("CARGO_PKG_VERSION") })
}

/// Appends a JSON message as one line.
pub(crate) fn write_json(out: &mut Vec<u8>, message: &Value) {
    out.extend_from_slice(message.to_string().as_bytes());
    out.push(b'\n');
}
