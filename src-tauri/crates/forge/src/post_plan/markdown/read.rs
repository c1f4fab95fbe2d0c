//! Reads Markdown as GitLab does (with its parser, comrak, and its extensions) into a document that is only displayed. Elements
//! that such a document cannot express become text or code, so that no words are lost.

use std::sync::LazyLock;

use comrak::nodes::{ListType, Node, NodeList, NodeValue, TableAlignment};
use comrak::{Arena, Options, parse_document};
use regex::Regex;

use super::document::{Alignment, Block, Inline};
use super::reference::{broken_references, is_linkable, references};

/// The maximum nesting. Deeper elements become code.
const MAX_DEPTH: usize = 24;

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

/// Returns the inline elements of a node, with adjacent text joined.
fn inlines<'a>(node: Node<'a>) -> Vec<Inline> {
    let mut out = Vec::new();
    for child in node.children() {
        inline(child, 0, &mut out);
    }
    trimmed(split_references(&joined(out)))
}

fn inline<'a>(node: Node<'a>, depth: usize, out: &mut Vec<Inline>) {
    let text = |text: String| Inline::Text(text);
    if depth >= MAX_DEPTH {
        return out.push(text(text_of(node)));
    }
    let inner = |node: Node<'a>| {
        let mut found = Vec::new();
        for child in node.children() {
            inline(child, depth + 1, &mut found);
        }
        split_references(&joined(found))
    };
    let value = node.data().value.clone();
    match value {
        NodeValue::Text(found) => out.push(text(found.into_owned())),
        NodeValue::Code(found) => out.push(Inline::Code(found.literal)),
        NodeValue::SoftBreak => out.push(Inline::SoftBreak),
        NodeValue::LineBreak => out.push(Inline::LineBreak),
        NodeValue::HtmlInline(html) if html.eq_ignore_ascii_case("<br>") => out.push(Inline::LineBreak),
        NodeValue::HtmlInline(html) | NodeValue::Raw(html) => out.push(text(html)),
        NodeValue::Emph => out.push(Inline::Emphasis(inner(node))),
        NodeValue::Strong => out.push(Inline::Strong(inner(node))),
        NodeValue::Strikethrough => out.push(Inline::Strikethrough(inner(node))),
        NodeValue::Link(link) => out.extend(linked(&link.url, inner(node))),
        NodeValue::Image(image) => {
            out.push(text("!".to_owned()));
            out.extend(linked(&image.url, inner(node)));
        }
        NodeValue::WikiLink(link) => {
            let title = text_of(node);
            let bang = if link.embed { "!" } else { "" };
            let words = if title == link.url { title } else { format!("{title}|{}", link.url) };
            out.push(text(format!("{bang}[[{words}]]")));
        }
        NodeValue::Math(math) => {
            let dollars = if math.display_math { "$$" } else { "$" };
            out.push(Inline::Code(format!("{dollars}{}{dollars}", math.literal)));
        }
        NodeValue::FootnoteReference(note) => out.push(text(format!("[^{}]", note.name))),
        _ => {
            for child in node.children() {
                inline(child, depth + 1, out);
            }
        }
    }
}

/// Returns a link if its target may be linked, or else its words and its target as code.
fn linked(url: &str, content: Vec<Inline>) -> Vec<Inline> {
    let words = plain_text(&content);
    if is_linkable(url) {
        // Links cannot be nested.
        let content = without_links(content);
        // References in the link's own address are not references of the text.
        let own = words == url || words.trim().is_empty();
        let content = if own { vec![Inline::Text(url.to_owned())] } else { content };
        return vec![Inline::Link { url: url.to_owned(), content }];
    }
    let target = Inline::Code(one_line(url));
    if words.trim().is_empty() || words == url || url.strip_prefix("mailto:") == Some(words.as_str()) {
        return vec![Inline::Code(one_line(if words.trim().is_empty() { url } else { &words }))];
    }
    let mut out = content;
    out.extend([Inline::Text(" (".to_owned()), target, Inline::Text(")".to_owned())]);
    out
}

fn without_links(inlines: Vec<Inline>) -> Vec<Inline> {
    let flat = inlines.into_iter().flat_map(|one| match one {
        Inline::Link { content, .. } => without_links(content),
        Inline::LineBreak | Inline::SoftBreak => vec![Inline::Text(" ".to_owned())],
        other => vec![other],
    });
    split_references(&joined(flat.collect()))
}

