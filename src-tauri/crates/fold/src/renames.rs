//! Accepts renames that are the same in the whole change.
//!
//! A rename is accepted if the change declares the name, every old name of a file has a new one, no file had the new name before, and no two
//! names become one. Then every name refers to what it referred to before.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use diffsan_syntax::language::Language;
use diffsan_syntax::tokens::TokenClass;

use crate::changed::Changed;
use crate::names::{Binding, Pair, Space, is_keyword_argument, is_shorthand, space};
use crate::places::Candidate;
use crate::source::Source;
use crate::types::{FoldReason, Rename};

type Key = (Space, String, String);

/// Beginnings of names that test runners, compilers and runtimes know.
const KNOWN_NAMES: &[&str] = &[
    "test",
    "Test",
    "Benchmark",
    "Example",
    "Fuzz",
    "bench",
    "should",
    "main",
    "Main",
    "init",
    "Init",
    "setup",
    "setUp",
    "tear",
    "before",
    "after",
    "constructor",
    "initialize",
    "toString",
    "toJSON",
    "valueOf",
    "equals",
    "hashCode",
    "to_s",
    "compareTo",
    "component",
    "render",
    "use",
    "on",
    "get",
    "set",
    "handle",
    "visit_",
    "do_",
];

pub(crate) fn fold(changed: &mut Changed<'_>, candidates: Vec<Candidate>) {
    let mut accepted: Vec<bool> = candidates.iter().map(|_| true).collect();
    loop {
        let refused = refused(changed, &candidates, &accepted);
        let mut again = false;
        for (candidate, accepted) in candidates.iter().zip(&mut accepted) {
            let good = !candidate.pairs.iter().any(|pair| refused.contains(&key(pair)));
            again |= *accepted && !good;
            *accepted &= good;
        }
        if !again {
            break;
        }
    }
    for (candidate, _) in candidates.iter().zip(accepted).filter(|(_, accepted)| *accepted) {
        let renames: BTreeSet<Rename> =
            candidate.pairs.iter().map(|pair| Rename { from: pair.from.clone(), to: pair.to.clone() }).collect();
        let lines = (&candidate.old, &candidate.new);
        changed.fold_ranges(candidate.groups.clone(), lines, FoldReason::Renamed, renames.into_iter().collect());
    }
}

fn key(pair: &Pair) -> Key {
    (pair.space, pair.from.clone(), pair.to.clone())
}

/// Returns the pairs that are no consistent renames.
fn refused(changed: &Changed<'_>, candidates: &[Candidate], accepted: &[bool]) -> HashSet<Key> {
    let mut files: BTreeMap<Key, BTreeSet<usize>> = BTreeMap::new();
    let mut bound: BTreeMap<Key, Vec<(usize, Binding)>> = BTreeMap::new();
    let (mut to, mut from) = (BTreeMap::new(), BTreeMap::new());
    let mut refused = HashSet::new();
    for (candidate, accepted) in candidates.iter().zip(accepted) {
        for pair in &candidate.pairs {
            // A refused line stays visible, but it still shows that a name is not the same everywhere.
            files.entry(key(pair)).or_default().insert(candidate.file);
            let forward = to.entry((pair.space, &pair.from)).or_insert(&pair.to);
            let back = from.entry((pair.space, &pair.to)).or_insert(&pair.from);
            if *forward != &pair.to || *back != &pair.from {
                refused.insert(key(pair));
                refused.insert((pair.space, pair.from.clone(), (*forward).clone()));
                refused.insert((pair.space, (*back).clone(), pair.to.clone()));
            }
            if *accepted {
                bound.entry(key(pair)).or_default().push((candidate.file, pair.binding));
            }
        }
    }
    for (pair, files) in &files {
        let bindings = bound.get(pair).map(Vec::as_slice).unwrap_or_default();
        let defined = bindings.iter().any(|(_, binding)| *binding == Binding::Definition);
        let is_bound =
            |file: &usize| defined || bindings.iter().any(|(at, binding)| at == file && *binding > Binding::Use);
        // A declaration alone does not show the target of the uses.
        let used = bindings.iter().any(|(_, binding)| *binding == Binding::Use);
        let fits = used && files.iter().all(|file| is_bound(file) && is_consistent(changed, *file, pair, defined));
        if !fits {
            refused.insert(pair.clone());
        }
    }
    refused
}

fn is_consistent(changed: &Changed<'_>, file: usize, (space, from, to): &Key, defined: bool) -> bool {
    let sides = &changed.files[file];
    let (Some(old), Some(new)) = (&sides.old, &sides.new) else { return false };
    !has_name(new, *space, from) && !has_word(old, to) && keeps_kind(from, to, new.language, defined)
}

/// Returns whether a text has a word as a whole token: as a name, a keyword or a type.
fn has_word(source: &Source<'_>, word: &str) -> bool {
    source.tokens.iter().any(|token| &source.lines.text[token.range.clone()] == word)
}

/// Returns whether a text has a name in a space, or in a string from which code could find a member.
fn has_name(source: &Source<'_>, wanted: Space, name: &str) -> bool {
    source.tokens.iter().any(|token| {
        let text = &source.lines.text[token.range.clone()];
        if token.class == TokenClass::Text && wanted == Space::Member && space(token).is_none() {
            return text.split(|char: char| !char.is_alphanumeric() && char != '_').any(|word| word == name);
        }
        text == name
            && !is_keyword_argument(token)
            && space(token).is_some_and(|space| space == wanted || is_shorthand(token))
    })
}

/// Returns whether both names have the same meaning for compilers and tools, apart from what they name.
fn keeps_kind(from: &str, to: &str, language: Option<Language>, defined: bool) -> bool {
    let first = |name: &str| name.chars().find(|char| *char != '_').map(char::is_uppercase);
    let lead = |name: &str| name.len() - name.trim_start_matches('_').len();
    let known = |name: &str| {
        let rest = |start: &&&str| name.strip_prefix(**start);
        let word = |rest: &str| !rest.starts_with(|char: char| char.is_lowercase());
        KNOWN_NAMES.iter().filter(|start| rest(start).is_some_and(word)).count() > 0
    };
    let tail = |name: &str| {
        name.trim_end_matches(|char: char| char != '_' && char != '?' && char != '!').len() == name.len()
            && name.ends_with(['_', '?', '!'])
    };
    let go_test = language == Some(Language::Go) && (from.starts_with("Test") || to.starts_with("Test"));
    first(from) == first(to)
        && lead(from) == lead(to)
        && tail(from) == tail(to)
        && !(from.starts_with("__") || to.starts_with("__"))
        && !(defined && (known(from) || known(to)))
        && !go_test
}
