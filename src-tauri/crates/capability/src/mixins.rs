//! The methods that a class has without defining them: those of traits and mixins, and the one that stands for all others.

use std::sync::Arc;

use super::facts::{Facts, Unit, UnitKind};
use super::resolve::{Names, Resolution};
use super::scope::{NameScope, class_unit};
use crate::read::language_of;
use diffsan_syntax::language::Language;

impl Names<'_> {
    /// Resolves a method that a class has without being its parent's: one with a body in a trait of Rust, or one of a module inside of a mixin
    /// of Ruby, which the mixin gives to the class.
    pub(super) fn of_mixin(
        &self,
        file: &str,
        facts: &Arc<Facts>,
        class: usize,
        name: &str,
        fuel: u8,
    ) -> Option<Resolution> {
        let language = self.project.language(file)?;
        let unit = facts.units.get(class)?;
        let mixins = match language {
            Language::Rust => &unit.interfaces,
            Language::Ruby => &unit.bases,
            _ => return None,
        };
        let outside = NameScope { file: file.to_owned(), facts: Arc::clone(facts), unit: unit.parent, line: u32::MAX };
        mixins.iter().find_map(|mixin| {
            let Resolution::Unit(other, at) = self.chain(&outside, &mixin.segs, fuel) else { return None };
            let there = self.project.facts(&other).filter(|_| other != file || at != class)?;
            let owner = there.units.get(at)?.name.clone();
            let is_inner = |one: &Unit| {
                let around = there.units.get(one.parent).map(|around| around.name.as_str());
                one.class.as_deref().is_some_and(|class| class == owner)
                    || language == Language::Ruby
                        && around.is_some()
                        && one.class.as_ref().is_some_and(|class| {
                            class_unit(&there, class).is_some_and(|inner| there.units[inner].parent == at)
                        })
            };
            let found = there.units.iter().position(|one| {
                one.name == name && one.kind == UnitKind::Function && !one.is_abstract && is_inner(one)
            })?;
            Some(Resolution::Unit(other, found))
        })
    }
}

/// Returns the method of a class that runs for a member that the class does not define.
pub(super) fn stand_in(from: &NameScope, class: &str, name: &str) -> Option<Resolution> {
    let methods: &[&str] = match language_of(&from.file)? {
        Language::Python => &["__getattr__", "__getattribute__"],
        Language::Ruby => &["method_missing"],
        Language::Php => &["__call", "__callStatic"],
        _ => return None,
    };
    if name.starts_with("__") || name.starts_with(char::is_uppercase) {
        return None;
    }
    let stands_in = |unit: &Unit| unit.class.as_deref() == Some(class) && methods.contains(&unit.name.as_str());
    let at = from.facts.units.iter().position(stands_in)?;
    Some(Resolution::Unit(from.file.clone(), at))
}
