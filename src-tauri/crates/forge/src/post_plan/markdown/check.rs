//! Proves that a finished note is inert, except for the parts that diffsan itself wrote.
//!
//! The note is read with GitLab's parser. All nodes must be of kinds that are only displayed. The text, with decoded entities,
//! must contain no reference. The HTML must be diffsan's own collapsible sections, the comments must be diffsan's own markers at
//! the end, and the suggestions must be the planned ones. A second pass over the lines covers versions of GitLab that find quick
//! actions with regular expressions.

use std::sync::LazyLock;

use comrak::nodes::{Node, NodeValue};
use comrak::{Arena, parse_document};
use regex::Regex;

use super::read::{decoded, is_active_language, is_command, is_quote_fence, options, plain};
use super::reference::{has_reference, is_linkable};

/// A finished note, with the active parts that diffsan wrote.
pub struct Note<'a> {
    /// The whole text.
    pub text: &'a str,
    /// The markers at the end of the text.
    pub markers: &'a str,
    /// The suggestions, as Markdown blocks.
    pub suggestions: &'a [&'a str],
}

impl<'a> Note<'a> {
    /// Creates a note without active parts.
    pub fn text(text: &'a str) -> Self {
        Self { text, markers: "", suggestions: &[] }
    }
}

/// The inline tags that diffsan writes.
const INLINE_TAGS: &[&str] = &["<sub>", "</sub>"];

/// An HTML block that diffsan writes: the start or end of a collapsible section.
static FOLD: LazyLock<Regex> = LazyLock::new(|| {
    #[allow(clippy::expect_used, reason = "a constant pattern")]
    Regex::new(r"^(?:(?P<open><details><summary>(?P<text>(?:[^<>]|</?strong>|</?code>)*)</summary>)|</details>)$")
        .expect("a constant pattern")
});

/// Checks a finished note. The error describes the active part.
pub fn check(note: &Note<'_>) -> Result<(), String> {
    if plain(note.text) != note.text {
        return Err("a control character".to_owned());
    }
    if let Some(line) = note.text.lines().find(|line| is_command(line)) {
        return Err(format!("a line begins with a quick action: {line}"));
    }
    // Older versions rewrite the text between such lines, also in code.
    if note.text.lines().any(is_quote_fence) {
        return Err("a line begins a multi-line quote".to_owned());
    }
    let body = note.text.strip_suffix(note.markers).ok_or("the markers are not at the end")?;
    if !note.markers.is_empty() && !body.is_empty() && !body.ends_with("\n\n") {
        return Err("the markers share a line with other text".to_owned());
    }
    if super::write::unmarked(body.to_owned()) != body {
        return Err("a marker that diffsan did not write".to_owned());
    }
    let arena = Arena::new();
    let root = parse_document(&arena, note.text, &options());
    let mut found = Found::default();
    for node in root.descendants() {
        look(node, &mut found)?;
    }
    if found.comments != note.markers.lines().collect::<Vec<_>>() {
        return Err("a marker that diffsan did not write".to_owned());
    }
    if found.depth != 0 {
        return Err("a fold is not closed".to_owned());
    }
    if found.suggestions != note.suggestions.iter().map(|one| read_suggestion(one)).collect::<Vec<_>>() {
        return Err("a suggestion that diffsan did not write".to_owned());
    }
    Ok(())
}

#[derive(Default)]
struct Found {
    comments: Vec<String>,
    /// Info strings and contents.
    suggestions: Vec<(String, String)>,
    /// The number of open collapsible sections.
    depth: usize,
}

fn look<'a>(node: Node<'a>, found: &mut Found) -> Result<(), String> {
    match &node.data().value {
        NodeValue::Document
        | NodeValue::Paragraph
        | NodeValue::Heading(_)
        | NodeValue::ThematicBreak
        | NodeValue::BlockQuote
        | NodeValue::List(_)
        | NodeValue::Item(_)
        | NodeValue::Table(_)
        | NodeValue::TableRow(_)
        | NodeValue::TableCell
        | NodeValue::SoftBreak
        | NodeValue::LineBreak
        | NodeValue::Code(_)
        | NodeValue::Emph
        | NodeValue::Strong
        | NodeValue::Strikethrough => Ok(()),
        NodeValue::Text(_) => text(node),
        NodeValue::HtmlInline(tag) if INLINE_TAGS.contains(&tag.as_str()) => Ok(()),
        NodeValue::HtmlBlock(html) => {
            for line in html.literal.lines() {
                html_line(line, found)?;
            }
            Ok(())
        }
        NodeValue::CodeBlock(block) => {
            if block.info.to_lowercase().starts_with("suggestion") {
                found.suggestions.push((block.info.clone(), block.literal.clone()));
            } else if !block.fenced
                || !block.closed
                || is_active_language(&block.info)
                || block.info.contains([' ', '{'])
            {
                return Err(format!("an active code block: {}", block.info));
            }
            Ok(())
        }
        NodeValue::Link(link) if is_linkable(&link.url) && link.title.is_empty() => Ok(()),
        NodeValue::Link(link) => Err(format!("a link to {}", link.url)),
        other => Err(format!("{}, which GitLab does more than display", other.xml_node_name())),
    }
}

/// Checks the text that starts with a node. Adjacent text nodes are one text in the page. The text of a link that equals its
/// address is not checked for references.
fn text<'a>(node: Node<'a>) -> Result<(), String> {
    let is_text = |node: Node<'a>| matches!(node.data().value, NodeValue::Text(_));
    if node.previous_sibling().is_some_and(is_text) {
        return Ok(());
    }
    if let Some(parent) = node.parent()
        && let NodeValue::Link(link) = &parent.data().value
        && let NodeValue::Text(own) = &node.data().value
        && *own == link.url
    {
        return Ok(());
    }
    let mut all = String::new();
    let mut next = Some(node);
    while let Some(one) = next {
        let NodeValue::Text(part) = &one.data().value else { break };
        all.push_str(part);
        next = one.next_sibling();
    }
    if has_reference(&all) { Err(format!("a reference: {all}")) } else { Ok(()) }
}

fn html_line(line: &str, found: &mut Found) -> Result<(), String> {
    if line.is_empty() {
        return Ok(());
    }
    if line.starts_with("<!-- diffsan:") && line.ends_with(" -->") && line.matches("--").count() == 2 {
        found.comments.push(line.to_owned());
        return Ok(());
    }
    let captures = FOLD.captures(line).ok_or_else(|| format!("HTML: {line}"))?;
    if captures.name("open").is_some() {
        found.depth += 1;
    } else {
        found.depth = found.depth.checked_sub(1).ok_or("a fold is closed but was not opened")?;
    }
    let text = captures.name("text").map_or("", |text| text.as_str());
    let text =
        ["<strong>", "</strong>", "<code>", "</code>"].iter().fold(text.to_owned(), |text, tag| text.replace(tag, ""));
    if has_reference(&decoded(&text)) { Err(format!("a reference: {text}")) } else { Ok(()) }
}

/// Returns the info string and the content of a suggestion that diffsan wrote.
fn read_suggestion(block: &str) -> (String, String) {
    let (info, rest) = block.split_once('\n').unwrap_or((block, ""));
    let content = rest.rsplit_once('\n').map_or(String::new(), |(content, _)| format!("{content}\n"));
    (info.trim_start_matches('`').to_owned(), content)
}
