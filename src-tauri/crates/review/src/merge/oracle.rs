//! The specification of merging and matching: a simple version that compares every pair. The fast version must have the same results.

use std::collections::HashSet;

use super::headline::Headline;
use crate::finding::{AnchorState, Finding, Side};

/// The minimum similarity of two findings on the same code or lines.
const SAME_MEANING: f64 = 0.34;
/// The minimum similarity of two findings elsewhere in the same file.
const MOVED_MEANING: f64 = 0.6;
/// Words without meaning for the comparison.
const EMPTY_WORDS: &[&str] = &[
    "the", "a", "an", "is", "are", "be", "to", "of", "in", "on", "and", "or", "not", "it", "its", "this", "that",
    "with", "for", "when", "if", "so", "will", "would", "should", "could", "can", "may", "might", "must", "here",
    "there", "which", "where", "has", "have", "was", "were", "by", "as", "at", "from", "but", "code", "line", "lines",
    "change", "instead", "use", "using",
];
/// The minimum similarity of two findings of one agent, of 1: the agent repeats itself.
const REPEATED: f64 = 0.8;
/// The minimum similarity of findings of two agents.
const SAME_WORDS: f64 = 0.5;
/// The minimum similarity if their quoted code is the same.
const SAME_CODE: f64 = 0.2;
/// The maximum distance in lines between two findings that are near each other.
const NEAR: u32 = 2;

pub(super) fn merge(findings: Vec<Finding>) -> Vec<Finding> {
    let mut merged: Vec<(Finding, MergeFeatures)> = Vec::new();
    let mut sorted = findings;
    sorted.sort_by_key(|finding| std::cmp::Reverse(finding.content.severity));
    for finding in sorted {
        let features = MergeFeatures::of(&finding);
        // If it could repeat several findings, take the most similar one.
        let same = merged.iter_mut().filter(|(known, of_known)| is_same((known, of_known), (&finding, &features)));
        match same.max_by(|a, b| overlap(&a.1.words, &features.words).total_cmp(&overlap(&b.1.words, &features.words)))
        {
            Some((known, of_known)) => {
                if join(known, finding) {
                    *of_known = features;
                }
            }
            None => merged.push((finding, features)),
        }
    }
    merged.into_iter().map(|(finding, _)| finding).collect()
}

/// Merges two findings. The one whose place is known better remains whole; on a tie, `known`, which is at least as severe. Returns whether
/// `other` replaced `known`.
fn join(known: &mut Finding, other: Finding) -> bool {
    let (severity, mut other) = (known.content.severity, other);
    let swapped = rank(other.anchor.state) < rank(known.anchor.state);
    let mut sources = known.sources.clone();
    sources.extend(other.sources.iter().filter(|source| !known.sources.contains(source)).cloned());
    if swapped {
        std::mem::swap(known, &mut other);
    }
    known.sources = sources;
    known.content.severity = severity;
    // A patch is only valid for the lines that it was made for.
    if known.content.suggested_patch.is_none() && other.fix.is_some() && range(known) == range(&other) {
        (known.fix, known.content.suggested_patch) = (other.fix, other.content.suggested_patch);
    }
    if known.chain.is_empty() {
        known.chain = other.chain;
    }
    for claim in other.claims {
        if !known.claims.iter().any(|own| own.claim == claim.claim) {
            known.claims.push(claim);
        }
    }
    swapped
}

/// Returns how well a place is known; 0 is best.
fn rank(state: AnchorState) -> u8 {
    match state {
        AnchorState::Verified => 0,
        AnchorState::Moved => 1,
        AnchorState::Unverified => 2,
        AnchorState::File => 3,
        AnchorState::Unplaced => 4,
    }
}

/// The features by which a finding is compared, computed once.
struct MergeFeatures {
    words: HashSet<String>,
    /// All words of the headline, because "argument a" is not "argument b".
    title: Vec<String>,
    /// The names in backticks or quotes: of the headline, and of headline and text.
    names: [HashSet<String>; 2],
    /// The quote without white space, if it was found at the anchor.
    code: Option<String>,
}

