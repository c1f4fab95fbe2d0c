//! The type of masked texts, and the report of the masked places.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A value in which every secret that the engine knows is masked. Only this crate can create one (see
/// [`super::Session`]), and everything that leaves the core has this type, so a forgotten call does not compile.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Redacted<T>(T);

impl<T> Redacted<T> {
    pub(crate) fn vouch(value: T) -> Self {
        Self(value)
    }

    /// Derives a value from this one, such as a part of it or its text form. `make` must not add text of the user.
    pub fn narrow<U>(&self, make: impl FnOnce(&T) -> U) -> Redacted<U> {
        Redacted(make(&self.0))
    }

    /// Returns the value for writing or sending.
    pub fn into_inner(self) -> T {
        self.0
    }

    /// Returns a reference to the value.
    pub fn get(&self) -> &T {
        &self.0
    }
}

impl Redacted<String> {
    /// Creates a text from a constant of the program, which contains nothing from the user.
    pub fn fixed(text: &'static str) -> Self {
        Self(text.to_owned())
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Appends a masked text. If the joint forms a secret, the final pass over the whole text finds it.
    pub fn push(&mut self, other: &Self) {
        self.0.push_str(&other.0);
    }
}

impl<T: fmt::Display> fmt::Display for Redacted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: fmt::Debug> fmt::Debug for Redacted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The report of the masked places of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RedactionReport {
    /// Whether the engine is enabled.
    pub enabled: bool,
    /// Whether any secret was found.
    pub found: bool,
    /// Every masked place, without the secret.
    pub matches: Vec<RedactionMatch>,
    /// The number of further matches that are not listed, because the list has a limit.
    #[serde(default)]
    pub unlisted: u64,
    /// The text that replaces a secret in contract fields.
    pub redaction_token: String,
}

/// One masked place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RedactionMatch {
    /// The rule that found the secret.
    pub pattern_name: String,
    /// The file (or `commit message`, `path`, `prompt`, `agent output`, …).
    pub path: String,
    /// The line, if known: of the file's new side (old side for a removed line), otherwise of the text.
    pub line_hint: Option<u32>,
    /// The HMAC-SHA-256 of the secret in hexadecimal, under the installation key. A plain digest could be guessed.
    pub match_sha256: String,
    /// The length of the secret in bytes.
    pub match_length: u32,
}
