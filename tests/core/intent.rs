//! Hostile texts of authors in the prompt of a review, and in the notes that name requirements.

use std::collections::BTreeSet;

use diffsan_config::Verbosity;
use diffsan_forge::gitlab::DiffRefs;
use diffsan_forge::post_plan::{PlanInput, plan};
use diffsan_prepare::prompt::intent::{IntentIssue, IntentSource, intent_text};
use diffsan_prepare::prompt::{ReviewPrompt, render_review};
use diffsan_prepare::types::TruncationReport;
use diffsan_review::finding::Side;
use diffsan_review::intent::{IntentVerdict, Requirement};
use diffsan_review::quotes::CheckedQuote;
use diffsan_store::files::prompts::PromptFiles;
use diffsan_test_support::gitlab::corpus::{Injection, injections};
use diffsan_test_support::gitlab::markdown::effects_of;

const MARKER: &str = "untrusted-5f0c9a31d2b87e46";
const HEADING: &str = "# What the change should do\n";

/// Returns the prompt of a review with one text of the authors, all others being harmless.
fn prompt(field: &str, text: &str) -> String {
    let text_of = |name: &str| if field == name { text.to_owned() } else { format!("A harmless {name}.") };
    let issue = IntentIssue { reference: "#7".to_owned(), title: text_of("issue"), description: text_of("issue") };
    let source = IntentSource {
        title: &text_of("title"),
        description: &text_of("description"),
        issues: &[issue],
        confidential: 0,
        messages: &["A first commit".to_owned(), text_of("commit")],
    };
    let intent = intent_text(&source, 0);
    let folder = tempfile::tempdir().expect("a folder");
    let template = PromptFiles::new(Default::default(), folder.path()).require("review.md").expect("the template");
    let prompt = ReviewPrompt {
        system: "You review.",
        structured: false,
        room: None,
        copies: None,
        schema: "SCHEMA",
        verbosity: Verbosity::Medium,
        skills: &[],
        instructions: &["Be brief.".to_owned()],
        rules: &[],
        prior: "- finding, open: a.rs:1",
        since: "",
        edits: "",
        truncation: &TruncationReport::default(),
        redacted: true,
        ignored: &[],
        folded: &[],
        messages: source.messages,
        intent: &intent,
        diff: "diff --git a/a.rs b/a.rs\n",
        callers: "",
        facts: "",
        chapters: "",
        batch: 1,
        batches: 1,
        elsewhere: &[],
        marker: MARKER,
    };
    render_review(&template.text, &prompt).expect("a prompt")
}

/// Splits a prompt at the fence of the authors' texts: the text before, inside and behind.
fn parts(prompt: &str) -> (String, String, String) {
    let (head, rest) = prompt.split_once(HEADING).expect("the section");
    let (explained, rest) = rest.split_once(&format!("\n<<<{MARKER}\n")).expect("the fence begins");
    let (inside, behind) = rest.split_once(&format!("\n>>>{MARKER}\n")).expect("the fence ends");
    (format!("{head}{HEADING}{explained}"), inside.to_owned(), behind.to_owned())
}

/// Returns the text of a case as an author who knows the marker would write it.
fn written(case: &Injection) -> String {
    case.text.replace("{{marker}}", MARKER)
}

#[test]
fn no_text_of_an_author_changes_the_prompt_outside_of_its_fence() {
    let cases = injections();
    let names: BTreeSet<_> = cases.iter().map(|case| case.name.as_str()).collect();
    assert!(cases.len() >= 60 && names.len() == cases.len(), "{}", cases.len());
    for case in &cases {
        let (text, name) = (written(case), &case.name);
        let harmless = prompt(&case.field, "harmless");
        let hostile = prompt(&case.field, &text);
        let (before, inside, behind) = parts(&hostile);
        let (expected_before, _, expected_behind) = parts(&harmless);
        assert_eq!((before, behind), (expected_before, expected_behind), "{name}");
        assert_eq!(hostile.matches(MARKER).count(), harmless.matches(MARKER).count(), "{name}:\n{inside}");
        assert!(!inside.contains("<<<") && !inside.contains(">>>"), "{name}:\n{inside}");
        assert!(!inside.contains("<!--"), "{name}:\n{inside}");
        let shown = |char: char| char == '\n' || char == '\t' || !char.is_control();
        assert!(inside.chars().all(shown), "{name}: {inside:?}");
    }
}

#[test]
fn a_prompt_without_the_protection_would_be_changed() {
    // The check above can fail: with the text as it is, the fence ends early in many cases.
    let broken = injections().iter().filter(|case| written(case).contains(&format!(">>>{MARKER}"))).count();
    assert!(broken >= 7, "{broken}");
}

/// Returns the summary note of a review whose agent repeats the text of a case as a requirement, its place and its code.
fn note(text: &str) -> String {
    let change = crate::posted_notes::change();
    let mut review = crate::posting::review(&change, 1);
    review.summary_markdown = "Fine.".to_owned();
    let evidence =
        CheckedQuote { path: text.to_owned(), side: Side::New, line_start: 1, line_end: 2, quote: text.to_owned() };
    let requirement = |verdict| Requirement {
        requirement: text.to_owned(),
        verdict,
        evidence: vec![evidence.clone()],
        unproven: 0,
        sources: vec!["codex".to_owned()],
    };
    review.intent = [IntentVerdict::Met, IntentVerdict::Contradicted, IntentVerdict::NotFound].map(requirement).into();
    let made = plan(&PlanInput {
        review: &review,
        chosen: &[],
        change: &change,
        refs: &DiffRefs::default(),
        file_comments: true,
        summary: true,
        summary_text: None,
        requirements: true,
        tag: "ai-reviewer",
        own: &[],
        idempotent_summary: false,
        truncation: None,
        pipeline: None,
        warn_of_secrets: true,
        markers: &crate::posting::marker_keys(),
        head: &|_| None,
    })
    .expect("a plan");
    made.summary.expect("a summary").body(&[], &crate::posting::marker_keys())
}

#[test]
fn requirements_in_a_posted_note_do_nothing() {
    const OWN_TAGS: &[&str] =
        &["<details>", "</details>", "<summary>", "</summary>", "<sub>", "</sub>", "<strong>", "</strong>"];
    for case in injections() {
        let text = written(&case);
        let note = note(&text);
        let mut effects = effects_of(&note);
        effects.html.retain(|tag| !OWN_TAGS.contains(&tag.as_str()));
        effects.external_issues.clear();
        assert!(effects.markers.iter().all(|marker| marker.comment && marker.at_end), "{}: {note}", case.name);
        effects.markers.clear();
        assert!(effects.is_inert(), "{}: {effects:?}\n{note}", case.name);
        assert!(note.contains("**Requirements of the authors**"), "{}: {note}", case.name);
    }
}

#[test]
fn requirements_are_posted_with_their_places() {
    let note = note("It logs each request");
    assert!(note.contains("- **met:** It logs each request (`It logs each request:1-2`)"), "{note}");
}
