//! Selects what is sent of a change: ignore, order, budget, coverage.
//!
//! In: a change, its attributes, its masked copy, and the settings. Out: the prepared diff, and reports about
//! everything that is not in it. Pure and synchronous: it reads no file, and drops nothing without a report.

pub mod compact;
pub mod prompt;
pub mod tokens;

mod batches;
mod budget;
mod context;
mod coverage;
mod folded;
mod kinds;
mod measure;
mod plan;
mod related;
mod report;
mod split;
#[cfg(test)]
mod tests;
pub mod types;

pub use context::surround;
pub use kinds::Kind;
pub use plan::{Ignored, Plan, PrepareError, plan};

use self::budget::{FileCost, FileKeep, Keep, is_folded, share};
use self::measure::{Measure, cost, first_that_fit, needs_ids};
use self::types::{CoverageMap, FoldedHunk, IgnoredFile, TruncationReport};
use diffsan_change::{Body, Change, FileChange, Hunk, LineKind, Status, parallel, print_change, some_lines};
use diffsan_config::{Limits, Strategy};
use diffsan_redact::types::Redacted;

/// The part of a change that is sent, and reports about the rest. Paths in the reports are masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// The prepared diff.
    pub diff: Redacted<String>,
    /// The prepared diff as a change: the files and hunks that are sent, the most relevant file first.
    pub change: Redacted<Change>,
    /// The batches, if the change exceeds the budget and nothing may be left out; otherwise empty.
    pub batches: Vec<Batch>,
    /// The report of the parts that the budget cut.
    pub truncation: TruncationReport,
    /// The files that are not sent at all.
    pub ignored: Vec<IgnoredFile>,
    /// The hunks that are not sent because their changed lines have no new meaning.
    pub folded: Vec<FoldedHunk>,
    /// The state of every line.
    pub coverage: CoverageMap,
}

/// A part of the change that is sent in its own prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The diff of this part.
    pub diff: Redacted<String>,
    /// The diff of this part as a change.
    pub change: Redacted<Change>,
}

impl Prepared {
    /// Returns the diffs that are sent, one for each prompt.
    pub fn diffs(&self) -> Vec<&Redacted<String>> {
        match &self.batches[..] {
            [] => vec![&self.diff],
            batches => batches.iter().map(|batch| &batch.diff).collect(),
        }
    }
}

/// A file that the plan sends, and the part of it that is kept.
struct Chosen {
    /// The index of the file in the change.
    file: usize,
    /// `None` if a limit on the number of files dropped the file.
    keep: Option<FileKeep>,
}

/// Fits a change to its budget. `masked` is the change with its secrets masked, and has the same shape.
pub fn prepare(change: &Change, plan: &Plan, masked: &Redacted<Change>, limits: &Limits) -> Prepared {
    match split::split(change, plan, masked, limits) {
        None => prepare_hunks(change, plan, masked, limits),
        Some(split) => {
            let prepared = prepare_hunks(&split.change, &split.plan, &split.masked, limits);
            let ignored = report::ignored(masked.get(), plan);
            Prepared { coverage: split.joined(change, prepared.coverage), ignored, ..prepared }
        }
    }
}

/// Returns the masked change without the lines that are left out whatever the limits are: those of folds, and those that were reviewed
/// before. Its files have the same indices.
pub fn sendable(change: &Change, plan: &Plan, masked: &Redacted<Change>, limits: &Limits) -> Redacted<Change> {
    match split::split(change, plan, masked, limits) {
        None => masked.narrow(|masked| fresh(masked, plan)),
        Some(split) => split.masked.narrow(|masked| fresh(masked, &split.plan)),
    }
}

fn prepare_hunks(change: &Change, plan: &Plan, masked: &Redacted<Change>, limits: &Limits) -> Prepared {
    let measure = Measure::new(limits);
    let (chosen, kept, diff) = match limits.strategy {
        Strategy::Truncate => cut_to_fit(plan, masked, limits, measure),
        Strategy::Split => {
            let chosen =
                planned(masked.get(), plan).map(|file| Chosen { file, keep: Some(whole(masked.get(), plan, file)) });
            select(plan, masked, chosen.collect())
        }
    };
    let batches = match limits.strategy {
        Strategy::Split if !fits(&diff, chosen.len(), limits) => {
            let is_sent =
                |one: &&Chosen| !one.keep.as_ref().is_some_and(|keep| is_left_out(masked.get(), one.file, keep));
            let files: Vec<usize> = chosen.iter().filter(is_sent).map(|one| one.file).collect();
            let batch = |change| {
                let change = masked.narrow(|_| change);
                Batch { diff: change.narrow(|change| into_text(print_change(change))), change }
            };
            batches::batches(&fresh(masked.get(), plan), &files, limits, measure).into_iter().map(batch).collect()
        }
        _ => Vec::new(),
    };
    Prepared {
        truncation: report::truncation(masked.get(), &chosen, &diff, limits),
        ignored: report::ignored(masked.get(), plan),
        folded: folded::folded(masked.get(), plan),
        coverage: coverage::map(change, masked.get(), plan, &chosen),
        change: kept,
        diff,
        batches,
    }
}

