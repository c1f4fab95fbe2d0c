//! Resolves names that other files define: imports, exports, and names of the same package.

use std::sync::Arc;

use super::autoload;
use super::builtins;
use super::facts::{Export, Facts, Import, MODULE, Unit, UnitKind};
use super::java_packages;
use super::knowledge::Usage;
use super::laravel;
use super::modules::{self, Module};
use super::project::folder;
use super::rails;
use super::resolve::{Names, Resolution, ValueOf};
use super::scope::{NameScope, definition};
use diffsan_syntax::language::{Language, is_test};

/// The maximum number of files of declarations in which a global name of a script is looked up.
const MAX_DECLARATIONS: usize = 30;

impl Names<'_> {
    pub(super) fn import(&self, from: &NameScope, import: &Import, fuel: u8) -> Resolution {
        self.module(from, &import.module, import.name.as_deref(), fuel)
    }

    pub(super) fn module(&self, from: &NameScope, module: &str, name: Option<&str>, fuel: u8) -> Resolution {
        let Some(language) = self.project.language(&from.file) else {
            return Resolution::Unknown(vec![module.to_owned()]);
        };
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
                // `use Error as E;` gives another name to a type of the file.
                if language == Language::Rust
                    && let Some(unit) = path.first().and_then(|first| definition(from, first))
                {
                    let start = Resolution::Unit(from.file.clone(), unit);
                    return path[1..].iter().fold(start, |meaning, name| self.member(meaning, false, name, fuel));
                }
                // `use DB;` imports an alias.
                if language == Language::Php && path.len() == 1 {
                    path = laravel::aliased(self.project, &path[0]).unwrap_or(path);
                }
                Resolution::Foreign { path, builtin: false, value: ValueOf::Symbol }
            }
            Module::Missing => {
                let names = [Some(format!("{MODULE}{module}")), name.map(str::to_owned)];
                Resolution::Unknown(names.into_iter().flatten().collect())
            }
        }
    }

    /// Resolves a name that a file exports.
    pub(super) fn exported(&self, file: &str, name: &str, fuel: u8) -> Option<Resolution> {
        let fuel = self.spend(fuel)?;
        let facts = self.project.facts(file)?;
        let from = NameScope { file: file.to_owned(), facts: Arc::clone(&facts), unit: 0, line: u32::MAX };
        if let Some(export) = facts.exports.iter().find(|export| export.name == name) {
            return self.export(&from, export, name, fuel);
        }
        let language = self.project.language(file)?;
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
        let anywhere =
            matches!(self.project.language(&from.file), Some(Language::Ruby | Language::Php | Language::Java));
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
    pub(super) fn wildcard(&self, from: &NameScope, name: &str, fuel: u8) -> Option<Resolution> {
        let language = self.project.language(&from.file)?;
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
                    let found = Resolution::Foreign { path, builtin: false, value: ValueOf::Symbol };
                    if surely {
                        return Some(found);
                    }
                    foreign.push(found);
                }
                _ => {}
            }
        }
        // No table lists the name. Takes the first module that has rows for any member, except for a name of the language.
        if language == Language::Java && builtins::is_builtin(language, name, false) {
            return None;
        }
        foreign.into_iter().find(|found| match found {
            Resolution::Foreign { path, .. } => {
                name.starts_with(char::is_uppercase) && self.knowledge.has_below(language, path, false)
            }
            _ => false,
        })
    }

    /// Resolves a name that nothing defines to the only import of all names that can have it, if all of these are of known modules. The types of
    /// Java itself are known by their names.
    pub(super) fn known_wildcard(&self, from: &NameScope, name: &str) -> Option<Resolution> {
        let language = self
            .project
            .language(&from.file)
            .filter(|language| matches!(language, Language::Java | Language::Rust | Language::Python))?;
        let is_type = name.starts_with(char::is_uppercase);
        if !(is_type || language == Language::Python)
            || builtins::is_builtin(language, name, false)
            || self.knowledge.has_root(language, name)
        {
            return None;
        }
        if language == Language::Java
            && let Some(package) = java_packages::imported(&from.facts, name)
        {
            let mut path = modules::parts_of(language, package);
            path.push(name.to_owned());
            return Some(Resolution::Foreign { path, builtin: false, value: ValueOf::Symbol });
        }
        let mut first = None;
        for import in from.facts.imports.iter().filter(|import| import.local == "*") {
            if modules::find(self.project, language, &from.file, &import.module, Some(name)) != Module::Foreign {
                return None;
            }
            let path = modules::parts_of(language, &import.module);
            if !self.knowledge.knows_module(language, &path) {
                return None;
            }
            first.get_or_insert(path);
        }
        let mut path = first?;
        path.push(name.to_owned());
        Some(Resolution::Foreign { path, builtin: false, value: ValueOf::Symbol })
    }

    /// Resolves a name of the same package: Go's folder, Java's and PHP's namespace, Ruby's autoloaded files.
    pub(super) fn in_package(&self, from: &NameScope, name: &str, fuel: u8) -> Option<Resolution> {
        let fuel = self.spend(fuel)?;
        match self.project.language(&from.file)? {
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
                let file = self
                    .project
                    .has(&near)
                    .then_some(near)
                    .or_else(|| self.in_java_package(&from.file, name))
                    .or_else(|| self.beside_another_class(&from.file, name))?;
                self.exported(&file, name, fuel)
            }
            Language::Php => {
                if !name.starts_with(char::is_uppercase) {
                    let files = autoload::files_of_functions(self.project, &from.file).into_iter();
                    let mut others = files.filter(|file| *file != from.file);
                    return others
                        .find_map(|file| {
                            let facts = self.project.facts(&file)?;
                            self.defined(&NameScope { file, facts, unit: 0, line: u32::MAX }, name, fuel)
                        })
                        .or_else(|| self.of_namespace(from, name))
                        .or_else(|| self.function_of_project(from, name));
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
                    return self.helper(from, name);
                }
                let found = self.project.named(name);
                let files = found.into_iter().filter(|path| path.ends_with(".rb") && **path != from.file);
                // The name of a gem is not a class inside another module: `Stripe` is not `Provider::Stripe`.
                let is_gem = self.knowledge.knows_module(Language::Ruby, &[name.to_owned()])
                    || self.knowledge.has_modules_below(Language::Ruby, name);
                let files = files.filter(|path| !is_gem || autoload::is_visible(path, &from.file));
                let mut files = files.cloned().collect::<Vec<_>>().into_iter();
                files.find_map(|file| self.exported(&file, name, fuel)).or_else(|| {
                    // The module of the application, and what its initializers define.
                    let places = ["config/application.rb", "config/initializers/", "lib/"];
                    let is_known = is_gem || builtins::is_builtin(Language::Ruby, name, true);
                    let all = places.iter().filter(|_| !is_known).flat_map(|place| self.project.below(place));
                    let mut those = all.filter(|path| path.ends_with(".rb") && self.project.mentions(path, name));
                    those.find_map(|file| self.exported(&file.clone(), name, fuel))
                })
            }
            _ => None,
        }
    }

    /// Returns the file of a class in the same package of Java that is in another folder of sources, for example one of another module.
    fn in_java_package(&self, file: &str, name: &str) -> Option<String> {
        let package =
            folder(file).rsplit_once("/java/").map(|(_, package)| package).filter(|package| !package.is_empty())?;
        let end = format!("/java/{package}{name}.java");
        let is_it = |path: &&&String| path.ends_with(&end) && !is_test(path);
        self.project.named(name).iter().find(is_it).map(|path| (*path).clone())
    }

    /// Resolves a function of PHP with the name of a built-in one, which another file of the namespace defines.
    fn of_namespace(&self, from: &NameScope, name: &str) -> Option<Resolution> {
        let place = folder(&from.file);
        if from.facts.package.is_empty() || !self.knowledge.has_root(Language::Php, name) {
            return None;
        }
        let is_near = |path: &&String| {
            **path != from.file
                && !path[place.len()..].contains('/')
                && path.ends_with(".php")
                && self.project.mentions(path, name)
        };
        self.project.below(place).filter(is_near).find_map(|file| {
            let facts = self.project.facts(file).filter(|facts| facts.package == from.facts.package)?;
            let is_it = |unit: &Unit| unit.kind == UnitKind::Function && unit.class.is_none() && unit.name == name;
            facts.units.iter().position(is_it).map(|at| Resolution::Unit(file.clone(), at))
        })
    }

    /// Resolves a function of PHP that no import names: the only one of this name in the namespace or without one. The entry of the program
    /// includes its file.
    fn function_of_project(&self, from: &NameScope, name: &str) -> Option<Resolution> {
        if builtins::is_builtin(Language::Php, name, false) || self.knowledge.has_root(Language::Php, name) {
            return None;
        }
        let key = (from.facts.package.clone(), name.to_owned());
        if let Some(known) = self.functions.borrow().get(&key) {
            return known.clone();
        }
        let definition = format!("function {name}(");
        let mut found = self.project.below("").filter(|path| path.ends_with(".php") && !is_test(path));
        let in_file = |file: &String| {
            let facts = self.project.mentions(file, name).then(|| self.project.facts(file)).flatten()?;
            if !facts.text.contains(&definition) || !["", &*from.facts.package].contains(&&*facts.package) {
                return None;
            }
            let is_it = |unit: &Unit| unit.kind == UnitKind::Function && unit.class.is_none() && unit.name == name;
            facts.units.iter().position(is_it).map(|at| Resolution::Unit(file.clone(), at))
        };
        let first = found.find_map(in_file);
        let is_only = found.find_map(in_file).is_none();
        let function = first.filter(|_| is_only);
        self.functions.borrow_mut().insert(key, function.clone());
        function
    }

    /// Resolves a global name that a file of declarations adds to the scripts of the project.
    pub(super) fn ambient(&self, from: &NameScope, name: &str, fuel: u8) -> Option<Resolution> {
        let language = self.project.language(&from.file).filter(|language| language.is_script())?;
        if builtins::is_builtin(language, name, false) {
            return None;
        }
        let fuel = self.spend(fuel)?;
        let declarations = self.declarations.get_or_init(|| {
            let is_own = |path: &&String| path.ends_with(".d.ts") && !path.contains("node_modules/") && !is_test(path);
            self.project.below("").filter(is_own).take(MAX_DECLARATIONS).cloned().collect()
        });
        declarations.iter().filter(|file| **file != from.file).find_map(|file| {
            let facts = self.project.facts(file)?;
            let is_declared = facts.bindings_named(name).iter().any(|one| one.unit == 0 && one.class.is_none());
            let inner = NameScope { file: file.clone(), facts, unit: 0, line: u32::MAX };
            // A type of functions says nothing about the function.
            self.defined(&inner, name, fuel).or_else(|| is_declared.then(|| Resolution::Unknown(vec![name.to_owned()])))
        })
    }

    /// Returns the file of the same folder that defines a class of Java besides the one that it is named after.
    fn beside_another_class(&self, file: &str, name: &str) -> Option<String> {
        if !name.starts_with(char::is_uppercase) || builtins::is_builtin(Language::Java, name, false) {
            return None;
        }
        let folder = folder(file);
        let files = self.project.package(folder, |path| path.ends_with(".java"));
        let definition = format!("class {name}");
        files.iter().filter(|path| *path != file).find(|path| self.project.mentions(path, &definition)).cloned()
    }

    /// Resolves a method that a view of Rails shares with the helpers of its application.
    fn helper(&self, from: &NameScope, name: &str) -> Option<Resolution> {
        if rails::is_view_helper(&from.file, name) || builtins::is_builtin(Language::Ruby, name, false) {
            return None;
        }
        let component = rails::component_of(self.project, &from.file).into_iter();
        component.chain(rails::helper_files(self.project, &from.file, name)).find_map(|file| {
            let facts = self.project.facts(&file)?;
            let is_it = |unit: &Unit| unit.kind == UnitKind::Function && unit.name == name;
            facts.units.iter().position(is_it).map(|at| Resolution::Unit(file, at))
        })
    }

    /// Returns the files of a Go package with their facts, at most as many as a search may consider.
    pub(super) fn package(&self, file: &str) -> impl Iterator<Item = (String, Arc<Facts>)> {
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
}

const GO_BUILTINS: &[&str] = &[
    "append", "cap", "clear", "close", "complex", "copy", "delete", "imag", "len", "make", "max", "min", "new",
    "panic", "print", "println", "real", "recover", "string", "int", "int64", "int32", "uint64", "byte", "rune",
    "float64", "bool", "error", "nil", "true", "false", "any", "uint", "uint32", "float32",
];

fn own_names(facts: &Facts) -> impl Iterator<Item = &str> {
    facts.units.iter().map(|unit| unit.name.as_str())
}
