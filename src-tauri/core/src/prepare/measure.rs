//! What headers and lines cost: characters of the text that is sent.

use super::budget::FileCost;
use super::cut;
use crate::change::{Body, FileChange, Headers, Hunk, Line, LineKind, Status, print_headers, print_hunk_header};

/// Characters of `\ No newline at end of file` with its line feed.
const NO_NEWLINE: u64 = 28;

/// What a file costs.
pub(super) fn cost(file: &FileChange, max_hunks: usize) -> FileCost {
    let mut header = Vec::new();
    let headers = if needs_ids(file) { Headers::All } else { Headers::WithoutIds };
    print_headers(file, headers, &mut header);
    FileCost { header: chars(&header), hunks: file.hunks().iter().map(hunk).collect(), max_hunks }
}

/// Whether a patch of this file applies only with its object ids: to a reader they say nothing.
pub(super) fn needs_ids(file: &FileChange) -> bool {
    matches!(file.body, Body::Binary(Some(_)))
}

/// Characters of a hunk.
fn hunk(hunk: &Hunk) -> u64 {
    head(hunk) + hunk.lines.iter().map(line).sum::<u64>()
}

fn head(hunk: &Hunk) -> u64 {
    let mut header = Vec::new();
    print_hunk_header(hunk, true, &mut header);
    chars(&header)
}

/// Its prefix and line feed included.
fn line(line: &Line) -> u64 {
    chars(&line.text) + 2 + if line.newline { 0 } else { NO_NEWLINE }
}

/// Characters of the text that bytes become.
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

/// How many first lines of a hunk fit, and what the cut hunk costs. None if no changed line would be among them, and
/// for a removed file, whose patch must remove all of it.
pub(super) fn first_that_fit(file: &FileChange, index: usize, room: u64) -> Option<(usize, u64)> {
    let whole = file.hunks().get(index)?;
    if file.status == Status::Deleted {
        return None;
    }
    // The numbers of the cut hunk's header are no longer than the whole one's.
    let head = head(whole);
    let mut before = vec![head];
    for one in &whole.lines {
        let cost = before.last().copied().unwrap_or_default() + line(one);
        if cost > room {
            break;
        }
        before.push(cost);
    }
    let closes = |at: &usize| whole.lines[*at].kind != LineKind::Added;
    let mut closing = (before.len() - 1..whole.lines.len()).find(closes);
    // The line that closes it needs room as well: give up lines until it has it.
    for fitting in (1..before.len()).rev() {
        if closes(&fitting.min(whole.lines.len() - 1)) && fitting < whole.lines.len() {
            closing = Some(fitting);
        }
        let cost = before[fitting] + closing.map_or(0, |at| line(&whole.lines[at]));
        if cost <= room {
            let changed = whole.lines[..fitting].iter().any(|line| line.kind != LineKind::Context);
            return changed.then(|| (fitting, hunk(&cut(whole, fitting))));
        }
    }
    None
}
