//! Access to git repositories. In: a path, a target. Out: changes, file contents and names, as git has them.
//!
//! Nothing that a repository configures is ever run: no hook, no filter command, no textconv, no external diff. Only a fetch
//! and the record of seen heads write to a repository, and only to diffsan's own refs. All functions block; callers use a blocking thread. libgit2 lists
//! differences and reads objects. Renames, context and conversions are implemented here and equal git's.

mod attributes;
mod between;
mod bounds;
mod change;
mod content;
mod error;
mod fetch;
mod files;
mod http;
mod ignores;
mod includes;
mod introduced;
mod layout;
mod line_history;
mod list;
mod names;
mod normalize;
mod open;
mod os_path;
mod own_files;
mod patterns;
mod read;
mod renames;
mod revisions;
mod sides;
mod similarity;
mod stacked;
mod status;
mod text;
mod tracking;
mod versions;
mod watch;
mod wildmatch;
mod worktree;

use std::path::{Path, PathBuf};

pub use change::ReadOptions;
pub use error::RepoError;
pub use fetch::FetchRequest;
pub use files::TrackedFile;
pub use http::{CredentialLookup, ServerToken, server_of};
pub use introduced::{LineOfCommit, VersionLine};
pub use line_history::{LineChange, LineHistory, MergeCommit};
pub use names::{BranchInfo, CommitInfo, LocalCounts};
pub use own_files::PathContent;
pub use revisions::ChangeCommit;
pub use sides::{SideNames, WorkFile};
pub use stacked::StackedBranch;
pub use tracking::Tracking;
pub use versions::{ComparedFiles, SeenHead, VersionCommits, VersionSize};
pub use watch::Watch;

/// An open repository.
pub struct Repo {
    git: git2::Repository,
    root: PathBuf,
    notice: Option<String>,
}

impl Repo {
    /// Opens the repository that contains `path`: a work tree (also a linked one), a `.git` folder or a bare repository.
    pub fn open(path: &Path) -> Result<Self, RepoError> {
        open::open(path).map(|opened| Self { root: open::root(&opened.git), git: opened.git, notice: opened.notice })
    }

    /// Returns why the work tree that the repository names is ignored, in words, or `None` if it is not ignored.
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// Returns the root of the work tree, or of the repository if it is bare.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns every folder whose content the repository determines: its root, its git folders, and the work trees that share
    /// them. Some may no longer exist.
    pub fn folders(&self) -> Vec<PathBuf> {
        let mut folders = vec![self.root.clone(), self.git.path().to_owned(), self.git.commondir().to_owned()];
        // The main work tree, as seen from a linked one.
        let common = self.git.commondir();
        folders.extend(common.parent().filter(|_| common.ends_with(".git")).map(Path::to_owned));
        let linked = self.git.worktrees();
        let names = linked.iter().flat_map(|names| names.iter().flatten().flatten());
        folders.extend(names.filter_map(|name| Some(self.git.find_worktree(name).ok()?.path().to_owned())));
        folders
    }

    /// Returns the name of the root folder, without `.git`.
    pub fn name(&self) -> String {
        let name = self.root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.strip_suffix(".git").filter(|rest| !rest.is_empty()).map(str::to_owned).unwrap_or(name)
    }
}
