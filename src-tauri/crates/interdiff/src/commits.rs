//! Finds which commits of two versions are the same, as `git range-diff` does.
//!
//! Commits with the same author, time and subject are the same, because a rebase preserves these. Of the others, those with the most
//! equal changed lines are.

use std::collections::HashMap;
use std::hash::Hash;

/// The part of a commit that a rebase preserves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CommitKey {
    /// The name of the author.
    pub author: String,
    /// The time at which the author wrote it, in seconds since 1970.
    pub time: i64,
    /// The first line of the message.
    pub subject: String,
}

/// The digests of the changed lines of a commit, sorted.
pub type ChangedLines = Vec<u64>;

/// A row of the comparison: a commit in both versions, or in one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommitPair {
    /// The index in the old version. `None` for a new commit.
    pub old: Option<usize>,
    /// The index in the new version. `None` for a dropped commit.
    pub new: Option<usize>,
    /// Whether the commit has another place among the commits that both versions have.
    pub reordered: bool,
}

/// The minimum share of equal changed lines, in percent, of commits without an equal key.
const MIN_EQUAL: usize = 40;
/// The maximum number of pairs of commits whose lines are compared.
const MAX_PAIRS: usize = 250_000;

/// Pairs the commits of two versions, each oldest first. `lines` reads the changed lines of a commit; the first argument says
/// whether it is one of the new version. Rows are in the order of the new version. A dropped commit follows the commit that it
/// followed in the old version.
pub fn pair_commits(
    old: &[CommitKey],
    new: &[CommitKey],
    lines: &mut dyn FnMut(bool, usize) -> ChangedLines,
) -> Vec<CommitPair> {
    let mut partner: Vec<Option<usize>> = vec![None; new.len()];
    let (known, wanted) = (unique(old), unique(new));
    for (key, at) in &wanted {
        if let (Some(at), Some(Some(of))) = (at, known.get(key)) {
            partner[*at] = Some(*of);
        }
    }
    pair_by_lines(old.len(), &mut partner, lines);
    rows(old.len(), &partner)
}

fn unique(keys: &[CommitKey]) -> HashMap<&CommitKey, Option<usize>> {
    let mut found = HashMap::new();
    for (at, key) in keys.iter().enumerate() {
        found.entry(key).and_modify(|known| *known = None).or_insert(Some(at));
    }
    found
}

/// Pairs the remaining commits, those with the largest share of equal lines first.
fn pair_by_lines(old: usize, partner: &mut [Option<usize>], lines: &mut dyn FnMut(bool, usize) -> ChangedLines) {
    let mut used = vec![false; old];
    partner.iter().flatten().for_each(|at| used[*at] = true);
    let open_old: Vec<usize> = (0..old).filter(|at| !used[*at]).collect();
    let open_new: Vec<usize> = (0..partner.len()).filter(|at| partner[*at].is_none()).collect();
    if open_old.is_empty() || open_new.is_empty() || open_old.len().saturating_mul(open_new.len()) > MAX_PAIRS {
        return;
    }
    let mut read = |is_new: bool, commits: &[usize]| -> Vec<ChangedLines> {
        commits.iter().map(|at| lines(is_new, *at)).collect()
    };
    let (before, after) = (read(false, &open_old), read(true, &open_new));
    let mut pairs = Vec::new();
    for (one, first) in before.iter().enumerate() {
        for (two, second) in after.iter().enumerate() {
            let all = first.len().max(second.len());
            let equal = (common(first, second) * 100).checked_div(all).unwrap_or_default();
            if equal >= MIN_EQUAL {
                pairs.push((equal, open_old[one], open_new[two]));
            }
        }
    }
    pairs.sort_by_key(|(equal, old, new)| (std::cmp::Reverse(*equal), old.abs_diff(*new), *old, *new));
    for (_, old, new) in pairs {
        if !used[old] && partner[new].is_none() {
            used[old] = true;
            partner[new] = Some(old);
        }
    }
}

