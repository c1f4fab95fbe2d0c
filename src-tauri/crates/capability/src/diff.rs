//! Compares the effects of changed files before and after a change, and the packages that manifests list.
//!
//! In: both sides of each changed file. Out: the new effects, each with its chain, and the effects that were removed.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::judge::reportable;
use super::knowledge::Knowledge;
use super::manifest::{self, Package};
use super::project::folder;
use super::reach::{Hop, Reach, Reached};
use diffsan_contracts::vocabulary::Effect;
use diffsan_syntax::language::Language;

/// The effects of a changed file on both sides.
#[derive(Clone, Debug, Default)]
pub struct Sides {
    /// The path on the new side.
    pub path: String,
    /// The effects on the old side. `None` for a new file.
    pub before: Option<Reached>,
    /// The effects on the new side. Empty for a deleted file.
    pub now: Reached,
}

/// The text of a changed manifest on both sides.
#[derive(Clone, Debug)]
pub struct ManifestSides {
    /// The path on the new side.
    pub path: String,
    /// The text on the old side. Empty for a new file.
    pub before: String,
    /// The text on the new side.
    pub now: String,
}

/// The novelty of an effect, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Novelty {
    /// The file had the effect before, in other definitions.
    Place,
    /// The file had the effect before, through other symbols.
    Means,
    /// The file did not have the effect before; another changed file did.
    File,
    /// No changed file had the effect before.
    Change,
}

/// A new effect of a file.
#[derive(Clone, Debug)]
pub struct NewReach {
    /// The path of the file.
    pub path: String,
    /// The index of the effect in [`Knowledge::effects`].
    pub effect: usize,
    /// The novelty of the effect.
    pub novelty: Novelty,
    /// The places that reach the effect. The first has the shortest chain. Never empty.
    pub reaches: Vec<Reach>,
    /// The places in other changed files that call the reaches.
    pub callers: Vec<Hop>,
}

/// A package that a change adds to a manifest.
#[derive(Clone, Debug)]
pub struct NewPackage {
    /// The path of the manifest.
    pub path: String,
    /// The package, with its line.
    pub package: Package,
    /// The names of the package's effects. `None` where no table lists the package.
    pub effects: Option<Vec<String>>,
    /// The text of the package's line.
    pub excerpt: String,
}

/// The difference between the effects before and after a change.
#[derive(Clone, Debug, Default)]
pub struct CapabilityDiff {
    /// The new effects, ordered by risk and novelty.
    pub reaches: Vec<NewReach>,
    /// The packages that were added to manifests.
    pub packages: Vec<NewPackage>,
    /// The effects that changed files no longer reach, by file.
    pub gone: BTreeMap<String, BTreeSet<usize>>,
}

/// A place of a side that reaches an effect.
pub(crate) struct Spot<'a> {
    /// The index of the file in the list of [`Sides`].
    pub(crate) file: usize,
    pub(crate) reach: &'a Reach,
}

/// The file, definition, effect and symbol of a spot.
type SpotKey<'a> = (usize, &'a str, usize, &'a str);

impl<'a> Spot<'a> {
    /// Returns a key that equals for the same symbol in definitions with the same name.
    pub(crate) fn key(&self) -> SpotKey<'a> {
        (self.file, &self.reach.unit, self.reach.effect, &self.reach.sink)
    }
}

/// The places of a side: those where an effect stands in a changed file or leaves the changed files, and those that only call one
/// of the former.
#[derive(Default)]
pub(crate) struct Spots<'a> {
    pub(crate) sinks: Vec<Spot<'a>>,
    callers: Vec<Spot<'a>>,
}

