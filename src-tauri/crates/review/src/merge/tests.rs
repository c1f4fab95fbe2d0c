use diffsan_test_support::history::Dice;

use super::*;
use crate::finding::{
    AgentFinding, Anchor, Category, Claim, Edit, Fix, PatchFormat, Severity, Side, SuggestedPatch, Verdict,
};

fn finding(source: &str, line: u32, title: &str, quote: &str, severity: Severity) -> Finding {
    Finding {
        sources: vec![source.into()],
        ..Finding::new(
            AgentFinding {
                title: Some(title.into()),
                quote: Some(quote.into()),
                ..AgentFinding::new(severity, Category::Correctness, "a.rs", (line, line))
            },
            Anchor::new(AnchorState::Verified, "a.rs", Some((line, line)), true),
        )
    }
}

fn merged(findings: Vec<Finding>) -> Vec<(String, Vec<String>)> {
    merge(findings).into_iter().map(|one| (one.content.title.unwrap_or_default(), one.sources)).collect()
}

#[test]
fn equal_findings_of_two_agents_are_merged() {
    let one = finding("codex", 4, "Off-by-one error in the loop bound", "0..n - 1", Severity::Medium);
    let two = finding("claude", 5, "Loop bound misses the last element (off by one)", "0..n - 1", Severity::High);
    let all = merged(vec![one, two]);
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!(all[0].0, "Loop bound misses the last element (off by one)", "the worst is kept");
    assert_eq!(all[0].1, ["claude", "codex"]);
}

#[test]
fn other_findings_on_the_same_line_are_not_merged() {
    let one = finding("codex", 4, "Off-by-one error in the loop bound", "0..n - 1", Severity::High);
    let two = finding("codex", 4, "The password is written to the log", "0..n - 1", Severity::High);
    assert_eq!(merged(vec![one, two]).len(), 2);
}

#[test]
fn the_same_finding_at_another_place_is_not_merged() {
    let one = finding("codex", 4, "Missing error check", "open()", Severity::High);
    let two = finding("codex", 40, "Missing error check", "open()", Severity::High);
    assert_eq!(merged(vec![one, two]).len(), 2);
}

#[test]
fn findings_of_one_agent_are_not_merged() {
    let says = |line, title, quote| finding("codex", line, title, quote, Severity::High);
    let told = vec![
        says(30, "Missing check of the argument a", "int(a)"),
        says(32, "Missing check of the argument b", "int(b)"),
        // Two findings on one line, in nearly the same words.
        says(51, "SQL injection: `name` goes unescaped into the query", "query(name, mail)"),
        says(51, "SQL injection: `mail` goes unescaped into the query", "query(name, mail)"),
        says(54, "SQL injection: `city` goes unescaped into the query", "query(city)"),
        says(60, "Missing check of the argument a", "call(a, b)"),
        says(60, "Missing check of the argument b", "call(a, b)"),
    ];
    assert_eq!(merged(told.clone()).len(), told.len());
    let twice: Vec<Finding> = told.iter().chain(&told).cloned().collect();
    assert_eq!(merged(twice).len(), told.len(), "what it says twice, in two parts, is one");
}

#[test]
fn agents_that_name_or_quote_other_code_do_not_agree() {
    let says = |source, title, quote| finding(source, 51, title, quote, Severity::High);
    let named = |one, other| {
        merged(vec![says("codex", one, "query(name, mail)"), says("claude", other, "query(name, mail)")]).len()
    };
    assert_eq!(named("Unescaped `name` in the query", "Unescaped `mail` in the query"), 2);
    assert_eq!(named("Unescaped \"name\" in the query", "Unescaped \"mail\" in the query"), 2);
    assert_eq!(named("Unescaped `name` in the query", "Unescaped `query(name)`: the query is open"), 1);
    let quoted = |one, other| {
        let title = "Unescaped value in the query";
        merged(vec![says("codex", title, one), says("claude", title, other)]).len()
    };
    assert_eq!(quoted("query(name)", "query(mail)"), 2);
    assert_eq!(quoted("query(name)", "db.query(name);"), 1, "one quotes more of it");
}

