//! The facts about a change, the history of a line, and the text of a file for rendered views.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lines::file_at;
use crate::registry::{Table, opened};
use diffsan_facts::Facts;
use diffsan_pipeline::blocking;
use diffsan_review::finding::Side;

/// The maximum size of a file that is shown rendered, in bytes.
const MAX_RENDERED_BYTES: usize = 2 * 1024 * 1024;

/// Asks for the facts about a change.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct FactsParams {
    /// The opened change.
    pub change_id: String,
    /// Whether reports and the pipeline are read again. Otherwise, known facts are returned.
    #[serde(default)]
    pub again: bool,
}

/// Asks for the history of a line.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct LineHistoryParams {
    /// The opened change.
    pub change_id: String,
    /// Index into `ChangeView.files`.
    pub file: u32,
    /// The side of the change.
    pub side: Side,
    /// The line on that side, from 1.
    pub line: u32,
}

/// Asks for the text of a file on both sides.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct FileTextsParams {
    /// The opened change.
    pub change_id: String,
    /// Index into `ChangeView.files`.
    pub file: u32,
}

/// The text of a file on both sides.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct FileTextsView {
    /// The old text. None if that side has no file.
    pub old: Option<String>,
    /// The new text. None if that side has no file.
    pub new: Option<String>,
    /// The reason why the texts are missing, if the file exists.
    pub problem: Option<String>,
}

pub(super) fn register(table: &mut Table) {
    table.async_query(
        "change.facts",
        "Returns failed tests, coverage and findings of tools",
        |app, params, ask| async move {
            let params: FactsParams = params;
            let handle = opened(&app, &params.change_id)?;
            let known = handle.opened.facts().filter(|_| !params.again);
            let facts = match known {
                Some(facts) => facts,
                None => app.collect_facts(&handle.opened, Vec::new(), &ask.cancel).await?,
            };
            Ok(Facts::clone(&facts))
        },
    );
    table.async_query("line.history", "Returns the commits that changed a line", |app, params, ask| async move {
        let params: LineHistoryParams = params;
        let handle = opened(&app, &params.change_id)?;
        file_at(&handle, params.file)?;
        Ok(blocking(move || {
            let file = &handle.opened.change.files[handle.opened.plan.order()[params.file as usize]];
            app.line_history(&handle.opened, file, params.side, params.line, &ask.cancel)
        })
        .await?)
    });
    table.query("file.texts", "Returns the text of a file on both sides", |app, params: FileTextsParams| {
        let handle = opened(app, &params.change_id)?;
        let file = file_at(&handle, params.file)?;
        let mut view = FileTextsView::default();
        for side in [Side::Old, Side::New] {
            let path = if side == Side::New { &file.new_path } else { &file.old_path };
            let Some(path) = path else { continue };
            match handle.opened.file(path, side).map(|bytes| text(&bytes)) {
                Some(Ok(text)) if side == Side::New => view.new = Some(text),
                Some(Ok(text)) => view.old = Some(text),
                Some(Err(problem)) => view.problem = Some(problem),
                None => view.problem = Some("the whole file is not available".to_owned()),
            }
        }
        Ok(view)
    });
}

/// Returns the text of a file, or the reason why it is not shown rendered.
fn text(bytes: &[u8]) -> Result<String, String> {
    if bytes.len() > MAX_RENDERED_BYTES {
        let (size, most) =
            (diffsan_bounded::size_text(bytes.len() as u64), diffsan_bounded::size_text(MAX_RENDERED_BYTES as u64));
        return Err(format!("the file has {size}; at most {most} are rendered"));
    }
    std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| "the file is not UTF-8 text".to_owned())
}
