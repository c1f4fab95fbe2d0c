//! Finds the methods that run where code calls a method of an interface, trait or abstract class, or of a receiver of unknown
//! type.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::facts::{Binding, Chain, Facts, GLOBAL_PROPERTIES, Unit, UnitKind};
use super::modules;
use super::naming::is_distinctive;
use super::project::{folder, simple};
use super::resolve::{Names, Resolution};
use super::scope::class_unit;
use crate::read::language_of;
use diffsan_syntax::language::{Language, is_test};

/// The maximum number of files whose words are indexed.
const MAX_INDEXED_FILES: usize = 6000;
/// The maximum number of definitions of a method whose name says which one an object of unknown type has.
const MAX_NAMESAKES: usize = 3;
/// The number of code files up to which a caller is searched in all of them.
const MAX_SMALL_PROJECT: usize = 50;

impl Names<'_> {
    /// Returns the methods with a body that implement a method without one. Only files that mention the interface are read, those with a
    /// similar name and those near it first, at most as many as a search may examine.
    pub(crate) fn implementations(&self, file: &str, method: usize) -> Vec<(String, usize)> {
        let (Some(language), Some(facts)) = (self.project.language(file), self.project.facts(file)) else {
            return Vec::new();
        };
        let Some(Unit { name, class: Some(interface), .. }) = facts.units.get(method) else { return Vec::new() };
        let wanted: Vec<&str> = methods(&facts, interface).collect();
        // A type of Go does not name the interfaces that it implements.
        let mentioned = if language == Language::Go { name } else { interface };
        let definition = match language {
            Language::Go => format!("func {name}"),
            Language::Rust => format!("fn {name}"),
            _ => name.to_string(),
        };
        let word = if language == Language::Go { definition.as_str() } else { interface };
        let (near, is_complete) = match is_private(&facts, language, interface) {
            true => (vec![file.to_owned()], true),
            false => self.near(file, language, interface, word),
        };
        let mut found = Vec::new();
        for path in near.iter().filter(|path| self.project.mentions(path, &definition)) {
            let Some(facts) = self.facts_with(path, mentioned) else { continue };
            let runs = |unit: &Unit| unit.name == *name && !unit.is_abstract;
            if language == Language::Go {
                let has_all = |class: &str| wanted.iter().all(|name| self.has_method(path, &facts, class, name));
                let is_it = |unit: &Unit| runs(unit) && unit.class.as_deref().is_some_and(has_all);
                found.extend((0..facts.units.len()).filter(|at| is_it(&facts.units[*at])).map(|at| (path.clone(), at)));
                continue;
            }
            for class in implementers(&facts, interface) {
                let is_it = |unit: &Unit| unit.class.as_deref() == Some(class) && runs(unit);
                found.extend(facts.units.iter().position(is_it).map(|at| (path.clone(), at)));
            }
        }
        if found.is_empty() {
            found = self.factories(near, (interface, mentioned));
        }
        let most = self.project.bounds.max_search_results;
        let is_callback = facts.units.get(method).is_some_and(|unit| is_event_handler(Some(language), &facts, unit));
        if found.is_empty() && !is_complete && !is_callback {
            // Nothing is found, so the use is open.
            self.project.step(|| format!("only {most} files were searched for {interface}"));
        }
        found
    }

    /// Returns whether a type of Go has a method: in a file, in another one of its package, or from a type that it embeds.
    fn has_method(&self, file: &str, facts: &Facts, class: &str, name: &str) -> bool {
        let has =
            |facts: &Facts| facts.units.iter().any(|unit| unit.class.as_deref() == Some(class) && unit.name == name);
        if has(facts) {
            return true;
        }
        let package = modules::go_package(self.project, folder(file));
        let others = || package.iter().filter(|path| *path != file);
        let definition = format!("func {name}");
        if others().any(|path| self.facts_with(path, &definition).is_some_and(|facts| has(&facts))) {
            return true;
        }
        package.iter().any(|path| {
            let Some(facts) = self.facts_with(path, class) else { return false };
            let Some(at) = class_unit(&facts, class) else { return false };
            let embeds = facts.bindings.iter().any(|field| is_embedded(field, class));
            embeds && matches!(self.member_of(path, at, name), Resolution::Unit(..))
        })
    }

    /// Returns the functions that return an interface, the first one of each file: they can give a function or a value without a class of
    /// its own. Only files with a word are read.
    fn factories(&self, files: Vec<String>, (interface, word): (&str, &str)) -> Vec<(String, usize)> {
        let returns = |chain: &Chain| chain.segs.last().is_some_and(|last| last.name == *interface);
        let gives = |unit: &Unit| {
            unit.kind == UnitKind::Function && !unit.is_abstract && unit.returns.first().is_some_and(returns)
        };
        let files = files.into_iter();
        files
            .filter_map(|path| {
                let at = self.facts_with(&path, word)?.units.iter().position(gives)?;
                Some((path, at))
            })
            .collect()
    }

    /// Returns the method of the type of a file's methods that is in another file.
    pub(crate) fn methods(&self, file: &str, name: &str) -> Vec<(String, usize)> {
        let (Some(language), Some(facts)) = (self.project.language(file), self.project.facts(file)) else {
            return Vec::new();
        };
        let own: Vec<&str> = facts.units.iter().filter_map(|unit| unit.class.as_deref()).collect();
        let definition = format!("fn {name}");
        for path in self.near(file, language, name, &definition).0 {
            let Some(there) = self.facts_with(&path, &definition) else { continue };
            let is_it =
                |unit: &Unit| unit.name == name && unit.class.as_deref().is_some_and(|class| own.contains(&class));
            if let Some(at) = there.units.iter().position(is_it) {
                return vec![(path, at)];
            }
        }
        Vec::new()
    }

    /// Returns the methods with a body and this name that a type of Rust can have from another file: its own, and those of traits.
    pub(crate) fn members_elsewhere(&self, file: &str, owner: &Unit, name: &str) -> Vec<(String, usize)> {
        let Some(language) = self.project.language(file) else { return Vec::new() };
        let definition = format!("fn {name}");
        let mut found = Vec::new();
        for path in self.near(file, language, name, &definition).0 {
            // Code without the type's name can only be of a trait.
            if !["trait", &owner.name].iter().any(|word| self.project.mentions(&path, word)) {
                continue;
            }
            let Some(there) = self.facts_with(&path, &definition) else { continue };
            let is_trait = |class: &str| there.text.contains(&format!("trait {class}"));
            let is_it = |unit: &Unit| {
                let class = unit.class.as_deref();
                unit.name == name
                    && !unit.is_abstract
                    && class.is_some_and(|class| class == owner.name || is_trait(class))
            };
            found.extend((0..there.units.len()).filter(|at| is_it(&there.units[*at])).map(|at| (path.clone(), at)));
        }
        found
    }

    /// Returns the other code files in which a function of a file is most probably called: all of a small project, and those in the same folder
    /// of a larger one.
    pub(super) fn neighbours(&self, file: &str, language: Language) -> Vec<String> {
        let code = &self.code_files().all;
        let is_small = code.len() <= MAX_SMALL_PROJECT;
        let near = code.iter().filter(|one| is_small || folder(&one.path) == folder(file));
        near.filter(|one| one.path != file && one.language.speaks_with(language))
            .take(self.project.bounds.max_search_results)
            .map(|one| one.path.clone())
            .collect()
    }

    /// Returns the macros of Rust with this name, which ends in a mark.
    pub(crate) fn macros(&self, file: &str, name: &str) -> Vec<(String, usize)> {
        let plain = name.trim_end_matches('!');
        let definition = format!("macro_rules {plain}");
        let files = self.near(file, Language::Rust, plain, &definition).0.into_iter();
        files
            .filter_map(|path| {
                let facts = self.facts_with(&path, &definition)?;
                Some((path, facts.units.iter().position(|unit| unit.name == name)?))
            })
            .collect()
    }

    /// Returns the bindings that give a property to all components: `app.config.globalProperties.$http = axios`.
    pub(crate) fn global_properties(&self, file: &str, name: &str) -> Vec<(String, usize)> {
        let Some(language) = self.project.language(file) else { return Vec::new() };
        let is_it =
            |one: &Binding| one.class.as_deref() == Some(GLOBAL_PROPERTIES) && one.name == name && one.source.is_some();
        let files = self.near(file, language, name, name).0.into_iter();
        files
            .filter_map(|path| {
                let facts = self.facts_with(&path, name)?;
                Some((path, facts.bindings.iter().position(is_it)?))
            })
            .collect()
    }

    /// Returns the classes that have a mixin or trait, with their files.
    pub(crate) fn includers(&self, file: &str, mixin: &str) -> Vec<(String, usize)> {
        let Some(language) = self.project.language(file) else { return Vec::new() };
        let mut found = Vec::new();
        for path in self.near(file, language, mixin, mixin).0 {
            let Some(facts) = self.facts_with(&path, mixin) else { continue };
            let has = |unit: &Unit| {
                let is_mixin = |base: &Chain| base.segs.last().is_some_and(|last| last.name == mixin);
                unit.kind == UnitKind::Class && unit.bases.iter().any(is_mixin)
            };
            found.extend((0..facts.units.len()).filter(|at| has(&facts.units[*at])).map(|at| (path.clone(), at)));
        }
        found
    }

    /// Returns the methods that run when an event of a class is published: those that listen to it and take it as a parameter.
    pub(crate) fn listeners(&self, file: &str, event: &str) -> Vec<(String, usize)> {
        let Some(language) = self.project.language(file) else { return Vec::new() };
        let mut found = Vec::new();
        for path in self.near(file, language, event, event).0 {
            let Some(facts) = self.facts_with(&path, event) else { continue };
            let takes = |at: usize| {
                facts.bindings.iter().any(|one| {
                    let typed = one.source.as_ref().and_then(|chain| chain.segs.last());
                    one.unit == at && typed.is_some_and(|last| last.name == event && !last.called)
                })
            };
            let listens = |unit: &Unit| {
                let marked = unit.interfaces.iter().any(|mark| mark.text().ends_with("EventListener"));
                let named = ["handle", "__invoke", "onApplicationEvent"].contains(&unit.name.as_str());
                unit.class.is_some() && (marked || named)
            };
            found.extend(
                (0..facts.units.len())
                    .filter(|at| listens(&facts.units[*at]) && takes(*at))
                    .map(|at| (path.clone(), at)),
            );
        }
        found
    }

    /// Returns methods with this name in files that are named like a receiver of unknown type.
    pub fn alike(&self, file: &str, receiver: &str, method: &str) -> Vec<(String, usize)> {
        let Some(language) = self.project.language(file) else { return Vec::new() };
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

    /// Returns the definitions that a call of a method of an object of unknown type can run, because its name is distinctive: the project has only
    /// a few, and no common type has it.
    pub(crate) fn namesakes(&self, language: Language, method: &str) -> Vec<(String, usize)> {
        let code = &self.code_files().all;
        if !is_distinctive(self.knowledge, language, method)
            || code.len() > MAX_INDEXED_FILES
            || !self.project.has_room()
        {
            return Vec::new();
        }
        let definition = format!("def {method}");
        let code = code.iter().filter(|one| one.language.speaks_with(language));
        let mut files = code.map(|one| &one.path).filter(|path| self.project.mentions(path, &definition));
        let mut found = Vec::new();
        for path in files.by_ref().take(MAX_NAMESAKES) {
            let Some(facts) = self.project.facts(path) else { continue };
            let is_it = |unit: &Unit| {
                let is_visible = unit.class.is_some() || unit.parent == 0;
                unit.kind == UnitKind::Function && unit.name == method && is_visible && !unit.is_abstract
            };
            found.extend((0..facts.units.len()).filter(|at| is_it(&facts.units[*at])).map(|at| (path.clone(), at)));
        }
        if files.next().is_some() || found.len() > MAX_NAMESAKES { Vec::new() } else { found }
    }

    /// Returns the facts about a file that mentions a name, or defines it: `fn name`. Another file is not parsed.
    fn facts_with(&self, path: &str, name: &str) -> Option<Arc<Facts>> {
        self.project.mentions(path, name).then(|| self.project.facts(path)).flatten()
    }

    /// Returns the code files that are not tests.
    fn code_files(&self) -> &CodeFiles {
        self.code.get_or_init(|| {
            let code = self.project.below("").filter(|path| !is_test(path));
            let mut all = Vec::new();
            let mut names = String::new();
            for path in code {
                let Some(language) = language_of(path) else { continue };
                all.push(CodeFile { path: path.clone(), language, name: names.len() });
                names.push_str(&simple(path.rsplit('/').next().unwrap_or(path)));
                names.push('\n');
            }
            CodeFiles { all, names }
        })
    }

    /// Returns the code files that code of a language can use, those in a folder first, and then those in the same folder of the root.
    fn by_folder(&self, own: &str, language: Language) -> Rc<Vec<usize>> {
        let mut known = self.near.borrow_mut();
        let known = known.entry((own.to_owned(), language)).or_insert_with(|| {
            let top = own.split('/').next().unwrap_or_default();
            let code = self.code_files().all.iter().enumerate().filter(|(_, one)| one.language.speaks_with(language));
            let mut ranked: Vec<_> =
                code.map(|(at, one)| ((folder(&one.path) != own, !one.path.starts_with(top)), at)).collect();
            ranked.sort_unstable();
            Rc::new(ranked.into_iter().map(|(_, at)| at).collect())
        });
        Rc::clone(known)
    }

    /// Returns the code files that can implement an interface, the most probable first, and whether these are all. Of a project with many files,
    /// only those that mention a name, or define it: `fn name`.
    fn near(&self, file: &str, language: Language, interface: &str, word: &str) -> (Vec<String>, bool) {
        let code = self.code_files();
        let near = self.by_folder(folder(file), language);
        let this = code.all.binary_search_by(|one| one.path.as_str().cmp(file)).ok();
        let similar = code.similar(&simple(interface));
        let is_this = |at: &&usize| this == Some(**at);
        let is_similar = |at: &&usize| similar.binary_search(at).is_ok();
        let first = near.iter().filter(is_this);
        let second = near.iter().filter(|at| is_similar(at) && !is_this(at));
        let rest = near.iter().filter(|at| !is_similar(at) && !is_this(at));
        let ranked = first.chain(second).chain(rest).map(|at| &code.all[*at].path);
        let most = self.project.bounds.max_search_results;
        if near.len() <= most {
            return (ranked.cloned().collect(), true);
        }
        let is_whole = near.len() <= MAX_INDEXED_FILES;
        let indexed = ranked.take(MAX_INDEXED_FILES);
        let mut files: Vec<String> =
            indexed.filter(|path| self.project.mentions(path, word)).take(most + 1).cloned().collect();
        let is_complete = is_whole && files.len() <= most && !self.project.is_over();
        files.truncate(most);
        (files, is_complete)
    }
}

