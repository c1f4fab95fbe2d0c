//! The languages that are read, by the endings of file names, and their grammars.

use std::cell::RefCell;

use tree_sitter::{Parser, Tree};

/// A language whose code is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Python,
        Self::TypeScript,
        Self::Tsx,
        Self::JavaScript,
        Self::Go,
        Self::Rust,
        Self::Java,
        Self::Ruby,
        Self::Php,
    ];

    /// The language that a path's ending tells; none of files that are not read.
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        Some(match name.rsplit_once('.')?.1 {
            "py" | "pyi" | "pyw" => Self::Python,
            "ts" | "mts" | "cts" => Self::TypeScript,
            "tsx" => Self::Tsx,
            "js" | "mjs" | "cjs" | "jsx" => Self::JavaScript,
            "go" => Self::Go,
            "rs" => Self::Rust,
            "java" => Self::Java,
            "rb" | "rake" => Self::Ruby,
            "php" => Self::Php,
            _ => return None,
        })
    }

    /// Its name in tables and reports; dialects share one.
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
        }
    }

    /// Whether two files can name each other's symbols.
    pub fn speaks_with(self, other: Self) -> bool {
        self.is_script() && other.is_script() || self == other
    }

    /// JavaScript and its dialects.
    pub fn is_script(self) -> bool {
        matches!(self, Self::TypeScript | Self::Tsx | Self::JavaScript)
    }

    /// Whether the names of modules are paths of one segment (`@scope/package/file`), not of several (`a.b.c`).
    pub fn module_is_one_name(self) -> bool {
        self.is_script() || self == Self::Go
    }

    pub(crate) fn grammar(self) -> tree_sitter::Language {
        match self {
            Self::Python => tree_sitter_python::LANGUAGE.into(),
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
            Self::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
            Self::Go => tree_sitter_go::LANGUAGE.into(),
            Self::Rust => tree_sitter_rust::LANGUAGE.into(),
            Self::Java => tree_sitter_java::LANGUAGE.into(),
            Self::Ruby => tree_sitter_ruby::LANGUAGE.into(),
            Self::Php => tree_sitter_php::LANGUAGE_PHP.into(),
        }
    }

    /// Parses a text; wrong code gives a tree with holes. None only where the grammar does not fit the library.
    pub fn parse(self, text: &str) -> Option<Tree> {
        thread_local!(static PARSER: RefCell<Parser> = RefCell::new(Parser::new()));
        PARSER.with_borrow_mut(|parser| {
            parser.set_language(&self.grammar()).ok()?;
            parser.parse(text, None)
        })
    }
}

/// Whether a path is a test, a fixture or an example: it says nothing of what the program does.
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
