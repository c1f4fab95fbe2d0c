//! Cuts hunks into parts with correct headers. Text is shared, never copied.

use std::ops::Range;

use bytes::Bytes;

use super::{Hunk, Line, LineKind};

/// The numbers of lines on each side.
#[derive(Clone, Copy, Default)]
struct Sides {
    old: u32,
    new: u32,
}

impl Sides {
    fn add(&mut self, lines: &[Line]) {
        for line in lines {
            self.old += u32::from(line.kind != LineKind::Added);
            self.new += u32::from(line.kind != LineKind::Removed);
        }
    }
}

/// Returns some lines of a hunk, under a corrected header.
pub fn some_lines(hunk: &Hunk, lines: Range<usize>) -> Hunk {
    let mut before = Sides::default();
    before.add(&hunk.lines[..lines.start]);
    part(hunk, before, &hunk.lines[lines], hunk.section.clone())
}

/// Cuts a hunk to at most `context` lines around its changes. The result has several hunks if changes are more than twice that
/// distance apart.
pub fn with_context(hunk: &Hunk, context: usize) -> Vec<Hunk> {
    let changed = |line: &Line| line.kind != LineKind::Context;
    let mut parts = Vec::new();
    let mut before = Sides::default();
    let mut from = 0;
    while let Some(first) = hunk.lines[from..].iter().position(changed).map(|at| at + from) {
        let mut last = first;
        for (at, line) in hunk.lines.iter().enumerate().skip(first + 1) {
            if at - last - 1 > 2 * context {
                break;
            }
            if changed(line) {
                last = at;
            }
        }
        let start = first.saturating_sub(context).max(from);
        let end = last.saturating_add(1).saturating_add(context).min(hunk.lines.len());
        before.add(&hunk.lines[from..start]);
        parts.push(part(hunk, before, &hunk.lines[start..end], hunk.section.clone()));
        before.add(&hunk.lines[start..=last]);
        from = last + 1;
    }
    parts
}

/// Returns whether [`with_context`] returns the hunk itself.
pub(crate) fn has_context(hunk: &Hunk, context: usize) -> bool {
    let mut gaps = hunk.lines.split(|line| line.kind != LineKind::Context).map(<[Line]>::len);
    let (first, last) = (gaps.next().unwrap_or_default(), gaps.next_back());
    // Without a changed line, there is only one gap.
    last.is_some_and(|last| first <= context && last <= context) && gaps.all(|gap| gap <= 2 * context)
}

/// Returns `lines` of a hunk as a hunk. `before` counts the lines of the hunk that precede them.
fn part(hunk: &Hunk, before: Sides, lines: &[Line], section: Bytes) -> Hunk {
    let mut kept = Sides::default();
    kept.add(lines);
    // A side without lines has the number of the line before it.
    let start =
        |start: u32, whole: u32, before: u32, kept: u32| start + u32::from(whole == 0) + before - u32::from(kept == 0);
    Hunk {
        old_start: start(hunk.old_start, hunk.old_lines, before.old, kept.old),
        old_lines: kept.old,
        new_start: start(hunk.new_start, hunk.new_lines, before.new, kept.new),
        new_lines: kept.new,
        section,
        lines: lines.to_vec().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{parse_patch, print_change};

    fn hunk(body: &str) -> Hunk {
        let change = parse_patch(Bytes::from(format!("--- a/x\n+++ b/x\n{body}"))).expect("a patch");
        change.files[0].hunks()[0].clone()
    }

    fn text(hunks: &[Hunk]) -> String {
        let mut file = parse_patch(Bytes::from("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")).expect("a patch");
        file.files[0].body = crate::Body::Text(hunks.to_vec());
        String::from_utf8(print_change(&file)).expect("text").lines().skip(3).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn some_lines_have_their_own_header() {
        let whole = hunk("@@ -10,3 +10,4 @@ f\n a\n-b\n+c\n+d\n e\n");
        assert_eq!(text(&[some_lines(&whole, 0..3)]), "@@ -10,2 +10,2 @@ f\n a\n-b\n+c");
        assert_eq!(text(&[some_lines(&whole, 1..5)]), "@@ -11,2 +11,3 @@ f\n-b\n+c\n+d\n e");
        assert_eq!(text(&[some_lines(&hunk("@@ -5,0 +6,2 @@\n+a\n+b\n"), 0..1)]), "@@ -5,0 +6 @@\n+a");
        assert_eq!(text(&[some_lines(&hunk("@@ -0,0 +1,2 @@\n+a\n+b\n"), 0..1)]), "@@ -0,0 +1 @@\n+a");
        assert_eq!(text(&[some_lines(&hunk("@@ -0,0 +1,2 @@\n+a\n+b\n"), 1..2)]), "@@ -0,0 +2 @@\n+b");
    }

    #[test]
    fn a_hunk_has_its_context_exactly_if_cutting_changes_nothing() {
        for lines in 1..=7 {
            for kinds in 0..1_u32 << lines {
                let line = |at: u32| if kinds >> at & 1 == 1 { "+a\n" } else { " a\n" };
                let body: String = (0..lines).map(line).collect();
                let whole = hunk(&format!("@@ -1,{} +1,{lines} @@\n{body}", lines - kinds.count_ones()));
                for context in 0..3 {
                    let is_whole = with_context(&whole, context) == [whole.clone()];
                    assert_eq!(has_context(&whole, context), is_whole, "{context}\n{body}");
                }
            }
        }
    }

    #[test]
    fn distant_changes_become_hunks_of_their_own() {
        let whole = hunk("@@ -1,6 +1,6 @@\n-a\n+A\n b\n c\n d\n e\n-f\n+F\n");
        assert_eq!(text(&with_context(&whole, 1)), "@@ -1,2 +1,2 @@\n-a\n+A\n b\n@@ -5,2 +5,2 @@\n e\n-f\n+F");
        assert_eq!(text(&with_context(&whole, 0)), "@@ -1 +1 @@\n-a\n+A\n@@ -6 +6 @@\n-f\n+F");
        assert_eq!(with_context(&whole, 2), std::slice::from_ref(&whole));
        assert_eq!(with_context(&whole, usize::MAX / 4), [whole]);
    }
}
