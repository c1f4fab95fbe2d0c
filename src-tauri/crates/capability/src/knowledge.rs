//! The effects of libraries and builtins: tables from symbols to effects, compiled in and extended by the user.
//!
//! In: TOML texts. Out: the effect of a symbol, if it has one, and the words that contracts use for effects.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::OnceLock;

use regex::Regex;
use serde::Deserialize;

use diffsan_syntax::language::Language;

use crate::endpoints::{self, ENDPOINT};
use crate::grammar::Grammar;
use crate::phrases::phrases;
use crate::roles;
use crate::symbol_names::SymbolEffects;
use crate::wording::singulars;

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
const EFFECTS: &str = include_str!("../../../../config/capabilities/effects.toml");

/// The effect of writing to state of the whole program. The reader finds it in the syntax, so no table lists it.
pub(crate) const STATE_CHANGE: &str = "state.change";
/// The effect of another package in a manifest.
pub(crate) const PACKAGE_ADD: &str = "package.need";
/// The effects that no table lists, because they are found in another way.
const UNLISTED: &[&str] = &[STATE_CHANGE, PACKAGE_ADD, ENDPOINT];

/// The amount of attention that an effect needs in a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Risk {
    Info,
    Low,
    Medium,
    High,
}

/// Something that code can do to the outside.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effect {
    /// The name in tables: `email.send`.
    pub id: String,
    /// The action: `send`.
    pub action: String,
    /// The resource: `email`.
    pub resource: String,
    /// The text for people, after "can": `send email`.
    pub title: String,
    /// The amount of attention that the effect needs.
    pub risk: Risk,
    /// The wider effects that this one includes: sending email uses the network.
    #[serde(default)]
    pub also: Vec<String>,
    /// Parts of names that suggest the effect where no table lists the symbol.
    #[serde(default)]
    pub hints: Vec<String>,
    /// Words in the names of objects that have the effect, such as `session` for HTTP requests.
    #[serde(default)]
    pub(crate) receivers: Vec<String>,
    /// Words in the paths of packages that exist for the effect, one after the other.
    #[serde(default)]
    pub(crate) packages: Vec<String>,
    /// Whether the effect is so usual that all its places are told in one line.
    #[serde(default)]
    folded: bool,
    /// Whether libraries have the effect besides what they exist for.
    #[serde(default)]
    pub(crate) incidental: bool,
    /// Whether each symbol is an effect of its own: another endpoint does not replace one.
    #[serde(default)]
    pub(crate) distinct: bool,
    /// The effects that can include this one, although code does not show whether they do: reading a file can block.
    #[serde(default)]
    pub(crate) possibly: Vec<String>,
}

impl Effect {
    /// Returns whether the effect is so usual that all its places are told in one line.
    pub fn is_folded(&self) -> bool {
        self.folded
    }

    /// Returns whether the effect is one that a service's library exists for.
    pub(crate) fn is_outward(&self) -> bool {
        ["email.send", "sms.send", "message.send", "payment.charge", "ai.request", "queue.publish"]
            .contains(&self.id.as_str())
    }

    /// Returns whether a client of such a service does nothing but the effect: each command of a key-value store uses the store.
    pub(crate) fn is_only_purpose(&self) -> bool {
        ["nosql.use", "secret.read"].contains(&self.id.as_str())
    }