impl<'a> Spots<'a> {
    /// Returns the spots of a side. Of the uses of a symbol in one definition, only the first is a sink.
    fn of(sides: &[(usize, &'a Reached)], paths: &BTreeSet<&str>) -> Self {
        let mut spots = Self::all(sides, paths, false);
        let mut known: HashSet<SpotKey<'a>> = HashSet::new();
        spots.sinks.retain(|spot| known.insert(spot.key()));
        spots
    }

    /// Returns all spots of a side, with or without several for a line.
    pub(crate) fn all(sides: &[(usize, &'a Reached)], paths: &BTreeSet<&str>, with_others: bool) -> Self {
        let mut spots = Self::default();
        for &(file, reached) in sides {
            let others = reached.others.iter().filter(|_| with_others);
            let told = reached.effects.iter().filter(|reach| with_others || !reach.of_program);
            for reach in reportable(told.chain(others)).into_iter().filter(|reach| !is_logging(reach)) {
                let spot = Spot { file, reach };
                if calls_changed(reach, paths) { spots.callers.push(spot) } else { spots.sinks.push(spot) }
            }
        }
        spots
    }
}

/// Returns all calls of code of changed files that has an effect, also those in its own file.
pub(crate) fn calls<'a>(sides: &[(usize, &'a Reached)], paths: &BTreeSet<&str>) -> Vec<Spot<'a>> {
    let all = sides.iter().flat_map(|&(file, reached)| {
        reached.effects.iter().chain(&reached.others).map(move |reach| Spot { file, reach })
    });
    all.filter(|spot| calls_changed(spot.reach, paths) && !is_logging(spot.reach)).collect()
}

/// Returns whether a chain goes through other code to an effect in a changed file.
fn calls_changed(reach: &Reach, paths: &BTreeSet<&str>) -> bool {
    reach.chain.len() > 1 && reach.chain.last().is_some_and(|end| paths.contains(end.path.as_str()))
}

/// Returns whether a chain goes through a logger: whatever only a logger does is part of logging.
fn is_logging(reach: &Reach) -> bool {
    reach.chain.len() > 1 && reach.chain.iter().rev().skip(1).any(|hop| is_logger(&hop.symbol))
}

/// Returns whether a symbol is a method of a logger: `logger.info`, `this.log.warn`.
fn is_logger(symbol: &str) -> bool {
    let mut names = symbol.rsplit('.').skip(1);
    names.any(|name| ["log", "logger", "logging"].contains(&name.to_lowercase().trim_start_matches(['_', '@', '$'])))
}

