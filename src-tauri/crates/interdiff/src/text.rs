//! Compares the four texts of a file.
//!
//! The old head is merged with the new base, and the result is compared with the new head. Every difference is the author's, and
//! all are shown. A merge can have several right results (equal lines, other differences, commit by commit). Each contains all that
//! the author had and all that the target added, so the one that the new head differs from least is used.

use std::ops::Range;

use bytes::Bytes;
use imara_diff::{Algorithm, Hunk, Token};

use crate::merge::{Input, Merged, MergedLine, Strategy, merge};
use crate::shown::{self, Differences};
use crate::tokens::{Lines, Placing};
use crate::{Hidden, ShownHunk};

/// The texts of a file. An absent file is empty.
#[derive(Clone, Copy, Debug)]
pub struct Texts<'a> {
    /// The text where the old version of the change starts.
    pub old_base: &'a [u8],
    /// The text where it ends.
    pub old_head: &'a [u8],
    /// The text where the new version starts.
    pub new_base: &'a [u8],
    /// The text where it ends.
    pub new_head: &'a [u8],
}

/// The result of a comparison of texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextComparison {
    /// The author's edits, with context. Empty if the new head equals a rebase of the old one.
    pub hunks: Vec<ShownHunk>,
    /// The numbers of lines that are hidden.
    pub hidden: Hidden,
    /// The lines of the old base that both sides replaced or removed in different ways.
    pub contested: Vec<Bytes>,
}

/// The differences that merges are made of, in the order in which they are tried.
const DIFFERENCES: [(Algorithm, Placing); 4] = [
    (Algorithm::Histogram, Placing::Down),
    (Algorithm::Myers, Placing::Down),
    (Algorithm::Histogram, Placing::Indent),
    (Algorithm::Myers, Placing::Indent),
];

/// The orders of lines where both sides touch each other.
const STRATEGIES: [Strategy; 4] = [
    Strategy { slots: true, target_first: false },
    Strategy { slots: true, target_first: true },
    Strategy { slots: false, target_first: false },
    Strategy { slots: false, target_first: true },
];

/// The maximum number of lines of all texts with which several merges are tried.
const MAX_LINES: usize = 400_000;

/// The maximum number of regions with an order of their own.
const MAX_REGIONS: usize = 16;
/// The maximum number of lines between two differences of which one cannot tell whether they are old or new. Each of them is beside a
/// difference, so that joining does not make other lines touch.
const MAX_UNDECIDED: usize = 2;

/// Compares four texts. `steps` returns the texts of the file in the commits of the old version, oldest first, without its base.
/// They are only read if the texts cannot be merged without a conflict.
pub fn compare_texts(texts: &Texts<'_>, steps: &dyn Fn() -> Vec<Vec<u8>>, context: usize) -> TextComparison {
    let mut lines = Lines::new();
    let base = lines.add(texts.old_base);
    let author = lines.add(texts.old_head);
    let target = lines.add(texts.new_base);
    let head = lines.add(texts.new_head);
    let size = base.len() + author.len() + target.len() + head.len();
    let input = Input { lines: &lines, base: &base, author: &author, target: &target };
    let mut best: Option<Candidate> = None;
    for (algorithm, placing) in DIFFERENCES {
        let own = undecided_joined(&input, lines.diff(algorithm, placing, &base, &author));
        let theirs = lines.diff(algorithm, placing, &base, &target);
        let candidate = |strategies: &[Strategy]| {
            let strategy = |region: usize| strategies.get(region).copied().unwrap_or(STRATEGIES[0]);
            Candidate::new(&lines, merge(&input, &own, &theirs, &strategy), &head)
        };
        let found = match size > MAX_LINES {
            true => candidate(&[]),
            false => with_best_orders(&candidate),
        };
        let done = found.cost == 0 || size > MAX_LINES;
        if best.as_ref().is_none_or(|best| found.cost < best.cost) {
            best = Some(found);
        }
        if done {
            return finish(&lines, best, &head, context);
        }
    }
    let clean = best.as_ref().is_some_and(|best| best.merged.conflicts.is_empty());
    if !clean && replay(&steps(), texts).is_some_and(|replayed| replayed == texts.new_head) {
        return TextComparison { hidden: hidden_of_rebase(&lines, &author, &head), ..TextComparison::default() };
    }
    finish(&lines, best, &head, context)
}

/// Returns the candidate with the fewest lines to show: one order for all regions where both sides touch each other, and then
/// another one for each region where that shows less.
fn with_best_orders(candidate: &dyn Fn(&[Strategy]) -> Candidate) -> Candidate {
    let mut best = candidate(&[]);
    let regions = best.merged.regions;
    if best.cost == 0 || regions == 0 {
        return best;
    }
    let mut chosen = vec![STRATEGIES[0]; regions];
    let mut attempt = |chosen: &mut Vec<Strategy>, strategies: Vec<Strategy>| {
        let found = candidate(&strategies);
        if found.cost < best.cost {
            (best, *chosen) = (found, strategies);
        }
    };
    for strategy in &STRATEGIES[1..] {
        attempt(&mut chosen, vec![*strategy; regions]);
    }
    for region in 0..if regions > 1 { regions.min(MAX_REGIONS) } else { 0 } {
        for strategy in STRATEGIES {
            let mut other = chosen.clone();
            if other[region] != strategy {
                other[region] = strategy;
                attempt(&mut chosen, other);
            }
        }
    }
    best
}

