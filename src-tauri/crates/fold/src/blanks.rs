//! Adds blank lines to the folds beside them, and folds groups of nothing else. Only where blank lines have no meaning.

use std::ops::Range;

use crate::changed::Changed;
use crate::types::FoldReason;

pub(crate) fn fold(changed: &mut Changed<'_>) {
    for group in changed.groups.clone() {
        let free: Vec<usize> = group.lines.clone().filter(|line| !changed.is_folded(*line)).collect();
        if !free.iter().any(|line| changed.lines[*line].key.blank) {
            continue;
        }
        let only_blank = free.iter().all(|line| is_harmless(changed, *line));
        let alone = only_blank && free.len() == group.lines.len();
        let new = alone.then(|| changed.add(FoldReason::Whitespace, Vec::new()));
        for run in runs(changed, &free) {
            let before = run.start.checked_sub(1).filter(|line| group.lines.contains(line));
            let after = Some(run.end).filter(|line| group.lines.contains(line));
            let beside = [before, after].into_iter().flatten().find_map(|line| changed.fold_of(line));
            if let Some(fold) = beside.or(new) {
                run.for_each(|line| changed.put(line, fold));
            }
        }
    }
}

/// Returns the runs of adjacent blank lines.
fn runs(changed: &Changed<'_>, free: &[usize]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for &line in free.iter().filter(|line| is_harmless(changed, **line)) {
        match runs.last_mut() {
            Some(run) if run.end == line && changed.lines[line - 1].added == changed.lines[line].added => run.end += 1,
            _ => runs.push(line..line + 1),
        }
    }
    runs
}

/// Returns whether a line is blank and no directive above it depends on that.
fn is_harmless(changed: &Changed<'_>, line: usize) -> bool {
    let line = &changed.lines[line];
    let above = changed.source(line).and_then(|source| {
        let token = source.tokens_of(&(line.number..line.number + 1)).start.checked_sub(1)?;
        Some(source.is_directive(token))
    });
    line.key.blank && (above == Some(false) || line.number == 0)
}
