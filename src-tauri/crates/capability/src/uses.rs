//! The effects of one use, by the definition that its name stands for. `foreign_uses` has those of other modules, `unknown_uses` those of
//! names that are not resolved.

use std::rc::Rc;
use std::sync::Arc;

use smol_str::SmolStr;

use super::facts::{Chain, Facts, Unit, UnitKind, Use, UseKind};
use super::follow::Follow;
use super::found::Below;
use super::hidden_code;
use super::implementations;
use super::jobs::{COMPUTED_CLASSES, JOB_CALLS, PUBLISHERS};
use super::knowledge::Usage;
use super::rails;
use super::reach::{Hop, Open};
use super::resolve::{Resolution, ValueOf};
use diffsan_syntax::language::Language;

/// The maximum number of definitions that are entered one from the other. Longer chains are not written by people, and would overflow the
/// stack.
const MAX_CHAIN: usize = 250;

/// A use that is followed: the path and facts of its file, the use, and the number of changes of file that may still be followed.
pub(crate) type Place<'u> = (&'u str, &'u Arc<Facts>, &'u Use, usize);

/// A use at its place, and the number of changes of file that may still be followed.
#[derive(Clone, Copy)]
pub(super) struct Site<'u> {
    pub(super) path: &'u str,
    pub(super) facts: &'u Arc<Facts>,
    pub(super) one: &'u Use,
    pub(super) language: Language,
    pub(super) depth: usize,
}

impl Site<'_> {
    /// Returns whether the use is a call.
    pub(super) fn is_call(&self) -> bool {
        self.one.kind == UseKind::Call
    }
}

