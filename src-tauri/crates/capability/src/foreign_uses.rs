//! The effects of uses of other modules and of builtins, by the tables, and of names that nothing defines.

use std::rc::Rc;

use super::builtins;
use super::facts::{COMPUTED, UnitKind, UseKind};
use super::follow::Follow;
use super::found::Below;
use super::hidden_code::{self, SCRIPT_GLOBALS};
use super::knowledge::Usage;
use super::library_use::{
    VALUE_METHODS, does_more_than_prepare, is_class_of, is_computed_module, is_member_of_value, module_of,
};
use super::manifest;
use super::missing::{effect_by_words, is_standard};
use super::modules::{self, Module};
use super::naming::words_of;
use super::project::simple;
use super::rails;
use super::reach::Open;
use super::resolve::ValueOf;
use super::uses::Site;
use diffsan_contracts::vocabulary::Effect;
use diffsan_syntax::language::Language;

/// The effects of connections by the beginning of their address.
const SCHEMES: &[(&str, &str)] = &[
    ("http", "http.request"),
    ("grpc", "network.use"),
    ("ws", "network.use"),
    ("tcp", "network.use"),
    ("ftp", "network.use"),
    ("sftp", "network.use"),
    ("postgres", "database.use"),
    ("mysql", "database.use"),
    ("mariadb", "database.use"),
    ("sqlite", "database.use"),
    ("jdbc", "database.use"),
    ("redis", "nosql.use"),
    ("mongodb", "nosql.use"),
    ("amqp", "queue.publish"),
    ("kafka", "queue.publish"),
    ("nats", "queue.publish"),
    ("smtp", "email.send"),
    ("s3", "object.write"),
];

/// Verbs of functions that open the address that they are given.
const OPENERS: &[&str] = &[
    "call",
    "client",
    "connect",
    "dial",
    "download",
    "fetch",
    "get",
    "head",
    "load",
    "open",
    "patch",
    "post",
    "put",
    "read",
    "request",
    "send",
    "subscribe",
    "upload",
];

/// Returns whether the name of a function says that it opens an address: `GreeterClient::connect("http://…")`.
fn opens_url(symbol: &[String]) -> bool {
    let words = symbol.last().map(|last| words_of(last)).unwrap_or_default();
    words.iter().any(|word| OPENERS.contains(&word.as_str()))
}

/// Methods of a collection of Laravel that ask the database for more.
const LOADING_METHODS: &[&str] = &["fresh", "toQuery"];

/// Returns whether a method only reads the records that a collection of Laravel already has: `$songs->count()`.
fn is_of_collection(symbol: &[String]) -> bool {
    let [.., class, method] = symbol else { return false };
    let loads = method.starts_with("load") || LOADING_METHODS.contains(&method.as_str());
    class == "Collection" && symbol[0] == "Illuminate" && !loads
}

