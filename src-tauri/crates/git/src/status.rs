//! Compares the index with the work tree: finds tracked files that differ, and untracked files.
//!
//! In: the index. Out: entries without content. libgit2 is not used: it reads files of any size whole, blocks on pipes, and
//! matches the patterns of `.gitignore` and `.gitattributes` in exponential time.

use std::collections::{HashMap, HashSet};
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use git2::{Index, IndexEntry, IndexEntryExtendedFlag, ObjectType, Oid};

use super::ignores::Ignores;
use super::list::{Entry, GITLINK, SYMLINK, Side, canonical};
use super::os_path::{os_path, repo_path};
use super::read::Source;
use super::revisions::Place;
use super::worktree::mode;
use super::{Repo, RepoError};

/// The bit of an index entry's flags that marks it as unchanged.
const ASSUME_UNCHANGED: u16 = 0x8000;
const STAGE: u16 = 0x3000;

/// The metadata of files that the settings declare as reliable.
struct Trust {
    ctime: bool,
    executable: bool,
    links: bool,
}

/// The time of a change: seconds and nanoseconds, as in the index.
type Stamp = (i64, i64);

impl Repo {
    /// Returns all differences between the index and the work tree. A file that is too large to be read counts as different if
    /// its size or time differs.
    pub(super) fn unstaged(&self, index: &Index, untracked: bool) -> Result<Vec<Entry>, RepoError> {
        let mut found = self.tracked(index)?;
        if untracked {
            self.untracked(index, &mut found)?;
        }
        Ok(found)
    }

    fn tracked(&self, index: &Index) -> Result<Vec<Entry>, RepoError> {
        let trust = self.trust();
        let written = index.path().and_then(|path| fs::metadata(path).ok()).map(|about| modified(&about));
        let mut folders = Folders { root: &self.root, known: HashMap::new() };
        let (mut found, mut suspects): (Vec<Entry>, Vec<Entry>) = (Vec::new(), Vec::new());
        let mut conflict: Option<Vec<u8>> = None;
        for entry in index.iter() {
            if entry.flags & STAGE != 0 {
                // Report each conflict once, although it has up to three entries.
                if conflict.as_ref() != Some(&entry.path) {
                    found.push(Entry { unmerged: true, ..Entry::new(entry.path.clone(), None, None) });
                    conflict = Some(entry.path);
                }
                continue;
            }
            let extended = IndexEntryExtendedFlag::from_bits_truncate(entry.flags_extended);
            if entry.flags & ASSUME_UNCHANGED != 0 || extended.contains(IndexEntryExtendedFlag::SKIP_WORKTREE) {
                continue;
            }
            let old = Side { mode: canonical(entry.mode), id: Some(entry.id), work: false };
            match self.compare(&entry, old, folders.look(&entry.path), &trust, written) {
                Compared::Same => {}
                Compared::Differs(new) => found.push(Entry::new(entry.path, Some(old), new)),
                // A file that was added with `git add -N` has no content in the index.
                Compared::Perhaps(new) if extended.contains(IndexEntryExtendedFlag::INTENT_TO_ADD) => {
                    found.push(Entry::new(entry.path, Some(old), Some(new)));
                }
                Compared::Perhaps(new) => suspects.push(Entry::new(entry.path, Some(old), Some(new))),
            }
        }
        self.check(suspects, &mut found)?;
        Ok(found)
    }

    fn trust(&self) -> Trust {
        let config = self.git.config().and_then(|mut config| config.snapshot());
        let set = |name: &str| config.as_ref().ok().and_then(|config| config.get_bool(name).ok()).unwrap_or(true);
        Trust {
            ctime: cfg!(unix) && set("core.trustctime"),
            executable: cfg!(unix) && set("core.filemode"),
            links: set("core.symlinks"),
        }
    }

