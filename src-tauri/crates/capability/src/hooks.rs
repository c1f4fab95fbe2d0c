//! The methods of a class that a library calls: those of a class with a parent of the library, while a method that it inherits runs.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::facts::{Chain, THIS, Unit, UnitKind};
use super::follow::Follow;
use super::found::Below;
use super::hidden_code::LIFECYCLE;
use super::reach::{Open, Reach};
use super::resolve::Resolution;
use super::uses::Site;

/// The maximum number of parents between a class and a library.
const MAX_PARENTS: usize = 8;
/// The names of constructors, which run before.
const CONSTRUCTORS: &[&str] = &["__init__", "constructor", "initialize", "__construct"];

impl Follow<'_> {
    /// Adds the methods that a library can call while a method of it runs that a class of the project inherits: `load(id)` of a class that
    /// defines how a batch is loaded. Which of them it calls is not known, so the use is only open.
    pub(super) fn of_hooks(&self, site: &Site<'_>, below: &mut Below) {
        let Site { path, one, depth, .. } = *site;
        let Some((method, object)) = one.chain.segs.split_last().filter(|(_, object)| !object.is_empty()) else {
            return;
        };
        // Only those of the changed files: in other code, most methods of a large class have nothing to do with the change.
        if one.chain.root() == THIS || self.only_modules || !self.changed.contains(path) {
            return;
        }
        let object = Chain { segs: object.to_vec() };
        let Resolution::Unit(file, at) = self.names.value_of(path, one.unit, one.line, &object) else { return };
        let Some(class) = self.names.project.facts(&file).and_then(|facts| facts.units.get(at).cloned()) else {
            return;
        };
        if class.kind != UnitKind::Class || class.is_object {
            return;
        }
        let hop = self.hop_of(site);
        let mut alike: BTreeMap<usize, Reach> = BTreeMap::new();
        for (file, at) in self.own_methods(&file, at) {
            let Some(left) = depth.checked_sub(1) else {
                below.set_cut();
                return;
            };
            let inner = self.of_unit(&file, at, left);
            below.include(&inner, 1);
            for effect in inner.effects.iter().filter(|effect| !effect.likely) {
                alike.entry(effect.effect).or_insert_with(|| effect.through(&hop).reach(""));
            }
            below.open.extend(inner.open.iter().map(|open| open.through(&hop)));
        }
        if !alike.is_empty() {
            let alike = alike.into_values().collect();
            let open =
                Open { alike, is_hook: true, ..Open::new(&[class.name.to_string(), method.name.to_string()], None) };
            below.add_open(open, Rc::clone(&hop));
        }
    }

    /// Returns the methods that a class and its parents in the project define, besides those that run when an object is made.
    fn own_methods(&self, file: &str, at: usize) -> Vec<(String, usize)> {
        let mut found = Vec::new();
        let mut class = Some((file.to_owned(), at));
        for _ in 0..MAX_PARENTS {
            let Some((file, at)) = class.take() else { break };
            let Some(facts) = self.names.project.facts(&file) else { break };
            let Some(unit) = facts.units.get(at) else { break };
            let is_own = |one: &Unit| {
                one.class.as_ref() == Some(&unit.name)
                    && one.kind == UnitKind::Function
                    && !one.is_abstract
                    && !CONSTRUCTORS.contains(&one.name.as_str())
                    && !LIFECYCLE.contains(&one.name.as_str())
            };
            found.extend((0..facts.units.len()).filter(|at| is_own(&facts.units[*at])).map(|at| (file.clone(), at)));
            class = unit.bases.iter().find_map(|base| match self.names.resolve(&file, unit.parent, u32::MAX, base) {
                Resolution::Unit(file, at) => Some((file, at)),
                _ => None,
            });
        }
        found
    }
}
