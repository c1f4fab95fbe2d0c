//! Reads tables whose rows are lines: separated values, rows between bars (Markdown, Org, grids, wikis, AsciiDoc, Gherkin, rows that database
//! clients print), columns of a fixed width, and tables with a cell on each line.
//!
//! In: a text and the line with a word that names a secret. Out: the table below the line, if the line is its head.

use super::{Bare, Cells, Content, File, Others, Range, Table, column, is_name, line_within, trimmed};

/// The maximum number of rows of another form between two rows of separated values.
const MAX_MISSES: usize = 3;
/// The maximum number of characters between the begin of a cell and the begin of its head, in columns of a fixed width.
const MAX_SHIFT: usize = 1;
/// The maximum number of columns of a table with a cell on each line.
const MAX_STACKED: usize = 16;

/// The notation of the rows of a table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `a,b` or another sign between values, which can be in quotes.
    Separated(u8),
    /// `| a | b |`, with or without the outer bars.
    Bars,
    /// `||a||b||`, `! a !! b` and `| a || b`.
    DoubleBars,
    /// `a   b`, with two or more blanks between the columns.
    Columns,
}

/// The lines of a text from a place on, with their ranges.
fn lines(text: &[u8], at: usize) -> impl Iterator<Item = Range> {
    let mut start = at.min(text.len());
    text[start..].split(|byte| *byte == b'\n').map(move |line| {
        let range = (start, start + line.trim_ascii_end().len());
        start += line.len() + 1;
        range
    })
}

