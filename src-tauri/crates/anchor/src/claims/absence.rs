//! Decides whether the absence of references proves that a thing is not used: the reader has understood every place at which it could be
//! named, and nothing outside of the code can reach it.

mod dynamic;
mod reach;

pub(super) use reach::is_module;

use super::head::{Head, Source, has_word};
use super::subject::Subject;
use super::wording::Scope;
use diffsan_syntax::language::Language;
use diffsan_syntax::resolve::{Missing, Resolution};
use diffsan_syntax::symbols::{Definition, FileSymbols, Import, Kind, Local, Receiver, Use};
use diffsan_syntax::tokens::{Token, TokenClass};

/// The languages in which a name that is not read in the tree is not used. In the others, macros, generated code and conventions matter more.
pub(super) fn is_understood(language: Language) -> bool {
    !matches!(language, Language::C | Language::Cpp | Language::CSharp | Language::Kotlin | Language::Swift)
}

/// Returns whether a local variable can only be used by references: no text is run as code, and no string names it.
pub(super) fn local_is_only_in_code(head: &Head<'_>, subject: &Subject, local: &Local) -> bool {
    let symbols = &subject.symbols;
    let Some(source) = head.source(&subject.path).filter(|_| is_understood(subject.language)) else { return false };
    // A name that begins with `_` says that its value is not read, or lives as long as its scope.
    let silent = subject.name.starts_with('_');
    let outer = symbols.enclosing(local.at.byte).and_then(|at| symbols.definitions.get(at as usize));
    let is_signature = outer.is_some_and(|outer| {
        let declared = outer.kind.is_callable() && !outer.kind.has_members() && !outer.complete;
        declared || matches!(outer.kind, Kind::Interface | Kind::Type | Kind::Field)
    });
    let in_type = source.token_at(local.at.byte).is_none_or(|token| {
        token
            .parents()
            .iter()
            .any(|(kind, _)| ["function_type", "construct_signature", "call_signature", "type"].contains(kind))
    });
    let without_body = is_signature
        || in_type
        || subject.path.ends_with(".d.ts")
        || outer.is_some_and(|outer| is_stub(&source, outer));
    let rest = is_beside_rest(&source, local);
    // A block of Ruby sees the variables around it, so that an assignment in it can be one to another variable.
    let shared = subject.language == Language::Ruby
        && symbols.locals.iter().any(|one| {
            let overlaps = one.at.byte < local.to && local.at.byte < one.to;
            one.name == local.name && one.at != local.at && overlaps
        });
    let ignored = |text: &str| has_mark(text, &["noqa", "nolint", "eslint-disable", "unused"]);
    let line = line_of(&source, local.at.byte);
    !silent
        && !without_body
        && !rest
        && !shared
        && !ignored(line)
        && !dynamic::runs_text(subject.language, &source.text)
        && !is_broken(&source)
}

/// Returns whether a function of Python only declares its parameters.
fn is_stub(source: &Source, outer: &Definition) -> bool {
    let body = source.text.get(outer.body as usize..outer.end as usize).unwrap_or_default();
    let declares = |line: &str| ["...", "pass"].contains(&line) || line.contains("NotImplementedError");
    source.text.get(outer.start as usize..outer.body as usize).is_some_and(|head| head.contains("def "))
        && body.lines().map(str::trim).any(declares)
}

/// Returns whether a name in a pattern only takes its value out of the rest, as in `{ name, ...rest }`, or takes the rest.
fn is_beside_rest(source: &Source, local: &Local) -> bool {
    let at = local.at.byte as usize;
    let before = source.text.get(..at).unwrap_or_default().trim_end();
    let after = source.text.get(at..).unwrap_or_default();
    let pattern = after.split(['}', ')', ';', '=']).next().unwrap_or_default();
    source.token_at(local.at.byte).is_none_or(|token| {
        let in_pattern = token.parents().iter().any(|(kind, _)| kind.contains("object_pattern"));
        in_pattern && pattern.contains("...") || before.ends_with("...")
    })
}

fn is_broken(source: &Source) -> bool {
    source.tokens.iter().any(|token| token.broken)
}

fn line_of(source: &Source, byte: u32) -> &str {
    let at = byte as usize;
    let start = source.text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    source.text.get(start..).and_then(|text| text.lines().next()).unwrap_or_default()
}

fn has_mark(line: &str, marks: &[&str]) -> bool {
    let comment = ["#", "//", "/*"].iter().filter_map(|start| line.find(start)).min();
    comment.is_some_and(|at| marks.iter().any(|mark| line[at..].contains(mark)))
}

