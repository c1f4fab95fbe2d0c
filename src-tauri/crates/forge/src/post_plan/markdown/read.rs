//! Reads Markdown as GitLab does (with its parser, comrak, and its extensions) into a document that is only displayed. Elements
//! that such a document cannot express become text or code, so that no words are lost.

use std::sync::LazyLock;

use comrak::nodes::{ListType, Node, NodeList, NodeValue, TableAlignment};
use comrak::{Arena, Options, parse_document};
use regex::Regex;

use super::document::{Alignment, Block, Inline};
use super::inlines::{inlines, joined, spaced, split_references, text_of};
use super::reference::broken_references;

/// The maximum nesting. Deeper elements become code.
pub(super) const MAX_DEPTH: usize = 24;

/// The maximum length of the summary of a collapsible section. A longer summary is cut.
const MAX_SUMMARY_CHARS: usize = 500;

/// The tags that GitLab shows as a collapsible section, with the text of the summary.
static FOLD: LazyLock<Regex> = LazyLock::new(|| {
    #[allow(clippy::expect_used, reason = "a constant pattern")]
    Regex::new(r"(?is)<details(?:\s+open)?>\s*(?:<summary>(?P<summary>.*?)</summary>)?|(?P<end></details>)")
        .expect("a constant pattern")
});

/// Returns all extensions that GitLab's renderer enables in any version.
pub(super) fn options() -> Options<'static> {
    let mut options = Options::default();
    let extension = &mut options.extension;
    extension.strikethrough = true;
    extension.table = true;
    extension.autolink = true;
    extension.tasklist = true;
    extension.footnotes = true;
    extension.description_lists = true;
    extension.multiline_block_quotes = true;
    extension.alerts = true;
    extension.math_dollars = true;
    extension.math_code = true;
    extension.wikilinks_title_before_pipe = true;
    options.parse.relaxed_autolinks = true;
    options.parse.relaxed_tasklist_matching = true;
    options
}

/// Converts line ends to line feeds, and replaces control characters and invisible line breaks.
pub(super) fn plain(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\n' | '\t' => out.push(char),
            '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            '\u{feff}' => {}
            char if char.is_control() => out.push('\u{fffd}'),
            char => out.push(char),
        }
    }
    out
}

/// Replaces every run of white space with one space.
pub(super) fn one_line(text: &str) -> String {
    plain(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Reads Markdown of several blocks.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    read(&plain(text), 0)
}

/// Reads Markdown of one line that follows other text, so that it cannot start a block.
pub(super) fn line(text: &str) -> Vec<Inline> {
    const BEFORE: &str = "x ";
    let text = one_line(text);
    let mut found = read(&format!("{BEFORE}{text}"), 0);
    match (found.pop(), found.is_empty()) {
        (Some(Block::Paragraph(mut inlines)), true) => {
            if let Some(Inline::Text(first)) = inlines.first_mut()
                && let Some(rest) = first.strip_prefix(BEFORE).or_else(|| first.strip_prefix("x"))
            {
                *first = rest.to_owned();
                return joined(inlines);
            }
            split_references(&[Inline::Text(text)])
        }
        _ => split_references(&[Inline::Text(text)]),
    }
}

fn read(text: &str, depth: usize) -> Vec<Block> {
    let arena = Arena::new();
    let root = parse_document(&arena, text, &options());
    let mut out = Vec::new();
    children(root, depth, &mut out);
    out
}

/// Reads the blocks of a node. A collapsible section may start and end in different nodes.
fn children<'a>(node: Node<'a>, depth: usize, out: &mut Vec<Block>) {
    let mut open: Vec<(String, Vec<Block>)> = Vec::new();
    let mut found = Vec::new();
    for child in node.children() {
        let html = match &child.data().value {
            NodeValue::HtmlBlock(html) => Some(html.literal.clone()),
            _ => None,
        };
        match html {
            Some(html) if FOLD.is_match(&html) && depth < MAX_DEPTH => fold(&html, depth, &mut open, out),
            Some(html) => found.push(code("html", &html)),
            None => block(child, depth, &mut found),
        }
        open.last_mut().map_or(&mut *out, |(_, blocks)| blocks).append(&mut found);
    }
    // Close open sections; they would otherwise contain everything that follows.
    while let Some((summary, blocks)) = open.pop() {
        close(summary, blocks, &mut open, out);
    }
}

