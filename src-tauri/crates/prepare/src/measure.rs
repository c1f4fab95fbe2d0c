//! Measures the cost of headers and lines: characters of the text that is sent, or tokens if those are limited.

use std::sync::Arc;

use super::budget::FileCost;
use super::{cut, unlimited};
use crate::tokens;
use diffsan_change::{Body, FileChange, Headers, Hunk, Line, LineKind, Status, print_headers, print_hunk_header};
use diffsan_config::Limits;

/// `\ No newline at end of file` with its line feed.
const NO_NEWLINE: &str = "\\ No newline at end of file\n";

/// The unit of costs. Where tokens are limited they are the unit, and characters count as their share of the limit on characters. A part
/// that fits this one budget fits both limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Measure {
    max_chars: u64,
    /// `None` if only characters count; then no tokenizer is loaded.
    max_tokens: Option<u64>,
}

impl Measure {
    pub(super) fn new(limits: &Limits) -> Self {
        Self { max_chars: limits.max_diff_chars, max_tokens: Some(limits.max_diff_tokens).filter(|&most| most > 0) }
    }

    /// Measures characters only.
    pub(super) fn chars() -> Self {
        Self { max_chars: 0, max_tokens: None }
    }

    /// Returns the same measure with a smaller budget of tokens.
    pub(super) fn with_tokens(self, most: u64) -> Self {
        Self { max_tokens: self.max_tokens.map(|_| most.max(1)), ..self }
    }

    pub(super) fn budget(self) -> u64 {
        self.max_tokens.unwrap_or_else(|| unlimited(self.max_chars))
    }

    pub(super) fn max_tokens(self) -> Option<u64> {
        self.max_tokens
    }

    fn cost(self, bytes: &[u8]) -> u64 {
        let chars = chars(bytes);
        let Some(most) = self.max_tokens else { return chars };
        let share = if self.max_chars == 0 { 0 } else { (chars * most).div_ceil(self.max_chars) };
        tokens::count(&String::from_utf8_lossy(bytes)).max(share)
    }

    /// Returns the cost of a line, including its prefix and line feed.
    fn line(self, line: &Line) -> u64 {
        if self.max_tokens.is_none() {
            return chars(&line.text) + 2 + if line.newline { 0 } else { NO_NEWLINE.len() as u64 };
        }
        let prefix: &[u8] = match line.kind {
            LineKind::Context => b" ",
            LineKind::Added => b"+",
            LineKind::Removed => b"-",
        };
        let end = if line.newline { "" } else { NO_NEWLINE };
        self.cost(&[prefix, &line.text, b"\n", end.as_bytes()].concat())
    }
}

/// Returns the cost of a file.
pub(super) fn cost(file: &FileChange, max_hunks: usize, measure: Measure) -> FileCost {
    let hunks = file.hunks().iter().map(|one| hunk(one, measure)).collect();
    FileCost { header: header(file, measure), hunks, max_hunks }
}

/// Returns the cost of a file's headers.
pub(super) fn header(file: &FileChange, measure: Measure) -> u64 {
    let mut header = Vec::new();
    let headers = if needs_ids(file) { Headers::All } else { Headers::WithoutIds };
    print_headers(file, headers, &mut header);
    measure.cost(&header)
}

/// Returns whether a patch of this file applies only with its object ids. Otherwise they are left out, because readers do not need them.
pub(super) fn needs_ids(file: &FileChange) -> bool {
    matches!(file.body, Body::Binary(Some(_)))
}

/// Returns the cost of a hunk, including its header.
pub(super) fn hunk(hunk: &Hunk, measure: Measure) -> u64 {
    head(hunk, measure) + hunk.lines.iter().map(|line| measure.line(line)).sum::<u64>()
}

fn head(hunk: &Hunk, measure: Measure) -> u64 {
    let mut header = Vec::new();
    print_hunk_header(hunk, true, &mut header);
    measure.cost(&header)
}

/// Returns the number of characters of bytes after conversion to text.
pub(super) fn chars(bytes: &[u8]) -> u64 {
    if bytes.is_ascii() {
        return bytes.len() as u64;
    }
    let count = match std::str::from_utf8(bytes) {
        Ok(text) => text.chars().count(),
        Err(_) => String::from_utf8_lossy(bytes).chars().count(),
    };
    count as u64
}

/// Returns how many lines of a hunk, beginning with line `from`, fit into a room, and their cost with a header.
pub(super) fn lines_that_fit(hunk: &Hunk, from: usize, room: u64, measure: Measure) -> (usize, u64) {
    // The header of a later part has line numbers up to the end of the hunk.
    let (old_start, new_start) = match from {
        0 => (hunk.old_start, hunk.new_start),
        _ => (hunk.old_start + hunk.old_lines, hunk.new_start + hunk.new_lines),
    };
    let widest = Hunk { old_start, new_start, section: hunk.section.clone(), lines: Arc::default(), ..*hunk };
    let mut cost = head(&widest, measure);
    let mut count = 0;
    for line in &hunk.lines[from..] {
        let more = cost + measure.line(line);
        if more > room {
            break;
        }
        cost = more;
        count += 1;
    }
    (count, cost)
}

/// Returns how many first lines of a hunk fit, and the cost of the cut hunk. Returns `None` if they would contain no changed line, and for
/// a deleted file, because its patch must remove all of it.
pub(super) fn first_that_fit(file: &FileChange, index: usize, room: u64, measure: Measure) -> Option<(usize, u64)> {
    let whole = file.hunks().get(index)?;
    if file.status == Status::Deleted {
        return None;
    }
    // The header of the cut hunk is not longer than the header of the whole one.
    let mut before = vec![head(whole, measure)];
    for one in whole.lines.iter() {
        let cost = before.last().copied().unwrap_or_default() + measure.line(one);
        if cost > room {
            break;
        }
        before.push(cost);
    }
    let closes = |at: &usize| whole.lines[*at].kind != LineKind::Added;
    let mut closing = (before.len() - 1..whole.lines.len()).find(closes);
    // The closing line needs room too. Remove lines until it fits.
    for fitting in (1..before.len()).rev() {
        if closes(&fitting.min(whole.lines.len() - 1)) && fitting < whole.lines.len() {
            closing = Some(fitting);
        }
        let cost = before[fitting] + closing.map_or(0, |at| measure.line(&whole.lines[at]));
        if cost <= room {
            let changed = whole.lines[..fitting].iter().any(|line| line.kind != LineKind::Context);
            return changed.then(|| (fitting, hunk(&cut(whole, fitting), measure)));
        }
    }
    None
}
