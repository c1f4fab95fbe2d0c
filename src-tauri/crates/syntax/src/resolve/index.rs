//! The names of a tree's files: definitions by name, files by mentioned name, by path and by package.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustc_hash::FxBuildHasher;

use super::modules::folder;
use crate::language::Language;
use crate::symbols::{FileNames, FileSymbols, Kind, any_package, package_hash};

/// The number of a file in an index.
pub type FileId = u32;

type ByText<V> = HashMap<Arc<str>, V, FxBuildHasher>;

/// The facts of the index about a name.
#[derive(Clone, Default)]
struct Name {
    definitions: Vec<(FileId, u32)>,
    /// Files that refer to the name or import it.
    files: Vec<FileId>,
}

#[derive(Clone)]
struct Entry {
    path: Arc<str>,
    /// The id of the content.
    blob: Arc<str>,
    language: Option<Language>,
    /// The names that the file can have, if its symbols are read only when they are needed.
    unread: Option<FileNames>,
    /// Definitions and imports. The references are loaded when they are needed.
    outline: OnceLock<Option<Arc<FileSymbols>>>,
}

/// An index of the symbols of a tree. It changes in proportion to the changed files.
#[derive(Clone, Default)]
pub struct SymbolIndex {
    files: Vec<Option<Entry>>,
    by_path: ByText<FileId>,
    by_file_name: ByText<Vec<FileId>>,
    by_folder: ByText<Vec<FileId>>,
    by_package: ByText<Vec<FileId>>,
    names: ByText<Name>,
    /// The files whose symbols are not read, in order, and their packages by hash.
    unread: Vec<FileId>,
    unread_packages: HashMap<u32, Vec<FileId>, FxBuildHasher>,
    found: Found,
}

/// The definitions with a name.
type Definitions = Arc<[(FileId, u32)]>;

/// Definitions by name that were found in files whose symbols are read only when they are needed.
#[derive(Default)]
struct Found(Mutex<ByText<Definitions>>);

impl Clone for Found {
    fn clone(&self) -> Self {
        // The copy can get other files.
        Self::default()
    }
}

impl SymbolIndex {
    /// Creates an empty index.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of files.
    pub fn len(&self) -> usize {
        self.by_path.len()
    }

    /// Returns whether there are no files.
    pub fn is_empty(&self) -> bool {
        self.by_path.is_empty()
    }

    /// Adds or replaces a file. `blob` identifies the content.
    pub fn insert(&mut self, path: &str, blob: &str, symbols: &FileSymbols) {
        let id = self.add(path, blob, symbols.language, None);
        if let Some(entry) = self.entry(id) {
            // A new entry has no outline yet.
            let _ = entry.outline.set(Some(Arc::new(outline_of(symbols))));
        }
        for (index, one) in symbols.definitions.iter().enumerate().filter(|(_, one)| one.kind != Kind::Extension) {
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            self.name_entry(symbols.name(one.name)).definitions.push((id, index));
        }
        for (name, _) in symbols.names.iter().zip(mentioned(symbols)).filter(|(_, mentioned)| *mentioned) {
            self.name_entry(name).files.push(id);
        }
        if let Some(package) = symbols.package {
            self.by_package.entry(symbols.name(package).into()).or_default().push(id);
        }
    }

    /// Adds or replaces a file whose symbols are loaded when they are needed. A navigator finds them; the index alone does not.
    pub fn insert_unread(&mut self, path: &str, blob: &str, language: Language, names: FileNames) {
        let packages = names.packages().to_vec();
        let id = self.add(path, blob, Some(language), Some(names));
        self.unread.push(id);
        for package in packages {
            self.unread_packages.entry(package).or_default().push(id);
        }
    }

    fn add(&mut self, path: &str, blob: &str, language: Option<Language>, unread: Option<FileNames>) -> FileId {
        self.remove(path);
        self.found = Found::default();
        let id = u32::try_from(self.files.len()).unwrap_or(u32::MAX);
        let path: Arc<str> = path.into();
        let file_name = path.rsplit('/').next().unwrap_or(&path);
        self.by_file_name.entry(file_name.into()).or_default().push(id);
        self.by_folder.entry(folder(&path).into()).or_default().push(id);
        self.by_path.insert(path.clone(), id);
        self.files.push(Some(Entry { path, blob: blob.into(), language, unread, outline: OnceLock::new() }));
        id
    }

    /// Removes a file.
    pub fn remove(&mut self, path: &str) {
        let Some(id) = self.by_path.remove(path) else { return };
        let Some(entry) = self.files.get_mut(id as usize).and_then(Option::take) else { return };
        self.found = Found::default();
        if let Some(names) = &entry.unread {
            self.unread.retain(|file| *file != id);
            for package in names.packages() {
                self.unread_packages.entry(*package).or_default().retain(|file| *file != id);
            }
        }
        let outline = entry.outline.get().and_then(Option::as_ref).filter(|_| entry.unread.is_none());
        for name in outline.iter().flat_map(|outline| &outline.names) {
            if let Some(known) = self.names.get_mut(name.as_str()) {
                known.definitions.retain(|(file, _)| *file != id);
                known.files.retain(|file| *file != id);
                if known.definitions.is_empty() && known.files.is_empty() {
                    self.names.remove(name.as_str());
                }
            }
        }
        let file_name = path.rsplit('/').next().unwrap_or(path);
        let package = outline.and_then(|outline| Some(outline.name(outline.package?).to_owned()));
        for (map, key) in [
            (&mut self.by_file_name, Some(file_name.to_owned())),
            (&mut self.by_folder, Some(folder(path).to_owned())),
            (&mut self.by_package, package),
        ] {
            if let Some(list) = key.and_then(|key| map.get_mut(key.as_str())) {
                list.retain(|file| *file != id);
            }
        }
    }

