//! Makes a bundle from a run folder.

use std::path::Path;

use diffsan_agent::SearchPath;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_pipeline::review::RECORD_FILE;
use diffsan_store::files::artifacts::{RunRecord, RunState};

use crate::archive::{self, Files, MAX_BUNDLE_BYTES, is_allowed};
use crate::manifest::{FORMAT, MANIFEST, Manifest, SIGNATURE, Versions, comment, sha256};
use crate::replay::review_of;
use crate::signature::SigningProgram;

/// The files of every run folder that the list of the run does not name.
const ALWAYS: [&str; 2] = ["run.json", "events.jsonl"];

/// A bundle.
#[derive(Clone, Debug)]
pub struct Sealed {
    /// The bytes of the zip file.
    pub bytes: Vec<u8>,
    /// The manifest.
    pub manifest: Manifest,
    /// The SHA-256 of the manifest in hexadecimal, which identifies the bundle.
    pub digest: String,
}

/// Makes a bundle of the files that a run wrote, and signs it with the SSH key in the file `key` if there is one. Refuses a run whose review
/// is not the one that its record gives. Blocks.
pub fn seal(run: &Path, key: Option<&Path>, search: &SearchPath) -> Result<Sealed> {
    let record = RunRecord::read(run).ok_or_else(|| {
        Error::new(ErrorCode::NotFound, format!("{} is not a run folder.", run.display()))
            .hint("Name a run by its identifier, `last`, or its folder.")
    })?;
    check_state(&record, run)?;
    let mut files = Files::new();
    for name in ALWAYS.into_iter().chain(record.files.iter().map(String::as_str)) {
        files.insert(name.to_owned(), read(run, name)?);
    }
    let (placing, _) = review_of(&files)?;
    let manifest = Manifest {
        format: FORMAT,
        run_id: record.run_id,
        versions: Versions {
            reviewed: record.version,
            sealed: env!("CARGO_PKG_VERSION").to_owned(),
            placing: placing.format,
            redaction: redaction(&files),
        },
        files: Manifest::files_of(&files),
    };
    let mut text = serde_json::to_vec_pretty(&manifest)?;
    text.push(b'\n');
    let comment = comment(&text);
    if let Some(key) = key {
        files.insert(SIGNATURE.to_owned(), SigningProgram::find(search)?.sign(&text, key)?);
    }
    let digest = sha256(&text);
    files.insert(MANIFEST.to_owned(), text);
    let bytes = archive::write(&files, &comment)
        .map_err(|error| Error::new(ErrorCode::Internal, format!("The bundle cannot be written: {error}.")))?;
    if bytes.len() as u64 > MAX_BUNDLE_BYTES {
        return Err(Error::new(ErrorCode::InvalidInput, "The run is too large for a bundle."));
    }
    Ok(Sealed { bytes, manifest, digest })
}

fn check_state(record: &RunRecord, run: &Path) -> Result<()> {
    let what = match record.state {
        RunState::Done if record.files.iter().any(|name| name == RECORD_FILE) => return Ok(()),
        RunState::Done => {
            let message = format!(
                "The run {} was made by an earlier version, which did not save {RECORD_FILE}. It cannot be sealed.",
                record.run_id
            );
            return Err(Error::new(ErrorCode::InvalidInput, message).hint("Review the change again."));
        }
        RunState::Running | RunState::Interrupted => "was cut off, or has not ended",
        RunState::Skipped => "was skipped",
        RunState::Failed => "failed",
        RunState::Cancelled => "was cancelled",
    };
    let message = format!("The run {} {what}, so it has no review to seal.", record.run_id);
    Err(Error::new(ErrorCode::InvalidInput, message)
        .hint("Resume the run or review the change again, then seal that run.")
        .with("run_dir", run.display().to_string()))
}

fn read(run: &Path, name: &str) -> Result<Vec<u8>> {
    let failed = |reason: String| {
        Error::new(ErrorCode::InvalidInput, format!("{name} of the run cannot be sealed: {reason}."))
            .hint("The run folder was changed after the run. Review the change again.")
            .with("file", name)
    };
    if !is_allowed(name) {
        return Err(failed("its name is not allowed".to_owned()));
    }
    let path = run.join(name);
    let is_file =
        std::fs::symlink_metadata(&path).map(|meta| meta.is_file()).map_err(|error| failed(error.to_string()))?;
    if !is_file {
        return Err(failed("it is not a file".to_owned()));
    }
    diffsan_bounded::read(&path, MAX_BUNDLE_BYTES).map_err(|error| failed(error.to_string()))
}

/// Returns the version of the redaction rules, as the settings of the run have it.
fn redaction(files: &Files) -> Option<String> {
    let settings: serde_json::Value = serde_json::from_slice(files.get("settings.json")?).ok()?;
    settings["redaction"].as_str().map(str::to_owned)
}
