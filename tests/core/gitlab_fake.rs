//! The fake GitLab itself, checked with an independent client, and rules of GitLab that only the fake can show.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use diffsan_forge::gitlab::{Client, GitlabError, Token};
use diffsan_forge::gitlab::{DiffRefs, Position, RangeForm};
use diffsan_test_support::gitlab::{FakeGitlab, PROJECT, ServerVersion, TOKEN, versions};
use diffsan_test_support::repo::TestRepo;

fn origin() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("a.rs", "one\ntwo\nthree\n");
    repo.write("b.rs", (0..40).map(|line| format!("line {line}\n")).collect::<String>());
    repo.commit("base");
    repo.git(["checkout", "-q", "-b", "topic"]);
    repo.write("a.rs", "one\n2\nthree\n");
    repo.git(["mv", "b.rs", "c.rs"]);
    repo.write(
        "c.rs",
        (0..40).map(|line| if line == 3 { "new\n".into() } else { format!("line {line}\n") }).collect::<String>(),
    );
    repo.commit("topic");
    repo.git(["checkout", "-q", "main"]);
    repo
}

fn judge(url: &str, ca: &str, version: ServerVersion) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = root.join(".tools/python/bin/python");
    assert!(python.exists(), "python-gitlab is not installed: run `make setup`");
    let script = root.join("tests/support/python/judge.py");
    let ran = Command::new(python)
        .arg(script)
        .args([url, TOKEN, PROJECT, ca, &version.to_string()])
        .output()
        .expect("started");
    let words = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && ran.stdout == b"judged\n", "{words}");
}

#[tokio::test(flavor = "multi_thread")]
async fn python_gitlab_accepts_the_fake_in_every_version() {
    versions::for_each_version(&origin(), async |gitlab| {
        let (url, version) = (gitlab.url(), gitlab.version());
        tokio::task::spawn_blocking(move || judge(&url, "", version)).await.expect("judged");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn python_gitlab_accepts_the_fake_behind_tls_and_below_a_path() {
    let gitlab = FakeGitlab::start_with_private_ca(origin().path().join(".git").as_path()).await;
    gitlab.merge_request(7, "topic", "main");
    gitlab.with(|state| state.switches.prefix = "/tools/gitlab".into());
    let (url, ca) = (gitlab.url(), gitlab.ca_file().display().to_string());
    tokio::task::spawn_blocking(move || judge(&url, &ca, ServerVersion::NEWEST)).await.expect("judged");
}

#[tokio::test]
async fn a_private_authority_is_trusted_where_its_file_is_named_and_nowhere_else() {
    let gitlab = FakeGitlab::start_with_private_ca(origin().path().join(".git").as_path()).await;
    let token = Token::new(TOKEN);
    let pause = Duration::from_millis(1);
    let without = Client::new(&gitlab.url(), &token, None).expect("a client").with_pause(pause);
    let error = without.user().await.expect_err("not trusted");
    assert!(matches!(&error, GitlabError::Certificate(_)), "{error}");
    let with = Client::new(&gitlab.url(), &token, Some(&gitlab.ca_file())).expect("a client").with_pause(pause);
    assert_eq!(with.user().await.expect("a user").username, "reviewer");
    let wrong = Client::new(&gitlab.url(), &token, Some(Path::new("/nowhere.pem"))).expect_err("no file");
    assert!(matches!(wrong, GitlabError::Settings(_)));
}

#[tokio::test]
async fn a_certificate_that_the_server_signed_itself_is_not_trusted() {
    let gitlab = FakeGitlab::start_with_self_signed_certificate(origin().path().join(".git").as_path()).await;
    let token = Token::new(TOKEN);
    let without = Client::new(&gitlab.url(), &token, None).expect("a client").with_pause(Duration::from_millis(1));
    let error = without.user().await.expect_err("not trusted");
    assert!(matches!(&error, GitlabError::Certificate(_)), "{error}");
    // Another attempt would fail, too.
    while gitlab.rejected_handshakes() == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(gitlab.rejected_handshakes() == 1 && gitlab.requests().is_empty());
}

#[tokio::test]
async fn a_position_of_an_earlier_version_is_traced_and_a_wrong_old_path_crashes_after_storing() {
    let gitlab = FakeGitlab::start(origin().path().join(".git").as_path()).await;
    gitlab.merge_request(7, "topic", "main");
    let client = Client::new(&gitlab.url(), &Token::new(TOKEN), None).expect("a client");
    let refs = |gitlab: &FakeGitlab| {
        let version = gitlab.look(7).versions.last().cloned().expect("a version");
        DiffRefs { base_sha: version.base, start_sha: version.start, head_sha: version.head }
    };
    let position = |refs: &DiffRefs, old_path: &str, new_path: &str, new_line| Position {
        refs: refs.clone(),
        position_type: "text".into(),
        old_path: old_path.into(),
        new_path: new_path.into(),
        old_line: None,
        new_line: Some(new_line),
        line_range: None,
    };
    let before = refs(&gitlab);
    gitlab.commit("topic", "a.rs", "zero\none\n2\nthree\n");
    gitlab.pushed(7);
    let sent = position(&before, "a.rs", "a.rs", 2);
    let thread = client.post_discussion(PROJECT, 7, "x", &sent, RangeForm::Numbers).await.expect("taken");
    let stored = thread.notes[0].position.as_ref().expect("a position");
    assert_eq!(
        (stored["new_line"].as_u64(), stored["head_sha"].as_str()),
        (Some(3), Some(refs(&gitlab).head_sha.as_str()))
    );
    // Without the old path, every line looks added, and a hook that runs after storing does not find the line.
    let stored = gitlab.look(7).threads.len();
    let wrong = position(&refs(&gitlab), "c.rs", "c.rs", 20);
    let error = client.post_discussion(PROJECT, 7, "y", &wrong, RangeForm::Numbers).await.expect_err("a crash");
    assert!(error.may_have_landed() && gitlab.look(7).threads.len() == stored + 1, "{error}");
    gitlab.with(|state| state.switches.decoding_proxy = true);
    assert!(matches!(client.merge_request(PROJECT, 7).await, Err(GitlabError::NotFound(_))));
    assert!(client.merge_request("42", 7).await.is_ok(), "its number goes through every proxy");
}
