//! Records the progress of a run in its folder.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::request::Outcome;
use crate::error::{Error, Result, to_json_value};
use diffsan_redact::Session;
use diffsan_redact::types::Redacted;
use diffsan_store::event::{EventName, Level};
use diffsan_store::files::artifacts::{RunFolder, RunRecord, RunState, now};

/// A log that several agents share. Its lock is never held while waiting.
pub(super) struct Shared<'a>(Mutex<Log<'a>>);

impl<'a> Shared<'a> {
    pub(super) fn new(log: Log<'a>) -> Self {
        Self(Mutex::new(log))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Log<'a>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes to a run folder, with the session that masks the written texts.
pub(super) struct Log<'a> {
    pub(super) folder: &'a RunFolder,
    pub(super) record: RunRecord,
    pub(super) session: Session,
}

impl Log<'_> {
    /// Writes an event. Failures are ignored here, because a full disk must not end a review that is otherwise successful. Important
    /// artifacts are written with error handling.
    pub(super) fn event(&mut self, level: Level, name: EventName, data: Value) {
        let data = self.session.value("event", data);
        // Events are only informative, so a failure is ignored.
        let _ = self.folder.event(level, name, &data);
    }

    pub(super) fn info(&mut self, name: EventName, data: Value) {
        self.event(Level::Info, name, data);
    }

    pub(super) fn masked(&mut self, place: &str, text: &str) -> Redacted<String> {
        self.session.text(place, text)
    }

    /// Writes a text artifact, masked.
    pub(super) fn write(&mut self, name: &str, text: &str) -> Result<()> {
        let masked = self.session.text(name, text);
        self.folder.write(name, &masked).map_err(|error| folder_error(self.folder, &error))
    }

    /// Writes a report as JSON, masked.
    pub(super) fn report(&mut self, name: &str, value: &impl serde::Serialize) -> Result<()> {
        let value = self.session.value(name, to_json_value(value)?);
        self.folder.write_report(name, &value).map_err(|error| folder_error(self.folder, &error))
    }

    /// Writes the final state of the run to its record.
    pub(super) fn finish(&mut self, state: RunState, error: Option<&Error>) {
        if let Some(error) = error {
            self.event(Level::Error, EventName::ErrorRaised, json!(error.info()));
        }
        self.record.state = state;
        // The context of the error, such as the path of the run folder, may contain a secret too.
        let masked = error.map(|error| self.session.value("error", json!(error.info())).into_inner());
        self.record.error = masked.and_then(|masked| serde_json::from_value(masked).ok());
        self.record.finished_at = Some(now());
        self.info(EventName::RunFinished, json!({ "state": state }));
        // The run has its result or error already. A missing record shows as an interrupted run.
        let _ = self.folder.record(&self.record);
    }

    /// Ends the run with its result and the result of storing that. A review that could not be stored is not finished. If `can_go_on` (the
    /// run is under the data folder), it counts as interrupted, and can be resumed with the answers in its folder.
    pub(super) fn end<T>(&mut self, kept: Result<Result<Outcome<T>>>, can_go_on: bool) -> Result<Outcome<T>> {
        let (error, cut_off) = match kept {
            Ok(Ok(outcome)) => {
                let state = if matches!(outcome, Outcome::Skipped { .. }) { RunState::Skipped } else { RunState::Done };
                self.finish(state, None);
                return Ok(outcome);
            }
            Ok(Err(error)) => (error, can_go_on),
            Err(error) => (error, false),
        };
        let error = self.mask(error).with("run_dir", self.folder.path().display().to_string());
        if cut_off {
            self.event(Level::Error, EventName::ErrorRaised, json!(error.info()));
            self.folder.leave_cut_off();
        } else {
            let state = if error.code.is_cancelled() { RunState::Cancelled } else { RunState::Failed };
            self.finish(state, Some(&error));
        }
        Err(error)
    }

    /// Masks the texts of an error.
    pub(super) fn mask(&mut self, error: Error) -> Error {
        error.masked(&mut self.session)
    }
}

pub(super) fn folder_error(folder: &RunFolder, error: &std::io::Error) -> Error {
    let message = format!("The run folder {} cannot be written: {error}.", folder.path().display());
    Error::new(crate::error::ErrorCode::IoFailed, message).hint("Free some disk space, or choose another data folder.")
}
