//! Reads a note as the tree of today's parser, without raw HTML.

use std::ops::RangeInclusive;

use comrak::arena_tree::NodeEdge;
use comrak::nodes::{AstNode, NodeValue};

use super::document::{Source, is_reference_character};
use super::effects::{ActiveBlock, NoteEffects, Suggestion};
use super::references::{scan, scan_address};

/// The diagram languages of Kroki, and the two that GitLab renders itself.
const DIAGRAMS: &[&str] = &[
    "actdiag",
    "blockdiag",
    "bpmn",
    "bytefield",
    "c4plantuml",
    "d2",
    "dbml",
    "ditaa",
    "dot",
    "erd",
    "excalidraw",
    "geojson",
    "graphviz",
    "mermaid",
    "nomnoml",
    "nwdiag",
    "packetdiag",
    "pikchr",
    "plantuml",
    "rackdiag",
    "seqdiag",
    "stl",
    "structurizr",
    "svgbob",
    "symbolator",
    "tikz",
    "topojson",
    "umlet",
    "vega",
    "vegalite",
    "wavedrom",
    "wireviz",
];

/// Returns the effects of a note in this reading, except commands.
pub(super) fn read<'a>(root: &'a AstNode<'a>, source: &Source, base: &str) -> NoteEffects {
    let mut reader = Reader { base, found: NoteEffects::default(), piece: String::new(), links: 0 };
    if source.front_matter {
        reader.found.other_active_blocks.push(ActiveBlock::FrontMatter);
    }
    for edge in root.traverse() {
        match edge {
            NodeEdge::Start(node) => reader.start(node),
            NodeEdge::End(node) => reader.end(node),
        }
    }
    reader.finish_piece();
    reader.found
}

/// Returns the lines (from 1) of the paragraphs that are not inside another block.
pub(super) fn outer_paragraphs<'a>(root: &'a AstNode<'a>) -> Vec<RangeInclusive<usize>> {
    root.children()
        .filter_map(|node| {
            let data = node.data();
            let position = data.sourcepos;
            matches!(data.value, NodeValue::Paragraph).then_some(position.start.line..=position.end.line)
        })
        .collect()
}

struct Reader<'b> {
    base: &'b str,
    found: NoteEffects,
    /// The text since the last start or end of an element.
    piece: String,
    /// The number of open links and images. GitLab does not search their text.
    links: usize,
}

impl Reader<'_> {
    fn start<'a>(&mut self, node: &'a AstNode<'a>) {
        let data = node.data();
        match &data.value {
            NodeValue::Text(text) => self.text(text),
            NodeValue::SoftBreak => self.text("\n"),
            NodeValue::Escaped => {
                if is_escaped_reference(node) {
                    self.finish_piece();
                }
            }
            value => {
                self.finish_piece();
                self.element(value);
            }
        }
    }

    fn end<'a>(&mut self, node: &'a AstNode<'a>) {
        match &node.data().value {
            NodeValue::Text(_) | NodeValue::SoftBreak => {}
            NodeValue::Escaped => {
                if is_escaped_reference(node) {
                    self.finish_piece();
                }
            }
            NodeValue::Link(_) | NodeValue::WikiLink(_) | NodeValue::Image(_) => {
                self.finish_piece();
                self.links -= 1;
            }
            _ => self.finish_piece(),
        }
    }

    fn element(&mut self, value: &NodeValue) {
        let blocks = &mut self.found.other_active_blocks;
        match value {
            NodeValue::LineBreak => self.piece.push('\n'),
            NodeValue::HtmlInline(text) => self.html(text),
            NodeValue::HtmlBlock(block) => self.html(&block.literal),
            NodeValue::CodeBlock(block) => code_block(&block.info, &block.literal, &mut self.found),
            NodeValue::Link(link) => {
                scan_address(&link.url, self.base, &mut self.found);
                self.links += 1;
            }
            NodeValue::WikiLink(link) => {
                let text = format!("[[{}]]", link.url);
                self.links += 1;
                if matches!(link.url.as_str(), "_TOC_" | "TOC") {
                    blocks.push(ActiveBlock::TableOfContents);
                } else {
                    scan(&text, self.base, &mut self.found);
                }
            }
            NodeValue::Image(link) => {
                self.found.images.push(link.url.clone());
                self.links += 1;
            }
            NodeValue::Math(math) => blocks.push(ActiveBlock::Math(math.literal.clone())),
            NodeValue::MultilineBlockQuote(_) => blocks.push(ActiveBlock::MultilineQuote),
            NodeValue::Alert(alert) => {
                blocks.push(ActiveBlock::Alert(format!("{:?}", alert.alert_type).to_lowercase()));
                if let Some(title) = &alert.title {
                    scan(title, self.base, &mut self.found);
                }
            }
            NodeValue::DescriptionList => blocks.push(ActiveBlock::DescriptionList),
            NodeValue::TaskItem(_) => blocks.push(ActiveBlock::TaskItem),
            NodeValue::FootnoteDefinition(note) => blocks.push(ActiveBlock::Footnote(note.name.clone())),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.links == 0 {
            self.piece.push_str(text);
        }
    }

    fn html(&mut self, html: &str) {
        html_pieces(html, |piece| match piece {
            HtmlPiece::Tag(tag) => self.found.html.push(tag.to_owned()),
            HtmlPiece::Text(text) => scan(text, self.base, &mut self.found),
        });
    }

    /// Scans the current piece, and its lines for constructs that take a whole line.
    fn finish_piece(&mut self) {
        if self.piece.is_empty() {
            return;
        }
        let piece = std::mem::take(&mut self.piece);
        scan(&piece, self.base, &mut self.found);
        lines(&piece, &mut self.found);
    }
}

