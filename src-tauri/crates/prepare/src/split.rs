//! Splits the hunks in which only some changes are folded, so that the folded ones are left out like whole hunks.
//!
//! In: a change, its masked copy and the plan. Out: the same with more hunks, and the way back for the coverage. A hunk is only split at
//! its context lines, so each part is a patch of its own. Every line is in exactly one part.

use std::collections::BTreeMap;
use std::ops::Range;

use super::types::{CoverageMap, CoverageRun, HunkCoverage};
use super::{Plan, limit_of, part_of};
use diffsan_change::{Body, Change, Hunk, LineKind, Status};
use diffsan_config::Limits;
use diffsan_fold::{Fold, FoldSpan};
use diffsan_redact::types::Redacted;

/// The minimum size of changes that are left out of a hunk, in bytes. Naming smaller ones would be longer than they are.
const MIN_LEFT_OUT_BYTES: usize = 200;

/// A change with split hunks.
pub(super) struct Split {
    pub(super) change: Change,
    pub(super) masked: Redacted<Change>,
    pub(super) plan: Plan,
    parts: Parts,
}

/// The parts of a hunk, in order.
#[derive(Clone)]
struct HunkParts {
    ranges: Vec<Range<usize>>,
    /// The folds of each part that is left out; empty for others.
    folds: Vec<Vec<usize>>,
}

/// The parts of the hunks that are split, by file and hunk.
type Parts = BTreeMap<(usize, usize), HunkParts>;

/// Splits a change. Returns `None` if no hunk is split.
pub(super) fn split(change: &Change, plan: &Plan, masked: &Redacted<Change>, limits: &Limits) -> Option<Split> {
    let parts = parts_of(change, plan, limits);
    if parts.is_empty() {
        return None;
    }
    let first_parts = first_parts(change, &parts);
    Some(
        Split {
            change: divided(change, &parts),
            masked: masked.narrow(|masked| divided(masked, &parts)),
            plan: plan.renumbered(|file, hunk| first_parts[file][hunk]..first_parts[file][hunk + 1], &|span| {
                moved(span, &parts, &first_parts)
            }),
            parts,
        }
        .with_folded(&first_parts),
    )
}

impl Split {
    /// Adds the parts that are folded to the plan.
    fn with_folded(mut self, first_parts: &[Vec<usize>]) -> Self {
        for (&(file, hunk), parts) in &self.parts {
            for (at, folds) in parts.folds.iter().enumerate().filter(|(_, folds)| !folds.is_empty()) {
                self.plan.add_folded((file, first_parts[file][hunk] + at), folds.clone());
            }
        }
        self
    }

    /// Returns the coverage by the hunks of the change before the split.
    pub(super) fn joined(&self, change: &Change, mut map: CoverageMap) -> CoverageMap {
        for (index, (file, covered)) in change.files.iter().zip(&mut map.files).enumerate() {
            let mut parts = std::mem::take(&mut covered.hunks).into_iter();
            let hunks = file.hunks().iter().enumerate().map(|(at, hunk)| {
                let count = self.parts.get(&(index, at)).map_or(1, |parts| parts.ranges.len());
                join(hunk, parts.by_ref().take(count))
            });
            covered.hunks = hunks.collect();
        }
        map
    }
}

fn join(hunk: &Hunk, parts: impl Iterator<Item = HunkCoverage>) -> HunkCoverage {
    let (mut runs, mut folded): (Vec<CoverageRun>, Vec<_>) = (Vec::new(), Vec::new());
    for part in parts {
        for run in part.runs {
            match runs.last_mut() {
                Some(last) if last.state == run.state => last.lines += run.lines,
                _ => runs.push(run),
            }
        }
        for reason in part.folded {
            if !folded.contains(&reason) {
                folded.push(reason);
            }
        }
    }
    HunkCoverage { old_start: hunk.old_start, new_start: hunk.new_start, runs, folded }
}

fn parts_of(change: &Change, plan: &Plan, limits: &Limits) -> Parts {
    let mut folds_of: BTreeMap<(usize, usize), Vec<(usize, &FoldSpan)>> = BTreeMap::new();
    for (index, fold) in plan.folds().iter().enumerate() {
        for span in &fold.spans {
            folds_of.entry((span.file, span.hunk)).or_default().push((index, span));
        }
    }
    let allowed = plan.allowed(limits);
    let mut parts = Parts::new();
    for (&(file, hunk), spans) in &folds_of {
        let Some(changed) = change.files.get(file).filter(|_| allowed[file]) else { continue };
        // The patch of a new or deleted file has all of its lines.
        let is_whole = matches!(changed.status, Status::Added | Status::Deleted | Status::Unmerged);
        if is_whole || plan.is_folded(file, hunk) || plan.is_known(file, hunk) {
            continue;
        }
        let divided = changed.hunks().get(hunk).and_then(|hunk| divide(hunk, spans));
        parts.extend(divided.map(|divided| ((file, hunk), divided)));
    }
    // More parts than hunks are allowed would lose lines.
    let sent = |file: usize| {
        let parts_of = |hunk: usize| match parts.get(&(file, hunk)) {
            Some(parts) => parts.folds.iter().filter(|folds| folds.is_empty()).count(),
            None => usize::from(!plan.is_folded(file, hunk) && !plan.is_known(file, hunk)),
        };
        (0..change.files[file].hunks().len()).map(parts_of).sum::<usize>()
    };
    let most = limit_of(limits.max_hunks_per_file);
    let many: Vec<usize> = parts.keys().map(|&(file, _)| file).filter(|&file| sent(file) > most).collect();
    parts.retain(|(file, _), _| !many.contains(file));
    parts
}

