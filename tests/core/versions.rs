//! Comparisons of versions in real repositories, with histories that git itself rewrites.

use crate::desk::Desk;
use diffsan_app::{ChangeHandle, ChangeRequest};
use diffsan_change::Target;
use diffsan_git::Repo;
use diffsan_test_support::repo::TestRepo;
use diffsan_versions::{CommitState, CompareOptions, Comparison, FileNoteItem, Verdict, compare, named};
use tokio_util::sync::CancellationToken;

/// A text of ten lines, with some of them replaced, removed (an empty text) or more than one (with line feeds).
fn lines(edits: &[(usize, &str)]) -> String {
    (1..=10)
        .map(|line| match edits.iter().find(|(at, _)| *at == line) {
            Some((_, "")) => String::new(),
            Some((_, text)) => format!("{text}\n"),
            None => format!("line {line}\n"),
        })
        .collect()
}

/// A repository whose branch `topic` has one commit on `main`, tagged `old`.
fn topic(edits: &[(usize, &str)]) -> TestRepo {
    let repo = TestRepo::new();
    repo.write("a.txt", lines(&[]));
    repo.write("other.txt", lines(&[]));
    repo.commit("base");
    repo.git(["checkout", "-q", "-b", "topic"]);
    repo.write("a.txt", lines(edits));
    repo.commit("edit a");
    repo.git(["tag", "old"]);
    repo
}

/// Commits to `main`, and returns to `topic`.
fn on_main(repo: &TestRepo, edit: impl Fn()) {
    repo.git(["checkout", "-q", "main"]);
    edit();
    repo.commit("upstream");
    repo.git(["checkout", "-q", "topic"]);
}

fn compared(repo: &TestRepo) -> Comparison {
    let open = Repo::open(repo.path()).unwrap();
    let (old, new) = (named(&open, "main..old").unwrap(), named(&open, "main..topic").unwrap());
    compare(&open, &old, &new, CompareOptions { context: 0, commits: true }).unwrap()
}

/// Returns the edits as `path: +line -line`, with `!` for lines of a conflict.
fn edits(comparison: &Comparison) -> Vec<String> {
    let of_file = |file: &diffsan_versions::ComparedFile| {
        let lines = file.hunks.iter().flat_map(|hunk| &hunk.lines);
        let lines: String =
            lines.map(|line| format!(" {}{}{}", line.sign, if line.conflict { "!" } else { "" }, line.text)).collect();
        format!("{}:{lines}", file.path)
    };
    comparison.files.iter().map(of_file).collect()
}

#[test]
fn a_rebase_shows_nothing_and_says_so() {
    let repo = topic(&[(5, "author 5")]);
    on_main(&repo, || {
        repo.write("a.txt", lines(&[(1, "upstream 1"), (10, "")]));
        repo.write("other.txt", "other\n");
        repo.write("new.txt", "new\n");
    });
    repo.git(["rebase", "-q", "main"]);
    let result = compared(&repo);
    assert_eq!((result.verdict, edits(&result)), (Verdict::NoEdits, vec![]));
    assert_eq!(result.summary, "Only rebased: the author edited nothing.");
    assert_eq!((result.hidden.target_files, result.hidden.target_added, result.hidden.target_removed), (2, 1, 2));
    let commits = result.commits.unwrap();
    assert_eq!((commits.len(), commits[0].state), (1, CommitState::Unchanged));
}

#[test]
fn an_edit_in_a_rebase_is_shown() {
    let repo = topic(&[(5, "author 5")]);
    on_main(&repo, || repo.write("a.txt", lines(&[(1, "upstream 1")])));
    repo.git(["rebase", "-q", "main"]);
    repo.write("a.txt", lines(&[(1, "upstream 1"), (5, "author 5"), (9, "later 9")]));
    repo.git(["commit", "-q", "-a", "--amend", "--no-edit"]);
    let result = compared(&repo);
    assert_eq!(edits(&result), ["a.txt: -line 9 +later 9"]);
    assert_eq!(result.commits.unwrap()[0].state, CommitState::Edited);
}

