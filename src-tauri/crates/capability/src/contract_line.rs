//! A contract's line as a question about code: the effects that its words name, and the names of code that suggest them.
//!
//! In: a line, and the tables. Out: answers about effects and symbols.

use super::direction::{self, Direction, Match};
use super::judge::{EffectName, Findings, Judgment, Place, PolicyFinding, SOURCE};
use super::knowledge::Knowledge;
use super::library_use::suggests;
use super::naming::{self, Hint};
use super::reach::{Hop, Open, Reach};
use crate::code_places::Area;
use crate::read::language_of;
use diffsan_contracts::contract::{ContractEffect, Modal, Reading};
use diffsan_contracts::http::http_methods;
use diffsan_contracts::phrases::NamedEffects;
use diffsan_contracts::symbol_names::{is_symbol, plain_symbol};
use diffsan_contracts::vocabulary::{ENDPOINT, Effect, PACKAGE_ADD};
use diffsan_syntax::language::Language;

/// The code that a contract's line holds for.
pub(crate) struct Scope {
    files: Option<Area>,
    subjects: Option<Area>,
    exceptions: Area,
    /// Whether the line is only about what its code does itself.
    is_direct: bool,
}

impl Scope {
    pub(crate) fn new(contract: &ContractEffect) -> Self {
        let area = |globs: &[String]| (!globs.is_empty()).then(|| Area::of_globs(globs));
        let subjects = (!contract.subjects.is_empty()).then(|| Area::of_names(&contract.subjects));
        // The files of a contract are those that it is about, if no code has the name.
        let is_told = |area: &Area| area.unknown.is_empty() || contract.scope.is_empty();
        let exceptions = Area::of_names(&contract.exceptions);
        Self {
            files: area(&contract.scope),
            subjects: subjects.filter(is_told),
            exceptions,
            is_direct: contract.is_direct,
        }
    }

    /// Returns whether the line can hold for code of the file.
    pub(crate) fn holds(&self, path: &str) -> bool {
        let is_subject = |area: &Area| area.open_name().is_some() || area.touches(path);
        self.files.as_ref().is_none_or(|files| files.has_file(path))
            && self.subjects.as_ref().is_none_or(is_subject)
            && !self.exceptions.has_file(path)
    }

    /// Returns whether the line holds for a chain of places: it begins in the code that the line is about, and does not pass through code
    /// that it does not hold for. What the code does itself stays in it.
    pub(crate) fn has(&self, chain: &[Hop]) -> bool {
        let own = if self.is_direct { chain } else { &chain[..chain.len().min(1)] };
        let begins = |area: &Area| area.open_name().is_some() || !own.is_empty() && own.iter().all(|hop| area.has(hop));
        self.subjects.as_ref().is_none_or(begins) && !chain.iter().any(|hop| self.exceptions.has(hop))
    }

    /// Returns whether the line holds for a use that could not be followed. One of code that the line does not hold for, or of other code where
    /// it is only about its own, can have any effect.
    pub(crate) fn has_open(&self, open: &Open) -> bool {
        let is_elsewhere = open.declaration.as_ref().is_some_and(|(path, line)| {
            let has = |area: &Area| area.has_line(path, *line);
            has(&self.exceptions) || self.is_direct && self.subjects.as_ref().is_some_and(|area| !has(area))
        });
        self.has(&open.chain) && !is_elsewhere
    }

    /// Returns whether a file belongs to the code that the line is about.
    pub(crate) fn is_own(&self, path: &str) -> bool {
        self.subjects.as_ref().is_some_and(|area| area.touches(path))
    }

    /// Returns whether the line holds for an import of a file. A definition that the line names is part of its file.
    pub(crate) fn has_import(&self, path: &str, import: &Hop) -> bool {
        self.holds(path) && !self.exceptions.has(import) && !self.exceptions.touches(path)
    }

    /// Returns whether the line is about all code of a file, and not only about definitions with a role in it.
    pub(crate) fn has_whole(&self, path: &str) -> bool {
        self.subjects.as_ref().is_none_or(|area| area.has_file(path) || area.is_named())
    }

