//! Finds secrets in text that is written in another notation: percent-encoded, with HTML entities and tags of highlighting, with terminal
//! colours, with `\x40` and `\040` escapes, as JSON in a string, or in lines that are continued with a backslash or a caret.
//!
//! The lines with such notation are decoded into a second text, which is scanned like any other. Its spans are mapped back.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex::bytes::Regex;

use super::Redactor;
use super::engine::scan;
use super::span::Span;
use super::values::{Bare, is_placeholder};

/// The maximum number of notations inside one another.
const MAX_DEPTH: usize = 3;
/// The maximum distance in bytes between the quote behind a key and the one before its value.
const MAX_GAP: usize = 6;
/// The maximum length of an entity of HTML.
const MAX_ENTITY: usize = 7;
/// The maximum length of the word before an entity of HTML that is read.
const MAX_WORD: usize = 96;
/// The number of lines beside a line with another notation that are read with it.
const BESIDE: usize = 1;

fn notation() -> &'static Regex {
    static CELL: OnceLock<Regex> = OnceLock::new();
    #[allow(clippy::expect_used, reason = "a constant pattern; a test uses it")]
    CELL.get_or_init(|| {
        Regex::new(concat!(
            r"(?-u)%[0-9A-Fa-f]{2}|&(?:quot|apos|amp|lt|gt|nbsp|#[0-9]{1,3}|#[xX][0-9A-Fa-f]{1,2});|\\x[0-9A-Fa-f]{2}|\\u00[0-9A-Fa-f]{2}",
            r#"|</?(?:span|pre|td|li|b|i|em|strong|font|mark|code)(?: [^<>\n]{0,200})?>"#,
            r"|\\040|(?:\x1b|\\033|\\e|\\x1[bB]|\\u001[bB]|\^\[)\[[0-9;]{0,16}[A-Za-z]",
            r#"|\\+["'/]|[ \t]*[\\^]\r?\n[ \t]*"#,
        ))
        .expect("a constant pattern")
    })
}

/// A decoded text, with the places of its parts in the original.
#[derive(Default)]
struct Decoded<'a> {
    text: Cow<'a, [u8]>,
    parts: Vec<Part>,
}

/// A part of a decoded text.
#[derive(Clone, Copy)]
struct Part {
    /// The offset of the part in the decoded text.
    at: usize,
    /// Its range in the original.
    start: usize,
    end: usize,
    /// Whether the original has the same bytes. Otherwise the part stands for another notation as a whole.
    is_copy: bool,
}

impl<'a> Decoded<'a> {
    /// Returns a text of which nothing is decoded yet.
    fn whole(text: &'a [u8]) -> Self {
        Self { text: Cow::Borrowed(text), parts: vec![Part { at: 0, start: 0, end: text.len(), is_copy: true }] }
    }

    /// Returns the index of the part that contains a place of the decoded text.
    fn index(&self, at: usize) -> usize {
        self.parts.partition_point(|part| part.at <= at).saturating_sub(1)
    }

    /// Returns the place of a byte in the original.
    fn place(&self, at: usize) -> (usize, usize) {
        let Some(part) = self.parts.get(self.index(at)) else { return (0, 0) };
        let start = part.start + (at - part.at);
        if part.is_copy { (start, start + 1) } else { (part.start, part.end) }
    }

    /// Returns whether the quote before a value is the end of the string that has its key: `"\"password\": " + value`. Such a quote is not
    /// escaped, and the quotes of the key are.
    fn closes_its_key(&self, at: usize) -> bool {
        let escaped = |at: usize| self.parts.get(self.index(at)).is_some_and(|part| !part.is_copy);
        let quote = |byte: &u8| b"\"'".contains(byte);
        let Some(open) = at.checked_sub(1).filter(|&open| quote(&self.text[open])) else { return false };
        let before = &self.text[open.saturating_sub(MAX_GAP)..open];
        before.iter().rposition(quote).is_some_and(|key| escaped(open - before.len() + key) && !escaped(open))
    }

    /// Appends a part of another decoded text.
    fn copy(&mut self, other: &Decoded<'_>, from: usize, to: usize) {
        let mut at = from;
        let mut index = other.index(at);
        while let Some(part) = other.parts.get(index).filter(|_| at < to) {
            let stop = other.parts.get(index + 1).map_or(to, |next| next.at.min(to));
            let (start, end) = if part.is_copy {
                (part.start + (at - part.at), part.start + (stop - part.at))
            } else {
                (part.start, part.end)
            };
            self.parts.push(Part { at: self.text.len(), start, end, is_copy: part.is_copy });
            self.text.to_mut().extend_from_slice(&other.text[at..stop]);
            at = stop;
            index += 1;
        }
    }

    /// Appends bytes that stand for a place of the original.
    fn add(&mut self, bytes: &[u8], (start, end): (usize, usize)) {
        self.parts.push(Part { at: self.text.len(), start, end, is_copy: false });
        self.text.to_mut().extend_from_slice(bytes);
    }
}

