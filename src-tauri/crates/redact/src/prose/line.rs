//! A line with a word that begins the search for a password, and the lines around it that belong to its sentence.
//!
//! In: a text and the range of a line. Out: the lines above and below.

use super::RULE;
use super::nearby::without_marks;
use super::value::{Value, ends_clause, ends_line};
use crate::cursor::{REACH, line_start};
use crate::span::Span;
use crate::types::RedactionReason;

/// The maximum length of a line above or below in bytes.
const MAX_LINE: usize = 200;
/// The maximum number of lines of a sentence below its first one.
const MAX_WRAPPED: usize = 2;
/// The marks of the lines of a comment.
const MARKS: &[&str] = &["///", "//", "#", "*", "--", ";"];

/// A line with the word in it.
pub(super) struct Line<'a> {
    /// The word that begins the search.
    pub(super) name: &'a str,
    pub(super) before: &'a str,
    pub(super) rest: &'a str,
    /// Whether the file is a document, and not the comment of a source file.
    pub(super) is_document: bool,
    /// The whole text, and the range of the line in it.
    pub(super) text: &'a [u8],
    pub(super) range: (usize, usize),
}

impl<'a> Line<'a> {
    /// Returns the place of a value in the text, with the word that tells about it as the reason.
    pub(super) fn span(&self, value: Value<'_>, word: &str) -> Span {
        let start = value.text.as_ptr() as usize - self.text.as_ptr() as usize;
        let reason = RedactionReason::Key { word: word.to_owned() };
        Span::new(start, start + value.text.len(), RULE.into()).because(reason)
    }

    /// Returns whether a clause ends behind a value, and does not go on with the next line.
    pub(super) fn ends_sentence(&self, value: Value<'_>) -> bool {
        if !ends_clause(self.rest, value) || !ends_line(self.rest, value) {
            return ends_clause(self.rest, value);
        }
        let next = self.below().next().unwrap_or_default();
        self.rest[value.end..].starts_with('.') || !without_marks(next).starts_with(char::is_lowercase)
    }

    /// Returns whether a value and the name before it are in brackets.
    pub(super) fn is_enclosed(&self, value: Value<'_>) -> bool {
        self.before.ends_with(['(', '[']) && self.rest[value.end..].starts_with([')', ']'])
    }

    /// Returns the lines below, up to the first one that is too long or no text.
    pub(super) fn below(&self) -> impl Iterator<Item = &'a str> {
        let below = self.text.get(self.range.1 + 1..).unwrap_or_default();
        let lines = below.split(|byte| *byte == b'\n');
        lines.map_while(|line| std::str::from_utf8(line).ok().filter(|line| line.len() <= MAX_LINE))
    }

    /// Returns the line with the parts of its sentence on the lines around it, or `None` if there are none. A sentence of a document ends before a
    /// list, a heading or a table; the one of a comment ends with the comment.
    pub(super) fn wrapped(&self) -> Option<Self> {
        let own = mark(self.before).filter(|_| !self.is_document);
        if !self.is_document && own.is_none() {
            return None;
        }
        let belongs = |line: &str| match own {
            Some(own) => mark(line) == Some(own),
            None => is_running(line),
        };
        let mut end = self.range.1;
        let mut at = end;
        let mut count = 0;
        for line in self.below() {
            at += 1 + line.len();
            // A value can stand alone below an empty line.
            if line.trim().is_empty() && count == 0 && self.is_document && !self.rest.ends_with(['.', '!', '?']) {
                continue;
            }
            if !belongs(line) || count == MAX_WRAPPED {
                break;
            }
            (end, count) = (at, count + 1);
        }
        let mut start = self.range.0;
        let above = start.checked_sub(1).map(|line| (line_start(self.text, line), line));
        if let Some((from, to)) = above
            && let Ok(line) = std::str::from_utf8(&self.text[from..to])
            && line.len() <= MAX_LINE
            && belongs(line)
            && (own.is_some() || self.before.trim().is_empty() || is_running(self.before))
        {
            start = from;
        }
        if (start, end) == self.range {
            return None;
        }
        let place = |part: &str| part.as_ptr() as usize - self.text.as_ptr() as usize;
        let before = std::str::from_utf8(&self.text[start..place(self.before) + self.before.len()]).ok()?;
        let rest = std::str::from_utf8(&self.text[place(self.rest)..end.max(place(self.rest))]).ok()?;
        Some(Self { before, rest: rest.trim_end(), ..*self })
    }
}

