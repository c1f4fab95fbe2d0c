//! Finds quoted code among lines. Agents change indentation, copy diff prefixes and start in the middle of a line. Therefore lines are
//! compared without surrounding white space, and the first and last line of a quote may be parts of lines.

use std::collections::BTreeMap;

/// The maximum number of lines that an ellipsis in a quote stands for.
const MAX_GAP: u32 = 200;

/// Returns the quote's lines, trimmed, without line numbers, and empty lines at its ends.
pub(super) fn normalise(quote: &str) -> Vec<String> {
    let lines: Vec<&str> = quote.lines().collect();
    let numbered = numbers_end(&lines);
    let mut lines: Vec<String> = lines.iter().zip(numbered).map(|(line, end)| line[end..].trim().to_owned()).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let empty = lines.iter().take_while(|line| line.is_empty()).count();
    lines.drain(..empty);
    lines
}

/// Returns where each line begins behind its line number (`12: x`, `12 | x`), if all lines have consecutive numbers.
fn numbers_end(lines: &[&str]) -> Vec<usize> {
    let number = |line: &str| -> Option<(u32, usize)> {
        let digits = line.trim_start();
        let from = line.len() - digits.len();
        let count = digits.bytes().take_while(u8::is_ascii_digit).count();
        let rest = digits[count..].trim_start();
        let sign = rest.chars().next().filter(|char| "|:│".contains(*char))?;
        let end = line.len() - rest.len() + sign.len_utf8();
        Some((digits[..count].parse().ok()?, end.max(from)))
    };
    let found: Option<Vec<(u32, usize)>> = lines.iter().map(|line| number(line)).collect();
    match found {
        Some(found) if found.windows(2).all(|two| two[0].0 + 1 == two[1].0) => {
            found.into_iter().map(|(_, end)| end).collect()
        }
        _ => vec![0; lines.len()],
    }
}

/// Returns the place of the quote that is nearest to `near`, the lines that the agent named. Compares the quote as it is, then without the
/// diff sign of a single line, then without regard to white space.
pub(super) fn find(quote: &[String], lines: &BTreeMap<u32, String>, near: Option<(u32, u32)>) -> Option<(u32, u32)> {
    let unsigned = match quote {
        [only] => only.strip_prefix(['+', '-']).map(|rest| vec![rest.trim().to_owned()]),
        _ => None,
    };
    let unsigned = unsigned.filter(|quote| !quote[0].is_empty());
    find_exact(quote, lines, near)
        .or_else(|| find_exact(unsigned.as_deref()?, lines, near))
        .or_else(|| find_letters(quote, lines, near))
}

/// Returns the place nearest to `near` where the quote matches line by line.
fn find_exact(quote: &[String], lines: &BTreeMap<u32, String>, near: Option<(u32, u32)>) -> Option<(u32, u32)> {
    nearest(places(quote, lines), near)
}

/// Returns all places where the quote matches line by line.
pub(super) fn places<'a>(
    quote: &'a [String],
    lines: &'a BTreeMap<u32, String>,
) -> impl Iterator<Item = (u32, u32)> + 'a {
    let length = u32::try_from(quote.len()).unwrap_or(u32::MAX);
    let matches = move |start: u32| {
        !quote.is_empty()
            && quote.iter().zip(start..).enumerate().all(|(index, (wanted, number))| {
                let Some(line) = lines.get(&number).map(|line| line.trim()) else { return false };
                let (first, last) = (index == 0, index + 1 == quote.len());
                match (first, last) {
                    (true, true) => line == wanted || (wanted.len() >= 4 && line.contains(wanted.as_str())),
                    (true, false) => line.ends_with(wanted.as_str()) && (line.is_empty() || !wanted.is_empty()),
                    (false, true) => line.starts_with(wanted.as_str()),
                    (false, false) => line == wanted,
                }
            })
    };
    lines.keys().copied().filter(move |&start| matches(start)).map(move |start| (start, start + length - 1))
}

/// The maximum distance, in lines, of a miscounted number from the one of several equal places that it means.
const MAX_MISCOUNT: u32 = 3;

/// Returns whether the numbers decide between places with the same code: they touch one, or are much nearer to it than to the others.
pub(super) fn is_certain(places: &[(u32, u32)], near: Option<(u32, u32)>) -> bool {
    if places.len() < 2 {
        return true;
    }
    let Some((from, to)) = near else { return false };
    let mut gaps: Vec<u32> =
        places.iter().map(|&(start, end)| start.saturating_sub(to).max(from.saturating_sub(end))).collect();
    gaps.sort_unstable();
    gaps[0] == 0 || gaps[0] <= MAX_MISCOUNT && gaps[1] > 4 * gaps[0]
}

/// Returns the place nearest to the named lines. Of several places that touch them, returns the one that begins where they begin, because
/// equal closing tags may follow each other.
fn nearest(places: impl Iterator<Item = (u32, u32)>, near: Option<(u32, u32)>) -> Option<(u32, u32)> {
    places.min_by_key(|&(start, end)| match near {
        Some((from, to)) if start > to => (start - to, start.abs_diff(from)),
        Some((from, _)) => (from.saturating_sub(end), start.abs_diff(from)),
        None => (start, 0),
    })
}

/// Returns the place from the first to the last part of a quote that leaves lines out between its parts.
pub(super) fn find_parts(
    parts: &[Vec<String>],
    lines: &BTreeMap<u32, String>,
    near: Option<(u32, u32)>,
) -> Option<(u32, u32)> {
    let (first, rest) = parts.split_first()?;
    let follow = |(start, end): (u32, u32)| {
        let last = rest.iter().try_fold(end, |end, part| {
            let next = places(part, lines).find(|(start, _)| *start > end)?;
            (next.0 - end <= MAX_GAP).then_some(next.1)
        })?;
        Some((start, last))
    };
    nearest(places(first, lines).filter_map(follow), near)
}

/// The minimum number of bytes, without white space, of a quote that is compared without regard to white space.
const FEWEST_LETTERS: usize = 8;

/// Returns the place of the quote nearest to `near`, ignoring white space: an agent may break lines or space them differently.
fn find_letters(quote: &[String], lines: &BTreeMap<u32, String>, near: Option<(u32, u32)>) -> Option<(u32, u32)> {
    let letters = |text: &str| text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect::<Vec<u8>>();
    let wanted: Vec<u8> = quote.iter().flat_map(|line| letters(line)).collect();
    if wanted.len() < FEWEST_LETTERS {
        return None;
    }
    let mut text: Vec<u8> = Vec::new();
    // The start of each line in `text`. A gap between known lines is a line feed in `text`, so that no match spans it.
    let mut begins: Vec<(usize, u32)> = Vec::new();
    for (&number, line) in lines {
        if begins.last().is_some_and(|(_, last)| last + 1 != number) {
            text.push(b'\n');
        }
        begins.push((text.len(), number));
        text.extend(letters(line));
    }
    let line_at = |at: usize| {
        let next = begins.partition_point(|(begin, _)| *begin <= at);
        begins.get(next.checked_sub(1)?).map(|(_, number)| *number)
    };
    let places = memchr::memmem::find_iter(&text, &wanted)
        .filter_map(|at| Some((line_at(at)?, line_at(at + wanted.len() - 1)?)));
    places.min_by_key(|(start, end)| match near {
        Some((from, to)) if *start > to => (start - to, start.abs_diff(from)),
        Some((from, _)) => (from.saturating_sub(*end), start.abs_diff(from)),
        None => (*start, 0),
    })
}
