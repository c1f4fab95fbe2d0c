//! Orders the hunks of a change for reading: entry points first, then the code that they call, tests beside the code that they test, and
//! files without code last. No model is involved, and the same change always has the same order.
//!
//! A hunk calls another one if its changed lines use a name that the other one defines or changes. Names that several hunks define are
//! left out, because it is not known which one is meant.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use diffsan_change::{Change, FileChange, LineKind};
use diffsan_syntax::language::{Language, is_test};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::names::{Binding, binding, space};
use crate::source::Source;
use crate::sources::Sources;

/// A hunk, or a file without hunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HunkRef {
    /// The index of the file in the change.
    pub file: usize,
    /// The index of the hunk in the file. `None` for a file without hunks.
    pub hunk: Option<usize>,
}

/// The origin of a chapter's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChapterKind {
    /// A symbol, from which the other hunks of the chapter are called.
    Symbol,
    /// A folder, whose hunks have no connection.
    Folder,
    /// Files without code. The name is empty.
    Rest,
}

/// Hunks that are read together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chapter {
    /// The origin of the name.
    pub kind: ChapterKind,
    /// The name of the symbol or folder. The root folder is empty.
    pub name: String,
    /// The hunks, in reading order.
    pub hunks: Vec<OrderedHunk>,
}

/// A hunk with the reason of its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderedHunk {
    /// The hunk.
    pub at: HunkRef,
    /// The reason.
    pub reason: OrderReason,
}

/// Why a hunk is at its place in the reading order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderReason {
    /// It calls other hunks, and no hunk calls it. Or it is the first hunk of a circle of calls.
    Entry,
    /// An earlier hunk of the chapter uses a name that it defines.
    Called {
        /// The name.
        name: String,
        /// The hunk that uses it.
        by: HunkRef,
    },
    /// It tests the chapter's code.
    Test,
    /// It is connected to no other hunk.
    Unconnected,
    /// It is not code.
    NoCode,
}

/// The kind of a hunk's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Code,
    Test,
    Rest,
}

/// A hunk with the names that connect it to others.
struct Unit {
    at: HunkRef,
    role: Role,
    folder: String,
    /// The definition that it changes, for the name of a chapter.
    symbol: Option<String>,
    defines: BTreeSet<String>,
    uses: BTreeSet<String>,
}

/// The number of hunks above which a name does not connect hunks.
const MAX_DEFINITIONS: usize = 1;

/// Returns the chapters of a change, which have every hunk once. A file without its new text is connected to nothing.
pub fn reading_order(change: &Change, sources: &Sources<'_>) -> Vec<Chapter> {
    let files = change.files.iter().zip(sources.files()).enumerate();
    let units: Vec<Unit> = files.flat_map(|(index, (file, sides))| units_of(index, file, sides.new.as_ref())).collect();
    let calls = calls(&units);
    let mut chapters = connected(&units, &calls);
    place_tests(&units, &calls, &mut chapters);
    chapters.extend(by_folder(&units, &chapters));
    let rest = units.iter().filter(|unit| unit.role == Role::Rest);
    let rest: Vec<OrderedHunk> = rest.map(|unit| OrderedHunk { at: unit.at, reason: OrderReason::NoCode }).collect();
    if !rest.is_empty() {
        chapters.push(Chapter { kind: ChapterKind::Rest, name: String::new(), hunks: rest });
    }
    chapters
}

fn units_of(index: usize, file: &FileChange, source: Option<&Source<'_>>) -> Vec<Unit> {
    let path = file.path().to_text().into_owned();
    let role = match (Language::of(&path), is_test(&path)) {
        (None, _) => Role::Rest,
        (_, true) => Role::Test,
        _ => Role::Code,
    };
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    let unit = |hunk| Unit {
        at: HunkRef { file: index, hunk },
        role,
        folder: folder.clone(),
        symbol: None,
        defines: BTreeSet::new(),
        uses: BTreeSet::new(),
    };
    if file.hunks().is_empty() {
        return vec![unit(None)];
    }
    let source = source.filter(|_| role != Role::Rest);
    let made = file.hunks().iter().enumerate().map(|(hunk_index, hunk)| {
        let mut unit = unit(Some(hunk_index));
        let Some(source) = source else { return unit };
        let added = hunk.numbered().filter(|line| line.line.kind == LineKind::Added).filter_map(|line| line.new);
        let lines: Vec<usize> = added.map(|number| (number as usize).saturating_sub(1)).collect();
        let first = lines.first().copied().unwrap_or((hunk.new_start as usize).saturating_sub(1));
        for line in lines {
            read_names(source, line..line + 1, &mut unit);
        }
        let own = source.tokens_of(&(first..first + 1)).end;
        unit.symbol = source.tokens[..own]
            .iter()
            .rfind(|token| space(token).is_some() && binding(token) == Binding::Definition)
            .map(|token| source.lines.text[token.range.clone()].to_owned());
        unit.defines.extend(unit.symbol.clone());
        unit
    });
    made.collect()
}

