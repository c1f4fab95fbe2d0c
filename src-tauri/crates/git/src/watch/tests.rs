//! Tests of notifications, and of the fallback to polling.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::*;

/// Longer than any debouncing. Only a failing test reaches it.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The time for which a test waits to see that no notification arrives.
const SILENCE: Duration = Duration::from_millis(1200);

fn git(folder: &Path, args: &[&str]) {
    let ran = Command::new("git")
        .args(["-C", &folder.display().to_string(), "-c", "user.name=A", "-c", "user.email=a@example.com"])
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .expect("git");
    assert!(ran.status.success(), "{args:?}: {}", String::from_utf8_lossy(&ran.stderr));
}

fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    git(root, &["init", "-q", "-b", "main"]);
    fs::write(root.join(".gitignore"), "target/\n*.log\n").expect("a file");
    fs::create_dir_all(root.join("src/deep")).expect("a folder");
    fs::create_dir_all(root.join("target/debug")).expect("a folder");
    fs::write(root.join("src/deep/a.rs"), "fn a() {}\n").expect("a file");
    git(root, &["add", "-A"]);
    git(root, &["commit", "-q", "-m", "base"]);
    folder
}

fn watch(root: &Path, most: usize) -> (Watch, Receiver<bool>) {
    let (sender, receiver) = channel();
    let watch = Watch::bounded(root, most, move |looking| {
        let _ = sender.send(looking);
    })
    .expect("a watch");
    // The watch is active as soon as it reports a change.
    let mut tries = 0;
    while receiver.recv_timeout(Duration::from_millis(400)).is_err() {
        tries += 1;
        assert!(tries < 60, "nothing is told");
        fs::write(root.join("first.txt"), tries.to_string()).expect("a file");
    }
    while receiver.recv_timeout(SILENCE).is_ok() {}
    (watch, receiver)
}

#[test]
fn edits_new_folders_the_index_and_branches_send_one_event_each() {
    let folder = repository();
    let root = folder.path();
    let (_watch, told) = watch(root, MAX_FOLDERS);
    for number in 0..20 {
        fs::write(root.join("src/deep/a.rs"), format!("fn a() {{ {number} }}\n")).expect("a file");
    }
    assert!(!told.recv_timeout(TIMEOUT).expect("an edit"), "it is watched, not looked at");
    assert!(told.recv_timeout(SILENCE).is_err(), "twenty edits at once are told once");
    fs::create_dir_all(root.join("new/inner")).expect("a folder");
    told.recv_timeout(TIMEOUT).expect("a folder");
    fs::write(root.join("new/inner/b.rs"), "x\n").expect("a file");
    told.recv_timeout(TIMEOUT).expect("a file in a new folder");
    git(root, &["add", "src"]);
    told.recv_timeout(TIMEOUT).expect("the index");
    git(root, &["update-ref", "refs/heads/topic/x", "HEAD"]);
    told.recv_timeout(TIMEOUT).expect("a branch");
    git(root, &["symbolic-ref", "HEAD", "refs/heads/topic/x"]);
    told.recv_timeout(TIMEOUT).expect("HEAD");
}

#[test]
fn ignored_files_and_objects_send_no_event() {
    let folder = repository();
    let root = folder.path();
    let (_watch, told) = watch(root, MAX_FOLDERS);
    fs::write(root.join("target/debug/out.o"), "x").expect("a file");
    fs::write(root.join("a.log"), "x").expect("a file");
    fs::write(root.join(".git/COMMIT_EDITMSG"), "x").expect("a file");
    git(root, &["hash-object", "-w", "src/deep/a.rs"]);
    fs::read(root.join("src/deep/a.rs")).expect("a file");
    assert!(told.recv_timeout(SILENCE).is_err());
}

#[test]
fn a_tree_with_too_many_folders_is_polled() {
    let folder = repository();
    let root = folder.path();
    let (_watch, told) = watch(root, 3);
    fs::write(root.join("src/deep/a.rs"), "fn a() { longer }\n").expect("a file");
    assert!(told.recv_timeout(TIMEOUT).expect("an edit"), "it is looked at");
    git(root, &["branch", "other"]);
    told.recv_timeout(TIMEOUT).expect("a branch");
}

#[test]
fn dropping_the_watch_ends_it() {
    let folder = repository();
    let (watch, told) = watch(folder.path(), MAX_FOLDERS);
    drop(watch);
    // The thread ends and drops its sender.
    assert_eq!(told.recv_timeout(TIMEOUT), Err(RecvTimeoutError::Disconnected));
}
