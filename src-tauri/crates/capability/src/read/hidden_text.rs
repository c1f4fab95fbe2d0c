//! Finds text that hides code. A string without its end contains the rest of the file, so the code behind it is not read.
//!
//! In: a text and its syntax tree. Out: a text of the same length that the grammar reads completely, or that there is none.

use diffsan_syntax::language::Language;
use tree_sitter::{Node, Tree};

/// The maximum number of heredocs that are left out of a file. Each takes a parse.
const MAX_NESTED: usize = 64;
/// Words in the kinds of nodes whose content is text.
const TEXTS: &[&str] = &["comment", "heredoc", "string", "template"];

/// The tree of a text in which no heredoc is inside of another one.
pub(super) struct Flat {
    /// The text, in which blanks and an empty string stand for each nested heredoc. Every other byte is at its place.
    pub(super) text: String,
    pub(super) tree: Tree,
    /// Whether code inside of a nested heredoc was left out.
    pub(super) lacks_code: bool,
}

/// Returns the tree of Ruby without the heredocs that are in the code inside of another heredoc. The grammar expects their text after the end
/// of the outer one, so they would take the code there. Returns `None` if there are none.
pub(super) fn flat(language: Language, text: &str, tree: &Tree) -> Option<Flat> {
    if language != Language::Ruby || !text.contains("<<") || !text.contains("#{") {
        return None;
    }
    let mut flat: Option<Flat> = None;
    for _ in 0..MAX_NESTED {
        let (text, tree) = flat.as_ref().map_or((text, tree), |flat| (&flat.text, &flat.tree));
        let Some(nested) = nodes(tree.root_node()).find(|node| is_nested(*node)) else { break };
        let Some((text, has_code)) = without(text, nested) else { break };
        let tree = language.parse(&text)?;
        let lacks_code = has_code || flat.is_some_and(|flat| flat.lacks_code);
        flat = Some(Flat { text, tree, lacks_code });
    }
    flat
}

/// Returns whether the beginning of a heredoc is in the code inside of another heredoc.
fn is_nested(node: Node<'_>) -> bool {
    let around = || std::iter::successors(node.parent(), |node| node.parent());
    node.kind() == "heredoc_beginning"
        && around().skip_while(|node| node.kind() != "interpolation").any(|node| node.kind() == "heredoc_body")
}

/// Returns a text without a heredoc, and whether there was code in it. Returns `None` if the heredoc has no end.
fn without(text: &str, beginning: Node<'_>) -> Option<(String, bool)> {
    let mark = text.get(beginning.byte_range())?;
    let name = mark.trim_start_matches("<<").trim_start_matches(['~', '-']);
    let is_indented = mark.len() > name.len() + 2;
    let tag = name.trim_matches(['"', '\'', '`']);
    let start = beginning.end_byte() + text.get(beginning.end_byte()..)?.find('\n')? + 1;
    let mut end = start;
    let is_end = |line: &str| {
        let line = line.trim_end_matches(['\n', '\r']);
        tag == if is_indented { line.trim() } else { line }
    };
    for line in text.get(start..)?.split_inclusive('\n') {
        end += line.len();
        if is_end(line) {
            let inside = text.get(start..end)?;
            let blank: String = inside.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect();
            // A heredoc of a command still runs it.
            let quote = if name.starts_with('`') { "``" } else { "\"\"" };
            let (before, after) = (text.get(..beginning.start_byte())?, text.get(beginning.end_byte()..start)?);
            let flat = format!("{before}{quote:width$}{after}{blank}{}", text.get(end..)?, width = mark.len());
            return Some((flat, inside.contains("#{") && !name.starts_with('\'')));
        }
    }
    None
}

/// Returns whether a text over several lines has no end, or the parser skipped lines: the code in them is not read.
pub(super) fn hides_code(language: Language, text: &str, tree: &Tree) -> bool {
    let root = tree.root_node();
    // The grammar of Ruby ends each heredoc at the end of the file, without an error.
    if !root.has_error() && language != Language::Ruby {
        return false;
    }
    nodes(root).any(|node| is_without_end(node) || node.is_error() && has_hidden_lines(text, node))
}