/// Compares both sides of the changed files and manifests.
pub fn compare(knowledge: &Knowledge, files: &[Sides], manifests: &[ManifestSides]) -> CapabilityDiff {
    let mut diff = CapabilityDiff::default();
    let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let before: Vec<(usize, &Reached)> =
        files.iter().enumerate().filter_map(|(at, file)| Some((at, file.before.as_ref()?))).collect();
    let now: Vec<(usize, &Reached)> = files.iter().enumerate().map(|(at, file)| (at, &file.now)).collect();
    let effects = |reached: &Reached| {
        let told = reached.effects.iter().filter(|reach| !reach.of_program);
        told.map(|reach| reach.effect).collect::<BTreeSet<usize>>()
    };
    let had: BTreeMap<usize, BTreeSet<usize>> = before.iter().map(|(at, reached)| (*at, effects(reached))).collect();
    for (at, file) in files.iter().enumerate() {
        let has = effects(&file.now);
        let gone: BTreeSet<usize> =
            had.get(&at).into_iter().flatten().filter(|one| !has.contains(one)).copied().collect();
        if !gone.is_empty() {
            diff.gone.insert(file.path.clone(), gone);
        }
    }
    // The old side has the old path of a renamed file.
    let old_paths: BTreeSet<&str> = before
        .iter()
        .flat_map(|(_, reached)| &reached.effects)
        .map(|reach| reach.chain[0].path.as_str())
        .chain(paths.iter().copied())
        .collect();
    let (old, new) = (Spots::of(&before, &old_paths), Spots::of(&now, &paths));
    let (old_keys, new_keys) = (keys(&old.sinks), keys(&new.sinks));
    let mut came: Vec<&Spot<'_>> = new.sinks.iter().filter(|spot| !old_keys.contains(&spot.key())).collect();
    let mut went: Vec<&Spot<'_>> = old.sinks.iter().filter(|spot| !new_keys.contains(&spot.key())).collect();
    // A definition that was renamed, moved or extracted, and a symbol that replaces another one with the same effect, cancel
    // each other.
    let same =
        |came: &Spot<'_>, went: &Spot<'_>| came.reach.effect == went.reach.effect && came.reach.sink == went.reach.sink;
    let includes = |came: &Spot<'_>, went: &Spot<'_>| {
        let effect = knowledge.vocabulary.effects.get(came.reach.effect);
        effect.is_some_and(|effect| {
            !effect.distinct && knowledge.vocabulary.with_wider(went.reach.effect).contains(&effect)
        })
    };
    cancel(&mut came, &mut went, |came, went| came.file == went.file && same(came, went));
    cancel(&mut came, &mut went, same);
    cancel(&mut came, &mut went, |came, went| came.file == went.file && includes(came, went));
    cancel(&mut came, &mut went, includes);
    let moved = new.sinks.iter().filter(|sink| !old_keys.contains(&sink.key()));
    let listed: HashSet<(&str, u32)> = moved.map(|sink| place(&sink.reach.chain[0])).collect();
    let is_listed = |spot: &Spot<'_>| spot.reach.chain.last().is_some_and(|end| listed.contains(&place(end)));
    let is_known = |spot: &Spot<'_>| had.get(&spot.file).is_some_and(|had| had.contains(&spot.reach.effect));
    // A caller of a place that is new or was moved is no entry of its own.
    let (callers, own): (Vec<&Spot<'_>>, Vec<&Spot<'_>>) = new.callers.iter().partition(|spot| is_listed(spot));
    let mut own: Vec<&Spot<'_>> = own.into_iter().filter(|spot| !is_known(spot)).collect();
    own.dedup_by_key(|spot| spot.key());
    let all_before: BTreeSet<usize> = had.values().flatten().copied().collect();
    let mut entries: BTreeMap<(usize, usize), (Novelty, Vec<Reach>)> = BTreeMap::new();
    for spot in came.into_iter().chain(own) {
        let effect = spot.reach.effect;
        let sinks = old.sinks.iter().filter(|old| old.file == spot.file);
        let had_sink = sinks.clone().any(|old| old.reach.effect == effect && old.reach.sink == spot.reach.sink);
        let novelty = match (all_before.contains(&effect), is_known(spot), had_sink) {
            (false, ..) => Novelty::Change,
            (_, false, _) => Novelty::File,
            (_, _, false) => Novelty::Means,
            _ => Novelty::Place,
        };
        let is_distinct = knowledge.vocabulary.effects.get(effect).is_some_and(|effect| effect.distinct);
        if !is_distinct && is_known_means(spot, novelty, &old.sinks, files) {
            continue;
        }
        let folded = knowledge.vocabulary.effects.get(effect).is_some_and(Effect::is_folded);
        if folded && novelty < Novelty::File {
            continue;
        }
        let entry = entries.entry((spot.file, effect)).or_insert((novelty, Vec::new()));
        entry.0 = entry.0.max(novelty);
        entry.1.push(spot.reach.clone());
    }
    for ((file, effect), (novelty, mut reaches)) in entries {
        reaches.sort_by_key(|reach| (reach.chain.len(), reach.chain[0].line));
        let calls = |caller: &&&Spot<'_>| {
            let end = caller.reach.chain.last();
            reaches
                .iter()
                .any(|reach| end.is_some_and(|end| reach.chain[0].path == end.path && reach.chain[0].line == end.line))
        };
        let callers: Vec<Hop> = callers
            .iter()
            .filter(calls)
            .filter(|caller| caller.file != file)
            .map(|caller| caller.reach.chain[0].clone())
            .collect();
        diff.reaches.push(NewReach { path: files[file].path.clone(), effect, novelty, reaches, callers });
    }
    let risk = |new: &NewReach| knowledge.vocabulary.effects.get(new.effect).map(|effect| effect.risk);
    diff.reaches.sort_by(|a, b| (risk(b), b.novelty).cmp(&(risk(a), a.novelty)).then_with(|| a.path.cmp(&b.path)));
    for sides in manifests {
        diff.packages.extend(new_packages(knowledge, sides));
    }
    diff
}