impl Follow<'_> {
    /// Adds the effects of a use of a member of a foreign module, or of a builtin.
    pub(super) fn of_foreign(
        &self,
        site: &Site<'_>,
        mut symbol: Vec<String>,
        (builtin, value): (bool, ValueOf),
        below: &mut Below,
    ) {
        let Site { one, language, .. } = *site;
        let called = site.is_call();
        if language == Language::Php && is_of_collection(&symbol) {
            return;
        }
        // `Safe\file_put_contents` is the function of PHP that throws an exception instead of returning `false`.
        let is_safe = language == Language::Php && symbol.len() == 2 && symbol[0] == "Safe";
        let builtin = builtin || is_safe && symbol[1].starts_with(char::is_lowercase);
        if builtin && is_safe {
            symbol.remove(0);
        }
        // The result of a call is called: `postgres(url)` gives a function that runs SQL.
        if value == ValueOf::Call {
            symbol.push("()".to_owned());
        }
        if called && language == Language::Java {
            self.of_named_class(site, &symbol, below);
        }
        let effect = self.listed_effect(site, &symbol, builtin);
        let hop = || self.hop_of(site);
        if called
            && effect.is_none()
            && let Some(gap) = hidden_code::reason(language, &symbol, builtin)
        {
            return below.add_open(Open { gap: Some(gap), ..Open::new(&symbol, None) }, hop());
        }
        if called
            && !builtin
            && effect.is_none()
            && let [module @ .., last] = symbol.as_slice()
            && last == COMPUTED
            && self.names.knowledge.has_below(language, module, false)
        {
            let gap = Some(format!("the function of `{}` is chosen when the code runs", module.join(".")));
            return below.add_open(Open { gap, ..Open::new(&symbol, None) }, hop());
        }
        if called && !builtin && effect.is_none() {
            self.of_hooks(site, below);
        }
        if called
            && builtin
            && language == Language::Rust
            && symbol[0].ends_with('!')
            && self.of_macro(site, &symbol[0], below)
        {
            return;
        }
        match effect {
            Some(effect) => {
                let purpose = self.names.knowledge.purpose(language, &symbol);
                let is_transport =
                    self.names.knowledge.vocabulary.effects.get(effect).is_some_and(Effect::is_transport);
                // A request to a service can always do what the service exists for.
                if let Some(library) =
                    purpose.filter(|_| is_transport && (!builtin || self.is_listed_path(language, &symbol)))
                {
                    below.add_open(Open { library: Some(library), ..Open::new(&symbol, None) }, hop());
                }
                let sink = symbol.iter().filter(|name| *name != "default").cloned().collect::<Vec<_>>().join(".");
                below.add(effect, &sink, false, hop());
                let further = Some(effect).filter(|_| one.kind != UseKind::Read);
                let further = further.and_then(|_| self.names.knowledge.further(language, &symbol, builtin, &one.args));
                if let Some(further) = further.filter(|further| *further != effect) {
                    below.add(further, &sink, false, hop());
                }
            }
            None if called && is_computed_module(language, &symbol, &one.args) => {
                let gap = Some(format!("{} loads a module whose name is computed", symbol.join(".")));
                let library = self.names.knowledge.vocabulary.effect_index("code.execute");
                below.add_open(Open { gap, library, ..Open::new(&symbol, None) }, hop());
            }
            // A class of the language can be imported too: `use DateTimeImmutable;`.
            None if called && !builtin && symbol.first().is_some_and(|root| is_class_of(language, root)) => {}
            None if called && !builtin && !self.names.knowledge.knows_module(language, &symbol) => {
                // The name of a package often says what it is for.
                if let Some(effect) = self.names.knowledge.suggested_purpose(&symbol[..symbol.len() - 1])
                    && does_more_than_prepare(language, &symbol)
                {
                    below.add(effect, &symbol.join("."), true, hop());
                }
                let library = self.unlisted_effect(site, &symbol);
                below.add_open(Open { library, ..Open::new(&symbol, module_of(language, &symbol)) }, hop());
            }
            None if called && (!builtin || self.is_listed_path(language, &symbol)) => {
                // Only an own name of the library, not a method that a class inherits from it.
                let is_own = !builtin || one.chain.root() == symbol[0];
                let effect = self.names.knowledge.purpose(language, &symbol).filter(|_| is_own);
                let library = || self.unlisted_effect(site, &symbol);
                if effect.is_none()
                    && is_own
                    && !is_standard(language, &symbol)
                    && let Some(library) =
                        Some(library()).filter(|library| library.is_some() || self.is_telling(&symbol))
                {
                    below.add_open(Open { library, is_unlisted: true, ..Open::new(&symbol, None) }, hop());
                }
                if let Some(effect) = effect
                    && does_more_than_prepare(language, &symbol)
                {
                    let is_sure = |effect: &Effect| effect.is_outward() || effect.is_only_purpose();
                    if self.names.knowledge.vocabulary.effects.get(effect).is_some_and(is_sure) {
                        below.add(effect, &symbol.join("."), true, hop());
                    } else {
                        below.add_open(Open { library: Some(effect), ..Open::new(&symbol, None) }, hop());
                    }
                }
            }
            // No definition in this file has the name, so it may be a global of another file.
            None if called && builtin && symbol.len() > 1 => {
                if language == Language::Ruby && self.is_of_gem(&symbol) {
                    return below.add_open(Open::new(&symbol, module_of(language, &symbol)), hop());
                }
                self.unknown(site, &symbol, below);
                let of_page = language.is_script() && SCRIPT_GLOBALS.contains(&symbol[0].as_str());
                let gap = self.undefined(language, &symbol);
                below.open.retain(|open| of_page || gap.is_some() || !open.about.alike.is_empty());
                below.open.iter_mut().for_each(|open| Rc::make_mut(&mut open.about).gap.clone_from(&gap));
            }
            // Neither this file nor a table defines the name. It can come from an import of all names.
            None if called && builtin => {
                self.of_undefined(site, &symbol, below);
            }
            None => {}
        }
    }

    /// Adds the static blocks of a class of Java that is loaded by a name in the text: `Class.forName("a.B")`.
    fn of_named_class(&self, site: &Site<'_>, symbol: &[String], below: &mut Below) {
        if *symbol != ["Class", "forName"] {
            return;
        }
        // A variable has no dot.
        let Some((package, class)) = site.one.args.first().and_then(|name| name.rsplit_once('.')) else { return };
        let class = class.split('$').next().unwrap_or(class);
        if let Module::File(file, _) =
            modules::find(self.names.project, Language::Java, site.path, package, Some(class))
            && let Some(facts) = self.names.project.facts(&file)
            && let Some(at) = facts.units.iter().position(|unit| unit.kind == UnitKind::Class && unit.name == class)
        {
            self.enter(site, (&file, at), below);
        }
    }

    /// Adds the effects of a macro of Rust that another file of the project defines, and returns whether there is one.
    fn of_macro(&self, site: &Site<'_>, name: &str, below: &mut Below) -> bool {
        if builtins::is_builtin(Language::Rust, name, false) {
            return false;
        }
        let found = self.searched("macros", site.path, name, || self.names.macros(site.path, name)).to_vec();
        for (file, at) in &found {
            self.enter(site, (file, *at), below);
        }
        !found.is_empty()
    }

    /// Returns the effect that the tables give to a use of a symbol.
    fn listed_effect(&self, site: &Site<'_>, symbol: &[String], builtin: bool) -> Option<usize> {
        let Site { one, language, .. } = *site;
        let of = |usage| self.names.knowledge.of_symbol(language, symbol, builtin, usage, &one.args);
        // A value with the type `Function` is some function, not the one that compiles a text.
        let is_function_type = builtin && *symbol == ["Function"] && one.chain.root() != "Function";
        match one.kind {
            _ if language.is_script() && is_function_type => None,
            UseKind::Call => of(Usage::Call),
            UseKind::Read => of(Usage::Read),
            UseKind::Write | UseKind::Mark | UseKind::Step => None,
            // A function that is passed on will be called: `pool.map(os.remove, files)`. The bare name of a builtin is
            // ambiguous.
            UseKind::Hand if builtin && symbol.len() == 1 => None,
            // A created object: `&http.Client{}`.
            UseKind::Hand if one.chain.is_object() => of(Usage::Read),
            // A member of a value with a type of the library is data: `error.response`.
            UseKind::Hand if is_member_of_value(&one.chain, symbol) => of(Usage::Read),
            UseKind::Hand if one.chain.segs.len() == 1 => of(Usage::Value),
            UseKind::Hand => of(Usage::Read).or_else(|| of(Usage::Value)),
        }
    }

    /// Returns whether the name of an unlisted member of a library can say what it does: it has a verb that contracts use. This holds for
    /// libraries that are listed as harmless too, because few have no function that reads or writes a file.
    fn is_telling(&self, symbol: &[String]) -> bool {
        let Some(last) =
            symbol.last().filter(|last| symbol.len() > 1 && !VALUE_METHODS.contains(&simple(last).as_str()))
        else {
            return false;
        };
        let words = words_of(last);
        let is_setting =
            words.first().is_some_and(|word| ["has", "is", "new", "on", "set", "use", "with"].contains(&word.as_str()));
        !is_setting && words.iter().any(|word| self.names.knowledge.vocabulary.action_of(word).is_some())
    }

    /// Returns the effect that the words of a package's path, or a URL among the arguments, give to a member that no table lists.
    fn unlisted_effect(&self, site: &Site<'_>, symbol: &[String]) -> Option<usize> {
        let knowledge = self.names.knowledge;
        let by_words =
            effect_by_words(knowledge, site.language, symbol).filter(|_| does_more_than_prepare(site.language, symbol));
        let scheme = || site.one.args.iter().find_map(|arg| arg.split_once("://")).map(|(scheme, _)| scheme);
        let by_url = || {
            let scheme = scheme()?;
            let scheme = scheme.rsplit_once('=').map_or(scheme, |(_, scheme)| scheme);
            let (_, id) = SCHEMES.iter().find(|(start, _)| scheme.to_lowercase().starts_with(start))?;
            knowledge.vocabulary.effect_index(id).filter(|_| opens_url(symbol))
        };
        by_words.or_else(by_url)
    }

    /// Adds a call of a name that neither its file nor a table defines.
    fn of_undefined(&self, site: &Site<'_>, symbol: &[String], below: &mut Below) {
        let Site { path, facts, one, language, .. } = *site;
        // A name of Ruby without arguments can be a variable of a block.
        let is_variable = language == Language::Ruby && one.args.is_empty();
        // The compiler of Rust rejects an undefined name, unless a glob import or another file defines it.
        let is_elsewhere = facts.includes() || facts.imports.iter().any(|import| import.local == "*");
        let is_certain = is_variable
            || language == Language::Rust && !is_elsewhere
            || language == Language::Ruby
                && (builtins::is_route(path, &symbol[0])
                    || builtins::is_of_sinatra(&facts.text, &symbol[0])
                    || rails::is_view_helper(path, &symbol[0])
                    || rails::is_schema_word(path, &symbol[0])
                    || rails::is_route_helper(&symbol[0]) && rails::is_rails(self.names.project));
        let gap = self.undefined(language, symbol).filter(|_| !is_certain);
        // What a name of the language does is known, whatever it suggests: `FileReader`.
        let is_of_language = (language.is_script()
            || matches!(language, Language::Python | Language::Java | Language::Php))
            && builtins::is_builtin(language, &symbol[0], false);
        if !is_of_language {
            below.add_open(Open { gap, ..Open::new(symbol, None) }, self.hop_of(site));
        }
    }

    /// Returns whether a constant of Ruby or a class of PHP or Java belongs to a library that a table lists.
    fn is_listed_path(&self, language: Language, symbol: &[String]) -> bool {
        let named = symbol.len() > 1 && symbol[0].starts_with(char::is_uppercase);
        named && !language.module_is_one_name() && self.names.knowledge.knows_module(language, symbol)
    }

    /// Returns whether a constant of Ruby that nothing defines is the one of a gem of the project: `PrivateAddressCheck` of
    /// `private_address_check`, `Librato` of `librato-rails`.
    fn is_of_gem(&self, symbol: &[String]) -> bool {
        let Some(root) = symbol.first().filter(|root| root.starts_with(char::is_uppercase)) else { return false };
        if self.undefined(Language::Ruby, symbol).is_none() {
            return false;
        }
        let text = self.names.project.text("Gemfile").unwrap_or_default();
        let root = simple(root);
        let names = manifest::packages("Gemfile", &text).into_iter().map(|package| package.name);
        let is_it = |name: String| simple(&name) == root || name.split('-').next().map(simple).as_ref() == Some(&root);
        names.into_iter().any(is_it)
    }

    /// Returns whether Ziggy gives the addresses of the routes of Laravel to the scripts of the project: `route("login")`.
    fn has_ziggy(&self) -> bool {
        let lists = |path: &str, name: &str| {
            let text = self.names.project.text(path).unwrap_or_default();
            manifest::packages(path, &text).iter().any(|package| package.name == name)
        };
        lists("composer.json", "tightenco/ziggy") || lists("package.json", "ziggy-js")
    }

    /// Returns the reason why a name that nothing defines can have any effect. Returns `None` for the names of the language.
    fn undefined(&self, language: Language, symbol: &[String]) -> Option<String> {
        let root = symbol.first()?;
        // A type parameter: a value of it is one of an unknown type.
        let is_parameter = root.len() == 1 && root.starts_with(|char: char| char.is_ascii_uppercase());
        let known = is_parameter
            && matches!(
                language,
                Language::Java | Language::Go | Language::Rust | Language::TypeScript | Language::Tsx
            )
            || builtins::is_builtin(language, root, symbol.len() > 1)
            || (!language.module_is_one_name() && self.names.knowledge.knows_module(language, symbol))
            || self.names.knowledge.has_root(language, root)
            || language.is_script() && root == "route" && self.has_ziggy();
        (!known).then(|| format!("no file of the project defines {root}"))
    }
}
