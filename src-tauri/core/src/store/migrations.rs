//! The state file's shape, version by version. A step that was released is never changed; a new one is added.

use rusqlite::{Connection, TransactionBehavior};

use super::StoreError;

pub(super) const STEPS: &[&str] = &[
    // 1
    "CREATE TABLE repository (path TEXT PRIMARY KEY, opened_at TEXT NOT NULL) STRICT;
     CREATE TABLE review (
         id TEXT PRIMARY KEY,
         repository TEXT NOT NULL,
         target TEXT NOT NULL,
         fingerprint TEXT NOT NULL,
         created_at TEXT NOT NULL,
         run_dir TEXT NOT NULL,
         output TEXT NOT NULL,
         facts TEXT NOT NULL
     ) STRICT;
     CREATE INDEX review_of_change ON review (repository, target, created_at);
     CREATE TABLE decision (
         review_id TEXT NOT NULL REFERENCES review (id) ON DELETE CASCADE,
         finding_id TEXT NOT NULL,
         decision TEXT NOT NULL,
         reason TEXT,
         decided_at TEXT NOT NULL,
         PRIMARY KEY (review_id, finding_id)
     ) STRICT;
     CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;",
    // 2: what a reviewer said is no secret, by its keyed digest.
    "CREATE TABLE allowed_secret (
         repository TEXT NOT NULL,
         value TEXT NOT NULL,
         rule TEXT NOT NULL,
         place TEXT NOT NULL,
         allowed_at TEXT NOT NULL,
         PRIMARY KEY (repository, value)
     ) STRICT;",
    // 3: what is posted to GitLab, written before each request.
    "CREATE TABLE posting (
         id INTEGER PRIMARY KEY,
         host TEXT NOT NULL,
         project TEXT NOT NULL,
         iid INTEGER NOT NULL,
         review_id TEXT,
         plan TEXT NOT NULL,
         begun_at TEXT NOT NULL,
         ended_at TEXT
     ) STRICT;
     CREATE INDEX posting_of_request ON posting (host, project, iid, begun_at);
     CREATE TABLE posting_item (
         posting INTEGER NOT NULL REFERENCES posting (id) ON DELETE CASCADE,
         key TEXT NOT NULL,
         state TEXT NOT NULL,
         note INTEGER,
         detail TEXT,
         at TEXT NOT NULL,
         PRIMARY KEY (posting, key)
     ) STRICT;
     CREATE TABLE secret_name (name TEXT PRIMARY KEY, kept_at TEXT NOT NULL) STRICT;",
    // 4: conversations. A message is never changed once it is done, and never removed: what was edited is marked as superseded.
    "CREATE TABLE conversation (
         id TEXT PRIMARY KEY,
         repository TEXT NOT NULL,
         target TEXT NOT NULL,
         title TEXT NOT NULL,
         fingerprint TEXT NOT NULL,
         context TEXT NOT NULL,
         marker TEXT NOT NULL,
         agent TEXT NOT NULL,
         model TEXT,
         created_at TEXT NOT NULL,
         updated_at TEXT NOT NULL,
         busy_by TEXT,
         busy_until INTEGER NOT NULL DEFAULT 0
     ) STRICT;
     CREATE INDEX conversation_of_change ON conversation (repository, target, updated_at);
     CREATE TABLE message (
         conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
         number INTEGER NOT NULL,
         role TEXT NOT NULL,
         state TEXT NOT NULL,
         text TEXT NOT NULL,
         sent TEXT NOT NULL,
         attached TEXT NOT NULL,
         facts TEXT NOT NULL,
         superseded INTEGER NOT NULL DEFAULT 0,
         created_at TEXT NOT NULL,
         PRIMARY KEY (conversation_id, number)
     ) STRICT;
     CREATE TABLE compaction (
         id INTEGER PRIMARY KEY AUTOINCREMENT,
         conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
         through INTEGER NOT NULL,
         intent TEXT NOT NULL,
         summary TEXT NOT NULL,
         facts TEXT NOT NULL,
         created_at TEXT NOT NULL
     ) STRICT;
     CREATE TABLE allowance (
         conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
         what TEXT NOT NULL,
         PRIMARY KEY (conversation_id, what)
     ) STRICT;
     CREATE TABLE fix (
         id INTEGER PRIMARY KEY AUTOINCREMENT,
         conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
         number INTEGER NOT NULL,
         line INTEGER NOT NULL,
         path TEXT NOT NULL,
         at INTEGER NOT NULL,
         old TEXT NOT NULL,
         new TEXT NOT NULL,
         created INTEGER NOT NULL,
         after TEXT NOT NULL,
         applied_at TEXT NOT NULL,
         undone_at TEXT
     ) STRICT;",
    // 5: fixes of findings beside those of messages; what the reviewer has seen of a change.
    "CREATE TABLE applied (
         id INTEGER PRIMARY KEY AUTOINCREMENT,
         conversation_id TEXT REFERENCES conversation (id) ON DELETE CASCADE,
         number INTEGER,
         line INTEGER,
         review_id TEXT REFERENCES review (id) ON DELETE CASCADE,
         finding_id TEXT,
         path TEXT NOT NULL,
         at INTEGER NOT NULL,
         old TEXT NOT NULL,
         new TEXT NOT NULL,
         created INTEGER NOT NULL,
         after TEXT NOT NULL,
         applied_at TEXT NOT NULL,
         undone_at TEXT
     ) STRICT;
     INSERT INTO applied SELECT id, conversation_id, number, line, NULL, NULL, path, at, old, new, created, after, applied_at, undone_at FROM fix;
     DROP TABLE fix;
     ALTER TABLE applied RENAME TO fix;
     CREATE TABLE viewed (
         repository TEXT NOT NULL,
         digest TEXT NOT NULL,
         viewed_at TEXT NOT NULL,
         PRIMARY KEY (repository, digest)
     ) STRICT;",
];

/// Brings a file up to date. Two processes may try at once: the version is read again under the lock.
pub(super) fn run(connection: &mut Connection) -> Result<(), StoreError> {
    let known = i64::try_from(STEPS.len()).unwrap_or(i64::MAX);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if found > known {
        return Err(StoreError::Newer { found, known });
    }
    for step in STEPS.iter().skip(usize::try_from(found).unwrap_or(0)) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", known)?;
    transaction.commit()?;
    Ok(())
}
