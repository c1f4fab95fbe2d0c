//! Several runs of the same prompt: scripted agents with known agreement.

use diffsan_test_support::model_server::ModelServer;
use diffsan_test_support::repo::TestRepo;
use serde_json::{Value, json};

use crate::support::{Installation, Ran, read};

/// An endpoint with one answer for each run.
struct Case {
    installation: Installation,
    repo: TestRepo,
    server: ModelServer,
    _runtime: tokio::runtime::Runtime,
}

impl Case {
    fn new(turns: &[Value]) -> Self {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let server = runtime.block_on(ModelServer::start(json!({ "turns": turns })));
        let installation = Installation::new()
            .with("DIFFSAN_AGENT__MAX_RETRIES", "0")
            .with("DIFFSAN_AGENT__NAME", "one")
            .with_titled_endpoint("one", "First", &server.url());
        let repo = TestRepo::new();
        repo.write("a.rs", "fn main() {}\n");
        repo.commit("base");
        repo.write("a.rs", "fn main() {\n    let a = first();\n    let b = second();\n    let c = third();\n}\n");
        Self { installation, repo, server, _runtime: runtime }
    }

    fn run(&self, more: &[&str]) -> Ran {
        let args: Vec<&str> = ["review"].iter().chain(more).copied().collect();
        self.installation.run(self.repo.path(), &args)
    }

