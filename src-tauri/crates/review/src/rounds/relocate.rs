//! Places findings of an earlier state of a change on its current state.
//!
//! In: findings with the digest of their code, their files as they were reviewed where those are available, and the current change. Out:
//! each finding at the current place of its code, and the status of that code. Lines without proof are marked as unverified.

use std::collections::HashMap;

use diffsan_change::Change;

use super::{CodeDigests, CodeStatus, code_status};
use crate::anchor::{Files, Lookup, checked_fix, mark_in_change, place_in};
use crate::finding::{AgentFinding, Anchor, AnchorState, Finding, Side};

/// The note of a finding whose code does not exist any more.
const CODE_CHANGED: &str = "its code changed since the review";
/// The note of a finding whose code may be at several places, or outside of the lines that the change contains.
const CODE_NOT_CERTAIN: &str = "it is not certain where its code is now";

/// A finding on the current state of a change.
#[derive(Clone, Debug, PartialEq)]
pub struct Relocated {
    /// The finding with its current place and fix. Its key, words and code digest are unchanged.
    pub finding: Finding,
    /// The status of its code.
    pub status: CodeStatus,
}

impl Relocated {
    /// Returns the finding for readers who cannot see that its lines are unverified. Where its code changed, it is on its file.
    pub fn with_proven_lines(self) -> Finding {
        let Self { mut finding, status } = self;
        let proven = matches!(status, CodeStatus::Unchanged | CodeStatus::Moved { .. });
        let anchor = &mut finding.anchor;
        if !proven && anchor.line_start.is_some() && anchor.state != AnchorState::Unplaced {
            anchor.state = AnchorState::File;
            (anchor.line_start, anchor.line_end, anchor.in_change) = (None, None, false);
            finding.fix = None;
        }
        finding
    }
}

/// Places findings on the current state of a change. `before` returns the whole file of a finding as it was reviewed, masked like
/// `files`, or `None` where it is not available.
pub fn relocate(
    findings: &[Finding],
    before: &mut dyn FnMut(&Finding) -> Option<String>,
    change: &Change,
    files: &Files,
) -> Vec<Relocated> {
    let lookup = Lookup::new(change, files);
    let mut current: HashMap<(String, bool), Option<CurrentFile>> = HashMap::new();
    let one = |finding: &Finding| {
        let said = as_placed(finding);
        let mut placed = place_in(&said, &lookup);
        let old = finding.anchor.side == Side::Old;
        let file = current
            .entry((finding.anchor.path.clone(), old))
            .or_insert_with(|| CurrentFile::new(&lookup, finding.anchor.side, &placed.path));
        let complete = file.as_ref().is_some_and(|file| file.text.is_some());
        let code = file.as_mut().map_or(CodePlace::Nowhere, |file| find_code(finding, file, before));
        let by_quote = matches!(placed.state, AnchorState::Verified | AnchorState::Moved);
        let status = match (finding.anchor.line_start, code) {
            (None, _) => CodeStatus::Unknown,
            (Some(start), CodePlace::Line(line)) if line == start && placed.path == finding.anchor.path => {
                placed = finding.anchor.clone();
                CodeStatus::Unchanged
            }
            (Some(start), CodePlace::Line(line)) => {
                placed = moved(finding, start, line, &placed);
                CodeStatus::Moved { line: Some(line) }
            }
            (start, _) if by_quote && placed.line_start == start => CodeStatus::Unchanged,
            _ if by_quote => CodeStatus::Moved { line: placed.line_start },
            _ if placed.state == AnchorState::Unplaced => CodeStatus::FileRemoved,
            (_, CodePlace::Nowhere) if complete => {
                placed.notes.push(CODE_CHANGED.to_owned());
                CodeStatus::Edited
            }
            _ => {
                placed.notes.push(CODE_NOT_CERTAIN.to_owned());
                CodeStatus::Unknown
            }
        };
        mark_in_change(&mut placed, &lookup);
        let fix = checked_fix(&finding.said, &mut placed, files);
        Relocated { finding: Finding { anchor: placed, fix, ..finding.clone() }, status }
    };
    findings.iter().map(one).collect()
}

/// A file of the current state.
struct CurrentFile {
    digests: CodeDigests,
    /// The whole text, if all of its lines are known.
    text: Option<String>,
}

impl CurrentFile {
    fn new(lookup: &Lookup<'_>, side: Side, path: &str) -> Option<Self> {
        let (lines, complete) = lookup.known_lines(side, path)?;
        let text = complete.then(|| lines.numbered().fold(String::new(), |text, (_, line)| text + line + "\n"));
        let digests = CodeDigests::of_lines(lines.numbered().map(|(number, line)| (number, line.to_owned())));
        Some(Self { digests, text })
    }
}

/// The place of a finding's code in the current file.
enum CodePlace {
    Line(u32),
    Nowhere,
    /// The code is at several places, and nothing proves which one is meant.
    Ambiguous,
}

fn find_code(
    finding: &Finding,
    file: &mut CurrentFile,
    before: &mut dyn FnMut(&Finding) -> Option<String>,
) -> CodePlace {
    let Some((start, end)) = finding.anchor.line_start.zip(finding.anchor.line_end) else { return CodePlace::Nowhere };
    let found = finding.code.as_deref().map_or(&[][..], |digest| file.digests.find(digest));
    match *found {
        [] => CodePlace::Nowhere,
        [only] => CodePlace::Line(only),
        // The lines around the code decide.
        _ => match before(finding).map(|before| code_status(&before, file.text.as_deref(), start, end)) {
            Some(CodeStatus::Moved { line: Some(line) }) => CodePlace::Line(line),
            Some(CodeStatus::Unchanged) => CodePlace::Line(start),
            None if found.contains(&start) => CodePlace::Line(start),
            _ => CodePlace::Ambiguous,
        },
    }
}

