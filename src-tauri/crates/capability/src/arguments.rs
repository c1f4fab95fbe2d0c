//! The values that the callers of a function of the project give to its parameters, in languages in which a parameter needs no type.

use std::collections::{HashMap, HashSet};

use smol_str::SmolStr;

use super::facts::{Binding, Facts, NAMELESS, Unit, UnitKind, Use};
use super::resolve::{Names, Resolution};
use super::scope::NameScope;

/// The maximum number of other files in which callers of a function are searched.
const MAX_CALLERS: usize = 12;
/// Methods that create an object of their class.
const CONSTRUCTORS: &[&str] = &["__init__", "constructor", "initialize", "__construct"];

/// A parameter by its file, function and place in the list.
type Parameter = (String, usize, usize);

/// The values of parameters, each resolved once.
#[derive(Default)]
pub(super) struct Arguments {
    known: HashMap<Parameter, Option<Resolution>>,
    /// The parameters that are being resolved. They stop recursion.
    inside: HashSet<Parameter>,
}

impl Names<'_> {
    /// Resolves what callers give to a parameter. Returns `None` if that is not known, or differs between them.
    pub(super) fn argument(&self, from: &NameScope, parameter: &Binding, fuel: u8) -> Option<Resolution> {
        let function = from.facts.units.get(parameter.unit).filter(|unit| unit.kind == UnitKind::Function)?;
        let at = function.parameters.iter().position(|name| *name == parameter.name)?;
        let key = (from.file.clone(), parameter.unit, at);
        if let Some(known) = self.arguments.borrow().known.get(&key) {
            return known.clone();
        }
        let fuel = fuel.checked_sub(4)?;
        if !self.arguments.borrow_mut().inside.insert(key.clone()) {
            return None;
        }
        let found = self.given(from, function, at, fuel);
        let mut arguments = self.arguments.borrow_mut();
        arguments.inside.remove(&key);
        arguments.known.insert(key, found.clone());
        found
    }

    fn given(&self, from: &NameScope, function: &Unit, at: usize, fuel: u8) -> Option<Resolution> {
        let is_constructor = CONSTRUCTORS.contains(&function.name.as_str());
        let name = if is_constructor { function.class.as_ref()? } else { &function.name };
        if name.is_empty() {
            return None;
        }
        let mut found: Option<Resolution> = None;
        let own = std::iter::once(from.file.clone());
        for file in own.chain(self.callers(&from.file, name)) {
            let Some(facts) = self.project.facts(&file) else { continue };
            for one in facts.uses.iter().filter(|one| calls(one, name)) {
                let Some(chain) = argument_of(one, at, &function.parameters[at]) else { continue };
                let scope = NameScope { file: file.clone(), facts: facts.clone(), unit: one.unit, line: one.line };
                // A local function with the same name is another one.
                if file != from.file && defines(&facts, name) {
                    continue;
                }
                let value = self.value(&scope, &chain.segs, fuel);
                let is_known = match &value {
                    Resolution::Unknown(_) => false,
                    Resolution::Foreign { path, builtin, .. } => !builtin || path.len() > 1,
                    Resolution::Unit(file, unit) => {
                        let facts = self.project.facts(file);
                        facts.is_some_and(|facts| facts.units.get(*unit).is_some_and(|unit| !unit.is_object))
                    }
                    Resolution::File(_) => true,
                };
                match &found {
                    _ if !is_known => {}
                    None => found = Some(value),
                    Some(known) if *known == value => {}
                    Some(_) => return None,
                }
            }
        }
        found
    }

    /// Returns the other files near a function that mention its name.
    fn callers(&self, file: &str, name: &str) -> Vec<String> {
        let Some(language) = self.project.language(file) else { return Vec::new() };
        let mut near = self.neighbours(file, language);
        near.retain(|path| self.project.mentions(path, name));
        near.truncate(MAX_CALLERS);
        near
    }
}

/// Returns whether a use calls a function by its name, also as a method of some object.
fn calls(one: &Use, name: &str) -> bool {
    !one.given.is_empty() && one.chain.segs.last().is_some_and(|last| last.called && last.name == *name)
}

/// Returns the chain that a call gives to a parameter, by its place or by its name.
fn argument_of<'u>(one: &'u Use, at: usize, name: &str) -> Option<&'u super::facts::Chain> {
    let named = |arg: &SmolStr| arg.split_once('=').is_some_and(|(key, _)| key.trim_end_matches(':') == name);
    let place = one.args.iter().position(named);
    let has_name = |at: usize| one.args.get(at).is_some_and(|arg| arg.contains('=') && place.is_none());
    let place = place.or(Some(at).filter(|at| !has_name(*at)))?;
    one.given.get(place).filter(|chain| chain.root() != NAMELESS)
}

fn defines(facts: &Facts, name: &str) -> bool {
    facts.units.iter().any(|unit| unit.name == *name && unit.kind == UnitKind::Function && unit.class.is_none())
}
