//! Lists the tracked files of a target's new side, and reads their content.

use git2::{ObjectType, TreeWalkMode, TreeWalkResult};

use super::revisions::Place;
use super::{Repo, RepoError};
use diffsan_change::Target;

/// A tracked file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackedFile {
    /// The path. Files whose paths are not UTF-8 are not listed.
    pub path: String,
    /// The id of the object with the content.
    pub id: String,
}

impl Repo {
    /// Returns the regular files of the new side, from the commit or the index. Changes of the work tree are not included.
    pub fn tracked_files(&self, target: &Target) -> Result<Vec<TrackedFile>, RepoError> {
        match self.sides(target)?.new {
            Place::Commit(id) => self.files_of_commit(id).map_err(RepoError::read("listing the files")),
            Place::Index | Place::WorkTree { .. } => {
                let index = self.git.index().map_err(RepoError::read("reading the index"))?;
                let files = index.iter().filter(|entry| super::list::canonical(entry.mode) & 0o170_000 == 0o100_000);
                Ok(files
                    .filter_map(|entry| {
                        Some(TrackedFile { path: String::from_utf8(entry.path).ok()?, id: entry.id.to_string() })
                    })
                    .collect())
            }
            Place::Nothing => Ok(Vec::new()),
        }
    }

    fn files_of_commit(&self, id: git2::Oid) -> Result<Vec<TrackedFile>, git2::Error> {
        let tree = self.git.find_commit(id)?.tree()?;
        let mut files = Vec::new();
        tree.walk(TreeWalkMode::PreOrder, |folder, entry| {
            let plain = entry.kind() == Some(ObjectType::Blob) && entry.filemode() & 0o170_000 == 0o100_000;
            if let (true, Ok(name)) = (plain, entry.name()) {
                files.push(TrackedFile { path: format!("{folder}{name}"), id: entry.id().to_string() });
            }
            TreeWalkResult::Ok
        })?;
        Ok(files)
    }

    /// Reads an object that [`Self::tracked_files`] returned, unless it has more than `largest` bytes.
    pub fn object(&self, id: &str, largest: u64) -> Option<Vec<u8>> {
        let odb = self.git.odb().ok()?;
        let id = git2::Oid::from_str(id).ok()?;
        let (size, kind) = odb.read_header(id).ok()?;
        if kind != ObjectType::Blob || size as u64 > largest {
            return None;
        }
        odb.read(id).ok().map(|object| object.data().to_vec())
    }
}
