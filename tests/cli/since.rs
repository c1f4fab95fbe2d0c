//! Reviews of the edits since an earlier version: the agent gets them with their lines, and findings on other lines are marked.

use diffsan_test_support::model_server::ModelServer;
use diffsan_test_support::repo::TestRepo;
use serde_json::{Value, json};

use crate::support::Installation;

/// Returns forty lines, with some of them replaced.
fn lines(edits: &[(usize, &str)]) -> String {
    let line = |number: usize| match edits.iter().find(|(at, _)| *at == number) {
        Some((_, text)) => format!("{text}\n"),
        None => format!("line {number}\n"),
    };
    (1..=40).map(line).collect()
}

fn answer(findings: &[(u32, &str, &str)]) -> Value {
    let finding = |&(line, quote, title): &(u32, &str, &str)| {
        json!({ "severity": "high", "category": "correctness", "path": "a.rs", "line_start": line, "line_end": line, "title": title,
                "body_markdown": format!("{title}."), "quote": quote })
    };
    let findings: Vec<Value> = findings.iter().map(finding).collect();
    json!({ "text": json!({ "summary_markdown": "Read.", "findings": findings }).to_string() })
}

#[test]
fn findings_on_lines_that_were_there_before_are_marked_and_keep_their_keys() {
    let repo = TestRepo::new();
    repo.write("a.rs", lines(&[]));
    repo.write("b.rs", "fn b() {}\n");
    repo.commit("base");
    repo.git(["checkout", "-q", "-b", "topic"]);
    repo.write("a.rs", lines(&[(10, "index(items.len())"), (30, "other()")]));
    repo.write("b.rs", "fn b() { c() }\n");
    let first = repo.commit("first");
    let old = ("index(items.len())", "The index is one past the end of items");
    let turns = [
        answer(&[(10, old.0, old.1)]),
        answer(&[
            (11, old.0, old.1),
            (14, "later(13)", "The result is ignored"),
            (41, "line 40", "The last line is empty"),
        ]),
    ];
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let model = runtime.block_on(ModelServer::start(json!({ "turns": turns })));
    let installation = Installation::new().with_endpoint("one", &model.url());
    let review = |more: &[&str]| {
        let args = [&["review", "--branch", "topic", "--agent", "one"], more].concat();
        let ran = installation.run(repo.path(), &args);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran
    };
    let before = review(&["--json"]).json();
    // The target branch adds a line, and the author edits another line near the finding.
    repo.git(["checkout", "-q", "main"]);
    repo.write("a.rs", format!("upstream\n{}", lines(&[])));
    repo.commit("upstream");
    repo.git(["checkout", "-q", "topic"]);
    repo.git(["rebase", "-q", "main"]);
    let edited = lines(&[(10, "index(items.len())"), (13, "later(13)"), (30, "other()")]);
    repo.write("a.rs", format!("upstream\n{edited}"));
    repo.commit("second");
    let after = review(&["--since", "last", "--json"]).json();

    let marks: Vec<(u64, Option<&str>)> = after["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .map(|one| (one["anchor"]["line_start"].as_u64().expect("a line"), one["unedited_since"].as_str()))
        .collect();
    assert_eq!(marks, [(11, Some(&first[..10])), (14, None), (41, Some(&first[..10]))]);
    assert_eq!(after["findings"][0]["key"], before["findings"][0]["key"]);
    assert!(before["findings"][0].get("unedited_since").is_none(), "{before}");
    let summary = after["summary_markdown"].as_str().expect("a summary");
    let sentence = format!(
        "2 of 3 findings are on lines that the author has not edited since {}. They were there before.",
        &first[..10]
    );
    assert!(summary.contains(&sentence), "{summary}");

    // The agent is told the version, the edited lines and the files that are left out.
    let asked = model.requests().last().expect("asked").body.to_string();
    assert!(
        asked.contains(&format!("An earlier version of this change, {}, was reviewed before", &first[..10])),
        "{asked}"
    );
    assert!(asked.contains("- a.rs: lines 14\\n") && !asked.contains("+other()"), "{asked}");
    assert!(asked.contains("Files with hunks that are not shown for this reason: a.rs, b.rs"), "{asked}");
    assert!(!asked.contains("lock files and the like)"), "{asked}");

    // The text and the replay of the recorded run say the same.
    let text = installation.run(repo.path(), &["export", "--branch", "topic", "--format", "markdown"]);
    assert!(text.code == 0 && text.stdout.contains("was there before"), "{text:?}");
    let place = tempfile::tempdir().expect("a folder");
    let bundle = place.path().join("run.zip").display().to_string();
    assert_eq!(installation.run(repo.path(), &["bundle", "last", "--output", &bundle]).code, 0);
    let replayed = installation.run(place.path(), &["replay", &bundle, "--json"]);
    assert_eq!((replayed.code, &replayed.json()["findings"]), (0, &after["findings"]), "{replayed:?}");
}

#[test]
fn files_that_the_last_saved_review_cut_are_sent_with_the_edits_since_it() {
    let repo = TestRepo::new();
    repo.write("a.rs", lines(&[]));
    repo.commit("base");
    repo.git(["checkout", "-q", "-b", "topic"]);
    repo.write("a.rs", lines(&[(10, "first()")]));
    repo.write("b.rs", "fn cut() {}\n");
    repo.write("c.rs", "fn cut_and_renamed() {}\n");
    repo.commit("first");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let model = runtime.block_on(ModelServer::start(json!({ "turns": [answer(&[])] })));
    let installation = Installation::new().with_endpoint("one", &model.url());
    let args = ["review", "--branch", "topic", "--agent", "one", "--set", "limits.max_files=1"];
    let reviewed = installation.run(repo.path(), &args);
    assert_eq!(reviewed.code, 0, "{reviewed:?}");
    repo.write("a.rs", lines(&[(10, "first()"), (30, "second()")]));
    repo.git(["mv", "c.rs", "d.rs"]);
    repo.commit("second");
    let args = ["prepare", "--branch", "topic", "--since", "last"];
    let rest = installation.run(repo.path(), &args);
    for line in ["+fn cut() {}", "+fn cut_and_renamed() {}", "+second()"] {
        assert!(rest.stdout.contains(line), "{rest:?}");
    }
    assert!(!rest.stdout.contains("+first()"), "{rest:?}");
}
