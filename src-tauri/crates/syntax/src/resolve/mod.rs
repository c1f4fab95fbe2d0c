//! Connects the symbols of many files: definitions, references and callers.
//!
//! In: a `SymbolIndex` over the files of one tree, and a function that loads a file's symbols. Out: places. An answer is
//! `Resolution::One` only if the rules of the language leave no other candidate that the index knows.

mod changed;
mod index;
mod lookup;
mod members;
mod modules;
mod names;
mod rank;
mod usages;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::symbols::{Definition, FileSymbols, Use};

pub use changed::{SignatureChange, Version, changed_signatures};
pub use index::{FileId, SymbolIndex};
pub use usages::{References, Usage};

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// The path in the tree.
    pub path: String,
    /// The line of the name, from 1.
    pub line: u32,
    /// Bytes before the name in its line.
    pub column: u32,
    /// The last line of the definition. The line of the name for other places.
    pub last_line: u32,
    /// The name, with the names of its containers, joined by dots.
    pub name: String,
    /// The kind of the definition; `local` for a variable, `file` for a module that is a file.
    pub kind: String,
}

/// The reason why nothing was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "reason", content = "detail")]
pub enum Missing {
    /// The file has no grammar, or is too large or binary.
    Unread,
    /// There is no name at the place.
    NoName,
    /// It is defined in a module outside of the tree.
    External(String),
    /// No file of the tree defines the name.
    Undefined(String),
}

/// The answer to the question where a name is defined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    /// The definition.
    One(Place),
    /// Candidates, the most likely first. There may be only one, if it is not certain.
    Several(Vec<Place>),
    /// Nothing.
    None(Missing),
}

impl Resolution {
    /// Returns the candidates, the most likely first.
    pub fn places(&self) -> &[Place] {
        match self {
            Self::One(place) => std::slice::from_ref(place),
            Self::Several(places) => places,
            Self::None(_) => &[],
        }
    }
}

/// A thing that a name can refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// An index in `FileSymbols::definitions`.
    Definition(FileId, u32),
    /// An index in `FileSymbols::locals`.
    Local(FileId, u32),
    /// A file as a module.
    File(FileId),
}

/// The targets of a name, before they become places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Certain.
    Certain(Target),
    /// Possible.
    Possible(Vec<Target>),
    /// In a module outside of the tree.
    External(String),
    /// Nowhere.
    Nothing,
}

impl Found {
    fn of(mut targets: Vec<Target>, certain: bool) -> Self {
        targets.sort_unstable();
        targets.dedup();
        match targets.as_slice() {
            [] => Self::Nothing,
            [one] if certain => Self::Certain(*one),
            _ => Self::Possible(targets),
        }
    }

    fn targets(&self) -> &[Target] {
        match self {
            Self::Certain(one) => std::slice::from_ref(one),
            Self::Possible(targets) => targets,
            _ => &[],
        }
    }

    fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }
}

/// A function that loads the symbols of a path. It may be called often, so it should remember its results.
pub type Load<'a> = &'a (dyn Fn(&str) -> Option<Arc<FileSymbols>> + Sync);

/// Answers questions about one tree.
#[derive(Clone, Copy)]
pub struct Navigator<'a> {
    pub(crate) index: &'a SymbolIndex,
    pub(crate) load: Load<'a>,
}

impl<'a> Navigator<'a> {
    /// Creates a navigator. `load` must return the symbols from which the index was made.
    pub fn new(index: &'a SymbolIndex, load: Load<'a>) -> Self {
        Self { index, load }
    }