#[test]
fn opposite_words_in_headlines_keep_findings_apart() {
    let says = |source, title| finding(source, 51, title, "value(index)", Severity::High);
    let joined = |one, other| merged(vec![says("codex", one), says("claude", other)]).len();
    assert_eq!(joined("Lower bound unchecked", "Upper bound unchecked"), 2);
    assert_eq!(joined("Lower bound unchecked", "The lower bound is unchecked"), 1);
    assert_eq!(joined("Lower and upper bound unchecked", "Upper bound unchecked"), 1);
}

#[test]
fn headlines_that_name_other_code_keep_findings_apart() {
    let says = |source, title| finding(source, 51, title, "retry(timeout, limit)", Severity::High);
    let joined = |one, other| merged(vec![says("codex", one), says("claude", other)]).len();
    assert_eq!(joined("timeout is not checked for zero", "limit is not checked for zero"), 2);
    assert_eq!(joined("timeout is not checked for zero", "timeout is never checked for zero"), 1);
    assert_eq!(joined("Possible overflow of the limit", "Potential overflow of the limit"), 1, "no word of the code");
    assert_eq!(joined("The limit of timeout is unchecked", "timeout is unchecked"), 1, "one names more");
    assert_eq!(joined("Status 401 is ignored", "Status 403 is ignored"), 2);
}

#[test]
fn a_finding_without_a_title_is_compared_by_its_first_sentence() {
    let says = |source, text: &str| {
        let mut one = finding(source, 51, "", "value(index)", Severity::High);
        one.content.title = None;
        one.content.body_markdown = text.into();
        one
    };
    let joined = |one, other| merged(vec![says("codex", one), says("claude", other)]).len();
    assert_eq!(joined("The lower bound is unchecked. It panics.", "The upper bound is unchecked. It panics."), 2);
    assert_eq!(joined("The lower bound is unchecked. It panics.", "The lower bound is not checked. It panics."), 1);
}

#[test]
fn a_decision_is_not_carried_over_to_the_opposite() {
    let earlier = [finding("codex", 4, "Lower bound unchecked", "value(index)", Severity::High)];
    let later = [finding("codex", 4, "Upper bound unchecked", "value(index)", Severity::High)];
    assert_eq!(crate::rounds::match_findings(&earlier, &later), []);
    assert_eq!(crate::rounds::match_findings(&earlier, &earlier), [(0, 0)]);
}

#[test]
fn a_merged_finding_takes_text_place_and_patch_from_one() {
    let patch = |text: &str| SuggestedPatch { format: PatchFormat::Replacement, content: text.into() };
    let fix = |line| Fix { path: "a.rs".into(), edits: vec![Edit { line_start: line, lines: 1, text: "x\n".into() }] };
    let mut lost = finding("codex", 53, "Unescaped value in the query", "nowhere()", Severity::Critical);
    lost.anchor.state = AnchorState::Unverified;
    let mut found = finding("claude", 51, "The query has an unescaped value", "query(mail)", Severity::Medium);
    (found.content.suggested_patch, found.fix) = (Some(patch("x")), Some(fix(51)));
    let all = merge(vec![lost.clone(), found.clone()]);
    let kept = Finding {
        sources: vec!["codex".into(), "claude".into()],
        content: AgentFinding { severity: Severity::Critical, ..found.content.clone() },
        ..found.clone()
    };
    assert_eq!(all, [kept], "the one that is found, as bad as the worst says");

    // If both places are known equally well, the more severe finding remains. It does not get a patch for other lines.
    lost.anchor.state = AnchorState::Verified;
    lost.content.quote = None;
    let all = merge(vec![lost.clone(), found.clone()]);
    assert_eq!((all.len(), &all[0].anchor, &all[0].fix), (1, &lost.anchor, &None));
    assert_eq!(all[0].content, lost.content);
    found.anchor = lost.anchor.clone();
    let all = merge(vec![lost, found.clone()]);
    assert_eq!((&all[0].fix, &all[0].content.suggested_patch), (&found.fix, &found.content.suggested_patch));
}

