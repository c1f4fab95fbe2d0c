//! Locates the parts of a repository and checks whether they belong to it. In: a path. Out: the repository's folders, and a
//! description of anything that leads outside. Sizes and contents of the parts inside are not checked here.
//!
//! A repository may come from somebody's archive, with any `.git`. Links, `.git` files, `commondir` and `alternates` could
//! present the objects or files of another folder as its own, and send them to an agent. A folder outside is accepted only if it
//! names the repository back, which requires write access there.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::RepoError;
use super::includes;

/// The maximum size of a file that names another path, in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// The maximum number of settings files that a repository includes.
const MAX_INCLUDED: usize = 100;
/// Entries of a git folder that are read. None of them may lead outside.
const READ: &[&str] = &[
    "HEAD",
    "FETCH_HEAD",
    "commondir",
    "config",
    "config.worktree",
    "gitdir",
    "index",
    "info",
    "logs",
    "modules",
    "objects",
    "packed-refs",
    "refs",
    "shallow",
    "worktrees",
];
/// Folders whose entries must not be links to the outside either, and the depth of the check.
const FOLDERS: &[(&str, usize)] =
    &[("info", 1), ("objects", 1), ("objects/info", 1), ("objects/pack", 1), ("refs", 2), ("refs/diffsan", 3)];

/// The folders of a repository, without symbolic links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// The git folder: `.git`, or the folder of one linked work tree.
    pub(super) git: PathBuf,
    /// The folder that linked work trees share. Equals `git` without linked work trees.
    pub(super) common: PathBuf,
    /// The folder whose entry `.git` led here. `None` if the path was inside `git` itself.
    pub(super) entry: Option<PathBuf>,
}

/// Whether a folder is the work tree of a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WorkTree {
    /// The folder is the work tree.
    Own,
    /// The folder is not the work tree: the repository has no work tree here.
    Foreign,
    /// The opened folder names a repository that does not name the folder.
    OneSided,
}

impl Layout {
    /// Finds the repository that contains `path` as git does: upwards, within one file system.
    pub(super) fn find(path: &Path) -> Result<Option<Self>, RepoError> {
        let Ok(start) = path.canonicalize() else { return Ok(None) };
        for folder in start.ancestors().take_while(|folder| same_device(&start, folder)) {
            match Self::of_entry(folder)? {
                Entry::Repository(layout) => return Ok(Some(layout)),
                Entry::Broken => return Ok(None),
                Entry::None => {}
            }
            if let Some(common) = common_of(folder)? {
                return Ok(Some(Self { git: folder.to_owned(), common, entry: None }));
            }
        }
        Ok(None)
    }

    /// Returns the repository that the entry `.git` of a folder leads to. The folder must not contain symbolic links.
    fn of_entry(folder: &Path) -> Result<Entry, RepoError> {
        let dot = folder.join(".git");
        let Ok(about) = fs::metadata(&dot) else { return Ok(Entry::None) };
        let git = if about.is_dir() {
            dot.canonicalize().ok()
        } else if about.is_file() {
            let text = line_of(&dot)?;
            let named = text.strip_prefix("gitdir:").map(|named| folder.join(named.trim()));
            match named.and_then(|named| named.canonicalize().ok()) {
                Some(git) => Some(git),
                None => return Ok(Entry::Broken),
            }
        } else {
            None
        };
        let Some(git) = git else { return Ok(Entry::None) };
        match common_of(&git)? {
            Some(common) => Ok(Entry::Repository(Self { git, common, entry: Some(folder.to_owned()) })),
            None if about.is_file() => Ok(Entry::Broken),
            None => Ok(Entry::None),
        }
    }

