//! The hunks that the user has viewed, by digest, so that an unchanged hunk of a later round counts as viewed.

use rusqlite::params;

use super::{Store, StoreError};

impl Store {
    /// Returns the digests of the viewed hunks of a repository.
    pub fn viewed(&self, repository: &str) -> Result<std::collections::HashSet<String>, StoreError> {
        let connection = self.lock();
        let mut query = connection.prepare("SELECT digest FROM viewed WHERE repository = ?1")?;
        let rows = query.query_map([repository], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Marks hunks as viewed or not viewed, in one transaction.
    pub fn set_viewed(&self, repository: &str, digests: &[String], viewed: bool, time: &str) -> Result<(), StoreError> {
        let mut connection = self.lock();
        let transaction = connection.transaction()?;
        for digest in digests {
            match viewed {
                true => transaction.execute(
                    "INSERT INTO viewed (repository, digest, viewed_at) VALUES (?1, ?2, ?3)
                     ON CONFLICT (repository, digest) DO UPDATE SET viewed_at = excluded.viewed_at",
                    params![repository, digest, time],
                )?,
                false => transaction
                    .execute("DELETE FROM viewed WHERE repository = ?1 AND digest = ?2", params![repository, digest])?,
            };
        }
        transaction.commit()?;
        Ok(())
    }
}
