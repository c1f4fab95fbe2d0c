//! Prints the share of recorded review comments that land at exactly their lines, that are followed through pushes, and whose claims are
//! checked: for the bundled set, and for every set in the folder that `DIFFSAN_BENCH_COMMENTS` names.
//! `tests/fixtures/comments/README.md` describes sets.

#[path = "../core/recorded_comments/measure.rs"]
mod measure;

use std::path::{Path, PathBuf};

/// The number of examples of each kind that are printed.
const EXAMPLES: usize = 3;

pub(super) fn run(_: &[String]) {
    let bundled = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/comments");
    measure::measure(&bundled).print("bundled set", EXAMPLES);
    let Some(folder) = std::env::var_os("DIFFSAN_BENCH_COMMENTS").map(PathBuf::from) else { return };
    let mut sets: Vec<PathBuf> = match folder.join("comments.jsonl").exists() {
        true => vec![folder],
        false => std::fs::read_dir(&folder).expect("the folder of sets").flatten().map(|entry| entry.path()).collect(),
    };
    sets.retain(|set| set.join("comments.jsonl").exists());
    sets.sort();
    for set in sets {
        measure::measure(&set).print(&set.display().to_string(), EXAMPLES);
    }
}
