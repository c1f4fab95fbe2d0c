//! Findings that say the same, as one: by place, code and meaning, whether they come from one agent, from parts of a change or
//! from several agents.
//!
//! In: placed findings. Out: fewer of them, each naming everybody who found it. What the worst says is kept; two findings are
//! one only where they speak of the same lines.

mod compare;

use std::collections::HashSet;

use crate::finding::{AnchorState, Finding};

pub use compare::{Became, Compared, Round, compare, pairs};

/// Words that say nothing about what a remark means.
const EMPTY_WORDS: &[&str] = &[
    "the", "a", "an", "is", "are", "be", "to", "of", "in", "on", "and", "or", "not", "it", "its", "this", "that",
    "with", "for", "when", "if", "so", "will", "would", "should", "could", "can", "may", "might", "must", "here",
    "there", "which", "where", "has", "have", "was", "were", "by", "as", "at", "from", "but", "code", "line", "lines",
    "change", "instead", "use", "using",
];
/// How alike two remarks by one agent must be, of 1.
const SAME_WORDS: f64 = 0.5;
/// How alike they must be where their quoted code is the same.
const SAME_CODE: f64 = 0.2;
/// How far apart the lines of one remark may be said to be.
const NEAR: u32 = 2;

/// Joins what says the same. The findings come worst first, and are named `f1`, `f2`, … anew.
pub fn merge(findings: Vec<Finding>) -> Vec<Finding> {
    let mut merged: Vec<(Finding, HashSet<String>)> = Vec::new();
    let mut sorted = findings;
    sorted.sort_by_key(|finding| std::cmp::Reverse(finding.said.severity));
    for finding in sorted {
        let words = words(&finding);
        match merged.iter_mut().find(|(known, meaning)| is_same(known, meaning, &finding, &words)) {
            Some((known, _)) => join(known, finding),
            None => merged.push((finding, words)),
        }
    }
    (1..).zip(merged).map(|(number, (finding, _))| Finding { id: format!("f{number}"), ..finding }).collect()
}

fn join(known: &mut Finding, other: Finding) {
    for source in other.sources {
        if !known.sources.contains(&source) {
            known.sources.push(source);
        }
    }
    if known.chain.is_empty() {
        known.chain = other.chain;
    }
    if known.fix.is_none() {
        known.fix = other.fix;
        known.said.suggested_patch = known.said.suggested_patch.take().or(other.said.suggested_patch);
    }
    if rank(other.anchor.state) < rank(known.anchor.state) {
        known.anchor = other.anchor;
        known.said.quote = other.said.quote.or(known.said.quote.take());
    }
    for claim in other.claims {
        if !known.claims.iter().any(|own| own.claim == claim.claim) {
            known.claims.push(claim);
        }
    }
}

/// How well a place is known, the best first.
fn rank(state: AnchorState) -> u8 {
    match state {
        AnchorState::Verified => 0,
        AnchorState::Moved => 1,
        AnchorState::Unverified => 2,
        AnchorState::File => 3,
        AnchorState::Unplaced => 4,
    }
}

fn is_same(a: &Finding, a_words: &HashSet<String>, b: &Finding, b_words: &HashSet<String>) -> bool {
    // What the built-in reviewer tells apart is not the same, however alike its sentences are.
    let built_in = |finding: &Finding| finding.sources.iter().any(|source| source == crate::capability::NAME);
    if a.anchor.path != b.anchor.path || !is_near(a, b) || built_in(a) && built_in(b) {
        return false;
    }
    let alike = likeness(a_words, b_words);
    let code = |finding: &Finding| finding.said.quote.as_deref().map(letters).filter(|code| code.len() >= 4);
    let same_code = code(a).is_some_and(|code_a| code(b).is_some_and(|code_b| code_a == code_b));
    alike >= SAME_WORDS || same_code && a.said.category == b.said.category && alike >= SAME_CODE
}

