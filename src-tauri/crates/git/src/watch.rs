//! Notifies about changes of a repository's work tree, index or branches. In: a path. Out: a call, some time after the last of
//! several changes.
//!
//! Ignored folders and the objects of `.git` are not watched. If there are too many folders, or the system's limit of watches is
//! reached, the repository is polled instead.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use notify::event::ModifyKind;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::ignores::Ignores;
use super::os_path::{os_path, repo_path};
use super::{Repo, RepoError};
use diffsan_change::Target;

/// The maximum number of watched folders. With more, the repository is polled.
const MAX_FOLDERS: usize = 16_384;
/// The time without changes after which a notification is sent.
const QUIET: Duration = Duration::from_millis(250);
/// The maximum delay of a notification while changes continue.
const MAX_DELAY: Duration = Duration::from_millis(1500);
/// The interval of polling.
const LOOK: Duration = Duration::from_secs(3);
/// Notifications take at most one part in this many of the time.
const SHARE: u32 = 10;
/// The maximum pause after a notification.
const LONGEST_REST: Duration = Duration::from_secs(20);
/// The files of `.git` whose changes are reported.
const GIT_FILES: &[&str] = &["HEAD", "index", "packed-refs"];

enum Signal {
    Event(notify::Result<Event>),
    Stop,
}

/// A running watch. It ends when it is dropped.
pub struct Watch {
    stop: Sender<Signal>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        // The thread may have ended already.
        let _ = self.stop.send(Signal::Stop);
    }
}

impl Watch {
    /// Watches the repository that contains `path`. `moved` is called on the watch's own thread and may block; its argument is
    /// whether the repository is only polled from then on.
    pub fn start(path: &Path, moved: impl FnMut(bool) + Send + 'static) -> Result<Self, RepoError> {
        Self::bounded(path, MAX_FOLDERS, moved)
    }

    /// Same as [`Self::start`], with another limit of folders.
    pub fn bounded(path: &Path, most: usize, moved: impl FnMut(bool) + Send + 'static) -> Result<Self, RepoError> {
        let repo = Repo::open(path)?;
        let (sender, receiver) = channel();
        let stop = sender.clone();
        let started = std::thread::Builder::new().name("watch".into()).spawn(move || {
            let mut watcher = notify::recommended_watcher(move |event| drop(sender.send(Signal::Event(event)))).ok();
            let folders = Folders::of(&repo, most);
            let watched = watcher.as_mut().is_some_and(|watcher| folders.watch_all(&repo, watcher));
            match watcher.filter(|_| watched) {
                Some(mut watcher) => follow(&repo, &folders, &mut watcher, &receiver, moved),
                None => look(&repo, &receiver, moved),
            }
        });
        started.map(|_| Self { stop }).map_err(|error| RepoError::Unsupported {
            path: path.to_owned(),
            what: format!("the thread that watches it cannot be started: {error}"),
        })
    }
}

/// The watched folders of a repository.
struct Folders {
    root: Option<PathBuf>,
    git: PathBuf,
    common: PathBuf,
    most: usize,
}

impl Folders {
    fn of(repo: &Repo, most: usize) -> Self {
        Self {
            root: repo.git.workdir().map(Path::to_owned),
            git: repo.git.path().to_owned(),
            common: repo.git.commondir().to_owned(),
            most,
        }
    }

    /// Watches all folders. Returns `false` if not all of them can be watched.
    fn watch_all(&self, repo: &Repo, watcher: &mut RecommendedWatcher) -> bool {
        let mut left = self.most;
        let mut folder = |path: &Path| watcher.watch(path, RecursiveMode::NonRecursive).is_ok();
        if !folder(&self.git) || (self.common != self.git && !folder(&self.common)) {
            return false;
        }
        // Only Linux needs a watch for each folder; other systems watch a whole tree.
        if !cfg!(any(target_os = "linux", target_os = "android")) {
            let trees = self.root.iter().cloned().chain([self.common.join("refs")]);
            return trees.into_iter().all(|tree| watcher.watch(&tree, RecursiveMode::Recursive).is_ok());
        }
        walk(&self.common.join("refs"), &mut left, &mut folder, &mut |_| false)
            && self.root.as_ref().is_none_or(|root| walk(root, &mut left, &mut folder, &mut self.skipped(repo, root)))
    }

