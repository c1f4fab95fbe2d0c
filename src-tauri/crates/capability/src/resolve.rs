//! Resolves a chain of names to a definition of the project, a member of a foreign module, or a builtin.
//!
//! Names are looked up in the order of the language: variables of the function, definitions of the file, imports, package,
//! builtins.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use super::arguments::Arguments;
use super::autoload;
use super::builtins;
use super::facts::{Binding, Chain, Facts, Import, MODULE, NAMELESS, SUPER, Seg, THIS, Unit, UnitKind};
use super::implementations::{CodeFiles, NearFiles};
use super::knowledge::{Knowledge, Usage};
use super::laravel;
use super::mixins::stand_in;
use super::modules::{self, Module};
use super::project::{Project, folder};
use super::results::{Results, is_bare_builtin};
use super::scope::{NameScope, around_object, binding, class_unit, classes_around, definition, own_class, parent_unit};
use diffsan_syntax::language::Language;

/// The result of resolving a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// A definition: the file and the index of its unit.
    Unit(String, usize),
    /// A whole file of the project.
    File(String),
    /// A member of a foreign module, or a builtin, which needs no import.
    Foreign {
        /// The path, from the module's name.
        path: Vec<String>,
        /// Whether the symbol needs no import.
        builtin: bool,
        /// Whether the symbol itself is meant, or a value that comes from it.
        value: ValueOf,
    },
    /// Names that could not be resolved.
    Unknown(Vec<String>),
}

/// The value that a symbol of a foreign module stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueOf {
    /// The symbol itself.
    Symbol,
    /// The result of a call of the symbol.
    Call,
    /// An object of the type that the symbol names.
    Type,
}

/// The maximum number of values of a field that are resolved.
const MAX_FIELD_VALUES: usize = 4;
/// The maximum number of steps to resolve one name.
pub(super) const FUEL: u8 = 24;

/// Resolves names in one side of a project.
pub struct Names<'a> {
    /// The files.
    pub project: &'a Project<'a>,
    /// The tables.
    pub knowledge: &'a Knowledge,
    /// The code files that are not tests.
    pub(crate) code: OnceCell<CodeFiles>,
    pub(crate) near: RefCell<NearFiles>,
    /// The files that declare global names of scripts.
    pub(super) declarations: OnceCell<Vec<String>>,
    /// The functions of PHP that no import names, by namespace and name.
    pub(super) functions: RefCell<HashMap<(String, String), Option<Resolution>>>,
    pub(super) results: RefCell<Results>,
    pub(super) arguments: RefCell<Arguments>,
}

/// Returns the length of the path of a class of Java: packages in small letters, and a class.
fn complete_path(segs: &[Seg]) -> Option<usize> {
    let is_package = |seg: &&Seg| !seg.called && seg.name.starts_with(|first: char| first.is_ascii_lowercase());
    let packages = segs.iter().take_while(is_package).count();
    let class = segs.get(packages).filter(|_| packages > 0)?;
    // `settings.LIMIT` is a constant of an object.
    let is_class = class.name.starts_with(char::is_uppercase)
        && (packages > 1 || class.name.contains(|char: char| char.is_ascii_lowercase()));
    is_class.then_some(packages + 1)
}

impl<'a> Names<'a> {
    /// Creates an empty state for one side of a project.
    pub fn new(project: &'a Project<'a>, knowledge: &'a Knowledge) -> Self {
        Self {
            project,
            knowledge,
            code: OnceCell::new(),
            near: RefCell::default(),
            declarations: OnceCell::new(),
            functions: RefCell::default(),
            results: RefCell::default(),
            arguments: RefCell::default(),
        }
    }

    /// Resolves a chain at a line of a unit.
    pub fn resolve(&self, file: &str, unit: usize, line: u32, chain: &Chain) -> Resolution {
        let Some(facts) = self.project.facts(file) else { return unknown(&chain.segs) };
        self.chain(&NameScope { file: file.to_owned(), facts, unit, line }, &chain.segs, FUEL)
    }

    /// Resolves the value of a chain at a line of a unit: of a call, what it returns.
    pub(super) fn value_of(&self, file: &str, unit: usize, line: u32, chain: &Chain) -> Resolution {
        let Some(facts) = self.project.facts(file) else { return unknown(&chain.segs) };
        self.value(&NameScope { file: file.to_owned(), facts, unit, line }, &chain.segs, FUEL)
    }

