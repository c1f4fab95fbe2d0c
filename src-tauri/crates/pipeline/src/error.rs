//! The one error that leaves the core: a closed code, a sentence for the user, and what to do.
//!
//! Adapters have error types of their own; use cases convert them to this one. The command and the interface pass every error through
//! [`redacted`], so that no message that is shown carries a secret.

use std::fmt;
use std::sync::{Arc, OnceLock};

pub use diffsan_review::failure::{ErrorCode, ErrorInfo};

use diffsan_config::RedactionConfig;
use diffsan_redact::Redactor;

/// A failure as a user meets it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// Which kind.
    pub code: ErrorCode,
    /// What happened and what it means, in one or two sentences.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// Facts for a closer look (names, places, numbers), never secrets.
    pub context: serde_json::Map<String, serde_json::Value>,
    /// The underlying failure in its own words.
    pub cause: Option<String>,
}

/// The result of everything above the steps.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A failure with its code and message.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: None,
            retryable: false,
            context: serde_json::Map::new(),
            cause: None,
        }
    }

    /// Adds what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the underlying failure.
    #[must_use]
    pub fn cause(mut self, cause: impl fmt::Display) -> Self {
        self.cause = Some(cause.to_string());
        self
    }

    /// Marks it as worth another try.
    #[must_use]
    pub fn retryable(mut self) -> Self {
        self.retryable = true;
        self
    }

    /// Adds a fact.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<serde_json::Value>) -> Self {
        self.context.insert(key.to_owned(), value.into());
        self
    }

    /// As it is written to `run.json`, events and JSON-RPC.
    pub fn info(&self) -> ErrorInfo {
        ErrorInfo {
            error_code: self.code,
            message: self.message.clone(),
            hint: self.hint.clone(),
            retryable: self.retryable,
            context: self.context.clone(),
            cause: self.cause.clone(),
        }
    }
}

/// Masks the texts of an error with the built-in rules alone, so that this works where the settings cannot be read.
pub fn redacted(mut error: Error) -> Error {
    static ENGINE: OnceLock<Option<Arc<Redactor>>> = OnceLock::new();
    let engine = ENGINE.get_or_init(|| {
        let config = RedactionConfig { enabled: true, extra_patterns: Vec::new(), allow: Vec::new() };
        Redactor::new(&config, [0; 32]).ok().map(Arc::new)
    });
    let Some(engine) = engine else { return error };
    let mut session = engine.session();
    for text in [Some(&mut error.message), error.hint.as_mut(), error.cause.as_mut()].into_iter().flatten() {
        *text = session.contract("error", text).into_inner();
    }
    let context = serde_json::Value::Object(std::mem::take(&mut error.context));
    if let serde_json::Value::Object(context) = session.value("error", context).into_inner() {
        error.context = context;
    }
    error
}
