//! The additions of a change, for contracts such as "no new endpoints" and "must not introduce SQL".
//!
//! In: both sides of the changed files, and their manifests. Out: the places of effects that are more than before, and the names of uses
//! that could not be followed before at as many places. A place that was moved, or whose symbol was replaced by one with the same effect, is not more.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::diff::{self, CapabilityDiff, NewPackage, Sides, Spot, Spots, cancel, keys, place};
use super::knowledge::Knowledge;
use super::reach::{Open, Reach, Reached};

/// A place by its file, line and effect.
type Key = (String, u32, usize);

fn key(path: &str, reach: &Reach) -> Key {
    (path.to_owned(), reach.chain[0].line, reach.effect)
}

/// The additions of a change.
#[derive(Clone, Debug, Default)]
pub struct Additions {
    /// The added places.
    places: BTreeSet<Key>,
    /// The places that were there before with another line, so that they can be about something else.
    rewritten: BTreeSet<Key>,
    /// The added calls of code that had the effect before.
    calls: BTreeSet<Key>,
    /// The symbols that could not be followed before the change either, at as many places.
    known_open: BTreeSet<String>,
    /// The packages that the manifests list additionally.
    pub(crate) packages: Vec<NewPackage>,
    /// The changed manifests that cannot be read.
    pub(crate) unread_manifests: Vec<String>,
}

impl Additions {
    /// Compares both sides of the changed files. `diff` has the packages.
    pub fn of(knowledge: &Knowledge, files: &[Sides], diff: &CapabilityDiff, unread_manifests: Vec<String>) -> Self {
        let before: Vec<(usize, &Reached)> =
            files.iter().enumerate().filter_map(|(at, file)| Some((at, file.before.as_ref()?))).collect();
        let now: Vec<(usize, &Reached)> = files.iter().enumerate().map(|(at, file)| (at, &file.now)).collect();
        let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
        let starts = before.iter().flat_map(|(_, reached)| &reached.effects).map(|reach| reach.chain[0].path.as_str());
        let old_paths: BTreeSet<&str> = starts.chain(paths.iter().copied()).collect();
        let (old, new) = (Spots::all(&before, &old_paths, true), Spots::all(&now, &paths, true));
        let mut came: Vec<_> = new.sinks.iter().collect();
        let mut went: Vec<_> = old.sinks.iter().collect();
        let same = |new: &Reach, old: &Reach| new.effect == old.effect && new.sink == old.sink;
        let line = |reach: &Reach| reach.chain[0].excerpt.clone();
        // A use of a library is no replacement for a call of the project's own code.
        let replaces = |new: &Reach, old: &Reach| {
            let effect = knowledge.vocabulary.effects.get(new.effect);
            let includes = |effect| knowledge.vocabulary.with_wider(old.effect).contains(&effect);
            (new.chain.len() == 1) == (old.chain.len() == 1)
                && effect.is_some_and(|effect| !effect.distinct && includes(effect))
        };
        let cancel_moved = |came: &mut Vec<_>, went: &mut Vec<_>| {
            cancel(came, went, |new, old| {
                new.file == old.file && same(new.reach, old.reach) && line(new.reach) == line(old.reach)
            });
            cancel(came, went, |new, old| same(new.reach, old.reach) && line(new.reach) == line(old.reach));
        };
        let key = |spot: &&Spot<'_>| key(&files[spot.file].path, spot.reach);
        cancel_moved(&mut came, &mut went);
        let mut rewritten: BTreeSet<Key> = came.iter().map(key).collect();
        let cancel_rewritten = |came: &mut Vec<_>, went: &mut Vec<_>| {
            cancel(came, went, |new, old| new.file == old.file && same(new.reach, old.reach));
            cancel(came, went, |new, old| same(new.reach, old.reach));
        };
        cancel_rewritten(&mut came, &mut went);
        cancel(&mut came, &mut went, |new, old| replaces(new.reach, old.reach));
        // A call of a place that is new or was moved is no addition of its own.
        let old_keys = keys(&old.sinks);
        let moved = new.sinks.iter().filter(|sink| !old_keys.contains(&sink.key()));
        let listed: HashSet<_> = moved.map(|sink| place(&sink.reach.chain[0])).collect();
        let is_listed = |spot: &&Spot<'_>| spot.reach.chain.last().is_some_and(|end| listed.contains(&place(end)));
        let (calls, calls_before) = (diff::calls(&now, &paths), diff::calls(&before, &old_paths));
        // Nor is a call of code with a call that is new or was moved.
        let call_keys = keys(&calls_before);
        let moved = calls.iter().filter(|spot| !call_keys.contains(&spot.key()));
        let starts: HashSet<_> = moved.map(|spot| place(&spot.reach.chain[0])).collect();
        let is_own = |spot: &&Spot<'_>| !is_listed(spot) && !starts.contains(&place(&spot.reach.chain[1]));
        let (mut calls, mut calls_before) = (calls.iter().collect(), calls_before.iter().collect());
        cancel_moved(&mut calls, &mut calls_before);
        cancel_rewritten(&mut calls, &mut calls_before);
        calls.retain(is_own);
        let (places, calls): (BTreeSet<Key>, _) = (came.iter().map(key).collect(), calls.iter().map(key).collect());
        rewritten.retain(|place| !places.contains(place));
        let (mut known, now) = (open_places(&before), open_places(&now));
        known.retain(|symbol, count| now.get(symbol).is_none_or(|now| now <= count));
        let known_open = known.into_keys().map(str::to_owned).collect();
        Self { places, rewritten, calls, known_open, packages: diff.packages.clone(), unread_manifests }
    }

    /// Returns whether the change adds this place of a file.
    pub(crate) fn has(&self, path: &str, reach: &Reach) -> bool {
        self.places.contains(&key(path, reach))
    }

    /// Returns whether the change rewrites the line of this place of a file, which has the effect as before.
    pub(crate) fn rewrites(&self, path: &str, reach: &Reach) -> bool {
        self.rewritten.contains(&key(path, reach))
    }

    /// Returns whether the change adds this place of a file as a call of code that had the effect before.
    pub(crate) fn has_call(&self, path: &str, reach: &Reach) -> bool {
        reach.chain.len() > 1 && self.calls.contains(&key(path, reach))
    }

    /// Returns whether the code had a use that could not be followed before the change, at as many places.
    pub(crate) fn had_open(&self, open: &Open) -> bool {
        self.known_open.contains(&open.symbol)
    }
}

/// Returns the numbers of the places that lead to each symbol that could not be followed.
fn open_places<'s>(sides: &[(usize, &'s Reached)]) -> BTreeMap<&'s str, usize> {
    let mut places = BTreeMap::new();
    for (symbol, count) in sides.iter().flat_map(|(_, reached)| &reached.open_places) {
        *places.entry(symbol.as_str()).or_default() += count;
    }
    places
}

#[cfg(test)]
mod tests;
