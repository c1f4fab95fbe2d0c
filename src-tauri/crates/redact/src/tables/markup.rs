//! Reads tables of HTML and XML: rows and cells are elements.
//!
//! In: a text and the place of a word that names a secret. Out: the table whose first row has the word.

use super::{Cells, Content, MAX_HEAD_BYTES, Range, Table, trimmed};

/// The names of the elements that are rows and cells, in lower case, without a prefix.
const ROWS: &[&[u8]] = &[b"tr", b"row", b"table-row"];
const CELLS: &[&[u8]] = &[b"th", b"td", b"cell", b"entry", b"table-cell"];
/// The maximum number of bytes between two rows.
const MAX_GAP: usize = 300;
/// The maximum length of a row in bytes.
const MAX_ROW: usize = 4096;

/// An opening or closing tag.
pub(super) struct Tag<'a> {
    pub(super) name: &'a [u8],
    pub(super) closes: bool,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Returns the next tag before a place.
pub(super) fn tag(text: &[u8], at: usize, to: usize) -> Option<Tag<'_>> {
    let start = at + memchr::memchr(b'<', text.get(at..to)?)?;
    let end = start + memchr::memchr(b'>', &text[start..to])? + 1;
    let inside = &text[start + 1..end - 1];
    let closes = inside.starts_with(b"/");
    let name = inside.strip_prefix(b"/").unwrap_or(inside);
    let name = name.split(|byte| byte.is_ascii_whitespace() || *byte == b'/').next().unwrap_or_default();
    let name = name.rsplit(|byte| *byte == b':').next().unwrap_or(name);
    Some(Tag { name, closes, start, end })
}

fn is_one_of(name: &[u8], names: &[&[u8]]) -> bool {
    names.iter().any(|other| name.eq_ignore_ascii_case(other))
}

/// Returns the table whose first row has a word.
pub(super) fn read(text: &[u8], word: usize) -> Option<Table> {
    // The word is the text of an element.
    let before = &text[word.saturating_sub(MAX_HEAD_BYTES)..word];
    let name = before.iter().rev().take(40).position(|byte| *byte == b'>')?;
    if before[before.len() - name..].iter().any(|byte| b"<\n=\"".contains(byte)) {
        return None;
    }
    let base = word - before.len();
    let (start, is_first) = row_start(text, base, word)?;
    let (heads, has_heads, mut end) = row(text, start)?;
    if !(has_heads || is_first) || heads.len() < 2 {
        return None;
    }
    let mut rows = Vec::new();
    while let Some(next) = next_row(text, end) {
        let Some((cells, _, after)) = row(text, next) else { break };
        end = after;
        if cells.len() == heads.len() {
            rows.push(cells);
        }
    }
    Some(Table { content: Content::Mixed, heads, rows, end })
}

/// Returns the start of the row around a place, and whether no row is before it.
fn row_start(text: &[u8], base: usize, word: usize) -> Option<(usize, bool)> {
    let (mut at, mut found, mut closed) = (base, None, false);
    while let Some(tag) = tag(text, at, word) {
        if is_one_of(tag.name, ROWS) {
            if tag.closes {
                (found, closed) = (None, true);
            } else {
                found = Some(tag.start);
            }
        } else if tag.name.eq_ignore_ascii_case(b"table") {
            closed = false;
        }
        at = tag.end;
    }
    found.map(|start| (start, !closed))
}

/// Returns the start of the next row.
fn next_row(text: &[u8], end: usize) -> Option<usize> {
    let to = text.len().min(end + MAX_GAP);
    let mut at = end;
    while let Some(tag) = tag(text, at, to) {
        if is_one_of(tag.name, ROWS) && !tag.closes {
            return Some(tag.start);
        }
        if tag.name.eq_ignore_ascii_case(b"table") {
            return None;
        }
        at = tag.end;
    }
    None
}

/// Returns the cells of a row, whether all are heads, and the end of the row.
fn row(text: &[u8], start: usize) -> Option<(Cells, bool, usize)> {
    let to = text.len().min(start + MAX_ROW);
    let mut at = tag(text, start, to)?.end;
    let (mut cells, mut are_heads) = (Cells::new(), true);
    while let Some(open) = tag(text, at, to) {
        at = open.end;
        if is_one_of(open.name, ROWS) {
            return Some((cells, are_heads, if open.closes { open.end } else { open.start }));
        }
        if open.closes || !is_one_of(open.name, CELLS) {
            continue;
        }
        are_heads &= open.name.eq_ignore_ascii_case(b"th");
        let (cell, end) = cell(text, &open, to);
        cells.push(cell);
        at = end;
    }
    None
}

/// Returns the range of the first text of a cell, and the end of the cell.
fn cell(text: &[u8], open: &Tag<'_>, to: usize) -> (Range, usize) {
    let (mut at, mut found) = (open.end, None::<Range>);
    if text[..open.end].ends_with(b"/>") {
        return ((at, at), at);
    }
    while let Some(next) = tag(text, at, to) {
        let range = trimmed(text, at, next.start);
        if range.0 < range.1 {
            found = found.or(Some(range));
        }
        // A cell can end without a closing tag.
        if is_one_of(next.name, CELLS) || is_one_of(next.name, ROWS) {
            let end = if next.closes && is_one_of(next.name, CELLS) { next.end } else { next.start };
            return (found.unwrap_or((at, at)), end);
        }
        at = next.end;
    }
    (found.unwrap_or((at, at)), at)
}