    /// Describes the first part that leads outside, or returns `None` if there is none. Does not load the settings.
    pub(super) fn leads_outside(&self) -> Result<Option<String>, RepoError> {
        if self.common != self.git && self.git.parent() != Some(&self.common.join("worktrees")) {
            return Ok(Some(format!(
                "its `commondir` names {}, which does not list this work tree",
                self.common.display()
            )));
        }
        if let Some((link, target)) = self.links().into_iter().find(|(_, target)| !self.is_inside(target)) {
            return Ok(Some(format!("{} is a link to {}", link.display(), target.display())));
        }
        if let Some(what) = self.alternates()? {
            return Ok(Some(what));
        }
        for file in [self.common.join("config"), self.git.join("config.worktree")] {
            if let Some(what) = self.includes(&file)? {
                return Ok(Some(what));
            }
        }
        Ok(None)
    }

    /// Returns whether a path (without symbolic links) is inside the repository.
    fn is_inside(&self, path: &Path) -> bool {
        path.starts_with(&self.git) || path.starts_with(&self.common)
    }

    /// Returns whether a path is inside the repository or its parent folder, and so may have come with the repository.
    pub(super) fn is_near(&self, path: &Path) -> bool {
        let around = [&self.git, &self.common].map(|git| git.parent().filter(|_| git.ends_with(".git")));
        self.is_inside(path)
            || around.into_iter().flatten().chain(self.entry.as_deref()).any(|folder| path.starts_with(folder))
    }

    /// Returns the symbolic links among the entries that are read, with their targets.
    fn links(&self) -> Vec<(PathBuf, PathBuf)> {
        let mut found = Vec::new();
        for root in BTreeSet::from([&self.git, &self.common]) {
            found.extend(READ.iter().map(|name| root.join(name)).filter(|path| path.is_symlink()));
            for (name, depth) in FOLDERS {
                links_below(&root.join(name), *depth, &mut found);
            }
        }
        // A dangling link is not read.
        found.into_iter().filter_map(|link| Some((link.clone(), link.canonicalize().ok()?))).collect()
    }

