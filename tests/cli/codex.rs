//! The real Codex against a scripted model server.

use std::time::{Duration, Instant};

use diffsan_test_support::codex;
use diffsan_test_support::model_server::ModelServer;
use diffsan_test_support::repo::TestRepo;
use serde_json::{Value, json};

use crate::support::{Installation, Ran, answer, read, read_json};

struct Case {
    installation: Installation,
    repo: TestRepo,
    server: ModelServer,
    runtime: tokio::runtime::Runtime,
    _home: tempfile::TempDir,
}

impl Case {
    fn new(script: Value) -> Self {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let server = runtime.block_on(ModelServer::start(script));
        let home = codex::home();
        let installation = Installation::with_codex(home.path(), server.url(), "key-of-the-test");
        let repo = TestRepo::new();
        repo.write("a.rs", "fn main() {\n    let n = 3;\n}\n");
        repo.commit("base");
        repo.write("a.rs", "fn main() {\n    for i in 0..3 - 1 {}\n}\n");
        Self { installation, repo, server, runtime, _home: home }
    }

    fn review(&self, more: &[&str]) -> Ran {
        let args: Vec<&str> = ["review"].iter().chain(more).copied().collect();
        self.installation.run(self.repo.path(), &args)
    }
}

fn codex_processes(case: &Case) -> usize {
    let wanted = case.installation.data().display().to_string();
    std::fs::read_dir("/proc")
        .expect("/proc")
        .flatten()
        .filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok())
        .filter(|line| {
            let line = String::from_utf8_lossy(line);
            line.contains("codex") && line.contains(&wanted)
        })
        .count()
}

#[test]
fn a_review_is_saved_with_all_artifacts() {
    let usage = json!({ "input": 900, "output": 80, "cached": 100 });
    let case = Case::new(json!({ "turns": [{ "text": answer("a.rs", 2, "0..3 - 1"), "usage": usage }] }));
    let ran = case.review(&["--json", "--fail-on", "high"]);
    assert_eq!(ran.code, 1, "a high finding at --fail-on high: {ran:?}");
    let review = ran.json();
    assert_eq!(review["findings"][0]["anchor"]["state"], "verified");
    assert_eq!(review["findings"][0]["anchor"]["line_start"], 2);
    assert_eq!(review["meta"]["token_usage"], json!({ "input": 900, "cached_input": 100, "output": 80 }));
    let run = case.installation.run_folder();
    assert_eq!(read_json(&run, "run.json")["state"], "done");
    let events: Vec<String> = read(&run, "events.jsonl")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["event"].as_str().expect("a name").to_owned())
        .collect();
    assert_eq!(
        events,
        [
            "run.started",
            "config.loaded",
            "diff.fetched",
            "diff.prepared",
            "skip.decided",
            "prompt.written",
            "agent.attempt",
            "review.validated",
            "run.finished"
        ]
    );
    for name in [
        "prompt.txt",
        "diff.prepared.patch",
        "coverage.json",
        "agent.raw.attempt1.txt",
        "codex-output-schema.json",
        "review.json",
    ] {
        assert!(run.join(name).exists(), "{name}");
    }
    assert!(!run.join("tmp").exists() && !run.join("room").exists(), "temporary folders are gone");
    let facts = read(&run, "agent.run.json");
    assert!(facts.contains("DIFFSAN_OPENAI_API_KEY") && !facts.contains("key-of-the-test"), "names, never values");
    let request = &case.server.requests()[0];
    assert!(request.headers.iter().any(|(name, value)| name == "authorization" && value == "Bearer key-of-the-test"));
    assert_eq!(request.body["text"]["format"]["type"], "json_schema");
}

#[test]
fn an_invalid_answer_fails_and_is_saved() {
    let case = Case::new(json!({ "turns": [{ "text": "{\"findings\": []}" }] }));
    let ran = case.review(&[]);
    assert_eq!(ran.code, 6, "{ran:?}");
    assert!(ran.stderr.contains("summary_markdown: field required"), "{ran:?}");
    assert_eq!(case.server.requests().len(), 1, "an agent with an enforced schema is asked once");
    let run = case.installation.run_folder();
    assert_eq!(read(&run, "agent.raw.attempt1.txt"), "{\"findings\": []}");
    assert_eq!(read_json(&run, "run.json")["error"]["error_code"], "AGENT_OUTPUT_INVALID");
    assert!(!run.join("review.json").exists());
}

#[test]
fn failures_are_distinguished() {
    for (turn, words) in [
        (json!({ "status": 401, "error": "bad key" }), "not signed in, or its key was rejected"),
        (json!({ "status": 429, "error": "slow" }), "reached a rate limit"),
        (json!({ "text": answer("a.rs", 2, ""), "cut": 4 }), "lost the connection"),
        (json!({ "stream_error": "out of order" }), "out of order"),
        (json!({ "text": "" }), "without an answer"),
    ] {
        let case = Case::new(json!({ "turns": [turn] }));
        let ran = case.review(&[]);
        assert_eq!(ran.code, 5, "{ran:?}");
        assert!(ran.stderr.contains(words), "{words}: {ran:?}");
        assert_eq!(codex_processes(&case), 0);
    }
}