/// The code files of a project that are not tests, in the order of their paths.
pub(crate) struct CodeFiles {
    all: Vec<CodeFile>,
    /// The normalized names of all files, a line for each. One text is searched in a fraction of the time of many.
    names: String,
}

/// The indices of the code files that the code of a folder in a language can use, the nearest ones first.
pub(crate) type NearFiles = HashMap<(String, Language), Rc<Vec<usize>>>;

/// A file of code.
struct CodeFile {
    path: String,
    language: Language,
    /// Where its name begins in [`CodeFiles::names`].
    name: usize,
}

impl CodeFiles {
    /// Returns the indices of the files whose name contains a normalized name, in order.
    fn similar(&self, name: &str) -> Vec<usize> {
        let mut found = Vec::new();
        if !name.is_empty() {
            for at in memchr::memmem::find_iter(self.names.as_bytes(), name) {
                let file = self.all.partition_point(|one| one.name <= at) - 1;
                if found.last() != Some(&file) {
                    found.push(file);
                }
            }
        }
        found
    }
}

/// Returns whether a member of an object in a script is a function that other code gives to it: an option, a property of a type that other
/// files do not see, or one that is named as a handler of events.
pub(crate) fn is_event_handler(language: Option<Language>, facts: &Facts, unit: &Unit) -> bool {
    let of = |start: &str| unit.name.strip_prefix(start).is_some_and(|rest| rest.starts_with(char::is_uppercase));
    let Some(language) = language.filter(|language| language.is_script()) else { return false };
    let is_inside = || unit.class.as_ref().is_some_and(|class| is_private(facts, language, class));
    unit.is_callback || ["on", "handle", "render"].into_iter().any(of) || unit.is_property && is_inside()
}