    /// Returns all paths with the ids of their contents, in no order.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().flatten().map(|entry| (&*entry.path, &*entry.blob))
    }

    /// Returns a file by its path.
    pub fn file(&self, path: &str) -> Option<FileId> {
        self.by_path.get(path).copied()
    }

    /// Returns the id of a file's content.
    pub fn blob(&self, path: &str) -> Option<&str> {
        self.entry(self.file(path)?).map(|entry| &*entry.blob)
    }

    /// Returns the path of a file.
    pub fn path(&self, file: FileId) -> Option<&str> {
        self.entry(file).map(|entry| &*entry.path)
    }

    pub(crate) fn language(&self, file: FileId) -> Option<Language> {
        self.entry(file)?.language
    }

    /// Returns the definitions and imports of a file, without references and local variables. `load` returns its symbols.
    pub(super) fn outline(
        &self,
        file: FileId,
        load: impl FnOnce(&str) -> Option<Arc<FileSymbols>>,
    ) -> Option<&Arc<FileSymbols>> {
        let entry = self.entry(file)?;
        entry.outline.get_or_init(|| load(&entry.path).map(|symbols| Arc::new(outline_of(&symbols)))).as_ref()
    }

    /// Returns the definitions and imports of a manifest, or of another file that is read.
    pub(super) fn read_outline(&self, file: FileId) -> Option<&Arc<FileSymbols>> {
        self.entry(file)?.outline.get()?.as_ref()
    }

    /// Returns the definitions with a name in the files that are read.
    pub(super) fn definitions(&self, name: &str) -> &[(FileId, u32)] {
        self.names.get(name).map_or(&[], |name| &name.definitions)
    }

    /// Returns the files that are read and mention a name outside of its definitions.
    pub(super) fn mentions(&self, name: &str) -> &[FileId] {
        self.names.get(name).map_or(&[], |name| &name.files)
    }

    /// Returns the files that are not read, in order.
    pub(super) fn unread(&self) -> &[FileId] {
        &self.unread
    }

    /// Returns the names that a file can have, or `None` if it is read.
    pub(super) fn names(&self, file: FileId) -> Option<&FileNames> {
        self.entry(file)?.unread.as_ref()
    }

    /// Returns the definitions with a name in all files. `find` finds them at the first call.
    pub(super) fn found(&self, name: &str, find: impl FnOnce() -> Vec<(FileId, u32)>) -> Definitions {
        let known = |found: &Found| found.0.lock().unwrap_or_else(PoisonError::into_inner).get(name).map(Arc::clone);
        if let Some(known) = known(&self.found) {
            return known;
        }
        // The lock is not held while files are loaded.
        let all: Definitions = find().into();
        self.found.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name.into(), Arc::clone(&all));
        all
    }

    /// Returns the files that are not read and can declare a package, in order.
    pub(super) fn unread_in_package(&self, package: &str) -> Vec<FileId> {
        let list = |hash: u32| self.unread_packages.get(&hash).map_or(&[][..], Vec::as_slice);
        let mut files = [list(package_hash(package)), list(any_package())].concat();
        files.sort_unstable();
        files.dedup();
        files
    }

    pub(crate) fn with_file_name(&self, name: &str) -> &[FileId] {
        self.by_file_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the files directly in a folder, whose path ends with `/` or is empty.
    pub(crate) fn in_folder(&self, folder: &str) -> &[FileId] {
        self.by_folder.get(folder).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn in_package(&self, package: &str) -> &[FileId] {
        self.by_package.get(package).map_or(&[], Vec::as_slice)
    }

    fn entry(&self, file: FileId) -> Option<&Entry> {
        self.files.get(file as usize)?.as_ref()
    }

    fn name_entry(&mut self, name: &str) -> &mut Name {
        self.names.entry(name.into()).or_default()
    }
}

/// Returns for each name whether a reference or an import uses it.
fn mentioned(symbols: &FileSymbols) -> Vec<bool> {
    let mut used = vec![false; symbols.names.len()];
    let references = symbols.references.iter().map(|one| one.name);
    let imports = symbols.imports.iter().flat_map(|one| one.name.into_iter().chain([one.local]));
    for name in references.chain(imports) {
        if let Some(used) = used.get_mut(name as usize) {
            *used = true;
        }
    }
    used
}

fn outline_of(symbols: &FileSymbols) -> FileSymbols {
    FileSymbols {
        language: symbols.language,
        package: symbols.package,
        names: symbols.names.clone(),
        definitions: symbols.definitions.clone(),
        references: Vec::new(),
        imports: symbols.imports.clone(),
        locals: Vec::new(),
        partial: symbols.partial,
    }
}
