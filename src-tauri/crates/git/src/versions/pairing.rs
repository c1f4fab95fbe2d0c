//! Finds which paths of the four commits are the same file.
//!
//! A file is followed from the old base to the old head (the author's moves), to the new base (the target's moves), and to the new
//! head: there it has the path that both moves lead to, or the author moved it again.

use std::collections::{BTreeMap, BTreeSet};

use git2::Oid;

use super::super::attributes::Rules;
use super::super::list::{Entry, Side};
use super::super::os_path::os_path;
use super::super::revisions::{Place, Sides};
use super::super::{Repo, RepoError};
use super::{Commits, MIN_SIMILARITY};
use diffsan_change::RepoPath;
use diffsan_interdiff::FileSides;

/// The files of both versions.
pub(super) struct Pairs {
    pub(super) files: Vec<FileSides>,
    pub(super) target_files: usize,
    pub(super) rules: Rules,
}

type Path = Vec<u8>;
type Located = (Path, Side);

/// The differences between two commits, by path of the earlier one.
#[derive(Default)]
struct Moves {
    /// The file before, and after if it was not removed.
    changed: BTreeMap<Path, (Side, Option<Located>)>,
    added: BTreeMap<Path, Side>,
}

impl Moves {
    fn new(entries: &[Entry]) -> Self {
        let mut moves = Self::default();
        for entry in entries {
            let from = entry.from.as_ref().map_or(&entry.path, |from| &from.path);
            match (entry.old, entry.new) {
                (Some(old), Some(new)) => {
                    drop(moves.changed.insert(from.clone(), (old, Some((entry.path.clone(), new)))))
                }
                // Of a changed type, the removal precedes the addition.
                (None, Some(new)) if entry.retyped => {
                    if let Some((_, after)) = moves.changed.get_mut(&entry.path) {
                        *after = Some((entry.path.clone(), new));
                    }
                }
                (Some(old), None) => drop(moves.changed.insert(from.clone(), (old, None))),
                (None, Some(new)) => drop(moves.added.insert(entry.path.clone(), new)),
                (None, None) => {}
            }
        }
        moves
    }

    /// Follows a file.
    fn follow(&self, file: &Located) -> Option<Located> {
        self.changed.get(&file.0).map_or_else(|| Some(file.clone()), |(_, after)| after.clone())
    }
}

/// A file in the four commits.
#[derive(Clone, Default)]
struct File {
    old_base: Option<Located>,
    old_head: Option<Located>,
    new_base: Option<Located>,
    new_head: Option<Located>,
}

impl File {
    /// Returns the path that both moves lead to.
    fn merged_path(&self) -> Option<&Path> {
        let path = |place: &'_ Option<Located>| place.as_ref().map(|(path, _)| path.clone());
        let own = self.old_head.as_ref().map(|(path, _)| path);
        let theirs = self.new_base.as_ref().map(|(path, _)| path);
        if own == path(&self.old_base).as_ref() || own.is_none() { theirs.or(own) } else { own }
    }
}

impl Repo {
    pub(super) fn pair_files(&self, commits: &Commits) -> Result<Pairs, RepoError> {
        if !commits.related {
            return self.heads_only(commits);
        }
        let between = Sides { old: commits.old.old, new: commits.new.old };
        let own = Moves::new(&self.moved(commits.old)?);
        let mut later = Moves::new(&self.moved(commits.new)?);
        let entries = if between.old == between.new { Vec::new() } else { self.entries(between)? };
        let mut target = Moves::new(&entries);
        let gone = |path: &Path| target.changed.get(path).is_some_and(|(_, after)| after.is_none());
        if own.changed.keys().any(gone) || later.changed.keys().any(|path| target.added.contains_key(path)) {
            target = Moves::new(&self.moved(between)?);
        }
        let mut files = known_files(&own, &target, &later);
        // The paths of the new head that the new base does not have.
        let mut new = std::mem::take(&mut later.added);
        for (from, (_, after)) in &later.changed {
            if let Some((path, side)) = after.as_ref().filter(|(path, _)| path != from) {
                new.insert(path.clone(), *side);
            }
        }
        find_heads(&mut files, &later, &mut new);
        self.find_moved_heads(&mut files, &mut new, commits.new.new)?;
        for (path, side) in new {
            files.push(self.restored(commits, &own, path, side)?);
        }
        let touched = files.iter().filter_map(|file| file.old_base.as_ref().or(file.new_base.as_ref()));
        let touched = touched.filter(|(path, _)| target.changed.contains_key(path) || target.added.contains_key(path));
        let target_files = (target.changed.len() + target.added.len()).saturating_sub(touched.count());
        self.finish(files, target_files, commits)
    }

