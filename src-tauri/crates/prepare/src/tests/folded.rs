//! Tests of lines that are left out because they have no new meaning, and of the reading order.

use bytes::Bytes;
use diffsan_test_support::repo::TestRepo;

use super::{added, applies, config, limits, patch, unmasked};
use crate::types::Coverage;
use crate::{Prepared, plan, prepare};
use diffsan_change::{Attributes, Change, LineKind, parse_patch};
use diffsan_config::{Limits, Strategy};
use diffsan_fold::{Fold, FoldReason, FoldSpan};

/// Returns a patch of hunks with one removed and one added line each, which differ in their blanks if `noise` says so.
fn hunks(path: &str, noise: &[bool]) -> String {
    let hunk = |(at, noise): (usize, &bool)| {
        let (line, new) = (at * 20 + 1, if *noise { "  call();" } else { "other();" });
        format!("@@ -{line},3 +{line},3 @@\n before\n-call();\n+{new}\n after\n")
    };
    let all: String = noise.iter().enumerate().map(hunk).collect();
    format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n{all}")
}

/// Prepares a change without the hunks whose lines differ only in blanks.
fn run_folded(change: &Change, limits: &Limits) -> Prepared {
    let mut plan = plan(change, &Attributes::default(), &config().prepare).expect("a plan");
    let mut folds = Vec::new();
    for (file, one) in change.files.iter().enumerate() {
        for (hunk, one) in one.hunks().iter().enumerate() {
            if one.lines.iter().any(|line| line.text.starts_with(b"  ")) {
                let spans = vec![FoldSpan { file, hunk, start: 1, end: 3 }];
                folds.push(Fold { reason: FoldReason::Whitespace, renames: Vec::new(), spans });
            }
        }
    }
    plan.leave_out_folded(change, &folds, limits);
    prepare(change, &plan, &unmasked(change), limits)
}

#[test]
fn folded_hunks_are_named_in_place_of_their_lines() {
    let text = hunks("a.js", &[true, false, true]) + &hunks("b.js", &[true]);
    for strategy in [Strategy::Truncate, Strategy::Split] {
        let prepared = run_folded(&patch(&text), &Limits { strategy, ..config().limits });
        assert!(!prepared.diff.as_str().contains("  call();"), "{}", prepared.diff.as_str());
        assert!(prepared.diff.as_str().contains("+other();"));
        assert!(!prepared.diff.as_str().contains("b.js"), "no hunk of it is sent");
        let named: Vec<String> =
            prepared.folded.iter().map(|one| format!("{} {}: {}", one.path, one.hunk, one.details)).collect();
        assert_eq!(
            named,
            [
                "a.js @@ -1,3 +1,3 @@: only whitespace",
                "a.js @@ -41,3 +41,3 @@: only whitespace",
                "b.js @@ -1,3 +1,3 @@: only whitespace"
            ]
        );
        assert_eq!(prepared.coverage.summary, "2 of 2 files, 25% of changed lines sent; 6 changed lines folded");
        let hunk = &prepared.coverage.files[0].hunks[2];
        assert_eq!((hunk.runs[0].state, &hunk.folded[..]), (Coverage::Folded, &[FoldReason::Whitespace][..]));
        assert!(!prepared.truncation.truncated);
        assert!(parse_patch(Bytes::copy_from_slice(prepared.diff.as_str().as_bytes())).is_ok());
    }
}

#[test]
fn a_change_of_folded_hunks_only_is_sent() {
    let prepared = run_folded(&patch(&hunks("a.js", &[true, true])), &config().limits);
    assert!(prepared.folded.is_empty());
    assert_eq!(prepared.coverage.summary, "1 of 1 file, 100% of changed lines sent");
}

#[test]
fn a_file_over_the_limit_is_cut_and_not_folded() {
    let text: String = (0..3).map(|at| hunks(&format!("f{at}.js"), &[true, false])).collect();
    let change = patch(&text);
    let prepared = run_folded(&change, &limits(0, 1, 0));
    let folded: Vec<&str> = prepared.folded.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(folded, ["f0.js"]);
    let cut: Vec<&str> = prepared.truncation.items.iter().map(|item| item.path.as_str()).collect();
    assert_eq!(cut, ["f1.js", "f2.js"]);
    assert_eq!(prepared.coverage.files[1].hunks[0].runs[0].state, Coverage::Cut);
}

