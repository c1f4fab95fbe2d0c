//! Finds the longest run of characters of a token that every match of a pattern has, such as the 40 of `acme.{0,20}\b([a-z0-9]{40})`.
//!
//! A text without such a run has no match, and that is known without compiling the pattern.

use regex_syntax::hir::{Class, Hir, HirKind};

/// The sets of characters of a run: those of words, and with those of other notations of binary data.
const SETS: [fn(u8) -> bool; 2] = [is_word, is_data];

/// The least length of a run that is worth a look. Names in code are shorter than the first one.
const LONG: usize = 20;
const SHORT: usize = 12;

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_data(byte: u8) -> bool {
    is_word(byte) || b"+/=-.".contains(&byte)
}

/// A run in every match.
#[derive(Clone, Copy, Debug, Default)]
pub struct Run {
    /// The least length of the run in bytes.
    pub least: usize,
    /// The number of bytes from the begin of the match in which so much of the run is. `None` if it may be anywhere behind.
    pub within: Option<usize>,
    /// Whether the run has characters of data. Otherwise, it has those of words only.
    pub has_data: bool,
}

impl Run {
    /// Returns the run that tells most about a pattern, or an empty one.
    pub fn of(hir: &Hir) -> Self {
        let [word, data] = SETS.map(|is| longest(hir, is));
        let data = Self { has_data: true, ..data };
        let choices = [(word, LONG), (data, LONG), (word, SHORT), (data, SHORT)];
        choices.into_iter().find(|(run, least)| run.least >= *least).map_or_else(Self::default, |(run, _)| run)
    }
}

/// Returns whether a pattern matches only characters of a set.
fn has_only(hir: &Hir, is: fn(u8) -> bool) -> bool {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => true,
        HirKind::Literal(literal) => literal.0.iter().all(|byte| is(*byte)),
        HirKind::Class(Class::Bytes(class)) => class.iter().all(|range| (range.start()..=range.end()).all(is)),
        HirKind::Class(Class::Unicode(_)) => false,
        HirKind::Capture(capture) => has_only(&capture.sub, is),
        HirKind::Repetition(repetition) => has_only(&repetition.sub, is),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().all(|part| has_only(part, is)),
    }
}

/// Returns the longest run of characters of a set.
fn longest(hir: &Hir, is: fn(u8) -> bool) -> Run {
    let of_length = |length: usize| Run { least: length, within: Some(length), has_data: false };
    if has_only(hir, is) {
        return of_length(hir.properties().minimum_len().unwrap_or_default());
    }
    match hir.kind() {
        HirKind::Capture(capture) => longest(&capture.sub, is),
        HirKind::Repetition(repetition) if repetition.min > 0 => longest(&repetition.sub, is),
        HirKind::Concat(parts) => {
            let mut best = Run::default();
            // The bytes before the current part and before the run that it belongs to, and the length of this run.
            let (mut before, mut before_run, mut length) = (Some(0), Some(0), 0);
            for part in parts {
                let found = if has_only(part, is) {
                    length += part.properties().minimum_len().unwrap_or_default();
                    of_length(length)
                } else {
                    length = 0;
                    before_run = before;
                    longest(part, is)
                };
                if found.least > best.least {
                    best =
                        Run { within: before_run.zip(found.within).map(|(before, within)| before + within), ..found };
                }
                before = before.zip(part.properties().maximum_len()).map(|(before, length)| before + length);
                if !has_only(part, is) {
                    before_run = before;
                }
            }
            best
        }
        HirKind::Alternation(choices) => {
            let runs: Vec<Run> = choices.iter().map(|choice| longest(choice, is)).collect();
            let within = runs.iter().map(|run| run.within).collect::<Option<Vec<usize>>>();
            Run {
                least: runs.iter().map(|run| run.least).min().unwrap_or_default(),
                within: within.and_then(|within| within.into_iter().max()),
                has_data: false,
            }
        }
        _ => Run::default(),
    }
}