    /// Returns the index of the paths.
    pub fn index(&self) -> &'a SymbolIndex {
        self.index
    }

    /// Returns the symbols of a file.
    pub fn symbols(&self, path: &str) -> Option<Arc<FileSymbols>> {
        (self.load)(path)
    }

    /// Returns the definition of the name at a place. `line` is from 1, `column` in bytes from 0.
    pub fn definition(&self, path: &str, line: u32, column: u32) -> Resolution {
        match self.targets_at(path, line, column) {
            Ok(found) => self.resolution(path, found, || self.name_at(path, line, column)),
            Err(missing) => Resolution::None(missing),
        }
    }

    /// Returns the names on a line that can be asked about, each once, with their columns in bytes.
    pub fn names_on(&self, path: &str, line: u32) -> Result<Vec<(String, u32)>, Missing> {
        let symbols = (self.load)(path).ok_or(Missing::Unread)?;
        let definitions = symbols.definitions.iter().map(|one| (one.at, one.name));
        let locals = symbols.locals.iter().map(|one| (one.at, one.name));
        let references = symbols.references.iter().map(|one| (one.at, one.name));
        let all = definitions.chain(locals).chain(references).filter(|(at, _)| at.line == line);
        let mut found: Vec<(String, u32)> = all.map(|(at, name)| (symbols.name(name).to_owned(), at.column)).collect();
        found.sort_by(|one, other| (&one.0, one.1).cmp(&(&other.0, other.1)));
        found.dedup_by(|next, kept| next.0 == kept.0);
        found.sort_by_key(|(_, column)| *column);
        Ok(found)
    }

    /// Returns the definition of a name, which may have containers: `run`, `Server.run`, `crate::Server::run`.
    pub fn named(&self, name: &str) -> Resolution {
        let found = self.find_path(name);
        self.resolution("", found, || name.to_owned())
    }

    /// Returns the targets of a definition's own name, of a reference, or of a local variable at a place.
    pub(crate) fn targets_at(&self, path: &str, line: u32, column: u32) -> Result<Found, Missing> {
        let (Some(file), Some(symbols)) = (self.index.file(path), (self.load)(path)) else {
            return Err(Missing::Unread);
        };
        if let Some(at) = symbols.definition_at(line, column) {
            return Ok(Found::Certain(Target::Definition(file, at)));
        }
        if let Some(at) = symbols.local_at(line, column) {
            return Ok(Found::Certain(Target::Local(file, at)));
        }
        let reference = symbols.reference_at(line, column).ok_or(Missing::NoName)?;
        Ok(self.find(file, &symbols, reference))
    }

    fn name_at(&self, path: &str, line: u32, column: u32) -> String {
        let symbols = (self.load)(path);
        let name = symbols.and_then(|symbols| {
            symbols.reference_at(line, column).map(|reference| symbols.name(reference.name).to_owned())
        });
        name.unwrap_or_default()
    }

    fn resolution(&self, from: &str, found: Found, name: impl FnOnce() -> String) -> Resolution {
        match found {
            Found::Certain(target) => match self.place(target) {
                Some(place) => Resolution::One(place),
                None => Resolution::None(Missing::Undefined(name())),
            },
            Found::Possible(targets) => {
                let places = targets.into_iter().filter_map(|target| self.place(target)).collect();
                Resolution::Several(rank::ranked(places, from))
            }
            Found::External(module) => Resolution::None(Missing::External(module)),
            Found::Nothing => Resolution::None(Missing::Undefined(name())),
        }
    }

    /// Returns the place of a target.
    pub fn place(&self, target: Target) -> Option<Place> {
        match target {
            Target::Definition(file, at) => {
                let outline = self.outline(file)?;
                Some(place_of(self.index.path(file)?, outline, outline.definitions.get(at as usize)?))
            }
            Target::Local(file, at) => {
                let path = self.index.path(file)?;
                let symbols = (self.load)(path)?;
                let local = symbols.locals.get(at as usize)?;
                Some(Place {
                    path: path.to_owned(),
                    line: local.at.line,
                    column: local.at.column,
                    last_line: local.at.line,
                    name: symbols.name(local.name).to_owned(),
                    kind: "local".to_owned(),
                })
            }
            Target::File(file) => {
                let path = self.index.path(file)?;
                let name = path.rsplit('/').next().unwrap_or(path).to_owned();
                Some(Place { path: path.to_owned(), line: 1, column: 0, last_line: 1, name, kind: "file".to_owned() })
            }
        }
    }
}

/// Returns the place of a definition.
pub fn place_of(path: &str, symbols: &FileSymbols, definition: &Definition) -> Place {
    Place {
        path: path.to_owned(),
        line: definition.at.line,
        column: definition.at.column,
        last_line: definition.last_line,
        name: symbols.path_of(definition).join("."),
        kind: definition.kind.name().to_owned(),
    }
}

/// Returns whether a use of a name can run the code of its definition.
pub fn is_call(kind: Use) -> bool {
    matches!(kind, Use::Call | Use::Macro)
}

#[cfg(test)]
mod tests;