/// Returns whether a type of a script is only visible in its file, so that no class of another file names it.
fn is_private(facts: &Facts, language: Language, name: &str) -> bool {
    let is_type = |unit: &Unit| unit.kind == UnitKind::Class && unit.name == name && !unit.is_object;
    let exports = |line: &str| {
        let Some(rest) = line.trim_start().strip_prefix("export").filter(|rest| rest.contains(name)) else {
            return false;
        };
        let declares = ["type ", "interface ", "class "].iter().any(|word| rest.contains(&format!("{word}{name}")));
        declares || rest.contains('{') && !rest.contains('=')
    };
    language.is_script()
        && (!facts.imports.is_empty() || facts.text.contains("export "))
        && facts.units.iter().any(is_type)
        && !facts.exports.iter().any(|export| {
            export.name == name
                || export.name == "default"
                    && export.module.is_none()
                    && export.source.as_ref().is_some_and(|source| source.root() == name)
        })
        && !facts.text.lines().any(exports)
}

/// Returns the names of the methods that an interface declares.
fn methods<'f>(facts: &'f Arc<Facts>, interface: &'f str) -> impl Iterator<Item = &'f str> {
    let of = move |unit: &&Unit| unit.class.as_deref() == Some(interface);
    facts.units.iter().filter(of).map(|unit| unit.name.as_str())
}

/// Returns whether a field of a struct of Go is a type that the struct embeds, whose methods it has too.
fn is_embedded(field: &Binding, class: &str) -> bool {
    let of = field.source.as_ref().and_then(|source| source.segs.last());
    field.class.as_deref() == Some(class) && of.is_some_and(|of| of.name == field.name)
}

/// Returns the classes of a file that name an interface as a parent.
fn implementers<'f>(facts: &'f Arc<Facts>, interface: &str) -> Vec<&'f str> {
    let names = |unit: &&Unit| {
        let mut parents = unit.bases.iter().chain(&unit.interfaces);
        unit.kind == UnitKind::Class
            && parents.any(|parent| parent.segs.last().is_some_and(|last| last.name == interface))
    };
    facts.units.iter().filter(names).map(|unit| unit.name.as_str()).collect()
}
