//! Finds quoted code among lines. Agents change indentation, copy diff prefixes and start in the middle of a line. Therefore lines are
//! compared without surrounding white space, and the first and last line of a quote may be parts of lines.

use std::collections::BTreeMap;

/// Lines of a file by their numbers.
pub(super) type Lines = BTreeMap<u32, String>;

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
pub(super) fn places(quote: &[String], lines: &Lines) -> Vec<Range> {
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
pub(super) fn cut_places(quote: &[String], lines: &Lines) -> Vec<Range> {
    matching(quote, lines, |_, wanted, line| line == wanted || wanted.len() >= MIN_CUT_LINE && line.starts_with(wanted))
}

fn matching(quote: &[String], lines: &Lines, is_line: impl Fn(usize, &str, &str) -> bool) -> Vec<Range> {
    let length = u32::try_from(quote.len()).unwrap_or(u32::MAX);
    let matches = |start: u32| {
        !quote.is_empty()
            && quote.iter().zip(start..).enumerate().all(|(at, (wanted, number))| {
                lines.get(&number).is_some_and(|line| is_line(at, wanted.as_str(), line.trim()))
            })
    };
    let starts = lines.keys().copied().filter(|&start| matches(start));
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
pub(super) fn places_of_parts(parts: &[Wanted], lines: &Lines) -> Vec<Range> {
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
fn part_places(part: &[String], lines: &Lines) -> Vec<Range> {
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
