//! Marks the findings on lines that the author has not edited since an earlier version of the change.
//!
//! In: the lines that the author edited since then, which the comparison of versions decides, and placed findings. Out: the findings, each
//! marked or not. No finding is removed. A finding of which this cannot be decided is not marked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::{Anchor, AnchorState, Finding, Side};
use crate::message::commit_of_message;

/// The lines that the author edited since an earlier version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EditsSince {
    /// The name of the version for people.
    pub since: String,
    /// The edited files.
    pub files: Vec<EditedLines>,
}

/// The edited lines of a side of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EditedLines {
    /// The path as the change writes it.
    pub path: String,
    /// The side of the lines.
    pub side: Side,
    /// The first and the last line of each run of edited lines, from 1. `None` if the whole file counts as edited.
    pub lines: Option<Vec<(u32, u32)>>,
    /// Whether it counts as edited because the earlier review did not get all of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsent: bool,
}

impl EditsSince {
    /// Calls `each` with every text.
    pub fn for_each_text(&mut self, each: &mut dyn FnMut(&mut String)) {
        let Self { since, files } = self;
        each(since);
        for EditedLines { path, side: _, lines: _, unsent: _ } in files {
            each(path);
        }
    }

    /// Marks the findings whose lines the author has not edited.
    pub fn mark(&self, findings: &mut [Finding]) {
        for finding in findings.iter_mut().filter(|finding| self.is_unedited(&finding.anchor)) {
            finding.unedited_since = Some(self.since.clone());
        }
    }

    /// Lists the edited lines, at most `limit` sides of files, each with at most as many runs of lines.
    pub fn list(&self, limit: usize) -> String {
        let run = |(first, last): &(u32, u32)| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        };
        let line = |file: &EditedLines| {
            let Some(lines) = &file.lines else {
                let why = if file.unsent { ", which was not reviewed before" } else { "" };
                return format!("- {}: the whole file{why}", file.path);
            };
            let side = if file.side == Side::Old { "removed lines of the old side" } else { "lines" };
            let runs = bounded(lines.iter().map(run).collect(), limit);
            format!("- {}: {side} {}", file.path, runs.join(", "))
        };
        // A file that counts as edited as a whole is listed once.
        let has_new_side =
            |file: &EditedLines| self.files.iter().any(|other| other.path == file.path && other.side == Side::New);
        let listed = |file: &&EditedLines| file.lines.is_some() || file.side == Side::New || !has_new_side(file);
        let lines: Vec<String> = self.files.iter().filter(listed).map(line).collect();
        bounded(lines, limit).join("\n")
    }

    fn is_unedited(&self, anchor: &Anchor) -> bool {
        if anchor.state == AnchorState::Unplaced || commit_of_message(&anchor.path).is_some() {
            return false;
        }
        let mut edited = self.files.iter().filter(|file| file.path == anchor.path);
        match anchor.line_start.zip(anchor.line_end) {
            None => edited.next().is_none(),
            Some((start, end)) => !edited.filter(|file| file.side == anchor.side).any(|file| {
                let mut runs = file.lines.iter().flatten();
                file.lines.is_none() || runs.any(|(first, last)| *first <= end && start <= *last)
            }),
        }
    }
}

/// Returns a sentence about the marked findings, or `None` if there are none.
pub fn unedited_sentence(findings: &[Finding]) -> Option<String> {
    let since = findings.iter().find_map(|finding| finding.unedited_since.as_ref())?;
    let marked = findings.iter().filter(|finding| finding.unedited_since.is_some()).count();
    let (are, they) = if marked == 1 { ("is", "It was") } else { ("are", "They were") };
    let all = findings.len();
    Some(format!(
        "{marked} of {all} findings {are} on lines that the author has not edited since {since}. {they} there before."
    ))
}

/// Returns at most `limit` entries, followed by the number of others.
fn bounded(mut entries: Vec<String>, limit: usize) -> Vec<String> {
    let more = entries.len().saturating_sub(limit);
    if more > 0 {
        entries.truncate(limit);
        entries.push(format!("and {more} more"));
    }
    entries
}

/// Joins numbers of lines to runs. The numbers may be in any order.
pub fn runs_of_lines(mut lines: Vec<u32>) -> Vec<(u32, u32)> {
    lines.sort_unstable();
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for line in lines {
        match runs.last_mut() {
            Some((_, last)) if line <= last.saturating_add(1) => *last = line,
            _ => runs.push((line, line)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{AgentFinding, Category, Severity};

    fn edits() -> EditsSince {
        let of = |path: &str, side, lines| EditedLines { path: path.into(), side, lines, unsent: false };
        EditsSince {
            since: "v1".into(),
            files: vec![
                of("a.rs", Side::New, Some(vec![(3, 5), (9, 9)])),
                of("a.rs", Side::Old, Some(vec![(7, 7)])),
                of("new.rs", Side::New, None),
            ],
        }
    }

    fn is_marked(path: &str, side: Side, lines: Option<(u32, u32)>, state: AnchorState) -> bool {
        let anchor = Anchor { side, ..Anchor::new(state, path, lines, true) };
        let content = AgentFinding::new(Severity::Low, Category::Other, path, lines.unwrap_or((1, 1)));
        let mut findings = [Finding::new(content, anchor)];
        edits().mark(&mut findings);
        findings[0].unedited_since.is_some()
    }

    #[test]
    fn findings_on_other_lines_are_marked() {
        let new = |path, lines| is_marked(path, Side::New, Some(lines), AnchorState::Verified);
        assert!(new("a.rs", (1, 2)) && new("a.rs", (6, 8)) && new("other.rs", (4, 4)));
        assert!(!new("a.rs", (1, 3)) && !new("a.rs", (5, 6)) && !new("a.rs", (1, 20)) && !new("new.rs", (1, 1)));
        let old = |line| is_marked("a.rs", Side::Old, Some((line, line)), AnchorState::Verified);
        assert!(old(3) && !old(7));
    }

    #[test]
    fn a_finding_without_lines_is_marked_only_if_its_file_has_no_edit() {
        assert!(is_marked("other.rs", Side::New, None, AnchorState::File));
        assert!(!is_marked("a.rs", Side::New, None, AnchorState::File));
        assert!(!is_marked("nowhere.rs", Side::New, None, AnchorState::Unplaced));
    }

    #[test]
    fn the_sentence_counts_the_marked_findings() {
        let finding = |line| {
            let content = AgentFinding::new(Severity::Low, Category::Other, "a.rs", (line, line));
            Finding::new(content, Anchor::new(AnchorState::Verified, "a.rs", Some((line, line)), true))
        };
        let mut findings = [finding(1), finding(4), finding(20)];
        assert_eq!(unedited_sentence(&findings), None);
        edits().mark(&mut findings);
        let expected = "2 of 3 findings are on lines that the author has not edited since v1. They were there before.";
        assert_eq!(unedited_sentence(&findings).as_deref(), Some(expected));
        let list = "- a.rs: lines 3-5, 9\n- a.rs: removed lines of the old side 7\n- new.rs: the whole file";
        assert_eq!(edits().list(9), list);
        assert_eq!(edits().list(1), "- a.rs: lines 3-5, and 1 more\nand 2 more");
        let unsent = EditedLines { path: "b.rs".into(), side: Side::New, lines: None, unsent: true };
        let edits = EditsSince { since: "v1".into(), files: vec![unsent] };
        assert_eq!(edits.list(9), "- b.rs: the whole file, which was not reviewed before");
        assert_eq!(runs_of_lines(vec![4, 1, 2, 2, 7, 8]), [(1, 2), (4, 4), (7, 8)]);
    }
}
