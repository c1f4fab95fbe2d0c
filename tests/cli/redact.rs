//! `redact`: a filter, and many texts in one process.

use serde_json::{Value, json};

use crate::support::Installation;

#[test]
fn it_filters_standard_input_and_reports_without_the_secret() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = Installation::new().run_with(
        folder.path(),
        &["redact", "--report", "report.json"],
        b"a\npassword = \"geheim-12\"\nb",
    );
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "a\npassword = \"[REDACTED:keyed-value:1]\"\nb"));
    let report = std::fs::read_to_string(folder.path().join("report.json")).expect("a report");
    assert!(report.contains("\"line_hint\": 2") && !report.contains("geheim"), "{report}");
}

#[test]
fn many_texts_go_through_one_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let items = [
        json!({ "id": 1, "path": "a.py", "format": "text", "text": "token = 'geheim-12'" }),
        json!({ "id": "two", "path": "a.diff", "format": "diff", "text": "+password: \"geheim-13\"\n-password: \"geheim-14\"" }),
        json!({ "id": 3, "path": "b", "format": "bytes", "bytes_b64": "cGFzc3dvcmQ9Imdlx2hlaW0i" }),
    ];
    let input: String = items.iter().map(|item| format!("{item}\n")).collect();
    let ran = Installation::new().run_with(folder.path(), &["redact", "--jsonl"], input.as_bytes());
    assert_eq!(ran.code, 0, "{ran:?}");
    let lines: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.iter().map(|line| line["id"].clone()).collect::<Vec<_>>(), [json!(1), json!("two"), json!(3)]);
    assert!(!ran.stdout.contains("geheim"), "{ran:?}");
    let bad = Installation::new().run_with(folder.path(), &["redact", "--jsonl"], b"{\"id\":1}\n");
    assert_eq!(bad.code, 2, "{bad:?}");
    assert!(bad.stderr.contains("Line 1"), "{bad:?}");
}
