use bytes::Bytes;
use expect_test::{Expect, expect};

use super::*;
use diffsan_change::{Body, FileChange, Hunk, Line, LineKind, RepoPath, Status};
use diffsan_review::finding::{Category, PatchFormat, Severity, SuggestedPatch};

/// The file `src/main.rs`: lines 10 to 14 are known, 12 is new; the old line 12 was removed.
fn change() -> Change {
    let line = |kind, text: &'static str| Line { kind, text: Bytes::from_static(text.as_bytes()), newline: true };
    let hunk = Hunk {
        old_start: 10,
        old_lines: 4,
        new_start: 10,
        new_lines: 4,
        section: Bytes::new(),
        lines: vec![
            line(LineKind::Context, "fn main() {"),
            line(LineKind::Context, "    let a = 1;"),
            line(LineKind::Removed, "    let b = a;"),
            line(LineKind::Added, "    let b = a / 0;"),
            line(LineKind::Context, "}"),
        ]
        .into(),
    };
    let path = Some(RepoPath::from("src/main.rs"));
    let file = FileChange {
        old_path: path.clone(),
        new_path: path,
        status: Status::Modified,
        old_mode: None,
        new_mode: None,
        ids: None,
        similarity: None,
        body: Body::Text(vec![hunk]),
    };
    Change { files: vec![file], ..Change::default() }
}

fn whole_file() -> Files {
    let mut files = Files::default();
    let text = format!("{}fn main() {{\n    let a = 1;\n    let b = a / 0;\n}}\nfn end() {{}}\n", "//\n".repeat(9));
    files.insert("src/main.rs", Side::New, &text);
    files
}

fn finding(path: &str, start: u32, end: u32, quote: Option<&str>) -> AgentFinding {
    AgentFinding {
        body_markdown: "b".into(),
        quote: quote.map(str::to_owned),
        ..AgentFinding::new(Severity::High, Category::Correctness, path, (start, end))
    }
}

fn check(said: &AgentFinding, files: &Files, expected: Expect) {
    let anchor = place(said, &change(), files);
    let place = match (anchor.line_start, anchor.line_end) {
        (Some(start), Some(end)) => format!("{:?} {start}..{end} in_change={}", anchor.side, anchor.in_change),
        _ => String::new(),
    };
    expected.assert_eq(&format!("{:?} {} {place} {}", anchor.state, anchor.path, anchor.notes.join("; ")));
}

#[test]
fn a_quote_at_its_lines_is_verified() {
    let said = finding("src/main.rs", 12, 12, Some("let b = a / 0;"));
    check(&said, &whole_file(), expect!["Verified src/main.rs New 12..12 in_change=true "]);
    check(&said, &Files::default(), expect!["Verified src/main.rs New 12..12 in_change=true "]);
}

#[test]
fn a_quote_elsewhere_moves_the_finding() {
    let said = finding("src/main.rs", 2, 3, Some("+    let b = a / 0;\n }"));
    check(
        &said,
        &whole_file(),
        expect![
            "Moved src/main.rs New 12..13 in_change=true the agent gave the place of the quoted code as lines 2 to 3; the quote was found without diff markers"
        ],
    );
}

#[test]
fn removed_code_is_found_on_the_old_side() {
    let said = finding("src/main.rs", 12, 12, Some("let b = a;"));
    check(
        &said,
        &whole_file(),
        expect!["Moved src/main.rs Old 12..12 in_change=true the agent gave the place of the quoted code as line 12"],
    );
}

#[test]
fn a_quote_that_is_not_found_leaves_the_lines_unverified() {
    let said = finding("src/main.rs", 12, 12, Some("let c = invented();"));
    check(
        &said,
        &whole_file(),
        expect!["Unverified src/main.rs New 12..12 in_change=true the quoted code is not in the file"],
    );
}

#[test]
fn ranges_are_clipped_to_lines_that_exist() {
    let said = finding("src/main.rs", 13, 99, None);
    check(
        &said,
        &whole_file(),
        expect!["Unverified src/main.rs New 13..14 in_change=false the lines were given as lines 13 to 99"],
    );
    check(
        &said,
        &Files::default(),
        expect!["Unverified src/main.rs New 13..13 in_change=true the lines were given as lines 13 to 99"],
    );
    let said = finding("src/main.rs", 500, 501, None);
    check(&said, &whole_file(), expect!["File src/main.rs  lines 500 to 501: not in the file"]);
    check(&said, &Files::default(), expect!["File src/main.rs  lines 500 to 501: not visible here"]);
}