#[test]
fn a_resolved_conflict_is_shown_and_marked() {
    let repo = topic(&[(5, "author 5")]);
    on_main(&repo, || repo.write("a.txt", lines(&[(5, "upstream 5")])));
    assert!(repo.try_git(["rebase", "-q", "main"], b"").is_err());
    repo.write("a.txt", lines(&[(5, "resolved 5")]));
    repo.git(["add", "-A"]);
    repo.git(["-c", "core.editor=true", "rebase", "--continue"]);
    let result = compared(&repo);
    assert_eq!(edits(&result), ["a.txt: -!author 5 -!upstream 5 +!resolved 5"]);
    assert!(result.files[0].conflict);
}

#[test]
fn a_merge_of_the_target_shows_nothing() {
    let repo = topic(&[(5, "author 5")]);
    on_main(&repo, || repo.write("a.txt", lines(&[(1, "upstream 1")])));
    repo.git(["merge", "-q", "--no-edit", "main"]);
    assert_eq!(compared(&repo).verdict, Verdict::NoEdits);
}

#[test]
fn files_are_followed_through_moves_of_both_sides() {
    // The target moves the file, and git rebases into the new path.
    let repo = topic(&[(5, "author 5")]);
    on_main(&repo, || {
        repo.git(["mv", "a.txt", "moved.txt"]);
        repo.write("moved.txt", lines(&[(1, "upstream 1")]));
    });
    repo.git(["rebase", "-q", "main"]);
    let result = compared(&repo);
    assert_eq!((result.verdict, edits(&result)), (Verdict::NoEdits, vec![]));
    // The author moves it again, with an edit.
    repo.git(["mv", "moved.txt", "again.txt"]);
    repo.write("again.txt", lines(&[(1, "upstream 1"), (5, "author 5"), (8, "later 8")]));
    repo.commit("move");
    let result = compared(&repo);
    assert_eq!(edits(&result), ["again.txt: -line 8 +later 8"]);
    assert_eq!(result.files[0].notes, [FileNoteItem::Renamed { from: "moved.txt".to_owned() }]);
}

#[test]
fn files_that_one_side_removed_are_shown_as_conflicts() {
    let repo = topic(&[(5, "author 5")]);
    on_main(&repo, || repo.remove("a.txt"));
    assert!(repo.try_git(["rebase", "-q", "main"], b"").is_err());
    repo.git(["rm", "-q", "--cached", "a.txt"]);
    repo.git(["clean", "-q", "-f"]);
    repo.git(["commit", "-q", "--allow-empty", "-m", "edit a"]);
    repo.git(["rebase", "--continue"]);
    repo.git(["checkout", "-q", "-B", "topic"]);
    let result = compared(&repo);
    assert_eq!(edits(&result), ["a.txt: -!author 5"]);
    assert_eq!(result.files[0].notes, [FileNoteItem::TargetRemoved]);
}

#[test]
fn modes_binaries_and_removed_files_of_the_author_are_shown() {
    let repo = topic(&[(5, "author 5")]);
    repo.write("data.bin", b"\0one");
    repo.git(["add", "-A"]);
    repo.git(["commit", "-q", "--amend", "--no-edit"]);
    repo.git(["tag", "-f", "old"]);
    on_main(&repo, || repo.write("b.txt", "b\n"));
    repo.git(["rebase", "-q", "main"]);
    assert_eq!(compared(&repo).verdict, Verdict::NoEdits);
    repo.write("data.bin", b"\0two");
    repo.git(["update-index", "--chmod=+x", "a.txt"]);
    repo.remove("other.txt");
    repo.git(["add", "data.bin", "other.txt"]);
    repo.git(["commit", "-q", "-m", "later"]);
    let result = compared(&repo);
    let notes: Vec<_> = result.files.iter().map(|file| (file.path.as_str(), file.notes.clone())).collect();
    let mode = FileNoteItem::Mode { from: 0o100_644, to: 0o100_755 };
    assert_eq!(notes[0], ("a.txt", vec![mode]));
    assert_eq!(notes[1], ("data.bin", vec![FileNoteItem::Content]));
    assert_eq!(notes[2], ("other.txt", vec![FileNoteItem::Removed]));
}

#[test]
fn an_unrelated_head_is_compared_as_a_whole() {
    let repo = topic(&[(5, "author 5")]);
    repo.git(["checkout", "-q", "--orphan", "fresh"]);
    repo.write("a.txt", lines(&[(5, "author 5"), (6, "later 6")]));
    repo.commit("unrelated");
    repo.git(["branch", "-f", "topic"]);
    let result = compared(&repo);
    assert_eq!((result.verdict, edits(&result)), (Verdict::Unrelated, vec!["a.txt: -line 6 +later 6".to_owned()]));
}

