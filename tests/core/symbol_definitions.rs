//! Definitions compared with those of Universal Ctags, in public repositories.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use diffsan_syntax::language::Language;
use diffsan_syntax::symbols::{Kind, read};
use diffsan_test_support::repo::git;
use serde_json::Value;

/// The kinds of ctags that are functions, methods or types, in the languages of the repositories.
const KINDS: &[&str] = &[
    "class",
    "constant function",
    "enum",
    "function",
    "generator",
    "implementation",
    "interface",
    "method",
    "singletonMethod",
    "struct",
    "trait",
    "type",
    "alias",
    "getter",
    "setter",
    "module",
    "macro",
];

/// The languages by their names in ctags.
const LANGUAGES: &[&str] = &["Go", "Java", "JavaScript", "PHP", "Python", "Ruby", "Rust", "TypeScript"];

/// A definition: path, line and name.
type Found = BTreeSet<(String, u64, String)>;

/// Returns the definitions that ctags finds, by language.
fn expected(folder: &Path) -> BTreeMap<String, Found> {
    let output = Command::new("ctags")
        .args(["--output-format=json", "--fields=+nKl", "--recurse", "--links=no", "-f", "-", "."])
        .current_dir(folder)
        .output()
        .expect("universal-ctags, which tests/setup.sh installs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut all: BTreeMap<String, Found> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let tag: Value = serde_json::from_str(line).expect("JSON");
        let text = |field: &str| tag[field].as_str().unwrap_or_default();
        let (name, path) = (text("name"), text("path").trim_start_matches("./"));
        // Names that ctags makes up for functions without one, and blocks that are not definitions.
        let made_up = name.to_lowercase().starts_with("anonymous")
            || name.starts_with("__anon")
            || text("kind") == "implementation";
        // The imports of PHP are aliases for ctags, and it takes names in imports of types in TypeScript for aliases.
        let is_import = text("kind") == "alias" && !text("pattern").contains("type ")
            || ["import ", "use "].iter().any(|word| text("pattern").trim_start_matches("/^").starts_with(word));
        if !is_import && KINDS.contains(&text("kind")) && LANGUAGES.contains(&text("language")) && !made_up {
            let place = (path.to_owned(), tag["line"].as_u64().unwrap_or_default(), name.to_owned());
            all.entry(text("language").to_owned()).or_default().insert(place);
        }
    }
    all
}

/// Returns the definitions of all files.
fn found(folder: &Path, paths: &BTreeSet<String>) -> Found {
    let mut all = Found::new();
    for path in paths {
        let Some(language) = Language::of(path) else { continue };
        let Some(symbols) = read(language, &std::fs::read(folder.join(path)).expect("a file")) else { continue };
        let definitions = symbols.definitions.iter().filter(|one| one.kind != Kind::Extension);
        all.extend(definitions.map(|one| (path.clone(), one.at.line.into(), symbols.name(one.name).to_owned())));
    }
    all
}

#[test]
fn nearly_all_definitions_of_ctags_are_found() {
    let data = tempfile::tempdir().expect("a folder");
    let bundles = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/findings/public");
    let mut totals: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for bundle in std::fs::read_dir(bundles).expect("the bundles").flatten().map(|entry| entry.path()) {
        if bundle.extension().is_none_or(|end| end != "bundle") {
            continue;
        }
        let clone = data.path().join(bundle.file_stem().expect("a name"));
        let run = |command: &mut Command| {
            let output = command.output().expect("git");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).expect("UTF-8")
        };
        run(git(data.path()).args(["clone", "--quiet", "--no-checkout"]).arg(&bundle).arg(&clone));
        let branch = run(git(&clone).args(["for-each-ref", "--format=%(objectname)", "--count=1", "refs/remotes"]));
        run(git(&clone).args(["checkout", "--quiet", "--detach", branch.trim()]));
        for (language, wanted) in expected(&clone) {
            let paths: BTreeSet<String> = wanted.iter().map(|(path, ..)| path.clone()).collect();
            let found = found(&clone, &paths);
            let total = totals.entry(language.clone()).or_default();
            for one in &wanted {
                total.0 += 1;
                total.1 += usize::from(found.contains(one));
                if !found.contains(one) && std::env::var_os("SYMBOLS_MISSING").is_some() {
                    println!("{language}: {}:{} {}", one.0, one.1, one.2);
                }
            }
        }
    }
    for (language, (wanted, found)) in &totals {
        println!("{language:12} {found:6} of {wanted:6} definitions");
    }
    for (language, (wanted, found)) in totals {
        assert!(found * 100 >= wanted * 95, "{language}: {found} of {wanted}");
    }
}
