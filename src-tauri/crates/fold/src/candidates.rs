//! Finds the files that may have folds, from their hunks alone, so that the texts of the others need not be read and parsed.
//!
//! Every recogniser needs something that shows in the changed lines: the same code or the same shape on both sides of a group, or
//! equal lines in a row that were removed in one place and added in another. A file without any of it has no fold. Some
//! folds that only the whole text shows are lost, such as an edit in the middle of a block comment whose lines look like code.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use diffsan_change::{Change, FileChange, Hunk, LineKind, RepoPath};
use diffsan_syntax::imports::order_is_free;
use diffsan_syntax::language::Language;

use crate::moves::{LINE_WEIGHT, MAX_PLACES, MIN_LINES};
use crate::source::weight;
use diffsan_change::parallel;

/// The number of pairs of lines of a group that are compared. A larger group counts as a candidate.
const MAX_PAIRS: usize = 4096;

/// Names in the place of another one, in lines of the same shape.
type NamePair<'a> = (&'a str, &'a str);

/// The files of a change that may have folds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidates {
    files: Vec<bool>,
    /// The files that have lines or names in common, so that the folds of one depend on the other.
    linked: Vec<Vec<usize>>,
}

impl Candidates {
    /// Finds the candidates of a change.
    pub fn of(change: &Change) -> Self {
        let threads = parallel::threads_for(change.files.len());
        let files = parallel::each(change.files.len(), threads, |index| {
            let file = ReadFile::new(&change.files[index]);
            let rows = [LineKind::Removed, LineKind::Added].map(|kind| file.rows(kind));
            let noise = file.has_noise();
            (file, rows, noise)
        });
        let noise = files.iter().map(|(_, _, noise)| *noise).collect();
        let mut candidates = Self { files: noise, linked: Vec::new() };
        candidates.add_moved(files.iter().map(|(_, rows, _)| rows));
        let pairs = parallel::each(files.len(), threads, |index| files[index].0.name_pairs());
        candidates.add_renamed(files.iter().map(|(file, ..)| file).zip(&pairs));
        candidates
    }

    /// Returns all files.
    #[cfg(test)]
    pub(crate) fn all(files: usize) -> Self {
        Self { files: vec![true; files], linked: Vec::new() }
    }

    /// Returns for each file whether it may have folds.
    pub fn files(&self) -> &[bool] {
        &self.files
    }

    /// Keeps the wanted files, and the files with lines or names of these: the other ends of moved blocks, and all places of a name.
    pub fn keep(&mut self, is_wanted: impl Fn(usize) -> bool) {
        let mut kept: Vec<bool> = self.files.iter().enumerate().map(|(file, may)| *may && is_wanted(file)).collect();
        let linked = std::mem::take(&mut self.linked);
        let wanted = linked.iter().filter(|files| files.iter().any(|file| is_wanted(*file)));
        wanted.flatten().for_each(|file| kept[*file] = true);
        self.files = kept;
    }

    /// Adds the files with lines in a row that are removed in one place and added in another.
    fn add_moved<'a>(&mut self, rows: impl Iterator<Item = &'a [FxHashSet<u64>; 2]>) {
        let mut places: FxHashMap<u64, [Vec<usize>; 2]> = FxHashMap::default();
        for (file, sides) in rows.enumerate() {
            for (side, rows) in sides.iter().enumerate() {
                rows.iter().for_each(|row| places.entry(*row).or_default()[side].push(file));
            }
        }
        let is_moved = |[old, new]: &[Vec<usize>; 2]| !old.is_empty() && (1..=MAX_PLACES).contains(&new.len());
        self.add_linked(places.into_values().filter(is_moved).map(|sides| sides.concat()));
    }

    /// Adds files that have something in common.
    fn add_linked(&mut self, groups: impl Iterator<Item = Vec<usize>>) {
        for mut files in groups {
            files.iter().for_each(|file| self.files[*file] = true);
            files.sort_unstable();
            files.dedup();
            if files.len() > 1 {
                self.linked.push(files);
            }
        }
    }

    /// Adds the files with a name that another one replaces at least twice in the change, as in its declaration and its use, and the
    /// files that contradict it.
    fn add_renamed<'a>(&mut self, files: impl Iterator<Item = (&'a ReadFile<'a>, &'a Vec<NamePair<'a>>)> + Clone) {
        let mut counts: FxHashMap<NamePair<'_>, usize> = FxHashMap::default();
        for pair in files.clone().flat_map(|(_, pairs)| pairs) {
            *counts.entry(*pair).or_default() += 1;
        }
        let mut names: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (file, pairs) in files.clone() {
            let repeated: FxHashSet<NamePair<'_>> = pairs.iter().copied().filter(|pair| counts[pair] > 1).collect();
            if repeated.is_empty() {
                continue;
            }
            let (before, after) = (file.words(false), file.words(true));
            let replaced = repeated.into_iter().filter(|(from, to)| !after.contains(from) && !before.contains(to));
            names.extend(replaced.flat_map(|(from, to)| [from, to]).map(|name| (name, Vec::new())));
        }
        for (file, (_, pairs)) in files.enumerate() {
            for name in pairs.iter().flat_map(|(from, to)| [from, to]) {
                if let Some(files) = names.get_mut(name).filter(|files| files.last() != Some(&file)) {
                    files.push(file);
                }
            }
        }
        self.add_linked(names.into_values());
    }
}

