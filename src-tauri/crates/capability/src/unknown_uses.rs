//! The effects of calls of which only the names are known: methods of receivers of unknown type, and members that the project does not
//! define.

use std::rc::Rc;

use super::builtins;
use super::facts::{Binding, MODULE, THIS, UnitKind};
use super::follow::Follow;
use super::found::Below;
use super::hidden_code;
use super::knowledge::Usage;
use super::library_use::VALUE_METHODS;
use super::project::simple;
use super::rails;
use super::reach::{Open, Reach};
use super::resolve::Resolution;
use super::uses::Site;
use diffsan_contracts::vocabulary::Effect;
use diffsan_syntax::language::Language;

/// Libraries whose models have the library's methods.
const MODEL_LIBRARIES: &[&str] = &["mongoose", "sequelize", "objection", "bookshelf"];

/// Methods of Rust that a derive or the standard library gives to a type without a text in its crate.
const DERIVED_METHODS: &[&str] = &[
    "borrow",
    "borrow_mut",
    "clamp",
    "clone",
    "clone_from",
    "cmp",
    "eq",
    "ge",
    "gt",
    "hash",
    "into",
    "le",
    "lt",
    "max",
    "min",
    "ne",
    "partial_cmp",
    "to_owned",
    "to_string",
    "try_into",
    "type_id",
];
/// Methods that each enum of PHP has.
const ENUM_METHODS: &[&str] = &["cases", "from", "tryFrom"];

