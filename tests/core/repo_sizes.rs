//! Changes that are large in different ways: read completely, equal to git's output, and prepared within the budget.

use std::io::Write;

use diffsan_change::Attributes;
use diffsan_change::{Target, print_change};
use diffsan_config::resolve;
use diffsan_git::{ReadOptions, Repo};
use diffsan_prepare::{plan, prepare};
use diffsan_redact::Redactor;
use diffsan_test_support::repo::TestRepo;

/// Reads a target, compares it with git, and prepares it with the default limits.
fn check(repo: &TestRepo, target: &Target, arguments: &[&str]) -> diffsan_prepare::Prepared {
    let open = Repo::open(repo.path()).expect("a repository");
    let change = open.change(target, &ReadOptions::default()).expect("a change");
    let gits = repo.git([&["diff", "--full-index", "--no-color", "--no-ext-diff"], arguments].concat());
    assert!(print_change(&change) == gits, "not what git prints");
    let config = resolve(Vec::new(), false).expect("defaults").config;
    let plan = plan(&change, &Attributes::default(), &config.prepare).expect("a plan");
    let redactor = std::sync::Arc::new(Redactor::new(&config.redaction, [0; 32]).expect("rules"));
    let masked = redactor.session().change(&change);
    let prepared = prepare(&change, &plan, &masked, &config.limits);
    assert!(prepared.diff.as_str().chars().count() as u64 <= config.limits.max_diff_chars);
    prepared
}

#[test]
fn a_file_of_50_megabytes_leaves_room_for_the_others() {
    let repo = TestRepo::new();
    let mut big = Vec::with_capacity(50 << 20);
    for number in 0..1_000_000 {
        writeln!(big, "line {number} of a file that somebody should not have committed").expect("memory");
    }
    repo.write("big.sql", &big);
    repo.write("small.rs", "fn a() {}\n");
    repo.commit("one");
    big.splice(30 << 20..(30 << 20) + 1, *b"X");
    repo.write("big.sql", &big);
    repo.write("new.csv", &big[..20 << 20]);
    repo.write("small.rs", "fn b() {}\n");
    repo.git(["add", "-A"]);
    let prepared = check(&repo, &Target::Staged, &["--cached"]);
    assert!(prepared.diff.as_str().contains("+fn b() {}"), "{}", prepared.coverage.summary);
    assert!(prepared.truncation.items.iter().any(|item| item.path == "new.csv"));
}

#[test]
fn a_line_of_20_megabytes_is_a_line() {
    let repo = TestRepo::new();
    let mut line = b"x".repeat(20 << 20);
    repo.write("data.txt", &line);
    repo.write("small.rs", "fn a() {}\n");
    repo.commit("one");
    line.push(b'y');
    repo.write("data.txt", &line);
    repo.write("small.rs", "fn b() {}\n");
    repo.git(["add", "-A"]);
    let prepared = check(&repo, &Target::Staged, &["--cached"]);
    assert!(prepared.diff.as_str().contains("+fn b() {}"));
    assert!(prepared.truncation.items.iter().any(|item| item.path == "data.txt"));
}

#[test]
fn a_file_of_carriage_returns_alone_is_one_line() {
    let repo = TestRepo::new();
    repo.write("mac.txt", "one\rtwo\rthree\r");
    repo.commit("one");
    repo.write("mac.txt", "one\rTWO\rthree\r");
    repo.git(["add", "-A"]);
    let prepared = check(&repo, &Target::Staged, &["--cached"]);
    assert!(prepared.diff.as_str().contains("+one\rTWO\rthree\r\n\\ No newline at end of file"));
}

#[test]
fn a_hundred_thousand_files_are_each_accounted_for() {
    const FILES: usize = 100_000;
    let repo = TestRepo::new();
    let mut stream = b"commit refs/heads/main\ncommitter A <a@example.com> 1577836800 +0000\ndata 3\none\n".to_vec();
    let mut second = b"commit refs/heads/main\ncommitter A <a@example.com> 1577836900 +0000\ndata 3\ntwo\n".to_vec();
    for number in 0..FILES {
        let path = format!("d{}/e{}/f{number}.txt", number % 100, number % 7);
        for (out, text) in [(&mut stream, format!("one {number}\n")), (&mut second, format!("two {number}\n"))] {
            writeln!(out, "M 100644 inline {path}\ndata {}\n{text}", text.len()).expect("memory");
        }
    }
    repo.git_with(["fast-import", "--quiet"], &[stream, second].concat());
    let target = Target::Range { base: "main~1".into(), head: "main".into(), merge_base: false };
    let prepared = check(&repo, &target, &["main~1", "main"]);
    assert_eq!(prepared.coverage.files.len(), FILES);
    assert_eq!(prepared.truncation.items.len(), FILES - 60);
    assert!(prepared.coverage.summary.starts_with("60 of 100000 files"), "{}", prepared.coverage.summary);
}
