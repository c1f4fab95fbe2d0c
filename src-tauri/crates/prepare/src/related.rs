//! Groups the related files of a change: a test and its subject, a file and its imports, then files of one folder.
//!
//! In: files in the plan's order. Out: groups in an order that keeps folders together. Only names and import lines decide. No file is read,
//! and the same change leads to the same groups everywhere.

use std::collections::{HashMap, HashSet};

use super::kinds::{Kind, Name};
use diffsan_change::{Change, FileChange, LineKind};

/// Names without meaning; such a file is identified by its folder.
const COMMON: &[&str] = &["index", "mod", "main", "lib", "__init__", "init", "package", "types", "utils", "util"];
/// Affixes of the names of tests.
const MARKS: &[&str] =
    &[".test", ".spec", "_test", "_spec", "-test", "-spec", "test_", "test-", "tests", "test", "spec"];
/// Words that begin an import, in many languages.
const IMPORTS: &[&str] = &[
    "import",
    "from",
    "use",
    "mod",
    "pub mod",
    "pub use",
    "export",
    "#include",
    "require",
    "require_relative",
    "include",
];

/// Facts about a file, from its name and its lines.
struct Facts {
    folder: String,
    /// The name without extension and affixes of tests, in lower case.
    subject: String,
    is_test: bool,
    /// The last parts of its imports, in lower case.
    imports: HashSet<String>,
}

impl Facts {
    fn new(file: &FileChange) -> Self {
        let path = file.path().to_text().to_lowercase();
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
        let stem = name.find('.').filter(|&dot| dot > 0).map_or(name, |dot| &name[..dot]);
        let is_test = Name::new(file.path()).kind() == Kind::Test;
        let full = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let subject = if is_test { without_marks(full) } else { stem.to_owned() };
        let subject = match COMMON.contains(&subject.as_str()) {
            true => folder.rsplit('/').next().filter(|last| !last.is_empty()).unwrap_or(&subject).to_owned(),
            false => subject,
        };
        Self { folder: folder.to_owned(), subject, is_test, imports: imports(file) }
    }

    /// Returns the number of folders that both paths share at their start.
    fn shared_folders(&self, other: &Self) -> usize {
        self.folder.split('/').zip(other.folder.split('/')).take_while(|(a, b)| a == b).count()
    }
}

fn without_marks(name: &str) -> String {
    let mut name = name;
    while let Some(shorter) = MARKS.iter().find_map(|mark| {
        let shorter = name.strip_suffix(mark).or_else(|| name.strip_prefix(mark))?;
        (!shorter.is_empty()).then_some(shorter)
    }) {
        name = shorter;
    }
    name.to_owned()
}

fn imports(file: &FileChange) -> HashSet<String> {
    let mut found = HashSet::new();
    let lines = file.hunks().iter().flat_map(|hunk| hunk.lines.iter());
    for line in lines.filter(|line| line.kind != LineKind::Removed && line.text.len() < 400) {
        let Ok(text) = std::str::from_utf8(&line.text) else { continue };
        let text = text.trim();
        let is_import = IMPORTS.iter().any(|word| {
            text.strip_prefix(word)
                .is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
        }) || text.contains("require(");
        if !is_import {
            continue;
        }
        let words = text.split(|char: char| !(char.is_alphanumeric() || matches!(char, '_' | '-')));
        found.extend(words.filter(|word| word.len() > 2).map(str::to_lowercase));
    }
    found
}

/// Returns groups of files, the most relevant first. Files are identified by their index in the change.
pub(super) fn groups(masked: &Change, files: &[usize]) -> Vec<Vec<usize>> {
    let facts: Vec<Facts> = files.iter().map(|&file| Facts::new(&masked.files[file])).collect();
    let near = neighbours(&facts);
    let mut placed = vec![false; files.len()];
    let mut groups: Vec<(usize, Vec<usize>)> = Vec::new();
    for first in 0..files.len() {
        if std::mem::replace(&mut placed[first], true) {
            continue;
        }
        // The order is breadth first, so that the most closely related files come next.
        let mut group = vec![first];
        let mut at = 0;
        while let Some(&member) = group.get(at) {
            for &other in &near[member] {
                if !std::mem::replace(&mut placed[other], true) {
                    group.push(other);
                }
            }
            at += 1;
        }
        groups.push((first, group));
    }
    // Folders are ranked by their first occurrence.
    let mut rank: HashMap<&str, usize> = HashMap::new();
    for (first, _) in &groups {
        let next = rank.len();
        rank.entry(&facts[*first].folder).or_insert(next);
    }
    groups.sort_by_key(|(first, _)| rank[facts[*first].folder.as_str()]);
    groups.into_iter().map(|(_, group)| group.into_iter().map(|at| files[at]).collect()).collect()
}

/// Returns for each file its related files, tests first, then in the plan's order.
fn neighbours(facts: &[Facts]) -> Vec<Vec<usize>> {
    let mut by_subject: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, one) in facts.iter().enumerate() {
        by_subject.entry(&one.subject).or_default().push(at);
    }
    let mut tests: Vec<Vec<usize>> = vec![Vec::new(); facts.len()];
    let mut imports: Vec<Vec<usize>> = vec![Vec::new(); facts.len()];
    for (at, one) in facts.iter().enumerate() {
        // Of several files with this name, take the nearest one.
        let nearest = |subject: &str, fits: &dyn Fn(&Facts) -> bool| {
            let all = by_subject.get(subject)?.iter().copied().filter(|&other| other != at && fits(&facts[other]));
            all.max_by_key(|&other| (one.shared_folders(&facts[other]), std::cmp::Reverse(other)))
        };
        if one.is_test
            && let Some(source) = nearest(&one.subject, &|other| !other.is_test)
        {
            tests[source].push(at);
            tests[at].push(source);
        }
        let mut imported: Vec<usize> =
            one.imports.iter().filter_map(|name| nearest(name, &|other| !other.is_test)).collect();
        imported.sort_unstable();
        imported.dedup();
        for source in imported {
            imports[at].push(source);
            imports[source].push(at);
        }
    }
    tests
        .into_iter()
        .zip(imports)
        .map(|(mut tests, mut imports)| {
            imports.sort_unstable();
            tests.append(&mut imports);
            tests
        })
        .collect()
}