#[test]
fn commits_are_listed_as_unchanged_edited_new_and_dropped() {
    let repo = topic(&[(5, "author 5")]);
    for name in ["one", "two", "three"] {
        repo.write(format!("{name}.txt"), format!("{name}\n"));
        repo.commit(name);
    }
    repo.git(["tag", "-f", "old"]);
    on_main(&repo, || repo.write("b.txt", "b\n"));
    let ids = repo.text(["rev-list", "--reverse", "main..old"]);
    let ids: Vec<&str> = ids.lines().collect();
    // Without `two`; `three` before `one`; `edit a` with another line; and a new commit.
    repo.git(["checkout", "-q", "-B", "topic", "main"]);
    repo.git(["cherry-pick", ids[0]]);
    repo.write("a.txt", lines(&[(5, "author 5"), (9, "later 9")]));
    repo.git(["commit", "-q", "-a", "--amend", "--no-edit"]);
    repo.git(["cherry-pick", ids[3], ids[1]]);
    repo.write("four.txt", "four\n");
    repo.commit("four");
    let rows = compared(&repo).commits.unwrap();
    let text = |row: &diffsan_versions::CommitRow| {
        let subject = &row.new.as_ref().or(row.old.as_ref()).unwrap().subject;
        format!("{subject}: {:?}{}", row.state, if row.reordered { ", reordered" } else { "" })
    };
    let rows: Vec<String> = rows.iter().map(text).collect();
    assert_eq!(rows, ["edit a: Edited", "three: Unchanged, reordered", "one: Unchanged", "two: Dropped", "four: New"]);
}

#[test]
fn seen_heads_survive_a_force_push_and_garbage_collection() {
    let repo = topic(&[(5, "author 5")]);
    let open = Repo::open(repo.path()).unwrap();
    let first = open.version(&["main"], "topic").unwrap();
    open.record_head("0123456789abcdef", &first, 1_700_000_000).unwrap();
    open.record_head("0123456789abcdef", &first, 1_700_000_001).unwrap();
    repo.git(["tag", "-d", "old"]);
    repo.git(["reset", "-q", "--hard", "main"]);
    repo.git(["reflog", "expire", "--expire=now", "--all"]);
    repo.git(["gc", "-q", "--prune=now"]);
    let open = Repo::open(repo.path()).unwrap();
    let second = open.version(&["main"], "topic").unwrap();
    open.record_head("0123456789abcdef", &second, 1_700_000_002).unwrap();
    let seen = open.seen_heads("0123456789abcdef").unwrap();
    let found: Vec<_> = seen.iter().map(|seen| (seen.version.clone(), seen.time)).collect();
    assert_eq!(found, [(first.clone(), 1_700_000_000), (second, 1_700_000_002)]);
    assert!(open.has_commit(&first.head));
    assert_eq!(repo.text(["branch", "--list"]).lines().count(), 2);
}

/// Opens the branch `topic`, with the changes since a version if one is given.
async fn open_topic(desk: &Desk, since: Option<&str>) -> ChangeHandle {
    let target = Target::Branch { name: Some("topic".to_owned()), base: Some("main".to_owned()) };
    let repo = Some(desk.repo.path().to_owned());
    let since = since.map(str::to_owned);
    desk.app
        .open_change(ChangeRequest { since, ..ChangeRequest::new(repo, target) }, &CancellationToken::new())
        .await
        .expect("opened")
}

