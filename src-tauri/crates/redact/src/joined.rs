//! Finds tokens and addresses that are written as several strings: `"ghp_…" + "…"`, `concat!("gsk_…", "…")`, `["sk-…", "…"].join("")`, strings
//! in a row, and `"ftp://" + user + ":…@" + host`.
//!
//! In: a text. Out: a span for each part of a secret. Only formats with a certain form are searched. Keyed values are read elsewhere.

use super::Redactor;
use super::engine::{is_word, tail};
use super::formats::Shape;
use super::harmless;
use super::rules::Action;
use super::span::Span;
use super::values::is_placeholder;

/// The maximum length of a part in bytes, and the minimum length of the first one.
const MAX_PART: usize = 200;
const MIN_FIRST: usize = 3;
/// The maximum number of parts.
const MAX_PARTS: usize = 12;
/// The maximum number of blanks between two parts, with those of the next line.
const MAX_BLANKS: usize = 80;
/// The maximum length of an expression between two strings.
const MAX_EXPRESSION: usize = 40;
/// The maximum distance in bytes between a list and its function.
const MAX_GAP: usize = 40;

/// The byte in the place of an expression: it can be a user or a host, and continues few tokens.
const EXPRESSION: u8 = b'x';

/// Strings that are joined, and the place of each in the text.
#[derive(Default)]
struct Joined {
    text: Vec<u8>,
    /// For each string, its start in the joined text and its range in the original.
    parts: Vec<(usize, usize, usize)>,
}

impl Joined {
    fn add(&mut self, text: &[u8], (start, end): (usize, usize)) {
        self.parts.push((self.text.len(), start, end));
        self.text.extend_from_slice(&text[start..end]);
    }

    /// Returns the parts of the original that a range stands for.
    fn places(&self, from: usize, to: usize) -> impl Iterator<Item = (usize, usize)> {
        self.parts.iter().filter_map(move |&(at, start, end)| {
            let (from, to) = (from.max(at), to.min(at + end - start));
            (from < to).then(|| (start + from - at, start + to - at))
        })
    }
}

/// Adds the parts of secrets.
pub(super) fn find(text: &[u8], place: &str, redactor: &Redactor, spans: &mut Vec<Span>) {
    let has_lists = [&b"concat!("[..], b".join("].iter().any(|name| memchr::memmem::find(text, name).is_some());
    let mut read = 0;
    for quote in memchr::memchr2_iter(b'"', b'\'', text) {
        if quote < read || quote == 0 || !is_part(text[quote - 1]) || !may_continue(text, quote, has_lists) {
            continue;
        }
        let Some(first) = string_before(text, quote) else { continue };
        let (joined, end) = join(text, first, has_lists);
        read = end;
        if joined.parts.len() > 1 {
            scan(place, &joined, redactor, spans);
        }
    }
}

/// Adds the parts of the secrets of joined strings.
fn scan(place: &str, joined: &Joined, redactor: &Redactor, spans: &mut Vec<Span>) {
    let rules = redactor.rules;
    let whole = &joined.text;
    rules.keywords.find(whole, |hit| {
        for action in &rules.actions[hit.keyword] {
            let Action::Rule(index) = *action else { continue };
            let rule = &rules.all[index];
            let begins_inside = rule.format.boundary && hit.start > 0 && is_word(whole[hit.start - 1]);
            let found = match rule.format.shape {
                Shape::Token if !begins_inside => rule.at(whole, hit.start).into_iter().collect(),
                Shape::Near => rule.within(whole, 0, whole.len()),
                Shape::Token | Shape::Value => Vec::new(),
            };
            for (from, to) in found {
                let to = tail(whole, from, to);
                let secret = &whole[from..to];
                if !is_placeholder(secret) && !harmless::is_harmless(secret, &whole[..from], &rule.name, place) {
                    let parts = joined.places(from, to);
                    spans.extend(parts.map(|(start, end)| Span::new(start, end, rule.name.clone())));
                }
            }
        }
    });
}

/// Returns whether a byte can be in a part of a token or an address.
fn is_part(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\"'`\\<>(){}[],;".contains(&byte)
}

/// Returns whether another string can follow the one that ends at a quote.
fn may_continue(text: &[u8], quote: usize, has_lists: bool) -> bool {
    let after = &text[quote + 1..text.len().min(quote + 1 + MAX_BLANKS)];
    match after.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b',') => has_lists,
        Some(b'"' | b'\'') => after[0].is_ascii_whitespace(),
        Some(byte) => b"+.&".contains(byte),
        None => false,
    }
}

