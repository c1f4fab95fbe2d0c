//! Decides which untracked files are ignored, from `.gitignore` of each folder, `info/exclude` and `core.excludesFile`.
//!
//! In: the files of the repository, paths. Out: whether a path is ignored, as by `git check-ignore --no-index`. libgit2 is not
//! used: it takes exponential time for some patterns and blocks on pipes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::patterns::Pattern;
use super::{Repo, RepoError, list, worktree};

/// The maximum size of a file of patterns in bytes. A larger file is refused.
const MAX_FILE: u64 = 4 << 20;
/// The maximum cost of matching all patterns with all paths, in steps of some nanoseconds.
const MAX_WORK: u64 = 5_000_000_000;
/// The name of the ignore file of a folder.
pub(super) const NAME: &[u8] = b".gitignore";

/// A line of an ignore file.
struct Rule {
    pattern: Pattern,
    /// Whether the pattern starts with `!` and so includes a path again.
    negative: bool,
}

/// The rules of one file.
#[derive(Default)]
pub(super) struct IgnoreFile(Vec<Rule>);

impl IgnoreFile {
    fn parse(text: &[u8], ignore_case: bool) -> Self {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let rules = text.split(|&byte| byte == b'\n').filter_map(|line| {
            if line.first() == Some(&b'#') {
                return None;
            }
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let line = line.split(|&byte| byte == 0).next().unwrap_or_default();
            let line = without_trailing_spaces(line);
            let (line, negative) = line.strip_prefix(b"!").map_or((line, false), |rest| (rest, true));
            Some(Rule { pattern: Pattern::new(line, ignore_case)?, negative })
        });
        Self(rules.collect())
    }

    /// Returns whether a path relative to the file's folder is ignored, or `None` if no rule matches it.
    fn verdict(&self, path: &[u8], is_folder: bool) -> Option<bool> {
        let last = self.0.iter().rev().find(|rule| rule.pattern.matches_kind(path, is_folder));
        last.map(|rule| !rule.negative)
    }

    fn cost(&self, path: usize) -> u64 {
        self.0.iter().map(|rule| rule.pattern.cost(path)).sum()
    }
}

/// Removes trailing spaces, except those that are escaped with a backslash.
fn without_trailing_spaces(line: &[u8]) -> &[u8] {
    let mut spaces = None;
    let mut at = 0;
    while let Some(&byte) = line.get(at) {
        match byte {
            b' ' => spaces = spaces.or(Some(at)),
            b'\\' => {
                at += 1;
                if at == line.len() {
                    return line;
                }
                spaces = None;
            }
            _ => spaces = None,
        }
        at += 1;
    }
    &line[..spaces.unwrap_or(line.len())]
}

/// The rules of a work tree. A file is read when a path below its folder is first checked.
pub(super) struct Ignores<'a> {
    repo: &'a Repo,
    /// The rules of `info/exclude`, then of the user's own file.
    general: Vec<IgnoreFile>,
    folders: HashMap<Vec<u8>, Rc<IgnoreFile>>,
    work: u64,
}

impl<'a> Ignores<'a> {
    pub(super) fn new(repo: &'a Repo) -> Result<Self, RepoError> {
        let exclude = repo.git.commondir().join("info/exclude");
        let places = std::iter::once(exclude).chain(excludes_file(&repo.git));
        let general = places.map(|path| read(repo, &path)).collect::<Result<_, _>>()?;
        Ok(Self { repo, general, folders: HashMap::new(), work: 0 })
    }

    /// Returns whether a path is ignored, given that its folder is not.
    pub(super) fn is_ignored(&mut self, path: &[u8], is_folder: bool) -> Result<bool, RepoError> {
        let slashes = path.iter().enumerate().filter(|&(_, &byte)| byte == b'/').map(|(at, _)| at);
        let mut folders: Vec<usize> = slashes.collect();
        // The file of the deepest folder has precedence.
        folders.reverse();
        for end in folders.into_iter().map(Some).chain([None]) {
            let (folder, inside) = end.map_or((&path[..0], path), |at| (&path[..at], &path[at + 1..]));
            let file = self.of_folder(folder)?;
            self.spend(file.cost(inside.len()))?;
            if let Some(verdict) = file.verdict(inside, is_folder) {
                return Ok(verdict);
            }
        }
        self.spend(self.general.iter().map(|file| file.cost(path.len())).sum())?;
        Ok(self.general.iter().find_map(|file| file.verdict(path, is_folder)).unwrap_or(false))
    }

