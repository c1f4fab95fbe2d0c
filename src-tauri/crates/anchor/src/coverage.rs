//! Claims of findings that no test covers their lines, checked against the measured coverage of the head.
//!
//! In: placed findings, the current coverage of their files, and the added lines of the change. Out: one more claim for each finding that
//! states it. A claim is decided only if every measured line that it can mean has the same state. Coverage shows that a line ran, not
//! which values it ran with, so a claim about a case stays unchecked.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use diffsan_facts::{Facts, LineState};
use diffsan_review::finding::{Claim, Evidence, Finding, Side, Verdict};

/// The added lines of each file of the change, with their text, masked.
pub type AddedLines = BTreeMap<String, BTreeMap<u32, String>>;

const CLAIM: &str = "no test covers these lines";

fn pattern(text: &str) -> Option<Regex> {
    Regex::new(text).ok()
}

/// Statements that no test runs the code.
static STATEMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\buntested\b",
        r"|\b(?:not|never|isn't|aren't|is not|are not) (?:covered|exercised|executed|run|tested|hit) (?:by|in) (?:any |a |the |an existing )?(?:unit )?tests?\b",
        r"|\b(?:not|never|isn't|aren't) (?:unit[- ])?tested\b",
        r"|\bno (?:unit |existing |automated )?tests? (?:covers?|exercises?|runs?|executes?|hits?|reach(?:es)?|for)\b",
        r"|\b(?:has|have|with|there (?:is|are)) no (?:unit |automated )?(?:tests?|test coverage)\b",
        r"|\b(?:lacks?|lacking|missing|without(?: any)?) (?:any )?(?:unit )?(?:test coverage|tests|a test)\b",
        r"|\buncovered by (?:any )?tests?\b",
    ))
});

/// Words that limit a statement to a case, a kind of test or an expectation, or that make it a demand or a doubt.
static LIMIT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\?|\b(?:if|when|whenever|unless|where|while|except|only|besides|cases?|scenarios?|edge|boundary|combinations?|values?|inputs?|",
        r"empty|null|nil|negative|concurrent(?:ly)?|assert\w*|verif\w*|check\w*|integration|end-to-end|e2e|regression|property|",
        r"should|could|would|might|may|must|consider|please|add|seems?|appears?|probably|possibly|perhaps|likely|maybe|",
        r"before|after|during|under|branch(?:es)?|paths?|both|either|behaviou?r)\b",
    ))
});

/// Adds a claim about coverage to each finding that states it. Stale coverage decides nothing.
pub fn check_coverage(findings: &mut [Finding], facts: Option<&Facts>, added: &AddedLines) {
    for finding in findings {
        let Some(plain) = states_untested(finding) else { continue };
        let decided = facts.filter(|_| plain).and_then(|facts| decide(finding, facts, added));
        let (verdict, evidence) = decided.map_or((Verdict::Unchecked, None), |(verdict, place)| (verdict, Some(place)));
        finding.verdict = combined(finding, verdict);
        finding.claims.push(Claim { claim: CLAIM.to_owned(), verdict, evidence });
    }
}

/// Returns whether a finding states plainly that no test runs its lines; `None` if it states nothing about it.
fn states_untested(finding: &Finding) -> Option<bool> {
    let content = &finding.content;
    let body = crate::claims::without_blocks(&content.body_markdown);
    let title = content.title.as_deref().unwrap_or_default();
    let mut sentences = title.lines().chain(body.lines()).flat_map(|line| line.split_inclusive(['.', '!', '?', ';']));
    let says = |sentence: &&str| STATEMENT.as_ref().is_some_and(|pattern| pattern.is_match(sentence));
    let limited = |sentence: &str| LIMIT.as_ref().is_none_or(|pattern| pattern.is_match(sentence));
    let first = sentences.find(says)?;
    // Every sentence about it must be plain.
    Some(!limited(first) && !sentences.filter(says).any(limited))
}

/// Decides the claim by the measured added lines of the finding.
fn decide(finding: &Finding, facts: &Facts, added: &AddedLines) -> Option<(Verdict, Evidence)> {
    let anchor = &finding.anchor;
    let (start, end) = anchor.line_start.zip(anchor.line_end).filter(|_| anchor.side == Side::New)?;
    let coverage = facts.current_coverage(&anchor.path)?;
    let lines = added.get(&anchor.path)?.range(start..=end.max(start));
    let measured: Vec<(u32, &String, LineState)> =
        lines.filter_map(|(line, text)| Some((*line, text, coverage.state(*line)?))).collect();
    let all = |state: LineState| measured.iter().all(|(_, _, found)| *found == state);
    let (line, text, _) = measured.first()?;
    let verdict = if all(LineState::Uncovered) {
        Verdict::Verified
    } else if all(LineState::Covered) {
        Verdict::Contradicted
    } else {
        return None;
    };
    Some((verdict, Evidence { path: anchor.path.clone(), line: *line, text: (*text).clone() }))
}

/// Combines the verdict of a finding with that of one more claim.
fn combined(finding: &Finding, verdict: Verdict) -> Verdict {
    let open = |claim: &Claim| claim.verdict == Verdict::Unchecked && claim.claim != crate::claims::QUOTE_CLAIM;
    match (finding.verdict, verdict) {
        (Verdict::Contradicted, _) | (_, Verdict::Contradicted) => Verdict::Contradicted,
        (_, Verdict::Verified) if !finding.claims.iter().any(open) => Verdict::Verified,
        _ => Verdict::Unchecked,
    }
}

#[cfg(test)]
mod tests;
