//! Merge requests that wait for the reader are fetched before they are opened.

use std::path::Path;
use std::sync::Arc;

use diffsan_app::{App, AppOptions, ChangeHandle, ChangeRequest};
use diffsan_change::Target;
use diffsan_config::{Origin, parse_layer};
use diffsan_pipeline::error::Result;
use diffsan_store::secrets::{Secret, SecretName};
use diffsan_test_support::gitlab::{FakeGitlab, PROJECT, TOKEN};
use diffsan_test_support::repo::TestRepo;

fn start(data: &Path, gitlab: &FakeGitlab, settings: &str) -> Arc<App> {
    let settings = format!("gitlab.retry_pause_ms = 5\n{settings}");
    let options = AppOptions {
        data_dir: Some(data.join("data")),
        config_dir: Some(data.join("config")),
        layers: vec![parse_layer(Origin::CommandLine, &settings).expect("settings")],
        ..AppOptions::default()
    };
    let app = App::start(options).expect("started");
    app.save_secret(&SecretName::parse(&gitlab.url()).expect("a name"), &Secret::new(TOKEN), true).expect("kept");
    app
}

/// Starts a server with a merge request for the reader, and clones its target branch.
async fn server() -> (FakeGitlab, TestRepo) {
    let origin = TestRepo::new();
    origin.write("a.rs", "fn one() {}\n");
    origin.commit("base");
    origin.git(["checkout", "-q", "-b", "topic"]);
    origin.write("a.rs", "fn two() {}\n");
    origin.commit("Rename it");
    origin.git(["checkout", "-q", "main"]);
    let gitlab = FakeGitlab::start(&origin.path().join(".git")).await;
    gitlab.merge_request(7, "topic", "main");
    let clone = TestRepo::clone_of(&origin, &["--single-branch", "--branch", "main"]);
    clone.git(["remote", "set-url", "origin", &format!("{}/{PROJECT}.git", gitlab.url())]);
    (gitlab, clone)
}

/// Starts diffsan with a clone, and fetches the merge request of its inbox.
async fn prefetched(data: &Path, gitlab: &FakeGitlab, clone: &TestRepo) -> Arc<App> {
    let app = start(data, gitlab, "");
    app.open_repository(clone.path()).expect("opened");
    app.refresh_inbox().await.expect("refreshed");
    assert_eq!(app.prefetch_inbox().await.expect("fetched"), 1);
    app
}

async fn open(app: &Arc<App>, gitlab: &FakeGitlab, repo: Option<&TestRepo>) -> Result<ChangeHandle> {
    let target = Target::MergeRequest { base: gitlab.url(), project: PROJECT.into(), iid: 7 };
    app.open_change(ChangeRequest::new(repo.map(|repo| repo.path().to_owned()), target), &app.cancellation()).await
}

/// Returns the numbers of requests of GitLab's interface and of git so far.
fn requests(gitlab: &FakeGitlab) -> (usize, usize) {
    (gitlab.requests().len(), gitlab.git_requests().len())
}

