//! Merges the old head with the new base, line by line.
//!
//! In: the lines of the old base, and the differences to the old head (the author's side) and to the new base (the target's side).
//! Out: lines with their origin. The result always contains every line that either side added, and every line of the old base
//! that neither side removed, and nothing else. Lines that both sides added at the same place occur once. Sides that touch each
//! other, where git stops with a conflict, are merged by the same rule, and the author's lines there are marked.

use std::ops::Range;

use imara_diff::{Algorithm, Hunk, Token};

use crate::slots::Slots;
use crate::tokens::{Lines, Placing};

/// A line of the merged text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MergedLine {
    pub(crate) token: Token,
    /// The index of the line in the old head, if it is there.
    pub(crate) old: Option<u32>,
    /// The index of the line in the new base, if it is there.
    pub(crate) target: Option<u32>,
    /// Whether the old base has the line.
    pub(crate) base: bool,
}

/// The merged text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Merged {
    pub(crate) lines: Vec<MergedLine>,
    /// The author's lines where both sides touch each other, sorted. An empty range is a place where the author removed lines.
    pub(crate) conflicts: Vec<Range<usize>>,
    /// The number of lines of the old head that are absent because the target removed them.
    pub(crate) dropped: u32,
    /// The number of regions where both sides touch each other and differ.
    pub(crate) regions: usize,
    /// The lines of the old base that both sides replaced or removed there.
    pub(crate) contested: Vec<Token>,
}

/// The order of lines where both sides touch each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Strategy {
    /// Whether replaced lines stay beside the lines in whose place they are. Otherwise, equal lines of both sides are joined.
    pub(crate) slots: bool,
    /// Whether the target's lines precede the author's.
    pub(crate) target_first: bool,
}

/// The texts of a file as tokens.
pub(crate) struct Input<'a> {
    pub(crate) lines: &'a Lines<'a>,
    pub(crate) base: &'a [Token],
    pub(crate) author: &'a [Token],
    pub(crate) target: &'a [Token],
}

/// The part of all three texts that a group of touching differences covers.
struct Region<'h> {
    base: Range<u32>,
    author: Range<u32>,
    target: Range<u32>,
    author_hunks: &'h [Hunk],
    target_hunks: &'h [Hunk],
}

/// Merges by the given differences. `strategy` returns the order of lines in each region where both sides touch each other.
pub(crate) fn merge(
    input: &Input<'_>,
    author: &[Hunk],
    target: &[Hunk],
    strategy: &dyn Fn(usize) -> Strategy,
) -> Merged {
    let mut writer = Writer { input, strategy: strategy(0), merged: Merged::default() };
    let (mut base, mut a, mut t) = (0, 0, 0);
    let (mut author, mut target) = (author, target);
    loop {
        let (own, theirs) = group(author, target);
        let (author_hunks, target_hunks) = (&author[..own], &target[..theirs]);
        let hunks = || author_hunks.iter().chain(target_hunks);
        let (start, end) = match (hunks().map(|one| one.before.start).min(), hunks().map(|one| one.before.end).max()) {
            (Some(start), Some(end)) => (start, end),
            _ => break,
        };
        let unchanged = start - base;
        writer.keep(base..start, a, t);
        (a, t) = (a + unchanged, t + unchanged);
        let grown =
            |hunks: &[Hunk]| -> i64 { hunks.iter().map(|one| one.after.len() as i64 - one.before.len() as i64).sum() };
        let length = |hunks: &[Hunk]| u32::try_from(i64::from(end - start) + grown(hunks)).unwrap_or_default();
        let region = Region {
            base: start..end,
            author: a..a + length(author_hunks),
            target: t..t + length(target_hunks),
            author_hunks,
            target_hunks,
        };
        (base, a, t) = (end, region.author.end, region.target.end);
        writer.strategy = strategy(writer.merged.regions);
        writer.region(&region);
        (author, target) = (&author[own..], &target[theirs..]);
    }
    let end = u32::try_from(input.base.len()).unwrap_or(u32::MAX);
    writer.keep(base..end, a, t);
    writer.merged
}

