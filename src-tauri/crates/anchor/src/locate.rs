//! Finds the place of a quote on both sides of a file: as it is, then in its readings, then with less and less in common.
//!
//! In: the quote, the known lines, and the lines that the agent named. Out: the best place, whether it is certain, and notes for the reviewer.

use crate::damage::{self, Reading};
use crate::files::SideLines;
use crate::quote::{self, Range};
use diffsan_review::finding::Side;

/// A quote that was found.
pub(super) struct FoundQuote {
    pub side: Side,
    pub range: Range,
    /// Whether the code is nowhere else, or the numbers decide between its places.
    pub is_certain: bool,
    /// Notes about additions that were removed, and about other places of the same code.
    pub notes: Vec<String>,
}

/// The places of a quote on one side.
struct Places {
    all: Vec<Range>,
    /// Whether the nearest place has the whole lines of the quote.
    is_whole: bool,
    removed: Vec<&'static str>,
}

/// A way to compare a reading with lines.
type Compare = fn(&Reading, &SideLines, Option<Range>) -> Option<Places>;

/// The ways to compare, the strictest first.
const WAYS: &[Compare] = &[by_line, by_letters, by_parts, by_folded_letters];

/// Finds a quote. `sides` has the side first that the agent named.
pub(super) fn find(quoted: &str, sides: &[(Side, &SideLines)], given: Option<Range>) -> Option<FoundQuote> {
    let readings = damage::readings(quoted);
    WAYS.iter().find_map(|compare| {
        readings.iter().find_map(|reading| {
            let near = reading.numbers.or(given);
            let found = |(side, lines): &(Side, &SideLines)| Some((*side, compare(reading, lines, near)?));
            let mut all = sides.iter().filter_map(found);
            let (first, second) = (all.next()?, all.next());
            let (side, places) = better(first, second, near);
            let range = quote::nearest(&places.all, near)?;
            let is_certain = quote::is_certain(&places.all, near);
            let mut notes: Vec<String> = Vec::new();
            if !places.removed.is_empty() {
                notes.push(format!("the quote was found without {}", places.removed.join(", ")));
            }
            if !is_certain {
                notes.push(format!("the quoted code is in the file {} times", places.all.len()));
            }
            Some(FoundQuote { side, range, is_certain, notes })
        })
    })
}

/// Returns the places of the first side, unless they are only parts of lines elsewhere, and the other side has the whole lines.
fn better(first: (Side, Places), second: Option<(Side, Places)>, near: Option<Range>) -> (Side, Places) {
    let touches = |places: &Places| places.all.iter().any(|place| quote::touches(*place, near));
    match second {
        Some(second) if !first.1.is_whole && second.1.is_whole && (!touches(&first.1) || touches(&second.1)) => second,
        _ => first,
    }
}

fn by_line(reading: &Reading, lines: &SideLines, near: Option<Range>) -> Option<Places> {
    let wanted = quote::normalise(&reading.text);
    let mut all = quote::places(&wanted, lines.as_written());
    if all.is_empty() {
        all = quote::places(&quote::unsigned(&wanted)?, lines.as_written());
    }
    let nearest = quote::nearest(&all, near)?;
    let is_whole = quote::is_whole(&wanted, &lines.lines, nearest);
    Some(Places { all, is_whole, removed: reading.removed.clone() })
}

fn by_letters(reading: &Reading, lines: &SideLines, _near: Option<Range>) -> Option<Places> {
    let all = lines.letters().places(&quote::normalise(&reading.text));
    (!all.is_empty()).then(|| Places { all, is_whole: false, removed: reading.removed.clone() })
}

/// Compares with typographic characters replaced, and finds quotes that leave code out.
fn by_parts(reading: &Reading, lines: &SideLines, _near: Option<Range>) -> Option<Places> {
    let folded = lines.folded();
    let text = damage::folded(&reading.text);
    let parts: Vec<quote::Wanted> = damage::parts(&text)
        .into_iter()
        .map(|part| quote::Wanted { lines: quote::normalise(&part.text), same_line: part.same_line })
        .collect();
    let mut removed = reading.removed.clone();
    let mut all = match &parts[..] {
        [] => return None,
        [only] => quote::places(&only.lines, folded),
        several => quote::places_of_parts(several, folded),
    };
    if parts.len() > 1 || text.contains("...") || text.contains('…') {
        removed.push("an ellipsis");
    }
    if text != reading.text {
        removed.push("typographic characters");
    }
    if all.is_empty() {
        all = quote::cut_places(&quote::normalise(&text), folded);
        removed.push("the ends of its lines");
    }
    (!all.is_empty()).then_some(Places { all, is_whole: false, removed })
}

/// Compares with typographic characters replaced and without white space.
fn by_folded_letters(reading: &Reading, lines: &SideLines, _near: Option<Range>) -> Option<Places> {
    let all = lines.folded_letters().places(&quote::normalise(&damage::folded(&reading.text)));
    let mut removed = reading.removed.clone();
    removed.push("typographic characters");
    (!all.is_empty()).then_some(Places { all, is_whole: false, removed })
}
