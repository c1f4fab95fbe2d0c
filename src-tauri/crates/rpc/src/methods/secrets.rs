//! Tokens and keys.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::program::Done;
use crate::registry::{Fault, Table};
use diffsan_app::TokenCheck;
use diffsan_pipeline::error::{Error, ErrorCode};
use diffsan_pipeline::open::TokenPlace;
use diffsan_store::secrets::{Secret, SecretName, SecretPlace};

/// Saves a secret.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct SecretParams {
    /// The address of a GitLab server, or `key:VARIABLE`.
    pub name: String,
    /// The secret. No method returns it.
    pub value: String,
    /// Whether to keep it only until the program ends.
    #[serde(default)]
    pub session_only: bool,
}

/// Identifies a secret, or a GitLab server by its address.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct SecretNameParams {
    /// The name of the secret, or the server's address.
    pub name: String,
}

/// The saved secrets.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SecretList {
    /// The secrets, by name.
    pub items: Vec<SecretView>,
}

/// A saved secret.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SecretView {
    /// The name of the secret.
    pub name: String,
    /// Whether the secret still exists.
    pub exists: bool,
}

/// Facts about a token.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TokenView {
    /// The name of the token's user.
    pub username: String,
    /// The scopes of the token, if they are known.
    pub scopes: Option<Vec<String>>,
    /// The expiry date, if it is known.
    pub expires_at: Option<String>,
    /// Whether the scopes are sufficient for posting, if that is known.
    pub can_post: Option<bool>,
    /// The place where the token was found, for display.
    pub place: String,
}

pub(super) fn register(table: &mut Table) {
    table.method("secret.set", "Saves a token or key in the keyring", move |app, params: SecretParams| {
        app.save_secret(&secret_name(&params.name)?, &Secret::new(&params.value), params.session_only)?;
        Ok(Done {})
    });
    table.method("secret.remove", "Removes a token or key", move |app, params: SecretNameParams| {
        app.remove_secret(&secret_name(&params.name)?)?;
        Ok(Done {})
    });
    table.plain("secret.list", "Lists the saved tokens and keys by name", |app| {
        let saved = app.saved_secrets()?;
        let view =
            |one: diffsan_app::SavedSecret| SecretView { name: one.name.to_string(), exists: one.place.is_some() };
        Ok(SecretList { items: saved.into_iter().map(view).collect() })
    });
    table.async_query(
        "token.check",
        "Asks a GitLab server about its token",
        |app, params: SecretNameParams, ask| async move {
            let asking = ask.cancel.run_until_cancelled(app.check_token(&params.name));
            let cancelled = || Err(Error::new(ErrorCode::Cancelled, "Checking the token was cancelled."));
            let found = asking.await.unwrap_or_else(cancelled)?;
            Ok::<TokenView, Fault>(token_view(found))
        },
    );
}

pub(super) fn token_view(found: TokenCheck) -> TokenView {
    TokenView {
        username: found.username,
        scopes: found.scopes,
        expires_at: found.expires_at,
        can_post: found.can_post,
        place: match found.place {
            TokenPlace::Variable(name) => name,
            TokenPlace::Kept(SecretPlace::Keyring) => "the keyring".to_owned(),
            TokenPlace::Kept(SecretPlace::Session) => "this session".to_owned(),
        },
    }
}

fn secret_name(text: &str) -> Result<SecretName, Fault> {
    SecretName::parse(text).ok_or_else(|| {
        Error::new(ErrorCode::InvalidInput, format!("`{text}` is not the address of a GitLab server."))
            .hint("An address begins with https://, such as https://gitlab.example.com.")
            .into()
    })
}
