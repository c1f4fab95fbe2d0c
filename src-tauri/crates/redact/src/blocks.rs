//! Finds key blocks over several lines (PEM, PGP, SSH2, PuTTY, OpenVPN), also where a cut removed the begin or end
//! line.

use std::sync::OnceLock;

use regex::bytes::Regex;

use super::span::Span;
use super::types::RedactionReason;

/// The rule's name in reports and markers.
pub(super) const RULE: &str = "private-key";

/// A text is only searched for key blocks if it contains one of these, in any case.
pub(super) const MARKS: &[&str] = &["private key", "putty-user-key-file", "private-mac:", "openvpn static key"];

/// A shorter line is too short to be recognised as part of a key.
const SHORTEST_LINE: usize = 16;

/// A text without a run of so many characters of base64 is no key.
const SHORTEST_RUN: usize = 8;

#[allow(clippy::expect_used, reason = "constant patterns; a test uses them")]
fn edges() -> &'static Regex {
    static CELL: OnceLock<Regex> = OnceLock::new();
    CELL.get_or_init(|| {
        Regex::new(concat!(
            r"(?i)(?:(?:-{4,5} ?BEGIN (?:[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1) ?-{4,5}|PuTTY-User-Key-File-\d: )",
            r"|-{4,5} ?END (?:[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1) ?-{4,5}|Private-MAC: [0-9a-f]*)",
        ))
        .expect("a constant pattern")
    })
}

struct Edge {
    start: usize,
    end: usize,
    begins: bool,
}

fn all_edges(text: &[u8]) -> Vec<Edge> {
    let edge = |found: regex::bytes::Match<'_>| {
        let text = found.as_bytes();
        let head = text.iter().position(|byte| !matches!(byte, b'-' | b' ')).unwrap_or(0);
        let begins = matches!(text[head..].first(), Some(b'B' | b'b'))
            || text[head..].to_ascii_lowercase().starts_with(b"putty");
        Edge { start: found.start(), end: found.end(), begins }
    };
    edges().find_iter(text).map(edge).collect()
}

/// Adds the text between each begin line and its end line. Where one of the two is missing, adds the adjacent lines
/// that look like a key.
pub(super) fn find(text: &[u8], spans: &mut Vec<Span>) {
    let mut add = |start: usize, end: usize| {
        // `...` stands for a key, and so do words.
        let is_data = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
        let is_key = text[start..end.max(start)].split(|byte| !is_data(byte)).any(|run| run.len() >= SHORTEST_RUN);
        if is_key {
            spans.push(Span::new(start, end, RULE.into()).because(RedactionReason::KeyBlock));
        }
    };
    let edges = all_edges(text);
    for (index, edge) in edges.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| edges.get(index));
        let next = edges.get(index + 1);
        let limit = next.map_or(text.len(), |next| next.start);
        if edge.begins {
            // The public lines of PuTTY's files come first.
            let private = memchr::memmem::find(&text[edge.end..limit], b"Private-Lines: ")
                .filter(|_| text[edge.start..].starts_with(b"PuTTY"));
            let edge_end = private.map_or(edge.end, |at| {
                let line = edge.end + at;
                memchr::memchr(b'\n', &text[line..limit]).map_or(edge.end, |end| line + end)
            });
            let edge = &Edge { end: edge_end, ..*edge };
            match next {
                Some(close) if !close.begins && !is_literal(text, edge.end) => add(edge.end, close.start),
                // The end line was cut off. The block lasts as long as lines look like a key, with headers and empty
                // lines between them.
                _ => add(edge.end, body_end(&text[..limit], edge.end)),
            }
        } else {
            let opened = before.is_some_and(|open| open.begins && !is_literal(text, open.end));
            if !opened {
                add(body_start(text, edge.start, before.map_or(0, |before| before.end)), edge.start);
            }
        }
    }
}

/// The minimum number of lines of equal length by which the middle of a key is recognised.
const MIN_MIDDLE_LINES: usize = 3;
/// The lengths of a full line of a key in bytes.
const FULL_LINE: std::ops::RangeInclusive<usize> = 60..=76;
/// The number of bytes before the middle of a key in which a word must name it.
const NAMED_BEFORE: usize = 300;

