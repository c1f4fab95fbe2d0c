//! Headlines that are alike in nearly all words, but about different things.

use std::collections::HashSet;

use super::words::{is_empty_word, tokens};
use crate::finding::Finding;

/// The maximum number of words in which two headlines differ that say the same of two things.
const MAX_REPLACED: usize = 2;
/// The number of characters of a headline that are compared.
const MAX_CHARS: usize = 2000;

/// Words of which a finding about the one is not about the other.
const OPPOSITES: &[(&str, &str)] = &[
    ("lower", "upper"),
    ("minimum", "maximum"),
    ("min", "max"),
    ("first", "last"),
    ("start", "end"),
    ("begin", "end"),
    ("left", "right"),
    ("top", "bottom"),
    ("before", "after"),
    ("read", "write"),
    ("reader", "writer"),
    ("input", "output"),
    ("request", "response"),
    ("client", "server"),
    ("source", "destination"),
    ("open", "close"),
    ("lock", "unlock"),
    ("encode", "decode"),
    ("encoder", "decoder"),
    ("overflow", "underflow"),
    ("key", "value"),
    ("width", "height"),
    ("row", "column"),
    ("username", "password"),
    ("odd", "even"),
    ("positive", "negative"),
    ("increase", "decrease"),
    ("increment", "decrement"),
    ("acquire", "release"),
    ("allocate", "free"),
    ("push", "pop"),
    ("insert", "remove"),
];

/// The words of a finding's headline, to compare it with another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Headline {
    words: Vec<String>,
    /// The words that are also in the code that the finding quotes, and numbers.
    in_code: HashSet<String>,
    opposites: Opposites,
}

impl Headline {
    /// Reads the headline of a finding: its title, or the first sentence of its text.
    pub(crate) fn of(finding: &Finding) -> Self {
        let found = finding.as_found();
        let text = match &found.title {
            Some(title) => title.as_str(),
            None => found.body_markdown.split(". ").next().unwrap_or_default(),
        };
        let text: String = text.chars().take(MAX_CHARS).collect();
        let words: Vec<String> = tokens(&text).filter(|word| !is_empty_word(word)).collect();
        let code: HashSet<String> =
            [&found.quote, &finding.code].into_iter().flatten().flat_map(|code| tokens(code)).collect();
        let is_in_code = |word: &&String| code.contains(*word) || word.bytes().all(|byte| byte.is_ascii_digit());
        let in_code = words.iter().filter(is_in_code).cloned().collect();
        Self { opposites: Opposites::of(&words), words, in_code }
    }

    /// Returns whether the headlines are about different things: one has only a word, the other only its opposite, or they are the same but
    /// for a few words that both stand in the code ("timeout is not checked", "retries is not checked").
    pub(crate) fn differs(&self, other: &Self) -> bool {
        self.opposites.exclude(other.opposites) || self.names_other_code(other)
    }

    /// Returns whether one has only a word whose opposite only the other has.
    pub(crate) fn is_opposite(&self, other: &Self) -> bool {
        self.opposites.exclude(other.opposites)
    }

    fn names_other_code(&self, other: &Self) -> bool {
        let (a, b) = (&self.words[..], &other.words[..]);
        let before = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        let (a, b) = (&a[before..], &b[before..]);
        let behind = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
        let (a, b) = (&a[..a.len() - behind], &b[..b.len() - behind]);
        let replaced = a.len().max(b.len());
        let names_code = |words: &[String], of: &Self| words.iter().any(|word| of.in_code.contains(word));
        replaced <= MAX_REPLACED && replaced <= before + behind && names_code(a, self) && names_code(b, other)
    }
}

/// The opposite words that a headline contains, one bit for each pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Opposites {
    one: u32,
    other: u32,
}

impl Opposites {
    fn of(words: &[String]) -> Self {
        let mut found = Self::default();
        for word in words.iter().flat_map(|word| word.split('_')) {
            for (at, (one, other)) in OPPOSITES.iter().enumerate() {
                found.one |= u32::from(word == *one) << at;
                found.other |= u32::from(word == *other) << at;
            }
        }
        found
    }

    /// Returns whether one text only has a word whose opposite only the other text has.
    fn exclude(self, with: Self) -> bool {
        let (a, b) =
            ((self.one & !self.other, self.other & !self.one), (with.one & !with.other, with.other & !with.one));
        ((a.0 & b.1) | (a.1 & b.0)) != 0
    }
}
