//! Finding and opening a repository, with refusals in plain words.

use std::path::{Path, PathBuf};
use std::sync::Once;

use git2::{ErrorCode, Repository, RepositoryOpenFlags};

use super::RepoError;

/// Extensions that change nothing for a reader of objects that are there.
const HARMLESS_EXTENSIONS: &[&str] = &["partialclone"];

/// Opens the repository that `path` is in.
pub(super) fn open(path: &Path) -> Result<Repository, RepoError> {
    set_up();
    super::bounds::check(path)?;
    let nowhere: [&Path; 0] = [];
    let git =
        Repository::open_ext(path, RepositoryOpenFlags::empty(), nowhere).map_err(|error| explain(path, &error))?;
    if git.is_bare() && git.path().join("commondir").exists() {
        return Err(RepoError::NotARepository { path: path.to_owned() });
    }
    Ok(git)
}

/// Opens it once more, for another thread.
pub(super) fn again(git: &Repository) -> Result<Repository, RepoError> {
    Repository::open(git.path()).map_err(|error| explain(git.path(), &error))
}

fn explain(path: &Path, error: &git2::Error) -> RepoError {
    let path = path.to_owned();
    let message = error.message();
    if error.code() == ErrorCode::NotFound {
        RepoError::NotARepository { path }
    } else if error.code() == ErrorCode::Owner {
        let path = find_root(&path).unwrap_or(path);
        RepoError::Refused { path }
    } else if message.contains("object format") || message.contains("objectformat") {
        RepoError::Unsupported { path, what: format!("its object format is not SHA-1 ({message})") }
    } else {
        RepoError::Unsupported { path, what: message.to_owned() }
    }
}

/// The folder with `.git` at or above `path`.
fn find_root(path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    path.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_owned)
}

/// The work tree's root, or the repository itself.
pub(super) fn root(git: &Repository) -> PathBuf {
    let path = git.workdir().unwrap_or_else(|| git.path());
    // Without the final separator, so that it has a name.
    path.components().collect()
}

/// Settings of the library that hold for the whole process.
fn set_up() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Git does not hash what it reads either; the hash is checked when objects arrive.
        git2::opts::strict_hash_verification(false);
        allow_extensions();
    });
}

#[allow(unsafe_code, reason = "libgit2 refuses partial clones unless told, and only an unsafe function tells it")]
fn allow_extensions() {
    // SAFETY: the setting is global and unsynchronised. This runs once, under `Once`, before this room (the only one
    // that uses the library) opens its first repository.
    let _ = unsafe { git2::opts::set_extensions(HARMLESS_EXTENSIONS) };
}
