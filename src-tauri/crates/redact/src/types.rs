//! Text that may leave, and what was masked to make it so.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A value in which every secret that the engine knows is masked. Only this room can make one (see
/// [`super::Session`]), so a forgotten call does not compile: everything that leaves the core takes `Redacted`.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Redacted<T>(T);

impl<T> Redacted<T> {
    pub(crate) fn vouch(value: T) -> Self {
        Self(value)
    }

    /// What follows from the value alone: a selection of it, or its text form. `make` must add nothing of the
    /// user's.
    pub fn narrow<U>(&self, make: impl FnOnce(&T) -> U) -> Redacted<U> {
        Redacted(make(&self.0))
    }

    /// The value, for a door to write or send.
    pub fn into_inner(self) -> T {
        self.0
    }

    /// The value.
    pub fn get(&self) -> &T {
        &self.0
    }
}

impl Redacted<String> {
    /// Text of the program's own, which holds nothing of the user's.
    pub fn fixed(text: &'static str) -> Self {
        Self(text.to_owned())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Appends text that is as clean. A secret that only the joint would form is found by the final pass over
    /// the whole.
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

/// What was masked in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RedactionReport {
    /// Whether the engine ran.
    pub enabled: bool,
    /// Whether it found anything.
    pub found: bool,
    /// Every place; never the secret.
    pub matches: Vec<RedactionMatch>,
    /// How many more there were in a text of more than anybody reads.
    #[serde(default)]
    pub unlisted: u64,
    /// What stands in the place of a secret in contract fields.
    pub redaction_token: String,
}

/// One masked place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RedactionMatch {
    /// The rule that found it.
    pub pattern_name: String,
    /// The file (or `commit message`, `path`, `prompt`, `agent output`, …).
    pub path: String,
    /// The line, where there is one: of the file's new side (old side for a removed line), else of the text.
    pub line_hint: Option<u32>,
    /// Hex HMAC-SHA-256 of the secret under this installation's key: a plain digest could be guessed.
    pub match_sha256: String,
    /// The secret's length in bytes.
    pub match_length: u32,
}
