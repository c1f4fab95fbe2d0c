//! Finding quoted code among lines. Agents change indentation, copy diff prefixes and begin in mid-line, so lines are
//! compared without surrounding white space, and the first and last may be parts of theirs.

use std::collections::BTreeMap;

/// The quote's lines, trimmed, without empty ones at its ends and without diff prefixes.
pub(super) fn normalise(quote: &str) -> Vec<String> {
    let lines: Vec<&str> = quote.lines().collect();
    let prefixed = lines.len() > 1
        && lines.iter().all(|line| line.is_empty() || line.starts_with(['+', '-', ' ']))
        && lines.iter().any(|line| line.starts_with(['+', '-']));
    let mut lines: Vec<String> =
        lines.iter().map(|line| if prefixed { line.get(1..).unwrap_or("") } else { line }.trim().to_owned()).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let empty = lines.iter().take_while(|line| line.is_empty()).count();
    lines.drain(..empty);
    lines
}

/// The place of the quote that is nearest to where it was said to be.
pub(super) fn find(quote: &[String], lines: &BTreeMap<u32, String>, near: Option<(u32, u32)>) -> Option<(u32, u32)> {
    let length = u32::try_from(quote.len()).ok()?;
    let matches = |start: u32| {
        quote.iter().zip(start..).enumerate().all(|(index, (wanted, number))| {
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
    let distance = |start: u32| match near {
        Some((_, to)) if start > to => start - to,
        Some((from, _)) => from.saturating_sub(start + length - 1),
        None => start,
    };
    let start = lines.keys().copied().filter(|&start| matches(start)).min_by_key(|&start| distance(start))?;
    Some((start, start + length - 1))
}
