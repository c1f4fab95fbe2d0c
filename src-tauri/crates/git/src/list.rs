//! Lists the differences between two sides: paths with modes and object ids, without content. Entries are sorted by path bytes,
//! as in git. A file that changed its type is a removal and an addition, as git prints it.

use std::collections::BTreeMap;

use git2::{Delta, Diff, DiffOptions, IndexEntryExtendedFlag, Oid};

use super::os_path::os_path;
use super::revisions::{Place, Sides};
use super::{Repo, RepoError};

/// The mode of a submodule.
pub(super) const GITLINK: u32 = 0o160_000;
/// The mode of a symbolic link.
pub(super) const SYMLINK: u32 = 0o120_000;
const KIND: u32 = 0o170_000;

/// One side of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Side {
    pub(super) mode: u32,
    /// The object id. Unknown for most files of the work tree.
    pub(super) id: Option<Oid>,
    /// Whether the content is in the work tree, not among the objects.
    pub(super) work: bool,
}

impl Side {
    pub(super) fn is_regular(&self) -> bool {
        self.mode & KIND == 0o100_000
    }
}

/// The source of a renamed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    pub(super) path: Vec<u8>,
    /// The percentage of equal content.
    pub(super) similarity: u8,
}

/// A file that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) path: Vec<u8>,
    pub(super) old: Option<Side>,
    pub(super) new: Option<Side>,
    /// The source, if the file was renamed.
    pub(super) from: Option<Origin>,
    /// Whether the file is in conflict.
    pub(super) unmerged: bool,
    /// Whether this is one half of a file that changed its type. Such an entry is no part of a rename.
    pub(super) retyped: bool,
}

impl Entry {
    pub(super) fn new(path: Vec<u8>, old: Option<Side>, new: Option<Side>) -> Self {
        Self { path, old, new, from: None, unmerged: false, retyped: false }
    }
}

impl Repo {
    /// Returns all differences between two sides.
    pub(super) fn entries(&self, sides: Sides) -> Result<Vec<Entry>, RepoError> {
        let entries = match (sides.old, sides.new) {
            (old, Place::WorkTree { untracked }) => self.against_work_tree(old, untracked)?,
            (old, Place::Index) => self.staged(old)?,
            (old, new) => {
                let (old, new) = (self.tree(old)?, self.tree(new)?);
                let diff = self.git.diff_tree_to_tree(old.as_ref(), new.as_ref(), Some(&mut options()));
                collect(&diff.map_err(RepoError::read("comparing trees"))?)
            }
        };
        let mut entries: Vec<Entry> = entries.into_iter().flat_map(split_type_changes).collect();
        entries.sort_by(|a, b| a.path.cmp(&b.path).then_with(|| a.new.is_some().cmp(&b.new.is_some())));
        Ok(entries)
    }

