//! Finds secrets in a text. In: bytes, and the place that they come from. Out: spans in order that do not overlap. The text is not changed.
//!
//! One pass finds the keywords of all rules. Each rule is then tried only around its keywords, so that a text with few keywords costs
//! little more than reading it, and a text with many is still read about once.

use std::cell::LazyCell;
use std::sync::OnceLock;

use regex::bytes::Regex;

use super::formats::Shape;
use super::keywords::Hit;
use super::obvious::Obvious;
use super::places::Kind;
use super::rules::Action;
use super::span::Span;
use super::types::RedactionReason;
use super::values::{Bare, is_placeholder};
use super::{
    Redactor, beside, blocks, bytes, calls, carriers, encoded, harmless, identifiers, inserts, joined, keyed,
    kubernetes, narrow, places, prefixed, prose, recovery, steps, tables, user_tables,
};

/// The maximum number of bytes that a token may continue after the part that its pattern matches.
const TAIL: usize = 1024;

/// The length in bytes up to which the name of a product must begin a word.
const MAX_SHORT: usize = 4;

/// The pattern of marks of an earlier redaction.
pub(super) fn marker() -> &'static Regex {
    static CELL: OnceLock<Regex> = OnceLock::new();
    #[allow(clippy::expect_used, reason = "a constant pattern")]
    CELL.get_or_init(|| Regex::new(r"\[REDACTED(?::[^\]\r\n]{1,80}:\d{1,9})?\]").expect("a constant pattern"))
}

/// Finds all secrets of a text with built-in rules, the rules of its place, which is of a kind, and the user's patterns.
pub(super) fn find(text: &[u8], place: &str, kind: Kind, redactor: &Redactor) -> Vec<Span> {
    let mut spans = Vec::new();
    let heads = scan(text, kind.bare, redactor, &mut spans);
    encoded::find(text, redactor, &mut spans);
    prefixed::find(text, &mut spans);
    carriers::find(text, kind.bare, redactor, &mut spans);
    blocks::find_middles(text, kind.bare == Bare::Plain && !places::is_public(place), &mut spans);
    let has_sealed = kubernetes::find(text, &mut spans);
    tables::find(text, place, kind.bare, &heads, &redactor.rules.prose, &mut spans);
    steps::find(text, place, &redactor.rules.prose, &mut spans);
    bytes::find_key_pair(text, &mut spans);
    beside::find(text, &redactor.rules.prose, &mut spans);
    let obvious = LazyCell::new(|| Obvious::of(place, kind.bare));
    spans.retain(|span| {
        let found = &text[span.start..span.end];
        let before = &text[span.start.saturating_sub(TAIL)..span.start];
        let sealed = span.rule == keyed::RULE && kubernetes::is_sealed(found, has_sealed);
        !sealed
            && (span.rule == bytes::RULE
                || !harmless::is_harmless(found, before, &span.rule, place)
                    && (!obvious.contains(found) || obvious.is_declared(text, span.start)))
    });
    let mut spans = narrow::narrow(text, spans);
    joined::find(text, place, redactor, &mut spans);
    kind.find(text, &mut spans);
    for rule in &redactor.extra {
        for (start, end) in rule.within(text, 0, text.len()) {
            spans.push(Span::new(start, end, rule.name.clone()).because(RedactionReason::UserPattern));
        }
    }
    if spans.is_empty() { spans } else { settle(spans, text) }
}

