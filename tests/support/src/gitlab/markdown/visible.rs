//! The visible side of a note: its text without markup, and the number of blocks of each kind.

use comrak::arena_tree::NodeEdge;
use comrak::nodes::{AstNode, NodeValue};
use comrak::{Arena, parse_document};

use super::document::{Source, options};
use super::tree::{HtmlPiece, html_pieces};

/// The visible side of a note.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Visible {
    /// All text with entities decoded, with one line for each line of a paragraph, cell or code block. Zero-width characters are
    /// preserved.
    pub text: String,
    /// The code blocks.
    pub code_blocks: Vec<VisibleCode>,
    /// The texts of code spans.
    pub code_spans: Vec<String>,
    /// The address and the text of each link.
    pub links: Vec<(String, String)>,
    /// The number of list items, including task items.
    pub list_items: usize,
    /// The number of table rows, including headers.
    pub table_rows: usize,
    /// The number of headings.
    pub headings: usize,
    /// The number of quotes.
    pub quotes: usize,
    /// The number of emphasized texts, of either strength.
    pub emphases: usize,
    /// The number of thematic breaks.
    pub rules: usize,
}

/// A code block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VisibleCode {
    /// The info string.
    pub info: String,
    /// The text, with the last line end.
    pub text: String,
}

impl Visible {
    /// Returns the text without zero-width characters, so that words that contain one are found.
    pub fn plain(&self) -> String {
        self.text
            .chars()
            .filter(|character| !matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}'))
            .collect()
    }
}

/// Returns the visible side of a note.
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
