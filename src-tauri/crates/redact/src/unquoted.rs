//! Reads values without quotes: up to the end of the line, a blank, or a sign that ends an expression.

use super::cursor::{Cursor, Operator, Place, Values, line_start};
use super::strings::open_quote;
use super::values::Bare;

/// Reads the value at the cursor.
pub(super) fn unquoted(
    cursor: &mut Cursor<'_>,
    key: usize,
    operator: Operator,
    place: Place,
    short: bool,
    values: &mut Values,
) {
    let line = cursor.line();
    // `password={a;b};encrypt=true`
    if line.starts_with(b"{")
        && place.bare != Bare::Code
        && let Some(close) = memchr::memchr(b'}', line).filter(|close| *close > 3 && line.get(close + 1) == Some(&b';'))
        && !line[1].is_ascii_whitespace()
        && !line[1..close].windows(2).any(|two| two == b", ")
    {
        values.push((cursor.at + 1, cursor.at + close, Place { quoted: true, ..place }));
        return;
    }
    let whole = place.bare == Bare::Plain && !short && operator != Operator::Blank && operator != Operator::Comma;
    let mut end = if whole {
        // The value is the rest of the line, up to a comment.
        line.windows(2)
            .position(|two| two[0].is_ascii_whitespace() && (two[1] == b'#' || two[1] == b';'))
            .unwrap_or(line.len())
            // A value in a string that began before its key ends with the string: `curl -H "token: …" "$URL"`.
            .min(open_quote(cursor.text, key).and_then(|quote| memchr::memchr(quote, line)).unwrap_or(line.len()))
    } else {
        let stops: &[u8] = if short { b"\"'`<>|&;" } else { b",;\"'`<>|" };
        let ends = |at: usize, byte: u8| match byte {
            // A pipe and the end of a command have a blank behind them, or another sign. Fields of a form follow an ampersand.
            b'|' => line.get(at + 1).is_none_or(|next| next.is_ascii_whitespace() || *next == b'|'),
            b'&' if short => !is_inside(&line[at + 1..]),
            // One of several options: `-o user=…,password=…,uid=33`.
            b',' if short => is_option(&line[at + 1..]),
            // In a shell: `PASSWORD=ab\ cd`.
            b' ' if short && at > 0 && line[at - 1] == b'\\' => false,
            _ => byte.is_ascii_whitespace() || stops.contains(&byte),
        };
        line.iter().enumerate().position(|(at, byte)| ends(at, *byte)).unwrap_or(line.len())
    };
    if matches!(place.bare, Bare::Code | Bare::Data) {
        end = closed(&line[..end]);
    } else if whole && in_braces(cursor.text, cursor.at) {
        end = line[..end].windows(2).position(|two| two == b", ").unwrap_or(end).min(closed(&line[..end]));
    }
    end = line[..end].trim_ascii_end().len();
    if place.bare != Bare::Plain {
        while end > 0 && b")}]:".contains(&line[end - 1]) {
            end -= 1;
        }
    }
    // Another item follows: `Config(host=db, password=…, port=1)`.
    if !whole
        && line[..end].ends_with(b",")
        && !line[..end].contains(&b'(')
        && line.get(end).is_some_and(u8::is_ascii_whitespace)
    {
        end -= 1;
    }
    // `write-attribute(name=password,value=…)`
    let before = &cursor.text[line_start(cursor.text, cursor.at)..cursor.at];
    if end > 1
        && line[end - 1] == b')'
        && !line[..end].contains(&b'(')
        && before.contains(&b'(')
        && !before.contains(&b')')
    {
        end -= 1;
    }
    // After a mere blank, only the end of the line or more words of a command may follow the value.
    if operator == Operator::Blank && line[end..].first().is_some_and(|byte| !byte.is_ascii_whitespace()) {
        return;
    }
    // Behind a comma, an argument may have a name: `relationship("Secret", back_populates="user")`.
    let named = operator == Operator::Comma && line[..end].ends_with(b"=");
    if end >= 3 && !named {
        values.push((cursor.at, cursor.at + end, place));
    }
}

/// Returns whether another option follows: `uid=33`, `replicas=2`.
fn is_option(rest: &[u8]) -> bool {
    let name = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"_-.[]".contains(byte)).count();
    name > 0 && rest.get(name) == Some(&b'=')
}

/// Returns whether an ampersand before a text belongs to a value: neither a field of a form nor a command follows.
fn is_inside(rest: &[u8]) -> bool {
    let name = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"_-.[]".contains(byte)).count();
    name > 0 && !matches!(rest.get(name), Some(b'=' | b'&' | b'"' | b'\'' | b';') | None) && !rest.starts_with(b"amp;")
}

/// Returns whether a place is in a mapping on one line: `auth: { user: me, password: … }`.
fn in_braces(text: &[u8], at: usize) -> bool {
    let before = &text[line_start(text, at)..at];
    let count = |wanted: u8| before.iter().filter(|byte| **byte == wanted).count();
    count(b'{') > count(b'}')
}

/// Returns the length of the part of an expression before a bracket that closes one around it: `i.auth` in `{a:i.auth}:b`.
fn closed(text: &[u8]) -> usize {
    let mut depth = 0usize;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 0 => return at,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}
