//! Writes a document as Markdown that all versions of GitLab read the same way.

use std::sync::LazyLock;

use regex::Regex;

use super::document::{Alignment, Block, Inline};
use super::inlines::{joined, plain_text, split_references};
use super::read::{code, one_line, plain};
use super::reference::broken_references;

/// Writes blocks, separated by empty lines.
pub(super) fn blocks(blocks: &[Block]) -> String {
    let mut parts: Vec<String> = Vec::with_capacity(blocks.len());
    let mut other_marker = false;
    for (at, block) in blocks.iter().enumerate() {
        // Consecutive lists would become one list, unless their markers differ.
        let follows = at > 0 && same_kind(&blocks[at - 1], block);
        other_marker = follows && !other_marker;
        parts.push(write_block(block, other_marker));
    }
    parts.join("\n\n")
}

fn same_kind(before: &Block, block: &Block) -> bool {
    matches!((before, block), (Block::List { start: one, .. }, Block::List { start: other, .. }) if one.is_some() == other.is_some())
}

fn write_block(block: &Block, other_marker: bool) -> String {
    match block {
        Block::Paragraph(content) => inlines(content, true),
        Block::Heading(level, content) => {
            let text = inlines(content, false);
            // A `#` at the end would be read as the closing sequence of the heading.
            let text = text.strip_suffix('#').map_or_else(|| text.clone(), |rest| format!("{rest}\\#"));
            format!("{} {text}", "#".repeat(usize::from(*level)))
        }
        Block::Code { language, text } => fenced(language, text),
        Block::Quote(inner) => {
            let text = blocks(inner);
            let lines = text.split('\n').map(|line| if line.is_empty() { ">".to_owned() } else { format!("> {line}") });
            lines.collect::<Vec<_>>().join("\n")
        }
        Block::List { start, items } => list(*start, items, other_marker),
        Block::Table { alignments, rows } => table(alignments, rows),
        Block::Rule => "***".to_owned(),
        Block::Details { summary, blocks: inner } => {
            let open = format!("<details><summary>{}</summary>", escaped_html(summary));
            [open, blocks(inner), "</details>".to_owned()]
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join("\n\n")
        }
    }
}

fn list(start: Option<usize>, items: &[Vec<Block>], other_marker: bool) -> String {
    let mut out = Vec::with_capacity(items.len());
    let loose = items.iter().any(|item| item.len() > 1);
    for (at, item) in items.iter().enumerate() {
        let marker = match start {
            Some(first) => format!("{}{}", first.saturating_add(at), if other_marker { ')' } else { '.' }),
            None => (if other_marker { "*" } else { "-" }).to_owned(),
        };
        let indent = " ".repeat(marker.len() + 1);
        let text = blocks(item);
        let mut lines = text.split('\n');
        let first = lines.next().unwrap_or_default();
        let mut written = if first.is_empty() { marker } else { format!("{marker} {first}") };
        for line in lines {
            written.push('\n');
            if !line.is_empty() {
                written += &indent;
                written += line;
            }
        }
        out.push(written);
    }
    out.join(if loose { "\n\n" } else { "\n" })
}

fn table(alignments: &[Alignment], rows: &[Vec<Vec<Inline>>]) -> String {
    let row = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let marks = alignments.iter().map(|one| match one {
        Alignment::None => "---".to_owned(),
        Alignment::Left => ":--".to_owned(),
        Alignment::Center => ":-:".to_owned(),
        Alignment::Right => "--:".to_owned(),
    });
    let mut lines: Vec<String> = Vec::with_capacity(rows.len() + 1);
    for (at, cells) in rows.iter().enumerate() {
        lines.push(row(cells.iter().map(|cell| cell_text(cell)).collect()));
        if at == 0 {
            lines.push(row(marks.clone().collect()));
        }
    }
    lines.join("\n")
}

/// Writes the content of a table cell. A bar in code must be escaped as well, because the table is parsed before the code.
fn cell_text(content: &[Inline]) -> String {
    let escaped: Vec<Inline> = content.iter().map(escape_bars).collect();
    inlines(&escaped, false)
}

fn escape_bars(one: &Inline) -> Inline {
    let all = |inner: &[Inline]| inner.iter().map(escape_bars).collect();
    match one {
        Inline::Code(text) => Inline::Code(text.replace('|', "\\|")),
        Inline::Emphasis(inner) => Inline::Emphasis(all(inner)),
        Inline::Strong(inner) => Inline::Strong(all(inner)),
        Inline::Strikethrough(inner) => Inline::Strikethrough(all(inner)),
        Inline::Link { url, content } => Inline::Link { url: url.clone(), content: all(content) },
        other => other.clone(),
    }
}

/// Writes inline elements that follow other text on their line.
pub(super) fn line(content: &[Inline]) -> String {
    inlines(content, false)
}

fn inlines(content: &[Inline], begins_line: bool) -> String {
    let mut out = String::new();
    write_inlines(content, begins_line, &mut out);
    out
}

