//! Judges contracts about the packages that manifests list and that commands and images need.

use super::additions::Additions;
use super::contract_line::{ContractLine, Scope};
use super::diff::NewPackage;
use super::judge::{Findings, Judgment, Place, PolicyFinding, places};
use super::manifest;
use diffsan_contracts::vocabulary::PACKAGE_ADD;
use diffsan_syntax::language::Language;

/// Words for the packages of a language.
const WORDS: &[(Language, &[&str])] = &[
    (Language::JavaScript, &["npm", "node", "javascript", "typescript", "yarn", "pnpm", "js"]),
    (Language::Python, &["python", "pip", "pypi", "poetry"]),
    (Language::Rust, &["crate", "crates", "cargo", "rust"]),
    (Language::Ruby, &["gem", "gems", "ruby", "rubygem", "rubygems", "bundler"]),
    (Language::Php, &["composer", "php", "packagist"]),
    (Language::Java, &["maven", "java", "artifact", "artifacts", "jar", "jars"]),
    (Language::Go, &["go", "golang"]),
];

/// Judges a line that forbids packages.
pub(crate) fn judged(wanted: &ContractLine<'_>, findings: &Findings<'_>) -> Vec<PolicyFinding> {
    let contract = wanted.contract;
    let text = contract.text();
    let unknown = |reason: &str| {
        let message = format!("Insufficient evidence for \"{text}\": {reason}.");
        vec![wanted.finding(Judgment::Unknown, 0.3, message, Vec::new(), findings)]
    };
    let Some(additions) = &findings.additions else { return unknown("the change was not compared with its base") };
    let found: Vec<&NewPackage> = additions.packages.iter().filter(|new| is_meant(wanted, new)).collect();
    let needed = needed(wanted, findings, additions);
    if !found.is_empty() || !needed.is_empty() {
        let violation = |new: &&NewPackage| {
            let name = &new.package.name;
            let message = format!("{} lists the new package `{name}`. The contract says: {text}.", new.path);
            let place = Place {
                file: new.path.clone(),
                line: new.package.line,
                excerpt: new.excerpt.clone(),
                symbol: name.clone(),
            };
            let judgment = if contract.modal.advises() { Judgment::LikelyViolation } else { Judgment::Violation };
            wanted.finding(judgment, 0.95, message, vec![place], findings)
        };
        return found.iter().map(violation).chain(needed).collect();
    }
    if let Some(path) = additions.unread_manifests.first() {
        return unknown(&format!("{path} can list packages and is not read"));
    }
    if !contract.is_about_additions {
        return unknown("the packages that were listed before the change are not examined");
    }
    let message = format!("No changed manifest lists a new package of this kind. The contract says: {text}.");
    vec![wanted.finding(Judgment::NoViolation, 0.9, message, Vec::new(), findings)]
}

/// Returns the places of commands and images that need a package and that the change adds.
fn needed(wanted: &ContractLine<'_>, findings: &Findings<'_>, additions: &Additions) -> Vec<PolicyFinding> {
    let contract = wanted.contract;
    let scope = Scope::new(contract);
    let effect = wanted.knowledge.vocabulary.effect_index(PACKAGE_ADD);
    let words = format!("{} {}", contract.action, contract.resource);
    // A line about the packages of a language is about those that its tools install.
    let is_meant = |sink: &str| {
        let mut named = WORDS.iter().filter(|(_, own)| words_of(&words).any(|word| own.contains(&word))).peekable();
        named.peek().is_none() || named.any(|(_, own)| words_of(sink).any(|word| own.contains(&word)))
    };
    let mut found = Vec::new();
    for (path, reached) in &findings.targets {
        let all = reached.effects.iter().chain(&reached.others).filter(|reach| Some(reach.effect) == effect);
        for reach in all.filter(|reach| additions.has(path, reach) && scope.has(&reach.chain) && is_meant(&reach.sink))
        {
            let text = contract.text();
            let message = format!("{path} needs another package: `{}`. The contract says: {text}.", reach.sink);
            let judgment = if contract.modal.advises() { Judgment::LikelyViolation } else { Judgment::Violation };
            found.push(wanted.finding(judgment, 0.9, message, places(&reach.chain), findings));
        }
    }
    found
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !char.is_alphanumeric())
}

/// Returns whether a line is about a package: by the words for its language, for its use, and by the manifest that the line names.
fn is_meant(wanted: &ContractLine<'_>, new: &NewPackage) -> bool {
    let contract = wanted.contract;
    let text = format!("{} {}", contract.action, contract.resource);
    let has = |word: &&str| text.split(|char: char| !char.is_alphanumeric()).any(|part| part == *word);
    let named = WORDS.iter().filter(|(_, words)| words.iter().any(&has)).map(|(language, _)| *language);
    let named: Vec<Language> = named.collect();
    let is_language = named.is_empty() || manifest::language(&new.path).is_some_and(|own| named.contains(&own));
    let is_use = match new.package.dev {
        true => !["runtime", "production", "run"].iter().any(&has),
        false => !["development", "dev", "test"].iter().any(has),
    };
    let manifests: Vec<&str> = contract
        .subjects
        .iter()
        .map(|name| name.text.as_str())
        .filter(|name| manifest::language(name).is_some())
        .collect();
    let is_there = manifests.is_empty() || manifests.iter().any(|name| new.path.ends_with(name));
    is_language && is_use && is_there
}
