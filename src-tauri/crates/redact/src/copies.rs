//! Finds copies of known secrets in one pass over a text.
//!
//! The bytes at the end of the next [`SHORTEST`] ones tell how many places can be skipped, as in the algorithm of Wu and Manber. Its table
//! grows with each new secret; an automaton would have to be built again.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The length in bytes of the prefix by which a form is looked up. A shorter secret is masked only where it was found, not wherever the
/// same letters occur.
pub(super) const SHORTEST: usize = 8;
/// The maximum number of forms. Real texts have fewer secrets.
const MAX_FORMS: usize = 200_000;
/// The number of bytes that are looked up together.
const BLOCK: usize = 3;
/// The number of places that are skipped behind bytes that no form has.
const FARTHEST: usize = SHORTEST - BLOCK + 1;
/// The number of bits of the hash of a block.
const BITS: u32 = 15;

/// The known forms of secrets.
#[derive(Clone, Default)]
pub(super) struct Copies {
    /// For each hash of a block, the number of bytes from its last place in a form's prefix to the end of the prefix.
    skips: Option<Box<[u8; 1 << BITS]>>,
    /// The lengths of the forms with this prefix, the longest first.
    lengths: FxHashMap<[u8; SHORTEST], SmallVec<[usize; 2]>>,
    secrets: FxHashMap<Box<[u8]>, usize>,
}

fn hash(block: [u8; BLOCK]) -> usize {
    let [one, two, three] = block;
    (u32::from_le_bytes([0, one, two, three]).wrapping_mul(0x9e37_79b9) >> (32 - BITS)) as usize
}

fn first(bytes: &[u8]) -> Option<[u8; SHORTEST]> {
    bytes.get(..SHORTEST)?.try_into().ok()
}

impl Copies {
    pub(super) fn is_empty(&self) -> bool {
        self.secrets.is_empty()
    }

    /// Returns the number of the secret that has this form.
    pub(super) fn secret(&self, form: &[u8]) -> Option<usize> {
        self.secrets.get(form).copied()
    }

    /// Adds a form of a secret. Returns `false` if the form is too short or the limit is reached.
    pub(super) fn add(&mut self, form: Vec<u8>, secret: usize) -> bool {
        let Some(head) = first(&form) else { return false };
        if self.secrets.len() >= MAX_FORMS {
            return false;
        }
        let skips = self.skips.get_or_insert_with(|| Box::new([FARTHEST as u8; 1 << BITS]));
        for (block, skip) in head.windows(BLOCK).zip((0..FARTHEST as u8).rev()) {
            let known = &mut skips[hash([block[0], block[1], block[2]])];
            *known = skip.min(*known);
        }
        let lengths = self.lengths.entry(head).or_default();
        if let Err(at) = lengths.binary_search_by(|known| form.len().cmp(known)) {
            lengths.insert(at, form.len());
        }
        self.secrets.insert(form.into(), secret);
        true
    }

    /// Returns start, end and secret of each copy, in order. No copy begins inside a range of `taken`, whose ranges are in order too.
    pub(super) fn find(&self, text: &[u8], taken: &[(usize, usize)]) -> Vec<(usize, usize, usize)> {
        let mut found = Vec::new();
        let Some(skips) = &self.skips else { return found };
        let mut at = 0;
        for &(start, end) in taken.iter().chain([&(text.len(), text.len())]) {
            while at < start {
                let Some(head) = first(&text[at..]) else { return found };
                let skip = skips[hash([head[FARTHEST - 1], head[FARTHEST], head[FARTHEST + 1]])];
                if skip > 0 {
                    at += usize::from(skip);
                } else if let Some((end, secret)) = self.longest(text, at, head) {
                    found.push((at, end, secret));
                    at = end;
                } else {
                    at += 1;
                }
            }
            at = at.max(end);
        }
        found
    }

    /// Returns the end and the secret of the longest form at a place. The form begins with `head`.
    fn longest(&self, text: &[u8], at: usize, head: [u8; SHORTEST]) -> Option<(usize, usize)> {
        self.lengths.get(&head)?.iter().find_map(|length| {
            let form = text.get(at..at + length)?;
            Some((at + length, self.secret(form)?))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_copy_is_found_and_the_longest_wins() {
        let mut copies = Copies::default();
        for (index, form) in ["geheim-1", "geheim-12", "other-secret"].iter().enumerate() {
            copies.add(form.as_bytes().to_vec(), index);
        }
        assert_eq!(
            copies.find(b"x geheim-12 geheim-1other-secret geheim", &[]),
            [(2, 11, 1), (12, 20, 0), (20, 32, 2)]
        );
        assert_eq!(copies.find(b"x geheim-12 geheim-1", &[(0, 1), (2, 11)]), [(12, 20, 0)]);
    }

    #[test]
    fn copies_are_found_at_every_place() {
        let mut copies = Copies::default();
        // Blocks that repeat in a form, and forms that share blocks.
        let forms = ["aaaaaaaa", "abcabcabc", "cabcabca-1", "bcabcabc", "geheim-12"];
        for (index, form) in forms.iter().enumerate() {
            copies.add(form.as_bytes().to_vec(), index);
        }
        for (index, form) in forms.iter().enumerate() {
            for before in 0..24 {
                let text = format!("{}{form}{}", "xyzabc-".repeat(4).split_at(before).0, "-tail");
                let copy = copies.find(text.as_bytes(), &[]);
                assert!(copy.iter().any(|&(start, end, _)| start <= before && before < end), "{form} in {text}");
                assert_eq!(copies.find(text.as_bytes(), &[(0, before)]), [(before, before + form.len(), index)]);
            }
        }
    }
}
