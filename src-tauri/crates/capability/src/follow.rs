//! Finds the effects that a file's code reaches, each with the chain of places from the use to the effect.
//!
//! Only the used symbol is followed, not the rest of its file. The depth is the number of definitions that are entered.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use super::builtins::is_builtin_type;
use super::commands::tasks::Tasks;
use super::contract_line::ContractLine;
use super::facts::{Facts, UnitKind, Use};
use super::found::{Below, FoundEffect, FoundOpen, Link, OpenUses};
use super::import_rules;
use super::knowledge::Knowledge;
use super::library_use::{is_class_of, module_of};
use super::modules::{self, Module};
use super::naming::Hint;
use super::programs::Source;
use super::project::{Project, UNREAD_PARTS};
use super::reach::{Hop, Open, Reach, Reached};
use super::resolve::{Names, Resolution};
use diffsan_contracts::contract::ContractEffect;
use diffsan_syntax::language::Language;

/// A definition by its file and unit, and the remaining depth.
type Key = (String, usize, usize);
/// The indexes of the uses in each unit of a file.
type ByUnit = HashMap<usize, Vec<usize>>;

/// The kind of a search for methods, the file that it begins in, and the name that it is for.
type Search = (&'static str, String, String);

/// Methods by their file and unit.
pub(crate) type Methods = Rc<Vec<(String, usize)>>;

/// Follows uses through one side of a project.
pub struct Follow<'a> {
    pub(crate) names: Names<'a>,
    known: RefCell<HashMap<Key, Option<Rc<Below>>>>,
    /// The results of definitions that no bound cut, by file and unit. They hold for every depth that reaches their end.
    whole: RefCell<HashMap<String, HashMap<usize, Rc<Below>>>>,
    /// The resolutions of the uses of a file, by their index.
    resolved: RefCell<HashMap<String, Rc<Vec<OnceCell<Resolution>>>>>,
    uses: RefCell<HashMap<String, Rc<ByUnit>>>,
    /// The results of searches for methods, by the kind of search, the file and the name.
    searches: RefCell<HashMap<Search, Methods>>,
    /// Whether only the modules with unknown effects are recorded, not all uses that could not be followed.
    pub(super) only_modules: bool,
    /// Whether the modules that files import are wanted.
    finds_imports: bool,
    /// The changed files.
    pub(super) changed: BTreeSet<String>,
    /// The lines of contracts that are judged. Empty if all uses that could not be followed are wanted.
    lines: Vec<ContractLine<'a>>,
    /// Whether a contract is about single definitions, so that a use that could not be followed counts for each of them.
    names_definitions: bool,
    /// Whether a symbol says something about the effect of one of the lines.
    hints: RefCell<HashMap<Rc<str>, bool>>,
    /// The tasks of files, by path.
    pub(super) tasks: RefCell<HashMap<String, Rc<Tasks>>>,
    /// The syntax trees of files with calls that start programs, by path.
    pub(super) sources: RefCell<HashMap<String, Option<Rc<Source>>>>,
    /// The definitions that are being followed, the outermost first. They stop recursion.
    pub(super) inside: RefCell<Vec<(String, usize)>>,
}

/// The maximum number of uses that are recorded as not followed, for a file or a definition. Code with more of them is generated.
const MAX_CALLS: usize = 2000;

/// Returns whether two places of a line belong to one chain of calls: `rows.filter(x)` and `rows.filter(x).first()`.
fn is_one_chain(one: &Link, other: &Link) -> bool {
    one.symbol().starts_with(other.symbol()) || other.symbol().starts_with(one.symbol())
}

/// Adds the parts of a file with code that is not read. Each is named by its content, so that the same part on both sides of a change is found.
fn unread_parts(path: &str, facts: &Facts, below: &mut Below) {
    for part in &facts.other_code {
        let mut content = DefaultHasher::new();
        part.trim().hash(&mut content);
        let gap = Some(format!("{path} was not read: {UNREAD_PARTS}"));
        let name = format!("unread {}", content.finish());
        let hop = Hop { path: path.to_owned(), line: 1, symbol: String::new(), excerpt: facts.line(1) };
        below.add_open(Open { gap, is_unread: true, ..Open::new(&[name], None) }, Rc::new(hop));
    }
}

impl<'a> Follow<'a> {
    /// Creates an empty state for one side of a project.
    pub fn new(project: &'a Project<'a>, knowledge: &'a Knowledge) -> Self {
        Self {
            names: Names::new(project, knowledge),
            searches: RefCell::default(),
            known: RefCell::default(),
            whole: RefCell::default(),
            resolved: RefCell::default(),
            uses: RefCell::default(),
            only_modules: false,
            finds_imports: true,
            changed: BTreeSet::new(),
            lines: Vec::new(),
            names_definitions: false,
            hints: RefCell::default(),
            tasks: RefCell::default(),
            sources: RefCell::default(),
            inside: RefCell::default(),
        }
    }

