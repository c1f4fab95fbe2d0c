//! The effects of one use, by the definition or the foreign symbol that its name stands for.

use std::rc::Rc;
use std::sync::Arc;

use super::builtins;
use super::facts::{Binding, Chain, Facts, MODULE, THIS, Unit, UnitKind, Use, UseKind};
use super::follow::Follow;
use super::found::Below;
use super::implementations;
use super::jobs::{COMPUTED_CLASSES, JOB_CALLS, PUBLISHERS};
use super::knowledge::{Effect, Usage};
use super::library_use::{
    VALUE_METHODS, does_more_than_prepare, is_class_of, is_computed_module, is_member_of_value, module_of,
};
use super::project::simple;
use super::rails;
use super::reach::{Open, Reach};
use super::resolve::Resolution;
use crate::read::language_of;
use diffsan_syntax::language::Language;

/// The objects that contain the global names of scripts.
const SCRIPT_GLOBALS: &[&str] = &["window", "globalThis", "global", "self"];

impl Follow<'_> {
    /// Returns the effects of a use. `depth` is the number of definitions that may still be entered.
    pub(super) fn of_use(
        &self,
        path: &str,
        facts: &Arc<Facts>,
        (one, index): (&Use, Option<usize>),
        depth: usize,
    ) -> Below {
        let mut below = Below::default();
        let Some(language) = language_of(path) else { return below };
        let called = one.kind == UseKind::Call;
        let job = self.job(path, one);
        if let Some((_, file, at)) = &job {
            self.enter(path, facts, one, (file, *at), depth, &mut below);
        }
        if called && one.chain.segs.last().is_some_and(|last| PUBLISHERS.contains(&last.name.as_str())) {
            let event = one.args.iter().find_map(|arg| arg.strip_prefix("new "));
            for (file, at) in event
                .map(|event| self.searched("listeners", path, event, || self.names.listeners(path, event)).to_vec())
                .unwrap_or_default()
            {
                self.enter(path, facts, one, (&file, at), depth, &mut below);
            }
        }
        // A class that is given to a scheduler or a pool runs later.
        for class in one.args.iter().filter(|_| called).filter_map(|arg| arg.strip_suffix(".class")) {
            let found = self.names.resolve(path, one.unit, one.line, &Chain::path(class.split('.')));
            let Resolution::Unit(file, at) = found else { continue };
            let Some(there) = self.names.project.facts(&file) else { continue };
            let runs = |unit: &Unit| {
                unit.class.as_ref() == Some(&there.units[at].name)
                    && ["execute", "run", "call"].contains(&unit.name.as_str())
            };
            if let Some(at) = there.units.iter().position(runs) {
                self.enter(path, facts, one, (&file, at), depth, &mut below);
            }
        }
        if called && one.chain.segs.last().is_some_and(|last| COMPUTED_CLASSES.contains(&last.name.as_str())) {
            let gap = Some(format!("the name of the class of {} is computed", one.chain.text()));
            below.add_open(Open { gap, ..Open::new(&[one.chain.text()], None) }, self.hop(path, facts, one));
        }
        if let Some(partial) = Some(one)
            .filter(|_| called && language == Language::Ruby)
            .and_then(|one| rails::partial(self.names.project, path, one))
        {
            self.enter(path, facts, one, (&partial, 0), depth, &mut below);
        }
        let resolved = self.resolve(path, facts, one, index);
        let is_defined = matches!(resolved, Resolution::Unit(..));
        match resolved {
            // The result of a call is not a function that something could call.
            Resolution::Foreign { result: true, .. } if !called => {}
            Resolution::Foreign { path: mut symbol, builtin, result } => {
                // The result of a call is called: `postgres(url)` gives a function that runs SQL.
                if result {
                    symbol.push("()".to_owned());
                }
                let of = |usage| self.names.knowledge.of_symbol(language, &symbol, builtin, usage, &one.args);
                // A value with the type `Function` is some function, not the one that compiles a text.
                let is_function_type = builtin && symbol == ["Function"] && one.chain.root() != "Function";
                let effect = match one.kind {
                    _ if language.is_script() && is_function_type => None,
                    UseKind::Call => of(Usage::Call),
                    UseKind::Read => of(Usage::Read),
                    // A function that is passed on will be called: `pool.map(os.remove, files)`. The bare name of a builtin is
                    // ambiguous.
                    UseKind::Hand if builtin && symbol.len() == 1 => None,
                    // A member of a value with a type of the library is data: `error.response`.
                    UseKind::Hand if is_member_of_value(&one.chain, &symbol) => of(Usage::Read),
                    UseKind::Hand if one.chain.segs.len() == 1 => of(Usage::Value),
                    UseKind::Hand => of(Usage::Read).or_else(|| of(Usage::Value)),
                };
                let hop = || self.hop(path, facts, one);
                match effect {
                    Some(effect) => {
                        let purpose = self.names.knowledge.purpose(language, &symbol);
                        let is_transport = self.names.knowledge.effects.get(effect).is_some_and(Effect::is_transport);
                        // A request to a service can always do what the service exists for.
                        if let Some(library) =
                            purpose.filter(|_| is_transport && (!builtin || self.is_listed_path(language, &symbol)))
                        {
                            below.add_open(Open { library: Some(library), ..Open::new(&symbol, None) }, hop());
                        }
                        let sink =
                            symbol.iter().filter(|name| *name != "default").cloned().collect::<Vec<_>>().join(".");
                        below.add(effect, &sink, false, hop());
                    }
                    None if called && is_computed_module(language, &symbol, &one.args) => {
                        let gap = Some(format!("{} loads a module whose name is computed", symbol.join(".")));
                        below.add_open(Open { gap, ..Open::new(&symbol, None) }, hop());
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
                        below.add_open(Open::new(&symbol, module_of(language, &symbol)), hop());
                    }
                    None if called && (!builtin || self.is_listed_path(language, &symbol)) => {
                        // Only an own name of the library, not a method that a class inherits from it.
                        let is_own = !builtin || one.chain.root() == symbol[0];
                        if let Some(effect) = self.names.knowledge.purpose(language, &symbol).filter(|_| is_own)
                            && does_more_than_prepare(language, &symbol)
                        {
                            let is_sure = |effect: &Effect| effect.is_outward() || effect.is_only_purpose();
                            if self.names.knowledge.effects.get(effect).is_some_and(is_sure) {
                                below.add(effect, &symbol.join("."), true, hop());
                            } else {
                                below.add_open(Open { library: Some(effect), ..Open::new(&symbol, None) }, hop());
                            }
                        }
                    }
                    // No definition in this file has the name, so it may be a global of another file.
                    None if called && builtin && symbol.len() > 1 => {
                        self.unknown(path, facts, one, &symbol, depth, &mut below);
                        let of_page = language.is_script() && SCRIPT_GLOBALS.contains(&symbol[0].as_str());
                        let gap = self.undefined(language, &symbol);
                        below.open.retain(|open| of_page || gap.is_some() || !open.about.alike.is_empty());
                        below.open.iter_mut().for_each(|open| Rc::make_mut(&mut open.about).gap.clone_from(&gap));
                    }
                    // Neither this file nor a table defines the name. It can come from an import of all names.
                    None if called && builtin => {
                        // A name of Ruby without arguments can be a variable of a block.
                        let is_variable = language == Language::Ruby && one.args.is_empty();
                        // The compiler of Rust rejects an undefined name, unless a glob import or another file defines it.
                        let is_elsewhere = facts.includes() || facts.imports.iter().any(|import| import.local == "*");
                        let is_certain = is_variable
                            || language == Language::Rust && !is_elsewhere
                            || language == Language::Ruby
                                && (builtins::is_route(path, &symbol[0])
                                    || rails::is_view_helper(path, &symbol[0])
                                    || rails::is_schema_word(path, &symbol[0])
                                    || rails::is_route_helper(&symbol[0]) && rails::is_rails(self.names.project));
                        let gap = self.undefined(language, &symbol).filter(|_| !is_certain);
                        // What a name of the language does is known, whatever it suggests: `FileReader`.
                        let is_of_language = (language.is_script()
                            || matches!(language, Language::Python | Language::Java))
                            && builtins::is_builtin(language, &symbol[0], false);
                        if !is_of_language {
                            below.add_open(Open { gap, ..Open::new(&symbol, None) }, hop());
                        }
                    }
                    None => {}
                }
            }
            Resolution::Unit(file, at)
                if called && file == path && facts.units.get(at).is_some_and(|unit| unit.is_object) =>
            {
                self.members(path, facts, one, at, depth, &mut below);
            }
            Resolution::Unit(file, at) if one.kind != UseKind::Read => {
                if let Some(at) = self.entered(&file, at, called) {
                    let is_abstract = |unit: &Unit| unit.is_abstract;
                    let declares = self
                        .names
                        .project
                        .facts(&file)
                        .is_some_and(|facts| facts.units.get(at).is_some_and(is_abstract));
                    let bodies = if declares {
                        self.searched("implementations", &file, &at.to_string(), || {
                            self.names.implementations(&file, at)
                        })
                        .to_vec()
                    } else {
                        self.overloads(language, &file, at)
                    };
                    let annotated = bodies.is_empty().then(|| self.annotated(&file, at)).flatten();
                    if let Some((effect, sink)) = annotated {
                        below.add(effect, &sink, false, self.hop(path, facts, one));
                    } else if bodies.is_empty() && self.is_event_handler(&file, at) {
                        let names = one.chain.segs.iter().map(|seg| seg.name.clone()).collect::<Vec<_>>();
                        self.unknown(path, facts, one, &names, depth, &mut below);
                    } else if bodies.is_empty() {
                        let gap = Some(format!("the project has no implementation of {}", one.chain.text()));
                        let names = one.chain.segs.iter().map(|seg| seg.name.clone()).collect::<Vec<_>>();
                        below.add_open(Open { gap, ..Open::new(&names, None) }, self.hop(path, facts, one));
                    }
                    // A declared method of a class still runs the class's static blocks.
                    let entered = if bodies.is_empty() { vec![(file.clone(), at)] } else { bodies };
                    for (file, at) in &entered {
                        self.enter(path, facts, one, (file, *at), depth, &mut below);
                    }
                }
            }
            Resolution::Unknown(mut names) if called && names.len() > 1 => {
                let gap = names[0].strip_prefix(MODULE).map(|module| format!("{module} is not in the project"));
                names[0] = names[0].trim_start_matches(MODULE).to_owned();
                // A method of the own class that neither the class nor its parents define.
                let is_own = one.chain.root() == THIS && one.chain.segs.len() == 2 && names.len() == 2;
                // Whose method a function of a script becomes is not known, as the type of a parameter is not.
                let is_own = is_own && !(language.is_script() && names[0] == THIS);
                // A field that only the classes with this mixin have.
                let is_missing_field = one.chain.root() == THIS && names.len() == 3 && {
                    let owns = |field: &Binding| field.class.as_ref() == Some(&names[0]) && field.name == names[1];
                    matches!(language, Language::Php) && !facts.bindings.iter().any(owns)
                };
                // A method that the classes with this mixin have from elsewhere.
                let is_of_includer = is_missing_field || is_own && language == Language::Php;
                let includers = if is_of_includer {
                    self.searched("includers", path, &names[0], || self.names.includers(path, &names[0])).to_vec()
                } else {
                    Vec::new()
                };
                let mut is_there = !includers.is_empty();
                for (file, at) in &includers {
                    match self.names.resolve(file, *at, u32::MAX, &one.chain) {
                        Resolution::Foreign { path: symbol, builtin, .. } => {
                            let effect =
                                self.names.knowledge.of_symbol(language, &symbol, builtin, Usage::Call, &one.args);
                            if let Some(effect) = effect {
                                below.add(effect, &symbol.join("."), false, self.hop(path, facts, one));
                            }
                        }
                        Resolution::Unit(file, at) if is_own => {
                            self.enter(path, facts, one, (&file, at), depth, &mut below);
                        }
                        _ => is_there = is_there && is_missing_field,
                    }
                }
                let is_own = is_own && !is_there;
                let is_missing_field = is_missing_field && !is_there;
                // The methods of a type of Rust or Go can be in any file of its crate or package.
                let elsewhere = match is_own && matches!(language, Language::Rust | Language::Go) {
                    true => self.searched("methods", path, &names[1], || self.names.methods(path, &names[1])).to_vec(),
                    false => Vec::new(),
                };
                for (file, at) in &elsewhere {
                    self.enter(path, facts, one, (file, *at), depth, &mut below);
                }
                let is_own = is_own && elsewhere.is_empty();
                let gap = gap.or_else(|| {
                    (is_own || is_missing_field).then(|| format!("the project does not define {}", names.join(".")))
                });
                self.unknown(path, facts, one, &names, depth, &mut below);
                match below.open.last_mut().filter(|open| gap.is_some() && open.about.symbol == names.join(".")) {
                    Some(open) => Rc::make_mut(&mut open.about).gap = gap,
                    None if gap.is_some() => {
                        below.add_open(Open { gap, ..Open::new(&names, None) }, self.hop(path, facts, one));
                    }
                    None => {}
                }
            }
            _ => {}
        }
        let last = one.chain.segs.last().map(|last| last.name.trim_end_matches('!')).unwrap_or_default();
        let delivers = language == Language::Ruby && called && one.chain.segs.len() > 1;
        if delivers && ["deliver_later", "deliver_now"].contains(&last) && below.effects.is_empty() {
            let ids: &[&str] = if last == "deliver_later" { &["email.send", "queue.publish"] } else { &["email.send"] };
            for effect in ids.iter().filter_map(|id| self.names.knowledge.effect_index(id)) {
                below.add(effect, "ActionMailer.deliver", false, self.hop(path, facts, one));
            }
        }
        // A record whose class the reader does not know, because Rails makes its methods at run time.
        if language == Language::Ruby
            && called
            && !is_defined
            && below.effects.is_empty()
            && let Some(effect) = rails::effect_of_record(one)
            && let Some(effect) = self.names.knowledge.effect_index(effect)
            && rails::is_rails(self.names.project)
        {
            below.add(effect, &format!("ActiveRecord.{last}"), true, self.hop(path, facts, one));
        }
        if let Some((true, ..)) = job
            && let Some(effect) = self.names.knowledge.effect_index("queue.publish")
            && !below.effects.iter().any(|reach| reach.effect == effect)
        {
            below.add(effect, &one.chain.text(), false, self.hop(path, facts, one));
        }
        below
    }

    /// Adds the effects and open uses of a definition that a use runs.
    fn enter(
        &self,
        path: &str,
        facts: &Arc<Facts>,
        one: &Use,
        (file, at): (&str, usize),
        depth: usize,
        below: &mut Below,
    ) {
        if file == path && at == one.unit {
            return;
        }
        let project = self.names.project;
        // A definition of the same file is read already, so it is followed at any depth.
        let left = if file == path { Some(depth) } else { depth.checked_sub(1) };
        let Some(left) = left else {
            below.set_cut();
            let around = self.inside.borrow().iter().any(|(path, unit)| path == file && *unit == at);
            if !around && self.does_something(file, at) {
                project.hit("max_follow_depth", || format!("{} in {file} was not followed", one.chain.text()));
            }
            return;
        };
        let mut inner = self.of_unit(file, at, left);
        below.include(&inner, depth - left);
        // The first use of a class of Java runs its static blocks.
        if language_of(file) == Some(Language::Java)
            && let Some(facts) = project.facts(file)
            && let Some(class) = facts.units.get(at).and_then(|unit| unit.class.as_ref())
            && let Some(outer) = facts.units.iter().position(|unit| unit.kind == UnitKind::Class && unit.name == *class)
        {
            let around = self.of_unit(file, outer, left);
            below.include(&around, depth - left);
            let mut both = Below::clone(&inner);
            both.effects.extend_from_slice(&around.effects);
            both.open.extend_from_slice(&around.open);
            inner = Rc::new(both);
        }
        project.step(|| format!("followed {} from {path}:{} to {file}", one.chain.text(), one.line));
        if inner.effects.is_empty() && inner.open.is_empty() {
            return;
        }
        let hop = self.hop(path, facts, one);
        below.effects.extend(inner.effects.iter().map(|effect| effect.through(&hop)));
        below.open.extend(inner.open.iter().map(|open| open.through(&hop)));
    }

    /// Returns the effect of a declared method that a framework implements, and the annotation that says so, on the method or its interface.
    fn annotated(&self, file: &str, method: usize) -> Option<(usize, String)> {
        let (language, facts) = (language_of(file)?, self.names.project.facts(file)?);
        let unit = facts.units.get(method)?;
        let class =
            facts.units.iter().find(|one| one.kind == UnitKind::Class && Some(&one.name) == unit.class.as_ref());
        let marks = unit
            .interfaces
            .iter()
            .chain(class.into_iter().flat_map(|class| class.interfaces.iter().chain(&class.bases)));
        marks
            .filter_map(|mark| match self.names.resolve(file, 0, u32::MAX, mark) {
                Resolution::Foreign { mut path, builtin, .. } => {
                    path.push(unit.name.clone());
                    let effect = self.names.knowledge.of_symbol(language, &path, builtin, Usage::Call, &[])?;
                    Some((effect, path.join(".")))
                }
                _ => None,
            })
            .next()
    }

    /// Adds the effects of all members of a literal object of which one is called by a computed name: `handlers[event.type](event)`.
    fn members(&self, path: &str, facts: &Arc<Facts>, one: &Use, object: usize, depth: usize, below: &mut Below) {
        let name = facts.units[object].name.as_str();
        for (at, unit) in facts.units.iter().enumerate().filter(|(_, unit)| unit.class.as_deref() == Some(name)) {
            if unit.kind == UnitKind::Function {
                self.enter(path, facts, one, (path, at), depth, below);
            }
        }
        for field in facts.bindings.iter().filter(|binding| binding.class.as_deref() == Some(name)) {
            let Some(source) =
                field.source.clone().filter(|source| !source.segs.last().is_some_and(|last| last.called))
            else {
                continue;
            };
            let called =
                Use { chain: source.called(), unit: field.unit, kind: UseKind::Call, args: Vec::new(), ..*one };
            let found = self.of_use(path, facts, (&called, None), depth);
            below.include(&found, 0);
            below.effects.extend(found.effects);
            below.open.extend(found.open);
        }
    }

    /// Returns the definition that runs when a job is started, `SyncJob.perform_later(id)` or `sync.delay(id)`, and whether it runs later.
    fn job(&self, path: &str, one: &Use) -> Option<(bool, String, usize)> {
        let (last, receiver) = one.chain.segs.split_last()?;
        let call = JOB_CALLS.iter().find(|call| last.called && call.name == last.name)?;
        if receiver.is_empty() {
            return None;
        }
        let receiver = Chain { segs: receiver.to_vec() };
        let Resolution::Unit(file, at) = self.names.resolve(path, one.unit, one.line, &receiver) else { return None };
        let facts = self.names.project.facts(&file)?;
        let definition = facts.units.get(at)?;
        let at = match definition.kind {
            UnitKind::Function => Some(at).filter(|_| call.method.is_empty()),
            _ => {
                let class = Some(definition.name.as_str());
                facts.units.iter().position(|unit| unit.class.as_deref() == class && unit.name == call.method)
            }
        };
        Some((call.later, file, at?))
    }

    /// Handles a call of which only the names are known. It may be a method with that name in a file that is named like the
    /// receiver.
    fn unknown(&self, path: &str, facts: &Facts, one: &Use, names: &[String], depth: usize, below: &mut Below) {
        let unit = facts.unit_name(one.unit);
        let symbol: Vec<&str> = names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
        if let ([.., receiver, method], true) = (symbol.as_slice(), symbol.len() > 1) {
            let hop = self.hop(path, facts, one);
            let found = if depth > 0 {
                self.names.alike(path, receiver, method)
            } else {
                below.set_cut();
                Vec::new()
            };
            let alike = found.into_iter().flat_map(|(file, at)| {
                let inner = self.of_unit(&file, at, depth - 1);
                below.include(&inner, 1);
                inner.effects.iter().map(|effect| effect.through(&hop).reach(&unit)).collect::<Vec<_>>()
            });
            let alike: Vec<Reach> = alike.collect();
            // A method of texts and lists has no effect, whatever its receiver is called.
            if alike.is_empty()
                && (VALUE_METHODS.contains(&simple(method).as_str()) || rails::is_form_method(path, method))
            {
                return;
            }
            let is_attribute = one.args.is_empty() && language_of(path) == Some(Language::Ruby);
            if alike.is_empty() && is_attribute && rails::is_column(self.names.project, method) {
                return;
            }
            let names: Vec<String> = symbol.iter().map(|name| (*name).to_owned()).collect();
            below.add_open(Open { alike, ..Open::new(&names, None) }, hop);
        }
    }

    /// Returns whether a constant of Ruby or a class of PHP or Java belongs to a library that a table lists.
    fn is_listed_path(&self, language: Language, symbol: &[String]) -> bool {
        let named = symbol.len() > 1 && symbol[0].starts_with(char::is_uppercase);
        named && !language.module_is_one_name() && self.names.knowledge.knows_module(language, symbol)
    }

    /// Returns the reason why a name that nothing defines can have any effect. Returns `None` for the names of the language.
    fn undefined(&self, language: Language, symbol: &[String]) -> Option<String> {
        let root = symbol.first()?;
        let known = builtins::is_builtin(language, root, symbol.len() > 1)
            || (!language.module_is_one_name() && self.names.knowledge.knows_module(language, symbol))
            || self.names.knowledge.has_root(language, root);
        (!known).then(|| format!("no file of the project defines {root}"))
    }

    /// Returns the unit that a use of a definition runs: a function itself, or the constructor of a class where it is called.
    fn entered(&self, file: &str, unit: usize, called: bool) -> Option<usize> {
        let facts = self.names.project.facts(file)?;
        let definition = facts.units.get(unit)?;
        match definition.kind {
            UnitKind::Function => Some(unit),
            UnitKind::Class if called => {
                let constructors =
                    ["__init__", "constructor", "initialize", "__construct", definition.name.as_str(), "__call__"];
                constructors.iter().find_map(|name| {
                    facts
                        .units
                        .iter()
                        .position(|unit| unit.class.as_deref() == Some(definition.name.as_str()) && unit.name == **name)
                })
            }
            _ => None,
        }
    }

    /// Returns the methods of a class that a call by the name of one of them can run: overloads of Java, and a method of the class
    /// itself beside one of its objects in Ruby.
    fn overloads(&self, language: Language, file: &str, unit: usize) -> Vec<(String, usize)> {
        let facts = self.names.project.facts(file).filter(|_| matches!(language, Language::Java | Language::Ruby));
        let Some((facts, one)) = facts.as_ref().and_then(|facts| Some((facts, facts.units.get(unit)?))) else {
            return vec![(file.to_owned(), unit)];
        };
        let is_other = |(at, other): &(usize, &Unit)| {
            let is_same = one.class.is_some() && other.class == one.class && other.name == one.name;
            *at != unit && is_same && other.parent == one.parent && !other.is_abstract
        };
        let others = facts.units.iter().enumerate().filter(is_other).map(|(at, _)| at);
        std::iter::once(unit).chain(others).map(|at| (file.to_owned(), at)).collect()
    }

    /// Returns whether a declared member of an object in a script is a function that the code that uses the object gives to it, such as
    /// a handler of events: `props.onSubmit`. What it does belongs to that code.
    fn is_event_handler(&self, file: &str, unit: usize) -> bool {
        let Some(facts) = self.names.project.facts(file) else { return false };
        facts.units.get(unit).is_some_and(|unit| implementations::is_event_handler(file, &facts, unit))
    }

    fn does_something(&self, file: &str, unit: usize) -> bool {
        let Some(facts) = self.names.project.facts(file) else { return false };
        facts.uses.iter().any(|one| one.unit == unit && one.kind == UseKind::Call)
    }
}