    fn is_git(&self, path: &Path) -> bool {
        path.file_name().is_some_and(|name| name == ".git")
    }

    /// Returns a function that skips git's own folders and ignored ones. Each file of patterns is read once.
    fn skipped<'a>(&'a self, repo: &'a Repo, root: &'a Path) -> impl FnMut(&Path) -> bool + 'a {
        let mut ignores = Ignores::new(repo).ok();
        move |path| {
            let inside = path.strip_prefix(root).ok().and_then(repo_path).filter(|inside| !inside.is_empty());
            let ignored = inside
                .zip(ignores.as_mut())
                .is_some_and(|(inside, ignores)| ignores.is_ignored_anywhere(&inside, true).unwrap_or(false));
            self.is_git(path) || ignored
        }
    }

    /// Returns whether a change at this path affects the review.
    fn matters(&self, repo: &Repo, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default();
        if name.to_string_lossy().ends_with(".lock") && (path.starts_with(&self.git) || path.starts_with(&self.common))
        {
            return false;
        }
        if path.starts_with(&self.git) || path.starts_with(&self.common) {
            let inside = path.strip_prefix(&self.git).or_else(|_| path.strip_prefix(&self.common)).unwrap_or(path);
            return inside.starts_with("refs") || GIT_FILES.iter().any(|file| inside == Path::new(file));
        }
        !self.is_git(path) && self.root.as_ref().is_some_and(|root| !is_ignored(repo, root, path))
    }
}

/// Returns whether git ignores a folder or file. A tracked file in an ignored folder is part of the change, but rare; reading the
/// change again shows it.
fn is_ignored(repo: &Repo, root: &Path, path: &Path) -> bool {
    let inside = path.strip_prefix(root).ok().and_then(repo_path).filter(|inside| !inside.is_empty());
    // A deleted path could have been a folder.
    let is_folder = std::fs::symlink_metadata(path).map_or(true, |about| about.is_dir());
    inside.is_some_and(|inside| repo.is_ignored(&inside, is_folder))
}

/// Calls `take` for a folder and all folders below it. Does not follow symbolic links.
fn walk(
    from: &Path,
    left: &mut usize,
    take: &mut impl FnMut(&Path) -> bool,
    skip: &mut impl FnMut(&Path) -> bool,
) -> bool {
    let mut open = vec![from.to_owned()];
    while let Some(folder) = open.pop() {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        // A folder that was deleted in the meantime needs no watch.
        if !take(&folder) && folder.exists() {
            return false;
        }
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !skip(&path) {
                open.push(path);
            }
        }
    }
    true
}