    /// Records of the uses that could not be followed only one for each module with unknown effects. Without a contract, no other matters, and
    /// all of them take much time and memory.
    #[must_use]
    pub fn only_modules(self) -> Self {
        Self { only_modules: true, ..self }
    }

    /// Leaves out the modules that files import. Only contracts about imports need them.
    #[must_use]
    pub fn without_imports(self) -> Self {
        Self { finds_imports: false, ..self }
    }

    /// Sets the changed files, which are examined one by one.
    #[must_use]
    pub fn with_changed(self, changed: &[String]) -> Self {
        Self { changed: changed.iter().cloned().collect(), ..self }
    }

    /// Leaves out the uses that could not be followed and matter to none of these contracts: their names say nothing about an effect of a line.
    /// A line that demands an effect wants all.
    #[must_use]
    pub fn for_contracts(self, contracts: &'a [ContractEffect]) -> Self {
        let demands = contracts.iter().any(|contract| contract.modal.demands());
        let lines =
            contracts.iter().filter(|_| !demands).map(|contract| ContractLine::new(self.names.knowledge, contract));
        let names = |contract: &ContractEffect| !contract.subjects.is_empty() || !contract.exceptions.is_empty();
        Self { lines: lines.collect(), names_definitions: contracts.iter().any(names), ..self }
    }

    /// Returns whether a use of a file that could not be followed can matter to a contract.
    pub(crate) fn matters(&self, open: &Open, path: &str) -> bool {
        let Open { symbol, module, alike, library, is_unlisted, gap, .. } = open;
        let is_named = module.is_some() || !alike.is_empty() || library.is_some() || gap.is_some();
        if is_named || self.lines.is_empty() {
            return true;
        }
        let language = self.names.project.language(path);
        let key: Rc<str> = format!("{language:?} {is_unlisted} {symbol}").into();
        if let Some(known) = self.hints.borrow().get(&key) {
            return *known;
        }
        let matters = self.lines.iter().any(|line| line.hint_in(open, language) != Hint::None);
        self.hints.borrow_mut().insert(key, matters);
        matters
    }

    /// Returns the effects of a file, or `None` if it cannot be read.
    pub fn file(&self, path: &str) -> Option<Reached> {
        let facts = self.names.project.facts(path)?;
        let depth = self.names.project.bounds.max_follow_depth;
        let mut reached = Reached::default();
        let mut best: BTreeMap<(u32, usize), Vec<(FoundEffect, usize)>> = BTreeMap::new();
        let mut open = OpenUses::new(MAX_CALLS, self.only_modules);
        for (index, one) in facts.uses.iter().enumerate() {
            if self.names.project.is_over() {
                break;
            }
            let mut below = self.of_use(path, &facts, (one, Some(index)), depth);
            // Without contracts, only uses of unknown modules are kept.
            if !self.only_modules {
                below.open.retain(|open| {
                    let is_own = open.about.given.is_some() && open.next_path().is_none();
                    !is_own || !self.has_examined_callers(path, &facts, one.unit)
                });
            }
            self.count_places(&below, &mut reached.open_places);
            for found in below.effects {
                let known = best.entry((found.chain.line(), found.effect)).or_default();
                match known.iter_mut().find(|(known, _)| is_one_chain(&known.chain, &found.chain)) {
                    Some((known, _)) if known.chain.len() <= found.chain.len() => {}
                    Some(known) => *known = (found, one.unit),
                    None => known.push((found, one.unit)),
                }
            }
            let unit = if self.names_definitions { one.unit } else { 0 };
            reached.open.extend(below.open.iter().filter(|one| open.admits(one, unit)).map(FoundOpen::open));
        }
        for mut places in best.into_values() {
            places.sort_by_key(|(found, _)| found.chain.len());
            let mut places = places.into_iter().map(|(found, unit)| found.reach(&facts.unit_name(unit)));
            reached.effects.extend(places.next());
            reached.others.extend(places);
        }
        reached.effects.extend(self.endpoints_of_file(path, &facts));
        if let Some(language) = self.names.project.language(path).filter(|_| self.finds_imports) {
            reached.imports = import_rules::imported(self.names.project, language, path, &facts);
        }
        reached.imported = self.imported(path, &facts, depth);
        reached.imported.extend(self.declared(path, &facts));
        let mut whole = Below::default();
        self.outside_parents(path, &facts, &mut whole);
        unread_parts(path, &facts, &mut whole);
        self.count_places(&whole, &mut reached.open_places);
        reached.open.extend(whole.open.iter().filter(|one| open.admits(one, 0)).map(FoundOpen::open));
        let start = Hop { path: path.to_owned(), line: 1, symbol: String::new(), excerpt: facts.line(1) };
        reached.open.extend(open.rest().map(|rest| Open { chain: vec![start], ..rest }));
        Some(reached)
    }