fn read_names(source: &Source<'_>, lines: Range<usize>, unit: &mut Unit) {
    for index in source.tokens_of(&lines) {
        let token = &source.tokens[index];
        if space(token).is_none() {
            continue;
        }
        let name = source.text_of(index).to_owned();
        match binding(token) {
            Binding::Definition => unit.defines.insert(name),
            Binding::Use => unit.uses.insert(name),
            Binding::Local => false,
        };
    }
}

/// Returns for each unit the units that it calls, in the change's order.
fn calls(units: &[Unit]) -> Vec<BTreeSet<usize>> {
    let mut defined: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, unit) in units.iter().enumerate().filter(|(_, unit)| unit.role == Role::Code) {
        for name in &unit.defines {
            defined.entry(name).or_default().push(index);
        }
    }
    let called = |(index, unit): (usize, &Unit)| {
        let places = unit.uses.iter().filter_map(|name| defined.get(name.as_str()));
        let known = places.filter(|places| places.len() <= MAX_DEFINITIONS);
        known.flatten().copied().filter(|other| *other != index).collect()
    };
    units.iter().enumerate().map(called).collect()
}

/// Returns the chapters of units that call each other. Each begins with an entry point.
fn connected(units: &[Unit], calls: &[BTreeSet<usize>]) -> Vec<Chapter> {
    let is_code = |index: &usize| units[*index].role == Role::Code;
    let code: Vec<usize> = (0..units.len()).filter(is_code).collect();
    let called: BTreeSet<usize> = code.iter().flat_map(|index| calls[*index].iter().copied()).collect();
    let calling = code.iter().copied().filter(|index| !calls[*index].is_empty());
    // Units of a circle have no entry point, so the first one in the change's order begins.
    let (entries, others): (Vec<usize>, Vec<usize>) = calling.partition(|index| !called.contains(index));
    let mut seen: BTreeSet<usize> = BTreeSet::new();
    let mut chapters = Vec::new();
    for root in entries.into_iter().chain(others) {
        if seen.contains(&root) {
            continue;
        }
        let mut hunks = Vec::new();
        let mut next = vec![(root, OrderReason::Entry)];
        while let Some((unit, reason)) = next.pop() {
            if seen.insert(unit) {
                hunks.push(OrderedHunk { at: units[unit].at, reason });
                let step = |callee: &usize| (*callee, call_of(&units[unit], &units[*callee]));
                next.extend(calls[unit].iter().rev().map(step));
            }
        }
        let (kind, name) = match &units[root].symbol {
            Some(symbol) => (ChapterKind::Symbol, symbol.clone()),
            None => (ChapterKind::Folder, units[root].folder.clone()),
        };
        chapters.push(Chapter { kind, name, hunks });
    }
    chapters
}

fn call_of(caller: &Unit, callee: &Unit) -> OrderReason {
    let name = caller.uses.intersection(&callee.defines).next().cloned().unwrap_or_default();
    OrderReason::Called { name, by: caller.at }
}

/// Puts tests at the end of the chapter from which they call most.
fn place_tests(units: &[Unit], calls: &[BTreeSet<usize>], chapters: &mut [Chapter]) {
    let chapter_of: BTreeMap<HunkRef, usize> = chapters
        .iter()
        .enumerate()
        .flat_map(|(at, chapter)| chapter.hunks.iter().map(move |hunk| (hunk.at, at)))
        .collect();
    for (unit, calls) in units.iter().zip(calls).filter(|(unit, _)| unit.role == Role::Test) {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for chapter in calls.iter().filter_map(|call| chapter_of.get(&units[*call].at)) {
            *counts.entry(*chapter).or_default() += 1;
        }
        let best = counts.into_iter().max_by_key(|(chapter, count)| (*count, usize::MAX - chapter));
        if let Some((chapter, _)) = best {
            chapters[chapter].hunks.push(OrderedHunk { at: unit.at, reason: OrderReason::Test });
        }
    }
}

