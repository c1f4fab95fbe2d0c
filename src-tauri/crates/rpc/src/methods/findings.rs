//! Decisions about findings, and edits of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::program::Done;
use super::reviews::review_view;
use crate::registry::{Table, opened};
use diffsan_app::{FindingEdit, NewFinding};
use diffsan_review::finding::{Decision, Finding};
use diffsan_review::opinion::Opinion;
use diffsan_store::StoredFix;

/// A fix that was applied or undone.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FixView {
    /// The id of the fix.
    pub id: i64,
    /// The file.
    pub path: String,
    /// Whether the fix is applied.
    pub applied: bool,
}

/// A finding that the reviewer writes, or makes from an answer.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct AddFindingParams {
    /// The opened change.
    pub change_id: String,
    /// The key that the finding had before it was removed, if the removal is undone.
    #[serde(default)]
    pub again: Option<String>,
    /// The content and place of the finding.
    #[serde(flatten)]
    pub finding: NewFinding,
}

/// Edits a finding.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct EditFindingParams {
    /// The opened change.
    pub change_id: String,
    /// The review.
    pub review_id: String,
    /// The finding.
    pub finding_key: String,
    /// The edit.
    pub edit: FindingEdit,
}

/// Identifies a finding of a review.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct FindingParams {
    /// The opened change.
    pub change_id: String,
    /// The review.
    pub review_id: String,
    /// The finding.
    pub finding_key: String,
    /// The protected file that the user confirmed by typing its name. An earlier call named it in `confirm_path`.
    #[serde(default)]
    pub allow_protected: Option<String>,
}

/// A finding with the reviewer's decision.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FindingView {
    /// The finding.
    pub finding: Finding,
    /// The second opinion on it, if there is one.
    pub opinion: Option<Opinion>,
    /// Index into `ChangeView.files` of the finding's file, if the file is part of the change.
    pub file: Option<u32>,
    /// The reviewer's decision.
    pub decision: Decision,
    /// The reviewer's reason for the decision, if there is one.
    pub reason: Option<String>,
    /// The id of the fix, if the suggested patch is applied to the work tree.
    pub applied: Option<i64>,
}

/// Sets the decision about findings.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct DecideParams {
    /// The review's id.
    pub review_id: String,
    /// The keys of the findings.
    pub findings: Vec<String>,
    /// The decision.
    pub decision: Decision,
    /// The reason for the decision.
    #[serde(default)]
    pub reason: Option<String>,
}

pub(super) fn register(table: &mut Table) {
    let summary = "Saves a decision about findings";
    table.asked_method("finding.decide", summary, |app, params: DecideParams, ask| {
        app.decide(&params.review_id, &params.findings, params.decision, params.reason.as_deref())?;
        app.report_edited_review(&params.review_id, Some(ask.connection()));
        Ok(Done {})
    });
    let summary = "Adds a finding to the latest review of a change";
    table.asked_method("finding.add", summary, |app, params: AddFindingParams, ask| {
        let handle = opened(app, &params.change_id)?;
        let saved = app.add_finding(&handle.opened, params.finding, params.again.as_deref())?;
        app.report_edited_review(&saved.id, Some(ask.connection()));
        Ok(review_view(&saved, Some(&handle.opened)))
    });
    table.asked_method("finding.edit", "Edits a finding of a review", |app, params: EditFindingParams, ask| {
        let handle = opened(app, &params.change_id)?;
        let saved = app.edit_finding(&handle.opened, &params.review_id, &params.finding_key, params.edit)?;
        app.report_edited_review(&saved.id, Some(ask.connection()));
        Ok(review_view(&saved, Some(&handle.opened)))
    });
    table.asked_method(
        "finding.apply",
        "Applies a finding's suggested patch to the work tree",
        |app, params: FindingParams, ask| {
            let handle = opened(app, &params.change_id)?;
            let allow = params.allow_protected.as_deref();
            let fix = app.apply_suggestion(&handle.opened, &params.review_id, &params.finding_key, allow)?;
            app.report_edited_review(&params.review_id, Some(ask.connection()));
            Ok(fix_view(&fix))
        },
    );
}

pub(super) fn fix_view(fix: &StoredFix) -> FixView {
    FixView { id: fix.id, path: fix.path.clone(), applied: fix.undone_at.is_none() }
}
