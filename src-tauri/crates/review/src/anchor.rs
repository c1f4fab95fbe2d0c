//! Anchors: every place that an agent names is checked against the change and the files.
//!
//! In: the agent's findings, the change and the files' lines (masked, as the agent saw them). Out: an [`Anchor`] that names only existing
//! lines. No finding is dropped; a note says why one could not be placed.

mod claims;
mod coverage;
mod damage;
mod locate;
mod patch;
mod paths;
mod quote;

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use self::locate::FoundQuote;
use self::quote::{Letters, Lines};
use crate::finding::{AgentFinding, Anchor, AnchorState, Finding, Fix, PatchFormat, Side};
use crate::rounds::code_digest;
use diffsan_change::{Change, Hunk};

pub use claims::{FilesWith, Head, ReadText, claimed_names, names_symbols};
pub use coverage::{AddedLines, check_coverage};
pub use paths::{Resolved, resolve_path};

/// The note of an anchor whose quote was not found.
const QUOTE_NOWHERE: &str = "the quoted code is not in the file";

/// The known lines of one side of one file.
#[derive(Clone, Debug, Default)]
pub struct SideLines {
    /// The text of each line by line number, from 1.
    lines: Lines,
    /// Whether these are all lines of the file, and not only those that hunks contain.
    complete: bool,
    /// The lines in other forms, for quotes that are not found as they are.
    forms: OnceLock<Box<Forms>>,
}

/// Lines in the forms in which damaged quotes are compared with them.
#[derive(Clone, Debug)]
struct Forms {
    letters: Letters,
    folded: Lines,
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
            Box::new(Forms { letters: Letters::of(&self.lines), folded_letters: Letters::of(&folded), folded })
        })
    }

    /// Returns the lines without white space.
    fn letters(&self) -> &Letters {
        &self.forms().letters
    }

    /// Returns the lines with the characters of ASCII instead of typographic ones.
    fn folded(&self) -> &Lines {
        &self.forms().folded
    }

    fn folded_letters(&self) -> &Letters {
        &self.forms().folded_letters
    }

    fn last(&self) -> u32 {
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

    fn get(&self, path: &str, side: Side) -> Option<&Arc<SideLines>> {
        self.0.get(&(path.to_owned(), side))
    }

    fn has(&self, path: &str) -> bool {
        self.get(path, Side::New).is_some() || self.get(path, Side::Old).is_some()
    }
}

/// Cached lookups, because thousands of findings ask for the same files.
pub(crate) struct Lookup<'a> {
    change: &'a Change,
    files: &'a Files,
    resolved: RefCell<HashMap<String, Option<Resolved>>>,
    /// The lines that the hunks of a file contain, by the file's index in the change and the side.
    shown: RefCell<HashMap<(usize, Side), Arc<SideLines>>>,
}

impl<'a> Lookup<'a> {
    pub(crate) fn new(change: &'a Change, files: &'a Files) -> Self {
        Self { change, files, resolved: RefCell::default(), shown: RefCell::default() }
    }

    fn resolve(&self, path: &str) -> Option<Resolved> {
        if let Some(known) = self.resolved.borrow().get(path) {
            return known.clone();
        }
        let found = resolve_path(path, self.change, |path| self.files.has(path));
        self.resolved.borrow_mut().insert(path.to_owned(), found.clone());
        found
    }

