//! Starts a run: gives it an id, and creates its folder with its record.

use std::path::PathBuf;

use crate::error::{Error, ErrorCode};
use crate::open::OpenChange;
use diffsan_review::Timings;
use diffsan_store::files::artifacts::{RunFolder, RunRecord, RunState, now};
use diffsan_store::files::places::{Places, random_word};

/// A run that was just started.
pub(crate) struct StartedRun {
    /// The identifier of the run.
    pub(crate) id: String,
    /// The path of its folder.
    pub(crate) path: PathBuf,
    /// Its folder.
    pub(crate) folder: RunFolder,
    /// Its record, as written.
    pub(crate) record: RunRecord,
}

/// Returns the identifier of a new run. It begins with the time, so that run folders are listed by age.
pub fn new_run_id() -> String {
    let stamp: String = now().chars().filter(char::is_ascii_digit).take(14).collect();
    format!("{stamp}-{}", random_word(3).unwrap_or_else(|_| std::process::id().to_string()))
}

/// Starts a run in the folder `path`, or in a new one under the data folder. `agents` names who is asked; it may be empty. The texts of
/// the record are masked. An error comes with the path of the folder. Blocks.
pub(crate) fn start_run(
    places: &Places,
    opened: &OpenChange,
    id: String,
    path: Option<PathBuf>,
    agents: &str,
) -> Result<StartedRun, (PathBuf, Error)> {
    let started_at = now();
    let path = path.unwrap_or_else(|| places.runs().join(&id));
    let record = RunRecord {
        run_id: id.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        state: RunState::Running,
        repository: opened.written_root(),
        target: opened.written_target().clone(),
        fingerprint: Some(opened.fingerprint.value.clone()),
        agent: Some(opened.written("agent", agents)).filter(|names| !names.is_empty()),
        started_at,
        finished_at: None,
        timings: Timings { fetch_ms: opened.fetch_ms, ..Timings::default() },
        error: None,
        // A review stores its request later, when the secrets of the change are known, because it may contain one.
        request: None,
        files: Vec::new(),
    };
    match RunFolder::create(&path, &record) {
        Ok(folder) => Ok(StartedRun { id, path, folder, record }),
        Err(error) => {
            let message = format!("The run folder {} cannot be created: {error}.", path.display());
            let error = Error::new(ErrorCode::IoFailed, message)
                .hint("Check that the folder is writable and that no other run uses it.");
            Err((path, error))
        }
    }
}
