//! Reads records: tables in which each row has the name of a member and its values, as database clients print a single row
//! (`sftp_password | …`), tables with a column for each system, and lists of terms in HTML.
//!
//! In: a text and the place of a word that names a secret. Out: the row with the word, and the names of the other rows.

use smallvec::SmallVec;

use super::lines::{bars, is_rule};
use super::markup::{Tag, tag};
use super::{Cells, File, Range, is_name, line_within, trimmed};

/// The maximum number of rows that are read above and below a row.
const MAX_ROWS: usize = 12;
/// The maximum number of bytes between two terms, or between a term and its description.
const MAX_GAP: usize = 200;

/// A row with the name of a secret.
pub(super) struct Record {
    pub(super) name: Range,
    pub(super) values: Cells,
    /// The names of the rows around it.
    pub(super) others: SmallVec<[Range; 8]>,
    /// The cells of the row above a rule, if there is one.
    pub(super) heads: Cells,
}

/// Returns the record of which a line is the row with a word. Its values are between bars.
pub(super) fn lines(text: &[u8], line: Range, word: usize, file: File<'_>) -> Option<Record> {
    let row = bars(text, line).filter(|_| file.is_text())?;
    let (name, values) = row.split_first()?;
    if values.is_empty() || !(name.0..=name.1).contains(&word) || !is_name(&text[name.0..name.1]) {
        return None;
    }
    let mut record =
        Record { name: *name, values: Cells::from_slice(values), others: SmallVec::new(), heads: Cells::new() };
    let mut above = line;
    let mut is_head = false;
    for _ in 0..MAX_ROWS {
        let Some(next) = above.0.checked_sub(1).and_then(|end| line_within(text, end)) else { break };
        above = next;
        if is_rule(&text[above.0..above.1]) {
            is_head = true;
            continue;
        }
        let Some(row) = bars(text, above) else { break };
        record.others.extend(row.first().copied());
        if is_head {
            record.heads = row;
        }
    }
    let mut below = line;
    for _ in 0..MAX_ROWS {
        let Some(next) = line_within(text, below.1 + 1).filter(|next| next.0 > below.1) else { break };
        below = next;
        let Some(row) = bars(text, below) else { break };
        record.others.extend(row.first().copied());
    }
    Some(record)
}

/// Returns the term of a list with a word, and its description: `<dt>Password</dt><dd>…</dd>`.
pub(super) fn elements(text: &[u8], word: usize) -> Option<Record> {
    let from = word.saturating_sub(MAX_GAP);
    let open = memchr::memrchr(b'>', &text[from..word])? + from;
    let start = memchr::memrchr(b'<', &text[from..open])? + from;
    let is_term = |tag: &Tag<'_>| tag.name.eq_ignore_ascii_case(b"dt") && !tag.closes;
    tag(text, start, open + 1).filter(is_term)?;
    let (name, end) = first_text(text, open + 1)?;
    let close = tag(text, end, text.len().min(end + MAX_GAP))?;
    let description = tag(text, close.end, text.len().min(close.end + MAX_GAP))?;
    let is_description = description.name.eq_ignore_ascii_case(b"dd") && !description.closes;
    let (value, end) = first_text(text, description.end).filter(|_| is_description)?;
    let mut record = Record { name, values: Cells::from_slice(&[value]), others: SmallVec::new(), heads: Cells::new() };
    for (mut at, to) in [(from, start), (end, text.len().min(end + MAX_GAP))] {
        while let Some(next) = tag(text, at, to) {
            at = next.end;
            if is_term(&next) {
                record.others.extend(first_text(text, at).map(|(range, _)| range));
            }
        }
    }
    Some(record)
}

/// Returns the range of the first text behind a tag, and the place of the tag behind it.
fn first_text(text: &[u8], mut at: usize) -> Option<(Range, usize)> {
    let to = text.len().min(at + MAX_GAP);
    while let Some(next) = tag(text, at, to) {
        let range = trimmed(text, at, next.start);
        if range.0 < range.1 {
            return Some((range, next.start));
        }
        at = next.end;
    }
    None
}
