//! Run folders: the prompts, the answers and the events of a run, also after a failure, a cancellation or a kill.
//!
//! Everything written here is redacted, which the types enforce. The one exception is [`RunFolder::write_unmasked`].

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use super::places::make_private_folder;
use crate::event::{Event, EventName, Level};
use diffsan_config::Verify;
use diffsan_redact::types::Redacted;
use diffsan_review::Timings;
use diffsan_review::failure::ErrorInfo;

/// The state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum RunState {
    Running,
    Done,
    Skipped,
    Failed,
    Cancelled,
    /// The run was interrupted, and its change was reviewed again since.
    Interrupted,
}

/// The content of `run.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunRecord {
    /// The run's ID.
    pub run_id: String,
    /// The program's version.
    pub version: String,
    /// The state. A run in the state `running` whose folder is not locked was killed.
    pub state: RunState,
    /// The repository, if there is one.
    pub repository: Option<String>,
    /// The target, as JSON.
    pub target: serde_json::Value,
    /// The fingerprint of the raw diff.
    pub fingerprint: Option<String>,
    /// The agent that reviews.
    pub agent: Option<String>,
    /// The start time, RFC 3339.
    pub started_at: String,
    /// The end time, RFC 3339.
    pub finished_at: Option<String>,
    /// The durations of the stages.
    pub timings: Timings,
    /// The error of a failed run.
    pub error: Option<ErrorInfo>,
    /// The options of the run, so that an interrupted run can be resumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RunRequest>,
    /// The masked files that the run wrote, sorted. A folder that the user named may contain other files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

impl RunRecord {
    /// Reads the record of a run folder. Returns `None` if it cannot be read.
    pub fn read(folder: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(folder.join("run.json")).ok()?).ok()
    }
}

/// The options of a review, masked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRequest {
    /// The agents. If empty, the configured one is used.
    pub agents: Vec<String>,
    /// The model, if one was named.
    pub model: Option<String>,
    /// Instructions that were added for this review.
    pub instructions: Option<String>,
    /// The skills that were selected for this review instead of the configured ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skills: Option<Vec<String>>,
    /// Whether the review was requested although the settings say to skip it.
    pub anyway: bool,
    /// The commit since which the change was sent, if only a part of it was sent.
    pub since: Option<String>,
    /// The number of times that each agent was asked the same prompt; 0 and 1 mean once.
    #[serde(default)]
    pub runs: u32,
    /// The findings that get a second opinion, if the request named them instead of the settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<Verify>,
}

/// An open run folder. Only one process writes it; the lock shows other processes that this one is alive.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    events: Mutex<File>,
    lock: File,
    cut_off: AtomicBool,
    /// The names of the masked files.
    written: Mutex<BTreeSet<String>>,
}

impl RunFolder {
    /// Creates the folder with its first files and locks it.
    pub fn create(path: &Path, record: &RunRecord) -> io::Result<Self> {
        make_private_folder(path)?;
        let lock = File::create(path.join("run.lock"))?;
        lock.try_lock().map_err(|error| io::Error::other(error.to_string()))?;
        let events = File::options().create(true).append(true).open(path.join("events.jsonl"))?;
        let folder = Self {
            path: path.to_owned(),
            events: Mutex::new(events),
            lock,
            cut_off: AtomicBool::new(false),
            written: Mutex::default(),
        };
        folder.record(record)?;
        Ok(folder)
    }

    /// Returns the folder's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Leaves the run in the state of an interrupted one, so that it can be resumed.
    pub fn leave_cut_off(&self) {
        self.cut_off.store(true, Ordering::Relaxed);
    }

    /// Replaces `run.json`, with the names of the files that were written so far.
    pub fn record(&self, record: &RunRecord) -> io::Result<()> {
        let record = RunRecord { files: self.names().iter().cloned().collect(), ..record.clone() };
        super::places::write_private(&self.path.join("run.json"), &serde_json::to_vec_pretty(&record)?)
    }

    fn names(&self) -> std::sync::MutexGuard<'_, BTreeSet<String>> {
        self.written.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Appends an event and returns it.
    pub fn event(&self, level: Level, event: EventName, data: &Redacted<serde_json::Value>) -> io::Result<Event> {
        let event = Event { ts: now(), level, event, data: data.get().clone() };
        let mut line = serde_json::to_vec(&event)?;
        line.push(b'\n');
        self.events.lock().unwrap_or_else(std::sync::PoisonError::into_inner).write_all(&line)?;
        Ok(event)
    }

    /// Writes a masked text to a file.
    pub fn write(&self, name: &str, text: &Redacted<String>) -> io::Result<()> {
        fs::write(self.place(name)?, text.as_str())?;
        self.names().insert(name.to_owned());
        Ok(())
    }

    /// Writes a masked report as JSON, atomically.
    pub fn write_report(&self, name: &str, report: &Redacted<serde_json::Value>) -> io::Result<()> {
        super::places::write_private(&self.place(name)?, &serde_json::to_vec_pretty(report.get())?)?;
        self.names().insert(name.to_owned());
        Ok(())
    }

    /// Writes bytes as they are. Only for content that the user asked to save unmasked.
    pub fn write_unmasked(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.names().remove(name);
        fs::write(self.path.join(name), bytes)
    }

    /// Returns the path of a file, and creates its folder for a name such as `codex/agent.raw.txt`.
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
        // The system also releases the lock when the file is closed.
        let _ = self.lock.unlock();
        if self.cut_off.load(Ordering::Relaxed) {
            return;
        }
        // A lock file that no process holds has no meaning.
        let _ = fs::remove_file(self.path.join("run.lock"));
    }
}

/// Appends an event to a run that has ended, for actions on its review.
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

/// Writes a report to a run folder whose run has ended.
pub fn write_result(folder: &Path, name: &str, report: &Redacted<serde_json::Value>) -> io::Result<()> {
    super::places::write_private(&folder.join(name), &serde_json::to_vec_pretty(report.get())?)
}

/// Writes a masked text to a folder of a run that has ended.
pub fn write_text_result(folder: &Path, name: &str, text: &Redacted<String>) -> io::Result<()> {
    super::places::write_private(&folder.join(name), text.as_str().as_bytes())
}

/// Returns the interrupted runs, latest first. They are in the state `running`, but no process holds their lock.
pub fn interrupted_runs(runs: &Path) -> Vec<(PathBuf, RunRecord)> {
    let mut found: Vec<(PathBuf, RunRecord)> = fs::read_dir(runs)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let path = entry.path();
            // A run that ended removed its lock file, so that few of thousands of records have to be read.
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

/// Marks an interrupted run whose change was reviewed since, so that the user is not asked about it again.
pub fn settle_interrupted(folder: &Path, mut record: RunRecord) -> io::Result<()> {
    record.state = RunState::Interrupted;
    super::places::write_private(&folder.join("run.json"), &serde_json::to_vec_pretty(&record)?)?;
    fs::remove_file(folder.join("run.lock"))
}

/// Returns the current time, RFC 3339 in UTC with milliseconds.
pub fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}
