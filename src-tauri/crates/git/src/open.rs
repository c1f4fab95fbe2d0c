//! Finds and opens repositories, and explains refusals.

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Once;

use git2::{ConfigLevel, ErrorCode, Repository, RepositoryOpenFlags};

use super::RepoError;
use super::layout::{Layout, WorkTree};

/// Repository extensions that do not matter for reading the existing objects.
const HARMLESS_EXTENSIONS: &[&str] = &["partialclone"];

/// An opened repository.
pub(super) struct Opened {
    pub(super) git: Repository,
    /// The reason why the work tree that the repository names is ignored.
    pub(super) notice: Option<String>,
}

/// Opens the repository that contains `path`.
pub(super) fn open(path: &Path) -> Result<Opened, RepoError> {
    set_up();
    super::bounds::check(path)?;
    let nowhere = || RepoError::NotARepository { path: path.to_owned() };
    let layout = Layout::find(path)?.ok_or_else(nowhere)?;
    let from = layout.entry.as_deref().unwrap_or(&layout.git);
    let vouched_for = LazyCell::new(|| is_vouched_for(&layout));
    let refused = |what: String| RepoError::LeadsOutside { path: layout.shown().to_owned(), what };
    if let Some(what) = layout.leads_outside()?
        && !*vouched_for
    {
        return Err(refused(what));
    }
    let git = open_here(from, RepositoryOpenFlags::NO_SEARCH).map_err(|error| explain(path, &error))?;
    if git.is_bare() && git.path().join("commondir").exists() {
        return Err(nowhere());
    }
    let settings = own_settings(&git).map_err(RepoError::read("reading the repository's settings"))?;
    for key in ["core.excludesfile", "core.attributesfile"] {
        if let Some(value) = settings.get(key)
            && !is_near(&layout, value)
            && !*vouched_for
        {
            return Err(refused(format!("its setting {key} names {value}")));
        }
    }
    let Some(claimed) = git.workdir().map(Path::to_owned) else { return Ok(Opened { git, notice: None }) };
    let named = settings.get("core.worktree").and_then(|value| layout.git.join(value).canonicalize().ok());
    let own = match claimed.canonicalize() {
        Ok(folder) => match layout.work_tree(&folder, named.as_deref())? {
            WorkTree::OneSided if *vouched_for => layout.entry.as_deref() == Some(&*folder),
            WorkTree::OneSided => {
                return Err(refused(format!(
                    "its `.git` points to {}, which does not refer back to it",
                    layout.git.display()
                )));
            }
            verdict => verdict == WorkTree::Own,
        },
        Err(_) => false,
    };
    if own {
        return Ok(Opened { git, notice: None });
    }
    let notice = format!(
        "its configured work tree, {}, does not have this repository as its `.git`, so it is opened without a work tree",
        claimed.components().collect::<PathBuf>().display()
    );
    let bare = open_bare(&layout.git).map_err(|error| explain(path, &error))?;
    Ok(Opened { git: bare, notice: Some(notice) })
}

/// Opens a repository again, for another thread.
pub(super) fn again(git: &Repository) -> Result<Repository, RepoError> {
    same(git.path(), git.workdir()).map_err(|error| explain(git.path(), &error))
}

/// Opens a repository that [`open`] opened, with the same work tree.
pub(super) fn same(git: &Path, work_tree: Option<&Path>) -> Result<Repository, git2::Error> {
    match work_tree {
        Some(folder) => open_here(folder, RepositoryOpenFlags::NO_SEARCH),
        None => open_bare(git),
    }
}

fn open_bare(git: &Path) -> Result<Repository, git2::Error> {
    use RepositoryOpenFlags as Flags;
    open_here(git, Flags::NO_SEARCH | Flags::NO_DOTGIT | Flags::BARE)
}

