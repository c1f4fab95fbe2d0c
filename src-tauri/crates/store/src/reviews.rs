//! Saved reviews and the decisions about their findings.
//!
//! [`Store::edit_reviews`] reads and writes them in one transaction, so that nothing that another thread or process writes meanwhile is lost.

use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};

use super::{Store, StoreError};

const SELECT_REVIEW: &str =
    "SELECT id, repository, target, fingerprint, created_at, run_dir, output, facts FROM review";

/// A saved review.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredReview {
    /// The review's ID.
    pub id: String,
    /// The repository's path; empty for a patch without one.
    pub repository: String,
    /// The target, as JSON.
    pub target: String,
    /// The fingerprint of the raw diff.
    pub fingerprint: String,
    /// The creation time, RFC 3339.
    pub created_at: String,
    /// The path of the run folder.
    pub run_dir: String,
    /// The `ReviewOutput`, as JSON.
    pub output: String,
    /// Facts for the status line and for later reviews, as JSON.
    pub facts: String,
}

/// A saved decision about a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredDecision {
    /// The finding's key.
    pub finding_key: String,
    /// `accepted` or `dismissed`.
    pub decision: String,
    /// The reason that the user gave.
    pub reason: Option<String>,
}

/// The reviews of the state file, as one transaction sees them.
#[derive(Debug)]
pub struct Reviews<'a>(&'a Connection);