    /// Returns whether the contract is one of files that the change does not touch.
    pub(crate) fn is_outside_of_files(&self, findings: &Findings<'_>) -> bool {
        let mut paths =
            findings.targets.iter().map(|(path, _)| *path).chain(findings.others.iter().map(|file| &*file.path));
        self.files.as_ref().is_some_and(|files| !paths.any(|path| files.has_file(path)))
    }

    /// Returns a name in the line that no code has.
    pub(crate) fn unknown_name(&self) -> Option<&str> {
        let subject = self.subjects.iter().find_map(Area::open_name);
        subject.or_else(|| self.exceptions.open_name())
    }

    /// Returns whether a permission is one for a chain of places: some of it is code that may have the effect.
    fn allows(&self, chain: &[Hop]) -> bool {
        let holds = |area: &Option<Area>| area.as_ref().is_none_or(|area| chain.iter().any(|hop| area.has(hop)));
        holds(&self.files) && holds(&self.subjects)
    }

    /// Returns whether the line is about tests, which are not examined.
    pub(crate) fn is_about_tests(&self) -> bool {
        self.subjects.as_ref().is_some_and(|area| area.has_tests)
    }

    /// Returns a name in the line of which it is not known whether the code of a chain of places has it.
    pub(crate) fn unknown_code(&self, chain: &[Hop]) -> Option<&str> {
        let is_told = |area: &&Area| !chain.iter().any(|hop| area.has(hop));
        let subject = self.subjects.iter().filter(is_told).find_map(Area::open_name);
        subject.or_else(|| self.exceptions.open_name())
    }

    /// Returns whether a chain of places passes through code that the line does not hold for.
    pub(crate) fn excepts(&self, chain: &[Hop]) -> bool {
        chain.iter().any(|hop| self.exceptions.has(hop))
    }

    /// Returns whether the only doubt about the code of a line is which code its subject is.
    pub(crate) fn is_told_except_subject(&self, effect: &Effect) -> bool {
        let is_path = effect.also.iter().any(|id| id == "filesystem.use") && !self.exceptions.missing.is_empty();
        self.exceptions.open_name().is_none() && !is_path
    }

    /// Returns the reason why it is not known whether the line holds for a chain of places that leads to an effect.
    pub(crate) fn doubt(&self, effect: &Effect, chain: &[Hop]) -> Option<String> {
        // "Outside `out/`" can mean the written files.
        let missing = || {
            let mut missing = self.exceptions.missing.iter();
            missing.find(|_| effect.also.iter().any(|id| id == "filesystem.use")).map(String::as_str)
        };
        let name = self.unknown_code(chain).or_else(missing)?;
        Some(format!("it is not known which code is \"{name}\""))
    }
}

/// A contract's line, with the tables that interpret its words.
pub(crate) struct ContractLine<'a> {
    pub(crate) knowledge: &'a Knowledge,
    pub(crate) contract: &'a ContractEffect,
    named: NamedEffects,
    /// The directions of the uses of stores that the line is about. Empty means all.
    directions: Vec<Direction>,
}

impl<'a> ContractLine<'a> {
    pub(crate) fn new(knowledge: &'a Knowledge, contract: &'a ContractEffect) -> Self {
        let vocabulary = &knowledge.vocabulary;
        let named = vocabulary.named_effects(&contract.action, &contract.resource);
        Self { knowledge, contract, named, directions: direction::wanted(vocabulary, contract) }
    }

    /// Returns the words of the effect: `send email`, or its title where the words are not a phrase in this order.
    pub(crate) fn words(&self) -> String {
        let ContractEffect { action, resource, .. } = self.contract;
        let words = format!("{action} {resource}");
        let mut named = self.named.effects.keys().filter_map(|id| self.knowledge.vocabulary.effect(id));
        match (named.next(), named.next()) {
            (Some(effect), None) if self.contract.sentence.to_lowercase().find(&words).is_none() => {
                effect.title.clone()
            }
            _ => words,
        }
    }

    pub(crate) fn names_effect(&self, effect: &Effect) -> bool {
        self.named.effects.contains_key(&effect.id)
    }

