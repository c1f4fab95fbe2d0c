//! The search for the keywords of all rules, in any case.
//!
//! In: the keywords. Out: their places in a text, also overlapping ones. An automaton for thousands of keywords takes longer to build than
//! most commands run, and each of its steps waits for the one before. Here two looks at the next four bytes decide at nearly every place,
//! without a branch; the few places that are left in a block are then compared.

/// The number of bytes by which a keyword is looked up. A shorter one is looked up by one byte less.
const BEGIN: usize = 4;
/// The number of bytes that are compared in one step.
const HEAD: usize = 8;
/// The number of places that are looked at before the keywords at some of them are compared.
const BLOCK: usize = 64;

/// The numbers of bits of the numbers by which places are looked up, for the first three and the first four bytes. The sets of these numbers
/// are small enough for the nearest cache, and large enough that few other beginnings have the number of a keyword.
const SHORT_BITS: u32 = 16;
const MEDIUM_BITS: u32 = 17;
/// The number of bits of the numbers by which the keywords at a place are found.
const BUCKET_BITS: u32 = 11;

/// A set of bytes, one bit for each.
pub(super) type ByteSet = [u64; 4];

/// A keyword, and the bytes that must be in a text at its place.
pub(super) struct Keyword {
    /// Two or more bytes in lower case.
    pub(super) text: String,
    /// For each of the first bytes at the place of the keyword, the bytes that are useful there. A keyword elsewhere is not found. An empty
    /// list allows everything.
    pub(super) begins: Vec<ByteSet>,
}

/// Finds keywords.
pub(super) struct KeywordSearch {
    words: Vec<Word>,
    /// The beginnings of the keywords that are shorter than [`BEGIN`], and of the others.
    short_begins: Numbers<{ 1 << SHORT_BITS >> 6 }>,
    medium_begins: Numbers<{ 1 << MEDIUM_BITS >> 6 }>,
    /// The keywords that are shorter than [`BEGIN`].
    short: Buckets,
    /// The keywords that are shorter than [`HEAD`].
    medium: Buckets,
    /// The other keywords. Many of them begin with the same word.
    long: Buckets,
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
    /// Prepares a search. There are fewer than 65,536 keywords.
    pub(super) fn new(keywords: Vec<Keyword>) -> Self {
        let words: Vec<Word> = keywords
            .into_iter()
            .map(|word| Word { text: word.text.into_bytes().into(), begins: word.begins.into() })
            .collect();
        let (mut short, mut medium, mut long) = (Vec::new(), Vec::new(), Vec::new());
        let (mut short_begins, mut medium_begins) = (Numbers::new(), Numbers::new());
        for (index, word) in (0..).zip(&words) {
            let (head, mask) = word.begin();
            let folded = head | CASE;
            let is_whole = word.text.len() <= HEAD && word.begins.is_empty();
            let length = word.text.len() as u16;
            let last = word.text.last().copied().unwrap_or_default();
            let begin = |hash: u64| (bucket(hash), Begin { head, mask, index, length, last, is_whole });
            match word.text.len() {
                0..BEGIN => {
                    // Every byte may follow two bytes.
                    let follows = |byte: &u8| word.begins.get(2).is_none_or(|set| contains(set, *byte));
                    let third = |byte: u8| (u64::from(byte) | CASE & 0xff) << 16;
                    let hashes: Vec<u64> = match word.text.len() {
                        3 => vec![short_hash(folded)],
                        _ => (0..=255).filter(follows).map(|byte| short_hash(folded & 0xffff | third(byte))).collect(),
                    };
                    hashes.iter().for_each(|hash| short_begins.add(number(*hash, SHORT_BITS)));
                    let mut begins: Vec<_> = hashes.into_iter().map(begin).collect();
                    begins.sort_by_key(|(bucket, _)| *bucket);
                    begins.dedup_by_key(|(bucket, _)| *bucket);
                    short.extend(begins);
                }
                BEGIN..HEAD => {
                    medium_begins.add(number(medium_hash(folded), MEDIUM_BITS));
                    medium.push(begin(medium_hash(folded)));
                }
                _ => {
                    medium_begins.add(number(medium_hash(folded), MEDIUM_BITS));
                    long.push(begin(long_hash(folded)));
                }
            }
        }
        let (short, medium, long) = (Buckets::new(short), Buckets::new(medium), Buckets::new(long));
        Self { words, short_begins, medium_begins, short, medium, long }
    }

