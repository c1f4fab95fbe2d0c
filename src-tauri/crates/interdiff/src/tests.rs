//! Tables of cases, and properties over generated texts.

use proptest::prelude::*;

use super::*;

/// Compares texts that are given as words, one for each line, and returns the lines that are shown: `+`, `-` or nothing, and `!` for
/// lines of a conflict.
fn shown(old_base: &str, old_head: &str, new_base: &str, new_head: &str) -> String {
    shown_with(old_base, old_head, new_base, new_head, &[])
}

fn shown_with(old_base: &str, old_head: &str, new_base: &str, new_head: &str, steps: &[&str]) -> String {
    let [old_base, old_head, new_base, new_head] = [old_base, old_head, new_base, new_head].map(text);
    let steps = || steps.iter().map(|step| text(step).into_bytes()).collect();
    let texts = Texts {
        old_base: old_base.as_bytes(),
        old_head: old_head.as_bytes(),
        new_base: new_base.as_bytes(),
        new_head: new_head.as_bytes(),
    };
    let words: Vec<String> = lines(&compare_texts(&texts, &steps, 0));
    words.join(" ")
}

fn text(words: &str) -> String {
    words.split_whitespace().map(|word| format!("{}\n", word.replace('_', " "))).collect()
}

fn lines(result: &TextComparison) -> Vec<String> {
    let sign = |line: &ShownLine| match line.kind {
        LineKind::Context => "",
        LineKind::Added => "+",
        LineKind::Removed => "-",
    };
    let mark = |line: &ShownLine| if line.conflict { "!" } else { "" };
    let word = |line: &ShownLine| String::from_utf8_lossy(&line.text).replace(' ', "_");
    let all = result.hunks.iter().flat_map(|hunk| &hunk.lines);
    all.map(|line| format!("{}{}{}", sign(line), mark(line), word(line))).collect()
}

#[test]
fn a_rebase_shows_nothing() {
    for (base, head, new_base, new_head) in [
        ("a b c d", "a b C d", "a b c d", "a b C d"),
        ("a b c d", "a b C d", "X a b c d", "X a b C d"),
        ("a b c d e", "a b c d E", "A b c d e", "A b c d E"),
        // The target has a part of the author's change, or all of it.
        ("a b c d", "a x b y c z d", "a x b c d", "a x b y c z d"),
        ("a b c d", "a x y b c d", "a x b c d", "a x y b c d"),
        ("a b c d", "a b C d", "a b C d", "a b C d"),
        // Lines that occur more often.
        ("{ } { } { }", "{ } { 1 } { }", "{ } { } { } { }", "{ } { 1 } { } { }"),
        // To an earlier base.
        ("X a b c d", "X a b c D", "a b c d", "a b c D"),
        // The author's file is new, or the target's.
        ("", "a b", "", "a b"),
        ("", "", "a b", "a b"),
    ] {
        assert_eq!(shown(base, head, new_base, new_head), "", "{base} | {head} | {new_base} | {new_head}");
    }
}

#[test]
fn edits_of_the_author_are_shown_and_those_of_the_target_are_not() {
    for (versions, expected) in [
        // A new line, a changed one, a removed one.
        (["a b c d", "a b C d", "T a b c d", "T a b C d n"], "+n"),
        (["a b c d", "a b C d", "T a b c d", "T a b CC d"], "-C +CC"),
        (["a b c d e", "a b x c d e", "T a b c d e", "T a b c d e"], "-x"),
        // The author removes the target's new lines, and brings back its removed ones.
        (["a b c d", "a b c D", "a T b c d", "a b c D"], "-T"),
        (["a b c d", "a b c D", "a c d", "a b c D"], "+b"),
        // The author undoes the earlier change.
        (["a b c d e", "a b C d e", "T a b c d e", "T a b c d e"], "-C +c"),
        // The author edits lines of the target, in a file that the old version does not change.
        (["a b c", "a b c", "a T b c", "a TT b c"], "-T +TT"),
        // The same line on both sides: the author's earlier line is gone, because the target has it.
        (["a b c", "a x b c", "a x b c", "a x b c n"], "+n"),
        (["a b c", "a x b c", "a x b c", "a b c"], "-x"),
        // Equal lines.
        (["{ } { }", "{ } { 1 }", "{ } { } { }", "{ } { 1 2 } { }"], "+2"),
    ] {
        let [base, head, new_base, new_head] = versions;
        let found = shown(base, head, new_base, new_head);
        assert_eq!(found, expected, "{versions:?}");
    }
}

