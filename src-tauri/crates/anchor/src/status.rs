//! The status of the code that a finding or a comment is about. It is found by comparing texts, never by line numbers alone.

use std::collections::HashMap;

use sha2::{Digest, Sha256};

use crate::line_map::{Followed, LineMap};
use diffsan_review::finding::Finding;
use diffsan_review::rounds::CodeStatus;

/// Compares lines `start..=end` (from 1) of `before` with `after`, both whole files. `after` is `None` if the file does not exist any more.
pub fn code_status(before: &str, after: Option<&str>, start: u32, end: u32) -> CodeStatus {
    let Some(after) = after else { return CodeStatus::FileRemoved };
    status_by(&LineMap::new(before, after), before, after, start, end)
}

/// Returns the status of lines of `before` in `after`, whose difference is `map`.
pub(super) fn status_by(map: &LineMap, before: &str, after: &str, start: u32, end: u32) -> CodeStatus {
    let (old, new) = (lines(before), lines(after));
    let (from, to) = ((start as usize).saturating_sub(1), (end as usize).min(old.len()));
    let Some(wanted) = old.get(from..to).filter(|wanted| !wanted.is_empty()) else { return CodeStatus::Removed };
    let followed = map.follow(start, u32::try_from(to).unwrap_or(end));
    if let Followed::Kept(line) = followed {
        return if line == start { CodeStatus::Unchanged } else { CodeStatus::Moved { line: Some(line) } };
    }
    let is_edited = match followed {
        Followed::Replaced(first, last) => {
            let lines = new.get(first as usize - 1..(last as usize).min(new.len()));
            lines.is_some_and(|lines| is_edit(wanted, lines))
        }
        _ => false,
    };
    // Code that was once in the earlier text and is once in the current one was moved, unless its own lines were only edited.
    let has_content = wanted.iter().any(|line| line.len() > 3);
    if let ([at], true, false) = (&find(&new, wanted)[..], has_content, is_edited)
        && find(&old, wanted).len() == 1
    {
        return CodeStatus::Moved { line: u32::try_from(at + 1).ok() };
    }
    if followed == Followed::Removed { CodeStatus::Removed } else { CodeStatus::Edited }
}

/// Returns the status of a finding's code, by both texts of its file, or by its digest if the earlier text is not available. `digests` are
/// those of `after`.
pub fn finding_code_status(
    finding: &Finding,
    before: Option<&str>,
    after: &str,
    digests: &mut CodeDigests,
) -> CodeStatus {
    let lines = finding.anchor.line_start.zip(finding.anchor.line_end).filter(|(start, _)| *start > 0);
    let compared = lines.and_then(|(start, end)| {
        let before =
            before.filter(|text| finding.code.as_deref().is_none_or(|code| has_code(text, start, end, code)))?;
        Some(code_status(before, Some(after), start, end))
    });
    let found = finding.code.as_deref().is_some_and(|digest| !digests.find(digest).is_empty());
    match compared {
        Some(status) => status,
        None if found => CodeStatus::Moved { line: None },
        None if lines.is_some() && finding.code.is_some() => CodeStatus::Edited,
        None if before == Some(after) => CodeStatus::Unchanged,
        None => CodeStatus::Unknown,
    }
}

/// Returns a digest of lines: their number, and a hash of their text without trailing white space.
pub fn code_digest(lines: &[&str]) -> String {
    let mut digest = Sha256::new();
    for line in lines {
        digest.update(line.trim_end().as_bytes());
        digest.update(b"\n");
    }
    format!("{}:{}", lines.len(), hex::encode(&digest.finalize()[..8]))
}

/// Returns whether lines `start..=end` of a whole file have a digest.
pub(super) fn has_code(text: &str, start: u32, end: u32, digest: &str) -> bool {
    let (skip, count) = ((start as usize).saturating_sub(1), (end.saturating_sub(start) as usize).saturating_add(1));
    let lines: Vec<&str> = text.lines().skip(skip).take(count).collect();
    lines.len() == count && code_digest(&lines) == digest
}

/// The known lines of one file, and where each digest is among them. Digests are computed once for all findings of the file.
pub struct CodeDigests {
    lines: Vec<(u32, String)>,
    by_count: HashMap<usize, HashMap<String, Vec<u32>>>,
}

impl CodeDigests {
    /// Indexes a whole file.
    pub fn of_text(text: &str) -> Self {
        Self::of_lines((1..).zip(text.lines().map(str::to_owned)))
    }

    /// Indexes lines with their numbers, in ascending order.
    pub fn of_lines(lines: impl Iterator<Item = (u32, String)>) -> Self {
        Self { lines: lines.collect(), by_count: HashMap::new() }
    }

    /// Returns whether the lines `first..=first + more` hold more than a brace or the like, which many places have.
    pub(super) fn is_distinct(&self, first: u32, more: u32) -> bool {
        let range = first..=first.saturating_add(more);
        self.lines.iter().any(|(line, text)| range.contains(line) && text.trim().len() > 3)
    }

