//! The cache of the inbox: its rows, the answers of servers, the reader's marks and their undo list. The content of rows and marks is
//! JSON that this crate does not interpret.

use rusqlite::{OptionalExtension, TransactionBehavior, params};

use super::{Store, StoreError};

/// The maximum number of changes of marks that can be undone.
const MAX_UNDO: u32 = 200;

/// A row of the inbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredInboxItem {
    /// The key of the row.
    pub key: String,
    /// The source: an account of a server, or the local repositories.
    pub source: String,
    /// The row, as JSON.
    pub item: String,
}

/// An answer of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredResponse {
    /// The path of the request.
    pub path: String,
    /// The tag of the answer.
    pub etag: String,
    /// The number of the next page of a list.
    pub next: Option<u64>,
    /// The body.
    pub body: String,
}

/// A merge request that was fetched before it is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPrefetch {
    /// The key of its row.
    pub key: String,
    /// A text that changes with the merge request.
    pub state: String,
    /// The merge request, as JSON.
    pub request: String,
    /// Its diff as a patch, if no clone has its commits.
    pub patch: Option<Vec<u8>>,
}

/// The latest review of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LatestReview {
    /// The path of the repository.
    pub repository: String,
    /// The target, as JSON.
    pub target: String,
    /// The ID of the review.
    pub id: String,
    /// The creation time, RFC 3339.
    pub created_at: String,
    /// The head commit that was reviewed.
    pub head: Option<String>,
    /// The numbers of findings by severity: critical, high, medium, low, info.
    pub severities: [u32; 5],
    /// Whether something of it was posted to GitLab.
    pub posted: bool,
}

