//! What is said of prompt files and snippets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A prompt file in force.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PromptFileView {
    /// `system.md`
    pub name: String,
    /// Its path; none if it is built in.
    pub path: Option<String>,
    /// Its text.
    pub text: String,
}

/// The prompt files in force.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PromptFilesView {
    /// In the order in which they are shown.
    pub files: Vec<PromptFileView>,
}

/// The user's own text of a prompt file.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PromptFileParams {
    /// `system.md`
    pub name: String,
    /// None goes back to the built-in one.
    pub text: Option<String>,
}

/// A message that a button puts into the input.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SnippetView {
    /// What stands on the button.
    pub icon: String,
    /// What it is for.
    pub tooltip: String,
    /// The text.
    pub message: String,
}

/// The snippets in force.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SnippetsView {
    /// In order.
    pub snippets: Vec<SnippetView>,
    /// Their file; none if they are built in.
    pub path: Option<String>,
    /// What was skipped, and why.
    pub notices: Vec<String>,
}

/// The user's own snippets.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SnippetsParams {
    /// None goes back to the built-in ones.
    pub snippets: Option<Vec<SnippetView>>,
}

/// A file's text.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ImportParams {
    /// The text.
    pub text: String,
}
