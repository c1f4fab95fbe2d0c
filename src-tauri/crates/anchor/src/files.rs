//! The known lines of the files that a change is about, and cached lookups in them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use crate::damage;
use crate::paths::{Resolved, resolve_path};
use crate::quote::{Letters, LineText, Lines, Searched};
use crate::status::code_digest;
use diffsan_change::Change;
use diffsan_review::finding::{Anchor, Side};

/// The known lines of one side of one file.
#[derive(Clone, Debug, Default)]
pub struct SideLines {
    /// The text of each line by line number, from 1.
    pub(crate) lines: Lines,
    /// Whether these are all lines of the file, and not only those that hunks contain.
    complete: bool,
    /// The text of the lines, for quotes.
    text: OnceLock<Box<LineText>>,
    /// The lines in other forms, for quotes that are not found as they are.
    forms: OnceLock<Box<Forms>>,
}

/// Lines in the forms in which damaged quotes are compared with them.
#[derive(Clone, Debug)]
struct Forms {
    letters: Letters,
    folded: Lines,
    folded_text: LineText,
    folded_letters: Letters,
}

impl SideLines {
    /// Returns the lines of a whole file.
    pub fn whole(text: &str) -> Self {
        Self { lines: (1..).zip(text.lines().map(str::to_owned)).collect(), complete: true, ..Self::default() }
    }

    /// Returns the lines of one side that the hunks of a file contain.
    pub fn from_hunks(file: &diffsan_change::FileChange, side: Side) -> Self {
        let numbered = file.hunks().iter().flat_map(|hunk| hunk.numbered());
        let lines = numbered
            .filter_map(|line| {
                let number = if side == Side::New { line.new } else { line.old }?;
                Some((number, String::from_utf8_lossy(&line.line.text).into_owned()))
            })
            .collect();
        Self { lines, ..Self::default() }
    }

    /// Iterates over the lines with their numbers, in ascending order.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (u32, &str)> {
        self.lines.iter().map(|(number, text)| (*number, text.as_str()))
    }

    /// Returns whether these are all lines of the file.
    pub(crate) fn complete(&self) -> bool {
        self.complete
    }

    fn forms(&self) -> &Forms {
        self.forms.get_or_init(|| {
            let folded: Lines = self.lines.iter().map(|(number, line)| (*number, damage::folded(line))).collect();
            Box::new(Forms {
                letters: Letters::of(&self.lines),
                folded_text: LineText::of(&folded),
                folded_letters: Letters::of(&folded),
                folded,
            })
        })
    }

    /// Returns the lines as they are.
    pub(crate) fn as_written(&self) -> Searched<'_> {
        let text = self.text.get_or_init(|| Box::new(LineText::of(&self.lines)));
        Searched { lines: &self.lines, text }
    }

    /// Returns the lines without white space.
    pub(crate) fn letters(&self) -> &Letters {
        &self.forms().letters
    }

    /// Returns the lines with the characters of ASCII instead of typographic ones.
    pub(crate) fn folded(&self) -> Searched<'_> {
        let Forms { folded, folded_text, .. } = self.forms();
        Searched { lines: folded, text: folded_text }
    }

    pub(crate) fn folded_letters(&self) -> &Letters {
        &self.forms().folded_letters
    }

    pub(crate) fn last(&self) -> u32 {
        self.lines.last_key_value().map_or(0, |(number, _)| *number)
    }
}

/// Whole files by path and side, as far as they could be read.
#[derive(Clone, Debug, Default)]
pub struct Files(HashMap<(String, Side), Arc<SideLines>>);

impl Files {
    /// Adds the text of a file.
    pub fn insert(&mut self, path: &str, side: Side, text: &str) {
        self.0.insert((path.to_owned(), side), Arc::new(SideLines::whole(text)));
    }

    /// Returns the path, side and text of each file, in a fixed order. Every line of a text ends with a line feed.
    pub fn texts(&self) -> Vec<(&str, Side, String)> {
        let text = |lines: &SideLines| lines.lines.values().flat_map(|line| [line.as_str(), "\n"]).collect();
        let mut all: Vec<_> = self.0.iter().map(|((path, side), lines)| (path.as_str(), *side, text(lines))).collect();
        all.sort_by_key(|(path, side, _)| (*path, *side == Side::Old));
        all
    }