    fn tree(&self, place: Place) -> Result<Option<git2::Tree<'_>>, RepoError> {
        let Place::Commit(id) = place else { return Ok(None) };
        let tree = self.git.find_commit(id).and_then(|commit| commit.tree());
        tree.map(Some).map_err(RepoError::read(format!("reading the tree of {id}")))
    }

    fn index(&self) -> Result<git2::Index, RepoError> {
        let mut index = self.git.index().map_err(RepoError::read("reading the index"))?;
        index.read(false).map_err(RepoError::read("reading the index"))?;
        Ok(index)
    }

    fn staged(&self, old: Place) -> Result<Vec<Entry>, RepoError> {
        let (tree, index) = (self.tree(old)?, self.index()?);
        let diff = self.git.diff_tree_to_index(tree.as_ref(), Some(&index), Some(&mut options()));
        let mut entries = collect(&diff.map_err(RepoError::read("comparing the index"))?);
        // A file that was added with `git add -N` has no staged content.
        entries.retain(|entry| !has_flag(&index, &entry.path, IndexEntryExtendedFlag::INTENT_TO_ADD));
        for entry in entries.iter_mut().filter(|entry| entry.unmerged) {
            entry.new = None;
        }
        Ok(entries)
    }

    fn against_work_tree(&self, old: Place, untracked: bool) -> Result<Vec<Entry>, RepoError> {
        let index = self.index()?;
        self.check_submodules(&index)?;
        let mut unstaged = self.unstaged(&index, untracked)?;
        for entry in &mut unstaged {
            if has_flag(&index, &entry.path, IndexEntryExtendedFlag::INTENT_TO_ADD) {
                entry.old = None;
            }
            if entry.unmerged {
                entry.old = self.ours(&index, &entry.path);
                entry.new = self.work_side(&entry.path);
            }
        }
        if old == Place::Index {
            return Ok(unstaged);
        }
        let mut merged: BTreeMap<Vec<u8>, Entry> =
            self.staged(old)?.into_iter().map(|entry| (entry.path.clone(), entry)).collect();
        for entry in unstaged {
            match merged.get_mut(&entry.path) {
                Some(whole) => whole.new = entry.new,
                None => {
                    merged.insert(entry.path.clone(), entry);
                }
            }
        }
        // Remove files that were changed in the index and restored in the work tree, and files that were added with `git add -N`
        // and deleted.
        merged.retain(|_, entry| match (&entry.old, &entry.new) {
            (None, None) => entry.unmerged,
            (Some(old), Some(new)) => old.mode != new.mode || new.id.is_none() || old.id != new.id,
            _ => true,
        });
        Ok(merged.into_values().collect())
    }

    /// Returns an error if the work tree has a submodule that leads outside, because libgit2 would open it.
    fn check_submodules(&self, index: &git2::Index) -> Result<(), RepoError> {
        let submodules = index.iter().filter(|entry| canonical(entry.mode) == GITLINK);
        let folders = submodules.filter_map(|entry| os_path(&entry.path));
        folders.map(|path| self.root.join(path)).try_for_each(|folder| super::open::may_be_read(&folder))
    }

    /// Returns our side of a conflict, or else the common one, or else theirs.
    fn ours(&self, index: &git2::Index, path: &[u8]) -> Option<Side> {
        let path = os_path(path)?;
        let entry = [2, 1, 3].into_iter().find_map(|stage| index.get_path(&path, stage))?;
        Some(Side { mode: canonical(entry.mode), id: Some(entry.id), work: false })
    }
}

fn options() -> DiffOptions {
    let mut options = DiffOptions::new();
    options.include_typechange(true).skip_binary_check(true).ignore_submodules(false);
    options
}

fn collect(diff: &Diff<'_>) -> Vec<Entry> {
    let side = |file: &git2::DiffFile<'_>| {
        let mode = canonical(u32::from(file.mode()));
        (mode != 0).then(|| Side { mode, id: Some(file.id()).filter(|id| !id.is_zero()), work: false })
    };
    let entry = |delta: git2::DiffDelta<'_>| {
        let (old, new) = (delta.old_file(), delta.new_file());
        let path = new.path_bytes().or_else(|| old.path_bytes())?.to_vec();
        let mut entry = Entry::new(path, side(&old), side(&new));
        match delta.status() {
            Delta::Added => entry.old = None,
            Delta::Deleted => entry.new = None,
            Delta::Conflicted => entry.unmerged = true,
            Delta::Unmodified => return None,
            _ => {}
        }
        Some(entry)
    };
    diff.deltas().filter_map(entry).collect()
}

fn split_type_changes(entry: Entry) -> Vec<Entry> {
    match (entry.old, entry.new) {
        (Some(old), Some(new)) if (old.mode ^ new.mode) & KIND != 0 => {
            vec![Entry { new: None, retyped: true, ..entry.clone() }, Entry { old: None, retyped: true, ..entry }]
        }
        _ => vec![entry],
    }
}

fn has_flag(index: &git2::Index, path: &[u8], flag: IndexEntryExtendedFlag) -> bool {
    let entry = os_path(path).and_then(|path| index.get_path(&path, 0));
    entry.is_some_and(|entry| IndexEntryExtendedFlag::from_bits_truncate(entry.flags_extended).contains(flag))
}

/// Returns the mode that git prints. Of all permissions, only the executable bit of the owner counts.
pub(super) fn canonical(mode: u32) -> u32 {
    match mode & KIND {
        0o100_000 if mode & 0o100 != 0 => 0o100_755,
        0o100_000 => 0o100_644,
        kind => kind,
    }
}
