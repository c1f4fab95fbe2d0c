//! The door to git repositories. In: a path, a target. Out: changes, file contents and names, as git has them.
//!
//! Nothing that a repository says is ever run: no hook, no filter command, no textconv, no external diff. Nothing is
//! ever written. Everything blocks; callers use a blocking thread. libgit2 lists what differs and holds objects;
//! renames, context and conversions are ours, equal to git's.

mod attributes;
mod bounds;
mod change;
mod error;
mod fetch;
mod files;
mod http;
mod ignores;
mod includes;
mod layout;
mod list;
mod names;
mod normalize;
mod open;
mod own_files;
mod patterns;
mod read;
mod renames;
mod revisions;
mod sides;
mod similarity;
mod status;
mod text;
mod tracking;
mod watch;
mod wildmatch;
mod worktree;

use std::path::{Path, PathBuf};

pub use change::ReadOptions;
pub use error::RepoError;
pub use fetch::FetchRequest;
pub use files::TrackedFile;
pub use http::{CredentialLookup, ServerToken, server_of};
pub use names::{BranchInfo, CommitInfo, LocalCounts};
pub use own_files::PathContent;
pub use sides::{SideNames, WorkFile};
pub use tracking::Tracking;
pub use watch::Watch;

/// An open repository.
pub struct Repo {
    git: git2::Repository,
    root: PathBuf,
    notice: Option<String>,
}

impl Repo {
    /// The repository that `path` is in: a work tree (also a linked one), a `.git` folder or a bare repository.
    pub fn open(path: &Path) -> Result<Self, RepoError> {
        open::open(path).map(|opened| Self { root: open::root(&opened.git), git: opened.git, notice: opened.notice })
    }

    /// Why the work tree that the repository names does not count, in words. None where nothing was left out.
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// The work tree's root; the repository itself if it is bare.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Every folder whose content the repository decides: its root, its git folders, and the work trees that share them. Some may
    /// not be there any more.
    pub fn folders(&self) -> Vec<PathBuf> {
        let mut folders = vec![self.root.clone(), self.git.path().to_owned(), self.git.commondir().to_owned()];
        // The main work tree, seen from a linked one.
        let common = self.git.commondir();
        folders.extend(common.parent().filter(|_| common.ends_with(".git")).map(Path::to_owned));
        let linked = self.git.worktrees();
        let names = linked.iter().flat_map(|names| names.iter().flatten().flatten());
        folders.extend(names.filter_map(|name| Some(self.git.find_worktree(name).ok()?.path().to_owned())));
        folders
    }

    /// The root's name.
    pub fn name(&self) -> String {
        let name = self.root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.strip_suffix(".git").filter(|rest| !rest.is_empty()).map(str::to_owned).unwrap_or(name)
    }
}
