//! Builds a change from a target: finds differences and renames, then computes the hunks of all files on several threads. A file
//! that cannot be read is included with the reason, and does not affect other files.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;

use git2::{ObjectType, Oid, Repository};

use super::attributes::{Rules, State};
use super::content::Content;
use super::list::{Entry, GITLINK, Side};
use super::read::Source;
use super::renames::{self, Contents};
use super::revisions::{Place, Sides};
use super::similarity::Spans;
use super::{Repo, RepoError, open, text};
use diffsan_bounded::size_text;
use diffsan_change::{Body, Change, FileChange, LineKind, RepoPath, Status, Target, parallel};

/// Options for reading a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadOptions {
    /// The number of unchanged lines around each change.
    pub context: u32,
    /// The minimum percentage of equal content for a rename. 0 disables rename detection.
    pub renames: u8,
}

impl Default for ReadOptions {
    /// Returns git's defaults.
    fn default() -> Self {
        Self { context: 3, renames: 50 }
    }
}

/// The size of the prefix in which git searches for a NUL to detect a binary file, and the size from which git treats every file as binary.
const BINARY_PREFIX: usize = 8000;
const BIG_FILE: usize = 512 << 20;
/// The maximum total size of all files of a change, both sides together.
const MAX_CHANGE_BYTES: u64 = 512 << 20;
/// The number of files from which an additional thread is worthwhile.
const FILES_PER_THREAD: usize = 16;

impl Repo {
    /// Reads a change.
    pub fn change(&self, target: &Target, options: &ReadOptions) -> Result<Change, RepoError> {
        let sides = self.sides(target)?;
        let commits = match sides.new {
            Place::Commit(_) => Some(open::again(&self.git)?),
            _ => None,
        };
        let (files, messages) = thread::scope(|scope| {
            // The steps before the diff use one core in part, so the messages are read at the same time.
            let messages = commits.map(|git| scope.spawn(move || Self::messages(&git, target, sides)));
            let files = self.changed_files(sides, options, MAX_CHANGE_BYTES);
            (files, messages.map(parallel::joined).unwrap_or_default())
        });
        let id = |place: Place| match place {
            Place::Commit(id) => Some(id.to_string()),
            _ => None,
        };
        Ok(Change { files: files?, base: id(sides.old), head: id(sides.new), messages })
    }

    /// Reads the changed files, of which the read ones have at most `most` bytes on both sides together.
    fn changed_files(&self, sides: Sides, options: &ReadOptions, most: u64) -> Result<Vec<FileChange>, RepoError> {
        let mut entries = self.entries(sides)?;
        let rules = self.rules_for(sides.new, &entries)?;
        let mut handles = self.more_handles(entries.len())?;
        let mut workers = Workers { own: &self.git, others: &mut handles, rules: &rules };
        if options.renames > 0 {
            entries = workers.with_renames(entries, options.renames.min(100))?;
        }
        files(&mut workers, &entries, options.context as usize, most)
    }

    /// Joins removed and added entries to renamed ones. `threshold` is the minimum percentage of equal content.
    pub(super) fn with_renames(
        &self,
        entries: Vec<Entry>,
        rules: &Rules,
        threshold: u8,
    ) -> Result<Vec<Entry>, RepoError> {
        let mut handles = self.more_handles(entries.len())?;
        Workers { own: &self.git, others: &mut handles, rules }.with_renames(entries, threshold)
    }

    /// Returns the handles of the additional threads for a number of files.
    pub(super) fn more_handles(&self, files: usize) -> Result<Vec<Repository>, RepoError> {
        let threads = thread::available_parallelism().map_or(1, usize::from).min(8);
        let threads = threads.min(files / FILES_PER_THREAD).max(1);
        (1..threads).map(|_| open::again(&self.git)).collect()
    }
}

/// Reads the files of entries, in the order of their paths.
fn files(
    workers: &mut Workers<'_>,
    entries: &[Entry],
    context: usize,
    most: u64,
) -> Result<Vec<FileChange>, RepoError> {
    // Nearly all changes fit, so each file is read as soon as its size is known.
    let left = AtomicU64::new(most);
    let files = workers.each(entries, &|source, _, entry| {
        let size = source.size(entry);
        let fits = left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(size)).is_ok();
        fits.then(|| file(source, entry, context))
    })?;
    let files = match files.into_iter().collect::<Option<Vec<_>>>() {
        Some(files) => files,
        None => files_that_fit(workers, entries, context, most)?,
    };
    let mut files: Vec<_> = entries.iter().zip(files).collect();
    files.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path).then(a.new.is_some().cmp(&b.new.is_some())));
    Ok(files.into_iter().filter_map(|(_, file)| file).collect())
}

