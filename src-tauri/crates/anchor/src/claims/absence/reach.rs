//! Decides which code can name a definition.

use super::super::head::Head;
use super::super::subject::Subject;
use diffsan_syntax::language::{Language, is_test};
use diffsan_syntax::symbols::{Definition, FileSymbols, Kind, Use};

/// The files whose code can name a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    File,
    Folder,
    Tree,
}

/// Returns whether a file is within the reach of a definition in another file.
pub(super) fn includes(reach: Reach, own: &str, file: &str) -> bool {
    let folder = |path: &str| path.rfind('/').map_or(0, |at| at + 1);
    match reach {
        Reach::File => own == file,
        Reach::Folder => own[..folder(own)] == file[..folder(file)],
        Reach::Tree => true,
    }
}

/// Returns the reach of a definition, or `None` if code outside of the tree or a framework can use it.
pub(super) fn reach(head: &Head<'_>, subject: &Subject, definition: &Definition) -> Option<Reach> {
    let Subject { symbols, name, language, path, .. } = subject;
    let source = head.source(path)?;
    let text = &source.text;
    if is_convention(*language, name) || is_test(path) && name.to_lowercase().starts_with("test") {
        return None;
    }
    if is_marked(*language, text, definition) || is_of_contract(head, subject, definition) {
        return None;
    }
    // A member that is assigned to another object, and one of an object without a type, can be used through the object.
    let assigned =
        text.get(..definition.at.byte as usize).is_some_and(|before| before.trim_end().ends_with(['.', '>']));
    let is_member = matches!(definition.kind, Kind::Method | Kind::Constructor | Kind::Field | Kind::Variant);
    if assigned && definition.owner.is_none() || is_member && definition.owner.is_none() {
        return None;
    }
    if definition.local && definition.owner.is_none() {
        return Some(Reach::File);
    }
    let start = text.get(definition.start as usize..definition.at.byte as usize)?;
    let head_has = |word: &str| start.split(|char: char| !char.is_alphanumeric()).any(|part| part == word);
    let private_field = matches!(language, Language::Java | Language::Php) || language.is_script();
    if matches!(definition.kind, Kind::Field | Kind::Variant)
        && !(private_field && (name.starts_with('#') || head_has("private")))
    {
        return None;
    }
    match language {
        Language::Python => (name.starts_with('_') && definition.bases.is_empty()).then_some(Reach::Tree),
        Language::Go => (!definition.exported).then_some(Reach::Folder),
        Language::Rust if !definition.exported => Some(Reach::Tree),
        Language::Rust => (start.contains("pub(") || is_program(head, path)).then_some(Reach::Tree),
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            let private = name.starts_with('#') || head_has("private");
            let inside = definition.owner.is_none() && !is_exported(symbols, definition, name) && is_module(symbols);
            (private || inside).then_some(Reach::File)
        }
        Language::Java if head_has("private") => Some(Reach::File),
        Language::Java => {
            let container = definition.container.and_then(|at| symbols.definitions.get(at as usize));
            let in_class = container.is_some_and(|outer| outer.kind == Kind::Class);
            (!definition.exported && in_class).then_some(Reach::Folder)
        }
        Language::Php => head_has("private").then_some(Reach::File),
        Language::Ruby => is_private_in_ruby(text, symbols, definition).then_some(Reach::Tree),
        _ => None,
    }
}

/// Returns whether a script is a module, so that its names are not those of other scripts.
pub(crate) fn is_module(symbols: &FileSymbols) -> bool {
    !symbols.imports.is_empty() || symbols.definitions.iter().any(|one| one.exported)
}

fn is_exported(symbols: &FileSymbols, definition: &Definition, name: &str) -> bool {
    let listed = symbols.imports.iter().any(|one| one.exported && one.name.is_some_and(|id| symbols.name(id) == name));
    definition.exported || listed
}

/// Returns whether a Rust file belongs to a program only: its crate has a main file and no library.
fn is_program(head: &Head<'_>, path: &str) -> bool {
    let index = head.navigator.index();
    let root = path.match_indices('/').map(|(at, _)| &path[..=at]).rfind(|root| root.ends_with("src/"));
    root.is_some_and(|root| {
        index.file(&format!("{root}main.rs")).is_some() && index.file(&format!("{root}lib.rs")).is_none()
    })
}