/// Returns the table whose head is a line, or whose head has a cell on it.
pub(super) fn read(text: &[u8], (start, end): Range, word: usize, file: File<'_>) -> Option<Table> {
    let before = text[..start.saturating_sub(1)].rsplit(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii();
    let start = string_start(text, start, word);
    let (start, mark) = without_mark(text, start, end, file);
    let line = text[start..end].trim_ascii();
    let next = lines(text, end + 1).next().map(|(from, to)| &text[from..to]).unwrap_or_default();
    let in_string = !file.is_text() && is_in_string(before, &text[..start], line);
    let form = form(line, next, before, (mark, in_string), file)?;
    let heads = cells(text, start, end, form);
    if heads.len() < 2 {
        return stacked(text, (start, end));
    }
    let name = |&(from, to): &Range| is_name(&text[from..to]);
    if !heads.iter().all(name) || !heads.iter().any(|&(from, to)| (from..=to).contains(&word)) {
        return None;
    }
    // Most lines with such a word are no heads. Their rows, which can be the rest of the text, are not read.
    let others = Others { user: true, question: true };
    if !heads.iter().any(|&(from, to)| column::kind(&text[from..to], others).is_some()) {
        return None;
    }
    let is_data = file.is_separated() || mark || matches!(form, Form::Separated(b'\t' | b';'));
    let content = if is_data { Content::Data } else { Content::Mixed };
    let (rows, end) = rows(text, start, end, &heads, form, content, before.starts_with(b"|==="));
    Some(Table { content, heads, rows, end })
}

/// Returns the place behind the backtick that opens a string on the line of a word, or the start of the line.
fn string_start(text: &[u8], start: usize, word: usize) -> usize {
    memchr::memrchr(b'`', &text[start..word.max(start)])
        .filter(|open| text[start..start + open].trim_ascii_end().last().is_some_and(|byte| b"=(,:".contains(byte)))
        .map_or(start, |open| start + open + 1)
}

/// Returns whether a line of source code with names only is the first one of a string of several lines.
fn is_in_string(above: &[u8], before: &[u8], line: &[u8]) -> bool {
    const OPENINGS: &[&[u8]] =
        &[b"\"\"\"", b"\"\"\"\\", b", b\\", b"`", b"EOF", b"EOS", b"EOT", b"CSV", b"'EOF'", b"R\"("];
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-., ;|\t".contains(byte) || *byte > 127;
    let opens = before.ends_with(b"`") || OPENINGS.iter().any(|end| above.len() > end.len() && above.ends_with(end));
    opens && line.iter().all(is_part)
}

/// Returns the start of a line behind the mark of a comment, and whether there is one. Headings of documents have such a mark, too.
fn without_mark(text: &[u8], start: usize, end: usize, file: File<'_>) -> (usize, bool) {
    let line = &text[start..end];
    // The head of a table of separated values in reStructuredText.
    let header = b":header: ";
    if line.trim_ascii_start().starts_with(header) {
        return (end - line.trim_ascii_start().len() + header.len(), true);
    }
    let mark = [&b"# "[..], b"; ", b"// ", b"-- ", b"#"].into_iter().find(|mark| line.starts_with(mark));
    match mark {
        Some(mark) if !["md", "markdown", "mdx"].contains(&file.extension) => (start + mark.len(), true),
        _ => (start, false),
    }
}

/// Returns the notation of a line that can be a head.
fn form(line: &[u8], next: &[u8], before: &[u8], (mark, in_string): (bool, bool), file: File<'_>) -> Option<Form> {
    let has = |part: &[u8]| memchr::memmem::find(line, part).is_some();
    if line.starts_with(b"||") || line.starts_with(b"! ") && has(b"!!") || line.starts_with(b"^ ") {
        return Some(Form::DoubleBars);
    }
    // A row with a bar at its begin is a head by its mark, or by the line above or below it.
    if line.starts_with(b"|") || line.starts_with(b"!") {
        let is_marked = line.starts_with(b"|_.") || line.starts_with(b"!");
        let is_head = is_marked || is_rule(next) || is_rule(before) || before.starts_with(b"|===") || file.has_steps();
        return (is_head || is_stack(line)).then_some(Form::Bars);
    }
    if is_stack(line) {
        return Some(Form::Bars);
    }
    if has(b"|") && is_rule(next) {
        return Some(Form::Bars);
    }
    if line.ends_with(br"\\") && has(b"&") {
        return Some(Form::Separated(b'&'));
    }
    if !file.is_text() && (!mark || file.bare == Bare::Code) && !in_string {
        return None;
    }
    let count = |sign: u8| line.iter().filter(|byte| **byte == sign).count();
    let sign = [b':', b',', b';', b'\t', b'|'].into_iter().max_by_key(|sign| count(*sign))?;
    // `# user:password:uid`, but not a remark with a colon.
    if sign == b':' {
        let is_head = mark && count(sign) > 1 && !has(b" ");
        return is_head.then_some(Form::Separated(sign));
    }
    let arrow = has(b" => ");
    if file.is_separated() && count(sign) > 0
        || count(sign) > usize::from(sign != b'\t' && sign != b';' && !in_string)
        || arrow
    {
        return (file.is_separated() || sign != b'|').then_some(Form::Separated(sign));
    }
    (has(b"  ") || is_rule(next)).then_some(Form::Columns)
}

/// Returns whether a line separates rows, or the head from the rows: it has only dashes and the like.
pub(super) fn is_rule(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(br"\hline")
        || line.starts_with(br"\midrule")
        || line.len() > 1
            && line.iter().any(|byte| b"-=".contains(byte))
            && line.iter().all(|byte| b"|-+=: \t".contains(byte))
}

/// Returns whether a line has a single cell with a mark before it.
fn is_stack(line: &[u8]) -> bool {
    stack_mark(line).is_some_and(|mark| !line[mark.len()..].iter().any(|byte| b"|!".contains(byte)))
}

/// Returns the mark before the cell of a line of its own.
fn stack_mark(line: &[u8]) -> Option<&'static [u8]> {
    let marks: [&[u8]; 5] = [b"* - ", b"- ", b"! ", b"| ", b"|"];
    let mark = marks.into_iter().find(|mark| line.starts_with(mark) && line.len() > mark.len())?;
    (!is_rule(line)).then_some(mark)
}

/// Returns the cells of a line with bars between them, or `None` if it has no bar between blanks.
pub(super) fn bars(text: &[u8], (start, end): Range) -> Option<Cells> {
    let line = text[start..end].trim_ascii();
    let has_bar = memchr::memmem::find(line, b" | ").is_some();
    (has_bar && !is_rule(line)).then(|| cells(text, start, end, Form::Bars))
}

