//! Comparisons of versions in shallow clones, made with `git clone --depth`: the history is fetched, or the version is named.

use diffsan_app::ChangeRequest;
use diffsan_change::Target;
use diffsan_test_support::gitlab::{FakeGitlab, PROJECT, ServerVersion, versions};
use diffsan_test_support::repo::TestRepo;
use diffsan_versions::{CompareOptions, Verdict};
use tokio_util::sync::CancellationToken;

use crate::rounds::{start, start_with_token};

fn lines(edits: &[(usize, &str)]) -> String {
    let line = |number: usize| match edits.iter().find(|(at, _)| *at == number) {
        Some((_, text)) => format!("{text}\n"),
        None => format!("line {number}\n"),
    };
    (1..=20).map(line).collect()
}

/// A repository with several commits on `main`, and `topic` on the second one. The tag `first` is at the head of `topic`.
fn origin() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("a.txt", lines(&[]));
    repo.commit("base");
    repo.commit("empty");
    repo.git(["checkout", "-q", "-b", "topic"]);
    repo.write("a.txt", lines(&[(10, "author 10")]));
    repo.commit("edit a");
    repo.git(["tag", "first"]);
    repo.git(["checkout", "-q", "main"]);
    repo.write("a.txt", lines(&[(2, "upstream 2")]));
    repo.commit("upstream");
    repo.commit("empty again");
    repo
}

/// Rebases `topic` on `main`, and edits a line.
fn rebase(repo: &TestRepo) {
    repo.git(["checkout", "-q", "topic"]);
    repo.git(["rebase", "-q", "main"]);
    repo.write("a.txt", lines(&[(2, "upstream 2"), (10, "author 10"), (15, "later 15")]));
    repo.commit("answer");
}

fn is_shallow(repo: &TestRepo) -> bool {
    repo.text(["rev-parse", "--is-shallow-repository"]) == "true"
}

/// A server with merge request 7, which was rebased, and a clone with only the last commit of `main`.
async fn rebased() -> (FakeGitlab, TestRepo, String) {
    let origin = origin();
    let gitlab = versions::start(ServerVersion::default(), &origin).await;
    let first = origin.text(["rev-parse", "first"]);
    rebase(&origin);
    let repository = gitlab.repository();
    origin.git(["push", "-q", "--force", repository.to_str().unwrap(), "topic"]);
    gitlab.pushed(7);
    let clone = TestRepo::clone_of(&origin, &["--depth", "1", "--branch", "main"]);
    clone.git(["remote", "set-url", "origin", &format!("{}/{PROJECT}.git", gitlab.url())]);
    assert!(is_shallow(&clone));
    (gitlab, clone, first)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shallow_clone_gets_the_history_that_a_comparison_needs() {
    let (gitlab, clone, first) = rebased().await;
    let (app, _data) = start_with_token(&gitlab);
    let target = Target::MergeRequest { base: gitlab.url(), project: PROJECT.into(), iid: 7 };
    let repo = Some(clone.path().to_owned());
    let handle = app.open_merge_request(repo.clone(), &target, Vec::new(), None).await.expect("opened");
    let compared = app.compare_since(&handle.opened, first.clone(), None, CompareOptions::default()).await.unwrap();
    let added: Vec<String> = compared
        .files
        .iter()
        .flat_map(|file| &file.hunks)
        .flat_map(|hunk| &hunk.lines)
        .filter(|line| line.sign == '+')
        .map(|line| line.text.clone())
        .collect();
    assert_eq!((compared.verdict, added), (Verdict::Edited, vec!["later 15".to_owned()]));
    assert!(!is_shallow(&clone));
    // Only the new edit is sent to an agent, too.
    let opened = app
        .open_change(
            ChangeRequest { since: Some(first), ..ChangeRequest::new(repo, target) },
            &CancellationToken::new(),
        )
        .await
        .expect("opened");
    let sent = opened.opened.prepared().prepared.diff.as_str().to_owned();
    assert!(sent.contains("+later 15") && !sent.contains("upstream"), "{sent}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_of_later_edits_fetches_what_a_shallow_clone_lacks() {
    let (gitlab, clone, first) = rebased().await;
    let (app, _data) = start_with_token(&gitlab);
    let target = Target::MergeRequest { base: gitlab.url(), project: PROJECT.into(), iid: 7 };
    let repo = Some(clone.path().to_owned());
    let opened = app
        .open_change(
            ChangeRequest { since: Some(first), ..ChangeRequest::new(repo, target) },
            &CancellationToken::new(),
        )
        .await
        .expect("opened");
    assert!(opened.opened.prepared().prepared.diff.as_str().contains("+later 15"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_whose_history_cannot_be_fetched_is_named() {
    let origin = origin();
    let first = origin.text(["rev-parse", "first"]);
    rebase(&origin);
    // diffsan fetches nothing over a local transport.
    let clone = TestRepo::clone_of(&origin, &["--depth", "3", "--no-single-branch"]);
    clone.git(["fetch", "-q", "--depth", "1", "origin", "tag", "first"]);
    let (app, _data) = start("");
    let target = Target::Branch { name: Some("origin/topic".to_owned()), base: Some("origin/main".to_owned()) };
    let repo = Some(clone.path().to_owned());
    let cancel = CancellationToken::new();
    let handle = app.open_change(ChangeRequest::new(repo.clone(), target.clone()), &cancel).await.expect("opened");
    let error = app.compare_since(&handle.opened, first.clone(), None, CompareOptions::default()).await.unwrap_err();
    let expected = format!("The version {} cannot be shown.", &first[..10]);
    assert!(error.message.starts_with(&expected), "{}", error.message);
    assert!(
        error.message.contains("clone is shallow") && error.message.contains("could not be fetched"),
        "{}",
        error.message
    );
    assert!(error.advice().contains("show the whole change"), "{}", error.advice());
    let error = app
        .open_change(ChangeRequest { since: Some(first), ..ChangeRequest::new(repo, target) }, &cancel)
        .await
        .err()
        .expect("an error");
    assert!(error.message.contains("could not be fetched"), "{}", error.message);
    assert!(is_shallow(&clone));
}
