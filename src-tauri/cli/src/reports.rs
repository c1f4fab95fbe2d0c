//! The reports of a prepared change on the terminal: its parts, the cut, ignored, folded and masked ones, and the facts about it.
//!
//! A short list is printed whole. A long one is summarised by reason and folder, because a list of thousands of files hides the messages
//! around it.

use std::collections::BTreeMap;

use diffsan_facts::{Facts, FactsSummary};
use diffsan_pipeline::open::OpenChange;
use diffsan_prepare::Batch;
use diffsan_prepare::types::{IgnoreReason, TruncationKind};
use diffsan_redact::types::RedactionReport;

use crate::output;

/// The maximum number of entries that are printed one by one.
pub const LISTED: usize = 20;
/// The maximum number of groups of a summary.
const GROUPS: usize = 8;

/// An entry of a report.
struct Entry {
    path: String,
    /// The reason that entries of a group share.
    reason: String,
    line: String,
}

/// Prints the omitted and the masked parts of a prepared change. `all` prints every entry.
pub fn say_left_out(opened: &OpenChange, all: bool) {
    let prepared = opened.prepared();
    let parts = &prepared.prepared;
    if let Some((edits, count)) =
        opened.edits.as_ref().map(|edits| (edits, edits.unsent_files())).filter(|(_, count)| *count > 0)
    {
        let files = if count == 1 { "1 file" } else { &format!("{count} files") };
        output::say(&format!(
            "note: {files} count as new, because the review of {} did not get them wholly",
            edits.since
        ));
    }
    let cut = parts.truncation.items.iter().map(|item| Entry {
        path: item.path.clone(),
        reason: cut_reason(item.kind).to_owned(),
        line: format!("{}: {}", item.path, item.details),
    });
    say_entries("cut", cut.collect(), all);
    let ignored = parts.ignored.iter().map(|file| Entry {
        path: file.path.clone(),
        reason: ignore_reason(file.reason).to_owned(),
        line: format!("{}: {}", file.path, file.details),
    });
    say_entries("ignored", ignored.collect(), all);
    let folded = parts.folded.iter().map(|one| {
        let lines = if one.lines == 1 { "line" } else { "lines" };
        Entry {
            path: one.path.clone(),
            reason: one.reasons.iter().map(|reason| reason.name()).collect::<Vec<_>>().join(", "),
            line: format!("{} {}: {} changed {lines}: {}", one.path, one.hunk, one.lines, one.details),
        }
    });
    say_entries("folded", folded.collect(), all);
    say_masked(&prepared.redaction, all);
}

fn cut_reason(kind: TruncationKind) -> &'static str {
    match kind {
        TruncationKind::File => "whole file",
        TruncationKind::Hunk => "whole hunk",
        TruncationKind::PartialHunk => "end of a hunk",
    }
}

fn ignore_reason(reason: IgnoreReason) -> &'static str {
    match reason {
        IgnoreReason::Glob => "a glob of the settings",
        IgnoreReason::Extension => "extension",
        IgnoreReason::Generated => "generated",
        IgnoreReason::Vendored => "vendored",
        IgnoreReason::Minified => "minified",
        IgnoreReason::Lockfile => "lock file",
        IgnoreReason::Binary => "binary",
        IgnoreReason::Unreadable => "unreadable",
        IgnoreReason::Reviewed => "reviewed before",
        IgnoreReason::NotSelected => "not selected",
    }
}

/// Prints the tokens and the files of each part of a change that is sent in several prompts.
pub fn say_batches(batches: &[Batch], all: bool) {
    for (index, batch) in batches.iter().enumerate() {
        let tokens = diffsan_prepare::tokens::count(batch.diff.as_str());
        let paths: Vec<_> = batch.change.get().files.iter().map(|file| file.path().to_text()).collect();
        let label = format!("part {} of {}: {tokens} tokens", index + 1, batches.len());
        if all || paths.len() <= LISTED {
            output::say(&format!("{label}: {}", paths.join(", ")));
            continue;
        }
        let groups = largest(paths.iter().map(|path| folder(path)));
        let shown = groups.iter().take(GROUPS).map(|(folder, count)| format!("{count} in {folder}"));
        let rest: usize = groups.iter().skip(GROUPS).map(|(_, count)| count).sum();
        let rest = (rest > 0).then(|| format!("{rest} in other folders"));
        let shown: Vec<String> = shown.chain(rest).collect();
        output::say(&format!("{label}: {} files: {}", paths.len(), shown.join(", ")));
    }
}

