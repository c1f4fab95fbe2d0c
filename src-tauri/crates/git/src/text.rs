//! Computes hunks from two texts. libgit2's xdiff finds the changed lines with git's own heuristics. Context and section headings
//! are added here, as git does, so that the context can have any size.

use bytes::Bytes;
use git2::DiffOptions;

use super::content::Content;
use diffsan_change::{Hunk, Line, LineKind};

/// A changed region: `old_lines` lines from line `old` on the old side are replaced by `new_lines` lines from line `new`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Edit {
    old: usize,
    old_lines: usize,
    new: usize,
    new_lines: usize,
}

/// The maximum length of a section heading and of a whole hunk header that git prints, in bytes.
const SECTION: usize = 80;
const HEADER: usize = 128;

/// Returns the hunks between two texts, with `context` lines of context.
pub(super) fn hunks(old: &Content<'_>, new: &Content<'_>, context: usize) -> Result<Vec<Hunk>, git2::Error> {
    if old.is_empty() || new.is_empty() {
        let (text, kind) = if old.is_empty() { (new, LineKind::Added) } else { (old, LineKind::Removed) };
        return Ok(whole(Bytes::copy_from_slice(text), kind).into_iter().collect());
    }
    let edits = edits(old, new)?;
    let (old, new) = (Lines::new(old), Lines::new(new));
    let groups = group(&edits, context);
    let mut text = Vec::new();
    let mut drafts = Vec::with_capacity(groups.len());
    let mut section = Vec::new();
    let mut searched = 0;
    for edits in groups {
        let draft = draft(edits, &old, &new, context, &mut text);
        if let Some(found) = old.section(searched, draft.old) {
            section = found;
        }
        searched = searched.max(draft.old);
        drafts.push((draft, section.clone()));
    }
    // The buffer lives as long as the change.
    text.shrink_to_fit();
    let text = Bytes::from(text);
    Ok(drafts.into_iter().map(|(draft, section)| draft.finish(&text, section)).collect())
}

/// Returns a whole text as one hunk of added or removed lines, which share its bytes.
pub(super) fn whole(text: Bytes, kind: LineKind) -> Option<Hunk> {
    if text.is_empty() {
        return None;
    }
    let mut lines = Vec::with_capacity(memchr::memchr_iter(b'\n', &text).count() + 1);
    let mut at = 0;
    while at < text.len() {
        let end = memchr::memchr(b'\n', &text[at..]).map(|length| at + length);
        let until = end.unwrap_or(text.len());
        lines.push(Line { kind, text: text.slice(at..until), newline: end.is_some() });
        at = until + 1;
    }
    let count = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    let (old, new) = if kind == LineKind::Added { ((0, 0), (1, count)) } else { ((1, count), (0, 0)) };
    Some(Hunk {
        old_start: old.0,
        old_lines: old.1,
        new_start: new.0,
        new_lines: new.1,
        section: Bytes::new(),
        lines: lines.into(),
    })
}

fn edits(old: &Content<'_>, new: &Content<'_>) -> Result<Vec<Edit>, git2::Error> {
    let mut options = DiffOptions::new();
    // Without context, libgit2 returns only the changed regions and no text.
    options.context_lines(0).interhunk_lines(0).indent_heuristic(true).force_text(true);
    let patch = old.patch(new, &mut options)?;
    (0..patch.num_hunks())
        .map(|index| {
            let (hunk, _) = patch.hunk(index)?;
            // For a side without lines, git gives the number of the line before the change.
            let from = |start: u32, lines: u32| (start as usize).saturating_sub(usize::from(lines > 0));
            Ok(Edit {
                old: from(hunk.old_start(), hunk.old_lines()),
                old_lines: hunk.old_lines() as usize,
                new: from(hunk.new_start(), hunk.new_lines()),
                new_lines: hunk.new_lines() as usize,
            })
        })
        .collect()
}

/// Groups edits whose context touches or overlaps. Each group becomes one hunk.
fn group(edits: &[Edit], context: usize) -> Vec<&[Edit]> {
    let far = |one: &Edit, two: &Edit| two.old - (one.old + one.old_lines) > context.saturating_mul(2);
    edits.chunk_by(|one, two| !far(one, two)).collect()
}

