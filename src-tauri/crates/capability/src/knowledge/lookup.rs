//! The search in the tables: the effects of symbols, modules and packages.

use std::collections::HashMap;

use diffsan_syntax::language::Language;
use regex::Regex;
use smol_str::SmolStr;

use super::{Knowledge, MethodEffects, PackagePhrases, Row, Table, Usage};
use diffsan_contracts::vocabulary::Effect;

use crate::library_use::{DATA, suggests};
use crate::missing::is_standard;
use crate::naming::words_of;

/// The first words of functions that make an object: `createClient`.
const MAKING_VERBS: &[&str] = &["connect", "create", "get", "make", "new", "open"];

impl Knowledge {
    /// Returns the effect of a symbol. `path` begins with the module's name; `builtin` means that the symbol needs no import.
    pub fn of_symbol(
        &self,
        language: Language,
        path: &[String],
        builtin: bool,
        usage: Usage,
        args: &[SmolStr],
    ) -> Option<usize> {
        let found = self.lookup(|table| &table.by_module, (language, path, builtin), usage, args);
        let may_be_object = usage == Usage::Call && !builtin;
        found.or_else(|| may_be_object.then(|| self.of_made_object(language, path)).flatten())
    }

    /// Returns the effect of a method of an object whose type no table lists, by the function that makes such objects: `RedisClientType.get`
    /// has the effect that a table lists for `createClient.*`.
    fn of_made_object(&self, language: Language, path: &[String]) -> Option<usize> {
        let table = self.tables.get(language.name())?;
        let names: Vec<&str> = path.iter().map(String::as_str).collect();
        self.by_prefix(language, &names, &|module, members| {
            let (kind, members) = members.split_first().filter(|(kind, _)| kind.starts_with(char::is_uppercase))?;
            let words = words_of(kind);
            // The settings of a client are not the client.
            if DATA.iter().any(|end| words.last().is_some_and(|last| last == end)) {
                return None;
            }
            let makes = |name: &str| {
                let made = words_of(name);
                let [verb, .., object] = made.as_slice() else { return false };
                MAKING_VERBS.contains(&verb.as_str()) && words.contains(object)
            };
            let lists = |row: &&Row| {
                let Some((maker, pattern)) = row.pattern.split_first() else { return false };
                let is_any = pattern.first().is_some_and(|first| first.starts_with('*'));
                !row.read && row.condition.is_none() && is_any && makes(maker) && matches(pattern, members)
            };
            table.by_module.get(module)?.iter().find(lists).map(|row| row.effect)
        })
    }

    /// Returns an effect that a symbol has besides the one of [`Self::of_symbol`].
    pub(crate) fn further(
        &self,
        language: Language,
        path: &[String],
        builtin: bool,
        args: &[SmolStr],
    ) -> Option<usize> {
        self.lookup(|table| &table.further, (language, path, builtin), Usage::Call, args)
    }

    fn lookup(
        &self,
        rows_of: fn(&Table) -> &HashMap<String, Vec<Row>>,
        (language, path, builtin): (Language, &[String], bool),
        usage: Usage,
        args: &[SmolStr],
    ) -> Option<usize> {
        let table = rows_of(self.tables.get(language.name())?);
        let fits = |module: &str, members: &[&str]| {
            let rows = table.get(module)?;
            let row = rows.iter().find(|row| {
                let matched = match row.read {
                    true => usage != Usage::Value && (matches(&row.pattern, members) || starts(&row.pattern, members)),
                    false => usage != Usage::Read && matches(&row.pattern, members),
                };
                matched && condition_holds(row.condition.as_ref(), args)
            });
            row.map(|row| row.effect)
        };
        let names: Vec<&str> = path.iter().map(String::as_str).filter(|name| *name != "default").collect();
        if builtin {
            return fits("", &names).or_else(|| {
                let whole = !language.module_is_one_name() && names.len() > 1;
                whole.then(|| self.by_prefix(language, &names, &fits)).flatten()
            });
        }
        self.by_prefix(language, &names, &fits)
    }

    fn by_prefix(
        &self,
        language: Language,
        names: &[&str],
        fits: &dyn Fn(&str, &[&str]) -> Option<usize>,
    ) -> Option<usize> {
        if language.module_is_one_name() {
            let (module, members) = names.split_first()?;
            let module = module.strip_prefix("node:").unwrap_or(module);
            let parts: Vec<&str> = module.split('/').collect();
            return (1..=parts.len()).rev().find_map(|length| {
                // Names below the package count as members: `stripe-go/v76/charge`.
                let below = parts[length..].iter().copied().filter(|part| !is_version(part));
                let members: Vec<&str> = below.chain(members.iter().copied()).collect();
                fits(&parts[..length].join("/"), &members)
            });
        }
        let separator = separator(language);
        (1..=names.len()).rev().find_map(|length| fits(&names[..length].join(separator), &names[length..]))
    }

