//! Precision of redaction on real source code: the lines that are masked in the diffs of the repositories in the folder that
//! `DIFFSAN_BENCH_REPOS` names, so that a person can judge whether each is a secret. Each folder in it is a repository, with or without a
//! work tree. `DIFFSAN_BENCH_REPOS=… cargo bench --bench benchmarks -- redact_precision`
//!
//! Of each repository, the newest 10 MB of `git log --patch` are masked in one session in two ways: as a patch (each file is read by its
//! path, and the result is masked again as a text, like a prompt), and as a stream (`git log --patch | diffsan redact`).

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use diffsan_config::resolve;
use diffsan_redact::{Redactor, StreamFilter};

const SIZE: u64 = 10_000_000;
const REPOS: &str = "DIFFSAN_BENCH_REPOS";

pub(super) fn run(_: &[String]) {
    let Some(folder) = std::env::var_os(REPOS) else {
        println!("precision of redaction: not measured, because {REPOS} names no folder of repositories");
        return;
    };
    let mut repositories: Vec<_> = std::fs::read_dir(&folder)
        .expect("a folder of repositories")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_dir())
        .collect();
    repositories.sort();
    let settings = resolve(Vec::new(), false).expect("defaults").config;
    let engine = Arc::new(Redactor::new(&settings.redaction, [7; 32]).expect("an engine"));
    let mut totals = Vec::new();
    for repository in repositories {
        let name = repository.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let log = log(&repository);
        let patch = list(&name, "patch", &log, &as_patch(&engine, &log));
        let stream = list(&name, "stream", &log, &as_stream(&engine, &log));
        totals.push(format!("{name:<32}{:>10.1}{patch:>10}{stream:>10}", log.len() as f64 / 1e6));
    }
    println!("{:<32}{:>10}{:>10}{:>10}", "masked lines", "MB", "patch", "stream");
    totals.iter().for_each(|total| println!("{total}"));
}

/// Returns the newest commits of a repository with their patches, in whole lines.
fn log(repository: &Path) -> String {
    let mut git = Command::new("git")
        .arg("-C")
        .arg(repository)
        .args(["log", "--patch", "--no-color", "--no-ext-diff", "--no-textconv"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("git");
    let mut text = Vec::new();
    git.stdout.take().expect("output").take(SIZE).read_to_end(&mut text).expect("a log");
    git.wait().expect("git ends when nobody reads its output");
    text.truncate(text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1));
    String::from_utf8_lossy(&text).into_owned()
}

fn as_patch(engine: &Arc<Redactor>, log: &str) -> String {
    let mut session = engine.session();
    let masked = session.diff_text("", log).into_inner();
    session.text("prompt", &masked).into_inner()
}

fn as_stream(engine: &Arc<Redactor>, log: &str) -> String {
    let mut filter = StreamFilter::new(engine.session());
    let mut out = filter.push(log.as_bytes());
    out.extend(filter.finish().0);
    String::from_utf8_lossy(&out).into_owned()
}

/// Prints each masked line once, before and after, with the number of times that it occurs. Returns the number of all masked lines.
fn list(name: &str, way: &str, log: &str, masked: &str) -> usize {
    assert_eq!(log.matches('\n').count(), masked.matches('\n').count(), "lines stay");
    let mut lines: BTreeMap<(String, &str, String), usize> = BTreeMap::new();
    let mut path = String::new();
    for (before, after) in log.lines().zip(masked.lines()) {
        if let Some(found) = before.strip_prefix("diff --git ") {
            path = found.split(' ').next().unwrap_or_default().trim_start_matches("a/").to_owned();
        }
        if before != after {
            *lines.entry((path.clone(), before, number_free(after))).or_default() += 1;
        }
    }
    let count = lines.values().sum();
    println!("== {name}, {way}: {count} lines, {} different", lines.len());
    for ((path, before, after), times) in lines {
        println!("{times:>4} {path}\n     {}\n  => {}", cut(before), cut(&after));
    }
    count
}

/// Removes the numbers of marks, so that equal lines are listed once.
fn number_free(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find("[REDACTED:") {
        let Some(end) = rest[at..].find(']') else { break };
        let mark = &rest[at..at + end];
        out += &rest[..at];
        out += mark.rsplit_once(':').map_or(mark, |(rule, _)| rule);
        rest = &rest[at + end..];
    }
    out + rest
}

fn cut(line: &str) -> String {
    if line.chars().count() <= 240 { line.to_owned() } else { line.chars().take(240).chain(['…']).collect() }
}