    /// Returns the lines of a whole file, or the lines that the change contains of its file with index `file`.
    fn lines(&self, side: Side, path: &str, file: Option<usize>) -> Option<Arc<SideLines>> {
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
    fn code_of(&self, anchor: &Anchor) -> Option<String> {
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

/// Places every finding of an answer, and checks its patch and its claims. Without the head, claims are not decided.
pub fn place_all(
    found: Vec<AgentFinding>,
    source: &str,
    change: &Change,
    files: &Files,
    head: Option<&Head<'_>>,
) -> Vec<Finding> {
    let lookup = Lookup::new(change, files);
    let place = |finding: AgentFinding| {
        let mut anchor = place_in(&finding, &lookup);
        let (verdict, claims) = claims::check(&finding, &anchor, head);
        let fix = checked_fix(&finding, &mut anchor, files);
        let code = lookup.code_of(&anchor);
        Finding {
            key: String::new(),
            content: finding,
            anchor,
            sources: vec![source.to_owned()],
            verdict,
            claims,
            chain: Vec::new(),
            fix,
            code,
            runs: Vec::new(),
            original: None,
            unedited_since: None,
        }
    };
    found.into_iter().map(place).collect()
}

/// Returns the suggested patch as a fix where it applies. Otherwise adds a note with the reason.
pub(crate) fn checked_fix(finding: &AgentFinding, anchor: &mut Anchor, files: &Files) -> Option<Fix> {
    let patch = finding.suggested_patch.as_ref()?;
    let given = (finding.line_start.min(finding.line_end), finding.line_start.max(finding.line_end));
    let is_nowhere = anchor.notes.iter().any(|note| note == QUOTE_NOWHERE);
    let has_quote = finding.quote.as_deref().is_some_and(|quote| !quote.trim().is_empty());
    let is_one_of_several = has_quote && anchor.state == AnchorState::Unverified;
    let checked = match patch.format {
        PatchFormat::Replacement if is_nowhere => Err(QUOTE_NOWHERE.to_owned()),
        PatchFormat::Replacement if is_one_of_several || !has_length(anchor, given) => {
            Err("the lines that it replaces are not certain".to_owned())
        }
        _ => patch::check(patch, anchor, files),
    };
    checked.map_err(|reason| anchor.notes.push(format!("the suggested patch does not apply: {reason}"))).ok()
}

/// Returns whether an anchor has as many lines as the agent named. An agent that names no lines means those of its quote.
fn has_length(anchor: &Anchor, (from, to): (u32, u32)) -> bool {
    let given = if from == 0 { u32::from(to > 0) } else { (to - from).saturating_add(1) };
    let placed = anchor.line_start.zip(anchor.line_end).map(|(start, end)| end.saturating_sub(start).saturating_add(1));
    given == 0 || placed.is_none_or(|placed| placed == given)
}

/// Returns the anchor of one finding.
pub fn place(finding: &AgentFinding, change: &Change, files: &Files) -> Anchor {
    place_in(finding, &Lookup::new(change, files))
}

pub(crate) fn place_in(finding: &AgentFinding, lookup: &Lookup<'_>) -> Anchor {
    let mut anchor = Anchor {
        state: AnchorState::Unplaced,
        path: finding.path.clone(),
        side: finding.side.unwrap_or_default(),
        line_start: None,
        line_end: None,
        in_change: false,
        notes: Vec::new(),
    };
    let index = match lookup.resolve(&finding.path) {
        Some(Resolved::Changed(index)) => Some(index),
        Some(Resolved::Other(path)) => {
            anchor.path = path;
            None
        }
        None => {
            anchor.notes.push(format!("the file `{}` is neither in the change nor in its head", finding.path));
            return anchor;
        }
    };
    let file = index.map(|index| &lookup.change.files[index]);
    if let Some(file) = file {
        anchor.path = file.path().to_text().into_owned();
        if file.new_path.is_none() {
            anchor.side = Side::Old;
        }
    }
    if anchor.path != finding.path {
        anchor.notes.push(format!("the path was given as `{}`", finding.path));
    }
    anchor.state = AnchorState::File;

    let old_path = file.and_then(|file| file.old_path.as_ref()).map(|path| path.to_text().into_owned());
    let lines_of = |side: Side, path: &str| match side {
        Side::New => lookup.lines(side, path, index),
        Side::Old => lookup.lines(side, old_path.as_deref().unwrap_or(path), index),
    };
    let given_range = match (finding.line_start.min(finding.line_end), finding.line_start.max(finding.line_end)) {
        (_, 0) => None,
        (0, end) => Some((end, end)),
        range => Some(range),
    };
    if finding.line_end < finding.line_start && finding.line_end != 0 {
        anchor.notes.push("the first and last line were swapped".to_owned());
    }

    let quoted = finding.quote.as_deref().filter(|quote| !quote.trim().is_empty());
    if let Some(quoted) = quoted {
        let known: Vec<(Side, Arc<SideLines>)> = [anchor.side, other(anchor.side)]
            .into_iter()
            .filter_map(|side| Some((side, lines_of(side, &anchor.path)?)))
            .collect();
        let sides: Vec<(Side, &SideLines)> = known.iter().map(|(side, lines)| (*side, lines.as_ref())).collect();
        if let Some(found) = locate::find(quoted, &sides, given_range) {
            let lines = sides.iter().find(|(side, _)| *side == found.side).map(|(_, lines)| *lines);
            set_found(&mut anchor, finding, found, given_range, lines);
            set_in_change(&mut anchor, file);
            return anchor;
        }
        anchor.notes.push(QUOTE_NOWHERE.to_owned());
    }

    if let (Some(range), Some(lines)) = (given_range, lines_of(anchor.side, &anchor.path)) {
        match clip(range, &lines) {
            Some(clipped) => {
                if clipped != range {
                    anchor.notes.push(format!("the lines were given as {}", range_text(range.0, range.1, anchor.side)));
                }
                anchor.state = AnchorState::Unverified;
                set_range(&mut anchor, clipped);
                set_in_change(&mut anchor, file);
            }
            None => anchor.notes.push(format!(
                "{}: {}",
                range_text(range.0, range.1, anchor.side),
                if lines.complete { "not in the file" } else { "not visible here" }
            )),
        }
    }
    anchor
}

/// Sets the place of a quote that was found.
fn set_found(
    anchor: &mut Anchor,
    finding: &AgentFinding,
    found: FoundQuote,
    given: Option<(u32, u32)>,
    lines: Option<&SideLines>,
) {
    let (start, end) = found.range;
    // The quote may be a part of the lines that are meant. If it only touches them, the agent miscounted.
    let named = given.filter(|(from, to)| *from <= start && end <= *to && found.side == anchor.side);
    let clipped = named.zip(lines).and_then(|(named, lines)| clip(named, lines));
    let replacement = finding.suggested_patch.as_ref().filter(|patch| patch.format == PatchFormat::Replacement);
    let is_shifted = clipped.zip(replacement).zip(lines).is_some_and(|((named, patch), lines)| {
        named != found.range && patch::repeats_neighbours(&patch.content, named, lines)
    });
    if named.is_some() && !is_shifted {
        anchor.state = AnchorState::Verified;
        set_range(anchor, clipped.unwrap_or(found.range));
    } else {
        anchor.state = AnchorState::Moved;
        anchor.notes.push(match given {
            Some((from, to)) => {
                format!("the agent gave the place of the quoted code as {}", range_text(from, to, anchor.side))
            }
            None => "placed by the quoted code".to_owned(),
        });
        anchor.side = found.side;
        set_range(anchor, found.range);
    }
    if !found.is_certain {
        anchor.state = AnchorState::Unverified;
    }
    anchor.notes.extend(found.notes);
}

fn other(side: Side) -> Side {
    match side {
        Side::New => Side::Old,
        Side::Old => Side::New,
    }
}

fn range_text(start: u32, end: u32, side: Side) -> String {
    let side = if side == Side::Old { " before the change" } else { "" };
    if start == end { format!("line {start}{side}") } else { format!("lines {start} to {end}{side}") }
}

fn set_range(anchor: &mut Anchor, (start, end): (u32, u32)) {
    anchor.line_start = Some(start);
    anchor.line_end = Some(end);
}

/// Returns the part of a range that exists. Where only hunks are known, these are the lines that one of them contains.
fn clip((start, end): (u32, u32), lines: &SideLines) -> Option<(u32, u32)> {
    if lines.complete {
        return (start <= lines.last()).then(|| (start, end.min(lines.last())));
    }
    let mut inside = lines.lines.range(start..=end).map(|(number, _)| *number);
    let first = inside.next()?;
    // Stop at the first gap: a range must not contain unknown lines.
    let last = inside.zip(first + 1..).take_while(|(number, expected)| number == expected).last();
    Some((first, last.map_or(first, |(number, _)| number)))
}

/// Sets whether the change contains the last line of an anchor.
pub(crate) fn mark_in_change(anchor: &mut Anchor, lookup: &Lookup<'_>) {
    let file = match lookup.resolve(&anchor.path) {
        Some(Resolved::Changed(index)) => Some(&lookup.change.files[index]),
        _ => None,
    };
    set_in_change(anchor, file);
}

fn set_in_change(anchor: &mut Anchor, file: Option<&diffsan_change::FileChange>) {
    let contains = |hunk: &Hunk, last: u32| {
        let (start, count) = match anchor.side {
            Side::New => (hunk.new_start, hunk.new_lines),
            Side::Old => (hunk.old_start, hunk.old_lines),
        };
        (start..start.saturating_add(count)).contains(&last)
    };
    anchor.in_change =
        file.zip(anchor.line_end).is_some_and(|(file, last)| file.hunks().iter().any(|hunk| contains(hunk, last)));
}

#[cfg(test)]
mod tests;
