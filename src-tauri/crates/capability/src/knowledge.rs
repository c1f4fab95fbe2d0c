//! The effects of libraries and builtins: tables from symbols to effects, compiled in and extended by the user.
//!
//! In: TOML texts. Out: the effect of a symbol, if it has one, and the words that contracts use for effects.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::OnceLock;

use regex::Regex;
use serde::Deserialize;

use diffsan_syntax::language::Language;

use crate::library_use::suggests;
use crate::naming::words_of;
use crate::phrases::phrases;
use crate::wording::singulars;

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
}

impl Effect {
    /// Returns whether the effect is so usual that all its places are told in one line.
    pub fn is_folded(&self) -> bool {
        ["log.write", "clock.read", "random.generate"].contains(&self.id.as_str())
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
            entries: 0,
        };
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

    /// Returns the effect of a symbol. `path` begins with the module's name; `builtin` means that the symbol needs no import.
    pub fn of_symbol(
        &self,
        language: Language,
        path: &[String],
        builtin: bool,
        usage: Usage,
        args: &[String],
    ) -> Option<usize> {
        self.lookup(|table| &table.by_module, (language, path, builtin), usage, args)
    }

    /// Returns an effect that a symbol has besides the one of [`Self::of_symbol`].
    pub(crate) fn further(&self, language: Language, path: &[String], builtin: bool, args: &[String]) -> Option<usize> {
        self.lookup(|table| &table.further, (language, path, builtin), Usage::Call, args)
    }

    fn lookup(
        &self,
        rows_of: fn(&Table) -> &HashMap<String, Vec<Row>>,
        (language, path, builtin): (Language, &[String], bool),
        usage: Usage,
        args: &[String],
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
            let is_special = |effect: &usize| self.effects.get(*effect).is_some_and(|effect| !effect.is_transport());
            let rows = table.by_module.get(module).filter(|_| !table.mixed.contains(module))?;
            let mut effects = rows.iter().map(|row| row.effect).filter(is_special);
            let first = effects.next()?;
            effects.all(|effect| effect == first).then_some(first)
        };
        let names: Vec<&str> = path.iter().map(String::as_str).filter(|name| *name != "default").collect();
        self.by_prefix(language, &names, &of)
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
        let words: Vec<String> = package.iter().flat_map(|part| words_of(part)).collect();
        let has = |phrase: &String| {
            let phrase: Vec<&str> = phrase.split(' ').collect();
            words.windows(phrase.len()).any(|part| part.iter().map(String::as_str).eq(phrase.iter().copied()))
        };
        let mut found = (0..self.effects.len()).filter(|at| self.effects[*at].packages.iter().any(has));
        found.next().filter(|_| found.next().is_none())
    }

    /// Returns the effect that the name of an unknown package suggests, if it suggests exactly one of those that services exist for.
    pub(crate) fn suggested_purpose(&self, package: &[String]) -> Option<usize> {
        let name = package.join(".");
        let of_service = |effect: &Effect| effect.is_outward() || effect.id == "telemetry.send";
        let mut found = (0..self.effects.len())
            .filter(|at| of_service(&self.effects[*at]) && suggests(&name, &self.effects[*at].hints));
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
            return Some(effects.iter().filter_map(|id| self.effect(id)).collect());
        }
        table.harmless.contains(package).then(Vec::new)
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
            for id in &next.also {
                if let Some(wider) = self.effect(id).filter(|wider| !all.contains(wider)) {
                    all.push(wider);
                    break;
                }
            }
            at += 1;
        }
        all
    }

    /// Returns problems in the tables that loading does not reject.
    pub fn lint(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut used: BTreeSet<usize> = BTreeSet::new();
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
                for effect in effects.iter().filter(|id| self.effect(id).is_none()) {
                    wrong.push(format!("{language}: package {package}: unknown effect `{effect}`"));
                }
            }
        }
        let wider: BTreeSet<&str> = self.effects.iter().flat_map(|effect| &effect.also).map(String::as_str).collect();
        for (at, effect) in self.effects.iter().enumerate() {
            if !used.contains(&at) && !wider.contains(effect.id.as_str()) {
                wrong.push(format!("effects: no entry has the effect {}", effect.id));
            }
            for id in effect.also.iter().filter(|id| self.effect(id).is_none()) {
                wrong.push(format!("effects: {} names the unknown effect `{id}`", effect.id));
            }
            if self.action(&effect.action) != effect.action
                || !self.resources_of(&effect.resource).contains(&effect.resource)
            {
                wrong.push(format!("effects: {} does not use the common words", effect.id));
            }
        }
        for id in self.phrases.values().flatten().filter(|id| self.effect(id).is_none()) {
            wrong.push(format!("effects: a phrase names the unknown effect `{id}`"));
        }
        wrong.sort();
        wrong
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

fn condition_holds(condition: Option<&(usize, String, Regex)>, args: &[String]) -> bool {
    let Some((at, name, like)) = condition else { return true };
    let named = args.iter().find_map(|arg| arg.strip_prefix(name.as_str())?.strip_prefix('='));
    let value = named.filter(|_| !name.is_empty()).or_else(|| args.get(*at).map(String::as_str));
    value.is_some_and(|value| like.is_match(value))
}

impl Knowledge {
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
}

impl Knowledge {
    /// Returns whether a row without a module begins with a name, or a module is called so: `process` in `process.env`.
    pub(crate) fn has_root(&self, language: Language, name: &str) -> bool {
        let Some(table) = self.tables.get(language.name()) else { return false };
        let rows = table.by_module.get("").into_iter().flatten();
        rows.into_iter().any(|row| row.pattern.first().is_some_and(|first| first == name))
    }
}
