//! The status of the code that a finding or a comment is about. It is found by comparing texts, never by line numbers alone.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::finding::{Finding, Side};

/// The status of reviewed lines in the current version of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum CodeStatus {
    /// The lines are where they were.
    Unchanged,
    /// The lines are elsewhere in the file.
    Moved {
        /// The current first line, from 1, if known.
        line: Option<u32>,
    },
    /// The lines were edited.
    Edited,
    /// The lines were removed.
    Removed,
    /// The file does not exist any more, or is not part of the change.
    FileRemoved,
    /// One of the two texts is not available.
    Unknown,
}

/// The number of lines of context that are compared.
const CONTEXT_LINES: usize = 3;

/// Compares lines `start..=end` (from 1) of `before` with `after`, both whole files. `after` is `None` if the file does not exist any more.
pub fn code_status(before: &str, after: Option<&str>, start: u32, end: u32) -> CodeStatus {
    let Some(after) = after else { return CodeStatus::FileRemoved };
    let (old, new) = (lines(before), lines(after));
    let (from, to) = ((start as usize).saturating_sub(1), (end as usize).min(old.len()));
    let Some(wanted) = old.get(from..to).filter(|wanted| !wanted.is_empty()) else { return CodeStatus::Removed };
    if new.get(from..to) == Some(wanted) && !ambiguous(&new, wanted) {
        return CodeStatus::Unchanged;
    }
    let places: Vec<usize> = find(&new, wanted);
    // Of several places, take the one with the most equal context, because a bare `}` is everywhere.
    let best =
        places.into_iter().max_by_key(|&at| (alike(&old, from, to, &new, at), std::cmp::Reverse(at.abs_diff(from))));
    match best {
        Some(at) if at == from => CodeStatus::Unchanged,
        Some(at) if wanted.iter().any(|line| line.len() > 3) || alike(&old, from, to, &new, at) > 0 => {
            CodeStatus::Moved { line: u32::try_from(at + 1).ok() }
        }
        _ if removed(&old, from, to, &new) => CodeStatus::Removed,
        _ => CodeStatus::Edited,
    }
}

/// Returns the status of a finding's code, by both texts of its file, or by its digest if the earlier text is not available. `digests` are
/// those of `after`.
pub fn finding_code_status(
    finding: &Finding,
    before: Option<&str>,
    after: &str,
    digests: &mut CodeDigests,
) -> CodeStatus {
    // `after` is the new side.
    if finding.anchor.side == Side::Old {
        return CodeStatus::Unknown;
    }
    let lines = finding.anchor.line_start.zip(finding.anchor.line_end).filter(|(start, _)| *start > 0);
    let compared = lines.and_then(|(start, end)| {
        let before =
            before.filter(|text| finding.code.as_deref().is_none_or(|code| has_code(text, start, end, code)))?;
        Some(code_status(before, Some(after), start, end))
    });
    let found = finding.code.as_deref().is_some_and(|digest| !digests.find(digest).is_empty());
    match compared {
        Some(status @ (CodeStatus::Unchanged | CodeStatus::Moved { .. })) => status,
        _ if found => CodeStatus::Moved { line: None },
        Some(status) => status,
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

fn find(lines: &[&str], wanted: &[&str]) -> Vec<usize> {
    lines.windows(wanted.len()).enumerate().filter(|(_, window)| *window == wanted).map(|(at, _)| at).collect()
}

fn ambiguous(lines: &[&str], wanted: &[&str]) -> bool {
    find(lines, wanted).len() > 1
}

/// Returns the number of equal lines of context.
fn alike(old: &[&str], from: usize, to: usize, new: &[&str], at: usize) -> usize {
    let length = to - from;
    let above = (1..=CONTEXT_LINES)
        .filter(|by| from.checked_sub(*by).zip(at.checked_sub(*by)).is_some_and(|(a, b)| old.get(a) == new.get(b)));
    let below =
        (0..CONTEXT_LINES).filter(|by| old.get(to + by).zip(new.get(at + length + by)).is_some_and(|(a, b)| a == b));
    above.count() + below.count()
}

/// Returns whether the lines around the removed lines are adjacent now.
fn removed(old: &[&str], from: usize, to: usize, new: &[&str]) -> bool {
    let above = old[..from].iter().rev().find(|line| !line.is_empty());
    let below = old[to..].iter().find(|line| !line.is_empty());
    let rest: Vec<&&str> = new.iter().filter(|line| !line.is_empty()).collect();
    match (above, below) {
        (Some(above), Some(below)) => rest.windows(2).any(|pair| pair[0] == above && pair[1] == below),
        (Some(above), None) => rest.last() == Some(&above),
        (None, Some(below)) => rest.first() == Some(&below),
        (None, None) => rest.is_empty(),
    }
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
        assert_eq!(status("", 3, 3), CodeStatus::Edited);
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
