//! Reads the `.gitattributes` of one side of a change. Only files of the repository are read, so that the settings of a machine
//! have no influence. Values are never executed.

use std::collections::{BTreeSet, HashMap};

use super::list::Entry;
use super::patterns::Pattern;
use super::revisions::Place;
use super::worktree;
use super::{Repo, RepoError};
use diffsan_bounded::size_text;
use diffsan_change::{Attributes, FileAttributes};
use diffsan_change::{Change, RepoPath, Target};

/// The attributes that diffsan uses. All others are discarded.
const ASKED: &[&[u8]] = &[
    b"diff",
    b"text",
    b"crlf",
    b"eol",
    b"ident",
    b"working-tree-encoding",
    b"linguist-generated",
    b"linguist-vendored",
];
/// The maximum size of a `.gitattributes` file in bytes. A larger file is refused.
const MAX_FILE: u64 = 4 << 20;
/// The maximum length of a line in bytes. Longer lines are ignored, as git does.
const MAX_LINE: usize = 2048;
/// The maximum nesting of macros.
const MAX_DEPTH: usize = 8;
/// The maximum cost of matching all patterns with all paths, in steps of some nanoseconds.
const MAX_WORK: u64 = 2_000_000_000;

/// The state of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// `name`
    Set,
    /// `-name`
    Unset,
    /// `!name`
    Unspecified,
    /// `name=value`
    Value(Vec<u8>),
}

type Assignments = Vec<(Vec<u8>, State)>;

/// A line: its pattern, and the states that it assigns to the used attributes.
struct Rule {
    pattern: Pattern,
    states: Vec<(&'static [u8], State)>,
}

/// All rules of one side, by the folder of their file.
#[derive(Default)]
pub(super) struct Rules {
    folders: HashMap<Vec<u8>, Vec<Rule>>,
}

impl Rules {
    /// Returns the state of an attribute of a path, or `None` if no rule assigns one.
    pub(super) fn get(&self, path: &[u8], name: &[u8]) -> Option<&State> {
        // The last matching line of the deepest folder wins.
        let folders: Vec<&[u8]> = folders_of(path).collect();
        let found = folders.iter().rev().find_map(|folder| {
            let inside = if folder.is_empty() { path } else { &path[folder.len() + 1..] };
            let states = self.folders.get(*folder)?.iter().rev().filter_map(|rule| {
                let (_, state) = rule.states.iter().find(|(known, _)| *known == name)?;
                Some((rule, state))
            });
            states.into_iter().find(|(rule, _)| rule.pattern.matches(inside)).map(|(_, state)| state)
        });
        found.filter(|state| **state != State::Unspecified)
    }

    /// Returns the cost of matching every rule with all these paths.
    fn work<'a>(&self, paths: impl Iterator<Item = &'a [u8]>) -> u64 {
        // For each folder: the cost of all its patterns for an empty path, and the additional cost for each byte of a path.
        let cost = |rules: &Vec<Rule>| {
            let sum = |length: usize| rules.iter().map(|rule| rule.pattern.cost(length)).sum::<u64>();
            (sum(0), sum(1) - sum(0))
        };
        let costs: HashMap<&[u8], (u64, u64)> =
            self.folders.iter().map(|(folder, rules)| (&**folder, cost(rules))).collect();
        let of_path = |path: &[u8]| {
            let of_folder = |folder: &[u8]| {
                costs.get(folder).map_or(0, |(each, byte)| each.saturating_add(byte.saturating_mul(path.len() as u64)))
            };
            folders_of(path).map(of_folder).fold(0u64, u64::saturating_add)
        };
        paths.map(of_path).fold(0u64, u64::saturating_add)
    }
}

/// The lines of all files of a side, before macros are expanded.
#[derive(Default)]
struct Lines {
    rules: Vec<(Vec<u8>, Pattern, Assignments)>,
    macros: HashMap<Vec<u8>, Assignments>,
}

impl Lines {
    fn add(&mut self, folder: &[u8], text: &[u8], ignore_case: bool) {
        for line in text.split(|&byte| byte == b'\n').filter(|line| line.len() <= MAX_LINE) {
            let line = line.trim_ascii();
            if line.is_empty() || line[0] == b'#' {
                continue;
            }
            let (pattern, rest) = match RepoPath::unquote(line) {
                Some((pattern, rest)) => (pattern, rest),
                None => {
                    let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
                    (line[..end].to_vec(), &line[end..])
                }
            };
            let assignments = assignments(rest);
            match pattern.strip_prefix(b"[attr]") {
                Some(name) if folder.is_empty() => {
                    self.macros.insert(name.to_vec(), assignments);
                }
                Some(_) => {}
                // Attributes have no negative patterns.
                None if pattern.first() == Some(&b'!') => {}
                None => {
                    if let Some(pattern) = Pattern::new(&pattern, ignore_case) {
                        self.rules.push((folder.to_vec(), pattern, assignments));
                    }
                }
            }
        }
    }

    /// Expands macros: computes the state that each line assigns to each used attribute.
    fn finish(self) -> Rules {
        let Self { rules: lines, macros } = self;
        let mut rules = Rules::default();
        let mut known: Vec<Known<'_>> = ASKED.iter().map(|_| Known::new()).collect();
        for (folder, pattern, assignments) in lines {
            let mut states = Vec::new();
            for (name, known) in ASKED.iter().zip(&mut known) {
                if let Some(state) = last(&macros, &assignments, name, MAX_DEPTH, known) {
                    states.push((*name, state.clone()));
                }
            }
            if !states.is_empty() {
                rules.folders.entry(folder).or_default().push(Rule { pattern, states });
            }
        }
        rules
    }
}

