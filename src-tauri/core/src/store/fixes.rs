//! Fixes that were applied to the work tree, so that each can be undone.

use rusqlite::{OptionalExtension, params};

use super::{Store, StoreError};

/// A fix that was applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFix {
    /// Its name.
    pub id: i64,
    /// The conversation.
    pub conversation: String,
    /// The message whose block it is.
    pub number: i64,
    /// The block's line in the message, from 0.
    pub line: i64,
    /// The file, inside the repository.
    pub path: String,
    /// Where in the file, in bytes.
    pub at: i64,
    /// What stood there.
    pub old: String,
    /// What stands there now.
    pub new: String,
    /// Whether the file was made by it.
    pub created: bool,
    /// SHA-256 of the file with it.
    pub after: String,
    /// RFC 3339.
    pub applied_at: String,
    /// RFC 3339; none while it stands.
    pub undone_at: Option<String>,
}

const FIX: &str =
    "SELECT id, conversation_id, number, line, path, at, old, new, created, after, applied_at, undone_at FROM fix";

fn read_fix(row: &rusqlite::Row<'_>) -> rusqlite::Result<StoredFix> {
    Ok(StoredFix {
        id: row.get(0)?,
        conversation: row.get(1)?,
        number: row.get(2)?,
        line: row.get(3)?,
        path: row.get(4)?,
        at: row.get(5)?,
        old: row.get(6)?,
        new: row.get(7)?,
        created: row.get(8)?,
        after: row.get(9)?,
        applied_at: row.get(10)?,
        undone_at: row.get(11)?,
    })
}

impl Store {
    /// Replaces what a review came to: the reviewer added a finding.
    pub fn set_review_output(&self, id: &str, output: &str) -> Result<(), StoreError> {
        self.lock().execute("UPDATE review SET output = ?2 WHERE id = ?1", [id, output])?;
        Ok(())
    }

    /// Keeps that a fix is applied, before the file is written.
    pub fn add_fix(&self, fix: &StoredFix) -> Result<i64, StoreError> {
        let connection = self.lock();
        connection.execute(
            "INSERT INTO fix (conversation_id, number, line, path, at, old, new, created, after, applied_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            params![
                fix.conversation,
                fix.number,
                fix.line,
                fix.path,
                fix.at,
                fix.old,
                fix.new,
                fix.created,
                fix.after,
                fix.applied_at
            ],
        )?;
        Ok(connection.last_insert_rowid())
    }

    /// The fixes that were applied in a conversation, oldest first.
    pub fn fixes(&self, conversation: &str) -> Result<Vec<StoredFix>, StoreError> {
        let connection = self.lock();
        let mut query = connection.prepare(&format!("{FIX} WHERE conversation_id = ?1 ORDER BY id"))?;
        let rows = query.query_map([conversation], read_fix)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// A fix by its name.
    pub fn fix(&self, id: i64) -> Result<Option<StoredFix>, StoreError> {
        Ok(self.lock().query_row(&format!("{FIX} WHERE id = ?1"), [id], read_fix).optional()?)
    }

    /// Keeps that a fix was undone, or was never written.
    pub fn undo_fix(&self, id: i64, time: &str) -> Result<(), StoreError> {
        self.lock().execute("UPDATE fix SET undone_at = ?2 WHERE id = ?1", params![id, time])?;
        Ok(())
    }
}