/// Returns whether an import can only be used by references of its file.
pub(super) fn import_is_only_in_code(head: &Head<'_>, subject: &Subject, import: &Import) -> bool {
    let Subject { symbols, name, language, path, .. } = subject;
    let is_read = matches!(
        language,
        Language::Python
            | Language::JavaScript
            | Language::TypeScript
            | Language::Tsx
            | Language::Go
            | Language::Rust
            | Language::Java
            | Language::Php
    );
    let once = symbols.imports.iter().filter(|one| symbols.name(one.local) == name.as_str()).count() == 1;
    let Some(source) = head.source(path).filter(|_| is_read && once && !import.exported && !import.all) else {
        return false;
    };
    let free = symbols.references.iter().any(|one| {
        let own = one.receiver == Receiver::None && one.binding == diffsan_syntax::symbols::Binding::Free;
        own && one.kind != Use::Import && same_name(*language, symbols.name(one.name), name)
    });
    let marked = has_mark(line_of(&source, import.at.byte), &["noqa", "eslint-disable", "nolint", "noinspection"]);
    !free
        && !marked
        && !is_broken(&source)
        && !is_named_in_text(&source, name, *language, true)
        && !dynamic::runs_text(*language, &source.text)
        && is_visible_name(head, subject, import)
        && !is_used_through_file(head, subject)
}

fn same_name(language: Language, one: &str, other: &str) -> bool {
    one == other || language == Language::Php && one.eq_ignore_ascii_case(other)
}

/// Returns whether the import is used by its name, and the name is known.
fn is_visible_name(head: &Head<'_>, subject: &Subject, import: &Import) -> bool {
    let Subject { symbols, name, .. } = subject;
    let module = symbols.name(import.module);
    match subject.language {
        // A trait is used without its name.
        Language::Rust => {
            const WITHOUT_TRAITS: &[&str] =
                &["collections", "fs", "path", "rc", "sync", "cell", "time", "env", "thread", "mem", "ptr"];
            let mut parts = module.split("::");
            let standard = parts.next().is_some_and(|first| matches!(first, "std" | "core" | "alloc"));
            if standard {
                return parts.next().is_some_and(|part| WITHOUT_TRAITS.contains(&part));
            }
            let at = import.at;
            let Resolution::One(place) = head.navigator.definition(&subject.path, at.line, at.column) else {
                return false;
            };
            matches!(place.kind.as_str(), "function" | "class" | "constant")
        }
        // The name of a package of others may differ from the end of its path.
        Language::Go => {
            let first = module.split('/').next().unwrap_or_default();
            let line = head.evidence_at(&subject.path, import.at).map(|place| place.text).unwrap_or_default();
            let is_named = line.get(import.at.column as usize..).is_some_and(|rest| !rest.starts_with(['"', '`']));
            is_named || !first.contains('.')
        }
        Language::Python => module != "__future__" && !subject.path.ends_with("__init__.py"),
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            !["React", "h", "Fragment", "jsx", "preact", "Vue"].contains(&name.as_str())
        }
        _ => true,
    }
}

/// Returns whether other files can use the import through this file.
fn is_used_through_file(head: &Head<'_>, subject: &Subject) -> bool {
    if !matches!(subject.language, Language::Python | Language::Rust) {
        return false;
    }
    let stem = subject.path.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or_default();
    let mentions = head.navigator.mentions(&subject.name);
    let others = mentions.iter().filter_map(|file| head.navigator.path(*file));
    others.filter(|path| *path != subject.path).any(|path| {
        let Some(symbols) = head.symbols(path) else { return true };
        let name = subject.name.as_str();
        let imported = symbols.imports.iter().any(|one| {
            let here = symbols.name(one.module).rsplit(['.', ':']).next() == Some(stem);
            here && (one.all || one.name.is_some_and(|id| symbols.name(id) == name))
        });
        let is_free = |binding| binding == diffsan_syntax::symbols::Binding::Free;
        let wild = symbols.imports.iter().any(|one| one.all);
        imported
            || symbols.references.iter().filter(|one| symbols.name(one.name) == name).any(|one| match one.receiver {
                Receiver::Chain(chain) => symbols.name(chain).rsplit('.').next() == Some(stem),
                Receiver::None => wild && is_free(one.binding),
                Receiver::Other => false,
            })
    })
}

/// Returns whether a string of a file names something: its text contains the name as a word. `comments` also counts annotations in comments.
fn is_named_in_text(source: &Source, name: &str, language: Language, comments: bool) -> bool {
    let insensitive = language == Language::Php;
    let wanted = if insensitive { name.to_lowercase() } else { name.to_owned() };
    source.tokens.iter().any(|token| {
        let counts = match token.class {
            TokenClass::Text => !is_documentation(token),
            TokenClass::Comment => comments && is_annotation(source.text_of(token)),
            TokenClass::Code => false,
        };
        let text = source.text_of(token);
        counts && if insensitive { has_word(&text.to_lowercase(), &wanted) } else { has_word(text, &wanted) }
    })
}

