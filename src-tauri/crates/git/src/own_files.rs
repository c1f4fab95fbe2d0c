//! Reads files that configure diffsan, from a commit or the work tree. Only regular files in regular folders are read, up to a
//! size limit. Links are never followed.

use std::fs;
use std::path::Path;

use git2::{ObjectType, Oid};

use super::os_path::os_path;
use super::worktree;
use super::{Repo, RepoError};

/// The content at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathContent {
    /// There is nothing at the path.
    Absent,
    /// There is something other than a regular file: a link, a folder, a device.
    Other,
    /// The file is larger than requested; its size in bytes.
    TooLarge(u64),
    /// The bytes of the file.
    File(Vec<u8>),
}

/// The maximum number of entries that are read from one folder.
const MAX_ENTRIES: usize = 500;

impl Repo {
    /// Reads a file from a commit, or from the work tree if `rev` is `None`.
    pub fn plain_file(&self, rev: Option<&str>, path: &str, largest: u64) -> Result<PathContent, RepoError> {
        let Some(os) = os_path(path.as_bytes()) else { return Ok(PathContent::Absent) };
        let Some(rev) = rev else { return Ok(self.plain_work_file(path, &os, largest)) };
        let doing = || format!("reading {path}");
        let tree = self.commit(rev)?.tree().map_err(RepoError::read(doing()))?;
        let Ok(entry) = tree.get_path(&os) else { return Ok(PathContent::Absent) };
        if entry.kind() != Some(ObjectType::Blob) || entry.filemode() & 0o170_000 != 0o100_000 {
            return Ok(PathContent::Other);
        }
        self.plain_object(entry.id(), largest).map_err(RepoError::read(doing()))
    }

    /// Returns the names of the regular files directly in a folder.
    pub fn plain_names(&self, rev: Option<&str>, folder: &str) -> Vec<String> {
        let Some(os) = os_path(folder.as_bytes()) else { return Vec::new() };
        let mut names: Vec<String> = match rev {
            Some(rev) => {
                let tree = self.commit(rev).ok().and_then(|commit| commit.tree().ok());
                let entry = tree.and_then(|tree| tree.get_path(&os).ok());
                let inner = entry.and_then(|entry| entry.to_object(&self.git).ok()?.into_tree().ok());
                let plain = |entry: &git2::TreeEntry<'_>| entry.filemode() & 0o170_000 == 0o100_000;
                let inner = inner.iter().flat_map(|tree| tree.iter()).filter(plain);
                inner.filter_map(|entry| entry.name().ok().map(str::to_owned)).take(MAX_ENTRIES).collect()
            }
            None => {
                let folders: Vec<&Path> = os.ancestors().filter(|part| !part.as_os_str().is_empty()).collect();
                let is_folder =
                    |part: &&Path| fs::symlink_metadata(self.root.join(part)).is_ok_and(|about| about.is_dir());
                let entries = if folders.iter().all(is_folder) { fs::read_dir(self.root.join(&os)).ok() } else { None };
                let entries = entries.into_iter().flatten().flatten().take(MAX_ENTRIES);
                let plain = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
                plain.filter_map(|entry| entry.file_name().into_string().ok()).collect()
            }
        };
        names.sort();
        names
    }

    fn plain_work_file(&self, path: &str, os: &Path, largest: u64) -> PathContent {
        let Ok(about) = fs::symlink_metadata(self.root.join(os)) else { return PathContent::Absent };
        if !about.is_file() {
            return PathContent::Other;
        }
        match worktree::read(&self.root, path.as_bytes(), largest) {
            Ok(Some((mode, content))) if mode & 0o170_000 == 0o100_000 => PathContent::File(content),
            Ok(_) => PathContent::Other,
            Err(error) if error.kind() == std::io::ErrorKind::FileTooLarge => PathContent::TooLarge(about.len()),
            Err(_) => PathContent::Absent,
        }
    }

    fn plain_object(&self, id: Oid, largest: u64) -> Result<PathContent, git2::Error> {
        let odb = self.git.odb()?;
        let (size, _) = odb.read_header(id)?;
        if size as u64 > largest {
            return Ok(PathContent::TooLarge(size as u64));
        }
        Ok(PathContent::File(odb.read(id)?.data().to_vec()))
    }
}