#[test]
fn conflicts_are_shown_and_marked() {
    for (versions, expected) in [
        // Both changed a line; the author's wins, or the target's, or a third, or both stay.
        (["a b c", "a A c", "a T c", "a A c"], "!A -!T"),
        (["a b c", "a A c", "a T c", "a T c"], "-!A !T"),
        (["a b c", "a A c", "a T c", "a AT c"], "-!A -!T +!AT"),
        (["a b c", "a A c", "a T c", "a A T c"], "!A !T"),
        (["a b c", "a A c", "a T c", "a T A c"], "!T !A"),
        // Adjacent lines, where git stops.
        (["a b c d", "a A c d", "a b T d", "a A T d"], "!A"),
        // Both insert at one place.
        (["a b", "a A b", "a T b", "a A T b"], "!A !T"),
        // One removes lines that the other changes.
        (["a b c", "a c", "a T c", "a c"], "-!T"),
        (["a b c", "a c", "a T c", "a T c"], ""),
        (["a b c", "a A c", "a c", "a c"], "-!A"),
        (["a b c", "a A c", "a c", "a A c"], "!A"),
        // Both add a file.
        (["", "a b", "a t", "a b t"], "!b !t"),
    ] {
        let [base, head, new_base, new_head] = versions;
        let found = shown(base, head, new_base, new_head);
        if expected.is_empty() {
            let texts = [base, head, new_base, new_head].map(text);
            let [old_base, old_head, new_base, new_head] = texts.each_ref().map(|text| text.as_bytes());
            let result = compare_texts(&Texts { old_base, old_head, new_base, new_head }, &Vec::new, 1);
            assert!(result.hunks.iter().any(|hunk| hunk.conflict), "{versions:?}");
        } else {
            assert_eq!(found, expected, "{versions:?}");
        }
    }
}

#[test]
fn a_reindentation_by_the_target_hides_all_but_the_lines_in_conflict() {
    let base = "if a b c d end";
    let new_base = "if _a _b _c _d end";
    assert_eq!(shown(base, "if a b C d end", new_base, "if _a _b _C _d end"), "-!C -!_c +!_C");
    assert_eq!(shown(base, "if a b C d end", new_base, "if _a _b C _d end"), "!C -!_c");
    assert_eq!(shown(base, "if a b C d end", new_base, "if _a _b _C _dd end"), "-!C -!_c -!_d +!_C +!_dd");
}

#[test]
fn lines_without_words_between_edits_count_as_edited() {
    // The author replaced `}` by three lines, one of which is equal to it.
    let (base, head) = ("a } b c d e", "a 1 } 2 b c d e");
    assert_eq!(shown(base, head, "", ""), "-!1 -!} -!2");
    assert_eq!(shown(base, head, "a } b c d e T", "a 1 } 2 b c d e T"), "");
    assert_eq!(shown(base, head, "a } b c d e T", "a 1 2 b c d e T"), "-}");
}

#[test]
fn each_conflict_has_its_own_order() {
    let (base, head) = ("a b c d e f g h i", "a A1 A2 d e f B1 B2 i");
    let found = shown(base, head, "a T1 T2 d e f U1 U2 i", "a A1 A2 T1 T2 d e f U1 U2 B1 B2 i");
    assert_eq!(found, "!A1 !A2 !T1 !T2 !U1 !U2 !B1 !B2");
}

#[test]
fn an_edit_in_moved_lines_is_marked() {
    let file = |texts: [&str; 4]| {
        let texts = texts.map(text);
        let [old_base, old_head, new_base, new_head] = texts.each_ref().map(|text| text.as_bytes());
        let compared = compare_texts(&Texts { old_base, old_head, new_base, new_head }, &Vec::new, 0);
        FileComparison { hunks: compared.hunks, contested: compared.contested, ..FileComparison::default() }
    };
    // The target moves `block` to the other file, where the author edits it again.
    let mut files = [
        file(["a block_one b", "a edited_one b", "a b", "a b"]),
        file(["x y", "x y", "x block_one y", "x edited_again y"]),
    ];
    mark_moved(&mut files);
    let marked = files[1].hunks[0].lines.iter().all(|line| line.conflict);
    assert!(marked && files[1].has_conflict(), "{:?}", files[1].hunks);
}

#[test]
fn a_rebase_commit_by_commit_shows_nothing() {
    // The target took the first of two commits that change the same line.
    let result = shown_with("a b c", "a B2 c", "a B1 c", "a B2 c", &["a B1 c", "a B2 c"]);
    assert_eq!(result, "");
    let result = shown_with("a b c", "a B2 c", "a B1 c", "a B3 c", &["a B1 c", "a B2 c"]);
    assert!(result.contains("+!B3"), "{result}");
}

#[test]
fn line_ends_are_parts_of_lines() {
    let compare = |old_base, old_head, new_base, new_head| {
        let texts = Texts { old_base, old_head, new_base, new_head };
        lines(&compare_texts(&texts, &Vec::new, 0)).join(" ")
    };
    assert_eq!(compare(b"a\nb\nc\n", b"a\nb\nc", b"A\nb\nc\n", b"A\nb\nc"), "");
    assert_eq!(compare(b"a\nb\nc\n", b"a\nb\nc\n", b"A\nb\nc\n", b"A\nb\nc"), "-c +c");
    assert_eq!(compare(b"a\nb\nc\n", b"a\nb\nx\n", b"a\r\nb\r\nc\r\n", b"a\r\nb\r\nx\r\n"), "-!x -!c\r +!x\r");
    assert_eq!(compare(b"a\nb\n", b"a\nb\n", b"a\nb\n", b"a\r\nb\r\n"), "-a -b +a\r +b\r");
}

