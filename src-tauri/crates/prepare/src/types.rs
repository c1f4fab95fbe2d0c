//! The reports of the preparation: cut parts, ignored files, and the state of every line.

use diffsan_fold::FoldReason;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The parts that were cut to fit the budget. Every dropped part is listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TruncationReport {
    /// Whether anything was cut.
    pub truncated: bool,
    /// The number of characters of the change before the cut, without ignored files.
    pub original_chars: u64,
    /// The number of characters of the prepared diff.
    pub final_chars: u64,
    /// The number of files before the cut.
    pub original_files: u32,
    /// The number of files in the prepared diff.
    pub final_files: u32,
    /// Every dropped file and hunk.
    pub items: Vec<TruncationItem>,
}

/// The kind of a part that was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TruncationKind {
    /// A whole file.
    File,
    /// A whole hunk.
    Hunk,
    /// The end of a hunk that was larger than the budget by itself.
    PartialHunk,
}

/// One part that was cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TruncationItem {
    /// The kind of the part.
    pub kind: TruncationKind,
    /// The path of its file.
    pub path: String,
    /// The lines, and the limit that cut them.
    pub details: String,
}

/// The reason why a file is not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IgnoreReason {
    /// A glob of the settings matches it.
    Glob,
    /// Its extension is not in `include_extensions`.
    Extension,
    /// It is marked or recognised as generated.
    Generated,
    /// It is third-party code inside the repository.
    Vendored,
    /// It is minified.
    Minified,
    /// It is a lock file of dependencies.
    Lockfile,
    /// It is not text, or has `-diff` in the attributes.
    Binary,
    /// It could not be read.
    Unreadable,
    /// It was reviewed before and has not changed since.
    Reviewed,
    /// The user did not select it for this review.
    NotSelected,
}

/// An ignored file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IgnoredFile {
    /// The path of the file.
    pub path: String,
    /// The kind of reason.
    pub reason: IgnoreReason,
    /// The glob, attribute, name or marker that decided.
    pub details: String,
}

/// A hunk that is not sent because its changed lines have no new meaning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FoldedHunk {
    /// The path of its file.
    pub path: String,
    /// Its line numbers: `@@ -1,4 +1,4 @@`.
    pub hunk: String,
    /// The number of its changed lines.
    pub lines: u32,
    /// The reasons, each once.
    pub reasons: Vec<FoldReason>,
    /// The reasons as text: `moved to src/b.rs:12`.
    pub details: String,
}

/// The state of one line of the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Coverage {
    /// It is sent to the agent.
    Sent,
    /// It is sent to the agent with a secret masked.
    Redacted,
    /// The budget cut it.
    Cut,
    /// Its file is ignored.
    Ignored,
    /// It is in a hunk whose changed lines have no new meaning. The prompt says so in a line.
    Folded,
}

/// A run of lines with the same state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CoverageRun {
    /// The state of the lines.
    pub state: Coverage,
    /// The number of lines of the hunk, in its order.
    pub lines: u32,
}

/// The states of one hunk's lines, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HunkCoverage {
    /// The hunk's first line on the old side.
    pub old_start: u32,
    /// The hunk's first line on the new side.
    pub new_start: u32,
    /// Runs that cover all lines of the hunk.
    pub runs: Vec<CoverageRun>,
    /// The reasons why its lines are folded. Empty unless they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folded: Vec<FoldReason>,
}

/// The states of one file's lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileCoverage {
    /// The path of the file.
    pub path: String,
    /// The worst state of its lines: `sent` only if the whole file is sent. The only state of a file without lines.
    pub state: Coverage,
    /// The hunks, in the change's order.
    pub hunks: Vec<HunkCoverage>,
}

/// The coverage of a change: the state of each of its lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CoverageMap {
    /// The summary as a sentence: `18 of 21 files, 94% of changed lines sent; 2 files over the limits, 1 ignored`.
    pub summary: String,
    /// Every file of the change, in the change's order.
    pub files: Vec<FileCoverage>,
}
