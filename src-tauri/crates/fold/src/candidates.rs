//! Finds the files that may have folds, from their hunks alone, so that the texts of the others need not be read and parsed.
//!
//! Every recogniser needs something that shows in the changed lines: the same code or the same shape on both sides of a group, or
//! equal lines in a row that were removed in one place and added in another. A file without any of it has no fold. Some
//! folds that only the whole text shows are lost, such as an edit inside of a block comment whose lines look like code.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use diffsan_change::{Change, FileChange, Hunk, Line, LineKind, RepoPath};
use diffsan_syntax::imports::order_is_free;
use diffsan_syntax::language::Language;

use crate::moves::MIN_LINES;

/// The number of pairs of lines of a group that are compared. A larger group counts as a candidate.
const MAX_PAIRS: usize = 4096;

/// Names in the place of another one, in lines of the same shape.
type NamePair<'a> = (&'a str, &'a str);

/// Returns for each file of a change whether it may have folds.
pub fn may_fold(change: &Change) -> Vec<bool> {
    let files: Vec<ReadFile<'_>> = change.files.iter().map(ReadFile::new).collect();
    let mut candidates: Vec<bool> = files.iter().map(ReadFile::has_noise).collect();
    mark_moved(&files, &mut candidates);
    mark_renamed(&files, &mut candidates);
    candidates
}

/// A line of a hunk.
struct ReadLine<'a> {
    kind: LineKind,
    text: Cow<'a, str>,
    /// The end of the code, where a comment may begin.
    code: usize,
}

impl<'a> ReadLine<'a> {
    fn new(kind: LineKind, text: Cow<'a, str>, language: Option<Language>) -> Self {
        let code = comment_marks(language).iter().filter_map(|mark| text.find(mark)).min().unwrap_or(text.len());
        Self { kind, code, text }
    }

    fn code(&self) -> &str {
        &self.text[..self.code]
    }

    fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    fn has_code(&self) -> bool {
        !self.code().trim().is_empty()
    }

    /// Returns whether a comment of several lines may begin or end in the line.
    fn is_unclear(&self) -> bool {
        self.text.contains("/*") || self.text.contains("*/")
    }

    fn is_on(&self, added: bool) -> bool {
        self.kind != if added { LineKind::Removed } else { LineKind::Added }
    }

    /// Returns the names, numbers and keywords of the code.
    fn words(&self) -> impl Iterator<Item = &str> {
        self.code().split(|char| !is_word(char)).filter(|word| !word.is_empty())
    }

    /// Returns the code without blanks, with a mark in the place of each word.
    fn shape(&self) -> String {
        let mut shape = String::new();
        let mut inside = false;
        for char in self.code().chars() {
            match is_word(char) {
                true if !inside => shape.push('w'),
                false if !char.is_whitespace() => shape.push(char),
                _ => {}
            }
            inside = is_word(char);
        }
        shape
    }

    /// Returns a digest of the text without blanks.
    fn digest(&self) -> u64 {
        let mut digest = DefaultHasher::new();
        self.text.split_whitespace().for_each(|part| digest.write(part.as_bytes()));
        digest.finish()
    }
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// Returns the marks with which a comment begins.
fn comment_marks(language: Option<Language>) -> &'static [&'static str] {
    match language {
        Some(Language::Python | Language::Ruby) => &["#"],
        Some(Language::Php) => &["//", "/*", "#"],
        Some(_) => &["//", "/*"],
        None => &[],
    }
}

/// The lines of a hunk, and the groups of adjacent changed ones.
struct ReadHunk<'a> {
    lines: Vec<ReadLine<'a>>,
    groups: Vec<Range<usize>>,
}

impl<'a> ReadHunk<'a> {
    fn new(hunk: &'a Hunk, language: Option<Language>) -> Self {
        let read = |line: &'a Line| ReadLine::new(line.kind, String::from_utf8_lossy(&line.text), language);
        let lines: Vec<ReadLine<'_>> = hunk.lines.iter().map(read).collect();
        let mut groups: Vec<Range<usize>> = Vec::new();
        for (at, _) in lines.iter().enumerate().filter(|(_, line)| line.kind != LineKind::Context) {
            match groups.last_mut() {
                Some(group) if group.end == at => group.end += 1,
                _ => groups.push(at..at + 1),
            }
        }
        Self { lines, groups }
    }

