//! Finds the references and callers of a definition.

use std::ops::ControlFlow;

use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::index::FileId;
use super::rank::ranked;
use super::{Found, Missing, Navigator, Place, Target, is_call};
use crate::symbols::{Binding, FileSymbols, Kind, NameUse, Use};

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
        let mut usages = Vec::new();
        let mut add = |usage| {
            usages.push(usage);
            ControlFlow::Continue(())
        };
        let stopped = self.each_caller(path, line, column, &|_| true, &mut add)?;
        usages.sort_by(|one, other| (!one.certain, one).cmp(&(!other.certain, other)));
        Ok(References { usages, candidates: Vec::new(), stopped })
    }

    /// Calls a function with the calls of the definition at a place, file by file, until it breaks. Only files that `is_searched` allows
    /// are read. Returns whether the search stopped at its limit, so that there can be more.
    pub fn each_caller(
        &self,
        path: &str,
        line: u32,
        column: u32,
        is_searched: &dyn Fn(&str) -> bool,
        each: &mut dyn FnMut(Usage) -> ControlFlow<()>,
    ) -> Result<bool, Missing> {
        let (targets, certain) = match self.targets_at(path, line, column)? {
            Found::Certain(target) => (vec![target], true),
            Found::Possible(targets) => (targets, false),
            Found::External(module) => return Err(Missing::External(module)),
            Found::Nothing => return Err(Missing::Undefined(self.name_at(path, line, column))),
        };
        let mut add = |usage: Usage| {
            let certain = usage.certain && certain;
            if usage.call { each(Usage { certain, ..usage }) } else { ControlFlow::Continue(()) }
        };
        for target in &targets {
            let Target::Local(file, at) = *target else { continue };
            for usage in self.usages_of_local(file, at) {
                if add(usage).is_break() {
                    return Ok(false);
                }
            }
        }
        Ok(self.usages_of_definitions(&targets, NameUse::Call, is_searched, &mut add))
    }

    /// Returns all uses of the targets.
    fn usages(&self, targets: &[Target]) -> References {
        let mut found = References::default();
        for target in targets {
            if let Target::Local(file, at) = target {
                found.usages.extend(self.usages_of_local(*file, *at));
            }
        }
        let mut add = |usage| {
            found.usages.push(usage);
            ControlFlow::Continue(())
        };
        let stopped = self.usages_of_definitions(targets, NameUse::Mention, &|_| true, &mut add);
        found.stopped = stopped;
        found.usages.sort_by(|one, other| (!one.certain, one).cmp(&(!other.certain, other)));
        found
    }

    fn usages_of_local(&self, file: FileId, at: u32) -> Vec<Usage> {
        let (Some(symbols), Some(path)) = (self.load(file), self.index.path(file)) else { return Vec::new() };
        let own = symbols.references.iter().filter(|one| one.binding == Binding::Local(at));
        own.map(|one| usage(path, &symbols, one, true)).collect()
    }

    /// Calls a function with the uses of definitions, in one pass over the files that can use their names, until it breaks. Returns
    /// whether the search stopped at its limit.
    fn usages_of_definitions(
        &self,
        targets: &[Target],
        wanted: NameUse,
        is_searched: &dyn Fn(&str) -> bool,
        each: &mut dyn FnMut(Usage) -> ControlFlow<()>,
    ) -> bool {
        let (names, files) = self.names_and_files(targets, wanted);
        let mut count = 0;
        for other in files {
            if count >= MAX_USAGES {
                return true;
            }
            let Some(path) = self.index.path(other).filter(|path| is_searched(path)) else { continue };
            let Some(symbols) = self.load(other) else { continue };
            let own: FxHashSet<u32> = (0..)
                .zip(&symbols.names)
                .filter(|(_, known)| names.iter().any(|name| name == *known))
                .map(|(id, _)| id)
                .collect();
            let aliases = aliases(&symbols, &own);
            for one in &symbols.references {
                if !own.contains(&one.name) && !aliases.contains(&one.name)
                    || one.kind == Use::Import && aliases.contains(&one.name)
                    || wanted == NameUse::Call && !is_call(one.kind)
                {
                    continue;
                }
                let resolved = self.find(other, &symbols, one);
                if resolved.targets().iter().any(|target| targets.contains(target)) {
                    count += 1;
                    let certain = matches!(resolved, Found::Certain(_));
                    if each(usage(path, &symbols, one, certain)).is_break() {
                        return false;
                    }
                }
            }
        }
        false
    }

    /// Returns the names by which definitions are used, and the files that can use them in some way.
    fn names_and_files(&self, targets: &[Target], wanted: NameUse) -> (Vec<String>, Vec<FileId>) {
        let (mut names, mut files) = (Vec::new(), Vec::new());
        for target in targets {
            let Target::Definition(file, at) = *target else { continue };
            let (Some(outline), Some(definition)) = (self.outline(file), self.definition_of(file, at)) else {
                continue;
            };
            let mut own = vec![outline.name(definition.name).to_owned()];
            // A class in Python is used by its name, a constructor by the name of its class.
            if definition.kind == Kind::Constructor {
                own.extend(definition.owner.map(|owner| outline.name(owner).to_owned()));
            }
            if definition.local {
                files.push(file);
            } else {
                files.extend(self.files_that_name(&own, file, wanted));
            }
            names.extend(own);
        }
        names.sort_unstable();
        names.dedup();
        files.sort_unstable();
        files.dedup();
        (names, files)
    }

    /// Returns the files in a language of a definition that can use its names.
    fn files_that_name(&self, names: &[String], own: FileId, wanted: NameUse) -> Vec<FileId> {
        let language = self.index.language(own);
        let speaks = |file: &FileId| {
            self.index.language(*file).zip(language).is_some_and(|(other, language)| other.speaks_with(language))
        };
        let files = names.iter().flat_map(|name| self.files_with(name, wanted).into_owned());
        files.filter(speaks).chain([own]).collect()
    }
}

/// Returns the local names under which a file imports one of the names.
fn aliases(symbols: &FileSymbols, names: &FxHashSet<u32>) -> FxHashSet<u32> {
    let renamed = symbols.imports.iter().filter(|one| one.name.is_some_and(|name| name != one.local));
    renamed.filter(|one| one.name.is_some_and(|name| names.contains(&name))).map(|one| one.local).collect()
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
