//! Measures folding on functions of public repositories: transformations without a new meaning must be folded, and no edit of one token on
//! top of them may be hidden.

pub(crate) mod diff;
mod functions;
mod lexical;
mod mutate;
mod random;
mod transform;

use std::collections::BTreeMap;

use self::diff::{Visible, change_of, visible};
use self::functions::{Excerpt, excerpts};
use self::lexical::{classes, lines};
use self::mutate::{Mutant, Mutation, has_code, mutant};
use self::random::Random;
use self::transform::{Case, Kind, case};
use crate::{Candidates, FileTexts, Fold, FoldReason, Sources, folds, folds_in};
use diffsan_change::parallel;

macro_rules! sources {
    ($($language:literal: $($file:literal),+;)+) => {
        &[$($(($language, $file, include_str!(concat!("../../../../../tests/fixtures/folding/", $language, "/", $file))),)+)+]
    };
}

/// Whole files: language, name, text. The README beside them names their licences.
const SOURCES: &[(&str, &str, &str)] = sources! {
    "rust": "human.rs", "escape.rs", "pathutil.rs", "stats.rs", "haystack.rs", "interpolate.rs", "lines.rs";
    "python": "_textwrap.py", "formatting.py", "exceptions.py", "parser.py";
    "typescript": "retry-timing.ts", "merge.ts", "Ky.ts";
    "go": "args.go", "cobra.go", "flag_groups.go", "shell_completions.go";
    "java": "JsonPrimitive.java", "Excluder.java", "LinkedTreeMap.java", "JsonTreeReader.java";
    "javascript": "utils.js", "request.js", "application.js";
};
/// Languages whose imports may be in any order.
const FREE_IMPORTS: &[&str] = &["rust", "go", "java"];
/// The number of mutants of one mutation that are made of a case.
const REPEATS: usize = 1;

/// The folder with other sources to measure: a folder for each language, with whole files.
const OTHER_SOURCES: &str = "FOLDING_SOURCES";
/// The folder into which the cases are written, for other programs: a folder for each case, with `base` and `head`.
const CASES_FOLDER: &str = "FOLDING_CASES";

fn all_excerpts() -> Vec<Excerpt> {
    match std::env::var_os(OTHER_SOURCES) {
        None => SOURCES.iter().flat_map(|(language, file, text)| excerpts(file, language, text)).collect(),
        Some(folder) => {
            let languages: std::collections::BTreeSet<&str> = SOURCES.iter().map(|(language, ..)| *language).collect();
            languages.into_iter().flat_map(|language| other_excerpts(&folder, language)).collect()
        }
    }
}

fn other_excerpts(folder: &std::ffi::OsStr, language: &'static str) -> Vec<Excerpt> {
    let Ok(entries) = std::fs::read_dir(std::path::Path::new(folder).join(language)) else { return Vec::new() };
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let read = |file: &std::path::PathBuf| {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        excerpts(&name, language, &std::fs::read_to_string(file).unwrap())
    };
    files.iter().flat_map(read).collect()
}

