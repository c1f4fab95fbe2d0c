//! One side of a file: its lines and tokens.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use diffsan_syntax::imports::Import;
use diffsan_syntax::language::Language;
use diffsan_syntax::tokens::{Token, TokenClass};
use diffsan_syntax::tree::SyntaxTree;

use crate::directives;
use crate::lines::Lines;

/// A text and its tokens. A text without a grammar has none.
pub(crate) struct Source<'a> {
    pub(crate) language: Option<Language>,
    pub(crate) lines: Lines<'a>,
    pub(crate) tokens: Vec<Token>,
    /// The import statements at the top level.
    pub(crate) imports: Vec<Import>,
    /// The indices of comments that a tool may read.
    directives: HashSet<usize>,
}

/// The content of a line, for comparison with other lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LineKey {
    /// A digest of the tokens, without the join of the first one.
    pub(crate) tokens: u64,
    /// The join of the first token that begins in the line. It depends on the line before.
    pub(crate) join: u64,
    /// The number of letters and digits.
    pub(crate) weight: u32,
    /// Whether a token of code begins in the line.
    pub(crate) code: bool,
    /// Whether the line has no token, and blanks have no meaning there.
    pub(crate) blank: bool,
}

impl<'a> Source<'a> {
    /// Reads a text by its tree, if it has one.
    pub(crate) fn new(lines: Lines<'a>, tree: Option<&SyntaxTree<'a>>) -> Self {
        let mut source = Self {
            language: tree.map(SyntaxTree::language),
            lines,
            tokens: tree.map(SyntaxTree::tokens).unwrap_or_default(),
            imports: tree.map(SyntaxTree::imports).unwrap_or_default(),
            directives: HashSet::new(),
        };
        source.directives = directives::find(&source);
        source
    }

    /// Returns the indices of the tokens that are at least partly in the lines.
    pub(crate) fn tokens_of(&self, lines: &Range<usize>) -> Range<usize> {
        let (from, to) = (self.lines.start(lines.start), self.lines.start(lines.end));
        let first = self.tokens.partition_point(|token| token.range.end <= from);
        let last = self.tokens.partition_point(|token| token.range.start < to);
        first..last.max(first)
    }

    pub(crate) fn text_of(&self, token: usize) -> &'a str {
        &self.lines.text[self.tokens[token].range.clone()]
    }

    /// Returns whether a token is a comment that a tool may read.
    pub(crate) fn is_directive(&self, token: usize) -> bool {
        self.directives.contains(&token)
    }

    /// Returns whether a token is a comment that nothing reads.
    pub(crate) fn is_plain_comment(&self, token: usize) -> bool {
        self.tokens[token].class == TokenClass::Comment && !self.is_directive(token)
    }

    /// Returns whether a comment is alone on its lines, and whether the next token is on the line after it. Tools apply a directive
    /// to its own or the next line.
    pub(crate) fn placement(&self, token: usize) -> (bool, Option<usize>) {
        let range = &self.tokens[token].range;
        let line = self.lines.line_at(range.start);
        let before =
            token.checked_sub(1).map(|before| self.lines.line_at(self.tokens[before].range.end.saturating_sub(1)));
        let last = self.lines.line_at(range.end.saturating_sub(1));
        let after = self.tokens.get(token + 1).map(|next| self.lines.line_at(next.range.start) - last);
        (before != Some(line), after.map(|lines| lines.min(2)))
    }

    /// Returns whether a token can stand for the other one of another source.
    pub(crate) fn is_same(&self, token: usize, other: &Source<'_>, twin: usize) -> bool {
        let (one, two) = (&self.tokens[token], &other.tokens[twin]);
        let same_text = match one.class {
            TokenClass::Comment => same_comment(self.text_of(token), other.text_of(twin)),
            _ => self.text_of(token) == other.text_of(twin),
        };
        let placed = !self.is_directive(token) || self.placement(token) == other.placement(twin);
        one.class == two.class && one.is_same_kind(two) && one.join == two.join && same_text && placed
    }

    /// Returns the key of a line.
    pub(crate) fn key(&self, line: usize) -> LineKey {
        let range = self.lines.start(line)..self.lines.start(line + 1);
        let indices = self.tokens_of(&(line..line + 1));
        let text = self.lines.line(line);
        let mut digest = DefaultHasher::new();
        let mut key = LineKey { weight: weight(text), ..LineKey::default() };
        let unread = self.language.is_none() || indices.clone().any(|index| self.tokens[index].broken);
        if unread {
            (0_u8, text).hash(&mut digest);
            key.tokens = digest.finish();
            return key;
        }
        key.blank = indices.is_empty();
        let mut first = true;
        for index in indices {
            let token = &self.tokens[index];
            let begins = token.range.start >= range.start;
            let part = &self.lines.text[token.range.start.max(range.start)..token.range.end.min(range.end)];
            let part = if token.class == TokenClass::Comment { part.trim() } else { part };
            (1_u8, token.class, begins, token.range.end > range.end, part).hash(&mut digest);
            if begins && token.class != TokenClass::Comment {
                if first {
                    key.join = token.join;
                    key.code = true;
                } else {
                    token.join.hash(&mut digest);
                }
                first = false;
            }
        }
        key.tokens = digest.finish();
        key
    }
}

/// Compares comments without the blanks around their lines.
pub(crate) fn same_comment(one: &str, other: &str) -> bool {
    one.trim().lines().map(str::trim).eq(other.trim().lines().map(str::trim))
}

/// Returns the number of letters and digits of a line.
pub(crate) fn weight(text: &str) -> u32 {
    u32::try_from(text.chars().filter(|char| char.is_alphanumeric()).count()).unwrap_or(u32::MAX)
}
