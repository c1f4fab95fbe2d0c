//! The names that are visible at a place of a file: variables, definitions and the enclosing class.

use std::cmp::Reverse;
use std::sync::Arc;

use super::facts::{Binding, Facts, UnitKind};
use crate::read::language_of;
use diffsan_syntax::language::Language;

/// The place from which a name is looked up.
#[derive(Clone)]
pub(super) struct NameScope {
    pub(super) file: String,
    pub(super) facts: Arc<Facts>,
    pub(super) unit: usize,
    pub(super) line: u32,
}

/// Returns the index of the enclosing unit.
pub(super) fn parent_unit(facts: &Facts, unit: usize) -> usize {
    facts.units.get(unit).map_or(0, |unit| unit.parent)
}

/// Returns the class that contains the place.
pub(super) fn own_class(from: &NameScope) -> Option<String> {
    let mut at = from.unit;
    loop {
        let unit = from.facts.units.get(at)?;
        if let Some(class) = &unit.class {
            return Some(class.to_string());
        }
        if unit.kind == UnitKind::Class {
            return Some(unit.name.to_string());
        }
        if at == 0 {
            return None;
        }
        at = unit.parent;
    }
}

/// Returns the place around the object of a script whose member is an arrow function with the place.
pub(super) fn around_object(from: &NameScope) -> Option<NameScope> {
    let around = std::iter::successors(Some(from.unit), |at| Some(parent_unit(&from.facts, *at)).filter(|_| *at > 0));
    let member = around.filter_map(|at| from.facts.units.get(at)).find(|unit| unit.class.is_some())?;
    let object = class_unit(&from.facts, member.class.as_deref()?)?;
    let is_arrow = || from.facts.line(member.line).contains("=>");
    (from.facts.units[object].is_object && is_arrow())
        .then(|| NameScope { unit: parent_unit(&from.facts, object), ..from.clone() })
}

/// Returns the classes that contain the place, the innermost first. A class of Java sees the members of those around it.
pub(super) fn classes_around(from: &NameScope) -> Vec<String> {
    let mut found: Vec<String> = own_class(from).into_iter().collect();
    if matches!(language_of(&from.file), Some(Language::Java)) {
        let around =
            std::iter::successors(Some(from.unit), |at| Some(parent_unit(&from.facts, *at)).filter(|_| *at > 0));
        let units = around.filter_map(|at| from.facts.units.get(at)).filter(|unit| unit.kind == UnitKind::Class);
        for unit in units.filter(|unit| !unit.name.is_empty()) {
            if !found.iter().any(|known| unit.name == *known) {
                found.push(unit.name.to_string());
            }
        }
    }
    found
}

/// Returns the index of a class's unit.
pub(super) fn class_unit(facts: &Facts, class: &str) -> Option<usize> {
    let named = facts.units_named(class);
    named.into_iter().find(|(_, unit)| unit.kind == UnitKind::Class).map(|(at, _)| at)
}

/// Returns the visible variable with that name, from the innermost block around the line or a unit around it.
pub(super) fn binding(from: &NameScope, name: &str) -> Option<Binding> {
    let in_block = |one: &&Binding| one.block.is_none_or(|(first, last)| (first..=last).contains(&from.line));
    let mut named = from.facts.bindings_named(name);
    named.retain(|one| one.class.is_none() && in_block(one));
    if named.is_empty() {
        return None;
    }
    let mut at = from.unit;
    loop {
        let visible: Vec<&Binding> = named.iter().filter(|one| one.unit == at).copied().collect();
        let innermost = visible.iter().map(|one| one.block).max_by_key(innerness);
        let here = || visible.iter().filter(|one| Some(one.block) == innermost).copied();
        let before = here().rfind(|one| one.line <= from.line && one.source.is_some());
        if let Some(found) = before.or_else(|| here().find(|one| one.source.is_some())).or_else(|| here().next()) {
            return Some(found.clone());
        }
        if at == 0 {
            return None;
        }
        at = parent_unit(&from.facts, at);
    }
}

/// Orders the blocks around a line from the outermost to the innermost one.
fn innerness(block: &Option<(u32, u32)>) -> Option<(u32, Reverse<u32>)> {
    block.map(|(first, last)| (first, Reverse(last)))
}

/// Returns the index of the visible definition with that name.
pub(super) fn definition(from: &NameScope, name: &str) -> Option<usize> {
    let mut named = from.facts.units_named(name);
    named.retain(|(at, unit)| *at > 0 && unit.class.is_none() && unit.kind != UnitKind::File);
    if named.is_empty() {
        return None;
    }
    let mut around = from.unit;
    loop {
        if let Some((at, _)) = named.iter().find(|(_, unit)| unit.parent == around) {
            return Some(*at);
        }
        if around == 0 {
            return None;
        }
        around = parent_unit(&from.facts, around);
    }
}