/// Returns whether a node is the missing end of a text that has several lines.
fn is_without_end(node: Node<'_>) -> bool {
    let is_missing = node.is_missing() || node.kind() == "heredoc_end" && node.byte_range().is_empty();
    let text = node.parent().filter(|parent| is_missing && is_text(*parent));
    text.is_some_and(|text| text.end_position().row > text.start_position().row)
}

fn is_text(node: Node<'_>) -> bool {
    TEXTS.iter().any(|kind| node.kind().contains(kind))
}

/// Returns whether an error has lines without any token except for the content of a text that it begins.
fn has_hidden_lines(text: &str, error: Node<'_>) -> bool {
    let (first, last) = (error.start_position().row, error.end_position().row);
    let mut has_token = vec![false; last - first + 1];
    let is_content = |node: Node<'_>| is_text(node) && node.parent().is_some_and(|parent| parent.is_error());
    let tokens = nodes(error).filter(|node| node.id() != error.id() && node.child_count() == 0 && !is_content(*node));
    for node in tokens {
        for row in node.start_position().row..=node.end_position().row {
            has_token.get_mut(row - first).into_iter().for_each(|has| *has = true);
        }
    }
    let mut lines = text.lines().skip(first).zip(has_token);
    last > first && lines.any(|(line, has_token)| !has_token && !line.trim().is_empty())
}

/// Returns a node and all nodes below it, in the order of the text. Does not recurse, because a tree can be as deep as its file is long.
fn nodes<'t>(root: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    let mut cursor = root.walk();
    let mut next = Some(root);
    std::iter::from_fn(move || {
        let node = next?;
        next = if cursor.goto_first_child() {
            Some(cursor.node())
        } else {
            loop {
                if cursor.goto_next_sibling() {
                    break Some(cursor.node());
                }
                if !cursor.goto_parent() {
                    break None;
                }
            }
        };
        Some(node)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{Facts, facts};
    use super::*;

    fn read(language: Language, text: &str) -> (Facts, Vec<(String, u32)>) {
        let facts = facts(language, &Arc::from(text));
        let uses = facts.uses.iter().map(|one| (one.chain.text(), one.line)).collect();
        (facts, uses)
    }

    #[test]
    fn code_behind_a_heredoc_inside_of_a_heredoc_is_read() {
        let text = "D = <<~MD\n  text\n  #{\n    f(1, <<~XX, <<-'Y')\n      inner\n    XX\n      more #{x}\n    Y\n  }\nMD\n\
                    def go\n  system('ls')\nend\n";
        let (facts, uses) = read(Language::Ruby, text);
        assert!(uses.contains(&("f".to_owned(), 4)) && uses.contains(&("system".to_owned(), 12)), "{uses:?}");
        assert_eq!((facts.hides_code, facts.line(5).as_str()), (false, "inner"));
        let names: Vec<&str> = facts.units.iter().map(|unit| unit.name.as_str()).collect();
        assert_eq!(names, ["", "go"]);
    }

    #[test]
    fn a_text_without_its_end_hides_the_code_behind_it() {
        let nested = "D = <<~MD\n#{f(<<~X)}\n#{system('ls')}\nX\nMD\ndef go\nend\n";
        let cases = [
            (Language::Ruby, nested, true),
            (Language::Ruby, "a = <<~MD\n text\n MD\nsystem('ls')\n", false),
            (Language::Ruby, "a = <<~MD\n text\nsystem('ls')\nsystem('ps')\n", true),
            (Language::Python, "a = \"\"\"text\"\"\"\nimport os\n", false),
            (Language::Python, "a = \"\"\"text\nimport os\nos.system(\"ls\")\n", true),
            (Language::Go, "package a\nvar x = `one\nb()\n", true),
            (Language::Php, "<?php $a = <<<X\none\ncall();\n", true),
            (Language::Rust, "fn x() {}\n/* a\nfn b() {}\n", true),
            (Language::JavaScript, "const a = b(;\nfetch('/')\n", false),
        ];
        for (language, text, hides_code) in cases {
            assert_eq!(read(language, text).0.hides_code, hides_code, "{text}");
        }
    }
}
