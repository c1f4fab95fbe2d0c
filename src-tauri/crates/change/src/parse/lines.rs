//! Reads patch text line by line, with line numbers. Lines are slices of the text, never copies.

use bytes::Bytes;

/// A position in the text.
pub(super) struct Lines {
    text: Bytes,
    at: usize,
    number: usize,
    /// Whether the text is output of `git log`, whose commits are ordered newest first.
    pub(super) newest_first: bool,
}

impl Lines {
    pub(super) fn new(text: Bytes) -> Self {
        Self { text, at: 0, number: 1, newest_first: false }
    }

    /// Returns the number of the line that [`Self::peek`] returns, from 1.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// Returns the number of bytes that are not yet read.
    pub(super) fn remaining(&self) -> usize {
        self.text.len() - self.at
    }

    /// Returns the next line without its line feed, or `None` at the end.
    pub(super) fn peek(&self) -> Option<&[u8]> {
        self.peek_at(0)
    }

    /// Returns the line after `skip` others.
    pub(super) fn peek_at(&self, skip: usize) -> Option<&[u8]> {
        let mut rest = &self.text[self.at..];
        for _ in 0..skip {
            rest = &rest[memchr::memchr(b'\n', rest)? + 1..];
        }
        (!rest.is_empty()).then(|| &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())])
    }

    /// Returns the next line as a slice of the text, and moves past it.
    pub(super) fn next(&mut self) -> Option<Bytes> {
        let length = self.peek()?.len();
        let line = self.text.slice(self.at..self.at + length);
        self.at = (self.at + length + 1).min(self.text.len());
        self.number += 1;
        Some(line)
    }

    /// Moves past the next line.
    pub(super) fn skip(&mut self) {
        let length = self.peek().map_or(0, <[u8]>::len);
        self.at = (self.at + length + 1).min(self.text.len());
        self.number += 1;
    }

    /// Returns the offset of the next line, for [`Self::since`].
    pub(super) fn mark(&self) -> usize {
        self.at
    }

    /// Returns the text from a mark to the current position.
    pub(super) fn since(&self, mark: usize) -> Bytes {
        self.text.slice(mark..self.at)
    }

    /// Returns whether the whole text contains anything but white space.
    pub(super) fn any_text(&self) -> bool {
        self.text.iter().any(|byte| !byte.is_ascii_whitespace())
    }
}

/// Removes the `\r` from a header line of a patch that was saved with CRLF.
pub(super) fn trim(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Removes a byte-order mark, and converts UTF-16, which some shells write when they redirect, to UTF-8.
pub(super) fn as_utf8(text: Bytes) -> Bytes {
    let wide = |unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = text[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        Bytes::from(String::from_utf16_lossy(&units))
    };
    match text.get(..3) {
        Some([0xef, 0xbb, 0xbf]) => text.slice(3..),
        Some([0xff, 0xfe, _]) => wide(u16::from_le_bytes),
        Some([0xfe, 0xff, _]) => wide(u16::from_be_bytes),
        _ => text,
    }
}
