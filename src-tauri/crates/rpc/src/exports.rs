//! The method that exports a review.

use super::registry::{Fault, Table};
use super::wire::{DocumentView, ExportParams};
use diffsan_pipeline::error::{Error, ErrorCode};
use diffsan_pipeline::export::Format;

pub(super) fn register(table: &mut Table) {
    table.method("review.export", "A review as a document", |app, params: ExportParams| {
        let format = Format::of(&params.format).ok_or_else(|| {
            Error::new(ErrorCode::InvalidInput, "There is no such format.")
                .hint("Ask for json, markdown, html, sarif or code-quality.")
        })?;
        let document = app.export_by_id(&params.review_id, format)?;
        Ok::<DocumentView, Fault>(DocumentView { name: document.name, text: document.text })
    });
}
