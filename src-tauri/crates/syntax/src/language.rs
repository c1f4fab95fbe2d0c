//! The supported languages, by file extension, and their grammars.

use std::cell::RefCell;

use serde::{Deserialize, Serialize};
use tree_sitter::{Parser, Tree};

/// A language with a grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Language {
    Python,
    TypeScript,
    Tsx,
    JavaScript,
    Go,
    Rust,
    Java,
    Ruby,
    Php,
    C,
    Cpp,
    CSharp,
    Kotlin,
    Swift,
}

/// Files of Ruby without its extension.
const RUBY_FILES: &[&str] = &[
    "Rakefile",
    "Gemfile",
    "Vagrantfile",
    "Guardfile",
    "Capfile",
    "Podfile",
    "Fastfile",
    "Appfile",
    "Dangerfile",
    "Berksfile",
    "Thorfile",
    "Steepfile",
    "Brewfile",
];

impl Language {
    /// All languages.
    pub const ALL: [Self; 14] = [
        Self::Python,
        Self::TypeScript,
        Self::Tsx,
        Self::JavaScript,
        Self::Go,
        Self::Rust,
        Self::Java,
        Self::Ruby,
        Self::Php,
        Self::C,
        Self::Cpp,
        Self::CSharp,
        Self::Kotlin,
        Self::Swift,
    ];

    /// Returns the language of a path by its extension in any case, or `None` if it is not supported.
    pub fn of(path: &str) -> Option<Self> {
        // This is asked for each path of a project again and again, so it searches bytes and allocates nothing.
        let after = |text: &str, mark: u8| text.bytes().rposition(|byte| byte == mark).map(|at| at + 1);
        let name = &path[after(path, b'/').unwrap_or(0)..];
        let Some(at) = after(name, b'.') else {
            return RUBY_FILES.iter().any(|ruby| name.eq_ignore_ascii_case(ruby)).then_some(Self::Ruby);
        };
        let extension = &name.as_bytes()[at..];
        let mut lower = [0; 7];
        let lower = lower.get_mut(..extension.len())?;
        lower.copy_from_slice(extension);
        lower.make_ascii_lowercase();
        Some(match &*lower {
            b"py" | b"pyi" | b"pyw" => Self::Python,
            b"ts" | b"mts" | b"cts" => Self::TypeScript,
            b"tsx" => Self::Tsx,
            b"js" | b"mjs" | b"cjs" | b"jsx" => Self::JavaScript,
            b"go" => Self::Go,
            b"rs" => Self::Rust,
            b"java" => Self::Java,
            b"rb" | b"rake" | b"gemspec" | b"ru" | b"podspec" => Self::Ruby,
            b"php" | b"phtml" => Self::Php,
            b"c" | b"h" => Self::C,
            b"cc" | b"cpp" | b"cxx" | b"c++" | b"hh" | b"hpp" | b"hxx" | b"h++" | b"inl" => Self::Cpp,
            b"cs" => Self::CSharp,
            b"kt" | b"kts" => Self::Kotlin,
            b"swift" => Self::Swift,
            _ => return None,
        })
    }

