//! Finds the targets of a reference: by its binding, its imports, its package, or its receiver.

use std::sync::Arc;

use super::index::FileId;
use super::modules::{self, Module, folder, folder_files};
use super::{Found, Navigator, Target};
use crate::language::Language;
use crate::symbols::{Binding, Definition, FileSymbols, Import, Kind, Receiver, Reference, Use};

/// The maximum number of steps through re-exports, bases and types of values.
pub(super) const MAX_DEPTH: u8 = 8;

/// The number of candidates above which a name says nothing.
const MAX_CANDIDATES: usize = 200;

impl Navigator<'_> {
    /// Returns the targets of a reference.
    pub(crate) fn find(&self, file: FileId, symbols: &FileSymbols, reference: &Reference) -> Found {
        let name = symbols.name(reference.name);
        let found = match (reference.receiver, reference.binding) {
            (Receiver::None, Binding::Local(at)) => Found::Certain(Target::Local(file, at)),
            (Receiver::None, Binding::Definition(at)) => self.siblings(file, symbols, at),
            (Receiver::None, Binding::Import(at)) => match symbols.imports.get(at as usize) {
                Some(import) => self.import(file, symbols, import, 0),
                None => Found::Nothing,
            },
            (Receiver::None, Binding::Free) => self.free(file, symbols, reference, name),
            (Receiver::Chain(chain), _) => self.member_of_chain(file, symbols, reference, symbols.name(chain), name),
            (Receiver::Other, _) if reference.kind == Use::Import => self.imported(file, symbols, reference),
            (Receiver::Other, _) => self.any_member(file, name, reference.kind),
        };
        self.called(self.completed(file, found), reference.kind)
    }

    /// Replaces a prototype in C or C++ by the definition with a body, if there is exactly one.
    fn completed(&self, from: FileId, found: Found) -> Found {
        let Found::Certain(Target::Definition(file, at)) = found else { return found };
        let (Some(outline), Some(one)) = (self.outline(file), self.definition_of(file, at)) else { return found };
        let prototype = !one.complete && matches!(one.kind, Kind::Function | Kind::Method);
        if !prototype || !matches!(outline.language, Some(Language::C | Language::Cpp)) {
            return found;
        }
        let owner = one.owner.map(|owner| outline.name(owner));
        let all = self.definitions(outline.name(one.name));
        let bodies = all.iter().filter(|(other, index)| {
            let (Some(outline), Some(body)) = (self.outline(*other), self.definition_of(*other, *index)) else {
                return false;
            };
            let visible = *other == from || body.exported || *other == file;
            body.complete && visible && body.owner.map(|owner| outline.name(owner)) == owner
        });
        match bodies.copied().collect::<Vec<_>>().as_slice() {
            [(file, at)] => Found::Certain(Target::Definition(*file, *at)),
            [] => found,
            several => Found::of(several.iter().map(|(file, at)| Target::Definition(*file, *at)).collect(), false),
        }
    }

    /// Returns the target of a name in an import, which stands before the local name.
    fn imported(&self, file: FileId, symbols: &FileSymbols, reference: &Reference) -> Found {
        let import =
            symbols.imports.iter().find(|one| one.name == Some(reference.name) && one.at.line >= reference.at.line);
        import.map_or(Found::Nothing, |import| self.import(file, symbols, import, 0))
    }

    /// Narrows candidates to those that the use allows.
    fn called(&self, found: Found, kind: Use) -> Found {
        let Found::Possible(targets) = found else { return found };
        let fits = |target: &Target| match target {
            Target::Definition(file, at) => self.definition_of(*file, *at).is_some_and(|one| match kind {
                Use::Type => one.kind.has_members() || matches!(one.kind, Kind::Variable | Kind::Constant),
                Use::Macro => one.kind == Kind::Macro,
                _ => true,
            }),
            Target::Local(..) | Target::File(_) => kind != Use::Macro,
        };
        let narrowed: Vec<Target> = targets.iter().copied().filter(fits).collect();
        Found::Possible(if narrowed.is_empty() { targets } else { narrowed })
    }

    pub(super) fn definition_of(&self, file: FileId, at: u32) -> Option<&Definition> {
        self.outline(file)?.definitions.get(at as usize)
    }

    /// Returns a definition, or all definitions of its name in its container if there are several.
    fn siblings(&self, file: FileId, symbols: &FileSymbols, at: u32) -> Found {
        let Some(one) = symbols.definitions.get(at as usize) else { return Found::Nothing };
        let same = symbols.definitions.iter().zip(0..).filter(|(other, _)| {
            other.name == one.name
                && other.container == one.container
                && other.owner == one.owner
                && other.kind != Kind::Extension
        });
        self.unless_prototypes(same.map(|(_, at)| (file, at)).collect(), true)
    }

    /// Prefers complete definitions to prototypes and overload signatures.
    pub(super) fn unless_prototypes(&self, all: Vec<(FileId, u32)>, certain: bool) -> Found {
        let complete = |(file, at): &&(FileId, u32)| self.definition_of(*file, *at).is_some_and(|one| one.complete);
        let bodies: Vec<(FileId, u32)> = all.iter().filter(complete).copied().collect();
        let callable =
            |(file, at): &(FileId, u32)| self.definition_of(*file, *at).is_some_and(|one| one.kind.is_callable());
        let chosen = if bodies.len() == 1 && all.iter().all(callable) { bodies } else { all };
        Found::of(chosen.into_iter().map(|(file, at)| Target::Definition(file, at)).collect(), certain)
    }

    /// Returns the target of an import.
    pub(super) fn import(&self, file: FileId, symbols: &FileSymbols, import: &Import, depth: u8) -> Found {
        if depth > MAX_DEPTH {
            return Found::Nothing;
        }
        let module = symbols.name(import.module);
        let Some(name) = import.name.map(|name| symbols.name(name)) else {
            return match self.module(file, module) {
                Module::Files(files) => Found::of(files.into_iter().map(Target::File).collect(), true),
                // A package is imported by its names only.
                Module::Package(_) => Found::Nothing,
                Module::External => self.last_as_member(file, symbols, module, depth),
            };
        };
        if module.is_empty() && symbols.language.is_some_and(Language::is_script) {
            return self.in_file(file, name, depth + 1);
        }
        match self.module(file, module) {
            own @ (Module::Files(_) | Module::Package(_)) => {
                let found = self.in_module(&own, name, depth);
                if !found.is_nothing() {
                    return found;
                }
                self.submodule(file, symbols, module, name)
            }
            Module::External => {
                let found = self.submodule(file, symbols, module, name);
                if !found.is_nothing() {
                    return found;
                }
                match self.last_as_member(file, symbols, module, depth) {
                    // `use a::Type::CONSTANT`, `import static a.Type.member`.
                    Found::Certain(Target::Definition(owner, at)) => self.member(owner, at, name, depth + 1),
                    _ => Found::External(module.to_owned()),
                }
            }
        }
    }

    /// Returns the files of a module as it is named in a file.
    pub(super) fn module(&self, file: FileId, module: &str) -> Module {
        match self.index.language(file) {
            Some(Language::Rust) if module.is_empty() => Module::External,
            Some(language @ (Language::Java | Language::Kotlin | Language::CSharp | Language::Php)) => {
                if self.has_package(module, language) { Module::Package(module.to_owned()) } else { Module::External }
            }
            _ => modules::find(self.index, file, module),
        }
    }

    /// Returns a name of a module.
    pub(super) fn in_module(&self, module: &Module, name: &str, depth: u8) -> Found {
        match module {
            Module::Files(files) => self.in_files(files, name, depth),
            // A file of a package gives only the names that it defines.
            Module::Package(package) => self.in_files(&self.in_package_with(package, name), name, depth),
            Module::External => Found::Nothing,
        }
    }

    /// Returns a module that is imported like a name: `from package import module`, `use crate::module`.
    fn submodule(&self, file: FileId, symbols: &FileSymbols, module: &str, name: &str) -> Found {
        let joined = match symbols.language {
            Some(Language::Python) if module.ends_with('.') => format!("{module}{name}"),
            Some(Language::Python) => format!("{module}.{name}"),
            Some(Language::Rust) if module.is_empty() => name.to_owned(),
            Some(Language::Rust) => format!("{module}::{name}"),
            _ => return Found::Nothing,
        };
        match modules::find(self.index, file, &joined) {
            Module::Files(files) => Found::of(files.into_iter().map(Target::File).collect(), true),
            Module::Package(_) | Module::External => Found::Nothing,
        }
    }

    /// Returns the type that the last segment of a path names: `crate::a::Type`.
    fn last_as_member(&self, file: FileId, symbols: &FileSymbols, path: &str, depth: u8) -> Found {
        let separator = if symbols.language == Some(Language::Rust) { "::" } else { "." };
        let Some((outer, last)) = path.rsplit_once(separator) else { return Found::External(path.to_owned()) };
        match self.module(file, outer) {
            Module::External => Found::External(path.to_owned()),
            own => match self.in_module(&own, last, depth + 1) {
                Found::Nothing => Found::External(path.to_owned()),
                found => found,
            },
        }
    }

    /// Returns a name of a module that consists of several files.
    pub(super) fn in_files(&self, files: &[FileId], name: &str, depth: u8) -> Found {
        let mut targets = Vec::new();
        let mut certain = true;
        for file in files {
            match self.in_file(*file, name, depth + 1) {
                Found::Certain(target) => targets.push(target),
                Found::Possible(more) => {
                    certain = false;
                    targets.extend(more);
                }
                Found::External(module) if files.len() == 1 => return Found::External(module),
                Found::External(_) | Found::Nothing => {}
            }
        }
        Found::of(targets, certain)
    }

    /// Returns a name at the top of a file, also one that it imports for others.
    pub(super) fn in_file(&self, file: FileId, name: &str, depth: u8) -> Found {
        if depth > MAX_DEPTH {
            return Found::Nothing;
        }
        let mut top = self.definitions_in(file, name);
        top.retain(|(_, at)| self.is_top(file, *at));
        let found = self.unless_prototypes(top, true);
        if !found.is_nothing() {
            return found;
        }
        let language = self.index.language(file);
        // In other languages, a file gives no name that it imports.
        if !matches!(language, Some(Language::Python | Language::Rust)) && !language.is_some_and(Language::is_script) {
            return Found::Nothing;
        }
        let Some(outline) = self.outline(file) else { return Found::Nothing };
        // Only in Python every import is also a name for others.
        let public = |import: &&Import| {
            import.exported || language == Some(Language::Python) || language == Some(Language::Rust)
        };
        if let Some(import) =
            outline.imports.iter().filter(public).find(|one| !one.all && outline.name(one.local) == name)
        {
            return self.import(file, outline, import, depth + 1);
        }
        let (mut external, mut unexported) = (false, None);
        for import in outline.imports.iter().filter(public).filter(|one| one.all) {
            match self.module(file, outline.name(import.module)) {
                Module::Files(files) if files == [file] => {}
                Module::External => external = true,
                own => match self.in_module(&own, name, depth + 1) {
                    Found::Nothing => {}
                    // `export *` gives exported names. A name that another module exports is meant before one that only looks alike.
                    found if self.is_unexported(&found) => unexported = unexported.or(Some(found)),
                    found => return found,
                },
            }
        }
        if let Some(found) = unexported {
            return found;
        }
        if external { Found::External(name.to_owned()) } else { Found::Nothing }
    }

    /// Returns whether a target is a definition of a script that its file does not export.
    fn is_unexported(&self, found: &Found) -> bool {
        let Found::Certain(Target::Definition(file, at)) = *found else { return false };
        self.index.language(file).is_some_and(Language::is_script)
            && self.definition_of(file, at).is_some_and(|one| !one.exported)
    }

    /// Returns whether a definition is at the top of its file, or only in modules and namespaces.
    pub(super) fn is_top(&self, file: FileId, at: u32) -> bool {
        let Some(outline) = self.outline(file) else { return false };
        let Some(mut one) = outline.definitions.get(at as usize) else { return false };
        if one.owner.is_some() && one.kind != Kind::Variant {
            return false;
        }
        if one.local || one.kind == Kind::Variant && one.container.is_some() && outline.language != Some(Language::C) {
            return false;
        }
        let nested = matches!(outline.language, Some(Language::C | Language::Cpp | Language::Ruby | Language::CSharp));
        while let Some(outer) = one.container.and_then(|outer| outline.definitions.get(outer as usize)) {
            if outer.kind != Kind::Module && one.kind != Kind::Variant || outer.kind == Kind::Module && !nested {
                return false;
            }
            one = outer;
        }
        true
    }

    /// Returns the target of a name that nothing in its file defines.
    fn free(&self, file: FileId, symbols: &FileSymbols, reference: &Reference, name: &str) -> Found {
        let Some(language) = symbols.language else { return Found::Nothing };
        let in_type = matches!(reference.kind, Use::Call | Use::Read | Use::Write | Use::Update)
            && language.has_implicit_receiver();
        let mut unknown_base = false;
        if in_type && let Some(owner) = self.own_type(file, symbols, reference.enclosing) {
            match owner {
                Found::Certain(Target::Definition(at, owner)) => match self.member(at, owner, name, 0) {
                    Found::External(_) => unknown_base = true,
                    Found::Nothing => {}
                    found => return found,
                },
                _ => unknown_base = true,
            }
        }
        let found = self.in_package(file, symbols, name, language);
        if !found.is_nothing() {
            return if unknown_base { Found::Possible(found.targets().to_vec()) } else { found };
        }
        let (found, unknown) = self.by_wildcards(file, symbols, reference, name);
        if !found.is_nothing() {
            return found;
        }
        self.anywhere(file, name, language, reference.kind, unknown || unknown_base)
    }

    /// Returns a name of the file's own package.
    pub(super) fn in_package(&self, file: FileId, symbols: &FileSymbols, name: &str, language: Language) -> Found {
        let path = self.index.path(file).unwrap_or_default();
        let files = match language {
            Language::Go => {
                let test = path.ends_with("_test.go");
                folder_files(self.index, folder(path), |other| {
                    other.ends_with(".go") && (test || !other.ends_with("_test.go"))
                })
            }
            Language::Java | Language::Kotlin | Language::CSharp | Language::Php => {
                let Some(package) = symbols.package else { return Found::Nothing };
                let mut package = symbols.name(package);
                // A namespace of C# also sees the names of the namespaces around it.
                loop {
                    let found = self.in_files(&self.in_package_with(package, name), name, 0);
                    match package.rsplit_once('.') {
                        Some((outer, _)) if found.is_nothing() && language == Language::CSharp => package = outer,
                        _ => return found,
                    }
                }
            }
            _ => return Found::Nothing,
        };
        self.in_files(&files, name, 0)
    }

    /// Returns a name that an import of every name brings, and whether such an import is outside of the tree.
    fn by_wildcards(&self, file: FileId, symbols: &FileSymbols, reference: &Reference, name: &str) -> (Found, bool) {
        let mut unknown = false;
        let mut targets: Vec<Target> = Vec::new();
        let mut certain = true;
        for import in symbols.imports.iter().filter(|one| one.all) {
            let module = symbols.name(import.module);
            let inline = symbols.language == Some(Language::Rust) && symbols.enclosing(import.at.byte).is_some();
            if inline && module == "super" {
                // `use super::*` in a module inside the file.
                let found = self.in_file(file, name, 0);
                let inside = reference.enclosing.is_some();
                if inside && !matches!(found, Found::Nothing | Found::External(_)) {
                    return (found, false);
                }
                continue;
            }
            match self.module(file, module) {
                own @ (Module::Files(_) | Module::Package(_)) => match self.in_module(&own, name, 0) {
                    Found::Certain(target) => targets.push(target),
                    Found::Possible(more) => {
                        certain = false;
                        targets.extend(more);
                    }
                    Found::External(_) => unknown = true,
                    Found::Nothing => {}
                },
                Module::External => match self.last_as_member(file, symbols, module, 0) {
                    Found::Certain(Target::Definition(owner, at)) => match self.member(owner, at, name, 0) {
                        Found::Certain(target) => targets.push(target),
                        found => targets.extend(found.targets()),
                    },
                    _ => unknown = true,
                },
            }
        }
        (Found::of(targets, certain), unknown)
    }

    /// Returns a name by its text alone, for languages whose top-level names are visible everywhere.
    fn anywhere(&self, file: FileId, name: &str, language: Language, kind: Use, unknown: bool) -> Found {
        let visible = |(other, at): &&(FileId, u32)| {
            let fits = self.index.language(*other).is_some_and(|other| other.speaks_with(language));
            fits && self.is_top(*other, *at)
                && (*other == file || self.definition_of(*other, *at).is_some_and(|one| one.exported))
        };
        match language {
            Language::C | Language::Cpp | Language::Swift | Language::Ruby => {
                let all: Vec<(FileId, u32)> = self.definitions(name).iter().filter(visible).copied().collect();
                if all.len() > MAX_CANDIDATES {
                    return Found::Nothing;
                }
                let global = language != Language::Ruby || kind == Use::Type;
                let found = self.unless_prototypes(all, global && !(unknown && language == Language::Swift));
                if !found.is_nothing() || language != Language::Ruby {
                    return found;
                }
                self.any_member(file, name, kind)
            }
            Language::Rust if kind == Use::Macro => {
                let all = self.definitions(name);
                let macros = all
                    .iter()
                    .filter(|(other, at)| self.definition_of(*other, *at).is_some_and(|one| one.kind == Kind::Macro));
                Found::of(macros.map(|(file, at)| Target::Definition(*file, *at)).collect(), false)
            }
            _ if unknown => {
                let all = self.definitions(name);
                let all = all.iter().filter(visible);
                Found::of(all.take(MAX_CANDIDATES).map(|(file, at)| Target::Definition(*file, *at)).collect(), false)
            }
            _ => Found::Nothing,
        }
    }

    /// Returns all members with a name, none of them certain.
    pub(super) fn any_member(&self, file: FileId, name: &str, kind: Use) -> Found {
        let Some(language) = self.index.language(file) else { return Found::Nothing };
        let fits = |(other, at): &&(FileId, u32)| {
            let same = self.index.language(*other).is_some_and(|other| other.speaks_with(language));
            same && self.definition_of(*other, *at).is_some_and(|one| {
                let member = one.owner.is_some() || language == Language::Ruby || one.container.is_some() && !one.local;
                member && (kind != Use::Call || one.kind.is_callable() || one.kind == Kind::Field)
            })
        };
        let all: Vec<Target> = self
            .definitions(name)
            .iter()
            .filter(fits)
            .take(MAX_CANDIDATES)
            .map(|(file, at)| Target::Definition(*file, *at))
            .collect();
        Found::of(all, false)
    }

    /// Returns the definitions of a name with containers.
    pub(crate) fn find_path(&self, path: &str) -> Found {
        let segments: Vec<&str> = path.split(['.', ':', '#', '\\', '/']).filter(|part| !part.is_empty()).collect();
        let Some((last, outer)) = segments.split_last() else { return Found::Nothing };
        let last = last.trim_end_matches("()");
        let fits = |(file, at): &&(FileId, u32)| {
            let Some(outline) = self.outline(*file) else { return false };
            let Some(one) = outline.definitions.get(*at as usize) else { return false };
            let mut known: Vec<&str> = outline
                .package
                .map(|package| outline.name(package))
                .into_iter()
                .flat_map(|name| name.split('.'))
                .collect();
            let stem = self.index.path(*file).unwrap_or_default();
            known.splice(0..0, stem.split('/').map(|part| part.split('.').next().unwrap_or(part)));
            known.extend(outline.path_of(one));
            // All containers that the caller named must occur, in order.
            let mut rest = known.iter();
            outer
                .iter()
                .filter(|part| !["crate", "self", "super"].contains(*part))
                .all(|part| rest.any(|name| name == part))
        };
        let all: Vec<(FileId, u32)> =
            self.definitions(last).iter().filter(fits).take(MAX_CANDIDATES).copied().collect();
        self.unless_prototypes(all, true)
    }

    /// Loads the symbols of a file.
    pub(super) fn load(&self, file: FileId) -> Option<Arc<FileSymbols>> {
        (self.load)(self.index.path(file)?)
    }
}