    /// Resolves a member of a class of the project.
    pub(super) fn member_of(&self, file: &str, unit: usize, name: &str) -> Resolution {
        self.member(Resolution::Unit(file.to_owned(), unit), false, name, FUEL)
    }

    pub(super) fn chain(&self, from: &NameScope, segs: &[Seg], fuel: u8) -> Resolution {
        let Some((first, rest)) = segs.split_first() else { return Resolution::Unknown(Vec::new()) };
        let Some(fuel) = self.spend(fuel) else { return unknown(segs) };
        // `import a.b` and a Rust path consist of several names.
        if let Some((found, used)) = self.long_root(from, segs, fuel) {
            return self.members(found, &segs[used - 1], &segs[used..], fuel);
        }
        let found = self.root(from, &first.name, fuel);
        self.members(found, first, rest, fuel)
    }

    pub(super) fn members(&self, start: Resolution, first: &Seg, rest: &[Seg], fuel: u8) -> Resolution {
        let mut meaning = start;
        let mut called = first.called;
        for seg in rest {
            meaning = self.member(meaning, called, &seg.name, fuel);
            called = seg.called;
        }
        match meaning {
            // A file that is called stands for its default export: `require("./send")()`.
            Resolution::File(file) if called => match self.exported(&file, "default", fuel) {
                Some(found) => found,
                None => Resolution::File(file),
            },
            meaning => meaning,
        }
    }

    fn long_root(&self, from: &NameScope, segs: &[Seg], fuel: u8) -> Option<(Resolution, usize)> {
        let language = self.project.language(&from.file)?;
        let uncalled = segs.iter().take_while(|seg| !seg.called).count();
        match language {
            Language::Python => {
                // A member that the file assigns: `g.db`.
                if segs.len() > 1 && !segs[0].called && binding(from, &segs[0].name).is_none() {
                    let name = format!("{}.{}", segs[0].name, segs[1].name);
                    let assigned = from.facts.bindings.iter().find(|one| one.name == name && one.class.is_none());
                    if let Some((one, source)) = assigned.and_then(|one| Some((one, one.source.as_ref()?))) {
                        let inner = NameScope { unit: one.unit, line: one.line, ..from.clone() };
                        return Some((self.value(&inner, &source.segs, fuel), 2));
                    }
                }
                for length in (2..=segs.len().min(uncalled + 1)).rev() {
                    let path = segs[..length].iter().map(|seg| seg.name.as_str()).collect::<Vec<_>>().join(".");
                    let loads = |import: &&Import| import.local.is_empty() && import.module == path;
                    if let Some(import) = from.facts.imports.iter().find(loads) {
                        return Some((self.import(from, import, fuel), length));
                    }
                }
                None
            }
            Language::Rust if ["crate", "self", "super"].contains(&segs[0].name.as_str()) && segs.len() > 1 => {
                let length = segs.len().min(uncalled + 1);
                let path = segs[..length].iter().map(|seg| seg.name.as_str()).collect::<Vec<_>>();
                let (module, name) = path.split_at(length - 1);
                match modules::find(self.project, language, &from.file, &module.join("::"), name.first().copied()) {
                    Module::File(file, rest) => {
                        let mut meaning = Resolution::File(file);
                        for name in &rest {
                            meaning = self.member(meaning, false, name, fuel);
                        }
                        Some((meaning, length))
                    }
                    _ => None,
                }
            }
            Language::Ruby => {
                let is_constant = |seg: &&Seg| seg.name.starts_with(char::is_uppercase);
                let length = segs.iter().take_while(is_constant).count().min(uncalled + 1);
                (2..=length).rev().find_map(|length| {
                    let path: Vec<&str> = segs[..length].iter().map(|seg| seg.name.as_str()).collect();
                    let file = autoload::file_of_constant(self.project, &path).filter(|file| **file != from.file)?;
                    Some((self.exported(&file.clone(), path[length - 1], fuel)?, length))
                })
            }
            // `Clients::Mailer` and `\App\Mail\Mailer` are complete paths.
            Language::Php if segs.len() > 1 && uncalled > 0 => {
                let length = segs.len().min(uncalled + 1);
                (2..=length).rev().find_map(|length| {
                    let path: Vec<&str> = segs[..length].iter().map(|seg| seg.name.as_str()).collect();
                    let (class, module) = path.split_last()?;
                    let found = modules::find(self.project, language, &from.file, &module.join("."), Some(class));
                    let Module::File(file, rest) = found else { return None };
                    let start = Resolution::File(file);
                    let meaning = rest.iter().fold(start, |meaning, name| self.member(meaning, false, name, fuel));
                    Some((meaning, length))
                })
            }
            // `okhttp3.OkHttpClient` is a complete path, also in a class whose parent could have a member `okhttp3`.
            Language::Java => {
                let length = complete_path(segs).filter(|_| from.facts.bindings_named(&segs[0].name).is_empty())?;
                let path: Vec<&str> = segs[..length].iter().map(|seg| seg.name.as_str()).collect();
                let (class, module) = path.split_last()?;
                let found = match modules::find(self.project, language, &from.file, &module.join("."), Some(class)) {
                    Module::File(file, rest) => {
                        let start = Resolution::File(file);
                        rest.iter().fold(start, |meaning, name| self.member(meaning, false, name, fuel))
                    }
                    _ => Resolution::Foreign {
                        path: path.iter().map(|name| (*name).to_owned()).collect(),
                        builtin: true,
                        value: ValueOf::Symbol,
                    },
                };
                Some((found, length))
            }
            _ => None,
        }
    }

