//! The capability reviewer on changes of small projects: new effects, and judgments of contracts, for each language. The README of
//! `tests/fixtures/capability-projects` describes the corpus.

mod examined;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use diffsan_capability::diff::{CapabilityDiff, Novelty};
use diffsan_capability::judge::{Judgment, PolicyFinding};
use diffsan_capability::knowledge::Knowledge;
use diffsan_contracts::{Contracts, parse};

/// Effects that the reviewer folds away. The corpus does not mark them.
const FOLDED: &[&str] = &[
    "log.write",
    "clock.read",
    "random.generate",
    "task.start",
    "sleep.use",
    "thread.sleep",
    "thread.wait",
    "stdin.read",
    "state.change",
];
/// An effect that older files of the corpus do not mark.
const UNMARKED: &str = "http.endpoint";
/// The distance in lines between an effect and its mark.
const NEAR: u32 = 1;

/// A file of a side, or its removal.
enum Step {
    Write(String, Vec<u8>),
    Remove(String),
}

/// A project of the corpus, with the truth about its change.
struct Case {
    name: String,
    before: Vec<Step>,
    change: Vec<Step>,
    new: Vec<(String, u32, String)>,
    kept: Vec<String>,
    contracts: Vec<(String, String)>,
}

fn encoded(text: &str, encoding: &str) -> Vec<u8> {
    match encoding {
        "latin-1" => text.chars().map(|char| u8::try_from(u32::from(char)).expect("a character of Latin-1")).collect(),
        "windows-1252" => text.chars().map(windows_1252).collect(),
        "utf-16" => std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect(),
        other => panic!("unknown encoding {other}"),
    }
}

/// Returns the byte of a character in Windows-1252, as far as the corpus has it.
fn windows_1252(char: char) -> u8 {
    match char {
        '€' => 0x80,
        '–' => 0x96,
        char => u8::try_from(u32::from(char)).expect("a character of Latin-1"),
    }
}

fn steps(section: &str) -> Vec<Step> {
    let files = format!("\n{section}");
    let files = files.split("\n--- ").skip(1);
    files
        .flat_map(|file| {
            let (head, text) = file.split_once('\n').unwrap_or((file, ""));
            let text = format!("{}\n", text.trim_end_matches('\n'));
            let words: Vec<&str> = head.split_whitespace().collect();
            match words.as_slice() {
                [path] => vec![Step::Write((*path).to_owned(), text.into_bytes())],
                [path, "deleted"] => vec![Step::Remove((*path).to_owned())],
                // The new text of the renamed file follows as a file of its own.
                [path, "renamed-to", _] => vec![Step::Remove((*path).to_owned())],
                [path, "encoded-as", encoding] => vec![Step::Write((*path).to_owned(), encoded(&text, encoding))],
                other => panic!("{other:?}"),
            }
        })
        .collect()
}

fn cases(language: &str) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/capability-projects").join(language);
    let text = std::fs::read_to_string(path.with_extension("txt")).expect("a corpus");
    let mut all = Vec::new();
    for part in format!("\n{text}").split("\n=== ").skip(1) {
        let name = part.split_whitespace().next().expect("a name").to_owned();
        let (_, rest) = part.split_once("\n## files\n").expect("files");
        let (before, rest) = rest.split_once("\n## change\n").expect("a change");
        let (change, truth) = rest.split_once("\n## truth").expect("a truth");
        let mut case = Case {
            name,
            before: steps(before),
            change: steps(change),
            new: Vec::new(),
            kept: Vec::new(),
            contracts: Vec::new(),
        };
        for line in truth.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (kind, rest) = line.split_once(' ').expect("a kind");
            match kind {
                "new" => {
                    let mut words = rest.split_whitespace();
                    let (path, line) = words.next().and_then(|place| place.rsplit_once(':')).expect("a place");
                    let effect = words.next().expect("an effect").to_owned();
                    case.new.push((path.to_owned(), line.parse().expect("a line"), effect));
                }
                "kept" => case.kept.push(rest.split_whitespace().next().expect("an effect").to_owned()),
                "contract" => {
                    let (contract, verdict) = rest.split_once(" = ").expect("a verdict");
                    let verdict = verdict.split([':', ' ']).next().unwrap_or_default();
                    case.contracts.push((contract.to_owned(), verdict.to_owned()));
                }
                other => panic!("{}: {other}", case.name),
            }
        }
        all.push(case);
    }
    all
}