    /// Returns the effect if the line names it or one of its wider effects.
    pub(crate) fn hit(&self, effect: usize) -> Option<&Effect> {
        let wider = self.knowledge.vocabulary.with_wider(effect);
        // "Contact other servers" is about what a program asks for, not about what it answers.
        let exact = wider.first().filter(|effect| effect.action == "listen");
        if exact.is_some_and(|effect| !self.names_effect(effect)) && OUTWARD.contains(&self.contract.action.as_str()) {
            return None;
        }
        let named = wider.iter().any(|effect| self.names_effect(effect));
        named.then(|| self.knowledge.vocabulary.effects.get(effect)).flatten()
    }

    /// Returns whether the line is about the symbol that has an effect, and not only about others with the same effect.
    pub(crate) fn names_sink(&self, effect: usize, sink: &str) -> bool {
        let is_endpoint = self.knowledge.vocabulary.effects.get(effect).is_some_and(|effect| effect.id == ENDPOINT);
        let methods = if is_endpoint { http_methods(&self.contract.resource) } else { Vec::new() };
        let own = sink.split(' ').next().unwrap_or_default();
        if !methods.is_empty()
            && own.split(',').any(|own| methods.iter().any(|method| method == own))
                == self.contract.is_about_other_methods
        {
            return false;
        }
        let wider = self.knowledge.vocabulary.with_wider(effect);
        let mut named = wider.iter().filter(|effect| self.names_effect(effect));
        named.any(|effect| match self.named.symbols.get(&effect.id) {
            Some(symbols) => symbols.iter().any(|symbol| is_symbol(sink, symbol)),
            None => true,
        })
    }

    /// Returns whether the line is only about reading or writing the records of a store.
    pub(crate) fn tells_direction(&self) -> bool {
        !self.directions.is_empty()
    }

    /// Returns whether the line is about a place of an effect that it names.
    pub(crate) fn matched(&self, reach: &Reach) -> Match {
        if !self.names_sink(reach.effect, &reach.sink) {
            return Match::Misses;
        }
        let effect = self.knowledge.vocabulary.effects.get(reach.effect).map_or("", |effect| effect.id.as_str());
        let line = reach.chain.last().map_or("", |hop| hop.excerpt.as_str());
        let found = direction::matches(&self.directions, effect, (&reach.sink, line));
        // Of the uses with an effect that a call leads to, only one is kept.
        if found == Match::Misses && reach.chain.len() > 1 { Match::Around } else { found }
    }

    /// Returns whether the line is only about single symbols, so that a symbol with another name is not meant.
    fn excludes(&self, symbol: &str) -> bool {
        let is_last = |name: &String| {
            // A constructor can have the name of its class.
            let last = |text: &str| text.strip_suffix(".new").unwrap_or(text).rsplit('.').next().map(str::to_owned);
            last(name) == last(&plain_symbol(symbol))
        };
        self.named.effects.keys().all(|id| self.named.symbols.contains_key(id))
            && !self.named.symbols.values().flatten().any(is_last)
    }

    /// Returns whether code with an effect can have one of the line's, although the code does not show it.
    pub(crate) fn is_possible(&self, effect: usize) -> bool {
        let named = self.named.effects.keys().filter_map(|id| self.knowledge.vocabulary.effect(id));
        let possible: Vec<&String> = named.flat_map(|effect| &effect.possibly).collect();
        self.knowledge.vocabulary.with_wider(effect).iter().any(|effect| possible.contains(&&effect.id))
    }

    /// Returns whether a program that is not known can have an effect of the line.
    pub(crate) fn is_of_programs(&self) -> bool {
        let mut named = self.named.effects.keys().filter_map(|id| self.knowledge.vocabulary.effect(id));
        !self.is_known() || named.any(|effect| effect.of_programs)
    }

    /// Returns the words of the line that restrict the effect, if it is not named without a restriction too.
    pub(crate) fn restriction(&self, effect: usize) -> Option<&String> {
        let wider = self.knowledge.vocabulary.with_wider(effect);
        let mut named = wider.iter().filter_map(|effect| self.named.effects.get(&effect.id));
        let first = named.next()?.as_ref()?;
        named.all(Option::is_some).then_some(first)
    }

