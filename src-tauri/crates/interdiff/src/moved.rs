//! Marks resolutions of conflicts that are in another place than the conflict, because the target branch moved the lines.

use std::collections::HashSet;

use diffsan_change::LineKind;

use crate::{FileComparison, Origin, ShownHunk};

/// The minimum number of bytes without blanks of a line that is found again by its text.
const MIN_BYTES: usize = 4;

/// Marks edits as parts of a conflict if they put back a line that the author lost in a conflict elsewhere, or change a line that the
/// target branch moved and the author had changed in its old place.
pub fn mark_moved(files: &mut [FileComparison]) {
    let lost: HashSet<Vec<u8>> = files
        .iter()
        .flat_map(|file| &file.hunks)
        .flat_map(|hunk| &hunk.lines)
        .filter(|line| line.conflict && line.kind == LineKind::Removed && line.origin == Origin::OldHead)
        .filter_map(|line| squeezed(&line.text))
        .collect();
    let contested: HashSet<Vec<u8>> =
        files.iter().flat_map(|file| &file.contested).filter_map(|line| squeezed(line)).collect();
    if lost.is_empty() && contested.is_empty() {
        return;
    }
    for hunk in files.iter_mut().flat_map(|file| &mut file.hunks) {
        mark(hunk, &lost, &contested);
    }
}

fn mark(hunk: &mut ShownHunk, lost: &HashSet<Vec<u8>>, contested: &HashSet<Vec<u8>>) {
    // Each run of changed lines is one edit.
    for edit in hunk.lines.chunk_by_mut(|one, two| (one.kind == LineKind::Context) == (two.kind == LineKind::Context)) {
        let found = edit.iter().any(|line| match (line.kind, line.origin) {
            (LineKind::Added, _) => squeezed(&line.text).is_some_and(|text| lost.contains(&text)),
            (LineKind::Removed, Origin::Target) => squeezed(&line.text).is_some_and(|text| contested.contains(&text)),
            _ => false,
        });
        if found {
            edit.iter_mut().for_each(|line| line.conflict = true);
            hunk.conflict = true;
        }
    }
}

/// Returns a line without blanks, unless it is too short to be found again.
fn squeezed(line: &[u8]) -> Option<Vec<u8>> {
    let text: Vec<u8> = line.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    (text.len() >= MIN_BYTES).then_some(text)
}