    /// Counts the open uses below a use of a changed file, each symbol once. Those that it reaches through a changed file are counted there.
    fn count_places(&self, below: &Below, places: &mut BTreeMap<String, usize>) {
        if self.only_modules {
            return;
        }
        let leaves = |open: &&FoundOpen| open.next_path().is_none_or(|path| !self.changed.contains(path));
        let symbols: HashSet<&str> = below.open.iter().filter(leaves).map(|open| open.about.symbol.as_str()).collect();
        for symbol in symbols {
            match places.get_mut(symbol) {
                Some(count) => *count += 1,
                None => {
                    places.insert(symbol.to_owned(), 1);
                }
            }
        }
    }

    /// Returns the parents of a file's classes whose code is unknown. What they do can be part of what the classes do.
    fn outside_parents(&self, path: &str, facts: &Arc<Facts>, below: &mut Below) {
        let Some(language) = self.names.project.language(path) else { return };
        for unit in facts.units.iter().filter(|unit| unit.kind == UnitKind::Class && !unit.is_object) {
            for base in unit.bases.iter().filter(|base| !base.root().is_empty()) {
                let outside = match self.names.resolve(path, unit.parent, unit.line, base) {
                    Resolution::Foreign { path, builtin: false, .. } => {
                        // A class of the language can be imported too: `use Exception;`.
                        let is_of_language = path.len() == 1 && is_class_of(language, &path[0]);
                        (!is_of_language && !self.names.knowledge.knows_module(language, &path)).then_some(path)
                    }
                    Resolution::Foreign { path, .. } => {
                        let is_of_language = path.len() == 1 && is_class_of(language, &path[0]);
                        let known = is_builtin_type(language, &path)
                            || is_of_language
                            || !language.module_is_one_name() && self.names.knowledge.knows_module(language, &path);
                        (!known).then_some(path)
                    }
                    // A parent inside of a module of the project that no file has.
                    Resolution::Unknown(names) if names.len() > 1 && language == Language::Ruby => {
                        let hop = Hop {
                            path: path.to_owned(),
                            line: unit.line,
                            symbol: base.text(),
                            excerpt: facts.line(unit.line),
                        };
                        let gap = Some(format!("no file of the project defines {}", base.text()));
                        below.add_open(Open { gap, ..Open::new(&names, None) }, Rc::new(hop));
                        None
                    }
                    _ => None,
                };
                if let Some(name) = outside {
                    let hop = Hop {
                        path: path.to_owned(),
                        line: unit.line,
                        symbol: base.text(),
                        excerpt: facts.line(unit.line),
                    };
                    below.add_open(Open::new(&name, module_of(language, &name)), Rc::new(hop));
                }
            }
        }
    }

    /// Returns the effects of the methods that a file only declares and a library implements, by their annotations: `@SqlQuery`.
    fn declared(&self, path: &str, facts: &Arc<Facts>) -> Vec<Reach> {
        let declared = facts.units.iter().enumerate().filter(|(_, unit)| unit.is_abstract);
        let found = declared.filter_map(|(at, unit)| {
            let (effect, sink) = self.annotated(path, at)?;
            let (symbol, excerpt) = (unit.name.to_string(), facts.line(unit.line));
            let hop = Hop { path: path.to_owned(), line: unit.line, symbol, excerpt };
            Some(Reach { effect, sink, unit: facts.unit_name(at), chain: vec![hop], likely: false, of_program: false })
        });
        found.collect()
    }

    /// Returns the effects of the top level of the files that a file imports. Their own imports are not followed.
    fn imported(&self, path: &str, facts: &Arc<Facts>, depth: usize) -> Vec<Reach> {
        let runs = |language: &Language| language.is_script() || matches!(language, Language::Python | Language::Ruby);
        let (Some(language), Some(left)) = (self.names.project.language(path).filter(runs), depth.checked_sub(1))
        else {
            return Vec::new();
        };
        let mut found: Vec<Reach> = Vec::new();
        for import in &facts.imports {
            let module = modules::find(self.names.project, language, path, &import.module, import.name.as_deref());
            let Module::File(file, _) = module else { continue };
            if file == path || found.iter().any(|reach| reach.chain.get(1).is_some_and(|hop| hop.path == file)) {
                continue;
            }
            let hop = Hop {
                path: path.to_owned(),
                line: import.line,
                symbol: import.module.clone(),
                excerpt: facts.line(import.line),
            };
            let hop = Rc::new(hop);
            found.extend(self.of_unit(&file, 0, left).effects.iter().map(|effect| effect.through(&hop).reach("")));
        }
        found
    }

