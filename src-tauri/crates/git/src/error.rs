//! The errors of repositories, with messages that say how to resolve them.

use std::path::PathBuf;

/// The reason why a repository or a change cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RepoError {
    /// There is no repository here or in any parent folder.
    #[error("{} is not inside a git repository", path.display())]
    NotARepository {
        /// The path where the search started.
        path: PathBuf,
    },
    /// The repository belongs to another user, so its configuration is not read. Git refuses it as well.
    #[error("{} belongs to another user; if you trust that user, run: git config --global --add safe.directory '{}'", path.display(), path.display())]
    Refused {
        /// The path of the repository.
        path: PathBuf,
    },
    /// The repository refers to a place outside, whose content would appear to be its own.
    #[error("{} was not opened, because it refers to a place outside: {what}. If you trust the repository, run: git config --global --add safe.directory '{}'", path.display(), path.display())]
    LeadsOutside {
        /// The path of the repository.
        path: PathBuf,
        /// The description of the reference.
        what: String,
    },
    /// The repository uses a feature that this program does not support.
    #[error("{} cannot be read: {what}", path.display())]
    Unsupported {
        /// The path of the repository.
        path: PathBuf,
        /// The feature.
        what: String,
    },
    /// A file of the repository exceeds a limit or is not a regular file.
    #[error("{} was not read: {why}", path.display())]
    NotRead {
        /// The path of the file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// A revision that does not exist.
    #[error("unknown revision `{name}`{}", hint(nearest))]
    UnknownRevision {
        /// The revision as given.
        name: String,
        /// The branch, remote branch or tag with the most similar name.
        nearest: Option<String>,
    },
    /// Two commits have no common ancestor.
    #[error("`{one}` and `{two}` have no common commit{}", if *shallow { "; this clone is shallow, run: git fetch --unshallow" } else { "" })]
    NoMergeBase {
        /// The revision of one side.
        one: String,
        /// The revision of the other side.
        two: String,
        /// Whether the clone is shallow.
        shallow: bool,
    },
    /// There is no default branch to compare a branch with.
    #[error("there is no default branch to compare with (origin/HEAD, main or master)")]
    NoDefaultBranch,
    /// The current branch has no commits.
    #[error("the branch has no commits yet")]
    Unborn,
    /// Local changes were requested in a bare repository.
    #[error("{} is bare: it has no work tree and no local changes{}", path.display(), why.as_ref().map(|why| format!("; {why}")).unwrap_or_default())]
    NoWorkTree {
        /// The path of the repository.
        path: PathBuf,
        /// The reason why the work tree that the repository names is ignored.
        why: Option<String>,
    },
    /// The target is a patch, which is not read from a repository.
    #[error("a patch file is not read from a repository")]
    Patch,
    /// An object or file cannot be read.
    #[error("{doing}: {message}")]
    Read {
        /// The operation that failed.
        doing: String,
        /// The message of libgit2.
        message: String,
    },
}

fn hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

impl RepoError {
    /// Converts an error of libgit2, adding the operation that failed.
    pub(super) fn read(doing: impl Into<String>) -> impl FnOnce(git2::Error) -> Self {
        move |error| Self::Read { doing: doing.into(), message: error.message().to_owned() }
    }
}
