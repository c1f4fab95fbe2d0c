//! Finds blocks that are at another place, in the same or another file.

use std::collections::{BTreeSet, HashMap, HashSet};

use imara_diff::{Algorithm, Diff, InternedInput};

use crate::changed::Changed;
use crate::types::FoldReason;

/// The minimum number of lines with words of a moved block.
pub(crate) const MIN_LINES: usize = 3;
/// The minimum number of letters and digits of a moved block.
const MIN_WEIGHT: u32 = 40;
/// The number of letters and digits from which a line counts as one with words.
pub(crate) const LINE_WEIGHT: u32 = 3;
/// The number of places at which a line is searched. More frequent lines do not begin a block.
pub(crate) const MAX_PLACES: usize = 64;
/// The number of edited lines between two parts of a moved block.
const MAX_EDITED: usize = 6;
/// The number of lines after a moved block that are compared with the lines after its new place.
const MAX_REST: usize = 400;

/// Lines that are equal in two places: indices into the removed and the added lines.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    weight: u32,
    length: usize,
    old: usize,
    new: usize,
}

/// The lines without a fold.
struct Lines {
    /// Indices of [`Changed::lines`], without blank lines.
    old: Vec<usize>,
    new: Vec<usize>,
}

pub(crate) fn fold(changed: &mut Changed<'_>) {
    let free = |added: bool| {
        let wanted = |id: &usize| {
            let line = &changed.lines[*id];
            line.added == added && !changed.is_folded(*id) && !line.key.blank
        };
        (0..changed.lines.len()).filter(wanted).collect::<Vec<_>>()
    };
    let lines = Lines { old: free(false), new: free(true) };
    let mut runs: BTreeSet<Run> = find(changed, &lines).into_iter().collect();
    while let Some(run) = runs.pop_last() {
        match still_free(changed, &lines, run) {
            Some(rest) if rest == run => accept(changed, &lines, run),
            Some(rest) => {
                runs.insert(rest);
            }
            None => {}
        }
    }
}

impl Lines {
    fn is_next(changed: &Changed<'_>, ids: &[usize], at: usize) -> bool {
        let (Some(&one), Some(&two)) = (ids.get(at), ids.get(at + 1)) else { return false };
        let (one, two) = (&changed.lines[one], &changed.lines[two]);
        one.file == two.file && one.order + 1 == two.order
    }

    /// Returns whether the line after a pair of equal lines is the same on both sides. `begun` says whether the block has code already; its
    /// first code may be joined differently to the lines before the block.
    fn goes_on(&self, changed: &Changed<'_>, old: usize, new: usize, begun: bool) -> bool {
        if !Self::is_next(changed, &self.old, old) || !Self::is_next(changed, &self.new, new) {
            return false;
        }
        let (one, other) = (changed.lines[self.old[old + 1]].key, changed.lines[self.new[new + 1]].key);
        one.tokens == other.tokens && (one.join == other.join || !begun)
    }

    fn run(&self, changed: &Changed<'_>, old: usize, new: usize, length: usize) -> Run {
        let weight = |at: &usize| changed.lines[*at].key.weight;
        Run { weight: self.old[old..old + length].iter().map(weight).sum(), length, old, new }
    }

    fn is_block(&self, changed: &Changed<'_>, run: Run) -> bool {
        let heavy = |id: &&usize| changed.lines[**id].key.weight >= LINE_WEIGHT;
        run.weight >= MIN_WEIGHT && self.old[run.old..run.old + run.length].iter().filter(heavy).count() >= MIN_LINES
    }
}

fn find(changed: &Changed<'_>, lines: &Lines) -> Vec<Run> {
    let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
    for (at, id) in lines.new.iter().enumerate() {
        places.entry(changed.lines[*id].key.tokens).or_default().push(at);
    }
    let mut runs = Vec::new();
    let mut covered: HashSet<(usize, usize)> = HashSet::new();
    for (old, id) in lines.old.iter().enumerate() {
        let key = changed.lines[*id].key;
        let found = places.get(&key.tokens).filter(|found| found.len() <= MAX_PLACES);
        for &new in found.into_iter().flatten() {
            if covered.remove(&(old, new)) {
                continue;
            }
            let mut length = 1;
            let mut begun = key.code;
            while lines.goes_on(changed, old + length - 1, new + length - 1, begun) {
                begun |= changed.lines[lines.old[old + length]].key.code;
                covered.insert((old + length, new + length));
                length += 1;
            }
            let run = lines.run(changed, old, new, length);
            if lines.is_block(changed, run) {
                runs.push(run);
            }
        }
    }
    runs
}

/// Returns the longest part of a run that no other fold has taken.
fn still_free(changed: &Changed<'_>, lines: &Lines, run: Run) -> Option<Run> {
    let is_free =
        |at: usize| !changed.is_folded(lines.old[run.old + at]) && !changed.is_folded(lines.new[run.new + at]);
    let mut best: Option<Run> = None;
    let mut from = 0;
    for at in 0..=run.length {
        if at < run.length && is_free(at) {
            continue;
        }
        if at > from {
            let part = lines.run(changed, run.old + from, run.new + from, at - from);
            best = best.max(Some(part));
        }
        from = at + 1;
    }
    best.filter(|part| lines.is_block(changed, *part))
}

fn accept(changed: &mut Changed<'_>, lines: &Lines, run: Run) {
    let fold = changed.add(FoldReason::Moved, Vec::new());
    let mut pairs: Vec<(usize, usize)> = (0..run.length).map(|at| (run.old + at, run.new + at)).collect();
    pairs.extend(rest(changed, lines, (run.old + run.length - 1, run.new + run.length - 1), true));
    pairs.extend(rest(changed, lines, (run.old, run.new), false));
    for (old, new) in pairs {
        changed.put(lines.old[old], fold);
        changed.put(lines.new[new], fold);
    }
}

/// Returns the equal lines after (or before) a block, between which lines were edited.
fn rest(changed: &Changed<'_>, lines: &Lines, from: (usize, usize), forward: bool) -> Vec<(usize, usize)> {
    let side = |ids: &[usize], from: usize| {
        let mut found = Vec::new();
        let mut at = from;
        while found.len() < MAX_REST {
            let next = if forward { at.checked_add(1) } else { at.checked_sub(1) };
            let Some(next) = next else { break };
            let joined = Lines::is_next(changed, ids, at.min(next));
            if !joined || changed.is_folded(ids[next]) {
                break;
            }
            found.push(next);
            at = next;
        }
        found
    };
    let (old, new) = (side(&lines.old, from.0), side(&lines.new, from.1));
    let key = |ids: &[usize], at: &usize| {
        let key = changed.lines[ids[*at]].key;
        (key.tokens, key.join)
    };
    let mut input = InternedInput::default();
    input.update_before(old.iter().map(|at| key(&lines.old, at)));
    input.update_after(new.iter().map(|at| key(&lines.new, at)));
    let diff = Diff::compute(Algorithm::Histogram, &input);
    let mut pairs = Vec::new();
    let (mut removed, mut added) = (0, 0);
    let end = (old.len(), new.len());
    let different = diff
        .hunks()
        .map(|hunk| (hunk.before, hunk.after))
        .map(|(before, after)| (before.start as usize..before.end as usize, after.start as usize..after.end as usize));
    for (before, after) in different.chain([(end.0..end.0, end.1..end.1)]) {
        let equal = before.start - removed;
        pairs.extend((0..equal).map(|at| (old[removed + at], new[added + at])));
        if before.len().max(after.len()) > MAX_EDITED {
            break;
        }
        (removed, added) = (before.end, after.end);
    }
    pairs
}
