//! The symbol reader on real code: time, memory, and how often its certain answers agree with a precise index.
//!
//! `SYMBOLS_REPO` is a folder with source files; without it, code is generated. `SYMBOLS_ORACLE` is the output of
//! `tests/bench/symbols/scip.mjs` for the same folder; `SYMBOLS_WRONG=1` prints each disagreement. `cargo bench --bench benchmarks -- symbols`

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, atomic::AtomicUsize, atomic::Ordering};
use std::time::{Duration, Instant};

use super::row::{Compared, row};
use diffsan_syntax::language::Language;
use diffsan_syntax::resolve::{Navigator, Resolution, SymbolIndex};
use diffsan_syntax::symbols::{FileSymbols, read, read_manifest};

pub(super) fn run(_: &[String]) {
    let files = match std::env::var_os("SYMBOLS_REPO") {
        Some(folder) => sources(Path::new(&folder)),
        None => generated(),
    };
    let (read, took) = read_all(&files);
    let lines: usize = files.iter().map(|(_, text)| text.iter().filter(|byte| **byte == b'\n').count()).sum();
    let bytes: usize = files.iter().map(|(_, text)| text.len()).sum();
    println!("{} files, {lines} lines, {:.1} MB", files.len(), bytes as f64 / 1e6);
    println!("read on {} threads: {took:?}, {:.0} lines/s", threads(), lines as f64 / took.as_secs_f64());
    let size = format!("{lines} lines");
    let limit = lines as f64 / 100_000.0;
    row("symbols, read without a cache", &size, took.as_secs_f64(), "s", &Compared::AtMost(limit));
    let started = Instant::now();
    let mut index = SymbolIndex::new();
    for (path, symbols) in &read {
        index.insert(path, path, symbols);
    }
    println!("index: {:?}", started.elapsed());
    let symbols: HashMap<&str, Arc<FileSymbols>> =
        read.iter().map(|(path, one)| (path.as_str(), Arc::clone(one))).collect();
    let load = |path: &str| symbols.get(path).cloned();
    let navigator = Navigator::new(&index, &load);
    let longest = jumps(navigator, &read);
    row("symbols, longest of many jumps", &size, longest.as_secs_f64() * 1e3, "ms", &Compared::AtMost(50.0));
    let update = |path: &str, index: &mut SymbolIndex| index.insert(path, path, &symbols[path]);
    let mut changed = index.clone();
    let started = Instant::now();
    for (path, _) in read.iter().take(10) {
        update(path, &mut changed);
    }
    println!("update of 10 files: {:?}", started.elapsed());
    row("symbols, update of 10 files", &size, started.elapsed().as_secs_f64() * 1e3, "ms", &Compared::Alone);
    if let Some(oracle) = std::env::var_os("SYMBOLS_ORACLE") {
        agreement(navigator, Path::new(&oracle));
    }
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn sources(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).expect("a folder").flatten() {
            let (path, kind) = (entry.path(), entry.file_type().expect("a type"));
            let name = entry.file_name().to_string_lossy().into_owned();
            if kind.is_dir() && !matches!(name.as_str(), ".git" | "node_modules" | "target") {
                open.push(path);
            } else if kind.is_file() {
                let relative = path.strip_prefix(folder).expect("inside").to_string_lossy().into_owned();
                if Language::of(&relative).is_some()
                    || matches!(name.as_str(), "go.mod" | "Cargo.toml" | "package.json")
                {
                    found.push((relative, std::fs::read(&path).expect("readable")));
                }
            }
        }
    }
    found.sort();
    found
}

/// Returns a million lines of Python: packages whose modules import each other.
fn generated() -> Vec<(String, Vec<u8>)> {
    let module = |number: usize| {
        let other = (number * 7 + 1) % 5_000;
        let mut text = format!("from package{}.module{other} import Thing{other}\n", other % 50);
        for function in 0..20 {
            text += &format!(
                "class Thing{number}x{function}(Thing{other}):\n    def run(self, limit):\n        result = self.helper(limit + {function})\n        \
                 for item in result:\n            self.add(item)\n        return result\n\n    def helper(self, limit):\n        return [limit]\n\n"
            );
        }
        (format!("package{}/module{number}.py", number % 50), text.into_bytes())
    };
    (0..5_000).map(module).collect()
}

fn read_all(files: &[(String, Vec<u8>)]) -> (Vec<(String, Arc<FileSymbols>)>, Duration) {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let started = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads() {
            scope.spawn(|| {
                while let Some((path, text)) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let symbols = match Language::of(path) {
                        Some(language) => read(language, text),
                        None => read_manifest(path, &String::from_utf8_lossy(text)),
                    };
                    if let Some(symbols) = symbols {
                        done.lock().expect("no panic").insert(path.clone(), Arc::new(symbols));
                    }
                }
            });
        }
    });
    let took = started.elapsed();
    (done.into_inner().expect("no panic").into_iter().collect(), took)
}

/// Measures definitions at a sample of all references, and returns the longest time.
fn jumps(navigator: Navigator<'_>, read: &[(String, Arc<FileSymbols>)]) -> Duration {
    let mut times: Vec<Duration> = Vec::new();
    for (path, symbols) in read.iter().step_by(read.len() / 500 + 1) {
        for one in symbols.references.iter().step_by(symbols.references.len() / 20 + 1) {
            let started = Instant::now();
            std::hint::black_box(navigator.definition(path, one.at.line, one.at.column));
            times.push(started.elapsed());
        }
    }
    times.sort_unstable();
    let at = |part: usize| times.get(times.len() * part / 100).copied().unwrap_or_default();
    println!(
        "{} jumps: median {:?}, 99 % {:?}, longest {:?}",
        times.len(),
        at(50),
        at(99),
        times.last().copied().unwrap_or_default()
    );
    times.last().copied().unwrap_or_default()
}

/// Compares answers with a precise index.
fn agreement(navigator: Navigator<'_>, oracle: &Path) {
    let text = std::fs::read_to_string(oracle).expect("the output of scip.mjs");
    let verbose = std::env::var_os("SYMBOLS_WRONG").is_some();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [path, row, column, right @ ..] = fields.as_slice() else { continue };
        let (row, column): (u32, u32) = (row.parse().expect("a number"), column.parse().expect("a number"));
        let found = navigator.definition(path, row + 1, column);
        let shown: Vec<String> =
            found.places().iter().map(|place| format!("{}:{}:{}", place.path, place.line - 1, place.column)).collect();
        let agrees = |one: &String| right.contains(&one.as_str());
        let result = match &found {
            Resolution::One(_) if shown.iter().any(agrees) => "one, right",
            Resolution::One(_) => "one, wrong",
            Resolution::Several(_) if shown.first().is_some_and(agrees) => "several, first right",
            Resolution::Several(_) if shown.iter().any(agrees) => "several, another right",
            Resolution::Several(_) => "several, none right",
            Resolution::None(_) => "none",
        };
        if verbose && (result == "one, wrong" || std::env::var("SYMBOLS_WRONG").is_ok_and(|wanted| wanted == result)) {
            println!("{result}: {path}:{row}:{column} -> {shown:?}, not {right:?}");
        }
        *counts.entry(result).or_default() += 1;
    }
    let (right, wrong) =
        (counts.get("one, right").copied().unwrap_or(0), counts.get("one, wrong").copied().unwrap_or(0));
    println!("{counts:?}");
    println!(
        "one answer: {} of {}, right in {:.1} %",
        right + wrong,
        counts.values().sum::<usize>(),
        100.0 * right as f64 / (right + wrong).max(1) as f64
    );
}
