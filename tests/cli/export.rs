//! Reviews as documents: every format, to standard output and to files, of a run, of a saved review and of a file.

use diffsan_test_support::model_server::ModelServer;
use diffsan_test_support::repo::TestRepo;
use serde_json::json;
use serde_sarif::sarif::Sarif;

use crate::support::Installation;

const SECRET: &str = "glpat-abcdefghij0123456789";

struct Case {
    installation: Installation,
    repo: TestRepo,
    _server: ModelServer,
    _runtime: tokio::runtime::Runtime,
}

impl Case {
    fn new() -> Self {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let finding = |line: u32, title: &str, quote: &str| {
            json!({ "severity": "high", "category": "security", "path": "src/a b.rs", "line_start": line, "line_end": line, "title": title,
                "body_markdown": "See [here](javascript:alert(1)) <script>alert(1)</script>", "quote": quote,
                "suggested_patch": { "format": "replacement", "content": "    for i in 0..3 {}" } })
        };
        let answer = json!({ "summary_markdown": "**Not ready.** <img src=//evil.example/p.png>", "findings": [
            finding(2, "<svg onload=alert(1)> The last is missed", "0..3 - 1"),
            json!({ "severity": "low", "category": "docs", "path": "nowhere.rs", "line_start": 9, "line_end": 9,
                "title": "Nowhere", "body_markdown": "It is not there." }),
        ] });
        let turn = json!({ "text": answer.to_string(), "usage": { "input": 100, "output": 10, "cached": 0 } });
        let server = runtime.block_on(ModelServer::start(json!({ "turns": [turn] })));
        let installation = Installation::new()
            .with("DIFFSAN_AGENTS__ONE__TRANSPORT", "openai-http")
            .with("DIFFSAN_AGENTS__ONE__URL", server.url())
            .with("DIFFSAN_AGENTS__ONE__MODEL", "scripted-model");
        let repo = TestRepo::new();
        repo.write("src/a b.rs", "fn main() {\n    let n = 3;\n}\n");
        repo.commit("base");
        repo.write(
            "src/a b.rs",
            format!("fn main() {{\n    for i in 0..3 - 1 {{}}\n    let token = \"{SECRET}\";\n}}\n"),
        );
        Self { installation, repo, _server: server, _runtime: runtime }
    }

    fn run(&self, args: &[&str]) -> String {
        let ran = self.installation.run(self.repo.path(), args);
        assert_eq!(ran.code, 0, "{args:?}: {ran:?}");
        assert!(!ran.stdout.contains(SECRET) && !ran.stderr.contains(SECRET), "{args:?}: {ran:?}");
        ran.stdout
    }
}

#[test]
fn a_review_has_every_format_and_a_saved_one_is_equal() {
    let case = Case::new();
    let html = case.run(&["review", "--agent", "one", "--format", "html"]);
    assert!(html.starts_with("<!doctype html>"), "{html}");
    assert!(
        html.contains("default-src 'none'")
            && !html.contains("<script")
            && !html.contains("<svg")
            && !html.contains("<img")
    );
    assert!(!html.contains("href=\"javascript"), "{html}");
    assert!(html.contains("for i in 0..3 - 1 {}"), "the code stands beside the finding");
    assert_eq!(case.run(&["export", "--format", "html"]), html, "what was kept is what was printed");

    let sarif = case.run(&["export", "--format", "sarif"]);
    // The crate's types are generated from the official schema.
    let read: Sarif = serde_json::from_str(&sarif).expect("SARIF 2.1.0");
    let results = read.runs[0].results.as_ref().expect("results");
    assert_eq!(results.len(), 2);
    let place = results[0].locations.as_ref().and_then(|all| all[0].physical_location.as_ref()).expect("a place");
    assert_eq!(place.artifact_location.as_ref().and_then(|at| at.uri.as_deref()), Some("src/a%20b.rs"));
    assert_eq!(place.region.as_ref().and_then(|region| region.start_line), Some(2));
    assert!(results[0].fixes.is_some(), "the patch applies");

    let quality: serde_json::Value =
        serde_json::from_str(&case.run(&["export", "--format", "code-quality"])).expect("JSON");
    assert_eq!(quality.as_array().map(Vec::len), Some(1), "what has no place points nowhere");
    assert_eq!(quality[0]["location"]["path"], "src/a b.rs");

    let markdown = case.run(&["export", "--format", "markdown"]);
    assert!(markdown.starts_with("# Review of `Unstaged changes`"), "{markdown}");
    assert!(markdown.contains("\\<script>alert(1)\\</script>"), "{markdown}");
    let json: serde_json::Value = serde_json::from_str(&case.run(&["export", "--json"])).expect("JSON");
    assert_eq!(json["findings"].as_array().map(Vec::len), Some(2));
    assert!(case.run(&["export"]).contains("HIGH src/a b.rs:2"));
}

