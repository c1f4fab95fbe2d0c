//! Decides whether a name is defined or imported where a finding says that it is not.

mod built_in;

use super::absence::is_module;
use super::head::Head;
use super::subject::{is_export, lines_of, plain_name, references};
use super::wording::{Kind, Statement};
use diffsan_review::finding::{Anchor, Evidence, Verdict};
use diffsan_syntax::language::Language;
use diffsan_syntax::resolve::{Missing, Resolution};
use diffsan_syntax::symbols::{Binding, FileSymbols, Import, Kind as Defined, Receiver, Reference, Use};

/// The name of a statement, in its file.
struct Name<'a, 'h> {
    head: &'a Head<'h>,
    path: &'a str,
    language: Language,
    symbols: &'a FileSymbols,
    name: &'a str,
    kind: Kind,
}

/// Decides a statement that a name is not defined or not imported.
pub(super) fn decide(head: &Head<'_>, anchor: &Anchor, statement: &Statement) -> Option<(Verdict, Evidence)> {
    let language = Language::of(&anchor.path)?;
    let symbols = head.symbols(&anchor.path).filter(|symbols| !symbols.partial)?;
    // The path of a member needs the type of its owner.
    if statement.path.contains(['.', ':']) {
        return None;
    }
    let name = plain_name(language, &statement.path);
    let name = Name { head, path: &anchor.path, language, symbols: &symbols, name, kind: statement.kind };
    let lines = lines_of(anchor);
    let is_plain = |one: &&Reference| one.receiver == Receiver::None && one.kind != Use::Import;
    let mut here: Vec<&Reference> = references(&symbols, name.name, lines.as_ref()).filter(is_plain).collect();
    if here.is_empty() {
        here = references(&symbols, name.name, None).filter(is_plain).collect();
    }
    if here.is_empty() {
        return name.import_of_file().map(|place| (Verdict::Contradicted, place));
    }
    let against: Option<Vec<Evidence>> = here.iter().map(|one| name.definition(one)).collect();
    if let Some(place) = against.and_then(|all| all.into_iter().next()) {
        return Some((Verdict::Contradicted, place));
    }
    let nowhere = here.iter().all(|one| name.is_nowhere(one));
    let place = here.first().and_then(|one| head.evidence_at(&anchor.path, one.at))?;
    nowhere.then_some((Verdict::Verified, place))
}

impl Name<'_, '_> {
    /// Returns the only import with the name, for a file that does not use it.
    fn import_of_file(&self) -> Option<Evidence> {
        let mut all = self.symbols.imports.iter().filter(|one| self.symbols.name(one.local) == self.name);
        let import = all.next().filter(|_| all.next().is_none())?;
        self.import(import)
    }

    /// Returns the place of an import that always happens.
    fn import(&self, import: &Import) -> Option<Evidence> {
        if is_export(self.symbols, import) || self.is_conditional(import) {
            return None;
        }
        self.head.evidence_at(self.path, import.at)
    }

    /// Returns whether an import in Python is in a block, such as one for type checkers.
    fn is_conditional(&self, import: &Import) -> bool {
        if self.language != Language::Python {
            return false;
        }
        let Some(source) = self.head.source(self.path) else { return true };
        let before = source.text.get(..import.at.byte as usize).unwrap_or_default();
        let statement = before
            .rsplit('\n')
            .find(|line| ["import ", "from "].iter().any(|word| line.trim_start().starts_with(word)));
        statement.is_none_or(|line| line.starts_with(char::is_whitespace))
    }

