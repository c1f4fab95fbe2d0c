//! The decisions about the findings of all reviews, for the track record of agents.
//!
//! Out: one row for each review and finding with a decision, a posted comment or an applied patch. The rows are in the order in which the
//! reviews were saved, which does not depend on the clock.

use rusqlite::Row;

use super::{Store, StoreError};

/// A finding of a change, over all its reviews.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FindingId {
    /// The repository of the reviews.
    pub repository: String,
    /// The target of the reviews, as JSON.
    pub target: String,
    /// The key of the finding.
    pub key: String,
}

/// The decisions about a finding of one review. Texts are as in the saved review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingHistory {
    /// The finding.
    pub id: FindingId,
    /// The severity as the agent wrote it.
    pub severity: String,
    /// The category as the agent wrote it.
    pub category: String,
    /// The names of the agents that found it, as a JSON array.
    pub sources: String,
    /// The agents of the review with their models, as a JSON array; empty in reviews of early versions.
    pub agents: String,
    /// The model of the review, if one was named.
    pub model: Option<String>,
    /// `accepted` or `dismissed`.
    pub decision: Option<String>,
    /// The reason of a dismissal.
    pub reason: Option<String>,
    /// Whether a comment was posted.
    pub posted: bool,
    /// Whether its patch is applied.
    pub applied: bool,
}

/// Findings with their fates. Invalid JSON has no findings.
const QUERY: &str = "
    WITH one AS MATERIALIZED (
        SELECT review.rowid AS position, review.id AS review_id, repository, target, finding.value AS finding,
            finding.value ->> '$.key' AS key,
            output -> '$.meta.agents' AS agents, output ->> '$.meta.model' AS model
        FROM review JOIN json_each(CASE WHEN json_valid(output) THEN output ELSE '{}' END, '$.findings') AS finding
        WHERE json_valid(output)
    )
    SELECT repository, target, one.key,
        coalesce(finding ->> '$.original.severity', finding ->> '$.severity', ''),
        coalesce(finding ->> '$.original.category', finding ->> '$.category', ''),
        coalesce(finding -> '$.sources', '[]'), coalesce(agents, '[]'), model, decision, reason,
        EXISTS (SELECT 1 FROM posting JOIN posting_item ON posting_item.posting = posting.id
            WHERE posting.review_id = one.review_id AND posting_item.key = one.key AND state = 'landed') AS posted,
        EXISTS (SELECT 1 FROM fix WHERE fix.review_id = one.review_id AND fix.finding_key = one.key AND undone_at IS NULL)
            AS applied
    FROM one LEFT JOIN decision ON decision.review_id = one.review_id AND decision.finding_key = one.key
    WHERE one.key IS NOT NULL AND (decision IS NOT NULL OR posted OR applied)
    ORDER BY position, one.key";

impl Store {
    /// Returns the decisions about the findings of all reviews, in the order in which the reviews were saved.
    pub fn finding_histories(&self) -> Result<Vec<FindingHistory>, StoreError> {
        let connection = self.lock();
        let mut query = connection.prepare(QUERY)?;
        let read = |row: &Row<'_>| {
            Ok(FindingHistory {
                id: read_id(row)?,
                severity: row.get(3)?,
                category: row.get(4)?,
                sources: row.get(5)?,
                agents: row.get(6)?,
                model: row.get(7)?,
                decision: row.get(8)?,
                reason: row.get(9)?,
                posted: row.get(10)?,
                applied: row.get(11)?,
            })
        };
        let rows = query.query_map([], read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Returns the findings that later reviews recorded as resolved.
    pub fn resolved_findings(&self) -> Result<Vec<FindingId>, StoreError> {
        let connection = self.lock();
        let mut query = connection.prepare(
            "SELECT repository, target, resolved.value FROM review
             JOIN json_each(CASE WHEN json_valid(facts) THEN facts ELSE '{}' END, '$.resolved') AS resolved
             WHERE resolved.type = 'text'",
        )?;
        let rows = query.query_map([], read_id)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn read_id(row: &Row<'_>) -> rusqlite::Result<FindingId> {
    Ok(FindingId { repository: row.get(0)?, target: row.get(1)?, key: row.get(2)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PostingPlace, StoredPostingItem, StoredReview};

    fn review(id: &str, at: &str, facts: &str) -> StoredReview {
        let output = serde_json::json!({
            "meta": { "model": "large", "agents": [{ "name": "one", "model": "large" }] },
            "findings": [
                { "key": "f1", "severity": "high", "category": "style", "sources": ["one"],
                  "original": { "severity": "low", "category": "docs" } },
                { "key": "f2", "severity": "info", "category": "other", "sources": ["one", "two"] },
                { "key": "open", "severity": "info", "category": "other", "sources": ["one"] },
            ],
        });
        StoredReview {
            id: id.into(),
            repository: "/r".into(),
            target: "{}".into(),
            fingerprint: "f".into(),
            created_at: at.into(),
            run_dir: String::new(),
            output: output.to_string(),
            facts: facts.into(),
        }
    }

    #[test]
    fn only_findings_with_a_fate_are_listed_in_the_order_of_their_reviews() {
        let store = Store::in_memory().expect("opened");
        // The clock ran backwards between the two reviews.
        store.add_review(&review("b", "2030-01-01", "{}")).expect("kept");
        store.add_review(&review("a", "2020-01-01", r#"{"resolved":["f1",7]}"#)).expect("kept");
        let broken = StoredReview { output: "no JSON".into(), facts: "no JSON".into(), ..review("c", "x", "") };
        store.add_review(&broken).expect("kept");
        store.decide("b", &["f1".into()], Some("dismissed"), Some("as wanted"), "2030").expect("decided");
        store.decide("a", &["f1".into()], Some("accepted"), None, "2020").expect("decided");
        let place = PostingPlace { host: "h", project: "p", iid: 1 };
        let posting = store.begin_posting(place, Some("a"), "{}", "t").expect("begun");
        for (key, state) in [("f2", "landed"), ("open", "failed")] {
            let item = StoredPostingItem { key: key.into(), state: state.into(), note: None, detail: None };
            store.save_posting_item(posting, &item, "t").expect("kept");
        }
        let rows = store.finding_histories().expect("read");
        let brief: Vec<_> = rows
            .iter()
            .map(|row| (row.id.key.as_str(), row.decision.as_deref(), row.posted, row.severity.as_str()))
            .collect();
        assert_eq!(
            brief,
            [
                ("f1", Some("dismissed"), false, "low"),
                ("f1", Some("accepted"), false, "low"),
                ("f2", None, true, "info")
            ]
        );
        assert_eq!((rows[0].reason.as_deref(), rows[0].category.as_str()), (Some("as wanted"), "docs"));
        assert_eq!((rows[2].sources.as_str(), rows[2].model.as_deref()), (r#"["one","two"]"#, Some("large")));
        let resolved = store.resolved_findings().expect("read");
        assert_eq!(resolved, [rows[0].id.clone()]);
    }
}