    /// Returns whether a path or a folder above it is ignored.
    pub(super) fn is_ignored_anywhere(&mut self, path: &[u8], is_folder: bool) -> Result<bool, RepoError> {
        let above = path.iter().enumerate().filter(|&(_, &byte)| byte == b'/').map(|(at, _)| &path[..at]);
        for folder in above {
            if self.is_ignored(folder, true)? {
                return Ok(true);
            }
        }
        self.is_ignored(path, is_folder)
    }

    fn of_folder(&mut self, folder: &[u8]) -> Result<Rc<IgnoreFile>, RepoError> {
        if let Some(known) = self.folders.get(folder) {
            return Ok(Rc::clone(known));
        }
        let path = if folder.is_empty() { NAME.to_vec() } else { [folder, b"/", NAME].concat() };
        let file = match worktree::read(&self.repo.root, &path, MAX_FILE) {
            // A link is not followed, as in git.
            Ok(None | Some((list::SYMLINK, _))) => IgnoreFile::default(),
            Ok(Some((_, text))) => IgnoreFile::parse(&text, self.repo.ignores_case()),
            // Git also skips a folder that it cannot access.
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => IgnoreFile::default(),
            Err(error) => return Err(refused(self.repo.root.join(&*String::from_utf8_lossy(&path)), &error)),
        };
        Ok(Rc::clone(self.folders.entry(folder.to_vec()).or_insert(Rc::new(file))))
    }

    fn spend(&mut self, cost: u64) -> Result<(), RepoError> {
        self.work = self.work.saturating_add(cost);
        if self.work <= MAX_WORK {
            return Ok(());
        }
        Err(RepoError::NotRead {
            path: self.repo.root.join(".gitignore"),
            why: "it and the .gitignore files below it have too many patterns for this number of files".to_owned(),
        })
    }
}

fn refused(path: PathBuf, error: &std::io::Error) -> RepoError {
    RepoError::NotRead { path, why: error.to_string() }
}

/// Reads a file of patterns outside the work tree. The result is empty if there is no file.
fn read(repo: &Repo, path: &Path) -> Result<IgnoreFile, RepoError> {
    use std::io::ErrorKind::{IsADirectory, NotADirectory, NotFound, PermissionDenied};
    if path.is_dir() {
        return Ok(IgnoreFile::default());
    }
    match diffsan_bounded::read(path, MAX_FILE) {
        Ok(text) => Ok(IgnoreFile::parse(&text, repo.ignores_case())),
        Err(error) if matches!(error.kind(), NotFound | NotADirectory | IsADirectory | PermissionDenied) => {
            Ok(IgnoreFile::default())
        }
        Err(error) => Err(refused(path.to_owned(), &error)),
    }
}

/// Returns the path of the user's own file: `core.excludesFile`, or git's default.
fn excludes_file(git: &git2::Repository) -> Option<PathBuf> {
    let config = git.config().and_then(|mut config| config.snapshot());
    if let Ok(path) = config.and_then(|config| config.get_path("core.excludesfile")) {
        return Some(path);
    }
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = variable("XDG_CONFIG_HOME").or_else(|| Some(variable("HOME")?.join(".config")))?;
    Some(folder.join("git/ignore"))
}

impl Repo {
    /// Returns whether names that differ only in case are the same file (`core.ignoreCase`).
    pub(super) fn ignores_case(&self) -> bool {
        self.git.config().and_then(|config| config.get_bool("core.ignorecase")).unwrap_or(false)
    }

    /// Returns whether git would ignore an untracked path of the work tree. On an error, the path counts as not ignored.
    pub(super) fn is_ignored(&self, path: &[u8], is_folder: bool) -> bool {
        let ignored = Ignores::new(self).and_then(|mut ignores| ignores.is_ignored_anywhere(path, is_folder));
        ignored.unwrap_or(false)
    }
}
