//! Compares the effects of changed files before and after a change, and the packages that manifests list.
//!
//! In: both sides of each changed file. Out: the new effects, each with its chain, and the effects that were removed.

use std::collections::{BTreeMap, BTreeSet};

use super::follow::{Hop, Reach, Reached};
use super::judge::reportable;
use super::knowledge::{Effect, Knowledge, Risk};
use super::manifest::{self, Package};
use diffsan_syntax::language::Language;

/// The effects of a changed file on both sides.
#[derive(Clone, Debug, Default)]
pub struct Sides {
    /// The path on the new side.
    pub path: String,
    /// The effects on the old side. `None` for a new file.
    pub before: Option<Reached>,
    /// The effects on the new side.
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

/// How new an effect is, from the least to the most.
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
    /// How new the effect is.
    pub novelty: Novelty,
    /// The places that reach the effect. The first has the shortest chain. Never empty.
    pub reaches: Vec<Reach>,
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

/// Compares both sides of the changed files and manifests.
pub fn compare(knowledge: &Knowledge, files: &[Sides], manifests: &[ManifestSides]) -> CapabilityDiff {
    let mut diff = CapabilityDiff::default();
    let all_before: BTreeSet<usize> = files
        .iter()
        .filter_map(|file| file.before.as_ref())
        .flat_map(|reached| &reached.effects)
        .map(|reach| reach.effect)
        .collect();
    for file in files {
        let none = Reached::default();
        let before = file.before.as_ref().unwrap_or(&none);
        let had: BTreeSet<usize> = before.effects.iter().map(|reach| reach.effect).collect();
        let has: BTreeSet<usize> = file.now.effects.iter().map(|reach| reach.effect).collect();
        let gone: BTreeSet<usize> = had.difference(&has).copied().collect();
        if !gone.is_empty() {
            diff.gone.insert(file.path.clone(), gone);
        }
        let mut new: BTreeMap<usize, (Novelty, Vec<Reach>)> = BTreeMap::new();
        for (effect, novelty, reach) in new_reaches(knowledge, before, &file.now, &all_before) {
            let entry = new.entry(effect).or_insert((novelty, Vec::new()));
            entry.0 = entry.0.max(novelty);
            entry.1.push(reach);
        }
        for (effect, (novelty, mut reaches)) in new {
            reaches.sort_by_key(|reach| (reach.chain.len(), reach.chain[0].line));
            diff.reaches.push(NewReach { path: file.path.clone(), effect, novelty, reaches });
        }
    }
    let risk = |new: &NewReach| knowledge.effects.get(new.effect).map(|effect| effect.risk);
    diff.reaches.sort_by(|a, b| (risk(b), b.novelty).cmp(&(risk(a), a.novelty)).then_with(|| a.path.cmp(&b.path)));
    for sides in manifests {
        diff.packages.extend(new_packages(knowledge, sides));
    }
    diff
}

fn new_reaches(
    knowledge: &Knowledge,
    before: &Reached,
    now: &Reached,
    all_before: &BTreeSet<usize>,
) -> Vec<(usize, Novelty, Reach)> {
    // Maps each effect and symbol to its definitions. A removed definition cancels an added one, because it was renamed.
    let units = |reached: &Reached| {
        let mut map: BTreeMap<(usize, String), BTreeMap<String, usize>> = BTreeMap::new();
        for reach in reportable(&reached.effects) {
            *map.entry((reach.effect, reach.sink.clone())).or_default().entry(reach.unit.clone()).or_default() += 1;
        }
        map
    };
    let (old, new) = (units(before), units(now));
    let had: BTreeSet<usize> = before.effects.iter().map(|reach| reach.effect).collect();
    let mut found = Vec::new();
    for ((effect, sink), here) in &new {
        let there = old.get(&(*effect, sink.clone()));
        let came: Vec<&String> =
            here.keys().filter(|unit| !there.is_some_and(|there| there.contains_key(*unit))).collect();
        let went = there.map_or(0, |there| there.keys().filter(|unit| !here.contains_key(*unit)).count());
        let novelty = match (all_before.contains(effect), had.contains(effect), there.is_some()) {
            (false, ..) => Novelty::Change,
            (_, false, _) => Novelty::File,
            (_, _, false) => Novelty::Means,
            _ => Novelty::Place,
        };
        let quiet = knowledge.effects.get(*effect).is_some_and(|effect| effect.risk == Risk::Info);
        if quiet && novelty < Novelty::File {
            continue;
        }
        for unit in came.into_iter().skip(went) {
            let reach = reportable(&now.effects)
                .into_iter()
                .find(|reach| reach.effect == *effect && reach.sink == *sink && reach.unit == *unit);
            found.extend(reach.map(|reach| (*effect, novelty, reach.clone())));
        }
    }
    found
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
