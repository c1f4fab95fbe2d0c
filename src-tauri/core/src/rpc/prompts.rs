//! Methods of prompt files and snippets.

use super::table::{Fault, Table};
use super::wire::{
    ImportParams, PromptFileParams, PromptFileView, PromptFilesView, SnippetView, SnippetsParams, SnippetsView,
};
use crate::app::App;
use crate::prompt::snippets::Snippet;

pub(super) fn register(table: &mut Table) {
    table.plain("prompts.list", "The prompt files in force", |app| files(app));
    table.method("prompts.keep", "Keeps the user's own text of a prompt file", |app, params: PromptFileParams| {
        app.keep_prompt(&params.name, params.text.as_deref())?;
        Ok::<PromptFilesView, Fault>(files(app)?)
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

fn files(app: &App) -> crate::error::Result<PromptFilesView> {
    let view = |file: crate::files::prompts::PromptFile| PromptFileView {
        name: file.name,
        path: file.path.map(|path| path.display().to_string()),
        text: file.text,
    };
    Ok(PromptFilesView { files: app.prompts_in_force()?.into_iter().map(view).collect() })
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
