//! Reads file contents from objects, the index and the work tree, for either side of a target.

use std::cell::Cell;
use std::io;

use bytes::Bytes;
use git2::{ErrorCode, ObjectType, Odb, Oid, Repository};

use super::attributes::Rules;
use super::content::Content;
use super::list::{Entry, GITLINK, SYMLINK, Side};
use super::normalize::{Settings, normalize};
use super::os_path::os_path;
use super::revisions::Place;
use super::worktree;
use super::{Repo, RepoError};
use diffsan_bounded::{MAX_FILE_BYTES, size_text};
use diffsan_change::{FileChange, RepoPath, Target, parallel};

/// The maximum number of bytes that are read to find renames.
const MAX_RENAME_BYTES: u64 = 1 << 30;

/// The source of file contents.
pub(super) struct Source<'a> {
    pub(super) git: &'a Repository,
    pub(super) odb: Odb<'a>,
    pub(super) rules: &'a Rules,
    settings: Settings,
    /// The number of bytes that may still be read to find renames.
    pub(super) left: Cell<u64>,
}

impl<'a> Source<'a> {
    pub(super) fn new(git: &'a Repository, rules: &'a Rules) -> Result<Self, git2::Error> {
        Ok(Self { git, odb: git.odb()?, rules, settings: Settings::of(git), left: Cell::new(MAX_RENAME_BYTES) })
    }

    /// Returns the number of bytes that reading an entry takes. Files above the size limit count as 0, because they are not read.
    pub(super) fn size(&self, entry: &Entry) -> u64 {
        let old_path = entry.from.as_ref().map_or(&entry.path, |from| &from.path);
        let of_side = |path: &[u8], side: &Option<Side>| match side {
            None | Some(Side { mode: GITLINK, .. }) => 0,
            Some(Side { work: true, .. }) => worktree::size(&super::open::root(self.git), path),
            Some(Side { id, .. }) => id.and_then(|id| self.odb.read_header(id).ok()).map_or(0, |(size, _)| size as u64),
        };
        let read = |size: u64| if size > MAX_FILE_BYTES { 0 } else { size };
        read(of_side(old_path, &entry.old)) + read(of_side(&entry.path, &entry.new))
    }

    /// Returns the content of one side of an entry, or the reason why it cannot be read.
    pub(super) fn content(&self, path: &[u8], side: &Side) -> Result<Content<'a>, String> {
        match side {
            Side { mode: GITLINK, id, work } => Ok(Content::Bytes(submodule(self.git, path, *id, *work))),
            Side { work: true, .. } => match self.work_file(path) {
                Ok(Some(content)) => Ok(Content::Bytes(content)),
                Ok(None) => Err("the file no longer exists".to_owned()),
                Err(error) => Err(format!("the file was not read: {error}")),
            },
            Side { id: Some(id), .. } => object(self.git, &self.odb, *id),
            Side { id: None, .. } => Err("its content is missing".to_owned()),
        }
    }

    /// Reads a file of the work tree, converted as git stores it.
    fn work_file(&self, path: &[u8]) -> io::Result<Option<Vec<u8>>> {
        let found = worktree::read(&super::open::root(self.git), path, MAX_FILE_BYTES)?;
        Ok(found.map(|(mode, content)| match mode {
            SYMLINK => content,
            _ => normalize(content, path, self.rules, self.settings, self.git),
        }))
    }

    /// Returns both contents of an entry. An absent side is empty.
    pub(super) fn contents(&self, entry: &Entry) -> Result<(Content<'a>, Content<'a>), String> {
        let old_path = entry.from.as_ref().map_or(&entry.path, |from| &from.path);
        let read = |path: &[u8], side: &Option<Side>| {
            side.as_ref().map_or(Ok(Content::empty()), |side| self.content(path, side))
        };
        Ok((read(old_path, &entry.old)?, read(&entry.path, &entry.new)?))
    }
}

/// Reads a blob, unless it exceeds the size limit.
fn object<'a>(git: &'a Repository, odb: &Odb<'_>, id: Oid) -> Result<Content<'a>, String> {
    let explain = |error: git2::Error| match error.code() {
        ErrorCode::NotFound => format!("object {id} is missing (the clone is partial or damaged); run git fetch"),
        _ => format!("object {id} cannot be read: {}", error.message()),
    };
    // A small pack can contain an object of any size, so check the header first.
    let (size, kind) = odb.read_header(id).map_err(explain)?;
    if kind != ObjectType::Blob {
        return Err(format!("object {id} is a {}, not a file", kind.str()));
    }
    if size as u64 > MAX_FILE_BYTES {
        let (size, most) = (size_text(size as u64), size_text(MAX_FILE_BYTES));
        return Err(format!("the file was not read: it has {size}; the limit is {most}"));
    }
    git.find_blob(id).map(Content::Blob).map_err(explain)
}