    /// Gives the names of all modules and symbols to the vocabulary.
    pub(super) fn name_symbols(&mut self) {
        for table in self.tables.values() {
            let modules = table.by_module.keys().chain(&table.harmless).chain(table.packages.keys());
            modules.for_each(|module| self.vocabulary.add_module(module));
            for (module, rows) in table.by_module.iter().chain(&table.further) {
                rows.iter().for_each(|row| self.vocabulary.add_symbol(module, &row.pattern, row.effect));
            }
        }
    }

    /// Returns whether a table lists a module, with effects or as harmless.
    pub fn knows_module(&self, language: Language, path: &[String]) -> bool {
        let Some(table) = self.tables.get(language.name()) else { return false };
        let Some(first) = path.first() else { return true };
        let known = |module: &str| table.by_module.contains_key(module) || table.harmless.contains(module);
        match language {
            _ if language.is_script() => {
                let module = first.strip_prefix("node:").unwrap_or(first);
                first.starts_with("node:")
                    || module.match_indices('/').any(|(at, _)| known(&module[..at]))
                    || known(module)
            }
            // The packages of Go's standard library have no host in their path.
            Language::Go => {
                let host = first.split('/').next().unwrap_or(first).contains('.');
                !host || first.match_indices('/').any(|(at, _)| known(&first[..at])) || known(first)
            }
            Language::Rust if ["std", "core", "alloc"].contains(&first.as_str()) => true,
            Language::Java if ["java", "javax", "jdk", "sun"].contains(&first.as_str()) => true,
            _ => {
                let separator = separator(language);
                (1..=path.len()).any(|length| known(&path[..length].join(separator)))
            }
        }
    }

    /// Returns whether a table lists modules inside a module: `Stripe` of `Stripe::Charge`.
    pub(crate) fn has_modules_below(&self, language: Language, module: &str) -> bool {
        let Some(table) = self.tables.get(language.name()) else { return false };
        let below = format!("{module}{}", separator(language));
        table.by_module.keys().any(|known| known.starts_with(&below))
    }

    /// Returns the effect that the library of a symbol exists for: the only one of its listed members, except for requests as such.
    pub fn purpose(&self, language: Language, path: &[String]) -> Option<usize> {
        let table = self.tables.get(language.name())?;
        let of = |module: &str, _: &[&str]| {
            let is_special = |effect: &usize| {
                self.vocabulary.effects.get(*effect).is_some_and(|effect| !effect.is_transport() && !effect.incidental)
            };
            let rows = table.by_module.get(module).filter(|_| !table.mixed.contains(module))?;
            let mut effects = rows.iter().map(|row| row.effect).filter(is_special);
            let first = effects.next()?;
            effects.all(|effect| effect == first).then_some(first)
        };
        let names: Vec<&str> = path.iter().map(String::as_str).filter(|name| *name != "default").collect();
        // A package of Go's standard library exists for something else than the one around it: `net/http` and `net`.
        match names.first() {
            Some(first) if language == Language::Go && is_standard(language, path) => of(first, &[]),
            _ => self.by_prefix(language, &names, &of),
        }
    }

    /// Returns the effects that members with this name have in the listed libraries of a language.
    pub(crate) fn effects_of_method(&self, language: Language, name: &str) -> impl Iterator<Item = usize> {
        let all = self.methods.get_or_init(|| {
            let of_table = |table: &Table| {
                let mut methods = MethodEffects::new();
                for row in table.by_module.values().flatten().filter(|row| !row.read) {
                    let last = row.pattern.last().filter(|last| !last.starts_with('*') && *last != "()");
                    if let Some(last) = last {
                        methods.entry(last.clone()).or_default().insert(row.effect);
                    }
                }
                methods
            };
            self.tables.iter().map(|(language, table)| (*language, of_table(table))).collect()
        });
        all.get(language.name()).and_then(|methods| methods.get(name)).into_iter().flatten().copied()
    }

