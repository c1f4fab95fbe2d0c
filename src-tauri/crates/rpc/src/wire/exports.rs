//! What is said of reviews as documents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which review, and how it is written.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ExportParams {
    /// The review.
    pub review_id: String,
    /// `json`, `markdown`, `html`, `sarif` or `code-quality`.
    pub format: String,
}

/// A document.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DocumentView {
    /// What its file may be called.
    pub name: String,
    /// Its text.
    pub text: String,
}
