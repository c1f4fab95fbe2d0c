//! Prompt files, snippets, and the prompts that were sent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::registry::Table;
use diffsan_app::{App, RawAnswer, Sent, SentBy};
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_prepare::prompt::snippets::Snippet;
use diffsan_prepare::tokens;
use diffsan_store::files::sent::SentPrompt;

/// A prompt file in effect.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PromptFileView {
    /// The name of the file, such as `system.md`.
    pub name: String,
    /// The path of the file. None if it is built in.
    pub path: Option<String>,
    /// The text of the file.
    pub text: String,
}

/// The prompt files in effect.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PromptFilesView {
    /// The files, in display order.
    pub files: Vec<PromptFileView>,
}

/// Sets the user's text of a prompt file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct PromptFileParams {
    /// The name of the file, such as `system.md`.
    pub name: String,
    /// The text. None restores the built-in text.
    pub text: Option<String>,
}

/// The snippets in effect.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SnippetsView {
    /// The snippets, in order.
    pub snippets: Vec<Snippet>,
    /// The path of their file. None if they are built in.
    pub path: Option<String>,
    /// The entries that were skipped, with the reason.
    pub notices: Vec<String>,
}

/// Sets the user's snippets.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct SnippetsParams {
    /// The snippets. None restores the built-in ones.
    pub snippets: Option<Vec<Snippet>>,
}

/// The text of a file to import.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ImportParams {
    /// The text.
    pub text: String,
}

/// Asks for the prompts of a review, or of a run without a review.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, Serialize, JsonSchema)]
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
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SentPromptView {
    /// The agent's name.
    pub agent: String,
    /// The number of the batch, from 1.
    pub part: u32,
    /// The number of the attempt, from 1. Later attempts describe the errors of the previous answer.
    pub attempt: u32,
}

/// Names a run by its review or by its id.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct RawAnswersParams {
    /// The review.
    #[serde(default)]
    pub review_id: Option<String>,
    /// The run, if it has no review.
    #[serde(default)]
    pub run_id: Option<String>,
}

/// The answers of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RawAnswersView {
    /// The answers, ordered by agent, batch and attempt.
    pub answers: Vec<RawAnswer>,
}

pub(super) fn register(table: &mut Table) {
    table.plain("prompts.list", "Lists the prompt files in effect", |app| files(app));
    table.method("prompts.save", "Saves the user's text of a prompt file", |app, params: PromptFileParams| {
        app.save_prompt(&params.name, params.text.as_deref())?;
        Ok(files(app)?)
    });
    table.query("prompt.sent", "Returns the prompts that a run sent", |app, params: SentParams| {
        let run = sent_by(params.review_id.as_deref(), params.run_id.as_deref())?;
        Ok(sent(app.sent(run, params.prompt as usize)?, params.prompt))
    });
    table.query(
        "answer.raw",
        "Returns the answers of a run as the agents wrote them",
        |app, params: RawAnswersParams| {
            let run = sent_by(params.review_id.as_deref(), params.run_id.as_deref())?;
            Ok(RawAnswersView { answers: app.raw_answers(run)? })
        },
    );
    table.plain("snippets.list", "Lists the snippets in effect", |app| Ok(snippets(app)));
    table.method("snippets.save", "Saves the user's snippets", |app, params: SnippetsParams| {
        app.save_snippets(params.snippets)?;
        Ok(snippets(app))
    });
    table.method("snippets.import", "Imports snippets from the text of a file", |app, params: ImportParams| {
        let skipped = app.import_snippets(&params.text)?.notices;
        let mut view = snippets(app);
        view.notices = skipped;
        Ok(view)
    });
}

fn sent_by<'a>(review_id: Option<&'a str>, run_id: Option<&'a str>) -> Result<SentBy<'a>> {
    match (review_id, run_id) {
        (Some(review), None) => Ok(SentBy::Review(review)),
        (None, Some(run)) => Ok(SentBy::Run(run)),
        _ => Err(Error::new(ErrorCode::InvalidInput, "Either a review or a run is named.")),
    }
}

fn files(app: &App) -> Result<PromptFilesView> {
    let view = |file: diffsan_store::files::prompts::PromptFile| PromptFileView {
        name: file.name,
        path: file.path.map(|path| path.display().to_string()),
        text: file.text,
    };
    Ok(PromptFilesView { files: app.prompts_in_force()?.into_iter().map(view).collect() })
}

fn sent(sent: Sent, prompt: u32) -> SentView {
    let agent = sent.record.agent.unwrap_or_default();
    let view = |one: &SentPrompt| SentPromptView {
        agent: one.agent.clone().unwrap_or_else(|| agent.clone()),
        part: one.part,
        attempt: one.attempt,
    };
    SentView {
        prompts: sent.prompts.iter().map(view).collect(),
        prompt,
        chars: sent.text.chars().count() as u64,
        tokens: tokens::count(&sent.text),
        text: sent.text,
        started_at: sent.record.started_at,
        instructions: sent.record.request.and_then(|request| request.instructions),
        run_dir: sent.folder.display().to_string(),
    }
}

fn snippets(app: &App) -> SnippetsView {
    let (read, path) = app.snippets();
    SnippetsView { snippets: read.snippets, path: path.map(|path| path.display().to_string()), notices: read.notices }
}