    /// Returns whether another line allows exactly this effect there, and this line forbids only a wider one.
    pub(crate) fn is_excepted(&self, all: &[ContractEffect], reach: &Reach) -> bool {
        let Some(exact) = self.knowledge.vocabulary.effects.get(reach.effect) else { return false };
        let allows = |other: &&ContractEffect| {
            (other.modal == Modal::May || other.modal.demands()) && other.reading == Reading::Statement
        };
        let is_named = |other: &ContractEffect| {
            self.knowledge.vocabulary.named_effects(&other.action, &other.resource).effects.contains_key(&exact.id)
        };
        let holds = |other: &ContractEffect| {
            let scope = Scope::new(other);
            scope.doubt(exact, &reach.chain).is_none() && scope.allows(&reach.chain)
        };
        !self.names_effect(exact) && all.iter().filter(allows).any(|other| is_named(other) && holds(other))
    }

    /// Returns whether the line is about packages, and whether about nothing else.
    pub(crate) fn is_about_packages(&self) -> (bool, bool) {
        let has = self.named.effects.contains_key(PACKAGE_ADD);
        (has, has && self.named.effects.len() == 1 && self.named.unknown.is_empty())
    }

    pub(crate) fn is_known(&self) -> bool {
        !self.named.effects.is_empty() && self.named.unknown.is_empty()
    }

    /// Returns whether the line can be about a database.
    pub(crate) fn is_about_database(&self) -> bool {
        let database = self.knowledge.vocabulary.effect_index("sql.execute");
        !self.is_known() || database.is_some_and(|effect| self.hit(effect).is_some())
    }

    /// Returns a description of words that name no effect, with those that were probably meant.
    pub(crate) fn unknown_words(&self) -> String {
        let ContractEffect { action, resource, .. } = self.contract;
        let whole = format!("{action} {resource}");
        let part = self.named.unknown.first().unwrap_or(&whole);
        let (action, resource) = part.split_once(' ').unwrap_or((part, ""));
        let question = self.meant(action, resource);
        format!("no table contains \"{part}\"{question}")
    }

    /// Returns the effects that were probably meant by words, as a question.
    pub(crate) fn meant(&self, action: &str, resource: &str) -> String {
        let titles = self.knowledge.vocabulary.suggestions(action, resource);
        let meant: Vec<String> = titles.iter().map(|title| format!("\"{title}\"")).collect();
        if meant.is_empty() { String::new() } else { format!(" (did you mean {}?)", meant.join(" or ")) }
    }

    /// Returns whether a name suggests the line's effect.
    pub(crate) fn is_suggested(&self, symbol: &str) -> bool {
        let by_hint = self
            .knowledge
            .vocabulary
            .effects
            .iter()
            .enumerate()
            .any(|(at, effect)| self.hit(at).is_some() && suggests(symbol, &effect.hints));
        by_hint || !self.only_reads(symbol) && !self.does_other(symbol) && has_words(symbol, &self.contract.resource)
    }

    /// Returns what the name of a use that could not be followed says about the line's effect.
    pub(crate) fn hint(&self, open: &Open) -> Hint {
        self.hint_in(open, open.chain.last().and_then(|hop| language_of(&hop.path)))
    }

    /// Returns what the name of a use in a language says about the line's effect.
    pub(crate) fn hint_in(&self, open: &Open, language: Option<Language>) -> Hint {
        if !self.named.effects.is_empty() && self.excludes(&open.symbol) {
            return Hint::None;
        }
        // Of a listed library, only the member's own name and its type's tell.
        let names: Vec<&str> = open.symbol.rsplitn(3, '.').take(2).collect();
        let own = names.iter().rev().copied().collect::<Vec<_>>().join(".");
        if open.is_unlisted && self.is_suggested(&own) && self.has_verb(&own) {
            return Hint::Strong;
        }
        if !open.is_unlisted && self.is_suggested(&open.symbol) {
            return Hint::Possible;
        }
        let Some(language) = language.filter(|_| open.module.is_none()) else { return Hint::None };
        // A name without an object is a function of the language or of a framework.
        if !open.symbol.contains('.') {
            return Hint::None;
        }
        let by_method = naming::hint(self.knowledge, language, &open.symbol, |effect| self.hit(effect).is_some());
        if open.is_unlisted && by_method != Hint::Strong { Hint::None } else { by_method }
    }

