//! Cuts real files into imports and functions, and makes small valid files of them.

use std::sync::LazyLock;

use regex::Regex;

use super::lexical::{Class, classes, lines};

/// Some functions of one real file, from which cases are made.
#[derive(Clone, Debug)]
pub(super) struct Excerpt {
    pub name: String,
    pub language: &'static str,
    /// The import lines.
    pub imports: Vec<String>,
    /// The line that encloses methods, and its end. Empty for functions at the top.
    pub wrapper: (String, String),
    /// The functions, with their comments.
    pub functions: Vec<Vec<String>>,
}

impl Excerpt {
    /// Returns a file of these functions.
    pub(super) fn file(&self, imports: &[String], functions: &[Vec<String>]) -> String {
        let mut out = imports.to_vec();
        out.push(String::new());
        out.extend(Some(self.wrapper.0.clone()).filter(|line| !line.is_empty()));
        for function in functions {
            out.extend(function.iter().cloned());
            out.push(String::new());
        }
        out.extend(Some(self.wrapper.1.clone()).filter(|line| !line.is_empty()));
        out.join("\n") + "\n"
    }

    pub(super) fn path(&self, stem: &str) -> String {
        let extension = match self.language {
            "rust" => "rs",
            "python" => "py",
            "typescript" => "ts",
            "go" => "go",
            "java" => "java",
            _ => "js",
        };
        format!("src/{stem}.{extension}")
    }
}

/// The number of functions in one excerpt.
const FUNCTIONS: usize = 4;
const SIZES: std::ops::RangeInclusive<usize> = 4..=45;

/// Returns excerpts of a file. Every function is in one of them.
pub(super) fn excerpts(name: &str, language: &'static str, text: &str) -> Vec<Excerpt> {
    let found = functions(language, text);
    let mut all = Vec::new();
    for indented in [false, true] {
        let group: Vec<&Vec<String>> = found
            .iter()
            .filter(|(depth, lines)| (*depth > 0) == indented && SIZES.contains(&lines.len()))
            .map(|(_, lines)| lines)
            .collect();
        for (index, part) in group.chunks(FUNCTIONS).enumerate().filter(|(_, part)| part.len() > 1) {
            all.push(Excerpt {
                name: format!("{name}#{}{index}", if indented { "methods" } else { "functions" }),
                language,
                imports: imports(language, text),
                wrapper: wrapper(language, indented),
                functions: part.iter().map(|lines| (*lines).clone()).collect(),
            });
        }
    }
    all
}

fn wrapper(language: &str, indented: bool) -> (String, String) {
    let (begin, end) = match (language, indented) {
        ("rust", true) => ("impl Excerpt {", "}"),
        ("python", true) => ("class Excerpt:", ""),
        ("java", _) => ("class Excerpt {", "}"),
        ("typescript" | "javascript", true) => ("export class Excerpt {", "}"),
        _ => ("", ""),
    };
    (begin.to_owned(), end.to_owned())
}

fn imports(language: &str, text: &str) -> Vec<String> {
    let classes = classes(text, language);
    let lines = lines(text, &classes);
    if language == "go" {
        let package = lines.iter().find(|line| line.text.starts_with("package ")).map(|line| line.text.to_owned());
        let block = lines.iter().skip_while(|line| line.text != "import (");
        let mut block: Vec<String> = block
            .take_while(|line| line.text != ")")
            .map(|line| line.text.to_owned())
            .filter(|line| !line.is_empty())
            .collect();
        block.push(")".to_owned());
        return package.into_iter().chain(block).collect();
    }
    let is_import = |line: &str| match language {
        "rust" => line.starts_with("use ") && line.ends_with(';'),
        "python" => line.starts_with("import ") || (line.starts_with("from ") && !line.ends_with('(')),
        "java" => line.starts_with("import ") || line.starts_with("package "),
        _ => (line.starts_with("import ") && line.ends_with(';')) || line.contains("= require("),
    };
    lines.iter().filter(|line| line.starts_in_code() && is_import(line.text)).map(|line| line.text.to_owned()).collect()
}