#[test]
fn a_silent_server_is_stopped() {
    let mut case = Case::new(json!({ "turns": [{ "hang": 120 }] }));
    case.installation = case.installation.with("DIFFSAN_AGENT__SILENCE_TIMEOUT_SECONDS", "2");
    let ran = case.review(&[]);
    assert_eq!(ran.code, 5, "{ran:?}");
    assert!(ran.stderr.contains("stalled"), "{ran:?}");
    assert_eq!(codex_processes(&case), 0);
    let state = &read_json(&case.installation.run_folder(), "run.json")["error"]["error_code"];
    assert_eq!(state, "AGENT_TIMEOUT");
}

#[test]
fn cancel_ends_everything_at_once() {
    let case = Case::new(json!({ "turns": [{ "hang": 120 }] }));
    let child = case.installation.command(case.repo.path(), &["review"]).spawn().expect("started");
    let started = Instant::now();
    while case.server.requests().is_empty() {
        assert!(started.elapsed() < Duration::from_secs(60), "codex never asked");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(codex_processes(&case) > 0);
    let id = child.id().to_string();
    std::process::Command::new("kill").args(["-INT", &id]).status().expect("a signal");
    let ran: Ran = child.wait_with_output().expect("ended").into();
    assert_eq!(ran.code, 130, "{ran:?}");
    assert_eq!(codex_processes(&case), 0);
    assert_eq!(read_json(&case.installation.run_folder(), "run.json")["state"], "cancelled");
}

#[test]
fn two_megabytes_are_cut_to_the_budget_or_refused_before_the_start() {
    let case = Case::new(json!({ "turns": [{ "text": "{\"summary_markdown\":\"ok\",\"findings\":[]}" }] }));
    let line = "let value = compute(input);\n";
    case.repo.write("big.rs", line.repeat(2 * 1024 * 1024 / line.len()));
    let ran = case.review(&["--all", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let review = ran.json();
    assert_eq!(review["meta"]["truncated"], true);
    assert!(review["summary_markdown"].as_str().expect("text").contains("<details><summary>Truncation</summary>"));
    let ran = case.review(&["--all", "--set", "limits.max_diff_chars=5000000"]);
    assert_eq!(ran.code, 5, "{ran:?}");
    assert!(ran.stderr.contains("Nothing was sent"), "{ran:?}");
    assert_eq!(case.server.requests().len(), 1);
    drop(case.runtime);
}

#[test]
fn no_secret_leaves() {
    let case = Case::new(json!({ "turns": [{ "text": answer("a.rs", 2, "geheim-4711-x") }] }));
    case.repo.write("a.rs", "fn main() {\n    let password = \"geheim-4711-x\";\n}\n");
    let ran = case.review(&["--json", "--instructions", "the password is geheim-4711-x"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let sent: String = case.server.requests().iter().map(|one| one.body.to_string()).collect();
    assert!(sent.contains("[REDACTED:keyed-value:1]"), "{sent}");
    let mut everything = sent + &ran.stdout + &ran.stderr;
    for entry in std::fs::read_dir(case.installation.run_folder()).expect("a run").flatten() {
        everything += &String::from_utf8_lossy(&std::fs::read(entry.path()).expect("a file"));
    }
    everything +=
        &String::from_utf8_lossy(&std::fs::read(case.installation.data().join("diffsan.sqlite3")).expect("state"));
    assert!(!everything.contains("geheim-4711"), "a secret left");
    assert!(ran.json()["summary_markdown"].as_str().expect("text").contains("Redaction occurred"));
}

#[test]
fn a_change_over_the_budget_is_reviewed_in_parts_and_merged() {
    let case = Case::new(json!({ "turns": [
        { "text": answer("a.rs", 2, "0..3 - 1"), "usage": { "input": 10, "output": 1, "cached": 0 } },
        { "text": answer("b.rs", 2, "0..3 - 1"), "usage": { "input": 20, "output": 2, "cached": 0 } },
    ] }));
    case.repo.write("b.rs", "fn main() {\n    let n = 3;\n}\n");
    case.repo.git(["add", "b.rs"]);
    case.repo.git(["commit", "-q", "-m", "b"]);
    case.repo.write("b.rs", "fn main() {\n    for i in 0..3 - 1 {}\n}\n");
    let ran = case.review(&["--json", "--set", "limits.strategy=split", "--set", "limits.max_diff_chars=150"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let review = ran.json();
    let places: Vec<_> = review["findings"].as_array().expect("findings").iter().map(|one| &one["anchor"]).collect();
    assert_eq!(places.len(), 2);
    assert!(places.iter().all(|place| place["state"] == "verified" && place["line_start"] == 2), "{places:?}");
    assert_eq!(review["meta"]["batches"], 2);
    assert_eq!(review["meta"]["token_usage"], json!({ "input": 30, "cached_input": 0, "output": 3 }));
    assert_eq!(review["meta"]["truncated"], false);
    let summary = review["summary_markdown"].as_str().expect("a summary");
    assert!(summary.contains("**Part 1 of 2.**") && summary.contains("**Part 2 of 2.**"), "{summary}");
    let run = case.installation.run_folder();
    let prompts: Vec<String> = ["prompt.1.txt", "prompt.2.txt"].iter().map(|name| read(&run, name)).collect();
    assert!(prompts[0].contains("+++ b/a.rs") && !prompts[0].contains("+++ b/b.rs"));
    assert!(prompts[1].contains("+++ b/b.rs") && prompts[1].contains("this is part 2"));
    assert_eq!(case.server.requests().len(), 2);
}