    /// Returns the changed lines of a side of a group.
    fn side(&self, group: &Range<usize>, kind: LineKind) -> Vec<&ReadLine<'a>> {
        self.lines[group.clone()].iter().filter(|line| line.kind == kind).collect()
    }

    /// Returns the lines of a side from an index to the end of the hunk, with the unchanged ones.
    fn rest(&self, from: usize, added: bool) -> impl Iterator<Item = &ReadLine<'a>> {
        self.lines[from..].iter().filter(move |line| line.is_on(added))
    }

    /// Returns whether a group may differ only by blanks, line breaks or comments, in a part or together with the groups after it.
    fn has_noise(&self, group: &Range<usize>) -> bool {
        let lines = &self.lines[group.clone()];
        if !lines.iter().any(ReadLine::has_code) {
            return true;
        }
        let (old, new) = (self.side(group, LineKind::Removed), self.side(group, LineKind::Added));
        let whole = same_code(self.rest(group.start, false), self.rest(group.start, true), false);
        if whole || old.is_empty() || new.is_empty() {
            return whole;
        }
        let comment = |side: &[&ReadLine<'_>]| side.iter().any(|line| !line.has_code() && !line.is_blank());
        let same = |from: usize, to: usize| same_code(old[from..].iter().copied(), new[to..].iter().copied(), true);
        lines.iter().any(ReadLine::is_unclear)
            || comment(&old) && comment(&new)
            || old.len() * new.len() > MAX_PAIRS
            || (0..old.len()).any(|from| (0..new.len()).any(|to| same(from, to)))
    }
}

/// The code of a sequence of lines, without blanks.
struct Code<'l, I> {
    lines: I,
    /// The rest of the current line.
    rest: &'l str,
    /// Whether a changed line was read.
    changed: bool,
}

impl<'l, I: Iterator<Item = &'l ReadLine<'l>>> Code<'l, I> {
    fn new(lines: I) -> Self {
        Self { lines, rest: "", changed: false }
    }

    fn is_line_end(&self) -> bool {
        self.rest.trim_start().is_empty()
    }

    /// Returns the next text without blanks, or `None` after the last line.
    fn text(&mut self) -> Option<&'l str> {
        while self.is_line_end() {
            let line = self.lines.next()?;
            self.changed |= line.kind != LineKind::Context;
            self.rest = line.code();
        }
        self.rest = self.rest.trim_start();
        self.rest.split(char::is_whitespace).next()
    }
}

/// Returns whether two sequences of lines begin with the same code, which has a word if one is wanted, and which ends with a line on both
/// sides.
fn same_code<'l>(
    old: impl Iterator<Item = &'l ReadLine<'l>>,
    new: impl Iterator<Item = &'l ReadLine<'l>>,
    with_word: bool,
) -> bool {
    let (mut old, mut new) = (Code::new(old), Code::new(new));
    let mut worded = !with_word;
    while let (Some(one), Some(other)) = (old.text(), new.text()) {
        let common = one.len().min(other.len());
        if one.as_bytes()[..common] != other.as_bytes()[..common] {
            return false;
        }
        worded |= one[..common].contains(is_word);
        (old.rest, new.rest) = (&old.rest[common..], &new.rest[common..]);
        if worded && (old.changed || new.changed) && old.is_line_end() && new.is_line_end() {
            return true;
        }
    }
    false
}

/// A file of the change.
struct ReadFile<'a> {
    language: Option<Language>,
    hunks: Vec<ReadHunk<'a>>,
}

impl<'a> ReadFile<'a> {
    fn new(file: &'a FileChange) -> Self {
        let of = |path: &Option<RepoPath>| Language::of(&path.as_ref()?.to_text());
        let language = of(&file.new_path).or_else(|| of(&file.old_path));
        Self { language, hunks: file.hunks().iter().map(|hunk| ReadHunk::new(hunk, language)).collect() }
    }

    fn groups(&self) -> impl Iterator<Item = (&ReadHunk<'a>, &Range<usize>)> {
        self.hunks.iter().flat_map(|hunk| hunk.groups.iter().map(move |group| (hunk, group)))
    }

    /// Returns whether a group may have no other difference than blanks, line breaks, comments or the order of imports.
    fn has_noise(&self) -> bool {
        let Some(language) = self.language else { return false };
        self.groups().any(|(hunk, group)| hunk.has_noise(group)) || self.has_moved_imports(language)
    }

    /// Returns whether a removed and an added line may import the same in another order.
    fn has_moved_imports(&self, language: Language) -> bool {
        let scripts = matches!(language, Language::JavaScript | Language::TypeScript | Language::Tsx);
        let imports = |kind: LineKind| -> HashSet<Vec<&str>> {
            let lines = self.groups().flat_map(|(hunk, group)| hunk.side(group, kind));
            lines.filter(|line| may_import(line)).map(sorted_words).collect()
        };
        (order_is_free(language) || scripts) && !imports(LineKind::Removed).is_disjoint(&imports(LineKind::Added))
    }

    /// Returns the digests of all [`MIN_LINES`] lines in a row on a side, without blank lines.
    fn rows(&self, kind: LineKind) -> HashSet<u64> {
        let mut rows = HashSet::new();
        for (hunk, group) in self.groups() {
            let lines = hunk.lines[group.clone()].iter().filter(|line| line.kind == kind && !line.is_blank());
            let lines: Vec<u64> = lines.map(ReadLine::digest).collect();
            rows.extend(lines.windows(MIN_LINES).map(|lines| {
                let mut digest = DefaultHasher::new();
                lines.hash(&mut digest);
                digest.finish()
            }));
        }
        rows
    }

