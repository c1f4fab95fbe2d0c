//! Compares places with those that the corpus records, and counts the results by class.

use std::collections::BTreeMap;

use diffsan_anchor::relocate;
use diffsan_review::finding::{Anchor, AnchorState, Finding, Side};
use diffsan_review::rounds::CodeStatus;
use serde_json::Value;

use super::corpus::Corpus;

/// The maximum distance, in lines, of a place that is near the right one.
const NEAR: u32 = 3;

/// The results of one class of findings.
#[derive(Default)]
pub struct Score {
    /// All findings.
    pub all: usize,
    /// The findings with a place that can be found.
    pub placeable: usize,
    /// Those at exactly their lines.
    pub exact: usize,
    /// Those at lines that touch the right ones or are at most [`NEAR`] lines away.
    pub near: usize,
    /// Those that are called verified or moved at other lines.
    pub wrong: usize,
    /// Those without lines, or at other lines that are called unverified.
    pub lost: usize,
    /// Findings without a provable place that are called verified.
    pub dishonest: usize,
    /// Fixes that change the wrong lines, or that no fix was certain enough for.
    pub wrong_fixes: usize,
    /// Certain fixes that remained text.
    pub lost_fixes: usize,
    examples: Vec<String>,
}

/// The results by class.
#[derive(Default)]
pub struct Table(BTreeMap<String, Score>);

impl Table {
    pub fn sum(&self, count: impl Fn(&Score) -> usize) -> usize {
        self.0.values().map(count).sum()
    }

    /// Prints the classes and the sum of all: with some examples the classes with errors, with `usize::MAX` all classes without examples.
    pub fn print(&self, title: &str, examples: usize) {
        let all_classes = examples == usize::MAX;
        let examples = if all_classes { 0 } else { examples };
        println!("{title}: {} classes", self.0.len());
        println!(
            "{:<42} {:>6} {:>8} {:>5} {:>5} {:>5} {:>9} {:>6}",
            "class", "all", "exact", "near", "wrong", "lost", "dishonest", "fixes"
        );
        for (class, score) in self.0.iter().filter(|(_, score)| all_classes || !score.examples.is_empty()) {
            print_row(class, score);
            score.examples.iter().take(examples).for_each(|example| println!("    {example}"));
        }
        let sum = |count: fn(&Score) -> usize| self.sum(count);
        let all = Score {
            all: sum(|one| one.all),
            placeable: sum(|one| one.placeable),
            exact: sum(|one| one.exact),
            near: sum(|one| one.near),
            wrong: sum(|one| one.wrong),
            lost: sum(|one| one.lost),
            dishonest: sum(|one| one.dishonest),
            wrong_fixes: sum(|one| one.wrong_fixes),
            lost_fixes: sum(|one| one.lost_fixes),
            examples: Vec::new(),
        };
        print_row("sum", &all);
    }
}

fn print_row(class: &str, score: &Score) {
    let share = 100.0 * score.exact as f64 / score.placeable.max(1) as f64;
    println!(
        "{class:<42} {:>6} {share:>6.2} % {:>5} {:>5} {:>5} {:>9} {:>3}/{}",
        score.all, score.near, score.wrong, score.lost, score.dishonest, score.wrong_fixes, score.lost_fixes
    );
}

fn number(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok())
}

fn range_of(truth: &Value) -> Option<(u32, u32)> {
    number(&truth["start"]).zip(number(&truth["end"]))
}

fn is_in_file(anchor: &Anchor, truth: &Value) -> bool {
    let side = if truth["side"] == "old" { Side::Old } else { Side::New };
    anchor.path == truth["path"].as_str().unwrap_or_default() && anchor.side == side
}

fn is_at(anchor: &Anchor, truth: &Value) -> bool {
    let lines = |range: &Value| (number(&range[0]), number(&range[1])) == (anchor.line_start, anchor.line_end);
    let any = |name: &str| truth[name].as_array().is_some_and(|ranges| ranges.iter().any(lines));
    let exact = range_of(truth).is_some_and(|range| anchor.line_start.zip(anchor.line_end) == Some(range));
    is_in_file(anchor, truth) && (exact || any("accept"))
}

fn is_near(anchor: &Anchor, truth: &Value) -> bool {
    let ranges = range_of(truth).zip(anchor.line_start.zip(anchor.line_end));
    is_in_file(anchor, truth)
        && ranges.is_some_and(|((from, to), (start, end))| {
            start <= to.saturating_add(NEAR) && from <= end.saturating_add(NEAR)
        })
}

fn is_sure(state: AnchorState) -> bool {
    matches!(state, AnchorState::Verified | AnchorState::Moved)
}

