//! Reads code: converts a text into facts with tree-sitter. Each language has one file; `walk` is the walk that they share, and `paths` finds
//! names that need no import.
//!
//! The languages' files read the flow of values: chains of calls, bindings of names, returned values. The imports of a statement and the
//! parents of a type come from `diffsan_syntax::symbols`.

mod global_state;
mod go;
mod hidden_text;
mod java;
mod paths;
mod php;
mod python;
mod ruby;
mod rust;
mod script;
mod walk;

use std::collections::HashSet;
use std::sync::Arc;

use self::walk::{Survey, Visit, Walk, survey};
use super::facts::{Chain, Facts, Unit, UnitKind, Use, UseKind};
use diffsan_syntax::embedded::Format;
use diffsan_syntax::language::Language;

/// Returns the language of a path if this reader knows it. For a component or a template, the language of the code in it.
pub fn language_of(path: &str) -> Option<Language> {
    let embedded = || Format::of(path).map(Format::language);
    Language::of(path).or_else(embedded).filter(|language| visitor(*language).is_some())
}

fn visitor(language: Language) -> Option<Visit> {
    Some(match language {
        Language::Python => python::visit,
        Language::TypeScript | Language::Tsx | Language::JavaScript => script::visit,
        Language::Go => go::visit,
        Language::Rust => rust::visit,
        Language::Java => java::visit,
        Language::Ruby => ruby::visit,
        Language::Php => php::visit,
        Language::C | Language::Cpp | Language::CSharp | Language::Kotlin | Language::Swift => return None,
    })
}

/// Returns the kinds of nodes outside of which the variables that they declare are not visible.
fn block_kinds(language: Language) -> &'static [&'static str] {
    match language {
        Language::TypeScript | Language::Tsx | Language::JavaScript => &[
            "statement_block",
            "for_statement",
            "for_in_statement",
            "catch_clause",
            "switch_body",
            "arrow_function",
            "function_expression",
            "generator_function",
        ],
        Language::Go => &["block", "for_statement", "if_statement", "func_literal", "expression_case", "type_case"],
        Language::Java => &["block", "for_statement", "enhanced_for_statement", "lambda_expression", "catch_clause"],
        Language::Rust => &["block", "for_expression", "closure_expression", "match_arm", "if_expression"],
        Language::Python => &[
            "lambda",
            "list_comprehension",
            "set_comprehension",
            "dictionary_comprehension",
            "generator_expression",
            "except_clause",
        ],
        Language::Php => &["anonymous_function", "arrow_function"],
        _ => &[],
    }
}

/// Returns the facts about the code of a file with this path and language.
pub fn facts_of_file(path: &str, language: Language, text: &Arc<str>) -> Facts {
    let Some(format) = Format::of(path) else {
        let mut facts = facts(language, text);
        facts.other_code.extend((language == Language::Php && is_encoded(text)).then(|| text.to_string()));
        return facts;
    };
    let code = format.code(path, text);
    let mut facts = facts(code.language, &Arc::from(code.text));
    facts.other_code = code.other_code;
    facts.uses.extend(code.names.iter().map(|(name, line)| template_use(name, *line)));
    // The variables of a component belong to each of its instances.
    facts.uses.retain(|one| one.kind != UseKind::Write);
    facts.with_text(Arc::clone(text))
}

/// Returns the use of a name in an expression of a template. Its object is a value that other code gives to the template.
fn template_use(name: &str, line: u32) -> Use {
    let chain = name.split('.').fold(Chain::nameless(), Chain::then).called();
    Use { chain, kind: UseKind::Call, line, unit: 0, args: Vec::new(), given: Vec::new() }
}

/// Returns whether an encoder has made the code of a file of PHP unreadable.
fn is_encoded(text: &str) -> bool {
    ["ionCube Loader", "sg_load(", "<?php @Zend;", "SourceGuardian"].iter().any(|mark| text.contains(mark))
}

