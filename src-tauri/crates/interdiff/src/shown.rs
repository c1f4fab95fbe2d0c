//! Builds the hunks that are shown from the differences between the merged text and the new head.

use std::ops::Range;

use bytes::Bytes;
use diffsan_change::LineKind;
use imara_diff::{Hunk, Token};

use crate::merge::{Merged, MergedLine};
use crate::tokens::Lines;
use crate::{Origin, ShownHunk, ShownLine};

/// The differences of a file.
pub(crate) struct Differences<'a> {
    pub(crate) lines: &'a Lines<'a>,
    pub(crate) merged: &'a Merged,
    pub(crate) head: &'a [Token],
    pub(crate) parts: &'a [Hunk],
}

/// A part of the merged text that is shown: a difference, or lines with a conflict that the new head resolves without one.
#[derive(Clone)]
struct Part {
    merged: Range<usize>,
    head: Range<usize>,
    /// Whether it touches lines with a conflict.
    conflict: bool,
}

/// Returns the hunks, each with up to `context` unchanged lines around its parts.
pub(crate) fn hunks(differences: &Differences<'_>, context: usize) -> Vec<ShownHunk> {
    let parts = parts(differences);
    let near = |one: &Part, two: &Part| two.merged.start - one.merged.end <= context.saturating_mul(2);
    parts.chunk_by(near).map(|parts| hunk(differences, parts, context)).collect()
}

/// Returns the differences and the conflicts between them, in order and without overlap.
fn parts(differences: &Differences<'_>) -> Vec<Part> {
    let Differences { merged, parts, .. } = differences;
    let edits = parts.iter().map(|part| {
        let range = part.before.start as usize..part.before.end as usize;
        let touches = merged.conflicts.iter().any(|one| one.start <= range.end && range.start <= one.end);
        Part { merged: range, head: part.after.start as usize..part.after.end as usize, conflict: touches }
    });
    let edits: Vec<Part> = edits.collect();
    // Unchanged lines: both texts have the same number of lines since the difference before.
    let unchanged = |range: Range<usize>| {
        let before = edits.iter().rfind(|part| part.merged.end <= range.start);
        let shift = |at: usize| before.map_or(at, |part| at - part.merged.end + part.head.end);
        Part { head: shift(range.start)..shift(range.end), merged: range, conflict: true }
    };
    let mut all = edits.clone();
    for conflict in &merged.conflicts {
        let mut at = conflict.start;
        let touching = |part: &&Part| part.merged.start <= conflict.end && conflict.start <= part.merged.end;
        for part in edits.iter().filter(touching) {
            if at < part.merged.start {
                all.push(unchanged(at..part.merged.start));
            }
            at = at.max(part.merged.end);
        }
        let resolved_without_edit = conflict.is_empty() && !edits.iter().any(|part| touching(&part));
        if at < conflict.end || resolved_without_edit {
            all.push(unchanged(at..conflict.end));
        }
    }
    all.sort_by_key(|part| (part.merged.start, part.merged.end));
    all
}

fn hunk(differences: &Differences<'_>, parts: &[Part], context: usize) -> ShownHunk {
    let Differences { merged, head, .. } = differences;
    let mut hunk = ShownHunk { conflict: parts.iter().any(|part| part.conflict), ..ShownHunk::default() };
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return hunk };
    let lead = context.min(first.merged.start).min(first.head.start);
    let (mut at, mut new) = (first.merged.start - lead, first.head.start - lead);
    let rest = (merged.lines.len() - last.merged.end).min(head.len() - last.head.end);
    let end = last.merged.end + context.min(rest);
    let mut writer = Writer { differences, lines: Vec::new() };
    for part in parts {
        for line in at..part.merged.start {
            writer.context(line, new, false);
            new += 1;
        }
        if part.merged.len() == part.head.len() && writer.is_equal(part) {
            part.merged.clone().zip(part.head.clone()).for_each(|(line, new)| writer.context(line, new, true));
        } else {
            part.merged.clone().for_each(|line| writer.removed(line, part.conflict));
            part.head.clone().for_each(|line| writer.added(line, part.conflict));
        }
        (at, new) = (part.merged.end, part.head.end);
    }
    for line in at..end {
        writer.context(line, new, false);
        new += 1;
    }
    hunk.lines = writer.lines;
    hunk
}

struct Writer<'a> {
    differences: &'a Differences<'a>,
    lines: Vec<ShownLine>,
}

impl Writer<'_> {
    fn is_equal(&self, part: &Part) -> bool {
        let Differences { merged, head, .. } = self.differences;
        merged.lines[part.merged.clone()].iter().map(|line| line.token).eq(head[part.head.clone()].iter().copied())
    }

    fn context(&mut self, line: usize, new: usize, conflict: bool) {
        let line = self.differences.merged.lines[line];
        self.push(LineKind::Context, line, Some(new as u32 + 1), conflict);
    }

    fn removed(&mut self, line: usize, conflict: bool) {
        let line = self.differences.merged.lines[line];
        self.push(LineKind::Removed, line, None, conflict);
    }

    fn added(&mut self, line: usize, conflict: bool) {
        let token = self.differences.head[line];
        let new = MergedLine { token, old: None, target: None, base: false };
        self.push(LineKind::Added, new, Some(line as u32 + 1), conflict);
    }

    fn push(&mut self, kind: LineKind, merged: MergedLine, new: Option<u32>, conflict: bool) {
        let line = self.differences.lines.get(merged.token);
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        self.lines.push(ShownLine {
            kind,
            origin: origin(&merged),
            old: number(merged.old),
            target: number(merged.target),
            new,
            conflict,
            newline: text.len() < line.len(),
            text: Bytes::copy_from_slice(text),
        });
    }
}

fn number(index: Option<u32>) -> Option<u32> {
    index.map(|index| index + 1)
}

fn origin(line: &MergedLine) -> Origin {
    match (line.base, line.old, line.target) {
        (true, ..) => Origin::Base,
        (false, Some(_), Some(_)) => Origin::Both,
        (false, None, Some(_)) => Origin::Target,
        (false, None, None) => Origin::NewHead,
        (false, Some(_), None) => Origin::OldHead,
    }
}