fn planned(masked: &Change, plan: &Plan) -> impl Iterator<Item = usize> {
    let files = masked.files.len();
    plan.sent().filter(move |&file| file < files)
}

fn whole(masked: &Change, plan: &Plan, file: usize) -> FileKeep {
    let count = masked.files[file].hunks().len();
    with_left_out(FileKeep::whole(fresh_hunks(plan, file, count).len()), plan, file, count)
}

/// Returns the reason why a hunk is not sent, if it was reviewed before or is folded.
fn left_out(plan: &Plan, file: usize, hunk: usize) -> Option<Keep> {
    let known = plan.is_known(file, hunk).then_some(Keep::Known);
    known.or_else(|| plan.is_folded(file, hunk).then_some(Keep::Folded))
}

/// Returns the hunks of a file that are sent if the budget allows.
fn fresh_hunks(plan: &Plan, file: usize, count: usize) -> Vec<usize> {
    (0..count).filter(|&hunk| left_out(plan, file, hunk).is_none()).collect()
}

/// Adds the hunks that are left out to those of [`fresh_hunks`].
fn with_left_out(mut keep: FileKeep, plan: &Plan, file: usize, count: usize) -> FileKeep {
    let mut fresh = keep.hunks.iter().copied();
    let all = (0..count).map(|hunk| left_out(plan, file, hunk).or_else(|| fresh.next()).unwrap_or_default());
    keep.hunks = all.collect();
    keep
}

/// Returns whether nothing of a file is sent because its hunks are folded. A new name or mode is sent.
fn is_left_out(masked: &Change, file: usize, keep: &FileKeep) -> bool {
    let file = &masked.files[file];
    let only_lines = match file.status {
        Status::Added | Status::Deleted => true,
        Status::Modified => file.old_mode == file.new_mode || file.old_mode.is_none() || file.new_mode.is_none(),
        _ => false,
    };
    is_folded(keep) && only_lines
}

/// Returns the change without the hunks that are left out.
fn fresh(masked: &Change, plan: &Plan) -> Change {
    let mut change = masked.clone();
    for (index, file) in change.files.iter_mut().enumerate() {
        if let Body::Text(hunks) = &mut file.body {
            let mut hunk = 0;
            hunks.retain(|_| {
                hunk += 1;
                left_out(plan, index, hunk - 1).is_none()
            });
        }
    }
    change
}

fn fits(diff: &Redacted<String>, files: usize, limits: &Limits) -> bool {
    files <= limit_of(limits.max_files)
        && measure::chars(diff.as_str().as_bytes()) <= unlimited(limits.max_diff_chars)
        && (limits.max_diff_tokens == 0 || tokens::count(diff.as_str()) <= limits.max_diff_tokens)
}

type Selected = (Vec<Chosen>, Redacted<Change>, Redacted<String>);

/// Selects what is kept within the limits.
fn cut_to_fit(plan: &Plan, masked: &Redacted<Change>, limits: &Limits, measure: Measure) -> Selected {
    let selected = select(plan, masked, choose(masked.get(), plan, limits, measure));
    let Some(most) = measure.max_tokens() else { return selected };
    // The whole text may have a few more tokens than the sum of its lines.
    let mut budget = most;
    let mut selected = selected;
    while budget > 0 {
        let over = tokens::count(selected.2.as_str()).saturating_sub(most);
        if over == 0 {
            break;
        }
        budget = budget.saturating_sub(over + 1);
        selected = select(plan, masked, choose(masked.get(), plan, limits, measure.with_tokens(budget)));
    }
    selected
}

fn select(plan: &Plan, masked: &Redacted<Change>, chosen: Vec<Chosen>) -> Selected {
    let kept = masked.narrow(|masked| kept(plan, masked, &chosen));
    let diff = kept.narrow(|kept| into_text(print_change(kept)));
    (chosen, kept, diff)
}

