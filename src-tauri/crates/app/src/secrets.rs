//! Tokens and keys: saved in the keyring, listed by name and checked. The state file contains their names, never their
//! values.

use std::sync::Arc;

use super::App;
use diffsan_forge::gitlab::{GitlabError, ServerVersion};
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_pipeline::open::TokenPlace;
use diffsan_store::files::artifacts::now;
use diffsan_store::secrets::{Secret, SecretError, SecretName, SecretPlace};

/// A saved secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedSecret {
    /// The name of the secret.
    pub name: SecretName,
    /// The place of the secret. `None` if the keyring does not contain it any more.
    pub place: Option<SecretPlace>,
}

/// Facts about a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenCheck {
    /// The name of the token's user.
    pub username: String,
    /// The scopes of the token, if they are known.
    pub scopes: Option<Vec<String>>,
    /// The expiry date, if it is known.
    pub expires_at: Option<String>,
    /// Whether the scopes are sufficient for posting. `None` if that is unknown.
    pub can_post: Option<bool>,
    /// The version of GitLab, if it is known.
    pub version: Option<ServerVersion>,
    /// The place where the token was found.
    pub place: TokenPlace,
}

impl App {
    /// Saves a secret in the keyring, or only until the program ends. Blocks.
    pub fn save_secret(&self, name: &SecretName, secret: &Secret, session_only: bool) -> Result<()> {
        if secret.is_empty() || secret.reveal().chars().any(char::is_control) {
            return Err(Error::new(
                ErrorCode::InvalidInput,
                "This is not a token: it is empty or contains line breaks.",
            )
            .hint("Enter only the token, on one line."));
        }
        if session_only {
            self.secrets.set_for_session(name.clone(), secret.clone());
            return Ok(());
        }
        self.secrets.set(name, secret).map_err(keyring_error)?;
        self.store.secret_named(&name.to_string(), &now())?;
        self.load_secret_names()
    }

    /// Reads the names of the saved secrets. The keyring is asked for no others.
    pub(super) fn load_secret_names(&self) -> Result<()> {
        let names = self.store.secret_names()?;
        diffsan_store::secrets::load_secret_names(names.iter().filter_map(|name| SecretName::parse(name)));
        Ok(())
    }

    /// Removes a secret. Returns `false` if there was none. Blocks.
    pub fn remove_secret(&self, name: &SecretName) -> Result<bool> {
        let there = self.secrets.remove(name).map_err(keyring_error)?;
        self.store.secret_forgotten(&name.to_string())?;
        self.load_secret_names()?;
        Ok(there)
    }

    /// Returns the saved secrets by name, including those of this session. Blocks.
    pub fn saved_secrets(&self) -> Result<Vec<SavedSecret>> {
        let names = self.store.secret_names()?;
        let mut names: Vec<SecretName> = names.iter().filter_map(|name| SecretName::parse(name)).collect();
        let session = self.secrets.session_names();
        names.extend(session.into_iter().filter(|name| !names.contains(name)).collect::<Vec<_>>());
        names
            .into_iter()
            .map(|name| {
                let place = self.secrets.get(&name).map_err(keyring_error)?.map(|(_, place)| place);
                Ok(SavedSecret { name, place })
            })
            .collect()
    }

    /// Asks a GitLab server about its token.
    pub async fn check_token(self: &Arc<Self>, base: &str) -> Result<TokenCheck> {
        let (app, host) = (Arc::clone(self), base.to_owned());
        let (access, secret, place) = blocking(move || {
            let access = app.gitlab()?;
            let (secret, place) = access.token(&host)?;
            Ok((access, secret, place))
        })
        .await?;
        let client = access.client_with(base, &secret)?;
        let (user, token, version) = tokio::join!(client.user(), client.token(), client.version());
        let user = user?;
        let token = match token {
            Ok(token) => token,
            Err(GitlabError::Forbidden(_)) => None,
            Err(error) => return Err(Error::from(error)),
        };
        Ok(TokenCheck {
            username: user.username,
            can_post: token.as_ref().map(|token| token.scopes.iter().any(|scope| scope == "api")),
            scopes: token.as_ref().map(|token| token.scopes.clone()),
            expires_at: token.and_then(|token| token.expires_at),
            version,
            place,
        })
    }
}

pub(super) fn keyring_error(error: SecretError) -> Error {
    let message = format!("{}.", diffsan_pipeline::error::sentence(&error.to_string()).trim_end_matches('.'));
    let hint = match error {
        SecretError::Unavailable(_) => {
            "Start a Secret Service (GNOME Keyring, KWallet, KeePassXC), store the token for this session only, or \
             set the variable DIFFSAN_GITLAB_TOKEN."
        }
        SecretError::Refused(_) => "Check the keyring (for example with Seahorse), then try again.",
    };
    Error::new(ErrorCode::SecretStoreUnavailable, message).hint(hint)
}
