//! Checks the files of a repository's git folder before libgit2 opens them, because libgit2 blocks on pipes and reads files of
//! any size whole.
//!
//! In: a path in a repository. Out: nothing, or an error that names the file. The checks cover names, kinds and sizes, and the
//! settings files with the files that they include. They cover neither single objects (`objects/00` to `objects/ff`) nor changes
//! that another process makes afterwards.

use std::collections::HashSet;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use super::RepoError;
use super::includes;

/// The maximum size of settings, `HEAD`, single refs and other small files, in bytes.
const MAX_SMALL: u64 = 1 << 20;
/// The maximum size of lists (packed refs, shallow commits, alternates), in bytes.
const MAX_LIST: u64 = 512 << 20;
/// The maximum size of the index, which is read whole, in bytes.
const MAX_INDEX: u64 = 1 << 30;
/// The maximum size of packs and their indices, which are mapped, in bytes.
const MAX_PACK: u64 = 1 << 40;
/// The maximum nesting of included settings files; libgit2's own limit.
const MAX_DEPTH: usize = 10;
/// The maximum number of stars in a condition of an include. libgit2 matches it in exponential time.
const MAX_STARS: usize = 8;
/// The maximum number of names that are checked below `refs` and in the folders of packs.
const MAX_NAMES: usize = 1_000_000;

/// Checks the repository that contains `path`. Does nothing if there is none.
pub(super) fn check(path: &Path) -> Result<(), RepoError> {
    let Ok(path) = path.canonicalize() else { return Ok(()) };
    match path.ancestors().find_map(git_folder) {
        Some(found) => check_folder(&found?),
        None => Ok(()),
    }
}

/// Returns the git folder of the repository whose root is this folder, or `None` if it is not a root.
fn git_folder(folder: &Path) -> Option<Result<PathBuf, RepoError>> {
    let marker = folder.join(".git");
    match fs::metadata(&marker) {
        Ok(about) if about.is_dir() => Some(Ok(marker)),
        Ok(_) => Some(pointer(&marker, folder)),
        Err(_) => {
            ["HEAD", "objects", "refs"].iter().all(|name| folder.join(name).exists()).then(|| Ok(folder.to_owned()))
        }
    }
}

/// Reads a file that names a folder: `.git` of a linked work tree, `commondir`.
fn pointer(file: &Path, from: &Path) -> Result<PathBuf, RepoError> {
    let text = diffsan_bounded::read(file, MAX_SMALL).map_err(|error| refused(file, &error.to_string()))?;
    let text = String::from_utf8_lossy(&text);
    let text = text.trim_end_matches(['\n', '\r']);
    Ok(from.join(text.strip_prefix("gitdir:").map_or(text, str::trim_start)))
}

fn check_folder(git: &Path) -> Result<(), RepoError> {
    let common_file = git.join("commondir");
    let common = if common_file.exists() { pointer(&common_file, git)? } else { git.to_owned() };
    let mut left = MAX_NAMES;
    for folder in [git, &common] {
        check_top(folder, &mut left)?;
        check_tree(&folder.join("refs"), &|_| MAX_SMALL, &mut left)?;
        for settings in ["config", "config.worktree"] {
            check_settings(&folder.join(settings), 0, &mut HashSet::new())?;
        }
        if git == common {
            break;
        }
    }
    check_tree(&common.join("info"), &|_| MAX_LIST, &mut left)?;
    check_objects(&common.join("objects"), &mut left)
}

/// Checks the files directly in the folder.
fn check_top(folder: &Path, left: &mut usize) -> Result<(), RepoError> {
    each(folder, left, &mut |path, about| {
        if about.is_dir() {
            return Ok(());
        }
        let max = match path.file_name().and_then(|name| name.to_str()) {
            Some("index") => MAX_INDEX,
            Some("packed-refs" | "shallow" | "FETCH_HEAD") => MAX_LIST,
            Some("HEAD" | "ORIG_HEAD" | "config" | "config.worktree" | "commondir" | "gitdir") => MAX_SMALL,
            // Git's file system monitor has a socket here; opening it fails at once. Files with unknown names are not read.
            _ if is_socket(about) => return Ok(()),
            _ => u64::MAX,
        };
        check_file(path, about, max)
    })
}

