//! Examinations of changes in real repositories: stored facts, bounds that are reported, and packages of the repository itself.

use std::path::{Path, PathBuf};

use diffsan_capability::knowledge::Knowledge;
use diffsan_capability::project::Bounds;
use diffsan_change::Target;
use diffsan_pipeline::open::{OpenChange, OpenRequest, Source};
use diffsan_pipeline::policy::examine;
use diffsan_policy::{Ask, Examined, Mode};
use diffsan_store::Store;
use diffsan_store::files::places::Places;
use diffsan_store::files::symbol_cache::SymbolCache;
use diffsan_test_support::repo::TestRepo;

const CLIENT: &str = "import resend\n\n\ndef notify(address):\n    resend.Emails.send({\"to\": address})\n";

/// Examines the last commit of a repository.
fn examined(repo: &TestRepo, stored_facts: Option<SymbolCache>) -> Examined {
    let nowhere = repo.beside("nowhere");
    let places = Places { data: nowhere.clone(), config: nowhere };
    let store = Store::in_memory().expect("a store");
    let request = OpenRequest {
        source: Source::Repository(repo.path().to_owned()),
        target: Target::Commit { rev: "HEAD".to_owned() },
        overrides: Vec::new(),
        trusted: false,
        since: None,
        selected: None,
    };
    let opened = OpenChange::open(&places, &store, [7; 32], request).expect("a change");
    let bounds = Bounds { max_files: 100, max_follow_depth: 4, max_search_results: 50, max_runtime_seconds: 0 };
    let ask = Ask { bounds, contracts: None, mode: Mode::Compare, stored_facts };
    let knowledge = Knowledge::load(&[]).expect("tables");
    examine(&opened, &knowledge, &ask, &|| false).expect("an examination")
}

/// Returns all files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn project(job: &str) -> TestRepo {
    let repo = TestRepo::new();
    repo.write("client.py", CLIENT);
    repo.write("job.py", "import client\n\n\ndef run(address):\n    return address\n");
    repo.commit("before");
    repo.write("job.py", job);
    repo.commit("change");
    repo
}

#[test]
fn stored_facts_give_the_same_result() {
    let repo = project("import client\n\n\ndef run(address):\n    client.notify(address)\n");
    let folder = repo.beside("facts");
    let stored = || Some(SymbolCache::open(&folder, 1).expect("a cache"));
    let plain = examined(&repo, None);
    assert!(format!("{:?}", plain.diff).contains("resend.Emails.send"), "{:?}", plain.diff);
    for _ in 0..2 {
        let with_stored = examined(&repo, stored());
        assert_eq!(format!("{:?}", with_stored.diff), format!("{:?}", plain.diff));
        assert_eq!(with_stored.files_read, plain.files_read);
        // Both versions of the job, and the client, which both sides share.
        assert_eq!(files(&folder).len(), 3);
    }
}

#[test]
fn facts_of_a_file_with_a_secret_are_not_stored() {
    let secret = ["ghp", "_", "x9Kd82LsPq0ZmN4vTb7RyWc3Ue6HfGj1Ai5o"].concat();
    let repo = project(&format!("import client\n\n\ndef run(address):\n    client.notify(\"{secret}\")\n"));
    let folder = repo.beside("facts");
    let examined = examined(&repo, SymbolCache::open(&folder, 1));
    assert_eq!(examined.diff.reaches.len(), 1);
    let all = files(&folder);
    assert_eq!(all.len(), 2, "{all:?}");
    for path in all {
        let bytes = std::fs::read(&path).expect("a file");
        assert!(!bytes.windows(secret.len()).any(|part| part == secret.as_bytes()), "{}", path.display());
    }
}

#[test]
fn a_bound_on_the_documents_with_contracts_is_reported() {
    let repo = project("import client\n\n\ndef run(address):\n    client.notify(address)\n");
    for number in 0..51 {
        repo.write(format!("notes-{number}.md"), "Nothing.\n");
    }
    repo.commit("notes");
    repo.write("job.py", "import client\n");
    repo.commit("change");
    let hits = examined(&repo, None).hits;
    assert!(hits.get("max_search_results").is_some_and(|place| place.contains("contracts in Markdown")), "{hits:?}");
}

#[test]
fn packages_of_the_repository_are_no_new_dependencies() {
    let repo = TestRepo::new();
    let manifest = |name: &str, rest: &str| format!("[package]\nname = \"{name}\"\n\n[dependencies]\n{rest}");
    repo.write("crates/app-db/Cargo.toml", manifest("app-db", ""));
    repo.write("crates/app/Cargo.toml", manifest("app", ""));
    repo.commit("before");
    repo.write("crates/app/Cargo.toml", manifest("app", "app-db.workspace = true\nleftpad = \"1\"\n"));
    repo.commit("change");
    let packages: Vec<String> = examined(&repo, None).diff.packages.into_iter().map(|new| new.package.name).collect();
    assert_eq!(packages, ["leftpad"]);
}

#[test]
fn a_violation_in_many_lines_of_a_file_is_one_finding_with_its_lines() {
    let repo = TestRepo::new();
    repo.write("contracts.toml", "effects = [\"MUST NOT read environment variables\"]\n");
    repo.write("config.php", "<?php return [];\n");
    repo.commit("before");
    let lines: String = (0..30).map(|at| format!("  'k{at}' => env('K{at}'),\n")).collect();
    repo.write("config.php", format!("<?php return [\n{lines}];\n"));
    repo.commit("change");
    let found = examined(&repo, None);
    assert_eq!(found.findings.len(), 1, "{:?}", found.findings);
    assert!(found.findings[0].message.contains("`env` (30 places)."), "{:?}", found.findings[0].message);
    assert_eq!(found.findings[0].also.len(), 29);
    let knowledge = Knowledge::load(&[]).expect("tables");
    let reported = diffsan_policy::findings(&knowledge, &found);
    let bodies: Vec<&str> = reported.iter().map(|(finding, _)| finding.body_markdown.as_str()).collect();
    assert_eq!(bodies.len(), 1, "{bodies:?}");
    assert!(bodies[0].contains("Also: lines 3, 4, 5") && bodies[0].contains("22 and 9 more."), "{bodies:?}");
}
