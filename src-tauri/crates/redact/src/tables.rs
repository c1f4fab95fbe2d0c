//! Finds the secrets of tables: every cell of a column whose head names a secret, in each notation in which people and programs write tables.
//!
//! In: a text, the place that it comes from, and the places of the words in it that can be the head of a column. Out: spans. A table
//! whose head is not in the text is not read.
//!
//! [`lines`] reads tables whose rows are lines, [`markup`] those of HTML and XML, and [`lists`] those whose rows are lists in brackets. All
//! give the same: the names of the columns and the cells below them. [`column`] tells whether the cells of a column are secrets.
//! [`members`] reads tables that have the name of a value at the begin of its row.

#[cfg(test)]
mod code_tests;
mod column;
mod lines;
mod lists;
mod markup;
mod members;
#[cfg(test)]
mod tests;

use smallvec::SmallVec;

use super::cursor::line_start;
use super::places::file_name;
use super::prose::Prose;
use super::span::Span;
use super::steps;
use super::types::RedactionReason;
use super::values::Bare;
use super::words::WORDS;

use column::Others;
pub(super) use column::is_password;

/// The rule's name in reports and markers.
const RULE: &str = "table-column";

/// The number of columns that name a password from which a row is no head, but one of translations.
const TRANSLATED: usize = 3;
/// The maximum number of bytes before and behind a word in which the row of a head begins and ends.
const MAX_HEAD_BYTES: usize = 1000;
/// The maximum length of the name of a column in bytes, and its maximum number of words.
const MAX_NAME_BYTES: usize = 40;
const MAX_NAME_WORDS: usize = 4;

/// A range in a text.
type Range = (usize, usize);
/// The ranges of the cells of a row.
type Cells = SmallVec<[Range; 8]>;

/// The certainty that the rows of a file are data, and not a description.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    /// A file of rows, such as CSV.
    Data,
    /// Any other file.
    Mixed,
}

/// A table: the ranges of the names of its columns, and those of the cells below them.
struct Table {
    content: Content,
    heads: Cells,
    rows: Vec<Cells>,
    /// The end of the last row.
    end: usize,
}

/// The names of a file that tell how its tables are written.
#[derive(Clone, Copy)]
struct File<'a> {
    /// The extension in lower case, or the whole name.
    extension: &'a str,
    bare: Bare,
}

impl File<'_> {
    fn is_separated(self) -> bool {
        ["csv", "psv", "tsv", "tab", "ssv"].contains(&self.extension)
    }

    fn is_yaml(self) -> bool {
        ["yaml", "yml"].contains(&self.extension)
    }

    fn has_steps(self) -> bool {
        self.extension == &steps::EXTENSION[1..]
    }

    /// Returns whether the lines of the file are neither code nor settings.
    fn is_text(self) -> bool {
        self.bare == Bare::Text || self.is_separated()
    }
}

/// Returns whether a word can be in the head of a column: separators of cells are around the words that it is in, and in source code it is
/// in a string, a remark or a row.
pub(super) fn may_be_head(text: &[u8], start: usize, end: usize, bare: Bare) -> bool {
    let last = text.len().min(end + MAX_NAME_BYTES);
    let mut to = end;
    while to < last && is_part(text[to]) && !(text[to] == b' ' && text.get(to + 1) == Some(&b' ')) {
        to += 1;
    }
    let ends = match text.get(to) {
        None => true,
        Some(b'=') => text.get(to + 1) == Some(&b'>'),
        // `# user:password:uid`
        Some(b':') => text.get(to + 1).is_some_and(u8::is_ascii_alphabetic),
        Some(sign) => b"|,;\t\n\r<])}!^ &\\".contains(sign),
    };
    if !ends {
        return false;
    }
    let first = start.saturating_sub(MAX_NAME_BYTES);
    let mut from = start;
    while from > first && is_part(text[from - 1]) && !(text[from - 1] == b' ' && from > 1 && text[from - 2] == b' ') {
        from -= 1;
    }
    let begins = from == 0 || b"|,;\t\n>[({!#/:^ &".contains(&text[from - 1]);
    begins && (bare != Bare::Code || is_apart(text, from, to))
}

/// Returns whether a byte can be a part of the name of a column, with the blanks, quotes and marks around it.
fn is_part(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'-' | b'.' | b' ' | b'*' | b'`' | b'\'' | b'"' | 128..)
}

