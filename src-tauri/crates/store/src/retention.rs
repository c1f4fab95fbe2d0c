//! Counts saved reviews and conversations, and removes old ones.

use rusqlite::params;

use super::{Store, StoreError};

impl Store {
    /// Returns the numbers of saved reviews and conversations.
    pub fn saved_counts(&self) -> Result<(u64, u64), StoreError> {
        let count = |table: &str| -> Result<u64, StoreError> {
            Ok(self
                .lock()
                .query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, i64>(0))?
                .unsigned_abs())
        };
        Ok((count("review")?, count("conversation")?))
    }

    /// Removes reviews with their decisions, conversations, ended postings and refuted findings from before a time (RFC 3339) in one transaction,
    /// then shrinks the file. Returns the numbers of removed reviews and conversations. A conversation that is in use is not
    /// removed.
    pub fn remove_before(&self, time: &str) -> Result<(u64, u64), StoreError> {
        let mut connection = self.lock();
        let transaction = connection.transaction()?;
        let reviews = transaction.execute("DELETE FROM review WHERE created_at < ?1", [time])?;
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let now = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
        let conversations = transaction.execute(
            "DELETE FROM conversation WHERE updated_at < ?1 AND (busy_by IS NULL OR busy_until < ?2)",
            params![time, now],
        )?;
        transaction.execute("DELETE FROM posting WHERE begun_at < ?1 AND ended_at IS NOT NULL", [time])?;
        transaction.execute("DELETE FROM refutation WHERE refuted_at < ?1", [time])?;
        transaction.commit()?;
        // If another process is reading, VACUUM fails, and a later call shrinks the file.
        let _ = connection.execute_batch("VACUUM");
        Ok((reviews as u64, conversations as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Store, StoredReview};

    #[test]
    fn old_reviews_are_removed_with_their_decisions() {
        let store = Store::in_memory().expect("opened");
        for (id, created_at) in [("old", "2024-01-01"), ("new", "2026-01-01")] {
            let text = String::new;
            let review = StoredReview {
                id: id.into(),
                created_at: created_at.into(),
                repository: text(),
                target: text(),
                fingerprint: text(),
                run_dir: text(),
                output: text(),
                facts: text(),
            };
            store.add_review(&review).expect("kept");
            store.decide(id, &["f".into()], Some("accepted"), None, "t").expect("kept");
        }
        assert_eq!(store.saved_counts().expect("counted"), (2, 0));
        assert_eq!(store.remove_before("2025").expect("removed"), (1, 0));
        assert!(store.decisions("old").expect("read").is_empty());
        assert_eq!(store.decisions("new").expect("read").len(), 1);
    }
}