    fn compare(
        &self,
        entry: &IndexEntry,
        old: Side,
        about: Option<Metadata>,
        trust: &Trust,
        written: Option<Stamp>,
    ) -> Compared {
        let Some(about) = about else { return Compared::Differs(None) };
        let side = |mode: u32, id: Option<Oid>| Side { mode, id, work: true };
        if about.is_dir() {
            return match (submodule(&self.root, &entry.path), old.mode) {
                (Some((id, dirty)), GITLINK) if id == entry.id && !dirty => Compared::Same,
                (Some((id, _)), _) => Compared::Differs(Some(side(GITLINK, Some(id)))),
                // The submodule is not checked out.
                (None, GITLINK) => Compared::Same,
                (None, _) => Compared::Differs(None),
            };
        }
        let mut new = match () {
            () if about.is_symlink() => SYMLINK,
            () if about.is_file() => mode(&about),
            // A pipe, a socket or a device, which git cannot store.
            () => return Compared::Differs(None),
        };
        if !trust.links && old.mode == SYMLINK && about.is_file() {
            new = SYMLINK;
        }
        if !trust.executable && old.is_regular() && about.is_file() {
            new = old.mode;
        }
        if new != old.mode {
            return Compared::Differs(Some(side(new, None)));
        }
        if is_untouched(entry, &about, trust, written) { Compared::Same } else { Compared::Perhaps(side(new, None)) }
    }

    /// Reads the files whose metadata differ, and adds those whose content differs too.
    fn check(&self, suspects: Vec<Entry>, found: &mut Vec<Entry>) -> Result<(), RepoError> {
        if suspects.is_empty() {
            return Ok(());
        }
        let rules = self.rules_for(Place::WorkTree { untracked: false }, &suspects)?;
        let source = Source::new(&self.git, &rules).map_err(RepoError::read("opening the objects"))?;
        found.extend(suspects.into_iter().filter(|entry| {
            let content = entry.new.as_ref().and_then(|side| source.content(&entry.path, side).ok());
            let id = content.and_then(|content| Oid::hash_object(ObjectType::Blob, &content).ok());
            id.is_none() || id != entry.old.and_then(|side| side.id)
        }));
        Ok(())
    }

    fn untracked(&self, index: &Index, found: &mut Vec<Entry>) -> Result<(), RepoError> {
        let fold = self.ignores_case();
        let folded = |path: &[u8]| if fold { path.to_ascii_lowercase() } else { path.to_vec() };
        let tracked: HashSet<Vec<u8>> = index.iter().map(|entry| folded(&entry.path)).collect();
        let mut ignores = Ignores::new(self)?;
        let mut open: Vec<Vec<u8>> = vec![Vec::new()];
        while let Some(folder) = open.pop() {
            let on_disk = if folder.is_empty() { Some(PathBuf::new()) } else { os_path(&folder) };
            let entries = on_disk.and_then(|inside| fs::read_dir(self.root.join(inside)).ok());
            for entry in entries.into_iter().flatten().flatten() {
                let Some(name) = repo_path(Path::new(&entry.file_name())) else { continue };
                let Ok(kind) = entry.file_type() else { continue };
                if name.eq_ignore_ascii_case(b".git") {
                    continue;
                }
                let path = if folder.is_empty() { name } else { [&*folder, b"/", &name].concat() };
                // A submodule is tracked by its own path.
                if tracked.contains(&folded(&path)) && !(kind.is_dir() && is_replaced(index, &path)) {
                    continue;
                }
                if kind.is_dir() {
                    if !is_repository(&entry.path()) && !ignores.is_ignored(&path, true)? {
                        open.push(path);
                    }
                } else if (kind.is_file() || kind.is_symlink()) && !ignores.is_ignored(&path, false)? {
                    let mode = match entry.metadata() {
                        Ok(about) if about.is_file() => mode(&about),
                        Ok(_) => SYMLINK,
                        Err(_) => 0o100_644,
                    };
                    found.push(Entry::new(path, None, Some(Side { mode, id: None, work: true })));
                }
            }
        }
        Ok(())
    }
}

enum Compared {
    Same,
    /// The metadata differ, so the content must be compared.
    Perhaps(Side),
    Differs(Option<Side>),
}

