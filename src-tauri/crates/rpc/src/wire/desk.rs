//! What is said of looking at a change, and of editing its findings.

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
    /// The first line wanted, of the new side, from 1.
    pub from: u32,
    /// The last one; fewer come where the file ends, or where it is too many.
    pub to: u32,
}

/// Lines around the hunks.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ContextView {
    /// The number of the first one on the new side.
    pub first: u32,
    /// Their text.
    pub lines: Vec<String>,
    /// Their colours.
    pub colours: HighlightView,
    /// How many lines the file has.
    pub total: u32,
}

/// Asks for a picture.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ImageParams {
    /// The opened change.
    pub change_id: String,
    /// Index into `ChangeView.files`.
    pub file: u32,
    /// Which side.
    pub side: Side,
}

/// A picture.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ImageView {
    /// `data:` address with the picture; none where the side has none.
    pub data: Option<String>,
    /// Its size in bytes.
    pub bytes: u64,
}

/// A definition that the change touches.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SymbolView {
    /// Index into `ChangeView.files`.
    pub file: u32,
    /// Its name.
    pub name: String,
    /// `function`, `method`, `class`, …; empty if unknown.
    pub kind: String,
    /// The line of its name on the new side.
    pub line: u32,
    /// Its first line that the change touches.
    pub touched: u32,
}

/// The definitions that a change touches.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SymbolsView {
    /// In the order of the files.
    pub symbols: Vec<SymbolView>,
}

/// A hunk, or a whole file.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ViewedMark {
    /// Index into `ChangeView.files`.
    pub file: u32,
    /// Index of the hunk; all if absent.
    #[serde(default)]
    pub hunk: Option<u32>,
}

/// Says what was seen.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ViewedParams {
    /// The opened change.
    pub change_id: String,
    /// What.
    pub marks: Vec<ViewedMark>,
    /// Whether it was seen, or no longer counts as seen.
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
    /// What becomes of it.
    pub edit: FindingEdit,
}

/// What an edit makes of a finding.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FindingEdit {
    /// The reviewer's words and lines.
    Rewrite {
        /// They.
        words: FindingWords,
    },
    /// What was said at first.
    Restore,
    /// Nothing is left of it; only of the reviewer's own.
    Remove,
}

/// Names a finding of a review.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FindingParams {
    /// The opened change.
    pub change_id: String,
    /// The review.
    pub review_id: String,
    /// The finding.
    pub finding_key: String,
    /// The protected file that the reviewer confirmed by its name, after a call that named it in `confirm_path`.
    #[serde(default)]
    pub allow_protected: Option<String>,
}
