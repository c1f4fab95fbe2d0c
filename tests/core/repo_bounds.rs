//! Repositories whose reading would never end: pipes and devices in place of files, files of many gigabytes, patterns that take
//! years. Each is rejected with an error that names the file, or listed as not read.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;

use diffsan_change::{Body, Change, Target};
use diffsan_git::{ReadOptions, Repo, RepoError};
use diffsan_test_support::repo::TestRepo;

/// Only a call that hangs takes longer.
const DEADLINE: Duration = Duration::from_secs(120);
const ALL: Target = Target::All { untracked: true };

/// Panics if a function does not return in time. Its thread ends with the test process.
#[track_caller]
fn ends<T: Send + 'static>(name: &str, run: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(run()));
    receiver.recv_timeout(DEADLINE).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn pipe(path: &Path) {
    let _ = fs::remove_file(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Creates a sparse file that claims a size in gigabytes but takes no room.
fn sparse(path: &Path, gigabytes: u64) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    File::create(path).unwrap().set_len(gigabytes << 30).unwrap();
}

fn repo() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("src/a.rs", "fn a() {}\n");
    repo.commit("one");
    repo.write("src/a.rs", "fn b() {}\n");
    repo
}

/// Opens a repository and reads its local changes and the data for the lists.
fn read(name: &str, path: &Path) -> Result<Change, RepoError> {
    let path = path.to_owned();
    ends(name, move || {
        let repo = Repo::open(&path)?;
        repo.local_counts()?;
        repo.is_dirty()?;
        repo.branches(10);
        let change = repo.change(&ALL, &ReadOptions::default())?;
        repo.attributes(&ALL, &change)?;
        Ok(change)
    })
}

#[track_caller]
fn refused(name: &str, path: &Path, words: &str) {
    let error = read(name, path).err().unwrap_or_else(|| panic!("{name} was read"));
    let text = error.to_string();
    assert!(text.contains(name) && text.contains(words), "{name}: {text}");
}

fn unread<'a>(change: &'a Change, path: &str) -> &'a str {
    let file = change.files.iter().find(|file| file.path().to_text() == path).unwrap_or_else(|| panic!("no {path}"));
    match &file.body {
        Body::Unread(reason) => reason,
        other => panic!("{path}: {other:?}"),
    }
}

const GIT_FILES: &[&str] = &[
    "HEAD",
    "config",
    "config.worktree",
    "index",
    "packed-refs",
    "shallow",
    "commondir",
    "refs/heads/main",
    "refs/heads/a/b/c",
    "refs/tags/v1",
    "info/attributes",
    "info/exclude",
    "objects/info/alternates",
    "objects/info/commit-graph",
    "objects/info/commit-graphs/commit-graph-chain",
    "objects/pack/multi-pack-index",
    "objects/pack/pack-1.idx",
    "objects/pack/pack-1.pack",
];

#[test]
fn a_pipe_in_the_place_of_a_file_of_git_is_refused_by_name() {
    for name in GIT_FILES {
        let repo = repo();
        pipe(&repo.path().join(".git").join(name));
        refused(name, repo.path(), "named pipe");
    }
}

#[test]
fn a_device_behind_a_link_is_refused_by_name() {
    for name in ["HEAD", "config", "index", "packed-refs", "info/exclude", "objects/info/alternates"] {
        let repo = repo();
        let path = repo.path().join(".git").join(name);
        let _ = fs::remove_file(&path);
        symlink("/dev/zero", &path).unwrap();
        refused(name, repo.path(), "a device");
    }
}

#[test]
fn files_of_git_of_20_gigabytes_are_refused_by_name() {
    for name in ["HEAD", "config", "index", "packed-refs", "shallow", "info/exclude", "refs/heads/main"] {
        let repo = repo();
        sparse(&repo.path().join(".git").join(name), 20);
        refused(name, repo.path(), "21.5 GB");
    }
}

#[test]
fn included_settings_are_checked_before_they_are_read() {
    for (number, settings) in [
        "[include]\n\tpath = pipe\n",
        "[include] PATH=\"../.git/pipe\" ; x\n",
        "[includeIf \"gitdir:/\"]\npath = pi\\\npe\n",
    ]
    .iter()
    .enumerate()
    {
        let repo = repo();
        let git = repo.path().join(".git");
        pipe(&git.join("pipe"));
        // The pipe is included through a harmless file.
        let config = fs::read_to_string(git.join("config")).unwrap();
        fs::write(git.join("config"), format!("{config}[include]\n\tpath = other\n")).unwrap();
        fs::write(git.join("other"), settings).unwrap();
        let error = read("includes", repo.path()).err().unwrap_or_else(|| panic!("{number} was read")).to_string();
        assert!(error.contains("pipe was not read: it is a named pipe"), "{number}: {error}");
    }
}

#[test]
fn a_condition_with_too_many_stars_is_refused() {
    let repo = repo();
    let git = repo.path().join(".git");
    let config = fs::read_to_string(git.join("config")).unwrap();
    let stars = "*[a-z/]".repeat(40);
    fs::write(git.join("config"), format!("{config}[includeIf \"gitdir:/{stars}/no\"]\n\tpath = other\n")).unwrap();
    refused("config", repo.path(), "more than 8 stars");
}

