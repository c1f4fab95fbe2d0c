//! Wire types of viewing a change and editing its findings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FindingWords, HighlightView};
use diffsan_review::finding::Side;

/// Asks for lines around the hunks.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ContextParams {
    /// The opened change.
    pub change_id: String,
    /// Index into `ChangeView.files`.
    pub file: u32,
    /// The first requested line of the new side, from 1.
    pub from: u32,
    /// The last requested line. Fewer lines are returned at the end of the file, or if the request is too large.
    pub to: u32,
}

/// Lines around the hunks.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ContextView {
    /// The number of the first line on the new side.
    pub first: u32,
    /// The text of the lines.
    pub lines: Vec<String>,
    /// The highlighting of the lines.
    pub colours: HighlightView,
    /// The number of lines in the file.
    pub total: u32,
}

/// Asks for an image.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ImageParams {
    /// The opened change.
    pub change_id: String,
    /// Index into `ChangeView.files`.
    pub file: u32,
    /// The side of the change.
    pub side: Side,
}

/// An image.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ImageView {
    /// The image as a `data:` address. None if that side has no image.
    pub data: Option<String>,
    /// The size in bytes.
    pub bytes: u64,
}

/// A definition that the change touches.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SymbolView {
    /// Index into `ChangeView.files`.
    pub file: u32,
    /// The name of the definition.
    pub name: String,
    /// `function`, `method`, `class`, …; empty if unknown.
    pub kind: String,
    /// The line of the name on the new side.
    pub line: u32,
    /// The first line of the definition that the change touches.
    pub touched: u32,
}

/// The definitions that a change touches.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SymbolsView {
    /// The definitions, in the order of the files.
    pub symbols: Vec<SymbolView>,
}

/// A hunk, or a whole file.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ViewedMark {
    /// Index into `ChangeView.files`.
    pub file: u32,
    /// Index of the hunk. All hunks of the file if absent.
    #[serde(default)]
    pub hunk: Option<u32>,
}

/// Marks hunks or files as viewed or not viewed.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ViewedParams {
    /// The opened change.
    pub change_id: String,
    /// The hunks and files.
    pub marks: Vec<ViewedMark>,
    /// Whether they are marked as viewed or as not viewed.
    pub viewed: bool,
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
