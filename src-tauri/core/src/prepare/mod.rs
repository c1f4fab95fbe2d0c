//! From a change to what may be sent of it: ignore, order, budget, coverage.
//!
//! In: a change, what its attributes say, its masked twin, the settings. Out: the prepared diff and reports that name
//! everything that is not in it. Pure and synchronous; it reads no file and drops nothing in silence.

mod attributes;
mod budget;
mod coverage;
mod kinds;
mod measure;
mod plan;
mod report;
#[cfg(test)]
mod tests;
pub mod types;

pub use attributes::{Attributes, FileAttributes};
pub use kinds::Kind;
pub use plan::{Ignored, Plan, PrepareError, plan};

use self::budget::{FileKeep, Keep, share};
use self::measure::{cost, first_that_fit, needs_ids};
use self::types::{CoverageMap, IgnoredFile, TruncationReport};
use crate::change::{Body, Change, FileChange, Hunk, LineKind, print_change};
use crate::config::Limits;
use crate::redact::types::Redacted;

/// What is sent, and what became of the rest. Paths in the reports are masked ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// The prepared diff.
    pub diff: Redacted<String>,
    /// The same as a change: the files that are sent, most worth first, with the hunks that are sent.
    pub change: Redacted<Change>,
    /// What the budget cut.
    pub truncation: TruncationReport,
    /// What is not sent at all.
    pub ignored: Vec<IgnoredFile>,
    /// What became of every line.
    pub coverage: CoverageMap,
}

/// A file that the plan sends, and what of it is kept.
struct Chosen {
    /// Its index in the change.
    file: usize,
    /// None where a limit on files took it.
    keep: Option<FileKeep>,
}

/// Cuts a change to its budget. `masked` is the change with its secrets masked, equal in shape.
pub fn prepare(change: &Change, plan: &Plan, masked: &Redacted<Change>, limits: &Limits) -> Prepared {
    let chosen = choose(masked.get(), plan, limits);
    let kept = masked.narrow(|masked| kept(masked, &chosen));
    let diff = kept.narrow(|kept| into_text(print_change(kept)));
    Prepared {
        truncation: report::truncation(masked.get(), &chosen, &diff, limits),
        ignored: report::ignored(masked.get(), plan),
        coverage: coverage::map(change, masked.get(), plan, &chosen),
        change: kept,
        diff,
    }
}

/// Decides what is kept of each file that the plan sends.
fn choose(masked: &Change, plan: &Plan, limits: &Limits) -> Vec<Chosen> {
    let files: Vec<usize> = plan.sent().filter(|&file| file < masked.files.len()).collect();
    let allowed = unlimited(limits.max_files.into()).min(files.len() as u64) as usize;
    let max_hunks = usize::try_from(unlimited(limits.max_hunks_per_file.into())).unwrap_or(usize::MAX);
    let costs: Vec<_> = files[..allowed].iter().map(|&file| cost(&masked.files[file], max_hunks)).collect();
    let cut = |index: usize, hunk: usize, room: u64| first_that_fit(&masked.files[files[index]], hunk, room);
    let mut keeps = share(&costs, unlimited(limits.max_diff_chars), cut).into_iter();
    files.iter().map(|&file| Chosen { file, keep: keeps.next() }).collect()
}

/// A limit; zero is none.
fn unlimited(limit: u64) -> u64 {
    if limit == 0 { u64::MAX } else { limit }
}

fn kept(masked: &Change, chosen: &[Chosen]) -> Change {
    let file = |chosen: &Chosen| {
        let keep = chosen.keep.as_ref().filter(|keep| keep.kept)?;
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
        files: chosen.iter().filter_map(file).collect(),
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
        Keep::Dropped => None,
        Keep::Whole => Some(hunk.clone()),
        Keep::First(lines) => Some(cut(hunk, lines)),
    }
}

/// The first lines of a hunk, closed with lines of the old side that follow them: without those, a patch says that
/// the file ends there.
fn cut(hunk: &Hunk, count: usize) -> Hunk {
    let mut lines = hunk.lines[..count].to_vec();
    let mut closing =
        hunk.lines[count..].iter().filter(|line| line.kind != LineKind::Added).take(CLOSING_LINES).cloned();
    lines.extend(closing.by_ref().map(|line| crate::change::Line { kind: LineKind::Context, ..line }));
    let on = |side: LineKind| lines.iter().filter(|line| line.kind == LineKind::Context || line.kind == side).count();
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let (old_lines, new_lines) = (number(on(LineKind::Removed)), number(on(LineKind::Added)));
    // A side without lines names the line before it.
    let start = |start: u32, whole: u32, kept: u32| {
        start + u32::from(whole == 0 && kept > 0) - u32::from(whole > 0 && kept == 0)
    };
    Hunk {
        old_start: start(hunk.old_start, hunk.old_lines, old_lines),
        old_lines,
        new_start: start(hunk.new_start, hunk.new_lines, new_lines),
        new_lines,
        section: hunk.section.clone(),
        lines,
    }
}

/// Old lines that close a cut hunk.
const CLOSING_LINES: usize = 1;

/// Bytes that are not text are shown as git's readers show them: replaced, one mark for each run.
fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
