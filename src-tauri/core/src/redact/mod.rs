//! Secrets are found and masked here, before anything leaves the core.
//!
//! In: texts, files and changes. Out: the same with each secret's value replaced, and a report that never holds one. Recall
//! comes first: a harmless string that is lost costs little, a secret that leaves costs everything.

mod blocks;
mod change;
mod engine;
mod keyed;
mod rules;
mod session;
mod stream;
#[cfg(test)]
mod tests;
pub mod types;
mod utf16;
mod values;

use std::sync::Arc;

use crate::config::RedactionConfig;

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
    /// The built-in rules.
    #[error("the built-in redaction rules cannot be read: {0}")]
    Rules(String),
}

/// The engine: rules and the key of the digests. Made once, shared by all runs.
pub struct Redactor {
    enabled: bool,
    extra: Vec<rules::Rule>,
    key: [u8; 32],
    rules: &'static rules::Rules,
}

impl Redactor {
    /// An engine with the user's patterns.
    pub fn new(config: &RedactionConfig, key: [u8; 32]) -> Result<Self, RedactError> {
        // Without its rules the engine would let everything through: then there is no engine.
        let rules = rules::built_in()?;
        Ok(Self { enabled: config.enabled, extra: rules::extra(&config.extra_patterns)?, key, rules })
    }

    /// A run: the same secret gets the same number in it.
    pub fn session(self: &Arc<Self>) -> Session {
        Session::new(Arc::clone(self))
    }
}
