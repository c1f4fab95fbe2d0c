//! The values that functions return. Each is resolved once, also where functions return what others return.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use super::facts::{Facts, UnitKind, UseKind};
use super::resolve::{FUEL, Names, Resolution};
use super::scope::{NameScope, binding};
use super::uses::Site;

/// A function by its file and unit.
type Function = (String, usize);

/// The results of functions. Without them, functions that return what others return, such as the methods of a builder, would be
/// resolved once for each way from one to another.
#[derive(Default)]
pub(super) struct Results {
    known: HashMap<Function, Option<Resolution>>,
    /// The functions that are being resolved, the outermost first.
    inside: Vec<Function>,
    /// Results that are incomplete, because one of `inside` is not known yet or the name takes too many steps.
    partial: HashMap<Function, Partial>,
    /// The reason why the result that is being resolved is incomplete so far.
    lacks: Lack,
}

struct Partial {
    found: Option<Resolution>,
    lacks: Lack,
    /// The steps that were left.
    fuel: u8,
}

/// The reason why a result is incomplete. A greater value holds for longer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Lack {
    #[default]
    Nothing,
    /// It needs functions that are being resolved, of which the outermost has this index in [`Results::inside`].
    Function(Reverse<usize>),
    /// The name takes too many steps.
    Steps,
}

impl Results {
    fn is_inside(&self, file: &str, unit: usize) -> bool {
        self.inside.iter().any(|(path, at)| path == file && *at == unit)
    }

    /// Begins to resolve a function. Returns why the result of the function around it is incomplete so far, or else the
    /// result to use.
    fn begin(&mut self, function: &Function, fuel: u8) -> Result<Lack, Option<Resolution>> {
        if let Some(at) = self.inside.iter().position(|one| one == function) {
            self.lacks = self.lacks.max(Lack::Function(Reverse(at)));
            return Err(None);
        }
        if let Some(partial) = self.partial.get(function)
            && (partial.lacks != Lack::Steps || fuel <= partial.fuel)
        {
            self.lacks = self.lacks.max(partial.lacks);
            return Err(partial.found.clone());
        }
        self.inside.push(function.clone());
        Ok(std::mem::take(&mut self.lacks))
    }

    fn end(&mut self, function: Function, found: &Option<Resolution>, fuel: u8, outer: Lack) {
        self.inside.pop();
        let own = Lack::Function(Reverse(self.inside.len()));
        // A function adds nothing to its own result, so a result that lacks only itself is complete.
        if self.lacks <= own {
            self.known.insert(function, found.clone());
            self.partial.retain(|_, partial| partial.lacks > own);
            self.lacks = outer;
        } else {
            let lacks = self.lacks;
            // Results that need this function are as incomplete as it is.
            self.partial.values_mut().filter(|partial| partial.lacks <= own).for_each(|partial| partial.lacks = lacks);
            self.partial.insert(function, Partial { found: found.clone(), lacks, fuel });
            self.lacks = lacks.max(outer);
        }
        if self.inside.is_empty() {
            self.partial.clear();
            self.lacks = Lack::Nothing;
        }
    }
}

impl Names<'_> {
    /// Returns the result of calling a function. The result of a class is the class itself. A function that is being resolved adds
    /// nothing to its own result.
    pub(super) fn result(&self, file: &str, unit: usize, fuel: u8) -> Option<Resolution> {
        let facts = self.project.facts(file)?;
        if facts.units.get(unit)?.kind != UnitKind::Function {
            return Some(Resolution::Unit(file.to_owned(), unit));
        }
        let function = (file.to_owned(), unit);
        if let Some(found) = self.results.borrow().known.get(&function) {
            return found.clone();
        }
        let fuel = self.spend(fuel)?;
        let outer = match self.results.borrow_mut().begin(&function, fuel) {
            Ok(outer) => outer,
            Err(found) => return found,
        };
        let found = self.returned(file, &facts, unit, fuel);
        self.results.borrow_mut().end(function, &found, fuel, outer);
        found
    }

    /// Returns whether a use passes on a variable with the result of a function, for which the function itself stands because its result is
    /// not known.
    pub(super) fn stands_for_result(&self, site: &Site<'_>, file: &str, unit: usize) -> bool {
        let [variable] = &*site.one.chain.segs else { return false };
        if site.one.kind != UseKind::Hand || variable.called {
            return false;
        }
        let Site { path, facts, one, .. } = site;
        let from = NameScope { file: (*path).to_owned(), facts: Arc::clone(facts), unit: one.unit, line: one.line };
        let is_result =
            binding(&from, &variable.name).and_then(|one| one.source).is_some_and(|source| source.is_called());
        is_result && self.result(file, unit, FUEL).is_none()
    }

    /// Takes a step to resolve a name. Returns the number of steps that are left.
    pub(super) fn spend(&self, fuel: u8) -> Option<u8> {
        let left = fuel.checked_sub(1);
        if left.is_none() {
            self.results.borrow_mut().lacks = Lack::Steps;
        }
        left
    }

    /// Returns the first value that a function returns and whose meaning is known.
    fn returned(&self, file: &str, facts: &Arc<Facts>, unit: usize, fuel: u8) -> Option<Resolution> {
        let definition = facts.units.get(unit)?;
        let from = NameScope { file: file.to_owned(), facts: Arc::clone(facts), unit, line: definition.end };
        let mut first = None;
        for returned in &definition.returns {
            let found = self.value(&from, &returned.segs, fuel);
            let known = match &found {
                Resolution::Unknown(_) => false,
                // A function that returns itself in another way, and another value.
                Resolution::Unit(file, unit) => !self.results.borrow().is_inside(file, *unit),
                _ => !is_bare_builtin(&found),
            };
            if known {
                return Some(found);
            }
            first.get_or_insert(found);
        }
        first
    }
}

pub(super) fn is_bare_builtin(meaning: &Resolution) -> bool {
    matches!(meaning, Resolution::Foreign { path, builtin: true, .. } if path.len() == 1)
}
