//! Finds the references and callers of a definition.

use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::index::FileId;
use super::rank::ranked;
use super::{Found, Missing, Navigator, Place, Target, is_call};
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

/// The references to a symbol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct References {
    /// The references, the certain ones first. With `candidates`, none is certain.
    pub usages: Vec<Usage>,
    /// The possible definitions, the most likely first, if the definition is not certain.
    pub candidates: Vec<Place>,
    /// The search stopped at `MAX_USAGES`, so there can be more.
    pub stopped: bool,
}

impl Navigator<'_> {
    /// Returns the references to the symbol at a place. A place with several candidates has the references of all of them.
    pub fn references(&self, path: &str, line: u32, column: u32) -> Result<References, Missing> {
        let found = self.targets_at(path, line, column)?;
        match found {
            Found::Certain(target) => Ok(self.usages(&[target])),
            Found::Possible(targets) => {
                let mut found = self.usages(&targets);
                found.usages.iter_mut().for_each(|usage| usage.certain = false);
                found.usages.sort();
                let places = targets.into_iter().filter_map(|target| self.place(target)).collect();
                Ok(References { candidates: ranked(places, path), ..found })
            }
            Found::External(module) => Err(Missing::External(module)),
            Found::Nothing => Err(Missing::Undefined(self.name_at(path, line, column))),
        }
    }

    /// Returns the calls of the definition at a place.
    pub fn callers(&self, path: &str, line: u32, column: u32) -> Result<References, Missing> {
        let mut found = self.references(path, line, column)?;
        found.usages.retain(|usage| usage.call);
        Ok(found)
    }

    /// Returns all uses of the targets.
    fn usages(&self, targets: &[Target]) -> References {
        let mut found = References::default();
        let mut rest = Vec::new();
        for target in targets {
            match target {
                Target::Local(file, at) => found.usages.extend(self.usages_of_local(*file, *at)),
                Target::Definition(..) => rest.push(*target),
                Target::File(_) => {}
            }
        }
        self.usages_of_definitions(&rest, &mut found);
        found.usages.sort_by(|one, other| (!one.certain, one).cmp(&(!other.certain, other)));
        found
    }

    fn usages_of_local(&self, file: FileId, at: u32) -> Vec<Usage> {
        let (Some(symbols), Some(path)) = (self.load(file), self.index.path(file)) else { return Vec::new() };
        let own = symbols.references.iter().filter(|one| one.binding == Binding::Local(at));
        own.map(|one| usage(path, &symbols, one, true)).collect()
    }

    /// Adds the uses of definitions in one pass over the files that mention their names.
    fn usages_of_definitions(&self, targets: &[Target], found: &mut References) {
        let (names, files) = self.names_and_files(targets);
        for other in files {
            if found.usages.len() >= MAX_USAGES {
                found.stopped = true;
                return;
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
                let resolved = self.find(other, &symbols, one);
                if resolved.targets().iter().any(|target| targets.contains(target)) {
                    found.usages.push(usage(path, &symbols, one, matches!(resolved, Found::Certain(_))));
                }
            }
        }
    }

    /// Returns the names by which definitions are used, and the files that can use them.
    fn names_and_files(&self, targets: &[Target]) -> (Vec<String>, Vec<FileId>) {
        let (mut names, mut files) = (Vec::new(), Vec::new());
        for target in targets {
            let Target::Definition(file, at) = *target else { continue };
            let (Some(outline), Some(definition)) = (self.index.outline(file), self.definition_of(file, at)) else {
                continue;
            };
            let mut own = vec![outline.name(definition.name).to_owned()];
            // A class in Python is used by its name, a constructor by the name of its class.
            if definition.kind == Kind::Constructor {
                own.extend(definition.owner.map(|owner| outline.name(owner).to_owned()));
            }
            files.extend(if definition.local { vec![file] } else { self.files_that_name(&own, file) });
            names.extend(own);
        }
        names.sort_unstable();
        names.dedup();
        files.sort_unstable();
        files.dedup();
        (names, files)
    }

    fn files_that_name(&self, names: &[String], own: FileId) -> Vec<FileId> {
        names.iter().flat_map(|name| self.index.mentions(name)).copied().chain([own]).collect()
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