#[test]
fn folded_hunks_are_sent_if_the_limit_allows_no_other() {
    let text = hunks("a.js", &[true]) + &hunks("b.js", &[false]);
    let prepared = run_folded(&patch(&text), &limits(0, 1, 0));
    assert!(prepared.diff.as_str().contains("+  call();") && prepared.folded.is_empty());
}

#[test]
fn batches_have_no_folded_hunks_and_every_other_line_once() {
    let text: String = (0..12).map(|at| hunks(&format!("f{at}.js"), &[at % 3 == 0, false, true])).collect();
    let prepared = run_folded(&patch(&text), &Limits { strategy: Strategy::Split, ..limits(600, 0, 0) });
    assert!(prepared.batches.len() > 1);
    let sent: String = prepared.batches.iter().map(|batch| batch.diff.as_str()).collect();
    assert_eq!(sent.matches("+other();").count(), 20);
    assert_eq!(sent.matches("+  call();").count(), 0);
    assert_eq!(prepared.folded.len(), 16);
}

#[test]
fn the_budget_of_a_file_goes_to_its_hunks_that_are_not_folded() {
    // The first hunk is folded, and the second one is larger than the budget.
    let lines: String = (0..200).map(|at| format!("+line {at} of a long hunk\n")).collect();
    let text = hunks("a.js", &[true]) + &format!("@@ -21,1 +21,201 @@\n before\n{lines}");
    let prepared = run_folded(&patch(&text), &limits(1_000, 0, 0));
    assert!(prepared.diff.as_str().contains("+line 0 of a long hunk"), "{}", prepared.diff.as_str());
    assert_eq!(prepared.truncation.items.len(), 1);
    assert_eq!(prepared.folded.len(), 1);
}

/// Returns the folds of the changed groups of a file in which every added line starts with two blanks.
fn blank_folds(change: &Change) -> Vec<Fold> {
    let mut folds = Vec::new();
    for (file, one) in change.files.iter().enumerate() {
        for (hunk, one) in one.hunks().iter().enumerate() {
            let mut at = 0;
            for group in
                one.lines.chunk_by(|one, next| (one.kind == LineKind::Context) == (next.kind == LineKind::Context))
            {
                let added = || group.iter().filter(|line| line.kind == LineKind::Added);
                if group[0].kind != LineKind::Context && added().all(|line| line.text.starts_with(b"  ")) {
                    let spans = vec![FoldSpan { file, hunk, start: at, end: at + group.len() }];
                    folds.push(Fold { reason: FoldReason::Whitespace, renames: Vec::new(), spans });
                }
                at += group.len();
            }
        }
    }
    folds
}

/// A repository, and a change of it in whose hunks some changes only indent lines. `pattern` says which of adjacent changes do.
fn partly_indented(pattern: &[bool]) -> (TestRepo, Change) {
    let repo = TestRepo::new();
    let block =
        |at: usize| (0..6).map(|line| format!("statement_{at}_{line}(with, some, arguments);\n")).collect::<String>();
    let text = |changed: bool| {
        let group = |(at, noise): (usize, &bool)| {
            let new =
                if *noise { block(at).replace("statement", "  statement") } else { block(at).replace("some", "other") };
            format!("before {at}\n{}after {at}\n", if changed { new } else { block(at) })
        };
        pattern.iter().enumerate().map(group).collect::<String>()
    };
    repo.write("a.js", text(false));
    repo.commit("one");
    repo.write("a.js", text(true));
    let text = repo.git(["diff", "--full-index"]);
    repo.git(["checkout", "-q", "--", "."]);
    (repo, parse_patch(text.into()).expect("git's patch"))
}

