//! Findings keep their keys over pushes, a rename and a rebase: the command, the interface and posting find decisions, edits and
//! posted threads again.

use std::path::Path;

use diffsan_test_support::gitlab::{FakeGitlab, PROJECT, ServerVersion, TOKEN, versions};
use diffsan_test_support::model_server::ModelServer;
use diffsan_test_support::repo::TestRepo;
use serde_json::{Value, json};

use crate::serve::{Tab, serve};
use crate::support::Installation;

/// The lines that the change adds, each with the text of its finding in each of three rounds.
const FINDINGS: [(&str, [&str; 3]); 4] = [
    (
        "let last = items[items.len()];",
        [
            "The index is one past the end of items",
            "Indexing items with its length is past the end",
            "The index is past the end of items",
        ],
    ),
    (
        "let password = read_password();",
        [
            "The password is read without a limit",
            "Reading the password has no limit",
            "The password is read without a limit",
        ],
    ),
    (
        "socket.write(&buffer);",
        [
            "The result of writing to the socket is ignored",
            "Errors of writing to the socket are ignored",
            "The result of writing to the socket is ignored",
        ],
    ),
    (
        "thread::sleep(FOREVER);",
        [
            "The thread sleeps without an end",
            "Sleeping without an end blocks the thread",
            "The thread sleeps without an end",
        ],
    ),
];

struct Case {
    installation: Installation,
    origin: TestRepo,
    clone: TestRepo,
    gitlab: FakeGitlab,
    model: ModelServer,
    _runtime: tokio::runtime::Runtime,
}

/// Returns sixty plain lines. The change replaces four of them, ten lines apart, by the lines of the findings.
fn text(changed: bool) -> String {
    let line = |number: usize| {
        let added = FINDINGS.get(number / 10).filter(|_| changed && number % 10 == 5);
        added.map_or(format!("    plain_{number}();\n"), |(code, _)| format!("    {code}\n"))
    };
    (0..60).map(line).collect()
}

impl Case {
    fn new(version: ServerVersion) -> Self {
        let origin = TestRepo::new();
        origin.write("a.rs", text(false));
        origin.write("other.rs", "fn other() {}\n");
        origin.commit("base");
        origin.git(["checkout", "-q", "-b", "topic"]);
        origin.write("a.rs", text(true));
        origin.commit("topic");
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let gitlab = runtime.block_on(versions::start(version, &origin));
        let model = runtime.block_on(ModelServer::start(json!({ "turns": [] })));
        let installation = Installation::new()
            .with("DIFFSAN_GITLAB_TOKEN", TOKEN)
            .with("DIFFSAN_GITLAB__BASE_URL", gitlab.url())
            .with_endpoint("one", &model.url());
        let clone = TestRepo::clone_of(&origin, &[]);
        clone.git(["remote", "set-url", "origin", &format!("{}/{PROJECT}.git", gitlab.url())]);
        Self { installation, origin, clone, gitlab, model, _runtime: runtime }
    }

    fn url(&self) -> String {
        format!("{}/{PROJECT}/-/merge_requests/7", self.gitlab.url())
    }

    /// Force-pushes both branches of the author's repository.
    fn push(&self) {
        let repository = self.gitlab.repository();
        self.origin.git(["push", "-q", "-f", repository.to_str().expect("text"), "main", "topic"]);
        self.gitlab.pushed(7);
    }

    /// Reviews with the command. The agent finds the same in the words of a round. Returns the keys in the order of `FINDINGS`.
    fn review(&self, path: &str, round: usize) -> (Value, Vec<String>) {
        let text = std::fs::read_to_string(self.origin.path().join(path)).expect("text");
        let finding = |(code, words): &(&str, [&str; 3])| {
            let line = text.lines().position(|line| line.trim() == *code).expect("the line") + 1;
            json!({ "severity": "high", "category": "correctness", "path": path, "line_start": line, "line_end": line,
                "title": words[round], "body_markdown": words[round], "quote": code })
        };
        let findings: Vec<Value> = FINDINGS.iter().map(finding).collect();
        let answer = json!({ "summary_markdown": format!("Round {round}."), "findings": findings });
        self.model.play(json!({ "turns": [{ "text": answer.to_string() }] }));
        let args = ["review", "--mr", &self.url(), "--json", "--agent", "one", "--anyway"];
        let ran = self.installation.run(self.clone.path(), &args);
        assert_eq!(ran.code, 0, "{ran:?}");
        let review = ran.json();
        let all = review["findings"].as_array().expect("findings");
        let key = |(code, _): &(&str, [&str; 3])| {
            let found = all.iter().find(|one| one["quote"] == *code).expect("found");
            found["key"].as_str().expect("a key").to_owned()
        };
        let keys = FINDINGS.iter().map(key).collect();
        (review, keys)
    }

    fn open(&self, tab: &mut Tab) -> Value {
        let target = json!({ "kind": "merge_request", "base": self.gitlab.url(), "project": PROJECT, "iid": 7 });
        let params = json!({ "repo": self.clone.path(), "target": target, "since": null, "review_id": null });
        tab.result("change.open", &params)
    }

    fn write_review(&self, review: &Value) -> std::path::PathBuf {
        let file = self.installation.home().join("review.json");
        std::fs::write(&file, review.to_string()).expect("written");
        file
    }

    fn post(&self, file: &Path, more: &[&str]) -> crate::support::Ran {
        let url = self.url();
        let mut args = vec!["post", "--mr", &url, "--review", file.to_str().expect("text")];
        args.extend(more);
        let ran = self.installation.run(self.clone.path(), &args);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran
    }

