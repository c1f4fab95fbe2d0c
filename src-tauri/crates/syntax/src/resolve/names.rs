//! Finds names in all files of a tree, and loads those files whose symbols are not read.

use std::borrow::Cow;
use std::sync::Arc;

use super::Navigator;
use super::index::FileId;
use crate::language::Language;
use crate::symbols::{FileSymbols, Kind, NameKey, NameUse};

impl<'a> Navigator<'a> {
    /// Returns the path of a file.
    pub fn path(&self, file: FileId) -> Option<&'a str> {
        self.index.path(file)
    }

    /// Returns the definitions and imports of a file, without references and local variables.
    pub fn outline(&self, file: FileId) -> Option<&'a Arc<FileSymbols>> {
        self.index.outline(file, self.load)
    }

    /// Returns the definitions with a name.
    pub fn definitions(&self, name: &str) -> Cow<'a, [(FileId, u32)]> {
        let known = self.index.definitions(name);
        if self.index.unread().is_empty() {
            return Cow::Borrowed(known);
        }
        let find = || {
            let key = NameKey::of(name);
            let files = self.unread_with(key, NameUse::Define);
            let found = files.flat_map(|file| self.defined_in_outline(file, name));
            known.iter().copied().chain(found).collect()
        };
        Cow::Owned(self.index.found(name, find).to_vec())
    }

    /// Returns the definitions with a name in one file.
    pub(super) fn definitions_in(&self, file: FileId, name: &str) -> Vec<(FileId, u32)> {
        match self.index.names(file) {
            Some(names) if names.can(NameKey::of(name), NameUse::Define) => self.defined_in_outline(file, name),
            Some(_) => Vec::new(),
            None => self.index.definitions(name).iter().copied().filter(|(other, _)| *other == file).collect(),
        }
    }

    fn defined_in_outline(&self, file: FileId, name: &str) -> Vec<(FileId, u32)> {
        let Some(outline) = self.outline(file) else { return Vec::new() };
        let Some(id) = outline.names.iter().position(|known| known == name) else { return Vec::new() };
        let all = outline.definitions.iter().zip(0..);
        let own = all.filter(|(one, _)| one.name as usize == id && one.kind != Kind::Extension);
        own.map(|(_, at)| (file, at)).collect()
    }

    /// Returns the files that can mention a name outside of its definitions. Those whose symbols are read do mention it.
    pub fn mentions(&self, name: &str) -> Cow<'a, [FileId]> {
        self.files_with(name, NameUse::Mention)
    }

    /// Returns the files that can have a name in some way outside of its definitions.
    pub(super) fn files_with(&self, name: &str, wanted: NameUse) -> Cow<'a, [FileId]> {
        let known = self.index.mentions(name);
        if self.index.unread().is_empty() {
            return Cow::Borrowed(known);
        }
        known.iter().copied().chain(self.unread_with(NameKey::of(name), wanted)).collect()
    }

    fn unread_with(&self, name: NameKey, wanted: NameUse) -> impl Iterator<Item = FileId> {
        let all = self.index.unread().iter().copied();
        all.filter(move |file| self.index.names(*file).is_some_and(|names| names.can(name, wanted)))
    }

    /// Returns whether a file that speaks with a language declares a package.
    pub(super) fn has_package(&self, package: &str, language: Language) -> bool {
        let mut known = self.index.in_package(package).iter().copied();
        let unread = self.index.unread_in_package(package).into_iter();
        let speaks = |file: &FileId| self.index.language(*file).is_some_and(|other| other.speaks_with(language));
        known.any(|file| speaks(&file))
            || unread.filter(speaks).any(|file| self.is_exact(file) || self.declares(file, package))
    }

    /// Returns the files of a package that can define a name.
    pub(super) fn in_package_with(&self, package: &str, name: &str) -> Vec<FileId> {
        let known = self.index.in_package(package).iter().copied();
        let key = NameKey::of(name);
        let unread = self.index.unread_in_package(package).into_iter();
        let can = |file: &FileId| self.index.names(*file).is_some_and(|names| names.can(key, NameUse::Define));
        known.chain(unread.filter(can).filter(|file| self.declares(*file, package))).collect()
    }

    fn is_exact(&self, file: FileId) -> bool {
        self.index.names(file).is_some_and(|names| names.is_exact())
    }

    fn declares(&self, file: FileId, package: &str) -> bool {
        self.outline(file).is_some_and(|outline| outline.package.is_some_and(|id| outline.name(id) == package))
    }
}
