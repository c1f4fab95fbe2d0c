//! Follows lines from one text to another through the difference of both, as `git diff` shows it.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

/// Maps the lines of an earlier text to the current one.
pub(super) struct LineMap {
    /// The different parts: lines of the earlier text, and the lines in their place.
    parts: Vec<(Range<u32>, Range<u32>)>,
    /// The number of lines of the earlier text.
    length: u32,
}

/// The place of followed lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Followed {
    /// All lines are there. The number is that of the first one, from 1.
    Kept(u32),
    /// The lines in their place, numbered from 1: some of them or their neighbours were edited.
    Replaced(u32, u32),
    /// The lines were removed.
    Removed,
}

impl LineMap {
    /// Compares two texts. White space at the end of lines is ignored.
    pub(super) fn new(before: &str, after: &str) -> Self {
        let mut input = InternedInput::default();
        input.update_before(before.lines().map(str::trim_end));
        input.update_after(after.lines().map(str::trim_end));
        let diff = Diff::compute(Algorithm::Histogram, &input);
        let parts = diff.hunks().map(|hunk| (hunk.before, hunk.after)).collect();
        Self { parts, length: u32::try_from(input.before.len()).unwrap_or(u32::MAX) }
    }

    /// Follows lines `start..=end`, numbered from 1. Lines behind the end of the text are ignored.
    pub(super) fn follow(&self, start: u32, end: u32) -> Followed {
        let (from, to) = (start.saturating_sub(1), end.max(start).min(self.length));
        if from >= to {
            return Followed::Removed;
        }
        // A part without earlier lines is an insertion, which splits the lines only if it is between them.
        let touches = |part: &Range<u32>| match part.is_empty() {
            true => from < part.start && part.start < to,
            false => part.start < to && from < part.end,
        };
        let at = |line: u32| {
            let before = self.parts.iter().rev().find(|(before, _)| before.end <= line);
            before.map_or(line, |(before, after)| after.end + (line - before.end))
        };
        let mut touched = self.parts.iter().filter(|(before, _)| touches(before));
        let Some(first) = touched.next() else { return Followed::Kept(at(from) + 1) };
        let last = touched.next_back().unwrap_or(first);
        let new_start = if from < first.0.start { at(from) } else { first.1.start };
        let new_end = if last.0.end < to { at(to - 1) + 1 } else { last.1.end };
        if new_start < new_end { Followed::Replaced(new_start + 1, new_end) } else { Followed::Removed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_followed_through_insertions_edits_and_removals() {
        let before = "a\nb\nc\nd\ne\n";
        let follow = |after: &str, start, end| LineMap::new(before, after).follow(start, end);
        assert_eq!(follow(before, 2, 3), Followed::Kept(2));
        assert_eq!(follow("x\ny\na\nb\nc\nd\ne\n", 2, 3), Followed::Kept(4));
        assert_eq!(follow("a\nb\nx\nc\nd\ne\n", 2, 3), Followed::Replaced(2, 4));
        assert_eq!(follow("a\nB\nBB\nc\nd\ne\n", 2, 2), Followed::Replaced(2, 3));
        assert_eq!(follow("a\nB\nBB\nc\nd\ne\n", 1, 3), Followed::Replaced(1, 4));
        assert_eq!(follow("a\nd\ne\n", 2, 3), Followed::Removed);
        assert_eq!(follow("a\nd\ne\n", 2, 4), Followed::Replaced(2, 2));
        assert_eq!(follow("x\nb\nc\nd\n", 5, 5), Followed::Removed);
        assert_eq!(follow("", 5, 9), Followed::Removed);
        assert_eq!(LineMap::new("", "a\n").follow(3, 4), Followed::Removed);
    }
}
