//! The symbols of one side of a change, from the repository's objects. All files are read in parallel, or only those that can answer a
//! question.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};

use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::precise::PreciseIndex;
use super::symbol_store::{SymbolStore, bytes_of};
use crate::error::{Error, ErrorCode, Result};
use crate::open::OpenChange;
use diffsan_capability::project::Files;
use diffsan_change::parallel;
use diffsan_policy::{Reader, Tree};
use diffsan_review::finding::Side;
use diffsan_store::files::symbol_cache::SymbolCache;
use diffsan_syntax::language::Language;
use diffsan_syntax::resolve::{Navigator, SymbolIndex};
use diffsan_syntax::symbols::{FileNames, FileSymbols, MAX_FILE_BYTES};

/// A file that has no symbols, although its language is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkippedFile {
    /// The path.
    pub path: String,
    /// The reason, as a clause: `it is larger than a megabyte, or binary`.
    pub reason: String,
}

/// The number of cores that read files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// All cores.
    Full,
    /// One core, so that other work goes on.
    Background,
}

/// The symbols of one side of a change.
pub struct SymbolTree {
    index: SymbolIndex,
    /// All files are read, so that others have no symbols.
    is_complete: bool,
    tree: Mutex<Tree>,
    readers: Mutex<Vec<Reader>>,
    store: Arc<SymbolStore>,
    skipped: BTreeSet<String>,
    pub(super) precise: Option<PreciseIndex>,
}

/// A file to read, and the key of its content.
struct Item {
    path: String,
    key: String,
}

impl SymbolTree {
    /// Reads a side of a change. `earlier` is another tree of the same repository; only the files that differ are read. `stop` is asked
    /// before each file. Blocks.
    pub fn build(
        opened: &OpenChange,
        side: Side,
        cache: Option<SymbolCache>,
        earlier: Option<&Self>,
        (effort, stop): (Effort, &(dyn Fn() -> bool + Sync)),
    ) -> Result<Self> {
        let mut built = Self::open(opened, side, &SymbolStore::new(cache, opened.root.as_deref()))?;
        built.precise = PreciseIndex::of(opened);
        let wanted = built.wanted(|_| true);
        let mut index = earlier.map(|earlier| earlier.index.clone()).unwrap_or_default();
        let gone: Vec<String> = index
            .files()
            .filter(|(path, key)| wanted.get(*path).is_none_or(|wanted| wanted != key))
            .map(|(path, _)| path.to_owned())
            .collect();
        for path in &gone {
            index.remove(path);
        }
        let missing = wanted.into_iter().filter(|(path, _)| index.file(path).is_none());
        let items: Vec<Item> = missing.map(|(path, key)| Item { path, key }).collect();
        built.index = index;
        built.read_all(&items, (effort, stop))?;
        built.is_complete = true;
        built.store.prune();
        Ok(built)
    }

    /// Opens a side of a change without reading files. Its files have symbols; names of other files are found after
    /// [`Self::read_names`]. Blocks.
    pub fn open(opened: &OpenChange, side: Side, store: &Arc<SymbolStore>) -> Result<Self> {
        let tree = Tree::open(opened.files(), side)?;
        Ok(Self {
            index: SymbolIndex::new(),
            is_complete: false,
            tree: Mutex::new(tree),
            readers: Mutex::default(),
            store: Arc::clone(store),
            skipped: BTreeSet::new(),
            precise: None,
        })
    }