/// Returns whether the code had an effect before by the same means, under another name or in another file of the folder: another method of the
/// same class of the project in the same file, or the same symbol of a library.
fn is_known_means(new: &Spot<'_>, novelty: Novelty, before: &[Spot<'_>], files: &[Sides]) -> bool {
    let folder_of = |spot: &Spot<'_>| files.get(spot.file).map(|file| folder(&file.path));
    let through = |spot: &Spot<'_>| spot.reach.chain.get(1).map(|hop| hop.path.clone());
    let mut alike = before.iter().filter(|old| old.reach.effect == new.reach.effect);
    match novelty {
        Novelty::Change => false,
        Novelty::File => alike.any(|old| old.reach.sink == new.reach.sink && folder_of(old) == folder_of(new)),
        Novelty::Means | Novelty::Place => {
            let class = through(new);
            class.is_some() && alike.any(|old| old.file == new.file && through(old) == class)
        }
    }
}

pub(crate) fn place(hop: &Hop) -> (&str, u32) {
    (&hop.path, hop.line)
}

pub(crate) fn keys<'a>(spots: &[Spot<'a>]) -> HashSet<SpotKey<'a>> {
    spots.iter().map(Spot::key).collect()
}

/// Removes pairs of a new and a removed place that fit each other, each place once.
pub(crate) fn cancel<'s>(
    came: &mut Vec<&'s Spot<'s>>,
    went: &mut Vec<&'s Spot<'s>>,
    fits: impl Fn(&Spot<'_>, &Spot<'_>) -> bool,
) {
    came.retain(|new| match went.iter().position(|old| fits(new, old)) {
        Some(at) => {
            went.remove(at);
            false
        }
        None => true,
    });
}

fn new_packages(knowledge: &Knowledge, sides: &ManifestSides) -> Vec<NewPackage> {
    let Some(language) = manifest::language(&sides.path) else { return Vec::new() };
    let known: BTreeSet<String> =
        manifest::packages(&sides.path, &sides.before).into_iter().map(|package| package.name).collect();
    let packages = manifest::packages(&sides.path, &sides.now).into_iter();
    packages
        .filter(|package| !known.contains(&package.name))
        .map(|package| {
            let effects = of_package(knowledge, language, &package.name);
            let effects = effects.map(|all| all.into_iter().map(|effect| effect.id.clone()).collect());
            let excerpt = sides.now.lines().nth(package.line.saturating_sub(1) as usize).unwrap_or_default();
            NewPackage { path: sides.path.clone(), effects, excerpt: excerpt.trim().to_owned(), package }
        })
        .collect()
}

fn of_package<'k>(knowledge: &'k Knowledge, language: Language, name: &str) -> Option<Vec<&'k Effect>> {
    let found = knowledge.of_package(language, name);
    match language {
        // A module that is imported as `a_b` is installed as `a-b`.
        Language::Python | Language::Rust => found.or_else(|| knowledge.of_package(language, &name.replace('-', "_"))),
        _ => found,
    }
}

/// Returns a chain as readable text: `Job.run → send → resend.emails.send`.
pub fn chain_text(reach: &Reach) -> String {
    let first = if reach.unit.is_empty() { "the file itself" } else { &reach.unit };
    let mut names: Vec<&str> = vec![first];
    names.extend(reach.chain.iter().map(|hop: &Hop| hop.symbol.as_str()));
    if names
        .last()
        .is_some_and(|last| *last != reach.sink && reach.sink.len() > last.len() && reach.sink.ends_with(*last))
    {
        names.pop();
        names.push(&reach.sink);
    }
    names.join(" → ")
}
