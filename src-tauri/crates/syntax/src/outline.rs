//! Finds the symbols of a file (functions, types, methods, modules) that a change touches.
//!
//! In: a path, its bytes, lines. Out: names and positions, from the definitions of [`crate::symbols`]. Files without a grammar get the names
//! from git's hunk headers.

use schemars::JsonSchema;
use serde::Serialize;

use crate::language::Language;
use crate::symbols::{Definition, FileSymbols, Kind, read};
use diffsan_change::FileChange;

/// A definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Symbol {
    /// The name, such as `verify`.
    pub name: String,
    /// The kind, such as `function`, `method`, `class`, `interface`, `module` or `constant`. Empty if unknown.
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

/// Returns the definitions that contain one of the lines, outermost first. `lines` must be sorted. Empty for a binary file.
pub fn touched(path: &str, bytes: &[u8], lines: &[u32]) -> Vec<Symbol> {
    let Some(symbols) = Language::of(path).and_then(|language| read(language, bytes)) else { return Vec::new() };
    let shown = symbols.definitions.iter().filter(|one| is_shown(one));
    shown.filter_map(|one| symbol(&symbols, one, bytes, lines)).collect()
}

/// Returns whether a definition is part of the outline. Parts of types and local variables are not.
fn is_shown(definition: &Definition) -> bool {
    match definition.kind {
        Kind::Field | Kind::Variant | Kind::Extension => false,
        Kind::Variable | Kind::Constant => !definition.local,
        _ => true,
    }
}

fn symbol(symbols: &FileSymbols, one: &Definition, bytes: &[u8], lines: &[u32]) -> Option<Symbol> {
    let between = bytes.get(one.start as usize..one.at.byte as usize).unwrap_or_default();
    let before = memchr::memchr_iter(b'\n', between).count();
    let from = one.at.line.saturating_sub(u32::try_from(before).unwrap_or(u32::MAX));
    let first = lines.partition_point(|touched| *touched < from);
    let &touched = lines.get(first).filter(|touched| **touched <= one.last_line)?;
    let name = symbols.name(one.name).to_owned();
    Some(Symbol { name, kind: one.kind.name().to_owned(), line: one.at.line, last: one.last_line, touched })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &str, text: &str, lines: &[u32]) -> Vec<String> {
        let symbols = touched(path, text.as_bytes(), lines);
        symbols
            .into_iter()
            .map(|one| format!("{} {} {}-{}/{}", one.kind, one.name, one.line, one.last, one.touched))
            .collect()
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
            ["class A 1-3/3", "method f 2-3/3"]
        );
        assert_eq!(names("a.go", "package a\n\nfunc F() {\n\tg()\n}\n", &[4]), ["function F 3-5/4"]);
        assert_eq!(names("a.txt", "x\n", &[1]), Vec::<String>::new());
        assert_eq!(names("a.rs", "fn a() {\0}\n", &[1]), Vec::<String>::new());
    }

    #[test]
    fn decorators_are_part_of_a_definition_and_fields_are_not_shown() {
        assert_eq!(names("a.py", "@cached\ndef f():\n    pass\n", &[1]), ["function f 2-3/1"]);
        assert_eq!(names("a.rs", "struct A {\n    b: u8,\n}\n", &[2]), ["class A 1-3/2"]);
        assert_eq!(names("a.py", "def f():\n    x = 1\n", &[2]), ["function f 1-2/2"]);
    }

    #[test]
    fn every_language_has_an_outline() {
        for (path, text, expected) in [
            ("a.kt", "class A {\n    fun run() {\n        go()\n    }\n}\n", ["class A 1-5/3", "method run 2-4/3"]),
            ("a.swift", "class A {\n    func run() {\n        go()\n    }\n}\n", ["class A 1-5/3", "method run 2-4/3"]),
            ("a.cs", "class A {\n    void Run() {\n        Go();\n    }\n}\n", ["class A 1-5/3", "method Run 2-4/3"]),
            ("a.cpp", "class A {\n    void run() {\n        go();\n    }\n};\n", ["class A 1-5/3", "method run 2-4/3"]),
            ("a.java", "class A {\n    void run() {\n        go();\n    }\n}\n", ["class A 1-5/3", "method run 2-4/3"]),
            (
                "a.php",
                "<?php class A {\n    function run() {\n        go();\n    }\n}\n",
                ["class A 1-5/3", "method run 2-4/3"],
            ),
            ("a.rb", "class A\n  def run\n    go\n  end\nend\n", ["class A 1-5/3", "method run 2-4/3"]),
        ] {
            assert_eq!(names(path, text, &[3]), expected, "{path}");
        }
    }
}
