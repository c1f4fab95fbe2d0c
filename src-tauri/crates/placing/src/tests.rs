use serde_json::{Value, json};

use super::*;
use diffsan_change::parse_patch;
use diffsan_review::finding::{AnchorState, Side, Verdict};
use diffsan_review::since::{EditedLines, EditsSince};

const PATCH: &str =
    "diff --git a/a.rs b/a.rs\n--- a/a.rs\n+++ b/a.rs\n@@ -1,2 +1,3 @@\n fn main() {\n+    start();\n }\n";

fn record(answers: &[(&str, u32, u32, &str)]) -> PlacingRecord {
    let meta = json!({
        "fingerprint": { "algo": "sha256", "value": "0" }, "agent": "one", "model": null, "token_usage": null, "truncated": false,
        "timings": { "fetch_ms": 0, "prepare_ms": 0, "agent_ms": 0, "total_ms": 0 }, "redaction_found": false, "base_sha": null,
        "head_sha": null, "coverage": "all", "attempts": 1, "batches": 1, "read_as": "", "cost_usd": 0.5,
    });
    let change = parse_patch(bytes::Bytes::from_static(PATCH.as_bytes())).expect("a patch");
    PlacingRecord {
        format: FORMAT,
        answers: answers
            .iter()
            .map(|&(agent, part, parts, path)| RecordedAnswer {
                agent: agent.into(),
                part,
                parts,
                path: path.into(),
                form: AnswerForm::Output,
                prompt: None,
                run: None,
            })
            .collect(),
        intent: Vec::new(),
        chapters: Vec::new(),
        agents: vec![RecordedAgent { name: "one".into(), title: "First".into(), error: None, failed_runs: Vec::new() }],
        disclosures: None,
        meta: serde_json::from_value(meta).expect("facts"),
        costs: vec![Some("0.30000000000000004".into())],
        checks: Vec::new(),
        known: Vec::new(),
        corrections: Vec::new(),
        edits: None,
        files: vec![RecordedFile { path: "b.rs".into(), side: Side::New, text: "one\ntwo\n".into() }],
        change: RecordedChange::of(&change),
    }
}

fn answer(summary: &str, findings: &[(&str, &str, &str)]) -> String {
    let finding = |(path, quote, title): &(&str, &str, &str)| {
        json!({ "severity": "low", "category": "other", "path": path, "line_start": 1, "line_end": 1, "title": title,
                "body_markdown": title, "quote": quote })
    };
    json!({ "summary_markdown": summary, "findings": findings.iter().map(finding).collect::<Vec<Value>>() }).to_string()
}

fn of(record: &PlacingRecord, answers: &[(&str, String)]) -> Result<ReviewOutput, PlacingError> {
    review(record, &|path| answers.iter().find(|(name, _)| *name == path).map(|(_, text)| text.clone()))
}

#[test]
fn findings_are_placed_in_hunks_and_in_whole_files() {
    let record = record(&[("one", 1, 1, "a")]);
    let text =
        answer("Fine.", &[("a.rs", "start();", "A call"), ("b.rs", "two", "A word"), ("a.rs", "gone", "Nothing")]);
    let review = of(&record, &[("a", text)]).expect("a review");
    let places: Vec<_> = review.findings.iter().map(|one| (one.anchor.state, one.anchor.line_start)).collect();
    let expected = [(AnchorState::Moved, Some(2)), (AnchorState::Moved, Some(2)), (AnchorState::Unverified, Some(1))];
    assert_eq!(places, expected);
    assert!(review.findings.iter().all(|finding| diffsan_review::rounds::is_key(&finding.key)));
    assert_eq!((review.summary_markdown.as_str(), review.meta.read_as.as_str()), ("Fine.", "strict"));
    // The cost has the exact digits, which JSON numbers may lose.
    assert_eq!(review.meta.cost_usd, Some(0.1 + 0.2));
}