/// Returns whether a string is a statement of its own, which is documentation.
fn is_documentation(token: &Token) -> bool {
    token.parents().iter().take(2).any(|(kind, _)| *kind == "expression_statement")
}

/// Returns whether a comment contains types or names that tools read.
fn is_annotation(comment: &str) -> bool {
    comment.contains('@') || comment.contains("type:") || comment.contains("{{")
}

/// Returns whether a definition can only be used by references that the navigator knows, and there are none in the scope.
pub(super) fn definition_is_only_in_code(
    head: &Head<'_>,
    subject: &Subject,
    definition: &Definition,
    scope: Scope,
) -> bool {
    let Subject { symbols, language, path, .. } = subject;
    let is_decidable = match definition.kind {
        Kind::Module | Kind::Extension | Kind::Constructor => false,
        Kind::Interface => !language.is_script(),
        _ => true,
    };
    if !is_decidable {
        return false;
    }
    if !is_understood(*language) || symbols.partial || !definition.complete && definition.kind != Kind::Field {
        return false;
    }
    let Some(reach) = reach::reach(head, subject, definition) else { return false };
    let only_own_file = scope == Scope::File || reach == reach::Reach::File;
    if only_own_file {
        return file_is_clear(head, path, subject, definition);
    }
    let Some(files) = head.files_with(&subject.name) else { return false };
    files.iter().all(|file| match Language::of(file) {
        None => is_prose(file),
        Some(other) if !other.speaks_with(*language) => true,
        Some(_) if !reach::includes(reach, path, file) => true,
        Some(_) => file_is_clear(head, file, subject, definition),
    }) && dynamic_files_are_clear(head, subject, definition)
}

/// Returns whether a file contains prose for people, in which a name is no use of it.
fn is_prose(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let end = name.rsplit_once('.').map_or("", |(_, end)| end);
    ["md", "markdown", "txt", "rst", "adoc"].contains(&end)
        || ["LICENSE", "README", "CHANGELOG", "AUTHORS"].contains(&name)
}

/// Returns whether every place with the name in a file is a definition, a comment, or a reference to something else.
fn file_is_clear(head: &Head<'_>, path: &str, subject: &Subject, definition: &Definition) -> bool {
    let (Some(symbols), Some(source)) = (head.symbols(path), head.source(path)) else { return false };
    let name = subject.name.as_str();
    if symbols.partial || is_named_in_text(&source, name, subject.language, false) {
        return false;
    }
    let member = definition.owner.is_some();
    if dynamic::reaches(subject.language, &source.text, name, member) {
        return false;
    }
    symbols.references.iter().filter(|one| same_name(subject.language, symbols.name(one.name), name)).all(|one| {
        let own = path == subject.path && (definition.start..definition.end).contains(&one.at.byte);
        own || one.kind == Use::Import || is_other(head, path, &symbols, subject, definition, one)
    })
}

/// Returns whether a reference with the name means something else.
fn is_other(
    head: &Head<'_>,
    path: &str,
    symbols: &FileSymbols,
    subject: &Subject,
    definition: &Definition,
    one: &diffsan_syntax::symbols::Reference,
) -> bool {
    let is_own = |place: &diffsan_syntax::resolve::Place| {
        place.path == subject.path && place.line == definition.at.line && place.column == definition.at.column
    };
    match head.navigator.definition(path, one.at.line, one.at.column) {
        Resolution::One(place) => !is_own(&place),
        Resolution::Several(places) => !places.iter().any(is_own) && definition.owner.is_none(),
        Resolution::None(Missing::External(_)) => true,
        Resolution::None(_) => {
            let member = one.receiver != Receiver::None;
            let separate = symbols.language.is_some_and(|language| language.is_script() || language == Language::Go);
            member && separate && definition.owner.is_none()
        }
    }
}

/// Returns whether no file of the language looks up names that fit.
fn dynamic_files_are_clear(head: &Head<'_>, subject: &Subject, definition: &Definition) -> bool {
    const MAX_FILES: usize = 1_000;
    if !dynamic::is_possible(subject.language) {
        return true;
    }
    let index = head.navigator.index();
    let files: Vec<&str> = index.files().map(|(path, _)| path).collect();
    let fits = |path: &&str| Language::of(path).is_some_and(|other| other.speaks_with(subject.language));
    let member = definition.owner.is_some();
    files.len() <= MAX_FILES
        && files.into_iter().filter(fits).all(|path| {
            head.source(path)
                .is_some_and(|source| !dynamic::reaches(subject.language, &source.text, &subject.name, member))
        })
}
