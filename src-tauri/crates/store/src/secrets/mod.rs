//! Access to the operating system's keyring, which stores tokens and keys.
//!
//! In: the name of a secret. Out: the secret, as a value that is never printed. If there is no keyring, an error is returned, and
//! a secret can be stored until the process ends. No secret is ever written to a file. Every call may block.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

/// The service name of diffsan's entries in the keyring.
const SERVICE: &str = "diffsan";

/// A secret. Its `Debug` output does not contain it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Creates a secret from a text, without surrounding whitespace.
    pub fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// Returns the text, for the place that uses it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns whether the secret is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The name of a secret.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SecretName {
    /// The token for a GitLab server, by scheme, host and port, and optionally for one of several accounts.
    Gitlab {
        /// The origin, such as `https://gitlab.example.com`.
        origin: String,
        /// The account. Empty if there is only one.
        account: String,
    },
    /// The key that an agent reads from this environment variable.
    Key(String),
}

impl SecretName {
    /// Parses a name as it is listed and typed: `gitlab:https://gitlab.example.com`, `key:OPENAI_API_KEY`.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(name) = text.strip_prefix("key:") {
            let fits = !name.is_empty() && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
            return fits.then(|| Self::Key(name.to_owned()));
        }
        let rest = text.strip_prefix("gitlab:").unwrap_or(text);
        let (url, account) = rest.split_once('#').unwrap_or((rest, ""));
        Some(Self::Gitlab { origin: origin(url)?, account: account.to_owned() })
    }
}

impl fmt::Display for SecretName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gitlab { origin, account } if account.is_empty() => write!(f, "gitlab:{origin}"),
            Self::Gitlab { origin, account } => write!(f, "gitlab:{origin}#{account}"),
            Self::Key(name) => write!(f, "key:{name}"),
        }
    }
}

/// Returns the scheme, host and port of a URL, which identify the server that a token belongs to.
pub fn origin(url: &str) -> Option<String> {
    let parsed = reqwest::Url::parse(url).ok()?;
    let fits = ["http", "https"].contains(&parsed.scheme()) && parsed.username().is_empty() && parsed.has_host();
    fits.then(|| parsed.origin().ascii_serialization())
}

/// An error of the keyring.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SecretError {
    /// There is no keyring, or it stays locked.
    #[error("no system keyring is available: {0}")]
    Unavailable(String),
    /// The keyring refused the request.
    #[error("the keyring failed: {0}")]
    Refused(String),
}

/// The place where a secret is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretPlace {
    /// In the keyring.
    Keyring,
    /// In the memory of this process, until it ends.
    Session,
}

/// The names of the keys that the keyring is known to have, for the whole process. No other key is requested, because a request
/// may open a dialog.
static KEPT: RwLock<BTreeSet<String>> = RwLock::new(BTreeSet::new());

/// Keys that were given only for this process.
static GIVEN: RwLock<BTreeMap<String, Secret>> = RwLock::new(BTreeMap::new());

fn given(variable: &str) -> Option<Secret> {
    GIVEN.read().unwrap_or_else(PoisonError::into_inner).get(variable).cloned()
}

/// Sets which keys the keyring has.
pub fn load_secret_names(names: impl Iterator<Item = SecretName>) {
    let keys = names.filter_map(|name| if let SecretName::Key(key) = name { Some(key) } else { None });
    *KEPT.write().unwrap_or_else(PoisonError::into_inner) = keys.collect();
}

/// Returns the key that agents read from a variable: from the environment, or else the one given for this process, or else from
/// the keyring. Blocks.
pub fn key(variable: &str) -> Option<Secret> {
    if let Some(given) = std::env::var(variable).ok().filter(|key| !key.is_empty()) {
        return Some(Secret::new(&given));
    }
    if let Some(given) = given(variable) {
        return Some(given);
    }
    let kept = KEPT.read().unwrap_or_else(PoisonError::into_inner).contains(variable);
    if !kept {
        return None;
    }
    entry(&SecretName::Key(variable.to_owned())).ok()?.get_password().ok().map(|text| Secret::new(&text))
}

/// Returns whether such a key exists, without accessing the keyring.
pub fn has_key(variable: &str) -> bool {
    std::env::var(variable).is_ok_and(|key| !key.is_empty())
        || given(variable).is_some()
        || KEPT.read().unwrap_or_else(PoisonError::into_inner).contains(variable)
}

