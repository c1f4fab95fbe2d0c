//! Trusting repositories: what they want, the reviewer's word, and taking it back.

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
    /// Its path, or the address of its project.
    pub repository: String,
    /// What it is trusted with, the latest first.
    pub given: Vec<(String, TrustRequest)>,
}

impl App {
    /// Keeps that a repository is trusted with exactly what was shown: `digest` names it, and `session` masked it. Blocking.
    pub fn trust(&self, trust: &Trust, digest: &str, session: &mut Session) -> Result<()> {
        if trust.repository.is_empty() {
            return Err(Error::new(ErrorCode::ConfigUntrusted, "This change has no repository that could be trusted.")
                .hint("Open it in its repository."));
        }
        if trust.wants.digest() != digest {
            return Err(Error::new(
                ErrorCode::ConfigUntrusted,
                "What the repository wants has changed since you looked.",
            )
            .hint("Look at it again, then decide."));
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

    /// Takes all trust from a repository, named by its path (any folder inside it) or as it is listed; false if there was none. Blocking.
    pub fn distrust(&self, repository: &str) -> Result<bool> {
        if self.store.distrust(repository)? {
            return Ok(true);
        }
        match Repo::open(Path::new(repository)) {
            Ok(repo) => self.store.distrust(&repo.root().display().to_string()).map_err(Error::from),
            Err(_) => Ok(false),
        }
    }

    /// The trusted repositories. Blocking.
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
