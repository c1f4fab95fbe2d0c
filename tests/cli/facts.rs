//! Facts of reports in `prepare` and `review`, and claims of an agent about tests.

use diffsan_test_support::model_server::ModelServer;
use diffsan_test_support::repo::TestRepo;
use serde_json::{Value, json};

use crate::support::{Installation, read_json};

const HEAD: &str = "def total(items):\n    if not items:\n        return 0\n    return sum(items)\n";
const LCOV: &str = "TN:\nSF:shop/cart.py\nDA:1,1\nDA:2,1\nDA:3,0\nDA:4,1\nend_of_record\n";

fn repo() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("shop/cart.py", "def total(items):\n    return sum(items)\n");
    repo.commit("base");
    repo.write("shop/cart.py", HEAD);
    std::fs::write(repo.beside("lcov.info"), LCOV).expect("written");
    repo
}

fn finding(line: u32, body: &str) -> Value {
    json!({ "finding_id": null, "severity": "low", "category": "testing", "path": "shop/cart.py", "line_start": line,
        "line_end": line, "title": "Tests", "body_markdown": body, "side": null, "quote": null, "confidence": 0.8,
        "suggested_patch": null })
}

#[test]
fn prepare_reports_named_facts() {
    let repo = repo();
    let report = repo.beside("lcov.info").display().to_string();
    let installation = Installation::new();
    let ran = installation.run(repo.path(), &["prepare", "--json", "--facts", &report]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let facts = &ran.json()["facts"];
    assert_eq!(facts["sources"][0]["kind"], "lcov");
    assert_eq!(facts["coverage"][0]["runs"][1], json!({ "start": 3, "end": 3, "state": "uncovered" }));
    let text = installation.run(repo.path(), &["prepare", "--facts", &report]);
    assert!(text.stderr.contains("coverage: tests ran 1 of 2 added lines"), "{text:?}");
    let missing = installation.run(repo.path(), &["prepare", "--facts", "nothing.xml"]);
    assert!(missing.code != 0 && missing.stderr.contains("nothing.xml cannot be read"), "{missing:?}");
}

#[test]
fn a_claim_about_tests_is_checked_against_coverage() {
    let repo = repo();
    let report = repo.beside("lcov.info").display().to_string();
    let findings =
        [finding(3, "This line is untested."), finding(2, "No test covers this condition."), finding(3, "Slow.")];
    let text = json!({ "summary_markdown": "x", "findings": findings }).to_string();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let model = runtime.block_on(ModelServer::start(json!({ "turns": [{ "text": text }] })));
    let installation = Installation::new().with_endpoint("one", &model.url());
    let ran = installation.run(repo.path(), &["review", "--json", "--agent", "one", "--facts", &report]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let review = ran.json();
    let verdict = |body: &str| {
        let all = review["findings"].as_array().expect("findings").iter();
        all.clone().find(|one| one["body_markdown"] == body).map(|one| one["verdict"].clone()).expect("a finding")
    };
    assert_eq!(verdict("This line is untested."), "verified");
    assert_eq!(verdict("No test covers this condition."), "contradicted");
    assert_eq!(verdict("Slow."), "unchecked");
    assert_eq!(review["meta"]["facts"]["uncovered_lines"], 1);
    assert_eq!(read_json(&installation.run_folder(), "facts.json")["coverage"][0]["path"], "shop/cart.py");
}
