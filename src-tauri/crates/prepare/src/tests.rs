//! Tests of the whole preparation: nothing is dropped without a report, and the result is a valid patch.

use bytes::Bytes;
use diffsan_test_support::repo::TestRepo;
use expect_test::{Expect, expect};

use super::types::{Coverage, IgnoreReason};
use super::{Plan, Prepared, plan, prepare};
use diffsan_change::{Attributes, FileAttributes};
use diffsan_change::{Change, LineKind, parse_patch, print_change};
use diffsan_config::{Config, Limits, PrepareConfig, Strategy, resolve};
use diffsan_redact::types::Redacted;

mod folded;

fn config() -> Config {
    resolve(Vec::new(), false).expect("defaults").config
}

fn limits(max_diff_chars: u64, max_files: u32, max_hunks_per_file: u32) -> Limits {
    Limits { max_diff_chars, max_files, max_hunks_per_file, ..config().limits }
}

fn patch(text: &str) -> Change {
    parse_patch(Bytes::copy_from_slice(text.as_bytes())).expect("a patch")
}

/// Returns the engine's result for a change without secrets.
fn unmasked(change: &Change) -> Redacted<Change> {
    Redacted::fixed("").narrow(|_| change.clone())
}

fn run(change: &Change, config: &PrepareConfig, limits: &Limits) -> (Plan, Prepared) {
    let plan = plan(change, &Attributes::default(), config).expect("a plan");
    let prepared = prepare(change, &plan, &unmasked(change), limits);
    (plan, prepared)
}

/// Returns a patch that adds each file with the given number of lines.
fn added(files: &[(&str, usize)]) -> String {
    let file = |(path, lines): &(&str, usize)| {
        let body: String = (1..=*lines).map(|number| format!("+line {number} of it\n")).collect();
        format!(
            "diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{lines} @@\n{body}"
        )
    };
    files.iter().map(file).collect()
}

fn check(change: &str, limits: &Limits, expected: Expect) {
    let (_, prepared) = run(&patch(change), &config().prepare, limits);
    let mut shown = format!("{}\n", prepared.coverage.summary);
    for item in &prepared.truncation.items {
        shown += &format!("{:?} {}: {}\n", item.kind, item.path, item.details);
    }
    for file in &prepared.ignored {
        shown += &format!("{:?} {}: {}\n", file.reason, file.path, file.details);
    }
    for line in prepared.diff.as_str().lines().filter(|line| line.starts_with("diff") || line.starts_with("@@")) {
        shown += &format!("{line}\n");
    }
    expected.assert_eq(&shown);
}

