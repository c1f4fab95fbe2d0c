//! Splits code into its tokens: the leaves of the syntax tree.
//!
//! In: a language and a text. Out: tokens in order, which contain every byte of the text that is not blank. A token also says how it is
//! joined to the one before in the tree, so that two texts with equal tokens and equal joins have equal trees. Line breaks
//! and indents with a meaning (Python's blocks, automatic semicolons) show in the joins.

use std::collections::HashMap;
use std::fmt;
use std::hash::{DefaultHasher, Hasher};
use std::num::NonZero;
use std::ops::Range;
use std::sync::OnceLock;

use tree_sitter::{Tree, TreeCursor};

use crate::language::Language;

/// The class of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenClass {
    /// A name, an operator, a number, a bracket.
    Code,
    /// A part of a string, a template or a regular expression.
    Text,
    /// A whole comment.
    Comment,
}

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The bytes of the text.
    pub range: Range<usize>,
    /// The class.
    pub class: TokenClass,
    /// Whether it belongs to a part that the grammar could not read.
    pub broken: bool,
    /// A digest of the nodes that end and begin between the token before and this one. 0 for comments, which may be anywhere.
    pub join: u64,
    names: &'static Names,
    /// The number of the leaf's kind in the grammar.
    kind: u16,
    /// The nodes around the leaf, innermost first: the numbers of the kind and of the field that the child within has there.
    parents: [(u16, u16); 3],
}

impl Token {
    /// Returns the kind of the leaf in the grammar. Empty for text that the tree leaves out.
    pub fn kind(&self) -> &'static str {
        self.names.kind(self.kind).name
    }

    /// Returns the nodes around the leaf, innermost first: the kind, and the field that the child within has there.
    pub fn parents(&self) -> [(&'static str, Option<&'static str>); 3] {
        self.parents.map(|(kind, field)| (self.names.kind(kind).name, self.names.field(field)))
    }

    /// Returns whether two tokens have the same kind in the same grammar.
    pub fn is_same_kind(&self, other: &Self) -> bool {
        self.names == other.names && self.kind == other.kind
    }
}

/// Returns the tokens of a text, or `None` if it cannot be parsed at all.
pub fn tokens(language: Language, text: &str) -> Option<Vec<Token>> {
    Some(of_tree(language, text, &language.parse(text)?))
}

pub(crate) fn of_tree(language: Language, text: &str, tree: &Tree) -> Vec<Token> {
    let names = Names::of(language);
    let mut reader = Reader { text, names, tokens: Vec::new(), at: 0, last: 0, common: 0, digested: Vec::new() };
    let mut cursor = tree.walk();
    reader.read(&mut cursor);
    reader.gap(text.len(), false, false);
    reader.tokens
}

/// The names of a grammar's nodes and fields, with their meaning for tokens.
struct Names {
    /// By the numbers of the grammar.
    kinds: Vec<Kind>,
    /// By the numbers of the grammar.
    fields: Vec<&'static str>,
}

impl PartialEq for Names {
    fn eq(&self, other: &Self) -> bool {
        // Each grammar has its names once.
        std::ptr::eq(self, other)
    }
}

impl Eq for Names {}

impl fmt::Debug for Names {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Names")
    }
}

/// The number of a node without a kind: text that the tree leaves out, and the nodes around it.
const NO_KIND: u16 = u16::MAX - 1;

/// A kind of nodes.
#[derive(Clone, Copy)]
struct Kind {
    name: &'static str,
    comment: bool,
    /// Whether blanks inside belong to the value.
    text: bool,
}

impl Kind {
    fn new(name: &'static str) -> Self {
        Self { name, comment: is_comment(name), text: is_text(name) }
    }
}