    /// Finds which remaining files of the old head the author moved to the remaining paths of the new head.
    fn find_moved_heads(
        &self,
        files: &mut [File],
        new: &mut BTreeMap<Path, Side>,
        head: Place,
    ) -> Result<(), RepoError> {
        let open = |file: &&File| file.new_head.is_none() && file.old_head.is_some();
        let sources: BTreeMap<Path, Side> =
            files.iter().filter(open).filter_map(|file| file.old_head.clone()).collect();
        if sources.is_empty() || new.is_empty() {
            return Ok(());
        }
        let mut entries: Vec<Entry> =
            sources.into_iter().map(|(path, side)| Entry::new(path, Some(side), None)).collect();
        entries.extend(new.iter().map(|(path, side)| Entry::new(path.clone(), None, Some(*side))));
        entries.sort_by(|a, b| a.path.cmp(&b.path).then_with(|| a.new.is_some().cmp(&b.new.is_some())));
        let rules = self.rules_for(head, &entries)?;
        for entry in self.with_renames(entries, &rules, MIN_SIMILARITY)? {
            let (Some(from), Some(side)) = (entry.from, entry.new) else { continue };
            let of = |file: &&mut File| {
                file.new_head.is_none() && file.old_head.as_ref().is_some_and(|(path, _)| *path == from.path)
            };
            if let Some(file) = files.iter_mut().find(of) {
                new.remove(&entry.path);
                file.new_head = Some((entry.path, side));
            }
        }
        Ok(())
    }

    /// Returns the file at a path that only the new head has, with the file that the target branch had removed there.
    fn restored(&self, commits: &Commits, own: &Moves, path: Path, side: Side) -> Result<File, RepoError> {
        let old_base = self.side_at(commits.old.old, &path)?.map(|old| (path.clone(), old));
        let old_head = old_base.as_ref().and_then(|file| own.follow(file));
        Ok(File { old_base, old_head, new_base: None, new_head: Some((path, side)) })
    }

    fn side_at(&self, place: Place, path: &Path) -> Result<Option<Side>, RepoError> {
        let (Place::Commit(id), Some(os)) = (place, os_path(path)) else { return Ok(None) };
        let doing = || RepoError::read(format!("reading {}", RepoPath::new(path.clone())));
        let tree = self.git.find_commit(id).and_then(|commit| commit.tree()).map_err(doing())?;
        let Ok(entry) = tree.get_path(&os) else { return Ok(None) };
        let mode = super::super::list::canonical(u32::try_from(entry.filemode()).unwrap_or_default());
        let file = entry.kind() != Some(git2::ObjectType::Tree);
        Ok(file.then(|| Side { mode, id: Some(entry.id()), work: false }))
    }

    /// Compares the heads of versions whose bases are not related.
    fn heads_only(&self, commits: &Commits) -> Result<Pairs, RepoError> {
        let moves = Moves::new(&self.moved(Sides { old: commits.old.new, new: commits.new.new })?);
        let mut files: Vec<File> = Vec::new();
        for (path, (side, after)) in moves.changed {
            let old = Some((path, side));
            files.push(File { old_base: old.clone(), old_head: old.clone(), new_base: old, new_head: after });
        }
        files.extend(moves.added.into_iter().map(|file| File { new_head: Some(file), ..File::default() }));
        self.finish(files, 0, commits)
    }

