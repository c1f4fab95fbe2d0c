//! A stand-in for Cursor's CLI that plays recorded envelopes and misbehaves on request.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

/// A folder with a program `cursor-agent` and the answers that it plays.
pub struct StandIn {
    folder: tempfile::TempDir,
}

impl Default for StandIn {
    fn default() -> Self {
        Self::new()
    }
}

impl StandIn {
    /// Creates a stand-in without answers.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("cursor-agent");
        fs::copy(program, folder.path().join("cursor-agent")).expect("a copy of the program");
        Self { folder }
    }

    /// Returns the folder, for PATH.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the path of the program.
    pub fn program(&self) -> PathBuf {
        self.folder.path().join("cursor-agent")
    }

    /// Sets the output and the exit status of an attempt (from 1).
    #[must_use]
    pub fn plays(self, attempt: u32, stdout: &str, stderr: &str, exit: i32) -> Self {
        for (name, text) in [("stdout", stdout), ("stderr", stderr), ("exit", &exit.to_string())] {
            fs::write(self.folder.path().join(format!("{name}.{attempt}")), text).expect("written");
        }
        self
    }

    /// Sets shell commands that an attempt runs before it prints anything.
    #[must_use]
    pub fn behaves(self, attempt: u32, shell: &str) -> Self {
        fs::write(self.folder.path().join(format!("behave.{attempt}")), shell).expect("written");
        self
    }

    /// Returns an input of an attempt: `argv`, `environment` (names) or `stdin`.
    pub fn given(&self, what: &str, attempt: u32) -> String {
        fs::read_to_string(self.folder.path().join(format!("{what}.{attempt}"))).unwrap_or_default()
    }

    /// Returns how often the program was started.
    pub fn attempts(&self) -> u32 {
        fs::read_to_string(self.folder.path().join("count")).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
    }
}

/// Returns the envelope that Cursor prints around an answer.
pub fn envelope(result: &str) -> String {
    let envelope = json!({ "type": "result", "subtype": "success", "is_error": false, "duration_ms": 1200, "duration_api_ms": 1100,
        "result": result, "session_id": "s-1", "request_id": "r-1" });
    format!("{envelope}\n")
}

/// Returns the envelope that Cursor prints around an error.
pub fn error_envelope(message: &str) -> String {
    format!(
        "{}\n",
        json!({ "type": "result", "subtype": "error", "is_error": true, "result": message, "session_id": "s-1" })
    )
}
