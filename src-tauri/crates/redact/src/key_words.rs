//! The words of a key: `dbPassword` consists of `db` and `password`.

use rustc_hash::FxHashMap;
use serde::Deserialize;
use smallvec::SmallVec;

/// The words of a key in lower case.
pub(super) struct KeyWords {
    /// The words without separators.
    joined: String,
    /// The end of each word in `joined`.
    ends: SmallVec<[usize; 8]>,
}

impl KeyWords {
    /// Returns all words without separators.
    pub(super) fn joined(&self) -> &str {
        &self.joined
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.iter_from(0)
    }

    /// Returns the words from an index on.
    pub(super) fn iter_from(&self, from: usize) -> impl DoubleEndedIterator<Item = &str> {
        (from..self.len()).map(|index| self.word(index))
    }

    pub(super) fn last(&self) -> Option<&str> {
        self.len().checked_sub(1).map(|index| self.word(index))
    }

    /// Removes the last word.
    pub(super) fn drop_last(&mut self) {
        self.ends.pop();
        self.joined.truncate(self.ends.last().copied().unwrap_or(0));
    }

    /// Removes the last words if they only say how the value is written.
    pub(super) fn drop_form(&mut self, forms: &Pairs) {
        let count = self.len();
        if count > 2 && forms.contains(self.word(count - 2), self.word(count - 1)) {
            self.drop_last();
            self.drop_last();
            if self.len() > 1 && self.last() == Some("in") {
                self.drop_last();
            }
        }
    }

    pub(super) fn word(&self, index: usize) -> &str {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.joined[start..self.ends[index]]
    }

    /// Ends the current word. A number behind a word (`password2`) does not change the meaning of the word, and neither a number nor a
    /// version (`v2`) is a word.
    fn end_word(&mut self) {
        let start = self.ends.last().copied().unwrap_or(0);
        let word = &self.joined[start..];
        let stem = word.trim_end_matches(|char: char| char.is_ascii_digit());
        let is_version = stem == "v" && stem.len() < word.len();
        self.joined.truncate(if is_version { start } else { start + stem.len() });
        if self.joined.len() > start {
            self.ends.push(self.joined.len());
        }
    }
}

/// Splits a key into words: `dbPassword`, `DB_PASSWORD` and `db.password` have the words `db` and `password`.
pub(super) fn split(key: &[u8]) -> KeyWords {
    let mut words = KeyWords { joined: String::with_capacity(key.len()), ends: SmallVec::new() };
    let text = String::from_utf8_lossy(key);
    let mut chars = text.chars();
    // The last two characters.
    let mut before = (' ', ' ');
    while let Some(char) = chars.next() {
        if char.is_alphanumeric() {
            if char.is_uppercase() && (before.1.is_lowercase() || ends_capitals(before, chars.as_str())) {
                words.end_word();
            }
            if char.is_ascii() {
                words.joined.push(char.to_ascii_lowercase());
            } else {
                words.joined.extend(char.to_lowercase());
            }
        } else {
            words.end_word();
        }
        before = (before.1, char);
    }
    words.end_word();
    words
}

/// Returns whether a capital behind two others begins a word: `APIKey`, but not `APIs` or `OAuth`.
fn ends_capitals(before: (char, char), rest: &str) -> bool {
    let mut rest = rest.chars();
    before.0.is_uppercase()
        && before.1.is_uppercase()
        && rest.next().is_some_and(char::is_lowercase)
        && rest.next().is_some_and(char::is_lowercase)
}

/// Pairs of words, by their first word.
#[derive(Default, Deserialize)]
#[serde(from = "Vec<(String, String)>")]
pub(super) struct Pairs(FxHashMap<String, Vec<String>>);

impl From<Vec<(String, String)>> for Pairs {
    fn from(list: Vec<(String, String)>) -> Self {
        let mut pairs = Self::default();
        for (first, second) in list {
            pairs.0.entry(first).or_default().push(second);
        }
        pairs
    }
}

impl Pairs {
    /// Returns the second words of all pairs.
    pub(super) fn seconds(&self) -> impl Iterator<Item = &String> {
        self.0.values().flatten()
    }

    pub(super) fn contains(&self, first: &str, second: &str) -> bool {
        self.0.get(first).is_some_and(|seconds| seconds.iter().any(|word| word == second))
    }
}

/// Endings of words, also by their last byte.
#[derive(Default, Deserialize)]
#[serde(from = "Vec<String>")]
pub(super) struct Endings {
    pub(super) all: Vec<String>,
    by_last: FxHashMap<u8, Vec<String>>,
}

impl From<Vec<String>> for Endings {
    fn from(all: Vec<String>) -> Self {
        let mut by_last: FxHashMap<u8, Vec<String>> = FxHashMap::default();
        for end in &all {
            by_last.entry(end.as_bytes().last().copied().unwrap_or_default()).or_default().push(end.clone());
        }
        Self { all, by_last }
    }
}

impl Endings {
    /// Returns whether a word ends with one of them.
    pub(super) fn contain_end_of(&self, word: &str) -> bool {
        let ends = word.as_bytes().last().and_then(|last| self.by_last.get(last));
        ends.is_some_and(|ends| ends.iter().any(|end| word.ends_with(end.as_str())))
    }
}