    fn finish(&self, mut files: Vec<File>, target_files: usize, commits: &Commits) -> Result<Pairs, RepoError> {
        let path = |file: &File| {
            let places = [&file.new_head, &file.old_head, &file.new_base, &file.old_base];
            places.into_iter().flatten().map(|(path, _)| path.clone()).next()
        };
        files.sort_by_cached_key(path);
        let of = |place: Option<Located>| {
            place.map(|(path, side)| diffsan_interdiff::Side {
                path: RepoPath::new(path),
                mode: side.mode,
                id: side.id.unwrap_or(Oid::ZERO_SHA1).to_string(),
            })
        };
        let files: Vec<FileSides> = files
            .into_iter()
            .map(|file| FileSides {
                old_base: of(file.old_base),
                old_head: of(file.old_head),
                new_base: of(file.new_base),
                new_head: of(file.new_head),
            })
            .filter(|sides| !diffsan_interdiff::is_settled(sides))
            .collect();
        let sides = files.iter().flat_map(|file| [&file.old_base, &file.old_head, &file.new_base, &file.new_head]);
        let paths: BTreeSet<&[u8]> = sides.flatten().map(|side| side.path.as_bytes()).collect();
        let rules = self.rules(commits.new.new, paths.iter().copied())?;
        Ok(Pairs { files, target_files, rules })
    }
}

/// Returns the files that the author changed in one of the versions, without their new heads.
fn known_files(own: &Moves, target: &Moves, later: &Moves) -> Vec<File> {
    let from: BTreeMap<&Path, &Path> =
        target.changed.iter().filter_map(|(path, (_, after))| Some((&after.as_ref()?.0, path))).collect();
    let mut bases: BTreeMap<Path, Side> = own.changed.iter().map(|(path, (side, _))| (path.clone(), *side)).collect();
    let mut added: BTreeSet<&Path> = BTreeSet::new();
    for (path, (side, _)) in &later.changed {
        if target.added.contains_key(path) {
            added.insert(path);
            continue;
        }
        let base = from.get(path).map_or(path, |base| *base);
        let side = target.changed.get(base).map_or(*side, |(old, _)| *old);
        bases.insert(base.clone(), side);
    }
    let mut files: Vec<File> = bases
        .into_iter()
        .map(|file| File {
            old_head: own.follow(&file),
            new_base: target.follow(&file),
            old_base: Some(file),
            new_head: None,
        })
        .collect();
    for (path, side) in &own.added {
        let new_base = target.added.get(path).map(|side| (path.clone(), *side));
        added.remove(path);
        files.push(File { old_head: Some((path.clone(), *side)), new_base, ..File::default() });
    }
    for path in added {
        let new_base = target.added.get(path).map(|side| (path.clone(), *side));
        files.push(File { new_base, ..File::default() });
    }
    files
}

/// Finds the files in the new head by the path that both moves lead to, and else by the author's later moves.
fn find_heads(files: &mut [File], later: &Moves, new: &mut BTreeMap<Path, Side>) {
    for file in files.iter_mut() {
        let Some(path) = file.merged_path().cloned() else { continue };
        let same = |place: &Located| place.0 == path;
        let unmoved = file.new_base.as_ref().filter(|place| same(place)).and_then(|place| later.follow(place));
        file.new_head = unmoved.filter(same).or_else(|| new.remove_entry(&path));
    }
    for file in files.iter_mut().filter(|file| file.new_head.is_none()) {
        let moved = file.new_base.as_ref().and_then(|place| later.follow(place));
        file.new_head = match moved {
            // The new base has the path, and so does the new head.
            Some(place) if file.new_base.as_ref().is_some_and(|base| base.0 == place.0) => Some(place),
            Some((path, _)) => new.remove_entry(&path),
            None => None,
        };
        let paths = [&file.old_head, &file.old_base].map(|place| place.as_ref().map(|(path, _)| path.clone()));
        for path in paths.into_iter().flatten() {
            file.new_head = file.new_head.take().or_else(|| new.remove_entry(&path));
        }
    }
}
