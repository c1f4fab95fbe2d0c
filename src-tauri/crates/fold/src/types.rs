//! Folds: lines of a change that belong together and have no new meaning.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why lines are folded. Each reason names the only difference that the lines may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FoldReason {
    /// A block is at another place, possibly with another indent.
    Moved,
    /// The same tokens are on the same lines, with other blanks.
    Whitespace,
    /// The same tokens are on other lines.
    Formatting,
    /// A symbol has another name, everywhere.
    Renamed,
    /// The same imports are in another order, which has no meaning in this language.
    Imports,
    /// Only comments differ that no tool reads.
    Comments,
}

impl FoldReason {
    /// Returns the reason in a word, for summaries.
    pub fn name(self) -> &'static str {
        match self {
            Self::Moved => "moved",
            Self::Whitespace => "whitespace",
            Self::Formatting => "formatting",
            Self::Renamed => "renamed",
            Self::Imports => "imports",
            Self::Comments => "comments",
        }
    }
}

/// A symbol that has another name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Rename {
    /// The name before the change.
    pub from: String,
    /// The name after the change.
    pub to: String,
}

/// Adjacent changed lines of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FoldSpan {
    /// The index of the file in the change.
    pub file: usize,
    /// The index of the hunk in the file.
    pub hunk: usize,
    /// The index of the first line in the hunk.
    pub start: usize,
    /// The index after the last line in the hunk.
    pub end: usize,
}

/// Changed lines that are folded for one reason. No line is in two folds, and none is a context line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// The reason.
    pub reason: FoldReason,
    /// The symbols with new names. Empty for other reasons.
    pub renames: Vec<Rename>,
    /// The lines, in the change's order. A moved block has lines in two places.
    pub spans: Vec<FoldSpan>,
}

/// The whole texts of a file. `None` if a side is not available, is not text, or does not exist.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileTexts<'a> {
    /// The text before the change.
    pub old: Option<&'a str>,
    /// The text after the change.
    pub new: Option<&'a str>,
}
