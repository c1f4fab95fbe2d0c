//! Reads tables whose rows are lists in brackets near a list of the names of columns: `"columns": [...], "rows": [[...], ...]` in JSON, YAML
//! and code, `parametrize("user,password", [(...), ...])`, tuples below a comment that names their members.
//!
//! In: a text and the place of a word that names a secret. Out: the table.

use super::{Cells, Content, File, Range, Table, is_name, trimmed};

/// The maximum number of bytes before and behind a word in which its list begins and ends.
const MAX_LIST: usize = 400;
/// The maximum number of bytes between two rows, or between the names and the first row.
const MAX_GAP: usize = 80;
/// The maximum number of rows that are read above the names of their columns.
const MAX_ROWS_ABOVE: usize = 100;
/// The maximum length of a row in bytes.
const MAX_ROW: usize = 4096;

/// Returns the table of which one column has a word as its name.
pub(super) fn read(text: &[u8], word: usize, file: File<'_>) -> Option<Table> {
    if let Some(table) = escaped_lines(text, word) {
        return Some(table);
    }
    let (names, end) = quoted_names(text, word)
        .or_else(|| listed_names(text, word, file))
        .or_else(|| names_in_comment(text, word, file))?;
    let name = |&(from, to): &Range| from < to && is_name(&text[from..to]);
    if names.len() < 2 || !names.iter().all(name) {
        return None;
    }
    let (mut rows, end) = rows(text, end, names.len(), file);
    if rows.is_empty() && !file.is_text() {
        rows = rows_before(text, names[0].0, names.len(), file);
    }
    if rows.is_empty() && !file.is_text() {
        rows = rows_above(text, names[0].0, names.len(), file);
    }
    (!rows.is_empty()).then_some(Table { content: Content::Mixed, heads: names, rows, end })
}

/// Returns the names in a single string: `"user,password"`.
fn quoted_names(text: &[u8], word: usize) -> Option<(Cells, usize)> {
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-, ".contains(byte) || *byte > 127;
    let before = text[word.saturating_sub(MAX_LIST)..word].iter().rev().take_while(|byte| part(byte)).count();
    let after = text[word..text.len().min(word + MAX_LIST)].iter().take_while(|byte| part(byte)).count();
    let (from, to) = (word - before, word + after);
    let quote = *text[..from].last()?;
    let is_string = b"\"'".contains(&quote) && text.get(to) == Some(&quote) && text.get(to + 1) == Some(&b',');
    (is_string && text[from..to].contains(&b',')).then(|| (items(text, from, to, b","), to + 1))
}

/// Returns the names in a list of strings, or in a list of words in YAML, and the end of the list.
fn listed_names(text: &[u8], word: usize, file: File<'_>) -> Option<(Cells, usize)> {
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-, \"'\n\r\t`:".contains(byte) || *byte > 127;
    let before = text[word.saturating_sub(MAX_LIST)..word].iter().rev().take_while(|byte| part(byte)).count();
    let after = text[word..text.len().min(word + MAX_LIST)].iter().take_while(|byte| part(byte)).count();
    let (from, to) = (word - before, word + after);
    let close = closing(*text[..from].last()?)?;
    if text.get(to) != Some(&close) {
        return None;
    }
    let list = text[from..to].trim_ascii();
    let is_strings = || {
        list.split(|byte| *byte == b',').map(<[u8]>::trim_ascii).filter(|item| !item.is_empty()).all(|item| {
            // A string, or a symbol of Ruby.
            item.len() > 2 && (b"\"'`".contains(&item[0]) && item.last() == Some(&item[0]) || item[0] == b':')
        })
    };
    // Behind the names, the next argument or member follows.
    let behind = text[to + 1..].iter().find(|byte| !b" \t\r".contains(byte))?;
    let is_named = || text[..from - 1].trim_ascii_end().ends_with(b"=");
    let follows = b",\n}".contains(behind) || *behind == b')' && is_named();
    (follows && (file.is_yaml() || is_strings())).then(|| (items(text, from, to, b","), to + 1))
}