/// Generates findings from few words, places and names, so that many are nearly the same.
fn generated(dice: &mut Dice, count: usize) -> Vec<Finding> {
    const WORDS: &[&str] = &[
        "loop",
        "bound",
        "misses",
        "the",
        "last",
        "element",
        "index",
        "unchecked",
        "password",
        "logged",
        "`name`",
        "`mail`",
        "\"city\"",
        "query",
        "value",
        "Value",
        "lower",
        "upper",
    ];
    let text = |dice: &mut Dice, most: usize| {
        let words: Vec<&str> = (0..dice.roll(most)).map(|_| *dice.pick(WORDS)).collect();
        words.join(" ")
    };
    let one = |dice: &mut Dice| {
        let source = *dice.pick(&["codex", "claude", crate::finding::CAPABILITY_REVIEWER]);
        let quote = *dice.pick(&["query(name)", "query(mail)", "db.query(name);", "x", ""]);
        let severity = *dice.pick(&[Severity::Low, Severity::High, Severity::Critical]);
        let mut one =
            finding(source, u32::try_from(dice.roll(12)).unwrap_or_default(), &text(dice, 5), quote, severity);
        one.content.body_markdown = text(dice, 6);
        one.content.category = *dice.pick(&[Category::Correctness, Category::Security]);
        one.content.title = one.content.title.filter(|_| !dice.once_in(6));
        one.anchor.path = (*dice.pick(&["a.rs", "a.rs", "b.rs"])).to_owned();
        one.anchor.side = *dice.pick(&[Side::New, Side::New, Side::Old]);
        one.anchor.state =
            *dice.pick(&[AnchorState::Verified, AnchorState::Moved, AnchorState::Unverified, AnchorState::File]);
        one.anchor.line_end = match dice.roll(8) {
            0 => Some(u32::MAX),
            1 => None,
            2 => Some(3),
            more => one.anchor.line_start.map(|start| start + u32::try_from(more).unwrap_or_default() - 3),
        };
        one.anchor.line_start = one.anchor.line_start.filter(|_| one.anchor.line_end.is_some());
        one.code = Some(text(dice, 2)).filter(|_| !dice.once_in(4));
        if dice.once_in(5) {
            one.sources.push("gemini".into());
        }
        let claim = |claim: &str| Claim { claim: claim.into(), verdict: Verdict::Unchecked, evidence: None };
        one.claims = (0..dice.roll(3)).map(|_| claim(text(dice, 2).as_str())).collect();
        one
    };
    (0..count).map(|_| one(dice)).collect()
}

#[test]
fn the_fast_path_equals_comparing_every_pair() {
    let mut dice = Dice::new(22);
    let (mut joined, mut paired) = (0, 0);
    for round in 0..600 {
        let count = if round % 100 == 0 { 300 } else { 2 + dice.roll(30) };
        let (one, other) = (generated(&mut dice, count), generated(&mut dice, count));
        let plain = oracle::merge(one.clone());
        assert_eq!(merge(one.clone()), plain, "round {round}");
        joined += one.len() - plain.len();
        let plain = oracle::pairs(&one, &other);
        assert_eq!(crate::rounds::match_findings(&one, &other), plain, "round {round}");
        paired += plain.len();
    }
    assert!(joined > 500 && paired > 5000, "the findings are too different to prove anything: {joined}, {paired}");
}

#[test]
fn findings_beyond_the_limit_are_listed_with_a_note() {
    let all: Vec<Finding> =
        (0..20).map(|_| finding("codex", 4, "Off-by-one error", "0..n - 1", Severity::High)).collect();
    assert_eq!(merge(all.clone()).len(), 1);
    let some = merge_bounded(all, 5);
    assert_eq!(some.len(), 15, "five comparisons join five");
    let says = some.iter().filter(|one| one.anchor.notes.iter().any(|note| note == NOT_COMPARED)).count();
    assert_eq!(says, 14);
}
