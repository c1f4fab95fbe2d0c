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

    /// Returns git's score, from 0 to [`MAX_SCORE`], for `new` being derived from this file. Returns 0 for a score below `minimum`.
    pub(super) fn score(&self, new: &Self, minimum: f64) -> u32 {
        if !worth_comparing(self.size, new.size, minimum) {
            return 0;
        }
        let largest = self.size.max(new.size);
        let needed = (minimum * largest as f64 / MAX_SCORE) as u64;
        let score = self.copied(new, needed) as f64 * MAX_SCORE / largest as f64;
        score as u32
    }

    /// Returns the number of bytes of `new` that also occur in this file, or 0 if it is certain that they are less than `needed`.
    ///
    /// Most pairs of files have little in common. Their spans are compared until too many have no counterpart, and without a branch that
    /// depends on the order of the hashes, which nothing predicts.
    fn copied(&self, new: &Self, needed: u64) -> u64 {
        let (spare, spare_new) = (self.size.saturating_sub(needed), new.size.saturating_sub(needed));
        let (mut at, mut at_new) = (0, 0);
        let (mut lost, mut lost_new, mut copied) = (0, 0, 0);
        while let (Some(&(hash, count)), Some(&(hash_new, count_new))) = (self.counts.get(at), new.counts.get(at_new)) {
            let if_true = |condition: bool, count: u32| u64::from(condition) * u64::from(count);
            copied += if_true(hash == hash_new, count.min(count_new));
            lost += if_true(hash < hash_new, count);
            lost_new += if_true(hash > hash_new, count_new);
            if lost > spare || lost_new > spare_new {
                return 0;
            }
            at += usize::from(hash <= hash_new);
            at_new += usize::from(hash >= hash_new);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of a line for each number of a range, which repeats some of them.
    fn file(lines: std::ops::Range<u32>) -> Spans {
        let lines: Vec<String> = lines.map(|line| format!("line {}\n", line % 70)).collect();
        Spans::new(lines.concat().as_bytes(), false)
    }

    #[test]
    fn scores_below_the_minimum_are_0_and_others_are_exact() {
        let mut scores = [0, 0];
        for shift in 0..100 {
            let (old, new) = (file(0..100), file(shift..100 + shift / 2));
            let exact = old.score(&new, 0.0);
            for percent in [10.0, 50.0, 75.0, 100.0] {
                let minimum = percent / 100.0 * MAX_SCORE;
                let score = old.score(&new, minimum);
                assert!(
                    score == exact || score == 0 && f64::from(exact) < minimum,
                    "{shift} {percent}: {score} {exact}"
                );
                scores[usize::from(score > 0)] += 1;
            }
        }
        assert!(scores.iter().all(|count| *count > 40), "{scores:?}");
    }
}
