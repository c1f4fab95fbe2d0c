//! Parses a hunk. The counts in its header decide which lines belong to it, whatever the lines look like.

use std::sync::Arc;

use bytes::Bytes;

use super::lines::Lines;
use super::{Fault, header};
use crate::{Hunk, Line, LineKind};

/// Parses all hunks at the current position. `crlf` removes the `\r` from every line (a patch that was saved with CRLF). On an
/// error, `hunks` contains the hunks before it.
pub(super) fn all(lines: &mut Lines, crlf: bool, hunks: &mut Vec<Hunk>) -> Result<(), Fault> {
    while let Some(line) = lines.peek() {
        if !line.starts_with(b"@@ -") {
            break;
        }
        hunks.push(one(lines, crlf)?);
    }
    extra(lines)
}

fn one(lines: &mut Lines, crlf: bool) -> Result<Hunk, Fault> {
    let start = lines.number();
    let text = lines.next().unwrap_or_default();
    let malformed = || Fault::new(start, "malformed hunk header: expected `@@ -line,count +line,count @@`");
    let ranges = header::ranges(&text).ok_or_else(malformed)?;
    let section_end = text.len() - usize::from(crlf && text.ends_with(b"\r"));
    let mut hunk = Hunk {
        old_start: ranges.old_start,
        old_lines: ranges.old_lines,
        new_start: ranges.new_start,
        new_lines: ranges.new_lines,
        section: text.slice(ranges.section.min(section_end)..section_end),
        // A header may announce more lines than the text can contain.
        lines: Vec::with_capacity(((hunk_lines(&ranges)) as usize).min(lines.remaining())).into(),
    };
    let (mut old, mut new) = (ranges.old_lines, ranges.new_lines);
    while old > 0 || new > 0 {
        let number = lines.number();
        let Some(text) = lines.next() else {
            let (missing, all) = (old.max(new), ranges.old_lines.max(ranges.new_lines));
            return Err(Fault::new(
                number.saturating_sub(1).max(1),
                format!(
                    "the patch ends inside the hunk that starts at line {start}: {missing} of {all} lines are missing"
                ),
            ));
        };
        let text = if crlf && text.ends_with(b"\r") { text.slice(..text.len() - 1) } else { text };
        let kind = match text.first() {
            Some(b' ') | None if old > 0 && new > 0 => LineKind::Context,
            Some(b'-') if old > 0 => LineKind::Removed,
            Some(b'+') if new > 0 => LineKind::Added,
            Some(b'\\') if !hunk.lines.is_empty() => {
                no_newline(&mut hunk);
                continue;
            }
            _ => {
                return Err(Fault::new(
                    number,
                    format!(
                        "this line does not belong in the hunk that starts at line {start}: {}",
                        expected(old, new)
                    ),
                ));
            }
        };
        old -= u32::from(kind != LineKind::Added);
        new -= u32::from(kind != LineKind::Removed);
        // An editor or a mail program may have removed the space of an empty context line.
        let text = if text.is_empty() { Bytes::new() } else { text.slice(1..) };
        Arc::make_mut(&mut hunk.lines).push(Line { kind, text, newline: true });
    }
    if lines.peek().is_some_and(|line| line.starts_with(b"\\")) {
        lines.skip();
        no_newline(&mut hunk);
    }
    Ok(hunk)
}

fn hunk_lines(ranges: &header::Ranges) -> u32 {
    ranges.old_lines.max(ranges.new_lines)
}

fn no_newline(hunk: &mut Hunk) {
    if let Some(line) = Arc::make_mut(&mut hunk.lines).last_mut() {
        line.newline = false;
    }
}

fn expected(old: u32, new: u32) -> String {
    match (old, new) {
        (old, 0) => format!("by its header, {old} more lines follow on the old side only"),
        (0, new) => format!("by its header, {new} more lines follow on the new side only"),
        (old, new) => format!("by its header, {old} more lines follow on the old side and {new} on the new side"),
    }
}

/// Returns an error if a line directly after a complete hunk looks like a part of it, because then the header's counts are too
/// small. A mail's signature (`-- `) and the next file's header are not such lines.
fn extra(lines: &Lines) -> Result<(), Fault> {
    let Some(line) = lines.peek() else { return Ok(()) };
    let signature = line == b"-- " || line == b"-- \r" || line == b"--" || line == b"--\r";
    let plain_header = line.starts_with(b"--- ") && lines.peek_at(1).is_some_and(|next| next.starts_with(b"+++ "));
    match line.first() {
        Some(b'+' | b'-' | b' ') if !signature && !plain_header => {
            Err(Fault::new(lines.number(), "this line is after the end of the hunk, as given by its header"))
        }
        _ => Ok(()),
    }
}
