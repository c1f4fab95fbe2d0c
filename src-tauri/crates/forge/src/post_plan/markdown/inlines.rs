//! Reads the inline elements of Markdown: text, code spans, emphasis and links.

use comrak::nodes::{Node, NodeValue};

use super::document::Inline;
use super::read::{MAX_DEPTH, one_line};
use super::reference::{is_linkable, references};

/// Returns the inline elements of a node, with adjacent text joined.
pub(super) fn inlines<'a>(node: Node<'a>) -> Vec<Inline> {
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
pub(super) fn text_of<'a>(node: Node<'a>) -> String {
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
pub(super) fn spaced(inlines: Vec<Inline>) -> Vec<Inline> {
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
