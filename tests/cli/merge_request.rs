//! A merge request of the fake GitLab, reviewed without and with a clone.

use diffsan_test_support::gitlab::{FakeGitlab, PROJECT, TOKEN};
use diffsan_test_support::model_server::ModelServer;
use diffsan_test_support::repo::TestRepo;
use serde_json::json;

use crate::support::{Installation, answer};

pub struct Case {
    pub installation: Installation,
    pub origin: TestRepo,
    pub gitlab: FakeGitlab,
    pub model: ModelServer,
    _runtime: tokio::runtime::Runtime,
}

impl Case {
    pub fn new() -> Self {
        let origin = TestRepo::new();
        origin.write("a.rs", "fn main() {\n    let n = 3;\n}\n");
        origin.commit("base");
        origin.git(["checkout", "-q", "-b", "topic"]);
        origin.write("a.rs", "fn main() {\n    for i in 0..3 - 1 {}\n    start();\n}\n");
        origin.commit("Loop over all");
        origin.git(["checkout", "-q", "main"]);
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let gitlab = runtime.block_on(FakeGitlab::start(&origin.path().join(".git")));
        gitlab.merge_request(7, "topic", "main");
        let turn = json!({ "text": answer("a.rs", 2, "0..3 - 1") });
        let model = runtime.block_on(ModelServer::start(json!({ "turns": [turn] })));
        let installation = Installation::new()
            .with("DIFFSAN_GITLAB_TOKEN", TOKEN)
            .with("DIFFSAN_GITLAB__BASE_URL", gitlab.url())
            .with_endpoint("one", &model.url());
        Self { installation, origin, gitlab, model, _runtime: runtime }
    }

    pub fn url(&self) -> String {
        format!("{}/{PROJECT}/-/merge_requests/7", self.gitlab.url())
    }
}

#[test]
fn a_merge_request_is_reviewed_without_a_clone() {
    let case = Case::new();
    let nowhere = tempfile::tempdir().expect("a folder");
    let ran = case.installation.run(nowhere.path(), &["review", "--mr", &case.url(), "--json", "--agent", "one"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let review = ran.json();
    assert_eq!(review["findings"][0]["anchor"]["state"], "verified");
    let version = &case.gitlab.look(7).versions[0];
    assert_eq!(
        (&review["meta"]["head_sha"], &review["meta"]["base_sha"]),
        (&json!(version.head), &json!(version.base))
    );
    let sent = case.model.requests()[0].body.to_string();
    assert!(sent.contains("Loop over all"), "the commits' messages are sent");
    let asked = case.gitlab.requests();
    assert!(
        asked.iter().all(|one| one.method == "GET" && one.token == "header" && !one.path.contains(TOKEN)),
        "{asked:?}"
    );
    let mut everything = format!("{ran:?}{sent}");
    for file in std::fs::read_dir(case.installation.run_folder()).expect("a run").flatten() {
        everything += &String::from_utf8_lossy(&std::fs::read(file.path()).unwrap_or_default());
    }
    assert!(!everything.contains(TOKEN), "the token was written");
}

#[test]
fn a_clone_that_has_the_commits_lets_claims_be_checked() {
    let case = Case::new();
    let finding = json!({ "summary_markdown": "x", "findings": [{ "severity": "low", "category": "correctness", "path": "a.rs",
        "line_start": 3, "line_end": 3, "body_markdown": "`start` is undefined.", "quote": "start();" }] });
    case.model.play(json!({ "turns": [{ "text": finding.to_string() }] }));
    let clone = TestRepo::clone_of(&case.origin, &[]);
    clone.git(["fetch", "-q", "origin", "topic"]);
    let ran = case.installation.run(clone.path(), &["review", "--mr", &case.url(), "--json", "--agent", "one"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.json()["findings"][0]["claims"][1]["claim"], "`start` is not defined");
}

#[test]
fn a_number_is_resolved_in_the_project_of_the_remote() {
    let case = Case::new();
    let clone = TestRepo::clone_of(&case.origin, &[]);
    clone.git(["remote", "set-url", "origin", &format!("{}/{PROJECT}.git", case.gitlab.url())]);
    let ran = case.installation.run(clone.path(), &["prepare", "--mr", "!7", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.json()["title"], format!("{PROJECT}!7"));
    // The GitLab is below a path.
    case.gitlab.with(|state| state.switches.prefix = "/tools".into());
    let ran = case.installation.run(clone.path(), &["prepare", "--mr", &case.url(), "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn errors_of_merge_requests_have_clear_messages() {
    let case = Case::new();
    let told = |installation: &Installation, text: &str| {
        let ran = installation.run(case.origin.path(), &["review", "--mr", text]);
        (ran.code, ran.stderr)
    };
    let (code, words) = told(&Installation::new(), &case.url());
    assert!(code == 7 && words.contains("DIFFSAN_GITLAB_TOKEN"), "{code} {words}");
    let (code, words) = told(
        &Installation::new().with("GITLAB_TOKEN", "glpat-unknown").with("DIFFSAN_GITLAB__BASE_URL", case.gitlab.url()),
        &case.url(),
    );
    assert!(
        code == 7 && words.contains("does not accept the token") && !words.contains("glpat-unknown"),
        "{code} {words}"
    );
    let (code, words) = told(&case.installation, &case.url().replace("/7", "/99"));
    assert!(code == 7 && words.contains("has no merge request !99"), "{code} {words}");
    let (code, words) = told(&case.installation, &case.url().replace("/project/", "/elsewhere/"));
    assert!(code == 7 && words.contains("or the token's user has no access"), "{code} {words}");
    let (code, words) = told(&case.installation, "not a merge request");
    assert!(code == 2 && words.contains("is not a merge request"), "{code} {words}");
    let (code, words) = told(&case.installation, "7");
    assert!(code == 2 && words.contains("No remote"), "{code} {words}");
}
