//! Selects the contracts for a change: a named file, otherwise those of the target side.

use std::path::Path;

use crate::PolicyError;
use diffsan_capability::knowledge::Knowledge;
use diffsan_capability::project::{Project, folder};
use diffsan_contracts::{Contracts, has_block, parse};

/// The name of the file with a repository's contracts.
const FILE: &str = "contracts.toml";
/// The maximum size of a contract in bytes.
const MAX_CONTRACT_BYTES: u64 = 1_000_000;

/// Reads a contract that the user names. Blocks.
pub fn named_contracts(path: &Path, knowledge: &Knowledge) -> Result<Contracts, PolicyError> {
    let shown = path.display().to_string();
    let unreadable =
        |error: &dyn std::fmt::Display| PolicyError::Contract { path: shown.clone(), reason: error.to_string() };
    let text = diffsan_bounded::read_to_string(path, MAX_CONTRACT_BYTES).map_err(|error| unreadable(&error))?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_else(|| shown.clone());
    let contracts = parse(&name, &text, &knowledge.vocabulary);
    check(&contracts)?;
    if contracts.effects.is_empty() {
        return Err(unreadable(&"it has no statement that can be checked"));
    }
    Ok(contracts)
}

/// Returns an error for the first file that is no contract: nobody can comply with what it demands.
pub fn check(contracts: &Contracts) -> Result<(), PolicyError> {
    match contracts.unreadable.first() {
        None => Ok(()),
        Some(found) => {
            Err(PolicyError::Contract { path: format!("{}:{}", found.path, found.line), reason: found.message.clone() })
        }
    }
}

/// Returns the contracts of a side: `contracts.toml` in the root, and `<capabilities>` blocks in the Markdown files of the root and of the
/// folders of the targets. The latter apply to files below them.
pub(crate) fn of_side(project: &Project<'_>, targets: &[String], knowledge: &Knowledge) -> Contracts {
    let mut all = Contracts::default();
    for path in [FILE, ".diffsan/contracts.toml"] {
        if let Some(text) = project.text(path) {
            all.add(parse(path, &text, &knowledge.vocabulary));
        }
    }
    let mut folders: Vec<String> = vec![String::new()];
    for target in targets {
        let mut at = folder(target);
        while !at.is_empty() {
            if !folders.iter().any(|known| known == at) {
                folders.push(at.to_owned());
            }
            at = folder(at.trim_end_matches('/'));
        }
    }
    let mut documents = Vec::new();
    for place in &folders {
        let here = project.below(place).filter(|path| {
            let name = &path[place.len()..];
            !name.contains('/') && [".md", ".markdown"].iter().any(|ending| name.to_lowercase().ends_with(ending))
        });
        documents.extend(here.map(|path| (place.clone(), path.clone())));
    }
    for (place, path) in project.searched("contracts in Markdown", documents) {
        let Some(text) = project.text(&path).filter(|text| has_block(text)) else { continue };
        let mut found = parse(&path, &text, &knowledge.vocabulary);
        if !place.is_empty() {
            for effect in &mut found.effects {
                effect.scope = vec![format!("{place}**")];
            }
        }
        all.add(found);
    }
    all
}
