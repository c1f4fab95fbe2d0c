//! Where the parts of a repository lie, and whether they belong to it. In: a path. Out: the repository's folder, and a sentence about what
//! leads outside. Sizes and contents of what lies inside are not judged here.
//!
//! A repository may have been unpacked from somebody's archive, with any `.git`. Links, `.git` files, `commondir` and `alternates` could make
//! the objects or files of another folder look like its own, and be sent to an agent. A folder outside counts only where it names the
//! repository back, which nobody can do without writing there.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::RepoError;
use super::includes;

/// Files that name another place are a few lines.
const MAX_BYTES: u64 = 1 << 20;
/// Settings files that one repository includes.
const MAX_INCLUDED: usize = 100;
/// Entries of a repository that are read, and through which nothing outside may be reached.
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
/// Folders whose entries may not be links to outside either, and how deep.
const FOLDERS: &[(&str, usize)] =
    &[("info", 1), ("objects", 1), ("objects/info", 1), ("objects/pack", 1), ("refs", 2), ("refs/diffsan", 3)];

/// The folders of a repository, all without symbolic links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// The repository's own folder: `.git`, or that of one linked work tree.
    pub(super) git: PathBuf,
    /// The folder that linked work trees share; the same as `git` without one.
    pub(super) common: PathBuf,
    /// The folder whose entry `.git` led here. None where the path was inside `git` itself.
    pub(super) entry: Option<PathBuf>,
}

/// Whether a folder is the work tree of a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WorkTree {
    /// It is.
    Own,
    /// It is not: the repository has no work tree here.
    Foreign,
    /// The folder that was opened names a repository which does not name it.
    OneSided,
}

impl Layout {
    /// The repository that `path` is in, searched as git does: upwards, on one file system.
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

    /// The repository that the entry `.git` of a folder (without symbolic links) leads to.
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

    /// What leads outside, in words; none if nothing does. The settings are not loaded for that.
    pub(super) fn leads_outside(&self) -> Result<Option<String>, RepoError> {
        if self.common != self.git && self.git.parent() != Some(&self.common.join("worktrees")) {
            return Ok(Some(format!("its `commondir` names {}, which has no such work tree", self.common.display())));
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

    /// Whether a path (without symbolic links) lies in the repository.
    fn is_inside(&self, path: &Path) -> bool {
        path.starts_with(&self.git) || path.starts_with(&self.common)
    }

    /// Whether a path lies in the repository or in the folder that it lies in, from which it may have come.
    pub(super) fn is_near(&self, path: &Path) -> bool {
        let around = [&self.git, &self.common].map(|git| git.parent().filter(|_| git.ends_with(".git")));
        self.is_inside(path)
            || around.into_iter().flatten().chain(self.entry.as_deref()).any(|folder| path.starts_with(folder))
    }

    /// The symbolic links among what is read, with where they lead.
    fn links(&self) -> Vec<(PathBuf, PathBuf)> {
        let mut found = Vec::new();
        for root in BTreeSet::from([&self.git, &self.common]) {
            found.extend(READ.iter().map(|name| root.join(name)).filter(|path| path.is_symlink()));
            for (name, depth) in FOLDERS {
                links_below(&root.join(name), *depth, &mut found);
            }
        }
        // A link that leads nowhere is not read.
        found.into_iter().filter_map(|link| Some((link.clone(), link.canonicalize().ok()?))).collect()
    }

    /// The first object folder outside that objects are borrowed from, also by way of one inside.
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
                // libgit2 reads other relative paths from the folder that the program was started in.
                let clear = line.starts_with('.') || Path::new(line).is_absolute();
                match resolved(&target) {
                    Resolved::Missing if clear => {}
                    Resolved::Path(target) if clear && self.is_inside(&target) => open.push(target),
                    _ => {
                        let (file, target) = (file.display(), target.display());
                        return Ok(Some(format!("{file} borrows the objects of {target}")));
                    }
                }
            }
        }
        Ok(None)
    }

    /// The first file outside that a settings file includes, also by way of one inside.
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
                    // Not the resolved path: what that file includes is read from the folder of the link.
                    Some(Resolved::Path(target)) if self.is_near(&target) && seen.len() < MAX_INCLUDED => {
                        open.extend(path);
                    }
                    _ => return Ok(Some(format!("{} includes {}", file.display(), named.text))),
                }
            }
        }
        Ok(None)
    }

    /// Whether `claimed` is the work tree. `named` is the repository's setting `core.worktree`; both are without symbolic links.
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

    /// The `.git` file of the linked work tree whose folder this is.
    fn linked_from(&self) -> Option<PathBuf> {
        let file = self.git.join(line_of(&self.git.join("gitdir")).ok()?);
        Some(file.parent()?.canonicalize().ok()?.join(file.file_name()?))
    }

    /// The folder that is named to the user.
    pub(super) fn shown(&self) -> &Path {
        let around = self.git.parent().filter(|_| self.git.ends_with(".git"));
        self.entry.as_deref().or(around).unwrap_or(&self.git)
    }
}

/// What the entry `.git` of a folder is.
enum Entry {
    Repository(Layout),
    /// A `.git` file that names no repository: git looks no further.
    Broken,
    None,
}

/// The shared folder of the repository `git`; none if it is no repository.
fn common_of(git: &Path) -> Result<Option<PathBuf>, RepoError> {
    if !git.join("HEAD").exists() && !git.join("HEAD").is_symlink() {
        return Ok(None);
    }
    let file = git.join("commondir");
    let common = if file.exists() { git.join(line_of(&file)?).canonicalize().ok() } else { Some(git.to_owned()) };
    Ok(common.filter(|common| common.join("objects").is_dir() && common.join("refs").is_dir()))
}

/// Where a path leads.
enum Resolved {
    /// To this path, which has no symbolic links.
    Path(PathBuf),
    Missing,
    /// It cannot be resolved; libgit2 may read it differently.
    Unclear,
}

fn resolved(path: &Path) -> Resolved {
    // Bytes that are no text were replaced.
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

/// A small file's text. What is no regular file is not waited for.
fn text_of(path: &Path) -> Result<String, RepoError> {
    let wrong = |what: String| RepoError::Unsupported { path: path.to_owned(), what };
    let about = fs::metadata(path).map_err(|error| wrong(error.to_string()))?;
    if !about.is_file() || about.len() > MAX_BYTES {
        return Err(wrong(format!("it is no regular file of at most {MAX_BYTES} bytes")));
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(|error| wrong(error.to_string()))?;
    file.take(MAX_BYTES).read_to_end(&mut bytes).map_err(|error| wrong(error.to_string()))?;
    if bytes.contains(&0) {
        return Err(wrong("it has a NUL byte".to_owned()));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The text of a file that names one path.
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
