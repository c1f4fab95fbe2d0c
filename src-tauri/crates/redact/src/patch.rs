//! Finds the diffs in a text, so that each file of a diff is read by its own path and without the signs in front of its lines.
//!
//! In: a text, such as a prompt or the output of `git log --patch`. Out: the text in parts of whole lines. Nothing is masked here.

use super::replaced::Replacements;
use diffsan_change::LineKind;

/// The place of the paths in the headers of a file.
pub(super) const PATH: &str = "path";

/// A part of a text: the headers or the hunks of one file of a diff, or the text between two diffs.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// The path of the file, or [`PATH`] for its headers. `None` outside of diffs.
    pub(super) path: Option<String>,
    pub(super) lines: Vec<Line>,
}

impl Part {
    /// Returns the replaced parts of the hunks of a file. `content` has the contents of the lines, each with a line feed.
    pub(super) fn replacements<'a>(&self, text: &[u8], content: &'a [u8]) -> Replacements<'a> {
        let mut replacements = Replacements::new(content);
        let mut at = 0;
        for line in &self.lines {
            let end = at + line.end - line.content;
            match text.get(line.start) {
                Some(b'@') => replacements.hunk(),
                Some(b'+') if line.content > line.start => replacements.line(LineKind::Added, at, end),
                Some(b'-') if line.content > line.start => replacements.line(LineKind::Removed, at, end),
                _ => replacements.line(LineKind::Context, at, end),
            }
            at = end + 1;
        }
        replacements
    }
}

/// A line of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// The offset of the line in the text.
    pub(super) start: usize,
    /// The offset of its content: after the sign of a line in a hunk, and after the numbers in the header of one.
    pub(super) content: usize,
    /// The offset of its end, without the line feed.
    pub(super) end: usize,
    /// The number of the line in its file (of the new side, or the old side of a removed line), otherwise in the text.
    pub(super) number: Option<u32>,
}

/// Returns whether a text can contain a diff.
pub(super) fn has_hunks(text: &[u8]) -> bool {
    text.starts_with(b"@@ -") || memchr::memmem::find(text, b"\n@@ -").is_some()
}

/// Splits a text into its diffs and the text between them. In a text that `is_diff` as a whole, a file ends only where the next one
/// begins, even if the numbers in its hunk headers are wrong.
pub(super) fn parts(text: &[u8], is_diff: bool) -> Vec<Part> {
    let mut reader = Reader { text, is_diff, parts: vec![Part::default()], ..Reader::default() };
    let mut start = 0;
    for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
        let end = start + line.len();
        let next = text.get(end + 1..).unwrap_or_default();
        reader.line(index, start, end, next);
        start = end + 1;
    }
    reader.parts.retain(|part| !part.lines.is_empty());
    reader.parts
}

#[derive(Default)]
struct Reader<'a> {
    text: &'a [u8],
    is_diff: bool,
    parts: Vec<Part>,
    /// Whether the current part is a file of a diff, and whether a hunk of it was seen.
    in_file: bool,
    in_hunks: bool,
    /// The path of the file.
    path: String,
    /// The numbers of the next lines in the current hunk, and how many lines of it are left.
    old: (u32, u32),
    new: (u32, u32),
}

