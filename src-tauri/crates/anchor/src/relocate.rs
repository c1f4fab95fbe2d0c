//! Places findings of an earlier state of a change on its current state.
//!
//! In: findings with the digest of their code, their files as they were reviewed where those are available, and the current change. Out:
//! each finding at the current place of its code, and the status of that code. Lines without proof are marked as unverified.

use std::collections::HashMap;
use std::sync::Arc;

use crate::files::{Files, Lookup};
use crate::line_map::{Followed, LineMap};
use crate::place::{checked_fix, mark_in_change, place_in};
use crate::renames::{CurrentPath, current_path};
use crate::status::{CodeDigests, has_code, status_by};
use diffsan_change::Change;
use diffsan_review::finding::{AgentFinding, Anchor, AnchorState, Finding, PatchFormat, Side};
use diffsan_review::message::commit_of_message;
use diffsan_review::rounds::{CodeStatus, KnownFinding};

/// The note of a finding whose code does not exist any more.
const CODE_CHANGED: &str = "its code changed since the review";
/// The note of a finding whose lines do not exist any more.
const CODE_REMOVED: &str = "its lines were removed since the review";
/// The note of a finding whose lines were edited, and that is at the lines in their place.
const LINES_FOLLOWED: &str = "its code changed since the review; it is now at the lines that replaced it";
/// The note of a finding whose code may be outside of the lines that the change contains.
const CODE_NOT_CERTAIN: &str = "the new place of its code is uncertain";

/// A finding on the current state of a change.
#[derive(Clone, Debug, PartialEq)]
pub struct Relocated {
    /// The finding with its current place and fix. Its key, words and code digest are unchanged.
    pub finding: Finding,
    /// The status of its code.
    pub status: CodeStatus,
}

