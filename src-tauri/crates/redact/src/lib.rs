//! Finds and masks secrets before anything leaves the core.
//!
//! In: texts, files and changes. Out: the same with the value of each secret replaced, and a report that never contains one. Recall has
//! priority: masking a harmless string costs little, leaking a secret costs a lot.

mod allow;
mod arguments;
mod assign;
mod below;
mod beside;
mod blocks;
mod bytes;
mod calls;
mod carriers;
mod change;
mod clients;
mod code;
mod compares;
mod containers;
mod cookies;
mod copies;
mod credential_files;
mod cursor;
mod defaults;
mod deployments;
mod element;
mod encoded;
mod engine;
mod exchanged;
mod fallback;
#[cfg(test)]
mod format_tests;
mod formats;
mod forms;
mod harmless;
mod identifiers;
mod inserts;
mod joined;
mod key_words;
mod keyed;
mod keywords;
mod kinds;
mod kubernetes;
mod literal;
mod live;
mod loose;
mod marks;
mod meanings;
mod named_calls;
mod narrow;
mod nearby;
mod notations;
mod obvious;
mod operator;
mod pairs;
mod patch;
mod phrase;
mod places;
mod prefixed;
mod printed;
mod programs;
mod prose;
mod published;
mod records;
mod recovery;
mod replaced;
mod rule;
mod rules;
mod runs;
mod session;
mod shapes;
mod span;
mod statements;
mod steps;
mod stream;
mod strings;
mod struct_rows;
mod tables;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod translations;
pub mod types;
mod unquoted;
mod user_tables;
mod utf16;
mod values;
mod words;
mod wrappers;

use std::sync::Arc;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use diffsan_config::RedactionConfig;

pub use live::{LiveText, Patch, units};
pub use session::{Session, TOKEN};
pub use stream::StreamFilter;

/// The reason why nothing can be masked, and therefore nothing is sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RedactError {
    /// A pattern from the user's settings is not valid.
    #[error("the redaction pattern `{name}` is not a valid regular expression: {message}")]
    Pattern {
        /// The name of the pattern.
        name: String,
        /// The error message.
        message: String,
    },
    /// A path pattern in the list of allowed values is not valid.
    #[error("`{glob}` in redaction.allow is not a valid path pattern: {message}")]
    Allow {
        /// The path pattern.
        glob: String,
        /// The error message.
        message: String,
    },
    /// A file of built-in rules cannot be read.
    #[error("the redaction rules in {file} cannot be read: {message}")]
    Rules {
        /// The path of the file in the source of diffsan.
        file: &'static str,
        /// The error message.
        message: String,
    },
    /// The automaton for the keywords of all rules cannot be built.
    #[error("the redaction rules cannot be prepared: {0}")]
    Engine(String),
    /// The settings cannot be written as text, so they have no digest.
    #[error("the redaction settings cannot be digested: {0}")]
    Settings(String),
}

/// The redaction engine: the rules and the key of the digests. It is created once and shared by all runs.
pub struct Redactor {
    enabled: bool,
    extra: Vec<rule::Rule>,
    allow: allow::Allow,
    digest: Hmac<Sha256>,
    rules: &'static rules::Rules,
    settings: String,
}

/// Builds the built-in rules, which otherwise happens when the first engine is created.
pub fn build_rules() {
    // An error in them is reported when the first engine is created.
    rules::built_in().ok();
}

impl Redactor {
    /// Creates an engine with the user's settings. `key` is the installation key, which digests are keyed with.
    pub fn new(config: &RedactionConfig, key: [u8; 32]) -> Result<Self, RedactError> {
        // An engine without rules would mask nothing, so creating it fails.
        let rules = rules::built_in()?;
        let digest = Hmac::<Sha256>::new_from_slice(&key).map_err(|error| RedactError::Engine(error.to_string()))?;
        let settings = serde_json::to_string(config).map_err(|error| RedactError::Settings(error.to_string()))?;
        Ok(Self {
            settings,
            enabled: config.enabled,
            extra: rule::extra(&config.extra_patterns)?,
            allow: allow::Allow::new(&config.allow)?,
            digest,
            rules,
        })
    }

    /// Returns a digest of the rules and settings. Engines with the same version mask identically.
    pub fn version(&self) -> String {
        let mut version = Sha256::new_with_prefix(&self.settings);
        rules::add_to(&mut version);
        hex::encode(version.finalize())
    }

    /// Returns the HMAC-SHA-256 of a secret under the installation key. A plain digest of a short secret could be guessed.
    fn digest(&self, secret: &[u8]) -> [u8; 32] {
        let mut mac = self.digest.clone();
        mac.update(secret);
        mac.finalize().into_bytes().into()
    }

    /// Removes the spans that the user declared harmless.
    fn let_through(&self, place: &str, text: &[u8], spans: &mut Vec<span::Span>) {
        if !self.allow.is_empty() {
            spans.retain(|span| {
                !self.allow.allows(place, &span.rule, || hex::encode(self.digest(&text[span.start..span.end])))
            });
        }
    }

    /// Starts a redaction session. Within a session, equal secrets get equal numbers.
    pub fn session(self: &Arc<Self>) -> Session {
        Session::new(Arc::clone(self))
    }
}