/// Checks the packs, their indices and the commit graph, but not single objects.
fn check_objects(objects: &Path, left: &mut usize) -> Result<(), RepoError> {
    let of_info = |path: &Path| if path.ends_with("alternates") { MAX_LIST } else { MAX_PACK };
    check_tree(&objects.join("info"), &of_info, left)?;
    check_tree(&objects.join("pack"), &|_| MAX_PACK, left)
}

/// Checks all files below a folder.
fn check_tree(folder: &Path, max: &dyn Fn(&Path) -> u64, left: &mut usize) -> Result<(), RepoError> {
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        each(&folder, left, &mut |path, about| match about.is_dir() {
            true => {
                // A link to a folder could form a cycle, and libgit2 does not follow it either.
                if !path.is_symlink() {
                    open.push(path.to_owned());
                }
                Ok(())
            }
            false => check_file(path, about, max(path)),
        })?;
    }
    Ok(())
}

fn each(
    folder: &Path,
    left: &mut usize,
    look: &mut dyn FnMut(&Path, &Metadata) -> Result<(), RepoError>,
) -> Result<(), RepoError> {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        *left = left.checked_sub(1).ok_or_else(|| {
            refused(
                folder,
                &format!("it has more than {MAX_NAMES} files; git pack-refs --all and git gc reduce the number"),
            )
        })?;
        // For a link, check its target. A dangling link is not opened.
        if let Ok(about) = fs::metadata(entry.path()) {
            look(&entry.path(), &about)?;
        }
    }
    Ok(())
}

fn check_file(path: &Path, about: &Metadata, max: u64) -> Result<(), RepoError> {
    let checked = diffsan_bounded::check_kind(about).and_then(|()| diffsan_bounded::check_size(about.len(), max));
    checked.map_err(|error| refused(path, &error.to_string()))
}

#[cfg(unix)]
fn is_socket(about: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    about.file_type().is_socket()
}

#[cfg(not(unix))]
fn is_socket(_: &Metadata) -> bool {
    false
}

/// Checks a settings file and the files that it includes.
fn check_settings(file: &Path, depth: usize, seen: &mut HashSet<PathBuf>) -> Result<(), RepoError> {
    // libgit2 does not follow deeper includes either.
    if depth > MAX_DEPTH || !seen.insert(file.to_owned()) {
        return Ok(());
    }
    match fs::metadata(file) {
        Ok(about) if !about.is_dir() => check_file(file, &about, MAX_SMALL)?,
        _ => return Ok(()),
    }
    let text = diffsan_bounded::read(file, MAX_SMALL).map_err(|error| refused(file, &error.to_string()))?;
    let text = String::from_utf8_lossy(&text);
    if let Some(condition) = includes::conditions(&text).iter().find(|condition| stars(condition) > MAX_STARS) {
        let why = format!("its condition [includeIf \"{condition}\"] has more than {MAX_STARS} stars");
        return Err(refused(file, &why));
    }
    let folder = file.parent().unwrap_or(file);
    for included in includes::named_in(&text) {
        // A path that is not written literally is only checked if it starts with the home folder; other such paths lead outside and are
        // refused.
        let home = included.text.trim_matches('"').strip_prefix("~/").zip(std::env::var_os("HOME"));
        let included = match (included.path, home) {
            (Some(path), _) => folder.join(path),
            (None, Some((rest, home))) => PathBuf::from(home).join(rest),
            (None, None) => continue,
        };
        check_settings(&included, depth + 1, seen)?;
    }
    Ok(())
}

fn stars(text: &str) -> usize {
    text.bytes().filter(|&byte| byte == b'*').count()
}

fn refused(path: &Path, why: &str) -> RepoError {
    RepoError::NotRead { path: path.to_owned(), why: why.to_owned() }
}