/// Returns the finding as if the agent had given it for its current place.
fn as_placed(finding: &Finding) -> AgentFinding {
    let anchor = &finding.anchor;
    let (line_start, line_end) =
        anchor.line_start.zip(anchor.line_end).unwrap_or((finding.said.line_start, finding.said.line_end));
    AgentFinding { path: anchor.path.clone(), side: Some(anchor.side), line_start, line_end, ..finding.said.clone() }
}

fn moved(finding: &Finding, start: u32, line: u32, placed: &Anchor) -> Anchor {
    let anchor = &finding.anchor;
    let mut notes = anchor.notes.clone();
    if line != start {
        notes.push(format!("its code was at line {start} when it was reviewed"));
    }
    if placed.path != anchor.path {
        notes.push(format!("its file was `{}` when it was reviewed", anchor.path));
    }
    let length = anchor.line_end.unwrap_or(start).saturating_sub(start);
    Anchor {
        state: AnchorState::Moved,
        path: placed.path.clone(),
        line_start: Some(line),
        line_end: Some(line.saturating_add(length)),
        notes,
        ..anchor.clone()
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::anchor::place_all;
    use crate::finding::{Category, Severity};

    const BEFORE: &str = "fn a() {\n    one();\n    two();\n}\n\nfn b() {\n    three();\n}\n";

    fn change(path: &str) -> Change {
        let patch = format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-x\n+fn a() {{\n");
        diffsan_change::parse_patch(Bytes::from(patch)).expect("a patch")
    }

    fn files(path: &str, text: &str) -> Files {
        let mut files = Files::default();
        files.insert(path, Side::New, text);
        files
    }

    fn finding(start: u32, end: u32, quote: Option<&str>) -> Finding {
        let said = AgentFinding {
            finding_id: None,
            severity: Severity::High,
            category: Category::Correctness,
            path: "a.rs".into(),
            line_start: start,
            line_end: end,
            title: Some("T".into()),
            body_markdown: String::new(),
            side: None,
            quote: quote.map(str::to_owned),
            confidence: None,
            suggested_patch: None,
        };
        place_all(vec![said], "codex", &change("a.rs"), &files("a.rs", BEFORE), None).remove(0)
    }

    fn now(finding: &Finding, path: &str, text: &str, has_before: bool) -> (CodeStatus, Anchor) {
        let mut before = |_: &Finding| has_before.then(|| BEFORE.to_owned());
        let mut all = relocate(std::slice::from_ref(finding), &mut before, &change(path), &files(path, text));
        let one = all.remove(0);
        (one.status, one.finding.anchor)
    }

    #[test]
    fn a_finding_follows_its_code() {
        let found = finding(3, 3, Some("two();"));
        assert_eq!(now(&found, "a.rs", BEFORE, true), (CodeStatus::Unchanged, found.anchor.clone()));
        let (status, anchor) = now(&found, "a.rs", &format!("use x;\n{BEFORE}"), true);
        assert_eq!(status, CodeStatus::Moved { line: Some(4) });
        assert_eq!((anchor.state, anchor.line_start, anchor.line_end), (AnchorState::Moved, Some(4), Some(4)));
        assert_eq!(anchor.notes, ["its code was at line 3 when it was reviewed"]);

        // The digest of its lines proves the place of a finding without a quote.
        let (status, anchor) = now(&finding(2, 3, None), "a.rs", &format!("use x;\n{BEFORE}"), false);
        assert_eq!((status, anchor.line_end), (CodeStatus::Moved { line: Some(3) }, Some(4)));
    }

    #[test]
    fn lines_that_nothing_proves_are_not_used_for_comments() {
        let found = finding(3, 3, None);
        let edited = BEFORE.replace("two();", "two(1);");
        let mut before = |_: &Finding| None;
        let one = relocate(&[found], &mut before, &change("a.rs"), &files("a.rs", &edited)).remove(0);
        assert_eq!((one.status, one.finding.anchor.line_start), (CodeStatus::Edited, Some(3)));
        let anchor = one.with_proven_lines().anchor;
        assert_eq!((anchor.state, anchor.line_start, anchor.in_change), (AnchorState::File, None, false));
        assert_eq!(anchor.notes, [CODE_CHANGED]);
    }

    #[test]
    fn the_lines_around_decide_between_equal_lines() {
        let brace = finding(8, 8, None);
        let shorter = BEFORE.replace("    one();\n    two();\n", "    one();\n");
        assert_eq!(now(&brace, "a.rs", &shorter, true).0, CodeStatus::Moved { line: Some(7) });
        let longer = format!("use x;\nuse y;\nuse z;\nuse w;\n{BEFORE}");
        // Line 8 contains a brace now, but it is the other one.
        assert_eq!(now(&brace, "a.rs", &longer, true).0, CodeStatus::Moved { line: Some(12) });
    }

    #[test]
    fn a_finding_on_a_removed_file_says_so() {
        assert_eq!(now(&finding(3, 3, None), "b.rs", BEFORE, true).0, CodeStatus::FileRemoved);
    }
}