/// Returns the parts of a hunk, or `None` if nothing of it is left out.
fn divide(hunk: &Hunk, spans: &[(usize, &FoldSpan)]) -> Option<HunkParts> {
    let mut fold_of: Vec<Option<usize>> = vec![None; hunk.lines.len()];
    for (fold, span) in spans {
        for line in fold_of.iter_mut().take(span.end).skip(span.start) {
            *line = Some(*fold);
        }
    }
    let groups = groups(hunk);
    let is_folded = |group: &Range<usize>| fold_of[group.clone()].iter().all(Option::is_some);
    let (mut ranges, mut folds, mut from) = (Vec::new(), Vec::new(), 0);
    for run in groups.chunk_by(|one, next| is_folded(one) == is_folded(next)) {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
        if !is_folded(first) {
            continue;
        }
        let start = if first.start == groups[0].start { 0 } else { first.start };
        let is_last = groups.last().is_some_and(|group| group.end == last.end);
        let end = if is_last { hunk.lines.len() } else { last.end };
        let size: usize = hunk.lines[start..end].iter().map(|line| line.text.len() + 2).sum();
        if size < MIN_LEFT_OUT_BYTES {
            continue;
        }
        if start > from {
            ranges.push(from..start);
            folds.push(Vec::new());
        }
        let mut of: Vec<usize> = Vec::new();
        for fold in fold_of[start..end].iter().flatten() {
            if !of.contains(fold) {
                of.push(*fold);
            }
        }
        ranges.push(start..end);
        folds.push(of);
        from = end;
    }
    if ranges.is_empty() {
        return None;
    }
    if from < hunk.lines.len() {
        ranges.push(from..hunk.lines.len());
        folds.push(Vec::new());
    }
    Some(HunkParts { ranges, folds })
}

/// Returns the ranges of adjacent changed lines.
fn groups(hunk: &Hunk) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for (at, _) in hunk.lines.iter().enumerate().filter(|(_, line)| line.kind != LineKind::Context) {
        match groups.last_mut() {
            Some(group) if group.end == at => group.end += 1,
            _ => groups.push(at..at + 1),
        }
    }
    groups
}

/// Returns for each file the new index of each hunk's first part, and the number of all parts at the end.
fn first_parts(change: &Change, parts: &Parts) -> Vec<Vec<usize>> {
    let file = |(index, file): (usize, &diffsan_change::FileChange)| {
        let mut next = 0;
        let mut firsts = vec![0];
        for hunk in 0..file.hunks().len() {
            next += parts.get(&(index, hunk)).map_or(1, |parts| parts.ranges.len());
            firsts.push(next);
        }
        firsts
    };
    change.files.iter().enumerate().map(file).collect()
}

fn divided(change: &Change, parts: &Parts) -> Change {
    let mut change = change.clone();
    for (index, file) in change.files.iter_mut().enumerate() {
        let Body::Text(hunks) = &mut file.body else { continue };
        if parts.range((index, 0)..=(index, usize::MAX)).next().is_none() {
            continue;
        }
        let all = hunks.iter().enumerate().flat_map(|(at, hunk)| match parts.get(&(index, at)) {
            Some(parts) => parts.ranges.iter().map(|range| part_of(hunk, range.clone())).collect(),
            None => vec![hunk.clone()],
        });
        *hunks = all.collect();
    }
    change
}

/// Returns a span by the parts. A span has no context line, so it is in one part.
fn moved(span: &FoldSpan, parts: &Parts, first_parts: &[Vec<usize>]) -> FoldSpan {
    let first = first_parts.get(span.file).and_then(|hunks| hunks.get(span.hunk)).copied().unwrap_or(span.hunk);
    let found = parts
        .get(&(span.file, span.hunk))
        .and_then(|parts| parts.ranges.iter().enumerate().find(|(_, range)| range.contains(&span.start)));
    let (at, before) = found.map_or((0, 0), |(at, range)| (at, range.start));
    FoldSpan { file: span.file, hunk: first + at, start: span.start - before, end: span.end - before }
}

/// Returns the folds with other spans.
pub(super) fn with_spans(folds: &[Fold], span: &dyn Fn(&FoldSpan) -> FoldSpan) -> Vec<Fold> {
    let renumbered = |fold: &Fold| Fold { spans: fold.spans.iter().map(span).collect(), ..fold.clone() };
    folds.iter().map(renumbered).collect()
}
