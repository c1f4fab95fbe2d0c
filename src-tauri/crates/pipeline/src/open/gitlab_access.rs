//! Access to GitLab servers: which token and which certificates are used.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::error::{Error, ErrorCode, Result};
use diffsan_config::GitlabConfig;
use diffsan_forge::gitlab::{Client, KnownVersions, Token};
use diffsan_forge::post_plan::MarkerKeys;
use diffsan_store::secrets::{Secret, SecretError, SecretName, SecretPlace, Secrets, origin};

/// The variable with a token. It has priority over the configured one.
const TOKEN: &str = "DIFFSAN_GITLAB_TOKEN";

/// The place where a token was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenPlace {
    /// The environment variable with this name.
    Variable(String),
    /// The keyring, or the memory of this process.
    Kept(SecretPlace),
}

/// The settings and secrets for access to GitLab servers.
#[derive(Clone, Debug)]
pub struct GitlabAccess {
    /// The settings of GitLab.
    pub config: GitlabConfig,
    /// The store of tokens.
    pub secrets: Arc<Secrets>,
    /// The installation key, which seals markers in comments together with the token.
    pub installation: [u8; 32],
    /// The known versions of servers.
    pub versions: KnownVersions,
}

impl GitlabAccess {
    /// Returns the token for a GitLab server. A token from a variable is only used for the configured address. Otherwise anyone who can
    /// make a user open an address would get it. Blocks.
    pub fn token(&self, base: &str) -> Result<(Secret, TokenPlace)> {
        let wanted = origin(base).ok_or_else(|| {
            Error::new(ErrorCode::InvalidInput, format!("{base} is not the address of a GitLab server."))
                .hint("The address must begin with https://.")
        })?;
        let name = SecretName::Gitlab { origin: wanted.clone(), account: self.config.account.clone() };
        let variables = [TOKEN, self.config.token_env.as_str()];
        let given = variables.into_iter().find_map(|variable| {
            let secret = Secret::new(&std::env::var(variable).ok()?);
            (!secret.is_empty()).then(|| (secret, TokenPlace::Variable(variable.to_owned())))
        });
        let own = origin(&self.config.base_url).as_deref() == Some(wanted.as_str());
        if let (Some(given), true) = (&given, own) {
            return Ok(given.clone());
        }
        let kept = self.secrets.get(&name);
        if let Ok(Some((secret, place))) = kept {
            return Ok((secret, TokenPlace::Kept(place)));
        }
        let mut error = Error::new(ErrorCode::GitlabAuthError, format!("There is no token for {wanted}."));
        error = match (given, kept) {
            (Some((_, TokenPlace::Variable(variable))), _) => error.hint(format!(
                "The token in {variable} is for {} and is only sent there. If it is for {wanted}, set \
                 DIFFSAN_GITLAB__BASE_URL to that address. Otherwise save a token with `diffsan secret set {wanted}`.",
                self.config.base_url
            )),
            (_, Err(SecretError::Unavailable(why))) => error
                .hint(format!("Set {TOKEN} and DIFFSAN_GITLAB__BASE_URL={wanted}. No keyring is available."))
                .cause(why),
            _ => error.hint(format!(
                "Create a personal access token with the scope api (read_api is enough for reading). Save it with \
                 `diffsan secret set {wanted}`, or set {TOKEN} and DIFFSAN_GITLAB__BASE_URL."
            )),
        };
        Err(error.with("host", wanted))
    }

    /// Returns whether a variable has the token for the configured address.
    pub fn has_token_variable(&self) -> bool {
        let variables = [TOKEN, self.config.token_env.as_str()];
        variables.into_iter().any(|variable| std::env::var(variable).is_ok_and(|token| !token.trim().is_empty()))
    }

    /// Returns the keys that seal the markers of a merge request, for the user of this token.
    pub fn marker_keys(&self, base: &str, token: &Secret, project_id: u64, iid: u64) -> MarkerKeys {
        let origin = origin(base).unwrap_or_else(|| base.to_owned());
        MarkerKeys::new(&[&self.installation, token.reveal().as_bytes()], &origin, project_id, iid)
    }

    /// Returns the file with certificates that are trusted in addition to the system's, if there is one.
    pub(crate) fn ca_file(&self) -> Option<PathBuf> {
        Some(&self.config.ca_file).filter(|path| !path.is_empty()).map(PathBuf::from)
    }

    /// Creates a client for a GitLab server. Blocks.
    pub fn client(&self, base: &str) -> Result<Client> {
        let (secret, _) = self.token(base)?;
        self.client_with(base, &secret)
    }

    /// Creates a client with the given token, to test the token.
    pub fn client_with(&self, base: &str, secret: &Secret) -> Result<Client> {
        let client = Client::new(base, &Token::new(secret.reveal()), self.ca_file().as_deref())?;
        Ok(client.with_versions(&self.versions).with_pause(Duration::from_millis(self.config.retry_pause_ms)))
    }
}