/// Finds formats, keyed values and key blocks wherever one of their keywords occurs. Returns the places of the words that can be in the head of
/// a table.
pub(super) fn scan(text: &[u8], bare: Bare, redactor: &Redactor, spans: &mut Vec<Span>) -> Vec<usize> {
    let mut heads: Vec<usize> = Vec::new();
    let rules = redactor.rules;
    let mut reader = keyed::Reader::default();
    let mut inserts = inserts::Reader::default();
    let mut has_blocks = false;
    // `covered` is the place of the last secret that a format found. `searched` holds how far each format that may surround its keyword was
    // searched.
    let mut covered = (0, 0);
    let mut searched: Vec<(usize, usize)> = Vec::new();
    // The end of the last line whose strings were all read.
    let mut read = 0;
    // The end of the last line with the name of a service.
    let mut services = 0;
    rules.keywords.find(text, |Hit { keyword, start, end }| {
        let mut names_secret = false;
        for action in &rules.actions[keyword] {
            match *action {
                Action::Block => has_blocks = true,
                Action::Program(index) => rules.programs[index].find(text, start, end, spans),
                Action::Call(index) => rules.calls[index].find(text, start, end, &mut read, spans),
                Action::Client => rules.clients.find_in_call(text, (start, end), spans),
                Action::Service => rules.clients.find_on_line(text, (start, end), bare, &mut services, spans),
                Action::CharArray => calls::find_char_array(text, start, spans),
                Action::Bytes => bytes::find(text, start, end, spans),
                Action::Prose(noun) => {
                    names_secret = true;
                    rules.prose.find(text, (start, end), noun, bare, spans);
                }
                Action::BesideUser => rules.prose.find_beside_user(text, (start, end), bare, spans),
                Action::Recovery(kind) => recovery::find(text, (start, end), kind, bare, spans),
                Action::Users => user_tables::find(text, (start, end), bare, &rules.prose, spans),
                Action::Rows => tables::find_annotated(text, (start, end), bare, &rules.prose, spans),
                Action::Insert => inserts.find(text, start, end, spans),
                Action::Key => {
                    names_secret = true;
                    reader.key(text, start, end, bare, spans);
                }
                Action::Word => {
                    if identifiers::stands_alone(text, start, end) {
                        names_secret = true;
                        reader.key(text, start, end, bare, spans);
                    }
                }
                Action::Rule(index) => {
                    let rule = &rules.all[index];
                    match rule.format.shape {
                        // A short name can be a part of any word: `mailbox`.
                        Shape::Value if end - start <= MAX_SHORT && !identifiers::begins_word(text, start) => {}
                        Shape::Value => reader.form(text, start, end, bare, rule, spans),
                        Shape::Token => {
                            let inside = (covered.0..covered.1).contains(&start)
                                || rule.format.boundary && start > 0 && is_word(text[start - 1]);
                            if !inside
                                && !in_data(text, start)
                                && let Some((from, to)) = rule.at(text, start)
                            {
                                covered = (head(text, from), tail(text, from, to));
                                spans.push(Span::new(covered.0, covered.1, rule.name.clone()));
                            }
                        }
                        Shape::Near => {
                            let last = searched.iter().position(|(known, _)| *known == index).unwrap_or_else(|| {
                                searched.push((index, 0));
                                searched.len() - 1
                            });
                            if end <= searched[last].1 {
                                continue;
                            }
                            let from = start
                                .saturating_sub(rule.format.reach)
                                .max(searched[last].1.saturating_sub(rule.format.reach));
                            let to = text.len().min(end + rule.format.reach);
                            for (from, to) in rule.within(text, from, to) {
                                spans.push(Span::new(from, tail(text, from, to), rule.name.clone()));
                            }
                            searched[last].1 = to;
                        }
                    }
                }
            }
        }
        if names_secret && tables::may_be_head(text, start, end, bare) {
            heads.push(start);
        }
    });
    if has_blocks {
        blocks::find(text, spans);
    }
    heads
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns whether a place is inside encoded data (an image, a certificate), where any format can occur by chance.
fn in_data(text: &[u8], at: usize) -> bool {
    at > 24
        && matches!(text[at - 1], b'+' | b'/')
        && text[at - 24..at].iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
        && text[at - 24..at].iter().any(u8::is_ascii_digit)
        && text[at - 24..at].iter().any(u8::is_ascii_uppercase)
}

/// Returns the start of the word with a match that begins inside of it: `acme_live_…`.
fn head(text: &[u8], start: usize) -> usize {
    let before = if text[start] == b'_' { &text[start.saturating_sub(TAIL)..start] } else { &[] };
    start - before.iter().rev().take_while(|byte| is_word(**byte)).count()
}

/// Extends a match to the end of its token, so that a token is never masked in part.
pub(super) fn tail(text: &[u8], start: usize, end: usize) -> usize {
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'=' | b'+');
    if end <= start || !is_token(&text[end - 1]) {
        return end;
    }
    let more = text[end..text.len().min(end + TAIL)].iter().take_while(|byte| is_token(byte)).count();
    end + more
}

/// Removes placeholders and parts that were masked before, and joins overlapping spans under the first rule's name.
fn settle(spans: Vec<Span>, text: &[u8]) -> Vec<Span> {
    let marks: Vec<(usize, usize)> = marker().find_iter(text).map(|mark| (mark.start(), mark.end())).collect();
    // A key's value was checked when it was read. Only a part of it can be something else.
    let is_whole = |span: &Span| {
        let next = marks.partition_point(|&(_, end)| end <= span.start);
        marks.get(next).is_none_or(|&(start, _)| span.end <= start)
    };
    let mut parts = Vec::with_capacity(spans.len());
    for span in spans {
        let judged = matches!(&*span.rule, blocks::RULE | bytes::RULE) || span.rule == keyed::RULE && is_whole(&span);
        let is_secret = |part: &Span| judged || !is_placeholder(&text[part.start..part.end]);
        parts.extend(outside(&marks, span).into_iter().filter(is_secret));
    }
    let mut spans = parts;
    spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut settled: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match settled.last_mut() {
            Some(last) if span.start < last.end => {
                // The name of a format is more specific than the name of the rule for keyed values.
                if last.rule == keyed::RULE && span.end >= last.end && span.rule != prose::RULE {
                    last.rule = span.rule;
                    last.reason = span.reason;
                }
                last.end = last.end.max(span.end);
            }
            _ => settled.push(span),
        }
    }
    settled
}

/// Returns the parts of a span outside of all marks. Returns nothing for a span that begins in a mark, because it is the mark's own text.
fn outside(marks: &[(usize, usize)], span: Span) -> Vec<Span> {
    let mut parts = Vec::new();
    let mut start = span.start;
    let first = marks.partition_point(|&(_, end)| end <= span.start);
    for &(from, to) in marks[first..].iter().take_while(|&&(from, _)| from < span.end) {
        if from <= span.start && span.rule != blocks::RULE {
            return Vec::new();
        }
        if start < from {
            parts.push(Span { start, end: from, ..span.clone() });
        }
        start = to;
    }
    if start < span.end {
        parts.push(Span { start, ..span });
    }
    parts
}
