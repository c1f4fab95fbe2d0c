//! Merges findings that say the same, by place, code and meaning. They may come from one agent, from batches of a change or from several
//! agents.
//!
//! In: placed findings. Out: fewer of them, each with all agents that found it. Two findings are the same only if they name the same lines,
//! code and symbols; two findings of one agent only if they are repetitions, because problems that one agent separates are different
//! problems. The words, place and patch of a merged finding come from one of them, the severity from the worst. Each finding is compared
//! only with those near it in its file, so that the time for thousands of findings does not grow with the millions of their pairs.

pub(crate) mod headline;
pub(crate) mod near;
pub(crate) mod words;

use std::collections::{HashMap, HashSet};

use crate::finding::{AnchorState, Finding};

use headline::Headline;
use near::{List, Nearby, Range, is_near, range};
use words::{Numbers, Words, names, quoted, tokens};

/// The minimum similarity of two findings of one agent, of 1: the agent repeats itself.
const REPEATED: f64 = 0.8;
/// The minimum similarity of findings of two agents.
const SAME_WORDS: f64 = 0.5;
/// The minimum similarity if their quoted code is the same.
const SAME_CODE: f64 = 0.2;
/// The maximum number of pairs that are compared, which takes some seconds. Only thousands of findings on one line have more pairs.
const MAX_COMPARISONS: u64 = 100_000_000;
/// The note of a finding that was not compared because of [`MAX_COMPARISONS`].
const NOT_COMPARED: &str = "not compared with the other findings: too many are at the same place";

/// Merges findings that say the same. The result is sorted by severity, the worst first.
pub fn merge(findings: Vec<Finding>) -> Vec<Finding> {
    merge_bounded(findings, MAX_COMPARISONS)
}

fn merge_bounded(findings: Vec<Finding>, comparisons: u64) -> Vec<Finding> {
    let mut merging = Merging { left: comparisons, ..Merging::default() };
    let mut sorted = findings;
    sorted.sort_by_key(|finding| std::cmp::Reverse(finding.content.severity));
    sorted.into_iter().for_each(|finding| merging.add(finding));
    merging.known.into_iter().map(|known| known.finding).collect()
}

/// A finding that other findings were merged into.
struct Known {
    finding: Finding,
    features: Features,
    claims: HashSet<String>,
}

/// The file, lines and title that findings of one agent must share to be repetitions.
type SameTitle = (u32, Range, u32);

#[derive(Default)]
struct Merging {
    known: Vec<Known>,
    numbers: Numbers,
    /// Findings by file and by the agents that found them.
    others: HashMap<u32, HashMap<Vec<u32>, Nearby>>,
    same: HashMap<SameTitle, List>,
    /// The number of pairs that may still be compared.
    left: u64,
}

impl Merging {
    fn add(&mut self, finding: Finding) {
        let features = Features::of(&finding, &mut self.numbers);
        match self.best(&finding, &features) {
            Some(at) => self.join(at, finding, features),
            None => {
                let mut finding = finding;
                if self.left == 0 {
                    finding.anchor.notes.push(NOT_COMPARED.to_owned());
                }
                let claims = finding.claims.iter().map(|claim| claim.claim.clone()).collect();
                self.known.push(Known { finding, features, claims });
                self.enter(self.known.len() - 1);
            }
        }
    }

    /// Returns the finding that a new one repeats: of several the most similar one, of those the last.
    fn best(&mut self, finding: &Finding, features: &Features) -> Option<usize> {
        let (known, left) = (&self.known, &mut self.left);
        let mut best: Option<(f64, usize)> = None;
        let mut look = |at: usize| {
            let other = &known[at];
            // When the number of comparisons is used up, nothing more is compared.
            let Some(rest) = left.checked_sub(1) else { return };
            *left = rest;
            if !is_same((&other.finding, &other.features), (finding, features)) {
                return;
            }
            let overlap = other.features.words.overlap(&features.words);
            if best.is_none_or(|(most, last)| overlap > most || overlap == most && at > last) {
                best = Some((overlap, at));
            }
        };
        let headline = (features.path, range(finding), features.title);
        self.same.get(&headline).into_iter().flat_map(List::iter).for_each(&mut look);
        for (sources, nearby) in self.others.get_mut(&features.path).into_iter().flatten() {
            if !sources.iter().any(|source| features.sources.contains(source)) {
                nearby.each(range(finding), &mut |list| list.iter().for_each(&mut look));
            }
        }
        best.map(|(_, at)| at)
    }

    fn join(&mut self, at: usize, finding: Finding, features: Features) {
        let known = &mut self.known[at];
        let before = (range(&known.finding), known.features.title, known.features.sources.clone());
        if join(&mut known.finding, finding, &mut known.claims) {
            known.features = features;
        }
        known.features.sources = known.finding.sources.iter().map(|source| self.numbers.of(source)).collect();
        known.features.built_in = is_built_in(&known.finding);
        if before != (range(&known.finding), known.features.title, known.features.sources.clone()) {
            let path = known.features.path;
            self.leave(at, path, before);
            self.enter(at);
        }
    }