    fn root(&self, from: &NameScope, name: &str, fuel: u8) -> Resolution {
        let language = self.project.language(&from.file);
        if name == NAMELESS {
            return Resolution::Unknown(vec![String::new()]);
        }
        if let Some(module) = name.strip_prefix(MODULE) {
            return self.module(from, module, None, fuel);
        }
        if name == THIS || name == SUPER {
            // `this` of an arrow function in an object is the one around the object.
            if let Some(outer) = around_object(from).filter(|outer| own_class(outer).is_some()) {
                return self.root(&outer, name, fuel);
            }
            let Some(class) = own_class(from) else { return Resolution::Unknown(vec![name.to_owned()]) };
            let at = class_unit(&from.facts, &class);
            return match at {
                Some(unit) if name == THIS => Resolution::Unit(from.file.clone(), unit),
                Some(unit) => {
                    let base = from.facts.units[unit].bases.first().cloned();
                    base.map_or(Resolution::Unknown(vec![name.to_owned()]), |base| {
                        self.class_of(self.chain(&NameScope { unit: 0, ..from.clone() }, &base.segs, fuel), fuel)
                    })
                }
                // A Go or Rust method may be in another file than its type.
                None => self.in_package(from, &class, fuel).unwrap_or(Resolution::Unknown(vec![name.to_owned()])),
            };
        }
        if let Some(binding) = binding(from, name) {
            let Some(source) = binding.source.clone() else {
                let given = self.argument(from, &binding, fuel);
                return given.unwrap_or(Resolution::Unknown(vec![name.to_owned()]));
            };
            // In `client = client or Client()`, the name on the right is the earlier variable.
            if source.root() == name {
                let is_earlier = |one: &&Binding| {
                    one.name == name && one.unit == binding.unit && one.class.is_none() && one.line < binding.line
                };
                let (unit, line) = if let Some(earlier) = from.facts.bindings.iter().rev().find(is_earlier) {
                    (binding.unit, earlier.line)
                } else if binding.line >= from.line {
                    return Resolution::Unknown(vec![name.to_owned()]);
                } else {
                    (parent_unit(&from.facts, binding.unit), binding.line)
                };
                return self.value(&NameScope { unit, line, ..from.clone() }, &source.segs, fuel);
            }
            return self.value(
                &NameScope { unit: binding.unit, line: binding.line, ..from.clone() },
                &source.segs,
                fuel,
            );
        }
        if let Some(unit) = definition(from, name) {
            return Resolution::Unit(from.file.clone(), unit);
        }
        // A returned value can be a variable of a block of the function.
        let is_result = from.facts.units.get(from.unit).is_some_and(|unit| from.line >= unit.end);
        if is_result && language.is_some_and(Language::is_script) {
            let named = from.facts.bindings_named(name);
            let mut inner = named.into_iter().filter(|one| one.unit == from.unit && one.class.is_none()).peekable();
            if inner.peek().is_some() {
                let sourced = inner.find_map(|one| Some((one.line, one.source.as_ref()?)));
                let Some((line, source)) = sourced.filter(|(_, source)| source.root() != name) else {
                    return Resolution::Unknown(vec![name.to_owned()]);
                };
                return self.value(&NameScope { line, ..from.clone() }, &source.segs, fuel);
            }
        }
        // A call without an object can be a method of the same class. A constant or type that a parent outside of the project may
        // have is more probably another one.
        let is_type = name.starts_with(char::is_uppercase);
        let is_field =
            |class: &str| from.facts.bindings.iter().any(|one| one.class.as_deref() == Some(class) && one.name == name);
        if matches!(language, Some(Language::Java | Language::Ruby)) {
            for class in classes_around(from) {
                if let Some(found) = self.of_class(from, &class, name, fuel)
                    && (!(is_type && matches!(found, Resolution::Foreign { .. })) || is_field(&class))
                    && !self.is_rather_builtin(language, &found, name)
                {
                    return found;
                }
            }
        }
        if let Some(import) = from.facts.imports.iter().find(|import| import.local == name) {
            return self.import(from, import, fuel);
        }
        // A macro is imported without its mark.
        if let Some(plain) = name.strip_suffix('!')
            && let Some(import) = from.facts.imports.iter().find(|import| import.local == plain)
            && let Resolution::Foreign { mut path, builtin, value } = self.import(from, import, fuel)
        {
            path.pop();
            path.push(name.to_owned());
            return Resolution::Foreign { path, builtin, value };
        }
        if let Some(found) = self.wildcard(from, name, fuel) {
            return found;
        }
        if let Some(found) = self.in_package(from, name, fuel).or_else(|| self.ambient(from, name, fuel)) {
            return found;
        }
        if let Some(found) = self.known_wildcard(from, name) {
            return found;
        }
        if language == Some(Language::Rust)
            && let Some(found) = self.macro_of_crate(&from.file, name)
        {
            return found;
        }
        if language == Some(Language::Php)
            && let Some(path) = laravel::aliased(self.project, name)
        {
            return Resolution::Foreign { path, builtin: false, value: ValueOf::Symbol };
        }
        Resolution::Foreign { path: vec![name.to_owned()], builtin: true, value: ValueOf::Symbol }
    }

