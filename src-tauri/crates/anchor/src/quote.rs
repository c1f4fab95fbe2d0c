//! Finds quoted code among lines. Agents change indentation, copy diff prefixes and start in the middle of a line. Therefore lines are
//! compared without surrounding white space, and the first and last line of a quote may be parts of lines.

use std::collections::BTreeMap;

/// Lines of a file by their numbers.
pub(super) type Lines = BTreeMap<u32, String>;

/// The text of lines without surrounding white space, in which every line with a text is found without comparing all lines.
#[derive(Clone, Debug, Default)]
pub(super) struct LineText {
    /// The lines, each with a line feed.
    text: Vec<u8>,
    /// The start of each line in `text`.
    begins: Vec<(usize, u32)>,
}

impl LineText {
    pub(super) fn of(lines: &Lines) -> Self {
        let mut all = Self::default();
        for (&number, line) in lines {
            all.begins.push((all.text.len(), number));
            all.text.extend(line.trim().bytes());
            all.text.push(b'\n');
        }
        all
    }

    /// Returns the lines that contain a text of one line, in ascending order.
    fn lines_with(&self, part: &str) -> Vec<u32> {
        let finder = memchr::memmem::Finder::new(part);
        let (mut found, mut from) = (Vec::new(), 0);
        while let Some(at) = finder.find(&self.text[from..]) {
            let next = self.begins.partition_point(|(begin, _)| *begin <= from + at);
            found.extend(next.checked_sub(1).map(|line| self.begins[line].1));
            from = self.begins.get(next).map_or(self.text.len(), |(begin, _)| *begin);
        }
        found
    }
}

/// Lines that are searched for a quote.
#[derive(Clone, Copy)]
pub(super) struct Searched<'a> {
    pub(super) lines: &'a Lines,
    pub(super) text: &'a LineText,
}

/// The first and the last line of a place.
pub(super) type Range = (u32, u32);

/// The maximum number of lines that an ellipsis in a quote stands for.
const MAX_GAP: u32 = 200;

/// Returns the quote's lines, trimmed, without empty lines at its ends.
pub(super) fn normalise(quote: &str) -> Vec<String> {
    let mut lines: Vec<String> = quote.lines().map(|line| line.trim().to_owned()).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let empty = lines.iter().take_while(|line| line.is_empty()).count();
    lines.drain(..empty);
    lines
}

/// Returns all places where the quote matches line by line.
pub(super) fn places(quote: &[String], lines: Searched<'_>) -> Vec<Range> {
    let is_line = |at: usize, wanted: &str, line: &str| {
        let (first, last) = (at == 0, at + 1 == quote.len());
        match (first, last) {
            (true, true) => line == wanted || (wanted.len() >= 4 && line.contains(wanted)),
            (true, false) => line.ends_with(wanted) && (line.is_empty() || !wanted.is_empty()),
            (false, true) => line.starts_with(wanted),
            (false, false) => line == wanted,
        }
    };
    matching(quote, lines, is_line)
}

/// The minimum length of a line that is cut off at its end.
const MIN_CUT_LINE: usize = 20;

/// Returns all places where each line of the quote is a line or the beginning of a long one.
pub(super) fn cut_places(quote: &[String], lines: Searched<'_>) -> Vec<Range> {
    matching(quote, lines, |_, wanted, line| line == wanted || wanted.len() >= MIN_CUT_LINE && line.starts_with(wanted))
}

/// Returns the places of a quote. `is_line` compares the line of the quote with this index with a line, which contains it in any case.
fn matching(quote: &[String], searched: Searched<'_>, is_line: impl Fn(usize, &str, &str) -> bool) -> Vec<Range> {
    let Searched { lines, text } = searched;
    let length = u32::try_from(quote.len()).unwrap_or(u32::MAX);
    let matches = |start: u32| {
        quote.iter().zip(start..).enumerate().all(|(at, (wanted, number))| {
            lines.get(&number).is_some_and(|line| is_line(at, wanted.as_str(), line.trim()))
        })
    };
    // Only the lines with the longest line of the quote are compared.
    let Some((at, longest)) = (0..).zip(quote).max_by_key(|(_, line)| line.len()) else { return Vec::new() };
    let candidates = match longest.is_empty() {
        true => lines.keys().copied().collect(),
        false => text.lines_with(longest),
    };
    let starts = candidates.into_iter().filter_map(|line| line.checked_sub(at)).filter(|&start| matches(start));
    starts.map(|start| (start, start.saturating_add(length - 1))).collect()
}

