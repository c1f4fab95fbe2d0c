//! The journal of postings: the plan of each posting, and for each comment whether it is being sent, was posted or failed. An
//! entry is written before its request, so that after a kill it is known which comments may have been posted.

use rusqlite::{OptionalExtension, params};

use super::{Store, StoreError};

/// A saved posting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPosting {
    /// The posting's ID.
    pub id: i64,
    /// The ID of the posted review, if the review is saved.
    pub review_id: Option<String>,
    /// The post plan that was shown, as JSON.
    pub plan: String,
    /// The start time, RFC 3339.
    pub begun_at: String,
    /// The end time, RFC 3339. `None` while the posting runs, and if it was interrupted.
    pub ended_at: Option<String>,
    /// The comments so far.
    pub items: Vec<StoredPostingItem>,
}

/// A comment of a posting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPostingItem {
    /// The comment's key.
    pub key: String,
    /// `sending`, `landed`, `failed`.
    pub state: String,
    /// The ID of the note on GitLab, if it was posted.
    pub note: Option<u64>,
    /// The reason of a failure.
    pub detail: Option<String>,
}

/// A merge request on a GitLab server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PostingPlace<'a> {
    /// The address of the GitLab server.
    pub host: &'a str,
    /// The project's path.
    pub project: &'a str,
    /// The number of the merge request in its project.
    pub iid: u64,
}

impl Store {
    /// Saves the start of a posting and returns its ID.
    pub fn begin_posting(
        &self,
        place: PostingPlace<'_>,
        review_id: Option<&str>,
        plan: &str,
        time: &str,
    ) -> Result<i64, StoreError> {
        let connection = self.lock();
        connection.execute(
            "INSERT INTO posting (host, project, iid, review_id, plan, begun_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![place.host, place.project, signed(place.iid), review_id, plan, time],
        )?;
        Ok(connection.last_insert_rowid())
    }

    /// Saves the state of a comment.
    pub fn save_posting_item(&self, posting: i64, item: &StoredPostingItem, time: &str) -> Result<(), StoreError> {
        self.lock().execute(
            "INSERT INTO posting_item (posting, key, state, note, detail, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (posting, key) DO UPDATE
             SET state = excluded.state, note = excluded.note, detail = excluded.detail, at = excluded.at",
            params![posting, item.key, item.state, item.note.map(signed), item.detail, time],
        )?;
        Ok(())
    }

    /// Saves the end of a posting.
    pub fn end_posting(&self, posting: i64, time: &str) -> Result<(), StoreError> {
        self.lock().execute("UPDATE posting SET ended_at = ?2 WHERE id = ?1", params![posting, time])?;
        Ok(())
    }

    /// Returns the latest posting to a merge request.
    pub fn latest_posting(&self, place: PostingPlace<'_>) -> Result<Option<StoredPosting>, StoreError> {
        let connection = self.lock();
        let found = connection
            .query_row(
                "SELECT id, review_id, plan, begun_at, ended_at FROM posting
                 WHERE host = ?1 AND project = ?2 AND iid = ?3 ORDER BY begun_at DESC, id DESC LIMIT 1",
                params![place.host, place.project, signed(place.iid)],
                |row| {
                    Ok(StoredPosting {
                        id: row.get(0)?,
                        review_id: row.get(1)?,
                        plan: row.get(2)?,
                        begun_at: row.get(3)?,
                        ended_at: row.get(4)?,
                        items: Vec::new(),
                    })
                },
            )
            .optional()?;
        let Some(mut posting) = found else { return Ok(None) };
        let mut query =
            connection.prepare("SELECT key, state, note, detail FROM posting_item WHERE posting = ?1 ORDER BY key")?;
        let rows = query.query_map([posting.id], |row| {
            let note: Option<i64> = row.get(2)?;
            Ok(StoredPostingItem {
                key: row.get(0)?,
                state: row.get(1)?,
                note: note.and_then(|note| u64::try_from(note).ok()),
                detail: row.get(3)?,
            })
        })?;
        posting.items = rows.collect::<Result<_, _>>()?;
        Ok(Some(posting))
    }

    /// Saves the name of a secret that is in the keyring, but never the secret itself.
    pub fn secret_named(&self, name: &str, time: &str) -> Result<(), StoreError> {
        self.lock().execute(
            "INSERT INTO secret_name (name, kept_at) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET kept_at = excluded.kept_at",
            [name, time],
        )?;
        Ok(())
    }

    /// Removes the name of a secret.
    pub fn secret_forgotten(&self, name: &str) -> Result<(), StoreError> {
        self.lock().execute("DELETE FROM secret_name WHERE name = ?1", [name])?;
        Ok(())
    }

    /// Returns the names of the secrets in the keyring.
    pub fn secret_names(&self) -> Result<Vec<String>, StoreError> {
        let connection = self.lock();
        let mut query = connection.prepare("SELECT name FROM secret_name ORDER BY name")?;
        let rows = query.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// Converts a number for SQLite, whose integers are signed.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupted_posting_is_read_back() {
        let store = Store::in_memory().expect("opened");
        let place = PostingPlace { host: "https://h", project: "a/b", iid: 7 };
        let id = store.begin_posting(place, Some("r"), "{}", "t1").expect("begun");
        let item = |state: &str, note| StoredPostingItem { key: "k".into(), state: state.into(), note, detail: None };
        store.save_posting_item(id, &item("sending", None), "t").expect("kept");
        store.save_posting_item(id, &item("landed", Some(9)), "t").expect("kept");
        let found = store.latest_posting(place).expect("read").expect("one");
        assert_eq!((found.ended_at, found.items), (None, vec![item("landed", Some(9))]));
        store.end_posting(id, "t2").expect("ended");
        assert_eq!(store.latest_posting(place).expect("read").expect("one").ended_at.as_deref(), Some("t2"));
        assert_eq!(store.latest_posting(PostingPlace { iid: 8, ..place }).expect("read"), None);
    }
}