    /// Returns the effect that the words of a package's path name, if it is exactly one: `io.vertx.ext.web.client`. Only the packages of the
    /// language itself have other meanings for these words.
    pub(crate) fn purpose_by_words(&self, package: &[String]) -> Option<usize> {
        let phrases = self.package_phrases.get_or_init(|| {
            let mut phrases = PackagePhrases::new();
            for (at, effect) in self.vocabulary.effects.iter().enumerate() {
                for phrase in &effect.packages {
                    let mut words = phrase.split(' ').map(str::to_owned);
                    let first = words.next().unwrap_or_default();
                    phrases.entry(first).or_default().push((words.collect(), at));
                }
            }
            phrases
        });
        let words: &[String] = &package.iter().flat_map(|part| words_of(part)).collect::<Vec<_>>();
        let from = |at: usize| {
            let with_first = phrases.get(&words[at]).into_iter().flatten();
            with_first.filter(move |(rest, _)| words[at + 1..].starts_with(rest)).map(|(_, effect)| *effect)
        };
        let mut found = (0..words.len()).flat_map(from);
        let first = found.next()?;
        found.all(|effect| effect == first).then_some(first)
    }

    /// Returns the effect that the name of an unknown package suggests, if it suggests exactly one of those that services exist for.
    pub(crate) fn suggested_purpose(&self, package: &[String]) -> Option<usize> {
        let name = package.join(".");
        let of_service = |effect: &Effect| effect.is_outward() || effect.id == "telemetry.send";
        let mut found = (0..self.vocabulary.effects.len()).filter(|at| {
            of_service(&self.vocabulary.effects[*at]) && suggests(&name, &self.vocabulary.effects[*at].hints)
        });
        found.next().filter(|_| found.next().is_none())
    }

    /// Returns the effects of a package in a manifest. Returns `None` where no table lists it.
    pub fn of_package(&self, language: Language, package: &str) -> Option<Vec<&Effect>> {
        let table = self.tables.get(language.name())?;
        let found = table.packages.get(package).or_else(|| {
            // The version of a Go module is part of its name.
            let (before, last) = package.rsplit_once('/')?;
            is_version(last).then(|| table.packages.get(before)).flatten()
        });
        if let Some(effects) = found {
            return Some(effects.iter().filter_map(|id| self.vocabulary.effect(id)).collect());
        }
        table.harmless.contains(package).then(Vec::new)
    }

    /// Returns whether a table has a row below a path. `exactly` excludes rows that match only by a wildcard.
    pub fn has_below(&self, language: Language, path: &[String], exactly: bool) -> bool {
        let Some(table) = self.tables.get(language.name()) else { return false };
        let separator = separator(language);
        (1..=path.len()).rev().any(|length| {
            let module = path[..length].join(separator);
            let below = &path[length..];
            let fits = |row: &Row| {
                row.pattern.len() >= below.len()
                    && row
                        .pattern
                        .iter()
                        .zip(below)
                        .all(|(pattern, name)| pattern == name || !exactly && (pattern == "**" || pattern == "*"))
            };
            table.by_module.get(&module).is_some_and(|rows| rows.iter().any(fits))
        })
    }

    /// Returns whether a row without a module begins with a name, or a module is called so: `process` in `process.env`.
    pub(crate) fn has_root(&self, language: Language, name: &str) -> bool {
        let Some(table) = self.tables.get(language.name()) else { return false };
        let rows = table.by_module.get("").into_iter().flatten();
        rows.into_iter().any(|row| row.pattern.first().is_some_and(|first| first == name))
    }
}

fn separator(language: Language) -> &'static str {
    match language {
        Language::Rust | Language::Ruby => "::",
        Language::Php => "\\",
        _ => ".",
    }
}

fn is_version(part: &str) -> bool {
    part.strip_prefix('v').is_some_and(|rest| !rest.is_empty() && rest.chars().all(|char| char.is_ascii_digit()))
}

/// Returns whether names match a pattern of names with `*` and `**`.
fn matches(pattern: &[String], names: &[&str]) -> bool {
    match (pattern.split_first(), names.split_first()) {
        (None, None) => true,
        (None, Some(_)) => false,
        (Some((first, rest)), _) if first == "**" => (0..=names.len()).any(|skipped| matches(rest, &names[skipped..])),
        (Some((first, rest)), Some((name, names))) => (first == "*" || first == name) && matches(rest, names),
        (Some(_), None) => false,
    }
}

fn starts(pattern: &[String], names: &[&str]) -> bool {
    names.len() > pattern.len() && matches(pattern, &names[..pattern.len()])
}

fn condition_holds(condition: Option<&(usize, String, Regex)>, args: &[SmolStr]) -> bool {
    let Some((at, name, like)) = condition else { return true };
    let named = args.iter().find_map(|arg| arg.strip_prefix(name.as_str())?.strip_prefix('='));
    let value = named.filter(|_| !name.is_empty()).or_else(|| args.get(*at).map(SmolStr::as_str));
    value.is_some_and(|value| like.is_match(value))
}
