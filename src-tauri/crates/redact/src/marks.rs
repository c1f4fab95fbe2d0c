//! Hides what stands in the marks of earlier masking from the rules.
//!
//! In: a text that may have marks. Out: the same text with marks that are all equal, and the way back to its places. A rule may reach across
//! a mark. If it saw the number in it, its verdict would depend on how many secrets were found before.

use super::engine::marker;
use super::session::TOKEN;
use super::span::Span;

/// The beginning of a mark with a rule and a number.
const NUMBERED: &[u8] = b"[REDACTED:";

/// A text in which all marks are equal.
pub(super) struct Uniform {
    pub(super) text: Vec<u8>,
    /// For each mark, its end in `text`, and the number of bytes that were left out up to there.
    marks: Vec<(usize, usize)>,
}

impl Uniform {
    /// Makes the marks of a text equal. Returns `None` if they are already.
    pub(super) fn new(text: &[u8]) -> Option<Self> {
        let first = memchr::memmem::find(text, NUMBERED)?;
        let mut uniform = Self { text: Vec::with_capacity(text.len()), marks: Vec::new() };
        let mut read = 0;
        for mark in marker().find_iter(&text[first..]) {
            uniform.text.extend_from_slice(&text[read..first + mark.start()]);
            uniform.text.extend_from_slice(TOKEN.as_bytes());
            read = first + mark.end();
            uniform.marks.push((uniform.text.len(), read - uniform.text.len()));
        }
        uniform.text.extend_from_slice(&text[read..]);
        Some(uniform)
    }

    /// Moves spans, which contain no mark, to their places in the original text.
    pub(super) fn restore(&self, spans: &mut [Span]) {
        let original = |at: usize| {
            let before = self.marks.partition_point(|(end, _)| *end <= at);
            at + before.checked_sub(1).map_or(0, |last| self.marks[last].1)
        };
        for span in spans {
            (span.start, span.end) = (original(span.start), original(span.end));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::session;

    #[test]
    fn spans_are_found_at_their_places() {
        let text = b"a [REDACTED:some-rule:12]b[REDACTED] c [REDACTED:x:3]d".as_slice();
        let uniform = Uniform::new(text).expect("marks");
        assert_eq!(uniform.text, b"a [REDACTED]b[REDACTED] c [REDACTED]d");
        for byte in *b"abcd" {
            let find = |text: &[u8]| text.iter().rposition(|other| *other == byte).expect("a byte");
            let at = find(&uniform.text);
            let mut spans = [Span::new(at, at + 1, "x".into())];
            uniform.restore(&mut spans);
            let place = find(text);
            assert_eq!((spans[0].start, spans[0].end), (place, place + 1), "{byte}");
        }
        assert!(Uniform::new(b"a [REDACTED] b").is_none());
    }

    #[test]
    fn the_verdict_does_not_depend_on_earlier_secrets() {
        let case = "    <string name=\"google_maps_key\">AIzaSy2sVnGF7yevdWdgWmZ7n2G47OmlU3Z3Fz-</string>\n    \
                    <string name=\"facebook_client_token\">325a99fe991aa14a127916900887a8fc</string>\n";
        let masked = |before: usize| {
            let mut session = session();
            for number in 0..before {
                session.text("a.py", &format!("password = \"Qz7x{number:04}LpW{:04}k\"", number * 7919 % 9973));
            }
            let numbers = regex::Regex::new(r":\d+\]").expect("a pattern");
            numbers.replace_all(&session.text("res/values/strings.xml", case).into_inner(), ":]").into_owned()
        };
        let first = masked(0);
        for before in [9, 99, 999] {
            assert_eq!(masked(before), first, "{before}");
        }
    }
}
