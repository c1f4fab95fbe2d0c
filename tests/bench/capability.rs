//! The capability reviewer in separate processes: 20 files with a cold start, and the capability diff of a change of 1,000 files in a
//! repository of 2,000, without and with stored facts, each with its peak memory. `cargo bench --bench benchmarks -- capability`

use std::fmt::Write;
use std::process::Stdio;
use std::time::Instant;

use super::in_new_process;
use super::row::{Compared, row};
use diffsan_capability::knowledge::Knowledge;
use diffsan_capability::project::Bounds;
use diffsan_change::Target;
use diffsan_pipeline::open::{OpenChange, OpenRequest, Source};
use diffsan_pipeline::policy::examine;
use diffsan_policy::{Ask, Mode};
use diffsan_store::Store;
use diffsan_store::files::places::Places;
use diffsan_store::files::symbol_cache::SymbolCache;
use diffsan_test_support::history::{Dice, line};
use diffsan_test_support::repo::TestRepo;

const ROUNDS: usize = 5;
const CHILD: &str = "DIFFSAN_BENCH_CHILD";
const REPO: &str = "DIFFSAN_BENCH_REPO";
const FACTS: &str = "DIFFSAN_BENCH_FACTS";

/// The state of the stored facts before a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stored {
    Nothing,
    Everything,
}

pub(super) fn run(_: &[String]) {
    if let Ok(what) = std::env::var(CHILD) {
        return child(&what);
    }
    println!(
        "{:<44}{:>10}{:>12}{:>10}{:>12}",
        "median of 5, each in a process of its own", "ms", "limit", "files", "peak MB"
    );
    let small = repository(20, 20);
    measure("20 files, opened and looked at", "now", &small, (300, Stored::Nothing));
    let large = repository(2000, 1000);
    measure("1,000 changed files, both sides, cold", "compare", &large, (2000, Stored::Nothing));
    measure("1,000 changed files, both sides, warm", "compare", &large, (500, Stored::Everything));
}

fn measure(title: &str, what: &str, repo: &TestRepo, (limit, stored): (u32, Stored)) {
    let facts = repo.beside("facts");
    let first = usize::from(stored == Stored::Everything);
    let mut rows: Vec<(f64, u64, f64)> = (0..ROUNDS + first)
        .map(|_| {
            if stored == Stored::Nothing {
                let _ = std::fs::remove_dir_all(&facts);
            }
            let mut command = in_new_process("capability");
            command.env(CHILD, what).env(REPO, repo.path()).env(FACTS, &facts);
            let ran = command.stderr(Stdio::inherit()).output();
            let ran = ran.expect("a child");
            let text = String::from_utf8_lossy(&ran.stdout).into_owned();
            let mut numbers = text.split_whitespace().map(|number| number.parse::<f64>().expect("a number"));
            let mut next = || numbers.next().expect("three numbers");
            (next(), next() as u64, next())
        })
        .skip(first)
        .collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (ms, files, peak) = rows[ROUNDS / 2];
    println!("{title:<44}{ms:>10.0}{limit:>12}{files:>10}{peak:>12.0}");
    row("capability review", title, ms, "ms", &Compared::AtMost(limit.into()));
    row("capability review, peak memory", title, peak, "MB", &Compared::AtMost(200.0));
}

/// The measured work: loading the tables, reading the change from its repository, and comparing the capabilities.
fn child(what: &str) {
    let started = Instant::now();
    let folder = std::path::PathBuf::from(std::env::var_os(REPO).expect("a repository"));
    let nowhere = folder.join("nowhere");
    let places = Places { data: nowhere.clone(), config: nowhere };
    let store = Store::in_memory().expect("a store");
    let request = OpenRequest {
        source: Source::Repository(folder),
        target: Target::Commit { rev: "HEAD".to_owned() },
        overrides: Vec::new(),
        trusted: false,
        since: None,
        selected: None,
    };
    let opened = OpenChange::open(&places, &store, [7; 32], request).expect("a change");
    let knowledge = Knowledge::load(&[]).expect("tables");
    let (mode, max_files) = if what == "now" { (Mode::Now, 40) } else { (Mode::Compare, 0) };
    let facts = std::path::PathBuf::from(std::env::var_os(FACTS).expect("a folder"));
    let stored_facts = SymbolCache::open(&facts, 1);
    let ask = Ask { bounds: Bounds { max_files, ..Bounds::default() }, contracts: None, mode, stored_facts };
    let examined = examine(&opened, &knowledge, &ask, &|| false).expect("looked at");
    assert!(!examined.reached.values().all(|reached| reached.effects.is_empty()));
    println!("{} {} {}", started.elapsed().as_secs_f64() * 1e3, examined.files_read, peak());
}

