//! Persistent state in one SQLite file: repositories, reviews with their decisions, conversations, and the interface's state.
//!
//! Input and output are this crate's own types. Several processes may use the file at once. A decision is on disk before the call returns.

pub mod event;
pub mod files;
pub mod secrets;

mod conversations;
mod copies;
mod error;
mod fixes;
mod history;
mod inbox;
mod lock;
mod migrations;
mod open;
mod posting;
mod queue;
mod recovery;
mod refutations;
mod retention;
mod reviews;
mod track_record;
mod trust;
mod viewed;

pub use conversations::{Compaction, Conversation, MessageState, StoredMessage};
pub use copies::{copy_state, restore_state};
pub use error::StoreError;
pub use fixes::{FixSource, StoredFix};
pub use history::{Brief, HistoryCursor, HistoryKind, HistoryPlace, HistoryQuery, HistoryRow, MARKS, SearchHit};
pub use inbox::{LatestReview, StoredInboxItem, StoredPrefetch, StoredResponse};
pub use open::{Aside, Opening};
pub use queue::{QueueItemChange, QueueUsage, StoredQueueItem, StoredQueueRun};
pub use refutations::StoredRefutation;
pub use reviews::{Reviews, StoredDecision, StoredReview};
pub use track_record::{FindingHistory, FindingId};
pub use trust::StoredTrust;

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OptionalExtension, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use lock::Lock;
pub use posting::{PostingPlace, StoredPosting, StoredPostingItem};

/// The state file. Several processes may have it open.
#[derive(Debug)]
pub struct Store {
    connection: Mutex<Connection>,
    opening: Opening,
    /// The shared lock, held while the file is in use.
    _lock: Option<Lock>,
    /// The copy that is read if the original cannot be written. It is removed with the store.
    _copy: Option<tempfile::TempDir>,
}

/// A masked value that the user marked as not secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AllowedValue {
    /// The keyed digest of the value, as in the redaction reports.
    pub value: String,
    /// The rule that classified the value as a secret.
    pub rule: String,
    /// The place where the value was found.
    pub place: String,
}

impl Drop for Store {
    fn drop(&mut self) {
        // Notes damage that the last call found.
        drop(self.lock());
    }
}

impl Store {
    /// Opens the file, creates it if it does not exist, and migrates it to the current schema. [`Self::opening`] reports recovery
    /// and read-only mode.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let open::OpenFile { connection, lock, opening, copy } = open::open(path)?;
        Ok(Self { connection: Mutex::new(connection), opening, _lock: lock, _copy: copy })
    }

    /// Creates a store in memory, which ends with the process.
    pub fn in_memory() -> Result<Self, StoreError> {
        let mut connection = Connection::open_in_memory()?;
        open::set_up(&mut connection, false)?;
        Ok(Self { connection: Mutex::new(connection), opening: Opening::default(), _lock: None, _copy: None })
    }

    /// Returns how opening the file went: recovery and read-only mode.
    pub fn opening(&self) -> &Opening {
        &self.opening
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        if error::take_damage_seen() {
            // If this fails as well, the next start finds the damage when it reads the same table.
            let _ = recovery::require_check(&connection);
        }
        connection
    }

    /// Saves that a repository was opened. Does not wait for the disk; the next decision makes it durable.
    pub fn repository_opened(&self, path: &str, time: &str) -> Result<(), StoreError> {
        let connection = self.lock();
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        let kept = connection.execute(
            "INSERT INTO repository (path, opened_at) VALUES (?1, ?2)
             ON CONFLICT (path) DO UPDATE SET opened_at = excluded.opened_at",
            params![path, time],
        );
        connection.pragma_update(None, "synchronous", "FULL")?;
        kept?;
        Ok(())
    }

    /// Returns recently opened repositories, latest first.
    pub fn recent_repositories(&self, limit: u32) -> Result<Vec<String>, StoreError> {
        let connection = self.lock();
        let mut query = connection.prepare("SELECT path FROM repository ORDER BY opened_at DESC LIMIT ?1")?;
        let rows = query.query_map([limit], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Returns the values of a repository that the user marked as not secret.
    pub fn allowed_secrets(&self, repository: &str) -> Result<Vec<AllowedValue>, StoreError> {
        let connection = self.lock();
        let mut query = connection.prepare(
            "SELECT value, rule, place FROM allowed_secret WHERE repository = ?1 ORDER BY allowed_at, value",
        )?;
        let rows = query.query_map([repository], |row| {
            Ok(AllowedValue { value: row.get(0)?, rule: row.get(1)?, place: row.get(2)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Saves that a value of a repository is not secret.
    pub fn allow_secret(&self, repository: &str, allowed: &AllowedValue, time: &str) -> Result<(), StoreError> {
        self.lock().execute(
            "INSERT INTO allowed_secret (repository, value, rule, place, allowed_at) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (repository, value) DO NOTHING",
            params![repository, allowed.value, allowed.rule, allowed.place, time],
        )?;
        Ok(())
    }

    /// Removes a value that was saved by [`Self::allow_secret`].
    pub fn forbid_secret(&self, repository: &str, value: &str) -> Result<(), StoreError> {
        self.lock().execute("DELETE FROM allowed_secret WHERE repository = ?1 AND value = ?2", [repository, value])?;
        Ok(())
    }

    /// Returns an entry of the interface's state.
    pub fn state(&self, key: &str) -> Result<Option<String>, StoreError> {
        Ok(self.lock().query_row("SELECT value FROM state WHERE key = ?1", [key], |row| row.get(0)).optional()?)
    }

    /// Saves an entry of the interface's state. `None` removes it.
    pub fn set_state(&self, key: &str, value: Option<&str>) -> Result<(), StoreError> {
        match value {
            Some(value) => self.lock().execute(
                "INSERT INTO state (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                [key, value],
            )?,
            None => self.lock().execute("DELETE FROM state WHERE key = ?1", [key])?,
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allowed_secrets_are_stored_by_repository() {
        let store = Store::in_memory().expect("opened");
        let allowed = AllowedValue { value: "d".into(), rule: "r".into(), place: "a.py:1".into() };
        store.allow_secret("/r", &allowed, "t").expect("kept");
        store.allow_secret("/r", &allowed, "t").expect("kept once");
        assert_eq!(store.allowed_secrets("/r").expect("read"), [allowed]);
        assert_eq!(store.allowed_secrets("/other").expect("read"), []);
        store.forbid_secret("/r", "d").expect("taken back");
        assert_eq!(store.allowed_secrets("/r").expect("read"), []);
    }

    #[test]
    fn two_processes_may_write() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("state.sqlite3");
        let stores = [Store::open(&path).expect("one"), Store::open(&path).expect("two")];
        std::thread::scope(|scope| {
            for (index, store) in stores.iter().enumerate() {
                scope.spawn(move || {
                    for count in 0..50 {
                        store.set_state(&format!("{index}.{count}"), Some("x")).expect("kept");
                    }
                });
            }
        });
        assert_eq!(stores[0].state("1.49").expect("read").as_deref(), Some("x"));
    }

    #[test]
    fn a_file_of_a_newer_program_is_left_alone() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("state.sqlite3");
        let connection = Connection::open(&path).expect("opened");
        connection.pragma_update(None, "user_version", 999).expect("set");
        drop(connection);
        assert!(matches!(Store::open(&path), Err(StoreError::Newer { found: 999, .. })));
    }
}
