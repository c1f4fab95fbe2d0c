//! The corpus of histories whose author's edits are known: no edit of the author's is hidden, at least 95 % of the target's lines are,
//! and a rebase without an edit shows nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use diffsan_git::{Repo, VersionCommits};
use diffsan_versions::{CompareOptions, ComparedFile, compare};
use serde_json::{Value, json};

/// The number of cases. `DIFFSAN_HISTORIES` replaces it, and `DIFFSAN_HISTORIES_SEED` the seed.
const CASES: &str = "2000";

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/histories")
}

fn node(script: &str, arguments: &[&str]) -> (bool, String) {
    let output = Command::new("node").arg(scripts().join(script)).args(arguments).output().expect("node is installed");
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&text).into_owned())
}

/// Returns the answer to a case: the lines that the comparison shows, with their numbers.
fn answer(folder: &Path, case: &Value) -> Value {
    let commit = |name: &str| case["commits"][name].as_str().unwrap().to_owned();
    let repo = Repo::open(&folder.join(case["repository"].as_str().unwrap())).unwrap();
    let version = |base: &str, head: &str| VersionCommits { base: Some(commit(base)), head: commit(head) };
    let (old, new) = (version("old_base", "old_head"), version("new_base", "new_head"));
    let comparison = compare(&repo, &old, &new, CompareOptions { context: 0, commits: false }).unwrap();
    json!({ "id": case["id"], "files": comparison.files.iter().map(file).collect::<Vec<_>>() })
}

fn file(file: &ComparedFile) -> Value {
    let lines = || file.hunks.iter().flat_map(|hunk| &hunk.lines);
    let removed = || lines().filter(|line| line.sign == '-');
    json!({
        "path": file.path,
        "old_path": file.old_path.as_ref().unwrap_or(&file.path),
        "shown": {
            "added": lines().filter(|line| line.sign == '+').filter_map(|line| line.new).collect::<Vec<_>>(),
            "removed": removed().filter_map(|line| line.old).collect::<Vec<_>>(),
            "removed_from_base": removed().filter_map(|line| line.base).collect::<Vec<_>>(),
        },
        "conflicts": {
            "added": lines().filter(|line| line.conflict).filter_map(|line| line.new).collect::<Vec<_>>(),
        },
    })
}

#[test]
fn the_goals_are_met_on_constructed_histories() {
    let setting = |name: &str, default: &str| std::env::var(name).unwrap_or_else(|_| default.to_owned());
    let (count, seed) = (setting("DIFFSAN_HISTORIES", CASES), setting("DIFFSAN_HISTORIES_SEED", "1"));
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("histories");
    let place = folder.to_str().unwrap();
    let (made, said) = node("generate.mjs", &["--out", place, "--count", &count, "--seed", &seed]);
    assert!(made, "{said}");
    let truth = folder.join("truth.jsonl");
    let text = fs::read_to_string(&truth).unwrap();
    let cases: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (next, answers) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let answer = answer(&folder, case).to_string();
                    answers.lock().unwrap().push(answer);
                }
            });
        }
    });
    let found = folder.join("answers.jsonl");
    fs::write(&found, answers.into_inner().unwrap().join("\n")).unwrap();
    if let Some(copy) = std::env::var_os("DIFFSAN_HISTORIES_ANSWERS") {
        fs::copy(&found, copy).unwrap();
    }
    let (met, scores) = node("score.mjs", &[truth.to_str().unwrap(), found.to_str().unwrap()]);
    println!("{scores}");
    assert!(met, "{scores}");
}