/// Returns the mark of a comment at the begin of a line.
fn mark(line: &str) -> Option<&'static str> {
    let line = line.trim_start();
    MARKS.iter().find(|mark| line.starts_with(**mark)).copied()
}

/// Returns whether a line of a document is a part of running text.
fn is_running(line: &str) -> bool {
    let text = line.trim_start();
    let is_listed = text.trim_start_matches(|char: char| char.is_ascii_digit()).starts_with([')', '.']);
    !text.is_empty()
        && !text.starts_with(['#', '-', '+', '|', '>', '=', '[', '<', '~'])
        && !is_listed
        && !text.starts_with("* ")
        && !text.starts_with("```")
        && !text.starts_with(":: ")
}

/// Returns the range of the line around `start..end`, of which at most [`REACH`] bytes are read in each direction.
pub(super) fn line_around(text: &[u8], start: usize, end: usize) -> (usize, usize) {
    let to = text.len().min(end + REACH);
    (line_start(text, start), memchr::memchr(b'\n', &text[end..to]).map_or(to, |at| end + at))
}

/// Returns the length of the marks of a comment at the begin of a text, with the blank behind them.
pub(super) fn mark_length(text: &str) -> usize {
    let mark = MARKS.iter().find(|mark| text.strip_prefix(**mark).is_some_and(|rest| rest.starts_with(' ')));
    mark.map_or(0, |mark| mark.len() + 1)
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn sentences_of_several_lines_are_read() {
        check(
            "a.md",
            &[
                "The guest network is open, and the passphrase for the other one is\n⟦Kupfer-Dach-77⟧ since May.\n",
                "On staging the admin password was changed by Tom and is now\n`⟦Wolkenkuckuck⟧`, please do not share it.\n",
                "You can sign in as `qa@shop.example` with\n⟦Tulpen-Feld-3⟧ if you are in the VPN.\n",
                "Das Kennwort wurde geändert. Es lautet jetzt\n\n    ⟦Leinwand!77⟧\n",
                "All came with the account ``ADMIN``. We changed the\npassword everywhere to ``⟦Gr@fit-Luchs-88⟧`` before May.\n",
                "The lab password is on the handout, for those\nwho read at home it is ``⟦Olivenbaum2024⟧``.\n",
                "La contraseña cambió la semana pasada y ahora es\n⟦Girasol_2021⟧, no la compartas.\n",
                "The password field is\nrequired for all users.\n",
                "The password for the database is stored in\n`secrets.yml`.\n",
                "The password is hashed. It is\nnever stored.\n",
                "Rotate the token.\n\nGitOrigin-RevId: 63963addf97efa50135dea39a8d549a9f3fb39fe\n",
                "The password is\n- at least 8 characters\n- Never5hown\n",
            ],
        );
        check(
            "A.java",
            &[
                "// It asks for a word, and the password is now\n// ⟦Feder7ball⟧ on all boxes.\n",
                "/**\n * The PIN of the terminal is, as the vendor says,\n * always ⟦4471⟧.\n */\n",
                "// the password is read from the\n// environment2\n",
                "// the password is\nlet x = Feder7ball;\n",
            ],
        );
        check(
            "a.py",
            &[
                "# El lector pide un PIN; el técnico dijo que en todas las tiendas es ⟦9034⟧\n# menos en Vigo, donde pusieron ⟦6117⟧.\n",
            ],
        );
    }
}