/// Prints failed tests, coverage and findings of tools.
pub fn say_facts(facts: &Facts, summary: &FactsSummary, all: bool) {
    if let Some(pipeline) = &facts.pipeline {
        let stale = if pipeline.stale { " (of another commit)" } else { "" };
        output::say(&format!("pipeline {}: {}{stale}", pipeline.id, pipeline.status));
    }
    for (label, stale) in [("failed test", false), ("failed test (stale)", true)] {
        let failures = facts.failures.iter().filter(|failure| failure.stale == stale);
        let entries = failures.map(|failure| {
            let place = failure.places.first();
            let at = place.map(|place| format!("{}:{}: ", place.path, place.line)).unwrap_or_default();
            Entry {
                path: place.map(|place| place.path.clone()).unwrap_or_default(),
                reason: "failed".to_owned(),
                line: format!("{at}{}", failure.name),
            }
        });
        say_entries(label, entries.collect(), all);
    }
    let measured = summary.covered_lines + summary.uncovered_lines;
    if measured > 0 {
        output::say(&format!("coverage: tests ran {} of {measured} added lines", summary.covered_lines));
    }
    if summary.tool_findings > 0 {
        output::say(&format!("findings of tools on added lines: {}", summary.tool_findings));
    }
    for source in &facts.sources {
        if let Some(problem) = &source.problem {
            output::say(&format!("report {}: {problem}", source.name));
        }
    }
    for note in &facts.notes {
        output::say(&format!("note: {note}"));
    }
}

/// Returns the number of equal items, the largest one first.
pub fn largest<T: Ord>(items: impl Iterator<Item = T>) -> Vec<(T, usize)> {
    let mut groups: BTreeMap<T, usize> = BTreeMap::new();
    items.for_each(|item| *groups.entry(item).or_default() += 1);
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    groups
}

/// Prints the entries of one report.
fn say_entries(label: &str, entries: Vec<Entry>, all: bool) {
    if all || entries.len() <= LISTED {
        entries.iter().for_each(|entry| output::say(&format!("{label}: {}", entry.line)));
        return;
    }
    let groups = largest(entries.iter().map(|entry| (entry.reason.as_str(), folder(&entry.path))));
    for ((reason, folder), count) in groups.iter().take(GROUPS) {
        output::say(&format!("{label}: {count} in {folder} ({reason})"));
    }
    let rest: usize = groups.iter().skip(GROUPS).map(|(_, count)| count).sum();
    if rest > 0 {
        output::say(&format!("{label}: {rest} in other folders"));
    }
    output::say(&format!("{label}: {} in all; --verbose or --json lists them", entries.len()));
}

/// Returns the first folder of a path.
fn folder(path: &str) -> &str {
    path.split_once('/').map_or("the top folder", |(folder, _)| folder)
}

/// Prints the masked places: a summary of each file, then its places with rule and reason.
fn say_masked(report: &RedactionReport, all: bool) {
    let plural = |count: u32, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let listed = all || report.matches.len() <= LISTED;
    let shown = if listed || report.files.len() <= LISTED { report.files.len() } else { GROUPS };
    for file in report.files.iter().take(shown) {
        let (values, places) = (plural(file.values, "value"), plural(file.places, "place"));
        output::say(&format!("masked: {}: {values} at {places} ({})", file.path, file.rules.join(", ")));
        for found in report.matches.iter().filter(|found| listed && found.path == file.path) {
            let line = found.line_hint.map(|line| format!(":{line}")).unwrap_or_default();
            output::say(&format!("  {}{line}: {}: {}", found.path, found.pattern_name, found.reason));
        }
    }
    if shown < report.files.len() {
        output::say(&format!("masked: places in {} more files", report.files.len() - shown));
    }
    if !listed {
        output::say(&format!("masked: {} places in all; --verbose or --json lists them", report.matches.len()));
    }
    if report.unlisted > 0 {
        output::say(&format!("masked: {} more places, which are not listed", report.unlisted));
    }
}