/// Joins differences of the author's side with only a few lines without words between them. Such a line can be the old one or a new
/// equal one, so it counts as the author's.
fn undecided_joined(input: &Input<'_>, hunks: Vec<Hunk>) -> Vec<Hunk> {
    let wordless =
        |token: &Token| !input.lines.get(*token).iter().any(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80);
    let mut joined: Vec<Hunk> = Vec::with_capacity(hunks.len());
    for hunk in hunks {
        if let Some(last) = joined.last_mut() {
            let between = &input.base[last.before.end as usize..hunk.before.start as usize];
            if between.len() <= MAX_UNDECIDED && between.iter().all(wordless) {
                (last.before.end, last.after.end) = (hunk.before.end, hunk.after.end);
                continue;
            }
        }
        joined.push(hunk);
    }
    joined
}

/// A merged text and its differences from the new head.
struct Candidate {
    merged: Merged,
    parts: Vec<Hunk>,
    /// The number of lines that would be shown.
    cost: usize,
}

impl Candidate {
    fn new(lines: &Lines<'_>, merged: Merged, head: &[Token]) -> Self {
        let tokens: Vec<Token> = merged.lines.iter().map(|line| line.token).collect();
        let parts = lines.diff(Algorithm::Histogram, Placing::Indent, &tokens, head);
        let changed: usize = parts.iter().map(|part| part.before.len() + part.after.len()).sum();
        let marked: usize = merged.conflicts.iter().map(|range| unchanged_lines(range, &parts)).sum();
        Self { cost: changed + marked, merged, parts }
    }
}

/// Returns the number of lines of a conflict that are shown although the new head has them, at least 1 if no difference is there.
fn unchanged_lines(conflict: &Range<usize>, parts: &[Hunk]) -> usize {
    let from = parts.partition_point(|part| (part.before.end as usize) < conflict.start);
    let touching = parts[from..].iter().take_while(|part| part.before.start as usize <= conflict.end);
    let overlap = |part: &Hunk| {
        let (start, end) = (part.before.start as usize, part.before.end as usize);
        end.min(conflict.end).saturating_sub(start.max(conflict.start))
    };
    match touching.map(overlap).reduce(|sum, one| sum + one) {
        Some(changed) => conflict.len() - changed,
        None => conflict.len().max(1),
    }
}

fn finish(lines: &Lines<'_>, best: Option<Candidate>, head: &[Token], context: usize) -> TextComparison {
    let Some(Candidate { merged, parts, .. }) = best else { return TextComparison::default() };
    let hidden = hidden(&merged, &parts);
    let hunks = shown::hunks(&Differences { lines, merged: &merged, head, parts: &parts }, context);
    let contested = merged.contested.iter().map(|token| Bytes::copy_from_slice(lines.get(*token))).collect();
    TextComparison { hunks, hidden, contested }
}

/// Counts the lines that are in the new head, or absent from it, because of the target.
fn hidden(merged: &Merged, parts: &[Hunk]) -> Hidden {
    let mut hidden = Hidden { removed: merged.dropped, ..Hidden::default() };
    let mut count = |lines: &[MergedLine]| {
        for line in lines.iter().filter(|line| !line.base && line.target.is_some()) {
            match line.old {
                None => hidden.added += 1,
                Some(_) => hidden.both += 1,
            }
        }
    };
    let mut at = 0;
    for Range { start, end } in parts.iter().map(|part| part.before.clone()) {
        count(&merged.lines[at..start as usize]);
        at = end as usize;
    }
    count(&merged.lines[at..]);
    hidden
}

/// Counts the lines that differ between the old and the new head, which is a rebase of it.
fn hidden_of_rebase(lines: &Lines<'_>, old: &[Token], new: &[Token]) -> Hidden {
    let mut hidden = Hidden::default();
    for part in lines.diff(Algorithm::Histogram, Placing::Down, old, new) {
        hidden.removed += part.before.len() as u32;
        hidden.added += part.after.len() as u32;
    }
    hidden
}

/// Applies the steps of the old version to the new base, one after the other, as a rebase does. Returns `None` if one of them
/// conflicts.
fn replay(steps: &[Vec<u8>], texts: &Texts<'_>) -> Option<Vec<u8>> {
    if steps.len() < 2 {
        return None;
    }
    let mut result = texts.new_base.to_vec();
    let mut before = texts.old_base;
    for after in steps {
        result = clean_merge(before, after, &result)?;
        before = after;
    }
    Some(result)
}

/// Merges two changes of a text. Returns `None` if they touch each other and differ.
fn clean_merge(base: &[u8], author: &[u8], target: &[u8]) -> Option<Vec<u8>> {
    let mut lines = Lines::new();
    let (base, author, target) = (lines.add(base), lines.add(author), lines.add(target));
    let own = lines.diff(Algorithm::Histogram, Placing::Down, &base, &author);
    let theirs = lines.diff(Algorithm::Histogram, Placing::Down, &base, &target);
    let input = Input { lines: &lines, base: &base, author: &author, target: &target };
    let merged = merge(&input, &own, &theirs, &|_| STRATEGIES[0]);
    let text = || merged.lines.iter().flat_map(|line| lines.get(line.token)).copied().collect();
    merged.conflicts.is_empty().then(text)
}