    /// Returns the names in which lines of the same shape differ.
    fn name_pairs(&self) -> Vec<NamePair<'_>> {
        let mut pairs = Vec::new();
        for (hunk, group) in self.groups().filter(|_| self.language.is_some()) {
            let (old, new) = (hunk.side(group, LineKind::Removed), hunk.side(group, LineKind::Added));
            if old.is_empty() || new.is_empty() {
                continue;
            }
            let shapes = |side: &[&ReadLine<'_>]| side.iter().map(|line| line.shape()).collect::<Vec<String>>();
            let (before, after) = (shapes(&old), shapes(&new));
            if before.concat() == after.concat() {
                add_pairs(
                    old.iter().flat_map(|line| line.words()),
                    new.iter().flat_map(|line| line.words()),
                    &mut pairs,
                );
            }
            if old.len() * new.len() > MAX_PAIRS {
                continue;
            }
            for (one, shape) in old.iter().zip(&before) {
                for (other, _) in new.iter().zip(&after).filter(|(_, other)| *other == shape) {
                    add_pairs(one.words(), other.words(), &mut pairs);
                }
            }
        }
        pairs
    }

    /// Returns the words of a side, as far as the hunks show it. Lines with strings are left out: a string may have the word of a name.
    fn words(&self, added: bool) -> HashSet<&str> {
        let lines = self.hunks.iter().flat_map(|hunk| hunk.rest(0, added));
        lines.filter(|line| !line.code().contains(['"', '\'', '`'])).flat_map(ReadLine::words).collect()
    }
}

fn sorted_words<'l>(line: &'l ReadLine<'_>) -> Vec<&'l str> {
    let mut words: Vec<&str> = line.words().collect();
    words.sort_unstable();
    words
}

fn add_pairs<'a>(
    old: impl Iterator<Item = &'a str>,
    new: impl Iterator<Item = &'a str>,
    pairs: &mut Vec<NamePair<'a>>,
) {
    let is_name = |word: &str| !word.starts_with(|char: char| char.is_ascii_digit());
    pairs.extend(old.zip(new).filter(|(from, to)| from != to && is_name(from) && is_name(to)));
}

/// Returns whether a line may be a part of an import: it begins like one, or it is a line of a list of names.
fn may_import(line: &ReadLine<'_>) -> bool {
    const FIRST: &[&str] = &["import", "export", "from", "use", "pub"];
    let code = line.code().trim_end();
    let list = code.ends_with([',', '"', '{', '}']) && !code.contains(['(', ')', '=', ';']);
    line.words().next().is_some_and(|first| list || FIRST.contains(&first))
}

/// Marks the files with lines in a row that are removed in one place and added in another.
fn mark_moved(files: &[ReadFile<'_>], candidates: &mut [bool]) {
    let rows = |kind: LineKind| files.iter().map(|file| file.rows(kind)).collect::<Vec<HashSet<u64>>>();
    let (removed, added) = (rows(LineKind::Removed), rows(LineKind::Added));
    let all = |side: &[HashSet<u64>]| side.iter().flatten().copied().collect::<HashSet<u64>>();
    let (all_removed, all_added) = (all(&removed), all(&added));
    for ((removed, added), candidate) in removed.iter().zip(&added).zip(candidates) {
        *candidate |= !removed.is_disjoint(&all_added) || !added.is_disjoint(&all_removed);
    }
}

/// Marks the files with a name that another one replaces at least twice in the change, as in its declaration and its use, and the
/// files that contradict it.
fn mark_renamed(files: &[ReadFile<'_>], candidates: &mut [bool]) {
    let pairs: Vec<Vec<NamePair<'_>>> = files.iter().map(ReadFile::name_pairs).collect();
    let mut counts: HashMap<NamePair<'_>, usize> = HashMap::new();
    for pair in pairs.iter().flatten() {
        *counts.entry(*pair).or_default() += 1;
    }
    let mut names: HashSet<&str> = HashSet::new();
    for (file, pairs) in files.iter().zip(&pairs) {
        let repeated: HashSet<NamePair<'_>> = pairs.iter().copied().filter(|pair| counts[pair] > 1).collect();
        if repeated.is_empty() {
            continue;
        }
        let (before, after) = (file.words(false), file.words(true));
        let replaced = repeated.into_iter().filter(|(from, to)| !after.contains(from) && !before.contains(to));
        names.extend(replaced.flat_map(|(from, to)| [from, to]));
    }
    for (pairs, candidate) in pairs.iter().zip(candidates) {
        *candidate |= pairs.iter().any(|(from, to)| names.contains(from) || names.contains(to));
    }
}
