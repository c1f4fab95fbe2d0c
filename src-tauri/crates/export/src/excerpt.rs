//! Excerpts of the masked change around a finding.

use diffsan_change::{Change, LineKind};
use diffsan_review::finding::{Finding, Side};

/// The number of lines before and after the finding's lines.
const AROUND: u32 = 3;
/// The maximum number of lines of one excerpt.
const MAX_LINES: usize = 40;
/// The maximum number of characters of one line.
const LINE: usize = 400;

/// A line of an excerpt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ExcerptLine {
    pub(super) old: Option<u32>,
    pub(super) new: Option<u32>,
    pub(super) kind: LineKind,
    pub(super) text: String,
    /// Whether the line is one of the finding's lines.
    pub(super) meant: bool,
}

/// Returns the lines around a finding. Returns nothing if the change does not contain them.
pub(super) fn excerpt(change: &Change, finding: &Finding) -> Vec<ExcerptLine> {
    let anchor = &finding.anchor;
    let (Some(start), Some(end)) = (anchor.line_start, anchor.line_end) else { return Vec::new() };
    let of_side = |old: Option<u32>, new: Option<u32>| if anchor.side == Side::Old { old } else { new };
    let file = change.files.iter().find(|file| file.path().to_text() == anchor.path);
    let hunks = file.map(diffsan_change::FileChange::hunks).unwrap_or_default();
    let shows = |line: Option<u32>| line.is_some_and(|line| (start..=end).contains(&line));
    let Some(hunk) = hunks.iter().find(|hunk| hunk.numbered().any(|line| shows(of_side(line.old, line.new)))) else {
        return Vec::new();
    };
    let lines: Vec<ExcerptLine> = hunk
        .numbered()
        .map(|line| ExcerptLine {
            old: line.old,
            new: line.new,
            kind: line.line.kind,
            text: shown(&line.line.text),
            meant: shows(of_side(line.old, line.new)),
        })
        .collect();
    let first = lines.iter().position(|line| line.meant).unwrap_or(0).saturating_sub(AROUND as usize);
    let last = lines.iter().rposition(|line| line.meant).unwrap_or(0) + AROUND as usize + 1;
    let last = last.min(lines.len()).min(first + MAX_LINES);
    lines[first..last].to_vec()
}

fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_end_matches('\r');
    match text.char_indices().nth(LINE) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