/// Reads the files of a change that is too large. Which ones are read does not depend on the threads.
fn files_that_fit(
    workers: &mut Workers<'_>,
    entries: &[Entry],
    context: usize,
    most: u64,
) -> Result<Vec<Option<FileChange>>, RepoError> {
    let sizes = workers.each(entries, &|source, _, entry| source.size(entry))?;
    let fits = fitting(&sizes, most);
    workers.each(entries, &|source, at, entry| match fits[at] {
        true => file(source, entry, context),
        false => Some(FileChange { body: Body::Unread(too_much()), ..description(entry) }),
    })
}

/// A pool of threads, each with its own handle of the repository.
pub(super) struct Workers<'a> {
    pub(super) own: &'a Repository,
    pub(super) others: &'a mut [Repository],
    pub(super) rules: &'a Rules,
}

impl Workers<'_> {
    fn with_renames(&mut self, entries: Vec<Entry>, threshold: u8) -> Result<Vec<Entry>, RepoError> {
        let source = Source::new(self.own, self.rules).map_err(RepoError::read("opening the objects"))?;
        Ok(renames::find(entries, threshold, &mut RenameContents { source, workers: self }))
    }

    /// Runs a function for every entry, and returns the results in the order of the entries.
    pub(super) fn each<'s, I: Sync, T: Send>(
        &'s mut self,
        entries: &[I],
        run: &(dyn Fn(&Source<'_>, usize, &I) -> T + Sync),
    ) -> Result<Vec<T>, RepoError> {
        let rules = self.rules;
        let own = Source::new(self.own, rules).map_err(RepoError::read("opening the objects"))?;
        let start = |git: &'s mut Repository| Source::new(git, rules).ok();
        let work = |source: &Source<'_>, at: usize| run(source, at, &entries[at]);
        Ok(parallel::each_with(entries.len(), &own, self.others.iter_mut(), start, work))
    }
}

/// Returns which files are read: each one, in order, that fits into the remaining size.
fn fitting(sizes: &[u64], most: u64) -> Vec<bool> {
    let mut left = most;
    let fits = |size: &u64| {
        let rest = left.checked_sub(*size);
        left = rest.unwrap_or(left);
        rest.is_some()
    };
    sizes.iter().map(fits).collect()
}

fn too_much() -> String {
    format!("the file is not shown: together, the files of the change have more than {}", size_text(MAX_CHANGE_BYTES))
}

/// Returns the description of a file, without its body.
fn description(entry: &Entry) -> FileChange {
    let status = match (&entry.from, &entry.old, &entry.new) {
        _ if entry.unmerged => Status::Unmerged,
        (Some(_), ..) => Status::Renamed,
        (_, None, _) => Status::Added,
        (_, _, None) => Status::Deleted,
        _ => Status::Modified,
    };
    let path = |path: &[u8]| RepoPath::new(path.to_vec());
    FileChange {
        old_path: entry.old.map(|_| entry.from.as_ref().map_or_else(|| path(&entry.path), |from| path(&from.path))),
        new_path: entry.new.map(|_| path(&entry.path)),
        status,
        old_mode: entry.old.map(|side| side.mode),
        new_mode: entry.new.map(|side| side.mode),
        ids: None,
        similarity: entry.from.as_ref().map(|from| from.similarity),
        body: Body::Text(Vec::new()),
    }
}

/// Reads one file. Returns `None` if its sides turn out to be equal.
fn file(source: &Source<'_>, entry: &Entry, context: usize) -> Option<FileChange> {
    let mut file = description(entry);
    let status = file.status;
    if entry.unmerged && entry.new.is_none() {
        file.new_path = Some(RepoPath::new(entry.path.clone()));
        file.body = Body::Unread("it has merge conflicts".to_owned());
        return Some(file);
    }
    let known = |side: Option<Side>| side.map_or(Some(Oid::ZERO_SHA1), |side| side.id);
    let mut ids = (known(entry.old), known(entry.new));
    // A submodule at the same commit can still have local changes.
    let submodule = entry.new.is_some_and(|side| side.mode == GITLINK && side.work);
    if ids.0.is_some() && ids.0 == ids.1 && !submodule {
        file.ids = ids.0.zip(ids.1).map(|(old, new)| (old.to_string(), new.to_string()));
        return Some(file);
    }
    match source.contents(entry) {
        Err(reason) => file.body = Body::Unread(reason),
        Ok((old, new)) => {
            let hash = |content: &[u8]| Oid::hash_object(ObjectType::Blob, content).ok();
            ids = (ids.0.or_else(|| hash(&old)), ids.1.or_else(|| hash(&new)));
            if ids.0 == ids.1 && *old == *new && status == Status::Modified && file.old_mode == file.new_mode {
                return None;
            }
            let binary = is_binary(source.rules, entry, &old, &new);
            file.body = if binary && ids.0 != ids.1 { Body::Binary(None) } else { hunks(status, old, new, context) };
        }
    }
    file.ids = ids.0.zip(ids.1).map(|(old, new)| (old.to_string(), new.to_string()));
    Some(file)
}

