//! The code that has a role in a program: "request handlers", "middleware", "migrations". The roles are data:
//! `config/capabilities/roles.toml`.
//!
//! In: the name of a role, and the files of a project. Out: the files and definitions that have it.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::built_in::{Pattern, parsed};
use crate::code_places::{Places, stems};
use crate::facts::{Chain, Facts, Unit, UnitKind, Use, UseKind};
use crate::naming::words_of;
use crate::project::Project;
use diffsan_contracts::code_names::Found;
use diffsan_contracts::wording::singulars;

const TABLES: &str = include_str!("../../../../config/capabilities/roles.toml");

static ROLES: LazyLock<Result<Roles, String>> = LazyLock::new(|| parsed(TABLES));

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Roles {
    role: Vec<Role>,
}

/// A role, with the facts by which its code is recognised. The table describes them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Role {
    words: BTreeSet<String>,
    names: BTreeSet<String>,
    paths: Vec<Pattern>,
    extensions: Vec<String>,
    bases: BTreeSet<String>,
    marks: BTreeSet<String>,
    calls: BTreeSet<String>,
    parameters: BTreeSet<String>,
    endpoints: bool,
    units: BTreeSet<String>,
    constructors: bool,
    open: bool,
}

/// The maximum number of lines between an annotation and its definition.
const MAX_MARK_LINES: u32 = 8;

/// Returns why the table cannot be parsed.
pub(crate) fn error() -> Option<&'static str> {
    ROLES.as_ref().err().map(String::as_str)
}

/// Returns the role that a name in a contract stands for.
pub(crate) fn role(name: &str) -> Option<&'static Role> {
    let forms = singulars(&name.to_lowercase());
    ROLES.as_ref().ok()?.role.iter().find(|role| forms.iter().any(|form| role.words.contains(form)))
}

impl Role {
    /// Returns whether other code can have the role, too.
    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    /// Returns the code with the role: by its path anywhere in the project, and by its facts in the files that matter.
    pub(crate) fn code(&self, project: &Project<'_>, places: &Places) -> Found {
        let globs = project.below("").filter(|path| self.has_path(path)).map(|path| globset::escape(path)).collect();
        let mut found = Found { globs, is_role: true, ..Found::default() };
        let mut given: BTreeSet<String> = BTreeSet::new();
        let read = &places.files;
        for path in read {
            let Some(facts) = project.facts(path) else { continue };
            let own = facts.units.iter().enumerate().skip(1).filter(|(at, _)| self.has_unit(&facts, *at));
            found.definitions.extend(own.map(|(_, unit)| (path.clone(), unit.line, unit.end)));
            let registers = |line: u32| self.endpoints && places.endpoints.contains(&(path.clone(), line));
            for one in &facts.uses {
                if !(registers(one.line) || one.kind == UseKind::Call && is_last(&one.chain, &self.calls)) {
                    continue;
                }
                let chains = facts.uses.iter().filter(|other| other.line == one.line && other.kind == UseKind::Hand);
                let chains = chains.map(|other| &other.chain).chain(&one.given);
                // A name is first of all the one of a function of its file.
                for name in chains.filter_map(|chain| chain.segs.last()).map(|last| &last.name) {
                    let own = facts.units.iter().skip(1).filter(|unit| unit.name == *name && unit.class.is_none());
                    let own: Vec<_> = own.map(|unit| (path.clone(), unit.line, unit.end)).collect();
                    if own.is_empty() {
                        given.insert(name.to_string());
                    }
                    found.definitions.extend(own);
                }
                let marked = facts.units.iter().find(|unit| is_marked(&facts, unit, one));
                let (first, last) =
                    marked.map_or((one.line, end_of_statement(&facts, one.line)), |unit| (unit.line, unit.end));
                found.definitions.push((path.clone(), first, last));
            }
        }
        for path in read {
            let Some(facts) = project.facts(path) else { continue };
            let named = facts.units.iter().skip(1).filter(|unit| given.contains(unit.name.as_str()));
            found.definitions.extend(named.map(|unit| (path.clone(), unit.line, unit.end)));
        }
        found
    }