/// Adds the secrets of the lines in another notation.
pub(super) fn find(text: &[u8], bare: Bare, redactor: &Redactor, spans: &mut Vec<Span>) {
    if !may_be_encoded(text) {
        return;
    }
    // Highlighted text is not markup.
    let bare = if bare == Bare::Data { Bare::Text } else { bare };
    let Some(mut decoded) = decode(&Decoded::whole(text), &lines(text)) else { return };
    for _ in 0..MAX_DEPTH {
        let mut found = Vec::new();
        scan(&decoded.text, bare, redactor, &mut found);
        for span in found.into_iter().filter(|span| span.start < span.end) {
            let (start, end) = (decoded.place(span.start).0, decoded.place(span.end - 1).1);
            let harmless = is_placeholder(&decoded.text[span.start..span.end]) || decoded.closes_its_key(span.start);
            if start < end && !harmless {
                spans.push(Span { start, end, ..span });
            }
        }
        // Most lines have one notation, and are not read again.
        let parts = lines(&decoded.text);
        match decode(&decoded, &parts) {
            Some(next) => decoded = next,
            None => break,
        }
    }
}

/// Returns whether a text may contain another notation. This is much faster than the pattern.
fn may_be_encoded(text: &[u8]) -> bool {
    // Some tags alone are no reason to decode a text.
    let begins = |at: usize| text[at] != b'<' && may_begin(text, at);
    escapes(text).any(begins) || marks(text).any(begins) || memchr::memmem::find(text, b"<span").is_some()
}

/// Returns the places of the bytes with which a notation can begin, in two parts.
fn escapes(text: &[u8]) -> impl Iterator<Item = usize> {
    memchr::memchr3_iter(b'%', b'&', b'\\', text)
}

fn marks(text: &[u8]) -> impl Iterator<Item = usize> {
    memchr::memchr3_iter(b'<', b'^', 0x1b, text)
}

/// Returns whether a notation may begin with a byte, by the bytes behind it.
fn may_begin(text: &[u8], at: usize) -> bool {
    let next = text.get(at + 1).copied().unwrap_or_default();
    match text[at] {
        b'%' => next.is_ascii_hexdigit() && text.get(at + 2).is_some_and(u8::is_ascii_hexdigit),
        b'&' => b"qalgn#".contains(&next) && text[at..text.len().min(at + MAX_ENTITY)].contains(&b';'),
        b'\\' => b"xu0e\"'/\\\r\n".contains(&next),
        b'<' => b"/sptlbiefmc".contains(&next),
        b'^' => b"\r\n[".contains(&next),
        _ => next == b'[',
    }
}

/// Returns the parts of a text with another notation, as whole lines with the lines beside them.
fn lines(text: &[u8]) -> Vec<(usize, usize)> {
    let mut parts = Vec::new();
    add_lines(text, escapes(text), &mut parts);
    add_lines(text, marks(text), &mut parts);
    parts.sort_unstable();
    parts.dedup_by(|next, last| {
        let is_joined = next.0 <= last.1;
        last.1 = if is_joined { last.1.max(next.1) } else { last.1 };
        is_joined
    });
    parts
}

/// Adds the parts around the notations that begin at some of `places`, which are in order.
fn add_lines(text: &[u8], places: impl Iterator<Item = usize>, parts: &mut Vec<(usize, usize)>) {
    let mut read = 0;
    for at in places {
        if at < read || !may_begin(text, at) {
            continue;
        }
        let end_of_line = |from: usize| memchr::memchr(b'\n', &text[from..]).map_or(text.len(), |end| from + end + 1);
        // A notation ends at most with the blanks of the next line.
        let line = end_of_line(at);
        let Some(found) = notation().find_at(&text[..end_of_line(line)], at).filter(|found| found.start() < line)
        else {
            read = line;
            continue;
        };
        // The rest of the line is read with it, so only its end is searched, which may continue on the next line.
        read = found.end().max(line.saturating_sub(3));
        let (mut start, mut end) = (at, found.end());
        for _ in 0..=BESIDE {
            start = memchr::memrchr(b'\n', &text[..start.saturating_sub(1)]).map_or(0, |at| at + 1);
            end = end_of_line(end);
        }
        parts.push((start, end));
    }
}