/// Returns the words of inline elements.
pub(super) fn plain_text(inlines: &[Inline]) -> String {
    let words = inlines.iter().map(|one| match one {
        Inline::Text(text) | Inline::Code(text) => text.clone(),
        Inline::Emphasis(inner) | Inline::Strong(inner) | Inline::Strikethrough(inner) => plain_text(inner),
        Inline::Link { content, .. } => plain_text(content),
        Inline::LineBreak | Inline::SoftBreak => " ".to_owned(),
    });
    words.collect()
}

/// Returns all text below a node. Does not recurse, because the nesting may be deep.
fn text_of<'a>(node: Node<'a>) -> String {
    let mut out = String::new();
    for one in node.descendants() {
        match &one.data().value {
            NodeValue::Text(text) => out.push_str(text),
            NodeValue::Code(code) => out.push_str(&code.literal),
            NodeValue::HtmlInline(html) | NodeValue::Raw(html) => out.push_str(html),
            NodeValue::HtmlBlock(html) => out.push_str(&html.literal),
            NodeValue::CodeBlock(block) => out.push_str(&block.literal),
            NodeValue::SoftBreak | NodeValue::LineBreak | NodeValue::Paragraph => out.push('\n'),
            _ => {}
        }
    }
    out
}

/// Joins adjacent text, and separates adjacent code spans with a space.
pub(super) fn joined(inlines: Vec<Inline>) -> Vec<Inline> {
    let mut out: Vec<Inline> = Vec::with_capacity(inlines.len());
    for one in inlines {
        match (out.last_mut(), one) {
            (_, Inline::Text(text)) if text.is_empty() => {}
            (Some(Inline::Text(before)), Inline::Text(text)) => before.push_str(&text),
            (Some(Inline::Code(_)), code @ Inline::Code(_)) => out.extend([Inline::Text(" ".to_owned()), code]),
            (_, one) => out.push(one),
        }
    }
    out
}

/// Converts the parts that GitLab may read as references to code. GitLab joins text across soft breaks, but no reference contains
/// a line end.
pub(super) fn split_references(inlines: &[Inline]) -> Vec<Inline> {
    let mut out = Vec::with_capacity(inlines.len());
    for one in inlines {
        let Inline::Text(text) = one else {
            out.push(one.clone());
            continue;
        };
        let text: String = text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect();
        let mut at = 0;
        for range in references(&text) {
            out.push(Inline::Text(text[at..range.start].to_owned()));
            out.push(Inline::Code(text[range.clone()].to_owned()));
            at = range.end;
        }
        out.push(Inline::Text(text[at..].to_owned()));
    }
    joined(out)
}

/// Removes white space at the ends and around line breaks, which the parser drops.
fn trimmed(inlines: Vec<Inline>) -> Vec<Inline> {
    fn is_break(one: Option<&Inline>) -> bool {
        matches!(one, None | Some(Inline::LineBreak | Inline::SoftBreak))
    }
    let mut out: Vec<Inline> = Vec::with_capacity(inlines.len());
    let count = inlines.len();
    for at in 0..count {
        let mut one = inlines[at].clone();
        if let Inline::Text(text) = &mut one {
            if is_break(out.last()) {
                *text = text.trim_start_matches([' ', '\t']).to_owned();
            }
            if is_break(inlines.get(at + 1)) {
                *text = text.trim_end_matches([' ', '\t']).to_owned();
            }
            if text.is_empty() {
                continue;
            }
        }
        // A break at an end of a paragraph is dropped, and two in a row would end it.
        if is_break(Some(&one)) && is_break(out.last()) {
            continue;
        }
        out.push(one);
    }
    while matches!(out.last(), Some(Inline::LineBreak | Inline::SoftBreak)) {
        out.pop();
    }
    if let Some(Inline::Text(text)) = out.last_mut() {
        *text = text.trim_end_matches([' ', '\t']).to_owned();
    }
    out.retain(|one| !matches!(one, Inline::Text(text) if text.is_empty()));
    out
}

/// Replaces line breaks with spaces.
fn spaced(inlines: Vec<Inline>) -> Vec<Inline> {
    let spaced = inlines.into_iter().map(|one| match one {
        Inline::LineBreak | Inline::SoftBreak => Inline::Text(" ".to_owned()),
        Inline::Emphasis(inner) => Inline::Emphasis(spaced(inner)),
        Inline::Strong(inner) => Inline::Strong(spaced(inner)),
        Inline::Strikethrough(inner) => Inline::Strikethrough(spaced(inner)),
        Inline::Link { url, content } => Inline::Link { url, content: spaced(content) },
        other => other,
    });
    trimmed(joined(spaced.collect()))
}