/// Returns the names in a comment: `# user, password, role`.
fn names_in_comment(text: &[u8], word: usize, file: File<'_>) -> Option<(Cells, usize)> {
    if file.is_text() {
        return None;
    }
    let (start, end) = super::line_within(text, word)?;
    let line = text[start..end].trim_ascii_start();
    let mark = [&b"# "[..], b"// ", b"-- ", b"/* ", b"* "].into_iter().find(|mark| line.starts_with(mark))?;
    let from = end - line.len() + mark.len();
    let list = text[from..end].trim_ascii_end();
    let list = list.strip_suffix(b"*/").unwrap_or(list);
    let list = list.strip_suffix(b":").unwrap_or(list);
    let open = usize::from(list.first().is_some_and(|first| closing(*first).is_some()));
    let close = usize::from(list.last().is_some_and(|last| b")]}".contains(last)));
    let to = (from + list.len() - close).max(from + open);
    list.contains(&b',').then(|| (items(text, from + open, to, b","), end))
}

fn closing(open: u8) -> Option<u8> {
    match open {
        b'[' => Some(b']'),
        b'(' => Some(b')'),
        b'{' => Some(b'}'),
        _ => None,
    }
}

/// Returns the ranges of the items of a list without brackets in it.
fn items(text: &[u8], from: usize, to: usize, separator: &[u8]) -> Cells {
    let mut items = Cells::new();
    let mut start = from;
    for item in text[from..to].split(|byte| separator.contains(byte)) {
        let range = trimmed(text, start, start + item.len());
        // A comma can stand behind the last item.
        if range.0 < range.1 || start + item.len() < to {
            items.push(range);
        }
        start += item.len() + 1;
    }
    items
}

/// Returns the rows behind the names of columns, and the end of the last one.
fn rows(text: &[u8], end: usize, count: usize, file: File<'_>) -> (Vec<Cells>, usize) {
    let mut rows: Vec<Cells> = Vec::new();
    let mut last = end;
    let mut at = end;
    let mut gap = 0;
    // Each row is an object of its own.
    let is_json = ["json", "ndjson", "jsonl"].contains(&file.extension);
    while let Some(&byte) = text.get(at) {
        if is_json && b"{}".contains(&byte) {
            at += 1;
            continue;
        }
        if byte == b'(' && is_called(&text[..at]) {
            break;
        }
        if closing(byte).is_some() {
            if let Some((row, after)) = row(text, at, file)
                && row.len() == count
            {
                rows.push(row);
                (at, last, gap) = (after, after, 0);
                continue;
            }
            // A list of rows opens only before the first one.
            let inner = text[at + 1..].iter().find(|byte| !byte.is_ascii_whitespace());
            let is_outer = inner
                .is_some_and(|byte| closing(*byte).is_some() || b"-#/".contains(byte) || byte.is_ascii_alphabetic());
            if !rows.is_empty() || !is_outer {
                break;
            }
        } else if !(byte.is_ascii_alphanumeric() || b"_-.,:=\"' \t\r\n<>$#/".contains(&byte))
            || !rows.is_empty() && !is_json && b"=:".contains(&byte)
        {
            break;
        }
        at += 1;
        gap += usize::from(!byte.is_ascii_whitespace());
        if gap > MAX_GAP {
            break;
        }
    }
    (rows, last)
}