impl Names {
    /// Returns the names of a language, which are read once. The grammars of other languages are not loaded: expanding the tables of all
    /// takes longer than the rest of a small change.
    fn of(language: Language) -> &'static Self {
        type Loaded = (OnceLock<tree_sitter::Language>, OnceLock<Names>);
        static ALL: OnceLock<HashMap<Language, Loaded>> = OnceLock::new();
        let all = ALL.get_or_init(|| Language::ALL.into_iter().map(|one| (one, Loaded::default())).collect());
        let (grammar, names) = &all[&language];
        names.get_or_init(|| Self::read(grammar.get_or_init(|| language.grammar())))
    }

    fn read(grammar: &'static tree_sitter::Language) -> Self {
        let kinds = u16::try_from(grammar.node_kind_count()).unwrap_or(u16::MAX);
        let fields = u16::try_from(grammar.field_count()).unwrap_or(u16::MAX);
        Self {
            kinds: (0..kinds).map(|id| Kind::new(grammar.node_kind_for_id(id).unwrap_or_default())).collect(),
            fields: (0..=fields).map(|id| grammar.field_name_for_id(id).unwrap_or_default()).collect(),
        }
    }

    /// Returns a kind by its number. The grammar has no number for code that it cannot read.
    fn kind(&self, number: u16) -> Kind {
        let other = || Kind { name: if number == NO_KIND { "" } else { "ERROR" }, comment: false, text: false };
        self.kinds.get(usize::from(number)).copied().unwrap_or_else(other)
    }

    /// Returns the name of a field by its number, from 1.
    fn field(&self, number: u16) -> Option<&'static str> {
        self.fields.get(usize::from(number)).copied().filter(|_| number > 0)
    }
}

struct Reader<'a> {
    text: &'a str,
    names: &'static Names,
    tokens: Vec<Token>,
    /// The end of the last token.
    at: usize,
    /// The number of nodes from the root to the last token that is no comment, and how many of them are still open.
    last: usize,
    common: usize,
    /// The bytes that the digest of a join is made from. Kept for its room.
    digested: Vec<u8>,
}

/// A node on the way from the root to the leaf.
struct Level {
    kind: u16,
    field: u16,
    end: usize,
    /// The start of the outermost node around or at this one inside of which blanks count.
    text: Option<usize>,
    broken: bool,
}

