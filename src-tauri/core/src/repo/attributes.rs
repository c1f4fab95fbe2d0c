//! `.gitattributes` of one side of a change, read by ourselves: only from the repository, so that a machine's own
//! files decide nothing, and as values only, so that nothing they name is ever run.

use std::collections::{BTreeSet, HashMap};

use super::list::Entry;
use super::patterns::Pattern;
use super::revisions::Place;
use super::worktree;
use super::{Repo, RepoError};
use crate::change::{Change, RepoPath, Target};
use crate::prepare::{Attributes, FileAttributes};

/// Files and lines over these are ignored, as git does.
const MAX_FILE: usize = 100 << 20;
const MAX_LINE: usize = 2048;
/// How deep one macro may stand in another.
const MAX_DEPTH: usize = 8;

/// What an attribute is set to.
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

/// All rules of one side, the root's first.
#[derive(Default)]
pub(super) struct Rules {
    folders: HashMap<Vec<u8>, Vec<(Pattern, Assignments)>>,
    macros: HashMap<Vec<u8>, Assignments>,
}

impl Rules {
    /// An attribute of a path; none if nothing says.
    pub(super) fn get(&self, path: &[u8], name: &[u8]) -> Option<&State> {
        let mut found = None;
        for folder in folders_of(path) {
            let Some(rules) = self.folders.get(folder) else { continue };
            let inside = if folder.is_empty() { path } else { &path[folder.len() + 1..] };
            for (pattern, assignments) in rules {
                if let Some(state) = self.last(assignments, name, MAX_DEPTH)
                    && pattern.matches(inside)
                {
                    found = Some(state);
                }
            }
        }
        found.filter(|state| **state != State::Unspecified)
    }

    /// What a line says of an attribute, itself or through a macro; the last word counts.
    fn last<'a>(&'a self, assignments: &'a Assignments, name: &[u8], depth: usize) -> Option<&'a State> {
        assignments.iter().rev().find_map(|(given, state)| {
            if given == name {
                return Some(state);
            }
            let expansion = self.macros.get(given).filter(|_| *state == State::Set && depth > 0)?;
            self.last(expansion, name, depth - 1)
        })
    }

    fn add(&mut self, folder: &[u8], text: &[u8]) {
        if text.len() > MAX_FILE {
            return;
        }
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
                None => {
                    if let Some(pattern) = Pattern::new(&pattern) {
                        self.folders.entry(folder.to_vec()).or_default().push((pattern, assignments));
                    }
                }
            }
        }
    }
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

/// The folders of a path from the root (empty) down.
fn folders_of(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let slashes = path.iter().enumerate().filter(|&(_, &byte)| byte == b'/').map(|(at, _)| &path[..at]);
    std::iter::once(&path[..0]).chain(slashes)
}

impl Repo {
    /// The rules that hold for some paths on one side.
    pub(super) fn rules<'a>(&self, place: Place, paths: impl Iterator<Item = &'a [u8]>) -> Rules {
        let mut rules = Rules::default();
        let binary = [&b"diff"[..], b"merge", b"text"].map(|name| (name.to_vec(), State::Unset));
        rules.macros.insert(b"binary".to_vec(), binary.to_vec());
        let folders: BTreeSet<&[u8]> = paths.flat_map(folders_of).collect();
        for folder in folders {
            let file =
                if folder.is_empty() { b".gitattributes".to_vec() } else { [folder, b"/.gitattributes"].concat() };
            if let Some(text) = self.small_file(place, &file) {
                rules.add(folder, &text);
            }
        }
        rules
    }

    /// Like git, the index stands in for what the work tree does not have.
    fn small_file(&self, place: Place, path: &[u8]) -> Option<Vec<u8>> {
        let found = match place {
            Place::WorkTree { .. } => worktree::read(&self.root, path).ok().flatten().map(|(_, content)| content),
            _ => None,
        };
        found.or_else(|| match place {
            Place::WorkTree { .. } => self.object_at(Place::Index, path).ok().flatten(),
            _ => self.object_at(place, path).ok().flatten(),
        })
    }

    pub(super) fn rules_for(&self, place: Place, entries: &[Entry]) -> Rules {
        let from = entries.iter().filter_map(|entry| entry.from.as_ref()).map(|from| &*from.path);
        self.rules(place, entries.iter().map(|entry| &*entry.path).chain(from))
    }

    /// The attributes that decide what is sent of each file, from the change's own new side; for a patch, which has
    /// none, from the work tree.
    pub fn attributes(&self, target: &Target, change: &Change) -> Result<Attributes, RepoError> {
        let place = match target {
            Target::Patch { .. } | Target::MergeRequest { .. } if self.git.is_bare() => {
                self.head()?.map_or(Place::Nothing, |head| Place::Commit(head.id()))
            }
            Target::Patch { .. } | Target::MergeRequest { .. } => Place::WorkTree { untracked: false },
            _ => self.sides(target)?.new,
        };
        let rules = self.rules(place, change.files.iter().map(|file| file.path().as_bytes()));
        let file = |path: &[u8]| FileAttributes {
            generated: flag(rules.get(path, b"linguist-generated")),
            vendored: flag(rules.get(path, b"linguist-vendored")),
            diff: rules.get(path, b"diff").map(|state| *state != State::Unset),
        };
        Ok(change.files.iter().map(|entry| (entry.path().clone(), file(entry.path().as_bytes()))).collect())
    }
}

/// Yes or no, as linguist reads it: also `=true` and `=false`.
fn flag(state: Option<&State>) -> Option<bool> {
    match state? {
        State::Set => Some(true),
        State::Unset => Some(false),
        State::Unspecified => None,
        State::Value(value) => Some(!value.eq_ignore_ascii_case(b"false")),
    }
}
