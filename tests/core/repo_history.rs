//! Over whole histories, the change of each commit equals git's output: renames, hunks, sections, numbers, names.
//!
//! `DIFFSAN_HISTORY=/path/to/a/repository` uses another repository than this project's.

use std::path::Path;

use diffsan_change::{Change, LineKind, Target, fingerprint, parse_patch, print_change};
use diffsan_git::{ReadOptions, Repo};
use diffsan_test_support::history;
use diffsan_test_support::repo::{TestRepo, git};

use crate::repo_change::pretty_eq;

/// Returns the id and the patch of each commit (first parents only), printed by one git process.
fn patches(path: &Path, renames: &str) -> Vec<(String, Vec<u8>)> {
    let arguments =
        ["log", "--first-parent", "-m", "-p", "--root", "--format=%x01%x02%H", "--full-index", "--no-ext-diff"];
    let output = git(path).args(arguments).args(["--no-textconv", "--no-color", renames]).output().expect("git");
    let text = output.stdout;
    let starts: Vec<usize> =
        text.windows(2).enumerate().filter(|(_, pair)| pair == b"\x01\x02").map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(&start, end)| {
            let id = String::from_utf8(text[start + 2..start + 42].to_vec()).expect("an id");
            // There is an empty line between the id and the patch.
            (id, text[(start + 44).min(end)..end].to_vec())
        })
        .collect()
}

fn check(path: &Path, renames: u8) -> usize {
    let repo = Repo::open(path).expect("a repository");
    let patches = patches(path, &format!("-M{renames}%"));
    for (rev, expected) in &patches {
        let options = ReadOptions { renames, ..ReadOptions::default() };
        let change = repo.change(&Target::Commit { rev: rev.clone() }, &options).expect("a change");
        println!("{rev}");
        pretty_eq(&print_change(&change), expected);
        let read = parse_patch(expected.clone().into()).expect("git's patch");
        pretty_eq(&print_change(&read), expected);
        assert_eq!(fingerprint(&read), fingerprint(&change), "{rev}");
        check_numbers(&change);
    }
    patches.len()
}

/// Checks that the lines of each side match the counts in the header.
fn check_numbers(change: &Change) {
    for hunk in change.files.iter().flat_map(|file| file.hunks()) {
        let on = |kind: LineKind| hunk.lines.iter().filter(|line| line.kind != kind).count();
        assert_eq!(on(LineKind::Added), hunk.old_lines as usize);
        assert_eq!(on(LineKind::Removed), hunk.new_lines as usize);
    }
}

#[test]
fn generated_histories_are_what_git_prints() {
    let repo = history::generate(1, 1400);
    assert_eq!(check(repo.path(), 50), 1400);
    assert_eq!(check(history::generate(2, 700).path(), 30), 700);
}

#[test]
fn every_line_number_is_the_one_that_the_file_has() {
    let repo = history::generate(3, 60);
    let open = Repo::open(repo.path()).expect("a repository");
    for rev in repo.text(["rev-list", "--first-parent", "HEAD"]).lines() {
        let target = Target::Commit { rev: rev.to_owned() };
        let change = open.change(&target, &ReadOptions::default()).expect("a change");
        for file in &change.files {
            let side = |new: bool| {
                let path = if new { file.new_path.as_ref()? } else { file.old_path.as_ref()? };
                let content = if new { open.new_side(&target, path) } else { open.old_side(&target, path) };
                content.expect("readable")
            };
            let (old, new) = (side(false).unwrap_or_default(), side(true).unwrap_or_default());
            let line = |text: &[u8], number: u32| {
                text.split(|&byte| byte == b'\n').nth(number as usize - 1).map(<[u8]>::to_vec)
            };
            for numbered in file.hunks().iter().flat_map(|hunk| hunk.numbered()) {
                for (number, text) in [(numbered.old, &old), (numbered.new, &new)] {
                    if let Some(number) = number {
                        assert_eq!(line(text, number).as_deref(), Some(&*numbered.line.text), "{rev} {}", file.path());
                    }
                }
            }
        }
    }
}

#[test]
fn a_real_history_is_what_git_prints() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = std::env::var_os("DIFFSAN_HISTORY").map_or(own, Into::into);
    let count = check(&path, 50) + check(&path, 30);
    assert!(count > 0, "{} has no commits", path.display());
}

#[test]
fn renames_beyond_gits_limit_are_left_apart_as_git_leaves_them() {
    let repo = TestRepo::new();
    let content = |number: usize| (0..40).map(|line| format!("{} {line}\n", number * 7919 % 1013)).collect::<String>();
    for number in 0..40 {
        repo.write(format!("old/{number}.txt"), content(number));
    }
    repo.commit("one");
    for number in 0..40 {
        repo.remove(format!("old/{number}.txt"));
        repo.write(format!("new/{}.text", 99 - number), content(number) + "more\n");
    }
    repo.commit("two");
    assert_eq!(check(repo.path(), 50), 2);
}
