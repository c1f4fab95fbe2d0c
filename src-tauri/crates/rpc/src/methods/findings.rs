//! Decisions about findings, and edits of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::program::Done;
use super::reviews::review_view;
use crate::registry::{Table, opened};
use diffsan_app::{Edit, NewFinding};
use diffsan_review::finding::{Category, Finding, Severity, Side};
use diffsan_store::StoredFix;

/// A fix that was applied or undone.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FixView {
    /// The id of the fix.
    pub id: i64,
    /// The file.
    pub path: String,
    /// Whether the fix is applied.
    pub applied: bool,
}

/// A finding that the reviewer writes, or makes from an answer.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AddFindingParams {
    /// The opened change.
    pub change_id: String,
    /// The key that the finding had before it was removed, if the removal is undone.
    #[serde(default)]
    pub again: Option<String>,
    /// The content and place of the finding.
    #[serde(flatten)]
    pub finding: FindingWords,
}

/// A finding as the reviewer writes it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FindingWords {
    /// The severity.
    pub severity: Severity,
    /// The category.
    pub category: Category,
    /// The file.
    pub path: String,
    /// The side of the lines.
    pub side: Side,
    /// The first line.
    pub line_start: u32,
    /// The last line.
    pub line_end: u32,
    /// The title.
    pub title: String,
    /// The text, as Markdown.
    pub body: String,
}

impl From<FindingWords> for NewFinding {
    fn from(words: FindingWords) -> Self {
        let FindingWords { severity, category, path, side, line_start, line_end, title, body } = words;
        Self { severity, category, path, side, line_start, line_end, title, body }
    }
}

/// Edits a finding.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
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

/// An edit of a finding.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FindingEdit {
    /// Replaces the severity, category, text and lines.
    Rewrite {
        /// The new content.
        words: FindingWords,
    },
    /// Restores the original text and lines.
    Restore,
    /// Removes the finding. Only a finding that the reviewer wrote can be removed.
    Remove,
}

/// Identifies a finding of a review.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FindingView {
    /// The finding.
    pub finding: Finding,
    /// Index into `ChangeView.files` of the finding's file, if the file is part of the change.
    pub file: Option<u32>,
    /// The reviewer's decision.
    pub decision: Decision,
    /// The reviewer's reason for the decision, if there is one.
    pub reason: Option<String>,
    /// The id of the fix, if the suggested patch is applied to the work tree.
    pub applied: Option<i64>,
}

/// A reviewer's decision about a finding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// No decision yet.
    #[default]
    Open,
    /// The finding is a problem, and will be posted.
    Accepted,
    /// The finding is not a problem, or not an important one.
    Dismissed,
}

/// Sets the decision about findings.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
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
    table.method("finding.decide", "Saves a decision about findings", |app, params: DecideParams| {
        app.decide(&params.review_id, &params.findings, decision_name(params.decision), params.reason.as_deref())?;
        Ok(Done {})
    });
    table.method("finding.add", "Adds a finding to the latest review of a change", |app, params: AddFindingParams| {
        let handle = opened(app, &params.change_id)?;
        let kept = app.add_finding(&handle.opened, params.finding.into(), params.again.as_deref())?;
        Ok(review_view(&kept, Some(&handle.opened)))
    });
    table.method("finding.edit", "Edits a finding of a review", |app, params: EditFindingParams| {
        let handle = opened(app, &params.change_id)?;
        let edit = match params.edit {
            FindingEdit::Rewrite { words } => Edit::Rewrite(words.into()),
            FindingEdit::Restore => Edit::Restore,
            FindingEdit::Remove => Edit::Remove,
        };
        let kept = app.edit_finding(&handle.opened, &params.review_id, &params.finding_key, edit)?;
        Ok(review_view(&kept, Some(&handle.opened)))
    });
    table.method(
        "finding.apply",
        "Applies a finding's suggested patch to the work tree",
        |app, params: FindingParams| {
            let handle = opened(app, &params.change_id)?;
            let allow = params.allow_protected.as_deref();
            let fix = app.apply_suggestion(&handle.opened, &params.review_id, &params.finding_key, allow)?;
            Ok(fix_view(&fix))
        },
    );
}

pub(super) fn decision_name(decision: Decision) -> Option<&'static str> {
    match decision {
        Decision::Open => None,
        Decision::Accepted => Some("accepted"),
        Decision::Dismissed => Some("dismissed"),
    }
}

pub(super) fn fix_view(fix: &StoredFix) -> FixView {
    FixView { id: fix.id, path: fix.path.clone(), applied: fix.undone_at.is_none() }
}
