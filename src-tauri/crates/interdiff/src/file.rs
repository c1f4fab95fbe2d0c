//! Compares a file with its presence, path, mode and content.

use bytes::Bytes;
use diffsan_change::RepoPath;

use crate::text::{Texts, compare_texts};
use crate::{Hidden, ShownHunk};

/// One of the four commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// The commit where the old version starts.
    OldBase,
    /// The commit where the old version ends.
    OldHead,
    /// The commit where the new version starts.
    NewBase,
    /// The commit where the new version ends.
    NewHead,
}

/// A file in one of the commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// The path.
    pub path: RepoPath,
    /// Git's mode.
    pub mode: u32,
    /// The id of the content. Equal ids mean equal content.
    pub id: String,
}

/// A file in the four commits. A side is `None` where the file does not exist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileSides {
    /// The file where the old version starts.
    pub old_base: Option<Side>,
    /// The file where the old version ends.
    pub old_head: Option<Side>,
    /// The file where the new version starts.
    pub new_base: Option<Side>,
    /// The file where the new version ends.
    pub new_head: Option<Side>,
}

/// The content of a side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Lines.
    Text(Bytes),
    /// Content that has no lines: binary, a symbolic link, a submodule.
    Opaque,
    /// The content cannot be read, for this reason.
    Unread(String),
}

/// Something about a file that its lines do not show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileNote {
    /// The author added the file since the old version.
    Added,
    /// The author removed the file since the old version.
    Removed,
    /// The author moved the file since the old version, from this path.
    Renamed(RepoPath),
    /// The author changed the mode since the old version; the earlier and the new mode.
    Mode(u32, u32),
    /// The content has no lines, and the author changed it since the old version.
    Content,
    /// The target branch removed a file that the author had changed. The author kept it or removed it, too.
    TargetRemoved,
    /// The target branch changed a file that the author had removed. The author kept it or removed it again.
    TargetChanged,
    /// The author's and the target branch's path, mode or content without lines differ, and the author had to choose.
    Conflict,
    /// The content cannot be compared, for this reason.
    Unread(String),
}

/// The result of a comparison of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileComparison {
    /// The path in the old head, if the file is there.
    pub old_path: Option<RepoPath>,
    /// The path in the new head, if the file is there.
    pub new_path: Option<RepoPath>,
    /// The differences that the lines do not show.
    pub notes: Vec<FileNote>,
    /// The author's edits.
    pub hunks: Vec<ShownHunk>,
    /// The numbers of hidden lines.
    pub hidden: Hidden,
    /// The lines of the old base that the author and the target replaced or removed in different ways.
    pub contested: Vec<Bytes>,
}

impl FileComparison {
    /// Returns whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.notes.is_empty() && self.hunks.is_empty()
    }

    /// Returns whether the author had to resolve a conflict.
    pub fn has_conflict(&self) -> bool {
        let by_notes =
            |note: &FileNote| matches!(note, FileNote::TargetRemoved | FileNote::TargetChanged | FileNote::Conflict);
        self.hunks.iter().any(|hunk| hunk.conflict) || self.notes.iter().any(by_notes)
    }
}

/// The reader of a file's content.
pub struct Reader<'a> {
    /// Returns the content of the file in a commit.
    pub content: &'a dyn Fn(Version) -> Content,
    /// Returns the texts of the file in the commits of the old version, oldest first.
    pub steps: &'a dyn Fn() -> Vec<Vec<u8>>,
}

/// Merges three values. Returns the value, and whether both sides changed it differently; then it is the author's.
fn merged<T: PartialEq>(base: T, author: T, target: T) -> (T, bool) {
    if author == base {
        (target, false)
    } else {
        let conflict = target != base && target != author;
        (author, conflict)
    }
}

/// Merges a property of a file, and returns the result with whether there is a conflict. An absent file has none.
fn property<'a, T: PartialEq>(sides: &'a FileSides, value: impl Fn(&'a Side) -> T) -> (Option<T>, bool) {
    let of = |side: &'a Option<Side>| side.as_ref().map(&value);
    merged(of(&sides.old_base), of(&sides.old_head), of(&sides.new_base))
}

/// Returns whether the ids show that the author did nothing to the file between the versions. No content is needed for this.
pub fn is_settled(sides: &FileSides) -> bool {
    let new = sides.new_head.as_ref();
    property(sides, |side| &side.id) == (new.map(|side| &side.id), false)
        && property(sides, |side| &side.path) == (new.map(|side| &side.path), false)
        && property(sides, |side| side.mode) == (new.map(|side| side.mode), false)
}

