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

/// Asks for what a run sent: of a review, or of a run that gave none.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SentParams {
    /// The review.
    #[serde(default)]
    pub review_id: Option<String>,
    /// The run.
    #[serde(default)]
    pub run_id: Option<String>,
    /// Which of its prompts is to be read, from 0.
    #[serde(default)]
    pub prompt: u32,
}

/// What a run sent.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SentView {
    /// Its prompts, in the order of agents, parts and attempts; none where nothing was sent.
    pub prompts: Vec<SentPromptView>,
    /// Which of them this is, from 0.
    pub prompt: u32,
    /// Its text, as it was sent.
    pub text: String,
    /// Its characters.
    pub chars: u64,
    /// Its tokens, counted with a common tokenizer.
    pub tokens: u64,
    /// When the run began, RFC 3339.
    pub started_at: String,
    /// What the review added to the instructions.
    pub instructions: Option<String>,
    /// Where it is kept.
    pub run_dir: String,
}

/// A prompt that was sent.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SentPromptView {
    /// The agent's name.
    pub agent: String,
    /// Which part of the change, from 1.
    pub part: u32,
    /// Which attempt, from 1; later ones say what was wrong with the answer before.
    pub attempt: u32,
}