    /// Reads the names of the files that can use definitions in some languages. Their symbols are read when a question needs them. Files
    /// that `earlier` has too come first, as in a tree that is built from it. `stop` is asked before each file. Blocks.
    pub fn read_names(
        &mut self,
        languages: &BTreeSet<Language>,
        earlier: Option<&Self>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<()> {
        let wanted = self.wanted(|path| {
            Language::of(path).is_none_or(|one| languages.iter().any(|language| language.speaks_with(one)))
        });
        let (manifests, mut files): (Vec<_>, Vec<_>) =
            wanted.into_iter().partition(|(path, _)| Language::of(path).is_none());
        if let Some(earlier) = earlier {
            files.sort_by_key(|(path, key)| earlier.index.blob(path) != Some(key));
        }
        let missing: Vec<&(String, String)> = files.iter().filter(|(_, key)| self.store.names(key).is_none()).collect();
        parallel::each(missing.len(), parallel::threads_for(missing.len()), |at| {
            let (path, key) = missing[at];
            if !stop() {
                self.store.set_names(key, self.read_names_of(path));
            }
        });
        if stop() {
            return Err(cancelled());
        }
        let mut index = std::mem::take(&mut self.index);
        for (path, key) in &manifests {
            if let Some(symbols) = self.load_as(path, key) {
                index.insert(path, key, &symbols);
            }
        }
        for (path, key) in &files {
            match (self.store.names(key).flatten(), Language::of(path)) {
                (Some(names), Some(language)) => index.insert_unread(path, key, language, names),
                _ => drop(self.skipped.insert(path.clone())),
            }
        }
        self.index = index;
        Ok(())
    }

    fn read_names_of(&self, path: &str) -> Option<FileNames> {
        let bytes = self.with_reader(|reader| bytes_of(reader, path))??;
        let is_text = bytes.len() <= MAX_FILE_BYTES && !bytes.contains(&0);
        Language::of(path).filter(|_| is_text).map(|language| FileNames::of_text(language, &bytes))
    }

    /// Saves the names that were read for the trees of a store. Blocks.
    pub fn save_names(trees: &[&Self]) {
        let Some(first) = trees.first() else { return };
        let keys: HashSet<&str> = trees.iter().flat_map(|tree| tree.index.files()).map(|(_, key)| key).collect();
        first.store.save(&keys);
    }

    /// Returns the files with symbols that a filter allows, with the keys of their contents.
    fn wanted(&self, filter: impl Fn(&str) -> bool) -> BTreeMap<String, String> {
        let tree = lock(&self.tree);
        let paths = tree.paths().iter().filter(|path| is_read(path) && filter(path));
        paths.filter_map(|path| Some((path.clone(), key_of(tree.reader(), path)?))).collect()
    }

    fn read_all(&mut self, items: &[Item], (effort, stop): (Effort, &(dyn Fn() -> bool + Sync))) -> Result<()> {
        let threads = match effort {
            Effort::Full => std::thread::available_parallelism().map_or(1, usize::from).min(items.len() / 8 + 1),
            Effort::Background => 1,
        };
        let readers: Vec<Reader> =
            (0..threads).map(|_| lock(&self.tree).another_reader()).collect::<std::result::Result<_, _>>()?;
        let (next, store) = (AtomicUsize::new(0), Arc::clone(&self.store));
        let (send, receive) = mpsc::sync_channel::<(usize, Option<FileSymbols>)>(256);
        let (index, skipped) = (&mut self.index, &mut self.skipped);
        std::thread::scope(|scope| {
            for reader in readers {
                let (send, next, store) = (send.clone(), &next, &store);
                scope.spawn(move || {
                    while let Some((at, item)) = take(next, items).filter(|_| !stop()) {
                        let symbols = store.read(&item.path, &item.key, || bytes_of(&reader, &item.path));
                        if send.send((at, symbols)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(send);
            for (at, symbols) in receive {
                let Item { path, key } = &items[at];
                match symbols {
                    Some(symbols) => index.insert(path, key, &symbols),
                    None => drop(skipped.insert(path.clone())),
                }
            }
        });
        if stop() { Err(cancelled()) } else { Ok(()) }
    }

    /// Returns the number of files with symbols.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Returns whether no file has symbols.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Returns the files of known languages without symbols, with the reason.
    pub fn skipped(&self) -> Vec<SkippedFile> {
        let reason = "it is larger than a megabyte, or binary";
        self.skipped.iter().map(|path| SkippedFile { path: path.clone(), reason: reason.to_owned() }).collect()
    }

    /// Returns the index.
    pub fn index(&self) -> &SymbolIndex {
        &self.index
    }

    /// Returns the symbols of a file.
    pub fn load(&self, path: &str) -> Option<Arc<FileSymbols>> {
        if let Some(key) = self.index.blob(path) {
            return self.load_as(path, key);
        }
        if self.is_complete || self.skipped.contains(path) || !is_read(path) {
            return None;
        }
        self.load_as(path, &self.with_reader(|reader| key_of(reader, path))??)
    }

    fn load_as(&self, path: &str, key: &str) -> Option<Arc<FileSymbols>> {
        self.store.load(path, key, || self.with_reader(|reader| bytes_of(reader, path))?)
    }

    /// Returns the text of a file.
    pub fn text(&self, path: &str) -> Option<Vec<u8>> {
        self.with_reader(|reader| bytes_of(reader, path))?
    }

    /// Calls a function with a reader that no other thread has. Returns `None` if the repository cannot be opened again.
    fn with_reader<T>(&self, read: impl FnOnce(&Reader) -> T) -> Option<T> {
        let known = lock(&self.readers).pop();
        let reader = known.or_else(|| lock(&self.tree).another_reader().ok())?;
        let result = read(&reader);
        lock(&self.readers).push(reader);
        Some(result)
    }

    /// Calls a function with a navigator.
    pub fn navigate<T>(&self, ask: impl FnOnce(Navigator<'_>) -> T) -> T {
        ask(Navigator::new(&self.index, &|path| self.load(path)))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn cancelled() -> Error {
    Error::new(ErrorCode::Cancelled, "Reading the symbols was cancelled.")
}

fn take<'i>(next: &AtomicUsize, items: &'i [Item]) -> Option<(usize, &'i Item)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    Some((at, items.get(at)?))
}

fn is_read(path: &str) -> bool {
    Language::of(path).is_some() || is_manifest(path)
}

fn is_manifest(path: &str) -> bool {
    matches!(path.rsplit('/').next(), Some("go.mod" | "Cargo.toml" | "package.json"))
}

/// Returns the key of a file's content: equal content in the same language has the same key. `None` for links.
fn key_of(reader: &Reader, path: &str) -> Option<String> {
    let language = Language::of(path).map_or_else(|| "manifest".to_owned(), |language| format!("{language:?}"));
    let id = match reader.object_id(path) {
        Some(id) => id.to_owned(),
        None => hex::encode(Sha256::digest(reader.bytes(path, MAX_FILE_BYTES as u64)?)),
    };
    Some(format!("{id}.{language}"))
}