/// Places the findings of a corpus.
pub fn placed(corpus: &mut Corpus) -> Table {
    let mut table = Table::default();
    for row in corpus.rows("findings.jsonl") {
        let state = corpus.state(row["change"].as_str().expect("a change"));
        let found = state.placed(&row["finding"]);
        let (truth, anchor, sure) = (&row["truth"], &found.anchor, is_sure(found.anchor.state));
        let score = table.0.entry(row["class"].as_str().expect("a class").to_owned()).or_default();
        score.all += 1;
        let mut bad = None;
        if truth["place"] == "lines" {
            let optional = truth["or_none"] == true && !sure;
            score.placeable += usize::from(!optional);
            match (is_at(anchor, truth), is_near(anchor, truth)) {
                (true, _) if sure && truth["unverified"] == true => {
                    (score.dishonest, bad) = (score.dishonest + 1, Some("dishonest"))
                }
                (true, _) => score.exact += usize::from(!optional),
                _ if optional => {}
                (_, true) => (score.near, bad) = (score.near + 1, Some("near")),
                _ if sure => (score.wrong, bad) = (score.wrong + 1, Some("wrong")),
                _ => (score.lost, bad) = (score.lost + 1, Some("lost")),
            }
        } else if sure {
            (score.dishonest, bad) = (score.dishonest + 1, Some("dishonest"));
        }
        match fix(&found, &row["fix"], state.head.get(&anchor.path).map(AsRef::as_ref)) {
            Some(true) => (score.wrong_fixes, bad) = (score.wrong_fixes + 1, Some("wrong fix")),
            Some(false) => (score.lost_fixes, bad) = (score.lost_fixes + 1, bad.or(Some("lost fix"))),
            None => {}
        }
        if let Some(bad) = bad {
            score.examples.push(format!(
                "{bad} {} {truth} => {anchor:?} {:?} {:?}",
                row["id"],
                found.fix,
                row["finding"]["quote"].as_str()
            ));
        }
    }
    table
}

/// Returns whether a fix is wrong (`true`) or lost (`false`).
fn fix(found: &Finding, expected: &Value, text: Option<&str>) -> Option<bool> {
    let result = found.fix.as_ref().zip(text).map(|(fix, text)| fix.applied_to(text));
    let wanted = |text: &str| {
        let lines = expected["lines"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let (start, end) = range_of(expected).unwrap_or_default();
        let kept = |line: &(usize, &str)| line.0 + 1 < start as usize || line.0 + 1 > end as usize;
        let all: Vec<&str> = text.lines().enumerate().filter(kept).map(|(_, line)| line).collect();
        let at = (start as usize).saturating_sub(1);
        all[..at].iter().copied().chain(lines).chain(all[at..].iter().copied()).collect::<Vec<_>>().join("\n")
    };
    match (expected["expect"].as_str(), result) {
        (Some("apply"), None) => Some(false),
        (Some("apply" | "either"), Some(result)) => {
            let same = text.is_some_and(|text| wanted(text).trim_end() == result.replace("\r\n", "\n").trim_end());
            (!same).then_some(true)
        }
        (Some("text" | "none"), Some(_)) => Some(true),
        _ => None,
    }
}

/// Follows the findings of a corpus through a push.
pub fn followed(corpus: &mut Corpus) -> Table {
    let mut table = Table::default();
    for row in corpus.rows("relocations.jsonl") {
        let (state, after) =
            corpus.pushed(row["change"].as_str().expect("a change"), row["later"].as_str().expect("a push"));
        let found = state.placed(&row["finding"]);
        if !is_at(&found.anchor, &row["placed"]) {
            continue;
        }
        let mut before = |finding: &Finding| {
            let texts = if finding.anchor.side == Side::Old { &state.base } else { &state.head };
            texts.get(&finding.anchor.path).cloned()
        };
        let moved = relocate(&[found], &mut before, &after.change, &after.files).remove(0);
        let (truth, anchor) = (&row["truth"], &moved.finding.anchor);
        let sure = matches!(moved.status, CodeStatus::Unchanged | CodeStatus::Moved { .. });
        let score = table.0.entry(row["class"].as_str().expect("a class").to_owned()).or_default();
        score.all += 1;
        let mut bad = None;
        if matches!(truth["state"].as_str(), Some("kept" | "moved")) {
            let optional = !truth["or_states"].is_null() && !sure;
            score.placeable += usize::from(!optional);
            match (is_at(anchor, truth), is_near(anchor, truth)) {
                (true, _) => score.exact += usize::from(!optional),
                _ if optional => {}
                _ if sure => (score.wrong, bad) = (score.wrong + 1, Some("wrong")),
                (_, true) => (score.near, bad) = (score.near + 1, Some("near")),
                _ => (score.lost, bad) = (score.lost + 1, Some("lost")),
            }
        } else if sure && truth["or_states"].is_null() {
            (score.dishonest, bad) = (score.dishonest + 1, Some("dishonest"));
        }
        if let Some(bad) = bad {
            score.examples.push(format!("{bad} {} {truth} => {:?} {anchor:?}", row["id"], moved.status));
        }
    }
    table
}
