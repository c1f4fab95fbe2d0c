//! What a reader sees of a note: its text without marks, and how many blocks of which kind it has.

use comrak::arena_tree::NodeEdge;
use comrak::nodes::{AstNode, NodeValue};
use comrak::{Arena, parse_document};

use super::document::{Source, options};
use super::tree::{HtmlPiece, html_pieces};

/// The visible side of a note.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Visible {
    /// All text, entities decoded, one line for each line of a paragraph, cell or code block. Characters without width are as
    /// they were written.
    pub text: String,
    /// Blocks of code.
    pub code_blocks: Vec<VisibleCode>,
    /// Spans of code.
    pub code_spans: Vec<String>,
    /// Links: the address and the text.
    pub links: Vec<(String, String)>,
    /// Items of lists, also of task lists.
    pub list_items: usize,
    /// Rows of tables, with their headers.
    pub table_rows: usize,
    /// Headings.
    pub headings: usize,
    /// Quotes.
    pub quotes: usize,
    /// Stressed words, of either strength.
    pub emphases: usize,
    /// Lines between sections.
    pub rules: usize,
}

/// A block of code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VisibleCode {
    /// The text behind its fence.
    pub info: String,
    /// Its text, with the last line end.
    pub text: String,
}

impl Visible {
    /// The text without characters that have no width, so that words that were parted by one are found.
    pub fn plain(&self) -> String {
        self.text
            .chars()
            .filter(|character| !matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}'))
            .collect()
    }
}

/// Returns what a reader sees of a note.
pub fn visible(body: &str) -> Visible {
    let source = Source::new(body);
    let arena = Arena::new();
    let root = parse_document(&arena, &source.markdown, &options());
    let mut seen = Visible::default();
    let mut links: Vec<(String, usize)> = Vec::new();
    for edge in root.traverse() {
        match edge {
            NodeEdge::Start(node) => start(node, &mut seen, &mut links),
            NodeEdge::End(node) => end(node, &mut seen, &mut links),
        }
    }
    seen
}

fn start<'a>(node: &'a AstNode<'a>, seen: &mut Visible, links: &mut Vec<(String, usize)>) {
    match &node.data().value {
        NodeValue::Text(text) => seen.text.push_str(text),
        NodeValue::SoftBreak | NodeValue::LineBreak => seen.text.push('\n'),
        NodeValue::Code(code) => {
            seen.text.push_str(&code.literal);
            seen.code_spans.push(code.literal.clone());
        }
        NodeValue::Math(math) => seen.text.push_str(&math.literal),
        NodeValue::CodeBlock(block) => {
            seen.text.push_str(&block.literal);
            seen.code_blocks.push(VisibleCode { info: block.info.clone(), text: block.literal.clone() });
        }
        NodeValue::HtmlInline(html) => html_text(html, seen),
        NodeValue::HtmlBlock(block) => html_text(&block.literal, seen),
        NodeValue::Link(link) => links.push((link.url.clone(), seen.text.len())),
        NodeValue::WikiLink(link) => links.push((link.url.clone(), seen.text.len())),
        NodeValue::Item(_) | NodeValue::TaskItem(_) => seen.list_items += 1,
        NodeValue::TableRow(_) => seen.table_rows += 1,
        NodeValue::Heading(_) => seen.headings += 1,
        NodeValue::BlockQuote | NodeValue::MultilineBlockQuote(_) | NodeValue::Alert(_) => seen.quotes += 1,
        NodeValue::Emph | NodeValue::Strong => seen.emphases += 1,
        NodeValue::ThematicBreak => seen.rules += 1,
        _ => {}
    }
}

fn end<'a>(node: &'a AstNode<'a>, seen: &mut Visible, links: &mut Vec<(String, usize)>) {
    let value = &node.data().value;
    match value {
        NodeValue::Link(_) | NodeValue::WikiLink(_) => {
            if let Some((address, start)) = links.pop() {
                seen.links.push((address, seen.text[start..].to_owned()));
            }
        }
        NodeValue::Paragraph | NodeValue::Heading(_) | NodeValue::TableCell | NodeValue::DescriptionTerm => {
            seen.text.push('\n');
        }
        _ => {}
    }
}

fn html_text(html: &str, seen: &mut Visible) {
    html_pieces(html, |piece| {
        if let HtmlPiece::Text(text) = piece {
            seen.text.push_str(text);
        }
    });
}