    pub(crate) fn get(&self, path: &str, side: Side) -> Option<&Arc<SideLines>> {
        self.0.get(&(path.to_owned(), side))
    }

    fn has(&self, path: &str) -> bool {
        self.get(path, Side::New).is_some() || self.get(path, Side::Old).is_some()
    }
}

/// Cached lookups, because thousands of findings ask for the same files.
pub(crate) struct Lookup<'a> {
    pub(crate) change: &'a Change,
    files: &'a Files,
    resolved: RefCell<HashMap<String, Option<Resolved>>>,
    /// The lines that the hunks of a file contain, by the file's index in the change and the side.
    shown: RefCell<HashMap<(usize, Side), Arc<SideLines>>>,
}

impl<'a> Lookup<'a> {
    pub(crate) fn new(change: &'a Change, files: &'a Files) -> Self {
        Self { change, files, resolved: RefCell::default(), shown: RefCell::default() }
    }

    pub(crate) fn resolve(&self, path: &str) -> Option<Resolved> {
        if let Some(known) = self.resolved.borrow().get(path) {
            return known.clone();
        }
        let found = resolve_path(path, self.change, |path| self.files.has(path));
        self.resolved.borrow_mut().insert(path.to_owned(), found.clone());
        found
    }

    /// Returns the lines of a whole file, or the lines that the change contains of its file with index `file`.
    pub(crate) fn lines(&self, side: Side, path: &str, file: Option<usize>) -> Option<Arc<SideLines>> {
        if let Some(whole) = self.files.get(path, side) {
            return Some(Arc::clone(whole));
        }
        let file = file?;
        let mut shown = self.shown.borrow_mut();
        let lines = shown
            .entry((file, side))
            .or_insert_with(|| Arc::new(SideLines::from_hunks(&self.change.files[file], side)));
        Some(Arc::clone(lines))
    }

    /// Returns the known lines of a file.
    pub(crate) fn known_lines(&self, side: Side, path: &str) -> Option<Arc<SideLines>> {
        let file = match self.resolve(path) {
            Some(Resolved::Changed(file)) => Some(file),
            _ => None,
        };
        let old_path = file.and_then(|file| self.change.files[file].old_path.as_ref());
        let path = match (side, old_path) {
            (Side::Old, Some(old)) => old.to_text(),
            _ => path.into(),
        };
        self.lines(side, &path, file)
    }

    /// Returns the path at the head of a changed file.
    pub(crate) fn new_path(&self, path: &str) -> Option<String> {
        let Some(Resolved::Changed(file)) = self.resolve(path) else { return None };
        self.change.files[file].new_path.as_ref().map(|path| path.to_text().into_owned())
    }

    /// Returns whether a file of the head is not part of the change.
    pub(crate) fn is_unchanged(&self, path: &str) -> bool {
        matches!(self.resolve(path), Some(Resolved::Other(found)) if found == path)
    }

    /// Returns the paths and texts of the files at the head that the base does not have, as far as their whole text is known.
    pub(crate) fn new_files(&self) -> Vec<(String, String)> {
        let added = self.change.files.iter().filter(|file| file.old_path != file.new_path);
        let paths = added.filter_map(|file| file.new_path.as_ref()).map(|path| path.to_text().into_owned());
        let known = paths.filter_map(|path| {
            let lines = self.files.get(&path, Side::New)?;
            Some((path, lines.numbered().fold(String::new(), |text, (_, line)| text + line + "\n")))
        });
        known.collect()
    }

    /// Returns whether the change deletes a file.
    pub(crate) fn is_deleted(&self, path: &str) -> bool {
        matches!(self.resolve(path), Some(Resolved::Changed(file)) if self.change.files[file].new_path.is_none())
    }

    /// Returns the digest of the lines of an anchor.
    pub(crate) fn code_of(&self, anchor: &Anchor) -> Option<String> {
        let (start, end) = anchor.line_start.zip(anchor.line_end)?;
        let known = self.lines(anchor.side, &anchor.path, None).or_else(|| match self.resolve(&anchor.path) {
            Some(Resolved::Changed(file)) if self.change.files[file].path().to_text() == anchor.path => {
                self.lines(anchor.side, &anchor.path, Some(file))
            }
            _ => None,
        })?;
        let lines: Option<Vec<&str>> =
            (start..=end).map(|number| known.lines.get(&number).map(String::as_str)).collect();
        lines.map(|lines| code_digest(&lines))
    }
}
