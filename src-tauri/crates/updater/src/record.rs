//! The record of an update that is being installed: files in the folder `update` of the data folder. It survives a kill.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use diffsan_store::files::places::{Places, make_private_folder, write_private};
use serde::{Deserialize, Serialize};

/// An update between the request to install it and the start of the new version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The version that requested the update.
    pub(crate) from: String,
    /// The new version.
    pub(crate) to: String,
    /// The program's file.
    pub(crate) target: PathBuf,
    /// The size of the new version.
    pub(crate) size: u64,
    /// The SHA-256 sum of the new version, in hexadecimal.
    pub(crate) sha256: String,
    /// Whether the files may have been exchanged.
    pub(crate) exchanged: bool,
}

/// The files of an update in the data folder.
#[derive(Clone, Debug)]
pub(crate) struct UpdateFolder(PathBuf);

impl UpdateFolder {
    pub(crate) fn of(places: &Places) -> Self {
        Self(places.data.join("update"))
    }

    fn record(&self) -> PathBuf {
        self.0.join("restart.json")
    }

    fn outcome(&self) -> PathBuf {
        self.0.join("outcome.txt")
    }

    /// Returns the path of the copy of the state file.
    pub(crate) fn state_copy(&self) -> PathBuf {
        self.0.join("state.sqlite3")
    }

    /// Returns the path of the file that the new version creates when it has started.
    pub(crate) fn started(&self) -> PathBuf {
        self.0.join("started")
    }

    /// Acquires the lock of the process that exchanges the files, or returns `None` if another process has it.
    pub(crate) fn lock(&self) -> io::Result<Option<File>> {
        make_private_folder(&self.0)?;
        let file = File::options().create(true).truncate(false).write(true).open(self.0.join("lock"))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => Err(error),
        }
    }

    /// Whether an update ever began here.
    pub(crate) fn exists(&self) -> bool {
        self.0.is_dir()
    }

    pub(crate) fn read(&self) -> Option<Record> {
        fs::read(self.record()).ok().and_then(|text| serde_json::from_slice(&text).ok())
    }

    pub(crate) fn write(&self, record: &Record) -> io::Result<()> {
        make_private_folder(&self.0)?;
        write_private(&self.record(), &serde_json::to_vec_pretty(record)?)?;
        File::open(self.record())?.sync_all()
    }

    /// Removes the record and the files that belong to it.
    pub(crate) fn remove(&self) {
        // The record is last: as long as it exists, the next start removes the rest.
        for path in [self.state_copy(), self.started(), self.record()] {
            // A file that cannot be removed is removed after the next start.
            let _ = fs::remove_file(path);
        }
    }

    /// Returns the message about an update that failed.
    pub(crate) fn read_outcome(&self) -> Option<String> {
        fs::read_to_string(self.outcome()).ok().filter(|text| !text.is_empty())
    }

    /// Saves the message about an update that failed, or removes it.
    pub(crate) fn set_outcome(&self, message: Option<&str>) -> io::Result<()> {
        match message {
            Some(message) => {
                make_private_folder(&self.0)?;
                write_private(&self.outcome(), message.as_bytes())
            }
            None => match fs::remove_file(self.outcome()) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            },
        }
    }

    /// Creates the file that says that this version has started, if a process waits for it.
    pub(crate) fn say_started(&self, named: Option<&Path>) -> io::Result<()> {
        // The variable may be inherited from elsewhere.
        if named.is_some_and(|named| named == self.started()) { write_private(&self.started(), b"") } else { Ok(()) }
    }
}