#[test]
fn folded_lines_of_a_hunk_with_other_changes_are_left_out_and_its_parts_apply() {
    for bits in 1_u32..63 {
        let pattern: Vec<bool> = (0..6).map(|at| bits >> at & 1 == 1).collect();
        let (repo, change) = partly_indented(&pattern);
        assert_eq!(change.files[0].hunks().len(), 1, "one hunk");
        let mut plan = plan(&change, &Attributes::default(), &config().prepare).expect("a plan");
        plan.leave_out_folded(&change, &blank_folds(&change), &config().limits);
        for strategy in [Strategy::Truncate, Strategy::Split] {
            let prepared = prepare(&change, &plan, &unmasked(&change), &Limits { strategy, ..config().limits });
            let diff = prepared.diff.as_str();
            let other = pattern.iter().filter(|noise| !**noise).count();
            assert_eq!(diff.matches("\n+statement").count(), 6 * other, "{diff}");
            assert!(!diff.contains("+  statement"), "{diff}");
            assert_eq!(applies(&repo, diff.as_bytes()), Ok(()), "{diff}");
            let lines: u32 = prepared.folded.iter().map(|one| one.lines).sum();
            assert_eq!(lines as usize, 12 * (6 - other), "each folded line is named once");
            // The states of the one hunk are those of its lines.
            let hunk = &prepared.coverage.files[0].hunks[0];
            assert_eq!(prepared.coverage.files[0].hunks.len(), 1);
            let states = hunk.runs.iter().flat_map(|run| std::iter::repeat_n(run.state, run.lines as usize));
            let states: Vec<Coverage> = states.collect();
            assert_eq!(states.len(), change.files[0].hunks()[0].lines.len());
            for (line, state) in change.files[0].hunks()[0].lines.iter().zip(states) {
                let text = String::from_utf8_lossy(&line.text);
                let number: usize = text.split('_').nth(1).and_then(|number| number.parse().ok()).unwrap_or_default();
                if line.kind != LineKind::Context {
                    let expected = if pattern[number] { Coverage::Folded } else { Coverage::Sent };
                    assert_eq!(state, expected, "{text}");
                }
            }
        }
    }
}

#[test]
fn folded_lines_shorter_than_their_name_are_sent() {
    let text =
        "diff --git a/a.js b/a.js\n--- a/a.js\n+++ b/a.js\n@@ -1,5 +1,5 @@\n a\n-x();\n+  x();\n b\n-y();\n+z();\n c\n";
    let change = patch(text);
    let mut plan = plan(&change, &Attributes::default(), &config().prepare).expect("a plan");
    plan.leave_out_folded(&change, &blank_folds(&change), &config().limits);
    let prepared = prepare(&change, &plan, &unmasked(&change), &config().limits);
    assert_eq!(prepared.diff.as_str(), text);
    assert!(prepared.folded.is_empty());
}

#[test]
fn parts_of_hunks_do_not_exceed_the_limit_on_hunks() {
    let (_, change) = partly_indented(&[false, true, false, true, false]);
    let mut plan = plan(&change, &Attributes::default(), &config().prepare).expect("a plan");
    plan.leave_out_folded(&change, &blank_folds(&change), &config().limits);
    let prepared = prepare(&change, &plan, &unmasked(&change), &limits(0, 0, 2));
    assert!(prepared.folded.is_empty() && !prepared.truncation.truncated);
    assert_eq!(prepared.coverage.summary, "1 of 1 file, 100% of changed lines sent");
}

#[test]
fn the_reading_order_decides_the_place_and_not_the_cut() {
    let change = patch(&added(&[("a.rs", 2), ("b.rs", 2), ("c.rs", 2)]));
    let mut plan = plan(&change, &Attributes::default(), &config().prepare).expect("a plan");
    plan.read_in(&[2, 1, 0]);
    let names = |limits: &Limits| {
        let prepared = prepare(&change, &plan, &unmasked(&change), limits);
        let files = &prepared.change.get().files;
        files.iter().map(|file| file.path().to_text().into_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&config().limits), ["c.rs", "b.rs", "a.rs"]);
    assert_eq!(names(&limits(0, 2, 0)), ["b.rs", "a.rs"]);
}