/// Adds constructs that take a whole line: included files and the table of contents.
pub(super) fn lines(piece: &str, found: &mut NoteEffects) {
    if !piece.contains("::include") && !piece.contains("TOC]") {
        return;
    }
    for line in piece.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("::include{file=").and_then(|rest| rest.strip_suffix('}')) {
            found.includes.push(name.to_owned());
        }
        if line == "[TOC]" {
            found.other_active_blocks.push(ActiveBlock::TableOfContents);
        }
    }
}

/// Returns whether an escape prevents its character from being part of a reference.
fn is_escaped_reference<'a>(node: &'a AstNode<'a>) -> bool {
    node.first_child().is_some_and(|child| match &child.data().value {
        NodeValue::Text(text) => is_reference_character(text),
        _ => false,
    })
}

/// Adds the effects of a code block. `info` is its info string.
pub(super) fn code_block(info: &str, content: &str, found: &mut NoteEffects) {
    let (first, more) = info.trim().split_once(char::is_whitespace).unwrap_or((info.trim(), ""));
    let (language, parameters) = first.split_once(':').unwrap_or((first, ""));
    let blocks = &mut found.other_active_blocks;
    match language.to_ascii_lowercase().as_str() {
        "suggestion" => {
            let (above, below) = if more.trim().is_empty() { range(parameters) } else { (0, 0) };
            let content = content.strip_suffix('\n').unwrap_or(content).to_owned();
            found.suggestions.push(Suggestion { above, below, content });
        }
        "math" => blocks.push(ActiveBlock::Math(content.to_owned())),
        "json" if parameters.eq_ignore_ascii_case("table") => blocks.push(ActiveBlock::JsonTable),
        language if DIAGRAMS.contains(&language) => blocks.push(ActiveBlock::Diagram(language.to_owned())),
        _ => {}
    }
}

/// Parses the numbers of lines above and below in `-1+2`. Any other form means 0 lines.
fn range(text: &str) -> (u32, u32) {
    let (above, below) = match text.strip_prefix('-') {
        Some(rest) => rest.split_once('+').map_or((rest, "0"), |(above, below)| (above, below)),
        None => ("0", text.strip_prefix('+').unwrap_or("0")),
    };
    let number = |digits: &str| {
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| digits.parse().unwrap_or(u32::MAX))
    };
    match (number(above), number(below)) {
        (Some(above), Some(below)) => (above.min(100), below.min(100)),
        _ => (0, 0),
    }
}

/// A piece of raw HTML.
pub(super) enum HtmlPiece<'h> {
    /// A tag, a comment, a declaration or an instruction.
    Tag(&'h str),
    /// The text between tags.
    Text(&'h str),
}

/// Splits raw HTML. An unclosed tag extends to the end of the text.
pub(super) fn html_pieces<'h>(html: &'h str, mut each: impl FnMut(HtmlPiece<'h>)) {
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let tag = &rest[at..];
        let begins = tag[1..].starts_with(|next: char| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?'));
        if !begins {
            let (text, behind) = rest.split_at(at + 1);
            each(HtmlPiece::Text(text));
            rest = behind;
            continue;
        }
        if at > 0 {
            each(HtmlPiece::Text(&rest[..at]));
        }
        let end = if tag.starts_with("<!--") { tag.find("-->").map(|end| end + 3) } else { tag_end(tag) };
        let (tag, behind) = tag.split_at(end.unwrap_or(tag.len()));
        each(HtmlPiece::Tag(tag));
        rest = behind;
    }
    if !rest.is_empty() {
        each(HtmlPiece::Text(rest));
    }
}

/// Returns the length of a tag. A `>` in quotes does not end it.
fn tag_end(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), byte) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return Some(at + 1),
            (None, _) => {}
        }
    }
    None
}
