//! The code that contracts are about, and the code outside of a change that reaches effects through it.

use std::collections::{BTreeMap, BTreeSet};

use diffsan_contracts::code_names::CodeName;
use diffsan_contracts::contract::Contracts;
use diffsan_contracts::vocabulary::ENDPOINT;
use diffsan_syntax::language::is_test;

use crate::code_places::{self, Area, Places};
use crate::follow::Follow;
use crate::knowledge::Knowledge;
use crate::project::Project;
use crate::reach::{Hop, Reached};
use crate::read::language_of;

/// Finds the code that the statements name. The files of the places that were reached are searched for definitions.
pub fn locate(
    contracts: &mut Contracts,
    project: &Project<'_>,
    knowledge: &Knowledge,
    reached: &BTreeMap<String, Reached>,
) {
    let all = contracts.effects.iter_mut();
    let mut names: Vec<&mut CodeName> = all
        .flat_map(|effect| effect.subjects.iter_mut().chain(&mut effect.exceptions).chain(&mut effect.imports))
        .collect();
    if names.is_empty() {
        return;
    }
    let chains = |reached: &Reached| -> Vec<String> {
        let effects = reached.effects.iter().chain(&reached.imported).map(|reach| &reach.chain);
        let chains = effects.chain(reached.open.iter().map(|open| &open.chain));
        chains.flatten().map(|hop| hop.path.clone()).collect()
    };
    let hops = reached.values().flat_map(chains);
    let files: BTreeSet<String> = reached.keys().cloned().chain(hops).collect();
    let endpoint = knowledge.vocabulary.effect_index(ENDPOINT);
    let registered =
        reached.values().flat_map(|reached| &reached.effects).filter(|reach| Some(reach.effect) == endpoint);
    let endpoints = registered.filter_map(|reach| reach.chain.last()).map(|hop| (hop.path.clone(), hop.line)).collect();
    let places = Places { files, endpoints };
    names.iter_mut().for_each(|name| code_places::locate(name, project, &places));
}

/// Returns what code outside of the change, which the statements are about, reaches through the changed files.
pub fn callers(
    contracts: &Contracts,
    project: &Project<'_>,
    follow: &Follow<'_>,
    reached: &BTreeMap<String, Reached>,
) -> BTreeMap<String, Reached> {
    let named = contracts.effects.iter().filter(|effect| effect.modal.forbids() && !effect.subjects.is_empty());
    let areas: Vec<Area> = named.map(|effect| Area::of_names(&effect.subjects)).collect();
    let is_caller = |path: &&String| {
        language_of(path).is_some()
            && !is_test(path)
            && !reached.contains_key(*path)
            && areas.iter().any(|area| area.touches(path))
    };
    let paths: Vec<String> = project.below("").filter(is_caller).cloned().collect();
    let is_through = |chain: &[Hop]| chain.iter().any(|hop| reached.contains_key(&hop.path));
    let through = |mut found: Reached| {
        found.effects.retain(|reach| is_through(&reach.chain));
        found.imported.retain(|reach| is_through(&reach.chain));
        found.open.retain(|open| is_through(&open.chain));
        found.imports = Vec::new();
        (!found.effects.is_empty() || !found.imported.is_empty() || !found.open.is_empty()).then_some(found)
    };
    let paths = project.searched("the code that a contract is about", paths);
    paths.into_iter().filter_map(|path| Some((path.clone(), through(follow.file(&path)?)?))).collect()
}