/// A line of a hunk.
struct ReadLine<'a> {
    kind: LineKind,
    text: Cow<'a, str>,
    /// The text without block comments, if a part of it is in one.
    without_blocks: Option<String>,
    /// The end of the code, where a comment to the end of the line may begin.
    end: usize,
}

impl<'a> ReadLine<'a> {
    /// Reads a line. `inside` says whether a block comment is open at its start, and then whether one is open at its end.
    fn new(kind: LineKind, text: Cow<'a, str>, language: Option<Language>, inside: &mut bool) -> Self {
        let without_blocks = has_blocks(language).then(|| without_blocks(&text, inside)).flatten();
        let shown = without_blocks.as_deref().unwrap_or(&text);
        let end = comment_start(shown, language).unwrap_or(shown.len());
        Self { kind, end, without_blocks, text }
    }

    fn code(&self) -> &str {
        &self.without_blocks.as_deref().unwrap_or(&self.text)[..self.end]
    }

    fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    fn has_code(&self) -> bool {
        !self.code().trim().is_empty()
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
        let mut digest = FxHasher::default();
        self.text.chars().filter(|char| !char.is_whitespace()).for_each(|char| digest.write_u32(char.into()));
        digest.finish()
    }
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// Returns the byte at which the first comment of a line may begin.
fn comment_start(text: &str, language: Option<Language>) -> Option<usize> {
    let bytes = text.as_bytes();
    let slash = || memchr::memchr_iter(b'/', bytes).find(|at| matches!(bytes.get(at + 1), Some(b'/' | b'*')));
    let hash = || memchr::memchr(b'#', bytes);
    match language? {
        Language::Python | Language::Ruby => hash(),
        Language::Php => slash().into_iter().chain(hash()).min(),
        _ => slash(),
    }
}

/// Returns whether a language has comments in `/*` and `*/`.
fn has_blocks(language: Option<Language>) -> bool {
    language.is_some_and(|language| !matches!(language, Language::Python | Language::Ruby))
}

/// Returns the first mark of a block comment that is in no string, and its place: `true` for `/*`, `false` for `*/`.
fn block_mark(text: &str) -> Option<(usize, bool)> {
    let bytes = text.as_bytes();
    let (mut quotes, mut counted) = (0, 0);
    memchr::memchr_iter(b'*', bytes).find_map(|at| {
        let opens = at > 0 && bytes[at - 1] == b'/';
        let closes = bytes.get(at + 1) == Some(&b'/');
        let start = at - usize::from(opens);
        // Each byte is looked at once, because a line can have a megabyte.
        quotes += bytes[counted..start].iter().filter(|byte| b"\"'`".contains(byte)).count();
        counted = start;
        ((opens || closes) && quotes % 2 == 0).then_some((start, opens))
    })
}

/// Returns a line without the block comments in it, or `None` if it has none. A comment to the end of the line hides the start of a block.
fn without_blocks(text: &str, inside: &mut bool) -> Option<String> {
    if !*inside && block_mark(text).is_none() {
        return None;
    }
    let mut code = String::new();
    let mut rest = text;
    loop {
        if *inside {
            let Some(end) = rest.find("*/") else { return Some(code) };
            *inside = false;
            rest = &rest[end + 2..];
        } else {
            let block = block_mark(rest).filter(|(at, opens)| *opens && !rest[..*at].contains("//"));
            let Some((start, _)) = block else { return Some(code + rest) };
            code += &rest[..start];
            *inside = true;
            rest = &rest[start + 2..];
        }
    }
}

/// The lines of a hunk, and the groups of adjacent changed ones.
struct ReadHunk<'a> {
    lines: Vec<ReadLine<'a>>,
    groups: Vec<Range<usize>>,
    /// Whether an unchanged line is in a block comment on one side only.
    unclear: bool,
}