fn is_near(a: &Finding, b: &Finding) -> bool {
    match (a.anchor.line_start.zip(a.anchor.line_end), b.anchor.line_start.zip(b.anchor.line_end)) {
        (Some((a_start, a_end)), Some((b_start, b_end))) => {
            a.anchor.side == b.anchor.side && a_start <= b_end + NEAR && b_start <= a_end + NEAR
        }
        (None, None) => true,
        _ => false,
    }
}

/// The share of the shorter remark's words that the other has, too.
fn likeness(a: &HashSet<String>, b: &HashSet<String>) -> f64 {
    let common = a.intersection(b).count() as f64;
    let fewer = a.len().min(b.len());
    if fewer == 0 { 0.0 } else { common / fewer as f64 }
}

fn letters(text: &str) -> String {
    text.chars().filter(|char| !char.is_whitespace()).collect()
}

/// The words of a remark's headline and its first sentences that say something, cut to their stems.
fn words(finding: &Finding) -> HashSet<String> {
    let title = finding.said.title.as_deref().unwrap_or_default();
    let body: String = finding.said.body_markdown.chars().take(400).collect();
    format!("{title} {body}")
        .split(|char: char| !char.is_alphanumeric() && char != '_')
        .map(str::to_lowercase)
        .filter(|word| word.len() > 1 && !EMPTY_WORDS.contains(&word.as_str()))
        .map(|word| stem(&word))
        .collect()
}

fn stem(word: &str) -> String {
    let cut = ["ations", "ation", "ings", "ing", "ies", "ied", "ed", "es", "s", "ly"]
        .iter()
        .find_map(|end| word.strip_suffix(end).filter(|stem| stem.chars().count() >= 3));
    cut.unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{AgentFinding, Anchor, Category, Severity, Side, Verdict};

    fn finding(source: &str, line: u32, title: &str, quote: &str, severity: Severity) -> Finding {
        Finding {
            id: String::new(),
            said: AgentFinding {
                finding_id: None,
                severity,
                category: Category::Correctness,
                path: "a.rs".into(),
                line_start: line,
                line_end: line,
                title: Some(title.into()),
                body_markdown: String::new(),
                side: None,
                quote: Some(quote.into()),
                confidence: None,
                suggested_patch: None,
            },
            anchor: Anchor {
                state: AnchorState::Verified,
                path: "a.rs".into(),
                side: Side::New,
                line_start: Some(line),
                line_end: Some(line),
                in_change: true,
                notes: Vec::new(),
            },
            sources: vec![source.into()],
            verdict: Verdict::Unchecked,
            claims: Vec::new(),
            chain: Vec::new(),
            fix: None,
            code: None,
            original: None,
        }
    }

    fn merged(findings: Vec<Finding>) -> Vec<(String, Vec<String>)> {
        merge(findings).into_iter().map(|one| (one.said.title.unwrap_or_default(), one.sources)).collect()
    }

    #[test]
    fn two_agents_that_say_the_same_agree() {
        let one = finding("codex", 4, "Off-by-one error in the loop bound", "0..n - 1", Severity::Medium);
        let two = finding("claude", 5, "Loop bound misses the last element (off by one)", "0..n - 1", Severity::High);
        let all = merged(vec![one, two]);
        assert_eq!(all.len(), 1, "{all:?}");
        assert_eq!(all[0].0, "Loop bound misses the last element (off by one)", "the worst is kept");
        assert_eq!(all[0].1, ["claude", "codex"]);
    }

    #[test]
    fn other_remarks_about_the_same_line_stay() {
        let one = finding("codex", 4, "Off-by-one error in the loop bound", "0..n - 1", Severity::High);
        let two = finding("codex", 4, "The password is written to the log", "0..n - 1", Severity::High);
        assert_eq!(merged(vec![one, two]).len(), 2);
    }

    #[test]
    fn the_same_remark_about_another_place_stays() {
        let one = finding("codex", 4, "Missing error check", "open()", Severity::High);
        let two = finding("codex", 40, "Missing error check", "open()", Severity::High);
        assert_eq!(merged(vec![one, two]).len(), 2);
    }
}