/// Returns the quote without a diff sign, if it is one line with one.
pub(super) fn unsigned(quote: &[String]) -> Option<Vec<String>> {
    let [only] = quote else { return None };
    let rest = only.strip_prefix(['+', '-'])?.trim();
    (!rest.is_empty()).then(|| vec![rest.to_owned()])
}

/// Returns whether the lines of a place are the whole lines of the quote.
pub(super) fn is_whole(quote: &[String], lines: &Lines, (start, _): Range) -> bool {
    quote.iter().zip(start..).all(|(wanted, number)| lines.get(&number).is_some_and(|line| line.trim() == wanted))
}

/// The maximum distance, in lines, of a miscounted number from the one of several equal places that it means.
const MAX_MISCOUNT: u32 = 3;

fn gap((start, end): Range, (from, to): Range) -> u32 {
    start.saturating_sub(to).max(from.saturating_sub(end))
}

/// Returns whether the numbers touch a place.
pub(super) fn touches(place: Range, near: Option<Range>) -> bool {
    near.is_some_and(|near| gap(place, near) == 0)
}

/// Returns whether the numbers decide between places with the same code: they touch one, or are much nearer to it than to the others.
pub(super) fn is_certain(places: &[Range], near: Option<Range>) -> bool {
    if places.len() < 2 {
        return true;
    }
    let Some(near) = near else { return false };
    let mut gaps: Vec<u32> = places.iter().map(|&place| gap(place, near)).collect();
    gaps.sort_unstable();
    gaps[0] == 0 || gaps[0] <= MAX_MISCOUNT && gaps[1] > 4 * gaps[0]
}

/// Returns the place nearest to the named lines. Of several places that touch them, returns the one that begins where they begin, because
/// equal closing tags may follow each other.
pub(super) fn nearest(places: &[Range], near: Option<Range>) -> Option<Range> {
    let distance = |place: Range| match near {
        Some(near) => (gap(place, near), place.0.abs_diff(near.0)),
        None => (place.0, 0),
    };
    places.iter().copied().min_by_key(|&place| distance(place))
}

/// A part of a quote between two omissions.
pub(super) struct Wanted {
    /// The lines, trimmed.
    pub lines: Vec<String>,
    /// Whether it may begin on the line on which the part before it ends.
    pub same_line: bool,
}

/// Returns the places from the first to the last part of a quote that leaves lines out between its parts.
pub(super) fn places_of_parts(parts: &[Wanted], lines: Searched<'_>) -> Vec<Range> {
    let Some((first, rest)) = parts.split_first() else { return Vec::new() };
    let rest: Vec<(Vec<Range>, bool)> =
        rest.iter().map(|part| (part_places(&part.lines, lines), part.same_line)).collect();
    let follow = |(start, end): Range| {
        let last = rest.iter().try_fold(end, |end, (places, same_line)| {
            let next = places.iter().find(|(start, _)| *start > end || *same_line && *start == end)?;
            (next.0 - end <= MAX_GAP).then_some(next.1)
        })?;
        Some((start, last))
    };
    let mut places: Vec<Range> = part_places(&first.lines, lines).into_iter().filter_map(follow).collect();
    // Of places with the same end, the first part of all but the shortest is another piece of the same code.
    places.sort_by_key(|&(start, end)| (end, std::cmp::Reverse(start)));
    places.dedup_by_key(|&mut (_, end)| end);
    if rest.iter().all(|(_, same_line)| *same_line) && places.iter().any(|(start, end)| start == end) {
        places.retain(|(start, end)| start == end);
    }
    places
}