/// Returns the ranges of the cells of a row.
fn cells(text: &[u8], start: usize, end: usize, form: Form) -> Cells {
    let line = &text[start..end];
    let from = start + (line.len() - line.trim_ascii_start().len());
    let to = start + line.trim_ascii_end().len();
    if from >= to {
        return Cells::new();
    }
    match form {
        // LaTeX: `a & b \\`.
        Form::Separated(b'&') => {
            let row = text[from..to].strip_suffix(br"\\").unwrap_or(&text[from..to]);
            split(text, from, from + row.len(), b"&")
        }
        Form::Separated(b':') => {
            let mut cells = split(text, start, to.max(start), b":");
            cells.iter_mut().for_each(|cell| cell.0 += scheme(&text[cell.0..cell.1]));
            cells
        }
        Form::Separated(sign) => split(text, start, to.max(start), &[sign]),
        Form::Columns => columns(text, from, to),
        Form::Bars => {
            let open = usize::from(b"|!".contains(&text[from]));
            let close = usize::from(to > from + 1 && text[to - 1] == b'|');
            split(text, from + open, (to - close).max(from + open), b"|")
        }
        Form::DoubleBars => {
            let row = &text[from..to];
            let open = if row.starts_with(b"||") { 2 } else { usize::from(b"|!^".contains(&row[0])) };
            let is_double = memchr::memmem::find(&row[open..], b"||").is_some();
            let is_head = memchr::memmem::find(row, b"!!").is_some();
            let sign: &[u8] = if is_head {
                b"!!"
            } else if is_double {
                b"||"
            } else if row[0] == b'^' {
                b"^"
            } else {
                b"|"
            };
            let close = if row.ends_with(sign) { sign.len() } else { 0 };
            split(text, from + open, (to - close).max(from + open), sign)
        }
    }
}

/// Returns the length of the scheme of a stored password before it: `{PLAIN}…`.
fn scheme(cell: &[u8]) -> usize {
    let end = cell.iter().position(|byte| *byte == b'}').filter(|end| cell.starts_with(b"{") && *end + 1 < cell.len());
    end.map_or(0, |end| end + 1)
}

/// Returns the ranges of the words between two or more blanks, or tabs.
fn columns(text: &[u8], from: usize, end: usize) -> Cells {
    let mut cells = Cells::new();
    let mut at = from;
    while at < end {
        let rest = &text[at..end];
        let length = rest.windows(2).position(|two| two == b"  " || two[0] == b'\t').unwrap_or(rest.len());
        cells.push(trimmed(text, at, at + length));
        at += length;
        at += text[at..end].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    }
    cells
}

/// Returns the ranges of the cells between separators. One behind a backslash or inside quotes separates nothing.
fn split(text: &[u8], from: usize, to: usize, separator: &[u8]) -> Cells {
    let mut cells = Cells::new();
    let (mut start, mut at, mut quoted) = (from, from, false);
    let is_list = matches!(separator, b"," | b";" | b"\t");
    while at <= to {
        let rest = &text[at.min(to)..to];
        let length =
            if rest.starts_with(separator) { separator.len() } else { 3 * usize::from(rest.starts_with(b"=> ")) };
        if at == to || !quoted && length > 0 {
            cells.push(trimmed(text, start, at));
            at += length.max(1);
            start = at;
            continue;
        }
        match text[at] {
            b'\\' if separator == b"|" => at += 1,
            b'"' if is_list && (quoted || text[start..at].trim_ascii().is_empty()) => quoted = !quoted,
            _ => {}
        }
        at += 1;
    }
    cells
}

/// Returns the rows below a head, and their end.
fn rows(
    text: &[u8],
    start: usize,
    end: usize,
    heads: &Cells,
    form: Form,
    content: Content,
    stacks: bool,
) -> (Vec<Cells>, usize) {
    let (mut rows, mut stack) = (Vec::new(), Cells::new());
    let (mut last, mut misses) = (end, 0);
    let line_end = memchr::memchr(b'\n', &text[end..]).map_or(text.len(), |line| end + line + 1);
    for (from, to) in lines(text, line_end) {
        let line = text[from..to].trim_ascii();
        if is_rule(line) || line == b"|-" || line.is_empty() && rows.is_empty() {
            continue;
        }
        let mut row = cells(text, from, to, form);
        // The last cell of a row of AsciiDoc has no bar behind it, also if it is empty.
        if stacks && line.ends_with(b"|") && row.len() + 1 == heads.len() {
            row.push((to, to));
        }
        // The cells of a row can stand on lines of their own.
        if stacks && (line.is_empty() || row.len() == 1 && line.starts_with(b"|") && !line.starts_with(b"|==")) {
            stack.append(&mut row);
            if stack.len() == heads.len() {
                rows.push(std::mem::take(&mut stack));
                last = to;
            }
            continue;
        }
        let row = if row.len() == heads.len() {
            Some(row)
        } else if form == Form::Columns && row.len() > 1 {
            Some(by_position(text, (start, from), heads, &row))
        } else {
            None
        };
        match row {
            Some(row) => {
                rows.push(row);
                (last, misses) = (to, 0);
            }
            None if content == Content::Data && misses < MAX_MISSES => misses += 1,
            None => break,
        }
    }
    (rows, last)
}

