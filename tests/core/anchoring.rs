//! Correct findings, damaged as agents damage them, over this repository's own source: the share that is placed on its exact lines,
//! and the share that is placed on wrong lines.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use diffsan_anchor::{Files, place};
use diffsan_change::{Body, Change, FileChange, Hunk, Line, LineKind, RepoPath, Status};
use diffsan_review::finding::{AgentFinding, AnchorState, Category, Severity, Side};
use diffsan_test_support::history::Dice;

const DAMAGES: &[&str] = &[
    "shifted", "prefix", "folder", "renamed", "crlf", "indent", "spacing", "signs", "numbers", "joined", "swapped",
    "none",
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("rs" | "ts" | "svelte" | "mjs") => found.push(path),
            None if path.is_dir() && !["target", "node_modules", "gen"].iter().any(|name| path.ends_with(name)) => {
                sources(&path, found);
            }
            _ => {}
        }
    }
}

/// Returns a change of one renamed file, whose hunk contains the lines around a place.
fn change(path: &str, lines: &[&str], at: usize) -> Change {
    let (from, to) = (at.saturating_sub(3), (at + 4).min(lines.len()));
    let line = |(index, text): (usize, &&str)| Line {
        kind: if from + index == at { LineKind::Added } else { LineKind::Context },
        text: Bytes::copy_from_slice(text.as_bytes()),
        newline: true,
    };
    let count = |count: usize| u32::try_from(count).expect("a small number");
    let hunk = Hunk {
        old_start: count(from + 1),
        old_lines: count(to - from - 1),
        new_start: count(from + 1),
        new_lines: count(to - from),
        section: Bytes::new(),
        lines: lines[from..to].iter().enumerate().map(line).collect::<Vec<_>>().into(),
    };
    let file = FileChange {
        old_path: Some(RepoPath::from("before/it/moved.rs")),
        new_path: Some(RepoPath::from(path)),
        status: Status::Renamed,
        old_mode: None,
        new_mode: None,
        ids: None,
        similarity: None,
        body: Body::Text(vec![hunk]),
    };
    Change { files: vec![file], ..Change::default() }
}

fn damage(kind: &str, said: &mut AgentFinding, dice: &mut Dice) {
    let quote = said.quote.clone().unwrap_or_default();
    let each = |change: &dyn Fn(&str) -> String| Some(quote.lines().map(change).collect::<Vec<_>>().join("\n"));
    match kind {
        "shifted" => {
            let by = 1 + u32::try_from(dice.roll(50)).expect("small");
            let up = dice.once_in(2);
            for line in [&mut said.line_start, &mut said.line_end] {
                *line = if up { line.saturating_sub(by).max(1) } else { *line + by };
            }
        }
        "prefix" => said.path = format!("{}{}", dice.pick(&["a/", "b/", "./", "/", "repo/"]), said.path),
        "folder" => said.path = said.path.split_once('/').map_or(said.path.clone(), |(_, rest)| rest.to_owned()),
        "renamed" => said.path = "before/it/moved.rs".to_owned(),
        "crlf" => said.quote = Some(quote.replace('\n', "\r\n") + "\r\n"),
        "indent" => said.quote = each(&|line| format!("\t{}  ", line.trim())),
        "spacing" => said.quote = each(&|line| line.replace(", ", ",").replace(" = ", "  =  ")),
        "signs" => said.quote = each(&|line| format!("+{line}")),
        "numbers" => {
            let lines = quote.lines().zip(said.line_start..).map(|(line, number)| format!("{number} | {line}"));
            said.quote = Some(lines.collect::<Vec<_>>().join("\n"));
        }
        "joined" => said.quote = Some(quote.lines().map(str::trim).collect::<Vec<_>>().join(" ")),
        "swapped" => std::mem::swap(&mut said.line_start, &mut said.line_end),
        _ => {}
    }
    // Often more than one thing is wrong.
    if kind != "shifted" && kind != "none" && dice.once_in(2) {
        damage("shifted", said, dice);
    }
}

#[derive(Default)]
struct Score {
    all: usize,
    exact: usize,
    wrong: Vec<String>,
    elsewhere: usize,
}

#[test]
fn damaged_findings_come_back_to_their_lines() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository");
    let mut paths = Vec::new();
    for folder in ["src-tauri", "ui/src", "tests"] {
        sources(&root.join(folder), &mut paths);
    }
    paths.sort();
    let mut dice = Dice::new(11);
    let mut scores: BTreeMap<&str, Score> = BTreeMap::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("text");
        let name = path.strip_prefix(&root).expect("inside").display().to_string();
        let lines: Vec<&str> = text.lines().collect();
        let letters = |line: &str| line.chars().filter(|char| !char.is_whitespace()).collect::<String>();
        let whole: String = lines.iter().map(|line| letters(line)).collect();
        for round in 0..40 {
            let count = 1 + dice.roll(3);
            let at = dice.roll(lines.len());
            let Some(quoted) = lines.get(at..at + count) else { continue };
            let plain: String = quoted.iter().map(|line| letters(line)).collect();
            let ends = [quoted[0], quoted[count - 1]].iter().all(|line| letters(line).len() >= 4);
            // A quote that occurs twice does not decide between the places.
            let places =
                (0..whole.len()).filter(|&from| whole.is_char_boundary(from) && whole[from..].starts_with(&plain));
            if !ends || plain.len() < 8 || places.take(2).count() != 1 {
                continue;
            }
            let line = |index: usize| u32::try_from(index + 1).expect("small");
            let (start, end) = (line(at), line(at + count - 1));
            let mut said = AgentFinding {
                body_markdown: "x".into(),
                quote: Some(quoted.join("\n")),
                ..AgentFinding::new(Severity::High, Category::Correctness, name.clone(), (start, end))
            };
            let kind = DAMAGES[(round + at) % DAMAGES.len()];
            damage(kind, &mut said, &mut dice);
            let mut files = Files::default();
            files.insert(&name, Side::New, &text);
            let anchor = place(&said, &change(&name, &lines, at), &files);
            let score = scores.entry(kind).or_default();
            score.all += 1;
            let sure = matches!(anchor.state, AnchorState::Verified | AnchorState::Moved);
            let right = anchor.path == name && anchor.line_start == Some(start) && anchor.line_end == Some(end);
            match (sure, right) {
                (_, true) => score.exact += 1,
                (true, false) => score.wrong.push(format!("{name}:{start}-{end} {kind}: {said:?} => {anchor:?}")),
                (false, false) => score.elsewhere += 1,
            }
        }
    }
    let sum = |count: &dyn Fn(&Score) -> usize| scores.values().map(count).sum::<usize>();
    let (all, exact, wrong) = (sum(&|one| one.all), sum(&|one| one.exact), sum(&|one| one.wrong.len()));
    for (kind, score) in &scores {
        println!(
            "{kind:<10} {:>5} {:>7.2} %  unsure {}",
            score.all,
            100.0 * score.exact as f64 / score.all as f64,
            score.elsewhere
        );
    }
    println!("exact {:.2} % of {all}, wrong {wrong}", 100.0 * exact as f64 / all as f64);
    let first: Vec<&String> = scores.values().flat_map(|score| &score.wrong).take(5).collect();
    assert!(all > 3000, "{all}");
    assert_eq!(wrong, 0, "{first:#?}");
    assert!(exact * 100 >= all * 98, "{exact} of {all}");
}