impl Reader<'_> {
    /// Reads the tree without recursion, because it may be deep.
    fn read(&mut self, cursor: &mut TreeCursor<'_>) {
        let mut path: Vec<Level> = Vec::new();
        loop {
            let node = cursor.node();
            let (text, broken) = path.last().map_or((None, false), |level| (level.text, level.broken));
            let kind = self.names.kind(node.kind_id());
            path.push(Level {
                kind: node.kind_id(),
                field: cursor.field_id().map_or(0, NonZero::get),
                end: node.end_byte(),
                text: text.or_else(|| kind.text.then(|| node.start_byte())),
                broken: broken || node.is_error() || node.is_missing(),
            });
            let leaf = kind.comment || node.child_count() == 0;
            if leaf {
                self.leaf(&path, node.start_byte(), kind.comment);
            }
            if !leaf && cursor.goto_first_child() {
                continue;
            }
            loop {
                if let Some(done) = path.pop() {
                    self.common = self.common.min(path.len());
                    if done.text.is_some() {
                        self.gap(done.end, true, done.broken);
                    }
                }
                if cursor.goto_next_sibling() {
                    break;
                }
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    fn leaf(&mut self, path: &[Level], start: usize, comment: bool) {
        let [around @ .., level] = path else { return };
        let range = start..level.end;
        if range.start < self.at || range.is_empty() {
            return;
        }
        // Blanks before a string are outside of it.
        let outside = around.last().and_then(|level| level.text);
        self.gap(outside.unwrap_or(range.start).min(range.start), false, level.broken);
        self.gap(range.start, outside.is_some(), level.broken);
        if level.text.is_none() && self.text[range.clone()].trim_start().is_empty() {
            return;
        }
        self.at = range.end;
        let join = if comment { 0 } else { self.join(path) };
        let class = match (comment, level.text) {
            (true, _) => TokenClass::Comment,
            (false, Some(_)) => TokenClass::Text,
            (false, None) => TokenClass::Code,
        };
        let parent = |up: usize| {
            let at = path.len().checked_sub(up + 1);
            at.and_then(|at| Some((path.get(at.checked_sub(1)?)?.kind, path[at].field))).unwrap_or((NO_KIND, 0))
        };
        let parents = [parent(0), parent(1), parent(2)];
        let (names, kind, broken) = (self.names, level.kind, level.broken);
        self.tokens.push(Token { range, class, broken, join, names, kind, parents });
    }

    /// Adds the text up to `end` that is in no leaf. Inside of strings, blanks count as well.
    fn gap(&mut self, end: usize, inside: bool, broken: bool) {
        let Some(gap) = self.text.get(self.at..end) else { return };
        let trimmed = if inside { gap } else { gap.trim() };
        if !trimmed.is_empty() {
            let start = self.at + if inside { 0 } else { gap.len() - gap.trim_start().len() };
            let class = if inside { TokenClass::Text } else { TokenClass::Code };
            let range = start..start + trimmed.len();
            let (names, parents) = (self.names, [(NO_KIND, 0); 3]);
            self.tokens.push(Token { range, class, broken, join: 1, names, kind: NO_KIND, parents });
        }
        self.at = self.at.max(end);
    }

    fn join(&mut self, path: &[Level]) -> u64 {
        self.digested.clear();
        self.digested.extend((self.last - self.common).to_le_bytes());
        for level in &path[self.common..] {
            self.digested.extend(level.kind.to_le_bytes());
            self.digested.extend(level.field.to_le_bytes());
        }
        (self.last, self.common) = (path.len(), path.len());
        // Equal digests count as equal trees, and a faster hash would make it easier to write code with an equal one.
        let mut digest = DefaultHasher::new();
        digest.write(&self.digested);
        digest.finish()
    }
}

fn is_comment(kind: &str) -> bool {
    matches!(kind, "comment" | "line_comment" | "block_comment" | "multiline_comment" | "hash_bang_line" | "shebang")
}

/// Returns whether blanks inside of a node belong to its value.
fn is_text(kind: &str) -> bool {
    let parts =
        ["string", "template_string", "heredoc", "regex", "char_literal", "rune_literal", "character", "nowdoc"];
    let named = parts.iter().any(|part| kind.starts_with(part) || kind.ends_with(part));
    let more = ["string_content", "jsx_text", "text", "raw_text", "encapsed_string", "jsx_element", "jsx_fragment"];
    named && !kind.ends_with("_type") || more.contains(&kind) || kind.contains("string_literal")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(language: Language, text: &str) -> Vec<&str> {
        tokens(language, text).unwrap_or_default().into_iter().map(|token| &text[token.range]).collect()
    }

    fn is_same(language: Language, one: &str, other: &str) -> bool {
        let of = |text: &str| -> Vec<(u64, String)> {
            let all = tokens(language, text).unwrap_or_default().into_iter();
            all.map(|token| (token.join, text[token.range].to_owned())).collect()
        };
        of(one) == of(other)
    }

    #[test]
    fn every_byte_that_is_not_blank_is_in_a_token() {
        let texts = [
            (Language::Rust, "fn a() { let x = vec![1 => -2]; m!(a ~ b -= c); \"x  y\" } // end\n"),
            (
                Language::Python,
                "#!/usr/bin/python\ndef a(b):\n    '''x  y'''\n    return f\"{b!r:>4} c\" \\\n        + 'd'\n",
            ),
            (Language::JavaScript, "const a = `x ${ b }  y` + /a  b/.test(c) // d\n"),
            (Language::Tsx, "const a = <b c=\"d  e\">f  g {h}  i</b>\n"),
            (Language::Go, "package a\n\nvar b = `c\n  d` + \"e\" + string('f')\n"),
            (Language::Ruby, "a = <<~B\n  c  d\nB\nputs \"e #{a}\"\n"),
            (Language::Php, "<?php\n$a = \"b {$c}  d\"; // e\n"),
            (Language::Java, "class A { String b = \"c  d\"; /* e */ }\n"),
            (Language::Rust, "fn broken( { let = ;\n"),
        ];
        for (language, text) in texts {
            let bare = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(bare(&shown(language, text).concat()), bare(text), "{language:?}");
        }
    }

    #[test]
    fn blanks_count_only_where_they_have_a_meaning() {
        let same = [
            (Language::JavaScript, "f(a, b)\n", "f(\n  a,\n  b)\n"),
            (Language::Python, "def a():\n    b()\n    c()\n", "def a():\n  b()\n  c()\n"),
            (Language::Go, "package a\nvar b = f(1,2)\n", "package a\n\nvar  b = f(1,\n\t2)\n"),
        ];
        for (language, one, other) in same {
            assert!(is_same(language, one, other), "{language:?} {other}");
        }
        let different = [
            (Language::JavaScript, "function a() { return b }\n", "function a() { return\nb }\n"),
            (Language::JavaScript, "a = `b c`\n", "a = `b  c`\n"),
            (Language::Tsx, "a = <b>c {d}</b>\n", "a = <b>c  {d}</b>\n"),
            (Language::Python, "if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n"),
            (Language::Python, "a = 'b c'\n", "a = 'b  c'\n"),
            (Language::Ruby, "a = %w[b c]\n", "a = %w[bc]\n"),
        ];
        for (language, one, other) in different {
            assert!(!is_same(language, one, other), "{language:?} {other}");
        }
    }
}
