//! What git knows of a path of the work tree: whether it tracks the file, ignores it, or leaves it to a submodule.

use super::ignores::Ignores;
use super::list::{GITLINK, SYMLINK, canonical};
use super::{Repo, RepoError};
use diffsan_change::{WorkPath, fold_case};

/// What git knows of a path. Whether a file lies there is another question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tracking {
    /// A regular file of the index, also one in conflict.
    Tracked,
    /// A symbolic link of the index.
    Link,
    /// The path is a submodule, or lies in one; its path.
    Submodule(String),
    /// The index does not have it, and a rule of `.gitignore`, `info/exclude` or `core.excludesFile` leaves it out.
    Ignored,
    /// The index does not have it, and no rule ignores it.
    Untracked,
}

impl Repo {
    /// Looks a path up in the index as it is now, and in the rules for ignored files. Blocks.
    ///
    /// Case counts for tracked files, as in git. It does not for submodules: on a file system that ignores case, `Sub/a` lies in
    /// the submodule `sub`.
    ///
    /// # Errors
    ///
    /// Fails for a bare repository, and where the index cannot be read.
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
                // A file in conflict has several entries; one that is a link makes all of it one.
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
