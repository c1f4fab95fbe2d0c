//! The coverage of a change: the state of every line, for the gutter, the reports and the run folder.

use super::budget::Keep;
use super::types::{Coverage, CoverageMap, CoverageRun, FileCoverage, HunkCoverage};
use super::{Chosen, Plan, folded};
use diffsan_change::{Change, FileChange, Hunk, Line, LineKind};
use diffsan_fold::FoldReason;

/// Returns the state of all lines, in the change's order.
pub(super) fn map(change: &Change, masked: &Change, plan: &Plan, chosen: &[Chosen]) -> CoverageMap {
    let mut keeps = vec![None; change.files.len()];
    for one in chosen {
        keeps[one.file] = one.keep.as_ref().filter(|keep| keep.kept);
    }
    let mut tally = Tally::default();
    let mut files = Vec::with_capacity(change.files.len());
    for (index, (file, twin)) in change.files.iter().zip(&masked.files).enumerate() {
        let state = match (plan.ignored(index), keeps[index]) {
            (Some(_), _) => Coverage::Ignored,
            (None, None) => Coverage::Cut,
            (None, Some(_)) => Coverage::Sent,
        };
        let keep = |hunk: usize| keeps[index].map_or(Keep::Dropped, |keep| keep.hunks[hunk]);
        let reasons = |hunk: usize| folded::reasons(plan, index, hunk);
        let covered = file_coverage(file, twin, state, keep, reasons, &mut tally);
        tally.file(covered.state);
        files.push(covered);
    }
    CoverageMap { summary: tally.sentence(), files }
}

fn file_coverage(
    file: &FileChange,
    twin: &FileChange,
    state: Coverage,
    keep: impl Fn(usize) -> Keep,
    reasons: impl Fn(usize) -> Vec<FoldReason>,
    tally: &mut Tally,
) -> FileCoverage {
    let mut worst = state;
    let mut hunks = Vec::with_capacity(file.hunks().len());
    for (index, (hunk, masked)) in file.hunks().iter().zip(twin.hunks()).enumerate() {
        let kept = match (state, keep(index)) {
            (Coverage::Sent, Keep::Whole) => hunk.lines.len(),
            (Coverage::Sent, Keep::First(lines)) => lines,
            _ => 0,
        };
        let lost = match (state, keep(index)) {
            (Coverage::Sent, Keep::Known) => Coverage::Ignored,
            (Coverage::Sent, Keep::Folded) => Coverage::Folded,
            (Coverage::Sent, _) => Coverage::Cut,
            _ => state,
        };
        let runs = runs(hunk, masked, kept, lost, tally);
        worst = runs.iter().map(|run| run.state).chain([worst]).max_by_key(|state| badness(*state)).unwrap_or(worst);
        let folded = if lost == Coverage::Folded { reasons(index) } else { Vec::new() };
        hunks.push(HunkCoverage { old_start: hunk.old_start, new_start: hunk.new_start, runs, folded });
    }
    FileCoverage { path: twin.path().to_text().into_owned(), state: worst, hunks }
}

fn badness(state: Coverage) -> u8 {
    match state {
        Coverage::Sent => 0,
        Coverage::Folded => 1,
        Coverage::Redacted => 2,
        Coverage::Cut => 3,
        Coverage::Ignored => 4,
    }
}

fn runs(hunk: &Hunk, masked: &Hunk, kept: usize, lost: Coverage, tally: &mut Tally) -> Vec<CoverageRun> {
    let mut runs: Vec<CoverageRun> = Vec::new();
    for (index, (line, twin)) in hunk.lines.iter().zip(masked.lines.iter()).enumerate() {
        let state = match index < kept {
            false => lost,
            true if same(line, twin) => Coverage::Sent,
            true => Coverage::Redacted,
        };
        if line.kind != LineKind::Context {
            tally.changed += 1;
            tally.sent += u64::from(index < kept);
            tally.folded += u64::from(lost == Coverage::Folded);
        }
        match runs.last_mut() {
            Some(run) if run.state == state => run.lines += 1,
            _ => runs.push(CoverageRun { state, lines: 1 }),
        }
    }
    runs
}

/// Compares a line with its masked version. Lines without secrets share their bytes, so most need no comparison of the
/// text.
fn same(line: &Line, twin: &Line) -> bool {
    let place = |line: &Line| (line.text.as_ptr(), line.text.len());
    place(line) == place(twin) || line.text == twin.text
}

/// The counts for the summary sentence.
#[derive(Default)]
struct Tally {
    whole: u64,
    cut: u64,
    ignored: u64,
    changed: u64,
    sent: u64,
    folded: u64,
}

impl Tally {
    fn file(&mut self, state: Coverage) {
        *match state {
            Coverage::Sent | Coverage::Redacted | Coverage::Folded => &mut self.whole,
            Coverage::Cut => &mut self.cut,
            Coverage::Ignored => &mut self.ignored,
        } += 1;
    }

    /// Returns the summary: `18 of 21 files, 94% of changed lines sent; 2 files over the limits, 1 ignored`.
    fn sentence(&self) -> String {
        let all = self.whole + self.cut + self.ignored;
        let files = |count: u64| if count == 1 { "file" } else { "files" };
        let mut text = format!("{} of {all} {}", self.whole, files(all));
        // The share is rounded down, so that 100% means all lines.
        if let Some(share) = (self.sent * 100).checked_div(self.changed) {
            text += &format!(", {share}% of changed lines");
        }
        text += " sent";
        if self.folded > 0 {
            let lines = if self.folded == 1 { "changed line" } else { "changed lines" };
            text += &format!("; {} {lines} folded", self.folded);
        }
        let lost: Vec<String> = [(self.cut, "over the limits"), (self.ignored, "ignored")]
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .enumerate()
            .map(|(index, (count, word))| match index {
                0 => format!("{count} {} {word}", files(count)),
                _ => format!("{count} {word}"),
            })
            .collect();
        if !lost.is_empty() {
            text += &format!("; {}", lost.join(", "));
        }
        text
    }
}
