//! Seals and replays a review of every change of the corpus in `tests/fixtures/findings`: the written changes, those of this repository, and
//! those of public repositories. The agent answers with all findings and claims of the corpus, whose places and quotes are damaged.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use diffsan_agent::SearchPath;
use diffsan_bundle::{read_bundle, seal};
use diffsan_test_support::repo::TestRepo;
use diffsan_test_support::stand_in::{StandIn, envelope};
use serde_json::{Value, json};

use crate::support::{Installation, read};

/// A change: the repository, and the arguments that name the change.
struct Change {
    id: String,
    folder: PathBuf,
    target: Vec<String>,
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/findings")
}

fn rows(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).expect("a file of the corpus");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Returns the answers of the agent by change.
fn answers() -> BTreeMap<String, String> {
    let mut findings: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let id = |row: &Value| row["change"].as_str().expect("a change").to_owned();
    for folder in [corpus(), corpus().join("public")] {
        for row in rows(&folder.join("findings.jsonl")) {
            findings.entry(id(&row)).or_default().push(row["finding"].clone());
        }
    }
    for row in rows(&corpus().join("claims.jsonl")) {
        findings.entry(id(&row)).or_default().push(json!({
            "severity": "low", "category": "maintainability", "path": row["path"], "line_start": row["line"], "line_end": row["line"],
            "title": format!("Claim {}", row["id"]), "body_markdown": row["claim"],
        }));
    }
    let answer = |findings: Vec<Value>| json!({ "summary_markdown": "It works.", "findings": findings }).to_string();
    findings.into_iter().map(|(id, findings)| (id, answer(findings))).collect()
}

fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            std::fs::create_dir_all(&target).expect("a folder");
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

/// Returns the changes that are stored as plain files, each with its repository.
fn written() -> Vec<(Change, TestRepo)> {
    let change = |row: Value| {
        let id = row["id"].as_str().expect("an id").to_owned();
        let (repo, files) = (TestRepo::new(), corpus().join("changes").join(&id));
        copy(&files.join("base"), repo.path());
        repo.commit("base");
        repo.git(["rm", "-q", "-r", "."]);
        std::fs::create_dir_all(repo.path()).expect("a folder");
        copy(&files.join("head"), repo.path());
        repo.commit("head");
        let target = vec!["--range".to_owned(), "HEAD~1..HEAD".to_owned()];
        (Change { id, folder: repo.path().to_owned(), target }, repo)
    };
    rows(&corpus().join("changes.jsonl")).into_iter().map(change).collect()
}

/// Returns the changes of public repositories, which are branches of bundles.
fn public(folder: &Path) -> Vec<Change> {
    let change = |row: Value| {
        let id = row["id"].as_str().expect("an id").to_owned();
        let (name, _) = id.rsplit_once('-').expect("a name");
        let clone = folder.join(name);
        if !clone.exists() {
            let bundle = corpus().join(format!("public/{name}.bundle"));
            let cloned = Command::new("git").args(["clone", "-q", "--bare"]).arg(bundle).arg(&clone).status();
            assert!(cloned.expect("git").success());
        }
        let target = vec!["--range".to_owned(), format!("{id}~1..{id}")];
        Change { id, folder: clone, target }
    };
    rows(&corpus().join("public/changes.jsonl")).into_iter().map(change).collect()
}

#[test]
fn the_review_of_every_change_of_the_corpus_is_replayed_byte_for_byte() {
    let folder = tempfile::tempdir().expect("a folder");
    let (written, answers) = (written(), answers());
    let changes: Vec<Change> = public(folder.path()).into_iter().collect();
    let all: Vec<&Change> = written.iter().map(|(change, _)| change).chain(&changes).collect();
    assert_eq!(all.len(), 42, "every change has a repository");
    let mut stand_in = StandIn::new();
    for (change, attempt) in all.iter().zip(1..) {
        stand_in = stand_in.plays(attempt, &envelope(&answers[&change.id]), "", 0);
    }
    let installation = Installation::new().with_stand_in(&stand_in);
    let (mut findings, mut decided) = (0, 0);
    for Change { id, folder: repo, target } in all {
        let run = folder.path().join(format!("run-{id}"));
        let run_text = run.display().to_string();
        let mut args = vec!["review", "--agent", "cursor", "--run-dir", &run_text, "--output", "/dev/null"];
        args.extend(target.iter().map(String::as_str));
        let ran = installation.run(repo, &args);
        assert_eq!(ran.code, 0, "{id}: {ran:?}");
        let sealed = seal(&run, None, &SearchPath::default()).unwrap_or_else(|error| panic!("{id}: {error}"));
        let recorded = read(&run, "review.json");
        // Only the bundle remains.
        std::fs::remove_dir_all(&run).expect("removed");
        let bundle = read_bundle(&sealed.bytes).unwrap_or_else(|error| panic!("{id}: {error}"));
        let (review, text) = bundle.replay().unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_eq!(text, recorded, "{id}");
        assert_eq!(serde_json::to_string_pretty(&json!(review)).expect("JSON"), recorded, "{id}");
        findings += review.findings.len();
        let is_decided = |claim: &&diffsan_review::finding::Claim| {
            claim.verdict != diffsan_review::finding::Verdict::Unchecked && claim.claim != "the quoted code is there"
        };
        decided += review.findings.iter().flat_map(|finding| &finding.claims).filter(is_decided).count();
    }
    println!("{findings} findings, {decided} claims that the repository decided");
    assert!(findings > 2000 && decided > 200, "{findings} findings, {decided} decided claims");
}
