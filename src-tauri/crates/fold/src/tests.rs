//! Cases written together with the recognisers: differences that are folded, and differences that look like them.

use crate::corpus::diff::change_of;
use crate::{Candidates, FileTexts, Fold, FoldReason, Sources, folds, folds_in};

/// Returns the reasons of the folds of one file, and the number of changed lines that stay visible.
fn folded(path: &str, old: &str, new: &str) -> (Vec<FoldReason>, usize) {
    let side = |text: &str| vec![(path.to_owned(), text.to_owned())];
    let change = change_of(&side(old), &side(new));
    let texts = [FileTexts { old: Some(old), new: Some(new) }];
    let found = folds(&change, &Sources::new(&change, &texts));
    let counts = change.line_counts();
    let hidden: usize = found.iter().flat_map(|fold| &fold.spans).map(|span| span.end - span.start).sum();
    (found.iter().map(|fold| fold.reason).collect(), (counts.added + counts.removed) as usize - hidden)
}

/// A function whose lines have words.
fn function(name: &str) -> String {
    let lines: String = (0..6).map(|at| format!("    record({name}_value, {at});\n")).collect();
    format!("fn {name}() {{\n{lines}}}\n")
}

#[test]
fn only_files_that_the_folds_of_wanted_ones_depend_on_are_kept() {
    let noise = ["fn a() {\n  b();\n}\n", "fn a() {\n    b();\n}\n"];
    let rename = ["fn a(x: u8) -> u8 {\n    x + 1\n}\n", "fn a(count: u8) -> u8 {\n    count + 1\n}\n"];
    let moved = function("moved");
    let (from, to) = (format!("{moved}const A: u8 = 1;\n"), format!("const B: u8 = 1;\n{moved}"));
    let files = [
        ("a.rs", from.as_str(), "const A: u8 = 2;\n"),
        ("b.rs", "const B: u8 = 2;\n", to.as_str()),
        ("c.rs", noise[0], noise[1]),
        ("d.rs", rename[0], rename[1]),
        ("e.rs", rename[0], rename[1]),
    ];
    let side = |old: bool| -> Vec<(String, String)> {
        files.iter().map(|file| (file.0.to_owned(), if old { file.1 } else { file.2 }.to_owned())).collect()
    };
    let change = change_of(&side(true), &side(false));
    let texts: Vec<FileTexts<'_>> =
        files.iter().map(|file| FileTexts { old: Some(file.1), new: Some(file.2) }).collect();
    let sources = Sources::new(&change, &texts);
    let all = folds(&change, &sources);
    let dependencies = [vec![0, 1], vec![0, 1], vec![2], vec![3, 4], vec![3, 4]];
    for (wanted, expected) in dependencies.into_iter().enumerate() {
        let mut kept = Candidates::of(&change);
        kept.keep(|file| file == wanted);
        let indices: Vec<usize> = (0..files.len()).filter(|file| kept.files()[*file]).collect();
        assert_eq!(indices, expected, "{}", files[wanted].0);
        let of_wanted = |folds: &[Fold]| -> Vec<Fold> {
            folds.iter().filter(|fold| fold.spans.iter().any(|span| span.file == wanted)).cloned().collect()
        };
        let found = of_wanted(&folds_in(&change, &sources, &kept));
        assert!(!found.is_empty() && found == of_wanted(&all), "{}: {found:?}", files[wanted].0);
    }
}

#[test]
fn differences_without_a_meaning_are_folded() {
    use FoldReason::{Comments, Formatting, Imports, Renamed, Whitespace};
    let cases = [
        ("a.rs", "fn a() {\n  b();\n}\n", "fn a() {\n    b();\n}\n", Whitespace),
        ("a.py", "def a():\n    b()\n    c()\n", "def a():\n  b()\n  c()\n", Whitespace),
        ("a.js", "a(b, c);\n", "a(\n  b,\n  c\n);\n", Formatting),
        ("a.go", "package a\n\nvar b = c(1, 2)\n", "package a\n\nvar b = c(1,\n\t2)\n", Formatting),
        ("a.rs", "// one thing\nfn a() {}\n", "// another thing\nfn a() {}\n", Comments),
        ("a.py", "a = 1\n", "# why this is one\na = 1\n", Comments),
        ("a.c", "/*\n * One thing\n */\nint a;\n", "/*\n * Another of the things\n */\nint a;\n", Comments),
        ("a.java", "import b;\nimport a;\nclass C {}\n", "import a;\nimport b;\nclass C {}\n", Imports),
        ("a.rs", "fn a(x: u8) -> u8 {\n    x + 1\n}\n", "fn a(count: u8) -> u8 {\n    count + 1\n}\n", Renamed),
        ("a.py", "def a(x):\n    return x + 1\n", "def a(count):\n    return count + 1\n", Renamed),
        ("a.ts", "const x = 1;\nb(x, `${x} times`);\n", "const y = 1;\nb(y, `${y} times`);\n", Renamed),
    ];
    for (path, old, new, reason) in cases {
        let (reasons, visible) = folded(path, old, new);
        assert!(
            reasons.iter().all(|one| *one == reason) && visible == 0,
            "{path} {new}: {reasons:?}, {visible} visible"
        );
    }
}