/// Returns the inside of the string that ends at a quote.
fn string_before(text: &[u8], quote: usize) -> Option<(usize, usize)> {
    let before = &text[quote.saturating_sub(MAX_PART)..quote];
    let length = before.iter().rev().take_while(|byte| is_part(**byte)).count();
    let is_open = before.len() > length && before[before.len() - length - 1] == text[quote];
    (is_open && length >= MIN_FIRST).then_some((quote - length, quote))
}

/// Returns the inside of the string whose quote is at a place.
fn string_at(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let quote = *text.get(at).filter(|byte| b"\"'".contains(byte))?;
    let rest = &text[at + 1..text.len().min(at + 1 + MAX_PART)];
    let length = rest.iter().take_while(|byte| is_part(**byte)).count();
    (length > 0 && rest.get(length) == Some(&quote)).then_some((at + 1, at + 1 + length))
}

fn blanks(text: &[u8], at: usize) -> usize {
    text[at..].iter().take(MAX_BLANKS).take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// Joins the strings that follow the first one. Returns them, and the end of the last one.
fn join(text: &[u8], first: (usize, usize), has_lists: bool) -> (Joined, usize) {
    let mut joined = Joined::default();
    joined.add(text, first);
    let mut at = first.1 + 1;
    let mut listed = false;
    while joined.parts.len() < MAX_PARTS {
        let gap = blanks(text, at);
        let sign = at + gap;
        let length = text[sign..].iter().take(2).take_while(|byte| b"+.&".contains(byte)).count();
        let comma = text.get(sign) == Some(&b',') && has_lists;
        if length == 0 && !comma && gap == 0 {
            break;
        }
        let from = sign + length + usize::from(comma);
        let from = from + blanks(text, from);
        // `b"…"`, `f"…"`
        let prefix = text[from..].iter().take(2).take_while(|byte| b"bfruBFRU".contains(byte)).count();
        if let Some(string) = string_at(text, from + prefix) {
            joined.add(text, string);
            listed |= comma;
            at = string.1 + 1;
        } else if length > 0 {
            let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.$()[]".contains(byte);
            let name = text[from..].iter().take(MAX_EXPRESSION).take_while(|byte| is_inside(byte)).count();
            if name == 0 {
                break;
            }
            joined.text.push(EXPRESSION);
            at = from + name;
        } else {
            break;
        }
    }
    if listed && !is_joined_list(text, first.0 - 1, at) {
        joined.parts.clear();
    }
    (joined, at)
}

/// Returns whether a list of strings is joined: `concat!(…)`, `[…].join("")`.
fn is_joined_list(text: &[u8], start: usize, end: usize) -> bool {
    let before = text[start.saturating_sub(MAX_GAP)..start].trim_ascii_end();
    let rest = text[end..text.len().min(end + MAX_GAP)].trim_ascii_start();
    let rest = rest.strip_prefix(b",").unwrap_or(rest).trim_ascii_start();
    let after = rest.strip_prefix(b"]").map(<[u8]>::trim_ascii_start);
    before.ends_with(b"concat!(")
        || after.is_some_and(|after| {
            [&b".join(\"\")"[..], b".join('')", b".join()"].iter().any(|end| after.starts_with(end))
        })
        || [&b"\"\".join(["[..], b"''.join([", b"\"\".join((", b"''.join(("].iter().any(|open| before.ends_with(open))
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn secrets_of_several_strings_are_masked() {
        check(
            "a.rs",
            &["const K: &str = concat!(\"⟦gsk_NrD0uW5KMXpE93Bd3EjD⟧\", \"⟦fMFzqLigiBvrkg300lysGHyhNjtXQUCi⟧\");"],
        );
        check(
            "a.js",
            &[
                "const t = ['⟦ghp_R8dKq2Lw0VbX⟧', '⟦5nZs7TyHc3JmPf4uGa9E1iQo⟧'].join('');",
                "const t = ['ghp_R8dKq2Lw0VbX', '5nZs7TyHc3JmPf4uGa9E1iQo'];",
                "const u = 'ftp://' + user + ':' + pass + '@' + host;",
            ],
        );
        check("A.java", &["String t = \"⟦ghp_R8dKq2Lw0VbX⟧\"\n    + \"⟦5nZs7TyHc3JmPf4uGa9E1iQo⟧\";"]);
        check(
            "a.py",
            &[
                "T = (\"⟦ghp_R8dKq2Lw0VbX⟧\"\n     \"⟦5nZs7TyHc3JmPf4uGa9E1iQo⟧\")",
                "URL = \"ftp://\" + \"etude\" + \":\" + \"⟦Cachet-de-Cire8⟧\" + \"@\" + HOST + \"/depot\"",
                "URL = \"ftp://\" + USER + \":⟦Cachet-de-Cire8⟧@\" + HOST",
                "x = \"don't\" + \"can't\" + 'a' + \"b\"",
            ],
        );
    }
}
