//! Finds findings that are near each other by their lines, without visiting all others.

use std::collections::BTreeMap;

use crate::finding::{Finding, Side};

/// The maximum distance in lines between two findings that are near each other.
const NEAR: u32 = 2;

/// The place of a finding in its file: whether it is on the old side, and its first and last line.
pub(crate) type Range = (bool, Option<u32>, Option<u32>);

pub(crate) fn range(finding: &Finding) -> Range {
    let anchor = &finding.anchor;
    (anchor.side == Side::Old, anchor.line_start, anchor.line_end)
}

pub(crate) fn is_near((a_side, a_start, a_end): Range, (b_side, b_start, b_end): Range) -> bool {
    match (a_start.zip(a_end), b_start.zip(b_end)) {
        (Some((a_start, a_end)), Some((b_start, b_end))) => {
            a_side == b_side && a_start <= b_end.saturating_add(NEAR) && b_start <= a_end.saturating_add(NEAR)
        }
        (None, None) => true,
        _ => false,
    }
}

/// Returns whether two places have a line in common, or both have no lines.
pub(crate) fn overlaps((a_side, a_start, a_end): Range, (b_side, b_start, b_end): Range) -> bool {
    match (a_start.zip(a_end), b_start.zip(b_end)) {
        (Some((a_start, a_end)), Some((b_start, b_end))) => a_side == b_side && a_start <= b_end && b_start <= a_end,
        (None, None) => true,
        _ => false,
    }
}

/// Indices of findings in ascending order. Used ones are removed when they are found.
#[derive(Debug, Default)]
pub(crate) struct List {
    items: Vec<usize>,
    from: usize,
}

impl List {
    pub(crate) fn add(&mut self, item: usize) {
        self.items.push(item);
    }

    pub(crate) fn remove(&mut self, item: usize) {
        self.items.retain(|known| *known != item);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.items[self.from..].iter().copied()
    }

    /// Returns the first item below `limit` that is not used and passes a test.
    pub(crate) fn first(&mut self, used: &[bool], limit: usize, test: &mut dyn FnMut(usize) -> bool) -> Option<usize> {
        while self.items.get(self.from).is_some_and(|&item| used[item]) {
            self.from += 1;
        }
        let (mut found, mut skipped) = (None, 0);
        for item in self.iter().take_while(|&item| item < limit) {
            if used[item] {
                skipped += 1;
            } else if test(item) {
                found = Some(item);
                break;
            }
        }
        if skipped > 16 && skipped > (self.items.len() - self.from) / 2 {
            self.items = self.items[self.from..].iter().copied().filter(|&item| !used[item]).collect();
            self.from = 0;
        }
        found
    }
}

/// The findings of one file by their lines. Findings at the same range are in the order in which they were added.
#[derive(Default)]
pub(crate) struct Nearby {
    /// By side, length class (a power of two) and first line, then by the exact range. A finding of a class begins at most the length of
    /// the class before a line that it is near to.
    lines: BTreeMap<(bool, u32, u32), BTreeMap<Range, List>>,
    nowhere: List,
}

impl Nearby {
    /// Returns the list for a place.
    pub(crate) fn list(&mut self, place: Range) -> &mut List {
        match key(place) {
            Some(key) => self.lines.entry(key).or_default().entry(place).or_default(),
            None => &mut self.nowhere,
        }
    }

    /// Calls `look` with the lists of findings near a place, one list for each range.
    pub(crate) fn each(&mut self, place: Range, look: &mut dyn FnMut(&mut List)) {
        let (side, Some(start), Some(end)) = place else { return look(&mut self.nowhere) };
        for class in 0..=u32::BITS {
            let longest =
                1u64.checked_shl(class).map_or(u32::MAX, |length| u32::try_from(length - 1).unwrap_or(u32::MAX));
            let from = start.saturating_sub(NEAR).saturating_sub(longest);
            let until = end.saturating_add(NEAR);
            // A range may end before it begins.
            let keys = (side, class, from.min(until))..=(side, class, until.max(from));
            for (_, lists) in self.lines.range_mut(keys) {
                lists.iter_mut().filter(|(known, _)| is_near(**known, place)).for_each(|(_, list)| look(list));
            }
        }
    }
}

/// Returns the key of a range. Ranges of class `c` have at most `2^c - 1` lines more than one line.
fn key((side, start, end): Range) -> Option<(bool, u32, u32)> {
    let (start, end) = start.zip(end)?;
    let class = u32::BITS - end.saturating_sub(start).leading_zeros();
    Some((side, class, start))
}
