//! How much of each file is kept. In: what every hunk costs, in characters or tokens. Out: for every hunk how much of it stays. Whole hunks
//! are kept or dropped; only one that no share can hold is cut. A huge file cannot starve the rest: all get an equal
//! share, what small ones leave over goes to the larger ones, most worth first.

/// What of a hunk is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Keep {
    /// Nothing.
    #[default]
    Dropped,
    /// Its first lines, so many.
    First(usize),
    /// All.
    Whole,
    /// Nothing: it was reviewed before.
    Known,
}

/// What a file costs.
#[derive(Clone, Debug)]
pub(super) struct FileCost {
    /// Its headers.
    pub(super) header: u64,
    /// Each of its hunks, header included.
    pub(super) hunks: Vec<u64>,
    /// Hunks beyond this are never kept.
    pub(super) max_hunks: usize,
}

impl FileCost {
    fn all(&self) -> u64 {
        self.header + self.hunks.iter().take(self.max_hunks).sum::<u64>()
    }
}

/// What of a file is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileKeep {
    /// Whether anything is.
    pub(super) kept: bool,
    /// Each of its hunks.
    pub(super) hunks: Vec<Keep>,
    cost: u64,
}

impl FileKeep {
    /// All of a file with so many hunks.
    pub(super) fn whole(hunks: usize) -> Self {
        Self { kept: true, hunks: vec![Keep::Whole; hunks], cost: 0 }
    }
}

/// Shares a budget among files, most worth first. `cut` says how many first lines of a hunk of a file fit into so
/// many characters, and what they cost.
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
            // The part makes way for more of the same hunk.
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

/// The most that one file may take at first, so that all together stay within the budget.
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

/// Takes every hunk that is not taken yet and fits, in order.
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

/// Takes what fits of the first hunk.
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

    /// Lines of ten characters each, and a header of ten.
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
    fn one_huge_file_leaves_the_small_ones_alone() {
        let keeps = share(&[file(&[100_000]), file(&[90]), file(&[40, 40])], 500, lines);
        assert_eq!(shown(&keeps), [vec![Keep::First(29)], vec![Keep::Whole], vec![Keep::Whole, Keep::Whole]]);
    }

    #[test]
    fn what_is_left_over_goes_to_the_file_of_most_worth() {
        let keeps = share(&[file(&[60, 60, 60]), file(&[60, 60, 60])], 300, lines);
        assert_eq!(shown(&keeps)[0], [Keep::Whole, Keep::Whole, Keep::Dropped]);
        assert_eq!(shown(&keeps)[1], [Keep::Whole, Keep::Whole, Keep::Dropped]);
        let keeps = share(&[file(&[60, 60, 60]), file(&[60, 60, 60])], 330, lines);
        assert_eq!(shown(&keeps)[0], [Keep::Whole, Keep::Whole, Keep::Whole]);
    }

    #[test]
    fn a_budget_for_nothing_keeps_nothing() {
        assert!(share(&[file(&[100]), file(&[])], 5, lines).iter().all(|keep| !keep.kept));
    }
}
