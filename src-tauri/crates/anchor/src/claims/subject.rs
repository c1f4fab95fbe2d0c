//! Finds the thing that a claim is about: the local variable, import or definition that its name means at the finding's lines.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::head::Head;
use super::wording::{Statement, Thing};
use diffsan_review::finding::Anchor;
use diffsan_syntax::language::Language;
use diffsan_syntax::resolve::Resolution;
use diffsan_syntax::symbols::{Binding, FileSymbols, Import, Kind, Position, Receiver, Reference};

/// A thing with a name, by its index in the file's symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Local(u32),
    Import(u32),
    Definition(u32),
}

/// The thing that a claim is about.
pub(super) struct Subject {
    pub path: String,
    pub language: Language,
    pub symbols: Arc<FileSymbols>,
    pub item: Item,
    /// The name as the reader knows it.
    pub name: String,
}

/// Returns the name as the reader knows it: in PHP, variables have no `$`.
pub(super) fn plain_name(language: Language, name: &str) -> &str {
    match language {
        Language::Php => name.trim_start_matches('$'),
        _ => name,
    }
}

/// Returns the lines of an anchor, if it has some.
pub(super) fn lines_of(anchor: &Anchor) -> Option<RangeInclusive<u32>> {
    anchor.line_start.zip(anchor.line_end).map(|(start, end)| start..=end)
}

impl Subject {
    /// Finds the thing that a statement at an anchor is about. Returns `None` if there are several.
    pub fn find(head: &Head<'_>, anchor: &Anchor, statement: &Statement) -> Option<Self> {
        let language = Language::of(&anchor.path)?;
        let symbols = head.symbols(&anchor.path)?;
        let separators = ['.', ':'];
        let last = statement.path.rsplit(separators).next()?;
        if last.len() != statement.path.len() {
            return Self::member(head, anchor, statement);
        }
        let name = plain_name(language, last);
        let of = |item| Self {
            path: anchor.path.clone(),
            language,
            symbols: Arc::clone(&symbols),
            item,
            name: name.to_owned(),
        };
        let thing = if name.len() < last.len() { Thing::Variable } else { statement.thing };
        let all = candidates(&symbols, name, thing);
        if let Some(lines) = lines_of(anchor) {
            for near in [*lines.start()..=*lines.start(), lines.clone()] {
                match all.iter().filter(|(at, _)| near.contains(&at.line)).collect::<Vec<_>>().as_slice() {
                    [] => {}
                    [(_, item)] => return Some(of(*item)),
                    _ => return None,
                }
            }
            if let Some(found) = Self::at_references(head, &anchor.path, &symbols, name, &lines, thing) {
                return Some(found);
            }
        }
        match all.as_slice() {
            [(_, item)] => Some(of(*item)),
            [] => Self::only_definition(head, name, language),
            _ => None,
        }
    }

    /// Returns the thing that the references on the lines refer to, if all of them refer to the same.
    fn at_references(
        head: &Head<'_>,
        path: &str,
        symbols: &Arc<FileSymbols>,
        name: &str,
        lines: &RangeInclusive<u32>,
        thing: Thing,
    ) -> Option<Self> {
        let mut found = references(symbols, name, Some(lines)).map(|one| match (one.receiver, one.binding) {
            (Receiver::None, Binding::Local(at)) => Some((path.to_owned(), Item::Local(at))),
            (Receiver::None, Binding::Import(at)) => Some((path.to_owned(), Item::Import(at))),
            _ => match head.navigator.definition(path, one.at.line, one.at.column) {
                Resolution::One(place) => {
                    let at = head.symbols(&place.path)?.definition_at(place.line, place.column)?;
                    Some((place.path, Item::Definition(at)))
                }
                _ => None,
            },
        });
        let (first_path, item) = found.next()??;
        if !found.all(|other| other.as_ref() == Some(&(first_path.clone(), item))) {
            return None;
        }
        let symbols = head.symbols(&first_path)?;
        let found = Self { language: symbols.language?, symbols, item, name: name.to_owned(), path: first_path };
        candidates(&found.symbols, name, thing).iter().any(|(_, one)| *one == item).then_some(found)
    }

    /// Returns the definition that a path such as `Queue::push` names, if there is exactly one.
    fn member(head: &Head<'_>, anchor: &Anchor, statement: &Statement) -> Option<Self> {
        let Resolution::One(place) = head.navigator.named(&statement.path) else { return None };
        let symbols = head.symbols(&place.path)?;
        let language = symbols.language?;
        let at = symbols.definition_at(place.line, place.column)?;
        let name = symbols.name(symbols.definitions.get(at as usize)?.name).to_owned();
        let near = Language::of(&anchor.path)?.speaks_with(language);
        near.then_some(Self { path: place.path, language, symbols, item: Item::Definition(at), name })
    }

    /// Returns the definition with a name that the head has only once.
    fn only_definition(head: &Head<'_>, name: &str, language: Language) -> Option<Self> {
        let all = head.navigator.definitions(name);
        let [(file, at)] = &*all else { return None };
        let path = head.navigator.path(*file)?.to_owned();
        let symbols = head.symbols(&path)?;
        let own = symbols.language.filter(|own| own.speaks_with(language))?;
        Some(Self { path, language: own, symbols, item: Item::Definition(*at), name: name.to_owned() })
    }
}

/// Returns the references to a name in a file, on some lines or all.
pub(super) fn references<'s>(
    symbols: &'s FileSymbols,
    name: &'s str,
    lines: Option<&'s RangeInclusive<u32>>,
) -> impl Iterator<Item = &'s Reference> {
    symbols
        .references
        .iter()
        .filter(move |one| symbols.name(one.name) == name && lines.is_none_or(|lines| lines.contains(&one.at.line)))
}

/// Returns the things with a name in a file, each place once.
fn candidates(symbols: &FileSymbols, name: &str, thing: Thing) -> Vec<(Position, Item)> {
    let named = |id| symbols.name(id) == name;
    let mut found = Vec::new();
    if matches!(thing, Thing::Any | Thing::Variable) {
        let locals = symbols.locals.iter().zip(0..).filter(|(one, _)| named(one.name));
        found.extend(locals.map(|(one, at)| (one.at, Item::Local(at))));
    }
    if matches!(thing, Thing::Any | Thing::Import) {
        let imports = symbols.imports.iter().zip(0..).filter(|(one, _)| named(one.local) && !is_export(symbols, one));
        found.extend(imports.map(|(one, at)| (one.at, Item::Import(at))));
    }
    let fits = |kind: Kind| match thing {
        Thing::Any => kind != Kind::Extension,
        Thing::Import => false,
        Thing::Variable => matches!(kind, Kind::Variable | Kind::Constant | Kind::Field),
        Thing::Function => matches!(kind, Kind::Function | Kind::Method | Kind::Constructor | Kind::Macro),
        Thing::Type => matches!(kind, Kind::Class | Kind::Interface | Kind::Type),
        Thing::Field => matches!(kind, Kind::Field | Kind::Variable | Kind::Constant),
    };
    let definitions = symbols.definitions.iter().zip(0..).filter(|(one, _)| named(one.name) && fits(one.kind));
    // A parameter that declares a field is the field.
    for (one, at) in definitions {
        found.retain(|(known, _)| *known != one.at);
        found.push((one.at, Item::Definition(at)));
    }
    found
}

/// Returns whether an import is an export of the file's own name, such as `export default name`.
pub(super) fn is_export(symbols: &FileSymbols, import: &Import) -> bool {
    import.exported && symbols.name(import.module).is_empty() && symbols.language.is_some_and(Language::is_script)
}
