//! The names that code writes with their namespace, which need no import: `\Acme\View\Page` of PHP, and `crate::view::Page` of Rust.
//!
//! In: a syntax tree. Out: the names outside of imports, each with its line. Texts and comments name nothing.

use tree_sitter::Node;

use super::line_of;
use crate::facts::{Facts, WrittenName};
use diffsan_syntax::language::Language;

/// Returns the names that a file writes with their namespace. `facts` has its imports.
pub(super) fn written_names(language: Language, root: Node<'_>, text: &str, facts: &Facts) -> Vec<WrittenName> {
    let (names, skipped): (&[&str], &[&str]) = match language {
        Language::Php => (&["qualified_name"], &["namespace_use_declaration"]),
        Language::Rust => (&["scoped_identifier", "scoped_type_identifier"], &["use_declaration"]),
        _ => return Vec::new(),
    };
    let text_of = |node: Node<'_>| text.get(node.byte_range()).unwrap_or_default();
    let mut found: Vec<WrittenName> = Vec::new();
    let mut add = |name: String, node: Node<'_>| {
        let one = WrittenName { name, line: line_of(node.start_position().row) };
        if found.last() != Some(&one) {
            found.push(one);
        }
    };
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        let mut is_whole = skipped.contains(&node.kind());
        if names.contains(&node.kind())
            && let Some(name) = whole_name(language, text_of(node), facts)
        {
            add(name, node);
            is_whole = true;
        }
        if node.kind() == "token_tree" {
            names_of_tokens(node, &text_of).into_iter().for_each(|name| add(name, node));
        }
        if !is_whole && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
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
