//! The state file from outside: damaged, read-only, of a newer program, used by several commands at once.

use std::path::Path;
use std::process::Command;

use diffsan_test_support::repo::TestRepo;

use crate::support::{Installation, Ran, read_json};

fn repo() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("a.py", "import os\n");
    repo.commit("first");
    repo.write("a.py", "import os\nos.remove('x')\n");
    repo
}

const REVIEW: [&str; 4] = ["review", "--agent", "capability", "--json"];

fn state(installation: &Installation) -> std::path::PathBuf {
    installation.data().join("diffsan.sqlite3")
}

#[test]
fn a_damaged_state_file_is_moved_aside_and_the_command_continues() {
    let (installation, repo) = (Installation::new(), repo());
    assert_eq!(installation.run(repo.path(), &REVIEW).code, 0);
    std::fs::write(state(&installation), "no database at all").expect("written");
    let ran = installation.run(repo.path(), &REVIEW);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("note: The state file was damaged and was moved to "), "{ran:?}");
    assert!(ran.json()["findings"].is_array());
    let aside = std::fs::read_dir(installation.data()).expect("listed").flatten();
    let aside: Vec<_> = aside.filter(|entry| entry.file_name().to_string_lossy().contains(".damaged-")).collect();
    assert_eq!(aside.len(), 1);
    assert_eq!(std::fs::read(aside[0].path()).expect("read"), b"no database at all");
    let ran = installation.run(repo.path(), &REVIEW);
    assert!(!ran.stderr.contains("damaged"), "told once: {ran:?}");
}

#[test]
fn a_state_file_of_a_newer_program_is_left_alone() {
    let (installation, repo) = (Installation::new(), repo());
    assert_eq!(installation.run(repo.path(), &["agents"]).code, 0);
    let newer = rusqlite::Connection::open(state(&installation)).expect("opened");
    newer.pragma_update(None, "user_version", 999).expect("set");
    drop(newer);
    let ran = installation.run(repo.path(), &REVIEW);
    assert_eq!(ran.code, 9, "{ran:?}");
    assert!(ran.stderr.contains("newer version of diffsan") && ran.stderr.contains("hint: Update diffsan"), "{ran:?}");
}

#[test]
fn several_commands_start_at_once() {
    let (installation, repo) = (Installation::new(), repo());
    let started: Vec<_> =
        (0..5).map(|_| installation.command(repo.path(), &REVIEW).spawn().expect("started")).collect();
    for child in started {
        let ran: Ran = child.wait_with_output().expect("ended").into();
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    let store = rusqlite::Connection::open(state(&installation)).expect("opened");
    let reviews: i64 = store.query_row("SELECT count(*) FROM review", [], |row| row.get(0)).expect("counted");
    assert_eq!(reviews, 5);
}

/// Runs a command without permission to write read-only files. For root, it drops the capabilities.
fn without_power(installation: &Installation, folder: &Path, args: &[&str]) -> Ran {
    let inner = installation.command(folder, args);
    let is_root = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata("/proc/self").expect("a process")) == 0;
    let mut command = if is_root {
        let mut command = Command::new("setpriv");
        command.args(["--bounding-set=-all", "--inh-caps=-all"]).arg(inner.get_program());
        command
    } else {
        Command::new(inner.get_program())
    };
    command.args(inner.get_args()).current_dir(folder).env_clear();
    command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.output().expect("started").into()
}

fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("set");
}

#[test]
fn a_read_only_data_folder_can_be_read_and_is_reported() {
    let (installation, repo) = (Installation::new(), repo());
    assert_eq!(installation.run(repo.path(), &REVIEW).code, 0);
    let run = read_json(&installation.run_folder(), "run.json");
    for entry in std::fs::read_dir(installation.data()).expect("listed").flatten() {
        if entry.path().is_file() {
            set_mode(&entry.path(), 0o444);
        }
    }
    set_mode(&installation.data().join("runs"), 0o555);
    set_mode(&installation.data(), 0o555);
    let ran = without_power(&installation, repo.path(), &["prepare", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("is read-only") && ran.stderr.contains("nothing new is saved"), "{ran:?}");
    let ran = without_power(&installation, repo.path(), &["history", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.json()["items"][0]["id"], run["run_id"], "{ran:?}");
    let ran = without_power(&installation, repo.path(), &REVIEW);
    assert_eq!(ran.code, 9, "{ran:?}");
    assert!(ran.stderr.contains("cannot be created"), "{ran:?}");
    set_mode(&installation.data(), 0o755);
    set_mode(&installation.data().join("runs"), 0o755);
}
