//! The search for the keywords of all rules, in any case.
//!
//! In: the keywords. Out: their places in a text, also overlapping ones. An automaton for thousands of keywords takes longer to build than
//! most commands run; it is faster only for long texts that are full of keywords. Here two looks at the next four bytes decide at nearly
//! every place.

/// The number of bytes of a keyword that decide whether it is compared.
const BEGIN: usize = 4;
/// The number of bits of the set of beginnings: small enough for a cache, large enough that few other beginnings share a bit.
const BEGINNING_BITS: u32 = 17;
/// The number of bytes that are compared in one step.
const HEAD: usize = 8;

/// Finds keywords.
pub(super) struct KeywordSearch {
    /// The keywords that are shorter than [`BEGIN`], by their first two bytes.
    short: Buckets<{ 1 << 16 >> 6 }>,
    /// The other keywords, by their first bytes.
    long: Buckets<{ 1 << BEGINNING_BITS >> 6 }>,
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
        let words = words.into_iter().enumerate().map(|(index, word)| Word::new(index, word.as_bytes()));
        let (long, short): (Vec<Word>, Vec<Word>) = words.partition(|word| word.text.len() >= BEGIN);
        Self {
            short: Buckets::new(short, |word| pair(word.begin())),
            long: Buckets::new(long, |word| beginning(word.begin())),
        }
    }

    /// Calls a function for every keyword in a text, in the order of their starts.
    pub(super) fn find(&self, text: &[u8], mut found: impl FnMut(Hit)) {
        let mut lower = Vec::with_capacity(text.len() + HEAD);
        lower.extend(text.iter().map(u8::to_ascii_lowercase));
        // The last bytes begin keywords, too. No keyword contains the byte behind them.
        lower.extend([0; HEAD]);
        let (first, rest) = lower.split_at(BEGIN - 1);
        let mut next = first.iter().copied().fold(0, push);
        for (start, byte) in rest[..text.len()].iter().enumerate() {
            next = push(next, *byte);
            let (long, short) = (beginning(next), pair(next));
            // Nearly always neither is in its set: one branch is faster than two.
            let (is_long, is_short) = (self.long.contains(long), self.short.contains(short));
            if is_long | is_short {
                let text = &lower[start..];
                if is_long {
                    self.long.compare(long, text, |word| found(word.hit(start)));
                }
                if is_short {
                    self.short.compare(short, text, |word| found(word.hit(start)));
                }
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

/// Returns the number for the first bytes of a keyword. The multiplier is that of Fibonacci hashing.
fn beginning(bytes: u32) -> u32 {
    bytes.wrapping_mul(0x9E37_79B9) >> (32 - BEGINNING_BITS)
}

/// A keyword with its first bytes as a number.
struct Word {
    index: usize,
    text: Box<[u8]>,
    head: u64,
    /// The bits of `head` that belong to the keyword.
    mask: u64,
}

impl Word {
    fn new(index: usize, text: &[u8]) -> Self {
        let unused = HEAD.saturating_sub(text.len()) * 8;
        Self { index, text: text.into(), head: head(&[text, &[0; HEAD]].concat()), mask: u64::MAX << unused }
    }

    fn hit(&self, start: usize) -> Hit {
        Hit { keyword: self.index, start, end: start + self.text.len() }
    }

    fn begin(&self) -> u32 {
        (self.head >> 32) as u32
    }
}

/// Returns the next [`HEAD`] bytes as a number. The first byte is the most significant one.
fn head(text: &[u8]) -> u64 {
    text.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes))
}

/// Words by a number below 64 times `SIZE`. Whether a number has words is found with one look.
struct Buckets<const SIZE: usize> {
    /// A bit for each number that has words.
    bits: Box<[u64; SIZE]>,
    /// The number of bits that are set before each element of `bits`.
    before: Box<[u16; SIZE]>,
    /// The index of the first word of each number that has words, and the number of all words.
    starts: Vec<u16>,
    words: Vec<Word>,
}

impl<const SIZE: usize> Buckets<SIZE> {
    /// Sorts words into their buckets. There are fewer than 65,536.
    fn new(mut words: Vec<Word>, number: impl Fn(&Word) -> u32) -> Self {
        words.sort_by_key(&number);
        let (bits, before) = (Box::new([0; SIZE]), Box::new([0; SIZE]));
        let mut buckets = Self { bits, before, starts: Vec::new(), words: Vec::new() };
        for (at, same) in (0..).zip(words.iter().map(number)) {
            if !buckets.contains(same) {
                buckets.bits[same as usize >> 6] |= 1 << (same & 63);
                buckets.starts.push(at);
            }
        }
        let mut count = 0;
        for (before, bits) in buckets.before.iter_mut().zip(buckets.bits.iter()) {
            *before = count;
            count += bits.count_ones() as u16;
        }
        buckets.starts.push(words.len() as u16);
        buckets.words = words;
        buckets
    }

    fn contains(&self, number: u32) -> bool {
        self.bits[number as usize >> 6] >> (number & 63) & 1 != 0
    }

    /// Calls a function for the words of a number that a text begins with.
    fn compare(&self, number: u32, text: &[u8], mut found: impl FnMut(&Word)) {
        let element = number as usize >> 6;
        let rank = (self.bits[element] & ((1 << (number & 63)) - 1)).count_ones() as usize;
        let bucket = usize::from(self.before[element]) + rank;
        let next = head(text);
        for word in &self.words[usize::from(self.starts[bucket])..usize::from(self.starts[bucket + 1])] {
            if next & word.mask == word.head && (word.text.len() <= HEAD || text.starts_with(&word.text)) {
                found(word);
            }
        }
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
