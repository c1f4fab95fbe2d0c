//! Code of any language and files of commands, complete or not, become facts whose lines are in the file. Manifests and contracts are read or ignored.
#![no_main]

use std::sync::LazyLock;

use diffsan_capability::commands;
use diffsan_capability::facts::Facts;
use diffsan_capability::knowledge::Knowledge;
use diffsan_capability::{manifest, read};
use diffsan_syntax::embedded::Format;
use diffsan_syntax::language::Language;
use libfuzzer_sys::fuzz_target;

const FILES: [&str; 8] = [
    "package.json",
    "Cargo.toml",
    "requirements.txt",
    "pyproject.toml",
    "go.mod",
    "pom.xml",
    "Gemfile",
    "composer.json",
];

static KNOWLEDGE: LazyLock<Knowledge> = LazyLock::new(|| Knowledge::load(&[]).expect("tables"));

/// Files with embedded code.
const PAGES: [&str; 5] = ["a.vue", "a.svelte", "a.html", "a.erb", "a.blade.php"];

const COMMANDS: [commands::Format; 7] = [
    commands::Format::Shell,
    commands::Format::Dockerfile,
    commands::Format::GitHub,
    commands::Format::GitLab,
    commands::Format::Makefile,
    commands::Format::Package,
    commands::Format::Compose,
];

fn check(facts: &Facts, text: &str) {
    let lines = u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX) + 1;
    for unit in &facts.units {
        assert!(unit.line >= 1 && unit.line <= unit.end && unit.end <= lines, "{unit:?} of {lines} lines");
        assert!(unit.parent < facts.units.len(), "{unit:?}");
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&first, rest)) = data.split_first() else { return };
    let text = String::from_utf8_lossy(rest);
    // The first byte selects the language as a letter, so that corpora are readable.
    let language = Language::ALL[usize::from(first) % Language::ALL.len()];
    check(&read::facts(language, &text.as_ref().into()), &text);
    let page = PAGES[usize::from(first) % PAGES.len()];
    if let Some(format) = Format::of(page) {
        check(&read::facts_of_file(page, format.language(), &text.as_ref().into()), &text);
    }
    let commands = COMMANDS[usize::from(first) % COMMANDS.len()];
    check(&commands.facts(&text.as_ref().into()), &text);
    let file = FILES[usize::from(first) % FILES.len()];
    let _ = manifest::packages(file, &text);
    let _ = diffsan_contracts::parse("contracts.toml", &text, &KNOWLEDGE.vocabulary);
    let _ = diffsan_contracts::parse("README.md", &text, &KNOWLEDGE.vocabulary);
});