    /// Returns the place that defines or imports the name of a reference.
    fn definition(&self, one: &Reference) -> Option<Evidence> {
        match one.binding {
            Binding::Import(at) => self.import(self.symbols.imports.get(at as usize)?),
            Binding::Definition(at) if self.kind == Kind::Undefined => {
                let definition = self.symbols.definitions.get(at as usize)?;
                let visible = definition.container.is_none() && self.is_declared(definition.kind);
                // At the top of a file, the definition may come later.
                let before = one.enclosing.is_some() || definition.at.byte < one.at.byte;
                self.head.evidence_at(self.path, definition.at).filter(|_| visible && before)
            }
            Binding::Free if self.kind == Kind::Undefined => {
                match self.head.navigator.definition(self.path, one.at.line, one.at.column) {
                    Resolution::One(place) if place.kind != "file" => self.head.evidence(&place.path, place.line),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Returns whether "undefined" cannot mean the value. In some languages it usually does for variables.
    fn is_declared(&self, kind: Defined) -> bool {
        let value = self.language.is_script() || matches!(self.language, Language::Php | Language::Ruby);
        !value || kind.is_callable() || kind.has_members()
    }

    /// Returns whether nothing can define the name of a reference.
    fn is_nowhere(&self, one: &Reference) -> bool {
        let own = ["_", "self", "cls", "this", "super"].contains(&self.name);
        let free = one.binding == Binding::Free && !own && !matches!(one.kind, Use::Write | Use::Update);
        if !free || built_in::is_built_in(self.language, self.name) || !self.is_complete(one) {
            return false;
        }
        let found = self.head.navigator.definition(self.path, one.at.line, one.at.column);
        matches!(found, Resolution::None(Missing::Undefined(_)))
    }

    /// Returns whether all names of the file are known: no import of every name, no code that makes names, no macro.
    fn is_complete(&self, one: &Reference) -> bool {
        let Some(source) = self.head.source(self.path) else { return false };
        if self
            .symbols
            .imports
            .iter()
            .any(|import| import.all && !self.symbols.name(import.module).starts_with("super"))
        {
            return false;
        }
        // A token with the name at a place that declares names: the reader does not know every such place.
        let declares = |(kind, field): (&str, Option<&str>)| {
            !kind.contains("call") && field.is_some_and(|field| ["name", "left", "pattern", "alias"].contains(&field))
        };
        let mut tokens = source.tokens.iter().filter(|token| source.text_of(token) == self.name);
        if tokens.any(|token| declares(token.parents()[0])) {
            return false;
        }
        let definitions = self.head.navigator.definitions(self.name);
        let at_top = |(file, at): &(u32, u32)| {
            let outline = self.head.navigator.outline(*file);
            outline.is_none_or(|outline| {
                let one = outline.definitions.get(*at as usize);
                one.is_none_or(|one| one.owner.is_none() && !one.local) && !is_module(outline)
            })
        };
        let token = source.token_at(one.at.byte);
        let after = source.text.get(one.at.byte as usize + self.name.len()..).unwrap_or_default().trim_start();
        let in_macro = token.is_none_or(|token| token.parents().iter().any(|(kind, _)| kind.contains("token_tree")));
        let in_markup =
            token.is_none_or(|token| token.parents().iter().take(1).any(|(kind, _)| kind.starts_with("jsx")));
        let written = self
            .symbols
            .references
            .iter()
            .any(|other| other.name == one.name && matches!(other.kind, Use::Write | Use::Update));
        match self.language {
            Language::Python => !written && !has_any(&source.text, &["globals(", "exec(", "__builtins__", "builtins."]),
            Language::JavaScript | Language::TypeScript | Language::Tsx => {
                one.kind != Use::Type
                    && is_module(self.symbols)
                    && !definitions.iter().any(at_top)
                    && !written
                    && !in_markup
            }
            // The key of a literal is the name of a field.
            Language::Go => !after.starts_with(':') && !has_any(&source.text, &["import \"C\""]),
            Language::Rust => !in_macro && definitions.is_empty() && one.kind == Use::Call,
            Language::Java => {
                let mut at = one.enclosing;
                while let Some(outer) = at.and_then(|at| self.symbols.definitions.get(at as usize)) {
                    if !outer.bases.is_empty() {
                        return false;
                    }
                    at = outer.container;
                }
                one.kind == Use::Type && !after.starts_with('.')
            }
            _ => false,
        }
    }
}

fn has_any(text: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| text.contains(part))
}
