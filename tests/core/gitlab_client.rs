//! The client against the fake GitLab: complete lists, retries of reads but not of writes, and the recipients of the token.

use diffsan_change::{Change, parse_patch};
use diffsan_forge::gitlab::{Client, GitlabError, Token};
use diffsan_test_support::gitlab::{FakeGitlab, Fault, PROJECT, ServerVersion, TOKEN};
use diffsan_test_support::repo::TestRepo;

fn origin() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("a.rs", "one\ntwo\nthree\n");
    repo.write("b c.rs", (0..40).map(|line| format!("line {line}\n")).collect::<String>());
    repo.write("gone.rs", "x\n");
    repo.commit("base");
    repo.git(["checkout", "-q", "-b", "topic"]);
    repo.write("a.rs", "one\n2\nthree\n");
    repo.git(["mv", "b c.rs", "größe.rs"]);
    repo.git(["rm", "-q", "gone.rs"]);
    repo.write("new.rs", "++ b/x\n");
    repo.commit("First change\n\nWhy.");
    repo.git(["checkout", "-q", "main"]);
    repo
}

async fn fake() -> FakeGitlab {
    let gitlab = FakeGitlab::start(&origin().path().join(".git")).await;
    gitlab.merge_request(7, "topic", "main");
    gitlab
}

fn client(gitlab: &FakeGitlab) -> Client {
    Client::new(&gitlab.url(), &Token::new(TOKEN), None)
        .expect("a client")
        .with_pause(std::time::Duration::from_millis(10))
}

#[tokio::test]
async fn a_merge_request_is_read_with_all_that_belongs_to_it() {
    let gitlab = fake().await;
    gitlab.with(|state| state.switches.prefix = "/tools/gitlab".into());
    let client = client(&gitlab);
    assert_eq!(client.user().await.expect("a user").username, "reviewer");
    assert_eq!(client.token().await.expect("facts").expect("a personal token").scopes, ["api"]);
    let request = client.merge_request(PROJECT, 7).await.expect("a merge request");
    assert_eq!((request.iid, request.source_branch.as_str()), (7, "topic"));
    let refs = request.diff_refs.expect("refs");
    assert_eq!(Some(&refs.head_sha), request.sha.as_ref());
    assert_eq!(client.versions(PROJECT, 7).await.expect("versions")[0].head_commit_sha, refs.head_sha);
    assert_eq!(client.messages(PROJECT, 7).await.expect("messages")[0].trim(), "First change\n\nWhy.");
    assert!(
        gitlab.requests().iter().all(|one| one.token == "header" && !one.path.contains(TOKEN)),
        "the token is in no address"
    );
}

#[tokio::test]
async fn older_versions_give_the_same_change() {
    let gitlab = fake().await;
    let change = |bytes: Vec<u8>| -> Change { parse_patch(bytes.into()).expect("a patch") };
    let shape = |change: &Change| -> Vec<String> {
        change
            .files
            .iter()
            .map(|file| format!("{:?} {:?} {:?} {:?}", file.status, file.old_path, file.new_path, file.hunks()))
            .collect()
    };
    let new = change(client(&gitlab).patch(PROJECT, 7).await.expect("a patch"));
    gitlab.set_version(ServerVersion::new(17, 8));
    let old = change(client(&gitlab).patch(PROJECT, 7).await.expect("a patch"));
    assert_eq!(new.files.len(), 4);
    assert_eq!(shape(&new), shape(&old));
}

#[tokio::test]
async fn the_client_waits_for_a_diff_that_gitlab_computes() {
    let gitlab = fake().await;
    gitlab.with(|state| state.faults.clear());
    let client = client(&gitlab);
    gitlab.merge_request(8, "topic", "main");
    gitlab.not_ready(8, 3);
    assert!(client.merge_request(PROJECT, 8).await.expect("a merge request").diff_refs.is_some());
    assert_eq!(gitlab.requests().len(), 4);
}

#[tokio::test]
async fn lists_are_read_to_their_end_though_pages_are_short() {
    let gitlab = fake().await;
    let client = client(&gitlab);
    for number in 0..250 {
        client.post_note(PROJECT, 7, &format!("note {number}")).await.expect("posted");
    }
    assert_eq!(client.discussions(PROJECT, 7).await.expect("threads").len(), 250);
    for gitlab_com in [false, true] {
        gitlab.with(|state| {
            state.switches.gitlab_com = gitlab_com;
            state.switches.hide_each = Some(3);
        });
        let notes = client.notes(PROJECT, 7).await.expect("notes");
        assert!(
            notes.len() > 160 && notes.last().is_some_and(|note| note.body.starts_with("note 24")),
            "{}",
            notes.len()
        );
    }
}

#[tokio::test]
async fn reads_are_retried_and_writes_are_not() {
    let gitlab = fake().await;
    let client = client(&gitlab);
    let fail =
        |method: &str, fault: Fault| gitlab.with(|state| state.faults.push((method.into(), "/".into(), 0, fault)));
    for fault in [
        Fault::Status(502, "<html>bad gateway</html>".into()),
        Fault::Limited,
        Fault::RackAttack(0),
        Fault::Cut,
        Fault::Status(500, "500 Internal Server Error".into()),
    ] {
        fail("GET", fault);
    }
    // There are at most four retries, so the fifth failure is reported.
    assert_eq!(client.user().await.expect_err("given up"), GitlabError::Failed(500));
    assert!(client.user().await.is_ok());
    let stored = || gitlab.look(7).threads.len();
    let before = gitlab.requests().len();
    fail("POST", Fault::StatusAfter(500, "500 Internal Server Error".into()));
    let error = client.post_note(PROJECT, 7, "one").await.expect_err("a failure");
    assert!(error.may_have_landed() && stored() == 1, "{error}: it was stored all the same");
    fail("POST", Fault::CutAfter);
    assert!(client.post_note(PROJECT, 7, "two").await.expect_err("a failure").may_have_landed());
    fail("POST", Fault::Limited);
    assert!(!client.post_note(PROJECT, 7, "three").await.expect_err("a failure").may_have_landed());
    assert_eq!((stored(), gitlab.requests().len() - before), (2, 3));
}

