//! The change under review: files with hunks and lines between a base and a head.
//!
//! In: bytes, from git or a patch. Out: values that every later stage reads. This crate neither selects the parts that a user
//! sees nor reads files. Contents and paths are bytes; they become text only when they are shown or sent.

mod attributes;
mod cut;
mod fingerprint;
mod owners;
pub mod parallel;
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
pub use owners::{OWNERS_FILES, Owners};
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
    /// The commit that the change starts from (full hexadecimal object id), if there is one.
    pub base: Option<String>,
    /// The commit that the change ends at. `None` for the work tree, the index and patches.
    pub head: Option<String>,
    /// The commit messages of the change, oldest first. Empty for local changes.
    pub messages: Vec<String>,
}

impl Change {
    /// Returns the numbers of added and removed lines in all files.
    pub fn line_counts(&self) -> LineCounts {
        self.files.iter().map(FileChange::line_counts).sum()
    }
}

/// The kind of change of a file, in git's terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// A new file.
    Added,
    /// A removed file.
    Deleted,
    /// Changed content or mode under the same path.
    Modified,
    /// Moved, possibly with changed content.
    Renamed,
    /// Copied from another path, possibly with changed content.
    Copied,
    /// A file became a symbolic link or a submodule, or the reverse.
    TypeChanged,
    /// In conflict: neither side is final.
    Unmerged,
}

/// One file of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The path before the change. `None` for an added file.
    pub old_path: Option<RepoPath>,
    /// The path after the change. `None` for a deleted file.
    pub new_path: Option<RepoPath>,
    /// The kind of change.
    pub status: Status,
    /// Git's file mode before the change (`0o100644`, `0o120000` for a symbolic link, `0o160000` for a submodule).
    pub old_mode: Option<u32>,
    /// Git's file mode after the change.
    pub new_mode: Option<u32>,
    /// The object ids of an `index a..b` line, abbreviated as in the source.
    pub ids: Option<(String, String)>,
    /// The percentage of equal content of a rename or copy.
    pub similarity: Option<u8>,
    /// The changed content.
    pub body: Body,
}

/// The changed content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// Lines. Empty for an empty file, a pure rename and a pure mode change.
    Text(Vec<Hunk>),
    /// Bytes without lines. Contains the literal patch (from `GIT binary patch` to its last line) if the source had it.
    Binary(Option<Bytes>),
    /// The file could not be read, for this reason. It is listed as not reviewed, and does not affect other files.
    Unread(String),
}

/// A run of adjacent lines, with the counts of its `@@` header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// The first line on the old side, from 1. 0 if the old side has no line.
    pub old_start: u32,
    /// The number of lines on the old side.
    pub old_lines: u32,
    /// The first line on the new side, from 1. 0 if the new side has no line.
    pub new_start: u32,
    /// The number of lines on the new side.
    pub new_lines: u32,
    /// The text after the second `@@`, usually the enclosing function.
    pub section: Bytes,
    /// The lines, shared where they are equal (a masked change shares all lines without a secret).
    pub lines: Arc<Vec<Line>>,
}

/// The sides of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineKind {
    /// On both sides.
    Context,
    /// On the new side only.
    Added,
    /// On the old side only.
    Removed,
}

/// A line of a hunk, without its prefix and without its `
/// ` (a `\r` before it is content).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The sides that the line is on.
    pub kind: LineKind,
    /// The bytes.
    pub text: Bytes,
    /// Whether a line feed follows. `false` if the file ends here without one (`\ No newline at end of file`).
    pub newline: bool,
}

/// The numbers of added and removed lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCounts {
    /// The number of lines only on the new side.
    pub added: u32,
    /// The number of lines only on the old side.
    pub removed: u32,
}

impl std::iter::Sum for LineCounts {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::default(), |sum, one| Self { added: sum.added + one.added, removed: sum.removed + one.removed })
    }
}

/// A line with its numbers, as counted from the hunk's header.
#[derive(Clone, Copy, Debug)]
pub struct NumberedLine<'a> {
    /// The number on the old side, from 1. `None` for an added line.
    pub old: Option<u32>,
    /// The number on the new side, from 1. `None` for a removed line.
    pub new: Option<u32>,
    /// The line.
    pub line: &'a Line,
}

/// The number of lines of a text that is made of hunks. A patch may contain any number.
const MAX_TEXT_LINES: u32 = 1_000_000;

impl FileChange {
    /// Returns the current path of the file: the new one, or the old one of a deleted file.
    pub fn path(&self) -> &RepoPath {
        static NOWHERE: RepoPath = RepoPath::empty();
        self.new_path.as_ref().or(self.old_path.as_ref()).unwrap_or(&NOWHERE)
    }

    /// Returns the hunks. Empty for a binary or unread file.
    pub fn hunks(&self) -> &[Hunk] {
        match &self.body {
            Body::Text(hunks) => hunks,
            Body::Binary(_) | Body::Unread(_) => &[],
        }
    }

    /// Returns the lines of one side as far as the hunks contain them, each at its number, with empty lines between. `number` returns the
    /// number on that side.
    pub fn known_text(&self, number: impl Fn(&NumberedLine<'_>) -> Option<u32>) -> String {
        let mut lines: Vec<std::borrow::Cow<'_, str>> = Vec::new();
        for line in self.hunks().iter().flat_map(Hunk::numbered) {
            let Some(at) = number(&line).and_then(|number| number.checked_sub(1)) else { continue };
            if at >= MAX_TEXT_LINES {
                continue;
            }
            let at = at as usize;
            lines.resize(lines.len().max(at + 1), "".into());
            lines[at] = String::from_utf8_lossy(&line.line.text);
        }
        lines.iter().flat_map(|line| [line.as_ref(), "\n"]).collect()
    }

    /// Returns whether the content is binary.
    pub fn is_binary(&self) -> bool {
        matches!(self.body, Body::Binary(_))
    }

    /// Returns the numbers of added and removed lines.
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
    /// Returns the lines with their numbers, which are counted from the header and never derived from the text.
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

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::parse_patch;

    #[test]
    fn a_text_of_hunks_has_each_line_at_its_number_and_a_limited_length() {
        let patch = "--- a/x\n+++ b/x\n@@ -2,2 +3,2 @@\n same\n-old\n+new\n@@ -4000000000 +4000000000 @@\n-far\n+far\n";
        let change = parse_patch(Bytes::from(patch)).expect("a patch");
        let file = &change.files[0];
        assert_eq!(file.known_text(|line| line.old), "\nsame\nold\n");
        assert_eq!(file.known_text(|line| line.new), "\n\nsame\nnew\n");
    }
}
