//! Patterns of `.gitignore` and `.gitattributes`, with git as the oracle: hundreds of patterns against paths of every kind.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use diffsan_change::{Body, Change, FileChange, RepoPath, Status, Target};
use diffsan_git::{ReadOptions, Repo};
use diffsan_test_support::history::Dice;
use diffsan_test_support::repo::TestRepo;

/// Patterns that have caused problems: classes, escapes, stars in every position.
#[rustfmt::skip]
const PATTERNS: &[&[u8]] = &[
    b"*", b"**", b"***", b"/", b"/*", b"/**", b"*/", b"**/", b"a", b"/a", b"a/", b"/a/", b"a/b", b"a/b/", b"/a/b", b"a/*",
    b"a/**", b"a/**/", b"**/b", b"**/b/", b"a/**/b", b"a/**/**/b", b"a**/b", b"a**b", b"a**", b"**a", b"a/**b", b"a/b**",
    b"x/a**/b", b"*/b", b"*/*", b"*/*/*", b"a*/b", b"*.txt", b"/*.txt", b"*.t?t", b"?", b"??", b"a?b", b"a[b", b"a[b]",
    b"[ab]", b"[!ab]", b"[^ab]", b"[a-c]", b"[!a-c]*", b"[]]", b"[]-]*", b"[!]]", b"[a-]*", b"[-a]*", b"[a\\-c]", b"[\\a]",
    b"[\\]]", b"[[:alpha:]]", b"[[:digit:]]*", b"[![:alpha:]]*", b"[[:alpha:][:digit:]]", b"[[:upper:]]*", b"[[:space:]]*",
    b"[[:punct:]]*", b"[[:nope:]]", b"[[:alpha]", b"[[:alpha:]", b"[[:]", b"[[:]]", b"[[:x]y]", b"[[x]", b"[z-a]", b"[]",
    b"[!]", b"[/]", b"a[/]b", b"a[!x]b", b"[a-\\c]", b"[+-0]", b"\\a", b"\\*", b"\\?", b"\\[", b"\\\\", b"a\\", b"\\", b"\\!a",
    b"!a", b"\\#a", b"#a", b"a\\ ", b"a ", b"a  ", b"a\\  ", b" a", b"a\t", b"\xff", b"[\x80-\xff]", b"[!\x80-\xff]*", b"*\xe9*",
    b"?\xff", b"caf\xc3\xa9", b"caf?", b"caf??", b"*\\.txt", b"a/\\b", b"**\\/b", b"a/**\\/b", b"*a*", b"*a*b*", b"*/a/*",
    b"**/a/**", b"**/*.txt", b"a/*/b", b"a/*b", b"a/b*", b"/**/b", b"b/**/a", b"*b/a", b".*", b"a.*", b"*.*", b"[.]*", b"a\r",
    b"d/", b"d", b"d/*", b"/d", b"d/e", b"**/e", b"d/**/f", b"d/*/f", b"d**f", b"[d]/", b"?/", b"[[:alpha:]]/b", b"a/[[:alpha:]]",
];

/// Paths that can exist at the same time.
#[rustfmt::skip]
const PATHS: &[&[u8]] = &[
    b"a/a", b"a/b", b"a/c.txt", b"a/x/b", b"a/x/y/b", b"a/ab", b"a/ba", b"ab/b", b"abc/b", b"ba", b"b/a", b"b/a.txt", b"b/x/a",
    b"c", b"A", b"B/b", b"x/a/b", b"x/ab/b", b"x/ay/b", b"x/b", b"x/a1/z/b", b"d/e/f", b"d/f", b"d/e/g/f", b"dxf", b"[", b"]", b"-",
    b"!a", b"#a", b"a ", b"a b", b" a1", b"a\tb", b"*", b"?", b"\\", b"a\\", b"^", b".a", b".txt", b"a.txt", b"b.txt", b"z.tat",
    b"caf\xc3\xa9", b"caf\xe9", b"\xff", b"\xff\xff", b"\x80", b"0", b"8", b"+", b".", b"a1b", b"axb", b"a+b", b"[x", b"y]", b"x]",
    b"z", b"\xe9/b", b"7/b", b"a.b.c", b"_", b"a\nb", b"a\r", b"\x01", b"b/b/b/b/b/b",
];

fn patterns() -> Vec<Vec<u8>> {
    const PIECES: &[&[u8]] = &[
        b"*",
        b"**",
        b"/",
        b"?",
        b"a",
        b"b",
        b"x",
        b"[ab]",
        b"[!a]",
        b"[[:alpha:]]",
        b"\\a",
        b"\\*",
        b".txt",
        b"**/",
        b"/**",
        b"[a-",
        b"\xff",
    ];
    let mut dice = Dice::new(8);
    let mut all: Vec<Vec<u8>> = PATTERNS.iter().map(|pattern| pattern.to_vec()).collect();
    for _ in 0..400 {
        all.push((0..1 + dice.roll(6)).flat_map(|_| PIECES[dice.roll(PIECES.len())].to_vec()).collect());
    }
    all
}

