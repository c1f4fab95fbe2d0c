//! The places of a side's new lines relative to the lines of the old base, where both sides touch each other.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, Hunk, InternedInput, Token};

use crate::tokens::Lines;

/// The changes of one side, by line of the old base. The numbers count lines of the side, in their order: those before a line, the
/// line itself unless it was removed, and those in its place.
pub(crate) struct Slots {
    /// Whether the side removed the line.
    pub(crate) removed: Vec<bool>,
    /// The number of new lines before the line. The last number is that behind all lines.
    pub(crate) before: Vec<u32>,
    /// The number of new lines in place of the line.
    pub(crate) instead: Vec<u32>,
}

impl Slots {
    /// Reads the hunks of one side in a part of the old base.
    pub(crate) fn new(lines: &Lines<'_>, base: &[Token], side: &[Token], part: &Range<u32>, hunks: &[Hunk]) -> Self {
        let count = part.len();
        let mut slots = Self { removed: vec![false; count], before: vec![0; count + 1], instead: vec![0; count] };
        for hunk in hunks {
            let start = (hunk.before.start - part.start) as usize;
            slots.removed[start..start + hunk.before.len()].fill(true);
            let old = &base[hunk.before.start as usize..hunk.before.end as usize];
            let new = &side[hunk.after.start as usize..hunk.after.end as usize];
            slots.place(lines, start, old, new);
        }
        slots
    }

    /// Places new lines beside the old lines from `start` that they differ from by blanks only, and the others between them.
    fn place(&mut self, lines: &Lines<'_>, start: usize, old: &[Token], new: &[Token]) {
        let mut input = InternedInput::default();
        input.update_before(old.iter().map(|token| squeezed(lines.get(*token))));
        input.update_after(new.iter().map(|token| squeezed(lines.get(*token))));
        let mut at = 0;
        for part in Diff::compute(Algorithm::Myers, &input).hunks() {
            let (old, new) = (part.before, part.after);
            self.instead[start + at..start + old.start as usize].fill(1);
            at = old.end as usize;
            if old.is_empty() {
                match old.start.checked_sub(1) {
                    Some(previous) => self.instead[start + previous as usize] += new.len() as u32,
                    None => self.before[start] += new.len() as u32,
                }
            } else if old.len() == new.len() {
                self.instead[start + old.start as usize..start + old.end as usize].fill(1);
            } else {
                self.instead[start + old.start as usize] = new.len() as u32;
            }
        }
        self.instead[start + at..start + old.len()].fill(1);
    }

    /// Returns for each line of the side the line of the old base that it is, or `None` if the side added it.
    pub(crate) fn unchanged(&self) -> Vec<Option<usize>> {
        let mut lines = Vec::new();
        for (at, removed) in self.removed.iter().enumerate() {
            lines.extend((0..self.before[at]).map(|_| None));
            lines.extend((!removed).then_some(Some(at)));
            lines.extend((0..self.instead[at]).map(|_| None));
        }
        lines.extend((0..self.before[self.removed.len()]).map(|_| None));
        lines
    }
}

/// Returns a line without blanks.
fn squeezed(line: &[u8]) -> Vec<u8> {
    line.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect()
}
