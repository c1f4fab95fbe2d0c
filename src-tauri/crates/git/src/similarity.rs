//! Measures how much content of one file occurs in another, with git's own algorithm (`diffcore-delta`), so that the same files
//! count as renames. Content is cut into spans (a line, or 64 bytes); the measure counts the bytes in spans with equal hashes.

/// Git's score of equal content.
pub(super) const MAX_SCORE: f64 = 60000.0;

/// The prime modulus of span hashes, as in git.
const HASH_BASE: u32 = 107_927;
const SPAN: u32 = 64;

/// The spans of one file.
#[derive(Clone, Debug, Default)]
pub(super) struct Spans {
    /// Hash and number of bytes, sorted by hash, each hash once.
    counts: Vec<(u32, u32)>,
    size: u64,
}

impl Spans {
    /// Cuts content into spans. A CR before a line feed counts only in a binary file.
    pub(super) fn new(content: &[u8], binary: bool) -> Self {
        let mut spans = Vec::with_capacity(content.len() / 32);
        let (mut first, mut second, mut length) = (0u32, 0u32, 0u32);
        for (at, &byte) in content.iter().enumerate() {
            if !binary && byte == b'\r' && content.get(at + 1) == Some(&b'\n') {
                continue;
            }
            let old_first = first;
            first = (first << 7) ^ (second >> 25);
            second = (second << 7) ^ (old_first >> 25);
            first = first.wrapping_add(u32::from(byte));
            length += 1;
            if length < SPAN && byte != b'\n' {
                continue;
            }
            spans.push((hash(first, second), length));
            (first, second, length) = (0, 0, 0);
        }
        if length > 0 {
            spans.push((hash(first, second), length));
        }
        spans.sort_unstable_by_key(|&(hash, _)| hash);
        spans.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.saturating_add(next.1);
            }
            same
        });
        spans.shrink_to_fit();
        Self { counts: spans, size: content.len() as u64 }
    }

    /// Returns git's score, from 0 to [`MAX_SCORE`], for `new` being derived from this file. Returns 0 without a comparison if
    /// the sizes alone rule out `minimum`.
    pub(super) fn score(&self, new: &Self, minimum: f64) -> u32 {
        if !worth_comparing(self.size, new.size, minimum) {
            return 0;
        }
        let largest = self.size.max(new.size);
        let score = self.copied(new) as f64 * MAX_SCORE / largest as f64;
        score as u32
    }

    /// Returns the number of bytes of `new` that also occur in this file.
    fn copied(&self, new: &Self) -> u64 {
        let mut copied = 0;
        let mut others = new.counts.iter().peekable();
        for &(hash, count) in &self.counts {
            while others.next_if(|other| other.0 < hash).is_some() {}
            if let Some(&(_, other)) = others.next_if(|other| other.0 == hash) {
                copied += u64::from(count.min(other));
            }
        }
        copied
    }
}

/// Returns whether the minimum score is possible for these sizes.
pub(super) fn worth_comparing(old: u64, new: u64, minimum: f64) -> bool {
    let (largest, smallest) = (old.max(new), old.min(new));
    smallest > 0 && largest as f64 * (MAX_SCORE - minimum) >= (largest - smallest) as f64 * MAX_SCORE
}

fn hash(first: u32, second: u32) -> u32 {
    first.wrapping_add(second.wrapping_mul(0x61)) % HASH_BASE
}
