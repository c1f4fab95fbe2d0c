//! The reports of the preparation: cut parts, ignored files, and the state of every line.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was cut to fit the budget. Whatever is dropped is named here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TruncationReport {
    /// Whether anything was cut.
    pub truncated: bool,
    /// Characters of the change before the cut (ignored files not counted).
    pub original_chars: u64,
    /// Characters of the prepared diff.
    pub final_chars: u64,
    /// Files before the cut.
    pub original_files: u32,
    /// Files in the prepared diff.
    pub final_files: u32,
    /// Every dropped file and hunk.
    pub items: Vec<TruncationItem>,
}

/// What kind of thing was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TruncationKind {
    /// A whole file.
    File,
    /// A whole hunk.
    Hunk,
    /// The end of a hunk that alone was larger than the budget.
    PartialHunk,
}

/// One thing that was cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TruncationItem {
    /// What kind.
    pub kind: TruncationKind,
    /// The file it belongs to.
    pub path: String,
    /// Which lines, and which limit cut it.
    pub details: String,
}

/// Why a file is not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IgnoreReason {
    /// A glob of the configuration.
    Glob,
    /// Its ending is not among `include_extensions`.
    Extension,
    /// Marked or recognised as generated.
    Generated,
    /// Third-party code kept in the tree.
    Vendored,
    /// Minified.
    Minified,
    /// A dependency lock file.
    Lockfile,
    /// Not text, or `-diff` in the attributes.
    Binary,
    /// It could not be read.
    Unreadable,
    /// It was reviewed before, and has not changed since.
    Reviewed,
}

/// An ignored file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IgnoredFile {
    /// The file.
    pub path: String,
    /// Why.
    pub reason: IgnoreReason,
    /// The glob, attribute, name or marker that decided.
    pub details: String,
}

/// What became of one line of the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Coverage {
    /// The agent sees it.
    Sent,
    /// The agent sees it with a secret masked.
    Redacted,
    /// The budget cut it.
    Cut,
    /// Its file is ignored.
    Ignored,
}

/// A run of lines with the same fate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CoverageRun {
    /// What became of them.
    pub state: Coverage,
    /// How many lines of the hunk, in its order.
    pub lines: u32,
}

/// The fate of one hunk's lines, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HunkCoverage {
    /// The hunk's first line on the old side.
    pub old_start: u32,
    /// The hunk's first line on the new side.
    pub new_start: u32,
    /// Runs that add up to the hunk's lines.
    pub runs: Vec<CoverageRun>,
}

/// The fate of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileCoverage {
    /// The file.
    pub path: String,
    /// The worst that happened to it: `sent` only if all of it is sent; for files without lines the only state.
    pub state: Coverage,
    /// Its hunks, in the change's order.
    pub hunks: Vec<HunkCoverage>,
}

/// What of the change the agent sees, for every line of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CoverageMap {
    /// One sentence: `18 of 21 files, 94 % of changed lines sent; 2 files cut, 1 ignored`.
    pub summary: String,
    /// Every file of the change, in the change's order.
    pub files: Vec<FileCoverage>,
}
