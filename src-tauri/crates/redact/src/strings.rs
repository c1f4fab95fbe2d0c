//! Reads strings in quotes, and the strings that are concatenated with them.
//!
//! In: a cursor at a quote. Out: the ranges of the strings.

use super::cursor::{Cursor, Place, REACH, Values, line_start};

/// Returns whether a quote behind a key ends the string that contains the key: `'Password: '`. A quoted key (`usize::MAX`) is in no string.
pub(super) fn closes(text: &[u8], key: usize, quote: u8) -> bool {
    open_quote(text, key) == Some(quote)
}

/// Returns the quote that opens the string around a key.
pub(super) fn open_quote(text: &[u8], key: usize) -> Option<u8> {
    if key > text.len() {
        return None;
    }
    let line = line_start(text, key);
    let mut open = None;
    let mut at = line;
    while at < key {
        match (open, text[at]) {
            (_, b'\\') => at += 1,
            (None, byte @ (b'"' | b'\'' | b'`')) => {
                // An apostrophe is not a quote.
                let apostrophe = byte == b'\'' && at > line && text[at - 1].is_ascii_alphabetic();
                if !apostrophe {
                    open = Some(byte);
                }
            }
            (Some(quote), byte) if quote == byte => open = None,
            _ => {}
        }
        at += 1;
    }
    open
}

/// Returns whether a backtick closes on its line.
pub(super) fn closes_on_line(rest: &[u8]) -> bool {
    rest.iter().take(REACH).take_while(|byte| **byte != b'\n').any(|byte| *byte == b'`')
}

/// Reads a quoted string and the strings that are concatenated with it.
pub(super) fn quoted(cursor: &mut Cursor<'_>, values: &mut Values) -> bool {
    let mut found = false;
    for _ in 0..16 {
        if !string(cursor, values) {
            break;
        }
        found = true;
        let after = cursor.at;
        cursor.space();
        let joined =
            cursor.take(b"+") || cursor.take(b"..") || cursor.take(b".") || cursor.take(b"\\") || cursor.take(b"&");
        let on_next_line = cursor.text[after..cursor.at].contains(&b'\n');
        cursor.space();
        let long = matches!(cursor.rest(), [b'"', b'"', b'"', ..] | [b'\'', b'\'', b'\'', ..]);
        // The end of a block of code in Markdown is no string.
        let more = matches!(cursor.peek(), Some(b'"' | b'\'')) && !long || joined && cursor.peek() == Some(b'`');
        if !(joined || on_next_line) || !more || follows_key(cursor) {
            cursor.at = after;
            break;
        }
    }
    found
}

/// Returns whether the string at the cursor is the key of the next value.
pub(super) fn follows_key(cursor: &Cursor<'_>) -> bool {
    let quote = cursor.peek().unwrap_or_default();
    let rest = &cursor.rest()[1..];
    let Some(end) = rest.iter().take(REACH).position(|byte| *byte == quote) else { return true };
    let after = rest[end + 1..].trim_ascii_start();
    matches!(after.first(), Some(b':' | b'='))
}

fn string(cursor: &mut Cursor<'_>, values: &mut Values) -> bool {
    let text = cursor.text;
    let mut at = cursor.at;
    // Escaped quotes belong to a string inside a string: `\"…\"`.
    let escapes = text[at..].iter().take(4).take_while(|byte| **byte == b'\\').count();
    let Some(&quote) = text.get(at + escapes).filter(|byte| b"\"'`".contains(byte)) else { return false };
    at += escapes + 1;
    let triple = escapes == 0 && text[at..].starts_with(&[quote, quote]);
    if triple {
        at += 2;
    } else if text.get(at) == Some(&quote) {
        // The string is empty.
        cursor.at = at + 1;
        return false;
    }
    let start = at;
    let stop = text.len().min(start + cursor.reach);
    let end = loop {
        if at >= stop {
            break stop;
        }
        let byte = text[at];
        if triple {
            if text[at..].starts_with(&[quote, quote, quote]) {
                break at;
            }
        } else if byte == b'\'' && quote == byte && escapes == 0 && is_doubled(&text[at..stop]) {
            at += 1;
        } else if byte == quote && (escapes == 0 || text[at - escapes..at].iter().all(|byte| *byte == b'\\')) {
            break at - escapes;
        } else if byte == b'\n' && quote != b'`' {
            // The string does not end on its line: the line was cut, or the quote does not open a string.
            break at - usize::from(text[at - 1] == b'\r');
        } else if byte == b'\\' && escapes == 0 {
            at += 1;
        }
        at += 1;
    };
    cursor.at = (end + escapes + if triple { 3 } else { 1 }).min(text.len());
    cursor.furthest = cursor.furthest.max(at);
    if start < end {
        values.push((start, end, Place { quoted: true, ..Place::default() }));
    }
    start < end
}

/// Returns whether a quote is a part of a string of SQL or YAML, which has it twice, and the string ends behind it.
fn is_doubled(rest: &[u8]) -> bool {
    if !rest.starts_with(b"''") {
        return false;
    }
    let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
    line[2..].first().is_some_and(u8::is_ascii_alphanumeric) && memchr::memchr_iter(b'\'', &line[2..]).count() % 2 == 1
}