/// Returns the facts about a text of code.
pub fn facts(language: Language, text: &Arc<str>) -> Facts {
    let parsed = language.parse(&**text);
    let flat = parsed.as_ref().and_then(|tree| hidden_text::flat(language, text, tree));
    let lacks_code = flat.as_ref().is_some_and(|flat| flat.lacks_code);
    let (code, tree) = match flat {
        Some(flat) => (Some(flat.text), Some(flat.tree)),
        None => (None, parsed),
    };
    let code = code.as_deref().unwrap_or(text);
    let mut walk = Walk {
        language,
        text: code,
        facts: Facts::default(),
        unit: 0,
        class: None,
        depth: 0,
        tall: HashSet::new(),
        block_ids: HashSet::new(),
        statics: HashSet::new(),
        blocks: Vec::new(),
    };
    if let Some(tree) = tree {
        let root = tree.root_node();
        let grammar = root.language();
        let ids = |kind: &str| grammar.id_for_node_kind(kind, true);
        walk.block_ids = block_kinds(language).iter().map(|kind| ids(kind)).collect();
        let Survey { tall, wanted } = survey(root, &paths::kinds_of_names(language).map(ids).collect::<Vec<_>>());
        walk.tall = tall;
        walk.facts.partial = !walk.tall.is_empty();
        walk.facts.hides_code = lacks_code || hidden_text::hides_code(language, code, &tree);
        walk.facts.units.push(Unit::new("", UnitKind::File, (1, line_of(root.end_position().row)), 0));
        if let Some(visit) = visitor(language) {
            walk.children(root, visit);
        }
        walk.facts.written = paths::written_names(language, &wanted, code, &walk.facts);
    }
    walk.facts.shrink();
    walk.facts.with_text(Arc::clone(text))
}

/// Returns the line of a row of a syntax tree.
fn line_of(row: usize) -> u32 {
    u32::try_from(row + 1).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Export, Import};

    /// Returns the imports and the exports of a text, each as `name = module name`.
    fn names(language: Language, text: &str) -> (Vec<String>, Vec<String>) {
        let facts = facts(language, &text.into());
        let import = |one: &Import| format!("{} = {} {}", one.local, one.module, one.name.as_deref().unwrap_or("*"));
        let export = |one: &Export| {
            let source = one.source.as_ref().map_or("*".to_owned(), Chain::text);
            format!("{} = {} {source}", one.name, one.module.as_deref().unwrap_or("here"))
        };
        (facts.imports.iter().map(import).collect(), facts.exports.iter().map(export).collect())
    }

    #[test]
    fn imports_of_a_file_can_be_names_for_other_files() {
        let cases: &[(Language, &str, &[&str], &[&str])] = &[
            (Language::Python, "import a.b", &["a = a *", " = a.b *"], &["a = a *"]),
            (Language::Python, "from .a import b as c", &["c = .a b"], &["c = .a b"]),
            (Language::Python, "from a import *", &["* = a *"], &["* = a *"]),
            (Language::JavaScript, "import a from 'b'", &["a = b default"], &[]),
            (Language::JavaScript, "export { a as b } from 'c'; export * from 'd'", &[], &["b = c a", "* = d *"]),
            (Language::JavaScript, "export { a as b }; export default c", &[], &["b = here a", "default = here c"]),
            (
                Language::Rust,
                "use a::b; pub use c::{self, d};",
                &["b = a b", "c = c *", "d = c d"],
                &["c = c *", "d = c d"],
            ),
            (Language::Rust, "mod a;", &["a = self::a *"], &[]),
            (Language::Go, "package a\nimport \"b/c-go\"", &["c = b/c-go *", "c_go = b/c-go *", "cgo = b/c-go *"], &[]),
            (Language::Php, "<?php use A\\B\\C; require 'd.php';", &["C = A.B C", "* = ./d.php *"], &[]),
        ];
        for (language, text, imports, exports) in cases {
            let (found, shown) = names(*language, text);
            assert_eq!(found, *imports, "{text}");
            assert_eq!(shown, *exports, "{text}");
        }
    }

    #[test]
    fn the_parents_of_a_class_are_read() {
        let cases: &[(Language, &str, &[&str], &[&str])] = &[
            (Language::Python, "class A(B, c.D, metaclass=M): pass", &["B", "c.D"], &[]),
            (Language::TypeScript, "class A extends B<T> implements C, D {}", &["B"], &["C", "D"]),
            (Language::Java, "class A extends B implements C {}", &["B", "C"], &[]),
            (Language::Rust, "trait A: B {} impl C for A {}", &[], &["B", "C"]),
            (Language::Php, "<?php class A extends B implements C { use D; }", &["B", "D"], &["C"]),
        ];
        for (language, text, bases, interfaces) in cases {
            let facts = facts(*language, &(*text).into());
            let names = |chains: &[Chain]| chains.iter().map(Chain::text).collect::<Vec<_>>();
            assert_eq!(names(&facts.units[1].bases), *bases, "{text}");
            assert_eq!(names(&facts.units[1].interfaces), *interfaces, "{text}");
        }
    }
}
