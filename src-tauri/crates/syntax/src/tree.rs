//! Parses a text, or a version of a text that was parsed before.

use std::ops::Range;

use tree_sitter::{InputEdit, Point, Tree};

use crate::imports::{self, Import};
use crate::language::Language;
use crate::tokens::{self, Token};

/// A text with its syntax tree.
pub struct SyntaxTree<'a> {
    language: Language,
    text: &'a str,
    tree: Tree,
}

/// A part of a text that another version of the text has in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The bytes of the text.
    pub range: Range<usize>,
    /// The bytes of the other version.
    pub with: Range<usize>,
}

impl<'a> SyntaxTree<'a> {
    /// Parses a text. Invalid code gives a tree with errors. Returns `None` only if the grammar is incompatible with the library.
    pub fn parse(language: Language, text: &'a str) -> Option<Self> {
        Some(Self { language, text, tree: language.parse(text)? })
    }

    /// Parses another version of the text, in time in proportion to the replacements, which are in order and cover every difference.
    /// If they do not, the whole version is parsed.
    pub fn parse_version<'b>(&self, text: &'b str, replacements: &[Replacement]) -> Option<SyntaxTree<'b>> {
        if !covers_differences(self.text, text, replacements) {
            return SyntaxTree::parse(self.language, text);
        }
        let mut tree = self.tree.clone();
        // From the end, so that the positions before a replacement are those of the text.
        for replacement in replacements.iter().rev() {
            let start = point(self.text, replacement.range.start);
            let added = point(&text[replacement.with.clone()], replacement.with.len());
            tree.edit(&InputEdit {
                start_byte: replacement.range.start,
                old_end_byte: replacement.range.end,
                new_end_byte: replacement.range.start + replacement.with.len(),
                start_position: start,
                old_end_position: point(self.text, replacement.range.end),
                new_end_position: match added.row {
                    0 => Point::new(start.row, start.column + added.column),
                    rows => Point::new(start.row + rows, added.column),
                },
            });
        }
        Some(SyntaxTree { language: self.language, text, tree: self.language.parse_after(text, &tree)? })
    }

    /// Returns the language.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Returns the tokens, which contain every byte of the text that is not blank.
    pub fn tokens(&self) -> Vec<Token> {
        tokens::of_tree(self.language, self.text, &self.tree)
    }

    /// Returns the import statements at the top level, in order. Empty for languages in which even the order of the imported names
    /// may have a meaning, such as Python, and for code with errors.
    pub fn imports(&self) -> Vec<Import> {
        imports::of_tree(self.language, self.text, &self.tree)
    }
}

/// Returns whether two texts are equal outside of the replacements, which are in order.
fn covers_differences(text: &str, version: &str, replacements: &[Replacement]) -> bool {
    let (mut at, mut twin) = (0, 0);
    let end = Replacement { range: text.len()..text.len(), with: version.len()..version.len() };
    replacements.iter().chain([&end]).all(|one| {
        let before = text.get(at..one.range.start).zip(version.get(twin..one.with.start));
        (at, twin) = (one.range.end, one.with.end);
        before.is_some_and(|(before, twin)| before == twin) && one.range.start <= at && one.with.start <= twin
    })
}

fn point(text: &str, byte: usize) -> Point {
    let before = &text.as_bytes()[..byte];
    let line = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    Point::new(memchr::memchr_iter(b'\n', before).count(), byte - line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_equal(language: Language, text: &str, version: &str, replacements: &[Replacement]) -> bool {
        let tree = SyntaxTree::parse(language, text).expect("a grammar");
        let later = tree.parse_version(version, replacements).expect("a grammar");
        let whole = SyntaxTree::parse(language, version).expect("a grammar");
        later.tokens() == whole.tokens() && later.imports() == whole.imports()
    }

    #[test]
    fn a_version_has_the_tokens_of_its_own_text() {
        let text = "fn a() {\n    b(1);\n}\n\nfn c() {}\n";
        let version = "fn a() {\n    b(1, \"x\");\n    d();\n}\n\nfn c() {}\n\nfn e";
        let replacements = [
            Replacement { range: 9..19, with: 9..33 },
            Replacement { range: 32..32, with: version.len() - 5..version.len() },
        ];
        assert!(covers_differences(text, version, &replacements));
        assert!(is_equal(Language::Rust, text, version, &replacements));
    }

    #[test]
    fn a_replacement_may_begin_or_end_a_string_or_a_comment() {
        let text = "a = 1\nb = 2\nc = 3\n";
        for first in ["'''\n", "# x\n", "if a:\n  (\n", "", "\"\n"] {
            let version = text.replacen("a = 1\n", first, 1);
            let replacements = [Replacement { range: 0..6, with: 0..first.len() }];
            assert!(is_equal(Language::Python, text, &version, &replacements), "{first:?}");
            assert!(is_equal(Language::Ruby, text, &version, &replacements), "{first:?}");
        }
    }

    #[test]
    fn a_difference_outside_of_the_replacements_is_parsed_as_well() {
        let replacements = [Replacement { range: 0..6, with: 0..6 }];
        assert!(is_equal(Language::Python, "a = 1\nb = 2\n", "a = 3\nb = '4'\n", &replacements));
        assert!(is_equal(Language::Python, "é = 1\n", "e = 1\n", &[Replacement { range: 1..1, with: 0..0 }]));
    }
}