    /// Returns whether the name of a folder, of a file or its whole path says that its code has the role.
    fn has_path(&self, path: &str) -> bool {
        let mut parts: Vec<&str> = path.split('/').collect();
        let file = parts.pop().unwrap_or_default();
        let is_folder = |part: &&str| words_of(part).last().is_some_and(|word| self.is_name(word));
        let is_file = stems(file).any(|stem| words_of(stem).last().is_some_and(|word| self.is_name(word)));
        let has_extension = |end: &String| file.strip_suffix(end.as_str()).is_some_and(|rest| rest.ends_with('.'));
        is_file
            || parts.iter().any(is_folder)
            || self.paths.iter().any(|pattern| pattern.0.is_match(path))
            || self.extensions.iter().any(has_extension)
    }

    fn is_name(&self, word: &str) -> bool {
        singulars(word).iter().any(|one| self.names.contains(one))
    }

    /// Returns whether a definition has the role by its name, its parents, its marks or its parameters.
    fn has_unit(&self, facts: &Facts, at: usize) -> bool {
        let unit = &facts.units[at];
        let by_parents = unit.bases.iter().chain(&unit.interfaces).any(|base| is_last(base, &self.bases));
        let by_name = || words_of(&unit.name).last().is_some_and(|word| self.is_name(word));
        let by_mark = || {
            let mut marks = facts.uses.iter().filter(|one| matches!(one.kind, UseKind::Mark | UseKind::Call));
            marks.any(|one| is_last(&one.chain, &self.marks) && is_marked(facts, unit, one))
        };
        let by_parameter = || {
            let mut own = facts.bindings.iter().filter(|one| one.unit == at).filter_map(|one| one.source.as_ref());
            own.any(|source| is_last(source, &self.parameters))
        };
        let by_unit = || {
            let is_constructor = self.constructors && unit.class.as_ref() == Some(&unit.name);
            is_constructor || unit.kind == UnitKind::Function && self.units.contains(unit.name.as_str())
        };
        by_parents
            || by_name()
            || by_unit()
            || !self.marks.is_empty() && by_mark()
            || !self.parameters.is_empty() && by_parameter()
    }
}

/// Returns whether the last name of a chain is one of some names.
fn is_last(chain: &Chain, names: &BTreeSet<String>) -> bool {
    chain.segs.last().is_some_and(|last| names.contains(last.name.as_str()))
}

/// Returns whether a use is an annotation or decorator of a definition: no other definition begins between them.
fn is_marked(facts: &Facts, unit: &Unit, one: &Use) -> bool {
    // A decorator of Python is a call.
    if one.kind != UseKind::Mark && !facts.line(one.line).starts_with('@') {
        return false;
    }
    let lines = one.line..=one.line + MAX_MARK_LINES;
    let first = facts.units.iter().skip(1).map(|unit| unit.line).filter(|line| lines.contains(line)).min();
    unit.kind != UnitKind::File && first == Some(unit.line)
}

/// Returns the last line of the statement that begins on a line: the lines after it are indented further, but for the one that closes it.
fn end_of_statement(facts: &Facts, line: u32) -> u32 {
    let lines: Vec<&str> = facts.text.lines().skip(line.saturating_sub(1) as usize).collect();
    let indent = |text: &str| text.len() - text.trim_start().len();
    let own = lines.first().map_or(0, |first| indent(first));
    let inside = lines.iter().skip(1).take_while(|text| text.trim().is_empty() || indent(text) > own).count();
    line + u32::try_from(inside).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_can_be_parsed() {
        assert_eq!(error(), None);
        assert!(role("Request handlers").is_some_and(|role| role.endpoints));
        assert!(role("parsers").is_none());
    }
}
