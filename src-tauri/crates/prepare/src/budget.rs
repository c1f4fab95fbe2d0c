//! Decides how much of each file is kept. In: the cost of every hunk, in characters or tokens. Out: for every hunk, the part that is kept.
//! Hunks are kept or dropped as a whole; only a hunk that is larger than the share of its file is cut. A huge file does not displace the
//! others: all files get an equal share, and the room that small files leave goes to larger ones, the most relevant first.

/// The part of a hunk that is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Keep {
    /// Nothing is kept.
    #[default]
    Dropped,
    /// The given number of its first lines is kept.
    First(usize),
    /// The whole hunk is kept.
    Whole,
    /// Nothing is kept, because the hunk was reviewed before.
    Known,
    /// Nothing is kept, because all changed lines of the hunk are folded.
    Folded,
}

/// The cost of a file in the budget's unit.
#[derive(Clone, Debug)]
pub(super) struct FileCost {
    /// The cost of its headers.
    pub(super) header: u64,
    /// The cost of each hunk, including the hunk's header.
    pub(super) hunks: Vec<u64>,
    /// The number of hunks that may be kept; later ones are dropped.
    pub(super) max_hunks: usize,
}

impl FileCost {
    fn all(&self) -> u64 {
        self.header + self.hunks.iter().take(self.max_hunks).sum::<u64>()
    }
}

/// The part of a file that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileKeep {
    /// Whether any part is kept.
    pub(super) kept: bool,
    /// The part of each hunk that is kept.
    pub(super) hunks: Vec<Keep>,
    cost: u64,
}

/// Returns whether all hunks of a file are folded, so that none is sent.
pub(super) fn is_folded(keep: &FileKeep) -> bool {
    !keep.hunks.is_empty() && keep.hunks.iter().all(|hunk| *hunk == Keep::Folded)
}

impl FileKeep {
    /// Returns a file of which all `hunks` are kept.
    pub(super) fn whole(hunks: usize) -> Self {
        Self { kept: true, hunks: vec![Keep::Whole; hunks], cost: 0 }
    }
}

/// Distributes a budget among files, which are sorted by relevance. `cut` returns how many first lines of a hunk of a file fit into a room,
/// and their cost.
pub(super) fn share(
    files: &[FileCost],
    budget: u64,
    cut: impl Fn(usize, usize, u64) -> Option<(usize, u64)>,
) -> Vec<FileKeep> {
    let limit = fair_limit(files, budget);
    let mut left = budget;
    let mut keeps: Vec<FileKeep> = Vec::with_capacity(files.len());
    for (index, file) in files.iter().enumerate() {
        let mut keep = FileKeep { kept: false, hunks: vec![Keep::Dropped; file.hunks.len()], cost: 0 };
        let mut room = limit.min(left);
        take_whole(file, &mut keep, &mut room);
        if !keep.kept && !file.hunks.is_empty() {
            take_part(index, file, &mut keep, room, &cut);
        }
        left -= keep.cost;
        keeps.push(keep);
    }
    for (index, file) in files.iter().enumerate() {
        let keep = &mut keeps[index];
        let before = keep.cost;
        if let Some(part) = keep.hunks.iter().position(|hunk| matches!(hunk, Keep::First(_))) {
            // Replace the part of the hunk by a larger part of it.
            let others = FileKeep { kept: false, hunks: vec![Keep::Dropped; file.hunks.len()], cost: 0 };
            let mut whole = others.clone();
            let mut room = left + before;
            take_whole(file, &mut whole, &mut room);
            if whole.hunks[part] != Keep::Whole {
                let mut more = others;
                take_part(index, file, &mut more, left + before, &cut);
                whole = more;
            }
            if whole.kept && whole.cost >= before {
                *keep = whole;
            }
        } else {
            let mut room = left;
            take_whole(file, keep, &mut room);
            if !keep.kept && !file.hunks.is_empty() {
                take_part(index, file, keep, left, &cut);
            }
        }
        left -= keep.cost - before;
    }
    keeps
}