impl<'a> ReadHunk<'a> {
    fn new(hunk: &'a Hunk, language: Option<Language>) -> Self {
        let texts: Vec<(LineKind, Cow<'_, str>)> =
            hunk.lines.iter().map(|line| (line.kind, String::from_utf8_lossy(&line.text))).collect();
        // A side whose first mark ends a block comment begins inside of it.
        let begins_inside = |other: LineKind| {
            let mut marks = texts.iter().filter(|(kind, _)| *kind != other).filter_map(|(_, text)| block_mark(text));
            has_blocks(language) && marks.next().is_some_and(|(_, opens)| !opens)
        };
        let (mut old, mut new) = (begins_inside(LineKind::Added), begins_inside(LineKind::Removed));
        let mut unclear = false;
        let mut lines = Vec::with_capacity(texts.len());
        for (kind, text) in texts {
            lines.push(match kind {
                LineKind::Removed => ReadLine::new(kind, text, language, &mut old),
                LineKind::Added => ReadLine::new(kind, text, language, &mut new),
                LineKind::Context => {
                    unclear |= old != new;
                    let line = ReadLine::new(kind, text, language, &mut new);
                    old = new;
                    line
                }
            });
        }
        let mut groups: Vec<Range<usize>> = Vec::new();
        for (at, _) in lines.iter().enumerate().filter(|(_, line)| line.kind != LineKind::Context) {
            match groups.last_mut() {
                Some(group) if group.end == at => group.end += 1,
                _ => groups.push(at..at + 1),
            }
        }
        Self { lines, groups, unclear }
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
        if self.unclear || !lines.iter().any(ReadLine::has_code) {
            return true;
        }
        let (old, new) = (self.side(group, LineKind::Removed), self.side(group, LineKind::Added));
        let whole = same_code(self.rest(group.start, false), self.rest(group.start, true), false);
        if whole || old.is_empty() || new.is_empty() {
            return whole;
        }
        let comment = |side: &[&ReadLine<'_>]| side.iter().any(|line| !line.has_code() && !line.is_blank());
        let same = |from: usize, to: usize| same_code(old[from..].iter().copied(), new[to..].iter().copied(), true);
        comment(&old) && comment(&new)
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
        let imports = |kind: LineKind| -> FxHashSet<Vec<&str>> {
            let lines = self.groups().flat_map(|(hunk, group)| hunk.side(group, kind));
            lines.filter(|line| may_import(line)).map(sorted_words).collect()
        };
        (order_is_free(language) || scripts) && !imports(LineKind::Removed).is_disjoint(&imports(LineKind::Added))
    }

    /// Returns the digests of all [`MIN_LINES`] lines in a row on a side, without blank lines. A moved block has such lines in a row, and
    /// one of them has words.
    fn rows(&self, kind: LineKind) -> FxHashSet<u64> {
        let mut rows = FxHashSet::default();
        for (hunk, group) in self.groups() {
            let lines = hunk.lines[group.clone()].iter().filter(|line| line.kind == kind && !line.is_blank());
            let lines: Vec<(u64, bool)> =
                lines.map(|line| (line.digest(), weight(&line.text) >= LINE_WEIGHT)).collect();
            let with_words = lines.windows(MIN_LINES).filter(|lines| lines.iter().any(|(_, words)| *words));
            rows.extend(with_words.map(|lines| {
                let mut digest = FxHasher::default();
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
    fn words(&self, added: bool) -> FxHashSet<&str> {
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