/// Decides which part is kept of each file that the plan sends.
fn choose(masked: &Change, plan: &Plan, limits: &Limits, measure: Measure) -> Vec<Chosen> {
    let files: Vec<usize> = planned(masked, plan).collect();
    let allowed = limit_of(limits.max_files).min(files.len());
    let max_hunks = limit_of(limits.max_hunks_per_file);
    let hunks_of = |file: usize| fresh_hunks(plan, file, masked.files[file].hunks().len());
    let fresh: Vec<Vec<usize>> = files[..allowed].iter().map(|&file| hunks_of(file)).collect();
    let cost_of = |index: usize| {
        let whole = cost(&masked.files[files[index]], max_hunks, measure);
        FileCost { hunks: fresh[index].iter().map(|&hunk| whole.hunks[hunk]).collect(), ..whole }
    };
    let costs = parallel::each(allowed, parallel::threads_for(allowed), cost_of);
    let cut = |index: usize, hunk: usize, room: u64| {
        first_that_fit(&masked.files[files[index]], *fresh[index].get(hunk)?, room, measure)
    };
    let mut keeps = share(&costs, measure.budget(), cut).into_iter();
    let expand = |file: usize, keep| with_left_out(keep, plan, file, masked.files[file].hunks().len());
    files.iter().map(|&file| Chosen { file, keep: keeps.next().map(|keep| expand(file, keep)) }).collect()
}

/// Returns a limit; zero means no limit.
fn unlimited(limit: u64) -> u64 {
    if limit == 0 { u64::MAX } else { limit }
}

/// Returns a limit on a number of things; zero means no limit.
fn limit_of(limit: u32) -> usize {
    usize::try_from(unlimited(limit.into())).unwrap_or(usize::MAX)
}

fn kept(plan: &Plan, masked: &Change, chosen: &[Chosen]) -> Change {
    let mut shown: Vec<&Chosen> = chosen.iter().collect();
    shown.sort_by_key(|one| plan.place(one.file));
    let file = |chosen: &Chosen| {
        let keep = chosen.keep.as_ref().filter(|keep| keep.kept && !is_left_out(masked, chosen.file, keep))?;
        let file = &masked.files[chosen.file];
        let body = match &file.body {
            Body::Text(hunks) => {
                Body::Text(hunks.iter().zip(&keep.hunks).filter_map(|(hunk, keep)| part(hunk, *keep)).collect())
            }
            other => other.clone(),
        };
        Some(FileChange { body, ..without_body(file) })
    };
    Change {
        files: shown.into_iter().filter_map(file).collect(),
        base: masked.base.clone(),
        head: masked.head.clone(),
        messages: masked.messages.clone(),
    }
}

fn without_body(file: &FileChange) -> FileChange {
    FileChange {
        old_path: file.old_path.clone(),
        new_path: file.new_path.clone(),
        status: file.status,
        old_mode: file.old_mode,
        new_mode: file.new_mode,
        ids: file.ids.clone().filter(|_| needs_ids(file)),
        similarity: file.similarity,
        body: Body::Text(Vec::new()),
    }
}

fn part(hunk: &Hunk, keep: Keep) -> Option<Hunk> {
    match keep {
        Keep::Dropped | Keep::Known | Keep::Folded => None,
        Keep::Whole => Some(hunk.clone()),
        Keep::First(lines) => Some(cut(hunk, lines)),
    }
}

/// Returns a range of a hunk's lines as a hunk.
fn part_of(hunk: &Hunk, lines: std::ops::Range<usize>) -> Hunk {
    if lines.len() == hunk.lines.len() { hunk.clone() } else { some_lines(hunk, lines) }
}

/// Returns the first lines of a hunk, followed by the next lines of the old side as context. Without those, the patch
/// would say that the file ends there.
fn cut(hunk: &Hunk, count: usize) -> Hunk {
    let mut lines = hunk.lines[..count].to_vec();
    let mut closing =
        hunk.lines[count..].iter().filter(|line| line.kind != LineKind::Added).take(CLOSING_LINES).cloned();
    lines.extend(closing.by_ref().map(|line| diffsan_change::Line { kind: LineKind::Context, ..line }));
    let on = |side: LineKind| lines.iter().filter(|line| line.kind == LineKind::Context || line.kind == side).count();
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let (old_lines, new_lines) = (number(on(LineKind::Removed)), number(on(LineKind::Added)));
    // The start of a side without lines is the line before it.
    let start = |start: u32, whole: u32, kept: u32| {
        start + u32::from(whole == 0 && kept > 0) - u32::from(whole > 0 && kept == 0)
    };
    Hunk {
        old_start: start(hunk.old_start, hunk.old_lines, old_lines),
        old_lines,
        new_start: start(hunk.new_start, hunk.new_lines, new_lines),
        new_lines,
        section: hunk.section.clone(),
        lines: lines.into(),
    }
}

/// The number of old lines that follow a cut hunk.
const CLOSING_LINES: usize = 1;

/// Converts bytes to text. Invalid UTF-8 is replaced, one replacement character for each invalid run, as readers of
/// git's output do.
fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
