//! Text of models, providers, repositories and callers is shown, but cannot control the terminal.

use diffsan_test_support::repo::TestRepo;
use serde_json::{Value, json};

use crate::agents::{Case, Who};
use crate::support::{Installation, Ran};

/// Writes the clipboard, overwrites the line above, sets the window's title, hides a link, reverses text, adds invisible
/// characters.
const HOSTILE: &str = "x\u{1b}]52;c;aGk=\u{7}y\u{1b}[1A\u{1b}[2Kz\u{1b}]0;t\u{7}\u{1b}]8;;https://evil.example\u{1b}\\\u{9b}2J\u{202e}\u{2066}\u{200b}\u{2060}\u{feff}\u{7f}w\rv";

fn harmless(ran: &Ran) {
    for text in [&ran.stdout, &ran.stderr] {
        let wrong = text.chars().find(|char| {
            char.is_control() && !matches!(char, '\n' | '\t')
                || matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}' | '\u{2060}' | '\u{feff}')
        });
        assert_eq!(wrong, None, "{ran:?}");
    }
}

fn says(text: &str) -> Value {
    json!({ "text": text, "usage": { "input": 9, "output": 9, "cached": 0 } })
}

fn review() -> String {
    json!({ "summary_markdown": HOSTILE, "findings": [{ "severity": "high", "category": "correctness", "path": "a.rs",
            "line_start": 2, "line_end": 2, "title": HOSTILE, "body_markdown": HOSTILE, "quote": "0..3 - 1" }] })
    .to_string()
}

#[test]
fn a_review_is_escaped() {
    let case = Case::new(Who::Chat, vec![says(&review())]);
    let run = |args: &[&str]| case.installation.run(case.repo.path(), args);
    let ran = run(&["review"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    harmless(&ran);
    assert!(ran.stdout.contains("<U+001B>]52;c;") && ran.stdout.contains("<U+202E>"), "{ran:?}");
    for format in ["text", "markdown", "html"] {
        harmless(&run(&["export", "--format", format]));
    }
    let file = case.installation.home().join("review.txt");
    let ran = run(&["export", "--format", "text", "--output", file.to_str().expect("text")]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        !std::fs::read_to_string(&file).expect("a file").contains('\u{1b}'),
        "a file is looked at in a terminal too"
    );
    // Output for programs contains the original text.
    assert_eq!(run(&["export", "--format", "json"]).json()["findings"][0]["title"], HOSTILE);
    harmless(&run(&["history"]));
}

#[test]
fn an_answer_and_a_commit_message_are_escaped() {
    let case = Case::new(Who::Chat, vec![says(HOSTILE), says(&format!("Add a loop {HOSTILE}"))]);
    let run = |args: &[&str]| case.installation.run(case.repo.path(), args);
    let ran = run(&["chat", "--message", "hello"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    harmless(&ran);
    assert!(ran.stdout.contains("<U+001B>[2K"), "{ran:?}");
    let ran = run(&["commit-message", "--unstaged"]);
    harmless(&ran);
    assert!(ran.stdout.contains("<U+001B>"), "{ran:?}");
}

#[test]
fn texts_of_providers_and_arguments_are_escaped() {
    let case = Case::new(Who::Chat, vec![json!({ "status": 400, "error": HOSTILE })]);
    let run = |args: &[&str]| case.installation.run(case.repo.path(), args);
    let ran = run(&["review"]);
    assert_eq!(ran.code, 5, "{ran:?}");
    harmless(&ran);
    let ran = run(&["prepare", "--commit", "x\u{1b}[2J"]);
    assert_ne!(ran.code, 0, "{ran:?}");
    harmless(&ran);
    assert!(ran.stderr.contains("x<U+001B>[2J"), "{ran:?}");
}

#[test]
fn texts_of_a_repository_are_escaped() {
    let installation = Installation::new();
    let repo = TestRepo::new();
    repo.write("a.rs", "one\n");
    repo.commit("base");
    let model = "model = \"m\u{9b}2J\u{202e}\"";
    repo.write(".diffsan.toml", format!("[agent]\n{model}\n[agents.codex]\n{model}\nprograms = [\"c\u{9b}2J\"]\n"));
    repo.commit("settings");
    repo.write("a\u{1b}[2J\u{202e}.rs", "two\u{1b}[2J\n");
    let shown = [["config", "trust"].as_slice(), &["config", "--all"], &["prepare", "--all"], &["prompt", "--all"]];
    for args in shown {
        let ran = installation.run(repo.path(), args);
        harmless(&ran);
        let all = format!("{}{}", ran.stdout, ran.stderr);
        assert!(all.contains("<U+00") || args == ["config", "--all"], "{args:?}: {ran:?}");
    }
}
