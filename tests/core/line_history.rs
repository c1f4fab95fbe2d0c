//! The history of lines agrees with `git blame`, also over renames and merges.

use diffsan_app::{App, AppOptions};
use diffsan_change::{RepoPath, Target};
use diffsan_git::Repo;
use diffsan_pipeline::open::{OpenRequest, Source};
use diffsan_review::finding::Side;
use diffsan_test_support::history::Dice;
use diffsan_test_support::repo::TestRepo;
use tokio_util::sync::CancellationToken;

/// Returns the commit of each line as `git blame` finds it.
fn blamed(repo: &TestRepo, path: &str) -> Vec<String> {
    let text = repo.text(["blame", "-s", "-l", "--root", "HEAD", "--", path]);
    text.lines().map(|line| line.split(' ').next().expect("a commit").to_owned()).collect()
}

fn found(repo: &Repo, path: &str, lines: usize) -> Vec<String> {
    let of = |line: usize| {
        let line = u32::try_from(line).expect("a line");
        let history = repo.line_history("HEAD", &RepoPath::from(path), line, &|| false).expect("a history");
        history.changes.first().map(|change| change.commit.clone()).unwrap_or_default()
    };
    (1..=lines).map(of).collect()
}

#[test]
fn the_blame_of_every_line_is_that_of_git() {
    for seed in 0..6 {
        let mut dice = Dice::new(seed);
        let repo = TestRepo::new();
        let (mut lines, mut next) = (Vec::new(), 0);
        let mut fresh = || {
            next += 1;
            format!("unique line {next}")
        };
        lines.extend((0..30).map(|_| fresh()));
        let mut path = "a.txt".to_owned();
        for commit in 0..40 {
            for _ in 0..=dice.roll(4) {
                let at = dice.roll(lines.len());
                match dice.roll(4) {
                    0 => lines.insert(at, fresh()),
                    1 if lines.len() > 10 => drop(lines.remove(at)),
                    _ => lines[at] = fresh(),
                }
            }
            if dice.once_in(12) {
                let moved = format!("moved-{commit}.txt");
                repo.git(["mv", path.as_str(), moved.as_str()]);
                path = moved;
            }
            let branch = commit > 0 && dice.once_in(5);
            if branch {
                repo.git(["checkout", "-q", "-b", &format!("b{commit}")]);
            }
            repo.write(&path, lines.join("\n") + "\n");
            repo.commit(&format!("Edit {commit}"));
            if branch {
                repo.git(["checkout", "-q", "main"]);
                repo.write("other.txt", commit.to_string());
                repo.commit("Meanwhile");
                repo.git(["merge", "-q", "--no-ff", "-m", "Merge", &format!("b{commit}")]);
            }
        }
        let opened = Repo::open(repo.path()).expect("a repository");
        assert_eq!(found(&opened, &path, lines.len()), blamed(&repo, &path), "seed {seed}");
    }
}

#[test]
fn a_line_names_its_merge_request_and_its_earlier_versions() {
    let repo = TestRepo::new();
    repo.write("a.txt", "one\ntwo\nthree\n");
    repo.commit("Start");
    repo.git(["checkout", "-q", "-b", "topic"]);
    repo.write("a.txt", "one\nTWO\nthree\n");
    repo.commit("Shout");
    repo.git(["checkout", "-q", "main"]);
    repo.write("b.txt", "x\n");
    repo.commit("Meanwhile");
    let message = "Merge branch 'topic' into 'main'\n\nShout\n\nSee merge request group/project!12";
    repo.git(["merge", "-q", "--no-ff", "-m", message, "topic"]);
    repo.git(["mv", "a.txt", "c.txt"]);
    repo.commit("Rename");
    repo.write("c.txt", "zero\none\nTWO\nthree\n");
    repo.commit("Insert");
    let data = tempfile::tempdir().expect("a folder");
    let app = App::start(AppOptions {
        data_dir: Some(data.path().join("data")),
        config_dir: Some(data.path().join("config")),
        ..AppOptions::default()
    })
    .expect("started");
    let handle = app
        .open(OpenRequest {
            source: Source::Repository(repo.path().to_owned()),
            target: Target::Commit { rev: "HEAD".into() },
            overrides: Vec::new(),
            since: None,
            trusted: false,
            selected: None,
        })
        .expect("opened");
    let file = &handle.opened.change.files[0];
    let none = CancellationToken::new();
    let history = |side, line| app.line_history(&handle.opened, file, side, line, &none).expect("a history");
    let shout = history(Side::New, 3);
    let told: Vec<_> = shout
        .changes
        .iter()
        .map(|one| (one.message.as_str(), one.path.as_str(), one.line, one.text.as_str(), one.merge_request.as_deref()))
        .collect();
    assert_eq!(told, [("Shout", "a.txt", 2, "TWO", Some("group/project!12")), ("Start", "a.txt", 2, "two", None)]);
    assert_eq!(history(Side::New, 1).changes[0].message, "Insert");
    assert_eq!(history(Side::Old, 2).changes[0].message, "Shout");
    assert!(history(Side::New, 99).stopped.expect("a reason").contains("no such line"));
    none.cancel();
    assert!(app.line_history(&handle.opened, file, Side::New, 3, &none).is_err());
}

#[test]
fn a_local_line_is_not_committed_yet() {
    let repo = TestRepo::new();
    repo.write("a.txt", "one\ntwo\n");
    repo.commit("Start");
    repo.write("a.txt", "one\n2\n");
    let data = tempfile::tempdir().expect("a folder");
    let app = App::start(AppOptions {
        data_dir: Some(data.path().join("data")),
        config_dir: Some(data.path().join("config")),
        ..AppOptions::default()
    })
    .expect("started");
    let open = || {
        app.open(OpenRequest {
            source: Source::Repository(repo.path().to_owned()),
            target: Target::Unstaged,
            overrides: Vec::new(),
            since: None,
            trusted: false,
            selected: None,
        })
        .expect("opened")
    };
    let handle = open();
    let file = &handle.opened.change.files[0];
    let none = CancellationToken::new();
    let added = app.line_history(&handle.opened, file, Side::New, 2, &none).expect("an answer");
    assert!(added.changes.is_empty() && added.stopped.expect("a reason").contains("not committed"));
    let removed = app.line_history(&handle.opened, file, Side::Old, 2, &none).expect("a history");
    assert_eq!(removed.changes[0].message, "Start");
}