impl MergeFeatures {
    fn of(finding: &Finding) -> Self {
        let title = finding.content.title.as_deref().unwrap_or_default();
        let in_title = names(title);
        let mut anywhere = names(&finding.content.body_markdown);
        anywhere.extend(in_title.iter().cloned());
        let found = matches!(finding.anchor.state, AnchorState::Verified | AnchorState::Moved);
        Self {
            words: words(finding),
            title: tokens(title).collect(),
            names: [in_title, anywhere],
            code: quoted(finding).filter(|_| found),
        }
    }
}

fn is_same((a, of_a): (&Finding, &MergeFeatures), (b, of_b): (&Finding, &MergeFeatures)) -> bool {
    if Headline::of(a).differs(&Headline::of(b)) {
        return false;
    }
    if a.anchor.path != b.anchor.path || !is_near(a, b) || name_others(of_a, of_b) || sit_apart(of_a, of_b) {
        return false;
    }
    if a.sources.iter().any(|source| b.sources.contains(source)) {
        // The capability reviewer separates findings on purpose, even if their sentences are similar.
        return !a.sources.iter().any(|source| source == crate::finding::CAPABILITY_REVIEWER)
            && range(a) == range(b)
            && of_a.title == of_b.title
            && overlap(&of_a.words, &of_b.words) >= REPEATED;
    }
    let alike = likeness(&of_a.words, &of_b.words);
    let same_code = quoted(a).is_some_and(|code| quoted(b) == Some(code));
    alike >= SAME_WORDS || same_code && a.content.category == b.content.category && alike >= SAME_CODE
}

/// Returns whether they name different things: in their headlines or, if one headline names nothing, anywhere. One may name more than the
/// other.
fn name_others(a: &MergeFeatures, b: &MergeFeatures) -> bool {
    let pairs = a.names.iter().zip(&b.names);
    let both = pairs.into_iter().find(|(a, b)| !a.is_empty() && !b.is_empty());
    both.is_some_and(|(a, b)| !a.is_subset(b) && !b.is_subset(a))
}

/// Returns whether they quote different code that was found. One quote may contain the other.
fn sit_apart(a: &MergeFeatures, b: &MergeFeatures) -> bool {
    let both = a.code.as_ref().zip(b.code.as_ref());
    both.is_some_and(|(a, b)| !a.contains(b.as_str()) && !b.contains(a.as_str()))
}

type Range = (Side, Option<u32>, Option<u32>);

fn range(finding: &Finding) -> Range {
    let anchor = &finding.anchor;
    (anchor.side, anchor.line_start, anchor.line_end)
}

fn quoted(finding: &Finding) -> Option<String> {
    finding.content.quote.as_deref().map(letters).filter(|code| code.len() >= 4)
}

fn is_near(a: &Finding, b: &Finding) -> bool {
    match (a.anchor.line_start.zip(a.anchor.line_end), b.anchor.line_start.zip(b.anchor.line_end)) {
        (Some((a_start, a_end)), Some((b_start, b_end))) => {
            a.anchor.side == b.anchor.side
                && a_start <= b_end.saturating_add(NEAR)
                && b_start <= a_end.saturating_add(NEAR)
        }
        (None, None) => true,
        _ => false,
    }
}

/// Returns the share of the shorter finding's words that the other also contains.
fn likeness(a: &HashSet<String>, b: &HashSet<String>) -> f64 {
    let common = a.intersection(b).count() as f64;
    let fewer = a.len().min(b.len());
    if fewer == 0 { 0.0 } else { common / fewer as f64 }
}

/// Returns the share of all words that both contain.
fn overlap(a: &HashSet<String>, b: &HashSet<String>) -> f64 {
    let all = a.union(b).count();
    if all == 0 { 1.0 } else { a.intersection(b).count() as f64 / all as f64 }
}

fn letters(text: &str) -> String {
    text.chars().filter(|char| !char.is_whitespace()).collect()
}