impl Reviews<'_> {
    /// Saves a review.
    pub fn add(&self, review: &StoredReview) -> Result<(), StoreError> {
        self.0.execute(
            "INSERT INTO review (id, repository, target, fingerprint, created_at, run_dir, output, facts)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                review.id,
                review.repository,
                review.target,
                review.fingerprint,
                review.created_at,
                review.run_dir,
                review.output,
                review.facts
            ],
        )?;
        Ok(())
    }

    /// Replaces the output of a review.
    pub fn set_output(&self, id: &str, output: &str) -> Result<(), StoreError> {
        self.0.execute("UPDATE review SET output = ?2 WHERE id = ?1", [id, output])?;
        Ok(())
    }

    /// Returns the review with this ID.
    pub fn review(&self, id: &str) -> Result<Option<StoredReview>, StoreError> {
        Ok(self.0.query_row(&format!("{SELECT_REVIEW} WHERE id = ?1"), [id], read_review).optional()?)
    }

    /// Removes a review with its decisions. Returns the removed review.
    pub(super) fn remove(&self, id: &str) -> Result<Option<StoredReview>, StoreError> {
        let found = self.review(id)?;
        self.0.execute("DELETE FROM review WHERE id = ?1", [id])?;
        Ok(found)
    }

    /// Returns the latest review of a target, regardless of the fingerprint.
    pub fn latest(&self, repository: &str, target: &str) -> Result<Option<StoredReview>, StoreError> {
        Ok(self.of_change(repository, target, 1)?.pop())
    }

    /// Returns the reviews of a target, latest first.
    pub fn of_change(&self, repository: &str, target: &str, limit: u32) -> Result<Vec<StoredReview>, StoreError> {
        let mut query = self.0.prepare(&format!(
            "{SELECT_REVIEW} WHERE repository = ?1 AND target = ?2 ORDER BY created_at DESC, rowid DESC LIMIT ?3"
        ))?;
        let rows = query.query_map(params![repository, target, limit], read_review)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Returns the decisions about a review's findings.
    pub fn decisions(&self, review_id: &str) -> Result<Vec<StoredDecision>, StoreError> {
        let mut query = self
            .0
            .prepare("SELECT finding_key, decision, reason FROM decision WHERE review_id = ?1 ORDER BY finding_key")?;
        let rows = query.query_map([review_id], |row| {
            Ok(StoredDecision { finding_key: row.get(0)?, decision: row.get(1)?, reason: row.get(2)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Saves a decision for all given findings. `None` removes their decisions.
    pub fn decide(
        &self,
        review_id: &str,
        findings: &[String],
        decision: Option<&str>,
        reason: Option<&str>,
        time: &str,
    ) -> Result<(), StoreError> {
        for finding in findings {
            match decision {
                Some(decision) => self.0.execute(
                    "INSERT INTO decision (review_id, finding_key, decision, reason, decided_at) VALUES (?1, ?2, ?3, ?4, ?5)
                     ON CONFLICT (review_id, finding_key) DO UPDATE
                     SET decision = excluded.decision, reason = excluded.reason, decided_at = excluded.decided_at",
                    params![review_id, finding, decision, reason, time],
                )?,
                None => self
                    .0
                    .execute("DELETE FROM decision WHERE review_id = ?1 AND finding_key = ?2", params![review_id, finding])?,
            };
        }
        Ok(())
    }
}

impl Store {
    /// Reads and writes reviews in one transaction, which an error undoes. `edit` must not use the store, because it is locked.
    pub fn edit_reviews<T, E: From<StoreError>>(
        &self,
        edit: impl FnOnce(&Reviews<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut connection = self.lock();
        let begun = connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = begun.map_err(StoreError::from)?;
        let done = edit(&Reviews(&transaction))?;
        transaction.commit().map_err(StoreError::from)?;
        Ok(done)
    }

    /// Reads reviews at one moment. `read` must not use the store, because it is locked.
    pub fn read_reviews<T>(&self, read: impl FnOnce(&Reviews<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let mut connection = self.lock();
        let transaction = connection.transaction()?;
        read(&Reviews(&transaction))
    }

    /// Saves a review.
    pub fn add_review(&self, review: &StoredReview) -> Result<(), StoreError> {
        self.edit_reviews(|reviews| reviews.add(review))
    }

    /// Saves a decision for all given findings, in one transaction. `None` removes their decisions.
    pub fn decide(
        &self,
        review_id: &str,
        findings: &[String],
        decision: Option<&str>,
        reason: Option<&str>,
        time: &str,
    ) -> Result<(), StoreError> {
        self.edit_reviews(|reviews| reviews.decide(review_id, findings, decision, reason, time))
    }

    /// Removes a review with its decisions. Returns the removed review.
    pub fn remove_review(&self, id: &str) -> Result<Option<StoredReview>, StoreError> {
        self.edit_reviews(|reviews| reviews.remove(id))
    }

    /// Returns the review with this ID.
    pub fn review(&self, id: &str) -> Result<Option<StoredReview>, StoreError> {
        Reviews(&self.lock()).review(id)
    }

    /// Returns the latest review of a target, regardless of the fingerprint.
    pub fn latest_review(&self, repository: &str, target: &str) -> Result<Option<StoredReview>, StoreError> {
        Reviews(&self.lock()).latest(repository, target)
    }

    /// Returns the reviews of a target, latest first.
    pub fn reviews_of_change(
        &self,
        repository: &str,
        target: &str,
        limit: u32,
    ) -> Result<Vec<StoredReview>, StoreError> {
        Reviews(&self.lock()).of_change(repository, target, limit)
    }

    /// Returns the decisions about a review's findings.
    pub fn decisions(&self, review_id: &str) -> Result<Vec<StoredDecision>, StoreError> {
        Reviews(&self.lock()).decisions(review_id)
    }
}

fn read_review(row: &Row<'_>) -> rusqlite::Result<StoredReview> {
    Ok(StoredReview {
        id: row.get(0)?,
        repository: row.get(1)?,
        target: row.get(2)?,
        fingerprint: row.get(3)?,
        created_at: row.get(4)?,
        run_dir: row.get(5)?,
        output: row.get(6)?,
        facts: row.get(7)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn review(id: &str, created_at: &str) -> StoredReview {
        StoredReview {
            id: id.into(),
            repository: "/r".into(),
            target: "{}".into(),
            fingerprint: "f".into(),
            created_at: created_at.into(),
            run_dir: "/run".into(),
            output: "{}".into(),
            facts: "{}".into(),
        }
    }

    #[test]
    fn decisions_outlive_the_process() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("state.sqlite3");
        {
            let store = Store::open(&path).expect("opened");
            store.add_review(&review("a", "2026-01-01")).expect("kept");
            store.decide("a", &["f1".into(), "f2".into()], Some("accepted"), None, "t").expect("kept");
            store.decide("a", &["f2".into()], None, None, "t").expect("taken back");
        }
        let store = Store::open(&path).expect("opened again");
        let decisions = store.decisions("a").expect("read");
        assert_eq!(decisions.len(), 1);
        assert_eq!((decisions[0].finding_key.as_str(), decisions[0].decision.as_str()), ("f1", "accepted"));
    }

    #[test]
    fn the_latest_review_of_a_change_is_found() {
        let store = Store::in_memory().expect("opened");
        store.add_review(&review("a", "2026-01-02")).expect("kept");
        store.add_review(&review("b", "2026-01-03")).expect("kept");
        store.add_review(&review("c", "2026-01-01")).expect("kept");
        assert_eq!(store.latest_review("/r", "{}").expect("read").expect("one").id, "b");
        assert_eq!(store.latest_review("/other", "{}").expect("read"), None);
    }

    #[test]
    fn an_error_undoes_the_whole_edit() {
        let store = Store::in_memory().expect("opened");
        let failed: Result<(), StoreError> = store.edit_reviews(|reviews| {
            reviews.add(&review("a", "2026-01-01"))?;
            reviews.decide("a", &["f1".into()], Some("accepted"), None, "t")?;
            // The review exists already.
            reviews.add(&review("a", "2026-01-01"))
        });
        assert!(failed.is_err());
        assert_eq!((store.review("a").expect("read"), store.decisions("a").expect("read")), (None, Vec::new()));
    }
}