fn definition(language: &str) -> &'static Regex {
    static ALL: LazyLock<[Regex; 6]> = LazyLock::new(|| {
        [
            r"^( {0,4})(pub(\([a-z]+\))? )?(unsafe )?fn \w+.*\{$",
            r"^( {4})?def \w+.*$",
            r"^(\t)?(export )?(const \w+ = .*=> \{|function \w+.*\{|(async |static |readonly )*#?\w+(<.*>)?\(.*\).*\{)$",
            r"^()func .*\{$",
            r"^( {2})(@Override )?((public|private|protected|static|final) )*[\w<>\[\], ?]+ \w+\(.*\) (throws \w+ )?\{$",
            r"^()((\w+\.)*\w+ = function.*\{|function \w+.*\{)$",
        ]
        .map(|pattern| Regex::new(pattern).unwrap())
    });
    let at = ["rust", "python", "typescript", "go", "java", "javascript"].iter().position(|one| *one == language);
    &ALL[at.unwrap()]
}

/// Returns the functions of a file: the width of their indent and their lines.
fn functions(language: &str, text: &str) -> Vec<(usize, Vec<String>)> {
    let classes = classes(text, language);
    let lines = lines(text, &classes);
    let pattern = definition(language);
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let line = &lines[at];
        let keyword = ["if ", "for ", "while ", "switch ", "catch ", "else "]
            .iter()
            .any(|word| line.text.trim_start().starts_with(word));
        if !line.starts_in_code() || keyword || !pattern.is_match(line.text) {
            at += 1;
            continue;
        }
        let depth = line.text.len() - line.text.trim_start().len();
        let end = match language {
            "python" => python_end(text, &classes, at, depth),
            _ => brace_end(text, &classes, at),
        };
        let Some(end) = end else { break };
        let mut from = at;
        while from > 0 && lines[from - 1].text.trim() != "" && attached(&lines[from - 1], depth) {
            from -= 1;
        }
        found.push((depth, lines[from..end].iter().map(|line| line.text.to_owned()).collect()));
        at = end;
    }
    found
}

/// Returns whether a line belongs to the function below it.
fn attached(line: &super::lexical::ClassedLine<'_>, depth: usize) -> bool {
    let text = line.text.trim_start();
    let at = line.text.len() - text.len();
    at >= depth && (line.is_comment() || ((text.starts_with('@') || text.starts_with("#[")) && line.is_code()))
}

fn brace_end(text: &str, classes: &[Class], first: usize) -> Option<usize> {
    let (mut number, mut depth) = (0, 0_i32);
    for (at, byte) in text.bytes().enumerate() {
        if number >= first && classes[at] == Class::Code {
            match byte {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ => {}
            }
        }
        if byte == b'\n' {
            number += 1;
            if number > first && depth == 0 {
                return Some(number);
            }
        }
    }
    None
}

fn python_end(text: &str, classes: &[Class], first: usize, depth: usize) -> Option<usize> {
    let lines = lines(text, classes);
    let mut end = first + 1;
    let mut round = 0_i32;
    for (index, line) in lines.iter().enumerate().skip(first) {
        let inside = round > 0 || line.classes.first().is_some_and(|class| *class == Class::Text);
        let indent = line.text.len() - line.text.trim_start().len();
        if index > first && !inside && !line.text.trim().is_empty() && indent <= depth {
            return Some(end);
        }
        for (byte, class) in line.text.bytes().zip(line.classes) {
            round += match (class, byte) {
                (Class::Code, b'(' | b'[' | b'{') => 1,
                (Class::Code, b')' | b']' | b'}') => -1,
                _ => 0,
            };
        }
        if !line.text.trim().is_empty() {
            end = index + 1;
        }
    }
    Some(end)
}