/// Decodes parts of a text. Returns `None` if nothing is encoded.
fn decode(from: &Decoded<'_>, parts: &[(usize, usize)]) -> Option<Decoded<'static>> {
    let mut decoded = Decoded::default();
    let mut changed = false;
    for &(start, end) in parts {
        let mut at = start;
        for found in notation().find_iter(&from.text[start..end]) {
            let place = (from.place(start + found.start()).0, from.place(start + found.end() - 1).1);
            decoded.copy(from, at, start + found.start());
            at = start + found.end();
            changed = true;
            if let Some(byte) = meaning(found.as_bytes()) {
                let range = (start + found.start(), start + found.end());
                let byte = if is_in_value(&from.text, range, byte) { IN_VALUE } else { byte };
                decoded.add(&[byte], place);
            }
        }
        decoded.copy(from, at, end);
        // A value does not continue in the next part.
        decoded.add(b"\n\n", from.place(end - 1));
    }
    changed.then_some(decoded)
}

/// The sign in the place of one that would end a value.
const IN_VALUE: u8 = b'~';

/// Returns whether an entity of HTML is inside a value without quotes, which its sign would end: `pass=a&lt;b&amp;c`.
fn is_in_value(text: &[u8], (start, end): (usize, usize), byte: u8) -> bool {
    if !b"<>&".contains(&byte) || text[start] != b'&' {
        return false;
    }
    let before = &text[start.saturating_sub(MAX_WORD)..start];
    let word = before.rsplit(|byte| byte.is_ascii_whitespace() || *byte == b'>').next().unwrap_or_default();
    let Some(sign) = memchr::memchr(b'=', word) else { return false };
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let (name, value, rest) = (&word[..sign], &word[sign + 1..], &text[end..]);
    let begins_field = rest.iter().take_while(|byte| is_name(byte)).count();
    let is_tag = byte == b'<' && (rest.starts_with(b"/") || rest.starts_with(b"br"));
    // A placeholder, and a string, begin with the entity.
    !name.is_empty()
        && name.iter().all(is_name)
        && value.first().is_some_and(u8::is_ascii_alphanumeric)
        && rest.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || b"&!?#*-_.".contains(byte))
        && !is_tag
        && !(byte == b'&' && rest.get(begins_field) == Some(&b'='))
}

/// Returns the byte that a notation stands for, or `None` if it is only markup.
fn meaning(found: &[u8]) -> Option<u8> {
    let text = std::str::from_utf8(found).ok()?;
    let hex = |digits: Option<&str>| u8::from_str_radix(digits?, 16).ok();
    match found {
        [b'%', ..] => hex(text.get(1..)),
        [b'&', .., b';'] => match text.get(1..text.len() - 1)? {
            "quot" => Some(b'"'),
            "apos" => Some(b'\''),
            "amp" => Some(b'&'),
            "lt" => Some(b'<'),
            "gt" => Some(b'>'),
            "nbsp" => Some(b' '),
            number => match number.strip_prefix("#x").or_else(|| number.strip_prefix("#X")) {
                Some(digits) => hex(Some(digits)),
                None => number.strip_prefix('#')?.parse().ok(),
            },
        },
        [b'\\', b'x', _, _] => hex(text.get(2..)),
        [b'\\', b'u', _, _, _, _] => hex(text.get(4..)),
        br"\040" => Some(b' '),
        [b'\\', .., quote @ (b'"' | b'\'' | b'/')] => Some(*quote),
        // A word continues on the next line if there is no blank between its parts.
        [b'\\' | b'^', .., b'\n'] => None,
        _ => found.contains(&b'\n').then_some(b' '),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{lines, may_be_encoded, notation};
    use crate::testing::check;

    proptest! {
        #[test]
        fn each_notation_is_read(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "%3D", "%", "&quot;", "&#39;", "&#x2f;", "&a", ";", "\\x41", "\\u0041", "\\u00", "\\040", "\\04", "\u{1b}[32m", "\\033[0m", "^[[1m",
                    "<span>", "</b>", "<td class=\"a\">", "<", "^", "\\", "\\\\\"", "\"", "\n", "\r\n", "  ", "\t", "key", "=", "3f",
                ]),
                0..40,
            ),
        ) {
            let text = pieces.concat();
            let parts = lines(text.as_bytes());
            for found in notation().find_iter(text.as_bytes()) {
                prop_assert!(parts.iter().any(|part| part.0 <= found.start() && found.end() <= part.1), "{text:?} {parts:?}");
                prop_assert!(found.as_bytes()[0] == b'<' || may_be_encoded(text.as_bytes()), "{text:?}");
            }
            prop_assert!(parts.windows(2).all(|two| two[0].1 < two[1].0), "{text:?} {parts:?}");
        }
    }

    #[test]
    fn entities_do_not_end_a_value_without_quotes() {
        check(
            "debug.html",
            &[
                "<pre>smtp user=robot pass=⟦Mo&lt;orhuhn&gt;&amp;KX81P0⟧</pre>",
                "<pre>\nsmtp user=robot pass=⟦Mo&amp;orhuhn81⟧ port=25\n</pre>",
                "<a href=\"/x?token=⟦q8Zk02mLq9Zt4Rb7x8Kd⟧&amp;page=2\">x</a>",
                "<code>password=&lt;password&gt;</code>",
                "<code>if pass&lt;3 &amp;&amp; fail&gt;2</code>",
            ],
        );
    }

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
        check("a.json", &["\"db\": \"postgres:\\/\\/app:⟦Geheim77x⟧@db\\/x\""]);
        check("a.bat", &["psexec \\\\srv ^\n  -u me ^\n  -p ⟦Geheim77x⟧ ^\n  cmd"]);
        check(
            ".mysql_history",
            &[
                "CREATE\\040USER\\040'app'@'%'\\040IDENTIFIED\\040BY\\040'⟦F1NbFK9pe#OpiS⟧';",
                "SHOW\\040TABLES\\040LIKE\\040'F1NbFK9pe';",
            ],
        );
        check("a.c", &["url = \"postgres://app:⟦Gehe\\x40im77⟧@db/x\";"]);
    }
}