/// Compares a file. `context` is the number of unchanged lines around each edit.
pub fn compare_file(sides: &FileSides, reader: &Reader<'_>, context: usize) -> FileComparison {
    let path = |side: &Option<Side>| side.as_ref().map(|side| side.path.clone());
    let mut result = FileComparison {
        old_path: path(&sides.old_head).or_else(|| path(&sides.new_base)),
        new_path: path(&sides.new_head),
        ..FileComparison::default()
    };
    if is_settled(sides) {
        return result;
    }
    let basis = Basis::of(sides);
    result.notes.extend(basis.note.clone());
    property_notes(sides, &basis, &mut result.notes);
    let mut contents = [const { Vec::new() }; 4];
    for (side, text) in basis.sides.iter().zip(&mut contents) {
        let Some(from) = side else { continue };
        match (reader.content)(*from) {
            Content::Text(bytes) => *text = bytes.to_vec(),
            Content::Opaque => {
                opaque_notes(sides, &basis, &mut result.notes);
                return result;
            }
            Content::Unread(reason) => {
                result.notes.push(FileNote::Unread(reason));
                return result;
            }
        }
    }
    let [old_base, old_head, new_base, new_head] = &contents;
    let none = || Vec::new();
    let steps: &dyn Fn() -> Vec<Vec<u8>> = if basis.is_plain { reader.steps } else { &none };
    let compared = compare_texts(&Texts { old_base, old_head, new_base, new_head }, steps, context);
    (result.hunks, result.hidden, result.contested) = (compared.hunks, compared.hidden, compared.contested);
    result
}

/// The content that a file is compared with.
struct Basis {
    /// The commits whose content takes the place of the four texts. `None` stands for an empty text.
    sides: [Option<Version>; 4],
    /// Whether these are the file's own sides.
    is_plain: bool,
    /// The note about the presence of the file.
    note: Option<FileNote>,
}

impl Basis {
    fn of(sides: &FileSides) -> Self {
        let FileSides { old_base, old_head, new_base, new_head } = sides;
        let here = |version: Version, side: &Option<Side>| side.as_ref().map(|_| version);
        let own = [
            here(Version::OldBase, old_base),
            here(Version::OldHead, old_head),
            here(Version::NewBase, new_base),
            here(Version::NewHead, new_head),
        ];
        let changed =
            |side: &Option<Side>| side.as_ref().map(|side| &side.id) != old_base.as_ref().map(|side| &side.id);
        let plain = |note| Self { sides: own, is_plain: true, note };
        let other = |sides, note| Self { sides, is_plain: false, note: Some(note) };
        let (head, added) = (Some(Version::NewHead), [None, None, None, Some(Version::NewHead)]);
        match (old_base.is_some(), old_head.is_some(), new_base.is_some(), new_head.is_some()) {
            (_, false, false, true) => plain(Some(FileNote::Added)),
            // The target branch removed the file. The author's new lines of it are shown as a whole, unless the old version
            // had a change of it, which the reader knows.
            (true, true, false, true) if changed(old_head) => other(
                [Some(Version::OldHead), Some(Version::OldHead), Some(Version::OldHead), head],
                FileNote::TargetRemoved,
            ),
            (true, true, false, true) => other(added, FileNote::Added),
            (true, true, false, false) => plain(Some(FileNote::TargetRemoved)),
            // The author had removed the file.
            (true, false, true, true) if changed(new_base) => other(added, FileNote::TargetChanged),
            (true, false, true, true) => other(added, FileNote::Added),
            (true, false, true, false) => plain(Some(FileNote::TargetChanged)),
            (_, _, _, false) => plain(Some(FileNote::Removed)),
            _ => plain(None),
        }
    }
}

/// Notes changes of the path and the mode.
fn property_notes(sides: &FileSides, basis: &Basis, notes: &mut Vec<FileNote>) {
    let Some(new) = &sides.new_head else { return };
    let conflict_known = matches!(basis.note, Some(FileNote::TargetRemoved | FileNote::TargetChanged));
    let (path, path_conflict) = property(sides, |side| &side.path);
    let (mode, mode_conflict) = property(sides, |side| side.mode);
    if let Some(path) = path.filter(|path| **path != new.path) {
        notes.push(FileNote::Renamed(path.clone()));
    }
    if let Some(mode) = mode.filter(|mode| *mode != new.mode) {
        notes.push(FileNote::Mode(mode, new.mode));
    }
    if (path_conflict || mode_conflict) && !conflict_known {
        notes.push(FileNote::Conflict);
    }
}

/// Notes a change of content without lines.
fn opaque_notes(sides: &FileSides, basis: &Basis, notes: &mut Vec<FileNote>) {
    let (id, conflict) = property(sides, |side| &side.id);
    if conflict && basis.note.is_none() && !notes.contains(&FileNote::Conflict) {
        notes.push(FileNote::Conflict);
    }
    if basis.note.is_none() && id != sides.new_head.as_ref().map(|side| &side.id) {
        notes.push(FileNote::Content);
    }
}