#[test]
fn files_of_a_linked_work_tree_are_checked() {
    for name in ["index", "HEAD", "commondir"] {
        let repo = repo();
        let linked = repo.beside("linked");
        repo.git(["worktree", "add", "-q", linked.to_str().unwrap()]);
        pipe(&repo.path().join(".git/worktrees/linked").join(name));
        refused(name, &linked, "named pipe");
        // The shared files are checked too.
        let other = self::repo();
        let linked = other.beside("linked");
        other.git(["worktree", "add", "-q", linked.to_str().unwrap()]);
        pipe(&other.path().join(".git/packed-refs"));
        refused("packed-refs", &linked, "named pipe");
    }
}

#[test]
fn a_pipe_with_patterns_is_refused_by_name() {
    for name in [".gitattributes", "src/.gitattributes", ".gitignore", "new/folder/.gitignore"] {
        let repo = repo();
        repo.write("new/folder/b.rs", "");
        pipe(&repo.path().join(name));
        refused(name, repo.path(), "named pipe");
        fs::remove_file(repo.path().join(name)).unwrap();
        sparse(&repo.path().join(name), 20);
        refused(name, repo.path(), "21.5 GB");
        // A link is not followed, like in git.
        fs::remove_file(repo.path().join(name)).unwrap();
        symlink("/dev/zero", repo.path().join(name)).unwrap();
        assert!(read(name, repo.path()).is_ok(), "{name}");
    }
}

#[test]
fn patterns_of_many_stars_are_fast() {
    let stars = "*a*a*a*a*a*a*a*a*a*a*a*ab";
    let folders = "**/a/".repeat(60);
    for (place, lines) in [
        (".gitattributes", format!("{stars} -diff\nx/{stars} -diff\n{folders}b -text\n")),
        (".gitignore", format!("{stars}\nx/{stars}\n{folders}b\n")),
        (".git/info/exclude", format!("{stars}\nx/{stars}\n{folders}b\n")),
        (".git/info/attributes", format!("{stars} -diff\n{folders}b -text\n")),
    ] {
        let repo = repo();
        let long = format!("{}c", "a".repeat(200));
        let deep = format!("{}end", "a/".repeat(100));
        for path in [format!("x/{long}"), long.clone(), deep.clone()] {
            repo.write(&path, "tracked\n");
        }
        repo.commit("two");
        for path in [format!("x/{long}"), long.clone(), deep.clone(), format!("{long}c"), format!("{deep}c")] {
            repo.write(&path, "changed\n");
        }
        repo.write(place, lines);
        let change = read(place, repo.path()).unwrap();
        let expected = if place.starts_with(".git/") { 5 } else { 6 };
        assert_eq!(change.files.len(), expected, "{place}: {:?}", change.files.len());
    }
}

#[test]
fn nested_macros_are_fast() {
    let repo = repo();
    let mut text = String::new();
    for level in 0..20 {
        text += &format!("[attr]m{level}{}\n", format!(" m{}", level + 1).repeat(300));
    }
    repo.write(".gitattributes", text + "* m0\n");
    assert!(read("macros", repo.path()).is_ok());
}

#[test]
fn files_of_20_gigabytes_are_listed_and_not_read() {
    let repo = TestRepo::new();
    repo.write("modified.bin", "small\n");
    repo.write("staged.rs", "fn a() {}\n");
    repo.commit("one");
    sparse(&repo.path().join("modified.bin"), 20);
    sparse(&repo.path().join("untracked.sql"), 20);
    repo.write("staged.rs", "fn b() {}\n");
    let change = read("large files", repo.path()).unwrap();
    for path in ["modified.bin", "untracked.sql"] {
        assert_eq!(unread(&change, path), "the file was not read: it has 21.5 GB; the limit is 104.9 MB");
    }
    let read_one = change.files.iter().find(|file| file.path().to_text() == "staged.rs").unwrap();
    assert_eq!(read_one.line_counts().added, 1);
    let counts = Repo::open(repo.path()).unwrap().local_counts().unwrap();
    assert_eq!((counts.unstaged, counts.all), (2, 3));
}

#[test]
fn many_large_files_are_read_up_to_a_sum() {
    let repo = TestRepo::new();
    repo.write("a", "a\n");
    repo.commit("one");
    for number in 0..40 {
        File::create(repo.path().join(format!("n{number:02}"))).unwrap().set_len(100 << 20).unwrap();
    }
    repo.write("z.rs", "fn z() {}\n");
    let change = read("many files", repo.path()).unwrap();
    let unread = change.files.iter().filter(|file| matches!(file.body, Body::Unread(_))).count();
    assert_eq!((change.files.len(), unread), (41, 35), "the first five, and the small one");
    let small = change.files.iter().find(|file| file.path().to_text() == "z.rs").unwrap();
    assert_eq!(small.line_counts().added, 1, "what is small is read all the same");
}

#[test]
fn a_tracked_file_that_became_a_pipe_is_gone() {
    let repo = repo();
    pipe(&repo.path().join("src/a.rs"));
    pipe(&repo.path().join("new"));
    let change = read("a pipe", repo.path()).unwrap();
    assert_eq!(change.files.len(), 1);
    assert_eq!(change.files[0].new_path, None);
}

#[test]
fn a_large_object_of_a_commit_is_listed_and_not_read() {
    let repo = repo();
    sparse(&repo.path().join("large.bin"), 1);
    repo.git(["add", "-A"]);
    repo.commit("two");
    let path = repo.path().to_owned();
    let change = ends("a large object", move || {
        Repo::open(&path)?.change(&Target::Commit { rev: "HEAD".into() }, &ReadOptions::default())
    });
    assert_eq!(unread(&change.unwrap(), "large.bin"), "the file was not read: it has 1.1 GB; the limit is 104.9 MB");
}