    pub(super) fn hop(&self, path: &str, facts: &Facts, one: &Use) -> Rc<Hop> {
        let (symbol, excerpt) = (one.chain.text(), facts.line(one.line));
        Rc::new(Hop { path: path.to_owned(), line: one.line, symbol, excerpt })
    }

    /// Resolves a use, once if its index in the file is known.
    pub(super) fn resolve(&self, path: &str, facts: &Arc<Facts>, one: &Use, index: Option<usize>) -> Resolution {
        let resolve = || self.names.resolve(path, one.unit, one.line, &one.chain);
        let Some(index) = index else { return resolve() };
        let known = self.resolved.borrow().get(path).cloned();
        let uses = known.unwrap_or_else(|| {
            let none: Rc<Vec<OnceCell<Resolution>>> = Rc::new(vec![OnceCell::new(); facts.uses.len()]);
            self.resolved.borrow_mut().insert(path.to_owned(), Rc::clone(&none));
            none
        });
        uses.get(index).map_or_else(resolve, |known| known.get_or_init(resolve).clone())
    }

    /// Returns the result of a search, which is done once.
    pub(crate) fn searched(
        &self,
        kind: &'static str,
        file: &str,
        name: &str,
        search: impl FnOnce() -> Vec<(String, usize)>,
    ) -> Methods {
        let key = (kind, file.to_owned(), name.to_owned());
        if let Some(known) = self.searches.borrow().get(&key) {
            return Rc::clone(known);
        }
        let found = Rc::new(search());
        self.searches.borrow_mut().insert(key, Rc::clone(&found));
        found
    }

    /// Returns the effects of a definition. A definition that is being followed already adds nothing.
    pub(super) fn of_unit(&self, file: &str, unit: usize, depth: usize) -> Rc<Below> {
        let whole = self.whole.borrow().get(file).and_then(|units| units.get(&unit).cloned());
        if let Some(whole) = whole.filter(|whole| whole.height() <= depth) {
            return whole;
        }
        let key = (file.to_owned(), unit, depth);
        match self.known.borrow().get(&key) {
            Some(Some(known)) => return Rc::clone(known),
            Some(None) => return Rc::new(Below::cut()),
            None => {}
        }
        if self.names.project.is_over() {
            return Rc::new(Below::cut());
        }
        if self.inside.borrow().iter().any(|(path, at)| path == file && *at == unit) {
            return Rc::new(Below::cut());
        }
        self.known.borrow_mut().insert(key.clone(), None);
        self.inside.borrow_mut().push((file.to_owned(), unit));
        let mut below = Below::default();
        if let Some(facts) = self.names.project.facts(file) {
            let mut seen: HashMap<(usize, Rc<str>), usize> = HashMap::new();
            let mut open = OpenUses::new(MAX_CALLS, self.only_modules);
            for index in self.uses_of(file, &facts, unit) {
                let found = self.of_use(file, &facts, (&facts.uses[index], Some(index)), depth);
                below.include(&found, 0);
                for found in found.effects {
                    // Of several chains to one effect, the shortest is used.
                    match seen.get(&(found.effect, Rc::clone(&found.sink))) {
                        Some(&at) if below.effects[at].chain.len() > found.chain.len() => below.effects[at] = found,
                        Some(_) => {}
                        None => {
                            seen.insert((found.effect, Rc::clone(&found.sink)), below.effects.len());
                            below.effects.push(found);
                        }
                    }
                }
                below.open.extend(found.open.into_iter().filter(|one| open.admits(one, 0)));
            }
            if unit == 0 {
                unread_parts(file, &facts, &mut below);
            }
            if let Some(rest) = open.rest() {
                let line = facts.units.get(unit).map_or(1, |unit| unit.line);
                let hop = Hop { path: file.to_owned(), line, symbol: facts.unit_name(unit), excerpt: facts.line(line) };
                below.add_open(rest, Rc::new(hop));
            }
        }
        self.inside.borrow_mut().pop();
        let below = Rc::new(below);
        if below.is_whole() {
            self.known.borrow_mut().remove(&key);
            self.whole.borrow_mut().entry(file.to_owned()).or_default().insert(unit, Rc::clone(&below));
        } else {
            self.known.borrow_mut().insert(key, Some(Rc::clone(&below)));
        }
        below
    }

    /// Returns the indexes of the uses directly in a unit.
    fn uses_of(&self, file: &str, facts: &Arc<Facts>, unit: usize) -> Vec<usize> {
        let mut all = self.uses.borrow_mut();
        let by_unit = all.entry(file.to_owned()).or_insert_with(|| {
            let mut by_unit: HashMap<usize, Vec<usize>> = HashMap::new();
            for (index, one) in facts.uses.iter().enumerate() {
                by_unit.entry(one.unit).or_default().push(index);
            }
            Rc::new(by_unit)
        });
        by_unit.get(&unit).cloned().unwrap_or_default()
    }
}
