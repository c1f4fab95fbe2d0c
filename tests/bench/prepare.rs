//! `diffsan prepare` compared with `git diff` on the same range: time and peak memory. The corpus is generated from a seed. `cargo bench
//! --bench benchmarks -- prepare [SIZE_IN_MB…]`

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::in_new_process;
use super::row::{Compared, row};
use diffsan_change::Target;
use diffsan_config::{Config, Limits, resolve};
use diffsan_git::{ReadOptions, Repo};
use diffsan_prepare::{plan, prepare};
use diffsan_redact::Redactor;
use diffsan_test_support::history::{Dice, line};
use diffsan_test_support::repo::{TestRepo, git};
use diffsan_test_support::timing::median;

const ROUNDS: usize = 9;
const CHILD: &str = "DIFFSAN_BENCH_CHILD";

pub(super) fn run(arguments: &[String]) {
    if let Some(path) = std::env::var_os(CHILD) {
        return child(Path::new(&path));
    }
    let sizes: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    for megabytes in if sizes.is_empty() { usual_sizes() } else { sizes } {
        let repo = corpus(megabytes);
        measure(&format!("{megabytes} MB corpus"), repo.path());
    }
    if let Some(path) = std::env::var_os("DIFFSAN_HISTORY") {
        measure("the last commit of DIFFSAN_HISTORY", Path::new(&path));
    }
}

/// Returns the sizes without arguments. The large one is measured only on request.
fn usual_sizes() -> Vec<usize> {
    if std::env::var_os("FULL").is_some() { vec![10, 100] } else { vec![10] }
}

/// Creates a repository whose last commit has a patch of about this size: thousands of files of several hundred lines, edited in places,
/// some added, some removed, some moved.
fn corpus(megabytes: usize) -> TestRepo {
    let mut dice = Dice::new(megabytes as u64);
    let mut stream = b"commit refs/heads/main\ncommitter A <a@example.com> 1577836800 +0000\ndata 3\none\n".to_vec();
    let mut second = b"commit refs/heads/main\ncommitter A <a@example.com> 1577836900 +0000\ndata 3\ntwo\n".to_vec();
    let put = |out: &mut Vec<u8>, path: &str, lines: &[Vec<u8>]| {
        let content = lines.concat();
        out.extend(format!("M 100644 inline {path}\ndata {}\n", content.len()).into_bytes());
        out.extend(content);
        out.push(b'\n');
    };
    for file in 0..megabytes * 203 {
        let path = format!("src/part{}/file{file}.rs", file % 97);
        let fresh = |dice: &mut Dice| [line(dice), b"\n".to_vec()].concat();
        let mut lines: Vec<Vec<u8>> = (0..100 + dice.roll(500)).map(|_| fresh(&mut dice)).collect();
        let new = file % 20 == 0;
        if !new {
            put(&mut stream, &path, &lines);
        }
        for _ in 0..if new { 0 } else { 3 + dice.roll(30) } {
            let at = dice.roll(lines.len());
            let until = (at + dice.roll(9)).min(lines.len());
            lines.splice(at..until, (0..dice.roll(9)).map(|_| fresh(&mut dice)).collect::<Vec<_>>());
        }
        match file % 40 {
            7 => second.extend(format!("D {path}\n").into_bytes()),
            9 => {
                second.extend(format!("D {path}\n").into_bytes());
                put(&mut second, &format!("moved/file{file}.rs"), &lines);
            }
            _ => put(&mut second, &path, &lines),
        }
    }
    let repo = TestRepo::new();
    repo.git_with(["fast-import", "--quiet"], &[stream, second].concat());
    // Packs the objects, as in a clone.
    repo.git(["repack", "-adfq"]);
    repo
}

fn measure(name: &str, path: &Path) {
    let gits = || {
        let arguments = ["diff", "--no-color", "--no-ext-diff", "--no-textconv", "HEAD~1", "HEAD"];
        git(path).args(arguments).output().expect("git").stdout.len()
    };
    let size = gits();
    let repeat = |run: &dyn Fn()| median(ROUNDS, run);
    let git_time = repeat(&|| assert_eq!(gits(), size));
    let configured = config().limits;
    let unlimited = Limits { max_diff_chars: 0, max_files: 0, max_hunks_per_file: 0, ..configured.clone() };
    let read = repeat(&|| assert!(read(path) > 0));
    let usual = repeat(&|| assert!(whole(path, &configured) > 0));
    let all = repeat(&|| assert!(whole(path, &unlimited) > 0));
    let child = in_new_process("prepare").env(CHILD, path).output().expect("itself");
    let peak: f64 = String::from_utf8_lossy(&child.stdout).trim().parse().expect("kilobytes");
    let (megabytes, ratio) = (size as f64 / 1e6, |time: Duration| time.as_secs_f64() / git_time.as_secs_f64());
    println!("{name}: patch {megabytes:.1} MB; git diff {:.0} ms", git_time.as_secs_f64() * 1e3);
    let size = format!("{megabytes:.1} MB");
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    for (what, time) in [("reading the change", read), ("with usual limits", usual), ("with no limits", all)] {
        println!("  {what}: {:.0} ms, ratio {:.2}", milliseconds(time), ratio(time));
        let compared = Compared::Peer("git diff", milliseconds(git_time), Some(1.0));
        row(&format!("prepare in process, {what}"), &size, milliseconds(time), "ms", &compared);
    }
    row("prepare in process, peak memory", &size, peak / 1e3, "MB", &Compared::AtMost(500.0));
    println!(
        "  peak memory with usual limits: {:.0} MB = {:.1} × patch + 60 MB",
        peak / 1e3,
        (peak / 1e3 - 60.0).max(0.0) / megabytes
    );
}

fn config() -> Config {
    resolve(Vec::new(), false).expect("defaults").config
}

fn target() -> Target {
    Target::Range { base: "HEAD~1".into(), head: "HEAD".into(), merge_base: false }
}

fn read(path: &Path) -> usize {
    let repo = Repo::open(path).expect("a repository");
    repo.change(&target(), &ReadOptions::default()).expect("a change").files.len()
}

/// Reads and prepares the change, without the search for secrets.
fn whole(path: &Path, limits: &Limits) -> usize {
    let mut config = config();
    config.redaction.enabled = false;
    let repo = Repo::open(path).expect("a repository");
    let change = repo.change(&target(), &ReadOptions::default()).expect("a change");
    let attributes = repo.attributes(&target(), &change).expect("attributes");
    let plan = plan(&change, &attributes, &config.prepare).expect("a plan");
    let redactor = Arc::new(Redactor::new(&config.redaction, [0; 32]).expect("rules"));
    let masked = redactor.session().change(&change);
    prepare(&change, &plan, &masked, limits).diff.get().len()
}

/// Prints the peak memory of this process, in kilobytes.
fn child(path: &Path) {
    whole(path, &config().limits);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0 kB");
    println!("{}", peak.trim().trim_end_matches(" kB"));
}
