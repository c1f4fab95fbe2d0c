//! Checks the claims of `claims.jsonl` and counts the right and wrong verdicts by kind, language and wording.

use std::collections::BTreeMap;

use diffsan_review::finding::{Claim, Evidence, Finding, Verdict};
use serde_json::{Value, json};

use super::corpus::{Corpus, State};

/// The maximum number of statements about one head that are checked, evenly spread.
const MAX_REFUTED: usize = 600;

/// The verdicts on the claims of one class.
#[derive(Clone, Default)]
pub struct Verdicts {
    pub all: usize,
    /// Claims that are true, and those that are false.
    pub truths: [usize; 2],
    /// Findings that are called verified, and those of them with a true claim.
    pub verified: [usize; 2],
    /// Findings that are called contradicted, and those of them with a false claim.
    pub contradicted: [usize; 2],
    /// Contradicted findings whose place is none of the recorded counterexamples.
    pub elsewhere: usize,
    /// Verified or contradicted findings of which it cannot be known.
    pub undecidable: usize,
    examples: Vec<String>,
}

/// The verdicts by class: `kind:local`, `language:go`, `wording:local-1`.
#[derive(Default)]
pub struct ClaimTable(BTreeMap<String, Verdicts>);

impl ClaimTable {
    /// Returns the verdicts on all claims.
    pub fn sum(&self) -> Verdicts {
        self.0.get("all").cloned().unwrap_or_default()
    }

    /// Prints all classes, with at most `examples` wrong verdicts.
    pub fn print(&self, examples: usize) {
        println!(
            "{:<24} {:>5} {:>21} {:>21} {:>9} {:>9}",
            "claims", "all", "verified (recall)", "contradicted (recall)", "elsewhere", "undecided"
        );
        for (class, one) in &self.0 {
            let share = |[all, right]: [usize; 2], truth: usize| {
                let recall = 100.0 * right as f64 / truth.max(1) as f64;
                format!("{right}/{all} right ({recall:.0} %)")
            };
            println!(
                "{class:<24} {:>5} {:>21} {:>21} {:>9} {:>9}",
                one.all,
                share(one.verified, one.truths[0]),
                share(one.contradicted, one.truths[1]),
                one.elsewhere,
                one.undecidable
            );
        }
        self.sum().examples.iter().take(examples).for_each(|example| println!("    {example}"));
    }
}

/// Checks every claim of a corpus, in a finding that also quotes its line.
pub fn claims(corpus: &mut Corpus) -> ClaimTable {
    let mut table = ClaimTable::default();
    for row in corpus.rows("claims.jsonl") {
        let text = |name: &str| row[name].as_str().expect("a text");
        let state = corpus.state(text("change"));
        let line = usize::try_from(row["line"].as_u64().expect("a line")).expect("a line");
        let quote = state.head[text("path")].lines().nth(line - 1).expect("the line");
        let finding = json!({
            "severity": "low", "category": "maintainability", "path": text("path"), "line_start": line, "line_end": line,
            "body_markdown": text("claim"), "quote": quote,
        });
        let found = state.checked(&[finding]).remove(0);
        for class in [
            "all".to_owned(),
            format!("kind:{}", text("kind")),
            format!("language:{}", text("language")),
            format!("wording:{}", text("wording")),
        ] {
            count(table.0.entry(class).or_default(), &row, &found);
        }
    }
    table
}

fn count(score: &mut Verdicts, row: &Value, found: &Finding) {
    let truth = row["truth"].as_str().expect("a truth");
    score.all += 1;
    score.truths[0] += usize::from(truth == "true");
    score.truths[1] += usize::from(truth == "false");
    score.undecidable += usize::from(truth == "not decidable" && found.verdict != Verdict::Unchecked);
    let (counts, right) = match found.verdict {
        Verdict::Verified => (&mut score.verified, truth == "true"),
        Verdict::Contradicted => (&mut score.contradicted, truth == "false"),
        Verdict::Unchecked => return,
    };
    counts[0] += 1;
    counts[1] += usize::from(right);
    let elsewhere = found.verdict == Verdict::Contradicted && right && !is_recorded(row, &found.claims);
    score.elsewhere += usize::from(elsewhere);
    if !right || elsewhere {
        score.examples.push(format!("{:?} {row} => {:?}", found.verdict, found.claims));
    }
}

/// Returns whether the place that contradicts is one of the recorded counterexamples. Of the uses of a local variable only the first is
/// recorded.
fn is_recorded(row: &Value, claims: &[Claim]) -> bool {
    let Some(recorded) = row["counterexamples"].as_array() else { return true };
    let name = row["name"].as_str().expect("a name");
    let is_at = |place: &Evidence, one: &Value| {
        let later =
            row["kind"] == "local" && place.text.contains(name) && Some(u64::from(place.line)) > one["line"].as_u64();
        one["path"] == place.path.as_str() && (one["line"] == place.line || later)
    };
    let mut against = claims.iter().filter(|claim| claim.verdict == Verdict::Contradicted);
    against.all(|claim| claim.evidence.as_ref().is_some_and(|place| recorded.iter().any(|one| is_at(place, one))))
}

/// Checks statements that are false of a working head. Returns those that are called verified, and the number of contradicted ones.
pub fn refuted(state: &State) -> (Vec<String>, usize) {
    let finding = |(path, line, statement): (String, u32, String)| {
        json!({
            "severity": "low", "category": "maintainability", "path": path, "line_start": line, "line_end": line,
            "body_markdown": statement,
        })
    };
    let all = state.refuted_statements();
    let step = all.len() / MAX_REFUTED + 1;
    let findings: Vec<Value> = all.into_iter().step_by(step).map(finding).collect();
    let checked = state.checked(&findings);
    let with = |verdict| checked.iter().filter(move |one| one.verdict == verdict);
    let said = |one: &Finding| format!("{}:{} {}", one.content.path, one.content.line_start, one.content.body_markdown);
    (with(Verdict::Verified).map(said).collect(), with(Verdict::Contradicted).count())
}