/// The result of examining a case.
struct Outcome {
    diff: CapabilityDiff,
    findings: Vec<PolicyFinding>,
}

/// Returns the contracts of a case. The first is at line 2.
fn contracts(case: &Case, knowledge: &Knowledge) -> Contracts {
    let lines: Vec<String> = case.contracts.iter().map(|(contract, _)| format!("  {contract:?},")).collect();
    let contracts = parse("contracts.toml", &format!("effects = [\n{}\n]\n", lines.join("\n")), &knowledge.vocabulary);
    assert_eq!(contracts.warnings, [], "{}", case.name);
    contracts
}

/// The results for a language.
#[derive(Default)]
struct Score {
    projects: usize,
    /// Effects that the truth lists, and those of them that were found.
    expected: usize,
    found: usize,
    /// Effects that were reported as new, and those of them that the truth does not list.
    reported: usize,
    wrong: usize,
    /// Effects that the truth calls kept and that were reported as new.
    kept: usize,
    /// Contracts, those that were judged rightly, and those with "no violation" where evidence is missing or the effect is there.
    contracts: usize,
    judged: usize,
    vouched: usize,
    notes: String,
}

/// Returns whether a reported effect is the expected one, or a more precise one.
fn is_as_sharp(knowledge: &Knowledge, reported: usize, expected: &str) -> bool {
    knowledge.vocabulary.with_wider(reported).iter().any(|effect| effect.id == expected)
}

fn verdict(examined: &Outcome, line: usize) -> &'static str {
    let place = format!("contracts.toml:{line}");
    let here = examined.findings.iter().filter(|finding| finding.contract == place);
    let names = here.map(|finding| match finding.judgment {
        Judgment::Violation => (3, "violation"),
        Judgment::LikelyViolation => (2, "likely"),
        Judgment::Unknown => (1, "unknown"),
        Judgment::NoViolation => (0, "no_violation"),
    });
    names.max().map_or("nothing", |(_, name)| name)
}

