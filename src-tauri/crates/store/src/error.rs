//! Errors of the store, distinguished by how a user can resolve them.

use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::{Error, ErrorCode, ffi};

/// An error of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Any other SQLite error.
    #[error("the state file could not be used: {0}")]
    Sqlite(Error),
    /// The file was written by a later version of the program.
    #[error(
        "the state file was written by a newer version of diffsan (the file has version {found}, this program supports {known})"
    )]
    Newer {
        /// The schema version of the file.
        found: i64,
        /// The latest schema version that this program supports.
        known: i64,
    },
    /// Another process holds the write lock for longer than the timeout.
    #[error("the state file is locked by another program")]
    Busy,
    /// Writing failed because the disk, a quota or a size limit is full.
    #[error("the state file cannot be written, because the disk is full")]
    Full,
    /// The file can be read but not written.
    #[error("the state file cannot be written: the file or its folder is read-only, or the disk was full at the start")]
    ReadOnly,
    /// The file is damaged or not a state file.
    #[error("the state file is damaged")]
    Damaged,
    /// The file is damaged, and other processes still use it.
    #[error("the state file is damaged, and another diffsan is still using it")]
    DamagedInUse,
    /// The file exists but cannot be opened.
    #[error("the state file cannot be opened: {0}")]
    Unreadable(String),
    /// Creating the folder, or moving a file beside it, failed.
    #[error("the state file could not be used: {0}")]
    Io(std::io::Error),
}

/// Whether SQLite found damage that is not yet noted in the file.
static DAMAGE_SEEN: AtomicBool = AtomicBool::new(false);

/// Returns whether SQLite found damage since the last call.
pub(super) fn take_damage_seen() -> bool {
    DAMAGE_SEEN.swap(false, Ordering::Relaxed)
}

/// Extended codes of write failures that mean that there is no room, besides `SQLITE_FULL`: a quota, or a limit on the file's size.
const NO_ROOM: [i32; 4] =
    [ffi::SQLITE_IOERR_WRITE, ffi::SQLITE_IOERR_FSYNC, ffi::SQLITE_IOERR_TRUNCATE, ffi::SQLITE_IOERR_SHMSIZE];

impl From<Error> for StoreError {
    fn from(error: Error) -> Self {
        let Some(sqlite) = error.sqlite_error() else { return Self::Sqlite(error) };
        match sqlite.code {
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
                DAMAGE_SEEN.store(true, Ordering::Relaxed);
                Self::Damaged
            }
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Self::Busy,
            ErrorCode::DiskFull => Self::Full,
            ErrorCode::SystemIoFailure if NO_ROOM.contains(&sqlite.extended_code) => Self::Full,
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