    /// Returns whether the effect only says that the network is used, not what for.
    pub(crate) fn is_transport(&self) -> bool {
        ["http.request", "network.use", "socket.open"].contains(&self.id.as_str())
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EffectsFile {
    effect: Vec<Effect>,
    #[serde(default)]
    actions: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    resources: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    phrases: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    alternatives: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    verbs: BTreeMap<String, BTreeSet<String>>,
    #[serde(default)]
    unlike: BTreeMap<String, BTreeSet<String>>,
    #[serde(default)]
    neutral: BTreeSet<String>,
}

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

/// All tables.
#[derive(Debug)]
pub struct Knowledge {
    /// All effects, in the order of the table.
    pub effects: Vec<Effect>,
    tables: HashMap<&'static str, Table>,
    pub(crate) actions: BTreeMap<String, String>,
    pub(crate) resources: BTreeMap<String, BTreeSet<String>>,
    /// The effects of whole phrases.
    pub(crate) phrases: BTreeMap<String, BTreeSet<String>>,
    /// Further actions that a verb can mean.
    pub(crate) alternatives: BTreeMap<String, BTreeSet<String>>,
    /// The verbs that go with a word of many meanings.
    pub(crate) verbs: BTreeMap<String, BTreeSet<String>>,
    /// The resources that a verb does not go with.
    pub(crate) unlike: BTreeMap<String, BTreeSet<String>>,
    /// Words that do not restrict a resource.
    pub(crate) neutral: BTreeSet<String>,
    /// The effects of the methods of listed libraries, by language and name.
    methods: OnceLock<HashMap<&'static str, MethodEffects>>,
    /// The effects of symbols by their name in contracts.
    symbols: OnceLock<SymbolEffects>,
    /// The number of rows.
    pub entries: usize,
}

impl Knowledge {
    /// Loads the built-in tables and then the user's. `users` contains names and texts.
    pub fn load(users: &[(String, String)]) -> Result<Self, TableError> {
        let wrong = |table: &str, message: String| TableError { table: table.to_owned(), message };
        let file: EffectsFile =
            toml::from_str(EFFECTS).map_err(|error| wrong("effects.toml", error.message().to_owned()))?;
        let mut knowledge = Self {
            effects: file.effect,
            tables: HashMap::new(),
            actions: words(file.actions),
            resources: several(file.resources),
            phrases: phrases(file.phrases),
            alternatives: several(file.alternatives),
            verbs: file.verbs,
            unlike: file.unlike,
            neutral: file.neutral,
            methods: OnceLock::new(),
            symbols: OnceLock::new(),
            entries: 0,
        };
        if let Some(message) = Grammar::error() {
            return Err(wrong("sentences.toml", message.to_owned()));
        }
        if let Some(message) = endpoints::error() {
            return Err(wrong("endpoints.toml", message.to_owned()));
        }
        if let Some(message) = roles::error() {
            return Err(wrong("roles.toml", message.to_owned()));
        }
        for (name, text) in BUILT_IN {
            knowledge.add(name, text)?;
        }
        for (name, text) in users {
            knowledge.add(name, text)?;
        }
        Ok(knowledge)
    }

    fn add(&mut self, name: &str, text: &str) -> Result<(), TableError> {
        let wrong = |message: String| TableError { table: name.to_owned(), message };
        let file: TableFile = toml::from_str(text).map_err(|error| wrong(error.message().to_owned()))?;
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
        let effect = self.effect_index(&entry.effect).ok_or_else(|| format!("unknown effect `{}`", entry.effect))?;
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

    pub(crate) fn effect_index(&self, id: &str) -> Option<usize> {
        self.effects.iter().position(|effect| effect.id == id)
    }

    /// Returns an effect by its name.
    pub fn effect(&self, id: &str) -> Option<&Effect> {
        self.effects.iter().find(|effect| effect.id == id)
    }

    /// Returns the common word for an action.
    pub fn action(&self, word: &str) -> String {
        let word = word.to_lowercase();
        self.actions.get(&word).cloned().unwrap_or(word)
    }

    /// Returns the common words for a resource: the word itself and the words that it is a synonym of.
    pub fn resources_of(&self, word: &str) -> BTreeSet<String> {
        let word = word.to_lowercase().replace(['-', '_'], " ");
        let forms = singulars(&word);
        let found = forms.iter().find_map(|form| self.resources.get(form)).cloned();
        let is_own = |name: &&String| self.effects.iter().any(|effect| effect.resource == **name);
        let own = forms.iter().find(is_own).unwrap_or(&word).to_owned();
        found.into_iter().flatten().chain([own]).collect()
    }

    /// Returns an effect and all wider effects that it includes.
    pub fn with_wider(&self, effect: usize) -> Vec<&Effect> {
        let mut all: Vec<&Effect> = self.effects.get(effect).into_iter().collect();
        let mut at = 0;
        while let Some(next) = all.get(at) {
            let wider = next.also.iter().filter_map(|id| self.effect(id));
            let wider: Vec<&Effect> = wider.filter(|wider| !all.contains(wider)).collect();
            all.extend(wider);
            at += 1;
        }
        all
    }
}

/// Maps each synonym to its word.
fn words(table: BTreeMap<String, Vec<String>>) -> BTreeMap<String, String> {
    table.into_iter().flat_map(|(word, all)| all.into_iter().map(move |other| (other, word.clone()))).collect()
}

/// Maps each synonym to all words that it can mean.
fn several(table: BTreeMap<String, Vec<String>>) -> BTreeMap<String, BTreeSet<String>> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (word, others) in table {
        for other in others {
            all.entry(other).or_default().insert(word.clone());
        }
    }
    all
}
