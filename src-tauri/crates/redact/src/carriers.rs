//! Finds secrets in text that is written in another notation: percent-encoded, with HTML entities and tags of highlighting, with terminal
//! colours, with `\x40` escapes, as JSON in a string, or in shell lines that are continued with a backslash.
//!
//! The lines with such notation are decoded into a second text, which is scanned like any other. Its spans are mapped back.

use std::sync::OnceLock;

use regex::bytes::{Captures, Regex};

use super::Redactor;
use super::engine::scan;
use super::span::Span;
use super::values::{Bare, is_placeholder};

/// The maximum number of notations inside one another.
const MAX_DEPTH: usize = 3;
/// The number of lines beside a line with another notation that are read with it.
const BESIDE: usize = 1;

fn notation() -> &'static Regex {
    static CELL: OnceLock<Regex> = OnceLock::new();
    #[allow(clippy::expect_used, reason = "a constant pattern; a test uses it")]
    CELL.get_or_init(|| {
        Regex::new(concat!(
            r"(?-u)%([0-9A-Fa-f]{2})|&(quot|apos|amp|lt|gt|nbsp|#[0-9]{1,3}|#[xX][0-9A-Fa-f]{1,2});|\\x([0-9A-Fa-f]{2})|\\u00([0-9A-Fa-f]{2})",
            r#"|</?(?:span|b|i|em|strong|font|mark|code)(?: [^<>\n]{0,200})?>"#,
            r"|(?:\x1b|\\033|\\e|\\x1[bB]|\\u001[bB]|\^\[)\[[0-9;]{0,16}[A-Za-z]",
            r#"|\\+(["'])|[ \t]*\\\r?\n[ \t]*"#,
        ))
        .expect("a constant pattern")
    })
}

/// A decoded text, with the place of each of its bytes in the original.
struct Decoded {
    text: Vec<u8>,
    places: Vec<(usize, usize)>,
}

/// Adds the secrets of the lines in another notation.
pub(super) fn find(text: &[u8], bare: Bare, redactor: &Redactor, spans: &mut Vec<Span>) {
    if !may_be_encoded(text) {
        return;
    }
    let Some(mut decoded) = decode(text, &lines(text), &|at| (at, at + 1)) else { return };
    for _ in 0..MAX_DEPTH {
        let mut found = Vec::new();
        scan(&decoded.text, bare, redactor, &mut found);
        for span in found {
            let inside = &decoded.places[span.start..span.end];
            if let (Some(&(start, _)), Some(&(_, end))) = (inside.first(), inside.last())
                && start < end
                && !is_placeholder(&decoded.text[span.start..span.end])
            {
                spans.push(Span { start, end, ..span });
            }
        }
        let places = decoded.places;
        let whole = [(0, decoded.text.len())];
        match decode(&decoded.text, &whole, &|at| places[at]) {
            Some(next) => decoded = next,
            None => break,
        }
    }
}

/// Returns whether a text may contain another notation. This is much faster than the pattern.
fn may_be_encoded(text: &[u8]) -> bool {
    let follows = |at: usize, test: fn(u8) -> bool| text.get(at + 1).is_some_and(|byte| test(*byte));
    memchr::memchr2_iter(b'%', b'&', text).any(|at| follows(at, |byte| byte.is_ascii_alphanumeric() || byte == b'#'))
        || memchr::memchr2_iter(b'\\', 0x1b, text).any(|at| follows(at, |byte| b"xu0e\"'\\\r\n[".contains(&byte)))
        || memchr::memmem::find(text, b"<span").is_some()
}

/// Returns the parts of a text with another notation, as whole lines with the lines beside them.
fn lines(text: &[u8]) -> Vec<(usize, usize)> {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for found in notation().find_iter(text) {
        if parts.last().is_some_and(|last| found.end() < last.1) {
            continue;
        }
        let (mut start, mut end) = (found.start(), found.end());
        for _ in 0..=BESIDE {
            start = memchr::memrchr(b'\n', &text[..start.saturating_sub(1)]).map_or(0, |at| at + 1);
            end = memchr::memchr(b'\n', &text[end..]).map_or(text.len(), |at| end + at + 1);
        }
        match parts.last_mut() {
            Some(last) if start <= last.1 => last.1 = end,
            _ => parts.push((start, end)),
        }
    }
    parts
}