    /// Returns the first lines of all runs of adjacent lines with this digest.
    pub fn find(&mut self, digest: &str) -> &[u32] {
        let Some(count) = count(digest) else { return &[] };
        let lines = &self.lines;
        let digests = self.by_count.entry(count).or_insert_with(|| {
            let mut digests: HashMap<String, Vec<u32>> = HashMap::new();
            for run in lines.chunk_by(|(one, _), (next, _)| one + 1 == *next) {
                let texts: Vec<&str> = run.iter().map(|(_, text)| text.as_str()).collect();
                for ((line, _), window) in run.iter().zip(texts.windows(count)) {
                    digests.entry(code_digest(window)).or_default().push(*line);
                }
            }
            digests
        });
        digests.get(digest).map_or(&[], Vec::as_slice)
    }
}

fn count(digest: &str) -> Option<usize> {
    digest.split(':').next().and_then(|count| count.parse::<usize>().ok()).filter(|count| *count > 0)
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_end).collect()
}

/// Returns whether lines look like an edit of others: at least half of their text, at the beginning and the end, is the same.
fn is_edit(before: &[&str], after: &[&str]) -> bool {
    let text = |lines: &[&str]| lines.iter().flat_map(|line| line.trim().bytes().chain([b'\n'])).collect::<Vec<u8>>();
    let (before, after) = (text(before), text(after));
    let start = before.iter().zip(&after).take_while(|(one, other)| one == other).count();
    let rest = before[start..].iter().rev().zip(after[start..].iter().rev());
    let end = rest.take_while(|(one, other)| one == other).count();
    2 * (start + end) >= before.len().max(after.len())
}

fn find(lines: &[&str], wanted: &[&str]) -> Vec<usize> {
    lines.windows(wanted.len()).enumerate().filter(|(_, window)| *window == wanted).map(|(at, _)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "fn a() {\n    one();\n    two();\n}\n\nfn b() {\n    three();\n}\n";

    #[test]
    fn the_status_follows_from_the_code() {
        let status = |after: &str, start, end| code_status(BEFORE, Some(after), start, end);
        assert_eq!(status(BEFORE, 3, 3), CodeStatus::Unchanged);
        assert_eq!(status(&format!("use x;\n{BEFORE}"), 3, 3), CodeStatus::Moved { line: Some(4) });
        assert_eq!(status(&BEFORE.replace("two();", "two(1);"), 3, 3), CodeStatus::Edited);
        assert_eq!(status(&BEFORE.replace("    two();\n", ""), 3, 3), CodeStatus::Removed);
        assert_eq!(status(&BEFORE.replace("one();", "1();"), 2, 3), CodeStatus::Edited, "a part of it");
        assert_eq!(code_status(BEFORE, None, 3, 3), CodeStatus::FileRemoved);
        // The same line occurs twice; the lines around it decide which one it is.
        assert_eq!(status(BEFORE, 8, 8), CodeStatus::Unchanged);
        assert_eq!(status(&format!("use x;\n{BEFORE}"), 8, 8), CodeStatus::Moved { line: Some(9) });
        assert_eq!(status("", 3, 3), CodeStatus::Removed);
        // Equal lines with equal neighbours: only the difference of the whole texts decides.
        let before = "t(a, {\n  x();\n});\nt(b, {\n  x();\n});\n";
        let after = "t(z, {\n  x();\n});\nt(a, {\n  x();\n});\nt(b, {\n  x();\n});\n";
        assert_eq!(code_status(before, Some(after), 2, 2), CodeStatus::Moved { line: Some(5) });
        // The code was corrected, and the same code is new elsewhere. It was not moved there.
        let edited = BEFORE.replace("two();", "two()?;").replace("three();", "two();");
        assert_eq!(status(&edited, 3, 3), CodeStatus::Edited);
        let moved = BEFORE.replace("two();", "something_else(1, 2);").replace("three();", "two();");
        assert_eq!(status(&moved, 3, 3), CodeStatus::Moved { line: Some(7) });
        // The one place of the code is another one's.
        assert_eq!(code_status(before, Some("t(b, {\n  x();\n});\n"), 2, 2), CodeStatus::Removed);
    }

    #[test]
    fn code_is_found_anywhere_in_its_file() {
        let digest = code_digest(&["    one();", "    two();"]);
        let find = |text: &str| CodeDigests::of_text(text).find(&digest).to_vec();
        assert_eq!(find(BEFORE), [2]);
        assert_eq!(find(&format!("x\n{}", BEFORE.replace("();\n", "();  \n"))), [3]);
        assert!(find(&BEFORE.replace("two", "2")).is_empty());
        let apart = [(2, "    one();".to_owned()), (4, "    two();".to_owned())];
        assert!(CodeDigests::of_lines(apart.into_iter()).find(&digest).is_empty(), "the lines are not adjacent");
        for damaged in ["x", "0:", ""] {
            assert!(CodeDigests::of_text(BEFORE).find(damaged).is_empty());
        }
    }
}