/// Returns whether words of source code are in a string, a remark, an element or a row between bars.
fn is_apart(text: &[u8], from: usize, to: usize) -> bool {
    let is_mark = |byte: &u8| b"|#/*-<;".contains(byte);
    // Or it is a symbol of Ruby.
    let is_symbol = from > 1 && text[from - 1] == b':' && b"[, ".contains(&text[from - 2]);
    is_symbol
        || text[from..to].iter().any(|byte| b"\"'`".contains(byte))
        || text[to..].starts_with(br"\n")
        || is_row(text, from, to)
        || text[line_start(text, from)..from].trim_ascii_start().first().is_some_and(is_mark)
}

/// Returns whether a line has nothing but names with commas or the like between them, as in a string of several lines.
fn is_row(text: &[u8], from: usize, to: usize) -> bool {
    let is_sign = |byte: &u8| b",;|\t".contains(byte);
    let (before, after) = (&text[line_start(text, from)..from], &text[to..text.len().min(to + MAX_HEAD_BYTES)]);
    let after = after.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let before = memchr::memrchr(b'`', before).map_or(before, |open| &before[open + 1..]);
    (before.iter().any(is_sign) || after.iter().any(is_sign))
        && before.iter().chain(after).all(|byte| is_part(*byte) || is_sign(byte) || *byte == b'\r')
}

/// Adds the secrets of the tables of a text. `words` are the places of words that can be in the head of a column, in order.
pub(super) fn find(text: &[u8], place: &str, bare: Bare, words: &[usize], prose: &Prose, spans: &mut Vec<Span>) {
    let name = file_name(place).to_ascii_lowercase();
    let file = File { extension: name.rsplit('.').next().unwrap_or_default(), bare };
    let mut read = 0;
    let mut last_line = None;
    for &word in words {
        if word < read {
            continue;
        }
        let line = line_within(text, word);
        if let Some(table) = lists::read(text, word, file).or_else(|| markup::read(text, word)) {
            read = add(text, &table, prose, spans).unwrap_or(read);
            continue;
        }
        if let Some(record) = members::elements(text, word) {
            add_record(text, &record, prose, spans);
            continue;
        }
        let Some(line) = line.filter(|line| last_line != Some(*line)) else { continue };
        last_line = Some(line);
        if let Some(table) = lines::read(text, line, word, file)
            && let Some(end) = add(text, &table, prose, spans)
        {
            read = end;
        } else if let Some(record) = members::lines(text, line, word, file) {
            add_record(text, &record, prose, spans);
        } else if let Some((head, cell)) = lines::pair(text, line, file) {
            let heads = &text[head.0..head.1];
            if column::is_secret_beside(heads, &text[cell.0..cell.1], file, prose) {
                spans.push(span(text, head, cell));
            }
        }
    }
}

/// The names of annotations with the rows of a test, in lower case.
pub(super) const ANNOTATIONS: &[&str] = &["csvsource", "inlinedata", "testcase", "datarow"];

/// Adds the secrets of the rows in an annotation of a test, whose name is at `start..end`.
pub(super) fn find_annotated(text: &[u8], name: Range, bare: Bare, prose: &Prose, spans: &mut Vec<Span>) {
    if bare == Bare::Code
        && let Some(table) = lists::annotated(text, name)
    {
        add(text, &table, prose, spans);
    }
}

/// Returns the range of the line around a place. A line that goes on for more than [`MAX_HEAD_BYTES`] has no head of a table.
fn line_within(text: &[u8], at: usize) -> Option<Range> {
    if at > text.len() {
        return None;
    }
    let from = at.saturating_sub(MAX_HEAD_BYTES);
    let start = memchr::memrchr(b'\n', &text[from..at]).map(|line| from + line + 1).or((from == 0).then_some(0))?;
    let to = text.len().min(at + MAX_HEAD_BYTES);
    let end = memchr::memchr(b'\n', &text[at..to]).map(|line| at + line).or((to == text.len()).then_some(to))?;
    Some((start, end))
}

/// Adds the secrets of a table. Returns its end, or `None` if it has no column of secrets.
fn add(text: &[u8], table: &Table, prose: &Prose, spans: &mut Vec<Span>) -> Option<usize> {
    let names = || table.heads.iter().map(|&(from, to)| &text[from..to]);
    if table.heads.len() < 2
        || table.rows.is_empty()
        || !names().all(is_name)
        || names().filter(|name| WORDS.names_a_password(name)).count() >= TRANSLATED
    {
        return None;
    }
    let is_user = |name: &[u8]| std::str::from_utf8(name).is_ok_and(|name| prose.names_a_user(name));
    let has_user = names().any(is_user);
    let others = Others { user: has_user, question: names().any(column::is_question) };
    let mut end = None;
    for (index, &head) in table.heads.iter().enumerate() {
        let name = &text[head.0..head.1];
        let Some(kind) = column::kind(name, others) else { continue };
        end = Some(table.end);
        let cells: Vec<Range> = table.rows.iter().filter_map(|row| row.get(index).copied()).collect();
        let values = cells.iter().map(|&(from, to)| &text[from..to]);
        let secrets = column::secrets(name, kind, values, table.content, has_user, prose);
        spans.extend(
            cells.iter().zip(secrets).filter(|(_, is_secret)| *is_secret).map(|(cell, _)| span(text, head, *cell)),
        );
    }
    end
}