    /// Returns whether a method's name has the verb of the line's action, or names the whole effect.
    pub(crate) fn has_verb(&self, symbol: &str) -> bool {
        let name = symbol.rsplit('.').next().unwrap_or(symbol);
        let own = self.knowledge.vocabulary.action(&self.contract.action);
        let is_verb = |word: &String| self.knowledge.vocabulary.action_of(word) == Some(own.as_str());
        let by_hint = self.knowledge.vocabulary.effects.iter().enumerate();
        words_of(name).iter().any(is_verb)
            || by_hint.into_iter().any(|(at, effect)| self.hit(at).is_some() && suggests(name, &effect.hints))
    }

    /// Returns whether a name has the verb of another action than the line's, and not the line's: `uploadFile`, where the line is about deleting.
    pub(crate) fn does_other(&self, symbol: &str) -> bool {
        let own = self.knowledge.vocabulary.action(&self.contract.action);
        if !self.is_known() || !DISTINCT_ACTIONS.contains(&own.as_str()) {
            return false;
        }
        let name = symbol.rsplit('.').next().unwrap_or(symbol);
        let known = |word: &String| -> Option<bool> {
            let action = self.knowledge.vocabulary.action_of(word);
            let others = self.knowledge.vocabulary.alternatives.get(word);
            (action.is_some() || others.is_some())
                .then(|| action == Some(own.as_str()) || others.is_some_and(|others| others.contains(&own)))
        };
        let verbs: Vec<bool> = words_of(name).iter().filter_map(known).collect();
        !verbs.is_empty() && !verbs.contains(&true)
    }

    /// Returns whether a call only returns something by its name, `fileById.get(id)`, and the line is about more than that.
    pub(crate) fn only_reads(&self, symbol: &str) -> bool {
        let reads = ["access", "fetch", "get", "load", "query", "read", "use"].contains(&self.contract.action.as_str());
        let name = symbol.rsplit('.').next().unwrap_or(symbol);
        let returns = |start: &str| name.strip_prefix(start).is_some_and(|rest| !rest.starts_with(char::is_lowercase));
        self.is_known() && !reads && ["at", "get", "has", "is", "to"].into_iter().any(returns)
    }

    pub(crate) fn finding(
        &self,
        judgment: Judgment,
        confidence: f64,
        message: String,
        evidence: Vec<Place>,
        findings: &Findings<'_>,
    ) -> PolicyFinding {
        PolicyFinding {
            source: SOURCE,
            severity: "warning",
            judgment,
            confidence,
            modal: self.contract.modal.name(),
            effect: EffectName { action: self.contract.action.clone(), resource: self.contract.resource.clone() },
            statement: self.contract.text(),
            message,
            evidence,
            also: Vec::new(),
            agent_steps: findings.steps.clone(),
            contract: format!("{}:{}", self.contract.path, self.contract.line),
        }
    }
}

/// Verbs about what a program asks others for.
const OUTWARD: &[&str] = &["contact", "call", "reach", "talk", "phone", "ping", "send", "request", "fetch", "query"];

/// Actions of which a function that is named after one does not do another.
const DISTINCT_ACTIONS: &[&str] = &["delete", "read", "send", "write"];

/// Returns the words of a name in lower case and singular: `send`, `user` and `data` of `sendUsersData`.
fn words_of(name: &str) -> Vec<String> {
    let single = |word: String| word.strip_suffix('s').map(str::to_owned).unwrap_or(word);
    naming::words_of(name).into_iter().map(single).collect()
}

/// Returns whether a name contains the words of a resource, one after the other, in any case and number: `sendUserData` contains `user data`.
fn has_words(symbol: &str, resource: &str) -> bool {
    let (symbol, resource) = (words_of(symbol), words_of(resource));
    resource.iter().map(String::len).sum::<usize>() > 2
        && symbol.windows(resource.len().max(1)).any(|part| part == resource)
}
