//! Finds the passwords in the rows of a table of Go: `[]struct{ name, user, pass string }{ {"a", "ida", "…"} }`. Tests are written so.
//!
//! In: a text and the range of the name of a field. Out: the ranges of the strings that the rows have for the field.

use super::calls::looks_like_password;
use super::cursor::line_start;
use super::phrase::is_chosen_name;
use super::values::{is_placeholder, looks_random};

/// The maximum number of bytes between the begin of the type and the field, and of the type.
const MAX_TYPE: usize = 1024;
/// The maximum number of rows, and of bytes of a row.
const MAX_ROWS: usize = 128;
const MAX_ROW: usize = 2048;

/// Returns the strings that can be passwords.
pub(super) fn find(text: &[u8], (start, end): (usize, usize)) -> Vec<(usize, usize)> {
    // Most names are none of a field: its type follows in the declaration.
    let is_names = |text: &[u8]| text.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_, \t".contains(byte));
    let declared = text[end..].split(|byte| b"\n;}/".contains(byte)).next().unwrap_or_default().trim_ascii_end();
    let is_string = declared.strip_suffix(b"string").is_some_and(|names| names.ends_with(b" ") && is_names(names));
    let before = text[line_start(text, start)..start].rsplit(|byte| b";{".contains(byte)).next().unwrap_or_default();
    if !is_string || !is_names(before) {
        return Vec::new();
    }
    let Some((index, count, at)) = field(text, start) else { return Vec::new() };
    rows(text, at)
        .filter(|row| row.len() == count)
        .filter_map(|row| string(text, row[index]))
        .filter(|&(from, to)| {
            let value = &text[from..to];
            let is_password =
                looks_like_password(value) || looks_random(value) || is_chosen_name(&text[start..end], value);
            is_password && !is_placeholder(value)
        })
        .collect()
}

/// Returns the index of the field at a place, the number of fields of its type, and the begin of the rows.
fn field(text: &[u8], start: usize) -> Option<(usize, usize, usize)> {
    let from = start.saturating_sub(MAX_TYPE);
    let open = from + memchr::memmem::rfind(&text[from..start], b"struct")? + b"struct".len();
    let open = open + text[open..start].iter().position(|byte| !byte.is_ascii_whitespace())?;
    let body = open + 1;
    let close = body + text[body..text.len().min(body + MAX_TYPE)].iter().position(|byte| b"{}".contains(byte))?;
    if text[open] != b'{' || text[close] != b'}' || text.get(close + 1) != Some(&b'{') || close < start {
        return None;
    }
    let mut names = Vec::new();
    let mut at = body;
    for line in text[body..close].split(|byte| b"\n;".contains(byte)) {
        let code = line.split(|byte| *byte == b'/').next().unwrap_or_default();
        let parts: Vec<&[u8]> = code.split(|byte| *byte == b',').collect();
        let mut part_at = at;
        for part in &parts {
            let blank = part.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            if blank < part.len() {
                names.push(part_at + blank);
            }
            part_at += part.len() + 1;
        }
        at += line.len() + 1;
    }
    let index = names.iter().position(|name| *name == start)?;
    Some((index, names.len(), close + 2))
}

/// Returns the elements of each row of a table whose rows begin at a place.
fn rows(text: &[u8], mut at: usize) -> impl Iterator<Item = Vec<(usize, usize)>> {
    let next = move || {
        loop {
            at += text[at..].iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == b',').count();
            if !text[at..].starts_with(b"//") {
                break;
            }
            at += memchr::memchr(b'\n', &text[at..])?;
        }
        let (row, end) = elements(text, at)?;
        at = end;
        Some(row)
    };
    std::iter::from_fn(next).take(MAX_ROWS)
}

/// Returns the elements between the braces at a place, and the place behind them.
fn elements(text: &[u8], open: usize) -> Option<(Vec<(usize, usize)>, usize)> {
    let row = text[open..text.len().min(open + MAX_ROW)].strip_prefix(b"{")?;
    let (mut found, mut depth, mut from, mut at) = (Vec::new(), 0usize, 0, 0);
    while let Some(&byte) = row.get(at) {
        match byte {
            b'"' | b'`' | b'\'' => at += string_length(&row[at..], byte)?,
            b'{' | b'(' | b'[' => depth += 1,
            b'}' if depth == 0 => {
                if !row[from..at].trim_ascii().is_empty() {
                    found.push((open + 1 + from, open + 1 + at));
                }
                return Some((found, open + 2 + at));
            }
            b'}' | b')' | b']' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => {
                found.push((open + 1 + from, open + 1 + at));
                from = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns the number of bytes from the quote at the begin of a text to the one that closes it.
fn string_length(text: &[u8], quote: u8) -> Option<usize> {
    let mut at = 1;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' if quote != b'`' => at += 1,
            byte if byte == quote => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns the inside of an element that is a string.
fn string(text: &[u8], (from, to): (usize, usize)) -> Option<(usize, usize)> {
    let element = &text[from..to];
    let blank = element.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let element = element.trim_ascii();
    let quote = *element.first().filter(|quote| b"\"`".contains(quote))?;
    let is_whole = element.len() > 2 && string_length(element, quote) == Some(element.len() - 1);
    is_whole.then_some((from + blank + 1, from + blank + element.len() - 1))
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn passwords_in_rows_of_tables_are_masked() {
        check(
            "mirror_test.go",
            &[
                "tests := []struct {\n\tname, addr, user, pass string\n\twant int\n}{\n\t{\"spring\", \"ftp.a.eu:21\", \"kelp\", \"⟦vR8-harbor-Quoin⟧\", 3},\n\t// none\n\t{\"anonymous\", \"ftp.b.org:21\", \"anonymous\", \"\", 9},\n\t{\"autumn\", f(\"a\", 1), \"kelp\", \"⟦9uRDGCqmfCGK⟧\", 0},\n}",
                "cases := []struct{ user string; password string }{{\"ida\", \"⟦vR8-harbor-Quoin⟧\"}, {\"udo\", `⟦9uRDGCqmfCGK⟧`}}",
                "cases := []struct{ user string; password string }{{user: \"ida\", password: \"⟦vR8-harbor-Quoin⟧\"}}",
                "cases := []struct{ user, title string }{{\"ida\", \"vR8-harbor-Quoin\"}}",
                "cases := []struct{ user, password string }{{\"ida\", \"password\"}, {\"ida\", \"wrong\"}, {\"ida\"",
                "type login struct {\n\tuser, password string\n}\n{\"ida\", \"vR8-harbor-Quoin\"}",
            ],
        );
    }
}