/// Returns whether a language or its tools call functions with this name.
fn is_convention(language: Language, name: &str) -> bool {
    const RUBY: &[&str] = &[
        "initialize",
        "to_s",
        "to_str",
        "to_h",
        "to_a",
        "to_proc",
        "inspect",
        "each",
        "call",
        "hash",
        "coerce",
        "included",
        "inherited",
        "extended",
        "prepended",
        "method_added",
        "respond_to_missing?",
        "method_missing",
        "marshal_dump",
        "marshal_load",
        "initialize_copy",
    ];
    match language {
        Language::Python | Language::Php => name.starts_with("__"),
        Language::Go => {
            ["main", "init"].contains(&name)
                || ["Test", "Benchmark", "Example", "Fuzz"].iter().any(|start| name.starts_with(start))
        }
        Language::Rust => name == "main",
        Language::Java => {
            ["main", "readObject", "writeObject", "readResolve", "writeReplace", "serialVersionUID"].contains(&name)
        }
        Language::Ruby => RUBY.contains(&name) || !name.starts_with(|char: char| char.is_alphabetic() || char == '_'),
        _ => ["constructor", "toString", "valueOf", "toJSON", "then", "main"].contains(&name),
    }
}

/// Returns whether an attribute, decorator or annotation before a definition can make others use it.
fn is_marked(language: Language, text: &str, definition: &Definition) -> bool {
    const HARMLESS: &[&str] = &["allow", "expect", "inline", "must_use", "cold", "doc", "deprecated"];
    let start = text.get(definition.start as usize..definition.at.byte as usize).unwrap_or_default();
    let before = text.get(..definition.start as usize).unwrap_or_default();
    let mut above = before
        .rsplit('\n')
        .skip(1)
        .map(str::trim)
        .take_while(|line| ["#[", "@", "//", "*", "/*", "///"].iter().any(|mark| line.starts_with(mark)));
    let marks = |line: &str| match language {
        Language::Rust => line.strip_prefix("#[").is_some_and(|rest| {
            let name = rest.split(|char: char| !char.is_alphanumeric() && char != '_').next().unwrap_or_default();
            !HARMLESS.contains(&name)
        }),
        Language::Php => line.starts_with("#["),
        Language::Go => line.starts_with("//go:") || line.starts_with("//export"),
        _ => line.starts_with('@'),
    };
    let inside = match language {
        Language::Go => false,
        Language::Rust | Language::Php => start.contains("#["),
        _ => start.contains('@'),
    };
    let exported = language == Language::Rust && start.contains("extern ");
    inside || exported || above.any(marks)
}

/// Returns whether a member belongs to a contract with other types: a trait, an interface, or a base that can call it.
fn is_of_contract(head: &Head<'_>, subject: &Subject, definition: &Definition) -> bool {
    let Subject { symbols, name, language, .. } = subject;
    let Some(container) = definition.container.and_then(|at| symbols.definitions.get(at as usize)) else {
        // A method of Go satisfies every interface that has its name.
        return *language == Language::Go && definition.owner.is_some() && is_in_interface(head, name);
    };
    let private = name.starts_with('#')
        || matches!(language, Language::Java | Language::Php | Language::TypeScript | Language::Tsx);
    match container.kind {
        Kind::Interface => true,
        Kind::Class | Kind::Extension => !private && !container.bases.is_empty(),
        Kind::Module => *language == Language::Ruby,
        _ => false,
    }
}

fn is_in_interface(head: &Head<'_>, name: &str) -> bool {
    let navigator = head.navigator;
    navigator.definitions(name).iter().any(|(file, at)| {
        let Some(outline) = navigator.outline(*file) else { return true };
        let container =
            outline.definitions.get(*at as usize).and_then(|one| outline.definitions.get(one.container? as usize));
        container.is_some_and(|outer| outer.kind == Kind::Interface)
    })
}

/// Returns whether a method of Ruby is private: by the keyword above it in its class, or before it.
fn is_private_in_ruby(text: &str, symbols: &FileSymbols, definition: &Definition) -> bool {
    let Some(container) = definition.container.and_then(|at| symbols.definitions.get(at as usize)) else {
        return false;
    };
    let body = text.get(container.start as usize..definition.start as usize).unwrap_or_default();
    let mixed = symbols.references.iter().any(|one| {
        let here = (container.start..container.end).contains(&one.at.byte);
        here && one.kind == Use::Call && ["include", "extend", "prepend"].contains(&symbols.name(one.name))
    });
    let last = body.lines().map(str::trim).rfind(|line| ["private", "public", "protected"].contains(line));
    let line = body.rsplit('\n').next().unwrap_or_default().trim();
    !mixed && (last == Some("private") || line == "private")
}
