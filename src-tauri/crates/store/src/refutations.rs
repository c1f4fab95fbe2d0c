//! Findings that a second opinion refuted, by their key and the content of their code. A later review of the same code is told about them.

use rusqlite::params;

use super::{Store, StoreError};

/// The maximum number of refutations that are read, the latest first.
const MAX_READ: u32 = 500;

/// A refuted finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRefutation {
    /// The repository, or the server and project of a merge request.
    pub scope: String,
    /// The key of the finding.
    pub finding_key: String,
    /// The digest of the code that it is about.
    pub code: String,
    /// The finding as JSON, masked.
    pub finding: String,
    /// The opinion as JSON, masked.
    pub opinion: String,
}

impl Store {
    /// Saves a refuted finding. It replaces an earlier refutation of the same finding on the same code.
    pub fn remember_refutation(&self, one: &StoredRefutation, time: &str) -> Result<(), StoreError> {
        self.lock().execute(
            "INSERT INTO refutation (scope, finding_key, code, finding, opinion, refuted_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (scope, finding_key, code)
                 DO UPDATE SET finding = excluded.finding, opinion = excluded.opinion, refuted_at = excluded.refuted_at",
            params![one.scope, one.finding_key, one.code, one.finding, one.opinion, time],
        )?;
        Ok(())
    }

    /// Removes the refutation of a finding on some code, because a later opinion is another one.
    pub fn forget_refutation(&self, scope: &str, finding_key: &str, code: &str) -> Result<(), StoreError> {
        self.lock().execute(
            "DELETE FROM refutation WHERE scope = ?1 AND finding_key = ?2 AND code = ?3",
            [scope, finding_key, code],
        )?;
        Ok(())
    }

    /// Returns the refuted findings of a repository or project, the latest first.
    pub fn refutations(&self, scope: &str) -> Result<Vec<StoredRefutation>, StoreError> {
        let connection = self.lock();
        let mut query = connection.prepare(
            "SELECT scope, finding_key, code, finding, opinion FROM refutation WHERE scope = ?1
                 ORDER BY refuted_at DESC, finding_key LIMIT ?2",
        )?;
        let rows = query.query_map(params![scope, MAX_READ], |row| {
            Ok(StoredRefutation {
                scope: row.get(0)?,
                finding_key: row.get(1)?,
                code: row.get(2)?,
                finding: row.get(3)?,
                opinion: row.get(4)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refutation_belongs_to_a_finding_on_its_code() {
        let store = Store::in_memory().expect("opened");
        let one = |scope: &str, key: &str, code: &str, opinion: &str| StoredRefutation {
            scope: scope.into(),
            finding_key: key.into(),
            code: code.into(),
            finding: "{}".into(),
            opinion: opinion.into(),
        };
        store.remember_refutation(&one("/r", "k", "1:a", "first"), "1").expect("saved");
        store.remember_refutation(&one("/r", "k", "1:b", "other code"), "2").expect("saved");
        store.remember_refutation(&one("/r", "k", "1:a", "second"), "3").expect("saved");
        store.remember_refutation(&one("/s", "k", "1:a", "elsewhere"), "4").expect("saved");
        let opinions = |scope: &str| -> Vec<String> {
            store.refutations(scope).expect("read").into_iter().map(|one| one.opinion).collect()
        };
        assert_eq!(opinions("/r"), ["second", "other code"]);
        store.forget_refutation("/r", "k", "1:a").expect("removed");
        assert_eq!((opinions("/r"), opinions("/s")), (vec!["other code".to_owned()], vec!["elsewhere".to_owned()]));
    }
}