#[test]
fn a_line_outside_the_hunks_is_still_a_line_of_the_file() {
    check(
        &finding("src/main.rs", 14, 14, Some("fn end()")),
        &whole_file(),
        expect!["Verified src/main.rs New 14..14 in_change=false "],
    );
}

#[test]
fn paths_are_repaired() {
    for said in [
        "b/src/main.rs",
        "./src/main.rs",
        "/src/main.rs",
        "SRC/Main.rs",
        "main.rs",
        "repo/src/main.rs",
        "src%2Fmain.rs",
        "src\\main.rs",
        "`src/main.rs`",
        "\"src/main.rs\"",
        "src/main.rs:12",
        "src/main.rs:12-20",
        "src/main.rs:12:5",
        "src/main.rs#L12-L20",
        "file:///home/me/repo/src/main.rs",
        "/data/rooms/ab12/src/main.rs",
    ] {
        let anchor = place(&finding(said, 12, 12, None), &change(), &Files::default());
        assert_eq!((anchor.path.as_str(), anchor.state), ("src/main.rs", AnchorState::Unverified), "{said}");
    }
    let mut files = Files::default();
    files.insert("doc/x.md", Side::New, "text\n");
    for said in ["doc%2Fx.md", "doc\\x.md", "/data/rooms/ab12/doc/x.md", "`doc/x.md:1`"] {
        assert_eq!(place(&finding(said, 1, 1, None), &change(), &files).path, "doc/x.md", "{said}");
    }
    // A name that contains what is removed from others.
    files.insert("a%2Fb:12", Side::New, "text\n");
    assert_eq!(place(&finding("a%2Fb:12", 1, 1, None), &change(), &files).path, "a%2Fb:12");
    check(
        &finding("src/other.rs", 1, 1, None),
        &whole_file(),
        expect!["Unplaced src/other.rs  the file `src/other.rs` is neither in the change nor in its head"],
    );
}

#[test]
fn findings_with_swapped_or_missing_lines_are_not_lost() {
    check(
        &finding("src/main.rs", 13, 12, None),
        &whole_file(),
        expect!["Unverified src/main.rs New 12..13 in_change=true the first and last line were swapped"],
    );
    check(&finding("src/main.rs", 0, 0, None), &whole_file(), expect!["File src/main.rs  "]);
    check(
        &finding("src/main.rs", 0, 0, Some("let a = 1;")),
        &whole_file(),
        expect!["Moved src/main.rs New 11..11 in_change=true placed by the quoted code"],
    );
}

#[test]
fn of_equal_adjacent_lines_the_given_ones_are_used() {
    let mut files = Files::default();
    files.insert("a.html", Side::New, "<a>\n<div>\n    </div>\n  </div>\n</div>\n");
    let anchor = place(&finding("a.html", 4, 5, Some("  </div>\n</div>")), &Change::default(), &files);
    assert_eq!((anchor.state, anchor.line_start, anchor.line_end), (AnchorState::Verified, Some(4), Some(5)));
}

#[test]
fn quotes_are_found_without_additions() {
    for quote in [
        "```rust\n    let b = a / 0;\n```",
        "`let b = a / 0;`",
        "12\u{2192}    let b = a / 0;",
        "  12\t    let b = a / 0;",
        "> let b = a / 0;",
        "fn main() {\n// ...\n    let b = a / 0;",
    ] {
        let anchor = place(&finding("src/main.rs", 10, 12, Some(quote)), &change(), &whole_file());
        assert_eq!((anchor.state, anchor.line_end), (AnchorState::Verified, Some(12)), "{quote}");
        assert!(anchor.notes.iter().any(|note| note.starts_with("the quote was found without")), "{quote}");
    }
}

#[test]
fn a_quote_as_it_is_has_priority_over_its_readings() {
    let mut files = Files::default();
    files.insert("a.md", Side::New, "text\n```\ncode\n```\ncode\n");
    let anchor = place(&finding("a.md", 2, 4, Some("```\ncode\n```")), &Change::default(), &files);
    assert_eq!((anchor.state, anchor.line_start, anchor.notes.len()), (AnchorState::Verified, Some(2), 0));
}

fn replacing(start: u32, end: u32, quote: Option<&str>, content: &str) -> (Option<String>, Vec<String>) {
    let patch = SuggestedPatch { format: PatchFormat::Replacement, content: content.into() };
    let said = AgentFinding { suggested_patch: Some(patch), ..finding("src/main.rs", start, end, quote) };
    let placed = place_all(vec![said], "codex", &change(), &whole_file(), None).remove(0);
    (placed.fix.map(|fix| fix.edits[0].text.clone()), placed.anchor.notes)
}

