//! Git's state of a path of the work tree: tracked, ignored, untracked, or part of a submodule.

use super::ignores::Ignores;
use super::list::{GITLINK, SYMLINK, canonical};
use super::{Repo, RepoError};
use diffsan_change::{WorkPath, fold_case};

/// Git's state of a path, independent of whether a file exists there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tracking {
    /// A regular file of the index, also one in conflict.
    Tracked,
    /// A symbolic link of the index.
    Link,
    /// The path is a submodule or inside one; its path.
    Submodule(String),
    /// The path is not in the index, and a rule of `.gitignore`, `info/exclude` or `core.excludesFile` ignores it.
    Ignored,
    /// The path is not in the index, and no rule ignores it.
    Untracked,
}

impl Repo {
    /// Looks a path up in the current index, and in the rules for ignored files. Blocks.
    ///
    /// Tracked files are compared case-sensitively, as in git. Submodules are not: on a case-insensitive file system, `Sub/a` is
    /// in the submodule `sub`.
    ///
    /// # Errors
    ///
    /// Returns an error for a bare repository, and if the index cannot be read.
    pub fn tracking(&self, path: &WorkPath) -> Result<Tracking, RepoError> {
        if self.git.is_bare() || self.git.workdir().is_none() {
            return Err(RepoError::NoWorkTree { path: self.root.clone(), why: self.notice.clone() });
        }
        let mut index = self.git.index().map_err(RepoError::read("reading the index"))?;
        index.read(false).map_err(RepoError::read("reading the index"))?;
        let folded = path.folded();
        let mut found = None;
        for entry in index.iter() {
            let mode = canonical(entry.mode);
            if mode == GITLINK {
                let module = String::from_utf8_lossy(&entry.path);
                let name = fold_case(&module);
                if folded.strip_prefix(&name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) {
                    return Ok(Tracking::Submodule(module.into_owned()));
                }
            } else if entry.path == path.as_str().as_bytes() {
                // A file in conflict has several entries. If one is a link, the file counts as a link.
                let link = mode == SYMLINK || found == Some(Tracking::Link);
                found = Some(if link { Tracking::Link } else { Tracking::Tracked });
            }
        }
        match found {
            Some(tracking) => Ok(tracking),
            None => {
                let ignored = Ignores::new(self)?.is_ignored_anywhere(path.as_str().as_bytes(), false)?;
                Ok(if ignored { Tracking::Ignored } else { Tracking::Untracked })
            }
        }
    }
}