/// Returns the text that git shows in place of a submodule's content.
fn submodule(repo: &Repository, path: &[u8], id: Option<Oid>, work: bool) -> Vec<u8> {
    let dirty = work && super::status::submodule(&super::open::root(repo), path).is_some_and(|(_, dirty)| dirty);
    let id = id.map_or_else(|| "0".repeat(40), |id| id.to_string());
    format!("Subproject commit {id}{}\n", if dirty { "-dirty" } else { "" }).into_bytes()
}

impl Repo {
    /// Reads a file from the new side of a target. Returns `None` if it does not exist.
    pub fn new_side(&self, target: &Target, path: &RepoPath) -> Result<Option<Bytes>, RepoError> {
        self.file_at(self.sides(target)?.new, path.as_bytes())
    }

    /// Reads a file from the old side of a target. Returns `None` if it does not exist.
    pub fn old_side(&self, target: &Target, path: &RepoPath) -> Result<Option<Bytes>, RepoError> {
        self.file_at(self.sides(target)?.old, path.as_bytes())
    }

    /// Reads the old and the new side of files on several threads, in their order. A side is `None` if it does not exist or cannot be read.
    pub fn both_sides(&self, target: &Target, files: &[&FileChange]) -> Vec<[Option<Bytes>; 2]> {
        let Ok(sides) = self.sides(target) else { return vec![[None, None]; files.len()] };
        // Without other handles, this thread reads everything.
        let handles = self.more_handles(files.len()).unwrap_or_default();
        let root = &self.root;
        let start = |git| Some(Self { git, root: root.clone(), notice: None });
        parallel::each_with(files.len(), self, handles, start, |repo, at| {
            let read = |place, path: &Option<RepoPath>| repo.file_at(place, path.as_ref()?.as_bytes()).ok().flatten();
            [read(sides.old, &files[at].old_path), read(sides.new, &files[at].new_path)]
        })
    }

    /// Reads a file from a commit. Returns `None` if it does not exist.
    pub fn read_at(&self, rev: &str, path: &str) -> Result<Option<Vec<u8>>, RepoError> {
        let found = self.object_at(Place::Commit(self.commit(rev)?.id()), path.as_bytes())?;
        Ok(found.map(|content| content.to_vec()))
    }

    /// Returns whether the repository has the commit with this full id.
    pub fn has_commit(&self, id: &str) -> bool {
        git2::Oid::from_str(id).is_ok_and(|id| self.git.find_commit(id).is_ok())
    }

    /// Returns whether the clone is shallow: it has only the latest commits.
    pub fn is_shallow(&self) -> bool {
        self.git.is_shallow()
    }

    /// Returns the full hexadecimal id of the checked-out commit, or `None` on an unborn branch.
    pub fn head_id(&self) -> Option<String> {
        self.git.head().ok()?.target().map(|id| id.to_string())
    }

    /// Returns the full hexadecimal id of the commit that a branch, range or commit is compared with. Returns `None` for local changes.
    pub fn base_rev(&self, target: &Target) -> Option<String> {
        match self.sides(target).ok()? {
            super::revisions::Sides { old: Place::Commit(id), new: Place::Commit(_) } => Some(id.to_string()),
            _ => None,
        }
    }

    fn file_at(&self, place: Place, path: &[u8]) -> Result<Option<Bytes>, RepoError> {
        let found = match place {
            Place::WorkTree { .. } => worktree::read(&self.root, path, MAX_FILE_BYTES)
                .map(|found| found.map(|(_, content)| content))
                .map_err(|error| RepoError::Read {
                    doing: format!("reading {}", RepoPath::new(path.to_vec())),
                    message: error.to_string(),
                })?,
            _ => return Ok(self.object_at(place, path)?.map(Content::into_bytes)),
        };
        Ok(found.map(Bytes::from))
    }

    /// Reads a file from a commit or the index.
    pub(super) fn object_at(&self, place: Place, path: &[u8]) -> Result<Option<Content<'_>>, RepoError> {
        let Some(os_path) = os_path(path) else { return Ok(None) };
        let doing = || format!("reading {}", RepoPath::new(path.to_vec()));
        let id = match place {
            Place::Nothing | Place::WorkTree { .. } => None,
            Place::Index => {
                let index = self.git.index().map_err(RepoError::read("reading the index"))?;
                [0, 2].into_iter().find_map(|stage| index.get_path(&os_path, stage)).map(|entry| entry.id)
            }
            Place::Commit(id) => {
                let tree =
                    self.git.find_commit(id).and_then(|commit| commit.tree()).map_err(RepoError::read(doing()))?;
                match tree.get_path(&os_path) {
                    Ok(entry) => (entry.kind() == Some(ObjectType::Blob)).then(|| entry.id()),
                    Err(error) if error.code() == ErrorCode::NotFound => None,
                    Err(error) => return Err(RepoError::read(doing())(error)),
                }
            }
        };
        let Some(id) = id else { return Ok(None) };
        let odb = self.git.odb().map_err(RepoError::read(doing()))?;
        object(&self.git, &odb, id).map(Some).map_err(|message| RepoError::Read { doing: doing(), message })
    }
}