#[test]
fn a_replacement_is_a_fix_only_for_certain_lines() {
    let fix = |start, end, quote, content: &str| replacing(start, end, quote, content).0;
    assert_eq!(fix(12, 12, Some("let b = a / 0;"), "    let b = a;"), Some("    let b = a;\n".into()));
    assert_eq!(fix(12, 12, Some("let b = a / 0;"), "```rust\n    let b = a;\n```"), Some("    let b = a;\n".into()));
    assert_eq!(fix(2, 4, Some("let b = a / 0;"), "    let b = a;\n}\n"), None, "meant for three lines");
    assert_eq!(fix(12, 12, Some("nowhere();"), "    let b = a;"), None);
    assert_eq!(fix(12, 12, Some("let b = a / 0;"), "    let a = 1;\n    let b = a;"), None, "repeats line 11");
    assert_eq!(fix(12, 12, Some("let b = a / 0;"), "12: let b = a;\n13: }"), None);
}

#[test]
fn paths_of_tools_and_forges_are_repaired() {
    let mut files = whole_file();
    files.insert("docs/notes.md", Side::New, "one\n");
    for (given, path) in [
        ("src/main.rs:12-14", "src/main.rs"),
        ("src/main.rs#L12", "src/main.rs"),
        ("src/main.rs (line 12)", "src/main.rs"),
        ("src/main.rs, lines 12-14", "src/main.rs"),
        ("[main.rs](src/main.rs)", "src/main.rs"),
        ("src/{old => }/main.rs", "src/main.rs"),
        ("src/old.rs => src/main.rs", "src/main.rs"),
        ("https://example.com/group/project/-/blob/abc123/src/main.rs#L12", "src/main.rs"),
        ("C:\\work\\project\\src\\main.rs", "src/main.rs"),
        ("/work/project/docs/notes.md", "docs/notes.md"),
        ("file:///work/project/docs/notes.md", "docs/notes.md"),
        ("project/docs/notes.md:1", "docs/notes.md"),
    ] {
        let anchor = place(&finding(given, 1, 1, None), &change(), &files);
        assert_eq!(anchor.path, path, "{given}");
        assert_ne!(anchor.state, AnchorState::Unplaced, "{given}");
    }
    for given in ["/etc/passwd", "other/notes.md", "project/notes.md"] {
        let anchor = place(&finding(given, 1, 1, None), &change(), &files);
        assert_eq!(anchor.state, AnchorState::Unplaced, "{given}");
    }
}

#[test]
fn removed_code_is_not_found_in_a_part_of_new_code() {
    let mut files = Files::default();
    files.insert("src/main.rs", Side::New, "fn a() {\n    call(first) && other();\n}\n");
    files.insert("src/main.rs", Side::Old, "fn a() {\n    call(first)\n}\n");
    let anchor = place(&finding("src/main.rs", 2, 2, Some("    call(first)")), &change(), &files);
    assert_eq!((anchor.side, anchor.line_start), (Side::Old, Some(2)));
}

#[test]
fn a_replacement_that_contains_a_neighbouring_line_was_meant_for_other_lines() {
    let fix = |start, end, content: &str| replacing(start, end, Some("let b = a / 0;"), content).0;
    let block = "    // checked\n    let a = 1;\n    let b = a / 2;";
    assert_eq!(fix(12, 13, block), None, "line 11 would be doubled");
    assert!(fix(11, 12, block).is_some());
}

#[test]
fn a_link_that_becomes_a_file_has_lines_on_both_sides() {
    let patch = "diff --git a/x b/x\ndeleted file mode 120000\nindex 1111111..0000000\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-target.txt\n\\ No newline at end of file\ndiff --git a/x b/x\nnew file mode 100644\nindex 0000000..2222222\n--- /dev/null\n+++ b/x\n@@ -0,0 +1,3 @@\n+one\n+two\n+three\n";
    let change = diffsan_change::parse_patch(patch.into()).expect("a patch");
    let at = |line, side| {
        let said = AgentFinding { side, ..finding("x", line, line, None) };
        let anchor = place(&said, &change, &Files::default());
        (anchor.side, anchor.line_start, anchor.in_change)
    };
    assert_eq!(at(1, None), (Side::New, Some(1), true));
    assert_eq!(at(3, Some(Side::New)), (Side::New, Some(3), true));
    assert_eq!(at(1, Some(Side::Old)), (Side::Old, Some(1), true));
    let quoted = place(&finding("x", 9, 9, Some("two")), &change, &Files::default());
    assert_eq!((quoted.side, quoted.line_start), (Side::New, Some(2)));
}