#[test]
fn lines_have_their_numbers_and_hidden_ones_are_counted() {
    let texts = Texts {
        old_base: b"a\nb\nc\nd\n",
        old_head: b"a\nb\nC\nd\nx\n",
        new_base: b"T\na\nb\nc\nd\nx\n",
        new_head: b"T\na\nb\nCC\nd\nx\n",
    };
    let result = compare_texts(&texts, &Vec::new, 1);
    let numbers: Vec<_> = result.hunks[0].lines.iter().map(|line| (line.old, line.new, line.origin)).collect();
    let expected = [
        (Some(2), Some(3), Origin::Base),
        (Some(3), None, Origin::OldHead),
        (None, Some(4), Origin::NewHead),
        (Some(4), Some(5), Origin::Base),
    ];
    assert_eq!(numbers, expected);
    assert_eq!(result.hidden, Hidden { added: 1, removed: 0, both: 1 });
}

/// Base lines that repeat, and an edit for each of them: insertions before it, and whether it is removed.
fn sides() -> impl Strategy<Value = (Vec<u8>, [Vec<(u8, bool)>; 3])> {
    let edits = |length| {
        proptest::collection::vec((prop_oneof![4 => Just(0_u8), 1 => 1..3_u8], proptest::bool::weighted(0.2)), length)
    };
    proptest::collection::vec(0..4_u8, 0..14).prop_flat_map(move |base| {
        let length = base.len() + 1;
        (Just(base), [edits(length), edits(length), edits(length)])
    })
}

/// Applies edits. New lines have names that occur once.
fn edited(base: &[String], edits: &[(u8, bool)], name: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for (at, (count, removed)) in edits.iter().enumerate() {
        lines.extend((0..*count).map(|number| format!("{name}{at}.{number}")));
        lines.extend(base.get(at).filter(|_| !removed).cloned());
    }
    lines
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    /// The shown lines lead to the new head, and start from a text that has all lines of both sides.
    #[test]
    fn no_edit_of_the_author_is_hidden((base, [own, theirs, later]) in sides()) {
        let base: Vec<String> = base.iter().map(|line| format!("b{line}")).collect();
        let author = edited(&base, &own, "a");
        let target = edited(&base, &theirs, "t");
        // The author edits the rebased lines: the lines of the base that both sides keep, with their own.
        let kept: Vec<(u8, bool)> = own.iter().zip(&theirs).map(|(one, two)| (0, one.1 || two.1)).collect();
        let mut mechanical = Vec::new();
        for (at, (_, removed)) in kept.iter().enumerate() {
            mechanical.extend((0..own[at].0).map(|number| format!("a{at}.{number}")));
            mechanical.extend((0..theirs[at].0).map(|number| format!("t{at}.{number}")));
            mechanical.extend(base.get(at).filter(|_| !removed).cloned());
        }
        let length = mechanical.len() + 1;
        let later: Vec<(u8, bool)> = later.iter().copied().cycle().take(length).collect();
        let head = if later.is_empty() { mechanical.clone() } else { edited(&mechanical, &later, "n") };
        let all: [String; 4] = [&base, &author, &target, &head].map(|lines| lines.iter().map(|line| format!("{line}\n")).collect());
        let [old_base, old_head, new_base, new_head] = all.each_ref().map(|text| text.as_bytes());
        let texts = Texts { old_base, old_head, new_base, new_head };
        let result = compare_texts(&texts, &Vec::new, usize::MAX / 4);
        let of = |skipped: LineKind| -> Vec<String> {
            let lines = result.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind != skipped);
            lines.map(|line| String::from_utf8_lossy(&line.text).into_owned()).collect()
        };
        let (before, after) = (of(LineKind::Added), of(LineKind::Removed));
        if result.hunks.is_empty() {
            for line in author.iter().chain(&target).filter(|line| !line.starts_with('b')) {
                prop_assert!(head.contains(line), "{line} is hidden");
            }
            prop_assert!(!head.iter().any(|line| line.starts_with('n')));
        } else {
            prop_assert_eq!(after, head.clone());
            let added = |lines: &[String]| {
                let mut lines: Vec<String> = lines.iter().filter(|line| !line.starts_with('b')).cloned().collect();
                lines.sort();
                lines
            };
            let both: Vec<String> = author.iter().chain(&target).cloned().collect();
            prop_assert_eq!(added(&before), added(&both));
        }
    }
}
