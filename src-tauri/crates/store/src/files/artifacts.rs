//! A run's folder: what was asked, what came back and what happened, also after a failure, a cancel or a kill.
//!
//! Everything written here has passed redaction, which the types see to; the one exception is asked for by name.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use super::places::make_private_folder;
use crate::event::{Event, EventName, Level};
use diffsan_redact::types::Redacted;
use diffsan_review::Timings;
use diffsan_review::failure::ErrorInfo;

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum RunState {
    Running,
    Done,
    Skipped,
    Failed,
    Cancelled,
    /// It was cut off, and its change was reviewed since.
    Interrupted,
}

/// `run.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunRecord {
    /// The run.
    pub run_id: String,
    /// The program's version.
    pub version: String,
    /// How it stands. A run that is `running` but whose folder is not locked was killed.
    pub state: RunState,
    /// The repository, if there is one.
    pub repository: Option<String>,
    /// The change, as JSON.
    pub target: serde_json::Value,
    /// Of the raw diff.
    pub fingerprint: Option<String>,
    /// Who reviews.
    pub agent: Option<String>,
    /// RFC 3339.
    pub started_at: String,
    /// RFC 3339.
    pub finished_at: Option<String>,
    /// How long the parts took.
    pub timings: Timings,
    /// Why it failed.
    pub error: Option<ErrorInfo>,
    /// What was asked for, so that one that was cut off can be gone on with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RunRequest>,
}

impl RunRecord {
    /// What a run says of itself in its folder, if it can be read.
    pub fn read(folder: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(folder.join("run.json")).ok()?).ok()
    }
}

/// What a review was asked for, masked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRequest {
    /// Which agents; the configured one if there are none.
    pub agents: Vec<String>,
    /// Which model, if one was named.
    pub model: Option<String>,
    /// What the review added to the instructions.
    pub instructions: Option<String>,
    /// The skills that were chosen for it, in place of the configured ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skills: Option<Vec<String>>,
    /// Whether it was asked for where the settings say to skip it.
    pub anyway: bool,
    /// The commit since which the change was sent, if not all of it was.
    pub since: Option<String>,
}

/// An open run folder. Only one process writes it; the lock tells others that it lives.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    events: Mutex<File>,
    lock: File,
    cut_off: AtomicBool,
}

impl RunFolder {
    /// Makes the folder with its first two files.
    pub fn create(path: &Path, record: &RunRecord) -> io::Result<Self> {
        make_private_folder(path)?;
        let lock = File::create(path.join("run.lock"))?;
        lock.try_lock().map_err(|error| io::Error::other(error.to_string()))?;
        let events = File::options().create(true).append(true).open(path.join("events.jsonl"))?;
        let folder = Self { path: path.to_owned(), events: Mutex::new(events), lock, cut_off: AtomicBool::new(false) };
        folder.record(record)?;
        Ok(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Leaves the run as if it had been cut off here, so that it can be gone on with.
    pub fn leave_cut_off(&self) {
        self.cut_off.store(true, Ordering::Relaxed);
    }

    /// Replaces `run.json`.
    pub fn record(&self, record: &RunRecord) -> io::Result<()> {
        super::places::write_private(&self.path.join("run.json"), &serde_json::to_vec_pretty(record)?)
    }

    /// Adds an event and gives it back.
    pub fn event(&self, level: Level, event: EventName, data: &Redacted<serde_json::Value>) -> io::Result<Event> {
        let event = Event { ts: now(), level, event, data: data.get().clone() };
        let mut line = serde_json::to_vec(&event)?;
        line.push(b'\n');
        self.events.lock().unwrap_or_else(std::sync::PoisonError::into_inner).write_all(&line)?;
        Ok(event)
    }

    /// Writes a text.
    pub fn write(&self, name: &str, text: &Redacted<String>) -> io::Result<()> {
        fs::write(self.place(name)?, text.as_str())
    }

    /// Writes a report as JSON, whole or not at all: types whose texts were masked when they were made.
    pub fn write_report(&self, name: &str, report: &Redacted<serde_json::Value>) -> io::Result<()> {
        super::places::write_private(&self.place(name)?, &serde_json::to_vec_pretty(report.get())?)
    }

    /// Writes bytes as they are: only for what the user asked to keep unmasked.
    pub fn write_unmasked(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        fs::write(self.path.join(name), bytes)
    }

    /// Where a file goes: `codex/agent.raw.txt` into a folder of its own.
    fn place(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.path.join(name);
        if let Some(folder) = path.parent().filter(|folder| *folder != self.path) {
            make_private_folder(folder)?;
        }
        Ok(path)
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        // The system releases the lock with the file, too.
        let _ = self.lock.unlock();
        if self.cut_off.load(Ordering::Relaxed) {
            return;
        }
        // A lock file that nobody holds means nothing.
        let _ = fs::remove_file(self.path.join("run.lock"));
    }
}

/// Adds an event to a run that has ended: what was done with its review.
pub fn append_event(
    folder: &Path,
    level: Level,
    event: EventName,
    data: &Redacted<serde_json::Value>,
) -> io::Result<()> {
    let event = Event { ts: now(), level, event, data: data.get().clone() };
    let mut line = serde_json::to_vec(&event)?;
    line.push(b'\n');
    File::options().create(true).append(true).open(folder.join("events.jsonl"))?.write_all(&line)
}

/// Adds a report to a run that has ended.
pub fn write_result(folder: &Path, name: &str, report: &Redacted<serde_json::Value>) -> io::Result<()> {
    super::places::write_private(&folder.join(name), &serde_json::to_vec_pretty(report.get())?)
}

/// Runs that were cut off: still `running`, but nobody holds their lock. Latest first.
pub fn interrupted_runs(runs: &Path) -> Vec<(PathBuf, RunRecord)> {
    let mut found: Vec<(PathBuf, RunRecord)> = fs::read_dir(runs)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let path = entry.path();
            // A run that ended took its lock with it: of thousands only few are looked into.
            if !path.join("run.lock").exists() {
                return None;
            }
            let record = RunRecord::read(&path)?;
            let abandoned = || File::open(path.join("run.lock")).is_ok_and(|lock| lock.try_lock().is_ok());
            (record.state == RunState::Running && abandoned()).then(|| (path.clone(), record))
        })
        .collect();
    found.sort_by(|a, b| b.1.started_at.cmp(&a.1.started_at));
    found
}

/// Notes that the change of a run that was cut off was reviewed since, so that nobody is asked about it again.
pub fn settle_interrupted(folder: &Path, mut record: RunRecord) -> io::Result<()> {
    record.state = RunState::Interrupted;
    super::places::write_private(&folder.join("run.json"), &serde_json::to_vec_pretty(&record)?)?;
    fs::remove_file(folder.join("run.lock"))
}

/// The time, RFC 3339 in UTC with milliseconds.
pub fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}