    fn enter(&mut self, at: usize) {
        let Known { finding, features, .. } = &self.known[at];
        let of_file = self.others.entry(features.path).or_default();
        of_file.entry(features.sources.clone()).or_default().list(range(finding)).add(at);
        self.same.entry((features.path, range(finding), features.title)).or_default().add(at);
    }

    fn leave(&mut self, at: usize, path: u32, (range, title, sources): (Range, u32, Vec<u32>)) {
        if let Some(nearby) = self.others.get_mut(&path).and_then(|of_file| of_file.get_mut(&sources)) {
            nearby.list(range).remove(at);
        }
        if let Some(list) = self.same.get_mut(&(path, range, title)) {
            list.remove(at);
        }
    }
}

/// Merges two findings. The one whose place is known better remains whole; on a tie, `known`, which is at least as severe. Returns whether
/// `other` replaced `known`. `claims` are the claims of `known`.
fn join(known: &mut Finding, other: Finding, claims: &mut HashSet<String>) -> bool {
    let (severity, mut other) = (known.content.severity, other);
    let swapped = rank(other.anchor.state) < rank(known.anchor.state);
    let mut sources = known.sources.clone();
    sources.extend(other.sources.iter().filter(|source| !known.sources.contains(source)).cloned());
    if swapped {
        std::mem::swap(known, &mut other);
        *claims = known.claims.iter().map(|claim| claim.claim.clone()).collect();
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
        if claims.insert(claim.claim.clone()) {
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
struct Features {
    path: u32,
    sources: Vec<u32>,
    built_in: bool,
    words: Words,
    /// All words of the headline, because "argument a" is not "argument b".
    title: u32,
    headline: Headline,
    /// The names in backticks or quotes: of the headline, and of headline and text.
    names: [Words; 2],
    /// The quote without white space, if it was found at the anchor.
    code: Option<String>,
    quote: Option<u32>,
}

impl Features {
    fn of(finding: &Finding, numbers: &mut Numbers) -> Self {
        let title = finding.content.title.as_deref().unwrap_or_default();
        let mut numbered = |texts: &mut dyn Iterator<Item = String>| texts.map(|text| numbers.of(&text)).collect();
        let in_title: Vec<u32> = numbered(&mut names(title));
        let anywhere: Vec<u32> = numbered(&mut names(&finding.content.body_markdown));
        let found = matches!(finding.anchor.state, AnchorState::Verified | AnchorState::Moved);
        let quote = quoted(finding);
        Self {
            names: [Words::new(in_title.clone()), Words::new([in_title, anywhere].concat())],
            path: numbers.of(&finding.anchor.path),
            sources: finding.sources.iter().map(|source| numbers.of(source)).collect(),
            built_in: is_built_in(finding),
            words: Words::of(finding, numbers),
            headline: Headline::of(finding),
            title: numbers.of(&tokens(title).collect::<Vec<_>>().join(" ")),
            quote: numbers.of_optional(quote.as_deref()),
            code: quote.filter(|_| found),
        }
    }
}

pub(crate) fn is_built_in(finding: &Finding) -> bool {
    finding.sources.iter().any(|source| source == crate::finding::CAPABILITY_REVIEWER)
}

fn is_same((a, of_a): (&Finding, &Features), (b, of_b): (&Finding, &Features)) -> bool {
    if of_a.path != of_b.path || !is_near(range(a), range(b)) || of_a.headline.differs(&of_b.headline) {
        return false;
    }
    if of_a.sources.iter().any(|source| of_b.sources.contains(source)) {
        // The capability reviewer separates findings on purpose, even if their sentences are similar.
        return !of_a.built_in
            && range(a) == range(b)
            && of_a.title == of_b.title
            && of_a.words.may_overlap(&of_b.words, REPEATED)
            && of_a.words.overlap(&of_b.words) >= REPEATED
            && !name_others(of_a, of_b)
            && !sit_apart(of_a, of_b);
    }
    if !of_a.words.may_be_alike(&of_b.words, SAME_CODE) {
        return false;
    }
    let alike = of_a.words.likeness(&of_b.words);
    let same_code = of_a.quote.is_some() && of_a.quote == of_b.quote;
    let is_alike = alike >= SAME_WORDS || same_code && a.content.category == b.content.category && alike >= SAME_CODE;
    is_alike && !name_others(of_a, of_b) && !sit_apart(of_a, of_b)
}

/// Returns whether they name different things: in their headlines or, if one headline names nothing, anywhere. One may name more than the
/// other.
fn name_others(a: &Features, b: &Features) -> bool {
    let pairs = a.names.iter().zip(&b.names);
    let both = pairs.into_iter().find(|(a, b)| !a.is_empty() && !b.is_empty());
    both.is_some_and(|(a, b)| !a.is_subset(b) && !b.is_subset(a))
}

/// Returns whether they quote different code that was found. One quote may contain the other.
fn sit_apart(a: &Features, b: &Features) -> bool {
    let both = a.code.as_ref().zip(b.code.as_ref());
    both.is_some_and(|(a, b)| !a.contains(b.as_str()) && !b.contains(a.as_str()))
}

#[cfg(test)]
mod oracle;
#[cfg(test)]
mod tests;