fn add(case: &Case, knowledge: &Knowledge, score: &mut Score, marks_all: bool) {
    let examined = examined::examined(case, knowledge);
    let reported: BTreeSet<(&str, u32, usize, Novelty)> = examined
        .diff
        .reaches
        .iter()
        .flat_map(|new| {
            new.reaches.iter().map(|reach| (new.path.as_str(), reach.chain[0].line, new.effect, new.novelty))
        })
        .filter(|(_, _, effect, _)| {
            let id = knowledge.vocabulary.effects[*effect].id.as_str();
            !FOLDED.contains(&id) && (marks_all || id != UNMARKED)
        })
        .collect();
    let fits = |one: &(&str, u32, usize, Novelty), (path, line, effect): &(String, u32, String)| {
        one.0 == path && one.1.abs_diff(*line) <= NEAR && is_as_sharp(knowledge, one.2, effect)
    };
    let mut note = |text: String| writeln!(score.notes, "  {}: {text}", case.name).expect("text");
    score.projects += 1;
    score.expected += case.new.len();
    for expected in &case.new {
        if reported.iter().any(|one| fits(one, expected)) {
            score.found += 1;
        } else {
            note(format!("missed {} at {}:{}", expected.2, expected.0, expected.1));
        }
    }
    let mut kept = BTreeSet::new();
    // Other places of an effect that the same file had before are reported as such, not as new.
    for one in reported.iter().filter(|one| one.3 > Novelty::Place) {
        score.reported += 1;
        if !case.new.iter().any(|expected| fits(one, expected)) {
            score.wrong += 1;
            note(format!("wrongly new: {} at {}:{}", knowledge.vocabulary.effects[one.2].id, one.0, one.1));
            kept.extend(case.kept.iter().filter(|effect| is_as_sharp(knowledge, one.2, effect)));
        }
    }
    score.kept += kept.len();
    for (line, (contract, expected)) in (2..).zip(&case.contracts) {
        score.contracts += 1;
        let judged = verdict(&examined, line);
        if judged == expected {
            score.judged += 1;
            continue;
        }
        score.vouched += usize::from(judged == "no_violation");
        let messages = examined.findings.iter().filter(|finding| finding.contract == format!("contracts.toml:{line}"));
        let message = messages.map(|finding| finding.message.as_str()).next().unwrap_or_default();
        note(format!("{contract}: {judged}, not {expected}: {message}"));
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// The worst results that a language may have.
struct Limits {
    missed: usize,
    wrong: usize,
    kept: usize,
    misjudged: usize,
    vouched: usize,
}

fn check(language: &str, limits: &Limits) {
    let knowledge = Knowledge::load(&[]).expect("tables");
    let mut score = Score::default();
    let cases = cases(language);
    let marks_all = cases.iter().flat_map(|case| &case.new).any(|(_, _, effect)| effect == UNMARKED);
    for case in &cases {
        add(case, &knowledge, &mut score, marks_all);
    }
    let right = score.reported - score.wrong;
    println!(
        "{language}: {} projects, recall {}/{} = {:.3}, precision {right}/{} = {:.3}, kept as new {}, judgments {}/{} = {:.3}, vouched wrongly {}",
        score.projects,
        score.found,
        score.expected,
        share(score.found, score.expected),
        score.reported,
        share(right, score.reported),
        score.kept,
        score.judged,
        score.contracts,
        share(score.judged, score.contracts),
        score.vouched,
    );
    print!("{}", score.notes);
    let results = BTreeMap::from([
        ("missed effects", (score.expected - score.found, limits.missed)),
        ("effects that are not new", (score.wrong, limits.wrong)),
        ("kept effects that are reported as new", (score.kept, limits.kept)),
        ("wrong judgments", (score.contracts - score.judged, limits.misjudged)),
        ("wrong judgments of no violation", (score.vouched, limits.vouched)),
    ]);
    for (what, (found, limit)) in results {
        assert!(found <= limit, "{language}: {found} {what}, at most {limit}");
    }
}

#[test]
fn python_changes() {
    check("python", &Limits { missed: 3, wrong: 0, kept: 0, misjudged: 0, vouched: 0 });
}

/// Files that are not read, beside code that is read.
#[test]
fn changes_with_other_files() {
    check("files", &Limits { missed: 0, wrong: 0, kept: 0, misjudged: 0, vouched: 0 });
}

/// Code in components, pages and templates.
#[test]
fn changes_of_templates() {
    check("templates", &Limits { missed: 0, wrong: 0, kept: 0, misjudged: 0, vouched: 0 });
}

#[test]
fn typescript_changes() {
    check("typescript", &Limits { missed: 0, wrong: 0, kept: 0, misjudged: 0, vouched: 0 });
}

#[test]
fn ruby_changes() {
    check("ruby", &Limits { missed: 1, wrong: 1, kept: 0, misjudged: 0, vouched: 0 });
}

#[test]
fn javascript_changes() {
    check("javascript", &Limits { missed: 3, wrong: 0, kept: 0, misjudged: 0, vouched: 0 });
}

#[test]
fn java_changes() {
    check("java", &Limits { missed: 0, wrong: 0, kept: 0, misjudged: 0, vouched: 0 });
}

#[test]
fn go_changes() {
    check("go", &Limits { missed: 0, wrong: 0, kept: 0, misjudged: 0, vouched: 0 });
}

#[test]
fn php_changes() {
    check("php", &Limits { missed: 0, wrong: 0, kept: 0, misjudged: 0, vouched: 0 });
}

#[test]
fn rust_changes() {
    check("rust", &Limits { missed: 0, wrong: 0, kept: 0, misjudged: 0, vouched: 0 });
}

/// Endpoints, of the frameworks' tutorials.
#[test]
fn changes_of_endpoints() {
    check("endpoints", &Limits { missed: 0, wrong: 0, kept: 0, misjudged: 0, vouched: 0 });
}

/// Projects that were kept apart until the code for endpoints and additions was written.
#[test]
fn changes_that_were_kept_apart() {
    check("additions-kept-apart", &Limits { missed: 0, wrong: 0, kept: 0, misjudged: 0, vouched: 0 });
}

/// Contracts about what a change adds.
#[test]
fn contracts_about_additions() {
    check("additions", &Limits { missed: 0, wrong: 0, kept: 0, misjudged: 0, vouched: 0 });
}

/// Code that runs without a visible call.
#[test]
fn code_that_is_understood_in_part() {
    check("understanding", &Limits { missed: 0, wrong: 0, kept: 0, misjudged: 0, vouched: 0 });
}

#[test]
fn hidden_code_changes() {
    check("hidden", &Limits { missed: 0, wrong: 0, kept: 0, misjudged: 0, vouched: 0 });
}

/// Threads, waiting, standard input, the end of the program and global state.
#[test]
fn limits_on_the_program_itself() {
    check("limits", &Limits { missed: 0, wrong: 0, kept: 0, misjudged: 0, vouched: 0 });
}
