//! Finds the references and callers of a definition.

use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::index::FileId;
use super::{Found, Missing, Navigator, Target, is_call};
use crate::symbols::{Binding, FileSymbols, Kind, Use};

/// The number of references after which a search stops.
pub const MAX_USAGES: usize = 2_000;

/// A use of a definition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// The path in the tree.
    pub path: String,
    /// The line of the name, from 1.
    pub line: u32,
    /// Bytes before the name in its line.
    pub column: u32,
    /// The name of the definition around it, with its containers. Empty at the top of a file.
    pub within: String,
    /// The line of the definition around it.
    pub within_line: u32,
    /// The last line of the definition around it.
    pub within_last: u32,
    /// It calls the definition.
    pub call: bool,
    /// It can refer to nothing else.
    pub certain: bool,
}

impl Navigator<'_> {
    /// Returns the references to the symbol at a place, the certain ones first. A place with several candidates has the
    /// references of the first one.
    pub fn references(&self, path: &str, line: u32, column: u32) -> Result<Vec<Usage>, Missing> {
        let found = self.targets_at(path, line, column)?;
        match found {
            Found::Certain(target) => Ok(self.usages(target)),
            Found::Possible(targets) => {
                let first = targets.first().copied();
                Ok(first.map(|target| self.usages(target)).unwrap_or_default())
            }
            Found::External(module) => Err(Missing::External(module)),
            Found::Nothing => Err(Missing::Undefined(self.name_at(path, line, column))),
        }
    }

    /// Returns the calls of the definition at a place.
    pub fn callers(&self, path: &str, line: u32, column: u32) -> Result<Vec<Usage>, Missing> {
        let mut all = self.references(path, line, column)?;
        all.retain(|usage| usage.call);
        Ok(all)
    }

    /// Returns all uses of a target.
    pub fn usages(&self, target: Target) -> Vec<Usage> {
        let mut found = match target {
            Target::Local(file, at) => self.usages_of_local(file, at),
            Target::Definition(file, at) => self.usages_of_definition(file, at),
            Target::File(_) => Vec::new(),
        };
        found.sort_by(|one, other| {
            (!one.certain, &one.path, one.line, one.column).cmp(&(
                !other.certain,
                &other.path,
                other.line,
                other.column,
            ))
        });
        found
    }

    fn usages_of_local(&self, file: FileId, at: u32) -> Vec<Usage> {
        let (Some(symbols), Some(path)) = (self.load(file), self.index.path(file)) else { return Vec::new() };
        let own = symbols.references.iter().filter(|one| one.binding == Binding::Local(at));
        own.map(|one| usage(path, &symbols, one, true)).collect()
    }

    fn usages_of_definition(&self, file: FileId, at: u32) -> Vec<Usage> {
        let (Some(outline), Some(definition)) = (self.index.outline(file), self.definition_of(file, at)) else {
            return Vec::new();
        };
        let target = Target::Definition(file, at);
        let name = outline.name(definition.name);
        let mut names: Vec<String> = vec![name.to_owned()];
        // A class in Python is used by its name, a constructor by the name of its class.
        if definition.kind == Kind::Constructor {
            names.extend(definition.owner.map(|owner| outline.name(owner).to_owned()));
        }
        let files: Vec<FileId> = if definition.local { vec![file] } else { self.files_that_name(&names, file) };
        let mut all = Vec::new();
        for other in files {
            if all.len() >= MAX_USAGES {
                break;
            }
            let (Some(symbols), Some(path)) = (self.load(other), self.index.path(other)) else { continue };
            let aliases = aliases(&symbols, &names);
            for one in &symbols.references {
                let own = symbols.name(one.name);
                if !names.iter().any(|name| name == own) && !aliases.contains(&one.name)
                    || one.kind == Use::Import && aliases.contains(&one.name)
                {
                    continue;
                }
                match self.find(other, &symbols, one) {
                    Found::Certain(found) if found == target => all.push(usage(path, &symbols, one, true)),
                    Found::Possible(targets) if targets.contains(&target) => {
                        all.push(usage(path, &symbols, one, false))
                    }
                    _ => {}
                }
            }
        }
        all
    }

    fn files_that_name(&self, names: &[String], own: FileId) -> Vec<FileId> {
        let mut files: Vec<FileId> =
            names.iter().flat_map(|name| self.index.mentions(name)).copied().chain([own]).collect();
        files.sort_unstable();
        files.dedup();
        files
    }
}

/// Returns the local names under which a file imports one of the names.
fn aliases(symbols: &FileSymbols, names: &[String]) -> FxHashSet<u32> {
    let renamed = symbols.imports.iter().filter(|one| one.name.is_some_and(|name| name != one.local));
    renamed
        .filter(|one| one.name.is_some_and(|name| names.iter().any(|known| known == symbols.name(name))))
        .map(|one| one.local)
        .collect()
}

fn usage(path: &str, symbols: &FileSymbols, one: &crate::symbols::Reference, certain: bool) -> Usage {
    // The nearest function or type, not a field or a variable.
    let mut within = one.enclosing.and_then(|at| symbols.definitions.get(at as usize));
    while let Some(outer) =
        within.filter(|one| !(one.kind.is_callable() || one.kind.has_members()) || one.kind == Kind::Variant)
    {
        within = outer.container.and_then(|at| symbols.definitions.get(at as usize));
    }
    Usage {
        path: path.to_owned(),
        line: one.at.line,
        column: one.at.column,
        within: within.map(|within| symbols.path_of(within).join(".")).unwrap_or_default(),
        within_line: within.map_or(0, |within| within.at.line),
        within_last: within.map_or(0, |within| within.last_line),
        call: is_call(one.kind),
        certain,
    }
}