/// Returns the meaningful words of a finding's headline and first sentences, reduced to their stems.
fn words(finding: &Finding) -> HashSet<String> {
    let title = finding.content.title.as_deref().unwrap_or_default();
    let body: String = finding.content.body_markdown.chars().take(400).collect();
    tokens(&format!("{title} {body}"))
        .filter(|word| word.len() > 1 && !EMPTY_WORDS.contains(&word.as_str()))
        .map(|word| stem(&word))
        .collect()
}

fn tokens(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|char: char| !char.is_alphanumeric() && char != '_');
    words.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// Returns the words in backticks, and those in quotes that are a single name.
fn names(text: &str) -> HashSet<String> {
    let between = |mark: char| text.split(mark).skip(1).step_by(2);
    let is_name =
        |text: &&str| !text.is_empty() && text.chars().all(|char| char.is_alphanumeric() || "_.".contains(char));
    between('`').chain(between('"').filter(is_name)).flat_map(tokens).collect()
}

fn stem(word: &str) -> String {
    let cut = ["ations", "ation", "ings", "ing", "ies", "ied", "ed", "es", "s", "ly"]
        .iter()
        .find_map(|end| word.strip_suffix(end).filter(|stem| stem.chars().count() >= 3));
    cut.unwrap_or(word).to_owned()
}

pub(super) fn pairs(earlier: &[Finding], later: &[Finding]) -> Vec<(usize, usize)> {
    let before: Vec<_> = earlier.iter().map(Features::of).collect();
    let after: Vec<_> = later.iter().map(Features::of).collect();
    let mut alike: Vec<(u32, usize, usize)> = Vec::new();
    for (a, one) in earlier.iter().enumerate() {
        for (b, other) in later.iter().enumerate() {
            let score = sameness((one, &before[a]), (other, &after[b]));
            if score > 0 {
                alike.push((score, a, b));
            }
        }
    }
    alike.sort_by_key(|&(score, a, b)| (std::cmp::Reverse(score), a, b));
    let (mut of_earlier, mut of_later) = (vec![false; earlier.len()], vec![false; later.len()]);
    alike.retain(|&(_, a, b)| {
        let free = !of_earlier[a] && !of_later[b];
        if free {
            (of_earlier[a], of_later[b]) = (true, true);
        }
        free
    });
    alike.into_iter().map(|(_, a, b)| (a, b)).collect()
}

/// The features by which a finding is compared, computed once, because two reviews of thousands of findings have millions of pairs.
struct Features {
    words: HashSet<String>,
    title: Option<String>,
    quoted: Option<String>,
}

impl Features {
    fn of(finding: &Finding) -> Self {
        Self {
            words: words(finding),
            title: finding.content.title.as_deref().map(str::to_lowercase),
            quoted: quoted(finding),
        }
    }
}

/// Returns how certain it is that two findings are the same; 0 if they are not.
fn sameness((a, of_a): (&Finding, &Features), (b, of_b): (&Finding, &Features)) -> u32 {
    if Headline::of(a).is_opposite(&Headline::of(b)) {
        return 0;
    }
    let same_code = a.code.is_some() && a.code == b.code || of_a.quoted.is_some() && of_a.quoted == of_b.quoted;
    let same_file = a.anchor.path == b.anchor.path;
    if !same_file && !same_code {
        return 0;
    }
    let alike = likeness(&of_a.words, &of_b.words);
    if !same_file && alike < MOVED_MEANING {
        return 0;
    }
    let same_title = of_a.title.is_some() && of_a.title == of_b.title;
    let same_kind = a.content.category == b.content.category;
    let here = same_code || is_near(a, b);
    // The capability reviewer separates findings on purpose, even if their sentences are similar.
    let built_in =
        |finding: &Finding| finding.sources.iter().any(|source| source == crate::finding::CAPABILITY_REVIEWER);
    let is_same = match () {
        () if built_in(a) && built_in(b) => same_title,
        () if here => same_title || alike >= SAME_MEANING,
        () => same_title || alike >= MOVED_MEANING && same_kind,
    };
    if !is_same {
        return 0;
    }
    1 + 8 * u32::from(same_code) + 4 * u32::from(same_title) + 2 * u32::from(here) + u32::from(same_kind)
}
