//! Members that a class or a file of the project should have, and that no text of the project defines: a macro, a derive, a decorator or other
//! code makes them.

use super::builtins;
use super::facts::{Chain, Facts, Unit, UnitKind};
use super::follow::Follow;
use super::found::Below;
use super::knowledge::{Knowledge, Usage};
use super::library_use::{VALUE_METHODS, module_of};
use super::modules::{self, Module};
use super::project::simple;
use super::reach::Open;
use super::resolve::Resolution;
use super::uses::Site;
use diffsan_syntax::language::Language;

/// A member that is not found.
struct Missing {
    file: String,
    /// The class. `None` for a member of the file itself.
    class: Option<usize>,
    name: String,
}

/// Traits of Rust itself that only compute, and those that a type passes on to another one.
const STANDARD_TRAITS: &[&str] = &[
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "PartialEq",
    "Eq",
    "PartialOrd",
    "Ord",
    "Hash",
    "Display",
    "Error",
    "From",
    "Into",
    "TryFrom",
    "TryInto",
    "FromStr",
    "AsRef",
    "AsMut",
    "Borrow",
    "BorrowMut",
    "Drop",
    "Send",
    "Sync",
    "ToString",
    "ToOwned",
    "Index",
    "IndexMut",
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Neg",
    "Not",
    "Rem",
];
/// Methods of [`STANDARD_TRAITS`], and of all values.
const STANDARD_METHODS: &[&str] = &[
    "clone",
    "clonefrom",
    "default",
    "eq",
    "ne",
    "cmp",
    "partialcmp",
    "lt",
    "le",
    "gt",
    "ge",
    "hash",
    "fmt",
    "tostring",
    "from",
    "into",
    "tryfrom",
    "tryinto",
    "fromstr",
    "parse",
    "asref",
    "asmut",
    "borrow",
    "borrowmut",
    "drop",
    "toowned",
    "index",
    "max",
    "min",
    "clamp",
    "as",
    "typeid",
    "intoiter",
    "iter",
    "source",
    "description",
    "add",
    "sub",
    "mul",
    "div",
    "neg",
    "not",
    "values",
    "valueof",
    "ordinal",
    "name",
    "cases",
    "tryfrom",
    "value",
    "equals",
    "hashcode",
    "compareto",
    "getclass",
    "tostring",
    "bind",
    "call",
    "apply",
    "length",
    "hasownproperty",
    "valueof",
    "constructor",
    "prototype",
    "isprototypeof",
    "tolocalestring",
    "invoke",
    "await",
];

