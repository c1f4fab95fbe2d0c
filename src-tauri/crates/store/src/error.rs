//! Why something could not be remembered or recalled, told apart by what a person can do about it.

use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::{Error, ErrorCode, ffi};

/// Why something could not be remembered or recalled.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// SQLite's own failure.
    #[error("the state file could not be used: {0}")]
    Sqlite(Error),
    /// Made by a later version of the program.
    #[error("the state file was written by a newer diffsan (its version is {found}, this one knows {known})")]
    Newer {
        /// Its version.
        found: i64,
        /// The latest known.
        known: i64,
    },
    /// Another process writes and does not come to an end.
    #[error("another program has kept the state file busy for too long")]
    Busy,
    /// Nothing could be written: the disk, a quota or a limit is full.
    #[error("there is no room left to write to the state file")]
    Full,
    /// It may be read, not written.
    #[error(
        "the state file cannot be written: its folder or the file itself is read-only, or there was no room at the start"
    )]
    ReadOnly,
    /// What stands in it is no state.
    #[error("the state file is damaged")]
    Damaged,
    /// It is damaged, and other processes still write it.
    #[error("the state file is damaged, and another diffsan still uses it")]
    DamagedInUse,
    /// It is there and cannot be opened.
    #[error("the state file cannot be opened: {0}")]
    Unreadable(String),
    /// Its folder cannot be made, or a file beside it not moved.
    #[error("the state file could not be used: {0}")]
    Io(std::io::Error),
}

/// Whether SQLite found damage that is not noted in the file yet.
static DAMAGE_SEEN: AtomicBool = AtomicBool::new(false);

/// Returns whether SQLite found damage since the last call.
pub(super) fn take_damage_seen() -> bool {
    DAMAGE_SEEN.swap(false, Ordering::Relaxed)
}

/// Failures of writing that mean that there is no room, besides the one that says so: a quota, a limit on the file's size.
const NO_ROOM: [i32; 4] =
    [ffi::SQLITE_IOERR_WRITE, ffi::SQLITE_IOERR_FSYNC, ffi::SQLITE_IOERR_TRUNCATE, ffi::SQLITE_IOERR_SHMSIZE];

impl From<Error> for StoreError {
    fn from(error: Error) -> Self {
        let Some(told) = error.sqlite_error() else { return Self::Sqlite(error) };
        match told.code {
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
                DAMAGE_SEEN.store(true, Ordering::Relaxed);
                Self::Damaged
            }
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Self::Busy,
            ErrorCode::DiskFull => Self::Full,
            ErrorCode::SystemIoFailure if NO_ROOM.contains(&told.extended_code) => Self::Full,
            ErrorCode::ReadOnly => Self::ReadOnly,
            ErrorCode::CannotOpen | ErrorCode::PermissionDenied => Self::Unreadable(error.to_string()),
            _ => Self::Sqlite(error),
        }
    }
}

impl From<std::io::Error> for StoreError {
    fn from(error: std::io::Error) -> Self {
        use std::io::ErrorKind;
        match error.kind() {
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Self::ReadOnly,
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => Self::Full,
            _ => Self::Io(error),
        }
    }
}
