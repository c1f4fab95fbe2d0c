//! Lists the newest commits that one commit contains and another one does not.
//!
//! Commits are read from the newest to the oldest, and only until enough are found. A topological walk of libgit2 reads the whole range
//! first, which took as long as a sixth of the diff of three thousand commits.

use std::collections::{BinaryHeap, HashMap};

use git2::{Commit, Oid, Repository};

/// The number of commits that are read after the last one that may belong to the result. Clocks differ, so an excluded commit may be
/// older than its parents.
const MAX_LATE: usize = 5;

/// Returns the newest commits that are reachable from `head` but not from `base`, at most `limit`, each one before its parents.
/// Without a base, all commits that are reachable from `head` count.
pub(super) fn between(
    git: &Repository,
    base: Option<Oid>,
    head: Oid,
    limit: usize,
) -> Result<Vec<Commit<'_>>, git2::Error> {
    let mut walk = Walk { git, known: HashMap::new(), waiting: BinaryHeap::new(), open: 0, found: Vec::new() };
    base.into_iter().try_for_each(|base| walk.add(base, true))?;
    walk.add(head, false)?;
    let found = walk.run(limit)?;
    Ok(children_first(found))
}

struct Known<'a> {
    commit: Commit<'a>,
    /// Whether `base` contains it.
    excluded: bool,
    waits: bool,
}

struct Walk<'a> {
    git: &'a Repository,
    known: HashMap<Oid, Known<'a>>,
    /// The commits whose parents are not read yet, the newest last. Of two of the same second, the excluded one is read first.
    waiting: BinaryHeap<(i64, bool, Oid)>,
    /// The number of waiting commits that are not excluded.
    open: usize,
    found: Vec<Oid>,
}

impl<'a> Walk<'a> {
    fn run(mut self, limit: usize) -> Result<Vec<Commit<'a>>, git2::Error> {
        let mut late = 0;
        while self.found.len() < limit && late < MAX_LATE {
            let Some((.., id)) = self.waiting.pop() else { break };
            self.read(id)?;
            late = if self.open > 0 { 0 } else { late + 1 };
        }
        Ok(self.found.iter().filter_map(|id| self.known.remove(id)).map(|known| known.commit).collect())
    }

    /// Takes a commit into the result unless it is excluded, and adds its parents.
    fn read(&mut self, id: Oid) -> Result<(), git2::Error> {
        let Some(known) = self.known.get_mut(&id) else { return Ok(()) };
        let (excluded, parents) = (known.excluded, known.commit.parent_ids().collect::<Vec<_>>());
        if std::mem::replace(&mut known.waits, false) && !excluded {
            self.open -= 1;
            self.found.push(id);
        }
        parents.into_iter().try_for_each(|parent| self.add(parent, excluded))
    }

    /// Adds a commit, or excludes one that was added before.
    fn add(&mut self, id: Oid, excluded: bool) -> Result<(), git2::Error> {
        if let Some(known) = self.known.get_mut(&id) {
            if excluded && !known.excluded {
                known.excluded = true;
                // It is read again, because its parents are excluded as well.
                self.waiting.push((known.commit.time().seconds(), true, id));
                match std::mem::replace(&mut known.waits, true) {
                    true => self.open -= 1,
                    false => self.found.retain(|found| *found != id),
                }
            }
            return Ok(());
        }
        let commit = self.git.find_commit(id)?;
        self.waiting.push((commit.time().seconds(), excluded, id));
        self.open += usize::from(!excluded);
        self.known.insert(id, Known { commit, excluded, waits: true });
        Ok(())
    }
}

/// Sorts commits so that each one is before its parents, and otherwise from the newest to the oldest.
fn children_first(commits: Vec<Commit<'_>>) -> Vec<Commit<'_>> {
    let mut children: HashMap<Oid, usize> = HashMap::new();
    commits.iter().flat_map(Commit::parent_ids).for_each(|parent| *children.entry(parent).or_default() += 1);
    let mut left: HashMap<Oid, Commit<'_>> = commits.into_iter().map(|commit| (commit.id(), commit)).collect();
    let key = |commit: &Commit<'_>| (commit.time().seconds(), commit.id());
    let mut ready: BinaryHeap<(i64, Oid)> =
        left.values().filter(|commit| !children.contains_key(&commit.id())).map(key).collect();
    let mut sorted = Vec::with_capacity(left.len());
    while let Some((_, id)) = ready.pop() {
        let Some(commit) = left.remove(&id) else { continue };
        for parent in commit.parent_ids() {
            let Some(count) = children.get_mut(&parent) else { continue };
            *count -= 1;
            if *count == 0 {
                ready.extend(left.get(&parent).map(key));
            }
        }
        sorted.push(commit);
    }
    sorted
}
