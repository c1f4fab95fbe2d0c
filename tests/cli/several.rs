//! Several agents at once, one in place of another, and a check of one.

use std::process::Command;

use diffsan_test_support::model_server::ModelServer;
use diffsan_test_support::repo::TestRepo;
use serde_json::{Value, json};

use crate::support::{Installation, answer, read_json};

struct Case {
    installation: Installation,
    repo: TestRepo,
    one: ModelServer,
    two: ModelServer,
    _runtime: tokio::runtime::Runtime,
}

impl Case {
    /// Creates a case with two endpoints, `one` and `two`.
    fn new(one: Value, two: Value) -> Self {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let start = |turn: Value| runtime.block_on(ModelServer::start(json!({ "turns": [turn] })));
        let (one, two) = (start(one), start(two));
        let mut installation = Installation::new().with("DIFFSAN_AGENT__MAX_RETRIES", "0");
        for (name, title, server) in [("one", "First", &one), ("two", "Second", &two)] {
            installation = installation.with_titled_endpoint(name, title, &server.url());
        }
        let repo = TestRepo::new();
        repo.write("a.rs", "fn main() {\n    let n = 3;\n}\n");
        repo.commit("base");
        repo.write("a.rs", "fn main() {\n    for i in 0..3 - 1 {}\n    start();\n}\n");
        Self { installation, repo, one, two, _runtime: runtime }
    }
}

fn says(text: &str) -> Value {
    json!({ "text": text, "usage": { "input": 100, "output": 10, "cached": 0 } })
}

fn other(line: u32, title: &str, quote: &str) -> Value {
    json!({ "severity": "medium", "category": "correctness", "path": "a.rs", "line_start": line, "line_end": line, "title": title,
            "body_markdown": title, "quote": quote })
}

