//! The type of masked texts, and the report of the masked places.

use std::fmt;

use rustc_hash::{FxHashMap, FxHashSet};
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
    pub unlisted: u64,
    /// One summary for each file or other place with listed matches, in the order of the matches.
    pub files: Vec<RedactedFile>,
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
    /// The reason why the rule found it.
    pub reason: RedactionReason,
}

/// The masked places of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RedactedFile {
    /// The file, as in [`RedactionMatch::path`].
    pub path: String,
    /// The number of masked places.
    pub places: u32,
    /// The number of different values.
    pub values: u32,
    /// The rules that found them, each once, in the order of the matches.
    pub rules: Vec<String>,
}

impl RedactedFile {
    /// Summarizes matches by file.
    pub fn summarize(matches: &[RedactionMatch]) -> Vec<Self> {
        let mut files: Vec<(Self, FxHashSet<&str>)> = Vec::new();
        let mut indexes: FxHashMap<&str, usize> = FxHashMap::default();
        for found in matches {
            let index = *indexes.entry(&found.path).or_insert_with(|| {
                let file = Self { path: found.path.clone(), places: 0, values: 0, rules: Vec::new() };
                files.push((file, FxHashSet::default()));
                files.len() - 1
            });
            let (file, values) = &mut files[index];
            file.places += 1;
            file.values += u32::from(values.insert(&found.match_sha256));
            if !file.rules.contains(&found.pattern_name) {
                file.rules.push(found.pattern_name.clone());
            }
        }
        files.into_iter().map(|(file, _)| file).collect()
    }
}

/// The reason why a value was masked. It contains no value, so that it can be shown and stored anywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RedactionReason {
    /// The text has the format of the rule.
    #[default]
    Format,
    /// The key of the value contains a word that names a secret.
    Key {
        /// The letters around a word of the rules, such as `password`. At most 16 are before the word and 16 after it.
        word: String,
    },
    /// The value is an argument of a call that takes a secret.
    CallArgument,
    /// The value is an option or argument of a program that takes a secret.
    CommandLine,
    /// The file is one that holds credentials, by its name.
    CredentialFile,
    /// The lines belong to a block of a private key.
    KeyBlock,
    /// The text contains a secret in an encoded form.
    Encoded,
    /// A pattern of the user matches.
    UserPattern,
    /// The value is equal to a secret that was found at another place.
    Copy,
}

impl fmt::Display for RedactionReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format => f.write_str("it has the format of this secret"),
            Self::Key { word } => write!(f, "its key contains “{word}”"),
            Self::CallArgument => f.write_str("it is an argument of a call that takes a secret"),
            Self::CommandLine => f.write_str("it is an option of a program that takes a secret"),
            Self::CredentialFile => f.write_str("the file is one that holds credentials"),
            Self::KeyBlock => f.write_str("it belongs to a block of a private key"),
            Self::Encoded => f.write_str("it contains a secret in an encoded form"),
            Self::UserPattern => f.write_str("a pattern of your settings matches"),
            Self::Copy => f.write_str("it is equal to a secret at another place"),
        }
    }
}