    /// Returns the language of a script from its first line, if that names a program: `#!/usr/bin/env node`.
    pub fn of_first_line(line: &str) -> Option<Self> {
        let mut words = line.strip_prefix("#!")?.split_whitespace();
        let program = |path: &str| path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        let mut name = program(words.next()?);
        if name == "env" {
            // Options and variables of `env` come before the program.
            name = program(words.find(|word| !word.starts_with('-') && !word.contains('='))?);
        }
        Some(match name.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.') {
            "python" | "pypy" => Self::Python,
            "node" | "nodejs" => Self::JavaScript,
            "deno" | "bun" | "ts-node" | "tsx" => Self::TypeScript,
            "ruby" | "jruby" => Self::Ruby,
            "php" => Self::Php,
            _ => return None,
        })
    }

    /// Returns the name in tables and reports. Dialects share a name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::TypeScript | Self::Tsx => "typescript",
            Self::JavaScript => "javascript",
            Self::Go => "go",
            Self::Rust => "rust",
            Self::Java => "java",
            Self::Ruby => "ruby",
            Self::Php => "php",
            Self::C => "c",
            Self::Cpp => "cpp",
            Self::CSharp => "csharp",
            Self::Kotlin => "kotlin",
            Self::Swift => "swift",
        }
    }

    /// Returns whether files of the two languages can refer to each other's symbols.
    pub fn speaks_with(self, other: Self) -> bool {
        let family = |one: Self| match one {
            Self::TypeScript | Self::Tsx => Self::JavaScript,
            Self::Cpp => Self::C,
            Self::Kotlin => Self::Java,
            one => one,
        };
        family(self) == family(other)
    }

    /// Returns whether the language is JavaScript or one of its dialects.
    pub fn is_script(self) -> bool {
        matches!(self, Self::TypeScript | Self::Tsx | Self::JavaScript)
    }

    /// Returns whether a member can be named without a receiver inside its type.
    pub fn has_implicit_receiver(self) -> bool {
        matches!(self, Self::Java | Self::CSharp | Self::Kotlin | Self::Swift | Self::Cpp | Self::Ruby)
    }

    /// Returns whether a module name is one segment (`@scope/package/file`) instead of several (`a.b.c`).
    pub fn module_is_one_name(self) -> bool {
        self.is_script() || self == Self::Go
    }

    pub(crate) fn grammar(self) -> tree_sitter::Language {
        match self {
            Self::Python => diffsan_grammars::python::language(),
            Self::TypeScript => diffsan_grammars::typescript::language(),
            Self::Tsx => diffsan_grammars::tsx::language(),
            Self::JavaScript => diffsan_grammars::javascript::language(),
            Self::Go => diffsan_grammars::go::language(),
            Self::Rust => diffsan_grammars::rust::language(),
            Self::Java => diffsan_grammars::java::language(),
            Self::Ruby => diffsan_grammars::ruby::language(),
            Self::Php => diffsan_grammars::php::language(),
            Self::C => diffsan_grammars::c::language(),
            Self::Cpp => diffsan_grammars::cpp::language(),
            Self::CSharp => diffsan_grammars::c_sharp::language(),
            Self::Kotlin => diffsan_grammars::kotlin::language(),
            Self::Swift => diffsan_grammars::swift::language(),
        }
    }

    /// Parses a text. Invalid code gives a tree with errors. Returns `None` only if the grammar is incompatible with the library.
    pub fn parse(self, text: impl AsRef<[u8]>) -> Option<Tree> {
        self.parse_with(text, None)
    }

    /// Parses a text by the tree of an earlier version, in which its edits are recorded.
    pub(crate) fn parse_after(self, text: impl AsRef<[u8]>, earlier: &Tree) -> Option<Tree> {
        self.parse_with(text, Some(earlier))
    }

    fn parse_with(self, text: impl AsRef<[u8]>, earlier: Option<&Tree>) -> Option<Tree> {
        thread_local!(static PARSER: RefCell<Parser> = RefCell::new(Parser::new()));
        PARSER.with_borrow_mut(|parser| {
            parser.set_language(&self.grammar()).ok()?;
            parser.parse(text, earlier)
        })
    }
}

/// Returns whether a path is a test, a fixture or an example, which is not part of the program's behaviour.
pub fn is_test(path: &str) -> bool {
    let mut parts: Vec<&str> = path.split('/').collect();
    let name = parts.pop().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or(name);
    let folder = parts.iter().any(|part| {
        ["test", "tests", "__tests__", "spec", "specs", "testdata", "fixtures", "__mocks__", "e2e"].contains(part)
    });
    folder
        || [".test.", ".spec."].iter().any(|mark| name.contains(mark))
        || stem.starts_with("test_")
        || ["_test", "_spec"].iter().any(|end| stem.ends_with(end))
        || stem == "conftest"
        || (stem.ends_with("Test") || stem.ends_with("Tests")) && (name.ends_with(".java") || name.ends_with(".php"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_read_in_any_case() {
        assert_eq!(Language::of("src/FOO.PY"), Some(Language::Python));
        assert_eq!(Language::of("src/foo.py"), Some(Language::Python));
        assert_eq!((Language::of("src/foo"), Language::of("PY")), (None, None));
    }

    #[test]
    fn the_first_line_of_a_script_names_its_language() {
        for (line, language) in [
            ("#!/usr/bin/env node", Some(Language::JavaScript)),
            ("#! /usr/bin/env -S LANG=C python3.12 -u", Some(Language::Python)),
            ("#!/usr/local/bin/ruby3.2 -w\r", Some(Language::Ruby)),
            ("#!/usr/bin/env -S deno run --allow-net", Some(Language::TypeScript)),
            ("#!/usr/bin/php", Some(Language::Php)),
            ("#!/bin/sh", None),
            ("#!", None),
            ("#!/usr/bin/env", None),
            ("node", None),
        ] {
            assert_eq!(Language::of_first_line(line), language, "{line}");
        }
    }
}