impl Follow<'_> {
    /// Adds what is known about a call of which only the names are known.
    pub(super) fn of_unknown(&self, site: &Site<'_>, mut names: Vec<String>, below: &mut Below) {
        let Site { path, facts, one, language, .. } = *site;
        let gap = names[0].strip_prefix(MODULE).map(|module| format!("{module} is not in the project"));
        names[0] = names[0].trim_start_matches(MODULE).to_owned();
        // A method of the own class that neither the class nor its parents define.
        let is_own = one.chain.root() == THIS && one.chain.segs.len() == 2 && names.len() == 2;
        // Whose method a function of a script becomes is not known, as the type of a parameter is not.
        let is_own = is_own && !((language.is_script() || language == Language::Python) && names[0] == THIS);
        // A field of a type that holds a function: the effects belong to the code that sets the field.
        let is_function_field = is_own && matches!(language, Language::Rust | Language::Go) && {
            let is_it = |field: &&Binding| field.class.as_deref() == Some(names[0].as_str());
            facts.bindings_named(&names[1]).iter().any(is_it)
        };
        let is_own = is_own && !is_function_field;
        // A field that only the classes with this mixin have.
        let is_missing_field = one.chain.root() == THIS && names.len() == 3 && {
            let owns = |field: &Binding| field.class.as_deref() == Some(names[0].as_str()) && field.name == names[1];
            matches!(language, Language::Php) && !facts.bindings.iter().any(owns)
        };
        // A method that the classes with this mixin have from elsewhere.
        let is_of_includer = is_missing_field || is_own && language == Language::Php;
        let is_there = is_of_includer && self.of_includers(site, &names[0], is_missing_field, below);
        let is_own = is_own && !is_there;
        let is_missing_field = is_missing_field && !is_there;
        // The methods of a type of Rust or Go can be in any file of its crate or package.
        let elsewhere = match is_own && matches!(language, Language::Rust | Language::Go) {
            true => self.searched("methods", path, &names[1], || self.names.methods(path, &names[1])).to_vec(),
            false => Vec::new(),
        };
        for (file, at) in &elsewhere {
            self.enter(site, (file, *at), below);
        }
        let is_own = is_own && elsewhere.is_empty();
        // What each object of Ruby has: `self.class.name`.
        let is_own = is_own && !(language == Language::Ruby && builtins::is_builtin(language, &names[1], false));
        // Methods that a derive of Rust makes or that each enum of PHP has. The compiler rejects a call of a method that does not exist.
        let is_made = is_own
            && match language {
                Language::Rust => DERIVED_METHODS.contains(&names[1].as_str()),
                Language::Php => {
                    ENUM_METHODS.contains(&names[1].as_str()) && facts.text.contains(&format!("enum {}", names[0]))
                }
                _ => false,
            };
        let is_own = is_own && !is_made;
        if is_own && language == Language::Ruby && has_accessor(&facts.text, &names[1]) {
            return;
        }
        if self.of_model(site, below) || self.of_given_field(site, below) {
            return;
        }
        if is_own && language == Language::Rust && self.of_foreign_type(site, (path, &names[0], &names[1]), below) {
            return;
        }
        let is_missing_member = self.is_missing_member(site);
        if is_missing_member && self.of_global_property(site, below) {
            return;
        }
        let gap = gap.or_else(|| self.of_missing(site, below)).or_else(|| {
            (is_own || is_missing_field || is_missing_member)
                .then(|| format!("the project does not define {}", names.join(".")))
        });
        self.unknown(site, &names, below);
        if one.chain.segs.len() > 2 || one.chain.root() != THIS {
            self.of_namesakes(site, &names, below);
        }
        match below.open.last_mut().filter(|open| gap.is_some() && open.about.symbol == names.join(".")) {
            Some(open) => Rc::make_mut(&mut open.about).gap = gap,
            None if gap.is_some() => {
                below.add_open(Open { gap, ..Open::new(&names, None) }, self.hop_of(site));
            }
            None => {}
        }
    }

    /// Returns whether a use of a script calls a method of a member of `this` that the file does not define: `this.$http.get(url)`. A framework
    /// can give it to the object.
    fn is_missing_member(&self, site: &Site<'_>) -> bool {
        let [this, member, .., method] = site.one.chain.segs.as_slice() else { return false };
        let (facts, one) = (site.facts, site.one);
        let is_state = ["props", "state", "refs", "$refs", "$router", "$route", "$emit", "$el", "$parent", "$root"];
        let is_defined = |name: &str| {
            facts.bindings_named(name).iter().any(|one| one.class.is_some())
                || facts.units.iter().any(|unit| unit.name == name && unit.class.is_some())
        };
        site.language.is_script()
            && this.name == THIS
            && one.chain.segs.len() == 3
            && !member.called
            && hidden_code::is_acting(&method.name)
            && !is_state.contains(&member.name.as_str())
            && !is_defined(&member.name)
    }

    /// Adds the effect of a method that a library of models gives to `this`, in a file that defines models with it, and returns whether there
    /// is one: `this.findByIdAndUpdate(id, change)`.
    fn of_model(&self, site: &Site<'_>, below: &mut Below) -> bool {
        let Site { facts, one, language, .. } = *site;
        let [this, method] = one.chain.segs.as_slice() else { return false };
        if !language.is_script() || this.name != THIS {
            return false;
        }
        let required = facts.bindings.iter().filter_map(|one| one.source.as_ref()?.root().strip_prefix(MODULE));
        let modules = facts.imports.iter().map(|import| import.module.as_str()).chain(required);
        let found = modules.filter(|module| MODEL_LIBRARIES.contains(module)).find_map(|module| {
            let symbol = [module.to_owned(), "Model".to_owned(), method.name.to_string()];
            let effect = self.names.knowledge.of_symbol(language, &symbol, false, Usage::Call, &one.args)?;
            Some((effect, symbol.join(".")))
        });
        if let Some((effect, sink)) = &found {
            below.add(*effect, sink, false, self.hop_of(site));
        }
        found.is_some()
    }

    /// Adds the effect of a method of a field without a type, in a class whose library gives values to its fields, and returns whether there is
    /// one: `$this->photo->store()` with `Livewire\WithFileUploads`.
    fn of_given_field(&self, site: &Site<'_>, below: &mut Below) -> bool {
        let Site { path, facts, one, language, .. } = *site;
        let [this, _, method] = one.chain.segs.as_slice() else { return false };
        let class = facts.units.get(one.unit).and_then(|unit| unit.class.as_ref()).filter(|_| this.name == THIS);
        let class =
            class.and_then(|class| facts.units.iter().find(|unit| unit.kind == UnitKind::Class && unit.name == *class));
        let found = class.into_iter().flat_map(|class| &class.bases).find_map(|base| {
            let Resolution::Foreign { path: mut symbol, builtin, .. } = self.names.resolve(path, 0, u32::MAX, base)
            else {
                return None;
            };
            symbol.push(method.name.to_string());
            let effect = self.names.knowledge.of_symbol(language, &symbol, builtin, Usage::Call, &one.args)?;
            Some((effect, symbol.join(".")))
        });
        if let Some((effect, sink)) = &found {
            below.add(*effect, sink, true, self.hop_of(site));
        }
        found.is_some()
    }

    /// Adds the effects of a member that another file gives to all components, and returns whether one does.
    fn of_global_property(&self, site: &Site<'_>, below: &mut Below) -> bool {
        let Site { path, one, language, .. } = *site;
        let name = &one.chain.segs[1].name;
        let found =
            self.searched("global properties", path, name, || self.names.global_properties(path, name)).to_vec();
        let mut is_known = false;
        for (file, at) in &found {
            let Some(facts) = self.names.project.facts(file) else { continue };
            let Some((binding, mut chain)) = facts.bindings.get(*at).and_then(|one| Some((one, one.source.clone()?)))
            else {
                continue;
            };
            chain.segs.extend_from_slice(&one.chain.segs[2..]);
            match self.names.resolve(file, binding.unit, binding.line, &chain) {
                Resolution::Foreign { path: symbol, builtin, .. } => {
                    let effect = self.names.knowledge.of_symbol(language, &symbol, builtin, Usage::Call, &one.args);
                    if let Some(effect) = effect {
                        below.add(effect, &symbol.join("."), false, self.hop_of(site));
                        is_known = true;
                    }
                }
                Resolution::Unit(file, at) => {
                    self.enter(site, (&file, at), below);
                    is_known = true;
                }
                _ => {}
            }
        }
        is_known
    }

    /// Adds the effects of a member that the classes with a mixin have, and returns whether all of them have it.
    fn of_includers(&self, site: &Site<'_>, mixin: &str, is_field: bool, below: &mut Below) -> bool {
        let Site { path, one, language, .. } = *site;
        let includers = self.searched("includers", path, mixin, || self.names.includers(path, mixin)).to_vec();
        let mut is_there = !includers.is_empty();
        for (file, at) in &includers {
            match self.names.resolve(file, *at, u32::MAX, &one.chain) {
                Resolution::Foreign { path: symbol, builtin, .. } => {
                    let effect = self.names.knowledge.of_symbol(language, &symbol, builtin, Usage::Call, &one.args);
                    if let Some(effect) = effect {
                        below.add(effect, &symbol.join("."), false, self.hop_of(site));
                    }
                }
                Resolution::Unit(file, at) if !is_field => {
                    self.enter(site, (&file, at), below);
                }
                _ => is_there = is_there && is_field,
            }
        }
        is_there
    }

    /// Handles a call of which only the names are known. It may be a method with that name in a file that is named like the
    /// receiver.
    pub(super) fn unknown(&self, site: &Site<'_>, names: &[String], below: &mut Below) {
        let Site { path, facts, one, depth, .. } = *site;
        if self.only_modules {
            return;
        }
        let unit = facts.unit_name(one.unit);
        let symbol: Vec<&str> = names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
        if let ([.., receiver, method], true) = (symbol.as_slice(), symbol.len() > 1) {
            let hop = self.hop_of(site);
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
            let is_attribute = one.args.is_empty() && self.names.project.language(path) == Some(Language::Ruby);
            if alike.is_empty() && is_attribute && rails::is_column(self.names.project, method) {
                return;
            }
            let names: Vec<String> = symbol.iter().map(|name| (*name).to_owned()).collect();
            below.add_open(Open { alike, ..Open::new(&names, None) }, hop);
        }
    }

    /// Adds the effects of the definitions of a method with a distinctive name, which an object of unknown type probably has. Nothing is added if
    /// they have none.
    fn of_namesakes(&self, site: &Site<'_>, names: &[String], below: &mut Below) {
        let Site { path, facts, one, language, depth } = *site;
        let is_untyped = language.is_script() || matches!(language, Language::Python | Language::Ruby | Language::Php);
        let Some(method) = names.last().filter(|_| is_untyped && !self.only_modules) else { return };
        if below.open.iter().any(|open| !open.about.alike.is_empty()) {
            return;
        }
        let Some(left) = depth.checked_sub(1) else { return below.set_cut() };
        let search = || self.names.namesakes(language, method);
        let found = self.searched("namesakes", language.name(), method, search).to_vec();
        let (unit, hop) = (facts.unit_name(one.unit), self.hop_of(site));
        let mut alike = Vec::new();
        for (file, at) in found.iter().filter(|(file, at)| file != path || *at != one.unit) {
            let inner = self.of_unit(file, *at, left);
            below.include(&inner, 1);
            alike.extend(inner.effects.iter().map(|effect| effect.through(&hop).reach(&unit)));
        }
        if !alike.is_empty() {
            let symbol: Vec<String> = names.iter().filter(|name| !name.is_empty()).cloned().collect();
            below.open.retain(|open| open.about.symbol != symbol.join("."));
            below.add_open(Open { alike, ..Open::new(&symbol, None) }, hop);
        }
    }

    /// Handles a call of a variable that holds some function, of which only the name is known: `fetch` of `load({ fetch })`.
    pub(super) fn of_function_value(&self, site: &Site<'_>, name: &str, below: &mut Below) {
        let Site { one, language, facts, .. } = *site;
        let symbol = [name.to_owned()];
        let effect = self.names.knowledge.of_symbol(language, &symbol, true, Usage::Call, &one.args);
        let is_transport =
            |effect: &usize| self.names.knowledge.vocabulary.effects.get(*effect).is_some_and(Effect::is_transport);
        // A part of a parameter with the name of the global function stands for it. A parameter of its own can be any function.
        let is_parameter = facts.units.iter().any(|unit| unit.parameters.iter().any(|parameter| *parameter == *name));
        if let Some(effect) = effect.filter(|effect| is_transport(effect) && !is_parameter) {
            return below.add(effect, name, true, self.hop_of(site));
        }
        let is_handler = ["on", "handle", "render", "set"]
            .iter()
            .any(|start| name.strip_prefix(start).is_some_and(|rest| rest.starts_with(char::is_uppercase)));
        if !name.is_empty() && !is_handler && effect.is_none() {
            below.add_open(Open::new(&symbol, None), self.hop_of(site));
        }
    }
}

/// Returns whether a text of Ruby declares a method that reads or writes a field: `attr_accessor :settings`.
fn has_accessor(text: &str, name: &str) -> bool {
    let symbol = format!(":{}", name.trim_end_matches('='));
    let declares = |line: &str| {
        let rest = line.trim_start().strip_prefix("attr_").and_then(|rest| rest.split_once([' ', '(']));
        rest.is_some_and(|(_, names)| names.split([',', ' ', ')']).any(|one| one == symbol))
    };
    text.lines().any(declares)
}
