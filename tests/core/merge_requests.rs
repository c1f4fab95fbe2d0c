//! Opening a merge request: its diff comes from the commits of a clone, and the version of the server is known after a restart.

use std::path::Path;
use std::sync::Arc;

use diffsan_app::{App, AppOptions, ChangeHandle};
use diffsan_change::{Body, FileChange, Target};
use diffsan_config::{Origin, parse_layer};
use diffsan_store::secrets::{Secret, SecretName};
use diffsan_test_support::gitlab::{FakeGitlab, PROJECT, ServerVersion, TOKEN, versions};
use diffsan_test_support::repo::TestRepo;

/// Starts the application with a data folder and the token of a server.
fn start(data: &Path, gitlab: &FakeGitlab) -> Arc<App> {
    let layer = parse_layer(Origin::CommandLine, "gitlab.retry_pause_ms = 5").expect("settings");
    let app = App::start(AppOptions {
        data_dir: Some(data.join("data")),
        config_dir: Some(data.join("config")),
        layers: vec![layer],
        ..AppOptions::default()
    });
    let app = app.expect("started");
    let name = SecretName::parse(&gitlab.url()).expect("a name");
    app.save_secret(&name, &Secret::new(TOKEN), true).expect("kept");
    app
}

async fn open(app: &Arc<App>, gitlab: &FakeGitlab, repo: Option<&TestRepo>) -> ChangeHandle {
    let target = Target::MergeRequest { base: gitlab.url(), project: PROJECT.into(), iid: 7 };
    let repo = repo.map(|repo| repo.path().to_owned());
    app.open_merge_request(repo, &target, Vec::new(), None).await.expect("opened")
}

/// Returns a clone of the target branch whose remote is the server.
fn clone(origin: &TestRepo, gitlab: &FakeGitlab, arguments: &[&str]) -> TestRepo {
    let arguments = [&["--single-branch", "--branch", "main"], arguments].concat();
    let clone = TestRepo::clone_of(origin, &arguments);
    clone.git(["remote", "set-url", "origin", &format!("{}/{PROJECT}.git", gitlab.url())]);
    clone
}

/// Returns how often GitLab's diff was requested.
fn diff_requests(gitlab: &FakeGitlab) -> usize {
    let is = |path: &str| ["/raw_diffs", "/changes", "/diffs"].iter().any(|name| path.contains(name));
    gitlab.requests().iter().filter(|one| is(&one.path)).count()
}

fn file<'a>(handle: &'a ChangeHandle, path: &str) -> &'a FileChange {
    let is = |file: &&FileChange| file.new_path.as_ref().is_some_and(|new| new.to_text() == path);
    handle.opened.change.files.iter().find(is).expect("a file of the change")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_clone_has_the_whole_diff_on_every_version() {
    let origin = versions::origin();
    for version in versions::tested() {
        let gitlab = versions::start(version, &origin).await;
        let data = tempfile::tempdir().expect("a folder");
        let app = start(data.path(), &gitlab);
        let without = open(&app, &gitlab, None).await;
        assert!(file(&without, "large.txt").hunks().is_empty(), "GitLab's patch has no lines of a large file");
        let asked = diff_requests(&gitlab);
        assert!(asked > 0);
        let clone = clone(&origin, &gitlab, &[]);
        let with = open(&app, &gitlab, Some(&clone)).await;
        assert_eq!(diff_requests(&gitlab), asked, "GitLab's diff is not requested");
        let large: usize = file(&with, "large.txt").hunks().iter().map(|hunk| hunk.lines.len()).sum();
        assert!(large > 13_000, "{large} lines");
        // Except for the large file, the diffs are equal.
        assert_eq!(without.opened.change.files.len(), with.opened.change.files.len());
        for one in without.opened.change.files.iter().filter(|one| !one.hunks().is_empty()) {
            let path = one.new_path.as_ref().or(one.old_path.as_ref()).expect("a path");
            let same = |other: &&FileChange| (&other.old_path, &other.new_path) == (&one.old_path, &one.new_path);
            let other = with.opened.change.files.iter().find(same).expect("the same file");
            assert_eq!((other.status, other.line_counts()), (one.status, one.line_counts()), "{}", path.to_text());
        }
        let sent = gitlab.git_requests();
        assert!(!sent.is_empty() && sent.iter().all(|one| !one.path.contains(TOKEN)), "{sent:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_diff_has_the_same_fingerprint_with_and_without_a_clone() {
    let origin = TestRepo::new();
    origin.write("a.rs", (0..40).map(|line| format!("line {line}\n")).collect::<String>());
    origin.write("moved.rs", (0..30).map(|line| format!("moved {line}\n")).collect::<String>());
    origin.write("image.bin", [0, 1, 2, 3, 255]);
    origin.commit("base");
    origin.git(["checkout", "-q", "-b", "topic"]);
    origin.write("a.rs", (0..40).map(|line| format!("line {}\n", line * (line % 7))).collect::<String>());
    origin.git(["mv", "moved.rs", "größe.rs"]);
    // Similar by less than half: a rename only with GitLab's threshold.
    let moved: String =
        (0..30).map(|line| if line < 12 { format!("moved {line}\n") } else { format!("other {line}\n") }).collect();
    origin.write("größe.rs", moved);
    origin.write("image.bin", [0, 1, 2, 4, 255]);
    origin.commit("topic");
    origin.git(["checkout", "-q", "main"]);
    let gitlab = versions::start(ServerVersion::NEWEST, &origin).await;
    let data = tempfile::tempdir().expect("a folder");
    let app = start(data.path(), &gitlab);
    let without = open(&app, &gitlab, None).await;
    let clone = clone(&origin, &gitlab, &[]);
    let with = open(&app, &gitlab, Some(&clone)).await;
    assert_eq!(file(&with, "größe.rs").old_path, Some("moved.rs".into()));
    assert_eq!(with.opened.fingerprint, without.opened.fingerprint);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clone_without_the_contents_of_files_is_not_used_for_the_diff() {
    let origin = versions::origin();
    origin.git(["config", "uploadpack.allowFilter", "true"]);
    let gitlab = versions::start(ServerVersion::NEWEST, &origin).await;
    let data = tempfile::tempdir().expect("a folder");
    let app = start(data.path(), &gitlab);
    // The commits and folders are there, so nothing is fetched.
    let partial = TestRepo::clone_of(&origin, &["--filter=blob:none", "--no-checkout"]);
    partial.git(["fetch", "-q", "origin", "topic"]);
    partial.git(["remote", "set-url", "origin", &format!("{}/{PROJECT}.git", gitlab.url())]);
    let opened = open(&app, &gitlab, Some(&partial)).await;
    assert!(diff_requests(&gitlab) > 0);
    assert!(opened.opened.change.files.iter().all(|file| !matches!(file.body, Body::Unread(_))));
    assert!(!file(&opened, "text.rs").hunks().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_version_of_a_server_is_known_after_a_restart() {
    let origin = versions::origin();
    let gitlab = versions::start(ServerVersion::NEWEST, &origin).await;
    let data = tempfile::tempdir().expect("a folder");
    for _ in 0..3 {
        let app = start(data.path(), &gitlab);
        open(&app, &gitlab, None).await;
        app.end().await;
    }
    let asked = gitlab.requests().iter().filter(|one| one.path.ends_with("/metadata")).count();
    assert_eq!(asked, 1);
}
