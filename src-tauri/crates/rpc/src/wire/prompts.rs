//! Wire types of prompt files and snippets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A prompt file in effect.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PromptFileView {
    /// The name of the file, such as `system.md`.
    pub name: String,
    /// The path of the file. None if it is built in.
    pub path: Option<String>,
    /// The text of the file.
    pub text: String,
}

/// The prompt files in effect.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PromptFilesView {
    /// The files, in display order.
    pub files: Vec<PromptFileView>,
}

/// Sets the user's text of a prompt file.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PromptFileParams {
    /// The name of the file, such as `system.md`.
    pub name: String,
    /// The text. None restores the built-in text.
    pub text: Option<String>,
}

/// A button with a message that it puts into the input.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SnippetView {
    /// The symbol on the button.
    pub icon: String,
    /// The description of the button.
    pub tooltip: String,
    /// The text of the message.
    pub message: String,
}

/// The snippets in effect.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SnippetsView {
    /// The snippets, in order.
    pub snippets: Vec<SnippetView>,
    /// The path of their file. None if they are built in.
    pub path: Option<String>,
    /// The entries that were skipped, with the reason.
    pub notices: Vec<String>,
}

/// Sets the user's snippets.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SnippetsParams {
    /// The snippets. None restores the built-in ones.
    pub snippets: Option<Vec<SnippetView>>,
}

/// The text of a file to import.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ImportParams {
    /// The text.
    pub text: String,
}

/// Asks for the prompts of a review, or of a run without a review.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SentParams {
    /// The review's id.
    #[serde(default)]
    pub review_id: Option<String>,
    /// The run's id.
    #[serde(default)]
    pub run_id: Option<String>,
    /// The index of the prompt to read, from 0.
    #[serde(default)]
    pub prompt: u32,
}

/// The prompts that a run sent.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SentView {
    /// The prompts, in the order of agents, batches and attempts. Empty if nothing was sent.
    pub prompts: Vec<SentPromptView>,
    /// The index of the returned prompt, from 0.
    pub prompt: u32,
    /// The text of the prompt, as it was sent.
    pub text: String,
    /// The number of characters.
    pub chars: u64,
    /// The number of tokens, counted with a common tokenizer.
    pub tokens: u64,
    /// The start of the run, RFC 3339.
    pub started_at: String,
    /// Instructions that the review added.
    pub instructions: Option<String>,
    /// The run folder.
    pub run_dir: String,
}

/// A prompt that was sent.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SentPromptView {
    /// The agent's name.
    pub agent: String,
    /// The number of the batch, from 1.
    pub part: u32,
    /// The number of the attempt, from 1. Later attempts describe the errors of the previous answer.
    pub attempt: u32,
}