    /// Returns whether a name that a parent outside of the project can have is more probably a function of Ruby itself: `system` in a class
    /// with `Enumerable`.
    fn is_rather_builtin(&self, language: Option<Language>, found: &Resolution, name: &str) -> bool {
        let Resolution::Foreign { path, builtin, .. } = found else { return false };
        let is_listed = || self.knowledge.of_symbol(Language::Ruby, path, *builtin, Usage::Call, &[]).is_some();
        let of_ruby =
            builtins::is_builtin(Language::Ruby, name, false) || self.knowledge.has_root(Language::Ruby, name);
        language == Some(Language::Ruby) && of_ruby && !is_listed()
    }

    /// Resolves the value of a variable. If the last segment is called, the value is the result of the call; if it is a type, an object of it.
    pub(super) fn value(&self, from: &NameScope, segs: &[Seg], fuel: u8) -> Resolution {
        let meaning = self.chain(from, segs, fuel);
        let Some(last) = segs.last().filter(|last| last.called || last.is_type) else { return meaning };
        match &meaning {
            Resolution::Unit(file, unit) if last.called => self.result(file, *unit, fuel).unwrap_or(meaning),
            Resolution::Foreign { path, builtin, .. } => {
                let value = if last.called { ValueOf::Call } else { ValueOf::Type };
                Resolution::Foreign { path: path.clone(), builtin: *builtin, value }
            }
            _ => meaning,
        }
    }