/// Adds the middle of keys whose first and last lines are not in the text: full lines of base64. In a file that is not `plain` settings, a
/// word before them must name a key. A text with any first line is left to [`find`].
pub(super) fn find_middles(text: &[u8], plain: bool, spans: &mut Vec<Span>) {
    let mut run: Vec<(usize, usize)> = Vec::new();
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while at <= text.len() {
        // Lines that are too short are skipped together.
        if run.is_empty()
            && let Some(window) = text.get(at..at + *FULL_LINE.start())
            && let Some(end) = memchr::memrchr(b'\n', window)
        {
            at += end + 1;
            continue;
        }
        let line = &text[at..memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |end| at + end)];
        if line.len() < *FULL_LINE.start() && run.is_empty() {
            at += line.len() + 1;
            continue;
        }
        let body = line.trim_ascii();
        let start = at + (line.len() - line.trim_ascii_start().len());
        at += line.len() + 1;
        let full = FULL_LINE.contains(&body.len()) && is_mixed_base64(body);
        if full && run.last().is_none_or(|(from, to)| to - from == body.len()) {
            run.push((start, start + body.len()));
            continue;
        }
        if is_middle(text, &run, plain) {
            found.append(&mut run);
        }
        run.clear();
        if full {
            run.push((start, start + body.len()));
        }
    }
    if is_middle(text, &run, plain) {
        found.append(&mut run);
    }
    if found.is_empty() || memchr::memmem::find(text, b"-----BEGIN ").is_some() {
        return;
    }
    let middle = |(start, end)| Span::new(start, end, RULE.into()).because(RedactionReason::KeyBlock);
    spans.extend(found.into_iter().map(middle));
}

/// The first letters of archives, images, fonts and documents in base64.
const FILES: &[&[u8]] =
    &[b"H4sI", b"iVBOR", b"/9j/", b"UEsDB", b"R0lGOD", b"JVBERi", b"d09G", b"AAEAAAA", b"Qk0", b"PD94bW", b"PHN2Zy"];

/// Returns whether lines of base64 can be the middle of a key.
fn is_middle(text: &[u8], run: &[(usize, usize)], plain: bool) -> bool {
    let Some(&(start, _)) = run.first().filter(|_| run.len() >= MIN_MIDDLE_LINES) else { return false };
    let is_file = FILES.iter().any(|file| text[start..].starts_with(file));
    !is_file && (plain || is_named(&text[..start]))
}

/// Returns whether a line has nothing but base64, with digits and letters of both cases.
fn is_mixed_base64(line: &[u8]) -> bool {
    line.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte))
        && line.iter().any(u8::is_ascii_digit)
        && line.iter().any(u8::is_ascii_lowercase)
        && line.iter().any(u8::is_ascii_uppercase)
}

/// Returns whether the end of a text names a key.
fn is_named(before: &[u8]) -> bool {
    let near = before[before.len().saturating_sub(NAMED_BEFORE)..].to_ascii_lowercase();
    let names = |word: &&[u8]| memchr::memmem::find(&near, word).is_some();
    [&b"key"[..], b"private", b"secret"].iter().any(names) && ![&b"public"[..], b"cert", b"pubkey"].iter().any(names)
}

/// Returns the start of a block that has not ended yet.
pub(super) fn open_block(text: &[u8]) -> Option<usize> {
    last_edge(text).filter(|(_, begins)| *begins).map(|(start, _)| start)
}

/// Returns the start of the last line that begins or ends a block, and whether it begins one.
pub(super) fn last_edge(text: &[u8]) -> Option<(usize, bool)> {
    all_edges(text).last().map(|edge| (edge.start, edge.begins))
}

/// Counts the base64 characters and the other characters of a line, without the surrounding quotes, comment marks and
/// line ends of a language.
fn parts(line: &[u8]) -> (usize, usize) {
    let mut text = line.trim_ascii();
    while let Some((first, rest)) = text.split_first()
        && b"\"'`#/*+>-|. \t".contains(first)
    {
        text = rest;
    }
    for end in [&b"\\"[..], b"+", b",", b";", b"\"", b"'", b"\\n", b"\\r\\n", b"+", b"."] {
        text = text.strip_suffix(end).unwrap_or(text).trim_ascii_end();
    }
    let inside = text.iter().filter(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte)).count();
    (inside, text.len() - inside)
}

/// Returns whether a line looks like the inside of a key block.
pub(super) fn is_body(line: &[u8]) -> bool {
    let (inside, other) = parts(line);
    inside >= SHORTEST_LINE && other * 16 <= inside
}

/// Returns the body of a key in one string, without its first and last lines and the escaped line ends beside them.
pub(super) fn body(text: &[u8], start: usize, end: usize) -> (usize, usize) {
    let (mut start, mut end) = (start, end);
    for edge in all_edges(&text[start..end]).into_iter().rev() {
        if edge.begins {
            start += edge.end;
            break;
        }
        end = start + edge.start;
    }
    let (from, to) = inner(&text[start..end]);
    (start + from, start + to)
}

/// Returns the range of the key in a line of its block: without the indentation, quotes and signs of a language around it, and without escaped
/// line ends. A header has none.
pub(super) fn inner(line: &[u8]) -> (usize, usize) {
    let (mut from, mut to) = (0, line.len());
    loop {
        let text = &line[from..to];
        let escaped = text.starts_with(b"\\n") || text.starts_with(b"\\r");
        match text.first() {
            Some(b'\\') if escaped => from += 2,
            Some(byte) if byte.is_ascii_whitespace() || b"\"'`#*>|,".contains(byte) => from += 1,
            Some(b'+' | b'-' | b'/') if text.get(1).is_none_or(|next| b" \"'\t".contains(next)) => from += 1,
            _ => break,
        }
    }
    loop {
        let text = &line[from..to];
        if text.ends_with(b"\\n") || text.ends_with(b"\\r") {
            to -= 2;
        } else if text.last().is_some_and(|byte| byte.is_ascii_whitespace() || b"\"'`,;)\\".contains(byte))
            || text.ends_with(b" +")
            || text.ends_with(b"\"+")
            || text.ends_with(b"'+")
            || text.ends_with(b" .")
        {
            to -= 1;
        } else {
            break;
        }
    }
    if is_header(&line[from..to]) { (from, from) } else { (from, to) }
}