impl Reader<'_> {
    fn line(&mut self, index: usize, start: usize, end: usize, next: &[u8]) {
        let line = &self.text[start..end];
        let own = u32::try_from(index + 1).ok();
        let (content, number) = match self.sign(line) {
            Some(number) => {
                (start + usize::from(!line.trim_ascii().is_empty() || line.starts_with(b" ")), number.or(own))
            }
            None => {
                let section = self.outside(line, next);
                let signed = self.is_diff && !is_header(line) && matches!(line.first(), Some(b'+' | b'-' | b' '));
                (start + section.unwrap_or(usize::from(signed)), own)
            }
        };
        if let Some(part) = self.parts.last_mut() {
            part.lines.push(Line { start, content: content.min(end), end, number });
        }
    }

    /// Returns the number of a line in a hunk, or `None` if the line is in no hunk.
    fn sign(&mut self, line: &[u8]) -> Option<Option<u32>> {
        let take = |side: &mut (u32, u32)| {
            let number = side.0;
            *side = (side.0.saturating_add(1), side.1.saturating_sub(1));
            Some(number)
        };
        match line.first() {
            Some(b'+') if self.new.1 > 0 => Some(take(&mut self.new)),
            Some(b'-') if self.old.1 > 0 => Some(take(&mut self.old)),
            Some(b' ' | b'\r') | None if self.old.1 > 0 && self.new.1 > 0 => {
                take(&mut self.old);
                Some(take(&mut self.new))
            }
            Some(b'\\') if self.in_hunks => Some(None),
            _ => {
                (self.old.1, self.new.1) = (0, 0);
                None
            }
        }
    }

    /// Reads a line that is in no hunk. Returns the offset of the section in the header of a hunk.
    fn outside(&mut self, line: &[u8], next: &[u8]) -> Option<usize> {
        let begins = line.starts_with(b"diff --git ")
            || line.starts_with(b"--- ") && next.starts_with(b"+++ ") && (!self.in_file || self.in_hunks);
        if begins {
            (self.in_file, self.in_hunks) = (true, false);
            self.path.clear();
            self.parts.push(Part { path: Some(PATH.to_owned()), ..Part::default() });
        } else if let Some((old, new)) = hunk(line).filter(|_| self.in_file) {
            if !self.in_hunks {
                self.parts.push(Part { path: Some(self.path.clone()), ..Part::default() });
            }
            self.in_hunks = true;
            (self.old, self.new) = (old, new);
            return memchr::memmem::find(line, b" @@").map(|at| line.len().min(at + b" @@ ".len()));
        } else if self.in_file && self.ends(line) {
            self.in_file = false;
            self.parts.push(Part::default());
        }
        for side in [&b"--- a/"[..], b"+++ b/"] {
            if let (true, false, Some(path)) = (self.in_file, self.in_hunks, line.strip_prefix(side)) {
                self.path = String::from_utf8_lossy(path.trim_ascii_end()).into_owned();
            }
        }
        None
    }

    /// Returns whether a line outside of hunks does not belong to the file any more.
    fn ends(&self, line: &[u8]) -> bool {
        if self.is_diff {
            let hash = line.strip_prefix(b"commit ").or_else(|| line.strip_prefix(b"From "));
            return hash.is_some_and(|hash| hash.iter().take_while(|byte| byte.is_ascii_hexdigit()).count() >= 40);
        }
        self.in_hunks || !is_header(line)
    }
}

/// Returns whether a line is one of the lines of a file before its hunks.
fn is_header(line: &[u8]) -> bool {
    [
        &b"+++ "[..],
        b"--- ",
        b"@@",
        b"diff ",
        b"index ",
        b"old mode ",
        b"new mode ",
        b"new file ",
        b"deleted file ",
        b"similarity ",
        b"dissimilarity ",
        b"rename ",
        b"copy ",
        b"Binary files ",
        b"GIT binary ",
    ]
    .iter()
    .any(|start| line.starts_with(start))
}

/// Returns the first line and the number of lines of both sides of a hunk.
fn hunk(line: &[u8]) -> Option<((u32, u32), (u32, u32))> {
    let line = std::str::from_utf8(&line[..line.len().min(60)]).ok().or_else(|| {
        let ascii = line.iter().take_while(|byte| byte.is_ascii()).count();
        std::str::from_utf8(&line[..ascii]).ok()
    })?;
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let side = |side: &str| {
        let (start, count) = side.split_once(',').unwrap_or((side, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    Some((side(old)?, side(new)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_split_at_its_diffs() {
        let text = "Read this:\ndiff --git a/x.rs b/x.rs\nindex 1..2 100644\n--- a/x.rs\n+++ b/x.rs\n@@ -3,2 +3,3 @@ fn a\n a\n-b\n+c\n+d\n\nEnd.\ndiff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-p\n+q\n-- \n2.1";
        let seen: Vec<(Option<String>, String)> = parts(text.as_bytes(), false)
            .into_iter()
            .map(|part| {
                let lines = part.lines.iter().map(|line| &text[line.content..line.end]).collect::<Vec<_>>().join("|");
                (part.path, lines)
            })
            .collect();
        let part = |path: Option<&str>, lines: &str| (path.map(str::to_owned), lines.to_owned());
        assert_eq!(
            seen,
            [
                part(None, "Read this:"),
                part(Some("path"), "diff --git a/x.rs b/x.rs|index 1..2 100644|--- a/x.rs|+++ b/x.rs"),
                part(Some("x.rs"), "fn a|a|b|c|d"),
                part(None, "|End."),
                part(Some("path"), "diff --git a/y b/y|--- a/y|+++ b/y"),
                part(Some("y"), "|p|q"),
                part(None, "-- |2.1"),
            ]
        );
        let numbers: Vec<Option<u32>> =
            parts(text.as_bytes(), false)[2].lines[1..].iter().map(|line| line.number).collect();
        assert_eq!(numbers, [Some(3), Some(4), Some(4), Some(5)]);
    }

    #[test]
    fn a_diff_with_wrong_numbers_is_still_one_file() {
        let text = "--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n+a\n+b\n+c";
        let parts = parts(text.as_bytes(), true);
        assert_eq!(parts.len(), 2);
        assert!(parts[1].lines[1..].iter().all(|line| line.content == line.start + 1));
    }
}
