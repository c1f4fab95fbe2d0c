//! Decides whether a thing is used: by a reference that can mean nothing else, or by the absence of all references.

use super::absence;
use super::context::{Context, context};
use super::head::{Head, has_word};
use super::subject::{Item, Subject};
use super::wording::{Kind, Scope, Statement};
use diffsan_review::finding::Evidence;
use diffsan_syntax::language::{Language, is_test};
use diffsan_syntax::symbols::{Binding, Definition, Kind as Defined, Reference, Use};
use diffsan_syntax::tokens::TokenClass;

/// A fact about a thing, with the place that shows it.
pub(super) enum Fact {
    Used(Evidence),
    Unused(Evidence),
    Unknown,
}

impl Fact {
    fn used(place: Option<Evidence>) -> Self {
        place.map_or(Self::Unknown, Self::Used)
    }

    fn unused(place: Option<Evidence>) -> Self {
        place.map_or(Self::Unknown, Self::Unused)
    }
}

/// Decides whether the subject of a statement is used in the way and the files that the statement is about.
pub(super) fn usage(head: &Head<'_>, subject: &Subject, statement: &Statement) -> Fact {
    if statement.scope == Scope::Tests && !matches!(subject.item, Item::Definition(_)) {
        return Fact::Unknown;
    }
    match subject.item {
        Item::Local(at) => of_local(head, subject, at, statement.kind),
        Item::Import(at) => of_import(head, subject, at, statement.kind),
        Item::Definition(at) => match subject.symbols.definitions.get(at as usize) {
            Some(definition) => Uses::of(head, subject, definition, statement).fact(),
            None => Fact::Unknown,
        },
    }
}

fn is_read(reference: &Reference) -> bool {
    !matches!(reference.kind, Use::Write | Use::Update | Use::Import)
}

fn of_local(head: &Head<'_>, subject: &Subject, at: u32, kind: Kind) -> Fact {
    let symbols = &subject.symbols;
    let Some(local) = symbols.locals.get(at as usize).filter(|_| !symbols.partial) else { return Fact::Unknown };
    let all: Vec<&Reference> = symbols.references.iter().filter(|one| one.binding == Binding::Local(at)).collect();
    let is_call = |one: &&&Reference| kind != Kind::NeverCalled || one.kind == Use::Call;
    // The value of this place may be overwritten before it is read.
    let overwritten = all.iter().filter(|one| one.kind == Use::Write).map(|one| one.at.byte).min().unwrap_or(u32::MAX);
    let read =
        all.iter().filter(is_call).find(|one| is_read(one) && (local.at.byte..overwritten).contains(&one.at.byte));
    if let Some(read) = read {
        return Fact::used(head.evidence_at(&subject.path, read.at));
    }
    if let Some(place) = formatted(head, subject, at) {
        return place.map_or(Fact::Unknown, Fact::Used);
    }
    // A use by `count += 1` alone is none for some people, and one for others.
    if !all.iter().all(|one| one.kind == Use::Write) || kind == Kind::NeverCalled {
        return Fact::Unknown;
    }
    match absence::local_is_only_in_code(head, subject, local) {
        true => Fact::unused(head.evidence_at(&subject.path, local.at)),
        false => Fact::Unknown,
    }
}

/// Returns the place of a format string of Rust that names a local variable: `println!("{total}")`. `Some(None)` if it may mean another one.
fn formatted(head: &Head<'_>, subject: &Subject, at: u32) -> Option<Option<Evidence>> {
    if subject.language != Language::Rust {
        return None;
    }
    let local = subject.symbols.locals.get(at as usize)?;
    let source = head.source(&subject.path)?;
    let inside = local.at.byte as usize..local.to as usize;
    let named = |text: &str| {
        text.match_indices(&subject.name).any(|(at, _)| {
            let after = text[at + subject.name.len()..].trim_start();
            text[..at].ends_with('{') && after.starts_with(['}', ':']) || after.starts_with('$')
        })
    };
    let mut token =
        source.tokens.iter().filter(|token| token.class == TokenClass::Text && inside.contains(&token.range.start));
    let token = token.find(|token| named(source.text_of(token)))?;
    let byte = u32::try_from(token.range.start).ok()?;
    let visible = subject
        .symbols
        .locals
        .iter()
        .filter(|one| one.name == local.name && one.from <= byte && byte < one.to && one.from >= local.from);
    let line = u32::try_from(source.text[..token.range.start].lines().count()).ok()?;
    let certain = visible.count() == 1 && !subject.symbols.partial;
    Some(certain.then(|| head.evidence(&subject.path, line)).flatten())
}

fn of_import(head: &Head<'_>, subject: &Subject, at: u32, kind: Kind) -> Fact {
    let symbols = &subject.symbols;
    let Some(import) = symbols.imports.get(at as usize).filter(|_| !symbols.partial) else { return Fact::Unknown };
    let mut all = symbols.references.iter().filter(|one| one.binding == Binding::Import(at) && one.kind != Use::Import);
    let read = all.find(|one| {
        let called = matches!(one.kind, Use::Call | Use::Macro);
        (kind != Kind::NeverCalled || called)
            && context(head, &subject.path, one.at.byte).is_some_and(|found| found != Context::Exported)
    });
    if let Some(read) = read {
        return Fact::used(head.evidence_at(&subject.path, read.at));
    }
    let mut named =
        symbols.references.iter().filter(|one| symbols.name(one.name) == subject.name && one.kind != Use::Import);
    let elsewhere = named.any(|one| matches!(one.binding, Binding::Import(_)));
    if kind == Kind::NeverCalled || elsewhere || !absence::import_is_only_in_code(head, subject, import) {
        return Fact::Unknown;
    }
    Fact::unused(head.evidence_at(&subject.path, import.at))
}

