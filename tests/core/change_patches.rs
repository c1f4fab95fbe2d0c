//! Patches of all kinds: output of git and diff, patches that mailers and editors have changed, and broken ones.

use bytes::Bytes;
use diffsan_change::{Body, Change, LineKind, PatchError, Status, fingerprint, parse_patch, print_change};
use diffsan_test_support::history::{self, Dice};
use diffsan_test_support::repo::TestRepo;

use crate::repo_change::pretty_eq;

fn read(patch: impl Into<Vec<u8>>) -> Change {
    parse_patch(Bytes::from(patch.into())).expect("a patch")
}

fn fault(patch: &str) -> PatchError {
    parse_patch(Bytes::from(patch.to_owned())).expect_err("not a patch")
}

fn shown(change: &Change) -> Vec<String> {
    let file = |file: &diffsan_change::FileChange| {
        let counts = file.line_counts();
        let old = file.old_path.as_ref().filter(|old| file.new_path.is_some() && Some(*old) != file.new_path.as_ref());
        let from = old.map(|old| format!(" from {old}")).unwrap_or_default();
        format!("{:?} {}{from} +{} -{}", file.status, file.path(), counts.added, counts.removed)
    };
    change.files.iter().map(file).collect()
}

fn two_commits() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("a b.txt", "one\ntwo\nthree\n");
    repo.write("c.txt", "c\n");
    repo.commit("one");
    repo.write("a b.txt", "one\n-- TWO\nthree\n");
    repo.commit("Füge ein sehr langes Wort ein, damit der Betreff über mehrere Zeilen geht, ja wirklich\n\nBody: line.\n\n--- not the end\n");
    repo.remove("c.txt");
    repo.write("d.txt", "d");
    repo.commit("three");
    repo
}

#[test]
fn mails_of_format_patch_carry_their_messages() {
    let repo = two_commits();
    let change = read(repo.git(["format-patch", "--stdout", "-2"]));
    assert_eq!(shown(&change), ["Modified a b.txt +1 -1", "Deleted c.txt +0 -1", "Added d.txt +1 -0"]);
    assert_eq!(change.messages[1], "three");
    let first = "Füge ein sehr langes Wort ein, damit der Betreff über mehrere Zeilen geht, ja wirklich\n\nBody: line.";
    assert!(change.messages[0].starts_with(first), "{:?}", change.messages[0]);
}

#[test]
fn logs_are_read_with_their_messages_oldest_first() {
    let repo = two_commits();
    let change = read(repo.git(["log", "-p", "--reverse", "-2"]));
    assert_eq!(change.files.len(), 3);
    let change = read(repo.git(["show", "HEAD"]));
    assert_eq!(change.messages, ["three"]);
    assert_eq!(shown(&change), ["Deleted c.txt +0 -1", "Added d.txt +1 -0"]);
}

#[test]
fn every_prefix_setting_gives_the_same_paths_and_fingerprint() {
    let repo = two_commits();
    let plain = read(repo.git(["diff", "HEAD~2", "HEAD"]));
    for option in ["--no-prefix", "--src-prefix=before/", "--full-index", "--binary", "-U3"] {
        let other = read(repo.git(["diff", option, "HEAD~2", "HEAD"]));
        assert_eq!(shown(&other), shown(&plain), "{option}");
        assert_eq!(fingerprint(&other), fingerprint(&plain), "{option}");
    }
    let mnemonic = read(repo.git(["-c", "diff.mnemonicPrefix=true", "diff", "HEAD~2"]));
    assert_eq!(fingerprint(&mnemonic), fingerprint(&plain));
    assert_ne!(fingerprint(&read(repo.git(["diff", "-U0", "HEAD~2", "HEAD"]))), fingerprint(&plain));
    assert_eq!(fingerprint(&read(repo.git(["diff", "-U20", "HEAD~2", "HEAD"]))), fingerprint(&plain));
}

#[test]
fn plain_unified_diffs_are_read() {
    let change = read(
        "Only in new: x\nIndex: src/a.c\n=====\n--- src/a.c.orig\t2024-01-02 03:04:05.6 +0100\n+++ src/a.c\t2024-01-02 03:04:06 +0100\n\
         @@ -1,2 +1,2 @@\n-a\n+b\n c\n\
         diff -urN old/n.c new/n.c\n--- old/n.c\t1970-01-01 00:00:00 +0000\n+++ new/n.c\t2024-01-02 03:04:06 +0100\n@@ -0,0 +1 @@\n+n\n\
         --- old/g.c\t2024-01-02 03:04:06\n+++ /dev/null\n@@ -1 +0,0 @@\n-g\nBinary files old/x and new/x differ\n",
    );
    assert_eq!(
        shown(&change),
        ["Modified src/a.c +1 -1", "Added n.c +1 -0", "Deleted old/g.c +0 -1", "Modified new/x +0 -0"]
    );
}

