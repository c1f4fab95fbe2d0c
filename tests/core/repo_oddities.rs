//! Unusual repositories: in conflict, with submodules, linked, bare, shallow, sparse, hostile.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use diffsan_change::{Body, Change, RepoPath, Status, Target, print_change};
use diffsan_git::{LocalCounts, ReadOptions, Repo, RepoError};
use diffsan_test_support::repo::{TestRepo, git};

use crate::repo_change::{DIFF, change, pretty_eq};

fn open(path: &Path) -> Repo {
    Repo::open(path).expect("a repository")
}

fn read(path: &Path, target: &Target) -> Change {
    open(path).change(target, &ReadOptions::default()).expect("a change")
}

#[track_caller]
fn same_as_git(repo: &TestRepo, target: &Target, arguments: &[&str]) {
    pretty_eq(&print_change(&change(repo, target)), &repo.git([&["diff"], DIFF, arguments].concat()));
}

fn paths(change: &Change) -> Vec<String> {
    change.files.iter().map(|file| file.path().to_string()).collect()
}

const ALL: Target = Target::All { untracked: true };

#[test]
fn a_conflict_is_shown_as_our_side_against_the_work_tree() {
    let repo = TestRepo::new();
    repo.write("both", "a\n");
    repo.write("fine", "a\n");
    repo.commit("base");
    repo.git(["checkout", "-q", "-b", "other"]);
    repo.write("both", "theirs\n");
    repo.commit("theirs");
    repo.git(["checkout", "-q", "main"]);
    repo.write("both", "ours\n");
    repo.write("fine", "b\n");
    repo.commit("ours");
    repo.try_git(["merge", "other"], b"").expect_err("a conflict");
    repo.write("fine", "c\n");
    for target in [Target::Unstaged, ALL, Target::All { untracked: false }] {
        let change = change(&repo, &target);
        assert_eq!(paths(&change), ["both", "fine"], "{target:?}");
        assert_eq!(change.files[0].status, Status::Unmerged);
        let text = String::from_utf8(print_change(&change)).unwrap();
        assert!(text.contains(" ours\n") && text.contains("+theirs\n") && text.contains("+<<<<<<< HEAD"), "{text}");
    }
    let staged = change(&repo, &Target::Staged);
    assert_eq!(staged.files[0].body, Body::Unread("it has merge conflicts".into()));
}

#[test]
fn submodules_are_commits() {
    let inner = TestRepo::new();
    inner.write("a", "a\n");
    inner.commit("one");
    let repo = TestRepo::new();
    repo.git(["submodule", "--quiet", "add", &format!("file://{}", inner.path().display()), "sub"]);
    same_as_git(&repo, &Target::Staged, &["--cached"]);
    repo.commit("with a submodule");
    same_as_git(&repo, &Target::Commit { rev: "HEAD".into() }, &["4b825dc642cb6eb9a060e54bf8d69288fbee4904", "HEAD"]);
    assert!(change(&repo, &ALL).files.is_empty());
    fs::write(repo.path().join("sub/a"), "changed\n").unwrap();
    same_as_git(&repo, &Target::Unstaged, &[]);
    let sub = repo.path().join("sub");
    assert!(git(&sub).args(["commit", "-qam", "two"]).status().unwrap().success());
    same_as_git(&repo, &Target::Unstaged, &[]);
    same_as_git(&repo, &Target::All { untracked: false }, &["HEAD"]);
    repo.git(["add", "sub"]);
    same_as_git(&repo, &Target::Staged, &["--cached"]);
    repo.git(["rm", "-qf", "sub"]);
    same_as_git(&repo, &Target::Staged, &["--cached"]);
}

#[test]
fn announced_files_are_new_in_the_work_tree_and_absent_from_the_index() {
    let repo = TestRepo::new();
    repo.write("a", "a\n");
    repo.commit("one");
    repo.write("new", "text\n");
    repo.git(["add", "-N", "new"]);
    same_as_git(&repo, &Target::Unstaged, &[]);
    same_as_git(&repo, &Target::Staged, &["--cached"]);
    same_as_git(&repo, &Target::All { untracked: false }, &["HEAD"]);
}

#[test]
fn files_outside_a_sparse_checkout_are_not_removed() {
    let repo = TestRepo::new();
    repo.write("in/a", "a\n");
    repo.write("out/b", "b\n");
    repo.commit("one");
    repo.git(["sparse-checkout", "set", "in"]);
    assert!(!repo.path().join("out/b").exists());
    repo.write("in/a", "A\n");
    same_as_git(&repo, &Target::Unstaged, &[]);
    same_as_git(&repo, &Target::All { untracked: false }, &["HEAD"]);
}