impl Follow<'_> {
    /// Returns the effects of a use. `depth` is the number of definitions that may still be entered.
    pub(super) fn of_use(
        &self,
        path: &str,
        facts: &Arc<Facts>,
        (one, index): (&Use, Option<usize>),
        depth: usize,
    ) -> Below {
        if one.kind == UseKind::Step {
            return self.of_step(path, facts, one, depth);
        }
        let mut below = Below::default();
        let Some(language) = self.names.project.language(path) else { return below };
        let site = &Site { path, facts, one, language, depth };
        if one.kind == UseKind::Write {
            self.of_write(site, &mut below);
            return below;
        }
        let job = self.job(path, one);
        if let Some((_, file, at)) = &job {
            self.enter(site, (file, *at), &mut below);
        }
        self.run_by_name(site, &mut below);
        let resolved = self.resolve(path, facts, one, index);
        if matches!(one.kind, UseKind::Call | UseKind::Mark) {
            self.of_endpoint(site, &resolved, &mut below);
        }
        if one.kind == UseKind::Mark {
            self.of_keyword(site, &mut below);
            return below;
        }
        let is_defined = matches!(resolved, Resolution::Unit(..));
        // A method that a statement runs without naming it counts only if the project defines it.
        if hidden_code::is_implicit(language, one) && !is_defined {
            return below;
        }
        match resolved {
            // Neither the result of a call nor an object is a function that something could call.
            Resolution::Foreign { value: ValueOf::Call | ValueOf::Type, .. } if !site.is_call() => {}
            Resolution::Foreign { path: symbol, builtin, value } => {
                self.of_foreign(site, symbol, (builtin, value), &mut below);
            }
            // A variable with the result of a call, of which only the function is known: the call itself is followed.
            Resolution::Unit(file, at) if self.names.stands_for_result(site, &file, at) => {}
            Resolution::Unit(file, at) => {
                self.of_definition(site, (&file, at), &mut below);
                self.of_decorator(site, (&file, at), &mut below);
            }
            Resolution::Unknown(names) if site.is_call() && names.len() > 1 => {
                self.of_unknown(site, names, &mut below);
            }
            Resolution::Unknown(names) if site.is_call() && one.chain.segs.len() == 1 && names.len() == 1 => {
                self.of_function_value(site, &names[0], &mut below);
            }
            Resolution::File(file) if site.is_call() && language.is_script() => {
                self.of_called_file(site, &file, &mut below);
            }
            _ => {}
        }
        self.of_rails(site, is_defined, &mut below);
        self.of_evaluation(site, is_defined, &mut below);
        self.of_programs(site, &mut below);
        if let Some((true, ..)) = job
            && let Some(effect) = self.names.knowledge.vocabulary.effect_index("queue.publish")
            && !below.effects.iter().any(|reach| reach.effect == effect)
        {
            below.add(effect, &one.chain.text(), false, self.hop_of(site));
        }
        // Those of other definitions are left out there.
        below.open.retain(|open| open.next_path().is_some() || self.matters(&open.about, path));
        below
    }

    /// Adds the effects of the functions inside of a decorator of Python, which run in the place of the decorated function.
    fn of_decorator(&self, site: &Site<'_>, (file, at): (&str, usize), below: &mut Below) {
        if site.language != Language::Python || !site.facts.line(site.one.line).starts_with('@') {
            return;
        }
        let Some(facts) = self.names.project.facts(file) else { return };
        let is_inside = |unit: &usize| {
            let mut around = std::iter::successors(Some(*unit), |unit| {
                facts.units.get(*unit).map(|unit| unit.parent).filter(|parent| parent != unit)
            });
            around.any(|unit| unit == at)
        };
        for unit in (1..facts.units.len()).filter(|unit| *unit != at).filter(is_inside) {
            self.enter(site, (file, unit), below);
        }
    }

    /// Adds the effect of a keyword: `unsafe`.
    fn of_keyword(&self, site: &Site<'_>, below: &mut Below) {
        let names = [site.one.chain.text()];
        let knowledge = self.names.knowledge;
        if let Some(effect) = knowledge.of_symbol(site.language, &names, true, Usage::Call, &[]) {
            below.add(effect, &names[0], false, self.hop_of(site));
        }
    }

    /// Adds the effects of a call of what a script exports, although the reader sees no such export: a component, whose file is its code, or a
    /// value that is made in another way.
    fn of_called_file(&self, site: &Site<'_>, file: &str, below: &mut Below) {
        if diffsan_syntax::language::Language::of(file).is_none() {
            return self.enter(site, (file, 0), below);
        }
        let gap = Some(format!("what {file} exports is not known"));
        below.add_open(Open { gap, ..Open::new(&[site.one.chain.text()], None) }, self.hop_of(site));
    }

    /// Returns the place of a use.
    pub(super) fn hop_of(&self, site: &Site<'_>) -> Rc<Hop> {
        self.hop(site.path, site.facts, site.one)
    }

    /// Adds the code that a call starts by another name: listeners of an event, a class that is given to a scheduler, a partial.
    fn run_by_name(&self, site: &Site<'_>, below: &mut Below) {
        let Site { path, one, language, .. } = *site;
        let called = site.is_call();
        if called && one.chain.segs.last().is_some_and(|last| PUBLISHERS.contains(&last.name.as_str())) {
            let event = one.args.iter().find_map(|arg| arg.strip_prefix("new "));
            for (file, at) in event
                .map(|event| self.searched("listeners", path, event, || self.names.listeners(path, event)).to_vec())
                .unwrap_or_default()
            {
                self.enter(site, (&file, at), below);
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
                self.enter(site, (&file, at), below);
            }
        }
        if called && one.chain.segs.last().is_some_and(|last| COMPUTED_CLASSES.contains(&last.name.as_str())) {
            let gap = Some(format!("the name of the class of {} is computed", one.chain.text()));
            below.add_open(Open { gap, ..Open::new(&[one.chain.text()], None) }, self.hop_of(site));
        }
        if let Some(partial) = Some(one)
            .filter(|_| called && language == Language::Ruby)
            .and_then(|one| rails::partial(self.names.project, path, one))
        {
            self.enter(site, (&partial, 0), below);
        }
    }

    /// Adds the effects of a use of a definition of the project.
    fn of_definition(&self, site: &Site<'_>, (file, at): (&str, usize), below: &mut Below) {
        let Site { path, facts, one, language, .. } = *site;
        let called = site.is_call();
        if called && file == path && facts.units.get(at).is_some_and(|unit| unit.is_object) {
            return self.members(site, at, below);
        }
        for other in self.lifecycle(file, at, called) {
            self.enter(site, (file, other), below);
        }
        let is_getter = || {
            self.names.project.facts(file).is_some_and(|facts| facts.units.get(at).is_some_and(|unit| unit.is_getter))
        };
        let Some(at) = self.entered(file, at, called).filter(|_| one.kind != UseKind::Read || is_getter()) else {
            return;
        };
        let is_abstract = |facts: Arc<Facts>| facts.units.get(at).is_some_and(|unit| unit.is_abstract);
        let bodies = if self.names.project.facts(file).is_some_and(is_abstract) {
            let search = || self.names.implementations(file, at);
            self.searched("implementations", file, &at.to_string(), search).to_vec()
        } else {
            self.overloads(language, file, at)
        };
        if bodies.is_empty() {
            self.of_declaration(site, (file, at), below);
        }
        // A declared method of a class still runs the class's static blocks.
        let entered = if bodies.is_empty() { vec![(file.to_owned(), at)] } else { bodies };
        for (file, at) in &entered {
            self.enter(site, (file, *at), below);
        }
    }

    /// Adds the effects of a call of a method that the project only declares.
    fn of_declaration(&self, site: &Site<'_>, (file, at): (&str, usize), below: &mut Below) {
        let chain = &site.one.chain;
        let names: Vec<String> = chain.segs.iter().map(|seg| seg.name.to_string()).collect();
        if let Some((effect, sink)) = self.annotated(file, at) {
            below.add(effect, &sink, false, self.hop_of(site));
        } else if self.is_event_handler(file, at) || self.is_functional(file, at) {
            self.unknown(site, &names, below);
        } else if let Some((effect, sink)) = self.of_library_object(site, (file, at)) {
            below.add(effect, &sink, true, self.hop_of(site));
        } else if let Some((library, module)) = self.library_of_signature(file, at) {
            let gap = Some(format!("the project has no implementation of {}", chain.text()));
            let symbol = [module, chain.segs.last().map(|last| last.name.to_string()).unwrap_or_default()];
            below.add_open(Open { library: Some(library), gap, ..Open::new(&symbol, None) }, self.hop_of(site));
        } else {
            let gap = Some(format!("the project has no implementation of {}", chain.text()));
            let line = self.names.project.facts(file).and_then(|facts| facts.units.get(at).map(|unit| unit.line));
            let declaration = line.map(|line| (file.to_owned(), line));
            below.add_open(Open { gap, declaration, ..Open::new(&names, None) }, self.hop_of(site));
        }
    }

    /// Returns the effect and the symbol of a method that an interface of Go declares and that objects of a library have: all its methods are in
    /// the table of the library whose type the method returns. `ExecContext` of an interface is the one of `sql.DB` and `sql.Tx`.
    fn of_library_object(&self, site: &Site<'_>, (file, at): (&str, usize)) -> Option<(usize, String)> {
        let facts = self.names.project.facts(file).filter(|_| site.language == Language::Go)?;
        let method = facts.units.get(at)?;
        let listed = |method: &Unit| {
            method.returns.iter().find_map(|returned| match self.names.resolve(file, 0, u32::MAX, returned) {
                Resolution::Foreign { mut path, builtin: false, .. } => {
                    path.push(method.name.to_string());
                    let effect =
                        self.names.knowledge.of_symbol(site.language, &path, false, Usage::Call, &site.one.args)?;
                    Some((effect, path.join(".")))
                }
                _ => None,
            })
        };
        let mut all = facts.units.iter().filter(|unit| unit.class.is_some() && unit.class == method.class);
        listed(method).filter(|_| all.all(|method| listed(method).is_some()))
    }

    /// Returns the effect of the library whose type a declared method returns, and the library's name: `sql.Result`.
    fn library_of_signature(&self, file: &str, at: usize) -> Option<(usize, String)> {
        let (language, facts) = (self.names.project.language(file)?, self.names.project.facts(file)?);
        facts.units.get(at)?.returns.iter().find_map(|returned| match self.names.resolve(file, 0, u32::MAX, returned) {
            Resolution::Foreign { path, builtin: false, .. } => {
                let effect = self.names.knowledge.purpose(language, &path)?;
                Some((effect, path.join(".")))
            }
            _ => None,
        })
    }

    /// Adds the effect of a method that each object of Ruby has, and that runs a text: `app.module_eval(config)`, but not with a block.
    fn of_evaluation(&self, site: &Site<'_>, is_defined: bool, below: &mut Below) {
        let Site { one, language, .. } = *site;
        let name = one.chain.segs.last().map(|last| last.name.as_str()).unwrap_or_default();
        let is_evaluation = ["class_eval", "instance_eval", "module_eval"].contains(&name) && !one.args.is_empty();
        if language == Language::Ruby
            && site.is_call()
            && is_evaluation
            && !is_defined
            && below.effects.is_empty()
            && let Some(effect) = self.names.knowledge.vocabulary.effect_index("code.execute")
        {
            below.add(effect, name, false, self.hop_of(site));
        }
    }

    /// Adds the effects that Rails gives to methods by their names, where nothing else is known.
    fn of_rails(&self, site: &Site<'_>, is_defined: bool, below: &mut Below) {
        let Site { one, language, .. } = *site;
        let called = site.is_call();
        let last = one.chain.segs.last().map(|last| last.name.trim_end_matches('!')).unwrap_or_default();
        let delivers = language == Language::Ruby && called && one.chain.segs.len() > 1;
        if delivers && ["deliver_later", "deliver_now"].contains(&last) && below.effects.is_empty() {
            let ids: &[&str] = if last == "deliver_later" { &["email.send", "queue.publish"] } else { &["email.send"] };
            for effect in ids.iter().filter_map(|id| self.names.knowledge.vocabulary.effect_index(id)) {
                below.add(effect, "ActionMailer.deliver", false, self.hop_of(site));
            }
        }
        // An attachment of Active Storage, which Rails makes a method of the record.
        if delivers
            && ["purge", "purge_later"].contains(&last)
            && below.effects.is_empty()
            && let Some(effect) = self.names.knowledge.vocabulary.effect_index("object.delete")
            && rails::is_rails(self.names.project)
        {
            below.add(effect, &format!("ActiveStorage.{last}"), false, self.hop_of(site));
        }
        // A record whose class the reader does not know, because Rails makes its methods at run time.
        if language == Language::Ruby
            && called
            && !is_defined
            && below.effects.is_empty()
            && let Some(effect) = rails::effect_of_record(one)
            && let Some(effect) = self.names.knowledge.vocabulary.effect_index(effect)
            && rails::is_rails(self.names.project)
        {
            below.add(effect, &format!("ActiveRecord.{last}"), true, self.hop_of(site));
        }
    }

    /// Adds the effects and open uses of a definition that a use runs.
    pub(super) fn enter(&self, site: &Site<'_>, target: (&str, usize), below: &mut Below) {
        let Site { path, facts, one, depth, .. } = *site;
        self.enter_from((path, facts, one, depth), target, below);
    }

    /// Adds the effects of a definition that a use at a place enters, with the number of changes of file that may still be followed.
    pub(crate) fn enter_from(
        &self,
        (path, facts, one, depth): Place<'_>,
        (file, at): (&str, usize),
        below: &mut Below,
    ) {
        if file == path && at == one.unit {
            return;
        }
        let project = self.names.project;
        if self.inside.borrow().len() > MAX_CHAIN {
            below.set_cut();
            let gap = Some(format!("more than {MAX_CHAIN} definitions call each other in a chain"));
            return below.add_open(Open { gap, ..Open::new(&[one.chain.text()], None) }, self.hop(path, facts, one));
        }
        // A definition of the same file is read already, so it is followed at any depth.
        let left = if file == path { Some(depth) } else { depth.checked_sub(1) };
        let Some(left) = left else {
            below.set_cut();
            let around = self.inside.borrow().iter().any(|(path, unit)| path == file && *unit == at);
            if !around && self.does_something(file, at) {
                let detail = format!("{} in {file} was not followed", one.chain.text());
                let gap = Some(format!("max_follow_depth was reached: {detail}"));
                below.add_open(Open { gap, ..Open::new(&[one.chain.text()], None) }, self.hop(path, facts, one));
                project.hit("max_follow_depth", || detail);
            }
            return;
        };
        let mut inner = self.of_unit(file, at, left);
        below.include(&inner, depth - left);
        // The first use of a class of Java runs its static blocks.
        if self.names.project.language(file) == Some(Language::Java)
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
        for open in &inner.open {
            self.through_call((path, facts, one, depth), (file, at), open, below);
        }
    }

    /// Returns the effect of a declared method that a framework implements, and the annotation that says so, on the method or its interface.
    pub(super) fn annotated(&self, file: &str, method: usize) -> Option<(usize, String)> {
        let (language, facts) = (self.names.project.language(file)?, self.names.project.facts(file)?);
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
                    path.push(unit.name.to_string());
                    let effect = self.names.knowledge.of_symbol(language, &path, builtin, Usage::Call, &[])?;
                    Some((effect, path.join(".")))
                }
                _ => None,
            })
            .next()
    }

    /// Adds the effects of all members of a literal object of which one is called by a computed name: `handlers[event.type](event)`.
    fn members(&self, site: &Site<'_>, object: usize, below: &mut Below) {
        let Site { path, facts, one, depth, .. } = *site;
        let name = facts.units[object].name.as_str();
        for (at, unit) in facts.units.iter().enumerate().filter(|(_, unit)| unit.class.as_deref() == Some(name)) {
            if unit.kind == UnitKind::Function {
                self.enter(site, (path, at), below);
            }
        }
        for field in facts.bindings.iter().filter(|binding| binding.class.as_deref() == Some(name)) {
            let Some(source) =
                field.source.clone().filter(|source| !source.segs.last().is_some_and(|last| last.called))
            else {
                continue;
            };
            let called = Use {
                chain: source.called(),
                unit: field.unit,
                kind: UseKind::Call,
                args: Vec::new(),
                given: Vec::new(),
                ..*one
            };
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

    /// Returns the methods of a class that run when one of its objects is created or destroyed, besides the constructor.
    fn lifecycle(&self, file: &str, unit: usize, called: bool) -> Vec<usize> {
        let Some(facts) = self.names.project.facts(file).filter(|_| called) else { return Vec::new() };
        let Some(definition) = facts.units.get(unit) else { return Vec::new() };
        let class = match definition.kind {
            UnitKind::Class => Some(&definition.name),
            // A function of a type of Rust that makes a value of it.
            UnitKind::Function
                if definition.name != "drop" && self.names.project.language(file) == Some(Language::Rust) =>
            {
                let makes = |class: &&SmolStr| {
                    definition.name == "new" || definition.returns.first().is_some_and(|chain| chain.root() == **class)
                };
                definition.class.as_ref().filter(makes)
            }
            _ => None,
        };
        let Some(class) = class.filter(|class| !class.is_empty()) else { return Vec::new() };
        let runs = |unit: &Unit| {
            unit.class.as_ref() == Some(class)
                && hidden_code::LIFECYCLE.contains(&unit.name.as_str())
                && !unit.is_abstract
        };
        (0..facts.units.len()).filter(|at| runs(&facts.units[*at])).collect()
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
        facts
            .units
            .get(unit)
            .is_some_and(|unit| implementations::is_event_handler(self.names.project.language(file), &facts, unit))
    }

    /// Returns whether a declared method is the one of a functional interface of Java. A lambda that is passed as such is code of the definition
    /// that contains it.
    fn is_functional(&self, file: &str, unit: usize) -> bool {
        let Some(facts) =
            self.names.project.facts(file).filter(|_| self.names.project.language(file) == Some(Language::Java))
        else {
            return false;
        };
        let class = facts.units.get(unit).and_then(|unit| unit.class.as_ref());
        let interface = facts.units.iter().find(|one| one.kind == UnitKind::Class && Some(&one.name) == class);
        let Some(interface) = interface else { return false };
        interface.interfaces.iter().any(|mark| mark.root() == "FunctionalInterface")
    }

    fn does_something(&self, file: &str, unit: usize) -> bool {
        let Some(facts) = self.names.project.facts(file) else { return false };
        facts.uses.iter().any(|one| one.unit == unit && matches!(one.kind, UseKind::Call | UseKind::Step))
    }
}
