//! The facts about a change, and the history of a line.

use schemars::JsonSchema;
use serde::Deserialize;

use super::lines::file_at;
use crate::registry::{Table, opened};
use diffsan_facts::Facts;
use diffsan_pipeline::blocking;
use diffsan_review::finding::Side;

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
}