    /// Resolves a field by its sources, the most precise first: a created value or else a variable, and then a type. The type counts where the
    /// code that gives the value is not known.
    fn field<'f>(
        &self,
        file: &str,
        facts: &Arc<Facts>,
        fields: impl Iterator<Item = &'f Binding>,
        fuel: u8,
    ) -> Option<Resolution> {
        let all: Vec<(&Binding, &Chain)> = fields.filter_map(|field| Some((field, field.source.as_ref()?))).collect();
        let is_made = |source: &Chain| source.segs.iter().any(|seg| seg.called);
        let made = all.iter().find(|(_, source)| is_made(source));
        let values = all.iter().filter(|(_, source)| !source.is_object());
        // The other values of a field, which the code that gives the first one decides about, only count in a script.
        let count = if self.project.language(file).is_some_and(Language::is_script) { MAX_FIELD_VALUES } else { 1 };
        let value = made.into_iter().chain(values.take(if made.is_some() { 0 } else { count }));
        let typed = all.iter().find(|(_, source)| !is_made(source) && source.is_object());
        let sources = value.chain(typed);
        let mut first = None;
        for (field, source) in sources {
            let from =
                NameScope { file: file.to_owned(), facts: Arc::clone(facts), unit: field.unit, line: field.line };
            let found = self.value(&from, &source.segs, fuel);
            // The result of a function is not known if the function itself stands for it.
            let is_function = |file: &str, unit: usize| {
                let facts = self.project.facts(file);
                facts.is_some_and(|facts| facts.units.get(unit).is_some_and(|unit| unit.kind == UnitKind::Function))
            };
            let is_known = match &found {
                Resolution::Unknown(_) => false,
                Resolution::Unit(file, unit) => !source.is_called() || !is_function(file, *unit),
                _ => !is_bare_builtin(&found),
            };
            if is_known {
                return Some(found);
            }
            first.get_or_insert(found);
        }
        first
    }

    /// Returns the class that a file stands for as a parent: `const Plugin = require("./Plugin")`.
    fn class_of(&self, parent: Resolution, fuel: u8) -> Resolution {
        match &parent {
            Resolution::File(file) => self.exported(file, "default", fuel).unwrap_or(parent),
            _ => parent,
        }
    }

    pub(super) fn member(&self, meaning: Resolution, called: bool, name: &str, fuel: u8) -> Resolution {
        let Some(fuel) = self.spend(fuel) else { return Resolution::Unknown(vec![name.to_owned()]) };
        match meaning {
            Resolution::Foreign { mut path, builtin, .. } => {
                path.push(name.to_owned());
                Resolution::Foreign { path, builtin, value: ValueOf::Symbol }
            }
            Resolution::Unknown(mut names) => {
                names.push(name.to_owned());
                Resolution::Unknown(names)
            }
            Resolution::File(file) => {
                if let Some(found) = self.exported(&file, name, fuel) {
                    return found;
                }
                if name != "default"
                    && self.project.language(&file).is_some_and(Language::is_script)
                    && let Some(found) = self.exported(&file, "default", fuel)
                {
                    return self.member(found, called, name, fuel);
                }
                // `a.b`, where `b` is a file below the package `a`.
                let language = self.project.language(&file);
                if language == Some(Language::Python) && file.ends_with("__init__.py") {
                    let below = folder(&file);
                    let found = [format!("{below}{name}.py"), format!("{below}{name}/__init__.py")];
                    if let Some(found) = found.into_iter().find(|path| self.project.has(path)) {
                        return Resolution::File(found);
                    }
                }
                if name == "default" {
                    return Resolution::File(file);
                }
                Resolution::Unknown(vec![file, name.to_owned()])
            }
            Resolution::Unit(file, unit) => {
                let Some(facts) = self.project.facts(&file) else { return Resolution::Unknown(vec![name.to_owned()]) };
                let Some(definition) = facts.units.get(unit) else { return Resolution::Unknown(vec![name.to_owned()]) };
                if definition.kind == UnitKind::Function {
                    if ["call", "apply"].contains(&name) && !called {
                        return Resolution::Unit(file, unit);
                    }
                    return match self.result(&file, unit, fuel) {
                        Some(Resolution::Unit(same, at)) if same == file && at == unit => {
                            Resolution::Unknown(vec![definition.name.to_string(), name.to_owned()])
                        }
                        Some(found) => self.member(found, false, name, fuel),
                        None => Resolution::Unknown(vec![definition.name.to_string(), name.to_owned()]),
                    };
                }
                let from = NameScope { file: file.clone(), facts: Arc::clone(&facts), unit, line: u32::MAX };
                let class = definition.name.clone();
                let found = self.of_class(&from, &class, name, fuel).or_else(|| stand_in(&from, &class, name));
                let found = found.or_else(|| self.of_object(&from, definition, name, fuel));
                found.unwrap_or(Resolution::Unknown(vec![class.to_string(), name.to_owned()]))
            }
        }
    }

    /// Resolves a method that a class of Java has because each object has it, if all its parents are known.
    fn of_object(&self, from: &NameScope, class: &Unit, name: &str, fuel: u8) -> Option<Resolution> {
        if self.project.language(&from.file) != Some(Language::Java) || !builtins::OBJECT_METHODS.contains(&name) {
            return None;
        }
        let outside = NameScope { unit: class.parent, ..from.clone() };
        let is_known = |base: &Chain| !matches!(self.chain(&outside, &base.segs, fuel), Resolution::Unknown(_));
        class.bases.iter().all(is_known).then(|| {
            let path = vec!["Object".to_owned(), name.to_owned()];
            Resolution::Foreign { path, builtin: true, value: ValueOf::Symbol }
        })
    }

    /// Resolves a method, field or inner definition of a class, including inherited ones.
    fn of_class(&self, from: &NameScope, class: &str, name: &str, fuel: u8) -> Option<Resolution> {
        let fuel = self.spend(fuel)?;
        let mut files = vec![(from.file.clone(), Arc::clone(&from.facts))];
        let mut widened = false;
        while let Some((file, facts)) = files.pop() {
            let units = facts.units_named(name);
            if let Some((at, _)) = units.iter().find(|(_, unit)| unit.class.as_deref() == Some(class)) {
                return Some(Resolution::Unit(file, *at));
            }
            let bindings = facts.bindings_named(name);
            let fields = || bindings.iter().copied().filter(|one| one.class.as_deref() == Some(class));
            if let Some(found) = self.field(&file, &facts, fields(), fuel) {
                return Some(found);
            }
            // A field of PHP that the class declares is not one of a parent outside of the project.
            if self.project.language(&file) == Some(Language::Php) && fields().next().is_some() {
                return Some(Resolution::Unknown(vec![class.to_owned(), name.to_owned()]));
            }
            let class_at = class_unit(&facts, class);
            if let Some(at) = class_at {
                // A constant of Ruby is a variable of its class.
                let is_constant = |one: &&&Binding| one.unit == at && one.class.is_none();
                if self.project.language(&file) == Some(Language::Ruby)
                    && name.starts_with(char::is_uppercase)
                    && let Some(one) = bindings.iter().find(is_constant)
                {
                    let found = one.source.clone().map(|source| {
                        let inner = NameScope { unit: at, line: one.line, facts: Arc::clone(&facts), file };
                        self.value(&inner, &source.segs, fuel)
                    });
                    let unknown = || Resolution::Unknown(vec![name.to_owned()]);
                    return Some(
                        found.filter(|found| !matches!(found, Resolution::Unknown(_))).unwrap_or_else(unknown),
                    );
                }
                let inside = |unit: &Unit| unit.parent == at && unit.class.is_none();
                if let Some((found, _)) = units.iter().find(|(_, unit)| inside(unit)) {
                    return Some(Resolution::Unit(file, *found));
                }
                let mut unlisted = None;
                for base in &facts.units[at].bases {
                    let outside = NameScope {
                        file: file.clone(),
                        facts: Arc::clone(&facts),
                        unit: facts.units[at].parent,
                        line: u32::MAX,
                    };
                    let found = match self.class_of(self.chain(&outside, &base.segs, fuel), fuel) {
                        Resolution::Unit(other, unit) if other != file || unit != at => {
                            self.member(Resolution::Unit(other, unit), false, name, fuel)
                        }
                        Resolution::Foreign { mut path, builtin, .. } => {
                            path.push(name.to_owned());
                            Resolution::Foreign { path, builtin, value: ValueOf::Symbol }
                        }
                        _ => continue,
                    };
                    match &found {
                        // A constant of the parent, whose value has no name.
                        Resolution::Unknown(names) if names.len() == 1 && names[0].starts_with(char::is_uppercase) => {
                            return Some(found);
                        }
                        Resolution::Unknown(_) => {}
                        // Of several parents outside of the project, one that is known to have the member is more probable.
                        Resolution::Foreign { path, builtin, .. }
                            if self.project.language(&file).is_some_and(|language| {
                                matches!(language, Language::Php | Language::Ruby)
                                    && self.knowledge.of_symbol(language, path, *builtin, Usage::Call, &[]).is_none()
                            }) =>
                        {
                            unlisted.get_or_insert(found);
                        }
                        _ => return Some(found),
                    }
                }
                if unlisted.is_some() {
                    return unlisted;
                }
                if let Some(found) = self.of_mixin(&file, &facts, at, name, fuel) {
                    return Some(found);
                }
            }
            if !widened && matches!(self.project.language(&file), Some(Language::Go)) {
                widened = true;
                files.extend(self.package(&file).filter(|(other, _)| *other != file));
            }
        }
        None
    }
}

fn unknown(segs: &[Seg]) -> Resolution {
    Resolution::Unknown(segs.iter().map(|seg| seg.name.to_string()).collect())
}