/// Reads an HTML block that starts or ends a collapsible section. The text between its tags is Markdown, and its other tags are text.
fn fold(html: &str, depth: usize, open: &mut Vec<(String, Vec<Block>)>, out: &mut Vec<Block>) {
    let mut at = 0;
    let between = |text: &str, open: &mut Vec<(String, Vec<Block>)>, out: &mut Vec<Block>| {
        let text = text.trim();
        if !text.is_empty() {
            let mut found = read(text, depth + 1);
            open.last_mut().map_or(out, |(_, blocks)| blocks).append(&mut found);
        }
    };
    for captures in FOLD.captures_iter(html) {
        let Some(tag) = captures.get(0) else { continue };
        between(&html[at..tag.start()], open, out);
        at = tag.end();
        if captures.name("end").is_none() {
            if depth + open.len() >= MAX_DEPTH {
                continue;
            }
            let summary = captures.name("summary").map_or("Details", |text| text.as_str());
            open.push((summary_text(summary), Vec::new()));
        } else if let Some((summary, blocks)) = open.pop() {
            close(summary, blocks, open, out);
        }
    }
    between(&html[at..], open, out);
}

fn close(summary: String, blocks: Vec<Block>, open: &mut [(String, Vec<Block>)], out: &mut Vec<Block>) {
    open.last_mut().map_or(out, |(_, outer)| outer).push(Block::Details { summary, blocks });
}

/// Returns the text of a section's summary, without tags, with decoded entities and broken references. It is written as HTML,
/// where code spans cannot hide references.
fn summary_text(html: &str) -> String {
    static TAG: LazyLock<Regex> = LazyLock::new(|| {
        #[allow(clippy::expect_used, reason = "a constant pattern")]
        Regex::new(r"<[^<>]*>").expect("a constant pattern")
    });
    let text: String = decoded(&TAG.replace_all(html, "")).chars().take(MAX_SUMMARY_CHARS).collect();
    let text = broken_references(&one_line(&text));
    if text.is_empty() { "Details".to_owned() } else { text }
}

/// Decodes HTML entities.
pub(super) fn decoded(text: &str) -> String {
    let escaped: String = one_line(text)
        .chars()
        .flat_map(|char| {
            let escape = char.is_ascii_punctuation() && !"&#;".contains(char);
            escape.then_some('\\').into_iter().chain([char])
        })
        .collect();
    let arena = Arena::new();
    let text = text_of(parse_document(&arena, &format!("x {escaped}"), &Options::default()));
    text.trim_start().strip_prefix("x").unwrap_or_default().trim_start().to_owned()
}

fn block<'a>(node: Node<'a>, depth: usize, out: &mut Vec<Block>) {
    if depth >= MAX_DEPTH {
        return out.push(code("", &text_of(node)));
    }
    let value = node.data().value.clone();
    match value {
        NodeValue::Paragraph => paragraph(inlines(node), out),
        NodeValue::Heading(heading) => {
            let content = inlines(node);
            // A heading is one line. Only a heading with an underline of `===` can have a line break, which becomes a space.
            let content = spaced(content);
            out.push(if content.is_empty() { Block::Rule } else { Block::Heading(heading.level, content) });
        }
        NodeValue::CodeBlock(block) => {
            let language = block.info.split([' ', '\t', ',', '{']).next().unwrap_or_default();
            out.push(code(&language_name(language), &block.literal));
        }
        NodeValue::ThematicBreak => out.push(Block::Rule),
        NodeValue::BlockQuote | NodeValue::MultilineBlockQuote(_) => quote(Vec::new(), node, depth, out),
        NodeValue::Alert(alert) => {
            let title = alert.title.clone().unwrap_or_else(|| alert.alert_type.default_title().to_owned());
            let title = Block::Paragraph(vec![Inline::Strong(split_references(&[Inline::Text(one_line(&title))]))]);
            quote(vec![title], node, depth, out);
        }
        NodeValue::List(list) => out.push(read_list(node, &list, depth)),
        NodeValue::Table(table) => {
            let alignments = table.alignments.iter().map(|one| alignment(*one)).collect();
            let rows = node.children().map(|row| row.children().map(|cell| spaced(inlines(cell))).collect()).collect();
            out.push(Block::Table { alignments, rows });
        }
        NodeValue::FootnoteDefinition(note) => {
            paragraph(split_references(&[Inline::Text(format!("[^{}]:", one_line(&note.name)))]), out);
            children(node, depth + 1, out);
        }
        NodeValue::DescriptionTerm => children(node, depth + 1, out),
        NodeValue::DescriptionDetails => quote(Vec::new(), node, depth, out),
        NodeValue::HtmlBlock(html) => out.push(code("html", &html.literal)),
        _ if node.first_child().is_some_and(|child| child.data().value.block()) => children(node, depth + 1, out),
        _ => paragraph(inlines(node), out),
    }
}