    /// Calls a function for every keyword in a text, in the order of their starts.
    pub(super) fn find(&self, text: &[u8], mut found: impl FnMut(Hit)) {
        let mut start = 0;
        while let Some(block) = text[start..].first_chunk() {
            self.compare(text, start, block, &mut found);
            start += BLOCK;
        }
        // No keyword contains the bytes behind the last ones.
        let mut rest = [0; 2 * BLOCK + HEAD];
        rest[..text.len() - start].copy_from_slice(&text[start..]);
        for at in [0, BLOCK].into_iter().filter(|at| start + at < text.len()) {
            if let Some(block) = rest[at..].first_chunk() {
                self.compare(text, start + at, block, &mut found);
            }
        }
    }

    /// Calls a function for the keywords of a text that begin in a block of it.
    fn compare(&self, text: &[u8], start: usize, block: &[u8; BLOCK + HEAD], found: &mut impl FnMut(Hit)) {
        let mut candidates = 0u64;
        for at in (0..BLOCK).rev() {
            let next = begin(block, at);
            let any = self.medium_begins.bit(number(medium_hash(next), MEDIUM_BITS))
                | self.short_begins.bit(number(short_hash(next), SHORT_BITS));
            candidates = candidates << 1 | any;
        }
        while candidates != 0 {
            let at = candidates.trailing_zeros() as usize;
            candidates &= candidates - 1;
            let head = head(block, at);
            let folded = head | CASE;
            let lists = [
                self.medium.words(bucket(medium_hash(folded))),
                self.long.words(bucket(long_hash(folded))),
                self.short.words(bucket(short_hash(folded))),
            ];
            let any = |words: &[Begin]| words.iter().fold(false, |any, word| any | word.begins(head));
            let any = any(lists[0]) | any(lists[1]) | any(lists[2]);
            if any {
                self.report(text, start + at, head, lists, found);
            }
        }
    }

    /// Calls a function for the words of three lists that are at a place.
    #[inline(never)]
    fn report(&self, text: &[u8], start: usize, head: u64, lists: [&[Begin]; 3], found: &mut impl FnMut(Hit)) {
        let is_hit = |word: &Begin, end: usize| {
            // Many keywords differ in their last byte only: a parenthesis or a quote.
            let may_end = || text.get(end - 1).is_some_and(|byte| byte.to_ascii_lowercase() == word.last);
            word.begins(head) && (word.is_whole || may_end() && self.words[usize::from(word.index)].is_at(text, start))
        };
        // The order of longer keywords does not depend on their lengths.
        let [mut medium, mut long, mut short] = lists;
        loop {
            let next = match (medium.first(), long.first()) {
                (Some(one), Some(other)) if one.index < other.index => &mut medium,
                (Some(_), None) => &mut medium,
                (_, Some(_)) => &mut long,
                (None, None) => &mut short,
            };
            let Some((word, rest)) = next.split_first() else { break };
            *next = rest;
            let end = start + usize::from(word.length);
            if is_hit(word, end) {
                found(Hit { keyword: usize::from(word.index), start, end });
            }
        }
    }
}

/// The bit that distinguishes small letters from capitals, in each of eight bytes. Bytes are looked up with this bit set; a few other bytes
/// are then equal, too.
const CASE: u64 = 0x2020_2020_2020_2020;
/// The multiplier of Fibonacci hashing.
const MULTIPLIER: u32 = 0x9E37_79B9;