#[test]
fn files_are_ordered_by_priority_then_repository_order() {
    check(
        &added(&[("Cargo.lock", 1), ("README.md", 1), ("b.rs", 1), ("a.toml", 1), ("a.rs", 1), ("tests/a.rs", 1)]),
        &limits(0, 0, 0),
        expect![[r#"
            5 of 6 files, 83% of changed lines sent; 1 file ignored
            Lockfile Cargo.lock: cargo.lock
            diff --git a/b.rs b/b.rs
            @@ -0,0 +1 @@
            diff --git a/a.rs b/a.rs
            @@ -0,0 +1 @@
            diff --git a/tests/a.rs b/tests/a.rs
            @@ -0,0 +1 @@
            diff --git a/a.toml b/a.toml
            @@ -0,0 +1 @@
            diff --git a/README.md b/README.md
            @@ -0,0 +1 @@
        "#]],
    );
}

#[test]
fn a_huge_file_does_not_starve_the_others() {
    check(
        &added(&[("huge.rs", 9000), ("b.rs", 20), ("c.rs", 20)]),
        &limits(2000, 60, 40),
        expect![[r#"
            2 of 3 files, 1% of changed lines sent; 1 file over the limits
            PartialHunk huge.rs: @@ -0,0 +1,9000 @@: the last 8924 lines; over max_diff_chars (2000)
            diff --git a/huge.rs b/huge.rs
            @@ -0,0 +1,76 @@
            diff --git a/b.rs b/b.rs
            @@ -0,0 +1,20 @@
            diff --git a/c.rs b/c.rs
            @@ -0,0 +1,20 @@
        "#]],
    );
}

#[test]
fn every_dropped_file_and_hunk_is_named() {
    let three = "--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-a\n+b\n@@ -11 +11 @@ f\n-c\n+d\n@@ -21 +21 @@\n-e\n+f\n";
    check(
        &format!("{three}{}", added(&[("y.rs", 1), ("z.rs", 1)])),
        &limits(0, 2, 2),
        expect![[r#"
            1 of 3 files, 62% of changed lines sent; 2 files over the limits
            Hunk x.rs: @@ -21 +21 @@; over max_hunks_per_file (2)
            File z.rs: +1 −0 lines; over max_files (2)
            diff --git a/x.rs b/x.rs
            @@ -1 +1 @@
            @@ -11 +11 @@ f
            diff --git a/y.rs b/y.rs
            @@ -0,0 +1 @@
        "#]],
    );
}

#[test]
fn ignored_files_are_named_with_the_reason() {
    let change = patch(&added(&[
        ("src/a.rs", 1),
        ("src/deep/gen/b.rs", 1),
        ("keep/gen/b.rs", 1),
        ("notes.txt", 1),
        ("node_modules/x.js", 1),
        ("x.pb.go", 1),
        ("x.min.js", 1),
    ]));
    let mut config = config().prepare;
    config.ignore_globs = ["gen/", "!/keep/gen/", "*.txt"].map(str::to_owned).to_vec();
    let (plan, _) = run(&change, &config, &limits(0, 0, 0));
    let reasons: Vec<_> = (0..change.files.len()).map(|file| plan.ignored(file).map(|why| why.reason)).collect();
    use IgnoreReason::{Generated, Glob, Minified, Vendored};
    assert_eq!(reasons, [None, Some(Glob), None, Some(Glob), Some(Vendored), Some(Generated), Some(Minified)]);
    config.ignore_globs = vec!["a{b".to_owned()];
    let error = super::plan(&change, &Attributes::default(), &config).expect_err("a bad glob");
    assert!(error.to_string().starts_with("prepare.ignore_globs: `a{b`:"), "{error}");
}

#[test]
fn generator_marks_are_found_and_attributes_override_them() {
    let change = patch(&added(&[("a.rs", 1)]).replace("line 1", "// Code generated by x. DO NOT EDIT. line 1"));
    let (found, _) = run(&change, &config().prepare, &limits(0, 0, 0));
    assert_eq!(found.ignored(0).map(|why| why.reason), Some(IgnoreReason::Generated));
    let no = FileAttributes { generated: Some(false), ..Default::default() };
    let attributes: Attributes = [(change.files[0].path().clone(), no)].into_iter().collect();
    assert!(plan(&change, &attributes, &config().prepare).expect("a plan").ignored(0).is_none());
}

#[test]
fn masked_and_sent_lines_are_counted_separately() {
    let change = patch(&added(&[("a.rs", 3)]));
    let masked = parse_patch(Bytes::from(added(&[("a.rs", 3)]).replace("line 2", "[REDACTED]"))).expect("a patch");
    let plan = plan(&change, &Attributes::default(), &config().prepare).expect("a plan");
    let prepared = prepare(&change, &plan, &unmasked(&masked), &limits(0, 0, 0));
    let states: Vec<_> = prepared.coverage.files[0].hunks[0].runs.iter().map(|run| (run.state, run.lines)).collect();
    assert_eq!(states, [(Coverage::Sent, 1), (Coverage::Redacted, 1), (Coverage::Sent, 1)]);
    assert_eq!(prepared.coverage.files[0].state, Coverage::Redacted);
    assert!(prepared.diff.as_str().contains("+[REDACTED] of it"));
}

/// Returns whether git accepts a patch on its base.
fn applies(repo: &TestRepo, patch: &[u8]) -> Result<(), String> {
    if patch.is_empty() {
        return Ok(());
    }
    repo.try_git(["apply", "--check", "-p1"], patch).map(|_| ())
}

/// A small random number generator (xorshift), so that a failing case is reproducible.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }
}

fn text(dice: &mut Dice) -> Vec<String> {
    (0..dice.roll(120)).map(|_| format!("line {}", dice.roll(40))).collect()
}

fn edit(dice: &mut Dice, lines: &mut Vec<String>) {
    for _ in 0..=dice.roll(8) {
        let at = dice.roll(lines.len() + 1);
        match dice.roll(3) {
            0 => lines.insert(at, format!("new {}", dice.roll(40))),
            1 if at < lines.len() => drop(lines.remove(at)),
            _ if at < lines.len() => lines[at] = format!("changed {}", dice.roll(40)),
            _ => {}
        }
    }
}

fn join(dice: &mut Dice, lines: &[String]) -> String {
    let end = if lines.is_empty() || dice.roll(4) == 0 { "" } else { "\n" };
    lines.join("\n") + end
}

/// Creates a repository with two states of a few files. The first is its commit, the second the change.
fn random_change(dice: &mut Dice) -> (TestRepo, Change) {
    let repo = TestRepo::new();
    let texts: Vec<_> = (0..5).map(|_| text(dice)).collect();
    for (index, lines) in texts.iter().enumerate().take(4) {
        repo.write(format!("{index}.rs"), join(dice, lines));
    }
    repo.commit("base");
    for (index, mut lines) in texts.into_iter().enumerate() {
        if index == 3 {
            repo.remove("3.rs");
            continue;
        }
        edit(dice, &mut lines);
        repo.write(format!("{index}.rs"), join(dice, &lines));
    }
    repo.git(["add", "-A"]);
    let text = repo.git(["diff", "--cached", "-M", "--full-index"]);
    repo.git(["reset", "-q", "--hard"]);
    (repo, parse_patch(text.into()).expect("git's patch"))
}

#[test]
fn sent_parts_apply_and_dropped_parts_are_reported() {
    let mut dice = Dice(20_240_601);
    for case in 0..60 {
        let (repo, change) = random_change(&mut dice);
        let whole = print_change(&change).len();
        for _ in 0..4 {
            let limits = limits(1 + dice.roll(whole + 200) as u64, dice.roll(6) as u32, dice.roll(4) as u32);
            let (plan, prepared) = run(&change, &config().prepare, &limits);
            let diff = prepared.diff.as_str();
            assert!(diff.chars().count() as u64 <= limits.max_diff_chars, "case {case}: {limits:?}");
            assert_eq!(
                print_change(&parse_patch(Bytes::copy_from_slice(diff.as_bytes())).expect("a patch")),
                diff.as_bytes()
            );
            applies(&repo, diff.as_bytes()).unwrap_or_else(|error| panic!("case {case}: {limits:?}: {error}\n{diff}"));
            check_accounts(&change, &plan, &prepared);
        }
    }
}

/// Checks that every line has one state, and that everything that is not sent is reported.
fn check_accounts(change: &Change, plan: &Plan, prepared: &Prepared) {
    let map = &prepared.coverage;
    assert_eq!(map.files.len(), change.files.len());
    let mut sent = 0;
    for (file, covered) in change.files.iter().zip(&map.files) {
        let lost = covered.hunks.iter().flat_map(|hunk| &hunk.runs).any(|run| run.state == Coverage::Cut);
        let named = prepared.truncation.items.iter().any(|item| item.path == covered.path);
        assert_eq!(lost || covered.state == Coverage::Cut, named, "{}", covered.path);
        for (hunk, covered) in file.hunks().iter().zip(&covered.hunks) {
            let fates = covered.runs.iter().flat_map(|run| vec![run.state; run.lines as usize]);
            let fates: Vec<_> = fates.collect();
            assert_eq!(fates.len(), hunk.lines.len());
            let changed = hunk.lines.iter().zip(fates).filter(|(line, _)| line.kind != LineKind::Context);
            sent += changed.filter(|(_, fate)| *fate == Coverage::Sent).count();
        }
    }
    let counts = prepared.change.get().line_counts();
    assert_eq!(sent, (counts.added + counts.removed) as usize);
    assert_eq!(plan.order().len(), change.files.len());
    assert_eq!(prepared.truncation.final_chars, prepared.diff.as_str().chars().count() as u64);
}

#[test]
fn tokens_are_a_limit_like_characters() {
    let mut dice = Dice(7);
    for case in 0..20 {
        let (repo, change) = random_change(&mut dice);
        let all = crate::tokens::count(&String::from_utf8_lossy(&print_change(&change)));
        let limits = Limits { max_diff_tokens: 1 + dice.roll(all as usize + 20) as u64, ..limits(0, 0, 0) };
        let (plan, prepared) = run(&change, &config().prepare, &limits);
        assert!(crate::tokens::count(prepared.diff.as_str()) <= limits.max_diff_tokens, "case {case}: {limits:?}");
        applies(&repo, prepared.diff.as_str().as_bytes()).unwrap_or_else(|error| panic!("case {case}: {error}"));
        check_accounts(&change, &plan, &prepared);
    }
    let change = patch(&added(&[("a.rs", 50), ("b.rs", 50)]));
    let (_, prepared) = run(&change, &config().prepare, &Limits { max_diff_tokens: 200, ..limits(0, 0, 0) });
    assert!(prepared.truncation.items.iter().all(|item| item.details.contains("max_diff_tokens (200)")));
    let sent = crate::tokens::count(prepared.diff.as_str());
    assert!((150..=200).contains(&sent), "the budget is used: {sent}");
}

/// Returns every changed line: path, kind, number and text.
fn changed_lines<'a>(changes: impl IntoIterator<Item = &'a Change>) -> Vec<(String, LineKind, Option<u32>, Bytes)> {
    let mut lines = Vec::new();
    for file in changes.into_iter().flat_map(|change| &change.files) {
        for line in file.hunks().iter().flat_map(|hunk| hunk.numbered()) {
            lines.push((
                file.path().to_text().into_owned(),
                line.line.kind,
                line.new.or(line.old),
                line.line.text.clone(),
            ));
        }
    }
    lines.sort_by(|a, b| (&a.0, a.2, a.1 as u8, &a.3).cmp(&(&b.0, b.2, b.1 as u8, &b.3)));
    lines
}

#[test]
fn every_line_is_in_exactly_one_batch_and_every_batch_fits() {
    let mut dice = Dice(99);
    let mut several = 0;
    for case in 0..60 {
        let (_, change) = random_change(&mut dice);
        let whole = print_change(&change).len();
        for tokens in [false, true] {
            // The budget has room for at least the headers and one line.
            let size = 260 + dice.roll(whole) as u64;
            let limits = Limits {
                strategy: Strategy::Split,
                max_diff_tokens: if tokens { size } else { 0 },
                ..limits(if tokens { 0 } else { size }, dice.roll(4) as u32, 1)
            };
            let (_, prepared) = run(&change, &config().prepare, &limits);
            assert!(!prepared.truncation.truncated, "nothing is left out");
            let parts: Vec<&Change> = match &prepared.batches[..] {
                [] => vec![prepared.change.get()],
                batches => batches.iter().map(|batch| batch.change.get()).collect(),
            };
            several += usize::from(parts.len() > 1);
            assert_eq!(changed_lines(parts.iter().copied()), changed_lines([&change]), "case {case}: {limits:?}");
            for (part, diff) in parts.iter().zip(prepared.diffs()) {
                let diff = diff.as_str();
                let size = if tokens { crate::tokens::count(diff) } else { diff.chars().count() as u64 };
                assert!(size <= limits.max_diff_chars.max(limits.max_diff_tokens), "case {case}: {size}, {limits:?}");
                assert!(limits.max_files == 0 || part.files.len() <= limits.max_files as usize);
                let read = parse_patch(Bytes::copy_from_slice(diff.as_bytes())).expect("a patch");
                assert_eq!(print_change(&read), diff.as_bytes());
            }
            assert_eq!(run(&change, &config().prepare, &limits).1, prepared, "the same again");
        }
    }
    assert!(several > 60, "most were split: {several}");
}

#[test]
fn related_files_are_in_the_same_batch() {
    let text = |path: &str, line: &str| {
        let body: String = (0..10).map(|number| format!("+{line} // {number}\n")).collect();
        format!(
            "diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,10 @@\n{body}"
        )
    };
    let change = patch(
        &[
            text("api/orders.ts", "x"),
            text("api/refunds.ts", "import { send } from '../mail/sender';"),
            text("core/parser.rs", "x"),
            text("mail/sender.ts", "x"),
            text("tests/api/orders.test.ts", "x"),
            text("tests/core/parser_test.rs", "x"),
        ]
        .concat(),
    );
    let limits = Limits { strategy: Strategy::Split, ..limits(1100, 0, 0) };
    let (_, prepared) = run(&change, &config().prepare, &limits);
    let names: Vec<Vec<String>> = prepared
        .batches
        .iter()
        .map(|batch| batch.change.get().files.iter().map(|file| file.path().to_text().into_owned()).collect())
        .collect();
    assert_eq!(
        names,
        [
            vec!["api/orders.ts", "tests/api/orders.test.ts"],
            vec!["api/refunds.ts", "mail/sender.ts"],
            vec!["core/parser.rs", "tests/core/parser_test.rs"],
        ]
    );
}