/// Returns the maximum size of one file in the first round, so that all files together are within the budget.
fn fair_limit(files: &[FileCost], budget: u64) -> u64 {
    let mut costs: Vec<u64> = files.iter().map(FileCost::all).collect();
    costs.sort_unstable();
    let mut left = budget;
    for (index, cost) in costs.iter().enumerate() {
        let share = left / (costs.len() - index) as u64;
        if *cost > share {
            return share;
        }
        left -= cost;
    }
    u64::MAX
}

/// Takes every hunk that was not taken yet and fits, in order.
fn take_whole(file: &FileCost, keep: &mut FileKeep, room: &mut u64) {
    if file.hunks.is_empty() && !keep.kept && file.header <= *room {
        keep.kept = true;
        keep.cost += file.header;
        *room -= file.header;
    }
    for (hunk, &cost) in file.hunks.iter().enumerate().take(file.max_hunks) {
        let whole = cost + if keep.kept { 0 } else { file.header };
        if keep.hunks[hunk] == Keep::Dropped && whole <= *room {
            keep.kept = true;
            keep.hunks[hunk] = Keep::Whole;
            keep.cost += whole;
            *room -= whole;
        }
    }
}

/// Takes the first lines of the first hunk, as many as fit.
fn take_part(
    index: usize,
    file: &FileCost,
    keep: &mut FileKeep,
    room: u64,
    cut: impl Fn(usize, usize, u64) -> Option<(usize, u64)>,
) {
    let Some(room) = room.checked_sub(file.header) else { return };
    if let Some((lines, cost)) = cut(index, 0, room).filter(|_| file.max_hunks > 0) {
        keep.kept = true;
        keep.hunks[0] = Keep::First(lines);
        keep.cost += file.header + cost;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(hunks: &[u64]) -> FileCost {
        FileCost { header: 10, hunks: hunks.to_vec(), max_hunks: usize::MAX }
    }

    /// Cuts hunks with lines of ten characters and a header of ten.
    fn lines(_: usize, _: usize, room: u64) -> Option<(usize, u64)> {
        let lines = room.checked_sub(10)? / 10;
        (lines > 0).then_some((lines as usize, 10 + lines * 10))
    }

    fn shown(keeps: &[FileKeep]) -> Vec<Vec<Keep>> {
        keeps.iter().map(|keep| keep.hunks.clone()).collect()
    }

    #[test]
    fn everything_stays_if_it_fits() {
        let keeps = share(&[file(&[40, 50]), file(&[90])], 200, lines);
        assert_eq!(shown(&keeps), [vec![Keep::Whole, Keep::Whole], vec![Keep::Whole]]);
    }

    #[test]
    fn one_huge_file_does_not_displace_small_ones() {
        let keeps = share(&[file(&[100_000]), file(&[90]), file(&[40, 40])], 500, lines);
        assert_eq!(shown(&keeps), [vec![Keep::First(29)], vec![Keep::Whole], vec![Keep::Whole, Keep::Whole]]);
    }

    #[test]
    fn the_remaining_budget_goes_to_the_most_important_file() {
        let keeps = share(&[file(&[60, 60, 60]), file(&[60, 60, 60])], 300, lines);
        assert_eq!(shown(&keeps)[0], [Keep::Whole, Keep::Whole, Keep::Dropped]);
        assert_eq!(shown(&keeps)[1], [Keep::Whole, Keep::Whole, Keep::Dropped]);
        let keeps = share(&[file(&[60, 60, 60]), file(&[60, 60, 60])], 330, lines);
        assert_eq!(shown(&keeps)[0], [Keep::Whole, Keep::Whole, Keep::Whole]);
    }

    #[test]
    fn an_empty_budget_sends_nothing() {
        assert!(share(&[file(&[100]), file(&[])], 5, lines).iter().all(|keep| !keep.kept));
    }
}
