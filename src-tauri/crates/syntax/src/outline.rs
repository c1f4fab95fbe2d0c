//! Finds the symbols of a file (functions, types, methods, modules) that a change touches.
//!
//! In: a path, its text, lines. Out: names and positions. The tag queries of the grammars find the definitions. Files without a
//! grammar get the names from git's hunk headers.

use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;
use std::sync::OnceLock;

use tree_sitter::{Query, QueryCursor, StreamingIterator};

use crate::language::Language;
use diffsan_change::FileChange;

/// A definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Symbol {
    /// The name, such as `verify`.
    pub name: String,
    /// The kind: `function`, `method`, `class`, `interface`, `module` or `constant`. Empty if unknown.
    pub kind: String,
    /// The line of the name on the new side, from 1.
    pub line: u32,
    /// The last line of the definition, from 1.
    pub last: u32,
    /// The first line of the definition that the change touches.
    pub touched: u32,
}

/// Returns whether files with this name can be parsed.
pub fn is_read(path: &str) -> bool {
    Language::of(path).is_some()
}

/// Returns the definitions that contain one of the lines, outermost first. `lines` must be sorted.
pub fn touched(path: &str, text: &str, lines: &[u32]) -> Vec<Symbol> {
    let Some(language) = Language::of(path) else { return Vec::new() };
    let (Some(query), Some(tree)) = (tags(language), language.parse(text)) else { return Vec::new() };
    let names = query.capture_names();
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(query, tree.root_node(), text.as_bytes());
    let mut found: Vec<Symbol> = Vec::new();
    while let Some(one) = matches.next() {
        let (mut name, mut whole) = (None, None);
        for capture in one.captures() {
            let tag = names[capture.index as usize];
            if tag == "name" {
                name = Some(capture.node);
            } else if let Some(kind) = tag.strip_prefix("definition.") {
                whole = Some((capture.node, kind));
            }
        }
        let (Some(name), Some((whole, kind))) = (name, whole) else { continue };
        let line = |row: usize| u32::try_from(row + 1).unwrap_or(u32::MAX);
        let (from, to) = (line(whole.start_position().row), line(whole.end_position().row));
        let first = lines.partition_point(|touched| *touched < from);
        let Some(&touched) = lines.get(first).filter(|touched| **touched <= to) else { continue };
        let name_text = text.get(name.byte_range()).unwrap_or_default().to_owned();
        let at = line(name.start_position().row);
        // The same definition may match as two kinds; the first one is more precise.
        if !found.iter().any(|known| known.line == at && known.name == name_text) {
            found.push(Symbol { name: name_text, kind: kind.to_owned(), line: at, last: to, touched });
        }
    }
    found.sort_by_key(|symbol| symbol.line);
    found
}

/// Returns the section headings of a file's hunk headers.
pub fn of_sections(file: &FileChange) -> Vec<Symbol> {
    let mut found: Vec<Symbol> = Vec::new();
    for hunk in file.hunks() {
        let name = String::from_utf8_lossy(&hunk.section).trim().to_owned();
        if !name.is_empty() && found.last().is_none_or(|last| last.name != name) {
            let (line, lines) = (hunk.new_start, hunk.new_lines);
            let last = line + lines.saturating_sub(1);
            found.push(Symbol { name, kind: String::new(), line, last, touched: line });
        }
    }
    found
}

fn tags(language: Language) -> Option<&'static Query> {
    static QUERIES: OnceLock<HashMap<Language, Query>> = OnceLock::new();
    let queries = QUERIES.get_or_init(|| {
        let all = Language::ALL.into_iter();
        all.filter_map(|one| Some((one, Query::new(&one.grammar(), &source(one)).ok()?))).collect()
    });
    queries.get(&language)
}

fn source(language: Language) -> String {
    // The queries of the dialects contain only additions to the query of JavaScript.
    let script = diffsan_grammars::javascript::TAGS_QUERY;
    match language {
        Language::Python => diffsan_grammars::python::TAGS_QUERY.to_owned(),
        Language::TypeScript | Language::Tsx => format!("{script}\n{}", diffsan_grammars::typescript::TAGS_QUERY),
        Language::JavaScript => script.to_owned(),
        Language::Go => diffsan_grammars::go::TAGS_QUERY.to_owned(),
        Language::Rust => diffsan_grammars::rust::TAGS_QUERY.to_owned(),
        Language::Java => diffsan_grammars::java::TAGS_QUERY.to_owned(),
        Language::Ruby => diffsan_grammars::ruby::TAGS_QUERY.to_owned(),
        Language::Php => diffsan_grammars::php::TAGS_QUERY.to_owned(),
        Language::C => diffsan_grammars::c::TAGS_QUERY.to_owned(),
        Language::Cpp => diffsan_grammars::cpp::TAGS_QUERY.to_owned(),
        Language::CSharp => diffsan_grammars::c_sharp::TAGS_QUERY.to_owned(),
        Language::Swift => diffsan_grammars::swift::TAGS_QUERY.to_owned(),
        // The grammar has no tag query.
        Language::Kotlin => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &str, text: &str, lines: &[u32]) -> Vec<String> {
        let symbols = touched(path, text, lines);
        symbols
            .into_iter()
            .map(|one| format!("{} {} {}-{}/{}", one.kind, one.name, one.line, one.last, one.touched))
            .collect()
    }

    #[test]
    fn every_language_has_its_query() {
        for language in Language::ALL {
            assert!(tags(language).is_some(), "{language:?}");
        }
    }

    #[test]
    fn the_definitions_around_a_line_are_found() {
        let text = "struct A;\nimpl A {\n    fn one() {\n        1;\n    }\n    fn two() {}\n}\nfn three() {}\n";
        assert_eq!(names("a.rs", text, &[4]), ["method one 3-5/4"]);
        assert_eq!(names("a.rs", text, &[1, 8]), ["class A 1-1/1", "function three 8-8/8"]);
        let text = "export class A {\n  run(): void {\n    x();\n  }\n}\nexport const go = () => {\n  y();\n};\n";
        assert_eq!(names("a.ts", text, &[3, 7]), ["class A 1-5/3", "method run 2-4/3", "function go 6-8/7"]);
        assert_eq!(
            names("a.py", "class A:\n    def f(self):\n        pass\n", &[3]),
            ["class A 1-3/3", "function f 2-3/3"]
        );
        assert_eq!(names("a.go", "package a\n\nfunc F() {\n\tg()\n}\n", &[4]), ["function F 3-5/4"]);
        assert_eq!(names("a.txt", "x\n", &[1]), Vec::<String>::new());
    }
}