#[test]
fn changed_and_back_again_is_no_change() {
    let repo = TestRepo::new();
    repo.write("a", "a\n");
    repo.write("gone", "g\n");
    repo.commit("one");
    repo.write("a", "b\n");
    repo.git(["add", "a"]);
    repo.write("a", "a\n");
    repo.git(["rm", "-q", "--cached", "gone"]);
    same_as_git(&repo, &Target::All { untracked: false }, &["HEAD"]);
    assert!(change(&repo, &ALL).files.is_empty(), "untracked, but equal to HEAD");
}

#[test]
fn linked_work_trees_folders_and_bare_repositories_are_found() {
    let repo = TestRepo::new();
    repo.write("src/a", "a\n");
    repo.commit("one");
    repo.git(["branch", "topic"]);
    let linked = repo.beside("linked");
    repo.git(["worktree", "add", "-q", linked.to_str().unwrap(), "topic"]);
    fs::write(linked.join("src/a"), "linked\n").unwrap();
    assert_eq!(paths(&read(&linked.join("src"), &Target::Unstaged)), ["src/a"]);
    assert_eq!(open(&linked).head_branch().as_deref(), Some("topic"));
    assert_eq!(open(&repo.path().join("src")).root().canonicalize().unwrap(), repo.path().canonicalize().unwrap());
    assert!(read(repo.path(), &ALL).files.is_empty());
    let bare = repo.beside("bare.git");
    repo.git(["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    let opened = open(&bare);
    assert_eq!(opened.name(), "bare");
    assert_eq!(paths(&read(&bare, &Target::Commit { rev: "main".into() })), ["src/a"]);
    assert!(matches!(opened.change(&ALL, &ReadOptions::default()), Err(RepoError::NoWorkTree { .. })));
    assert_eq!(opened.local_counts().unwrap(), LocalCounts::default());
}

#[test]
fn errors_name_the_problem_and_the_nearest_name() {
    let folder = tempfile::tempdir().unwrap();
    let error = Repo::open(folder.path()).err().expect("no repository");
    assert!(matches!(error, RepoError::NotARepository { .. }), "{error}");
    let repo = TestRepo::new();
    let error = |target: &Target| open(repo.path()).change(target, &ReadOptions::default()).unwrap_err().to_string();
    assert_eq!(error(&Target::Commit { rev: "HEAD".into() }), "the branch has no commits yet");
    repo.write("a", "a\n");
    repo.commit("one");
    repo.git(["branch", "feature/login"]);
    let unknown = Target::Range { base: "main".into(), head: "feature/logni".into(), merge_base: false };
    assert_eq!(error(&unknown), "unknown revision `feature/logni`; did you mean `feature/login`?");
    repo.git(["checkout", "-q", "--orphan", "island"]);
    repo.commit("alone");
    let apart = Target::Branch { name: None, base: Some("main".into()) };
    assert_eq!(error(&apart), "`main` and `HEAD` have no common commit");
    repo.git(["branch", "-m", "main", "trunk"]);
    assert!(error(&Target::Branch { name: None, base: None }).starts_with("there is no default branch"));
}

#[test]
fn unsupported_repositories_are_refused_with_a_message() {
    let repo = TestRepo::init(&["--object-format=sha256"]);
    let error = Repo::open(repo.path()).err().expect("refused").to_string();
    assert!(error.contains("its object format is not SHA-1"), "{error}");
}

#[test]
fn a_branch_is_compared_with_where_it_left_the_default_branch() {
    let repo = TestRepo::new();
    repo.write("a", "a\n");
    repo.commit("one");
    repo.git(["checkout", "-q", "-b", "topic"]);
    repo.write("b", "b\n");
    repo.commit("two\n\nWith a body.");
    repo.write("c", "c\n");
    repo.commit("three");
    repo.git(["checkout", "-q", "main"]);
    repo.write("d", "d\n");
    let main = repo.commit("four");
    let branch = Target::Branch { name: Some("topic".into()), base: None };
    let topic = change(&repo, &branch);
    assert_eq!(paths(&topic), ["b", "c"]);
    assert_eq!(topic.messages, ["two\n\nWith a body.", "three"]);
    repo.git(["update-ref", "refs/remotes/origin/main", &main]);
    repo.git(["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
    let opened = open(repo.path());
    assert_eq!(opened.default_branch().as_deref(), Some("origin/main"));
    assert_eq!(opened.base_rev(&branch).as_deref(), Some(&*repo.text(["merge-base", "main", "topic"])));
    let branches = opened.branches(9);
    assert_eq!(
        branches.iter().map(|branch| (&*branch.name, branch.ahead)).collect::<Vec<_>>(),
        [("main", 0), ("topic", 2)]
    );
    assert_eq!(opened.commits(1)[0].subject, "four");
}

#[test]
fn merges_are_compared_with_their_first_parent() {
    let repo = TestRepo::new();
    repo.write("a", "a\n");
    repo.commit("one");
    repo.git(["checkout", "-q", "-b", "topic"]);
    repo.write("b", "b\n");
    repo.commit("two");
    repo.git(["checkout", "-q", "main"]);
    repo.write("c", "c\n");
    repo.commit("three");
    repo.git(["merge", "-q", "--no-edit", "topic"]);
    assert_eq!(paths(&change(&repo, &Target::Commit { rev: "HEAD".into() })), ["b"]);
}

#[test]
fn a_shallow_clone_is_reported_as_missing_history() {
    let origin = TestRepo::new();
    origin.write("a", "a\n");
    origin.commit("one");
    origin.git(["checkout", "-q", "-b", "topic"]);
    origin.write("a", "b\n");
    origin.commit("two");
    origin.git(["checkout", "-q", "main"]);
    origin.write("c", "c\n");
    origin.commit("three");
    let clone = TestRepo::clone_of(&origin, &["--depth=1", "--no-single-branch"]);
    let branch = Target::Branch { name: Some("origin/topic".into()), base: None };
    let error = open(clone.path()).change(&branch, &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.ends_with("this clone is shallow, run: git fetch --unshallow"), "{error}");
    let all = change(&clone, &Target::Commit { rev: "HEAD".into() });
    assert_eq!(paths(&all), ["a", "c"], "as git shows the first commit that it has");
}

#[test]
fn a_file_that_a_partial_clone_lacks_stops_nothing_else() {
    let origin = TestRepo::new();
    origin.git(["config", "uploadpack.allowFilter", "true"]);
    origin.write("changes", "one\n");
    origin.write("stays", "here\n");
    origin.commit("one");
    origin.write("changes", "two\n");
    origin.write("new", "new\n");
    origin.commit("two");
    let clone = TestRepo::clone_of(&origin, &["--filter=blob:none"]);
    let change = change(&clone, &Target::Commit { rev: "HEAD".into() });
    assert_eq!(paths(&change), ["changes", "new"]);
    let Body::Unread(reason) = &change.files[0].body else { panic!("{:?}", change.files[0].body) };
    assert!(reason.contains("is missing (the clone is partial or damaged)"), "{reason}");
    assert_eq!(change.files[1].line_counts().added, 1);
}

#[test]
fn attributes_decide_what_is_text_as_they_do_for_git() {
    let repo = TestRepo::new();
    repo.write(".gitattributes", "*.dat -diff\n*.bin diff\n[attr]picture -diff\n*.pic picture\n/x/*.txt binary\n");
    repo.write("x/.gitattributes", "keep.txt diff\n");
    let files = ["a.dat", "a.bin", "a.pic", "x/a.txt", "x/keep.txt", "a.txt", "nul.txt"];
    for file in files {
        repo.write(file, if file.contains("bin") || file.contains("nul") { "a\0\n" } else { "a\n" });
    }
    repo.commit("one");
    for file in files {
        repo.write(file, if file.contains("bin") || file.contains("nul") { "b\0\n" } else { "b\n" });
    }
    same_as_git(&repo, &Target::Unstaged, &[]);
    repo.commit("two");
    same_as_git(&repo, &Target::Commit { rev: "HEAD".into() }, &["HEAD~1", "HEAD"]);
}

#[test]
fn attributes_are_read_from_the_changes_own_side() {
    let repo = TestRepo::new();
    repo.write("a.rs", "a\n");
    repo.commit("one");
    repo.write("a.rs", "b\n");
    repo.write(".gitattributes", "a.rs linguist-generated\n");
    repo.commit("two");
    repo.write(".gitattributes", "a.rs -linguist-generated\n");
    repo.write("a.rs", "c\n");
    let generated = |target: Target| {
        let change = change(&repo, &target);
        open(repo.path()).attributes(&target, &change).unwrap().get(&RepoPath::from("a.rs")).generated
    };
    assert_eq!(generated(Target::Commit { rev: "HEAD~1".into() }), None);
    assert_eq!(generated(Target::Commit { rev: "HEAD".into() }), Some(true));
    assert_eq!(generated(Target::Unstaged), Some(false));
}

#[test]
fn no_program_of_a_repository_is_run() {
    let repo = TestRepo::new();
    let marker = repo.beside("marker");
    let trap = repo.beside("trap");
    fs::write(&trap, format!("#!/bin/sh\necho ran >> '{}'\ncat\n", marker.display())).unwrap();
    fs::set_permissions(&trap, PermissionsExt::from_mode(0o755)).unwrap();
    repo.write("a.trap", "a\n");
    repo.write("b.trap", "b\n");
    repo.commit("one");
    repo.write(".gitattributes", "*.trap filter=trap diff=trap merge=trap\n");
    let trap = trap.to_str().unwrap();
    let keys = [
        "filter.trap.clean",
        "filter.trap.smudge",
        "filter.trap.process",
        "diff.trap.command",
        "diff.trap.textconv",
        "diff.external",
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "core.askPass",
        "core.gitProxy",
    ];
    for key in keys {
        repo.git(["config", key, trap]);
    }
    repo.git(["config", "filter.trap.required", "true"]);
    for hook in ["post-index-change", "fsmonitor-watchman", "post-checkout"] {
        fs::copy(trap, repo.path().join(".git/hooks").join(hook)).unwrap();
    }
    repo.write("a.trap", "changed\n");
    repo.write("new.trap", "new\n");
    let before = fs::read(repo.path().join(".git/index")).unwrap();
    for target in [ALL, Target::Unstaged, Target::Staged, Target::Commit { rev: "HEAD".into() }] {
        let change = change(&repo, &target);
        open(repo.path()).attributes(&target, &change).unwrap();
    }
    open(repo.path()).local_counts().unwrap();
    assert!(!marker.exists(), "{}", fs::read_to_string(&marker).unwrap_or_default());
    assert_eq!(fs::read(repo.path().join(".git/index")).unwrap(), before, "and nothing is written");
}

#[test]
fn settings_of_the_repository_change_nothing_in_a_change() {
    let repo = TestRepo::new();
    repo.write("a b.rs", (0..30).map(|line| format!("line {line}\n")).collect::<String>());
    repo.commit("one");
    repo.write("a b.rs", (0..30).map(|line| format!("line {}\n", line / 9 * 9)).collect::<String>());
    let plain = print_change(&change(&repo, &ALL));
    for (key, value) in [
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.context", "9"),
        ("diff.interHunkContext", "9"),
        ("diff.algorithm", "histogram"),
        ("diff.renames", "copies"),
        ("diff.indentHeuristic", "false"),
        ("core.abbrev", "4"),
        ("diff.ignoreSubmodules", "all"),
        ("diff.orderFile", "/dev/null"),
        ("core.quotePath", "true"),
        ("color.ui", "always"),
        ("diff.srcPrefix", "x/"),
        ("diff.suppressBlankEmpty", "true"),
    ] {
        repo.git(["config", key, value]);
    }
    pretty_eq(&print_change(&change(&repo, &ALL)), &plain);
}

#[test]
fn links_never_lead_out_of_the_work_tree() {
    let repo = TestRepo::new();
    fs::create_dir(repo.beside("outside")).unwrap();
    fs::write(repo.beside("outside/secret"), "secret\n").unwrap();
    repo.write("a", "a\n");
    repo.commit("one");
    symlink(repo.beside("outside"), repo.path().join("folder")).unwrap();
    symlink(repo.beside("outside/secret"), repo.path().join("file")).unwrap();
    let opened = open(repo.path());
    let side = |path: &str| opened.new_side(&ALL, &RepoPath::from(path)).unwrap();
    assert_eq!(side("folder/secret"), None);
    assert_eq!(side("../outside/secret"), None);
    assert_eq!(side("/etc/passwd"), None);
    assert_eq!(side("file").unwrap(), repo.beside("outside/secret").to_str().unwrap());
    let text = String::from_utf8(print_change(&change(&repo, &ALL))).unwrap();
    assert!(!text.contains("+secret"), "{text}");
}

#[test]
fn line_ends_are_compared_as_git_stores_them() {
    for (key, value) in [("core.autocrlf", "true"), ("core.autocrlf", "input"), ("core.eol", "crlf")] {
        let repo = TestRepo::new();
        repo.write(".gitattributes", "*.crlf eol=crlf\n*.auto text=auto\n*.bin -text\n*.id ident\n*.plain text\n");
        let files = ["a.crlf", "a.auto", "a.bin", "a.id", "a.plain", "a.none"];
        for file in files {
            repo.write(file, "one\ntwo\n");
        }
        repo.write("had-cr.none", "one\r\ntwo\r\n");
        repo.commit("one");
        repo.git(["config", key, value]);
        for file in files {
            repo.write(file, "one\r\nTWO\r\n$Id: something $\r\n");
        }
        repo.write("had-cr.none", "one\r\nTWO\r\n");
        repo.write("mixed.auto", "one\r\ntwo\n\rlone\r\n");
        repo.git(["add", "-N", "mixed.auto"]);
        same_as_git(&repo, &Target::Unstaged, &[]);
    }
}
