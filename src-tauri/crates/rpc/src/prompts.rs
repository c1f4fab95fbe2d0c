//! Methods of prompt files and snippets.

use super::registry::{Fault, Table};
use super::wire::{
    ImportParams, PromptFileParams, PromptFileView, PromptFilesView, SentParams, SentPromptView, SentView, SnippetView,
    SnippetsParams, SnippetsView,
};
use diffsan_app::{App, Sent, SentBy};
use diffsan_pipeline::error::{Error, ErrorCode};
use diffsan_prepare::prompt::snippets::Snippet;
use diffsan_prepare::tokens;
use diffsan_store::files::sent::SentPrompt;

pub(super) fn register(table: &mut Table) {
    table.plain("prompts.list", "The prompt files in force", |app| files(app));
    table.method("prompts.keep", "Keeps the user's own text of a prompt file", |app, params: PromptFileParams| {
        app.keep_prompt(&params.name, params.text.as_deref())?;
        Ok::<PromptFilesView, Fault>(files(app)?)
    });
    table.method("prompt.sent", "What a run sent", |app, params: SentParams| {
        let run = match (params.review_id.as_deref(), params.run_id.as_deref()) {
            (Some(review), None) => SentBy::Review(review),
            (None, Some(run)) => SentBy::Run(run),
            _ => return Err(Error::new(ErrorCode::InvalidInput, "Either a review or a run is named.").into()),
        };
        Ok::<SentView, Fault>(sent(app.sent(run, params.prompt as usize)?, params.prompt))
    });
    table.plain("snippets.list", "The snippets in force", |app| Ok::<SnippetsView, _>(snippets(app)));
    table.method("snippets.keep", "Keeps the user's own snippets", |app, params: SnippetsParams| {
        let own: Option<Vec<Snippet>> = params.snippets.map(|own| own.into_iter().map(snippet).collect());
        app.keep_snippets(own.as_deref())?;
        Ok::<SnippetsView, Fault>(snippets(app))
    });
    table.method("snippets.import", "Takes the snippets of a file's text", |app, params: ImportParams| {
        let skipped = app.import_snippets(&params.text)?.notices;
        let mut view = snippets(app);
        view.notices = skipped;
        Ok::<SnippetsView, Fault>(view)
    });
}

fn files(app: &App) -> diffsan_pipeline::error::Result<PromptFilesView> {
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
    let view = |one: Snippet| SnippetView { icon: one.icon, tooltip: one.tooltip, message: one.message };
    SnippetsView {
        snippets: read.snippets.into_iter().map(view).collect(),
        path: path.map(|path| path.display().to_string()),
        notices: read.notices,
    }
}

fn snippet(view: SnippetView) -> Snippet {
    let tooltip = match view.tooltip.trim() {
        "" => view.message.chars().take(50).collect(),
        _ => view.tooltip,
    };
    Snippet { icon: view.icon, tooltip, message: view.message }
}
