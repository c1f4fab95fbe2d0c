//! Resolves a chain of names to a definition of the project, a member of a foreign module, or a builtin.
//!
//! Names are looked up in the order of the language: variables of the function, definitions of the file, imports, package,
//! builtins.

use std::cell::{OnceCell, RefCell};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use super::facts::{Binding, Chain, Export, Facts, Import, MODULE, NAMELESS, SUPER, Seg, THIS, Unit, UnitKind};
use super::knowledge::{Knowledge, Usage};
use super::modules::{self, Module};
use super::project::{Project, folder, simple};
use super::scope::{NameScope, binding, class_unit, classes_around, definition, own_class, parent_unit};
use crate::read::language_of;
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
        /// Whether this is the result of a call of the symbol, not the symbol itself.
        result: bool,
    },
    /// Names that could not be resolved.
    Unknown(Vec<String>),
}

/// The maximum number of steps to resolve one name.
const FUEL: u8 = 24;

/// Resolves names in one side of a project.
pub struct Names<'a> {
    /// The files.
    pub project: &'a Project<'a>,
    /// The tables.
    pub knowledge: &'a Knowledge,
    /// The code files that are not tests, with their normalized names.
    pub(crate) code: OnceCell<Vec<(String, String)>>,
    results: RefCell<Results>,
}

/// A function by its file and unit.
type Function = (String, usize);

/// The results of functions. Without them, functions that return what others return, such as the methods of a builder, would be
/// resolved once for each way from one to another.
#[derive(Default)]
struct Results {
    known: HashMap<Function, Option<Resolution>>,
    /// The functions that are being resolved, the outermost first.
    inside: Vec<Function>,
    /// Results that are incomplete, because one of `inside` is not known yet or the name takes too many steps.
    partial: HashMap<Function, Partial>,
    /// The reason why the result that is being resolved is incomplete so far.
    lacks: Lack,
}

struct Partial {
    found: Option<Resolution>,
    lacks: Lack,
    /// The steps that were left.
    fuel: u8,
}

/// The reason why a result is incomplete. A greater value holds for longer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Lack {
    #[default]
    Nothing,
    /// It needs functions that are being resolved, of which the outermost has this index in [`Results::inside`].
    Function(Reverse<usize>),
    /// The name takes too many steps.
    Steps,
}

impl Results {
    fn is_inside(&self, file: &str, unit: usize) -> bool {
        self.inside.iter().any(|(path, at)| path == file && *at == unit)
    }

    /// Begins to resolve a function. Returns why the result of the function around it is incomplete so far, or else the
    /// result to use.
    fn begin(&mut self, function: &Function, fuel: u8) -> Result<Lack, Option<Resolution>> {
        if let Some(at) = self.inside.iter().position(|one| one == function) {
            self.lacks = self.lacks.max(Lack::Function(Reverse(at)));
            return Err(None);
        }
        if let Some(partial) = self.partial.get(function)
            && (partial.lacks != Lack::Steps || fuel <= partial.fuel)
        {
            self.lacks = self.lacks.max(partial.lacks);
            return Err(partial.found.clone());
        }
        self.inside.push(function.clone());
        Ok(std::mem::take(&mut self.lacks))
    }

    fn end(&mut self, function: Function, found: &Option<Resolution>, fuel: u8, outer: Lack) {
        self.inside.pop();
        let own = Lack::Function(Reverse(self.inside.len()));
        // A function adds nothing to its own result, so a result that lacks only itself is complete.
        if self.lacks <= own {
            self.known.insert(function, found.clone());
            self.partial.retain(|_, partial| partial.lacks > own);
            self.lacks = outer;
        } else {
            let lacks = self.lacks;
            // Results that need this function are as incomplete as it is.
            self.partial.values_mut().filter(|partial| partial.lacks <= own).for_each(|partial| partial.lacks = lacks);
            self.partial.insert(function, Partial { found: found.clone(), lacks, fuel });
            self.lacks = lacks.max(outer);
        }
        if self.inside.is_empty() {
            self.partial.clear();
            self.lacks = Lack::Nothing;
        }
    }
}