/// Returns the number of equal elements of sorted lists.
fn common(one: &[u64], two: &[u64]) -> usize {
    let (mut a, mut b, mut count) = (0, 0, 0);
    while a < one.len() && b < two.len() {
        match one[a].cmp(&two[b]) {
            std::cmp::Ordering::Less => a += 1,
            std::cmp::Ordering::Greater => b += 1,
            std::cmp::Ordering::Equal => (a, b, count) = (a + 1, b + 1, count + 1),
        }
    }
    count
}

fn rows(old: usize, partner: &[Option<usize>]) -> Vec<CommitPair> {
    let in_order = longest_increasing(partner);
    let mut rows: Vec<CommitPair> = Vec::with_capacity(partner.len());
    for (new, of) in partner.iter().enumerate() {
        rows.push(CommitPair { old: *of, new: Some(new), reordered: of.is_some() && !in_order[new] });
    }
    let mut used = vec![false; old];
    partner.iter().flatten().for_each(|at| used[*at] = true);
    for dropped in (0..old).filter(|at| !used[*at]) {
        let before = dropped.checked_sub(1);
        let at = before.and_then(|before| rows.iter().position(|row| row.old == Some(before))).map_or(0, |at| at + 1);
        rows.insert(at, CommitPair { old: Some(dropped), new: None, reordered: false });
    }
    rows
}

/// Returns which elements belong to a longest sequence in which the old indices increase.
fn longest_increasing(partner: &[Option<usize>]) -> Vec<bool> {
    // For each length: the element that ends a sequence of that length with the smallest old index.
    let mut ends: Vec<usize> = Vec::new();
    let mut previous = vec![None; partner.len()];
    let index = |at: usize| partner[at].unwrap_or_default();
    for (at, of) in partner.iter().enumerate() {
        let Some(of) = *of else { continue };
        let length = ends.partition_point(|end| index(*end) < of);
        previous[at] = length.checked_sub(1).map(|before| ends[before]);
        if length == ends.len() { ends.push(at) } else { ends[length] = at }
    }
    let mut chosen = vec![false; partner.len()];
    let mut next = ends.last().copied();
    while let Some(at) = next {
        chosen[at] = true;
        next = previous[at];
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs commits that are given as `subject:lines`, and returns the rows as `old>new`, with `~` for a reordered commit.
    fn paired(old: &str, new: &str) -> String {
        let read = |text: &str| -> (Vec<CommitKey>, Vec<ChangedLines>) {
            text.split_whitespace()
                .map(|commit| {
                    let (subject, lines) = commit.split_once(':').unwrap_or((commit, ""));
                    let mut lines: ChangedLines = lines.bytes().map(u64::from).collect();
                    lines.sort_unstable();
                    (CommitKey { author: "A".to_owned(), time: 1, subject: subject.to_owned() }, lines)
                })
                .unzip()
        };
        let ((old, before), (new, after)) = (read(old), read(new));
        let mut lines = |is_new: bool, at: usize| if is_new { after[at].clone() } else { before[at].clone() };
        let name = |keys: &[CommitKey], at: Option<usize>| at.map_or("-".to_owned(), |at| keys[at].subject.clone());
        let rows = pair_commits(&old, &new, &mut lines);
        let row = |row: &CommitPair| {
            format!("{}>{}{}", name(&old, row.old), name(&new, row.new), if row.reordered { "~" } else { "" })
        };
        rows.iter().map(row).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn commits_are_paired_by_their_key_or_their_lines() {
        assert_eq!(paired("a b c", "a b c"), "a>a b>b c>c");
        assert_eq!(paired("a b c", "a c d"), "a>a b>- c>c ->d");
        assert_eq!(paired("a b c", "c a b"), "c>c~ a>a b>b");
        // A commit with another message.
        assert_eq!(paired("a:xyz b", "b q:xyw"), "b>b~ a>q");
        // Squashed and split.
        assert_eq!(paired("a:1234 b:56", "c:123456"), "a>c b>-");
        assert_eq!(paired("a:123456", "c:1234 d:56"), "a>c ->d");
        // Equal subjects are no key.
        assert_eq!(paired("wip:12 wip:34", "wip:34 wip:12"), "wip>wip~ wip>wip");
        assert_eq!(paired("", "a"), "->a");
        assert_eq!(paired("a", ""), "a>-");
    }
}
