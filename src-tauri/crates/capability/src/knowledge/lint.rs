//! Problems in the tables that loading does not reject.

use std::collections::BTreeSet;

use super::{COMMANDS, Knowledge, UNLISTED};
use crate::commands::table::CommandTable;

impl Knowledge {
    /// Returns problems in the tables that loading does not reject.
    pub fn lint(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut used: BTreeSet<usize> = UNLISTED.iter().filter_map(|id| self.vocabulary.effect_index(id)).collect();
        match CommandTable::load(COMMANDS, &self.vocabulary) {
            Ok(table) => used.extend(table.effects()),
            Err(message) => wrong.push(format!("commands.toml: {message}")),
        }
        for (language, table) in &self.tables {
            for (module, rows) in &table.by_module {
                for (at, row) in rows.iter().enumerate() {
                    used.insert(row.effect);
                    let pattern = row.pattern.join(".");
                    // `()` is the call of a result.
                    let is_name = |part: &String| part == "()" || !part.is_empty() && !part.contains([' ', '(', ')']);
                    if !row.pattern.iter().all(is_name) {
                        wrong.push(format!("{language}: {module}: `{pattern}` is not a path of names"));
                    }
                    if module.is_empty() && row.pattern.iter().all(|part| part.starts_with('*')) {
                        wrong.push(format!("{language}: `{pattern}` without a module matches everything"));
                    }
                    let twice = rows[..at].iter().any(|other| {
                        other.pattern == row.pattern && other.read == row.read && other.condition.is_none()
                    });
                    if twice && row.condition.is_none() {
                        wrong.push(format!("{language}: {module}: `{pattern}` is there twice"));
                    }
                }
                if table.harmless.contains(module) {
                    wrong.push(format!("{language}: {module} is listed with effects and as harmless"));
                }
            }
            for (package, effects) in &table.packages {
                for effect in effects.iter().filter(|id| self.vocabulary.effect(id).is_none()) {
                    wrong.push(format!("{language}: package {package}: unknown effect `{effect}`"));
                }
            }
        }
        let wider: BTreeSet<&str> =
            self.vocabulary.effects.iter().flat_map(|effect| &effect.also).map(String::as_str).collect();
        for (at, effect) in self.vocabulary.effects.iter().enumerate() {
            if !used.contains(&at) && !wider.contains(effect.id.as_str()) {
                wrong.push(format!("effects: no entry has the effect {}", effect.id));
            }
            for id in effect.also.iter().chain(&effect.possibly).filter(|id| self.vocabulary.effect(id).is_none()) {
                wrong.push(format!("effects: {} names the unknown effect `{id}`", effect.id));
            }
            if self.vocabulary.action(&effect.action) != effect.action
                || !self.vocabulary.resources_of(&effect.resource).contains(&effect.resource)
            {
                wrong.push(format!("effects: {} does not use the common words", effect.id));
            }
        }
        for id in self.vocabulary.effects_of_phrases().filter(|id| self.vocabulary.effect(id).is_none()) {
            wrong.push(format!("effects: a phrase names the unknown effect `{id}`"));
        }
        wrong.sort();
        wrong
    }
}
