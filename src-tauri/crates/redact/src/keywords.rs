//! The search for the keywords of all rules, in any case.
//!
//! In: the keywords. Out: their places in a text, also overlapping ones. An automaton for thousands of keywords takes longer to build than
//! most commands run; it is a fifth faster only for texts of more than about 20 MB. Here one look at the next four bytes decides at nearly
//! every place.

use rustc_hash::FxHashMap;

/// The number of bytes of a keyword that decide whether it is compared.
const BEGIN: usize = 4;
/// The number of bits of a set of beginnings: small enough for a cache, large enough that few other beginnings share a bit.
const BEGINNING_BITS: u32 = 17;

/// Finds keywords.
pub(super) struct KeywordSearch {
    words: Vec<String>,
    /// The first two bytes of the keywords that are shorter than [`BEGIN`].
    pairs: BitSet<{ 1 << 16 >> 6 }>,
    /// The first bytes of the other keywords.
    beginnings: BitSet<{ 1 << BEGINNING_BITS >> 6 }>,
    by_pair: FxHashMap<u32, Vec<usize>>,
    by_beginning: FxHashMap<u32, Vec<usize>>,
}

/// A keyword in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    /// The index of the keyword.
    pub(super) keyword: usize,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl KeywordSearch {
    /// Prepares a search for words of two or more bytes in lower case.
    pub(super) fn new(words: Vec<String>) -> Self {
        let mut search = Self {
            words: Vec::new(),
            pairs: BitSet::new(),
            beginnings: BitSet::new(),
            by_pair: FxHashMap::default(),
            by_beginning: FxHashMap::default(),
        };
        for (index, word) in words.iter().enumerate() {
            let begin = word.bytes().chain(std::iter::repeat(0)).take(BEGIN).fold(0, push);
            if word.len() < BEGIN {
                search.pairs.insert(pair(begin));
                search.by_pair.entry(pair(begin)).or_default().push(index);
            } else {
                search.beginnings.insert(beginning(begin));
                search.by_beginning.entry(begin).or_default().push(index);
            }
        }
        search.words = words;
        search
    }

    /// Calls a function for every keyword in a text, in the order of their starts.
    pub(super) fn find(&self, text: &[u8], mut found: impl FnMut(Hit)) {
        let mut lower = Vec::with_capacity(text.len() + BEGIN - 1);
        lower.extend(text.iter().map(u8::to_ascii_lowercase));
        // The last bytes begin keywords, too. No keyword contains the byte behind them.
        lower.extend([0; BEGIN - 1]);
        for (start, window) in lower.windows(BEGIN).enumerate() {
            let next = window.iter().copied().fold(0, push);
            let (long, short) = (self.beginnings.contains(beginning(next)), self.pairs.contains(pair(next)));
            // Nearly always neither is: one branch is faster than two.
            if long | short {
                if long {
                    self.compare(&self.by_beginning, next, &lower, start, &mut found);
                }
                if short {
                    self.compare(&self.by_pair, pair(next), &lower, start, &mut found);
                }
            }
        }
    }

    #[inline(never)]
    fn compare(
        &self,
        table: &FxHashMap<u32, Vec<usize>>,
        begin: u32,
        text: &[u8],
        start: usize,
        found: &mut impl FnMut(Hit),
    ) {
        for &keyword in table.get(&begin).into_iter().flatten() {
            let word = self.words[keyword].as_bytes();
            // Most words with the same beginning differ in their last byte, too.
            if text.get(start + word.len() - 1) == word.last() && text[start..].starts_with(word) {
                found(Hit { keyword, start, end: start + word.len() });
            }
        }
    }
}

/// Returns the last bytes of a text, with one more byte.
fn push(bytes: u32, byte: u8) -> u32 {
    bytes << 8 | u32::from(byte)
}

fn pair(bytes: u32) -> u32 {
    bytes >> 16
}

/// Returns the bit for the first bytes of a keyword. The multiplier is that of Fibonacci hashing.
fn beginning(bytes: u32) -> u32 {
    bytes.wrapping_mul(0x9E37_79B9) >> (32 - BEGINNING_BITS)
}

/// A set of numbers below 64 times `WORDS`.
struct BitSet<const WORDS: usize>(Box<[u64; WORDS]>);

impl<const WORDS: usize> BitSet<WORDS> {
    fn new() -> Self {
        Self(Box::new([0; WORDS]))
    }

    fn insert(&mut self, number: u32) {
        self.0[number as usize >> 6] |= 1 << (number & 63);
    }

    fn contains(&self, number: u32) -> bool {
        self.0[number as usize >> 6] >> (number & 63) & 1 != 0
    }
}

#[cfg(test)]
mod tests {
    use aho_corasick::AhoCorasick;
    use proptest::prelude::*;

    use super::*;

    fn hits(search: &KeywordSearch, text: &[u8]) -> Vec<(usize, usize, usize)> {
        let mut hits = Vec::new();
        search.find(text, |hit| hits.push((hit.keyword, hit.start, hit.end)));
        hits
    }

    #[test]
    fn overlapping_keywords_are_found_in_any_case() {
        let search = KeywordSearch::new(["key", "api_key", "s.", "password", "pass"].map(str::to_owned).to_vec());
        assert_eq!(
            hits(&search, b"API_KEY = 1; Password: pass"),
            [(1, 0, 7), (0, 4, 7), (3, 13, 21), (4, 13, 17), (4, 23, 27)]
        );
        assert_eq!(hits(&search, b"S."), [(2, 0, 2)]);
        assert_eq!(hits(&search, b"s"), []);
        assert_eq!(hits(&search, b""), []);
    }

    proptest! {
        #[test]
        fn the_hits_are_those_of_an_automaton(
            words in prop::collection::hash_set("[a-c:]{2,6}", 1..40),
            text in "[a-cA-C:x]{0,80}",
        ) {
            let words: Vec<String> = words.into_iter().collect();
            let automaton = AhoCorasick::builder().ascii_case_insensitive(true).build(&words).expect("an automaton");
            let mut expected: Vec<_> = automaton
                .find_overlapping_iter(&text)
                .map(|hit| (hit.pattern().as_usize(), hit.start(), hit.end()))
                .collect();
            let mut found = hits(&KeywordSearch::new(words), text.as_bytes());
            expected.sort_unstable();
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
