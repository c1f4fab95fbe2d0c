//! Second opinions on findings.

use schemars::JsonSchema;
use serde::Deserialize;

use super::reviews::{ReviewView, review_view};
use crate::registry::{Fault, Table, opened};
use diffsan_app::OpinionPreview;

/// Names findings of a review for a second opinion.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct OpinionParams {
    /// The opened change.
    pub change_id: String,
    /// The review.
    pub review_id: String,
    /// The keys of the findings.
    pub findings: Vec<String>,
}

pub(super) fn register(table: &mut Table) {
    let summary = "Returns what a second opinion on findings would send";
    table.query("opinion.preview", summary, |app, params: OpinionParams| {
        let handle = opened(app, &params.change_id)?;
        Ok::<OpinionPreview, Fault>(app.preview_opinion(&handle.opened, &params.review_id, &params.findings)?)
    });
    let summary = "Asks for a second opinion on findings, and saves it";
    table.async_query("opinion.ask", summary, async |app, params: OpinionParams, ask| {
        let handle = opened(&app, &params.change_id)?;
        let (id, keys) = (&params.review_id, &params.findings);
        let saved = app.ask_opinion(&handle.opened, id, keys, &ask.cancel).await?;
        let (view, reporting) = (std::sync::Arc::clone(&app), params.review_id.clone());
        let connection = Some(ask.connection());
        let view = diffsan_pipeline::blocking(move || {
            view.report_edited_review(&reporting, connection);
            Ok(review_view(&saved, Some(&handle.opened)))
        });
        Ok::<ReviewView, Fault>(view.await?)
    });
}