#[tokio::test]
async fn errors_distinguish_client_server_and_network() {
    let gitlab = fake().await;
    let client_of = |token: &str| {
        Client::new(&gitlab.url(), &Token::new(token), None)
            .expect("a client")
            .with_pause(std::time::Duration::from_millis(10))
    };
    assert!(matches!(client_of("nobody").user().await, Err(GitlabError::Unauthorized(_))));
    gitlab.with(|state| {
        let token = state.tokens[TOKEN].clone();
        let other = |scopes: &str| diffsan_test_support::gitlab::Token { scopes: vec![scopes.into()], ..token.clone() };
        state.tokens.insert("reads".into(), other("read_api"));
        state.tokens.insert("old".into(), diffsan_test_support::gitlab::Token { expired: true, ..token.clone() });
    });
    let posted = client_of("reads").post_note(PROJECT, 7, "x").await.expect_err("not allowed");
    assert!(matches!(&posted, GitlabError::Forbidden(words) if words.contains("insufficient_scope")), "{posted}");
    let old = client_of("old").user().await.expect_err("expired");
    assert!(matches!(&old, GitlabError::Unauthorized(words) if words.contains("Token is expired")), "{old}");
    assert!(matches!(client_of(TOKEN).merge_request(PROJECT, 99).await, Err(GitlabError::NotFound(_))));
    assert!(matches!(client_of(TOKEN).merge_request("group/none", 7).await, Err(GitlabError::NotFound(_))));
    assert!(!format!("{:?}", client_of(TOKEN)).contains(TOKEN));
}

#[tokio::test]
async fn a_moved_project_is_followed_and_another_host_is_not() {
    let gitlab = fake().await;
    let client = client(&gitlab);
    gitlab.moved_from("old/place");
    assert_eq!(client.merge_request("old/place", 7).await.expect("followed").iid, 7);
    let posted = client.post_note("old/place", 7, "still a POST").await.expect("followed");
    assert_eq!(posted.body, "still a POST");
    let elsewhere = FakeGitlab::start(&origin().path().join(".git")).await;
    gitlab.sends_on("/api/v4/user", &format!("{}/api/v4/user", elsewhere.url()));
    let error = client.user().await.expect_err("refused");
    assert!(matches!(&error, GitlabError::Settings(words) if words.contains("not sent to another host")), "{error}");
    assert!(elsewhere.requests().is_empty());
}

#[tokio::test]
async fn the_repository_can_be_fetched_as_git_does() {
    let gitlab = fake().await;
    let url = gitlab.url().replace("http://", &format!("http://oauth2:{TOKEN}@"));
    let folder = tempfile::tempdir().expect("a folder");
    let fetch = tokio::task::spawn_blocking(move || {
        let run = |args: &[&str]| {
            std::process::Command::new("git").current_dir(folder.path()).args(args).output().expect("git")
        };
        run(&["init", "-q"]);
        let fetched = run(&["fetch", "-q", &format!("{url}/{PROJECT}.git"), "refs/merge-requests/7/head"]);
        assert!(fetched.status.success(), "{}", String::from_utf8_lossy(&fetched.stderr));
        String::from_utf8_lossy(&run(&["rev-parse", "FETCH_HEAD"]).stdout).trim().to_owned()
    });
    assert_eq!(fetch.await.expect("fetched"), gitlab.look(7).versions[0].head);
}

/// Returns how often the version was requested.
fn version_requests(gitlab: &FakeGitlab) -> usize {
    let is = |path: &str| ["/metadata", "/version"].iter().any(|end| path.ends_with(end));
    gitlab.requests().iter().filter(|one| is(&one.path)).count()
}

#[tokio::test]
async fn a_version_that_cannot_be_read_is_not_requested_on_each_call() {
    for (status, requests) in [(401, 1), (403, 1), (404, 2)] {
        let gitlab = fake().await;
        for path in ["metadata", "version"] {
            let fault = || Fault::Status(status, "no".into());
            gitlab.with(|state| state.faults.extend((0..9).map(|_| ("GET".into(), path.into(), 0, fault()))));
        }
        let client = client(&gitlab);
        for _ in 0..3 {
            assert_eq!(client.version().await, None, "{status}");
        }
        assert_eq!(version_requests(&gitlab), requests, "{status}");
    }
    // A temporary failure is not remembered.
    let gitlab = fake().await;
    for _ in 0..5 {
        gitlab.with(|state| state.faults.push(("GET".into(), "metadata".into(), 0, Fault::Status(502, "down".into()))));
    }
    let client = client(&gitlab);
    assert_eq!(client.version().await, None);
    assert!(client.version().await.is_some());
}

#[tokio::test]
async fn a_version_is_read_again_if_an_answer_contradicts_it() {
    let gitlab = fake().await;
    let client = client(&gitlab);
    assert!(client.version().await.is_some_and(|version| version.has_raw_diffs()));
    client.patch(PROJECT, 7).await.expect("a patch");
    assert_eq!(version_requests(&gitlab), 1);
    // The address now leads to an older server.
    gitlab.set_version(ServerVersion::new(16, 0));
    client.patch(PROJECT, 7).await.expect("a patch");
    assert!(client.version().await.is_some_and(|version| !version.has_raw_diffs()));
    assert_eq!(version_requests(&gitlab), 2);
}