fn hunks(status: Status, old: Content<'_>, new: Content<'_>, context: usize) -> Body {
    let hunks = match status {
        Status::Added => Ok(text::whole(new.into_bytes(), LineKind::Added).into_iter().collect()),
        Status::Deleted => Ok(text::whole(old.into_bytes(), LineKind::Removed).into_iter().collect()),
        _ => text::hunks(&old, &new, context),
    };
    match hunks {
        Ok(hunks) => Body::Text(hunks),
        Err(error) => Body::Unread(format!("its lines cannot be compared: {}", error.message())),
    }
}

/// Returns whether git would treat the file as binary: an attribute of either path says so, or there is a NUL near the start of
/// either content.
fn is_binary(rules: &Rules, entry: &Entry, old: &[u8], new: &[u8]) -> bool {
    let old_path = entry.from.as_ref().map_or(&*entry.path, |from| &from.path);
    let side = |path: &[u8], side: Option<Side>, content: &[u8]| side.is_some() && binary(rules, path, content);
    side(old_path, entry.old, old) || side(&entry.path, entry.new, new)
}

pub(super) fn binary(rules: &Rules, path: &[u8], content: &[u8]) -> bool {
    match rules.get(path, b"diff") {
        Some(State::Unset) => true,
        Some(State::Set) => false,
        _ => content.len() > BIG_FILE || content[..content.len().min(BINARY_PREFIX)].contains(&0),
    }
}

/// The contents that renames are found by.
struct RenameContents<'a, 'r, 'w> {
    source: Source<'r>,
    workers: &'w mut Workers<'a>,
}

impl Contents for RenameContents<'_, '_, '_> {
    fn id(&mut self, entry: &Entry) -> Option<Oid> {
        let side = entry.old.or(entry.new)?;
        side.id.or_else(|| Oid::hash_object(ObjectType::Blob, &one_sided(&self.source, entry)?).ok())
    }

    fn size(&mut self, entry: &Entry) -> Option<u64> {
        match entry.old.or(entry.new)? {
            Side { id: Some(id), work: false, .. } => self.source.odb.read_header(id).ok().map(|(size, _)| size as u64),
            _ => one_sided(&self.source, entry).map(|content| content.len() as u64),
        }
    }

    fn spans(&mut self, entries: &[&Entry]) -> Vec<Option<Spans>> {
        // The limit is used up in order, so the result does not depend on which thread is faster.
        let entries: Vec<(&Entry, bool)> =
            entries.iter().map(|entry| (*entry, may_be_read(&self.source, entry))).collect();
        let spans = self.workers.each(&entries, &|source, _, (entry, may_be_read)| {
            let content = may_be_read.then(|| content_of(source, entry)).flatten()?;
            Some(Spans::new(&content, binary(source.rules, &entry.path, &content)))
        });
        // Without contents, a possible rename counts as a removal and an addition.
        spans.unwrap_or_else(|_| vec![None; entries.len()])
    }
}

/// Returns the content of an entry with one side, if it may be read.
fn one_sided<'a>(source: &Source<'a>, entry: &Entry) -> Option<Content<'a>> {
    may_be_read(source, entry).then(|| content_of(source, entry)).flatten()
}

/// Returns whether an entry with one side can be read to find renames within their limit. A possible rename that cannot counts as a removal
/// and an addition.
fn may_be_read(source: &Source<'_>, entry: &Entry) -> bool {
    let left = source.left.get().checked_sub(source.size(entry));
    source.left.set(left.unwrap_or(source.left.get()));
    left.is_some()
}

fn content_of<'a>(source: &Source<'a>, entry: &Entry) -> Option<Content<'a>> {
    source.content(&entry.path, entry.old.as_ref().or(entry.new.as_ref())?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_that_is_too_large_is_read_in_part_and_in_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let git = Repository::init(folder.path()).expect("a repository");
        let mut index = git.index().expect("an index");
        for (name, size) in [("a", 60), ("b", 50), ("c", 40), ("d", 10)] {
            std::fs::write(folder.path().join(name), "x".repeat(size)).expect("a file");
            index.add_path(std::path::Path::new(name)).expect("an entry");
        }
        let tree = index.write_tree().and_then(|id| git.find_tree(id)).expect("a tree");
        let author = git2::Signature::now("a", "a@example.org").expect("an author");
        let commit = git.commit(Some("HEAD"), &author, &author, "m", &tree, &[]).expect("a commit");
        let repo = Repo::open(folder.path()).expect("a repository");
        let sides = Sides { old: Place::Nothing, new: Place::Commit(commit) };
        let read = |most: u64| {
            let files = repo.changed_files(sides, &ReadOptions::default(), most).expect("files");
            files.iter().map(|file| !matches!(file.body, Body::Unread(_))).collect::<Vec<bool>>()
        };
        assert_eq!(read(160), [true; 4]);
        assert_eq!(read(105), [true, false, true, false]);
        assert_eq!(read(0), [false; 4]);
    }
}