    /// Returns the first object folder outside that objects are borrowed from, directly or through one inside.
    fn alternates(&self) -> Result<Option<String>, RepoError> {
        let mut open = vec![self.common.join("objects")];
        let mut seen = BTreeSet::new();
        while let Some(objects) = open.pop() {
            let file = objects.join("info/alternates");
            if !seen.insert(objects.clone()) || !file.exists() {
                continue;
            }
            let text = text_of(&file)?;
            for line in text.split(['\r', '\n']).filter(|line| !line.is_empty() && !line.starts_with('#')) {
                let target = objects.join(line);
                // libgit2 resolves other relative paths from the working directory of the program.
                let clear = line.starts_with('.') || Path::new(line).is_absolute();
                match resolved(&target) {
                    Resolved::Missing if clear => {}
                    Resolved::Path(target) if clear && self.is_inside(&target) => open.push(target),
                    _ => {
                        let (file, target) = (file.display(), target.display());
                        return Ok(Some(format!("{file} uses the objects of {target}")));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Returns the first file outside that a settings file includes, directly or through one inside.
    fn includes(&self, first: &Path) -> Result<Option<String>, RepoError> {
        let mut open = vec![first.to_owned()];
        let mut seen = BTreeSet::new();
        while let Some(file) = open.pop() {
            if !seen.insert(file.clone()) || !file.exists() {
                continue;
            }
            for named in includes::named_in(&text_of(&file)?) {
                let path = named.path.map(|path| file.parent().unwrap_or(&self.git).join(path));
                match path.as_deref().map(resolved) {
                    Some(Resolved::Missing) => {}
                    // Use the unresolved path, because relative includes in that file are resolved from the folder of the link.
                    Some(Resolved::Path(target)) if self.is_near(&target) && seen.len() < MAX_INCLUDED => {
                        open.extend(path);
                    }
                    _ => return Ok(Some(format!("{} includes {}", file.display(), named.text))),
                }
            }
        }
        Ok(None)
    }

    /// Returns whether `claimed` is the work tree. `named` is the repository's setting `core.worktree`. Both must not contain
    /// symbolic links.
    pub(super) fn work_tree(&self, claimed: &Path, named: Option<&Path>) -> Result<WorkTree, RepoError> {
        let folder = self.entry.as_deref().unwrap_or(claimed);
        match Self::of_entry(folder)? {
            Entry::Repository(found) if found.git == self.git => {}
            _ => return Ok(WorkTree::Foreign),
        }
        let lies_in = self.git.starts_with(folder);
        let names_back = match self.common == self.git {
            true => named == Some(folder),
            false => self.linked_from().is_some_and(|file| file == folder.join(".git")),
        };
        Ok(match (lies_in || names_back, claimed == folder) {
            (false, _) => WorkTree::OneSided,
            (true, true) => WorkTree::Own,
            (true, false) => WorkTree::Foreign,
        })
    }

    /// Returns the `.git` file of the linked work tree that this git folder belongs to.
    fn linked_from(&self) -> Option<PathBuf> {
        let file = self.git.join(line_of(&self.git.join("gitdir")).ok()?);
        Some(file.parent()?.canonicalize().ok()?.join(file.file_name()?))
    }

    /// Returns the folder that is shown to the user.
    pub(super) fn shown(&self) -> &Path {
        let around = self.git.parent().filter(|_| self.git.ends_with(".git"));
        self.entry.as_deref().or(around).unwrap_or(&self.git)
    }
}

/// The kind of a folder's entry `.git`.
enum Entry {
    Repository(Layout),
    /// A `.git` file that names no repository. Git stops the search there.
    Broken,
    None,
}

/// Returns the shared folder of the repository `git`, or `None` if it is not a repository.
fn common_of(git: &Path) -> Result<Option<PathBuf>, RepoError> {
    if !git.join("HEAD").exists() && !git.join("HEAD").is_symlink() {
        return Ok(None);
    }
    let file = git.join("commondir");
    let common = if file.exists() { git.join(line_of(&file)?).canonicalize().ok() } else { Some(git.to_owned()) };
    Ok(common.filter(|common| common.join("objects").is_dir() && common.join("refs").is_dir()))
}

/// The result of resolving a path.
enum Resolved {
    /// The resolved path, without symbolic links.
    Path(PathBuf),
    Missing,
    /// The path cannot be resolved, and libgit2 may read it differently.
    Unclear,
}

fn resolved(path: &Path) -> Resolved {
    // The path was not UTF-8, and invalid bytes were replaced.
    if path.to_string_lossy().contains('\u{fffd}') {
        return Resolved::Unclear;
    }
    match path.canonicalize() {
        Ok(path) => Resolved::Path(path),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Resolved::Missing,
        Err(_) => Resolved::Unclear,
    }
}

fn links_below(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_symlink() => found.push(entry.path()),
            Ok(kind) if kind.is_dir() && depth > 1 => links_below(&entry.path(), depth - 1, found),
            _ => {}
        }
    }
}

/// Reads a small file. Returns an error for anything other than a regular file, instead of blocking on it.
fn text_of(path: &Path) -> Result<String, RepoError> {
    let wrong = |what: String| RepoError::Unsupported { path: path.to_owned(), what };
    let about = fs::metadata(path).map_err(|error| wrong(error.to_string()))?;
    if !about.is_file() || about.len() > MAX_BYTES {
        return Err(wrong(format!("it is not a regular file of at most {MAX_BYTES} bytes")));
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(|error| wrong(error.to_string()))?;
    file.take(MAX_BYTES).read_to_end(&mut bytes).map_err(|error| wrong(error.to_string()))?;
    if bytes.contains(&0) {
        return Err(wrong("it contains a NUL byte".to_owned()));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads a file that contains one path.
fn line_of(path: &Path) -> Result<String, RepoError> {
    text_of(path).map(|text| text.trim_end().to_owned())
}

#[cfg(unix)]
fn same_device(one: &Path, two: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let device = |path: &Path| fs::metadata(path).ok().map(|about| about.dev());
    device(one) == device(two)
}

#[cfg(not(unix))]
fn same_device(_: &Path, _: &Path) -> bool {
    true
}