#[test]
fn equal_findings_of_two_agents_become_one_with_both_sources() {
    let second = json!({ "summary_markdown": "Mostly fine.", "findings": [
        other(2, "The loop is off by one: the last is missed", "0..3 - 1"),
        other(3, "`start` is undefined", "start();"),
    ] });
    let case = Case::new(says(&answer("a.rs", 2, "0..3 - 1")), says(&second.to_string()));
    let ran = case.installation.run(case.repo.path(), &["review", "--json", "--agent", "one", "--agent", "two"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let review = ran.json();
    let findings = review["findings"].as_array().expect("findings");
    assert_eq!(findings.len(), 2, "{findings:?}");
    assert_eq!(findings[0]["sources"], json!(["one", "two"]));
    assert_eq!(findings[0]["severity"], "high", "the worst is kept");
    assert_eq!(findings[1]["sources"], json!(["two"]));
    // The symbols of the head show that nothing defines the name.
    assert_eq!(findings[1]["verdict"], "verified");
    let claims = findings[1]["claims"].as_array().expect("claims");
    assert!(claims.iter().any(|claim| claim["claim"] == "`start` is not defined"), "{claims:?}");
    assert_eq!(review["meta"]["token_usage"], json!({ "input": 200, "cached_input": 0, "output": 20 }));
    let summary = review["summary_markdown"].as_str().expect("text");
    assert!(summary.contains("### First\n\nIt works.") && summary.contains("### Second\n\nMostly fine."), "{summary}");
    let run = case.installation.run_folder();
    for name in ["one/prompt.txt", "two/agent.raw.txt"] {
        assert!(run.join(name).exists(), "{name}");
    }
}

#[test]
fn a_failed_agent_does_not_affect_the_other() {
    let case = Case::new(json!({ "status": 401, "error": "bad key" }), says(&answer("a.rs", 2, "0..3 - 1")));
    let ran = case.installation.run(case.repo.path(), &["review", "--json", "--agent", "one", "--agent", "two"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let review = ran.json();
    assert_eq!(review["findings"][0]["sources"], json!(["two"]));
    let agents = review["meta"]["agents"].as_array().expect("agents");
    assert!(agents[0]["error"].as_str().expect("a reason").contains("not signed in"), "{agents:?}");
    assert_eq!(agents[1]["findings"], 1);
    let summary = review["summary_markdown"].as_str().expect("text");
    assert!(summary.contains("First returned no review"), "{summary}");
    // A gate does not pass without the failed agent's opinion.
    let gate = ["review", "--agent", "one", "--agent", "two", "--fail-on", "critical"];
    let ran = case.installation.run(case.repo.path(), &gate);
    assert!(ran.code == 5 && ran.stderr.contains("1 of 2 agents failed"), "{ran:?}");
}

#[test]
fn a_fallback_takes_over() {
    let case = Case::new(json!({ "status": 500, "error": "down" }), says(&answer("a.rs", 2, "0..3 - 1")));
    let review = |installation: &Installation, more: &[&str]| {
        let args: Vec<&str> = ["review", "--json", "--agent", "one"].iter().chain(more).copied().collect();
        installation.run(case.repo.path(), &args)
    };
    assert_eq!(review(&case.installation, &[]).code, 5);
    let ran = review(&case.installation, &["--set", "agent.fallback=two"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let meta = &ran.json()["meta"];
    assert_eq!((&meta["agent"], &meta["agents"][0]["name"]), (&json!("two"), &json!("one")));
    assert_eq!((case.one.requests().len(), case.two.requests().len()), (2, 1));
}

#[test]
fn an_endpoint_without_schema_support_gets_the_schema_as_text() {
    let case = Case::new(json!({ "status": 400, "error": "response_format is not supported" }), says("{}"));
    case.one.play(json!({ "turns": [
        { "status": 400, "error": "response_format is not supported" },
        { "text": format!("Sure!\n{}\nBye", answer("a.rs", 2, "0..3 - 1")) },
    ] }));
    let ran = case.installation.run(case.repo.path(), &["review", "--json", "--agent", "one"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let sent = case.one.requests();
    assert!(sent[0].body["response_format"].is_object() && sent[1].body["response_format"].is_null());
    assert_eq!(ran.json()["meta"]["read_as"], "recovered");
}

#[test]
fn an_address_with_a_key_is_used_and_never_printed() {
    const SECRET: &str = "9d1f7c3e5ba24d60ae8812aa7cd4f3b1";
    let mut case = Case::new(says("{\"summary_markdown\":\"ok\",\"findings\":[]}"), says("{}"));
    let checked = |case: &Case| {
        let ran = case.installation.run(case.repo.path(), &["agents", "--json"]);
        assert!(ran.code == 0 && !format!("{ran:?}").contains(SECRET), "{ran:?}");
        let agents = ran.json()["agents"].as_array().expect("agents").clone();
        agents.into_iter().find(|agent| agent["name"] == "one").expect("the agent")["checked"].clone()
    };
    let check = |case: &Case| case.installation.run(case.repo.path(), &["agents", "--check", "one"]);
    assert_eq!(check(&case).code, 0);
    assert!(checked(&case).is_object());
    let address = format!("{}?version=2&api_key={SECRET}", case.one.url());
    case.installation = case.installation.with("DIFFSAN_AGENTS__ONE__URL", address);
    assert!(checked(&case).is_null(), "another address was tested");
    let ran = case.installation.run(case.repo.path(), &["agents"]);
    assert!(ran.stdout.contains("?version=2&api_key=[REDACTED") && !ran.stdout.contains(SECRET), "{ran:?}");
    let ran = check(&case);
    assert!(ran.code == 0 && !format!("{ran:?}").contains(SECRET), "{ran:?}");
    let sent = case.one.requests().pop().expect("a request");
    assert!(sent.path.ends_with("/v1/chat/completions"), "{}", sent.path);
    assert_eq!(sent.query, Some(format!("version=2&api_key={SECRET}")));
    let answer = checked(&case).to_string();
    assert!(answer.contains("api_key=[REDACTED"), "{answer}");
    let ran = case.installation.run(case.repo.path(), &["review", "--agent", "one"]);
    assert!(ran.code == 0 && !format!("{ran:?}").contains(SECRET), "{ran:?}");
    let search = Command::new("grep").args(["-rlF", SECRET]).arg(case.installation.data()).output().expect("grep");
    assert_eq!(String::from_utf8_lossy(&search.stdout), "", "nothing that is kept holds it");
}

#[test]
fn a_check_reports_success_and_failure() {
    let case =
        Case::new(says("{\"summary_markdown\":\"ok\",\"findings\":[]}"), json!({ "status": 401, "error": "bad key" }));
    let check = |name: &str| case.installation.run(case.repo.path(), &["agents", "--check", name]);
    let ran = check("one");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("First works") && ran.stdout.contains("100 tokens in"), "{ran:?}");
    let ran = check("two");
    assert_eq!(ran.code, 5, "{ran:?}");
    assert!(ran.stderr.contains("Second is not signed in, or its key was rejected"), "{ran:?}");
    // Another start of the program knows the result.
    let known = case.installation.run(case.repo.path(), &["agents", "--json"]).json();
    let checked = |name: &str| {
        let agents = known["agents"].as_array().expect("agents");
        agents.iter().find(|agent| agent["name"] == name).expect("the agent")["checked"].clone()
    };
    assert!(checked("one")["at"].is_string() && checked("one")["found"]["usage"]["input"] == 100, "{known}");
    let error = checked("two")["error"]["message"].as_str().expect("why").to_owned();
    assert!(error.contains("Second is not signed in") && checked("two")["found"].is_null(), "{error}");
    assert!(checked("gemini").is_null(), "it was never asked");
    let ran = check("gemini");
    assert!(ran.stderr.contains("Gemini CLI is not installed"), "{ran:?}");
    let ran = check("openai");
    assert!(ran.stderr.contains("OPENAI_API_KEY is not set"), "{ran:?}");
}

#[test]
fn a_relative_program_path_is_refused_with_a_hint() {
    let repo = TestRepo::new();
    repo.write("tools/rev.sh", "#!/bin/sh\ncat > /dev/null\n");
    let program = repo.path().join("tools/rev.sh");
    std::fs::set_permissions(program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("executable");
    repo.commit("base");
    repo.write("a.rs", "two\n");
    let installation = Installation::new().with("DIFFSAN_AGENT__NAME", "own");
    let own = |program: &str| {
        let text = format!("[agents.own]\ntransport = \"oneshot-text\"\nprograms = [\"{program}\"]\n");
        std::fs::write(installation.config().join("config.toml"), text).expect("written");
    };
    own("./tools/rev.sh");
    // The result is the same in the folder where the path leads to the program, and elsewhere.
    for folder in [repo.path().to_owned(), repo.path().join("tools")] {
        let ran = installation.run(&folder, &["review", "--all"]);
        assert_eq!(ran.code, 5, "{ran:?}");
        assert!(ran.stderr.contains("own cannot be started: `./tools/rev.sh` is a relative path."), "{ran:?}");
        assert!(
            ran.stderr.contains("Set the absolute path of the program, or the name of a program on PATH."),
            "{ran:?}"
        );
    }
    let listed = installation.run(repo.path(), &["agents"]);
    assert!(listed.stdout.contains("./tools/rev.sh is a relative path"), "{listed:?}");
    own("no-such-program");
    let ran = installation.run(repo.path(), &["review", "--all"]);
    assert!(ran.stderr.contains("hint: Install it and sign in, then review again."), "{ran:?}");
}

/// Dismisses the first finding of a review.
const DISMISS: &str = "INSERT INTO decision (review_id, finding_key, decision, reason, decided_at)
    SELECT id, output ->> '$.findings[0].key', 'dismissed', 'by design', '' FROM review WHERE id = ?1";

#[test]
fn a_dismissed_finding_is_not_reported_again() {
    let case = Case::new(says(&answer("a.rs", 2, "0..3 - 1")), says("{}"));
    let review = || case.installation.run(case.repo.path(), &["review", "--json", "--agent", "one"]);
    assert_eq!(review().code, 0);
    let store = case.installation.data().join("diffsan.sqlite3");
    let run = case.installation.run_folder();
    let id = read_json(&run, "run.json")["run_id"].as_str().expect("a name").to_owned();
    let connection = rusqlite::Connection::open(store).expect("the state");
    connection.execute(DISMISS, [&id]).expect("written");
    drop(connection);
    assert_eq!(review().code, 0);
    let prompt = case.one.requests()[1].body["messages"][0]["content"].as_str().expect("text").to_owned();
    assert!(prompt.contains("- finding, dismissed (by design): a.rs:2 [high] Off by one"), "{prompt}");
    let first = case.one.requests()[0].body.to_string();
    assert!(!first.contains("What was said before"));
    // The finding is found again on the same code and is still dismissed. The dismissal ends when the code changes.
    let decided = || -> Vec<String> {
        let connection =
            rusqlite::Connection::open(case.installation.data().join("diffsan.sqlite3")).expect("the state");
        let sql = "SELECT reason FROM decision JOIN review ON review.id = review_id ORDER BY created_at, review.rowid";
        let mut query = connection.prepare(sql).expect("a query");
        query.query_map([], |row| row.get(0)).expect("rows").collect::<Result<_, _>>().expect("texts")
    };
    assert_eq!(decided(), ["by design", "Dismissed before: by design"]);
    let text = std::fs::read_to_string(case.repo.path().join("a.rs")).expect("text");
    case.repo.write("a.rs", text.replace("0..3 - 1", "0..3 - 2"));
    assert_eq!(review().code, 0);
    let prompt = case.one.requests()[2].body.to_string();
    assert!(!prompt.contains("dismissed (by design)"), "{prompt}");
    assert_eq!(decided().len(), 2);
}

#[test]
fn a_dismissal_survives_a_round_without_the_finding() {
    let found = answer("a.rs", 2, "0..3 - 1");
    let case = Case::new(says(&found), says("{}"));
    let nothing = "{\"summary_markdown\":\"fine\",\"findings\":[]}";
    case.one.play(json!({ "turns": [{ "text": found }, { "text": nothing }, { "text": found }, { "text": found }] }));
    let review = || case.installation.run(case.repo.path(), &["review", "--json", "--agent", "one"]);
    let state = || rusqlite::Connection::open(case.installation.data().join("diffsan.sqlite3")).expect("the state");
    let ids = || -> Vec<String> {
        let (connection, sql) = (state(), "SELECT id FROM review ORDER BY created_at, rowid");
        let mut query = connection.prepare(sql).expect("a query");
        query.query_map([], |row| row.get(0)).expect("rows").collect::<Result<_, _>>().expect("names")
    };
    let decided = |review: &str| -> Option<String> {
        let sql = "SELECT reason FROM decision WHERE review_id = ?1 AND decision = 'dismissed'";
        rusqlite::OptionalExtension::optional(state().query_row(sql, [review], |row| row.get(0))).expect("a row")
    };
    assert_eq!(review().code, 0);
    state().execute(DISMISS, [&ids()[0]]).expect("written");
    assert_eq!((review().code, decided(&ids()[1])), (0, None), "the agent heeds it");
    assert_eq!(review().code, 0);
    let prompt = case.one.requests()[2].body.to_string();
    assert!(prompt.contains("dismissed (by design)"), "{prompt}");
    assert_eq!(decided(&ids()[2]).as_deref(), Some("Dismissed before: by design"));
    // A dismissal that was reverted meanwhile stays reverted.
    state().execute("DELETE FROM decision WHERE review_id = ?1", [&ids()[2]]).expect("written");
    assert_eq!((review().code, decided(&ids()[3])), (0, None));
}