/// Returns the rows of the argument before the list of names: `DataFrame([["tom", "…"]], columns=["user", "password"])`.
fn rows_before(text: &[u8], at: usize, count: usize, file: File<'_>) -> Vec<Cells> {
    let from = at.saturating_sub(MAX_ROW);
    let head = text[from..at].trim_ascii_end();
    let head = head.trim_ascii_end().strip_suffix(b"\"").or_else(|| head.strip_suffix(b"'")).unwrap_or(head);
    let Some(head) = head.strip_suffix(b"[").or_else(|| head.strip_suffix(b"(")) else { return Vec::new() };
    let head = head.trim_ascii_end().strip_suffix(b"=").unwrap_or_default().trim_ascii_end();
    let name = head.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let Some(list) = head[..head.len() - name].trim_ascii_end().strip_suffix(b",") else { return Vec::new() };
    let mut depth = 0;
    let open = list.trim_ascii_end().iter().rposition(|byte| {
        depth += i32::from(b")]}".contains(byte)) - i32::from(closing(*byte).is_some());
        depth == 0
    });
    let Some(open) = open.filter(|open| *open + 1 < list.len()) else { return Vec::new() };
    rows(&text[..from + list.len()], from + open, count, file).0
}

/// Returns the table in a string with escaped line ends: `"user,password\ntom,…\n"`.
fn escaped_lines(text: &[u8], word: usize) -> Option<Table> {
    const LINE_END: &[u8] = b"\\n";
    let from = word.saturating_sub(MAX_LIST);
    let quote = |byte: &u8| b"\"'`".contains(byte);
    let start = from + text[from..word].iter().rposition(quote)? + 1;
    let inside = &text[start..text.len().min(start + MAX_ROW)];
    let inside = &inside[..memchr::memchr2(text[start - 1], b'\n', inside)?];
    let head = memchr::memmem::find(inside, LINE_END).filter(|end| start + end > word)?;
    let sign = *inside[..head].iter().find(|byte| b",;|".contains(byte))?;
    let mut lines = Vec::new();
    let mut at = start;
    for end in memchr::memmem::find_iter(inside, LINE_END).map(|end| start + end).chain([start + inside.len()]) {
        lines.push(items(text, at, end.max(at), &[sign]));
        at = end + LINE_END.len();
    }
    let mut lines = lines.into_iter();
    let heads = lines.next().filter(|heads| heads.len() > 1)?;
    let rows: Vec<Cells> = lines.filter(|row| row.len() == heads.len()).collect();
    (!rows.is_empty()).then_some(Table { content: Content::Mixed, heads, rows, end: start + inside.len() })
}

/// Returns the table of which an annotation above a function has the rows, and the parameters of the function are the columns:
/// `@CsvSource({"tom, …"}) void login(String user, String password)`, `[InlineData("tom", "…")]`.
pub(super) fn annotated(text: &[u8], (start, end): Range) -> Option<Table> {
    let stop = text.len().min(end + MAX_ROW);
    let open = end + text[end..stop].iter().position(|byte| !byte.is_ascii_whitespace())?;
    if text[open] != b'(' || start == 0 || !b"@[, ".contains(&text[start - 1]) {
        return None;
    }
    let (strings, close) = strings(text, open, stop)?;
    let parameters = close + memchr::memchr(b'\n', &text[close..stop])?;
    // Other annotations can follow.
    let signature = text[parameters..stop].split(|byte| *byte == b'\n').find(|line| {
        let line = line.trim_ascii();
        !line.is_empty() && !line.starts_with(b"[") && !line.starts_with(b"@")
    })?;
    let from = signature.as_ptr() as usize - text.as_ptr() as usize + memchr::memchr(b'(', signature)? + 1;
    let to = from + memchr::memchr(b')', &text[from..stop])?;
    let heads: Cells = items(text, from, to, b",")
        .into_iter()
        .map(|(from, to)| (from + text[from..to].iter().rposition(u8::is_ascii_whitespace).map_or(0, |at| at + 1), to))
        .collect();
    let rows: Vec<Cells> = if strings.len() == heads.len() && !is_separated(text, &strings, heads.len()) {
        vec![strings]
    } else {
        strings.iter().map(|&(from, to)| items(text, from, to, b",")).filter(|row| row.len() == heads.len()).collect()
    };
    (!rows.is_empty()).then_some(Table { content: Content::Mixed, heads, rows, end: close })
}

/// Returns whether each of some strings is a row of separated values.
fn is_separated(text: &[u8], strings: &Cells, count: usize) -> bool {
    strings.iter().all(|&(from, to)| text[from..to].iter().filter(|byte| **byte == b',').count() + 1 == count)
}

