//! Reads the arguments of a call, and the strings in them.

use super::cursor::MAX_VALUE_BYTES;
use super::notations::bracketed;
use super::wrappers::fetches;

/// The maximum number of arguments that are read.
const MAX_ARGUMENTS: usize = 12;
/// The maximum number of brackets inside one another. It bounds the work on a text of calls that do not end.
const MAX_DEPTH: i32 = 16;

/// Returns the ranges of the arguments that begin at `from`. The list is empty if the call does not end. A `bare` call has no parentheses
/// and ends with its line.
pub(super) fn arguments(text: &[u8], from: usize, bare: bool) -> Vec<(usize, usize)> {
    let stop = text.len().min(from + MAX_VALUE_BYTES);
    let mut found = Vec::new();
    let (mut at, mut begun, mut depth) = (from, from, 0);
    while at < stop && found.len() < MAX_ARGUMENTS {
        match text[at] {
            quote @ (b'"' | b'\'' | b'`') => match string_end(text, at, stop, quote) {
                Some(end) => at = end,
                None => return Vec::new(),
            },
            b'(' | b'[' | b'{' if depth == MAX_DEPTH => return Vec::new(),
            b'(' | b'[' | b'{' => depth += 1,
            b')' if depth == 0 && !bare => {
                if !text[begun..at].trim_ascii().is_empty() {
                    found.push((begun, at));
                }
                return found;
            }
            b'\n' | b';' if bare && depth == 0 => break,
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                found.push((begun, at));
                begun = at + 1;
            }
            b';' => return Vec::new(),
            _ => {}
        }
        at += 1;
    }
    if !bare {
        return Vec::new();
    }
    found.push((begun, at));
    found
}

/// Returns the place of the quote that ends a string.
fn string_end(text: &[u8], open: usize, stop: usize, quote: u8) -> Option<usize> {
    let mut at = open + 1;
    while at < stop {
        match text[at] {
            b'\\' => at += 1,
            b'\n' if quote != b'`' => return None,
            byte if byte == quote => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The maximum number of conversions around a string.
const MAX_CONVERSIONS: usize = 3;

/// Returns the place behind calls that convert a string: `Encoding.UTF8.GetBytes("…")`, `[]byte("…")`, `Some("…")`. A call that fetches a
/// value by its name is no conversion.
fn skip_conversions(text: &[u8], mut at: usize, to: usize) -> usize {
    for _ in 0..MAX_CONVERSIONS {
        let rest = &text[at..to];
        let keyword = if rest.starts_with(b"new ") { 4 } else { 0 };
        let inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.:[]".contains(byte);
        let name = rest[keyword..].iter().take_while(|byte| inside(byte)).count();
        let called = &rest[keyword..keyword + name];
        let quoted = |at: usize| rest[at..].first().is_some_and(|byte| b"\"'`".contains(byte));
        if name == 0 || rest.get(keyword + name) != Some(&b'(') {
            break;
        }
        let last = called.rsplit(|byte| b".:".contains(byte)).next().unwrap_or(called);
        let bytes = last.len() >= 5 && last[last.len() - 5..].eq_ignore_ascii_case(b"bytes");
        if !bytes && fetches(called) || quoted(0) {
            break;
        }
        at += keyword + name + 1;
        at += text[at..to].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    }
    at
}

/// Returns the insides of the strings of an argument that begins with one, up to its first call.
pub(super) fn strings(text: &[u8], from: usize, to: usize) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = from + text[from..to].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let named = text[at..to].iter().take(24).take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    // `with: "…"` in Ruby and Swift, `password="…"` in Python; a prefix of a string is not a name.
    if named > 0 && text[at + named..to].first().is_some_and(|byte| b":=".contains(byte)) {
        at += named + 1;
    }
    at += text[at..to].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    at = skip_conversions(text, at, to);
    at += text[at..to].iter().take_while(|byte| byte.is_ascii_whitespace() || b"@bruNL&".contains(byte)).count();
    if let Some((inner, end)) = bracketed(&text[at..to]) {
        return vec![(at + inner, at + end)];
    }
    while at < to {
        let Some(&quote) = text.get(at).filter(|byte| b"\"'`".contains(byte)) else { break };
        let Some(end) = string_end(text, at, to, quote) else { break };
        found.push((at + 1, end));
        let rest = text[end + 1..to].trim_ascii_start();
        let Some(joined) = rest.strip_prefix(b"+").or_else(|| rest.strip_prefix(b" .")) else { break };
        at = to - joined.trim_ascii_start().len();
    }
    found
}

/// Returns the place of the parenthesis that is open at the end of a text, or of a separator behind it that is in no other list.
pub(super) fn open_list(text: &[u8], separators: &[u8]) -> Option<usize> {
    let mut depth = 0;
    text.iter().rposition(|byte| {
        depth += i32::from(*byte == b')') - i32::from(*byte == b'(');
        depth < 0 || depth == 0 && separators.contains(byte)
    })
}

/// Returns the name that a text ends with. It may be empty.
pub(super) fn last_name(text: &[u8]) -> &[u8] {
    let length = text.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    &text[text.len() - length..]
}
