//! Trusted repositories, each with the digests of exactly the settings and files that the user consented to.

use rusqlite::params;

use super::{Store, StoreError};

/// The trust in a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredTrust {
    /// The repository's path, or the address of its project.
    pub repository: String,
    /// The digest of the settings and files that were requested.
    pub digest: String,
    /// The requested settings and files, as JSON.
    pub wants: String,
    /// The time of the consent, RFC 3339.
    pub given_at: String,
}

impl Store {
    /// Returns the digests that a repository is trusted with.
    pub fn trusted(&self, repository: &str) -> Result<Vec<String>, StoreError> {
        let connection = self.lock();
        let mut query = connection.prepare("SELECT digest FROM trust WHERE repository = ?1")?;
        let rows = query.query_map([repository], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Saves that a repository is trusted with exactly this digest.
    pub fn trust(&self, trust: &StoredTrust) -> Result<(), StoreError> {
        self.lock().execute(
            "INSERT INTO trust (repository, digest, wants, given_at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (repository, digest) DO NOTHING",
            params![trust.repository, trust.digest, trust.wants, trust.given_at],
        )?;
        Ok(())
    }

    /// Removes all trust in a repository. Returns `false` if there was none.
    pub fn distrust(&self, repository: &str) -> Result<bool, StoreError> {
        Ok(self.lock().execute("DELETE FROM trust WHERE repository = ?1", [repository])? > 0)
    }

    /// Returns all trusted repositories, latest first.
    pub fn all_trusted(&self) -> Result<Vec<StoredTrust>, StoreError> {
        let connection = self.lock();
        let mut query = connection.prepare(
            "SELECT repository, digest, wants, given_at FROM trust ORDER BY given_at DESC, repository, digest",
        )?;
        let rows = query.query_map([], |row| {
            Ok(StoredTrust { repository: row.get(0)?, digest: row.get(1)?, wants: row.get(2)?, given_at: row.get(3)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_applies_to_one_repository_and_request() {
        let store = Store::in_memory().expect("opened");
        let one = |repository: &str, digest: &str| StoredTrust {
            repository: repository.into(),
            digest: digest.into(),
            wants: "{}".into(),
            given_at: "t".into(),
        };
        for (repository, digest) in [("/r", "a"), ("/r", "a"), ("/r", "b"), ("/s", "a")] {
            store.trust(&one(repository, digest)).expect("kept");
        }
        assert_eq!(store.trusted("/r").expect("read"), ["a", "b"]);
        assert_eq!(store.trusted("/other").expect("read"), Vec::<String>::new());
        assert!(store.distrust("/r").expect("taken") && !store.distrust("/r").expect("taken"));
        assert_eq!(store.all_trusted().expect("read"), [one("/s", "a")]);
    }
}