/// Returns the cells of a row with fewer cells than columns, each under the head that begins where it does.
fn by_position(text: &[u8], (head_line, line): (usize, usize), heads: &Cells, row: &Cells) -> Cells {
    let column = |line: usize, at: usize| String::from_utf8_lossy(&text[line..at]).chars().count();
    let below = |&(head, _): &Range| {
        let head = column(head_line, head);
        let cell = row.iter().find(|&&(from, _)| column(line, from).abs_diff(head) <= MAX_SHIFT);
        cell.copied().unwrap_or((line, line))
    };
    heads.iter().map(below).collect()
}

/// Returns the table with a cell on each line that has one of its heads on a line.
fn stacked(text: &[u8], line: Range) -> Option<Table> {
    let cell = |(from, to): Range| {
        let line = text[from..to].trim_ascii();
        let mark = stack_mark(line).filter(|_| is_stack(line))?;
        let start = from + (to - from - text[from..to].trim_ascii_start().len()) + mark.len();
        Some((mark, trimmed(text, start, to)))
    };
    let (mark, _) = cell(line)?;
    let begins_row = |mark: &[u8]| mark == b"* - ";
    // The first cell of the head.
    let mut first = line.0;
    let mut steps = 0;
    while first > 0 && steps < MAX_STACKED {
        let above = line_within(text, first - 1)?;
        let Some((other, _)) = cell((above.0, above.1)) else { break };
        if begins_row(text[first..].trim_ascii_start().get(..4).unwrap_or_default())
            || other != mark && !begins_row(other)
        {
            break;
        }
        first = above.0;
        steps += 1;
    }
    // Lists of words are no tables: the marks of a table are bars, or those of rows.
    if mark == b"- " && !begins_row(text[first..].trim_ascii_start().get(..4).unwrap_or_default()) {
        return None;
    }
    let mut table = Table { content: Content::Mixed, heads: Cells::new(), rows: Vec::new(), end: line.1 };
    let mut row = Cells::new();
    for (from, to) in lines(text, first) {
        let found = cell((from, to));
        let ended =
            found.is_none_or(|(mark, _)| begins_row(mark)) || row.len() == table.heads.len() && !table.rows.is_empty();
        if ended || !table.heads.is_empty() && row.len() == table.heads.len() {
            if table.heads.is_empty() {
                table.heads = std::mem::take(&mut row);
            } else if row.len() == table.heads.len() {
                table.rows.push(std::mem::take(&mut row));
                table.end = to;
            } else if !row.is_empty() {
                break;
            }
        }
        match found {
            Some((_, cell)) => row.push(cell),
            None if text[from..to].trim_ascii().is_empty() || text[from..to].trim_ascii().starts_with(b"|-") => {}
            None => break,
        }
    }
    if row.len() == table.heads.len() && !row.is_empty() {
        table.rows.push(row);
    }
    (!table.heads.is_empty()).then_some(table)
}

/// Returns the name and the value of a row of two or three cells that is a setting: `| Password | … |`, `db_password,…`.
pub(super) fn pair(text: &[u8], (start, end): Range, file: File<'_>) -> Option<(Range, Range)> {
    let form = if file.has_steps() {
        Form::Bars
    } else if file.is_separated() {
        let count = |sign: u8| text[start..end].iter().filter(|byte| **byte == sign).count();
        Form::Separated([b',', b';', b'\t', b'|'].into_iter().max_by_key(|sign| count(*sign))?)
    } else {
        return None;
    };
    let row = cells(text, start, end, form);
    ((2..4).contains(&row.len())).then(|| (row[0], row[1]))
}