    /// Returns the number of threads with a finding's marker.
    fn threads(&self, key: &str) -> usize {
        let request = self.gitlab.look(7);
        let mark = format!("<!-- diffsan:finding:{key} -->");
        request.threads.iter().filter(|thread| thread.notes[0].body.contains(&mark)).count()
    }

    /// Checks the findings in the command, the interface and posting.
    fn check(&self, tab: &mut Tab, keys: &[String], review: &Value, round: &str) {
        let view = self.open(tab);
        let findings = view["review"]["findings"].as_array().expect("findings");
        let shown = |key: &String| findings.iter().find(|one| one["finding"]["key"] == **key).expect("shown");
        let decisions: Vec<&str> = keys.iter().map(|key| shown(key)["decision"].as_str().expect("text")).collect();
        assert_eq!(decisions, ["accepted", "dismissed", "open", "open"], "{round}");
        assert_eq!(shown(&keys[1])["reason"], "Dismissed before: by design", "{round}");
        assert_eq!(shown(&keys[2])["finding"]["title"], "My words", "{round}");
        let threads = view["request"]["threads"].as_array().expect("threads");
        let posted: Vec<&Value> = threads.iter().filter(|thread| thread["finding"] == *keys[3]).collect();
        assert_eq!(posted.len(), 1, "{round}: {threads:#?}");

        let params = json!({ "change_id": view["change_id"], "review_id": view["review"]["review_id"], "summary": false,
            "chosen": keys.iter().map(|key| json!({ "finding": key })).collect::<Vec<_>>() });
        let plan = tab.result("post.plan", &params);
        let there = |key: &String| {
            let comments = plan["comments"].as_array().expect("comments");
            comments.iter().find(|comment| comment["key"] == **key).expect("a comment")["already_posted"] == true
        };
        assert_eq!(keys.iter().map(there).collect::<Vec<_>>(), [false, false, false, true], "{round}");

        // The command posts nothing twice.
        let only = json!({ "summary_markdown": review["summary_markdown"], "meta": review["meta"],
            "findings": review["findings"].as_array().expect("findings").iter().filter(|one| one["key"] == *keys[3])
                .collect::<Vec<_>>() });
        self.post(&self.write_review(&only), &[]);
        assert_eq!(self.threads(&keys[3]), 1, "{round}");
    }
}

#[test]
fn findings_keep_their_keys_over_pushes_a_rename_and_a_rebase() {
    for version in versions::tested() {
        check_keys(&Case::new(version));
    }
}

fn check_keys(case: &Case) {
    let (review, keys) = case.review("a.rs", 0);
    let serving = serve(&case.installation);
    let mut tab = Tab::open(&serving, &serving.enter());
    let view = case.open(&mut tab);
    let review_id = &view["review"]["review_id"];
    let decide = |tab: &mut Tab, key: &String, decision: &str, reason: Option<&str>| {
        let params = json!({ "review_id": review_id, "findings": [key], "decision": decision, "reason": reason });
        tab.result("finding.decide", &params);
    };
    decide(&mut tab, &keys[0], "accepted", None);
    decide(&mut tab, &keys[1], "dismissed", Some("by design"));
    let line = review["findings"].as_array().expect("findings").iter().find(|one| one["key"] == *keys[2]);
    let line = &line.expect("it")["anchor"]["line_start"];
    let words = json!({ "severity": "low", "category": "correctness", "title": "My words", "body": "Mine.", "path": "a.rs",
        "side": "new", "line_start": line, "line_end": line });
    let edit = json!({ "change_id": view["change_id"], "review_id": review_id, "finding_key": keys[2],
        "edit": { "kind": "rewrite", "words": words } });
    tab.result("finding.edit", &edit);
    let mut only = review.clone();
    only["findings"].as_array_mut().expect("findings").retain(|one| one["key"] == *keys[3]);
    case.post(&case.write_review(&only), &[]);
    assert_eq!(case.threads(&keys[3]), 1);

    // A push that moves all findings. The agent words them differently.
    case.origin.write("a.rs", format!("use more;\nuse lines;\n{}", text(true).replace("plain_50", "other_50")));
    case.origin.commit("Move");
    case.push();
    let (review, second) = case.review("a.rs", 1);
    assert_eq!(second, keys);
    case.check(&mut tab, &keys, &review, "after a push");

    // A push that renames the file, rebased on a newer target branch.
    case.origin.git(["checkout", "-q", "main"]);
    case.origin.write("other.rs", "fn other() {}\nfn another() {}\n");
    case.origin.commit("main moves on");
    case.origin.git(["checkout", "-q", "topic"]);
    case.origin.git(["rebase", "-q", "main"]);
    case.origin.git(["mv", "a.rs", "c.rs"]);
    case.origin.commit("Rename");
    case.push();
    let (review, third) = case.review("c.rs", 2);
    assert_eq!(third, keys);
    case.check(&mut tab, &keys, &review, "after a rename and a rebase");
}

#[test]
fn a_plan_that_replaces_another_does_not_read_the_stack_again() {
    let case = Case::new(ServerVersion::default());
    let (_, keys) = case.review("a.rs", 0);
    let serving = serve(&case.installation);
    let mut tab = Tab::open(&serving, &serving.enter());
    let view = case.open(&mut tab);
    let mut plan = |replan: bool| {
        let params = json!({ "change_id": view["change_id"], "review_id": view["review"]["review_id"], "summary": false,
            "chosen": [{ "finding": keys[0] }], "replan": replan });
        let before = case.gitlab.requests().len();
        let plan = tab.result("post.plan", &params);
        assert_eq!(plan["comments"].as_array().expect("comments").len(), 1, "{plan:#?}");
        let requests = case.gitlab.requests().split_off(before);
        requests.iter().filter(|request| request.path.contains("/merge_requests?")).count()
    };
    assert_eq!([plan(false), plan(true)], [1, 0]);
}