impl Follow<'_> {
    /// Adds what is known about a call of a member that a class or file of the project lacks. Returns the reason why nothing is known.
    pub(super) fn of_missing(&self, site: &Site<'_>, below: &mut Below) -> Option<String> {
        let Site { path, language, .. } = *site;
        let missing = self.missing(site)?;
        let Missing { file, class, name } = &missing;
        let facts = self.names.project.facts(file)?;
        if let Some(class) = class.and_then(|at| facts.units.get(at)).filter(|_| language == Language::Rust)
            && self.of_foreign_type(site, (file, &class.name, name), below)
        {
            return None;
        }
        if name.starts_with("__") || name.is_empty() || STANDARD_METHODS.contains(&simple(name).as_str()) {
            return None;
        }
        // A name of the standard library that a type of the language passes on, such as a method of a list.
        if class.is_some() && VALUE_METHODS.contains(&simple(name).as_str()) {
            return None;
        }
        let owner = class.and_then(|at| facts.units.get(at));
        if let Some(owner) = owner
            && language == Language::Rust
        {
            let found = self.searched("members", path, &format!("{}.{name}", owner.name), || {
                self.names.members_elsewhere(file, owner, name)
            });
            for (file, at) in found.iter() {
                self.enter(site, (file, *at), below);
            }
            if !found.is_empty() {
                return None;
            }
        }
        let makers = match owner {
            Some(owner) => self.makers(file, owner),
            None => self.makers_of_file(file, &facts),
        };
        let symbol = |maker: &[String]| {
            let mut symbol = maker.to_vec();
            symbol.push(name.clone());
            symbol.extend(site.one.chain.segs.last().map(|last| last.name.to_string()).filter(|last| last != name));
            symbol
        };
        let knowledge = self.names.knowledge;
        for maker in makers.iter().filter(|maker| !knowledge.knows_module(language, maker)) {
            below.add_open(Open::new(&symbol(maker), module_of(language, maker)), self.hop_of(site));
        }
        for maker in makers.iter().filter(|maker| knowledge.knows_module(language, maker)) {
            let symbol = symbol(maker);
            let effect = library_effect(knowledge, language, &symbol);
            let open = Open { library: effect, is_unlisted: effect.is_none(), ..Open::new(&symbol, None) };
            below.add_open(open, self.hop_of(site));
        }
        let of = owner.map_or(file.as_str(), |owner| owner.name.as_str());
        makers.is_empty().then(|| format!("the project does not define {of}.{name}"))
    }

    /// Adds what is known about a method that the type of a library has, in an implementation of a trait of the project for it. Returns whether the
    /// type is one of a library.
    pub(super) fn of_foreign_type(
        &self,
        site: &Site<'_>,
        (file, class, method): (&str, &str, &str),
        below: &mut Below,
    ) -> bool {
        let language = site.language;
        let facts = self.names.project.facts(file);
        let Some(mut symbol) = facts.and_then(|facts| self.foreign_type(file, &facts, class)) else { return false };
        symbol.push(method.to_owned());
        let knowledge = self.names.knowledge;
        if let Some(effect) = knowledge.of_symbol(language, &symbol, false, Usage::Call, &site.one.args) {
            below.add(effect, &symbol.join("."), false, self.hop_of(site));
        } else if knowledge.knows_module(language, &symbol) {
            let effect = library_effect(knowledge, language, &symbol);
            let open = Open { library: effect, is_unlisted: effect.is_none(), ..Open::new(&symbol, None) };
            below.add_open(open, self.hop_of(site));
        } else {
            below.add_open(Open::new(&symbol, module_of(language, &symbol)), self.hop_of(site));
        }
        true
    }

    /// Returns the member that a chain lacks, if what stands before it is a class or file of the project.
    fn missing(&self, site: &Site<'_>) -> Option<Missing> {
        let Site { path, one, .. } = *site;
        let segs = &one.chain.segs;
        let first = segs.first().filter(|first| !first.name.is_empty())?;
        if segs.len() == 2 && [super::facts::THIS, super::facts::SUPER].contains(&first.name.as_str()) {
            return None;
        }
        (1..segs.len()).rev().find_map(|length| {
            let before = Chain { segs: segs[..length].to_vec() };
            let name = segs[length].name.to_string();
            match self.names.value_of(path, one.unit, one.line, &before) {
                Resolution::Unit(file, at) => {
                    Some(self.lacks(&file, at, &name).then_some(Missing { file, class: Some(at), name }))
                }
                Resolution::File(file) => {
                    let is_lacking = self.names.project.facts(&file).is_some_and(|facts| !has_name(&facts, &name));
                    Some(is_lacking.then_some(Missing { file, class: None, name }))
                }
                Resolution::Foreign { .. } => Some(None),
                Resolution::Unknown(_) => None,
            }
        })?
    }

    /// Returns whether a class of the project has no member with a name, although the reader would see it.
    fn lacks(&self, file: &str, at: usize, name: &str) -> bool {
        let Some((language, facts)) = self.names.project.language(file).zip(self.names.project.facts(file)) else {
            return false;
        };
        let Some(class) = facts.units.get(at).filter(|unit| unit.kind == UnitKind::Class) else { return false };
        // In the other languages, objects get members at any place, and the class of an element is not always the one that the reader sees.
        let is_open = !matches!(language, Language::Rust | Language::Go | Language::Java);
        let is_field = facts.bindings_named(name).iter().any(|one| one.class.as_ref() == Some(&class.name));
        let accessor = ["get", "set", "is", "with"].iter().any(|start| name.starts_with(start)) || name == "builder";
        let is_made = language == Language::Java
            && (accessor && facts.imports.iter().any(|import| import.module.starts_with("lombok"))
                || builtins::is_builtin(language, name, false));
        !is_open && !is_field && !is_made && matches!(self.names.member_of(file, at, name), Resolution::Unknown(_))
    }

    /// Returns the names outside of the project that can give members to a class: its foreign parents, traits and derives.
    fn makers(&self, file: &str, class: &Unit) -> Vec<Vec<String>> {
        let marks = class.bases.iter().chain(&class.interfaces);
        let marks = marks.filter(|mark| !STANDARD_TRAITS.contains(&mark.root()) || mark.segs.len() > 1);
        let found = marks.filter_map(|mark| match self.names.resolve(file, class.parent, u32::MAX, mark) {
            Resolution::Foreign { path, builtin: false, .. } => Some(path),
            Resolution::Foreign { path, .. } => Some(vec!["std".to_owned(), path.join(".")]),
            _ => None,
        });
        found.collect()
    }

    /// Returns the path of a type outside of the project that a file imports and implements a trait for: `impl CommandExt for Command`.
    fn foreign_type(&self, file: &str, facts: &Facts, class: &str) -> Option<Vec<String>> {
        let import = facts.imports.iter().find(|import| import.local == class)?;
        // A module inside of the file can have a type of its own with this name.
        let named = format!(" {class}");
        let is_own = memchr::memmem::find_iter(facts.text.as_bytes(), &named).any(|at| {
            let (before, after) = (&facts.text[..at], facts.text[at + named.len()..].chars().next());
            ["struct", "enum", "union", "type", "trait"].iter().any(|kind| before.ends_with(kind))
                && !after.is_some_and(|char| char.is_alphanumeric() || char == '_')
        });
        if is_own {
            return None;
        }
        let name = import.name.as_deref();
        if modules::find(self.names.project, Language::Rust, file, &import.module, name) != Module::Foreign {
            return None;
        }
        let mut path = modules::parts_of(Language::Rust, &import.module);
        path.extend(name.map(str::to_owned));
        Some(path)
    }

    /// Returns the modules outside of the project whose names a file has too: those that it imports or exports as a whole, and in Rust the
    /// derives of its types.
    fn makers_of_file(&self, file: &str, facts: &Facts) -> Vec<Vec<String>> {
        let Some(language) = self.names.project.language(file) else { return Vec::new() };
        let all = facts.exports.iter().filter(|export| export.name == "*").filter_map(|export| export.module.as_ref());
        let imported = facts.imports.iter().filter(|import| import.local == "*").map(|import| &import.module);
        let foreign = all
            .chain(imported)
            .filter(|module| modules::find(self.names.project, language, file, module, None) == Module::Foreign);
        let mut found: Vec<Vec<String>> = foreign.map(|module| modules::parts_of(language, module)).collect();
        if language == Language::Rust {
            found.extend(
                facts.units.iter().filter(|unit| unit.kind == UnitKind::Class).flat_map(|unit| self.makers(file, unit)),
            );
        }
        found
    }
}