/// Returns the hash of the first three bytes of a text.
fn short_hash(bytes: u64) -> u64 {
    u64::from((bytes as u32).wrapping_mul(MULTIPLIER << 8)) << 32
}

/// Returns the hash of the first four bytes of a text.
fn medium_hash(bytes: u64) -> u64 {
    u64::from((bytes as u32).wrapping_mul(MULTIPLIER)) << 32
}

/// Returns the hash of the first eight bytes of a text.
fn long_hash(bytes: u64) -> u64 {
    bytes.wrapping_mul(u64::from(MULTIPLIER) << 32 | u64::from(MULTIPLIER))
}

/// Returns the number of a hash below a power of two.
fn number(hash: u64, bits: u32) -> usize {
    (hash >> (64 - bits)) as usize
}

fn bucket(hash: u64) -> usize {
    number(hash, BUCKET_BITS)
}

/// Returns the next [`BEGIN`] bytes as a number. The first byte is the least significant one.
fn begin(text: &[u8], at: usize) -> u64 {
    text[at..].first_chunk().map_or(0, |bytes| u64::from(u32::from_le_bytes(*bytes) | CASE as u32))
}

/// Returns the next [`HEAD`] bytes as a number.
fn head(text: &[u8], at: usize) -> u64 {
    text[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

fn contains(set: &ByteSet, byte: u8) -> bool {
    set[usize::from(byte >> 6)] >> (byte & 63) & 1 != 0
}

/// A keyword.
struct Word {
    text: Box<[u8]>,
    begins: Box<[ByteSet]>,
}

/// The first bytes of a keyword as a number.
struct Begin {
    head: u64,
    /// The bits of `head` that belong to the keyword.
    mask: u64,
    /// The index and the length of the keyword.
    index: u16,
    length: u16,
    last: u8,
    /// Whether these bytes are all that a text must have.
    is_whole: bool,
}

impl Begin {
    /// Returns whether the next bytes of a text can begin the keyword.
    fn begins(&self, head: u64) -> bool {
        head & self.mask == self.head
    }
}

impl Word {
    /// Returns the first bytes as a number, and the bits of it that a text must have: all of the keyword, but not those of the case of a
    /// letter, if both cases are useful.
    fn begin(&self) -> (u64, u64) {
        let (mut head, mut mask) = ([0; HEAD], [0; HEAD]);
        for (at, byte) in self.text.iter().take(HEAD).enumerate() {
            let useful = |byte: u8| self.begins.get(at).is_none_or(|set| contains(set, byte));
            let upper = byte.to_ascii_uppercase();
            (head[at], mask[at]) = match (upper != *byte, useful(upper), useful(*byte)) {
                (true, true, true) => (upper, !(CASE as u8)),
                (true, true, false) => (upper, 0xff),
                _ => (*byte, 0xff),
            };
        }
        (u64::from_le_bytes(head), u64::from_le_bytes(mask))
    }

    /// Returns whether the keyword is at a place where its first [`HEAD`] bytes are.
    fn is_at(&self, text: &[u8], at: usize) -> bool {
        let rest = self.text.get(HEAD..).unwrap_or_default();
        let found = text.get(at + HEAD..at + HEAD + rest.len()).unwrap_or_default();
        found.eq_ignore_ascii_case(rest)
            && text.len() - at >= self.begins.len()
            && self.begins.iter().zip(&text[at..]).all(|(set, byte)| contains(set, *byte))
    }
}

/// A set of numbers below 64 times `SIZE`.
struct Numbers<const SIZE: usize>(Box<[u64; SIZE]>);

impl<const SIZE: usize> Numbers<SIZE> {
    fn new() -> Self {
        Self(Box::new([0; SIZE]))
    }

    fn add(&mut self, number: usize) {
        self.0[number >> 6] |= 1 << (number & 63);
    }

    /// Returns 1 if the set contains a number, otherwise 0.
    fn bit(&self, number: usize) -> u64 {
        self.0[number >> 6] >> (number & 63) & 1
    }
}

/// Words by the numbers of their beginnings.
struct Buckets {
    /// The range of the words of each number in `words`.
    ranges: Box<[(u16, u16); 1 << BUCKET_BITS]>,
    words: Vec<Begin>,
}

impl Buckets {
    /// Sorts words into their buckets. There are fewer than 65,536.
    fn new(mut words: Vec<(usize, Begin)>) -> Self {
        words.sort_by_key(|(bucket, word)| (*bucket, word.index));
        let mut ranges = Box::new([(0, 0); 1 << BUCKET_BITS]);
        for (at, (bucket, _)) in (0..).zip(&words) {
            let range: &mut (u16, u16) = &mut ranges[*bucket];
            if *range == (0, 0) {
                range.0 = at;
            }
            range.1 = at + 1;
        }
        Self { ranges, words: words.into_iter().map(|(_, word)| word).collect() }
    }

    fn words(&self, bucket: usize) -> &[Begin] {
        let (start, end) = self.ranges[bucket];
        &self.words[usize::from(start)..usize::from(end)]
    }
}

#[cfg(test)]
mod tests {
    use aho_corasick::AhoCorasick;
    use proptest::prelude::*;

    use super::*;

    fn search(words: impl IntoIterator<Item = String>) -> KeywordSearch {
        KeywordSearch::new(words.into_iter().map(|text| Keyword { text, begins: Vec::new() }).collect())
    }

    fn hits(search: &KeywordSearch, text: &[u8]) -> Vec<(usize, usize, usize)> {
        let mut hits = Vec::new();
        search.find(text, |hit| hits.push((hit.keyword, hit.start, hit.end)));
        hits
    }

    #[test]
    fn overlapping_keywords_are_found_in_any_case() {
        let search = search(["key", "api_key", "s.", "password", "pass"].map(str::to_owned));
        assert_eq!(
            hits(&search, b"API_KEY = 1; Password: pass"),
            [(1, 0, 7), (0, 4, 7), (3, 13, 21), (4, 13, 17), (4, 23, 27)]
        );
        assert_eq!(hits(&search, b"S."), [(2, 0, 2)]);
        assert_eq!(hits(&search, b"s"), []);
        assert_eq!(hits(&search, b""), []);
        let search = self::search(["certificate-key", "certificate_key", "certificate"].map(str::to_owned));
        assert_eq!(hits(&search, b"Certificate_Key"), [(1, 0, 15), (2, 0, 11)]);
        assert_eq!(hits(&search, b"certificate key certifi"), [(2, 0, 11)]);
    }

    #[test]
    fn a_keyword_is_found_only_where_its_first_bytes_are_allowed() {
        let set = |bytes: &[u8]| {
            let mut set = ByteSet::default();
            bytes.iter().for_each(|byte| set[usize::from(byte >> 6)] |= 1 << (byte & 63));
            set
        };
        let keyword = Keyword { text: "su".to_owned(), begins: vec![set(b"S"), set(b"U"), set(b"A1"), set(b"Bb")] };
        let search = KeywordSearch::new(vec![keyword]);
        assert_eq!(hits(&search, b"SUAb suab SUab SU1B SUA"), [(0, 0, 2), (0, 15, 17)]);
    }

    proptest! {
        #[test]
        fn the_hits_are_those_of_an_automaton(
            words in prop::collection::hash_set("[a-c:_@]{2,10}", 1..40),
            text in "[a-cA-C:x_@`\\x00]{0,300}",
        ) {
            let words: Vec<String> = words.into_iter().collect();
            let automaton = AhoCorasick::builder().ascii_case_insensitive(true).build(&words).expect("an automaton");
            let mut expected: Vec<_> = automaton
                .find_overlapping_iter(&text)
                .map(|hit| (hit.pattern().as_usize(), hit.start(), hit.end()))
                .collect();
            let mut found = hits(&search(words), text.as_bytes());
            expected.sort_unstable();
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