fn write_inlines(content: &[Inline], begins_line: bool, out: &mut String) {
    let begin = out.len();
    for one in content {
        let at_start = if out.len() == begin { begins_line } else { out.ends_with('\n') };
        match one {
            Inline::Text(text) => escaped(text, at_start, out),
            Inline::Code(text) => out.push_str(&code_span(text)),
            Inline::Emphasis(inner) => wrapped("*", inner, out),
            Inline::Strong(inner) => wrapped("**", inner, out),
            Inline::Strikethrough(inner) => wrapped("~~", inner, out),
            Inline::Link { url, content } => {
                if matches!(content.as_slice(), [Inline::Text(text)] if text == url) {
                    *out += &format!("<{url}>");
                } else {
                    out.push('[');
                    write_inlines(content, false, out);
                    *out += &format!("](<{url}>)");
                }
            }
            Inline::LineBreak => out.push_str("\\\n"),
            Inline::SoftBreak => out.push('\n'),
        }
    }
}

fn wrapped(mark: &str, inner: &[Inline], out: &mut String) {
    out.push_str(mark);
    write_inlines(inner, false, out);
    out.push_str(mark);
}

/// Escapes all Markdown in a text.
fn escaped(text: &str, begins_line: bool, out: &mut String) {
    let mut before: Option<char> = out.chars().next_back();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    for (at, char) in text.char_indices() {
        let next = text[at + char.len_utf8()..].chars().next();
        let word = |char: Option<char>| char.is_some_and(char::is_alphanumeric);
        let escape = match char {
            '\\' | '`' | '*' | '[' | ']' | '<' | '~' | '|' | '$' => true,
            '_' => !(word(before) && word(next)),
            '&' => next.is_some_and(|next| next.is_ascii_alphanumeric() || next == '#'),
            // Before a link, it would make an image.
            '!' => next.is_none(),
            '#' | '>' | '+' | '-' | '=' | ':' | '/' => begins_line && at == 0,
            '.' | ')' => begins_line && digits > 0 && at == digits,
            _ => false,
        };
        if escape {
            out.push('\\');
        }
        out.push(char);
        before = Some(char);
    }
}

/// Writes a code span.
pub(crate) fn code_span(text: &str) -> String {
    let text = unmarked(plain(text).replace('\n', " "));
    if text.trim().is_empty() {
        return "` `".to_owned();
    }
    let ticks = "`".repeat(shortest_missing_run(&text));
    let edge = |char: char| char == '`' || char == ' ';
    // The parser removes one space at both ends.
    let padded = text.starts_with(edge) && text.ends_with(edge) || text.starts_with('`') || text.ends_with('`');
    if padded { format!("{ticks} {text} {ticks}") } else { format!("{ticks}{text}{ticks}") }
}

/// Returns the length of the shortest run of backticks that does not occur in `text`.
fn shortest_missing_run(text: &str) -> usize {
    let runs: Vec<usize> = text.split(|char| char != '`').map(str::len).collect();
    (1..).find(|length| !runs.contains(length)).unwrap_or(1)
}

/// Writes a code block whose text cannot end the block or act.
pub(crate) fn code_block(language: &str, text: &str) -> String {
    match code(language, text) {
        Block::Code { language, text } => unmarked(fenced(&language, &text)),
        _ => String::new(),
    }
}

fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|char| char != '`').map(str::len).max().unwrap_or(0);
    let ticks = "`".repeat(3.max(longest + 1));
    format!("{ticks}{language}\n{text}{ticks}")
}

/// Writes text for an HTML element, where backslash escapes have no effect.
pub(crate) fn html_text(text: &str) -> String {
    escaped_html(&broken_references(&unmarked(one_line(text))))
}

fn escaped_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Inserts a word joiner, which has no width, into texts that look like diffsan's markers, because other programs may search for
/// markers anywhere.
pub(super) fn unmarked(text: String) -> String {
    static MARKER: LazyLock<Regex> = LazyLock::new(|| {
        #[allow(clippy::expect_used, reason = "a constant pattern")]
        Regex::new(r"(?i)(<!--\s*)(diffsan)").expect("a constant pattern")
    });
    if MARKER.is_match(&text) { MARKER.replace_all(&text, "$1\u{2060}$2").into_owned() } else { text }
}

/// Removes the formatting of inline elements.
pub(super) fn flattened(content: &[Inline]) -> Vec<Inline> {
    let flat = content.iter().flat_map(|one| match one {
        Inline::Emphasis(inner) | Inline::Strong(inner) | Inline::Strikethrough(inner) => flattened(inner),
        Inline::Link { url, content } => {
            let words = plain_text(content);
            let target = Inline::Code(url.clone());
            if words == *url { vec![target] } else { vec![Inline::Code(words), Inline::Text(" ".to_owned()), target] }
        }
        other => vec![other.clone()],
    });
    split_references(&joined(flat.collect()))
}

/// Removes the formatting of the text in a block.
pub(super) fn flattened_block(block: &Block) -> Block {
    let all = |blocks: &[Block]| blocks.iter().map(flattened_block).collect();
    match block {
        Block::Paragraph(content) => Block::Paragraph(flattened(content)),
        Block::Heading(level, content) => Block::Heading(*level, flattened(content)),
        Block::Quote(inner) => Block::Quote(all(inner)),
        Block::List { start, items } => {
            Block::List { start: *start, items: items.iter().map(|item| all(item)).collect() }
        }
        Block::Table { alignments, rows } => Block::Table {
            alignments: alignments.clone(),
            rows: rows.iter().map(|row| row.iter().map(|cell| flattened(cell)).collect()).collect(),
        },
        Block::Details { summary, blocks } => Block::Details { summary: summary.clone(), blocks: all(blocks) },
        other => other.clone(),
    }
}
