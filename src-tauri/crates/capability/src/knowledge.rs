//! The effects of libraries and builtins: tables from symbols to effects, compiled in and extended by the user.
//!
//! In: TOML texts. Out: the effect of a symbol, if it has one, and the words that contracts use for effects.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::OnceLock;

use regex::Regex;
use serde::Deserialize;

use diffsan_contracts::vocabulary::{ENDPOINT, PACKAGE_ADD, STATE_CHANGE, Vocabulary};
use diffsan_syntax::language::Language;

use crate::commands::table::CommandTable;
use crate::endpoints;
use crate::programs;
use crate::roles;

mod lint;
mod lookup;

/// The tables that are compiled in, by name.
const BUILT_IN: &[(&str, &str)] = &[
    ("python.toml", include_str!("../../../../config/capabilities/python.toml")),
    ("script.toml", include_str!("../../../../config/capabilities/script.toml")),
    ("go.toml", include_str!("../../../../config/capabilities/go.toml")),
    ("rust.toml", include_str!("../../../../config/capabilities/rust.toml")),
    ("java.toml", include_str!("../../../../config/capabilities/java.toml")),
    ("ruby.toml", include_str!("../../../../config/capabilities/ruby.toml")),
    ("php.toml", include_str!("../../../../config/capabilities/php.toml")),
];

/// The table of commands.
const COMMANDS: &str = include_str!("../../../../config/capabilities/commands.toml");

/// The effects that no table lists, because they are found in another way.
const UNLISTED: &[&str] = &[STATE_CHANGE, PACKAGE_ADD, ENDPOINT];

/// A row of a table: the effect of some symbols of a module.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The module, as it is imported. Empty for symbols that need no import.
    #[serde(default)]
    pub module: String,
    /// Paths of members that are called: exact names, `*` for any one name, `**` for any number of names.
    #[serde(default)]
    pub calls: Vec<String>,
    /// Paths of members that have the effect when they are read, with any names after them.
    #[serde(default)]
    pub reads: Vec<String>,
    /// The name of the effect.
    pub effect: String,
    /// The package's name in manifests, where it differs from the module.
    #[serde(default)]
    pub package: String,
    /// The argument that decides: its index from 0, and its name where it can be named: `1 mode`.
    #[serde(default)]
    pub arg: String,
    /// A regular expression for that argument.
    #[serde(default)]
    pub like: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TableFile {
    languages: Vec<String>,
    #[serde(default)]
    entries: Vec<Entry>,
    #[serde(default)]
    further: Vec<Entry>,
    #[serde(default)]
    mixed: BTreeSet<String>,
    #[serde(default)]
    harmless: Vec<String>,
    #[serde(default)]
    packages: BTreeMap<String, String>,
}

/// The effects of methods by their names.
type MethodEffects = HashMap<String, BTreeSet<usize>>;

/// Phrases by their first word: the words after it, and the index of an effect.
type PackagePhrases = HashMap<String, Vec<(Vec<String>, usize)>>;

/// The kind of use of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    /// The code calls it.
    Call,
    /// The code reads it.
    Read,
    /// The code passes it as a function. Rows for reads do not apply.
    Value,
}

/// A table that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{table}: {message}")]
pub struct TableError {
    /// The name of the table.
    pub table: String,
    /// A description of the problem.
    pub message: String,
}

#[derive(Default, Debug)]
struct Table {
    /// The rows by module.
    by_module: HashMap<String, Vec<Row>>,
    /// The rows of effects that symbols have besides those in `by_module`.
    further: HashMap<String, Vec<Row>>,
    harmless: BTreeSet<String>,
    /// The modules whose unlisted members have no likely effect.
    mixed: BTreeSet<String>,
    /// The effects of packages, by their name in manifests.
    packages: BTreeMap<String, BTreeSet<String>>,
}

#[derive(Clone, Debug)]
struct Row {
    effect: usize,
    pattern: Vec<String>,
    read: bool,
    condition: Option<(usize, String, Regex)>,
}

impl TableFile {
    fn parse(name: &str, text: &str) -> Result<Self, TableError> {
        toml::from_str(text).map_err(|error| TableError { table: name.to_owned(), message: error.message().to_owned() })
    }
}

/// Loads the effects, and checks the other tables that are part of the program.
fn load_vocabulary() -> Result<Vocabulary, TableError> {
    let wrong = |table: &str, message: String| TableError { table: table.to_owned(), message };
    let vocabulary = Vocabulary::load().map_err(|error| wrong(error.table, error.message))?;
    let errors =
        [("endpoints.toml", endpoints::error()), ("programs.toml", programs::error()), ("roles.toml", roles::error())];
    match errors.into_iter().find_map(|(table, message)| Some((table, message?))) {
        Some((table, message)) => Err(wrong(table, message.to_owned())),
        None => Ok(vocabulary),
    }
}