/// The lines of a text by number, from 0.
struct Lines<'a> {
    text: &'a [u8],
    /// The end of each line, including its line feed.
    ends: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn new(text: &'a [u8]) -> Self {
        let mut ends: Vec<usize> = memchr::memchr_iter(b'\n', text).map(|at| at + 1).collect();
        if ends.last().copied().unwrap_or_default() < text.len() {
            ends.push(text.len());
        }
        Self { text, ends }
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns a line with its line feed.
    fn get(&self, line: usize) -> &'a [u8] {
        let start = if line == 0 { 0 } else { self.ends[line - 1] };
        &self.text[start..self.ends[line]]
    }

    /// Returns the section heading for a hunk that starts at line `to`: the last line before it that looks like a definition.
    fn section(&self, from: usize, to: usize) -> Option<Vec<u8>> {
        let definition =
            |line: &&[u8]| line.first().is_some_and(|&byte| byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$');
        let line = (from..to.min(self.len())).rev().map(|line| self.get(line)).find(definition)?;
        let line = &line[..line.len().min(SECTION)];
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        let end = line.iter().rposition(|byte| !blank(byte)).map_or(0, |at| at + 1);
        Some(line[..end].to_vec())
    }
}

/// A hunk whose lines are in a buffer that is still growing.
struct Draft {
    old: usize,
    old_lines: usize,
    new: usize,
    new_lines: usize,
    /// Kind, start and end in the buffer, and whether a line feed follows.
    lines: Vec<(LineKind, usize, usize, bool)>,
}

fn draft(edits: &[Edit], old: &Lines<'_>, new: &Lines<'_>, context: usize, text: &mut Vec<u8>) -> Draft {
    let (first, last) = (edits[0], edits[edits.len() - 1]);
    let (old_end, new_end) = (last.old + last.old_lines, last.new + last.new_lines);
    let trailing = context.min(old.len().saturating_sub(old_end)).min(new.len().saturating_sub(new_end));
    let start = Edit {
        old: first.old.saturating_sub(context),
        new: first.new.saturating_sub(context),
        old_lines: 0,
        new_lines: 0,
    };
    let mut draft = Draft {
        old: start.old,
        old_lines: old_end + trailing - start.old,
        new: start.new,
        new_lines: new_end + trailing - start.new,
        lines: Vec::new(),
    };
    let mut push = |kind: LineKind, line: &[u8]| {
        let body = line.strip_suffix(b"\n").unwrap_or(line);
        let from = text.len();
        text.extend_from_slice(body);
        draft.lines.push((kind, from, text.len(), body.len() < line.len()));
    };
    let mut at = start.new;
    for edit in edits {
        (at..edit.new).for_each(|line| push(LineKind::Context, new.get(line)));
        (edit.old..edit.old + edit.old_lines).for_each(|line| push(LineKind::Removed, old.get(line)));
        (edit.new..edit.new + edit.new_lines).for_each(|line| push(LineKind::Added, new.get(line)));
        at = edit.new + edit.new_lines;
    }
    (at..at + trailing).for_each(|line| push(LineKind::Context, new.get(line)));
    draft
}

impl Draft {
    fn finish(self, text: &Bytes, mut section: Vec<u8>) -> Hunk {
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        // For a side without lines, git gives the number of the line before the change.
        let start = |from: usize, lines: usize| number(from + usize::from(lines > 0));
        let (old_start, old_lines) = (start(self.old, self.old_lines), number(self.old_lines));
        let (new_start, new_lines) = (start(self.new, self.new_lines), number(self.new_lines));
        let counts = format!("@@ -{old_start},{old_lines} +{new_start},{new_lines} @@ ");
        section.truncate(HEADER.saturating_sub(counts.len() + 1));
        section.truncate(readable(&section));
        let line = |(kind, from, to, newline)| Line { kind, text: text.slice(from..to), newline };
        Hunk {
            old_start,
            old_lines,
            new_start,
            new_lines,
            section: Bytes::from(section),
            lines: self.lines.into_iter().map(line).collect::<Vec<_>>().into(),
        }
    }
}

/// Returns the length of the prefix that git accepts as text: it ends at the first bytes that are not UTF-8, and at U+FFFE and U+FFFF.
fn readable(section: &[u8]) -> usize {
    let text = match std::str::from_utf8(section) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&section[..error.valid_up_to()]).unwrap_or_default(),
    };
    text.find(['\u{fffe}', '\u{ffff}']).unwrap_or(text.len())
}
