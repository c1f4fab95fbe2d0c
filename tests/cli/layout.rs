//! Repositories that lead outside, through the command: its output and its errors.

use std::fs;
use std::path::{Path, PathBuf};

use diffsan_test_support::repo::TestRepo;

use crate::support::{Installation, Ran};

/// An installation whose home folder contains a private key, and a repository beside it.
struct Case {
    installation: Installation,
    repo: TestRepo,
}

impl Case {
    fn new() -> Self {
        let installation = Installation::new();
        fs::create_dir(installation.home().join(".ssh")).expect("a folder");
        fs::write(installation.home().join(".ssh/id_ed25519"), "PRIVATE KEY\n").expect("a file");
        fs::write(installation.home().join(".netrc"), "machine x login y password PRIVATE\n").expect("a file");
        let repo = TestRepo::new();
        repo.write("a", "a\n");
        repo.commit("one");
        Self { installation, repo }
    }

    fn prepare(&self, folder: &Path, arguments: &[&str]) -> Ran {
        let ran = self.installation.run(folder, &[&["prepare"], arguments].concat());
        let all = format!("{}{}", ran.stdout, ran.stderr);
        assert!(!all.contains("PRIVATE") && !all.contains("id_ed25519") && !all.contains(".netrc"), "{all}");
        ran
    }

    /// Creates a repository in the home folder, and a folder elsewhere that borrows its objects.
    fn shared(&self) -> PathBuf {
        let shared = self.repo.beside("shared");
        self.repo.git(["clone", "-q", "--shared", ".", shared.to_str().expect("text")]);
        shared
    }
}

#[test]
fn a_work_tree_elsewhere_shows_no_file_of_the_home_folder() {
    let case = Case::new();
    let home = case.installation.home().to_str().expect("text").to_owned();
    case.repo.git(["config", "core.worktree", &home]);
    for arguments in [&["--all"][..], &["--unstaged"], &["--tracked"], &["--staged"], &[]] {
        let ran = case.prepare(case.repo.path(), arguments);
        let told = ran.stderr.contains("opened without a work tree");
        assert!(ran.code != 0 && told, "{arguments:?}: {ran:?}");
    }
    let ran = case.prepare(case.repo.path(), &["--commit", "HEAD"]);
    assert!(ran.code == 0 && ran.stdout.contains("+a"), "{ran:?}");
    assert!(ran.stderr.contains("note: ") && ran.stderr.contains("opened without a work tree"), "{ran:?}");
}

#[test]
fn borrowed_objects_are_read_where_the_user_trusts_the_repository() {
    let case = Case::new();
    let shared = case.shared().canonicalize().expect("a path");
    let ran = case.prepare(&shared, &["--commit", "HEAD"]);
    assert!(ran.code != 0 && ran.stderr.contains("uses the objects"), "{ran:?}");
    assert!(ran.stderr.contains(&format!("safe.directory '{}'", shared.display())), "{ran:?}");
    let config = case.installation.home().join(".gitconfig");
    let trust = |value: &str| fs::write(&config, format!("[safe]\n\tdirectory = {value}\n")).expect("written");
    trust("*");
    assert_ne!(case.prepare(&shared, &["--commit", "HEAD"]).code, 0, "`*` names no repository");
    for value in [shared.display().to_string(), format!("{}/*", shared.parent().expect("a folder").display())] {
        trust(&value);
        let ran = case.prepare(&shared, &["--commit", "HEAD"]);
        assert!(ran.code == 0 && ran.stdout.contains("+a"), "{value}: {ran:?}");
    }
}

#[test]
fn a_repository_beside_its_work_tree_is_opened_where_the_user_trusts_it() {
    let case = Case::new();
    let (folder, git) = (case.repo.beside("work2"), case.repo.beside("git2"));
    case.repo.git(["init", "-q", "--separate-git-dir", git.to_str().expect("text"), folder.to_str().expect("text")]);
    fs::write(folder.join("new"), "new\n").expect("a file");
    let folder = folder.canonicalize().expect("a path");
    let ran = case.prepare(&folder, &["--all"]);
    assert!(ran.code != 0 && ran.stderr.contains("does not refer back to it"), "{ran:?}");
    let config = case.installation.home().join(".gitconfig");
    fs::write(&config, format!("[safe]\n\tdirectory = {}\n", folder.display())).expect("written");
    let ran = case.prepare(&folder, &["--all"]);
    assert!(ran.code == 0 && ran.stdout.contains("+new"), "{ran:?}");
    // Even then, no other folder becomes the work tree.
    let home = case.installation.home().to_str().expect("text").to_owned();
    case.repo
        .command()
        .arg("config")
        .arg("-f")
        .arg(git.join("config"))
        .args(["core.worktree", &home])
        .status()
        .expect("git");
    assert_ne!(case.prepare(&folder, &["--all"]).code, 0);
}

#[test]
fn no_variable_of_git_moves_the_repository() {
    let case = Case::new();
    let home = case.installation.home().to_str().expect("text").to_owned();
    case.repo.write("new", "new\n");
    let mut installation = Installation::new();
    for (name, value) in [
        ("GIT_WORK_TREE", home.clone()),
        ("GIT_DIR", format!("{home}/none")),
        ("GIT_COMMON_DIR", format!("{home}/none")),
        ("GIT_OBJECT_DIRECTORY", format!("{home}/none")),
        ("GIT_INDEX_FILE", format!("{home}/.netrc")),
        ("GIT_CONFIG_COUNT", "1".to_owned()),
        ("GIT_CONFIG_KEY_0", "core.worktree".to_owned()),
        ("GIT_CONFIG_VALUE_0", home.clone()),
    ] {
        installation = installation.with(name, value);
    }
    let ran = installation.run(case.repo.path(), &["prepare", "--all"]);
    assert!(ran.code == 0 && ran.stdout.contains("+new") && !ran.stdout.contains("PRIVATE"), "{ran:?}");
}