#[test]
fn export_writes_a_file_and_reads_a_review_file() {
    let case = Case::new();
    let json = case.run(&["review", "--agent", "one", "--json"]);
    std::fs::write(case.repo.path().join("review.json"), json).expect("a file");
    assert_eq!(
        case.run(&["export", "--unstaged", "--review", "review.json", "--format", "sarif", "--output", "out.sarif"]),
        ""
    );
    let written = std::fs::read_to_string(case.repo.path().join("out.sarif")).expect("the file");
    let read: Sarif = serde_json::from_str(&written).expect("SARIF 2.1.0");
    assert_eq!(read.runs[0].results.as_ref().map(Vec::len), Some(2));
}

#[test]
fn a_change_without_a_review_cannot_be_exported() {
    let case = Case::new();
    let ran = case.installation.run(case.repo.path(), &["export", "--format", "html"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("no review yet") && ran.stderr.contains("hint: "), "{ran:?}");
    let ran = case.installation.run(case.repo.path(), &["policy", "--format", "sarif"]);
    assert_eq!(ran.code, 2, "{ran:?}");
}

/// The lines of the first finding that a document has.
fn lines(json: &str) -> (u64, String) {
    let read: serde_json::Value = serde_json::from_str(json).expect("JSON");
    let anchor = &read["findings"][0]["anchor"];
    (anchor["line_start"].as_u64().unwrap_or_default(), anchor["state"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn a_review_is_placed_again_on_every_kind_of_change() {
    let case = Case::new();
    let json = case.run(&["review", "--agent", "one", "--json"]);
    assert_eq!(lines(&json), (2, "verified".into()));
    case.repo.write("review.json", &json);
    // Two lines more before the finding.
    let path = case.repo.path().join("src/a b.rs");
    let code = std::fs::read_to_string(&path).expect("the file");
    case.repo.write("src/a b.rs", format!("// one\n// two\n{code}"));
    let moved = (4, "moved".to_owned());
    let placed = |change: &[&str]| {
        let with = [&["export", "--json", "--review", "review.json", "--reanchor"], change].concat();
        lines(&case.run(&with))
    };
    assert_eq!(placed(&["--unstaged"]), moved);
    assert_eq!(placed(&["--all"]), moved);
    case.repo.git(["add", "src"]);
    assert_eq!(placed(&["--staged"]), moved);
    assert_eq!(placed(&["--tracked"]), moved);
    case.repo.git(["diff", "--cached", "--output", "change.patch"]);
    assert_eq!(placed(&["--patch", "change.patch"]), moved);
    case.repo.git(["checkout", "-q", "-b", "feature"]);
    case.repo.commit("the change");
    assert_eq!(placed(&["--commit", "HEAD"]), moved);
    assert_eq!(placed(&["--range", "HEAD~1..HEAD"]), moved);
}

#[test]
fn a_saved_review_is_placed_again_and_kept() {
    let case = Case::new();
    case.run(&["review", "--agent", "one", "--json"]);
    let path = case.repo.path().join("src/a b.rs");
    let code = std::fs::read_to_string(&path).expect("the file");
    case.repo.write("src/a b.rs", format!("// one\n{code}"));
    let placed = case.run(&["export", "--reanchor", "--json"]);
    assert_eq!(lines(&placed), (3, "moved".into()));
    assert_eq!(lines(&case.run(&["export", "--json"])).0, 3);
    assert!(case.run(&["export", "--reanchor"]).contains("src/a b.rs:3"));
}
