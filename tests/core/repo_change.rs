//! A change that is read from a repository equals the output of `git diff` byte for byte.

use std::os::unix::fs::symlink;

use diffsan_change::{Change, Target, parse_patch, print_change};
use diffsan_git::{ReadOptions, Repo};
use diffsan_test_support::repo::TestRepo;

/// The options with which git prints the same format.
pub const DIFF: &[&str] = &["--no-ext-diff", "--no-textconv", "--no-color", "--full-index", "-M"];

pub fn change(repo: &TestRepo, target: &Target) -> Change {
    let repo = Repo::open(repo.path()).expect("a repository");
    repo.change(target, &ReadOptions::default()).expect("a change")
}

/// Checks a target against `git diff` with `arguments`. Parsing git's output must give the same change.
#[track_caller]
fn check(repo: &TestRepo, target: &Target, arguments: &[&str]) -> Change {
    let expected = repo.git([&["diff"], DIFF, arguments].concat());
    let change = change(repo, target);
    let printed = print_change(&change);
    pretty_eq(&printed, &expected);
    let read = parse_patch(expected.clone().into()).expect("git's own patch");
    pretty_eq(&print_change(&read), &expected);
    change
}

/// Panics with the lines in which two patches differ.
#[track_caller]
pub fn pretty_eq(ours: &[u8], gits: &[u8]) {
    if ours == gits {
        return;
    }
    let lines = |text: &[u8]| -> Vec<String> {
        text.split(|&byte| byte == b'\n').map(|l| l.escape_ascii().to_string()).collect()
    };
    let (ours, gits) = (lines(ours), lines(gits));
    let same = ours.iter().zip(&gits).take_while(|(a, b)| a == b).count();
    let from = same.saturating_sub(6);
    let show = |lines: &[String]| lines[from..lines.len().min(same + 12)].join("\n");
    panic!("from line {from}, ours:\n{}\n\ngit's:\n{}", show(&ours), show(&gits));
}

fn numbers(range: std::ops::Range<u32>) -> String {
    range.map(|number| format!("line {number}\n")).collect()
}

/// Creates a repository with two commits that contain most kinds of changes.
fn zoo() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("src/main.rs", format!("fn main() {{\n{}}}\n", numbers(0..40)));
    repo.write("move me.txt", numbers(0..50));
    repo.write("exact.txt", "exactly this\n");
    repo.write("gone.txt", "a\nb\n");
    repo.write("mode.sh", "#!/bin/sh\n");
    repo.write("binary", b"a\0b");
    repo.write("empty-gone", "");
    repo.write("crlf.txt", "a\r\nb\r\nc\r\n");
    repo.write("no-newline", "a\nb");
    repo.write("latin1", b"caf\xe9\n");
    repo.write("utf16", b"\xff\xfea\0\n\0");
    repo.write("tricky", "x\n-- a\n++ b\n@@ -1 +1 @@\ndiff --git a/x b/x\n");
    repo.write("kind", "text\n");
    repo.write("quo\"te\ttab\nline", "q\n");
    symlink("target", repo.path().join("link")).expect("a link");
    repo.commit("one");
    repo.write("src/main.rs", format!("fn main() {{\n{}changed\n{}}}\n", numbers(0..20), numbers(20..40)));
    std::fs::rename(repo.path().join("move me.txt"), repo.path().join("moved.txt")).expect("rename");
    repo.write("moved.txt", numbers(1..50));
    std::fs::create_dir(repo.path().join("dir")).expect("folder");
    std::fs::rename(repo.path().join("exact.txt"), repo.path().join("dir/exact.txt")).expect("rename");
    repo.remove("gone.txt");
    repo.git(["update-index", "--chmod=+x", "mode.sh"]);
    std::os::unix::fs::PermissionsExt::set_mode(
        &mut std::fs::metadata(repo.path().join("mode.sh")).unwrap().permissions(),
        0o755,
    );
    std::fs::set_permissions(repo.path().join("mode.sh"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    repo.write("binary", b"a\0c");
    repo.remove("empty-gone");
    repo.write("empty-new", "");
    repo.write("crlf.txt", "a\r\nB\r\nc\n");
    repo.write("no-newline", "a\nc");
    repo.write("latin1", b"caf\xe9s\n");
    repo.write("utf16", b"\xff\xfeb\0\n\0");
    repo.write("tricky", "x\n-- b\n++ c\n@@ -1 +2 @@\ndiff --git a/x b/y\n");
    repo.remove("kind");
    symlink("else", repo.path().join("kind")).expect("a link");
    repo.write("quo\"te\ttab\nline", "Q\n");
    repo.remove("link");
    symlink("/outside", repo.path().join("link")).expect("a link");
    repo.write("added with newline missing", "x");
    repo
}

#[test]
fn commits_and_ranges_are_what_git_prints() {
    let repo = zoo();
    let head = repo.commit("two");
    let commit = check(&repo, &Target::Commit { rev: head.clone() }, &["HEAD~1", "HEAD"]);
    assert_eq!(commit.messages, ["two"]);
    assert_eq!(commit.head.as_deref(), Some(&*head));
    check(&repo, &Target::range("HEAD~1..HEAD").unwrap(), &["HEAD~1..HEAD"]);
    check(&repo, &Target::range("HEAD..HEAD~1").unwrap(), &["HEAD..HEAD~1"]);
    check(&repo, &Target::Commit { rev: "HEAD~1".into() }, &["4b825dc642cb6eb9a060e54bf8d69288fbee4904", "HEAD~1"]);
}

#[test]
fn local_changes_are_what_git_prints() {
    let repo = zoo();
    check(&repo, &Target::Unstaged, &[]);
    check(&repo, &Target::Staged, &["--cached"]);
    check(&repo, &Target::All { untracked: false }, &["HEAD"]);
    repo.git(["add", "-A"]);
    check(&repo, &Target::Unstaged, &[]);
    check(&repo, &Target::Staged, &["--cached"]);
    check(&repo, &Target::All { untracked: false }, &["HEAD"]);
    check(&repo, &Target::All { untracked: true }, &["HEAD"]);
}

#[test]
fn untracked_files_are_added_unless_ignored() {
    let repo = zoo();
    repo.write(".gitignore", "*.log\n");
    repo.write("noise.log", "x\n");
    let all = change(&repo, &Target::All { untracked: true });
    repo.git(["add", "-A"]);
    let staged = repo.git([&["diff", "--cached"], DIFF].concat());
    pretty_eq(&print_change(&all), &staged);
}

#[test]
fn an_unborn_branch_has_everything_added() {
    let repo = TestRepo::new();
    assert!(change(&repo, &Target::All { untracked: true }).files.is_empty());
    repo.write("a", "a\n");
    repo.git(["add", "a"]);
    check(&repo, &Target::Staged, &["--cached"]);
    assert_eq!(change(&repo, &Target::All { untracked: false }).files.len(), 1);
}