fn open_here(path: &Path, flags: RepositoryOpenFlags) -> Result<Repository, git2::Error> {
    // Without the flag `FROM_ENV`, environment variables (`GIT_DIR`, `GIT_WORK_TREE`, `GIT_OBJECT_DIRECTORY` …) are ignored.
    let nowhere: [&Path; 0] = [];
    Repository::open_ext(path, flags, nowhere)
}

/// Returns an error if a folder inside a work tree is a repository that must not be read.
pub(super) fn may_be_read(folder: &Path) -> Result<(), RepoError> {
    let is_folder = std::fs::symlink_metadata(folder).is_ok_and(|about| about.is_dir());
    if !is_folder || std::fs::symlink_metadata(folder.join(".git")).is_err() {
        return Ok(());
    }
    match open(folder)? {
        Opened { notice: Some(what), .. } => Err(RepoError::LeadsOutside { path: folder.to_owned(), what }),
        Opened { notice: None, .. } => Ok(()),
    }
}

/// Returns the last values of the repository's own settings, by lower-case key. The user's and the system's settings are ignored.
fn own_settings(git: &Repository) -> Result<BTreeMap<String, String>, git2::Error> {
    let mut found = BTreeMap::new();
    let config = git.config()?;
    let wanted = "^core\\.(worktree|excludesfile|attributesfile)$";
    config.entries(Some(wanted))?.for_each(|entry| {
        if let (ConfigLevel::Local | ConfigLevel::Worktree, Ok(name), Ok(value)) =
            (entry.level(), entry.name(), entry.value())
        {
            found.insert(name.to_ascii_lowercase(), value.to_owned());
        }
    })?;
    Ok(found)
}

/// Returns whether a file named by a setting is inside or near the repository. A file that does not exist is not read.
fn is_near(layout: &Layout, value: &str) -> bool {
    match layout.shown().join(value).canonicalize() {
        Ok(path) => layout.is_near(&path),
        Err(_) => value.is_empty() || !value.starts_with(['~', '%']),
    }
}

/// Returns whether the user's own settings trust this very repository: `safe.directory` with its folder, or with a folder above
/// it and `/*`. A bare `*` does not count, because it names no repository and is often set where everything belongs to another
/// user.
fn is_vouched_for(layout: &Layout) -> bool {
    let names = |value: &str| match value.strip_suffix("/*") {
        Some("") => false,
        Some(above) => layout.shown().starts_with(above),
        None => [layout.shown(), &layout.git].contains(&Path::new(value.trim_end_matches('/'))),
    };
    let Ok(config) = git2::Config::open_default() else { return false };
    let Ok(values) = config.multivar("safe.directory", None) else { return false };
    let mut vouched_for = false;
    let read = values.for_each(|entry| match entry.value() {
        // An empty value resets all values before it.
        Ok("") => vouched_for = false,
        Ok(value) => vouched_for |= names(value),
        Err(_) => {}
    });
    read.is_ok() && vouched_for
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

/// Returns the nearest folder with `.git`, starting at `path` and going up.
fn find_root(path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    path.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_owned)
}

/// Returns the root of the work tree, or the repository's folder if it is bare.
pub(super) fn root(git: &Repository) -> PathBuf {
    let path = git.workdir().unwrap_or_else(|| git.path());
    // Remove the trailing separator, so that the path has a file name.
    path.components().collect()
}

/// Applies libgit2 settings for the whole process.
fn set_up() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Git does not verify hashes on reading either; they are checked when objects are received.
        git2::opts::strict_hash_verification(false);
        allow_extensions();
        super::http::register();
    });
}

#[allow(
    unsafe_code,
    reason = "libgit2 opens partial clones only with this extension, which only an unsafe function adds"
)]
fn allow_extensions() {
    // SAFETY: the setting is global and unsynchronised. This runs once, under `Once`, before this room (the only one
    // that uses the library) opens its first repository.
    // If it fails, partial clones are refused.
    let _ = unsafe { git2::opts::set_extensions(HARMLESS_EXTENSIONS) };
}