#[tokio::test(flavor = "multi_thread")]
async fn opening_a_merge_request_that_waits_takes_no_network() {
    let (gitlab, clone) = server().await;
    let data = tempfile::tempdir().expect("a folder");
    let app = prefetched(data.path(), &gitlab, &clone).await;
    let before = requests(&gitlab);
    assert!(before.1 > 0, "the commits are in the clone");
    // The remote is gone, too.
    clone.git(["remote", "remove", "origin"]);
    let handle = open(&app, &gitlab, Some(&clone)).await.expect("opened");
    assert_eq!(requests(&gitlab), before);
    let request = handle.opened.merge_request.as_ref().expect("a merge request");
    assert_eq!((request.threads.get().is_some(), request.me.is_some()), (true, true));
    assert_eq!(request.messages, ["Rename it\n"]);
    assert_eq!(handle.opened.root.as_deref(), Some(clone.path()), "the change is read from the clone");
    let fresh = app.open_merge_request(Some(clone.path().to_owned()), &handle.opened.target, Vec::new(), None).await;
    let fresh = fresh.expect("opened");
    assert_eq!(fresh.opened.fingerprint, handle.opened.fingerprint);
    let keys = |handle: &ChangeHandle| {
        handle.opened.merge_request.as_ref().map(|request| format!("{:?}", request.markers)).expect("a merge request")
    };
    assert_eq!(keys(&fresh), keys(&handle), "comments of earlier reviews are recognised");
    // Nothing is fetched twice.
    assert_eq!(app.prefetch_inbox().await.expect("fetched"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_clone_the_patch_is_fetched() {
    let (gitlab, _) = server().await;
    let data = tempfile::tempdir().expect("a folder");
    let app = start(data.path(), &gitlab, "");
    app.refresh_inbox().await.expect("refreshed");
    assert_eq!(app.prefetch_inbox().await.expect("fetched"), 1);
    app.end().await;
    let app = start(data.path(), &gitlab, "");
    let before = requests(&gitlab);
    let handle = open(&app, &gitlab, None).await.expect("opened");
    assert_eq!((requests(&gitlab), handle.opened.change.files.len()), (before, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_request_that_changed_is_read_from_the_server() {
    let (gitlab, clone) = server().await;
    let data = tempfile::tempdir().expect("a folder");
    let app = prefetched(data.path(), &gitlab, &clone).await;
    gitlab.commit("topic", "a.rs", "fn three() {}\n");
    gitlab.pushed(7);
    app.refresh_inbox().await.expect("refreshed");
    let before = requests(&gitlab);
    let handle = open(&app, &gitlab, Some(&clone)).await.expect("opened");
    assert!(requests(&gitlab).0 > before.0);
    let refs = &handle.opened.merge_request.as_ref().expect("a merge request").refs;
    assert_eq!(refs.head_sha, gitlab.look(7).versions.last().expect("a version").head);
    assert_eq!(app.prefetch_inbox().await.expect("fetched"), 1, "the new version is fetched");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_current_state_is_read_from_the_server_if_asked() {
    let (gitlab, clone) = server().await;
    let data = tempfile::tempdir().expect("a folder");
    let app = prefetched(data.path(), &gitlab, &clone).await;
    gitlab.commit("topic", "a.rs", "fn three() {}\n");
    gitlab.pushed(7);
    // The inbox was refreshed before the push.
    let handle = open(&app, &gitlab, Some(&clone)).await.expect("opened");
    let repo = Some(clone.path().to_owned());
    let request = ChangeRequest { current: true, ..ChangeRequest::new(repo, handle.opened.target.clone()) };
    let now = app.open_change(request, &app.cancellation()).await.expect("opened");
    let head = gitlab.look(7).versions.last().expect("a version").head.clone();
    assert_ne!(handle.opened.change.head.as_ref(), Some(&head));
    assert_eq!(now.opened.change.head, Some(head));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_request_opens_while_its_server_is_gone() {
    let (gitlab, clone) = server().await;
    let data = tempfile::tempdir().expect("a folder");
    let app = prefetched(data.path(), &gitlab, &clone).await;
    let fault = diffsan_test_support::gitlab::Fault::Cut;
    gitlab.with(|state| {
        for _ in 0..40 {
            state.faults.push(("GET".into(), String::new(), 0, fault.clone()));
        }
    });
    let view = app.refresh_inbox().await.expect("refreshed");
    assert!(view.accounts[0].problem.is_some(), "{view:?}");
    open(&app, &gitlab, Some(&clone)).await.expect("opened as it was fetched");
}

#[tokio::test(flavor = "multi_thread")]
async fn prefetching_is_bounded_and_can_be_turned_off() {
    let (gitlab, _) = server().await;
    super::add_asked(&gitlab, "a/b", 4);
    for (settings, count) in [("inbox.prefetch = 0", 0), ("inbox.prefetch = 2", 2)] {
        let data = tempfile::tempdir().expect("a folder");
        let app = start(data.path(), &gitlab, settings);
        app.refresh_inbox().await.expect("refreshed");
        let before = requests(&gitlab);
        app.prefetch_inbox().await.expect("ended");
        let read = gitlab.requests()[before.0..].iter().filter(|one| one.path.contains("/merge_requests/")).count();
        assert_eq!(read > 0, count > 0, "{settings}");
        let projects: std::collections::BTreeSet<String> = gitlab.requests()[before.0..]
            .iter()
            .filter_map(|one| {
                let (project, rest) = one.path.split_once("/merge_requests/")?;
                Some(format!("{project}!{}", rest.split(['/', '?']).next()?))
            })
            .collect();
        assert_eq!(projects.len(), count, "{projects:?}");
        app.end().await;
        assert_eq!(app.prefetch_inbox().await.expect("ended"), 0, "it ends with the program");
    }
}
