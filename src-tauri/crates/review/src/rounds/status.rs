//! The status of the code that a finding or a comment is about. The crate `anchor` finds it, by comparing texts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The status of reviewed lines in the current version of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum CodeStatus {
    /// The lines are where they were.
    Unchanged,
    /// The lines are elsewhere in the file.
    Moved {
        /// The current first line, from 1, if known.
        line: Option<u32>,
    },
    /// The lines were edited.
    Edited,
    /// The lines were removed.
    Removed,
    /// The file does not exist any more, or is not part of the change.
    FileRemoved,
    /// One of the two texts is not available.
    #[default]
    Unknown,
}