#[tokio::test]
async fn what_a_rebase_brought_is_not_new_to_an_agent() {
    let desk = Desk::new();
    desk.repo.write("a.txt", lines(&[]).repeat(3));
    desk.repo.commit("base");
    desk.repo.git(["checkout", "-q", "-b", "topic"]);
    let text = |edits: &[(usize, &str)]| lines(edits) + &lines(&[]) + &lines(edits);
    desk.repo.write("a.txt", text(&[(5, "author 5")]));
    desk.repo.commit("edit a");
    let first = open_topic(&desk, None).await;
    let old = first.opened.change.head.clone().unwrap();
    on_main(&desk.repo, || desk.repo.write("a.txt", lines(&[(2, "upstream 2")]) + &lines(&[]).repeat(2)));
    desk.repo.git(["rebase", "-q", "main"]);
    let rebased = open_topic(&desk, Some(&old)).await;
    assert_eq!(rebased.opened.prepared().prepared.diff.as_str(), "");
    // One of two hunks is edited again.
    let later = lines(&[(2, "upstream 2"), (5, "author 5")]) + &lines(&[]) + &lines(&[(5, "later 5")]);
    desk.repo.write("a.txt", later);
    desk.repo.commit("edit again");
    let edited = open_topic(&desk, Some(&old)).await;
    let sent = edited.opened.prepared().prepared.diff.as_str().to_owned();
    assert!(sent.contains("+later 5") && !sent.contains("+author 5"), "{sent}");
    // The window gets the same, and the versions that were opened.
    let versions = desk.app.versions(&edited.opened).await.unwrap();
    assert_eq!(versions.len(), 3);
    assert_eq!((versions[0].head.clone(), versions[2].current), (old, true));
    let since = desk.app.compare_since(&edited.opened, "v1".to_owned(), None, CompareOptions::default()).await.unwrap();
    assert_eq!((since.files.len(), since.verdict), (1, Verdict::Edited));
    let missing = desk.app.compare_since(&edited.opened, "last".to_owned(), None, CompareOptions::default()).await;
    assert!(missing.unwrap_err().message.contains("No review"));
    let gone = "0123456789012345678901234567890123456789".to_owned();
    let error = desk.app.compare_since(&edited.opened, gone, None, CompareOptions::default()).await.unwrap_err();
    assert!(error.message.starts_with("The version 0123456789 cannot be shown."));
    // The ids of a base and a head name a version whatever its number is, and any two versions are compared.
    let named = |at: usize| format!("{}..{}", versions[at].base.clone().unwrap(), versions[at].head);
    let compare = |since, until| desk.app.compare_since(&edited.opened, since, until, CompareOptions::default());
    let by_ids = compare(named(0), None).await.unwrap();
    assert_eq!((by_ids.old, by_ids.new), (since.old, since.new));
    let earlier = compare(named(0), Some(named(1))).await.unwrap();
    assert_eq!((earlier.verdict, earlier.new.head), (Verdict::NoEdits, versions[1].head.clone()));
    let later = compare("v2".to_owned(), Some("v3".to_owned())).await.unwrap();
    assert_eq!((later.verdict, edits(&later)), (Verdict::Edited, edits(&compare(named(1), None).await.unwrap())));
    assert_eq!(desk.app.since_commit(&edited.opened, "v1").await.unwrap(), named(0));
    let lost = format!("{}..0123456789012345678901234567890123456789", versions[0].base.clone().unwrap());
    let error = compare(lost, None).await.unwrap_err();
    assert!(error.message.starts_with("The version 0123456789 cannot be shown."), "{}", error.message);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_commit_of_a_version_is_fetched_again_or_named() {
    let case = crate::rounds::Case::new(diffsan_test_support::gitlab::ServerVersion::default()).await;
    let old = case.open().await.opened.change.head.clone().unwrap();
    case.gitlab.commit("topic", "a.rs", "fn new() {}\n");
    case.gitlab.pushed(7);
    let opened = case.open().await.opened;
    let kept = opened.change.head.clone().unwrap();
    // The clone loses the commits of both versions, as after garbage collection.
    for name in case.clone.text(["for-each-ref", "--format=%(refname)", "refs/diffsan", "refs/remotes"]).lines() {
        case.clone.git(["update-ref", "--no-deref", "-d", name]);
    }
    case.clone.git(["reflog", "expire", "--expire=now", "--all"]);
    case.clone.git(["gc", "-q", "--prune=now"]);
    assert!(!Repo::open(case.clone.path()).unwrap().has_commit(&old));
    let options = CompareOptions::default();
    let compared = case.app.compare_since(&opened, old.clone(), Some(kept.clone()), options).await.unwrap();
    assert_eq!((compared.old.head.as_str(), compared.verdict), (old.as_str(), Verdict::Edited));
    assert!(Repo::open(case.clone.path()).unwrap().has_commit(&old));
    // A commit that the server does not have, either, is named, with the way out.
    let unknown = "0123456789".repeat(4);
    let error = case.app.compare_since(&opened, unknown, None, options).await.unwrap_err();
    assert!(error.message.starts_with("The version 0123456789 cannot be shown."), "{}", error.message);
    assert!(error.message.contains("could not be fetched"), "{}", error.message);
    assert!(error.advice().contains("show the whole change"), "{}", error.advice());
}
