//! Whole files of a change: their texts for rendered views, and opening them in an editor.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lines::file_at;
use super::program::Done;
use crate::registry::{Table, opened};

/// Asks for the whole texts of a file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct TextsParams {
    /// The opened change.
    pub change_id: String,
    /// Index into `ChangeView.files`.
    pub file: u32,
}

/// The whole texts of a file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TextsView {
    /// The text before the change. None for a new file.
    pub old: Option<String>,
    /// The text after the change. None for a deleted file.
    pub new: Option<String>,
}

/// Opens a file in the editor that `$VISUAL` or `$EDITOR` names.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct EditorParams {
    /// The opened change.
    pub change_id: String,
    /// The path of a file in the work tree.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
}

pub(super) fn register(table: &mut Table) {
    table.query("change.texts", "Returns the whole texts of a file", |app, params: TextsParams| {
        let handle = opened(app, &params.change_id)?;
        let (old, new) = app.texts(&handle.opened, file_at(&handle, params.file)?)?;
        Ok(TextsView { old, new })
    });
    table.method("editor.open", "Opens a file in the editor of the environment", |app, params: EditorParams| {
        app.open_in_editor(&opened(app, &params.change_id)?.opened, &params.path, params.line)?;
        Ok(Done {})
    });
}
