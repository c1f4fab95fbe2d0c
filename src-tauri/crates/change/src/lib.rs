//! What is reviewed: files with hunks and lines between a base and a head.
//!
//! In: bytes, from git or a patch. Out: values that every later step reads. Nothing here decides what a
//! reviewer sees, and nothing here reads a file. Contents and paths are bytes; they become text only where
//! something is shown or sent.

mod attributes;
mod cut;
mod fingerprint;
mod parse;
mod path;
mod print;
mod target;
mod widen;
mod work_path;

use std::sync::Arc;

use bytes::Bytes;

pub use attributes::{Attributes, FileAttributes};
pub use cut::{some_lines, with_context};
pub use fingerprint::{Fingerprint, fingerprint};
pub use parse::{PatchError, parse_patch};
pub use path::RepoPath;
pub use print::{Headers, print_headers, print_hunk_header};
pub use print::{print_change, print_file};
pub use target::Target;
pub use widen::{Around, lines_of, widen};
pub use work_path::{PathRefusal, WorkPath, fold_case};

/// The files of one change, in the repository's order (git's: by path bytes of the new side).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The changed files.
    pub files: Vec<FileChange>,
    /// The commit that the change starts from, where there is one (full hex object id).
    pub base: Option<String>,
    /// The commit that the change ends at; none for the work tree, the index and patches.
    pub head: Option<String>,
    /// Commit messages that belong to the change, oldest first; empty for local changes.
    pub messages: Vec<String>,
}

impl Change {
    /// Added and removed lines over all files.
    pub fn line_counts(&self) -> LineCounts {
        self.files.iter().map(FileChange::line_counts).sum()
    }
}

/// How a file changed, in git's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// A new file.
    Added,
    /// A removed file.
    Deleted,
    /// Changed content or mode under the same path.
    Modified,
    /// Moved, perhaps with changed content.
    Renamed,
    /// Copied from another path, perhaps with changed content.
    Copied,
    /// A file became a symlink, a submodule, or the reverse.
    TypeChanged,
    /// In conflict: neither side is final.
    Unmerged,
}

/// One file of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The path before; none for an added file.
    pub old_path: Option<RepoPath>,
    /// The path after; none for a deleted file.
    pub new_path: Option<RepoPath>,
    /// How it changed.
    pub status: Status,
    /// Git's file mode before (`0o100644`, `0o120000` for a symlink, `0o160000` for a submodule).
    pub old_mode: Option<u32>,
    /// Git's file mode after.
    pub new_mode: Option<u32>,
    /// The object ids of an `index a..b` line, as abbreviated as the source had them.
    pub ids: Option<(String, String)>,
    /// Percentage of equal content of a rename or copy.
    pub similarity: Option<u8>,
    /// What changed inside.
    pub body: Body,
}

/// What changed inside a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// Lines; empty for an empty file, a pure rename and a pure mode change.
    Text(Vec<Hunk>),
    /// Bytes that have no lines. The literal patch (from `GIT binary patch` to its last line) where the source had it.
    Binary(Option<Bytes>),
    /// Nothing: it could not be read, and this says why. It is listed as not reviewed and stops nothing else.
    Unread(String),
}

/// A run of neighbouring lines, with the counts of its `@@` header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// First line on the old side, from 1; 0 where the old side has no line.
    pub old_start: u32,
    /// Number of lines on the old side.
    pub old_lines: u32,
    /// First line on the new side, from 1; 0 where the new side has no line.
    pub new_start: u32,
    /// Number of lines on the new side.
    pub new_lines: u32,
    /// What stands behind the second `@@`: usually the enclosing function.
    pub section: Bytes,
    /// The lines; shared where they are the same (a masked change shares all lines without a secret).
    pub lines: Arc<Vec<Line>>,
}

/// Where a line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineKind {
    /// On both sides.
    Context,
    /// On the new side only.
    Added,
    /// On the old side only.
    Removed,
}

/// One line of a hunk, without its prefix and without its `\n` (a `\r` before it is content).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Which sides it is on.
    pub kind: LineKind,
    /// The bytes.
    pub text: Bytes,
    /// False where the file ends here without a line feed (`\ No newline at end of file`).
    pub newline: bool,
}

/// Added and removed lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCounts {
    /// Lines only on the new side.
    pub added: u32,
    /// Lines only on the old side.
    pub removed: u32,
}

impl std::iter::Sum for LineCounts {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::default(), |sum, one| Self { added: sum.added + one.added, removed: sum.removed + one.removed })
    }
}

/// A line with its numbers, as a hunk counts them.
#[derive(Clone, Copy, Debug)]
pub struct NumberedLine<'a> {
    /// Number on the old side, from 1; none for an added line.
    pub old: Option<u32>,
    /// Number on the new side, from 1; none for a removed line.
    pub new: Option<u32>,
    /// The line.
    pub line: &'a Line,
}

impl FileChange {
    /// The path that names the file now: the new one, or the old one of a deleted file.
    pub fn path(&self) -> &RepoPath {
        static NOWHERE: RepoPath = RepoPath::empty();
        self.new_path.as_ref().or(self.old_path.as_ref()).unwrap_or(&NOWHERE)
    }

    /// Its hunks; none for a binary file.
    pub fn hunks(&self) -> &[Hunk] {
        match &self.body {
            Body::Text(hunks) => hunks,
            Body::Binary(_) | Body::Unread(_) => &[],
        }
    }

    /// Whether its content is not text.
    pub fn is_binary(&self) -> bool {
        matches!(self.body, Body::Binary(_))
    }

    /// Added and removed lines.
    pub fn line_counts(&self) -> LineCounts {
        let mut counts = LineCounts::default();
        for line in self.hunks().iter().flat_map(|hunk| hunk.lines.iter()) {
            match line.kind {
                LineKind::Added => counts.added += 1,
                LineKind::Removed => counts.removed += 1,
                LineKind::Context => {}
            }
        }
        counts
    }
}

impl Hunk {
    /// The lines with their numbers, counted from the header and never from prefixes seen in text.
    pub fn numbered(&self) -> impl Iterator<Item = NumberedLine<'_>> {
        let (mut old, mut new) = (self.old_start, self.new_start);
        self.lines.iter().map(move |line| {
            let numbered = NumberedLine {
                old: (line.kind != LineKind::Added).then_some(old),
                new: (line.kind != LineKind::Removed).then_some(new),
                line,
            };
            old += u32::from(numbered.old.is_some());
            new += u32::from(numbered.new.is_some());
            numbered
        })
    }
}
