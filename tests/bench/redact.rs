//! Speed and memory of redaction: ordinary text, text full of secrets, and text that is designed to be slow, each compared with one pass
//! of `memchr` over the same bytes (the lower bound). `cargo bench --bench benchmarks -- redact [NAME-OR-FILE…]`

use std::hint::black_box;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use super::in_new_process;
use super::row::{Compared, row};
use diffsan_config::resolve;
use diffsan_redact::{Redactor, StreamFilter};
use diffsan_test_support::history::{Dice, line};
use diffsan_test_support::secrets::{Group, Random, positives};
use diffsan_test_support::timing::median;

const ROUNDS: usize = 7;
const SIZE: usize = 8 * 1024 * 1024;
const CHILD: &str = "DIFFSAN_BENCH_CHILD";

pub(super) fn run(arguments: &[String]) {
    if let Some(name) = std::env::var_os(CHILD) {
        return child(&name.to_string_lossy());
    }
    let empty = median(ROUNDS, || drop(of_a_new_process("empty")));
    let start = median(ROUNDS, || drop(of_a_new_process("start")));
    println!(
        "start of the engine with its first text: {:.1} ms (limit 30), beside {:.1} ms of an empty process",
        start.saturating_sub(empty).as_secs_f64() * 1e3,
        empty.as_secs_f64() * 1e3
    );
    let started = start.saturating_sub(empty).as_secs_f64() * 1e3;
    row("redaction, start of the engine", "first text", started, "ms", &Compared::AtMost(30.0));
    println!("{:<24}{:>8}{:>10}{:>10}{:>15}", "text", "MB/s", "memchr", "ratio", "peak over text");
    let (files, names): (Vec<&String>, Vec<&String>) = arguments.iter().partition(|path| Path::new(path).is_file());
    for (name, text) in texts() {
        if names.is_empty() && files.is_empty() || names.iter().any(|part| name.contains(part.as_str())) {
            measure(&name, &text);
        }
    }
    for path in files {
        measure(path, &std::fs::read(path).expect("a file"));
    }
}

fn redactor() -> Arc<Redactor> {
    let settings = resolve(Vec::new(), false).expect("defaults").config;
    Arc::new(Redactor::new(&settings.redaction, [7; 32]).expect("an engine"))
}

/// Measures the costs of a process's first use in a new process that does nothing else.
fn of_a_new_process(what: &str) -> String {
    let ran = in_new_process("redact").env(CHILD, what).stderr(Stdio::null()).output().expect("a child");
    assert!(ran.status.success());
    String::from_utf8_lossy(&ran.stdout).trim().to_owned()
}

fn child(what: &str) {
    match what {
        "empty" => {}
        "start" => drop(black_box(redactor().session().text("a.py", "password = 'x1y2z3'"))),
        path => {
            let text = std::fs::read(path).expect("a text");
            let before = peak();
            black_box(filter(&redactor(), &text));
            println!("{:.0} MB", (peak() - before) as f64 / 1e3);
        }
    }
}

/// Returns the highest resident memory so far, in kB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|count| count.parse().ok()).unwrap_or(0)
}

/// Filters a stream in parts, like `diffsan redact`.
fn filter(engine: &Arc<Redactor>, text: &[u8]) -> usize {
    let mut filter = StreamFilter::new(engine.session());
    let mut written = 0;
    for part in text.chunks(256 * 1024) {
        written += filter.push(part).len();
    }
    written + filter.finish().0.len()
}

fn measure(name: &str, text: &[u8]) {
    let engine = redactor();
    let ours = median(ROUNDS, || {
        black_box(filter(&engine, text));
    });
    let limit = median(ROUNDS, || {
        black_box(memchr::memchr_iter(b'\n', text).count());
    });
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), text).expect("a text");
    let peak = of_a_new_process(&file.path().display().to_string());
    let speed = |took: Duration| text.len() as f64 / took.as_secs_f64() / 1e6;
    let (ours, limit) = (speed(ours), speed(limit));
    println!("{name:<24}{ours:>8.0}{limit:>10.0}{:>10.4}{peak:>15}", ours / limit);
    let goal = match name {
        "usual source" => Compared::AtLeast(300.0),
        "secrets everywhere" | "distinct passwords" => Compared::AtLeast(20.0),
        _ => Compared::Alone,
    };
    row(&format!("redaction, {name}"), &format!("{:.1} MB", text.len() as f64 / 1e6), ours, "MB/s", &goal);
}

/// Returns the corpora. The first one is ordinary text, the others are the worst cases that we know.
fn texts() -> Vec<(String, Vec<u8>)> {
    let mut dice = Dice::new(1);
    let mut random = Random::new(2);
    let mut usual = Vec::new();
    while usual.len() < SIZE {
        usual.push(b'+');
        usual.extend(line(&mut dice));
        usual.push(b'\n');
    }
    let cases = positives(Group::Ruled);
    let mut secrets = String::new();
    while secrets.len() < SIZE / 4 {
        secrets += &cases[dice.roll(cases.len())].text;
    }
    let mut distinct = String::new();
    while distinct.len() < SIZE / 4 {
        distinct += &format!("password = \"{}\"\n", random.alnum(16));
    }
    let mut data = String::new();
    while data.len() < SIZE {
        data += &(random.base64(64) + "\n");
    }
    let mut all = vec![
        ("usual source".to_owned(), usual),
        ("secrets everywhere".to_owned(), secrets.into_bytes()),
        ("distinct passwords".to_owned(), distinct.into_bytes()),
        ("base64, wrapped".to_owned(), data.clone().into_bytes()),
        ("base64, one line".to_owned(), data.replace('\n', "").into_bytes()),
    ];
    for (name, part) in [
        ("keys without values", "password token secret api_key auth "),
        ("keys in one word", "passwordtokensecretapikey"),
        ("one key, one line", "password=x "),
        ("begins of tokens", "ghp_ sk-ant- xoxb- AKIA glpat- eyJ "),
        ("begins, joined", "sk-sk-sk-ghp_eyJAIzaAKIA"),
        ("begins of key blocks", "-----BEGIN RSA PRIVATE KEY-----\n"),
        ("ends of key blocks", "-----END RSA PRIVATE KEY-----\n"),
        ("quotes", "password = \"\"\" '''\n"),
        ("brackets", "password = [[[[((((\n"),
        ("names and values", "name: password\nkind: x\nother: y\n"),
        ("vendors", "adafruit = discord = twitter = heroku = linear = okta = "),
        ("addresses", "https://a:b https://user@ ://:: "),
        ("blanks", "password                                              \n"),
        ("one letter", "aaaaaaaaaaaaaaaa"),
        ("marks", "[REDACTED:keyed-value:1] "),
        ("escapes", "\\\"password\\\": \\\"\\\\"),
        ("headers", "cookie: a=bbbb; authorization: bearer aaaaaaa "),
    ] {
        all.push((name.to_owned(), part.repeat(SIZE / 4 / part.len()).into_bytes()));
    }
    all
}