#[test]
fn lines_that_look_like_headers_are_lines() {
    let body = "+--- a/x\n+++ b/y\n--- a/z\n-diff --git a/x b/x\n @@ -1 +1 @@\n+-- \n";
    let patch = format!("--- a/f\n+++ b/f\n@@ -1,3 +1,4 @@\n{body}");
    let change = read(patch.clone());
    assert_eq!(shown(&change), ["Modified f +3 -2"]);
    let texts: Vec<_> = change.files[0].hunks()[0].lines.iter().map(|line| line.text.clone()).collect();
    assert_eq!(texts, ["--- a/x", "++ b/y", "-- a/z", "diff --git a/x b/x", "@@ -1 +1 @@", "-- "]);
    assert!(String::from_utf8(print_change(&change)).unwrap().ends_with(body));
}

#[test]
fn a_patch_saved_with_crlf_is_the_patch() {
    let repo = two_commits();
    let patch = String::from_utf8(repo.git(["diff", "HEAD~2", "HEAD"])).unwrap();
    let saved = read(patch.replace('\n', "\r\n"));
    assert_eq!(saved, read(patch.clone()));
    let utf16: Vec<u8> = [0xfeff_u16].into_iter().chain(patch.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    assert_eq!(read(utf16), read(patch.clone()));
    assert_eq!(read(format!("\u{feff}{patch}")), read(patch));
}

#[test]
fn a_truncated_patch_reports_the_line_and_keeps_the_files_before() {
    let whole = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n@@ -9,3 +9,3 @@\n c\n-d\n+D\n e\n";
    let error = fault(&whole[..whole.len() - 3]);
    assert_eq!(
        error.to_string(),
        "line 10: the patch ends inside the hunk that starts at line 7: 1 of 3 lines are missing (in x)"
    );
    assert_eq!(shown(&error.readable), ["Modified x +1 -1"]);
    let error = fault(&format!("{whole}+extra\n"));
    assert_eq!(error.to_string(), "line 12: this line is after the end of the hunk, as given by its header (in x)");
    assert_eq!(shown(&error.readable), ["Modified x +2 -2"]);
    let error = fault(&whole.replace("-d\n", "?d\n"));
    assert!(
        error.to_string().starts_with("line 9: this line does not belong in the hunk that starts at line 7"),
        "{error}"
    );
    assert!(fault("@@ -1 +1 @@\n-a\n+b\n").to_string().starts_with("line 1: a hunk without a file"));
    assert!(fault("@@@\nhello\n").to_string().starts_with("line 1: this is not a patch"));
    assert!(fault("--- a/x\n+++ b/x\n@@ -1,x +1 @@\n").to_string().starts_with("line 3: malformed hunk header"));
    assert!(fault("--- a/x\n+++ b/x\n@@ -1,4294967295 +1 @@\n a\n").to_string().starts_with("line 3: malformed"));
    assert!(fault("--- a/x\n+++ b/x\n@@ -1,4294967290 +1 @@\n a\n").to_string().contains("lines are missing"));
    assert_eq!(parse_patch(Bytes::new()).expect("nothing"), Change::default());
    assert_eq!(parse_patch(Bytes::from("\n \n")).expect("nothing"), Change::default());
}

#[test]
fn a_merge_shown_combined_is_the_change_against_its_first_parent() {
    let repo = TestRepo::new();
    let text = |change: &[(usize, &str)]| {
        let mut lines: Vec<String> = (0..30).map(|line| format!("line {line}")).collect();
        change.iter().for_each(|(at, text)| lines[*at] = (*text).to_owned());
        lines.join("\n") + "\n"
    };
    repo.write("a", text(&[]));
    repo.commit("base");
    repo.git(["checkout", "-q", "-b", "topic"]);
    repo.write("a", text(&[(5, "theirs"), (20, "both")]));
    repo.commit("theirs");
    repo.git(["checkout", "-q", "main"]);
    repo.write("a", text(&[(5, "ours"), (20, "both")]));
    repo.commit("ours");
    repo.try_git(["merge", "topic"], b"").expect_err("a conflict");
    repo.write("a", text(&[(5, "resolved"), (6, "more"), (20, "both")]));
    repo.commit("merge");
    let combined = read(repo.git(["diff-tree", "--cc", "-p", "HEAD"]));
    let first = read(repo.git(["diff", "HEAD^1", "HEAD"]));
    let lines = |change: &Change| -> Vec<(LineKind, Bytes)> {
        let lines = change.files[0].hunks().iter().flat_map(|hunk| hunk.lines.iter().cloned());
        lines.filter(|line| line.kind != LineKind::Context).map(|line| (line.kind, line.text)).collect()
    };
    assert_eq!(lines(&combined), lines(&first));
    for numbered in combined.files[0].hunks().iter().flat_map(|hunk| hunk.numbered()) {
        if let Some(new) = numbered.new {
            assert_eq!(
                numbered.line.text,
                text(&[(5, "resolved"), (6, "more"), (20, "both")]).lines().nth(new as usize - 1).unwrap()
            );
        }
    }
}

#[test]
fn binary_patches_are_kept_to_the_byte() {
    let repo = TestRepo::new();
    repo.write("bin", (0..=255).cycle().take(3000).collect::<Vec<u8>>());
    repo.commit("one");
    repo.write("bin", (0..=255).rev().cycle().take(3000).collect::<Vec<u8>>());
    repo.write("text", "x\n");
    repo.write("zero", b"\0");
    repo.commit("two");
    let patch = repo.git(["diff", "--binary", "-M", "HEAD~1", "HEAD"]);
    let change = read(patch.clone());
    assert!(matches!(change.files[0].body, Body::Binary(Some(_))));
    pretty_eq(&print_change(&change), &patch);
    assert_eq!(fingerprint(&change), fingerprint(&read(repo.git(["diff", "HEAD~1", "HEAD"]))));
}

#[test]
fn a_binary_file_of_two_names_can_be_printed_and_read_again() {
    let change = read("Binary files a/one.bin and b/other.bin differ\n");
    assert_eq!(shown(&change), ["Modified other.bin +0 -0"]);
    assert_eq!(read(print_change(&change)), change);
    assert!(parse_patch(Bytes::from("Binary files /dev/null and /dev/null differ\n")).is_err());
}

#[test]
fn object_ids_that_are_no_numbers_are_not_read() {
    let change =
        read("diff --cc x.bin\nindex 70 d3..++== a/83525..1592e5c 100644\nBinary files a/x.bin and b/x.bin differ\n");
    assert_eq!(change.files[0].ids, None);
    assert_eq!(fingerprint(&read(print_change(&change))), fingerprint(&change));
}

#[test]
fn a_name_can_be_told_from_its_header_alone() {
    let names = |line: &str| {
        let change = read(format!("diff --git {line}\nold mode 100644\nnew mode 100755\n"));
        change.files[0].path().to_string()
    };
    assert_eq!(names("a/x b/x"), "x");
    assert_eq!(names("a/x b/x b/x b/x"), "x b/x");
    assert_eq!(names("\"a/t\\tb\" \"b/t\\tb\""), "t\\tb");
    assert_eq!(names("x y x y"), "x y");
    assert_eq!(names("before/x after/x"), "x");
    assert_eq!(names("a/caf\u{e9} \"b/caf\\303\\251\""), "caf\u{e9}");
}

#[test]
fn no_input_makes_it_panic_or_invent_lines() {
    let repo = history::generate(7, 12);
    let patch = repo.git(["log", "-p", "--first-parent", "-m", "--binary"]);
    let mut dice = Dice::new(99);
    for _ in 0..400 {
        let mut broken = patch.clone();
        for _ in 0..=dice.roll(4) {
            let at = dice.roll(broken.len());
            match dice.roll(4) {
                0 => broken.truncate(at),
                1 => broken[at] = dice.roll(256) as u8,
                2 => drop(broken.drain(at..(at + dice.roll(400)).min(broken.len()))),
                _ => broken.insert(at, *dice.pick(b"\n\r+-@ \\\"\0")),
            }
            if broken.is_empty() {
                broken.push(b'\n');
            }
        }
        let read = match parse_patch(Bytes::from(broken)) {
            Ok(change) => change,
            Err(error) => *error.readable,
        };
        for hunk in read.files.iter().flat_map(|file| file.hunks()) {
            let on = |kind| hunk.lines.iter().filter(|line| line.kind != kind).count();
            assert_eq!(
                (on(LineKind::Added), on(LineKind::Removed)),
                (hunk.old_lines as usize, hunk.new_lines as usize)
            );
        }
        // A parsed patch can be printed and parsed again.
        let again = parse_patch(Bytes::from(print_change(&read)));
        let comparable = read.files.iter().all(|file| !matches!(file.body, Body::Binary(_)));
        if comparable && read.files.iter().all(|file| file.status != Status::Unmerged) {
            assert_eq!(again.map(|again| again.files.len()).ok(), Some(read.files.len()));
        }
    }
}