impl Relocated {
    /// Returns the finding as a later review knows it. `saved` is the finding at its earlier place.
    pub fn known(&self, saved: Finding) -> KnownFinding {
        let lines = |content: &AgentFinding| (content.side, content.line_start, content.line_end);
        let is_moved = saved.original.as_deref().is_some_and(|original| lines(original) != lines(&saved.content));
        // The lines to which the reviewer moved a finding are not those at which agents find it.
        match self.status {
            CodeStatus::Unknown => saved.into(),
            _ if is_moved => saved.into(),
            code_status => KnownFinding { finding: self.finding.clone(), code_status },
        }
    }

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
    before: &mut dyn FnMut(&Finding) -> Option<Arc<str>>,
    change: &Change,
    files: &Files,
) -> Vec<Relocated> {
    let lookup = Lookup::new(change, files);
    let mut current: HashMap<(String, Side), Option<CurrentFile>> = HashMap::new();
    let mut paths: HashMap<(String, Side), CurrentPath> = HashMap::new();
    let one = |finding: &Finding| {
        // A message is not part of the files.
        if commit_of_message(&finding.anchor.path).is_some() {
            return Relocated { finding: finding.clone(), status: CodeStatus::Unchanged };
        }
        let path = paths
            .entry((finding.anchor.path.clone(), finding.anchor.side))
            .or_insert_with(|| current_path(finding, before, &lookup));
        let mut content = as_placed(finding);
        if let CurrentPath::Renamed(path) = path {
            content.path = path.clone();
        }
        let mut placed = match path {
            CurrentPath::Removed => removed_file(finding),
            _ => place_in(&content, &lookup),
        };
        let is_removed = *path == CurrentPath::Removed;
        let mut find = |side: Side| {
            let file = current
                .entry((finding.anchor.path.clone(), side))
                .or_insert_with(|| CurrentFile::new(&lookup, side, &placed.path));
            file.as_mut().map_or(CodePlace::Unknown, |file| find_code(finding, file, before))
        };
        let side = finding.anchor.side;
        // Equal code before the change does not show that the code is still there.
        let is_deleted = is_removed || side == Side::New && lookup.is_deleted(&placed.path);
        let code = if is_deleted { CodePlace::Removed { is_copied: false } } else { find(side) };
        // The quote of code that was copied is at the copy.
        let is_copied =
            matches!(code, CodePlace::Replaced { is_copied: true, .. } | CodePlace::Removed { is_copied: true });
        let quoted = matches!(placed.state, AnchorState::Verified | AnchorState::Moved)
            && placed.side == finding.anchor.side
            && !is_copied;
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
            _ if placed.state == AnchorState::Unplaced => CodeStatus::FileRemoved,
            // Nothing is known of its code but the quote.
            (start, CodePlace::Unknown) if quoted && finding.code.is_none() => match placed.line_start {
                line if line == start => CodeStatus::Unchanged,
                line => CodeStatus::Moved { line },
            },
            (_, code) => {
                let (status, note) = match code {
                    CodePlace::Replaced { .. } => (CodeStatus::Edited, LINES_FOLLOWED.to_owned()),
                    CodePlace::Removed { .. } => (CodeStatus::Removed, CODE_REMOVED.to_owned()),
                    CodePlace::Nowhere => (CodeStatus::Edited, CODE_CHANGED.to_owned()),
                    CodePlace::Several(count) => (
                        CodeStatus::Unknown,
                        format!("its code is in the file {count} times, and nothing shows which is meant"),
                    ),
                    _ => (CodeStatus::Unknown, CODE_NOT_CERTAIN.to_owned()),
                };
                match code {
                    CodePlace::Replaced { start, end, .. } if !quoted => {
                        placed.side = finding.anchor.side;
                        (placed.line_start, placed.line_end) = (Some(start), Some(end));
                        placed.state = AnchorState::Unverified;
                    }
                    // Its numbers are those of other code.
                    CodePlace::Removed { .. } | CodePlace::Several(_) if !quoted => {
                        placed.state = AnchorState::File;
                        (placed.line_start, placed.line_end) = (None, None);
                    }
                    _ => {}
                }
                if placed.side != finding.anchor.side && placed.state == AnchorState::Unverified {
                    // The numbers are of the other side.
                    placed.state = AnchorState::File;
                    (placed.line_start, placed.line_end) = (None, None);
                } else if placed.line_start.is_some() {
                    // A quote that is still there does not prove the other lines.
                    placed.state = AnchorState::Unverified;
                }
                placed.notes.push(note);
                status
            }
        };
        mark_in_change(&mut placed, &lookup);
        // A replacement is only valid for the lines that it was made for.
        let proven = matches!(status, CodeStatus::Unchanged | CodeStatus::Moved { .. });
        let patch = finding.content.suggested_patch.as_ref();
        let replaces = patch.is_some_and(|patch| patch.format == PatchFormat::Replacement);
        let fix = if proven || !replaces { checked_fix(&finding.content, &mut placed, files) } else { None };
        Relocated { finding: Finding { anchor: placed, fix, ..finding.clone() }, status }
    };
    findings.iter().map(one).collect()
}

/// A file of the current state.
struct CurrentFile {
    digests: CodeDigests,
    /// The whole text, if all of its lines are known.
    text: Option<String>,
    /// The earlier text of the file, with the difference of both.
    earlier: Option<(Arc<str>, LineMap)>,
}

impl CurrentFile {
    fn new(lookup: &Lookup<'_>, side: Side, path: &str) -> Option<Self> {
        let lines = lookup.known_lines(side, path)?;
        let text = lines.complete().then(|| lines.numbered().fold(String::new(), |text, (_, line)| text + line + "\n"));
        let digests = CodeDigests::of_lines(lines.numbered().map(|(number, line)| (number, line.to_owned())));
        Some(Self { digests, text, earlier: None })
    }

