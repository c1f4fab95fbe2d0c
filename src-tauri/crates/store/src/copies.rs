//! Copies of the state file: one is made before a newer program migrates the file, and restored if that program does not start.

use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::StoreError;
use super::lock::Lock;

/// The pages that one step copies.
const STEP_PAGES: i32 = 4096;
/// The time for which a copy waits while other processes write the file, counted from its beginning.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// The pause before a step is repeated because the file is busy.
const RETRY_PAUSE: Duration = Duration::from_millis(20);

/// Copies a state file, with all changes that are still in its log. Other processes may use the file. Does nothing without a file.
/// Blocks.
pub fn copy_state(state: &Path, copy: &Path) -> Result<(), StoreError> {
    remove_copy(copy)?;
    if !state.exists() {
        return Ok(());
    }
    let _lock = Lock::shared(state)?;
    let from = Connection::open_with_flags(state, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let mut to = Connection::open(copy)?;
    // A copy needs no log. An incomplete one is never used.
    to.pragma_update(None, "journal_mode", "OFF")?;
    let result = transfer(&from, &mut to);
    drop(to);
    match result.and_then(|()| Ok(File::open(copy)?.sync_all()?)) {
        Ok(()) => Ok(()),
        Err(error) => {
            // The error that is reported is the first one.
            let _ = remove_copy(copy);
            Err(error)
        }
    }
}

/// Restores a state file from its copy if a program with another schema has migrated it. Otherwise nothing is changed, so that reviews
/// that other processes have saved since stay. Returns whether the copy was restored. Blocks.
pub fn restore_state(state: &Path, copy: &Path) -> Result<bool, StoreError> {
    if !copy.exists() {
        return Ok(false);
    }
    let _lock = Lock::shared(state)?;
    let from = Connection::open_with_flags(copy, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut to = Connection::open(state)?;
    to.busy_timeout(BUSY_TIMEOUT)?;
    if schema_version(&to).is_ok_and(|found| schema_version(&from).is_ok_and(|expected| found == expected)) {
        return Ok(false);
    }
    // One transaction: after a kill, the file is as before.
    transfer(&from, &mut to)?;
    Ok(true)
}

/// Removes a copy.
fn remove_copy(copy: &Path) -> Result<(), StoreError> {
    match fs::remove_file(copy) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

fn schema_version(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

fn transfer(from: &Connection, to: &mut Connection) -> Result<(), StoreError> {
    from.busy_timeout(BUSY_TIMEOUT)?;
    let backup = Backup::new(from, to)?;
    let began = std::time::Instant::now();
    loop {
        match backup.step(STEP_PAGES)? {
            StepResult::Done => return Ok(()),
            StepResult::Busy | StepResult::Locked if began.elapsed() > BUSY_TIMEOUT => return Err(StoreError::Busy),
            StepResult::Busy | StepResult::Locked => std::thread::sleep(RETRY_PAUSE),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::Store;

    /// Returns a folder with the paths of a state file and of its copy.
    fn paths() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let (state, copy) = (folder.path().join("diffsan.sqlite3"), folder.path().join("copy.sqlite3"));
        (folder, state, copy)
    }

    #[test]
    fn a_migrated_file_is_restored_with_everything_that_was_saved() {
        let (_folder, state, copy) = paths();
        let store = Store::open(&state).expect("opened");
        store.set_state("draft", Some("unposted")).expect("saved");
        // The last change is still in the log.
        copy_state(&state, &copy).expect("copied");
        drop(store);
        let newer = Connection::open(&state).expect("opened");
        newer.execute_batch("DROP TABLE state; CREATE TABLE other (x); PRAGMA user_version = 999;").expect("migrated");
        drop(newer);
        assert!(matches!(Store::open(&state), Err(StoreError::Newer { .. })));
        assert!(restore_state(&state, &copy).expect("restored"));
        let store = Store::open(&state).expect("opened again");
        assert_eq!(store.state("draft").expect("read").as_deref(), Some("unposted"));
    }

    #[test]
    fn a_file_that_was_not_migrated_keeps_later_changes() {
        let (_folder, state, copy) = paths();
        let store = Store::open(&state).expect("opened");
        copy_state(&state, &copy).expect("copied");
        store.set_state("later", Some("saved")).expect("saved");
        assert!(!restore_state(&state, &copy).expect("checked"));
        assert_eq!(store.state("later").expect("read").as_deref(), Some("saved"));
    }

    #[test]
    fn a_damaged_file_is_restored() {
        let (_folder, state, copy) = paths();
        let store = Store::open(&state).expect("opened");
        store.set_state("draft", Some("unposted")).expect("saved");
        copy_state(&state, &copy).expect("copied");
        drop(store);
        fs::write(&state, "").expect("emptied");
        assert!(restore_state(&state, &copy).expect("restored"));
        assert_eq!(Store::open(&state).expect("opened").state("draft").expect("read").as_deref(), Some("unposted"));
    }

    #[test]
    fn without_a_file_there_is_no_copy() {
        let (_folder, state, copy) = paths();
        copy_state(&state, &copy).expect("nothing to do");
        assert!(!copy.exists());
        assert!(!restore_state(&state, &copy).expect("nothing to do"));
    }
}
