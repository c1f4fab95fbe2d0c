//! Finds the import statements of a file and writes each in a normal form.
//!
//! In: a language and a text. Out: the statements at the top level, for languages in which it is known whether their order has a meaning.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use crate::language::Language;

/// An import statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The bytes of the text, with attributes before it.
    pub range: Range<usize>,
    /// The tokens, with the names of a list sorted. Equal forms import the same.
    pub normal: String,
}

/// Returns whether the order of imports has no meaning: importing runs nothing, or in an order that does not depend on the text.
pub fn order_is_free(language: Language) -> bool {
    matches!(language, Language::Rust | Language::Java | Language::Go | Language::Php)
}

pub(crate) fn of_tree(language: Language, text: &str, tree: &Tree) -> Vec<Import> {
    let root = tree.root_node();
    let mut found = Vec::new();
    let mut attributes: Option<Range<usize>> = None;
    let mut cursor = root.walk();
    for node in root.children(&mut cursor) {
        match (language, node.kind()) {
            (Language::Rust, "attribute_item") => {
                attributes.get_or_insert(node.byte_range()).end = node.end_byte();
                continue;
            }
            (Language::Rust, "use_declaration")
            | (Language::Java, "import_declaration")
            | (Language::Php, "namespace_use_declaration")
            | (Language::JavaScript | Language::TypeScript | Language::Tsx, "import_statement") => {
                let range = attributes.take().map_or(node.start_byte(), |attributes| attributes.start)..node.end_byte();
                let before = text[range.start..node.start_byte()].split_whitespace().collect::<String>();
                found.push(Import { range, normal: before + &normal(node, text) });
            }
            (Language::Go, "import_declaration") => specs(node, text, &mut found),
            _ => {}
        }
        attributes = None;
    }
    // The comment before this import is code of C.
    if found.iter().any(|one| language == Language::Go && one.normal == "\"C\"") || root.has_error() {
        found.clear();
    }
    found
}

fn specs(node: Node<'_>, text: &str, found: &mut Vec<Import>) {
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        match child.kind() {
            "import_spec" => found.push(Import { range: child.byte_range(), normal: normal(child, text) }),
            "import_spec_list" => specs(child, text, found),
            _ => {}
        }
    }
}

fn normal(node: Node<'_>, text: &str) -> String {
    if node.child_count() == 0 || node.kind().contains("string") {
        return text[node.byte_range()].to_owned();
    }
    let mut cursor = node.walk();
    let children = node.children(&mut cursor).filter(|child| !child.kind().contains("comment"));
    if matches!(node.kind(), "use_list" | "named_imports" | "namespace_use_group") {
        let mut parts: Vec<String> = children.filter(Node::is_named).map(|child| normal(child, text)).collect();
        parts.sort();
        return format!("{{{}}}", parts.join(","));
    }
    children.map(|child| normal(child, text)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::SyntaxTree;

    fn forms(language: Language, text: &str) -> Vec<String> {
        let tree = SyntaxTree::parse(language, text).expect("a grammar");
        tree.imports().into_iter().map(|one| one.normal).collect()
    }

    #[test]
    fn statements_are_found_with_their_attributes_and_sorted_names() {
        let one = forms(Language::Rust, "use a::{c, b};\n#[cfg(test)]\nuse d;\nmod e { use f; }\n");
        let other = forms(Language::Rust, "use a::{b, c,};\n#[cfg(test)] use d;\n");
        assert_eq!((one.len(), &one), (2, &other));
        assert_ne!(other, forms(Language::Rust, "use a::{b, c,};\nuse d;\n"));
        assert_eq!(
            forms(Language::Go, "package a\nimport (\n\t\"b\"\n\tc \"d\"\n)\nimport _ \"e\"\n"),
            ["\"b\"", "c \"d\"", "_ \"e\""]
        );
        assert_eq!(forms(Language::Go, "package a\n// int x;\nimport \"C\"\n").len(), 0);
        assert_eq!(
            forms(Language::JavaScript, "import {b, a} from 'c';\n"),
            forms(Language::JavaScript, "import {a, b} from 'c'\n;")
        );
        assert_eq!(forms(Language::Python, "import a\n").len(), 0);
    }
}
