//! The track record of agents: decisions about findings of scripted agents, and their effects on later reviews.

use diffsan_test_support::model_server::ModelServer;
use diffsan_test_support::repo::TestRepo;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::support::Installation;

/// An endpoint and a change with a line for each finding.
struct Case {
    installation: Installation,
    repo: TestRepo,
    server: ModelServer,
    _runtime: tokio::runtime::Runtime,
}

const LINES: u32 = 12;

impl Case {
    fn new() -> Self {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let server = runtime.block_on(ModelServer::start(json!({ "turns": [] })));
        let installation = Installation::new()
            .with("DIFFSAN_AGENT__MAX_RETRIES", "0")
            .with("DIFFSAN_AGENT__NAME", "one")
            .with_titled_endpoint("one", "First", &server.url());
        let repo = TestRepo::new();
        repo.write("a.rs", "fn main() {}\n");
        repo.commit("base");
        repo.write("a.rs", text(|line| format!("    call_{line}(value_{line});\n")));
        Self { installation, repo, server, _runtime: runtime }
    }

    /// Reviews, with one finding at each of the lines. Returns the review.
    fn review(&self, found: &[(u32, &str)], more: &[&str]) -> Value {
        let finding = |&(line, category): &(u32, &str)| {
            let quote = format!("call_{line}(value_{line});");
            json!({ "severity": "medium", "category": category, "path": "a.rs", "line_start": line + 1, "line_end": line + 1,
                    "title": format!("`value_{line}` is wrong"), "body_markdown": format!("See value_{line}."), "quote": quote })
        };
        let findings: Vec<Value> = found.iter().map(finding).collect();
        let answer = json!({ "summary_markdown": "Done.", "findings": findings }).to_string();
        self.server.play(json!({ "turns": [{ "text": answer }] }));
        let args: Vec<&str> = ["review", "--json"].iter().chain(more).copied().collect();
        let ran = self.installation.run(self.repo.path(), &args);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.json()
    }

    fn state(&self) -> Connection {
        Connection::open(self.installation.data().join("diffsan.sqlite3")).expect("the state")
    }

    /// Decides about the finding at a line of the latest review.
    fn decide(&self, line: u32, decision: &str, reason: Option<&str>, at: &str) {
        let sql = "INSERT INTO decision (review_id, finding_key, decision, reason, decided_at)
            SELECT review.id, value ->> '$.key', ?1, ?2, ?3 FROM review, json_each(output, '$.findings')
            WHERE review.rowid = (SELECT max(rowid) FROM review) AND value ->> '$.line_start' = ?4";
        let changed = self.state().execute(sql, rusqlite::params![decision, reason, at, line + 1]).expect("written");
        assert_eq!(changed, 1, "a finding at line {line}");
    }

