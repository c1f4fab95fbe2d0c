//! What can go wrong with a repository, in words that say what to do.

use std::path::PathBuf;

/// Why a repository or a change in it cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RepoError {
    /// No repository here or in any folder above.
    #[error("{} is not inside a git repository", path.display())]
    NotARepository {
        /// Where the search started.
        path: PathBuf,
    },
    /// It belongs to someone else, so its configuration is not read, as git itself would refuse.
    #[error("{} belongs to another user; if you trust it: git config --global --add safe.directory '{}'", path.display(), path.display())]
    Refused {
        /// The repository.
        path: PathBuf,
    },
    /// It names a place outside, whose content would look like its own.
    #[error("{} is not read, because {what}, outside of it; if you trust it: git config --global --add safe.directory '{}'", path.display(), path.display())]
    LeadsOutside {
        /// The repository.
        path: PathBuf,
        /// What leads where.
        what: String,
    },
    /// It uses something that this program cannot read.
    #[error("{} cannot be read: {what}", path.display())]
    Unsupported {
        /// The repository.
        path: PathBuf,
        /// What it uses.
        what: String,
    },
    /// A file that the repository would make this program read without end.
    #[error("{} is not read: {why}", path.display())]
    NotRead {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A name that no commit has.
    #[error("unknown revision `{name}`{}", hint(nearest))]
    UnknownRevision {
        /// As it was given.
        name: String,
        /// The branch, remote branch or tag that looks most like it.
        nearest: Option<String>,
    },
    /// Two commits without a common one.
    #[error("`{one}` and `{two}` have no common commit{}", if *shallow { "; this clone is shallow: git fetch --unshallow" } else { "" })]
    NoMergeBase {
        /// One side.
        one: String,
        /// The other side.
        two: String,
        /// Whether the history is cut off.
        shallow: bool,
    },
    /// Nothing to compare a branch with.
    #[error("there is no default branch (origin/HEAD, main or master) to compare with; name one")]
    NoDefaultBranch,
    /// A branch without commits.
    #[error("there is no commit yet")]
    Unborn,
    /// Local changes of a bare repository.
    #[error("{} is bare: it has no work tree and no local changes{}", path.display(), why.as_ref().map(|why| format!("; {why}")).unwrap_or_default())]
    NoWorkTree {
        /// The repository.
        path: PathBuf,
        /// Why the work tree that it names does not count.
        why: Option<String>,
    },
    /// A patch is not read from a repository.
    #[error("a patch is not a change of a repository")]
    Patch,
    /// An object or file that cannot be read.
    #[error("{doing}: {message}")]
    Read {
        /// What was being done.
        doing: String,
        /// What the library said.
        message: String,
    },
}

fn hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

impl RepoError {
    /// An error of the library, with what was being done.
    pub(super) fn read(doing: impl Into<String>) -> impl FnOnce(git2::Error) -> Self {
        move |error| Self::Read { doing: doing.into(), message: error.message().to_owned() }
    }
}