/// All tables.
#[derive(Debug)]
pub struct Knowledge {
    /// The effects, and the words for them.
    pub vocabulary: Vocabulary,
    tables: HashMap<&'static str, Table>,
    /// The effects of the methods of listed libraries, by language and name.
    methods: OnceLock<HashMap<&'static str, MethodEffects>>,
    /// The words in the paths of packages that exist for an effect: by the first word, the words after it and the effect.
    package_phrases: OnceLock<PackagePhrases>,
    /// The effects of commands. Most changes have no file of commands.
    commands: OnceLock<CommandTable>,
    /// The number of rows.
    pub entries: usize,
}

impl Knowledge {
    /// Loads the built-in tables and then the user's. `users` contains names and texts.
    pub fn load(users: &[(String, String)]) -> Result<Self, TableError> {
        let parse_all = || -> Result<Vec<_>, TableError> {
            BUILT_IN.iter().map(|(name, text)| Ok((*name, TableFile::parse(name, text)?))).collect()
        };
        // Both take about as long.
        let (vocabulary, tables) = std::thread::scope(|scope| {
            let tables = scope.spawn(parse_all);
            (load_vocabulary(), tables.join().unwrap_or_else(|_| parse_all()))
        });
        let mut knowledge = Self {
            vocabulary: vocabulary?,
            tables: HashMap::new(),
            methods: OnceLock::new(),
            package_phrases: OnceLock::new(),
            commands: OnceLock::new(),
            entries: 0,
        };
        for (name, table) in tables? {
            knowledge.add(name, &table)?;
        }
        for (name, text) in users {
            knowledge.add(name, &TableFile::parse(name, text)?)?;
        }
        knowledge.name_symbols();
        Ok(knowledge)
    }

    /// Returns the effects of commands. Without a table, no command is known.
    pub(crate) fn commands(&self) -> &CommandTable {
        self.commands.get_or_init(|| CommandTable::load(COMMANDS, &self.vocabulary).unwrap_or_default())
    }

    fn add(&mut self, name: &str, file: &TableFile) -> Result<(), TableError> {
        let wrong = |message: String| TableError { table: name.to_owned(), message };
        for language in &file.languages {
            let known = Language::ALL.iter().find(|known| known.name() == language);
            let Some(known) = known else { return Err(wrong(format!("unknown language `{language}`"))) };
            for entry in &file.entries {
                self.add_entry(*known, entry, false).map_err(wrong)?;
            }
            for entry in &file.further {
                self.add_entry(*known, entry, true).map_err(wrong)?;
            }
            let table = self.tables.entry(known.name()).or_default();
            table.harmless.extend(file.harmless.iter().cloned());
            table.mixed.extend(file.mixed.iter().cloned());
            for (package, effect) in &file.packages {
                table.packages.entry(package.clone()).or_default().insert(effect.clone());
            }
        }
        self.entries += file.entries.len();
        Ok(())
    }

    fn add_entry(&mut self, language: Language, entry: &Entry, is_further: bool) -> Result<(), String> {
        let effect =
            self.vocabulary.effect_index(&entry.effect).ok_or_else(|| format!("unknown effect `{}`", entry.effect))?;
        if entry.calls.is_empty() && entry.reads.is_empty() {
            return Err(format!("the entry of `{}` has no calls and no reads", entry.module));
        }
        let condition = match entry.arg.split_once(' ').unwrap_or((&entry.arg, "")) {
            ("", _) => None,
            (at, name) => {
                let at = at.parse().map_err(|_| format!("`arg = \"{}\"` must begin with a number", entry.arg))?;
                let like = Regex::new(&entry.like).map_err(|error| format!("`like` of `{}`: {error}", entry.module))?;
                Some((at, name.to_owned(), like))
            }
        };
        let table = self.tables.entry(language.name()).or_default();
        let rows = if is_further { &mut table.further } else { &mut table.by_module };
        let rows = rows.entry(entry.module.clone()).or_default();
        let split = |pattern: &String| pattern.split('.').map(str::to_owned).collect::<Vec<_>>();
        for (patterns, read) in [(&entry.calls, false), (&entry.reads, true)] {
            for pattern in patterns {
                rows.push(Row { effect, pattern: split(pattern), read, condition: condition.clone() });
            }
        }
        let package = if entry.package.is_empty() { &entry.module } else { &entry.package };
        if !package.is_empty() {
            table.packages.entry(package.clone()).or_default().insert(entry.effect.clone());
        }
        Ok(())
    }
}