/// The keyring, and the secrets that are stored only for this process.
#[derive(Default)]
pub struct Secrets {
    session: Mutex<BTreeMap<SecretName, Secret>>,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secrets(…)")
    }
}

impl Secrets {
    /// Returns a secret and its place. A secret for this process takes precedence over the keyring. Blocks.
    pub fn get(&self, name: &SecretName) -> Result<Option<(Secret, SecretPlace)>, SecretError> {
        if let Some(secret) = self.lock().get(name) {
            return Ok(Some((secret.clone(), SecretPlace::Session)));
        }
        match entry(name)?.get_password() {
            Ok(text) => Ok(Some((Secret::new(&text), SecretPlace::Keyring))),
            Err(keyring::Error::NoEntry) => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    /// Returns the names of the secrets for this process.
    pub fn session_names(&self) -> Vec<SecretName> {
        self.lock().keys().cloned().collect()
    }

    /// Stores a secret in the keyring. Blocks.
    pub fn set(&self, name: &SecretName, secret: &Secret) -> Result<(), SecretError> {
        entry(name)?.set_password(secret.reveal()).map_err(failed)?;
        self.lock().remove(name);
        Ok(())
    }

    /// Stores a secret until the process ends.
    pub fn set_for_session(&self, name: SecretName, secret: Secret) {
        if let SecretName::Key(key) = &name {
            GIVEN.write().unwrap_or_else(PoisonError::into_inner).insert(key.clone(), secret.clone());
        }
        self.lock().insert(name, secret);
    }

    /// Removes a secret. Returns `false` if there was none. Blocks.
    pub fn remove(&self, name: &SecretName) -> Result<bool, SecretError> {
        let here = self.lock().remove(name).is_some();
        if let SecretName::Key(key) = name {
            GIVEN.write().unwrap_or_else(PoisonError::into_inner).remove(key);
        }
        match entry(name).and_then(|entry| match entry.delete_credential() {
            Ok(()) => Ok(true),
            Err(keyring::Error::NoEntry) => Ok(false),
            Err(error) => Err(failed(error)),
        }) {
            Ok(there) => Ok(here || there),
            Err(_) if here => Ok(true),
            Err(error) => Err(error),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<SecretName, Secret>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn entry(name: &SecretName) -> Result<keyring::Entry, SecretError> {
    keyring::Entry::new(SERVICE, &name.to_string()).map_err(failed)
}

/// Converts an error of the keyring. Its message contains no secret, at most the name of the entry.
fn failed(error: keyring::Error) -> SecretError {
    match error {
        keyring::Error::NoStorageAccess(_) | keyring::Error::PlatformFailure(_) | keyring::Error::NoDefaultStore => {
            SecretError::Unavailable(first_line(&error))
        }
        error => SecretError::Refused(first_line(&error)),
    }
}

fn first_line(error: &keyring::Error) -> String {
    let text = error.to_string();
    text.lines().next().unwrap_or_default().chars().take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_have_names_that_can_be_typed() {
        let parsed = |text: &str| SecretName::parse(text).map(|name| name.to_string());
        assert_eq!(
            parsed("https://gitlab.example.com/group/project").as_deref(),
            Some("gitlab:https://gitlab.example.com")
        );
        assert_eq!(parsed("gitlab:http://h:8080#bot").as_deref(), Some("gitlab:http://h:8080#bot"));
        assert_eq!(parsed("key:OPENAI_API_KEY").as_deref(), Some("key:OPENAI_API_KEY"));
        for bad in ["", "key:", "key:a b", "ftp://h", "https://u:p@h", "gitlab.com"] {
            assert_eq!(parsed(bad), None, "{bad}");
        }
    }

    #[test]
    fn session_secrets_are_found_and_never_printed() {
        let secrets = Secrets::default();
        let name = SecretName::Key("K".into());
        secrets.set_for_session(name.clone(), Secret::new(" s3cret\n"));
        let (secret, place) = secrets.get(&name).expect("found").expect("one");
        assert_eq!((secret.reveal(), place), ("s3cret", SecretPlace::Session));
        assert!(!format!("{secret:?}{secrets:?}").contains("s3cret"));
        assert_eq!((key("K").map(|key| key.reveal().to_owned()).as_deref(), has_key("K")), (Some("s3cret"), true));
        assert_eq!(secrets.session_names(), std::slice::from_ref(&name));
        assert!(secrets.remove(&name).expect("removed"));
        assert!(!has_key("K") && key("K").is_none());
    }
}
