//! Endless inputs of the command: each is rejected with an error that names it, in bounded time and memory.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use diffsan_test_support::repo::TestRepo;

use crate::support::{Installation, Ran};

/// Only a program that hangs takes longer.
const DEADLINE: Duration = Duration::from_secs(120);

/// Runs the command with an input. Panics if it hangs.
#[track_caller]
fn ends(folder: &Path, args: &[&str], input: Stdio) -> Ran {
    let mut child = Installation::new().command(folder, args).stdin(input).spawn().expect("started");
    let began = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if began.elapsed() > DEADLINE {
            child.kill().expect("ended");
            panic!("{args:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().expect("output").into()
}

#[track_caller]
fn refused(folder: &Path, args: &[&str], input: Stdio, words: &str) {
    let ran = ends(folder, args, input);
    assert!(ran.code != 0 && ran.stderr.contains(words), "{args:?}: {ran:?}");
}

fn repo() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("src/a.rs", "fn a() {}\n");
    repo.commit("one");
    repo.write("src/a.rs", "fn b() {}\n");
    repo
}

fn pipe(path: &Path) {
    let _ = fs::remove_file(path);
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
}

fn endless() -> Stdio {
    File::open("/dev/zero").expect("a device").into()
}

#[test]
fn a_pipe_of_the_repository_is_refused_by_name() {
    for name in [".git/index", ".git/config", ".gitattributes", "src/.gitignore"] {
        let repo = repo();
        repo.write("src/new.rs", "");
        pipe(&repo.path().join(name));
        refused(repo.path(), &["prepare", "--all"], Stdio::null(), &format!("{name} was not read: it is a named pipe"));
    }
    // Optional files of diffsan and of agents are skipped.
    for name in [".diffsan.toml", "REVIEW.md", "AGENTS.md"] {
        let repo = repo();
        pipe(&repo.path().join(name));
        assert_eq!(ends(repo.path(), &["prompt", "--all"], Stdio::null()).code, 0, "{name}");
    }
}

#[test]
fn a_file_of_20_gigabytes_is_listed_with_the_reason() {
    let repo = repo();
    for name in ["new.sql", "src/a.rs"] {
        File::create(repo.path().join(name)).expect("a file").set_len(20 << 30).expect("sparse");
    }
    repo.write("small.rs", "fn c() {}\n");
    let ran = ends(repo.path(), &["prepare", "--all", "--json"], Stdio::null());
    assert_eq!(ran.code, 0, "{ran:?}");
    for name in ["new.sql", "src/a.rs"] {
        let text = ran.json().to_string();
        let listed = format!("\"{name}\"");
        assert!(text.contains(&listed) && text.contains("it has 21.5 GB; the limit is 104.9 MB"), "{name}: {text}");
    }
}

#[test]
fn a_patch_that_never_ends_is_refused() {
    let repo = repo();
    refused(
        repo.path(),
        &["prepare", "--patch", "-"],
        endless(),
        "Standard input cannot be read: it has more than 268.4 MB",
    );
    for (args, name) in [(&["prepare", "--patch"][..], "pipe"), (&["export", "--all", "--review"], "pipe")] {
        pipe(&repo.path().join(name));
        refused(repo.path(), &[args, &[name]].concat(), Stdio::null(), "it is a named pipe");
        refused(repo.path(), &[args, &["/dev/zero"]].concat(), Stdio::null(), "it is a device");
    }
}

#[test]
fn other_inputs_that_never_end_are_refused() {
    let repo = repo();
    refused(repo.path(), &["redact", "--jsonl"], endless(), "a line has more than 268.4 MB");
    refused(repo.path(), &["prompt", "snippets", "--import", "-"], endless(), "it has more than 4.2 MB");
    refused(repo.path(), &["prompt", "snippets", "--import", "/dev/zero"], Stdio::null(), "it is a device");
    refused(repo.path(), &["chat", "--all"], endless(), "a line has more than");
}
