//! The built-in formats of secrets: the tables of `config/redaction`, which the build script has read and checked.

use super::runs::runs;

include!(concat!(env!("OUT_DIR"), "/formats.rs"));

/// The position of a rule's secret, relative to its keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Token,
    Near,
    Value,
}

/// A format of `config/redaction`, as the build script writes it.
pub(super) struct Format {
    pub(super) name: &'static str,
    pub(super) keywords: &'static [&'static str],
    pub(super) shape: Shape,
    pub(super) pattern: &'static str,
    /// The bytes that a match can begin with, as indexes into [`BYTE_SETS`].
    pub(super) head: &'static [u16],
    pub(super) run: Run,
    /// The number of bytes in which one of [`NOUNS`] must begin. Zero if the pattern has no such part.
    pub(super) noun_within: usize,
    /// Whether the secret must not follow a word character. Derived from the pattern, it saves most attempts.
    pub(super) boundary: bool,
    /// The maximum distance in bytes between the keyword and the secret.
    pub(super) reach: usize,
    /// The minimum entropy of a secret in bits per byte.
    pub(super) entropy: f64,
    /// Whether a secret is a user and a password in base64.
    pub(super) base64: bool,
    /// Whether a secret is neither a word nor a name nor a placeholder.
    pub(super) random: bool,
}

/// A run of characters that every match of a format has.
#[derive(Debug)]
pub(super) struct Run {
    /// The least length of the run in bytes. Zero if nothing is known.
    pub(super) least: usize,
    /// The number of bytes from the begin of a match in which so much of the run is.
    pub(super) within: usize,
    /// Whether the run has characters of base64 and the like. Otherwise, it has those of words only.
    pub(super) has_data: bool,
}

impl Run {
    /// Returns whether a text has such a run. This is much faster than the pattern, and mostly decides.
    pub(super) fn is_in(&self, text: &[u8]) -> bool {
        let sets = if self.has_data { &IN_DATA } else { &IN_WORDS };
        self.least == 0 || runs(text, self.least, |byte| sets[usize::from(byte)]).next().is_some()
    }
}

const fn bytes(others: &[u8]) -> [bool; 256] {
    let mut set = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        set[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    let mut at = 0;
    while at < others.len() {
        set[others[at] as usize] = true;
        at += 1;
    }
    set
}

/// The characters of words and of data, as in `build/run.rs`.
const IN_WORDS: [bool; 256] = bytes(b"_");
const IN_DATA: [bool; 256] = bytes(b"_+/=-.");

/// The length of the longest of [`NOUNS`] in bytes.
const LONGEST_NOUN: usize = 7;

impl Format {
    /// Returns whether a match can begin with these bytes. This is much faster than the pattern, and mostly decides.
    pub(super) fn can_begin(&self, text: &[u8]) -> bool {
        text.len() >= self.head.len()
            && self.head.iter().zip(text).all(|(set, byte)| is_in_set(*set, *byte))
            && (self.noun_within == 0 || has_noun(&text[..text.len().min(self.noun_within + LONGEST_NOUN)]))
    }
}

/// Returns whether one of [`BYTE_SETS`] contains a byte.
pub(super) fn is_in_set(set: u16, byte: u8) -> bool {
    BYTE_SETS[usize::from(set)][usize::from(byte >> 6)] & 1 << (byte & 63) != 0
}

/// Returns whether a text contains one of the words that many patterns need near the name of a product.
fn has_noun(text: &[u8]) -> bool {
    let begins = |at: usize| {
        NOUNS
            .iter()
            .any(|noun| text.get(at..at + noun.len()).is_some_and(|part| part.eq_ignore_ascii_case(noun.as_bytes())))
    };
    // The first two letters of the words, in lower case, decide nearly always.
    let may_begin = |two: &[u8]| {
        matches!(
            [two[0] | 0x20, two[1] | 0x20],
            [b's', b'e'] | [b'p', b'r'] | [b'a', b'c'] | [b'k', b'e'] | [b't', b'o']
        )
    };
    text.windows(2).enumerate().any(|(at, two)| may_begin(two) && begins(at))
}
