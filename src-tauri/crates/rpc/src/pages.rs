//! The lines of a change, in pages: the first lines appear at once, however large the change is.

use diffsan_change::{FileChange, Hunk, LineKind};
use diffsan_pipeline::open::OpenChange;
use diffsan_syntax::highlight;

use super::wire::{HighlightParams, HighlightView, HunkPage, HunkPart, PageCursor};

/// The number of lines that are sent with the change itself.
pub(super) const FIRST_PAGE: u32 = 400;
/// The maximum number of lines in one page, whatever the caller asks for.
const MAX_PAGE_LINES: u32 = 20_000;
/// The number of bytes after which a displayed line is cut.
const LINE_SHOWN: usize = 20_000;
/// The number of lines before the requested ones that are highlighted with them, so that a string or comment that
/// begins there is recognised.
pub(super) const LEAD: usize = 200;

/// Returns the file at `index` in display order.
pub(super) fn shown_file(opened: &OpenChange, index: u32) -> Option<&FileChange> {
    opened.change.files.get(*opened.plan.order().get(index as usize)?)
}

/// Returns a page of hunks that begins at `from` and has at most `max_lines` lines.
pub(super) fn page(opened: &OpenChange, from: PageCursor, max_lines: u32) -> HunkPage {
    let mut left = max_lines.clamp(1, MAX_PAGE_LINES) as usize;
    let mut parts = Vec::new();
    let mut cursor = from;
    while let Some(file) = shown_file(opened, cursor.file) {
        let Some(hunk) = file.hunks().get(cursor.hunk as usize) else {
            cursor = PageCursor { file: cursor.file + 1, hunk: 0, line: 0 };
            continue;
        };
        if left == 0 {
            return HunkPage { parts, next: Some(cursor) };
        }
        let part = part(hunk, cursor, left);
        left -= part.lines.len().min(left);
        let end = part.first_line as usize + part.lines.len();
        cursor = if end >= hunk.lines.len() {
            PageCursor { file: cursor.file, hunk: cursor.hunk + 1, line: 0 }
        } else {
            PageCursor { line: u32::try_from(end).unwrap_or(u32::MAX), ..cursor }
        };
        parts.push(part);
    }
    HunkPage { parts, next: None }
}

fn part(hunk: &Hunk, at: PageCursor, most: usize) -> HunkPart {
    let first = (at.line as usize).min(hunk.lines.len());
    let last = (first + most).min(hunk.lines.len());
    let mut kinds = String::with_capacity(last - first);
    let (mut old_start, mut new_start) = (hunk.old_start, hunk.new_start);
    for line in &hunk.lines[..first] {
        old_start += u32::from(line.kind != LineKind::Added);
        new_start += u32::from(line.kind != LineKind::Removed);
    }
    for line in &hunk.lines[first..last] {
        kinds.push(match line.kind {
            LineKind::Context => ' ',
            LineKind::Added => '+',
            LineKind::Removed => '-',
        });
        if !line.newline {
            kinds.push('!');
        }
    }
    HunkPart {
        file: at.file,
        hunk: at.hunk,
        first_line: at.line,
        header: header(hunk),
        old_start,
        new_start,
        kinds,
        lines: hunk.lines[first..last].iter().map(|line| shown(&line.text)).collect(),
    }
}

fn header(hunk: &Hunk) -> String {
    let range = |start: u32, lines: u32| if lines == 1 { start.to_string() } else { format!("{start},{lines}") };
    let section = String::from_utf8_lossy(&hunk.section);
    format!("@@ -{} +{} @@ {section}", range(hunk.old_start, hunk.old_lines), range(hunk.new_start, hunk.new_lines))
        .trim_end()
        .to_owned()
}

/// Converts a line to text for display, cut after [`LINE_SHOWN`] bytes.
pub(super) fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(LINE_SHOWN)]);
    if bytes.len() > LINE_SHOWN { format!("{text}… ({} bytes)", bytes.len()) } else { text.into_owned() }
}

/// Highlights some lines of a hunk. The old and the new side are parsed separately, because a removed line may open a
/// string or comment that the added lines do not open.
pub(super) fn colours(opened: &OpenChange, params: &HighlightParams) -> HighlightView {
    let classes = highlight::class_names();
    let file = shown_file(opened, params.file);
    let hunk = file.and_then(|file| file.hunks().get(params.hunk as usize));
    let (Some(file), Some(hunk)) = (file, hunk) else { return HighlightView { lines: Vec::new(), classes } };
    let first = (params.first_line as usize).min(hunk.lines.len());
    let last = (first + params.count as usize).min(hunk.lines.len());
    let lead = first.saturating_sub(LEAD);
    let path = file.path().to_text();
    let mut lines = vec![Vec::new(); last - first];
    for (skipped, wanted) in [(LineKind::Added, LineKind::Removed), (LineKind::Removed, LineKind::Added)] {
        let side: Vec<usize> = (lead..last).filter(|&index| hunk.lines[index].kind != skipped).collect();
        let texts: Vec<String> = side.iter().map(|&index| shown(&hunk.lines[index].text)).collect();
        // The new side also colours the context lines, so the old side is needed only where there are removed lines.
        if wanted == LineKind::Removed && !(first..last).any(|index| hunk.lines[index].kind == wanted) {
            continue;
        }
        let spans = highlight::highlight(&path, texts.iter().map(String::as_str));
        for (index, spans) in side.into_iter().zip(spans) {
            if index >= first && hunk.lines[index].kind != skipped {
                lines[index - first] = spans;
            }
        }
    }
    HighlightView { lines, classes }
}

/// Returns the first page of a change.
pub(super) fn first(opened: &OpenChange) -> HunkPage {
    page(opened, PageCursor { file: 0, hunk: 0, line: 0 }, FIRST_PAGE)
}