    fn record(&self) -> Value {
        let ran = self.installation.run(self.repo.path(), &["track-record", "--json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.json()
    }

    /// Returns the only prompt since the last review began.
    fn prompt(&self) -> String {
        self.server.requests()[0].body.to_string()
    }
}

/// Returns a function with one statement in each line.
fn text(line: impl Fn(u32) -> String) -> String {
    format!("fn main() {{\n{}}}\n", (1..=LINES).map(line).collect::<String>())
}

#[test]
fn a_share_appears_with_the_tenth_decision_as_an_interval() {
    let case = Case::new();
    let shown = || case.installation.run(case.repo.path(), &["track-record"]).stdout;
    assert!(shown().starts_with("You have not decided"), "{}", shown());
    let found: Vec<(u32, &str)> = (1..=10).map(|line| (line, if line < 8 { "security" } else { "style" })).collect();
    case.review(&found, &[]);
    for line in 1..=9 {
        let decision = if line < 8 { "accepted" } else { "dismissed" };
        // The clock runs backwards.
        case.decide(line, decision, Some("as wanted").filter(|_| line >= 8), &format!("20{:02}-01-01", 40 - line));
    }
    let nine = case.record();
    assert_eq!(nine["agents"][0]["total"]["accepted_share"], Value::Null, "{nine}");
    assert!(shown().contains("one: 7 accepted, 2 dismissed; a share needs 10 decisions"), "{}", shown());
    case.decide(10, "accepted", None, "1970-01-01");
    let ten = case.record();
    let one = &ten["agents"][0];
    assert_eq!((&one["total"]["accepted"], &one["total"]["dismissed"]), (&json!(8), &json!(2)), "{ten}");
    let share = &one["total"]["accepted_share"];
    let bounds = (share["low"].as_f64().expect("a bound"), share["high"].as_f64().expect("a bound"));
    assert!((bounds.0 - 0.4902).abs() < 0.0001 && (bounds.1 - 0.9433).abs() < 0.0001, "{bounds:?}");
    assert_eq!(one["reasons"], json!([{ "reason": "as wanted", "count": 2 }]));
    assert_eq!(one["categories"][0]["category"], "security");
    assert!(shown().contains("one: 49% to 94% accepted (8 of 10 decisions)"), "{}", shown());
}

#[test]
fn the_agent_gets_its_record_only_if_the_user_says_so() {
    let case = Case::new();
    let found: Vec<(u32, &str)> = (1..=10).map(|line| (line, "style")).collect();
    case.review(&found, &[]);
    (1..=10).for_each(|line| {
        let decision = if line < 4 { "accepted" } else { "dismissed" };
        case.decide(line, decision, Some("generated code").filter(|_| line >= 4), "t");
    });
    case.review(&[], &[]);
    assert!(!case.prompt().contains("earlier findings"), "it is off");
    case.review(&[], &["--set", "track_record.tell_agents=true"]);
    let prompt = case.prompt();
    assert!(prompt.contains("3 of 10 were accepted (likely share 11% to 60%)"), "{prompt}");
    assert!(prompt.contains("“generated code” (7 times)"), "{prompt}");
    let shown = case.installation.run(case.repo.path(), &["prompt", "--set", "track_record.tell_agents=true"]).stdout;
    assert!(shown.contains("3 of 10 were accepted"), "the preview shows what is sent: {shown}");
}

#[test]
fn findings_are_ordered_by_the_record_if_the_user_says_so() {
    let case = Case::new();
    let bad: Vec<(u32, &str)> = (1..=10).map(|line| (line, "style")).collect();
    case.review(&bad, &[]);
    (1..=10).for_each(|line| case.decide(line, "dismissed", None, "t"));
    case.repo.write("a.rs", text(|line| format!("    call_{line}(value_{line}); // new\n")));
    let new = [(11, "style"), (12, "docs")];
    let keys = |review: &Value| -> Vec<Value> {
        review["findings"].as_array().expect("findings").iter().map(|one| one["category"].clone()).collect()
    };
    assert_eq!(keys(&case.review(&new, &[])), [json!("style"), json!("docs")]);
    // All categories of the agent have a record by now: `docs` that of the agent.
    let ordered = case.review(&new, &["--set", "track_record.order_findings=true"]);
    assert_eq!(keys(&ordered).len(), 2);
    let good: Vec<(u32, &str)> = (1..=12).map(|line| (line, "docs")).collect();
    case.review(&good, &[]);
    (1..=10).for_each(|line| case.decide(line, "accepted", None, "t"));
    case.repo.write("a.rs", text(|line| format!("    call_{line}(value_{line}); // newer\n")));
    let ordered = case.review(&new, &["--set", "track_record.order_findings=true"]);
    assert_eq!(keys(&ordered), [json!("docs"), json!("style")], "{ordered}");
}

#[test]
fn an_edit_of_the_code_of_an_accepted_finding_resolves_it() {
    let case = Case::new();
    case.review(&[(1, "style"), (2, "style"), (3, "style")], &[]);
    case.decide(1, "accepted", None, "t");
    case.decide(2, "accepted", None, "t");
    case.decide(3, "dismissed", None, "t");
    assert_eq!(case.record()["agents"][0]["total"]["resolved"], 0);
    // Line 1 and 3 are edited. Only the finding at line 1 was accepted and is not reported again.
    let edited = |line| match line {
        1 | 3 => format!("    checked_call_{line}(other_{line});\n"),
        _ => format!("    call_{line}(value_{line});\n"),
    };
    case.repo.write("a.rs", text(edited));
    case.review(&[], &[]);
    let total = case.record()["agents"][0]["total"].clone();
    assert_eq!(
        (&total["resolved"], &total["accepted"], &total["dismissed"]),
        (&json!(1), &json!(2), &json!(1)),
        "{total}"
    );
}

#[test]
fn a_carried_over_decision_counts_once() {
    let case = Case::new();
    case.review(&[(1, "style")], &[]);
    case.decide(1, "dismissed", Some("as wanted"), "t");
    case.review(&[(1, "style")], &[]);
    let decisions: u32 =
        case.state().query_row("SELECT count(*) FROM decision", [], |row| row.get(0)).expect("a count");
    assert_eq!(decisions, 2, "the dismissal was carried over");
    let one = case.record()["agents"][0].clone();
    assert_eq!((&one["total"]["dismissed"], &one["reasons"][0]["reason"]), (&json!(1), &json!("as wanted")), "{one}");
}