/// Returns the chapters of the remaining code and tests, one for each folder. In a folder, tests follow the code that they call.
fn by_folder(units: &[Unit], chapters: &[Chapter]) -> Vec<Chapter> {
    let placed: BTreeSet<HunkRef> =
        chapters.iter().flat_map(|chapter| chapter.hunks.iter().map(|hunk| hunk.at)).collect();
    let mut folders: Vec<Chapter> = Vec::new();
    for role in [Role::Code, Role::Test] {
        for unit in units.iter().filter(|unit| unit.role == role && !placed.contains(&unit.at)) {
            let hunk = OrderedHunk { at: unit.at, reason: OrderReason::Unconnected };
            match folders.iter_mut().find(|chapter| chapter.name == unit.folder) {
                Some(chapter) => chapter.hunks.push(hunk),
                None => {
                    folders.push(Chapter { kind: ChapterKind::Folder, name: unit.folder.clone(), hunks: vec![hunk] })
                }
            }
        }
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileTexts;
    use crate::corpus::diff::change_of;
    use proptest::prelude::*;

    fn files(all: &[(&str, &str)]) -> Vec<(String, String)> {
        all.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    }

    fn order_of(base: &[(String, String)], head: &[(String, String)]) -> (Change, Vec<Chapter>) {
        let change = change_of(base, head);
        let text =
            |file: &FileChange| head.iter().find(|(path, _)| **path == *file.path().to_text()).map(|(_, text)| &**text);
        let texts: Vec<FileTexts<'_>> =
            change.files.iter().map(|file| FileTexts { old: None, new: text(file) }).collect();
        let chapters = reading_order(&change, &Sources::new(&change, &texts));
        (change, chapters)
    }

    #[test]
    fn entry_points_come_before_what_they_call_with_tests_beside_and_the_rest_last() {
        let head = files(&[
            ("README.md", "text\n"),
            ("src/a_store.py", "def save(item):\n    return item\n"),
            ("src/b_service.py", "def create(item):\n    return save(item)\n"),
            ("src/c_main.py", "def run():\n    create(1)\n"),
            ("src/lone.py", "value = 1\n"),
            ("tests/test_service.py", "def test_create():\n    assert create(1)\n"),
        ]);
        let (change, chapters) = order_of(&[], &head);
        let shown: Vec<(ChapterKind, &str, Vec<String>)> = chapters
            .iter()
            .map(|chapter| {
                let paths = chapter.hunks.iter().map(|hunk| change.files[hunk.at.file].path().to_text().into_owned());
                (chapter.kind, chapter.name.as_str(), paths.collect())
            })
            .collect();
        let paths = |all: &[&str]| all.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
        let expected = [
            (
                ChapterKind::Symbol,
                "run",
                paths(&["src/c_main.py", "src/b_service.py", "src/a_store.py", "tests/test_service.py"]),
            ),
            (ChapterKind::Folder, "src", paths(&["src/lone.py"])),
            (ChapterKind::Rest, "", paths(&["README.md"])),
        ];
        assert_eq!(shown, expected);
        let reasons: Vec<&OrderReason> = chapters[0].hunks.iter().map(|hunk| &hunk.reason).collect();
        let called = |name: &str, by: usize| OrderReason::Called { name: name.into(), by: chapters[0].hunks[by].at };
        assert_eq!(reasons, [&OrderReason::Entry, &called("create", 0), &called("save", 1), &OrderReason::Test]);
    }

    fn a_file() -> impl Strategy<Value = (String, String)> {
        let name =
            prop_oneof![Just("src/a.py"), Just("src/b.rs"), Just("lib/c.js"), Just("tests/test_d.py"), Just("e.md")];
        let line = (0..6_u8, 0..6_u8).prop_map(|(defined, used)| match defined {
            0 => format!("f{used}()"),
            1 => String::new(),
            _ => format!("def f{defined}(): f{used}()"),
        });
        (name, prop::collection::vec(line, 0..30)).prop_map(|(name, lines)| (name.to_owned(), lines.join("\n") + "\n"))
    }

    proptest! {
        #[test]
        fn every_hunk_is_read_once_and_always_in_the_same_order(
            base in prop::collection::vec(a_file(), 0..4),
            head in prop::collection::vec(a_file(), 0..4),
        ) {
            let (change, chapters) = order_of(&base, &head);
            let read: Vec<HunkRef> = chapters.iter().flat_map(|chapter| chapter.hunks.iter().map(|hunk| hunk.at)).collect();
            let all: BTreeSet<HunkRef> = change.files.iter().enumerate().flat_map(|(file, one)| {
                let hunks = one.hunks().len();
                let indices = if hunks == 0 { vec![None] } else { (0..hunks).map(Some).collect() };
                indices.into_iter().map(move |hunk| HunkRef { file, hunk })
            }).collect();
            prop_assert_eq!(read.len(), all.len());
            prop_assert_eq!(read.into_iter().collect::<BTreeSet<_>>(), all);
            prop_assert_eq!(order_of(&base, &head).1, chapters);
        }
    }
}