fn paths() -> impl Iterator<Item = &'static [u8]> {
    PATHS.iter().copied().filter(|path| *path != b".")
}

/// Splits git's output into paths, each of which ends with a NUL byte.
fn split(bytes: &[u8]) -> BTreeSet<Vec<u8>> {
    bytes.split(|&byte| byte == 0).filter(|path| !path.is_empty()).map(<[u8]>::to_vec).collect()
}

fn show(paths: &BTreeSet<Vec<u8>>) -> Vec<String> {
    paths.iter().map(|path| path.escape_ascii().to_string()).collect()
}

#[test]
fn untracked_files_are_those_that_git_lists() {
    let repo = TestRepo::new();
    for path in paths() {
        let path = repo.path().join(OsStr::from_bytes(path));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x").unwrap();
    }
    let open = Repo::open(repo.path()).unwrap();
    let exclude = repo.path().join(".git/info/exclude");
    let mut wrong = Vec::new();
    let all = patterns();
    for (number, pattern) in all.iter().enumerate() {
        // Each pattern alone, then with the previous one negated, in every file from which git reads patterns.
        let before = number.checked_sub(1).map_or(&b""[..], |at| &*all[at]);
        let negated = [pattern.as_slice(), b"\n!", before, b"\n"].concat();
        let (root, inner, general): (&[u8], &[u8], &[u8]) = match number % 4 {
            0 | 1 => (pattern, b"", b""),
            2 => (&negated, b"", b""),
            _ => (b"!b\n", pattern, before),
        };
        fs::write(repo.path().join(".gitignore"), root).unwrap();
        fs::write(repo.path().join("a/.gitignore"), inner).unwrap();
        fs::write(&exclude, general).unwrap();
        let gits = split(&repo.git(["ls-files", "--others", "--exclude-standard", "-z"]));
        let change = open.change(&Target::All { untracked: true }, &ReadOptions { renames: 0, context: 3 }).unwrap();
        let ours: BTreeSet<Vec<u8>> = change.files.iter().map(|file| file.path().as_bytes().to_vec()).collect();
        if ours != gits {
            let (more, less) = (&ours - &gits, &gits - &ours);
            let texts = [root, inner, general].map(|text| text.escape_ascii().to_string());
            wrong.push(format!("{texts:?}: not ignored here {:?}, ignored here {:?}", show(&more), show(&less)));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
}

#[test]
fn attributes_are_those_that_git_finds() {
    let repo = TestRepo::new();
    fs::create_dir(repo.path().join("a")).unwrap();
    let open = Repo::open(repo.path()).unwrap();
    let file = |path: &[u8]| FileChange {
        old_path: None,
        new_path: Some(RepoPath::new(path.to_vec())),
        status: Status::Added,
        old_mode: None,
        new_mode: Some(0o100_644),
        ids: None,
        similarity: None,
        body: Body::Text(Vec::new()),
    };
    let change = Change { files: paths().map(file).collect(), ..Change::default() };
    let asked: Vec<u8> = paths().flat_map(|path| [path, b"\0"].concat()).collect();
    let mut wrong = Vec::new();
    let all = patterns();
    for (number, pattern) in all.iter().enumerate() {
        if pattern.iter().any(|byte| matches!(byte, b' ' | b'\t' | b'\r')) {
            continue;
        }
        let before = number.checked_sub(1).map_or(&b"c"[..], |at| &*all[at]);
        let line = [pattern.as_slice(), b" linguist-generated\n", before, b" -linguist-vendored mine\n"].concat();
        let root = [b"[attr]mine linguist-generated=false\n".as_slice(), &line].concat();
        fs::write(repo.path().join(".gitattributes"), root).unwrap();
        fs::write(repo.path().join("a/.gitattributes"), [pattern.as_slice(), b" !linguist-generated\n"].concat())
            .unwrap();
        let output = repo.git_with(["check-attr", "-z", "--stdin", "linguist-generated"], &asked);
        let gits: Vec<&[u8]> = output.split(|&byte| byte == 0).skip(2).step_by(3).collect();
        let ours = open.attributes(&Target::Patch { path: "-".into(), partial: false }, &change).unwrap();
        for (path, gits) in paths().zip(gits) {
            let ours = ours.get(&RepoPath::new(path.to_vec())).generated;
            let gits_flag = match gits {
                b"unspecified" => None,
                b"false" | b"unset" => Some(false),
                _ => Some(true),
            };
            if ours != gits_flag {
                let (pattern, path) = (pattern.escape_ascii(), path.escape_ascii());
                wrong.push(format!(
                    "{pattern} (before {}) on {path}: git {gits_flag:?}, here {ours:?}",
                    before.escape_ascii()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