/// A part may be shorter than a quote, because the other parts confirm it.
fn part_places(part: &[String], lines: Searched<'_>) -> Vec<Range> {
    match part {
        [short] if short.len() < 4 => {
            matching(part, lines, |_, wanted, line| line.starts_with(wanted) || line.ends_with(wanted))
        }
        _ => places(part, lines),
    }
}

/// The minimum number of bytes, without white space, of a quote that is compared without regard to white space.
const FEWEST_LETTERS: usize = 8;

/// The text of lines without white space.
#[derive(Clone, Debug, Default)]
pub(super) struct Letters {
    text: Vec<u8>,
    /// The start of each line in `text`. A gap between known lines is a line feed in `text`, so that no match spans it.
    begins: Vec<(usize, u32)>,
}

fn letters_of(text: &str) -> impl Iterator<Item = u8> + '_ {
    text.bytes().filter(|byte| !byte.is_ascii_whitespace())
}

impl Letters {
    pub(super) fn of(lines: &Lines) -> Self {
        let mut letters = Self::default();
        for (&number, line) in lines {
            if letters.begins.last().is_some_and(|(_, last)| last + 1 != number) {
                letters.text.push(b'\n');
            }
            letters.begins.push((letters.text.len(), number));
            letters.text.extend(letters_of(line));
        }
        letters
    }

    /// Returns the places of the quote without regard to white space: an agent may break lines or space them differently.
    pub(super) fn places(&self, quote: &[String]) -> Vec<Range> {
        let wanted: Vec<u8> = quote.iter().flat_map(|line| letters_of(line)).collect();
        if wanted.len() < FEWEST_LETTERS {
            return Vec::new();
        }
        let line_at = |at: usize| {
            let next = self.begins.partition_point(|(begin, _)| *begin <= at);
            self.begins.get(next.checked_sub(1)?).map(|(_, number)| *number)
        };
        let found = memchr::memmem::find_iter(&self.text, &wanted)
            .filter_map(|at| Some((line_at(at)?, line_at(at + wanted.len() - 1)?)));
        let mut places: Vec<Range> = found.collect();
        places.dedup();
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the places as a comparison with every line finds them.
    fn compared(quote: &[String], lines: &Lines) -> Vec<Range> {
        let last = quote.len() as u32 - 1;
        let fits = |at: u32, wanted: &str, line: &str| match (at == 0, at == last) {
            (true, true) => line == wanted || wanted.len() >= 4 && line.contains(wanted),
            (true, false) => line.ends_with(wanted) && (line.is_empty() || !wanted.is_empty()),
            (false, true) => line.starts_with(wanted),
            (false, false) => line == wanted,
        };
        let is_place = |start: u32| {
            (0..)
                .zip(quote)
                .all(|(at, wanted)| lines.get(&(start + at)).is_some_and(|line| fits(at, wanted, line.trim())))
        };
        lines.keys().copied().filter(|&start| is_place(start)).map(|start| (start, start + last)).collect()
    }

    #[test]
    fn the_text_of_lines_finds_the_same_places_as_a_comparison_with_each() {
        let words = ["", "a", "ab", "  ab ", "aab", "abab", "é(a)", "x = 1;", "\u{3000}ab", "}"];
        let mut state = 7u32;
        let mut random = |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as usize % below
        };
        let mut found = 0;
        for _ in 0..3000 {
            let mut lines = Lines::new();
            let mut number = 1;
            for _ in 0..random(12) {
                lines.insert(number, words[random(words.len())].to_owned());
                number += if random(8) == 0 { 3 } else { 1 };
            }
            let quote: Vec<&str> = (0..=random(3)).map(|_| words[random(words.len())]).collect();
            let text = LineText::of(&lines);
            let searched = Searched { lines: &lines, text: &text };
            let quote: Vec<String> = quote.iter().map(|line| line.trim().to_owned()).collect();
            let wanted = compared(&quote, &lines);
            assert_eq!(places(&quote, searched), wanted, "{quote:?} in {lines:?}");
            found += wanted.len();
        }
        assert!(found > 1000, "{found}");
    }
}
