//! Wire types of exported reviews.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Asks for a review in an export format.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ExportParams {
    /// The review.
    pub review_id: String,
    /// The format: `json`, `markdown`, `html`, `sarif` or `code-quality`.
    pub format: String,
}

/// An exported document.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DocumentView {
    /// A suggested name for its file.
    pub name: String,
    /// The text of the document.
    pub text: String,
}