#[test]
fn several_answers_of_an_agent_are_joined_in_their_order() {
    let parts = record(&[("one", 1, 2, "a"), ("one", 2, 2, "b")]);
    let texts = [
        ("a", answer("Fine.", &[("a.rs", "start();", "A call")])),
        ("b", answer(" Good. ", &[("b.rs", "two", "A word")])),
    ];
    let review = of(&parts, &texts).expect("a review");
    assert_eq!(review.summary_markdown, "**Part 1 of 2.** Fine.\n\n**Part 2 of 2.** Good.");
    assert_eq!(review.findings.len(), 2);
    // Two answers about the same part that say the same give one finding.
    let runs = record(&[("one", 1, 1, "a"), ("one", 1, 1, "c")]);
    let again = [texts[0].clone(), ("c", answer("Again.", &[("a.rs", "start();", "A call")]))];
    assert_eq!(of(&runs, &again).expect("a review").findings.len(), 1);
}

#[test]
fn checks_count_only_for_the_same_finding_at_the_same_place() {
    let mut record = record(&[("one", 1, 1, "a")]);
    let texts = [("a", answer("Fine.", &[("a.rs", "start();", "`start` is undefined")]))];
    let mut placed = of(&record, &texts).expect("a review").findings;
    placed[0].verdict = Verdict::Contradicted;
    record.checks = checks(&placed);
    assert_eq!(of(&record, &texts).expect("a review").findings[0].verdict, Verdict::Contradicted);
    let other = [("a", answer("Fine.", &[("a.rs", "start()", "`start` is undefined")]))];
    assert_ne!(of(&record, &other).expect("a review").findings[0].verdict, Verdict::Contradicted);
}

#[test]
fn findings_on_lines_that_were_there_before_are_marked_and_counted() {
    let mut record = record(&[("one", 1, 1, "a")]);
    let edited = EditedLines { path: "a.rs".into(), side: Side::New, lines: Some(vec![(2, 2)]), unsent: false };
    record.edits = Some(EditsSince { since: "1a2b3c4d5e".into(), files: vec![edited] });
    let found = [("a.rs", "start();", "A call"), ("a.rs", "}", "A brace"), ("b.rs", "two", "A word")];
    let review = of(&record, &[("a", answer("Fine.", &found))]).expect("a review");
    let marks: Vec<_> = review.findings.iter().map(|one| one.unedited_since.as_deref()).collect();
    assert_eq!(marks, [None, Some("1a2b3c4d5e"), Some("1a2b3c4d5e")]);
    let sentence =
        "2 of 3 findings are on lines that the author has not edited since 1a2b3c4d5e. They were there before.";
    assert_eq!(review.summary_markdown, format!("Fine.\n\n{sentence}"));
}

#[test]
fn corrections_restore_the_masked_texts() {
    let mut record = record(&[("one", 1, 1, "a")]);
    let texts = [("a", answer("A secret.", &[("a.rs", "start();", "A secret")]))];
    let before = of(&record, &texts).expect("a review");
    let mut masked = before.clone();
    masked.for_each_text(&mut |text| *text = text.replace("secret", "[REDACTED]"));
    record.corrections = corrections(&before, &masked);
    assert_eq!(record.corrections.len(), 3, "summary, title and body");
    assert_eq!(of(&record, &texts).expect("a review"), masked);
}

#[test]
fn a_record_survives_json_and_later_formats_are_refused() {
    let record = record(&[("one", 1, 1, "a")]);
    let text = serde_json::to_string(&record).expect("JSON");
    assert_eq!(serde_json::from_str::<PlacingRecord>(&text).expect("a record"), record);
    let newer = PlacingRecord { format: FORMAT + 1, ..record.clone() };
    assert_eq!(of(&newer, &[]), Err(PlacingError::Newer(FORMAT + 1)));
    assert_eq!(of(&record, &[]), Err(PlacingError::Missing("a".into())));
    let unreadable = of(&record, &[("a", "no answer".to_owned())]);
    assert!(matches!(unreadable, Err(PlacingError::Unreadable { path, .. }) if path == "a"));
    assert_eq!(of(&PlacingRecord { answers: Vec::new(), ..record }, &[]), Err(PlacingError::Empty));
}