/// Decodes parts of a text. Returns `None` if nothing is encoded.
fn decode(text: &[u8], parts: &[(usize, usize)], place: &dyn Fn(usize) -> (usize, usize)) -> Option<Decoded> {
    let mut decoded = Decoded { text: Vec::new(), places: Vec::new() };
    let mut changed = false;
    for &(start, end) in parts {
        let mut at = start;
        let copy = |decoded: &mut Decoded, from: usize, to: usize| {
            decoded.text.extend_from_slice(&text[from..to]);
            decoded.places.extend((from..to).map(place));
        };
        for found in notation().captures_iter(&text[start..end]) {
            let Some(whole) = found.get(0) else { continue };
            let (from, to) = (start + whole.start(), start + whole.end());
            copy(&mut decoded, at, from);
            at = to;
            changed = true;
            if let Some(byte) = meaning(&found) {
                decoded.text.push(byte);
                decoded.places.push((place(from).0, place(to - 1).1));
            }
        }
        copy(&mut decoded, at, end);
        // A value does not continue in the next part.
        decoded.text.extend_from_slice(b"\n\n");
        decoded.places.extend([place(end - 1); 2]);
    }
    changed.then_some(decoded)
}

/// Returns the byte that a notation stands for, or `None` if it is only markup.
fn meaning(found: &Captures<'_>) -> Option<u8> {
    let hex = |group: usize| {
        let digits = std::str::from_utf8(found.get(group)?.as_bytes()).ok()?;
        u8::from_str_radix(digits, 16).ok()
    };
    if let Some(entity) = found.get(2) {
        let name = std::str::from_utf8(entity.as_bytes()).ok()?;
        return match name {
            "quot" => Some(b'"'),
            "apos" => Some(b'\''),
            "amp" => Some(b'&'),
            "lt" => Some(b'<'),
            "gt" => Some(b'>'),
            "nbsp" => Some(b' '),
            _ => match name[1..].strip_prefix(['x', 'X']) {
                Some(digits) => u8::from_str_radix(digits, 16).ok(),
                None => name[1..].parse().ok(),
            },
        };
    }
    let quote = found.get(5).and_then(|quote| quote.as_bytes().first().copied());
    let continued = || found.get(0).is_some_and(|whole| whole.as_bytes().contains(&b'\n')).then_some(b' ');
    hex(1).or_else(|| hex(3)).or_else(|| hex(4)).or(quote).or_else(continued)
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn secrets_in_other_notations_are_masked() {
        check(
            "a.txt",
            &[
                "next=%2Flogin%3Fuser%3Dme%26password%3D⟦Geheim77x⟧%26x%3D1",
                "<p>password = &#39;⟦Geheim77x⟧&#39;</p>",
                "<pre>&quot;api_key&quot;: &quot;⟦Geheim77x⟧&quot;</pre>",
                "<span class=\"k\">password</span> <span>=</span> <span class=\"s\">&quot;⟦Geheim77x⟧&quot;</span>",
                "\u{1b}[32mpassword\u{1b}[0m: \u{1b}[31m⟦Geheim77x⟧\u{1b}[0m",
                "{\\\\\\\"a\\\\\\\":{\\\\\\\"password\\\\\\\":\\\\\\\"⟦Geheim77x⟧\\\\\\\"}}",
                "tool login --user me \\\n  --password \\\n  ⟦Geheim77x⟧ \\\n  --verbose",
                "100%25 of 50%20 &amp; more &lt;b&gt; \\\"quoted\\\" \\x41\\x42 words",
            ],
        );
        check("a.c", &["url = \"postgres://app:⟦Gehe\\x40im77⟧@db/x\";"]);
    }
}
