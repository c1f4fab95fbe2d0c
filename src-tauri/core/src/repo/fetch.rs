//! Bringing a merge request's commits into a repository: into refs of diffsan's own, never touching branches, index or work tree.
//!
//! Credentials are the user's: the SSH agent, the credential helper of their own settings (never of the repository's, which could name a
//! program), or the token for its own host.

use std::cell::Cell;

use git2::{AutotagOption, Cred, CredentialType, FetchOptions, RemoteCallbacks};

use super::Repo;

/// A server that asks more often accepts nothing.
const TRIES: u32 = 4;

impl Repo {
    /// Fetches `from` of the repository at `url` into `refs/diffsan/…`, until it is wanted no more. The token is for `url` alone.
    /// Blocking; the failure is told in words.
    pub fn fetch_into_private(
        &self,
        url: &str,
        from: &str,
        token: Option<&str>,
        wanted: &dyn Fn() -> bool,
    ) -> Result<(), String> {
        let words = |error: git2::Error| error.message().to_owned();
        let config = git2::Config::open_default().map_err(words)?;
        let tries = Cell::new(0);
        let given = Cell::new(false);
        let mut callbacks = RemoteCallbacks::new();
        callbacks.credentials(|url, user, allowed| {
            tries.set(tries.get() + 1);
            if tries.get() > TRIES {
                return Err(git2::Error::from_str("the server accepts no credentials of yours"));
            }
            let user = user.unwrap_or("git");
            if allowed.contains(CredentialType::USERNAME) {
                return Cred::username(user);
            }
            if allowed.contains(CredentialType::SSH_KEY) {
                return Cred::ssh_key_from_agent(user);
            }
            match token.filter(|_| !given.replace(true)) {
                Some(token) if allowed.contains(CredentialType::USER_PASS_PLAINTEXT) => {
                    Cred::userpass_plaintext("oauth2", token)
                }
                _ => Cred::credential_helper(&config, url, None),
            }
        });
        callbacks.sideband_progress(|_| wanted());
        callbacks.transfer_progress(|_| wanted());
        let mut options = FetchOptions::new();
        options.remote_callbacks(callbacks).download_tags(AutotagOption::None).update_fetchhead(false);
        let to = from.strip_prefix("refs/").unwrap_or(from);
        let mut remote = self.git.remote_anonymous(url).map_err(words)?;
        // libgit2 empties this file although it is told to leave it alone.
        let last = self.git.path().join("FETCH_HEAD");
        let before = crate::bounded::read(&last, crate::bounded::MAX_PATCH_BYTES).ok();
        let fetched = remote.fetch(&[format!("+{from}:refs/diffsan/{to}")], Some(&mut options), None).map_err(words);
        let _ = match before {
            Some(before) => std::fs::write(&last, before),
            None => std::fs::remove_file(&last),
        };
        fetched
    }
}
