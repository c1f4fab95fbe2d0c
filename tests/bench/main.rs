//! The benchmarks of the core, in one program because each program is linked for minutes.
//!
//! `cargo bench --bench benchmarks -- NAME [ARGUMENTS…]` runs one of them; without a name, they are listed.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "a benchmark is a program for us")]

mod capability;
mod comments;
mod findings;
mod history;
mod merging;
mod posting;
mod prepare;
mod redact;
mod redact_precision;
mod room;
mod row;
mod symbols;

use std::process::Command;

/// The types of the core that the oracle of `merging` uses as those of its crate.
mod finding {
    pub(crate) use diffsan_review::finding::*;
}

/// A benchmark, with the arguments after its name.
type Benchmark = fn(&[String]);

const BENCHMARKS: &[(&str, Benchmark)] = &[
    ("capability", capability::run),
    ("comments", comments::run),
    ("findings", findings::run),
    ("history", history::run),
    ("merging", merging::run),
    ("posting", posting::run),
    ("prepare", prepare::run),
    ("redact", redact::run),
    ("redact_precision", redact_precision::run),
    ("room", room::run),
    ("symbols", symbols::run),
];

fn main() {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let named = arguments.split_first().and_then(|(name, rest)| {
        let (_, run) = BENCHMARKS.iter().find(|(known, _)| known == name)?;
        Some((run, rest))
    });
    match named {
        Some((run, rest)) => run(rest),
        None => BENCHMARKS.iter().for_each(|(name, _)| println!("{name}")),
    }
}

/// Returns a command that starts a benchmark of this program in a process of its own.
fn in_new_process(name: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.arg(name);
    command
}
