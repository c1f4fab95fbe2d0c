//! The edits of a change's author between two versions of it, without those of the target branch.
//!
//! A version is a base and a head. In: the sides of a file in both versions. Out: the author's edits, and the numbers of lines that
//! are hidden, with the reason. The old head is merged with the new base in memory, and the result is compared with the new head:
//! a rebase without an edit shows nothing, and every other difference is shown. This crate knows neither git nor files.

mod commits;
mod file;
mod fixups;
mod merge;
mod moved;
mod shown;
mod slots;
#[cfg(test)]
mod tests;
mod text;
mod tokens;

use bytes::Bytes;
use diffsan_change::LineKind;

pub use commits::{ChangedLines, CommitKey, CommitPair, pair_commits};
pub use file::{Content, FileComparison, FileNote, FileSides, Reader, Side, Version, compare_file, is_settled};
pub use fixups::fixups;
pub use moved::mark_moved;
pub use text::{TextComparison, Texts, compare_texts};

/// The origin of a line that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The line is older than the change.
    Base,
    /// The author's line in the old version.
    OldHead,
    /// A line that the target branch added.
    Target,
    /// The author's line that the target branch has now, too.
    Both,
    /// The author's line that is new since the old version.
    NewHead,
}

/// A line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownLine {
    /// Whether the new version keeps, adds or removes the line.
    pub kind: LineKind,
    /// The origin.
    pub origin: Origin,
    /// The number in the old head, from 1. `None` if the old head does not have it.
    pub old: Option<u32>,
    /// The number in the new base, from 1. `None` if the new base does not have it, and for an added line.
    pub target: Option<u32>,
    /// The number in the new head, from 1. `None` for a removed line.
    pub new: Option<u32>,
    /// Whether the line is part of a place where the author's change and the target's touch each other, which the author had to
    /// resolve.
    pub conflict: bool,
    /// The bytes, without the line feed.
    pub text: Bytes,
    /// Whether a line feed follows.
    pub newline: bool,
}

/// A run of adjacent lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShownHunk {
    /// Whether it has lines of a conflict.
    pub conflict: bool,
    /// The lines.
    pub lines: Vec<ShownLine>,
}

/// The numbers of lines of a file that differ between the old and the new head, and are not shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    /// Lines that the target branch added.
    pub added: u32,
    /// Lines that the target branch removed.
    pub removed: u32,
    /// Lines that the author had added, and that the target branch has now, too.
    pub both: u32,
}

impl std::iter::Sum for Hidden {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::default(), |sum, one| Self {
            added: sum.added + one.added,
            removed: sum.removed + one.removed,
            both: sum.both + one.both,
        })
    }
}
