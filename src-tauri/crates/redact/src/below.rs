//! Reads values on the lines below their key: a block or a list of YAML, a string on the next line, and the changed line behind it in a diff.

use super::cursor::{Cursor, Operator, Place, REACH, Values, line_start};
use super::records;
use super::values::{Bare, looks_random};

/// The maximum number of further items of a list that are read.
const MAX_ITEMS: usize = 32;

/// Returns the other items of a list of YAML whose first item is at `start..end`, on a line below its key.
pub(super) fn items_below(text: &[u8], key: usize, start: usize, end: usize) -> Vec<(usize, usize)> {
    let line = line_start(text, start);
    let head = &text[line..start];
    let is_item =
        head.trim_ascii_start().strip_prefix(b"- ").is_some_and(|rest| rest.iter().all(|byte| b" \"'".contains(byte)));
    if line <= key || !is_item {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut at = end;
    while found.len() < MAX_ITEMS {
        let Some(next) = memchr::memchr(b'\n', &text[at..text.len().min(at + REACH)]).map(|line| at + line + 1) else {
            break;
        };
        let rest = text[next..].split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii_end();
        let Some(item) = rest.strip_prefix(head) else { break };
        let item = item.split(|byte| b"\"'#".contains(byte)).next().unwrap_or_default().trim_ascii_end();
        if item.len() < 3 || item.iter().any(|byte| b": ".contains(byte)) {
            break;
        }
        found.push((next + head.len(), next + head.len() + item.len()));
        at = next + head.len() + item.len();
    }
    found
}

/// Returns the value of the same form on the next line, if the value at `start..end` has a line below its key to itself.
pub(super) fn twin(text: &[u8], key: usize, start: usize, end: usize) -> Option<(usize, usize)> {
    let line = line_start(text, start);
    if line <= key || !text[line..start].iter().all(|byte| b" \t\"'`".contains(byte)) {
        return None;
    }
    let rest = |at: usize| text[at..].split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii_end();
    let (head, tail) = (&text[line..start], rest(end));
    let next = end + memchr::memchr(b'\n', &text[end..text.len().min(end + REACH)])? + 1;
    let inside = rest(next).strip_prefix(head)?.strip_suffix(tail)?;
    let apart = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`:=,{}[]".contains(byte);
    (inside.len() > 2 && !inside.iter().any(apart)).then(|| (next + head.len(), next + head.len() + inside.len()))
}

/// Returns the text of an item without blanks and quotes around it.
fn unquoted(item: &[u8]) -> &[u8] {
    let is_around = |byte: &u8| byte.is_ascii_whitespace() || b"\"'".contains(byte);
    let start = item.iter().take_while(|byte| is_around(byte)).count();
    let end = item.iter().rev().take_while(|byte| is_around(byte)).count();
    item.get(start..item.len() - end).unwrap_or_default()
}

/// Moves to the value on the line below. Returns `false` if that line has a key of its own.
pub(super) fn next_line(cursor: &mut Cursor<'_>, key: usize, operator: Operator, place: &mut Place) -> bool {
    let begin = line_start(cursor.text, cursor.at);
    let indent = |at: usize| cursor.text[at..].iter().take_while(|byte| **byte == b' ' || **byte == b'\t').count();
    let own = indent(begin);
    let mut next = cursor.at;
    next += cursor.rest().iter().take(2).take_while(|byte| **byte == b'\r' || **byte == b'\n').count();
    if next >= cursor.text.len() {
        return false;
    }
    let at = next + indent(next);
    // In YAML, a list can begin where its key does. Names of secrets stand there, too.
    let is_random = |at: usize| {
        let item = cursor.text[at..].split(|byte| *byte == b'\n').next().unwrap_or_default();
        item.strip_prefix(b"- ").is_some_and(|item| looks_random(unquoted(item)))
    };
    let is_list = operator == Operator::Colon
        && place.bare == Bare::Plain
        && indent(next) == own
        && is_random(at)
        && !cursor.text[begin + own..].starts_with(b"- ");
    place.loose |= is_list;
    if indent(next) <= own && operator != Operator::Assigns && !is_list {
        let labelled = operator == Operator::Colon
            && place.bare == Bare::Text
            && records::is_label_above(cursor.text, key, cursor.at, at);
        if labelled {
            (cursor.at, place.bare) = (at, Bare::Plain);
        }
        return labelled;
    }
    cursor.at = at;
    let line = cursor.line();
    if operator == Operator::Colon {
        if line.starts_with(b"- ") {
            cursor.at += 2;
        }
        let line = &line[cursor.at - at..];
        return !line.windows(2).any(|two| two == b": ") && !line.trim_ascii_end().ends_with(b":");
    }
    matches!(line.first(), Some(b'"' | b'\'' | b'`'))
}

/// Reads a YAML block: every line with a deeper indent.
pub(super) fn block(cursor: &mut Cursor<'_>, values: &mut Values) -> bool {
    let line = cursor.line();
    if line.len() > 40 || !line[1..].trim_ascii().iter().all(|byte| b"+-0123456789".contains(byte)) {
        return false;
    }
    let start = line_start(cursor.text, cursor.at);
    let indent = |line: &[u8]| line.iter().take_while(|byte| **byte == b' ').count();
    let own = indent(&cursor.text[start..]);
    let mut at = cursor.at + line.len() + 1;
    while at < cursor.text.len() {
        let line = (Cursor { at, ..*cursor }).line();
        let blank = line.trim_ascii().is_empty();
        if !blank && indent(line) <= own || at > cursor.at + cursor.reach {
            break;
        }
        if !blank {
            let end = at + line.trim_ascii_end().len();
            values.push((at + indent(line), end, Place { quoted: true, ..Place::default() }));
        }
        at += line.len() + 1;
    }
    true
}
