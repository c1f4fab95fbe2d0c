//! Fixes that were applied to the work tree, saved so that each can be undone.

use rusqlite::{OptionalExtension, params};

use super::{Store, StoreError};

/// The origin of a fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FixSource {
    /// A code block of a message.
    Message {
        /// The conversation's ID.
        conversation: String,
        /// The message's number.
        number: i64,
        /// The line of the block in the message, from 0.
        line: i64,
    },
    /// A finding's suggested patch.
    Finding {
        /// The review's ID.
        review: String,
        /// The finding's key.
        finding: String,
    },
}

/// A fix that was applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFix {
    /// The fix's ID.
    pub id: i64,
    /// The origin of the fix.
    pub source: FixSource,
    /// The file's path in the repository.
    pub path: String,
    /// The offset of the edit in the file, in bytes.
    pub at: i64,
    /// The text before the fix.
    pub old: String,
    /// The text after the fix.
    pub new: String,
    /// Whether the fix created the file.
    pub created: bool,
    /// The SHA-256 of the whole file after the fix.
    pub after: String,
    /// The time at which the fix was applied, RFC 3339.
    pub applied_at: String,
    /// The time at which the fix was undone, RFC 3339. `None` while it is applied.
    pub undone_at: Option<String>,
}

const FIX: &str =
    "SELECT id, conversation_id, number, line, review_id, finding_key, path, at, old, new, created, after,
     applied_at, undone_at FROM fix";

fn read_fix(row: &rusqlite::Row<'_>) -> rusqlite::Result<StoredFix> {
    let source = match row.get::<_, Option<String>>(1)? {
        Some(conversation) => FixSource::Message { conversation, number: row.get(2)?, line: row.get(3)? },
        None => FixSource::Finding { review: row.get(4)?, finding: row.get(5)? },
    };
    Ok(StoredFix {
        id: row.get(0)?,
        source,
        path: row.get(6)?,
        at: row.get(7)?,
        old: row.get(8)?,
        new: row.get(9)?,
        created: row.get(10)?,
        after: row.get(11)?,
        applied_at: row.get(12)?,
        undone_at: row.get(13)?,
    })
}

impl StoredFix {
    /// Returns whether the fix is still applied and belongs to this code block of a message.
    pub fn is_of_block(&self, wanted: i64, at: i64) -> bool {
        let same = matches!(&self.source, FixSource::Message { number, line, .. } if (*number, *line) == (wanted, at));
        same && self.undone_at.is_none()
    }

    /// Returns whether the fix is still applied and belongs to this finding.
    pub fn is_of_finding(&self, id: &str) -> bool {
        matches!(&self.source, FixSource::Finding { finding, .. } if finding == id) && self.undone_at.is_none()
    }
}

impl Store {
    /// Saves a fix before its file is written, and returns the fix's ID.
    pub fn add_fix(&self, fix: &StoredFix) -> Result<i64, StoreError> {
        let (conversation, number, line, review, finding) = match &fix.source {
            FixSource::Message { conversation, number, line } => {
                (Some(conversation), Some(number), Some(line), None, None)
            }
            FixSource::Finding { review, finding } => (None, None, None, Some(review), Some(finding)),
        };
        let connection = self.lock();
        connection.execute(
            "INSERT INTO fix (conversation_id, number, line, review_id, finding_key, path, at, old, new, created, after, applied_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            params![
                conversation,
                number,
                line,
                review,
                finding,
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

    /// Returns the fixes that were applied in a conversation, oldest first, including undone ones.
    pub fn fixes(&self, conversation: &str) -> Result<Vec<StoredFix>, StoreError> {
        self.select_fixes("conversation_id = ?1", conversation)
    }

    /// Returns the fixes of a review's findings that are still applied, oldest first.
    pub fn fixes_of_review(&self, review: &str) -> Result<Vec<StoredFix>, StoreError> {
        self.select_fixes("review_id = ?1 AND undone_at IS NULL", review)
    }

    fn select_fixes(&self, which: &str, value: &str) -> Result<Vec<StoredFix>, StoreError> {
        let connection = self.lock();
        let mut query = connection.prepare(&format!("{FIX} WHERE {which} ORDER BY id"))?;
        let rows = query.query_map([value], read_fix)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Returns the fix with this ID.
    pub fn fix(&self, id: i64) -> Result<Option<StoredFix>, StoreError> {
        Ok(self.lock().query_row(&format!("{FIX} WHERE id = ?1"), [id], read_fix).optional()?)
    }

    /// Saves that a fix was undone or was never written.
    pub fn undo_fix(&self, id: i64, time: &str) -> Result<(), StoreError> {
        self.lock().execute("UPDATE fix SET undone_at = ?2 WHERE id = ?1", params![id, time])?;
        Ok(())
    }
}