    /// Returns the status of lines of an earlier text in this one, and where they are followed to.
    fn follow(&mut self, before: &Arc<str>, start: u32, end: u32) -> Option<(CodeStatus, Followed)> {
        let text = self.text.as_deref()?;
        if self.earlier.as_ref().is_none_or(|(known, _)| !Arc::ptr_eq(known, before)) {
            self.earlier = Some((Arc::clone(before), LineMap::new(before, text)));
        }
        let (_, map) = self.earlier.as_ref()?;
        Some((status_by(map, before, text, start, end), map.follow(start, end)))
    }
}

/// The place of a finding's code in the current file.
enum CodePlace {
    Line(u32),
    /// The lines `start..=end` replaced it. `is_copied` says whether other places have the same code.
    Replaced {
        start: u32,
        end: u32,
        is_copied: bool,
    },
    /// Nothing replaced it.
    Removed {
        is_copied: bool,
    },
    /// Nowhere in the whole file. The earlier text is not available.
    Nowhere,
    /// At so many places, of which none is the certain one.
    Several(usize),
    /// Perhaps somewhere: outside of the lines that the change shows, or its digest is not known.
    Unknown,
}

fn find_code(
    finding: &Finding,
    file: &mut CurrentFile,
    before: &mut dyn FnMut(&Finding) -> Option<Arc<str>>,
) -> CodePlace {
    let Some((start, end)) = finding.anchor.line_start.zip(finding.anchor.line_end) else { return CodePlace::Unknown };
    let digest = finding.code.as_deref();
    if digest.is_none() && finding.content.quote.is_some() {
        return CodePlace::Unknown;
    }
    let found = digest.map(|digest| file.digests.find(digest).to_vec()).unwrap_or_default();
    let is_distinct = |line: u32| file.digests.is_distinct(line, end.saturating_sub(start));
    if file.text.is_none() {
        // Lines that the change does not show may hold the same code.
        return match found[..] {
            _ if found.contains(&start) && is_distinct(start) => CodePlace::Line(start),
            [line] if finding.content.quote.is_some() && is_distinct(line) => CodePlace::Line(line),
            _ => CodePlace::Unknown,
        };
    }
    let earlier = before(finding);
    let with_code = earlier.as_ref().filter(|before| digest.is_none_or(|digest| has_code(before, start, end, digest)));
    if let Some((status, followed)) = with_code.and_then(|before| file.follow(before, start, end)) {
        return match (status, followed) {
            (CodeStatus::Unchanged, _) => CodePlace::Line(start),
            (CodeStatus::Moved { line: Some(line) }, _) => CodePlace::Line(line),
            (_, Followed::Replaced(start, end)) => CodePlace::Replaced { start, end, is_copied: !found.is_empty() },
            _ => CodePlace::Removed { is_copied: !found.is_empty() },
        };
    }
    let is_distinct = |line: u32| file.digests.is_distinct(line, end.saturating_sub(start));
    match found[..] {
        _ if digest.is_none() => CodePlace::Unknown,
        [] => CodePlace::Nowhere,
        [line] if is_distinct(line) => CodePlace::Line(line),
        _ if found.contains(&start) && (earlier.is_none() || is_distinct(start)) => CodePlace::Line(start),
        _ => CodePlace::Several(found.len()),
    }
}

/// Returns the finding as if the agent had given it for its current place.
fn as_placed(finding: &Finding) -> AgentFinding {
    let anchor = &finding.anchor;
    let (line_start, line_end) =
        anchor.line_start.zip(anchor.line_end).unwrap_or((finding.content.line_start, finding.content.line_end));
    AgentFinding { path: anchor.path.clone(), side: Some(anchor.side), line_start, line_end, ..finding.content.clone() }
}

