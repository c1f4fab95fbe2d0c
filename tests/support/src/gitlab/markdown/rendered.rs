//! Reads a note as the rendered page, so that raw HTML opens and closes elements as in a browser.

use comrak::format_html;
use comrak::nodes::AstNode;
use dom_query::{Document, NodeRef};

use super::document::{Source, is_reference_character, options};
use super::effects::NoteEffects;
use super::quick_actions;
use super::references::{scan, scan_address};
use super::tree;

/// Elements in whose text GitLab does not search for references.
const PASSED: &[&str] = &["a", "code", "pre", "script", "style", "template", "head", "title"];
/// Elements that load a resource.
const EMBEDDED: &[&str] = &[
    "img", "video", "audio", "source", "track", "iframe", "embed", "object", "image", "picture", "svg", "input", "link",
];

/// Returns the effects of a note in this reading.
pub(super) fn read<'a>(root: &'a AstNode<'a>, source: &Source, base: &str) -> NoteEffects {
    let mut html = String::with_capacity(source.markdown.len() * 2);
    let mut found = NoteEffects::default();
    if format_html(root, &options(), &mut html).is_err() {
        return found;
    }
    let document = Document::fragment(html);
    let mut piece = String::new();
    // The nodes in the order of the page. While `passed` is not 0, text is skipped.
    let mut waiting: Vec<Step<'_>> = vec![Step::Enter(document.html_root())];
    let mut passed = 0usize;
    while let Some(step) = waiting.pop() {
        match step {
            Step::Enter(node) if node.is_text() => {
                if passed == 0 {
                    piece.push_str(&node.text());
                }
            }
            Step::Enter(node) if !node.is_element() => {}
            Step::Enter(node) => {
                let transparent = is_plain_escape(&node);
                if !transparent {
                    finish(&mut piece, base, &mut found);
                    element(&node, base, &mut found);
                }
                let name = node.node_name().unwrap_or_default();
                let hides = PASSED.contains(&&*name) || node.has_attr("data-math-style");
                passed += usize::from(hides);
                waiting.push(Step::Leave { hides, transparent });
                let children: Vec<_> = node.children_it(true).collect();
                waiting.extend(children.into_iter().map(Step::Enter));
            }
            Step::Leave { hides, transparent } => {
                passed -= usize::from(hides);
                if !transparent {
                    finish(&mut piece, base, &mut found);
                }
            }
        }
    }
    finish(&mut piece, base, &mut found);
    let mut paragraphs: Vec<_> = document.html_root().children_it(false).filter_map(|node| lines_of(&node)).collect();
    paragraphs.sort_by_key(|lines| *lines.start());
    found.executed = quick_actions::read_paragraphs(&source.text, &paragraphs);
    found
}

enum Step<'a> {
    Enter(NodeRef<'a>),
    Leave { hides: bool, transparent: bool },
}

fn finish(piece: &mut String, base: &str, found: &mut NoteEffects) {
    if !piece.is_empty() {
        scan(piece, base, found);
        tree::lines(piece, found);
        piece.clear();
    }
}

fn element(node: &NodeRef<'_>, base: &str, found: &mut NoteEffects) {
    let name = node.node_name().unwrap_or_default();
    if EMBEDDED.contains(&&*name) && !(&*name == "input" && node.attr_or("type", "").eq_ignore_ascii_case("checkbox")) {
        let address = ["src", "data", "href", "xlink:href", "srcset"].iter().find_map(|name| node.attr(name));
        found.images.push(address.unwrap_or_else(|| name.clone()).to_string());
    }
    match &*name {
        "a" => {
            if let Some(address) = node.attr("href") {
                scan_address(&address, base, found);
            }
        }
        // A code block that is written as HTML can have a language too.
        "pre" => {
            let language = node.attr("lang").or_else(|| node.first_element_child()?.attr("lang"));
            if let Some(language) = language {
                tree::code_block(&language, &node.text(), found);
            }
        }
        _ => {}
    }
}

/// Returns whether an escaped character is not one of references. GitLab does not render it as an element.
fn is_plain_escape(node: &NodeRef<'_>) -> bool {
    node.has_attr("data-escaped-char") && !is_reference_character(&node.text())
}

/// Returns the source lines of an outermost paragraph.
fn lines_of(node: &NodeRef<'_>) -> Option<std::ops::RangeInclusive<usize>> {
    if node.node_name().as_deref() != Some("p") || !node.text().lines().any(|line| line.starts_with('/')) {
        return None;
    }
    let position = node.attr("data-sourcepos")?;
    let (start, end) = position.split_once('-')?;
    let line = |text: &str| text.split(':').next()?.trim().parse::<usize>().ok();
    Some(line(start)?..=line(end)?)
}
