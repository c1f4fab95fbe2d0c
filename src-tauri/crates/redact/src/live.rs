//! Text that is shown while it is being written. It is masked as far as it is known, and corrected when later text reveals more.
//!
//! In: pieces of any length. Out: the length of the shown text that stays, and the text to add. A word or a key block is shown only after
//! it has ended, so a secret without blanks is never shown in part. At the end the whole text is masked once more.

use super::Session;

/// The number of lines that stay open, because the masking of a line can depend on the lines before it.
const OPEN_LINES: usize = 16;
/// The number of open lines above which the first ones are settled.
const MANY_LINES: usize = 48;
/// A longer line is shown only after it has ended.
const MAX_LINE_BYTES: usize = 128 * 1024;
/// The maximum length of a word in bytes. A longer one is shown before it has ended.
const LONGEST_WORD: usize = 4 * 1024;

/// A change of the shown text. Lengths are in UTF-16 units, as the interface counts them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The length of the shown text that stays.
    pub keep: usize,
    /// The text to append to it.
    pub add: String,
}

/// A masked text that grows.
pub struct LiveText {
    session: Session,
    raw: String,
    /// The start of the part that is still open, in bytes of `raw`.
    open: usize,
    /// The shown text: first the settled part, then the masked open part.
    shown: String,
    settled: usize,
    settled_units: usize,
}

impl LiveText {
    /// Creates an empty text.
    pub fn new(session: Session) -> Self {
        Self { session, raw: String::new(), open: 0, shown: String::new(), settled: 0, settled_units: 0 }
    }

    /// Appends a piece. [`Self::flush`] returns the resulting change.
    pub fn push(&mut self, piece: &str) {
        self.raw.push_str(piece);
    }

    /// Returns whether nothing but white space was written.
    pub fn is_empty(&self) -> bool {
        self.raw.trim().is_empty()
    }

    /// Returns the text that is shown now, masked.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Returns the change since the last call, or `None` if nothing changed.
    pub fn flush(&mut self) -> Option<Patch> {
        let end = self.open + self.ready()?;
        let masked = self.session.contract("agent output", &self.raw[self.open..end]).into_inner();
        let before = &self.shown[self.settled..];
        let same = common(before, &masked);
        if same == before.len() && same == masked.len() {
            return None;
        }
        let keep = self.settled_units + units(&masked[..same]);
        let patch = Patch { keep, add: masked[same..].to_owned() };
        self.shown.truncate(self.settled);
        self.shown.push_str(&masked);
        self.settle(end);
        Some(patch)
    }

    /// Returns the length of the open part that can be shown.
    fn ready(&self) -> Option<usize> {
        let open = &self.raw[self.open..];
        let most = super::blocks::open_block(open.as_bytes()).unwrap_or(open.len());
        let line = open[..most].rfind('\n').map_or(0, |at| at + 1);
        if most - line > MAX_LINE_BYTES {
            return Some(line).filter(|line| *line > 0);
        }
        let word = open[..most]
            .rfind(char::is_whitespace)
            .map_or(0, |at| at + open[at..].chars().next().map_or(1, char::len_utf8));
        let ready = if most - word > LONGEST_WORD && most == open.len() { most } else { word };
        (ready > 0).then_some(ready)
    }

    /// Settles the lines that later text can no longer change.
    fn settle(&mut self, end: usize) {
        let ends = |text: &str| memchr::memchr_iter(b'\n', text.as_bytes()).collect::<Vec<_>>();
        let (raw, masked) = (ends(&self.raw[self.open..end]), ends(&self.shown[self.settled..]));
        if raw.len() < MANY_LINES || raw.len() != masked.len() {
            return;
        }
        let line = raw.len() - OPEN_LINES;
        let to = self.settled + masked[line] + 1;
        self.settled_units += units(&self.shown[self.settled..to]);
        self.settled = to;
        self.open += raw[line] + 1;
    }

    /// Returns the whole text, masked as one.
    pub fn finish(mut self) -> String {
        self.session.contract("agent output", &self.raw).into_inner()
    }
}

/// Returns the length of the common prefix of two texts, in bytes, at a character boundary.
fn common(a: &str, b: &str) -> usize {
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    (0..=same).rev().find(|at| a.is_char_boundary(*at) && b.is_char_boundary(*at)).unwrap_or(0)
}

/// Returns the length of a text in UTF-16 units, as the interface counts it.
pub fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::Redactor;
    use diffsan_config::RedactionConfig;

    fn live() -> LiveText {
        let config = RedactionConfig { enabled: true, extra_patterns: Vec::new(), allow: Vec::new() };
        LiveText::new(Arc::new(Redactor::new(&config, [7; 32]).expect("an engine")).session())
    }

    /// Applies the patches as the interface does. Returns the final text and every text that was shown.
    fn watch(pieces: &[&str]) -> (String, Vec<String>, LiveText) {
        let (mut live, mut shown, mut all) = (live(), Vec::<u16>::new(), Vec::new());
        for piece in pieces {
            live.push(piece);
            if let Some(patch) = live.flush() {
                shown.truncate(patch.keep);
                shown.extend(patch.add.encode_utf16());
            }
            let text = String::from_utf16(&shown).expect("whole characters");
            assert_eq!(text, live.shown());
            all.push(text);
        }
        (String::from_utf16(&shown).expect("whole characters"), all, live)
    }

    #[test]
    fn words_are_shown_once_they_are_complete() {
        let (last, all, live) = watch(&["He", "llo wo", "rld \u{1f980} and", " mo", "re"]);
        assert_eq!(
            all,
            ["", "Hello ", "Hello world \u{1f980} ", "Hello world \u{1f980} and ", "Hello world \u{1f980} and "]
        );
        assert_eq!(last, "Hello world \u{1f980} and ");
        assert_eq!(live.finish(), "Hello world \u{1f980} and more");
    }

    #[test]
    fn no_part_of_a_token_or_a_key_is_ever_shown() {
        let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
        let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA75h2Xk\nQ2xMZzFtq8kLr0vVnTt9\n-----END RSA PRIVATE KEY-----\n";
        let text = format!("Use {token} here.\n\nThe key:\n{key}\nand password = \"hunter2-geheim\" too.\n");
        let pieces: Vec<String> = text.chars().map(String::from).collect();
        let (_, all, live) = watch(&pieces.iter().map(String::as_str).collect::<Vec<_>>());
        for shown in &all {
            for secret in [&token[..12], "MIIEpAIB", "Q2xMZz", "hunter2"] {
                assert!(!shown.contains(secret), "{shown}");
            }
        }
        let last = live.finish();
        assert!(last.contains("Use [REDACTED] here.") && last.ends_with("too.\n"), "{last}");
    }

    #[test]
    fn a_long_text_in_any_pieces_comes_out_the_same() {
        let text: String = (0..400).map(|at| format!("line {at} with API_KEY=sk_live_{at:024} é\u{1f980}\n")).collect();
        let mut chunks = Vec::new();
        let (mut rest, mut size) = (text.as_str(), 1);
        while !rest.is_empty() {
            let mut cut = size.min(rest.len());
            while !rest.is_char_boundary(cut) {
                cut += 1;
            }
            chunks.push(&rest[..cut]);
            rest = &rest[cut..];
            size = size % 97 + 5;
        }
        let (shown, _, live) = watch(&chunks);
        assert_eq!(shown, live.finish());
        assert!(!shown.contains("sk_live"));
    }
}
