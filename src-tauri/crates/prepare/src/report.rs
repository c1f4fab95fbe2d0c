//! Reports of everything that was dropped: each file, hunk or end of a hunk that is not in the prepared diff, with the
//! limit that dropped it.

use super::budget::{FileKeep, Keep};
use super::measure::{Measure, chars, cost};
use super::types::{IgnoreReason, IgnoredFile, TruncationItem, TruncationKind, TruncationReport};
use super::{Chosen, Plan, is_left_out};
use diffsan_change::{Change, FileChange, Hunk, parallel, print_hunk_header};
use diffsan_config::Limits;
use diffsan_redact::types::Redacted;

/// Returns the ignored files, in the change's order.
pub(super) fn ignored(masked: &Change, plan: &Plan) -> Vec<IgnoredFile> {
    let file = |(index, file): (usize, &FileChange)| {
        let known = plan.known_hunks(index);
        if known > 0 {
            return Some(IgnoredFile {
                path: file.path().to_text().into_owned(),
                reason: IgnoreReason::Reviewed,
                details: format!("{known} of {} hunks were already reviewed", file.hunks().len()),
            });
        }
        let ignored = plan.ignored(index)?;
        Some(IgnoredFile {
            path: file.path().to_text().into_owned(),
            reason: ignored.reason,
            details: ignored.details.clone(),
        })
    };
    masked.files.iter().enumerate().filter_map(file).collect()
}

/// Returns the report of everything that the limits dropped.
pub(super) fn truncation(
    masked: &Change,
    chosen: &[Chosen],
    diff: &Redacted<String>,
    limits: &Limits,
) -> TruncationReport {
    let mut report = TruncationReport {
        final_chars: chars(diff.as_str().as_bytes()),
        original_files: u32::try_from(chosen.len()).unwrap_or(u32::MAX),
        ..TruncationReport::default()
    };
    let cost_of = |index: usize| cost(&masked.files[chosen[index].file], usize::MAX, Measure::chars());
    let costs = parallel::each(chosen.len(), parallel::threads_for(chosen.len()), cost_of);
    for (one, costs) in chosen.iter().zip(costs) {
        let file = &masked.files[one.file];
        if one.keep.as_ref().is_some_and(|keep| is_left_out(masked, one.file, keep)) {
            report.original_files -= 1;
            continue;
        }
        let is_folded = |hunk: usize| one.keep.as_ref().is_some_and(|keep| keep.hunks.get(hunk) == Some(&Keep::Folded));
        let not_folded = costs.hunks.iter().enumerate().filter(|(hunk, _)| !is_folded(*hunk));
        report.original_chars += costs.header + not_folded.map(|(_, cost)| cost).sum::<u64>();
        match &one.keep {
            None => report.items.push(whole_file(file, &format!("max_files ({})", limits.max_files))),
            Some(keep) if !keep.kept => {
                report.items.push(whole_file(file, &size_limit(limits)));
            }
            Some(keep) => {
                report.final_files += 1;
                report.items.extend(hunks(file, keep, limits));
            }
        }
    }
    report.truncated = !report.items.is_empty();
    report
}

/// Returns the names and values of the limits on the size.
fn size_limit(limits: &Limits) -> String {
    let sizes = [("max_diff_tokens", limits.max_diff_tokens), ("max_diff_chars", limits.max_diff_chars)];
    let named = sizes.iter().filter(|(_, limit)| *limit > 0).map(|(name, limit)| format!("{name} ({limit})"));
    named.collect::<Vec<_>>().join(" or ")
}

fn whole_file(file: &FileChange, limit: &str) -> TruncationItem {
    let counts = file.line_counts();
    TruncationItem {
        kind: TruncationKind::File,
        path: file.path().to_text().into_owned(),
        details: format!("+{} −{} lines; over {limit}", counts.added, counts.removed),
    }
}

fn hunks(file: &FileChange, keep: &FileKeep, limits: &Limits) -> Vec<TruncationItem> {
    let path = || file.path().to_text().into_owned();
    let max = limits.max_hunks_per_file as usize;
    let size_limit = size_limit(limits);
    let item = |(index, (hunk, keep)): (usize, (&Hunk, &Keep))| match keep {
        Keep::Whole | Keep::Known | Keep::Folded => None,
        Keep::First(lines) => Some(TruncationItem {
            kind: TruncationKind::PartialHunk,
            path: path(),
            details: format!("{}: the last {} lines; over {size_limit}", head(hunk), hunk.lines.len() - lines),
        }),
        Keep::Dropped => {
            let limit = match max > 0 && index >= max {
                true => format!("max_hunks_per_file ({max})"),
                false => size_limit.clone(),
            };
            Some(TruncationItem {
                kind: TruncationKind::Hunk,
                path: path(),
                details: format!("{}; over {limit}", head(hunk)),
            })
        }
    };
    file.hunks().iter().zip(&keep.hunks).enumerate().filter_map(item).collect()
}

/// Returns the line numbers of a hunk's header, without the code behind them.
pub(super) fn head(hunk: &Hunk) -> String {
    let mut header = Vec::new();
    print_hunk_header(hunk, false, &mut header);
    String::from_utf8_lossy(&header).trim_end().to_owned()
}