/// Adds the secrets of a record, of which each row has the name of a member and its values.
fn add_record(text: &[u8], record: &members::Record, prose: &Prose, spans: &mut Vec<Span>) {
    let name = &text[record.name.0..record.name.1];
    let as_text = |&(from, to): &Range| std::str::from_utf8(&text[from..to]).unwrap_or_default();
    let has_user = record.others.iter().any(|other| prose.names_a_user_or_host(as_text(other)));
    let Some(kind) = column::kind(name, Others { user: has_user, question: false }) else { return };
    // The first row of a description has the words `Type`, `Default` and the like.
    let values = || record.values.iter().map(|&(from, to)| &text[from..to]);
    // So has a row with a type.
    let is_description = record.heads.iter().any(|head| prose.describes(as_text(head))) || values().any(is_type);
    let kind = if is_description { column::Kind::Random } else { kind };
    let secrets = column::secrets(name, kind, values(), Content::Mixed, has_user, prose);
    // Words with blanks describe it.
    let found = record
        .values
        .iter()
        .zip(secrets)
        .filter(|(value, is_secret)| *is_secret && !text[value.0..value.1].iter().any(u8::is_ascii_whitespace));
    spans.extend(found.map(|(value, _)| span(text, record.name, *value)));
}

/// Returns whether a cell is the name of a type.
fn is_type(cell: &[u8]) -> bool {
    const TYPES: &[&[u8]] = &[
        b"string", b"str", b"text", b"varchar", b"boolean", b"bool", b"int", b"integer", b"number", b"object",
        b"secret", b"enum",
    ];
    TYPES.iter().any(|name| cell.eq_ignore_ascii_case(name))
}

fn span(text: &[u8], head: Range, cell: Range) -> Span {
    let word = String::from_utf8_lossy(&text[head.0..head.1]).into_owned();
    Span::new(cell.0, cell.1, RULE.into()).because(RedactionReason::Key { word })
}

/// Returns whether a cell can be the name of a column: a few words, and no value or sentence.
fn is_name(cell: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(cell) else { return false };
    let allowed = |char: char| char.is_alphanumeric() || " _-./()'’&#°?*:%$\u{a0}".contains(char);
    text.len() <= MAX_NAME_BYTES
        && text.chars().all(allowed)
        && text.split_whitespace().count() <= MAX_NAME_WORDS
        && !text.ends_with('.')
        && (text.is_empty() || text == "#" || text.contains(char::is_alphabetic))
}

/// Returns a range without the blanks, quotes and marks around its text.
fn trimmed(text: &[u8], start: usize, end: usize) -> Range {
    let cell = &text[start..end];
    let blank = |byte: &u8| byte.is_ascii_whitespace();
    let mut begin = start + cell.iter().take_while(|byte| blank(byte)).count();
    let mut end = end - cell.iter().rev().take_while(|byte| blank(byte)).count();
    if begin >= end {
        return (start, start);
    }
    if text[begin..end].starts_with(b"_. ") {
        begin += 3;
    }
    begin += address(&text[begin..end]);
    while end > begin + 1 && b"\"'`*".contains(&text[begin]) && text[end - 1] == text[begin] {
        (begin, end) = (begin + 1, end - 1);
    }
    (begin, end)
}

/// Returns the length of the address of a cell in a spreadsheet before its value: `C2: …`.
fn address(cell: &[u8]) -> usize {
    let letters = cell.iter().take(3).take_while(|byte| byte.is_ascii_uppercase()).count();
    let digits = cell[letters..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let sign = letters + digits;
    let follows = letters > 0 && digits > 0 && matches!(cell.get(sign), Some(b':' | b'='));
    let blanks = cell.get(sign + 1..).unwrap_or_default().iter().take_while(|byte| **byte == b' ').count();
    if follows && blanks > 0 { sign + 1 + blanks } else { 0 }
}