/// Returns the anchor of a finding whose file does not exist any more.
fn removed_file(finding: &Finding) -> Anchor {
    let note = format!("the file `{}` was removed since the review", finding.anchor.path);
    Anchor {
        state: AnchorState::Unplaced,
        line_start: None,
        line_end: None,
        in_change: false,
        notes: vec![note],
        ..finding.anchor.clone()
    }
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
    use crate::place::place_all;
    use diffsan_review::finding::{Category, Severity};

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
        let content = AgentFinding {
            title: Some("T".into()),
            quote: quote.map(str::to_owned),
            ..AgentFinding::new(Severity::High, Category::Correctness, "a.rs", (start, end))
        };
        place_all(vec![content], "codex", &change("a.rs"), &files("a.rs", BEFORE), None).remove(0)
    }

    fn now(finding: &Finding, path: &str, text: &str, has_before: bool) -> (CodeStatus, Anchor) {
        let mut before = |_: &Finding| has_before.then(|| Arc::from(BEFORE));
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
    fn a_quote_that_is_still_there_does_not_hide_an_edit() {
        let found = finding(2, 4, Some("one();"));
        let edited = BEFORE.replace("    two();\n", "    two(1);\n    more();\n");
        let (status, anchor) = now(&found, "a.rs", &edited, true);
        assert_eq!((status, anchor.state), (CodeStatus::Edited, AnchorState::Unverified));
    }

    #[test]
    fn a_quote_of_other_code_does_not_place_a_finding() {
        let found = finding(3, 3, Some("two();"));
        // The code was corrected or removed, and the same code is new elsewhere, twice.
        let with =
            |own: &str| BEFORE.replace("    two();\n", own) + "fn c() {\n    two();\n}\nfn d() {\n    two();\n}\n";
        let (status, anchor) = now(&found, "a.rs", &with("    two()?;\n"), true);
        assert_eq!((status, anchor.line_start), (CodeStatus::Edited, Some(3)));
        let (status, anchor) = now(&found, "a.rs", &with(""), true);
        assert_eq!((status, anchor.state, anchor.line_start), (CodeStatus::Removed, AnchorState::File, None));
    }

    #[test]
    fn distinct_code_that_is_still_at_its_lines_is_there() {
        let found = finding(3, 3, Some("two();"));
        let twice = format!("{BEFORE}fn c() {{\n    two();\n}}\n");
        // The earlier file is older than the finding, as in a work tree.
        let mut before = |_: &Finding| Some(Arc::from("fn a() {}\n"));
        let one = relocate(&[found], &mut before, &change("a.rs"), &files("a.rs", &twice)).remove(0);
        assert_eq!((one.status, one.finding.anchor.line_start), (CodeStatus::Unchanged, Some(3)));
    }

    #[test]
    fn the_earlier_file_counts_only_where_it_has_the_code() {
        // Written on a newer state than the commit of the review.
        let newer = BEFORE.replace("    one();\n", "    one();\n    one_more();\n");
        let brace = place_all(
            vec![AgentFinding { line_start: 9, line_end: 9, ..finding(8, 8, None).content }],
            "you",
            &change("a.rs"),
            &files("a.rs", &newer),
            None,
        )
        .remove(0);
        assert_eq!(now(&brace, "a.rs", &newer, true).0, CodeStatus::Unknown);
        assert_eq!(now(&brace, "a.rs", &newer, false).0, CodeStatus::Unchanged);
    }

    #[test]
    fn short_code_in_a_part_of_a_file_proves_nothing() {
        let mut brace = finding(8, 8, None);
        let patch = "diff --git a/a.rs b/a.rs\n--- a/a.rs\n+++ b/a.rs\n@@ -90 +90 @@\n-x\n+}\n";
        let change = diffsan_change::parse_patch(Bytes::from(patch)).expect("a patch");
        let relocated = |finding: &Finding| {
            relocate(std::slice::from_ref(finding), &mut |_| None, &change, &Files::default()).remove(0).status
        };
        assert_eq!(relocated(&brace), CodeStatus::Unknown);
        brace.content.quote = Some("}".into());
        assert_eq!(relocated(&brace), CodeStatus::Unknown);
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
    fn edited_lines_are_followed_and_removed_lines_have_no_numbers() {
        let found = finding(3, 3, None);
        let edited = format!("use x;\n{}", BEFORE.replace("    two();\n", "    two(1);\n    more();\n"));
        let (status, anchor) = now(&found, "a.rs", &edited, true);
        assert_eq!((status, anchor.state), (CodeStatus::Edited, AnchorState::Unverified));
        assert_eq!((anchor.line_start, anchor.line_end), (Some(4), Some(5)));
        assert_eq!(anchor.notes, [LINES_FOLLOWED]);
        let (status, anchor) = now(&found, "a.rs", &BEFORE.replace("    two();\n", ""), true);
        assert_eq!((status, anchor.state, anchor.line_start), (CodeStatus::Removed, AnchorState::File, None));
        assert_eq!(anchor.notes, [CODE_REMOVED]);
    }

    #[test]
    fn equal_code_is_followed_by_the_difference_of_both_texts() {
        let test = |name: &str| format!("test({name}, {{\n    let td = tmpdir();\n    run(td);\n}});\n");
        let before = test("a") + &test("b") + &test("c");
        let content = AgentFinding { line_start: 6, line_end: 6, ..finding(3, 3, Some("let td = tmpdir();")).content };
        let found = place_all(vec![content], "codex", &change("a.rs"), &files("a.rs", &before), None).remove(0);
        assert_eq!(found.anchor.line_start, Some(6));
        let after = test("a") + &test("new") + &test("b") + &test("c");
        let placed = |before: Option<&str>, after: &str| {
            let mut before = |_: &Finding| before.map(Arc::from);
            let found = std::slice::from_ref(&found);
            let one = relocate(found, &mut before, &change("a.rs"), &files("a.rs", after)).remove(0);
            (one.status, one.finding.anchor)
        };
        assert_eq!(placed(Some(&before), &after).0, CodeStatus::Moved { line: Some(10) });
        // Without the earlier text, nothing decides.
        let after = format!("use x;\n{after}");
        let (status, anchor) = placed(None, &after);
        assert_eq!(status, CodeStatus::Unknown);
        assert!(anchor.notes.iter().any(|note| note.contains("4 times")), "{:?}", anchor.notes);
    }

    #[test]
    fn a_finding_on_a_removed_file_has_a_note() {
        assert_eq!(now(&finding(3, 3, None), "b.rs", BEFORE, true).0, CodeStatus::FileRemoved);
    }

    #[test]
    fn the_code_of_a_deleted_file_is_removed_even_where_the_base_has_it() {
        let patch = "diff --git a/a.rs b/a.rs\ndeleted file mode 100644\n--- a/a.rs\n+++ /dev/null\n@@ -1,4 +0,0 @@\n-x\n-fn a() {\n-    one();\n-    two();\n";
        let change = diffsan_change::parse_patch(Bytes::from(patch)).expect("a patch");
        let mut files = Files::default();
        files.insert("a.rs", Side::Old, "x\nfn a() {\n    one();\n    two();\n");
        for quote in [None, Some("one();")] {
            let found = finding(2, 3, quote);
            let one = relocate(&[found], &mut |_| Some(Arc::from(BEFORE)), &change, &files).remove(0);
            assert_eq!(one.status, CodeStatus::Removed);
            let anchor = one.finding.anchor;
            assert_eq!((anchor.state, anchor.line_start), (AnchorState::File, None), "{anchor:?}");
        }
    }

    #[test]
    fn edited_code_is_not_followed_to_its_text_before_the_change() {
        let patch = "diff --git a/a.rs b/a.rs\n--- a/a.rs\n+++ b/a.rs\n@@ -3 +3 @@\n-    two();\n+    two(1);\n";
        let change = diffsan_change::parse_patch(Bytes::from(patch)).expect("a patch");
        let mut files = files("a.rs", &BEFORE.replace("two();", "two(1);"));
        files.insert("a.rs", Side::Old, BEFORE);
        let found = finding(3, 3, Some("two();"));
        let one = relocate(&[found], &mut |_| Some(Arc::from(BEFORE)), &change, &files).remove(0);
        assert_eq!(one.status, CodeStatus::Edited, "{:?}", one.finding.anchor);
    }
}
