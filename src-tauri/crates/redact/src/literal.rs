//! Reads the value behind an operator in all its notations: strings, lists, calls around them, elements, YAML blocks, bare words. The place of
//! an assignment comes from [`super::assign`].

use super::below::{block, items_below, next_line, twin};
use super::cursor::{Cursor, Operator, Place, Values};
use super::element::element;
use super::fallback;
use super::notations;
use super::records;
use super::strings::{closes, closes_on_line, follows_key, quoted};
use super::unquoted::unquoted;
use super::values::Bare;
use super::wrappers::{call, names_an_encoding};

/// Reads the value behind an operator, also where a change of it follows in a diff: `password:`, and two values on the lines below.
pub(super) fn value(
    cursor: &mut Cursor<'_>,
    key: usize,
    operator: Operator,
    place: Place,
    short: bool,
    values: &mut Values,
) {
    let (from, behind) = (values.len(), cursor.at);
    single(cursor, key, operator, place, short, values);
    if let [(start, end, found)] = values[from..]
        && matches!(operator, Operator::Assigns | Operator::Colon)
        && start > behind
        && !cursor.text[behind..start].iter().any(|byte| b"<@".contains(byte))
        && let Some(twin) = twin(cursor.text, behind, start, end)
    {
        values.push((twin.0, twin.1, found));
    }
    // The change that a plan shows: `password = "…" -> "…"`.
    if let [.., (_, end, found)] = values[from..]
        && found.quoted
        && let Some(next) = [&b"\" -> \""[..], b"\" => \""].iter().find(|next| cursor.text[end..].starts_with(next))
    {
        let start = end + next.len();
        if let Some(length) = memchr::memchr2(b'"', b'\n', &cursor.text[start..]) {
            values.push((start, start + length, found));
        }
    }
    if let [(start, end, found)] = values[from..]
        && operator == Operator::Colon
        && place.bare != Bare::Code
        && start > behind
    {
        let more: Vec<_> =
            items_below(cursor.text, behind, start, end).into_iter().map(|(from, to)| (from, to, found)).collect();
        values.extend(more);
    }
}