/// Writes a case for other programs, if a folder is set.
fn write_case(case: &Case) {
    let Some(folder) = std::env::var_os(CASES_FOLDER) else { return };
    let name: String = case.name.chars().map(|char| if char.is_alphanumeric() { char } else { '_' }).collect();
    for (side, files) in [("base", &case.base), ("head", &case.head)] {
        for (path, text) in files {
            let file = std::path::Path::new(&folder).join(&name).join(side).join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
    }
}

fn cases(excerpt: &Excerpt, random: &mut Random) -> Vec<Case> {
    let one = |kind: Kind, function: usize, random: &mut Random| case(excerpt, function, kind, random);
    let mut all = Vec::new();
    for kind in Kind::ALL {
        let functions = if kind == Kind::Imports { 1 } else { excerpt.functions.len() };
        all.extend((0..functions).filter_map(|function| one(kind, function, random)));
    }
    all
}

fn mutants(case: &Case, random: &mut Random) -> Vec<Mutant> {
    let mut all: Vec<Mutant> = Vec::new();
    for mutation in Mutation::ALL {
        for _ in 0..REPEATS {
            let one = mutant(case, mutation, random);
            all.extend(one.filter(|one| all.iter().all(|known| known.case.head != one.case.head)));
        }
    }
    all
}

fn folds_of(case: &Case) -> (diffsan_change::Change, Vec<Fold>) {
    let change = change_of(&case.base, &case.head);
    let text = |side: &[(String, String)], path: &str| side.iter().position(|(one, _)| one == path);
    let texts: Vec<FileTexts<'_>> = change
        .files
        .iter()
        .map(|file| {
            let path = file.path().to_text();
            FileTexts {
                old: text(&case.base, &path).map(|at| &*case.base[at].1),
                new: text(&case.head, &path).map(|at| &*case.head[at].1),
            }
        })
        .collect();
    let sources = Sources::new(&change, &texts);
    let found = folds(&change, &sources);
    assert_eq!(
        found,
        folds_in(&change, &sources, &Candidates::all(change.files.len())),
        "a file with folds was left out"
    );
    (change, found)
}

fn is_expected(reason: FoldReason, kind: Kind) -> bool {
    match kind {
        Kind::Moved | Kind::MovedToFile | Kind::MovedIndented => reason == FoldReason::Moved,
        Kind::Reindented | Kind::Spaced => reason == FoldReason::Whitespace,
        Kind::Reformatted => matches!(reason, FoldReason::Formatting | FoldReason::Whitespace),
        Kind::Renamed => reason == FoldReason::Renamed,
        Kind::Imports => reason == FoldReason::Imports,
        Kind::Comments => reason == FoldReason::Comments,
    }
}

/// Runs a function on every excerpt, on all cores.
fn on_every_excerpt<T: Send>(work: impl Fn(u64, &Excerpt) -> Vec<T> + Sync) -> Vec<T> {
    let all = all_excerpts();
    let found = parallel::each(all.len(), 4, |index| work(index as u64 + 1, &all[index]));
    found.into_iter().flatten().collect()
}

/// Returns why a mutant is hidden, or `None` if a reader sees it.
fn hidden(mutant: &Mutant) -> Option<String> {
    let (change, folds) = folds_of(&mutant.case);
    let Visible { added, removed, unchanged } = visible(&change, &folds);
    let (file, _) = mutant.case.region;
    let (path, text) = &mutant.case.head[file];
    let classes = classes(text, mutant.case.language);
    let all = lines(text, &classes);
    let seen = |at: &usize| {
        let line = &all[*at];
        // An equal line that is visible shows the edit as well; a line without a difference cannot be hidden.
        let shown = added.iter().any(|(name, _, text)| name == path && text.trim() == line.text.trim());
        shown || unchanged.contains(&(path.clone(), at + 1)) || !has_code(line)
    };
    // The base may have other blanks and names than the head.
    let bare = |text: &str| text.replace("_now", "").replace("Now", "").split_whitespace().collect::<String>();
    let gone = mutant.removed.as_ref().map(|text| removed.iter().any(|(_, _, line)| bare(line) == bare(text)));
    let is_seen = gone.unwrap_or(false) || mutant.edited.iter().any(seen);
    (!is_seen).then(|| format!("{}: {:?}\n{folds:?}", mutant.case.name, mutant.removed))
}

#[test]
fn no_edit_is_hidden() {
    let found = on_every_excerpt(|seed, excerpt| {
        let mut random = Random::new(seed);
        let cases = cases(excerpt, &mut random);
        let all = cases.iter().flat_map(|case| mutants(case, &mut random)).collect::<Vec<_>>();
        all.iter().map(|mutant| (mutant.mutation, mutant.case.kind, hidden(mutant))).collect()
    });
    let mut counts: BTreeMap<Mutation, (usize, usize)> = BTreeMap::new();
    for (mutation, _, hidden) in &found {
        let count = counts.entry(*mutation).or_default();
        count.0 += 1;
        count.1 += usize::from(hidden.is_some());
    }
    println!("{} mutants: (all, hidden) by edit {counts:?}", found.len());
    let hidden: Vec<&String> = found.iter().filter_map(|(.., hidden)| hidden.as_ref()).collect();
    let first: Vec<&&String> = hidden.iter().take(5).collect();
    assert!(hidden.is_empty(), "{} of {} are hidden: {first:#?}", hidden.len(), found.len());
    assert!(found.len() >= 5_000, "{} mutants", found.len());
}

struct Measured {
    kind: Kind,
    language: &'static str,
    lines: usize,
    folded: usize,
    problem: Option<String>,
}

fn measure(case: &Case) -> Measured {
    write_case(case);
    let (change, folds) = folds_of(case);
    let Visible { added, removed, .. } = visible(&change, &folds);
    let is_extra = |path: &str, line: usize| {
        case.extra.iter().any(|(file, extra)| case.head[*file].0 == path && extra + 1 == line)
    };
    // A bracket of the block and an equal one around it are the same line to a reader.
    let extra_shown = added.iter().filter(|(path, line, _)| is_extra(path, *line)).count();
    let counts = change.line_counts();
    let all = (counts.added + counts.removed) as usize - case.extra.len();
    let shown = (added.len() + removed.len()).saturating_sub(case.extra.len().max(extra_shown));
    let wrong = folds.iter().find(|fold| !is_expected(fold.reason, case.kind));
    let lost = case.extra.iter().any(|(file, line)| {
        let path = &case.head[*file].0;
        let text = case.head[*file].1.lines().nth(*line).unwrap_or_default().trim();
        !added.iter().any(|(name, _, added)| name == path && added.trim() == text)
    });
    let problem = match (wrong, lost, shown) {
        (_, true, _) => Some("a line of another change is hidden".to_owned()),
        (Some(fold), ..) => Some(format!("folded as {:?}", fold.reason)),
        (_, _, 1..) => Some(format!("{shown} of {all} lines are visible: {:?} {:?}", added.first(), removed.first())),
        _ => None,
    };
    Measured {
        kind: case.kind,
        language: case.language,
        lines: all,
        folded: all - shown.min(all),
        problem: problem.map(|problem| format!("{}: {problem}", case.name)),
    }
}

#[test]
fn changes_without_a_new_meaning_are_folded_for_their_reason() {
    let found = on_every_excerpt(|seed, excerpt| cases(excerpt, &mut Random::new(seed)).iter().map(measure).collect());
    let free = |one: &&Measured| one.kind != Kind::Imports || FREE_IMPORTS.contains(&one.language);
    let (mut lines, mut folded, mut whole) = (0, 0, 0);
    let mut table: BTreeMap<(Kind, &str), (usize, usize, usize)> = BTreeMap::new();
    let noise: Vec<&Measured> = found.iter().filter(free).collect();
    for one in &noise {
        lines += one.lines;
        folded += one.folded;
        whole += usize::from(one.problem.is_none());
        let cell = table.entry((one.kind, one.language)).or_default();
        *cell = (cell.0 + 1, cell.1 + one.lines, cell.2 + one.folded);
    }
    println!("{} cases, {whole} folded whole; {lines} lines, {folded} folded", noise.len());
    for ((kind, language), (cases, lines, folded)) in &table {
        println!("{kind:?} {language}: {cases} cases, {folded} of {lines} lines");
    }
    let problems: Vec<&String> = noise.iter().filter_map(|one| one.problem.as_ref()).collect();
    for problem in problems.iter().take(40) {
        println!("{problem}");
    }
    assert!(folded * 100 >= lines * 90, "{folded} of {lines} lines");
    assert!(whole * 100 >= noise.len() * 90, "{whole} of {} cases", noise.len());
    let ordered = found.iter().filter(|one| !free(one)).all(|one| one.folded == 0);
    assert!(ordered, "the order of imports has a meaning in Python and JavaScript");
    let wrong = problems.iter().find(|problem| problem.ends_with("is hidden"));
    assert_eq!(wrong, None);
}
