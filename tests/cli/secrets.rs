//! Tokens in a real Secret Service (GNOME Keyring on a message bus of its own), and the errors without one.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use diffsan_test_support::gitlab::{FakeGitlab, PROJECT, TOKEN};
use diffsan_test_support::model_server::ModelServer;
use diffsan_test_support::repo::TestRepo;

use crate::support::{Installation, Ran};

/// Runs a shell script with an open keyring that only this `diffsan` uses.
fn with_keyring(installation: &Installation, script: &str, input: &str) -> Ran {
    let program = env!("CARGO_BIN_EXE_diffsan");
    let whole = format!(
        "eval \"$(printf 'login-password\\n' | gnome-keyring-daemon --unlock --components=secrets 2>/dev/null)\"\n\
         diffsan() {{ '{program}' \"$@\"; }}\n{script}"
    );
    let inner = installation.command(Path::new("/"), &[]);
    let mut command = Command::new("dbus-run-session");
    command
        .args(["--", "bash", "-c", &whole])
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for (name, value) in inner.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    command.env("XDG_RUNTIME_DIR", installation.home()).env("XDG_DATA_HOME", installation.home().join("share"));
    let mut child = command.spawn().expect("dbus-run-session");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("written");
    child.wait_with_output().expect("ended").into()
}

struct Case {
    installation: Installation,
    gitlab: FakeGitlab,
    _runtime: tokio::runtime::Runtime,
}

impl Case {
    fn new() -> Self {
        let origin = TestRepo::new();
        origin.write("a.rs", "one\n");
        origin.commit("base");
        origin.git(["checkout", "-q", "-b", "topic"]);
        origin.write("a.rs", "two\n");
        origin.commit("topic");
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let gitlab = runtime.block_on(FakeGitlab::start(&origin.path().join(".git")));
        gitlab.merge_request(7, "topic", "main");
        Self {
            installation: Installation::new().with("DIFFSAN_GITLAB__RETRY_PAUSE_MS", "1"),
            gitlab,
            _runtime: runtime,
        }
    }
}

#[test]
fn a_token_is_only_in_the_keyring() {
    let case = Case::new();
    let url = case.gitlab.url();
    let script = format!(
        "set -e\n\
         diffsan secret set {url}/{PROJECT} <&0\n\
         diffsan secret list\n\
         diffsan prepare --mr {url}/{PROJECT}/-/merge_requests/7 --json > /dev/null\n\
         diffsan secret remove {url}\n\
         diffsan secret list\n\
         diffsan prepare --mr {url}/{PROJECT}/-/merge_requests/7 || echo \"without it: $?\""
    );
    let ran = with_keyring(&case.installation, &script, &format!("{TOKEN}\n"));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("reviewer (scopes api; from the keyring)"), "{ran:?}");
    assert!(ran.stdout.starts_with(&format!("gitlab:{url}\n")), "{ran:?}");
    assert!(ran.stdout.ends_with("without it: 7\n") && ran.stderr.contains("There is no token for"), "{ran:?}");
    assert!(!format!("{ran:?}").contains(TOKEN), "the token was shown");
    let mut files = vec![case.installation.data()];
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(std::fs::read_dir(&path).expect("a folder").flatten().map(|entry| entry.path()));
        } else {
            let bytes = std::fs::read(&path).unwrap_or_default();
            assert!(
                !bytes.windows(TOKEN.len()).any(|part| part == TOKEN.as_bytes()),
                "{} has the token",
                path.display()
            );
        }
    }
    assert!(case.gitlab.requests().iter().all(|one| one.token == "header" && !one.path.contains(TOKEN)));
}

#[test]
fn each_account_and_host_has_its_own() {
    let case = Case::new();
    let url = case.gitlab.url();
    let script = format!(
        "echo other-token-000000 | diffsan secret set 'https://elsewhere.example' 2>/dev/null\n\
         echo {TOKEN} | DIFFSAN_GITLAB__ACCOUNT=bot diffsan secret set '{url}#bot'\n\
         diffsan secret list --json\n\
         DIFFSAN_GITLAB__ACCOUNT=bot diffsan secret check {url} || exit 1\n\
         diffsan secret check {url} && exit 1\n\
         exit 0"
    );
    let ran = with_keyring(&case.installation, &script, "");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains(&format!("{url}#bot")) && ran.stdout.contains("https://elsewhere.example"), "{ran:?}");
}

#[test]
fn without_a_keyring_the_token_is_not_saved() {
    let case = Case::new();
    let installation = Installation::new().with("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
    let ran = installation.run_with(Path::new("/"), &["secret", "set", &case.gitlab.url()], TOKEN.as_bytes());
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stderr.contains("No system keyring is available") && ran.stderr.contains("Secret Service"), "{ran:?}");
    let ran = installation.run(Path::new("/"), &["secret", "set", "not an address"]);
    assert!(ran.code == 2 && ran.stderr.contains("is not the name of a secret"), "{ran:?}");
    let ran = installation.run_with(Path::new("/"), &["secret", "set", &case.gitlab.url()], b"\n");
    assert!(ran.code == 2 && ran.stderr.contains("is not a token"), "{ran:?}");
}

#[test]
fn a_key_that_no_variable_has_comes_from_the_keyring() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let turn = serde_json::json!({ "text": "It works." });
    let model = runtime.block_on(ModelServer::start(serde_json::json!({ "turns": [turn] })));
    let mut installation = Installation::new();
    let settings =
        [("TRANSPORT", "openai-http"), ("URL", &model.url()), ("MODEL", "m"), ("KEY_VARIABLE", "TEAM_API_KEY")];
    for (key, value) in settings {
        installation = installation.with(&format!("DIFFSAN_AGENTS__TEAM__{key}"), value);
    }
    let script = "diffsan agents --check team && exit 1\n\
                  set -e\n\
                  echo sk-team-0123456789 | diffsan secret set key:TEAM_API_KEY\n\
                  diffsan agents --check team";
    let ran = with_keyring(&installation, script, "");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("diffsan secret set key:TEAM_API_KEY"), "{ran:?}");
    let asked = &model.requests()[0];
    assert!(format!("{asked:?}").contains("sk-team-0123456789"), "the key was sent: {asked:?}");
    assert!(!format!("{ran:?}").contains("sk-team-0123456789"), "and not shown");
}
