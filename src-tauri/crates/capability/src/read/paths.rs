//! The names that code writes with their namespace, which need no import: `\Acme\View\Page` of PHP, and `crate::view::Page` of Rust.
//!
//! In: a syntax tree. Out: the names outside of imports, each with its line. Texts and comments name nothing.

use tree_sitter::Node;

use super::line_of;
use crate::facts::{Facts, WrittenName};
use diffsan_syntax::language::Language;

/// The kinds of nodes that are names with a namespace, and those whose inside is something else.
fn kinds(language: Language) -> (&'static [&'static str], &'static [&'static str]) {
    match language {
        Language::Php => (&["qualified_name"], &["namespace_use_declaration"]),
        Language::Rust => (&["scoped_identifier", "scoped_type_identifier", TOKENS], &["use_declaration"]),
        _ => (&[], &[]),
    }
}

/// The kind of the tokens of a macro of Rust.
const TOKENS: &str = "token_tree";

/// Returns the kinds of the nodes that [`written_names`] reads.
pub(super) fn kinds_of_names(language: Language) -> impl Iterator<Item = &'static str> {
    let (names, skipped) = kinds(language);
    names.iter().chain(skipped).copied()
}

/// Returns the names that a file writes with their namespace. `nodes` are those of the kinds of names, in order. `facts` has the file's imports.
pub(super) fn written_names(language: Language, nodes: &[Node<'_>], text: &str, facts: &Facts) -> Vec<WrittenName> {
    let text_of = |node: Node<'_>| text.get(node.byte_range()).unwrap_or_default();
    let mut found: Vec<WrittenName> = Vec::new();
    let mut add = |name: String, node: Node<'_>| {
        let one = WrittenName { name: name.into(), line: line_of(node.start_position().row) };
        if found.last() != Some(&one) {
            found.push(one);
        }
    };
    let (_, skipped) = kinds(language);
    // The end of the last node whose inside is not read.
    let mut end = 0;
    for &node in nodes {
        if node.start_byte() < end {
            continue;
        }
        if skipped.contains(&node.kind()) {
            end = node.end_byte();
        } else if node.kind() == TOKENS {
            names_of_tokens(node, &text_of).into_iter().for_each(|name| add(name, node));
        } else if let Some(name) = whole_name(language, text_of(node), facts) {
            add(name, node);
            end = node.end_byte();
        }
    }
    found
}

/// Returns a name that needs no import. An imported first part is read as an import, and a type has no path of its own.
fn whole_name(language: Language, text: &str, facts: &Facts) -> Option<String> {
    let is_part = |char: char| char.is_alphanumeric() || char == '_';
    let separator = if language == Language::Php { "\\" } else { "::" };
    let first = text.split(separator).next()?;
    if !text.split(separator).all(|part| part.chars().all(is_part)) {
        return None;
    }
    let is_imported = facts.imports.iter().any(|import| import.local == first);
    match language {
        Language::Php if first.is_empty() => Some(text[1..].to_owned()).filter(|name| name.contains('\\')),
        Language::Php if is_imported => None,
        Language::Php => Some(format!("{}\\{text}", facts.package.replace('.', "\\"))),
        _ => (first.starts_with(char::is_lowercase) && !is_imported).then(|| text.to_owned()),
    }
}

/// Returns the names in the tokens of a macro, which have no syntax tree, as far as they begin with a keyword of paths or the standard library.
fn names_of_tokens<'t>(tree: Node<'_>, text_of: &dyn Fn(Node<'_>) -> &'t str) -> Vec<String> {
    const ROOTS: &[&str] = &["crate", "self", "super", "std", "core", "alloc"];
    let mut cursor = tree.walk();
    let texts: Vec<&str> = tree.children(&mut cursor).map(text_of).collect();
    let mut found = Vec::new();
    for start in (0..texts.len()).filter(|at| ROOTS.contains(&texts[*at]) && (*at == 0 || texts[*at - 1] != "::")) {
        let mut name = texts[start].to_owned();
        for pair in texts[start + 1..].chunks_exact(2).take_while(|pair| pair[0] == "::") {
            name.push_str("::");
            name.push_str(pair[1]);
        }
        found.extend(Some(name).filter(|name| name.contains("::")));
    }
    found
}