/// Returns the insides of the strings between the brackets that open at a place, and the place behind them. Other arguments are empty.
fn strings(text: &[u8], open: usize, stop: usize) -> Option<(Cells, usize)> {
    let (mut found, mut at, mut depth) = (Cells::new(), open, 0usize);
    while at < stop {
        match text[at] {
            quote @ (b'"' | b'\'') => {
                let begun = at + 1;
                at = begun;
                while at < stop && text[at] != quote {
                    at += 1 + usize::from(text[at] == b'\\');
                }
                found.push((begun, at.min(stop)));
            }
            byte if closing(byte).is_some() => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some((found, at + 1));
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns the rows on the lines above a comment that names their columns.
fn rows_above(text: &[u8], at: usize, count: usize, file: File<'_>) -> Vec<Cells> {
    let Some((start, _)) = super::line_within(text, at) else { return Vec::new() };
    let mut rows = Vec::new();
    let mut below = start;
    while below > 0
        && rows.len() < MAX_ROWS_ABOVE
        && let Some((from, to)) = super::line_within(text, below - 1)
    {
        below = from;
        // The end of the list of rows.
        if rows.is_empty() && text[from..to].iter().all(|byte| b" \t])};,".contains(byte)) {
            continue;
        }
        let opens = (from..to).filter(|open| closing(text[*open]).is_some());
        let Some(found) =
            opens.filter_map(|open| row(text, open, file)).map(|(row, _)| row).find(|row| row.len() == count)
        else {
            break;
        };
        rows.push(found);
    }
    rows
}

/// Returns whether a text ends with the name of a function that makes no row. Types and `of` do: `User("tom", "…")`, `List.of("tom", "…")`.
fn is_called(before: &[u8]) -> bool {
    let length =
        before.iter().rev().take(MAX_GAP).take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let name = &before[before.len() - length..];
    name.first().is_some_and(|first| first.is_ascii_lowercase() || *first == b'_')
        && ![&b"of"[..], b"arguments", b"tuple", b"list"].contains(&name)
}

/// Returns the strings of a list of values, and its end. A value that is no string is an empty range.
fn row(text: &[u8], open: usize, file: File<'_>) -> Option<(Cells, usize)> {
    let close = closing(text[open])?;
    let stop = text.len().min(open + MAX_ROW);
    let (mut at, mut start, mut depth) = (open + 1, open + 1, 0usize);
    let mut row = Cells::new();
    let push = |row: &mut Cells, start: usize, end: usize| {
        let item = text[start..end].trim_ascii();
        // `b"…"`
        let prefix = item.iter().take(2).take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'@').count();
        let is_string = item.len() > prefix + 1 && b"\"'`".contains(&item[prefix]) && item.last() == item.get(prefix);
        let from = item.as_ptr() as usize - text.as_ptr() as usize;
        row.push(match (is_string, file.is_yaml()) {
            (true, _) => trimmed(text, from + prefix, from + item.len()),
            (_, true) => trimmed(text, start, end),
            _ => (start, start),
        });
    };
    while at < stop {
        match text[at] {
            quote @ (b'"' | b'\'' | b'`') if !file.is_yaml() || text[start..at].trim_ascii().is_empty() => {
                at += 1;
                while at < stop && text[at] != quote {
                    at += 1 + usize::from(text[at] == b'\\');
                }
            }
            // A list of lists is no row.
            byte if closing(byte).is_some() && text[start..at].trim_ascii().is_empty() => return None,
            byte if closing(byte).is_some() => depth += 1,
            byte if byte == close && depth == 0 => {
                if !text[start..at].trim_ascii().is_empty() {
                    push(&mut row, start, at);
                }
                return Some((row, at + 1));
            }
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => {
                push(&mut row, start, at);
                start = at + 1;
            }
            b';' if depth == 0 && !file.is_yaml() => return None,
            _ => {}
        }
        at += 1;
    }
    None
}
