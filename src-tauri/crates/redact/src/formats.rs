//! The built-in formats of secrets: the tables of `config/redaction`, which the build script has read and checked.

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
