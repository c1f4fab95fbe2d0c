//! Secrets are found and masked here, before anything leaves the core.
//!
//! In: texts, files and changes. Out: the same with each secret's value replaced, and a report that never holds one. Recall
//! comes first: a harmless string that is lost costs little, a secret that leaves costs everything.

mod allow;
mod assign;
mod blocks;
mod change;
mod copies;
mod encoded;
mod engine;
mod keyed;
mod literal;
mod live;
mod places;
mod rules;
mod session;
mod span;
mod stream;
#[cfg(test)]
mod tests;
pub mod types;
mod utf16;
mod values;
mod words;

use std::sync::Arc;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use diffsan_config::RedactionConfig;

pub use live::{LiveText, Patch, units};
pub use session::{Session, TOKEN};
pub use stream::StreamFilter;

/// Why nothing can be masked, and so nothing is sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RedactError {
    /// A pattern of the user's own.
    #[error("the redaction pattern `{name}` is not a valid regular expression: {message}")]
    Pattern {
        /// Its name.
        name: String,
        /// What is wrong.
        message: String,
    },
    /// A path of the list of what is let through.
    #[error("`{glob}` in redaction.allow is not a valid path pattern: {message}")]
    Allow {
        /// The pattern.
        glob: String,
        /// What is wrong.
        message: String,
    },
    /// The built-in rules.
    #[error("the built-in redaction rules cannot be read: {0}")]
    Rules(String),
}

/// The engine: rules and the key of the digests. Made once, shared by all runs.
pub struct Redactor {
    enabled: bool,
    extra: Vec<rules::Rule>,
    allow: allow::Allow,
    digest: Hmac<Sha256>,
    rules: &'static rules::Rules,
    settings: String,
}

impl Redactor {
    /// An engine with the user's patterns.
    pub fn new(config: &RedactionConfig, key: [u8; 32]) -> Result<Self, RedactError> {
        // Without its rules the engine would let everything through: then there is no engine.
        let rules = rules::built_in()?;
        let digest = Hmac::<Sha256>::new_from_slice(&key).map_err(|error| RedactError::Rules(error.to_string()))?;
        Ok(Self {
            settings: serde_json::to_string(config).unwrap_or_default(),
            enabled: config.enabled,
            extra: rules::extra(&config.extra_patterns)?,
            allow: allow::Allow::new(&config.allow)?,
            digest,
            rules,
        })
    }

    /// Names the rules and settings: engines of one version mask alike.
    pub fn version(&self) -> String {
        let mut version = Sha256::new_with_prefix(&self.settings);
        rules::texts().iter().for_each(|text| version.update(text));
        hex::encode(version.finalize())
    }

    /// HMAC-SHA-256 of a secret under this installation's key: a plain digest of a short one could be guessed.
    fn digest(&self, secret: &[u8]) -> [u8; 32] {
        let mut mac = self.digest.clone();
        mac.update(secret);
        mac.finalize().into_bytes().into()
    }

    /// Takes out what the user said is no secret.
    fn let_through(&self, place: &str, text: &[u8], spans: &mut Vec<span::Span>) {
        if !self.allow.is_empty() {
            spans.retain(|span| {
                !self.allow.allows(place, &span.rule, || hex::encode(self.digest(&text[span.start..span.end])))
            });
        }
    }

    /// A run: the same secret gets the same number in it.
    pub fn session(self: &Arc<Self>) -> Session {
        Session::new(Arc::clone(self))
    }
}