    fn review(&self, more: &[&str]) -> Value {
        let ran = self.run(&[&["--json"], more].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.json()
    }
}

/// Findings about different lines. Each run says the same in other words.
const FINDINGS: [(u32, &str, [&str; 3]); 3] = [
    (
        2,
        "let a = first();",
        [
            "The result of the first call is ignored and may be an error",
            "The first call may return an error, and its result is ignored",
            "Ignored result: the first call may fail with an error",
        ],
    ),
    (
        3,
        "let b = second();",
        [
            "The second value can overflow when it is added to the counter",
            "Overflow of the second value when it is added to the counter",
            "When the second value is added to the counter, it can overflow",
        ],
    ),
    (
        4,
        "let c = third();",
        [
            "The third lock is never released before returning",
            "The third lock is not released before returning",
            "Before returning, the third lock is never released",
        ],
    ),
];

/// Returns the answer of a run that finds some of [`FINDINGS`].
fn says(run: usize, found: &[usize]) -> Value {
    let findings: Vec<Value> = found
        .iter()
        .map(|&index| {
            let (line, quote, texts) = FINDINGS[index];
            json!({ "severity": "medium", "category": "correctness", "path": "a.rs", "line_start": line, "line_end": line,
                    "title": texts[run], "body_markdown": texts[run], "quote": quote })
        })
        .collect();
    let answer = json!({ "summary_markdown": format!("Run {run}."), "findings": findings });
    json!({ "text": answer.to_string(), "usage": { "input": 100, "output": 10, "cached": 0 } })
}

/// Returns how many runs found the finding at a line.
fn runs_at(review: &Value, line: u32) -> Value {
    let findings = review["findings"].as_array().expect("findings");
    let at: Vec<&Value> = findings.iter().filter(|finding| finding["anchor"]["line_start"] == line).collect();
    assert_eq!(at.len(), 1, "one finding at line {line}: {findings:#?}");
    at[0]["runs"].clone()
}

fn count(found: u32, of: u32, failed: u32) -> Value {
    json!([{ "agent": "one", "found": found, "of": of, "failed": failed }])
}

#[test]
fn known_agreement_is_reproduced_exactly() {
    for (runs, found, agreement, in_every_run) in [
        // Pairs: 1/2, 1/3, 1/2.
        (vec![vec![0, 1], vec![0], vec![0, 2]], [3, 1, 1], (1.0 / 2.0 + 1.0 / 3.0 + 1.0 / 2.0) / 3.0, 1),
        (vec![vec![0, 1, 2], vec![2, 1, 0], vec![1, 0, 2]], [3, 3, 3], 1.0, 3),
        (vec![vec![0], vec![1], vec![2]], [1, 1, 1], 0.0, 0),
        // Pairs: 2/3, 0, 0.
        (vec![vec![0, 1], vec![0, 1, 2], vec![]], [2, 2, 1], 2.0 / 9.0, 0),
    ] {
        let turns: Vec<Value> = runs.iter().enumerate().map(|(run, found)| says(run, found)).collect();
        let case = Case::new(&turns);
        let review = case.review(&["--runs", "3"]);
        for (index, expected) in found.into_iter().enumerate() {
            assert_eq!(runs_at(&review, FINDINGS[index].0), count(expected, 3, 0), "{runs:?}");
        }
        let result = &review["meta"]["agents"][0]["runs"];
        let measured = result["agreement"].as_f64().expect("a share");
        assert!((measured - agreement).abs() < 1e-12, "{runs:?}: {measured} is not {agreement}");
        assert_eq!((&result["answered"], &result["in_every_run"]), (&json!(3), &json!(in_every_run)), "{runs:?}");
        assert_eq!(review["meta"]["token_usage"]["input"], 300, "all runs were paid for");
        let summary = review["summary_markdown"].as_str().expect("text");
        let percent = (agreement * 100.0).round();
        assert!(summary.contains(&format!("pairwise agreement {percent}%")), "{summary}");
        let findings = review["findings"].as_array().expect("findings");
        assert!(findings.iter().all(|finding| finding["sources"] == json!(["one"])), "{findings:?}");
    }
}

#[test]
fn every_run_gets_the_same_prompt_and_its_own_folder() {
    let case = Case::new(&[says(0, &[0]), says(1, &[0]), says(2, &[0])]);
    case.review(&["--runs", "3"]);
    let folder = case.installation.run_folder();
    let prompts: Vec<String> = (1..=3).map(|run| read(&folder, &format!("run-{run}/prompt.txt"))).collect();
    assert!(prompts[0].contains("let a = first();") && prompts.iter().all(|prompt| *prompt == prompts[0]));
    let answers: Vec<String> = (1..=3).map(|run| read(&folder, &format!("run-{run}/agent.raw.txt"))).collect();
    assert!(answers[0].contains("Run 0.") && answers[2].contains("Run 2."), "{answers:?}");
    assert_eq!(case.server.requests().len(), 3);
}

#[test]
fn a_failed_run_is_not_among_the_counted_ones() {
    let case = Case::new(&[says(0, &[0]), json!({ "status": 500, "error": "down" }), says(2, &[0, 1])]);
    let review = case.review(&["--runs", "3"]);
    assert_eq!(runs_at(&review, 2), count(2, 2, 1));
    assert_eq!(runs_at(&review, 3), count(1, 2, 1));
    let agent = &review["meta"]["agents"][0];
    assert_eq!((&agent["runs"]["answered"], &agent["error"]), (&json!(2), &Value::Null), "{agent}");
    assert_eq!(agent["runs"]["failed"].as_array().map(Vec::len), Some(1), "{agent}");
    assert_eq!(agent["runs"]["agreement"], 0.5);
    case.installation.assert_replayed(case.repo.path());

    let case = Case::new(&[says(0, &[0]), json!({ "status": 500, "error": "down" }), says(2, &[0, 1])]);
    let text = case.run(&["--runs", "3"]).stdout;
    assert!(text.contains("a.rs:2 verified correctness (2 of 2 runs, 1 run failed)\n"), "{text}");
    assert!(text.contains("stability of one: 2 of 3 runs answered, 1 of 2 findings in every run"), "{text}");
}

#[test]
fn a_review_fails_if_every_run_fails() {
    let case = Case::new(&[json!({ "status": 401, "error": "bad key" })]);
    let ran = case.run(&["--runs", "2"]);
    assert_eq!(ran.code, 5, "{ran:?}");
    assert!(ran.stderr.contains("not signed in"), "{ran:?}");
}

#[test]
fn exports_show_the_runs() {
    let answers = || [says(0, &[0]), says(1, &[0]), says(2, &[1])];
    let case = Case::new(&answers());
    let text = case.run(&["--runs", "3", "--format", "markdown"]).stdout;
    assert!(text.contains("one (2 of 3 runs)") && text.contains("pairwise agreement 33%"), "{text}");
    let case = Case::new(&answers());
    let sarif = case.run(&["--runs", "3", "--format", "sarif"]).stdout;
    let sarif: Value = serde_json::from_str(&sarif).expect("JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    assert!(results.iter().any(|result| result["properties"]["runs"] == count(2, 3, 0)), "{results:?}");
}

#[test]
fn the_number_of_runs_is_limited() {
    let case = Case::new(&[says(0, &[])]);
    for runs in ["0", "21", "x"] {
        let ran = case.run(&["--runs", runs]);
        assert_eq!((ran.code, case.server.requests().len()), (2, 0), "{runs}: {ran:?}");
    }
}

#[test]
fn one_run_says_nothing_about_stability() {
    let case = Case::new(&[says(0, &[0])]);
    let review = case.review(&[]);
    assert_eq!((&review["findings"][0]["runs"], &review["meta"]["agents"][0]["runs"]), (&Value::Null, &Value::Null));
    assert!(!review["summary_markdown"].as_str().expect("text").contains("Stability"));
    assert!(case.installation.run_folder().join("prompt.txt").exists());
}