#[test]
fn a_block_comment_beside_a_change_makes_no_candidate() {
    let cases = [
        ("    b(1); /* one */\n", "    c(2, 3); /* one */\n", false),
        ("    b(1); /* one */\n", "    c(2, 3); /* one\n                two */\n", false),
        ("    b(1); /* one */\n", "    b(1); /* two */\n", true),
        ("    b(\"/*\", 1);\n", "    d.c(\"/*\", 2);\n", false),
    ];
    for (old, new, expected) in cases {
        let side = |line: &str| vec![("a.c".to_owned(), format!("int a() {{\n{line}}}\n"))];
        let candidates = Candidates::of(&change_of(&side(old), &side(new)));
        assert_eq!(candidates.files(), [expected], "{new}");
    }
}

#[test]
fn differences_with_a_meaning_stay_visible() {
    let cases = [
        // Blanks and line breaks that are syntax.
        ("a.py", "if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n"),
        ("a.py", "x = '''a\n  b'''\n", "x = '''a\n    b'''\n"),
        ("a.js", "function f() {\n  return a;\n}\n", "function f() {\n  return\n  a;\n}\n"),
        ("a.js", "x = `a\n b`;\n", "x = `a\n  b`;\n"),
        ("a.js", "a\n(b)\n", "a;\n(b)\n"),
        ("a.tsx", "a = <b>c {d} e</b>;\n", "a = <b>c {d}  e</b>;\n"),
        (
            "a.go",
            "package a\n\nfunc b() int {\n\treturn c(\n\t\td)\n}\n",
            "package a\n\nfunc b() int {\n\treturn c (\n\t\t-d)\n}\n",
        ),
        ("a.rb", "a = <<~B\n  c\n    d\nB\n", "a = <<~B\n  c\n  d\nB\n"),
        ("a.yaml", "a:\n  b: 1\n", "a:\n    b: 1\n"),
        ("a.md", "text\n", "    text\n"),
        ("Makefile", "a:\n\tb\n", "a:\n    b\n"),
        ("a.css", "@import 'b';\n@import 'a';\n", "@import 'a';\n@import 'b';\n"),
        ("a.c", "#include <b>\n#include <a>\n", "#include <a>\n#include <b>\n"),
        // The order of imports has a meaning.
        ("a.py", "import b\nimport a\n", "import a\nimport b\n"),
        ("a.js", "import 'b';\nimport 'a';\n", "import 'a';\nimport 'b';\n"),
        ("a.java", "import b;\nimport a;\nclass C {}\n", "import a;\nimport c;\nclass C {}\n"),
        ("a.rs", "use b;\n#[cfg(x)]\nuse a;\n", "use a;\n#[cfg(x)]\nuse b;\n"),
        // Comments that a tool reads.
        ("a.ts", "// a note\nb();\n", "// @ts-ignore\nb();\n"),
        ("a.ts", "// eslint-disable-next-line no-console\nb();\n", "// eslint-disable-next-line\nb();\n"),
        ("a.go", "//go:build linux\n\npackage a\n", "//go:build darwin\n\npackage a\n"),
        ("a.go", "//go:build linux\n\npackage a\n", "//go:build linux\npackage a\n"),
        (
            "a.go",
            "package a\n\nfunc ExampleB() {\n\tb()\n\t// Output: 1\n}\n",
            "package a\n\nfunc ExampleB() {\n\tb()\n\t// Output: 2\n}\n",
        ),
        ("a.py", "a = b # noqa\n", "a = b\n"),
        ("a.py", "a = b  # type: ignore\n", "a = b  # type: int\n"),
        ("a.py", "#!/usr/bin/python2\na = 1\n", "#!/usr/bin/python3\na = 1\n"),
        ("a.py", "# -*- coding: latin-1 -*-\na = 1\n", "# -*- coding: utf-8 -*-\na = 1\n"),
        ("a.rs", "/// ```\n/// a(1);\n/// ```\nfn a() {}\n", "/// ```\n/// a(2);\n/// ```\nfn a() {}\n"),
        ("a.rb", "# frozen_string_literal: true\na = 1\n", "# frozen_string_literal: false\na = 1\n"),
        ("a.rs", "#[allow(dead_code)]\nfn a() {}\n", "#[warn(dead_code)]\nfn a() {}\n"),
        ("a.js", "a(b, c); // eslint-disable-line\n", "a(\n  b,\n  c); // eslint-disable-line\n"),
        ("a.js", "b();\n", "// b();\n"),
        ("a.py", "def a():\n    'says b'\n", "def a():\n    'says c'\n"),
        // Renames that are none.
        ("a.py", "a = min(b)\n", "a = max(b)\n"),
        ("a.rs", "fn a(x: u8, y: u8) -> u8 {\n    x - y\n}\n", "fn a(y: u8, x: u8) -> u8 {\n    x - y\n}\n"),
        ("a.rs", "fn a(x: u8, y: u8) -> u8 {\n    x - y\n}\n", "fn a(x: u8, y: u8) -> u8 {\n    y - x\n}\n"),
        ("a.js", "const x = 1;\nb(x, z);\n", "const z = 1;\nb(z, z);\n"),
        ("a.js", "const x = 1;\nb({ x });\n", "const y = 1;\nb({ y });\n"),
        ("a.js", "b.x(1);\n", "b.y(1);\n"),
        ("a.js", "import { x } from 'c';\nx();\n", "import { y } from 'c';\ny();\n"),
        ("a.py", "a(x=1)\n", "a(y=1)\n"),
        ("a.py", "def a():\n    x = 1\n    return f'{x=}'\n", "def a():\n    y = 1\n    return f'{y=}'\n"),
        ("a.py", "def test_a():\n    pass\n", "def a_test():\n    pass\n"),
        ("a.go", "package a\n\nfunc b() {}\n", "package a\n\nfunc B() {}\n"),
        ("a.js", "a('x');\n", "a('y');\n"),
        // One token.
        ("a.rs", "fn a() -> i8 { 1 + 2 }\n", "fn a() -> i8 { 1 - 2 }\n"),
        ("a.rs", "fn a() { b(1, 2); }\n", "fn a() {\n    b(2, 1);\n}\n"),
    ];
    for (path, old, new) in cases {
        let (reasons, visible) = folded(path, old, new);
        assert!(visible > 0, "{path} {new}: {reasons:?}");
    }
}