fn quote<'a>(mut blocks: Vec<Block>, node: Node<'a>, depth: usize, out: &mut Vec<Block>) {
    children(node, depth + 1, &mut blocks);
    if !blocks.is_empty() {
        out.push(Block::Quote(blocks));
    }
}

fn paragraph(inlines: Vec<Inline>, out: &mut Vec<Block>) {
    if !inlines.is_empty() {
        out.push(Block::Paragraph(inlines));
    }
}

fn read_list<'a>(node: Node<'a>, list: &NodeList, depth: usize) -> Block {
    let items = node.children().map(|item| {
        let task = match &item.data().value {
            NodeValue::TaskItem(task) => Some(if task.symbol.is_some() { "[x]" } else { "[ ]" }),
            _ => None,
        };
        let mut blocks = Vec::new();
        children(item, depth + 1, &mut blocks);
        if let Some(mark) = task {
            match blocks.first_mut() {
                Some(Block::Paragraph(content)) => {
                    content.insert(0, Inline::Text(format!("{mark} ")));
                    *content = joined(std::mem::take(content));
                }
                _ => blocks.insert(0, Block::Paragraph(vec![Inline::Text(mark.to_owned())])),
            }
        }
        blocks
    });
    let start = (list.list_type == ListType::Ordered).then_some(list.start);
    Block::List { start, items: items.collect() }
}

fn alignment(one: TableAlignment) -> Alignment {
    match one {
        TableAlignment::None => Alignment::None,
        TableAlignment::Left => Alignment::Left,
        TableAlignment::Center => Alignment::Center,
        TableAlignment::Right => Alignment::Right,
    }
}

/// Creates a code block. Lines that older versions of GitLab would execute inside some fences are indented by one space. Lines
/// that would end the fence there get a word joiner, which has no width.
pub(super) fn code(language: &str, text: &str) -> Block {
    let mut lines = String::with_capacity(text.len() + 1);
    for line in plain(text).trim_end_matches('\n').split('\n') {
        if is_command(line) {
            lines.push(' ');
        }
        if is_quote_fence(line) {
            lines.push_str(&line.replacen('>', ">\u{2060}", 1));
        } else {
            lines.push_str(line);
        }
        lines.push('\n');
    }
    Block::Code { language: language.to_owned(), text: lines }
}

/// Returns whether a line has the form of a quick action.
pub(super) fn is_command(line: &str) -> bool {
    static COMMAND: LazyLock<Regex> = LazyLock::new(|| {
        #[allow(clippy::expect_used, reason = "a constant pattern")]
        Regex::new(r"^/[\w\-]+(?:\s|$)").expect("a constant pattern")
    });
    COMMAND.is_match(line)
}

/// Returns whether a line starts or ends a multi-line quote. Some versions of GitLab look for such lines in code as well.
pub(super) fn is_quote_fence(line: &str) -> bool {
    let rest = line.trim().trim_start_matches('>');
    line.trim().len() - rest.len() >= 3 && (rest.is_empty() || rest.trim_start().starts_with("[!"))
}

/// Returns the name of a programming language. Returns an empty string for the names of blocks that GitLab draws, includes or applies.
pub(super) fn language_name(info: &str) -> String {
    let name: String = info.chars().take_while(|char| char.is_alphanumeric() || "+-_#.".contains(*char)).collect();
    if name == info && !is_active_language(&name) { name } else { String::new() }
}

/// Returns whether GitLab draws, includes or applies blocks with this name.
pub(super) fn is_active_language(name: &str) -> bool {
    const ACTIVE: &[&str] = &[
        "suggestion",
        "mermaid",
        "math",
        "plantuml",
        "json",
        "kroki",
        "graphviz",
        "dot",
        "blockdiag",
        "seqdiag",
        "actdiag",
        "nwdiag",
        "packetdiag",
        "rackdiag",
        "c4plantuml",
        "ditaa",
        "erd",
        "nomnoml",
        "svgbob",
        "umlet",
        "vega",
        "vegalite",
        "wavedrom",
        "bpmn",
        "bytefield",
        "d2",
        "dbml",
        "diagramsnet",
        "excalidraw",
        "pikchr",
        "structurizr",
        "symbolator",
        "tikz",
        "wireviz",
        "glql",
        "stl",
        "geojson",
        "topojson",
        "observability",
        "metrics",
        "gollum",
        "include",
        "toc",
        "iframe",
    ];
    let name = name.to_lowercase();
    // `json` is a plain language; `json:table` is not.
    name != "json"
        && ACTIVE.iter().any(|active| name == *active || name.starts_with("suggestion") || name.starts_with("json:"))
}