/// Returns the effect of a symbol of a listed library that no table lists.
pub(crate) fn library_effect(knowledge: &Knowledge, language: Language, symbol: &[String]) -> Option<usize> {
    knowledge.purpose(language, symbol).or_else(|| effect_by_words(knowledge, language, symbol))
}

/// Returns the effect that the words of the package of a symbol name: `io.vertx.ext.web.client`. The names of types in it do not count.
pub(crate) fn effect_by_words(knowledge: &Knowledge, language: Language, symbol: &[String]) -> Option<usize> {
    let is_type = |name: &String| name.starts_with(char::is_uppercase);
    let length = match language {
        Language::Php => symbol.len().saturating_sub(2),
        Language::Ruby => symbol.iter().take_while(|name| is_type(name)).count().saturating_sub(1).max(1),
        _ => symbol.iter().position(is_type).unwrap_or(symbol.len().saturating_sub(1)),
    };
    let package = symbol.get(..length.min(symbol.len().saturating_sub(1)))?;
    knowledge.purpose_by_words(package).filter(|_| !is_standard(language, symbol))
}

/// Returns whether a symbol is one of the language's own library, which the tables list completely.
pub(crate) fn is_standard(language: Language, symbol: &[String]) -> bool {
    let Some(first) = symbol.first().map(String::as_str) else { return true };
    match language {
        Language::Go => !first.split('/').next().unwrap_or(first).contains('.'),
        Language::Java => ["java", "javax", "jdk", "sun"].contains(&first),
        Language::Rust => ["std", "core", "alloc"].contains(&first),
        Language::Python => PYTHON_MODULES.split_whitespace().any(|one| one == first),
        language if language.is_script() => {
            first.starts_with("node:")
                || NODE_MODULES.split_whitespace().any(|one| first.split('/').next() == Some(one))
        }
        _ => builtins::is_builtin(language, first, true),
    }
}

const PYTHON_MODULES: &str = "abc aifc argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2 calendar cgi chunk cmath cmd code codecs \
    codeop collections colorsys compileall concurrent configparser contextlib contextvars copy copyreg csv ctypes curses dataclasses datetime dbm \
    decimal difflib dis doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc \
    getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http imaplib importlib inspect io ipaddress itertools json keyword \
    linecache locale logging lzma mailbox marshal math mimetypes mmap multiprocessing netrc numbers operator optparse os pathlib pdb pickle \
    pickletools pkgutil platform plistlib poplib posixpath pprint profile pty pwd py_compile queue quopri random re readline reprlib resource \
    sched secrets select selectors shelve shlex shutil signal site smtplib socket socketserver sqlite3 ssl stat statistics string stringprep struct \
    subprocess symtable sys sysconfig syslog tarfile telnetlib tempfile termios textwrap threading time timeit tkinter token tokenize tomllib trace \
    traceback tracemalloc tty turtle types typing unicodedata unittest urllib uuid venv warnings wave weakref webbrowser wsgiref xml xmlrpc zipapp \
    zipfile zipimport zlib zoneinfo typing_extensions";

const NODE_MODULES: &str = "assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain events fs \
    http http2 https inspector module net os path perf_hooks process punycode querystring readline repl stream string_decoder sys test timers \
    tls trace_events tty url util v8 vm wasi worker_threads zlib";

/// Returns whether a file has a definition, a variable or an exported name.
fn has_name(facts: &Facts, name: &str) -> bool {
    facts.units.iter().any(|unit| unit.name == name && unit.class.is_none())
        || facts.bindings_named(name).iter().any(|one| one.class.is_none())
        || facts.exports.iter().any(|export| export.name == name)
        || facts.imports.iter().any(|import| import.local == name)
}