/// Returns the peak memory of the process, in MB.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<f64>().ok()).unwrap_or_default() / 1024.0
}

/// Creates a repository of files in four languages that call each other. The last commit changes some of them.
fn repository(files: usize, changed: usize) -> TestRepo {
    let repo = TestRepo::new();
    let mut dice = Dice::new(11);
    repo.write("go.mod", "module example.org/app\n");
    let mut write = |index: usize, round: usize| {
        let (path, text) = source(index, files, round, &mut dice);
        repo.write(path, text);
    };
    for index in 0..files {
        write(index, 0);
    }
    repo.commit("all");
    for index in 0..files {
        if index % (files / changed) == 0 {
            write(index, 1);
        }
    }
    repo.commit("change");
    repo
}

fn source(index: usize, files: usize, round: usize, dice: &mut Dice) -> (String, String) {
    // The next file of the same language.
    let next = (index + 4 * (1 + dice.roll(40))) % (files / 4 * 4);
    let next = next - next % 4 + index % 4;
    let mut text = String::new();
    let noise = |text: &mut String, mark: &str, dice: &mut Dice| {
        for _ in 0..10 + dice.roll(20) {
            let words = String::from_utf8_lossy(&line(dice)).replace(['\\', '\r', '\n', '*', '/'], " ");
            let _ = writeln!(text, "{mark} {words}");
        }
    };
    let folder = |index: usize| format!("d{}", index / 4 % 25);
    let extra = if round > 0 { index % 5 } else { 9 };
    match index % 4 {
        0 => {
            let _ = writeln!(
                text,
                "import {{ run{next} }} from '../{}/f{next}';\nimport {{ readFile }} from 'node:fs/promises';",
                folder(next)
            );
            for number in 0..12 {
                noise(&mut text, "//", dice);
                let _ = writeln!(
                    text,
                    "export async function part{number}(name: string) {{\n  const text = await readFile(name, 'utf8');\n  const items = text.split(',').map((item) => item.trim().toLowerCase());\n  return items.filter((item) => item.length > {number}).join(';');\n}}"
                );
            }
            let call = if extra == 0 { "await fetch(name);" } else { "await part1(name);" };
            let _ = writeln!(
                text,
                "export async function run{index}(name: string) {{\n  {call}\n  return run{next}(name);\n}}"
            );
            (format!("src/{}/f{index}.ts", folder(index)), text)
        }
        1 => {
            let _ = writeln!(text, "from src.{}.f{next} import run{next}\nimport os, json", folder(next));
            for number in 0..12 {
                noise(&mut text, "#", dice);
                let _ = writeln!(
                    text,
                    "def part{number}(name):\n    with open(name) as file:\n        data = json.load(file)\n    return [item for item in data if item > {number}]\n"
                );
            }
            let call = if extra == 1 { "os.remove(name)" } else { "part1(name)" };
            let _ = writeln!(text, "def run{index}(name):\n    {call}\n    return run{next}(name)");
            (format!("src/{}/f{index}.py", folder(index)), text)
        }
        2 => {
            let own = format!("p{index}");
            let _ = writeln!(
                text,
                "package {own}\n\nimport (\n\t\"os\"\n\t\"strings\"\n\n\t\"example.org/app/{}/p{next}\"\n)\n",
                folder(next)
            );
            for number in 0..12 {
                noise(&mut text, "//", dice);
                let _ = writeln!(
                    text,
                    "func part{number}(name string) []string {{\n\tdata, err := os.ReadFile(name)\n\tif err != nil {{\n\t\treturn nil\n\t}}\n\treturn strings.Split(string(data), \",\")\n}}\n"
                );
            }
            let call = if extra == 2 { "os.Remove(name)" } else { "part1(name)" };
            let _ = writeln!(text, "func Run(name string) {{\n\t{call}\n\tp{next}.Run(name)\n}}");
            (format!("{}/{own}/f.go", folder(index)), text)
        }
        _ => {
            let _ = writeln!(text, "const next = require('../{}/f{next}');\nconst fs = require('fs');", folder(next));
            for number in 0..12 {
                noise(&mut text, "//", dice);
                let _ = writeln!(
                    text,
                    "function part{number}(name) {{\n  return fs.readFileSync(name).toString().split(',').slice({number});\n}}"
                );
            }
            let call = if extra == 3 { "fs.unlinkSync(name);" } else { "part1(name);" };
            let _ = writeln!(text, "exports.run = function run(name) {{\n  {call}\n  return next.run(name);\n}};");
            (format!("src/{}/f{index}.js", folder(index)), text)
        }
    }
}