fn single(cursor: &mut Cursor<'_>, key: usize, operator: Operator, place: Place, short: bool, values: &mut Values) {
    cursor.blanks();
    // Markdown: `**Password:** …`.
    if operator == Operator::Colon && [&b"** "[..], b"''' ", b"__ "].iter().any(|mark| cursor.take(mark)) {
        cursor.blanks();
    }
    // Parameters of Azure and outputs of Terraform: `"adminPassword": { "value": "…" }`.
    if operator == Operator::Colon && cursor.peek() == Some(b'{') {
        records::open_value(cursor);
    }
    // In a shell: `--password-file=<(echo …)`, `PASSWORD=$(echo … | base64 -d)`.
    let echoed = [&b"$(cat "[..], b"<(echo ", b"$(echo ", b"\"$(echo ", b"<(printf ", b"$(printf "]
        .iter()
        .any(|start| cursor.take(start));
    if operator == Operator::Comma {
        named_default(cursor);
    }
    if operator == Operator::Element {
        return element(cursor, values);
    }
    let mut place = place;
    if cursor.take(b"\\") {
        if cursor.line_ended() {
            cursor.space();
        } else {
            cursor.at -= 1;
        }
    }
    // In YAML, a tag or a block of lines may come before the value.
    if operator == Operator::Colon {
        for tag in [&b"!!str "[..], b"!!binary ", b"!!binary\n", b"!unsafe "] {
            if cursor.take(tag) {
                cursor.blanks();
            }
        }
        if matches!(cursor.peek(), Some(b'|' | b'>')) && block(cursor, values) {
            return;
        }
    }
    if cursor.line_ended() {
        let plain = place.bare == Bare::Plain;
        if place.loose || !next_line(cursor, key, operator, &mut place) {
            return;
        }
        // The description of a class or function below its first line: `class Token(Model):`.
        if operator == Operator::Colon && place.bare == Bare::Code && matches!(cursor.rest(), [b'"', b'"', b'"', ..]) {
            return;
        }
        let item = cursor.text[..cursor.at].ends_with(b"- ");
        if operator == Operator::Colon && !item && plain {
            place.bare = Bare::Text;
        }
    }
    let from = values.len();
    let found = matches!(cursor.peek(), Some(b'[' | b'(')) && list(cursor, place.bare == Bare::Plain, values);
    if found {
        let many = values.len() > from + 1 || !matches!(cursor.peek(), Some(b']' | b')'));
        values[from..].iter_mut().for_each(|(.., found)| found.loose = many || place.loose);
        return;
    }
    if (!place.loose || cursor.peek() == Some(b'$')) && notations::string(cursor, values) {
        values[from..].iter_mut().for_each(|(.., found)| found.loose = place.loose);
        return;
    }
    let named = records::skip_to_default(cursor);
    let defaulted = !named && fallback::argument(cursor);
    let called = !named && (call(cursor) || defaulted);
    // The value may be an expression that falls back to a string.
    if !matches!(cursor.peek(), Some(b'"' | b'\'' | b'`')) && matches!(operator, Operator::Assigns | Operator::Colon) {
        fallback::skip_to(cursor, &mut values.without_fallback);
    }
    if let Some(quote @ (b'"' | b'\'' | b'`')) = cursor.peek()
        && (operator == Operator::Comma && follows_key(cursor) || closes(cursor.text, key, quote))
    {
        return;
    }
    // A value that is not clearly assigned is a short word, never a text of several lines.
    let long = match cursor.rest() {
        [b'`', rest @ ..] => place.bare != Bare::Text || !closes_on_line(rest),
        rest => rest.starts_with(b"\"\"\"") || rest.starts_with(b"'''"),
    };
    if place.loose && long {
        return;
    }
    if quoted(cursor, values) {
        // A string before `|` is one of several alternatives, for example of a type.
        let rest = cursor.rest().trim_ascii_start();
        // Kotlin: `mapOf("name" to "…")`.
        if called && rest.starts_with(b"to ") {
            values.truncate(from);
        }
        // One of several arguments of a function or constructor need not be the secret.
        let argument = called && rest.starts_with(b",") && !names_an_encoding(rest) || defaulted;
        let loose = place.loose || rest.starts_with(b"|") || argument;
        values[from..].iter_mut().for_each(|(.., found)| found.loose = loose);
        return;
    }
    if operator != Operator::Falls {
        unquoted(cursor, key, operator, place, short, values);
    }
    // The command ends before its parenthesis or a pipe.
    if echoed && let Some((start, end, _)) = values[from..].last_mut() {
        let value = &cursor.text[*start..*end];
        let value = &value[..memchr::memchr2(b')', b'|', value).unwrap_or(value.len())];
        *end = *start + value.trim_ascii_end().len();
    }
}

/// Reads every string of `["a", "b"]` or `("a")`.
fn list(cursor: &mut Cursor<'_>, plain: bool, values: &mut Values) -> bool {
    let from = values.len();
    let close = if cursor.peek() == Some(b'[') { b']' } else { b')' };
    let stop = cursor.text.len().min(cursor.at + 2048);
    let begun = cursor.at;
    cursor.at += 1;
    while cursor.at < stop && values.len() < from + 40 {
        cursor.space();
        match cursor.peek() {
            Some(b'"' | b'\'' | b'`') => {
                if !quoted(cursor, values) {
                    break;
                }
            }
            Some(b',') => cursor.at += 1,
            // YAML: `[71951043, 88129921]`.
            Some(byte) if plain && close == b']' && byte.is_ascii_alphanumeric() => {
                let length = cursor
                    .rest()
                    .iter()
                    .take_while(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
                    .count();
                values.push((cursor.at, cursor.at + length, Place { quoted: true, ..Place::default() }));
                cursor.at += length;
            }
            _ => break,
        }
    }
    if values.len() == from {
        cursor.at = begun;
    }
    values.len() > from
}

/// Skips the name of an argument with the default of a setting: `config("API_KEY", default="…")`.
fn named_default(cursor: &mut Cursor<'_>) {
    let from = cursor.at;
    cursor.space();
    if [&b"default"[..], b"fallback", b"default_value", b"defaultValue"].iter().any(|name| cursor.take(name)) {
        cursor.blanks();
        if cursor.take(b"=") || cursor.take(b":") {
            cursor.blanks();
            return;
        }
    }
    cursor.at = from;
}
