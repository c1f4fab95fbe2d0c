//! The comparison of two versions as it is shown and printed.

use diffsan_change::LineKind;
use diffsan_interdiff::{FileComparison, FileNote, Hidden, Origin, ShownHunk, ShownLine};
use schemars::JsonSchema;
use serde::Serialize;

use crate::commits::CommitRow;

/// The comparison of two versions of a change.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Comparison {
    /// The earlier version.
    pub old: VersionRange,
    /// The later version.
    pub new: VersionRange,
    /// The result in one word.
    pub verdict: Verdict,
    /// The result in a sentence.
    pub summary: String,
    /// The files with edits of the author, sorted by path.
    pub files: Vec<ComparedFile>,
    /// The lines and files that are not shown.
    pub hidden: HiddenLines,
    /// The commits of both versions, if they were requested.
    pub commits: Option<Vec<CommitRow>>,
}

/// The commits of a version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct VersionRange {
    /// The full id of the commit where it starts. None for an empty tree.
    pub base: Option<String>,
    /// The full id of the commit where it ends.
    pub head: String,
}

/// The result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Both versions have the same commits.
    Same,
    /// The new version is a rebase of the old one, or has other commits with the same result, without an edit.
    NoEdits,
    /// The author edited something, or resolved a conflict.
    Edited,
    /// The versions start at unrelated commits. Nothing was subtracted.
    Unrelated,
}

/// The lines that are not shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HiddenLines {
    /// The number of files that only the target branch changed.
    pub target_files: u32,
    /// The number of lines that the target branch added to files of the change.
    pub target_added: u32,
    /// The number of lines that the target branch removed from files of the change.
    pub target_removed: u32,
    /// The number of lines of the author that the target branch has now, too.
    pub in_target: u32,
}

/// A file with edits of the author.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ComparedFile {
    /// The path in the new version, or in the old one if the file is gone.
    pub path: String,
    /// The path in the old version, if it differs.
    pub old_path: Option<String>,
    /// Whether the author had to resolve a conflict with the target branch.
    pub conflict: bool,
    /// The differences that the lines do not show.
    pub notes: Vec<FileNoteItem>,
    /// The edits.
    pub hunks: Vec<ComparedHunk>,
    /// The lines of this file that are not shown.
    pub hidden: HiddenLines,
}

/// Something about a file that its lines do not show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FileNoteItem {
    /// The author added the file since the old version.
    Added,
    /// The author removed the file since the old version.
    Removed,
    /// The author moved the file since the old version.
    Renamed {
        /// The path before.
        from: String,
    },
    /// The author changed the mode since the old version.
    Mode {
        /// Git's mode before.
        from: u32,
        /// Git's mode now.
        to: u32,
    },
    /// The author changed content without lines: a binary file, a symbolic link, a submodule.
    Content,
    /// The target branch removed a file that the author had changed.
    TargetRemoved,
    /// The target branch changed a file that the author had removed.
    TargetChanged,
    /// Both changed the path, the mode or the content without lines.
    Conflict,
    /// The content could not be compared.
    Unread {
        /// The reason.
        reason: String,
    },
}

/// Adjacent lines of a file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ComparedHunk {
    /// Whether it has lines of a conflict.
    pub conflict: bool,
    /// The lines.
    pub lines: Vec<ComparedLine>,
}

/// A line.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ComparedLine {
    /// ` ` for a line that is in the new version and is expected there, `+` for one that the author added since the old version,
    /// `-` for one that the author removed.
    pub sign: char,
    /// The origin.
    pub source: LineSource,
    /// The number in the old head, from 1.
    pub old: Option<u32>,
    /// The number in the new base, from 1.
    pub base: Option<u32>,
    /// The number in the new head, from 1.
    pub new: Option<u32>,
    /// Whether the author's change and that of the target branch touch each other here.
    pub conflict: bool,
    /// The text, without the line feed. Bytes that are not UTF-8 are replaced.
    pub text: String,
    /// Whether no line feed follows.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_newline: bool,
}

/// The origin of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LineSource {
    /// The line is older than the change.
    Base,
    /// The author's line in the old version.
    OldVersion,
    /// A line that the target branch added.
    Target,
    /// The author's line that the target branch has now, too.
    Both,
    /// The author's line that is new since the old version.
    NewVersion,
}

impl From<Hidden> for HiddenLines {
    fn from(hidden: Hidden) -> Self {
        Self { target_files: 0, target_added: hidden.added, target_removed: hidden.removed, in_target: hidden.both }
    }
}

impl From<FileComparison> for ComparedFile {
    fn from(file: FileComparison) -> Self {
        let conflict = file.has_conflict();
        let FileComparison { old_path, new_path, notes, hunks, hidden, contested: _ } = file;
        let old_path = old_path.map(|path| path.to_text().into_owned());
        let path = new_path.map(|path| path.to_text().into_owned()).or_else(|| old_path.clone()).unwrap_or_default();
        Self {
            old_path: old_path.filter(|old| *old != path),
            path,
            conflict,
            notes: notes.into_iter().map(FileNoteItem::from).collect(),
            hunks: hunks.into_iter().map(ComparedHunk::from).collect(),
            hidden: hidden.into(),
        }
    }
}

impl From<FileNote> for FileNoteItem {
    fn from(note: FileNote) -> Self {
        match note {
            FileNote::Added => Self::Added,
            FileNote::Removed => Self::Removed,
            FileNote::Renamed(from) => Self::Renamed { from: from.to_text().into_owned() },
            FileNote::Mode(from, to) => Self::Mode { from, to },
            FileNote::Content => Self::Content,
            FileNote::TargetRemoved => Self::TargetRemoved,
            FileNote::TargetChanged => Self::TargetChanged,
            FileNote::Conflict => Self::Conflict,
            FileNote::Unread(reason) => Self::Unread { reason },
        }
    }
}

impl From<ShownHunk> for ComparedHunk {
    fn from(hunk: ShownHunk) -> Self {
        Self { conflict: hunk.conflict, lines: hunk.lines.into_iter().map(ComparedLine::from).collect() }
    }
}

impl From<ShownLine> for ComparedLine {
    fn from(line: ShownLine) -> Self {
        Self {
            sign: match line.kind {
                LineKind::Context => ' ',
                LineKind::Added => '+',
                LineKind::Removed => '-',
            },
            source: match line.origin {
                Origin::Base => LineSource::Base,
                Origin::OldHead => LineSource::OldVersion,
                Origin::Target => LineSource::Target,
                Origin::Both => LineSource::Both,
                Origin::NewHead => LineSource::NewVersion,
            },
            old: line.old,
            base: line.target,
            new: line.new,
            conflict: line.conflict,
            text: String::from_utf8_lossy(&line.text).into_owned(),
            no_newline: !line.newline,
        }
    }
}
