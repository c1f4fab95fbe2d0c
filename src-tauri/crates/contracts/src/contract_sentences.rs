//! Tests the reading of contracts with a table of sentences.

use std::collections::BTreeSet;

use crate::code_names::CodeName;
use crate::contract::{ContractEffect, Reading};
use crate::reader::parse;
use crate::vocabulary::Vocabulary;

const TABLE: &str = include_str!("contract_sentences.txt");

/// A reading in the form of the table.
fn reading(vocabulary: &Vocabulary, effect: &ContractEffect) -> String {
    let named = vocabulary.named_effects(&effect.action, &effect.resource);
    let imports = names_of("import", &effect.imports);
    if effect.reading != Reading::NotUnderstood && !imports.is_empty() {
        let imports = imports.replace(' ', ":");
        let (subjects, exceptions) = (names_of("in", &effect.subjects), names_of("except", &effect.exceptions));
        return format!("forbid {}{subjects}{exceptions}", imports.trim_start_matches(':'));
    }
    if effect.reading == Reading::NotUnderstood || named.effects.is_empty() {
        return "?".to_owned();
    }
    let polarity = match effect.modal {
        modal if modal.forbids() && effect.is_about_additions => "forbid-new",
        modal if modal.forbids() => "forbid",
        modal if modal.demands() => "demand",
        _ => "allow",
    };
    let effects: Vec<&str> = named.effects.keys().map(String::as_str).collect();
    format!(
        "{polarity} {}{}{}",
        effects.join(","),
        names_of("in", &effect.subjects),
        names_of("except", &effect.exceptions)
    )
}

fn names_of(word: &str, names: &[CodeName]) -> String {
    match names {
        [] => String::new(),
        names => format!(" {word} {}", names.iter().map(|name| name.text.to_lowercase()).collect::<Vec<_>>().join(",")),
    }
}

/// Returns whether a found reading is the wanted one. It can have more effects of the same kind.
fn fits(vocabulary: &Vocabulary, found: &str, wanted: &str) -> bool {
    let parts = |text: &str| -> (String, BTreeSet<String>, String) {
        let mut words = text.splitn(3, ' ').map(str::to_owned);
        let polarity = words.next().unwrap_or_default();
        let effects = words.next().unwrap_or_default().split(',').map(str::to_owned).collect();
        (polarity, effects, words.next().unwrap_or_default())
    };
    let ((polarity, effects, names), (wanted_polarity, wanted, wanted_names)) = (parts(found), parts(wanted));
    let wider = |id: &String| -> BTreeSet<String> {
        let index = vocabulary.effect_index(id);
        index.map(|at| vocabulary.with_wider(at).into_iter().map(|one| one.id.clone()).collect()).unwrap_or_default()
    };
    let is_kin = |id: &String| {
        wanted.contains(id) || wanted.iter().any(|one| wider(id).contains(one) || wider(one).contains(id))
    };
    polarity == wanted_polarity
        && names == wanted_names
        && (polarity == "?" || wanted.is_subset(&effects) && effects.iter().all(is_kin))
}

#[test]
fn sentences_of_real_projects_are_read() {
    let mut vocabulary = Vocabulary::load().expect("tables");
    for (module, member, effect) in [
        ("os", "system", "shell.run"),
        ("time", "sleep", "thread.sleep"),
        ("sys", "exit", "process.exit"),
        ("", "getenv", "env.read"),
    ] {
        let effect = vocabulary.effect_index(effect).expect("an effect");
        vocabulary.add_symbol(module, &[member.to_owned()], effect);
    }
    let mut wrong = Vec::new();
    for line in TABLE.lines().filter(|line| !line.starts_with("//")) {
        let (text, wanted) = line.split_once(" | ").expect("a reading");
        let wanted: Vec<&str> = wanted.split(" ; ").filter(|one| *one != "none").collect();
        let contracts = parse("CONTRACT.md", &text.replace("\\n", "\n"), &vocabulary);
        let found: Vec<String> = contracts.effects.iter().map(|effect| reading(&vocabulary, effect)).collect();
        let is_right = found.len() == wanted.len() && found.iter().zip(&wanted).all(|(a, b)| fits(&vocabulary, a, b));
        if !is_right {
            wrong.push(format!("{text}\n  wanted: {wanted:?}\n  found:  {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn words_in_any_order_are_read() {
    let vocabulary = Vocabulary::load().expect("tables");
    let words: Vec<&str> = TABLE.split_whitespace().collect();
    let mut state = 1_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or_default() % below
    };
    for _ in 0..3_000 {
        let sentence: Vec<&str> = (0..=next(8)).map(|_| words[next(words.len())]).collect();
        let text = sentence.join(" ");
        let contracts = parse("README.md", &format!("<capabilities>\n{text}\n</capabilities>"), &vocabulary);
        assert!(contracts.effects.len() < 10, "{text}");
    }
}
