//! Makes changes of texts, and lists the lines that folds leave visible.

use std::collections::HashSet;

use bytes::Bytes;
use imara_diff::{Algorithm, Diff, InternedInput};

use crate::Fold;
use diffsan_change::{Body, Change, FileChange, Hunk, Line, LineKind, Status};

const CONTEXT: u32 = 3;

/// Returns the change from one set of files to another.
pub(crate) fn change_of(base: &[(String, String)], head: &[(String, String)]) -> Change {
    let text = |side: &[(String, String)], path: &str| {
        side.iter().find(|(name, _)| name == path).map(|(_, text)| text.clone())
    };
    let mut paths: Vec<&String> = base.iter().chain(head).map(|(path, _)| path).collect();
    paths.sort();
    paths.dedup();
    let files = paths.into_iter().filter_map(|path| {
        let (old, new) = (text(base, path), text(head, path));
        (old != new).then(|| FileChange {
            old_path: old.is_some().then(|| path.as_str().into()),
            new_path: new.is_some().then(|| path.as_str().into()),
            status: match (&old, &new) {
                (None, _) => Status::Added,
                (_, None) => Status::Deleted,
                _ => Status::Modified,
            },
            old_mode: None,
            new_mode: None,
            ids: None,
            similarity: None,
            body: Body::Text(hunks(&old.unwrap_or_default(), &new.unwrap_or_default())),
        })
    });
    Change { files: files.collect(), ..Change::default() }
}

fn hunks(old: &str, new: &str) -> Vec<Hunk> {
    let input = InternedInput::new(old, new);
    let mut diff = Diff::compute(Algorithm::Myers, &input);
    diff.postprocess_lines(&input);
    let (before, after): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let mut groups: Vec<Vec<imara_diff::Hunk>> = Vec::new();
    for part in diff.hunks() {
        match groups.last_mut() {
            Some(group) if group.last().is_some_and(|last| part.before.start - last.before.end <= 2 * CONTEXT) => {
                group.push(part)
            }
            _ => groups.push(vec![part]),
        }
    }
    let made = groups.iter().map(|group| {
        let (first, last) = (&group[0], &group[group.len() - 1]);
        let lead = first.before.start.min(CONTEXT);
        let mut lines = Vec::new();
        let line = |kind, text: &str| Line { kind, text: Bytes::copy_from_slice(text.as_bytes()), newline: true };
        let mut at = first.before.start - lead;
        for part in group {
            lines.extend((at..part.before.start).map(|at| line(LineKind::Context, before[at as usize])));
            lines.extend(part.before.clone().map(|at| line(LineKind::Removed, before[at as usize])));
            lines.extend(part.after.clone().map(|at| line(LineKind::Added, after[at as usize])));
            at = part.before.end;
        }
        let end = (last.before.end + CONTEXT).min(u32::try_from(before.len()).unwrap());
        lines.extend((at..end).map(|at| line(LineKind::Context, before[at as usize])));
        let count = |kind| lines.iter().filter(|line| line.kind != kind).count();
        let (old_lines, new_lines) = (count(LineKind::Added), count(LineKind::Removed));
        let start = |start: u32, lines: usize| start + u32::from(lines > 0);
        Hunk {
            old_start: start(first.before.start - lead, old_lines),
            old_lines: u32::try_from(old_lines).unwrap(),
            new_start: start(first.after.start - lead, new_lines),
            new_lines: u32::try_from(new_lines).unwrap(),
            section: Bytes::new(),
            lines: lines.into(),
        }
    });
    made.collect()
}

/// Changed lines outside of folds, and lines of the new side without a change. Lines are a path, a number and their text.
#[derive(Default)]
pub(super) struct Visible {
    pub added: Vec<(String, usize, String)>,
    pub removed: Vec<(String, usize, String)>,
    /// Numbers of the new side's lines that are not in the change.
    pub unchanged: Unchanged,
}

/// The lines of the new side that the change does not touch.
#[derive(Default)]
pub(super) struct Unchanged(HashSet<(String, usize)>);

impl Unchanged {
    pub(super) fn contains(&self, line: &(String, usize)) -> bool {
        !self.0.contains(line)
    }
}

pub(super) fn visible(change: &Change, folds: &[Fold]) -> Visible {
    let mut hidden = HashSet::new();
    for span in folds.iter().flat_map(|fold| &fold.spans) {
        for line in span.start..span.end {
            assert!(hidden.insert((span.file, span.hunk, line)), "a line is in two folds: {span:?}");
        }
    }
    let mut found = Visible::default();
    for (file_index, file) in change.files.iter().enumerate() {
        let path = file.path().to_text().into_owned();
        for (hunk_index, hunk) in file.hunks().iter().enumerate() {
            for (index, line) in hunk.numbered().enumerate() {
                let text = String::from_utf8_lossy(&line.line.text).into_owned();
                let shown = !hidden.remove(&(file_index, hunk_index, index));
                match (line.line.kind, line.old, line.new) {
                    (LineKind::Added, _, Some(number)) => {
                        found.unchanged.0.insert((path.clone(), number as usize));
                        if shown {
                            found.added.push((path.clone(), number as usize, text));
                        }
                    }
                    (LineKind::Removed, Some(number), _) if shown => {
                        found.removed.push((path.clone(), number as usize, text));
                    }
                    _ => assert!(shown || line.line.kind != LineKind::Context, "a context line is in a fold"),
                }
            }
        }
    }
    assert!(hidden.is_empty(), "a fold has lines that are not in the change: {hidden:?}");
    found
}