/// Returns whether a line of a block is no part of the key: `Version: GnuPG v2`, `Proc-Type: 4,ENCRYPTED`, the public lines of PuTTY's files.
fn is_header(line: &[u8]) -> bool {
    let name = line.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
    (2..32).contains(&name) && line[name..].starts_with(b": ") && line.len() < 100
        || matches!(line, b"ssh-rsa" | b"ssh-ed25519" | b"ssh-dss")
}

/// Returns whether the string literal around a begin line ends on the same line. Then the source only names the begin
/// line, or the key is written in several strings.
fn is_literal(text: &[u8], end: usize) -> bool {
    let line = text[end..].split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = &line[..line.len().min(8)];
    line.iter().any(|byte| matches!(byte, b'"' | b'\'' | b'`')) && !line.starts_with(b"[REDACTED")
}

fn body_end(text: &[u8], from: usize) -> usize {
    let mut stop = from;
    let mut at = from;
    for (index, line) in text[from..].split_inclusive(|&byte| byte == b'\n').enumerate() {
        let trimmed = line.trim_ascii();
        // A redaction mark contains a colon, but is not a header.
        let marked = memchr::memmem::find(trimmed, b"[REDACTED").is_some();
        let header = trimmed.contains(&b':') && trimmed.len() < 80 && !marked;
        at += line.len();
        if is_body(line) || index == 0 && trimmed.len() >= SHORTEST_LINE {
            stop = at - usize::from(line.ends_with(b"\n"));
        } else if !(trimmed.is_empty() || header || index == 0) {
            // The last line of a key may be short.
            let (inside, other) = parts(line);
            if stop > from && inside >= 2 && other == 0 {
                stop = at - usize::from(line.ends_with(b"\n"));
            }
            break;
        }
    }
    stop
}

fn body_start(text: &[u8], end: usize, not_before: usize) -> usize {
    let mut start = end;
    let mut seen = 0;
    while start > not_before {
        let line_start = text[not_before..start - 1]
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(not_before, |at| not_before + at + 1);
        let line = &text[line_start..start];
        // The line of the end mark may be indented, and the line above it may be short.
        let (inside, other) = parts(line);
        let short = seen <= 1 && other == 0 && (inside > 0 || seen == 0);
        if !(is_body(line) || short) {
            break;
        }
        seen += 1;
        start = line_start;
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(text: &str) -> String {
        let mut spans = Vec::new();
        find(text.as_bytes(), &mut spans);
        let mut out = text.to_owned();
        spans.sort_by_key(|span| std::cmp::Reverse(span.start));
        for span in spans {
            out.replace_range(span.start..span.end, "*");
        }
        out
    }

    const BODY: &str = "MIIEpAIBAAKCAQEA7bqEXAMPLEkeybody0123456789\nabcdefEXAMPLEkeybody0123456789ABCDEFG==\n";

    #[test]
    fn the_middle_of_a_key_is_masked_where_settings_or_a_name_tell_it() {
        let line = |first: char| format!("{first}{}", "Ab3+".repeat(16)).chars().take(64).collect::<String>();
        let body: String = ['x', 'y', 'z'].map(|first| line(first) + "\n").concat();
        let middles = |text: &str, plain: bool| {
            let mut spans = Vec::new();
            find_middles(text.as_bytes(), plain, &mut spans);
            spans.len()
        };
        assert_eq!(middles(&body, true), 3);
        assert_eq!(middles(&format!("SIGNING_KEY = (\n{body}"), false), 3);
        assert_eq!(middles(&format!("ICON = (\n{body}"), false), 0);
        assert_eq!(middles(&format!("PUBLIC_KEY = (\n{body}"), false), 0);
        assert_eq!(middles(&format!("-----BEGIN CERTIFICATE-----\n{body}"), true), 0);
        assert_eq!(middles(&body[..130], true), 0);
    }

    #[test]
    fn blocks_are_masked_whole_and_where_they_are_cut() {
        let (open, close) = ("-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----");
        assert_eq!(masked(&format!("a\n{open}\n{BODY}{close}\nb")), format!("a\n{open}*{close}\nb"));
        assert_eq!(masked(&format!("a\n{open}\n{BODY}")), format!("a\n{open}*\n"));
        assert_eq!(masked(&format!("fn main() {{}}\n{BODY}{close}\nb")), format!("fn main() {{}}\n*{close}\nb"));
        let public = "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----";
        assert_eq!(masked(public), public);
    }
}
