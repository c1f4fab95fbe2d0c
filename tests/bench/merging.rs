//! Merging findings and comparing two reviews, compared with the simple way that examines every pair (the oracle of the tests). `cargo bench
//! --bench benchmarks -- merging [FINDINGS…]`

use std::time::{Duration, Instant};

use super::row::{Compared, row};
use diffsan_review::finding::{AgentFinding, Anchor, AnchorState, Category, Finding, Severity};
use diffsan_review::merge::merge;
use diffsan_review::rounds::match_findings;
use diffsan_test_support::history::Dice;
use diffsan_test_support::timing::median;

#[path = "../../src-tauri/crates/review/src/merge/headline.rs"]
mod headline;
#[path = "../../src-tauri/crates/review/src/merge/oracle.rs"]
mod oracle;
#[allow(dead_code, reason = "the oracle counts words on its own")]
#[path = "../../src-tauri/crates/review/src/merge/words.rs"]
mod words;

const ROUNDS: usize = 5;
/// The number of findings from which the simple way is measured only once.
const MANY: usize = 5_000;

pub(super) fn run(arguments: &[String]) {
    let sizes: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    for count in if sizes.is_empty() { usual_sizes() } else { sizes } {
        for (name, files, lines) in
            [("many files", count / 20 + 1, 400), ("one file", 1, count * 4), ("one line", 1, 1)]
        {
            measure(count, name, &mut |dice| findings(dice, count, files, lines));
        }
    }
}

/// Returns the sizes without arguments. The simple way takes minutes for the largest.
fn usual_sizes() -> Vec<usize> {
    if std::env::var_os("FULL").is_some() { vec![1_000, 5_000, 20_000] } else { vec![1_000] }
}

fn measure(count: usize, name: &str, make: &mut dyn FnMut(&mut Dice) -> Vec<Finding>) {
    let mut dice = Dice::new(count as u64);
    let (one, other) = (make(&mut dice), make(&mut dice));
    let quick_merge = median(ROUNDS, &|| drop(merge(one.clone())));
    let quick_pairs = median(ROUNDS, &|| drop(match_findings(&one, &other)));
    let rounds = if count >= MANY { 1 } else { 3 };
    // For the largest number, the simple way would take minutes. It is known to be quadratic.
    let plain = |run: &dyn Fn()| {
        if rounds > 1 {
            return median(rounds, &run);
        }
        let began = Instant::now();
        run();
        began.elapsed()
    };
    let plain_merge = plain(&|| drop(oracle::merge(one.clone())));
    let plain_pairs = plain(&|| drop(oracle::pairs(&one, &other)));
    let line = |what: &str, quick: Duration, plain: Duration| {
        let ratio = plain.as_secs_f64() / quick.as_secs_f64();
        let (quick, plain) = (quick.as_secs_f64() * 1e3, plain.as_secs_f64() * 1e3);
        println!("{count} findings, {name}: {what} {quick:.1} ms, every pair {plain:.1} ms, ratio {ratio:.1}");
        let compared = Compared::Peer("every pair", plain, Some(1.0));
        row(&format!("findings {what}"), &format!("{count}, {name}"), quick, "ms", &compared);
    };
    line("joined in", quick_merge, plain_merge);
    line("two reviews compared in", quick_pairs, plain_pairs);
}

/// Returns the findings of three agents, some of which are the same.
fn findings(dice: &mut Dice, count: usize, files: usize, lines: usize) -> Vec<Finding> {
    const WHAT: &[&str] =
        &["Unchecked index", "Missing error check", "Unescaped value", "Race on a counter", "Wrong bound"];
    const WHY: &[&str] =
        &["is read before it is set", "can be empty here", "comes from the request", "overflows for large input"];
    (0..count)
        .map(|_| {
            let (file, line, name) = (dice.roll(files), dice.roll(lines), dice.roll(count));
            let line = u32::try_from(line + 1).unwrap_or(u32::MAX);
            let title = format!("{} in `name{name}`", dice.pick(WHAT));
            let body = format!("`name{name}` {} and {}, see item {}.", dice.pick(WHY), dice.pick(WHY), dice.roll(50));
            let path = format!("src/part{}/file{file}.rs", file % 97);
            Finding {
                sources: vec![(*dice.pick(&["codex", "claude", "gemini"])).to_owned()],
                code: Some(format!("1:{:x}", dice.roll(count))),
                ..Finding::new(
                    AgentFinding {
                        title: Some(title),
                        body_markdown: body,
                        quote: Some(format!("let name{name} = index[{line}];")),
                        ..AgentFinding::new(
                            *dice.pick(&[Severity::Low, Severity::Medium, Severity::High]),
                            *dice.pick(&[Category::Correctness, Category::Security, Category::Performance]),
                            path.clone(),
                            (line, line),
                        )
                    },
                    Anchor::new(AnchorState::Verified, path, Some((line, line)), true),
                )
            }
        })
        .collect()
}
