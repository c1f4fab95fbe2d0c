//! Finds copies of known secrets in one pass over a text. The first bytes of each form are looked up at every place, because an automaton
//! would have to be rebuilt for every new secret.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The length in bytes of the prefix by which a form is looked up. A shorter secret is masked only where it was found, not wherever the
/// same letters occur.
pub(super) const SHORTEST: usize = 8;
/// The maximum number of forms. Real texts have fewer secrets.
const MAX_FORMS: usize = 200_000;
const BITS: u32 = 20;

/// The known forms of secrets.
#[derive(Clone, Default)]
pub(super) struct Copies {
    /// One bit for each hash of a form's prefix, so that nearly every place is skipped at once.
    begins: Option<Box<[u64; (1 << BITS) / 64]>>,
    /// The lengths of the forms with this prefix, the longest first.
    lengths: FxHashMap<[u8; SHORTEST], SmallVec<[usize; 2]>>,
    secrets: FxHashMap<Box<[u8]>, usize>,
}

fn hash(first: [u8; SHORTEST]) -> usize {
    (u64::from_le_bytes(first).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS)) as usize
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
        let begins = self.begins.get_or_insert_with(|| Box::new([0; (1 << BITS) / 64]));
        let place = hash(head);
        begins[place / 64] |= 1 << (place % 64);
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
        let Some(begins) = &self.begins else { return found };
        let mut at = 0;
        for &(start, end) in taken.iter().chain([&(text.len(), text.len())]) {
            while at < start {
                let Some(head) = first(&text[at..]) else { return found };
                let place = hash(head);
                if begins[place / 64] >> (place % 64) & 1 == 1
                    && let Some((end, secret)) = self.longest(text, at, head)
                {
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
}
