//! A place in a text from which a value is read, the values that were found, and how they are written.

use std::ops::{Deref, DerefMut};

use super::values::Bare;

/// The notation of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// Whether the value is between quotes.
    pub(super) quoted: bool,
    /// How an unquoted value at this place is read.
    pub(super) bare: Bare,
    /// Whether the value is not clearly assigned (behind a blank, compared, one of several), so that it must look like a secret.
    pub(super) loose: bool,
}

/// The values of a key, and facts about the text that they are read from.
#[derive(Default)]
pub(super) struct Values {
    found: Vec<(usize, usize, Place)>,
    /// A part of the text without an operator before a value that replaces a missing one.
    pub(super) without_fallback: (usize, usize),
}

impl Deref for Values {
    type Target = Vec<(usize, usize, Place)>;

    fn deref(&self) -> &Self::Target {
        &self.found
    }
}

impl DerefMut for Values {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.found
    }
}

/// The maximum distance in bytes between a key and its value.
pub(super) const REACH: usize = 400;
/// The maximum length of a value in bytes.
pub(super) const MAX_VALUE_BYTES: usize = 16 * 1024;

/// Returns the number of blanks at the start of a line.
pub(super) fn indent(line: &[u8]) -> usize {
    line.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// Returns the start of the line that contains a place, or the place [`REACH`] bytes before it.
pub(super) fn line_start(text: &[u8], at: usize) -> usize {
    let from = at.saturating_sub(REACH);
    memchr::memrchr(b'\n', &text[from..at]).map_or(from, |line| from + line + 1)
}

/// A place in a text from which a value is read.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    pub(super) text: &'a [u8],
    pub(super) at: usize,
    /// The maximum length of a value in bytes.
    pub(super) reach: usize,
    /// The end of the part that was read.
    pub(super) furthest: usize,
}

impl<'a> Cursor<'a> {
    #[inline]
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.text[self.at.min(self.text.len())..]
    }

    /// Returns the rest of the line, at most `reach` bytes.
    pub(super) fn line(&mut self) -> &'a [u8] {
        self.line_within(self.reach)
    }

    /// Returns the rest of the line, at most `most` bytes.
    pub(super) fn line_within(&mut self, most: usize) -> &'a [u8] {
        let rest = self.rest();
        let rest = &rest[..rest.len().min(most)];
        let line = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
        self.furthest = self.furthest.max(self.at + line.len());
        line
    }

    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    #[inline]
    pub(super) fn take(&mut self, what: &[u8]) -> bool {
        // Most signs that are tried are not there. Their first byte says so without a call.
        let found = self.peek() == what.first().copied() && self.rest().starts_with(what);
        if found {
            self.at += what.len();
        }
        found
    }

    #[inline]
    pub(super) fn blanks(&mut self) -> usize {
        let count = self.rest().iter().take(64).take_while(|byte| **byte == b' ' || **byte == b'\t').count();
        self.at += count;
        count
    }

    /// Skips blanks and line ends.
    pub(super) fn space(&mut self) {
        self.at += self.rest().iter().take(REACH).take_while(|byte| byte.is_ascii_whitespace()).count();
    }

    /// Returns whether the word before the last `blanks` characters is the first word of its line.
    pub(super) fn is_first_word(&self, blanks: usize) -> bool {
        let head = &self.text[..self.at - blanks];
        !head[line_start(head, head.len())..].trim_ascii_start().iter().any(u8::is_ascii_whitespace)
    }

    pub(super) fn line_ended(&self) -> bool {
        matches!(self.rest(), [] | [b'\n', ..] | [b'\r', b'\n', ..])
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Assigns,
    Compares,
    Colon,
    Comma,
    Element,
    Blank,
    /// The value is taken if the key has none: `env.TOKEN || "…"`.
    Falls,
}
