//! One side of a file: its lines and tokens.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use diffsan_syntax::language::Language;
use diffsan_syntax::tokens::{Token, TokenClass, tokens};

use crate::directives;

/// The maximum size of a file that is split into tokens, in bytes.
const MAX_BYTES: usize = 1024 * 1024;

/// A text and its tokens. A text without a grammar has none.
pub(crate) struct Source<'a> {
    pub(crate) language: Option<Language>,
    pub(crate) text: &'a str,
    /// The byte at which each line begins.
    starts: Vec<usize>,
    pub(crate) tokens: Vec<Token>,
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
    pub(crate) fn new(path: &str, text: &'a str) -> Self {
        let language = Language::of(path).filter(|_| text.len() <= MAX_BYTES);
        let found = language.and_then(|language| tokens(language, text));
        let language = language.filter(|_| found.is_some());
        let tokens = found.unwrap_or_default();
        let mut starts = vec![0];
        starts.extend(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1));
        let mut source = Self { language, text, starts, tokens, directives: HashSet::new() };
        source.directives = directives::find(&source);
        source
    }

    /// Returns the number of lines.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - usize::from(self.text.is_empty() || self.text.ends_with('\n'))
    }

    /// Returns a line without its line feed. Lines are numbered from 0.
    pub(crate) fn line(&self, line: usize) -> &'a str {
        let end = self.starts.get(line + 1).map_or(self.text.len(), |next| next - 1);
        self.starts.get(line).and_then(|start| self.text.get(*start..end.max(*start))).unwrap_or_default()
    }

    /// Returns the line of a byte.
    pub(crate) fn line_at(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte).saturating_sub(1)
    }

    /// Returns the indices of the tokens that are at least partly in the lines.
    pub(crate) fn tokens_of(&self, lines: &Range<usize>) -> Range<usize> {
        let byte = |line: usize| self.starts.get(line).copied().unwrap_or(self.text.len());
        let (from, to) = (byte(lines.start), byte(lines.end));
        let first = self.tokens.partition_point(|token| token.range.end <= from);
        let last = self.tokens.partition_point(|token| token.range.start < to);
        first..last.max(first)
    }

    pub(crate) fn text_of(&self, token: usize) -> &'a str {
        &self.text[self.tokens[token].range.clone()]
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
        let line = self.line_at(range.start);
        let before = token.checked_sub(1).map(|before| self.line_at(self.tokens[before].range.end.saturating_sub(1)));
        let last = self.line_at(range.end.saturating_sub(1));
        let after = self.tokens.get(token + 1).map(|next| self.line_at(next.range.start) - last);
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
        one.class == two.class && one.kind == two.kind && one.join == two.join && same_text && placed
    }

    /// Returns the key of a line.
    pub(crate) fn key(&self, line: usize) -> LineKey {
        let range = self.starts.get(line).copied().unwrap_or(self.text.len())
            ..self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        let indices = self.tokens_of(&(line..line + 1));
        let text = self.line(line);
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
            let part = &self.text[token.range.start.max(range.start)..token.range.end.min(range.end)];
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
