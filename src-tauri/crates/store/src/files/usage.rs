//! Measures and frees disk space. Only the given folders are touched, and nothing that is in use.

use std::fs::{self, File};
use std::path::Path;

use super::artifacts::RunRecord;

/// The disk usage of a folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The size of all files, in bytes.
    pub bytes: u64,
    /// The number of files.
    pub files: u64,
    /// The number of folders directly inside.
    pub folders: u64,
}

/// Returns the disk usage of a file, or of a folder with everything below it. Links are not followed.
pub fn size(path: &Path) -> Usage {
    let Ok(about) = fs::symlink_metadata(path) else { return Usage::default() };
    if !about.is_dir() {
        return Usage { bytes: about.len(), files: 1, folders: 0 };
    }
    let mut whole = Usage::default();
    let mut open = vec![(path.to_owned(), true)];
    while let Some((folder, top)) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(about) if about.is_dir() => {
                    whole.folders += u64::from(top);
                    open.push((entry.path(), false));
                }
                Ok(about) => {
                    whole.bytes += about.len();
                    whole.files += 1;
                }
                Err(_) => {}
            }
        }
    }
    whole
}

/// Returns whether a process holds the lock file.
fn is_held(lock: &Path) -> bool {
    File::open(lock).is_ok_and(|lock| lock.try_lock().is_err())
}

/// Removes the folders of runs that started before a time (RFC 3339) and have ended. Returns the number of removed folders.
pub fn remove_runs(runs: &Path, before: &str) -> u64 {
    let mut removed = 0;
    for entry in fs::read_dir(runs).into_iter().flatten().flatten() {
        let path = entry.path();
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) || is_held(&path.join("run.lock")) {
            continue;
        }
        let record: Option<RunRecord> =
            fs::read(path.join("run.json")).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        // For a folder without a record, the modification time is used.
        let began = record.map(|record| record.started_at).or_else(|| {
            let time = entry.metadata().ok()?.modified().ok()?;
            Some(jiff::Timestamp::try_from(time).ok()?.to_string())
        });
        if began.is_some_and(|began| began.as_str() < before) && fs::remove_dir_all(&path).is_ok() {
            removed += 1;
        }
    }
    removed
}

/// Removes agents' rooms that no process uses.
pub fn remove_unlocked(rooms: &Path) {
    for repository in fs::read_dir(rooms).into_iter().flatten().flatten() {
        for slot in fs::read_dir(repository.path()).into_iter().flatten().flatten() {
            if !is_held(&slot.path().join("lock")) {
                // A folder that cannot be removed now is removed by a later call.
                let _ = fs::remove_dir_all(slot.path());
            }
        }
        // This fails unless the folder is empty.
        let _ = fs::remove_dir(repository.path());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_runs_are_removed_and_used_ones_are_not() {
        let root = tempfile::tempdir().expect("a folder");
        let runs = root.path().join("runs");
        let record = |name: &str, started_at: &str| {
            let folder = runs.join(name);
            fs::create_dir_all(&folder).expect("made");
            let record = serde_json::json!({ "run_id": name, "version": "0", "state": "done", "repository": null, "target": {},
                "fingerprint": null, "agent": null, "started_at": started_at, "finished_at": null, "timings": diffsan_review::Timings::default(), "error": null });
            fs::write(folder.join("run.json"), record.to_string()).expect("written");
            folder
        };
        record("old", "2024-01-01T00:00:00.000Z");
        record("new", "2026-01-01T00:00:00.000Z");
        let held = record("held", "2024-01-01T00:00:00.000Z");
        let lock = File::create(held.join("run.lock")).expect("made");
        lock.lock().expect("locked");
        fs::create_dir_all(root.path().join("outside")).expect("made");
        #[cfg(unix)]
        std::os::unix::fs::symlink(root.path().join("outside"), runs.join("link")).expect("linked");
        assert_eq!(remove_runs(&runs, "2025"), 1);
        assert_eq!(
            (runs.join("new").exists(), held.exists(), root.path().join("outside").exists()),
            (true, true, true)
        );
        assert_eq!(size(&runs).folders, 2);
        drop(lock);
        assert_eq!(remove_runs(&runs, "9999"), 2);
        assert!(root.path().join("outside").exists());
    }
}