/// Returns whether a file's size and times are unchanged since the last comparison, and old enough to be reliable.
fn is_untouched(entry: &IndexEntry, about: &Metadata, trust: &Trust, written: Option<Stamp>) -> bool {
    let known = (i64::from(entry.mtime.seconds()), i64::from(entry.mtime.nanoseconds()));
    // The index has only the lower 32 bits of a size.
    let same_size = entry.file_size == (about.len() & u64::from(u32::MAX)) as u32;
    let changed = (i64::from(entry.ctime.seconds()), i64::from(entry.ctime.nanoseconds()));
    same_size
        && is_same_time(known, modified(about))
        && (!trust.ctime || changed == (0, 0) || status_changed(about).is_none_or(|now| is_same_time(changed, now)))
        // A file that was written at the same moment as the index may have been written again since.
        && written.is_some_and(|written| known.0 < written.0 || known.0 == written.0 && known.1 != 0 && known.1 < written.1)
}

/// Compares a time with a time of the index, which may lack the nanoseconds.
fn is_same_time(known: Stamp, now: Stamp) -> bool {
    // The index has only 32 bits of the seconds.
    known.0 as i32 == now.0 as i32 && (known.1 == 0 || known.1 == now.1)
}

#[cfg(unix)]
fn modified(about: &Metadata) -> Stamp {
    use std::os::unix::fs::MetadataExt;
    (about.mtime(), about.mtime_nsec())
}

#[cfg(unix)]
fn status_changed(about: &Metadata) -> Option<Stamp> {
    use std::os::unix::fs::MetadataExt;
    Some((about.ctime(), about.ctime_nsec()))
}

#[cfg(not(unix))]
fn modified(about: &Metadata) -> Stamp {
    let since = about.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    since.map_or((0, 0), |since| (since.as_secs() as i64, i64::from(since.subsec_nanos())))
}

#[cfg(not(unix))]
fn status_changed(_: &Metadata) -> Option<Stamp> {
    None
}

/// Reads metadata of files in the work tree without following links.
struct Folders<'a> {
    root: &'a Path,
    /// Whether each path is a real folder, not a link.
    known: HashMap<PathBuf, bool>,
}

impl Folders<'_> {
    fn look(&mut self, path: &[u8]) -> Option<Metadata> {
        let path = os_path(path)?;
        if !self.is_folder(path.parent()?) {
            return None;
        }
        fs::symlink_metadata(self.root.join(path)).ok()
    }

    fn is_folder(&mut self, path: &Path) -> bool {
        let Some(above) = path.parent() else { return true };
        if let Some(&known) = self.known.get(path) {
            return known;
        }
        let is_folder =
            self.is_folder(above) && fs::symlink_metadata(self.root.join(path)).is_ok_and(|about| about.is_dir());
        self.known.insert(path.to_owned(), is_folder);
        is_folder
    }
}

/// Returns the checked-out commit of a submodule, and whether it has local changes. Returns `None` if it has no repository of its own.
pub(super) fn submodule(root: &Path, path: &[u8]) -> Option<(Oid, bool)> {
    let place = root.join(os_path(path)?);
    fs::symlink_metadata(place.join(".git")).ok()?;
    let repo = Repo::open(&place).ok()?;
    // Ignore a repository in a parent folder.
    if repo.root.canonicalize().ok()? != place.canonicalize().ok()? {
        return None;
    }
    let head = repo.head().ok()??.id();
    Some((head, repo.is_dirty().unwrap_or(true)))
}

/// Returns whether the work tree has a folder where the index has a file.
fn is_replaced(index: &Index, path: &[u8]) -> bool {
    let entry = os_path(path).and_then(|path| index.get_path(&path, 0));
    entry.is_some_and(|entry| entry.mode != GITLINK)
}

/// Returns whether a folder is a separate repository, whose files do not belong to this one.
fn is_repository(folder: &Path) -> bool {
    let git = folder.join(".git");
    match fs::symlink_metadata(&git) {
        Ok(about) if about.is_dir() => ["HEAD", "objects", "refs"].iter().all(|name| git.join(name).exists()),
        Ok(about) => about.is_file(),
        Err(_) => false,
    }
}
