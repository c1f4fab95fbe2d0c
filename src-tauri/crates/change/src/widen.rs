//! Widens hunks with more lines of their file: a number of lines, or the whole enclosing function.
//!
//! In: a file's hunks and the lines of its new side. Out: the same hunks, wider, joined if they touch. If the file does not match
//! the hunks, nothing is widened, so that no line ever gets a wrong number.

use std::sync::LazyLock;

use std::sync::Arc;

use bytes::Bytes;
use regex::bytes::Regex;

use super::{Hunk, Line, LineKind};

/// The maximum size of a function that a hunk is widened to, in lines.
const MAX_FUNCTION_LINES: usize = 400;
/// The width of a tab, in columns.
const TAB: usize = 8;

/// The extent of the context around each hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Around {
    /// This number of lines before and after the changed ones.
    Lines(u32),
    /// The whole enclosing function, class or similar block, or this number of lines if there is none.
    Function(u32),
}

/// Splits a file's content into lines.
pub fn lines_of(content: &Bytes) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut from = 0;
    for end in memchr::memchr_iter(b'\n', content) {
        lines.push(Line { kind: LineKind::Context, text: content.slice(from..end), newline: true });
        from = end + 1;
    }
    if from < content.len() {
        lines.push(Line { kind: LineKind::Context, text: content.slice(from..), newline: false });
    }
    lines
}

/// Widens the hunks. Returns `None` if they do not match `file`.
pub fn widen(hunks: &[Hunk], file: &[Line], around: Around) -> Option<Vec<Hunk>> {
    let mut wide: Vec<Hunk> = Vec::with_capacity(hunks.len());
    // The first line of the new side, from 0, that is not yet in `wide`.
    let mut next = 0;
    for (index, hunk) in hunks.iter().enumerate() {
        let start = first_new(hunk);
        let end = start + hunk.new_lines as usize;
        if start < next || !is_of(hunk, file.get(start..end)?) {
            return None;
        }
        let limit = hunks.get(index + 1).map_or(file.len(), |after| first_new(after).min(file.len()));
        let (from, to) = wanted(hunk, file, around);
        let (from, to) = (from.clamp(next, start), to.clamp(end, limit.max(end)));
        match wide.last_mut() {
            Some(last) if from == next => join(last, hunk, &file[next..start]),
            _ => wide.push(before(hunk, &file[from..start])),
        }
        let last = wide.last_mut()?;
        extend(last, &file[end..to]);
        next = to;
    }
    Some(wide)
}

/// Returns the first line of a hunk on the new side, or the line before which it is, from 0.
fn first_new(hunk: &Hunk) -> usize {
    // A side without lines has the number of the line before it.
    (hunk.new_start + u32::from(hunk.new_lines == 0)) as usize - 1
}

fn is_of(hunk: &Hunk, file: &[Line]) -> bool {
    let new_side = hunk.lines.iter().filter(|line| line.kind != LineKind::Removed);
    new_side.zip(file).all(|(line, there)| line.text == there.text && line.newline == there.newline)
}

/// Returns a hunk with additional lines before it.
fn before(hunk: &Hunk, lines: &[Line]) -> Hunk {
    let count = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    let first = |start: u32, own: u32| if count == 0 { start } else { start + u32::from(own == 0) - count };
    // The section may name a line that is now in the hunk.
    let is_shown = lines.iter().any(|line| !hunk.section.is_empty() && line.text.starts_with(&hunk.section));
    Hunk {
        old_start: first(hunk.old_start, hunk.old_lines),
        old_lines: hunk.old_lines + count,
        new_start: first(hunk.new_start, hunk.new_lines),
        new_lines: hunk.new_lines + count,
        section: if is_shown { Bytes::new() } else { hunk.section.clone() },
        lines: lines.iter().chain(hunk.lines.iter()).cloned().collect::<Vec<_>>().into(),
    }
}

/// Appends lines to a hunk.
fn extend(hunk: &mut Hunk, lines: &[Line]) {
    let count = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    if count > 0 {
        // A side without lines gets lines, and now starts after the line that its header gave.
        hunk.old_start += u32::from(hunk.old_lines == 0);
        hunk.new_start += u32::from(hunk.new_lines == 0);
    }
    hunk.old_lines += count;
    hunk.new_lines += count;
    Arc::make_mut(&mut hunk.lines).extend_from_slice(lines);
}