/// The uses of a definition.
struct Uses<'a, 'h> {
    head: &'a Head<'h>,
    subject: &'a Subject,
    definition: &'a Definition,
    statement: &'a Statement,
    /// The places of certain uses of the right kind outside of tests, and those in tests.
    certain: Vec<Evidence>,
    in_tests: Vec<Evidence>,
    /// References that may be uses.
    possible: bool,
}

impl<'a, 'h> Uses<'a, 'h> {
    fn of(head: &'a Head<'h>, subject: &'a Subject, definition: &'a Definition, statement: &'a Statement) -> Self {
        let mut uses =
            Self { head, subject, definition, statement, certain: Vec::new(), in_tests: Vec::new(), possible: false };
        let at = definition.at;
        let Ok(found) = head.navigator.references(&subject.path, at.line, at.column) else {
            uses.possible = true;
            return uses;
        };
        uses.possible |= found.stopped || !found.candidates.is_empty();
        for usage in &found.usages {
            let Some(user) = head.symbols(&usage.path) else {
                uses.possible = true;
                continue;
            };
            match user.reference_at(usage.line, usage.column) {
                Some(one) => uses.add(&usage.path, one, usage.certain && !user.partial),
                None => uses.possible = true,
            }
        }
        uses
    }

    fn add(&mut self, path: &str, one: &Reference, certain: bool) {
        let own = path == self.subject.path && (self.definition.start..self.definition.end).contains(&one.at.byte);
        if own || self.statement.scope == Scope::File && path != self.subject.path {
            return;
        }
        let imported = one.kind == Use::Import;
        if imported && self.statement.kind == Kind::NeverCalled {
            return;
        }
        let context = context(self.head, path, one.at.byte).filter(|_| certain && !imported);
        if !context.is_some_and(|context| self.is_use(path, one, context)) || self.is_by_dead_code(path, one) {
            self.possible = true;
            return;
        }
        let Some(place) = self.head.evidence_at(path, one.at) else { return };
        let list = if is_in_test(self.head, path, one) { &mut self.in_tests } else { &mut self.certain };
        list.push(place);
    }

    fn is_use(&self, path: &str, one: &Reference, context: Context) -> bool {
        if self.definition.kind == Defined::Variant && is_pattern(self.head, path, one) {
            return false;
        }
        match self.statement.kind {
            Kind::NeverCalled => {
                let called = matches!(one.kind, Use::Call | Use::Macro) || context == Context::Called;
                called || context == Context::Argument && self.definition.kind.is_callable()
            }
            _ => !matches!(context, Context::Exported | Context::Written) && is_read(one),
        }
    }

    /// Returns whether a use is in a function that nothing refers to.
    fn is_by_dead_code(&self, path: &str, one: &Reference) -> bool {
        if self.statement.kind != Kind::Dead {
            return false;
        }
        let Some(symbols) = self.head.symbols(path) else { return true };
        let outer = one.enclosing.and_then(|at| symbols.definitions.get(at as usize));
        let Some(outer) = outer.filter(|outer| !outer.exported && outer.kind.is_callable()) else { return false };
        let name = symbols.name(outer.name);
        let used = self.head.navigator.references(path, outer.at.line, outer.at.column);
        !is_test(path) && name != "main" && used.is_ok_and(|found| found.usages.is_empty())
    }

    fn fact(mut self) -> Fact {
        let is_about_tests = self.statement.scope == Scope::Tests;
        let mut from_tests = is_about_tests || self.statement.kind != Kind::Dead || is_test(&self.subject.path);
        if is_about_tests {
            self.possible |= !self.certain.is_empty();
            self.certain.clear();
        }
        from_tests &= self.certain.is_empty();
        if from_tests {
            self.certain.append(&mut self.in_tests);
        }
        if !self.certain.is_empty() {
            return Fact::Used(self.certain.swap_remove(0));
        }
        let none = !self.possible && self.in_tests.is_empty();
        match none
            && absence::definition_is_only_in_code(self.head, self.subject, self.definition, self.statement.scope)
        {
            true => Fact::unused(self.head.evidence_at(&self.subject.path, self.definition.at)),
            false => Fact::Unknown,
        }
    }
}

/// Returns whether a reference is in a test: a file of tests, or a module of tests in Rust.
fn is_in_test(head: &Head<'_>, path: &str, one: &Reference) -> bool {
    let Some(symbols) = head.symbols(path) else { return false };
    let mut at = one.enclosing;
    while let Some(outer) = at.and_then(|at| symbols.definitions.get(at as usize)) {
        if outer.kind == Defined::Module && has_word(symbols.name(outer.name), "tests") {
            return true;
        }
        at = outer.container;
    }
    is_test(path)
}

/// Returns whether a reference is a pattern of a match, which makes no value.
fn is_pattern(head: &Head<'_>, path: &str, one: &Reference) -> bool {
    head.source(path).and_then(|source| {
        let line = source.text.get(one.at.byte as usize..)?.lines().next()?;
        Some(
            line.contains("=>")
                || source.token_at(one.at.byte)?.parents().iter().any(|(kind, _)| kind.contains("pattern")),
        )
    }) != Some(false)
}
