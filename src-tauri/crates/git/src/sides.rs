//! Lists the files of either side of a target, and reads files of the work tree.

use std::collections::BTreeMap;

use git2::{TreeWalkMode, TreeWalkResult};

use super::list::SYMLINK;
use super::revisions::Place;
use super::worktree;
use super::{Repo, RepoError};
use diffsan_change::Target;

/// The paths of the files of a side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SideNames {
    /// Regular files with their object ids. Paths that are not UTF-8 are omitted.
    pub files: BTreeMap<String, String>,
    /// Symbolic links with the ids of the objects that contain their targets.
    pub links: BTreeMap<String, String>,
}

/// The result of reading a file of the work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkFile {
    /// The content of a regular file.
    Bytes(Vec<u8>),
    /// The file is larger than requested.
    TooLarge,
    /// A symbolic link, with its target.
    Link(Vec<u8>),
    /// The file does not exist or cannot be read.
    Missing,
}

impl Repo {
    /// Returns the files of a target's old or new side, from the commit or the index. Changes of the work tree are not included.
    pub fn side_names(&self, target: &Target, old: bool) -> Result<SideNames, RepoError> {
        let sides = self.sides(target)?;
        let mut names = SideNames::default();
        let mut add = |path: String, mode: u32, id: String| match mode & 0o170_000 {
            0o100_000 => drop(names.files.insert(path, id)),
            SYMLINK => drop(names.links.insert(path, id)),
            _ => {}
        };
        match if old { sides.old } else { sides.new } {
            Place::Nothing => {}
            Place::Commit(id) => {
                let reading = RepoError::read("listing the files");
                let tree = self.git.find_commit(id).and_then(|commit| commit.tree()).map_err(reading)?;
                let walked = tree.walk(TreeWalkMode::PreOrder, |folder, entry| {
                    if let Ok(name) = entry.name() {
                        let mode = u32::try_from(entry.filemode()).unwrap_or_default();
                        add(format!("{folder}{name}"), mode, entry.id().to_string());
                    }
                    TreeWalkResult::Ok
                });
                walked.map_err(RepoError::read("listing the files"))?;
            }
            Place::Index | Place::WorkTree { .. } => {
                let index = self.git.index().map_err(RepoError::read("reading the index"))?;
                for entry in index.iter() {
                    if let Ok(path) = String::from_utf8(entry.path) {
                        add(path, super::list::canonical(entry.mode), entry.id.to_string());
                    }
                }
            }
        }
        Ok(names)
    }

    /// Reads a file of the work tree. Follows no symbolic link, and reads no file of more than `largest` bytes.
    pub fn work_file(&self, path: &str, largest: u64) -> WorkFile {
        match worktree::read(&self.root, path.as_bytes(), largest) {
            Ok(Some((SYMLINK, target))) => WorkFile::Link(target),
            Ok(Some((_, bytes))) => WorkFile::Bytes(bytes),
            Err(error) if error.kind() == std::io::ErrorKind::FileTooLarge => WorkFile::TooLarge,
            Ok(None) | Err(_) => WorkFile::Missing,
        }
    }
}