/// Waits for events, and sends one notification for several of them.
fn follow(
    repo: &Repo,
    folders: &Folders,
    watcher: &mut RecommendedWatcher,
    receiver: &Receiver<Signal>,
    mut moved: impl FnMut(bool),
) {
    let mut broken = false;
    // The times of the first and the latest change that was not reported yet.
    let mut due: Option<(Instant, Instant)> = None;
    let mut rested = Instant::now();
    loop {
        let signal = match due {
            None => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some((first, last)) => {
                let at = (last + QUIET).min(first + MAX_DELAY).max(rested);
                match at.checked_duration_since(Instant::now()) {
                    Some(left) => receiver.recv_timeout(left),
                    None => Err(RecvTimeoutError::Timeout),
                }
            }
        };
        match signal {
            Ok(signal) => match heard(signal, folders, repo, watcher, &mut broken) {
                None => return,
                Some(false) => {}
                Some(true) => due = Some((due.map_or_else(Instant::now, |(first, _)| first), Instant::now())),
            },
            Err(RecvTimeoutError::Timeout) => {
                due = None;
                let began = Instant::now();
                moved(broken);
                if broken {
                    // The system's limit of watches is reached, or events were lost: poll from now on.
                    return look(repo, receiver, moved);
                }
                rested = Instant::now() + (began.elapsed() * SHARE).min(LONGEST_REST);
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Handles a signal. Returns whether it is relevant, or `None` if the watch should end.
fn heard(
    signal: Signal,
    folders: &Folders,
    repo: &Repo,
    watcher: &mut RecommendedWatcher,
    broken: &mut bool,
) -> Option<bool> {
    let event = match signal {
        Signal::Stop => return None,
        Signal::Event(Ok(event)) => event,
        Signal::Event(Err(_)) => {
            *broken = true;
            return Some(true);
        }
    };
    if event.need_rescan() {
        *broken = true;
        return Some(true);
    }
    let kind = match event.kind {
        EventKind::Access(_) | EventKind::Modify(ModifyKind::Metadata(notify::event::MetadataKind::AccessTime)) => {
            return Some(false);
        }
        kind => kind,
    };
    let matters: Vec<&PathBuf> = event.paths.iter().filter(|path| folders.matters(repo, path)).collect();
    if cfg!(target_os = "linux") && matches!(kind, EventKind::Create(_) | EventKind::Modify(ModifyKind::Name(_))) {
        for path in &matters {
            if std::fs::symlink_metadata(path).is_ok_and(|about| about.is_dir()) {
                let root = folders.root.as_deref().unwrap_or(&folders.git);
                let mut left = folders.most;
                let mut take = |folder: &Path| watcher.watch(folder, RecursiveMode::NonRecursive).is_ok();
                let mut skip = folders.skipped(repo, root);
                if !walk(path, &mut left, &mut take, &mut skip) {
                    *broken = true;
                }
            }
        }
    }
    Some(!matters.is_empty())
}

/// Polls the repository, less often if polling takes long.
fn look(repo: &Repo, receiver: &Receiver<Signal>, mut moved: impl FnMut(bool)) {
    let mut known = stamp(repo);
    let mut pause = LOOK;
    let mut next = Instant::now() + pause;
    loop {
        let left = next.saturating_duration_since(Instant::now());
        match receiver.recv_timeout(left) {
            Ok(Signal::Stop) | Err(RecvTimeoutError::Disconnected) => return,
            Ok(Signal::Event(_)) => continue,
            Err(RecvTimeoutError::Timeout) => {}
        }
        let began = Instant::now();
        let now = stamp(repo);
        if now != known {
            known = now;
            moved(true);
        }
        pause = (began.elapsed() * SHARE * 2).max(LOOK);
        next = Instant::now() + pause;
    }
}

/// Returns a digest of the branches and of the differing files with their times. It changes when the repository does.
fn stamp(repo: &Repo) -> u64 {
    let mut digest = DefaultHasher::new();
    for reference in repo.git.references().into_iter().flatten().flatten() {
        reference.name_bytes().hash(&mut digest);
        reference.target().map(|id| id.as_bytes().to_vec()).hash(&mut digest);
    }
    repo.head_branch().hash(&mut digest);
    repo.head_id().hash(&mut digest);
    let root = repo.git.workdir().unwrap_or(&repo.root);
    for target in [Target::All { untracked: true }, Target::Staged] {
        let Ok(sides) = repo.sides(&target) else { continue };
        for entry in repo.entries(sides).unwrap_or_default() {
            entry.path.hash(&mut digest);
            entry.new.and_then(|side| side.id).map(|id| id.as_bytes().to_vec()).hash(&mut digest);
            let about = os_path(&entry.path).and_then(|path| root.join(path).symlink_metadata().ok());
            about.map(|about| (about.len(), about.modified().ok())).hash(&mut digest);
        }
    }
    digest.finish()
}

#[cfg(test)]
mod tests;