/// A cache of the state that each macro assigns to one attribute, by macro and remaining depth. Without it, nested macros take
/// exponential time.
type Known<'a> = HashMap<(&'a [u8], usize), Option<&'a State>>;

/// Returns the state that a line assigns to an attribute, directly or through a macro. The last assignment wins.
fn last<'a: 'b, 'b>(
    macros: &'a HashMap<Vec<u8>, Assignments>,
    assignments: &'b Assignments,
    name: &[u8],
    depth: usize,
    known: &mut Known<'a>,
) -> Option<&'b State> {
    assignments.iter().rev().find_map(|(given, state)| {
        if given == name {
            return Some(state);
        }
        let (given, expansion) = macros.get_key_value(given).filter(|_| *state == State::Set && depth > 0)?;
        if let Some(found) = known.get(&(given.as_slice(), depth)) {
            return *found;
        }
        let found = last(macros, expansion, name, depth - 1, known);
        known.insert((given.as_slice(), depth), found);
        found
    })
}

fn assignments(text: &[u8]) -> Assignments {
    let words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words
        .map(|word| match word {
            [b'-', name @ ..] => (name.to_vec(), State::Unset),
            [b'!', name @ ..] => (name.to_vec(), State::Unspecified),
            _ => match word.iter().position(|&byte| byte == b'=') {
                Some(at) => (word[..at].to_vec(), State::Value(word[at + 1..].to_vec())),
                None => (word.to_vec(), State::Set),
            },
        })
        .collect()
}

/// Returns the folders of a path, from the root (empty) down.
fn folders_of(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let slashes = path.iter().enumerate().filter(|&(_, &byte)| byte == b'/').map(|(at, _)| &path[..at]);
    std::iter::once(&path[..0]).chain(slashes)
}

impl Repo {
    /// Returns the rules for some paths on one side.
    pub(super) fn rules<'a>(
        &self,
        place: Place,
        paths: impl Iterator<Item = &'a [u8]> + Clone,
    ) -> Result<Rules, RepoError> {
        let mut lines = Lines::default();
        let binary = [&b"diff"[..], b"merge", b"text"].map(|name| (name.to_vec(), State::Unset));
        lines.macros.insert(b"binary".to_vec(), binary.to_vec());
        let folders: BTreeSet<&[u8]> = paths.clone().flat_map(folders_of).collect();
        for folder in folders {
            let file =
                if folder.is_empty() { b".gitattributes".to_vec() } else { [folder, b"/.gitattributes"].concat() };
            if let Some(text) = self.small_file(place, &file)? {
                lines.add(folder, &text, self.ignores_case());
            }
        }
        let rules = lines.finish();
        if rules.work(paths) > MAX_WORK {
            return Err(RepoError::NotRead {
                path: self.root.join(".gitattributes"),
                why: "it and the .gitattributes files below it have too many patterns for this number of files"
                    .to_owned(),
            });
        }
        Ok(rules)
    }

    /// Reads a `.gitattributes` file. As in git, the index is used if the work tree has no file, and a link is not followed.
    fn small_file(&self, place: Place, path: &[u8]) -> Result<Option<Vec<u8>>, RepoError> {
        let refuse = |why: String| RepoError::NotRead { path: self.root.join(&*String::from_utf8_lossy(path)), why };
        let place = match place {
            Place::WorkTree { .. } => match worktree::read(&self.root, path, MAX_FILE) {
                Ok(Some((super::list::SYMLINK, _))) => return Ok(None),
                Ok(Some((_, content))) => return Ok(Some(content)),
                Ok(None) => Place::Index,
                Err(error) => return Err(refuse(error.to_string())),
            },
            other => other,
        };
        match self.object_at(place, path) {
            Ok(Some(content)) if content.len() as u64 > MAX_FILE => {
                let (size, most) = (size_text(content.len() as u64), size_text(MAX_FILE));
                Err(refuse(format!("it has {size}; the limit is {most}")))
            }
            Ok(content) => Ok(content.map(|content| content.to_vec())),
            Err(_) => Ok(None),
        }
    }

    pub(super) fn rules_for(&self, place: Place, entries: &[Entry]) -> Result<Rules, RepoError> {
        let from = entries.iter().filter_map(|entry| entry.from.as_ref()).map(|from| &*from.path);
        self.rules(place, entries.iter().map(|entry| &*entry.path).chain(from))
    }

    /// Returns the attributes that decide how each file is sent. They come from the new side of the change, or from the work tree
    /// for a patch or merge request.
    pub fn attributes(&self, target: &Target, change: &Change) -> Result<Attributes, RepoError> {
        let place = match target {
            Target::Patch { .. } | Target::MergeRequest { .. } if self.git.is_bare() => {
                self.head()?.map_or(Place::Nothing, |head| Place::Commit(head.id()))
            }
            Target::Patch { .. } | Target::MergeRequest { .. } => Place::WorkTree { untracked: false },
            _ => self.sides(target)?.new,
        };
        let rules = self.rules(place, change.files.iter().map(|file| file.path().as_bytes()))?;
        let file = |path: &[u8]| FileAttributes {
            generated: flag(rules.get(path, b"linguist-generated")),
            vendored: flag(rules.get(path, b"linguist-vendored")),
            diff: rules.get(path, b"diff").map(|state| *state != State::Unset),
        };
        Ok(change.files.iter().map(|entry| (entry.path().clone(), file(entry.path().as_bytes()))).collect())
    }
}

/// Converts a state to a boolean as linguist does; `=true` and `=false` count as well.
fn flag(state: Option<&State>) -> Option<bool> {
    match state? {
        State::Set => Some(true),
        State::Unset => Some(false),
        State::Unspecified => None,
        State::Value(value) => Some(!value.eq_ignore_ascii_case(b"false")),
    }
}