/// Appends another hunk to a hunk, with the lines between them.
fn join(hunk: &mut Hunk, next: &Hunk, between: &[Line]) {
    extend(hunk, between);
    let side = |start: &mut u32, own: &mut u32, after: (u32, u32)| {
        if *own == 0 && after.1 > 0 {
            *start = after.0;
        }
        *own += after.1;
    };
    side(&mut hunk.old_start, &mut hunk.old_lines, (next.old_start, next.old_lines));
    side(&mut hunk.new_start, &mut hunk.new_lines, (next.new_start, next.new_lines));
    Arc::make_mut(&mut hunk.lines).extend_from_slice(&next.lines);
}

/// Returns the range of lines of the new side that a widened hunk should have, from 0, with an exclusive end.
fn wanted(hunk: &Hunk, file: &[Line], around: Around) -> (usize, usize) {
    let lines = match around {
        Around::Lines(lines) | Around::Function(lines) => lines as usize,
    };
    let changed = |line: &Line| line.kind != LineKind::Context;
    let leading = hunk.lines.iter().take_while(|line| !changed(line)).count();
    let trailing = hunk.lines.iter().rev().take_while(|line| !changed(line)).count();
    let start = first_new(hunk);
    let (first, end) = (start + leading, start + hunk.new_lines as usize - trailing.min(hunk.new_lines as usize));
    let plain = (first.saturating_sub(lines), (end + lines).min(file.len()));
    let Around::Function(_) = around else { return plain };
    match enclosing(file, first, end.max(first + 1)) {
        Some((from, to)) if to - from <= MAX_FUNCTION_LINES => (from.min(plain.0), to.max(plain.1)),
        _ => plain,
    }
}

/// Returns the definition that encloses lines `first..end`, found by keywords and indentation.
fn enclosing(file: &[Line], first: usize, end: usize) -> Option<(usize, usize)> {
    let inside = (first..end.min(file.len())).filter_map(|at| indent(&file[at])).min();
    let mut inner = inside.or_else(|| (end..file.len()).find_map(|at| indent(&file[at])))?;
    let from = (0..=first.min(file.len().checked_sub(1)?)).rev().take(MAX_FUNCTION_LINES).find(|&at| {
        let Some(own) = indent(&file[at]) else { return false };
        let opens = is_definition(&file[at].text) && (own < inner || at >= first);
        inner = inner.min(own.max(1));
        opens
    })?;
    let own = indent(&file[from])?;
    let after = (end.max(from + 1)..file.len()).find(|&at| indent(&file[at]).is_some_and(|there| there <= own));
    let to = match after {
        Some(at) if is_closing(&file[at].text) => at + 1,
        Some(at) => at,
        None => file.len(),
    };
    // Blank lines after a function are not part of it.
    let to = (from + 1..=to).rev().find(|&to| indent(&file[to - 1]).is_some()).unwrap_or(to);
    Some((from, to.max(end)))
}

/// Returns the number of columns before the first character, or `None` for a blank line.
fn indent(line: &Line) -> Option<usize> {
    let mut columns = 0;
    for byte in line.text.iter() {
        match byte {
            b' ' => columns += 1,
            b'\t' => columns += TAB - columns % TAB,
            b'\r' => return None,
            _ => return Some(columns),
        }
    }
    None
}

fn is_closing(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    text.starts_with(b"}") || text.starts_with(b")") || text.starts_with(b"]") || text.starts_with(b"end")
}