#[test]
fn a_move_between_files_shows_the_edit_inside() {
    let body = "fn moved(first: u8) -> u8 {\n    let second = first + 1;\n    let third = second + first;\n    call(third, second);\n    third * second\n}\n";
    let edited = body.replace("call(third, second)", "call(second, third)").replace("\n    ", "\n        ");
    let base = vec![("a.rs".to_owned(), format!("fn stays() {{}}\n\n{body}"))];
    let head =
        vec![("a.rs".to_owned(), "fn stays() {}\n".to_owned()), ("b.rs".to_owned(), format!("mod b {{\n{edited}}}\n"))];
    let change = change_of(&base, &head);
    let texts =
        [FileTexts { old: Some(&base[0].1), new: Some(&head[0].1) }, FileTexts { old: None, new: Some(&head[1].1) }];
    let found = folds(&change, &Sources::new(&change, &texts));
    assert_eq!(found.iter().map(|fold| fold.reason).collect::<Vec<_>>(), [FoldReason::Moved]);
    let hidden: usize = found[0].spans.iter().map(|span| span.end - span.start).sum();
    // Five of six lines on both sides, and the blank line before them.
    assert_eq!(hidden, 11);
}

#[test]
fn files_without_texts_have_only_moves_to_the_byte() {
    let block = "alpha = one two three\nbeta = four five six\ngamma = seven eight nine\n";
    let base = vec![("a.conf".to_owned(), format!("{block}x\n")), ("b.conf".to_owned(), "y\n".to_owned())];
    let head = vec![("a.conf".to_owned(), "x\n".to_owned()), ("b.conf".to_owned(), format!("y\n{block}"))];
    let change = change_of(&base, &head);
    let found = folds(&change, &Sources::new(&change, &[]));
    assert_eq!(found.len(), 1);
    let indented = vec![
        ("a.conf".to_owned(), "x\n".to_owned()),
        ("b.conf".to_owned(), format!("y\n{}", block.replace("\n", "\n  "))),
    ];
    let change = change_of(&base, &indented);
    assert_eq!(folds(&change, &Sources::new(&change, &[])).len(), 0);
}
