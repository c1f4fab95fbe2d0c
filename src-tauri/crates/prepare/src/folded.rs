//! Reports the hunks that are not sent because their changed lines have no new meaning. Paths and names are masked.

use super::Plan;
use super::report::head;
use super::types::FoldedHunk;
use diffsan_change::{Change, Hunk, LineKind};
use diffsan_fold::{Fold, FoldReason, FoldSpan, Rename};

/// Returns the folded hunks of the files that are sent, in the plan's order.
pub(super) fn folded(masked: &Change, plan: &Plan) -> Vec<FoldedHunk> {
    let files = plan.sent().filter(|&file| file < masked.files.len());
    let hunks = files.flat_map(|file| masked.files[file].hunks().iter().enumerate().map(move |at| (file, at)));
    hunks
        .filter_map(|(file, (index, hunk))| {
            let folds = plan.folds_of(file, index)?;
            let mut details: Vec<String> = Vec::new();
            for fold in folds {
                let text = describe(masked, fold, file, index, hunk);
                if !details.contains(&text) {
                    details.push(text);
                }
            }
            let changed = hunk.lines.iter().filter(|line| line.kind != LineKind::Context).count();
            Some(FoldedHunk {
                path: masked.files[file].path().to_text().into_owned(),
                hunk: head(hunk),
                lines: u32::try_from(changed).unwrap_or(u32::MAX),
                reasons: reasons(plan, file, index),
                details: details.join(", "),
            })
        })
        .collect()
}

/// Returns the reasons of a folded hunk, each once.
pub(super) fn reasons(plan: &Plan, file: usize, hunk: usize) -> Vec<FoldReason> {
    let mut reasons: Vec<FoldReason> = Vec::new();
    for fold in plan.folds_of(file, hunk).unwrap_or_default() {
        if !reasons.contains(&fold.reason) {
            reasons.push(fold.reason);
        }
    }
    reasons
}

fn describe(masked: &Change, fold: &Fold, file: usize, index: usize, hunk: &Hunk) -> String {
    match fold.reason {
        FoldReason::Moved => moved(masked, fold, (file, index)),
        FoldReason::Whitespace => "only whitespace".to_owned(),
        FoldReason::Formatting => "the same tokens on other lines".to_owned(),
        FoldReason::Renamed => renamed(&fold.renames, hunk),
        FoldReason::Imports => "the same imports in another order".to_owned(),
        FoldReason::Comments => "only comments".to_owned(),
    }
}

/// Returns where the lines of a hunk moved to, or where they came from.
fn moved(masked: &Change, fold: &Fold, at: (usize, usize)) -> String {
    let own = fold.spans.iter().find(|span| (span.file, span.hunk) == at);
    let is_added = own.and_then(|span| kind_of(masked, span)) == Some(LineKind::Added);
    let other = if is_added { LineKind::Removed } else { LineKind::Added };
    let place = fold.spans.iter().filter(|span| Some(*span) != own).find_map(|span| first_line(masked, span, other));
    match place {
        Some(place) if is_added => format!("moved from {place}"),
        Some(place) => format!("moved to {place}"),
        None => "moved".to_owned(),
    }
}

fn kind_of(masked: &Change, span: &FoldSpan) -> Option<LineKind> {
    Some(masked.files.get(span.file)?.hunks().get(span.hunk)?.lines.get(span.start)?.kind)
}

/// Returns `path:line` of the first line of a kind in a span.
fn first_line(masked: &Change, span: &FoldSpan, kind: LineKind) -> Option<String> {
    let file = masked.files.get(span.file)?;
    let hunk = file.hunks().get(span.hunk)?;
    let mut lines = hunk.numbered().skip(span.start).take(span.end - span.start);
    let line = lines.find(|line| line.line.kind == kind)?;
    let (path, number) = match kind {
        LineKind::Removed => (file.old_path.as_ref()?, line.old?),
        _ => (file.new_path.as_ref()?, line.new?),
    };
    Some(format!("{}:{number}", path.to_text()))
}

/// Returns the renames of a fold that occur in a masked hunk. A name that was masked is left out.
fn renamed(renames: &[Rename], hunk: &Hunk) -> String {
    let is_shown = |name: &str| {
        let lines = hunk.lines.iter().filter(|line| line.kind != LineKind::Context);
        lines.map(|line| String::from_utf8_lossy(&line.text)).any(|text| text.contains(name))
    };
    let shown = renames.iter().filter(|rename| is_shown(&rename.from) && is_shown(&rename.to));
    let names: Vec<String> = shown.map(|rename| format!("`{}` to `{}`", rename.from, rename.to)).collect();
    if names.is_empty() { "a renamed symbol".to_owned() } else { format!("renamed {}", names.join(", ")) }
}