impl<'a> Names<'a> {
    /// Creates an empty state for one side of a project.
    pub fn new(project: &'a Project<'a>, knowledge: &'a Knowledge) -> Self {
        Self { project, knowledge, code: OnceCell::new(), results: RefCell::default() }
    }

    /// Resolves a chain at a line of a unit.
    pub fn resolve(&self, file: &str, unit: usize, line: u32, chain: &Chain) -> Resolution {
        let Some(facts) = self.project.facts(file) else { return unknown(&chain.segs) };
        self.chain(&NameScope { file: file.to_owned(), facts, unit, line }, &chain.segs, FUEL)
    }

    fn chain(&self, from: &NameScope, segs: &[Seg], fuel: u8) -> Resolution {
        let Some((first, rest)) = segs.split_first() else { return Resolution::Unknown(Vec::new()) };
        let Some(fuel) = self.spend(fuel) else { return unknown(segs) };
        // `import a.b` and a Rust path consist of several names.
        if let Some((found, used)) = self.long_root(from, segs, fuel) {
            return self.members(found, &segs[used - 1], &segs[used..], fuel);
        }
        let found = self.root(from, &first.name, fuel);
        self.members(found, first, rest, fuel)
    }

    fn members(&self, start: Resolution, first: &Seg, rest: &[Seg], fuel: u8) -> Resolution {
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
        let language = language_of(&from.file)?;
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
            _ => None,
        }
    }

    fn root(&self, from: &NameScope, name: &str, fuel: u8) -> Resolution {
        let language = language_of(&from.file);
        if name == NAMELESS {
            return Resolution::Unknown(vec![String::new()]);
        }
        if let Some(module) = name.strip_prefix(MODULE) {
            return self.module(from, module, None, fuel);
        }
        if name == THIS || name == SUPER {
            let Some(class) = own_class(from) else { return Resolution::Unknown(vec![name.to_owned()]) };
            let at = class_unit(&from.facts, &class);
            return match at {
                Some(unit) if name == THIS => Resolution::Unit(from.file.clone(), unit),
                Some(unit) => {
                    let base = from.facts.units[unit].bases.first().cloned();
                    base.map_or(Resolution::Unknown(vec![name.to_owned()]), |base| {
                        self.chain(&NameScope { unit: 0, ..from.clone() }, &base.segs, fuel)
                    })
                }
                // A Go or Rust method may be in another file than its type.
                None => self.in_package(from, &class, fuel).unwrap_or(Resolution::Unknown(vec![name.to_owned()])),
            };
        }
        if let Some(binding) = binding(from, name) {
            let Some(source) = binding.source.clone() else { return Resolution::Unknown(vec![name.to_owned()]) };
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
        // A call without an object can be a method of the same class. A constant or type that a parent outside of the project may
        // have is more probably another one.
        let is_type = name.starts_with(char::is_uppercase);
        let is_field =
            |class: &str| from.facts.bindings.iter().any(|one| one.class.as_deref() == Some(class) && one.name == name);
        if matches!(language, Some(Language::Java | Language::Ruby)) {
            for class in classes_around(from) {
                if let Some(found) = self.of_class(from, &class, name, fuel)
                    && (!(is_type && matches!(found, Resolution::Foreign { .. })) || is_field(&class))
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
            && let Resolution::Foreign { mut path, builtin, result } = self.import(from, import, fuel)
        {
            path.pop();
            path.push(name.to_owned());
            return Resolution::Foreign { path, builtin, result };
        }
        if let Some(found) = self.wildcard(from, name, fuel) {
            return found;
        }
        if let Some(found) = self.in_package(from, name, fuel) {
            return found;
        }
        Resolution::Foreign { path: vec![name.to_owned()], builtin: true, result: false }
    }

    /// Resolves the value of a variable. If the last segment is called, the value is the result of the call.
    fn value(&self, from: &NameScope, segs: &[Seg], fuel: u8) -> Resolution {
        let meaning = self.chain(from, segs, fuel);
        let called = segs.last().is_some_and(|seg| seg.called);
        match &meaning {
            Resolution::Unit(file, unit) if called => self.result(file, *unit, fuel).unwrap_or(meaning),
            Resolution::Foreign { path, builtin, .. } if called => {
                Resolution::Foreign { path: path.clone(), builtin: *builtin, result: true }
            }
            _ => meaning,
        }
    }

    /// Returns the result of calling a function. The result of a class is the class itself. A function that is being resolved adds
    /// nothing to its own result.
    fn result(&self, file: &str, unit: usize, fuel: u8) -> Option<Resolution> {
        let facts = self.project.facts(file)?;
        if facts.units.get(unit)?.kind != UnitKind::Function {
            return Some(Resolution::Unit(file.to_owned(), unit));
        }
        let function = (file.to_owned(), unit);
        if let Some(found) = self.results.borrow().known.get(&function) {
            return found.clone();
        }
        let fuel = self.spend(fuel)?;
        let outer = match self.results.borrow_mut().begin(&function, fuel) {
            Ok(outer) => outer,
            Err(found) => return found,
        };
        let found = self.returned(file, &facts, unit, fuel);
        self.results.borrow_mut().end(function, &found, fuel, outer);
        found
    }

    /// Takes a step to resolve a name. Returns the number of steps that are left.
    fn spend(&self, fuel: u8) -> Option<u8> {
        let left = fuel.checked_sub(1);
        if left.is_none() {
            self.results.borrow_mut().lacks = Lack::Steps;
        }
        left
    }

    /// Returns the first value that a function returns and whose meaning is known.
    fn returned(&self, file: &str, facts: &Arc<Facts>, unit: usize, fuel: u8) -> Option<Resolution> {
        let definition = facts.units.get(unit)?;
        let from = NameScope { file: file.to_owned(), facts: Arc::clone(facts), unit, line: definition.end };
        let mut first = None;
        for returned in &definition.returns {
            let found = self.value(&from, &returned.segs, fuel);
            let known = match &found {
                Resolution::Unknown(_) => false,
                // A function that returns itself in another way, and another value.
                Resolution::Unit(file, unit) => !self.results.borrow().is_inside(file, *unit),
                _ => !is_bare_builtin(&found),
            };
            if known {
                return Some(found);
            }
            first.get_or_insert(found);
        }
        first
    }

    fn member(&self, meaning: Resolution, called: bool, name: &str, fuel: u8) -> Resolution {
        let Some(fuel) = self.spend(fuel) else { return Resolution::Unknown(vec![name.to_owned()]) };
        match meaning {
            Resolution::Foreign { mut path, builtin, .. } => {
                path.push(name.to_owned());
                Resolution::Foreign { path, builtin, result: false }
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
                    && language_of(&file).is_some_and(Language::is_script)
                    && let Some(found) = self.exported(&file, "default", fuel)
                {
                    return self.member(found, called, name, fuel);
                }
                // `a.b`, where `b` is a file below the package `a`.
                let language = language_of(&file);
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
                            Resolution::Unknown(vec![definition.name.clone(), name.to_owned()])
                        }
                        Some(found) => self.member(found, false, name, fuel),
                        None => Resolution::Unknown(vec![definition.name.clone(), name.to_owned()]),
                    };
                }
                let from = NameScope { file: file.clone(), facts: Arc::clone(&facts), unit, line: u32::MAX };
                let class = definition.name.clone();
                self.of_class(&from, &class, name, fuel).unwrap_or(Resolution::Unknown(vec![class, name.to_owned()]))
            }
        }
    }

    /// Resolves a method, field or inner definition of a class, including inherited ones.
    fn of_class(&self, from: &NameScope, class: &str, name: &str, fuel: u8) -> Option<Resolution> {
        let fuel = self.spend(fuel)?;
        let mut files = vec![(from.file.clone(), Arc::clone(&from.facts))];
        let mut widened = false;
        while let Some((file, facts)) = files.pop() {
            let of = |unit: &Unit| unit.class.as_deref() == Some(class) && unit.name == name;
            if let Some(at) = facts.units.iter().position(of) {
                return Some(Resolution::Unit(file, at));
            }
            let field = |binding: &&Binding| binding.class.as_deref() == Some(class) && binding.name == name;
            // A field with a created value is more precise than one with only a type.
            let fields: Vec<&Binding> =
                facts.bindings.iter().filter(field).filter(|field| field.source.is_some()).collect();
            let made = fields
                .iter()
                .find(|field| field.source.as_ref().is_some_and(|chain| chain.segs.iter().any(|seg| seg.called)));
            if let Some(field) = made.or(fields.first()) {
                let source = field.source.clone()?;
                let inner = NameScope { file, facts: Arc::clone(&facts), unit: field.unit, line: field.line };
                return Some(self.value(&inner, &source.segs, fuel));
            }
            let class_at = class_unit(&facts, class);
            if let Some(at) = class_at {
                let inside = |unit: &Unit| unit.parent == at && unit.name == name && unit.class.is_none();
                if let Some(found) = facts.units.iter().position(inside) {
                    return Some(Resolution::Unit(file, found));
                }
                for base in &facts.units[at].bases {
                    let outside = NameScope {
                        file: file.clone(),
                        facts: Arc::clone(&facts),
                        unit: facts.units[at].parent,
                        line: u32::MAX,
                    };
                    match self.chain(&outside, &base.segs, fuel) {
                        Resolution::Unit(other, unit) if other != file || unit != at => {
                            let found = self.member(Resolution::Unit(other, unit), false, name, fuel);
                            if !matches!(found, Resolution::Unknown(_)) {
                                return Some(found);
                            }
                        }
                        Resolution::Foreign { mut path, builtin, .. } => {
                            path.push(name.to_owned());
                            return Some(Resolution::Foreign { path, builtin, result: false });
                        }
                        _ => {}
                    }
                }
            }
            if !widened && matches!(language_of(&file), Some(Language::Go)) {
                widened = true;
                files.extend(self.package(&file).filter(|(other, _)| *other != file));
            }
        }
        None
    }

    fn import(&self, from: &NameScope, import: &Import, fuel: u8) -> Resolution {
        self.module(from, &import.module, import.name.as_deref(), fuel)
    }

    fn module(&self, from: &NameScope, module: &str, name: Option<&str>, fuel: u8) -> Resolution {
        let Some(language) = language_of(&from.file) else { return Resolution::Unknown(vec![module.to_owned()]) };
        let Some(fuel) = self.spend(fuel) else { return Resolution::Unknown(vec![module.to_owned()]) };
        match modules::find(self.project, language, &from.file, module, name) {
            Module::File(file, rest) => {
                let mut meaning = Resolution::File(file);
                for name in &rest {
                    meaning = self.member(meaning, false, name, fuel);
                }
                meaning
            }
            Module::Foreign => {
                let mut path = modules::parts_of(language, module);
                path.extend(name.map(str::to_owned));
                // A Rust or PHP path may begin with a name that another line imports.
                if language == Language::Rust
                    && let Some(first) = path.first().cloned()
                    && let Some(other) =
                        from.facts.imports.iter().find(|other| {
                            other.local == first && (other.module != module || other.name.as_deref() != name)
                        })
                {
                    let start = self.import(from, other, fuel);
                    return path[1..].iter().fold(start, |meaning, name| self.member(meaning, false, name, fuel));
                }
                Resolution::Foreign { path, builtin: false, result: false }
            }
            Module::Missing => {
                let names = [Some(format!("{MODULE}{module}")), name.map(str::to_owned)];
                Resolution::Unknown(names.into_iter().flatten().collect())
            }
        }
    }

    /// Resolves a name that a file exports.
    fn exported(&self, file: &str, name: &str, fuel: u8) -> Option<Resolution> {
        let fuel = self.spend(fuel)?;
        let facts = self.project.facts(file)?;
        let from = NameScope { file: file.to_owned(), facts: Arc::clone(&facts), unit: 0, line: u32::MAX };
        if let Some(export) = facts.exports.iter().find(|export| export.name == name) {
            return self.export(&from, export, name, fuel);
        }
        let language = language_of(file)?;
        if let Some(found) = self.defined(&from, name, fuel) {
            return Some(found);
        }
        for export in facts.exports.iter().filter(|export| export.name == "*") {
            let Some(module) = &export.module else { continue };
            let found = self.module(&from, module, Some(name), fuel);
            let known = match &found {
                Resolution::Foreign { path, builtin, .. } => {
                    self.knowledge.of_symbol(language, path, *builtin, Usage::Call, &[]).is_some()
                }
                Resolution::Unknown(_) => false,
                _ => true,
            };
            if known {
                return Some(found);
            }
        }
        if language == Language::Go {
            return self.in_package(&from, name, fuel);
        }
        if language == Language::Rust && facts.imports.iter().any(|import| import.local == name) {
            return facts
                .imports
                .iter()
                .find(|import| import.local == name)
                .map(|import| self.import(&from, import, fuel));
        }
        None
    }

    fn export(&self, from: &NameScope, export: &Export, name: &str, fuel: u8) -> Option<Resolution> {
        match (&export.module, &export.source) {
            (Some(module), Some(source)) => {
                let (first, rest) = source.segs.split_first()?;
                let start = self.module(from, module, Some(&first.name), fuel);
                Some(self.members(start, first, rest, fuel))
            }
            (Some(module), None) => Some(self.module(from, module, None, fuel)),
            (None, Some(source)) if source.segs.len() == 1 && source.root() == name => {
                self.defined(from, name, fuel).or_else(|| {
                    from.facts
                        .imports
                        .iter()
                        .find(|import| import.local == name)
                        .map(|import| self.import(from, import, fuel))
                })
            }
            (None, Some(source)) => Some(self.value(from, &source.segs, fuel)),
            (None, None) => None,
        }
    }

    /// Resolves a definition or variable at the top level of a file. In Ruby, PHP and Java, also definitions inside other units.
    fn defined(&self, from: &NameScope, name: &str, fuel: u8) -> Option<Resolution> {
        let facts = &from.facts;
        let top = |unit: &Unit| unit.name == name && unit.class.is_none() && unit.kind != UnitKind::File;
        let found = facts.units.iter().position(|unit| top(unit) && unit.parent == 0);
        let anywhere = matches!(language_of(&from.file), Some(Language::Ruby | Language::Php | Language::Java));
        if let Some(at) = found.or_else(|| facts.units.iter().position(|unit| anywhere && top(unit))) {
            return Some(Resolution::Unit(from.file.clone(), at));
        }
        let binding =
            facts.bindings.iter().rev().find(|one| one.unit == 0 && one.class.is_none() && one.name == name)?;
        let source = binding.source.clone()?;
        if source.segs.len() == 1 && source.root() == name {
            return None;
        }
        Some(self.value(&NameScope { line: binding.line, ..from.clone() }, &source.segs, fuel))
    }

    /// Resolves a name through imports of all names: `from x import *`, `use x::*`, `require "x"`.
    fn wildcard(&self, from: &NameScope, name: &str, fuel: u8) -> Option<Resolution> {
        let language = language_of(&from.file)?;
        let mut foreign = Vec::new();
        for import in from.facts.imports.iter().filter(|import| import.local == "*") {
            let per_name = matches!(language, Language::Java | Language::Rust).then_some(name);
            match modules::find(self.project, language, &from.file, &import.module, per_name) {
                Module::File(file, _) => {
                    if let Some(found) = self.exported(&file, name, fuel) {
                        return Some(found);
                    }
                    // A required file may require other files.
                    if matches!(language, Language::Ruby | Language::Php)
                        && let Some(facts) = self.project.facts(&file)
                        && file != from.file
                    {
                        let inner = NameScope { file, facts, unit: 0, line: u32::MAX };
                        let deeper =
                            self.spend(fuel.saturating_sub(7)).and_then(|fuel| self.wildcard(&inner, name, fuel));
                        if deeper.is_some() {
                            return deeper;
                        }
                    }
                }
                Module::Foreign if !matches!(language, Language::Ruby | Language::Php) => {
                    let mut path = modules::parts_of(language, &import.module);
                    path.push(name.to_owned());
                    let surely = self.knowledge.of_symbol(language, &path, false, Usage::Call, &[]).is_some()
                        || self.knowledge.has_below(language, &path, true);
                    let found = Resolution::Foreign { path, builtin: false, result: false };
                    if surely {
                        return Some(found);
                    }
                    foreign.push(found);
                }
                _ => {}
            }
        }
        // No table lists the name. Takes the first module that has rows for any member.
        foreign.into_iter().find(|found| match found {
            Resolution::Foreign { path, .. } => {
                name.starts_with(char::is_uppercase) && self.knowledge.has_below(language, path, false)
            }
            _ => false,
        })
    }

    /// Resolves a name of the same package: Go's folder, Java's and PHP's namespace, Ruby's autoloaded files.
    fn in_package(&self, from: &NameScope, name: &str, fuel: u8) -> Option<Resolution> {
        let fuel = self.spend(fuel)?;
        match language_of(&from.file)? {
            Language::Go => {
                let own = own_names(&from.facts).any(|one| one == name);
                if own && from.unit == 0 && from.line == u32::MAX {
                    return None;
                }
                // A builtin is not a name of the package, so the package's files are not read for it.
                if GO_BUILTINS.contains(&name) {
                    return None;
                }
                self.package(&from.file).filter(|(file, _)| *file != from.file).find_map(|(file, facts)| {
                    let inner = NameScope { file, facts, unit: 0, line: u32::MAX };
                    self.defined(&inner, name, fuel)
                })
            }
            Language::Java => {
                let near = format!("{}{name}.java", folder(&from.file));
                let file = self.project.has(&near).then_some(near)?;
                self.exported(&file, name, fuel)
            }
            Language::Php => {
                if !name.starts_with(char::is_uppercase) {
                    return None;
                }
                let namespace = from.facts.package.clone();
                let found = modules::find(self.project, Language::Php, &from.file, &namespace, Some(name));
                let near = format!("{}{name}.php", folder(&from.file));
                let file = match found {
                    Module::File(file, _) => file,
                    _ => self.project.has(&near).then_some(near)?,
                };
                (file != from.file).then(|| self.exported(&file, name, fuel)).flatten()
            }
            Language::Ruby => {
                if !name.starts_with(char::is_uppercase) {
                    return None;
                }
                let found = self.project.named(name);
                let files = found.into_iter().filter(|path| path.ends_with(".rb") && **path != from.file);
                files.cloned().collect::<Vec<_>>().into_iter().find_map(|file| self.exported(&file, name, fuel))
            }
            _ => None,
        }
    }

    /// Returns the files of a Go package with their facts, at most as many as a search may consider.
    fn package(&self, file: &str) -> impl Iterator<Item = (String, Arc<Facts>)> {
        let files = modules::go_package(self.project, folder(file));
        let most = self.project.bounds.max_search_results;
        if files.len() > most {
            let place = || format!("{} candidates for the package of {file}", files.len());
            self.project.hit("max_search_results", place);
        }
        (0..files.len().min(most)).filter_map(move |at| {
            let file = &files[at];
            self.project.facts(file).map(|facts| (file.clone(), facts))
        })
    }

    /// Returns methods with this name in files that are named like a receiver of unknown type.
    pub fn alike(&self, file: &str, receiver: &str, method: &str) -> Vec<(String, usize)> {
        let Some(language) = language_of(file) else { return Vec::new() };
        if simple(receiver).len() < 4 {
            return Vec::new();
        }
        let files = self.project.named(receiver).into_iter();
        let files: Vec<String> = files
            .filter(|path| language_of(path).is_some_and(|other| other.speaks_with(language)))
            .filter(|path| !diffsan_syntax::language::is_test(path) && path.as_str() != file)
            .cloned()
            .collect();
        files
            .into_iter()
            .filter_map(|path| {
                let facts = self.project.facts(&path)?;
                let unit =
                    facts.units.iter().position(|unit| unit.name == method && unit.kind == UnitKind::Function)?;
                Some((path, unit))
            })
            .collect()
    }
}

const GO_BUILTINS: &[&str] = &[
    "append", "cap", "clear", "close", "complex", "copy", "delete", "imag", "len", "make", "max", "min", "new",
    "panic", "print", "println", "real", "recover", "string", "int", "int64", "int32", "uint64", "byte", "rune",
    "float64", "bool", "error", "nil", "true", "false", "any", "uint", "uint32", "float32",
];

fn unknown(segs: &[Seg]) -> Resolution {
    Resolution::Unknown(segs.iter().map(|seg| seg.name.clone()).collect())
}

fn is_bare_builtin(meaning: &Resolution) -> bool {
    matches!(meaning, Resolution::Foreign { path, builtin: true, .. } if path.len() == 1)
}

fn own_names(facts: &Facts) -> impl Iterator<Item = &str> {
    facts.units.iter().map(|unit| unit.name.as_str())
}
