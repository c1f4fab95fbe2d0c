//! The words of a finding as numbers, so that two findings are compared in a few steps.

use std::collections::HashMap;

use crate::finding::Finding;

/// Words without meaning for the comparison.
const EMPTY_WORDS: &[&str] = &[
    "the", "a", "an", "is", "are", "be", "to", "of", "in", "on", "and", "or", "not", "it", "its", "this", "that",
    "with", "for", "when", "if", "so", "will", "would", "should", "could", "can", "may", "might", "must", "here",
    "there", "which", "where", "has", "have", "was", "were", "by", "as", "at", "from", "but", "code", "line", "lines",
    "change", "instead", "use", "using",
];
/// The number of characters of a headline that are compared; [`MAX_BODY_CHARS`] limits the text.
const MAX_TITLE_CHARS: usize = 2000;
const MAX_BODY_CHARS: usize = 400;

/// Assigns equal numbers to equal texts.
#[derive(Default)]
pub(crate) struct Numbers(HashMap<String, u32>);

impl Numbers {
    pub(crate) fn of(&mut self, text: &str) -> u32 {
        if let Some(&known) = self.0.get(text) {
            return known;
        }
        let number = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        self.0.insert(text.to_owned(), number);
        number
    }

    pub(crate) fn of_optional(&mut self, text: Option<&str>) -> Option<u32> {
        text.map(|text| self.of(text))
    }
}

/// A set of words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Words {
    /// The words in ascending order, each once.
    numbers: Vec<u32>,
    /// One bit for each word; several words may share a bit.
    bits: u128,
}

impl Words {
    pub(crate) fn new(mut numbers: Vec<u32>) -> Self {
        numbers.sort_unstable();
        numbers.dedup();
        let bits = numbers.iter().fold(0, |bits, number| bits | 1u128 << (number.wrapping_mul(0x9e37_79b1) >> 25));
        Self { numbers, bits }
    }

    /// Returns the meaningful words of a finding's headline and first sentences, reduced to their stems.
    pub(crate) fn of(finding: &Finding, numbers: &mut Numbers) -> Self {
        Self::new(meaning(finding).map(|word| numbers.of(&word)).collect())
    }

    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.numbers.iter().copied()
    }

    pub(crate) fn is_subset(&self, other: &Self) -> bool {
        self.bits & !other.bits == 0 && self.common(other) == self.len()
    }

    /// Returns an upper bound of the number of common words. It is fast, and enough to separate most pairs.
    fn at_most_common(&self, other: &Self) -> usize {
        // Each bit that only one set has belongs to at least one word that only this set has.
        let own = self.len() - (self.bits & !other.bits).count_ones() as usize;
        own.min(other.len() - (other.bits & !self.bits).count_ones() as usize)
    }

    /// Returns the number of common words.
    fn common(&self, other: &Self) -> usize {
        let (mut a, mut b, mut common) = (0, 0, 0);
        while let (Some(one), Some(two)) = (self.numbers.get(a), other.numbers.get(b)) {
            common += usize::from(one == two);
            (a, b) = (a + usize::from(one <= two), b + usize::from(two <= one));
        }
        common
    }

    /// Returns the share of the shorter finding's words that the other also contains.
    pub(crate) fn likeness(&self, other: &Self) -> f64 {
        let fewer = self.len().min(other.len());
        if fewer == 0 { 0.0 } else { self.common(other) as f64 / fewer as f64 }
    }

    /// Returns whether [`Self::likeness`] can be at least `least`.
    pub(crate) fn may_be_alike(&self, other: &Self, least: f64) -> bool {
        self.at_most_common(other) as f64 >= self.len().min(other.len()) as f64 * least - 1e-9
    }

    /// Returns the share of all words that both contain.
    pub(crate) fn overlap(&self, other: &Self) -> f64 {
        let common = self.common(other);
        let all = self.len() + other.len() - common;
        if all == 0 { 1.0 } else { common as f64 / all as f64 }
    }

    /// Returns whether [`Self::overlap`] can be at least `least`.
    pub(crate) fn may_overlap(&self, other: &Self, least: f64) -> bool {
        let common = self.at_most_common(other);
        common as f64 >= (self.len() + other.len() - common) as f64 * least - 1e-9
    }
}

pub(crate) fn meaning(finding: &Finding) -> impl Iterator<Item = String> {
    let title: String = finding.as_found().title.iter().flat_map(|title| title.chars()).take(MAX_TITLE_CHARS).collect();
    let body: String = finding.as_found().body_markdown.chars().take(MAX_BODY_CHARS).collect();
    let words: Vec<String> = tokens(&format!("{title} {body}"))
        .filter(|word| word.len() > 1 && !is_empty_word(word))
        .map(|word| stem(&word))
        .collect();
    words.into_iter()
}

/// Returns whether a word has no meaning for the comparison.
pub(crate) fn is_empty_word(word: &str) -> bool {
    EMPTY_WORDS.contains(&word)
}

pub(crate) fn tokens(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|char: char| !char.is_alphanumeric() && char != '_');
    words.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// Returns the words in backticks, and those in quotes that are a single name.
pub(crate) fn names(text: &str) -> impl Iterator<Item = String> {
    let between = |mark: char| text.split(mark).skip(1).step_by(2);
    let is_name =
        |text: &&str| !text.is_empty() && text.chars().all(|char| char.is_alphanumeric() || "_.".contains(char));
    between('`').chain(between('"').filter(is_name)).flat_map(tokens)
}

/// Returns the quote without white space, if it is long enough to be significant.
pub(crate) fn quoted(finding: &Finding) -> Option<String> {
    let letters = |text: &str| text.chars().filter(|char| !char.is_whitespace()).collect::<String>();
    finding.as_found().quote.as_deref().map(letters).filter(|code| code.len() >= 4)
}

fn stem(word: &str) -> String {
    let cut = ["ations", "ation", "ings", "ing", "ies", "ied", "ed", "es", "s", "ly"]
        .iter()
        .find_map(|end| word.strip_suffix(end).filter(|stem| stem.chars().count() >= 3));
    cut.unwrap_or(word).to_owned()
}