fn is_definition(text: &[u8]) -> bool {
    static WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?x-u)^\s*
            (?:(?:pub(?:\([^)]*\))?|export|default|declare|async|static|public|private|protected|internal|abstract|final
                |override|virtual|unsafe|const|extern(?:\s+\x22[^\x22]*\x22)?|inline|suspend|open|sealed|data|partial)\s+)*
            (?:fn|def|class|func|function\*?|interface|trait|impl|struct|enum|module|namespace|object|record|union|sub)\b",
        )
        .ok()
    });
    static CALLS: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?x-u)^\s*(?:[\w<>\[\]*&:,~.]+\s+)*[\w~:]+\s*\([^;{}]*\)?[^;{}=]*\{\s*$").ok());
    static CONTROL: &[&[u8]] =
        &[b"if", b"for", b"while", b"switch", b"catch", b"else", b"do", b"try", b"with", b"match", b"return", b"when"];
    let is_match = |regex: &LazyLock<Option<Regex>>| regex.as_ref().is_some_and(|regex| regex.is_match(text));
    if is_match(&WORDS) {
        return true;
    }
    let word = text.trim_ascii_start();
    let word = word.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').next().unwrap_or_default();
    !word.is_empty() && !CONTROL.contains(&word) && is_match(&CALLS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{parse_patch, print_change};

    /// Widens the hunks of a patch (without headers) on a file, and prints the result.
    fn wide(file: &str, hunks: &str, around: Around) -> Option<String> {
        let mut change = parse_patch(Bytes::from(format!("--- a/x\n+++ b/x\n{hunks}"))).expect("a patch");
        let wide = widen(change.files[0].hunks(), &lines_of(&Bytes::from(file.to_owned())), around)?;
        change.files[0].body = crate::Body::Text(wide);
        Some(
            String::from_utf8(print_change(&change))
                .expect("text")
                .lines()
                .skip(3)
                .map(|line| format!("{line}\n"))
                .collect(),
        )
    }

    const FILE: &str = "1\n2\n3\n4\nnew\n6\n7\n8\n9\n10\n";

    #[test]
    fn a_change_gets_more_context_lines() {
        let plain = "@@ -5 +5 @@\n-old\n+new\n";
        let wanted = "@@ -3,5 +3,5 @@\n 3\n 4\n-old\n+new\n 6\n 7\n";
        assert_eq!(wide(FILE, plain, Around::Lines(2)).as_deref(), Some(wanted));
        assert_eq!(wide(FILE, plain, Around::Lines(0)).as_deref(), Some(plain));
        assert!(wide(FILE, plain, Around::Lines(99)).is_some_and(|all| all.starts_with("@@ -1,10 +1,10 @@\n 1\n")));
    }

    #[test]
    fn a_side_without_lines_gets_a_first_one() {
        assert_eq!(
            wide(FILE, "@@ -4,0 +5 @@\n+new\n", Around::Lines(1)).as_deref(),
            Some("@@ -4,2 +4,3 @@\n 4\n+new\n 6\n")
        );
        assert_eq!(
            wide(FILE, "@@ -5 +4,0 @@\n-gone\n", Around::Lines(1)).as_deref(),
            Some("@@ -4,3 +4,2 @@\n 4\n-gone\n new\n")
        );
    }

    #[test]
    fn hunks_that_meet_become_one() {
        let two = "@@ -2 +2 @@\n-b\n+2\n@@ -5 +5 @@\n-old\n+new\n";
        assert_eq!(
            wide(FILE, two, Around::Lines(1)).as_deref(),
            Some("@@ -1,6 +1,6 @@\n 1\n-b\n+2\n 3\n 4\n-old\n+new\n 6\n")
        );
    }

    #[test]
    fn another_version_of_the_file_changes_nothing() {
        assert_eq!(wide("1\n2\n3\n4\nother\n6\n", "@@ -5 +5 @@\n-old\n+new\n", Around::Lines(2)), None);
        assert_eq!(wide("1\n", "@@ -5 +5 @@\n-old\n+new\n", Around::Lines(2)), None);
    }

    #[test]
    fn the_whole_function_is_shown() {
        let rust = "use a;\n\nfn before() {\n    one();\n}\n\nfn f(x: u8) -> u8 {\n    if x > 1 {\n        new()\n    }\n    x\n}\n\nfn g() {}\n";
        assert_eq!(
            wide(rust, "@@ -9 +9 @@\n-        old()\n+        new()\n", Around::Function(1)).as_deref(),
            Some(
                "@@ -7,6 +7,6 @@\n fn f(x: u8) -> u8 {\n     if x > 1 {\n-        old()\n+        new()\n     }\n     x\n }\n"
            )
        );
        let python = "class A:\n    def f(self):\n        a = 1\n        b = 2\n        return new\n\n    def g(self):\n        pass\n";
        assert_eq!(
            wide(python, "@@ -5 +5 @@\n-        return old\n+        return new\n", Around::Function(1)).as_deref(),
            Some(
                "@@ -2,5 +2,5 @@\n     def f(self):\n         a = 1\n         b = 2\n-        return old\n+        return new\n \n"
            )
        );
    }
}