/// Returns the numbers of hunks of both sides in the next group. The hunks of a group touch each other. As in git, changes of
/// adjacent lines touch.
fn group(author: &[Hunk], target: &[Hunk]) -> (usize, usize) {
    let (mut own, mut theirs) = (0, 0);
    let mut end = match (author.first(), target.first()) {
        (Some(one), Some(two)) => one.before.start.min(two.before.start),
        (Some(one), None) | (None, Some(one)) => one.before.start,
        (None, None) => return (0, 0),
    };
    loop {
        if let Some(next) = author.get(own).filter(|next| next.before.start <= end) {
            end = end.max(next.before.end);
            own += 1;
        } else if let Some(next) = target.get(theirs).filter(|next| next.before.start <= end) {
            end = end.max(next.before.end);
            theirs += 1;
        } else {
            return (own, theirs);
        }
    }
}

struct Writer<'a> {
    input: &'a Input<'a>,
    strategy: Strategy,
    merged: Merged,
}

impl Writer<'_> {
    /// Writes lines that neither side changed.
    fn keep(&mut self, base: Range<u32>, a: u32, t: u32) {
        for (at, line) in base.enumerate() {
            let at = at as u32;
            let token = self.input.base[line as usize];
            self.merged.lines.push(MergedLine { token, old: Some(a + at), target: Some(t + at), base: true });
        }
    }

    fn author(&mut self, line: u32, base: bool) {
        let token = self.input.author[line as usize];
        self.merged.lines.push(MergedLine { token, old: Some(line), target: None, base });
    }

    fn target(&mut self, line: u32) {
        let token = self.input.target[line as usize];
        self.merged.lines.push(MergedLine { token, old: None, target: Some(line), base: false });
    }

    fn both(&mut self, a: u32, t: u32, base: bool) {
        let token = self.input.target[t as usize];
        self.merged.lines.push(MergedLine { token, old: Some(a), target: Some(t), base });
    }

    fn region(&mut self, region: &Region<'_>) {
        let Region { base, author, target, author_hunks, target_hunks } = region;
        let own = &self.input.author[author.start as usize..author.end as usize];
        let theirs = &self.input.target[target.start as usize..target.end as usize];
        if target_hunks.is_empty() {
            author.clone().for_each(|line| self.author(line, false));
        } else if author_hunks.is_empty() {
            self.merged.dropped += base.end - base.start;
            target.clone().for_each(|line| self.target(line));
        } else if own == theirs {
            author.clone().zip(target.clone()).for_each(|(a, t)| self.both(a, t, false));
        } else {
            let Input { lines, base: all, .. } = *self.input;
            let own = Slots::new(lines, all, self.input.author, base, author_hunks);
            let theirs = Slots::new(lines, all, self.input.target, base, target_hunks);
            self.merged.regions += 1;
            let removed = own.removed.iter().zip(&theirs.removed).zip(&all[base.start as usize..]);
            let contested = removed.filter(|((own, theirs), _)| **own && **theirs).map(|(_, token)| *token);
            self.merged.contested.extend(contested);
            match self.strategy.slots {
                true => self.by_slots(region, &own, &theirs),
                false => self.by_equal_lines(region, &own, &theirs),
            }
        }
    }

    /// Marks the place of the next line as one where the author's lines touch the target's.
    fn mark(&mut self, length: usize) {
        let at = self.merged.lines.len();
        match self.merged.conflicts.last_mut() {
            Some(last) if last.end >= at => last.end = last.end.max(at + length),
            _ => self.merged.conflicts.push(at..at + length),
        }
    }

    /// Writes the lines in the order of the lines of the old base that they replace or precede.
    fn by_slots(&mut self, region: &Region<'_>, own: &Slots, theirs: &Slots) {
        let (mut a, mut t) = (region.author.start, region.target.start);
        let count = (region.base.end - region.base.start) as usize;
        for at in 0..=count {
            let (first, second) = (own.before[at], theirs.before[at]);
            self.pair(a..a + first, t..t + second);
            (a, t) = (a + first, t + second);
            if at == count {
                break;
            }
            match (own.removed[at], theirs.removed[at]) {
                (false, false) => {
                    self.both(a, t, true);
                    (a, t) = (a + 1, t + 1);
                }
                (true, false) => {
                    self.mark(0);
                    t += 1;
                }
                (false, true) => {
                    self.merged.dropped += 1;
                    a += 1;
                }
                (true, true) => {}
            }
            let (first, second) = (own.instead[at], theirs.instead[at]);
            if own.removed[at] && theirs.removed[at] && first == 0 && second > 0 {
                self.mark(0);
            }
            self.pair(a..a + first, t..t + second);
            (a, t) = (a + first, t + second);
        }
    }

    /// Writes the lines that both sides have at the same place.
    fn pair(&mut self, own: Range<u32>, theirs: Range<u32>) {
        let author = &self.input.author[own.start as usize..own.end as usize];
        let target = &self.input.target[theirs.start as usize..theirs.end as usize];
        if author == target {
            own.zip(theirs).for_each(|(a, t)| self.both(a, t, false));
            return;
        }
        let parts = self.input.lines.diff(Algorithm::Histogram, Placing::Down, author, target);
        // If the target has only a part of the author's lines, there is nothing to decide.
        let marked = theirs.is_empty() || parts.iter().any(|part| !part.after.is_empty());
        let (mut a, mut t) = (0, 0);
        let end = Hunk { before: own.end - own.start..u32::MAX, after: theirs.end - theirs.start..u32::MAX };
        for part in parts.iter().chain([&end]) {
            while a < part.before.start {
                self.both(own.start + a, theirs.start + t, false);
                (a, t) = (a + 1, t + 1);
            }
            if part == &end {
                break;
            }
            let lines: Vec<_> = part.before.clone().map(|line| (own.start + line, false)).collect();
            let others: Vec<_> = part.after.clone().map(|line| theirs.start + line).collect();
            self.sides(&lines, &others, marked);
            (a, t) = (part.before.end, part.after.end);
        }
    }

    /// Writes lines that have no order between both sides: the author's, with whether the old base has them, and the target's.
    fn sides(&mut self, own: &[(u32, bool)], theirs: &[u32], marked: bool) {
        // Where both have lines of their own, the target's lines are part of the conflict.
        let marked_target = marked && own.iter().any(|(_, base)| !base);
        if self.strategy.target_first {
            if marked_target {
                self.mark(theirs.len());
            }
            theirs.iter().for_each(|line| self.target(*line));
        }
        for (line, base) in own {
            if marked && !base {
                self.mark(1);
            }
            self.author(*line, *base);
        }
        if !self.strategy.target_first {
            if marked_target {
                self.mark(theirs.len());
            }
            theirs.iter().for_each(|line| self.target(*line));
        }
    }

    /// Writes the lines in the order of both sides, with equal lines joined.
    fn by_equal_lines(&mut self, region: &Region<'_>, own: &Slots, theirs: &Slots) {
        let (author, target) = (region.author.clone(), region.target.clone());
        let first = &self.input.author[author.start as usize..author.end as usize];
        let second = &self.input.target[target.start as usize..target.end as usize];
        let (old, new) = (own.unchanged(), theirs.unchanged());
        let mut parts = self.input.lines.diff(Algorithm::Histogram, Placing::Down, first, second);
        parts.push(Hunk { before: author.end - author.start..u32::MAX, after: target.end - target.start..u32::MAX });
        let (mut a, mut t) = (0, 0);
        self.mark(0);
        for Hunk { before, after } in parts {
            while a < before.start {
                match (old[a as usize], new[t as usize]) {
                    (Some(one), Some(other)) if one == other => self.both(author.start + a, target.start + t, true),
                    (None, None) => self.both(author.start + a, target.start + t, false),
                    _ => self.unequal(region, (own, &old, a..a + 1), (theirs, &new, t..t + 1)),
                }
                (a, t) = (a + 1, t + 1);
            }
            if before.end == u32::MAX {
                break;
            }
            (a, t) = (before.end, after.end);
            self.unequal(region, (own, &old, before), (theirs, &new, after));
        }
    }

    /// Writes lines of both sides that are not joined, without those that the other side removed. A line that neither side
    /// removed is written where the author has it.
    fn unequal(&mut self, region: &Region<'_>, own: SidePart<'_>, theirs: SidePart<'_>) {
        let (own, old, before) = own;
        let (theirs, new, after) = theirs;
        let mut lines = Vec::new();
        for at in before {
            let base = old[at as usize];
            if base.is_some_and(|line| theirs.removed[line]) {
                self.merged.dropped += 1;
            } else {
                lines.push((region.author.start + at, base.is_some()));
            }
        }
        let mut others = Vec::new();
        for at in after {
            match new[at as usize] {
                None => others.push(region.target.start + at),
                Some(line) if own.removed[line] => self.mark(0),
                Some(_) => {}
            }
        }
        self.sides(&lines, &others, true);
    }
}

/// The changes of a side, the line of the old base for each of its lines, and some of its lines.
type SidePart<'a> = (&'a Slots, &'a [Option<usize>], Range<u32>);
