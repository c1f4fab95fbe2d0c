//! Finds members: the type of a receiver, and the member of a type or its bases.

use super::index::FileId;
use super::lookup::MAX_DEPTH;
use super::modules::{self, Module};
use super::{Found, Navigator, Target};
use crate::language::Language;
use crate::symbols::{Binding, Definition, FileSymbols, Kind, Receiver, Reference};

/// Names of the own object or type.
const OWN: &[&str] = &["self", "this", "$this", "Self", "cls", "static"];

/// Names of the own object as its base type.
const BASE: &[&str] = &["super", "parent", "base"];

impl Navigator<'_> {
    /// Returns the member `name` of a chain of names before a reference.
    pub(super) fn member_of_chain(
        &self,
        file: FileId,
        symbols: &FileSymbols,
        reference: &Reference,
        chain: &str,
        name: &str,
    ) -> Found {
        if symbols.language == Some(Language::Rust)
            && chain.split('.').next().is_some_and(|first| matches!(first, "crate" | "super"))
        {
            return self.in_module_path(file, symbols, chain, name);
        }
        match self.chain(file, symbols, reference, chain, 0) {
            Found::Certain(Target::Definition(owner, at)) => match self.member(owner, at, name, 0) {
                Found::Nothing | Found::External(_) => self.any_member(file, name, reference.kind),
                found => found,
            },
            Found::Certain(Target::File(module)) => match self.in_file(module, name, 0) {
                Found::Nothing => self.below_module(module, name),
                found => found,
            },
            Found::Possible(targets) => {
                let files: Option<Vec<FileId>> = targets
                    .iter()
                    .map(|target| if let Target::File(file) = target { Some(*file) } else { None })
                    .collect();
                match files {
                    Some(files) => self.in_files(&files, name, 0),
                    None => self.members_of_all(&targets, name, file, reference),
                }
            }
            Found::External(module) => Found::External(module),
            Found::Certain(Target::Local(..)) | Found::Nothing => {
                let found = match symbols.language {
                    Some(Language::Rust) => self.in_module_path(file, symbols, chain, name),
                    _ => self.namespaced(symbols, chain, name),
                };
                if found.is_nothing() { self.any_member(file, name, reference.kind) } else { found }
            }
        }
    }

    fn members_of_all(&self, targets: &[Target], name: &str, file: FileId, reference: &Reference) -> Found {
        let mut all = Vec::new();
        for target in targets {
            if let Target::Definition(owner, at) = target {
                all.extend_from_slice(self.member(*owner, *at, name, 0).targets());
            }
        }
        if all.is_empty() { self.any_member(file, name, reference.kind) } else { Found::of(all, false) }
    }

    /// Returns a module inside the folder of a module: `package.module` in Python.
    fn below_module(&self, module: FileId, name: &str) -> Found {
        let Some(path) = self.index.path(module) else { return Found::Nothing };
        let Some(root) = path.strip_suffix("__init__.py") else { return Found::Nothing };
        let file = [format!("{root}{name}.py"), format!("{root}{name}/__init__.py")]
            .iter()
            .find_map(|path| self.index.file(path));
        file.map_or(Found::Nothing, |file| Found::Certain(Target::File(file)))
    }

    /// Returns a name below a module path such as `crate.a.b` or `super`.
    fn in_module_path(&self, file: FileId, symbols: &FileSymbols, path: &str, name: &str) -> Found {
        // `super` in a module inside the file is the file.
        let inline = symbols.definitions.iter().any(|one| one.kind == Kind::Module && one.complete);
        if inline && path == "super" {
            return self.in_file(file, name, 0);
        }
        if let Module::Files(files) = modules::find(self.index, file, path) {
            let found = self.in_files(&files, name, 0);
            if !found.is_nothing() {
                return found;
            }
            if let Module::Files(files) = modules::find(self.index, file, &format!("{path}.{name}")) {
                return Found::of(files.into_iter().map(Target::File).collect(), true);
            }
            return Found::Nothing;
        }
        let Some((outer, last)) = path.rsplit_once('.') else { return Found::Nothing };
        match self.in_module_path(file, symbols, outer, last) {
            Found::Certain(Target::Definition(owner, at)) => self.member(owner, at, name, 0),
            _ => Found::Nothing,
        }
    }

    /// Returns a type by its full name in languages with packages, and its member: `com.x.Mail.send`.
    fn namespaced(&self, symbols: &FileSymbols, chain: &str, name: &str) -> Found {
        if !matches!(symbols.language, Some(Language::Java | Language::Kotlin | Language::CSharp | Language::Php)) {
            return Found::Nothing;
        }
        let chain = chain.trim_start_matches('.');
        let found = self.in_files(&self.in_package_with(chain, name), name, 0);
        if !found.is_nothing() {
            return found;
        }
        let Some((package, last)) = chain.rsplit_once('.') else { return Found::Nothing };
        match self.in_files(&self.in_package_with(package, last), last, 0) {
            Found::Certain(Target::Definition(owner, at)) => self.member(owner, at, name, 0),
            _ => Found::Nothing,
        }
    }

    /// Returns the type or module that a chain of names gives.
    fn chain(&self, file: FileId, symbols: &FileSymbols, reference: &Reference, chain: &str, depth: u8) -> Found {
        if depth > MAX_DEPTH {
            return Found::Nothing;
        }
        let mut segments = chain.split('.').filter(|part| !part.is_empty());
        let Some(first) = segments.next() else { return Found::Nothing };
        let mut at = if OWN.contains(&first) {
            self.own_type(file, symbols, reference.enclosing).unwrap_or(Found::Nothing)
        } else if BASE.contains(&first) {
            self.base_type(file, symbols, reference)
        } else {
            self.first_of_chain(file, symbols, reference, first, depth)
        };
        for segment in segments {
            at = match at {
                Found::Certain(Target::Definition(owner, index)) => {
                    let member = self.member(owner, index, segment, 0);
                    self.value_of(member, depth + 1)
                }
                Found::Certain(Target::File(module)) => match self.in_file(module, segment, 0) {
                    Found::Nothing => self.below_module(module, segment),
                    found => self.value_of(found, depth + 1),
                },
                Found::Possible(targets) if targets.iter().all(|target| matches!(target, Target::File(_))) => {
                    let files: Vec<FileId> = targets
                        .iter()
                        .filter_map(|target| if let Target::File(file) = target { Some(*file) } else { None })
                        .collect();
                    let found = self.in_files(&files, segment, 0);
                    self.value_of(found, depth + 1)
                }
                Found::External(module) => return Found::External(module),
                _ => return Found::Nothing,
            };
        }
        at
    }

    fn first_of_chain(
        &self,
        file: FileId,
        symbols: &FileSymbols,
        reference: &Reference,
        first: &str,
        depth: u8,
    ) -> Found {
        // The reference of the first name is the nearest one before this reference.
        let before = symbols.references.partition_point(|one| one.at.byte < reference.at.byte);
        let near = symbols.references[..before].iter().rev().take(64);
        let found = near.filter(|one| one.receiver == Receiver::None).find(|one| symbols.name(one.name) == first);
        let Some(found) = found else { return self.type_named(file, symbols, first, depth + 1) };
        match found.binding {
            Binding::Local(at) => {
                let value = symbols.locals.get(at as usize).and_then(|local| local.value);
                match value {
                    Some(value) => self.value_named(file, symbols, found, symbols.name(value), depth + 1),
                    None => Found::Nothing,
                }
            }
            _ => self.value_of(self.find(file, symbols, found), depth + 1),
        }
    }

    /// Returns the type of a value that is made by a chain such as `Client`, `api.Client` or `Client.new`.
    fn value_named(&self, file: FileId, symbols: &FileSymbols, at: &Reference, name: &str, depth: u8) -> Found {
        if depth > MAX_DEPTH {
            return Found::Nothing;
        }
        if !name.contains('.') {
            if OWN.contains(&name) {
                return self.own_type(file, symbols, at.enclosing).unwrap_or(Found::Nothing);
            }
            return self.type_named(file, symbols, name, depth);
        }
        let first = name.split('.').next().unwrap_or(name);
        if !OWN.contains(&first)
            && !symbols.references.iter().any(|one| one.at.byte < at.at.byte && symbols.name(one.name) == first)
        {
            return self.type_named(file, symbols, name, depth);
        }
        self.chain(file, symbols, at, name, depth + 1)
    }

    /// Returns the type of a target: itself for a type, the type of its value otherwise.
    fn value_of(&self, found: Found, depth: u8) -> Found {
        if depth > MAX_DEPTH {
            return Found::Nothing;
        }
        let Found::Certain(Target::Definition(file, at)) = found else { return found };
        let (Some(outline), Some(one)) = (self.outline(file), self.definition_of(file, at)) else {
            return Found::Nothing;
        };
        match one.kind {
            // `mod name;` in Rust stands for a file.
            Kind::Module if !one.complete && outline.language == Some(Language::Rust) => {
                match modules::find(self.index, file, outline.name(one.name)) {
                    Module::Files(files) => Found::of(files.into_iter().map(Target::File).collect(), true),
                    Module::Package(_) | Module::External => found,
                }
            }
            Kind::Class | Kind::Interface | Kind::Module | Kind::Extension => found,
            Kind::Constructor | Kind::Variant => self.type_around(file, outline, one),
            Kind::Type if one.result.is_none() => found,
            _ => match one.result.map(|result| outline.name(result)) {
                Some(name) if OWN.contains(&name) => self.type_around(file, outline, one),
                Some(name) => self.type_named(file, outline, name, depth + 1),
                None => Found::Nothing,
            },
        }
    }

    /// Returns the type that a definition is a member of.
    fn type_around(&self, file: FileId, outline: &FileSymbols, one: &Definition) -> Found {
        let container = one.container.and_then(|at| Some((at, outline.definitions.get(at as usize)?)));
        match (container, one.owner) {
            (Some((at, container)), _) if matches!(container.kind, Kind::Class | Kind::Interface) => {
                Found::Certain(Target::Definition(file, at))
            }
            (_, Some(owner)) => self.type_named(file, outline, outline.name(owner), 0),
            _ => Found::Nothing,
        }
    }

    /// Returns the type whose member encloses a place.
    pub(super) fn own_type(&self, file: FileId, symbols: &FileSymbols, enclosing: Option<u32>) -> Option<Found> {
        let mut at = enclosing;
        while let Some(index) = at {
            let one = symbols.definitions.get(index as usize)?;
            match one.kind {
                Kind::Class | Kind::Interface => return Some(Found::Certain(Target::Definition(file, index))),
                Kind::Module if symbols.language == Some(Language::Ruby) => {
                    return Some(Found::Certain(Target::Definition(file, index)));
                }
                Kind::Extension => return Some(self.type_named(file, symbols, symbols.name(one.name), 0)),
                _ if one.owner.is_some() && one.container.is_none() => {
                    return Some(self.type_named(file, symbols, symbols.name(one.owner?), 0));
                }
                _ => at = one.container,
            }
        }
        None
    }

    fn base_type(&self, file: FileId, symbols: &FileSymbols, reference: &Reference) -> Found {
        let Some(Found::Certain(Target::Definition(owner, at))) = self.own_type(file, symbols, reference.enclosing)
        else {
            return Found::Nothing;
        };
        let (Some(outline), Some(one)) = (self.outline(owner), self.definition_of(owner, at)) else {
            return Found::Nothing;
        };
        match one.bases.as_slice() {
            [base] => self.type_named(owner, outline, outline.name(*base), 0),
            _ => Found::Nothing,
        }
    }

    /// Returns the type, function or module that a name at the top of a file refers to.
    pub(super) fn type_named(&self, file: FileId, outline: &FileSymbols, name: &str, depth: u8) -> Found {
        if depth > MAX_DEPTH {
            return Found::Nothing;
        }
        let name = name.trim_start_matches('.');
        let mut segments = name.split('.');
        let Some(first) = segments.next() else { return Found::Nothing };
        let mut own = self.definitions_in(file, first);
        own.retain(|(_, at)| {
            let one = self.definition_of(file, *at);
            one.is_some_and(|one| !one.local && (one.owner.is_none() || one.kind.has_members()))
        });
        let mut found = self.unless_prototypes(own, true);
        if found.is_nothing() {
            let import = outline.imports.iter().find(|one| !one.all && outline.name(one.local) == first);
            found = match import {
                Some(import) => self.import(file, outline, import, depth + 1),
                None => self.type_around_file(file, outline, first),
            };
        }
        let mut rest = segments.peekable();
        if rest.peek().is_none() {
            return self.value_of(found, depth + 1);
        }
        for segment in rest {
            found = match self.value_of(found, depth + 1) {
                Found::Certain(Target::Definition(owner, at)) => self.member(owner, at, segment, depth + 1),
                Found::Certain(Target::File(module)) => self.in_file(module, segment, depth + 1),
                Found::Possible(targets) if targets.iter().all(|target| matches!(target, Target::File(_))) => {
                    let files: Vec<FileId> = targets
                        .iter()
                        .filter_map(|target| if let Target::File(file) = target { Some(*file) } else { None })
                        .collect();
                    self.in_files(&files, segment, depth + 1)
                }
                found @ Found::External(_) => return found,
                _ => return Found::Nothing,
            };
        }
        self.value_of(found, depth + 1)
    }

    /// Returns a type of the same package, of an import of every name, or the only one with its name.
    fn type_around_file(&self, file: FileId, outline: &FileSymbols, name: &str) -> Found {
        let Some(language) = outline.language else { return Found::Nothing };
        let found = self.in_package(file, outline, name, language);
        if !found.is_nothing() {
            return found;
        }
        for import in outline.imports.iter().filter(|one| one.all) {
            let module = self.module(file, outline.name(import.module));
            let found = self.in_module(&module, name, 0);
            if !found.is_nothing() {
                return found;
            }
        }
        if !matches!(language, Language::C | Language::Cpp | Language::Swift | Language::Ruby) {
            return Found::Nothing;
        }
        let all = self.definitions(name);
        let types = all.iter().filter(|(other, at)| {
            self.index.language(*other).is_some_and(|other| other.speaks_with(language))
                && self.definition_of(*other, *at).is_some_and(|one| one.kind.has_members())
        });
        self.unless_prototypes(types.copied().collect(), true)
    }

    /// Returns a member of a type or of its bases.
    pub(super) fn member(&self, file: FileId, at: u32, name: &str, depth: u8) -> Found {
        if depth > MAX_DEPTH {
            return Found::Nothing;
        }
        let (Some(outline), Some(owner)) = (self.outline(file), self.definition_of(file, at)) else {
            return Found::Nothing;
        };
        if !owner.kind.has_members() {
            return Found::Nothing;
        }
        let owner_name = outline.name(owner.name);
        let (found, spread) = self.own_members(file, at, owner, owner_name, name);
        if !found.is_empty() {
            let single = !spread || self.types_with_name(file, owner_name) == 1;
            return self.unless_prototypes(found, single);
        }
        let mut external = None;
        for (base_file, base) in self.bases(file, outline, owner, owner_name) {
            let Some(base_outline) = self.outline(base_file) else { continue };
            match self.type_named(base_file, base_outline, &base, depth + 1) {
                Found::Certain(Target::Definition(other, index)) if (other, index) != (file, at) => {
                    match self.member(other, index, name, depth + 1) {
                        Found::Nothing => {}
                        Found::External(module) => external = Some(module),
                        found => return found,
                    }
                }
                Found::Certain(_) => {}
                _ => external = Some(base),
            }
        }
        external.map_or(Found::Nothing, Found::External)
    }

    /// Returns the members of a type by its name, and whether they can be in other places than the type's own block.
    fn own_members(
        &self,
        file: FileId,
        at: u32,
        owner: &Definition,
        owner_name: &str,
        name: &str,
    ) -> (Vec<(FileId, u32)>, bool) {
        let language = self.index.language(file);
        let mut inside = self.definitions_in(file, name);
        inside.retain(|(_, index)| {
            self.definition_of(file, *index).is_some_and(|one| one.container == Some(at) && !one.local)
        });
        let spread = matches!(
            language,
            Some(
                Language::Go
                    | Language::Rust
                    | Language::Cpp
                    | Language::C
                    | Language::Swift
                    | Language::Ruby
                    | Language::CSharp
                    | Language::Kotlin
            )
        );
        if !inside.is_empty() || !spread || owner.kind == Kind::Module && language != Some(Language::Ruby) {
            return (inside, false);
        }
        let own_folder = self.index.path(file).map(super::modules::folder);
        let fits = |(other, index): &&(FileId, u32)| {
            let Some(outline) = self.outline(*other) else { return false };
            let near =
                language != Some(Language::Go) || self.index.path(*other).map(super::modules::folder) == own_folder;
            let same = outline.language.zip(language).is_some_and(|(one, other)| one.speaks_with(other));
            near && same
                && self
                    .definition_of(*other, *index)
                    .is_some_and(|one| one.owner.is_some_and(|owner| outline.name(owner) == owner_name) && !one.local)
        };
        let elsewhere: Vec<(FileId, u32)> = self.definitions(name).iter().filter(fits).copied().collect();
        (elsewhere, language != Some(Language::Go))
    }

    fn types_with_name(&self, file: FileId, name: &str) -> usize {
        let Some(language) = self.index.language(file) else { return 0 };
        let is_type = |(other, at): &&(FileId, u32)| {
            self.index.language(*other).is_some_and(|other| other.speaks_with(language))
                && self
                    .definition_of(*other, *at)
                    .is_some_and(|one| matches!(one.kind, Kind::Class | Kind::Interface | Kind::Type | Kind::Module))
        };
        self.definitions(name).iter().filter(is_type).count()
    }

    /// Returns the names of a type's bases, also those that extensions in the same file add.
    fn bases(
        &self,
        file: FileId,
        outline: &FileSymbols,
        owner: &Definition,
        owner_name: &str,
    ) -> Vec<(FileId, String)> {
        let extensions = outline
            .definitions
            .iter()
            .filter(|one| one.kind == Kind::Extension && outline.name(one.name) == owner_name);
        let all = owner.bases.iter().chain(extensions.flat_map(|one| &one.bases));
        let mut names: Vec<(FileId, String)> = all.map(|base| (file, outline.name(*base).to_owned())).collect();
        names.dedup();
        names
    }
}
