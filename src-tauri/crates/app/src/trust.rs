//! Trust in repositories: giving it for shown requests, listing it and revoking it.

use std::path::Path;

use super::App;
use diffsan_config::TrustRequest;
use diffsan_git::Repo;
use diffsan_pipeline::error::{Error, ErrorCode, Result, to_json};
use diffsan_pipeline::open::Trust;
use diffsan_redact::Session;
use diffsan_store::StoredTrust;
use diffsan_store::files::artifacts::now;

/// A trusted repository.
#[derive(Clone, Debug, PartialEq)]
pub struct TrustedRepository {
    /// The path of the repository, or the address of its project.
    pub repository: String,
    /// The requests that it is trusted with, each with the time of the decision, latest first.
    pub given: Vec<(String, TrustRequest)>,
}

impl App {
    /// Trusts a repository with exactly the requests that were shown. `digest` identifies them, and `session` masked
    /// them. Blocks.
    pub fn trust(&self, trust: &Trust, digest: &str, session: &mut Session) -> Result<()> {
        if trust.repository.is_empty() {
            return Err(Error::new(ErrorCode::ConfigUntrusted, "This change has no repository to trust.")
                .hint("Open it in its repository."));
        }
        if trust.digest != digest {
            return Err(Error::new(
                ErrorCode::ConfigUntrusted,
                "The repository's requests have changed since you saw them.",
            )
            .hint("Check them again, then decide."));
        }
        trust.must_be_shown(session)?;
        let given = StoredTrust {
            repository: trust.repository.clone(),
            digest: digest.to_owned(),
            wants: to_json(&trust.wants)?,
            given_at: now(),
        };
        self.store.trust(&given).map_err(Error::from)
    }

    /// Revokes all trust in a repository. `repository` is any path inside it, or its name in the list. Returns `false`
    /// if it was not trusted. Blocks.
    pub fn distrust(&self, repository: &str) -> Result<bool> {
        if self.store.distrust(repository)? {
            return Ok(true);
        }
        match Repo::open(Path::new(repository)) {
            Ok(repo) => self.store.distrust(&repo.root().display().to_string()).map_err(Error::from),
            Err(_) => Ok(false),
        }
    }

    /// Returns the trusted repositories. Blocks.
    pub fn trusted(&self) -> Result<Vec<TrustedRepository>> {
        let mut found: Vec<TrustedRepository> = Vec::new();
        for stored in self.store.all_trusted()? {
            let wants = serde_json::from_str(&stored.wants).unwrap_or_default();
            match found.iter_mut().find(|one| one.repository == stored.repository) {
                Some(one) => one.given.push((stored.given_at, wants)),
                None => found
                    .push(TrustedRepository { repository: stored.repository, given: vec![(stored.given_at, wants)] }),
            }
        }
        Ok(found)
    }
}