impl Store {
    /// Returns all rows of the inbox.
    pub fn inbox_items(&self) -> Result<Vec<StoredInboxItem>, StoreError> {
        let connection = self.lock();
        let mut query = connection.prepare("SELECT key, source, item FROM inbox_item ORDER BY key")?;
        let rows = query
            .query_map([], |row| Ok(StoredInboxItem { key: row.get(0)?, source: row.get(1)?, item: row.get(2)? }))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Saves rows, and the answers that they were read from, in one transaction.
    pub fn save_inbox_items(
        &self,
        source: &str,
        items: &[StoredInboxItem],
        responses: &[StoredResponse],
    ) -> Result<(), StoreError> {
        let mut connection = self.lock();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for item in items {
            transaction.execute(
                "INSERT INTO inbox_item (key, source, item) VALUES (?1, ?2, ?3)
                 ON CONFLICT (key) DO UPDATE SET source = excluded.source, item = excluded.item",
                params![item.key, item.source, item.item],
            )?;
        }
        for response in responses {
            transaction.execute(
                "INSERT INTO inbox_response (source, path, etag, next, body) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (source, path) DO UPDATE
                 SET etag = excluded.etag, next = excluded.next, body = excluded.body",
                params![
                    source,
                    response.path,
                    response.etag,
                    response.next.and_then(|next| i64::try_from(next).ok()),
                    response.body
                ],
            )?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Removes rows of the inbox. Their marks stay.
    pub fn remove_inbox_items(&self, keys: &[String]) -> Result<(), StoreError> {
        let mut connection = self.lock();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for key in keys {
            transaction.execute("DELETE FROM inbox_item WHERE key = ?1", [key])?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Returns the known answers of a server.
    pub fn inbox_responses(&self, source: &str) -> Result<Vec<StoredResponse>, StoreError> {
        let connection = self.lock();
        let mut query = connection.prepare("SELECT path, etag, next, body FROM inbox_response WHERE source = ?1")?;
        let rows = query.query_map([source], |row| {
            let next: Option<i64> = row.get(2)?;
            Ok(StoredResponse {
                path: row.get(0)?,
                etag: row.get(1)?,
                next: next.and_then(|next| u64::try_from(next).ok()),
                body: row.get(3)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Removes the known answers of a server whose path is not kept.
    pub fn retain_inbox_responses(&self, source: &str, keep: impl Fn(&str) -> bool) -> Result<(), StoreError> {
        let mut connection = self.lock();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let paths: Vec<String> = {
            let mut query = transaction.prepare("SELECT path FROM inbox_response WHERE source = ?1")?;
            let rows = query.query_map([source], |row| row.get(0))?;
            rows.collect::<Result<_, _>>()?
        };
        for path in paths.iter().filter(|path| !keep(path)) {
            transaction.execute("DELETE FROM inbox_response WHERE source = ?1 AND path = ?2", [source, path])?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Returns the keys of the merge requests that were fetched before they are opened, with their states.
    pub fn inbox_prefetched(&self) -> Result<Vec<(String, String)>, StoreError> {
        let connection = self.lock();
        let mut query = connection.prepare("SELECT key, state FROM inbox_prefetch ORDER BY key")?;
        let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Returns a merge request that was fetched before it is opened.
    pub fn inbox_prefetch(&self, key: &str) -> Result<Option<StoredPrefetch>, StoreError> {
        let connection = self.lock();
        let query = "SELECT key, state, request, patch FROM inbox_prefetch WHERE key = ?1";
        let read = |row: &rusqlite::Row<'_>| {
            Ok(StoredPrefetch { key: row.get(0)?, state: row.get(1)?, request: row.get(2)?, patch: row.get(3)? })
        };
        Ok(connection.query_row(query, [key], read).optional()?)
    }

    /// Saves a merge request that was fetched before it is opened.
    pub fn save_inbox_prefetch(&self, fetched: &StoredPrefetch) -> Result<(), StoreError> {
        self.lock().execute(
            "INSERT OR REPLACE INTO inbox_prefetch (key, state, request, patch) VALUES (?1, ?2, ?3, ?4)",
            params![fetched.key, fetched.state, fetched.request, fetched.patch],
        )?;
        Ok(())
    }

    /// Removes the merge requests that were fetched before they are opened, except those with these keys.
    pub fn retain_inbox_prefetch(&self, keys: &[String]) -> Result<(), StoreError> {
        let known = self.inbox_prefetched()?;
        let mut connection = self.lock();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for (key, _) in known.iter().filter(|(key, _)| !keys.contains(key)) {
            transaction.execute("DELETE FROM inbox_prefetch WHERE key = ?1", [key])?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Returns the marks of rows, as keys and JSON.
    pub fn inbox_marks(&self) -> Result<Vec<(String, String)>, StoreError> {
        let connection = self.lock();
        let mut query = connection.prepare("SELECT key, mark FROM inbox_mark ORDER BY key")?;
        let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Sets or removes the mark of a row, and remembers the mark before for [`Self::undo_inbox_mark`].
    pub fn set_inbox_mark(&self, key: &str, mark: Option<&str>, time: &str) -> Result<(), StoreError> {
        let mut connection = self.lock();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let before = mark_of(&transaction, key)?;
        transaction
            .execute("INSERT INTO inbox_undo (key, before, at) VALUES (?1, ?2, ?3)", params![key, before, time])?;
        transaction.execute("DELETE FROM inbox_undo WHERE id <= (SELECT max(id) FROM inbox_undo) - ?1", [MAX_UNDO])?;
        write_mark(&transaction, key, mark)?;
        transaction.commit()?;
        Ok(())
    }

    /// Takes the latest change of a mark back. Returns the key of its row, or `None` if there is none.
    pub fn undo_inbox_mark(&self) -> Result<Option<String>, StoreError> {
        let mut connection = self.lock();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let latest: Option<(i64, String, Option<String>)> = transaction
            .query_row("SELECT id, key, before FROM inbox_undo ORDER BY id DESC LIMIT 1", [], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .optional()?;
        let Some((id, key, before)) = latest else { return Ok(None) };
        write_mark(&transaction, &key, before.as_deref())?;
        transaction.execute("DELETE FROM inbox_undo WHERE id = ?1", [id])?;
        transaction.commit()?;
        Ok(Some(key))
    }

    /// Returns the latest review of each change.
    pub fn latest_reviews(&self) -> Result<Vec<LatestReview>, StoreError> {
        let connection = self.lock();
        let mut query = connection.prepare(
            "SELECT review.repository, review.target, review.id, max(review.created_at),
                 CASE WHEN json_valid(review.output)
                     THEN coalesce(review.output ->> '$.meta.reviewed.head_sha', review.output ->> '$.meta.head_sha') END,
                 brief.critical, brief.high, brief.medium, brief.low, brief.info,
                 EXISTS (SELECT 1 FROM posting JOIN posting_item ON posting_item.posting = posting.id
                         WHERE posting.review_id = review.id AND posting_item.state = 'landed')
             FROM review LEFT JOIN brief ON brief.review_id = review.id GROUP BY review.repository, review.target",
        )?;
        let rows = query.query_map([], |row| {
            let count = |at| -> rusqlite::Result<u32> { Ok(row.get::<_, Option<u32>>(at)?.unwrap_or(0)) };
            Ok(LatestReview {
                repository: row.get(0)?,
                target: row.get(1)?,
                id: row.get(2)?,
                created_at: row.get(3)?,
                head: row.get(4)?,
                severities: [count(5)?, count(6)?, count(7)?, count(8)?, count(9)?],
                posted: row.get(10)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn mark_of(connection: &rusqlite::Connection, key: &str) -> Result<Option<String>, StoreError> {
    Ok(connection.query_row("SELECT mark FROM inbox_mark WHERE key = ?1", [key], |row| row.get(0)).optional()?)
}

fn write_mark(connection: &rusqlite::Connection, key: &str, mark: Option<&str>) -> Result<(), StoreError> {
    match mark {
        Some(mark) => connection.execute(
            "INSERT INTO inbox_mark (key, mark) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET mark = excluded.mark",
            [key, mark],
        )?,
        None => connection.execute("DELETE FROM inbox_mark WHERE key = ?1", [key])?,
    };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_of_a_mark_can_be_undone_after_a_restart() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("state.sqlite3");
        {
            let store = Store::open(&path).expect("opened");
            store.set_inbox_mark("a", Some("done"), "t").expect("saved");
            store.set_inbox_mark("b", Some("muted"), "t").expect("saved");
            store.set_inbox_mark("a", Some("snoozed"), "t").expect("saved");
            store.set_inbox_mark("a", None, "t").expect("saved");
        }
        let store = Store::open(&path).expect("opened");
        let marks = || store.inbox_marks().expect("read").into_iter().map(|(key, mark)| format!("{key}={mark}"));
        let marks = || marks().collect::<Vec<_>>().join(" ");
        assert_eq!(marks(), "b=muted");
        for (key, after) in [("a", "a=snoozed b=muted"), ("a", "a=done b=muted"), ("b", "a=done"), ("a", "")] {
            assert_eq!(store.undo_inbox_mark().expect("undone").as_deref(), Some(key));
            assert_eq!(marks(), after);
        }
        assert_eq!(store.undo_inbox_mark().expect("undone"), None);
    }

    #[test]
    fn a_row_and_its_answers_are_saved_together() {
        let store = Store::in_memory().expect("opened");
        let item = |text: &str| StoredInboxItem { key: "k".into(), source: "s".into(), item: text.into() };
        let response =
            |etag: &str| StoredResponse { path: "p".into(), etag: etag.into(), next: Some(2), body: "[]".into() };
        store.save_inbox_items("s", &[item("1")], &[response("a")]).expect("saved");
        store.save_inbox_items("s", &[item("2")], &[response("b")]).expect("saved");
        assert_eq!(store.inbox_items().expect("read"), [item("2")]);
        assert_eq!(store.inbox_responses("s").expect("read"), [response("b")]);
        assert_eq!(store.inbox_responses("other").expect("read"), []);
        store.retain_inbox_responses("s", |_| false).expect("removed");
        store.remove_inbox_items(&["k".into()]).expect("removed");
        assert_eq!((store.inbox_items().expect("read").len(), store.inbox_responses("s").expect("read").len()), (0, 0));
    }

    #[test]
    fn prefetched_merge_requests_are_replaced_and_removed() {
        let store = Store::in_memory().expect("opened");
        let fetched = |key: &str, state: &str, patch: Option<&[u8]>| StoredPrefetch {
            key: key.into(),
            state: state.into(),
            request: "{}".into(),
            patch: patch.map(<[u8]>::to_vec),
        };
        for one in [fetched("a", "1", None), fetched("b", "1", Some(b"\xff")), fetched("a", "2", None)] {
            store.save_inbox_prefetch(&one).expect("saved");
        }
        assert_eq!(store.inbox_prefetch("a").expect("read"), Some(fetched("a", "2", None)));
        assert_eq!(store.inbox_prefetch("b").expect("read"), Some(fetched("b", "1", Some(b"\xff"))));
        store.retain_inbox_prefetch(&["b".into()]).expect("removed");
        assert_eq!(store.inbox_prefetched().expect("read"), [("b".to_owned(), "1".to_owned())]);
    }

    #[test]
    fn the_latest_review_of_a_change_is_found() {
        let store = Store::in_memory().expect("opened");
        for (id, time, head) in [("old", "2026-01-01", "a"), ("new", "2026-01-02", "b")] {
            let output = format!(r#"{{"meta":{{"head_sha":"{head}"}},"findings":[{{"severity":"high"}}]}}"#);
            let review = crate::StoredReview {
                id: id.into(),
                repository: "/r".into(),
                target: "{}".into(),
                fingerprint: "f".into(),
                created_at: time.into(),
                run_dir: String::new(),
                output,
                facts: "{}".into(),
            };
            store.add_review(&review).expect("saved");
        }
        let found = store.latest_reviews().expect("read");
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].id.as_str(), found[0].head.as_deref(), found[0].severities),
            ("new", Some("b"), [0, 1, 0, 0, 0])
        );
    }
}
