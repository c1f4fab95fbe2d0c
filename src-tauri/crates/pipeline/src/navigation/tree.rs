//! The symbols of one side of a change: read from the repository's objects in parallel, cached by object id.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::precise::PreciseIndex;
use crate::error::{Error, ErrorCode, Result};
use crate::open::OpenChange;
use diffsan_capability::project::Files;
use diffsan_policy::{Reader, Tree};
use diffsan_review::finding::Side;
use diffsan_store::files::symbol_cache::SymbolCache;
use diffsan_syntax::language::Language;
use diffsan_syntax::resolve::{Navigator, SymbolIndex};
use diffsan_syntax::symbols::{FileSymbols, MAX_FILE_BYTES, read, read_manifest};

/// The maximum number of files whose references stay in memory.
const LOADED_FILES: usize = 2_000;

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
    reader: Mutex<Reader>,
    cache: Option<SymbolCache>,
    loaded: Mutex<HashMap<String, Arc<FileSymbols>>>,
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
        let tree = Tree::open(opened.files(), side)?;
        let wanted: BTreeMap<&String, String> = tree
            .paths()
            .iter()
            .filter(|path| is_read(path))
            .filter_map(|path| Some((path, key_of(tree.reader(), path)?)))
            .collect();
        let mut index = earlier.map(|earlier| earlier.index.clone()).unwrap_or_default();
        let gone: Vec<String> = index
            .files()
            .filter(|(path, key)| wanted.get(&(*path).to_owned()).is_none_or(|wanted| wanted != key))
            .map(|(path, _)| path.to_owned())
            .collect();
        for path in &gone {
            index.remove(path);
        }
        let missing = wanted.iter().filter(|(path, _)| index.file(path).is_none());
        let items: Vec<Item> = missing.map(|(path, key)| Item { path: (*path).clone(), key: key.clone() }).collect();
        let mut built = Self {
            index,
            reader: Mutex::new(tree.another_reader()?),
            cache,
            loaded: Mutex::default(),
            skipped: BTreeSet::new(),
            precise: PreciseIndex::of(opened),
        };
        built.read_all(&tree, &items, (effort, stop))?;
        if let Some(cache) = built.cache.as_ref().filter(|_| !items.is_empty()) {
            cache.prune();
        }
        Ok(built)
    }

    fn read_all(
        &mut self,
        tree: &Tree,
        items: &[Item],
        (effort, stop): (Effort, &(dyn Fn() -> bool + Sync)),
    ) -> Result<()> {
        let threads = match effort {
            Effort::Full => std::thread::available_parallelism().map_or(1, usize::from).min(items.len() / 8 + 1),
            Effort::Background => 1,
        };
        let readers: Vec<Reader> =
            (0..threads).map(|_| tree.another_reader()).collect::<std::result::Result<_, _>>()?;
        let (next, cache) = (AtomicUsize::new(0), self.cache.clone());
        let (send, receive) = mpsc::sync_channel::<(usize, Option<FileSymbols>)>(256);
        let (index, skipped) = (&mut self.index, &mut self.skipped);
        std::thread::scope(|scope| {
            for reader in readers {
                let (send, next, cache) = (send.clone(), &next, cache.as_ref());
                scope.spawn(move || {
                    while let Some((at, item)) = take(next, items).filter(|_| !stop()) {
                        if send.send((at, symbols_of(&reader, cache, item))).is_err() {
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
        if stop() { Err(Error::new(ErrorCode::Cancelled, "Reading the symbols was cancelled.")) } else { Ok(()) }
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
        if let Some(known) = self.lock_loaded().get(path) {
            return Some(Arc::clone(known));
        }
        let item = Item { path: path.to_owned(), key: self.index.blob(path)?.to_owned() };
        let symbols = {
            let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::new(symbols_of(&reader, self.cache.as_ref(), &item)?)
        };
        let mut loaded = self.lock_loaded();
        if loaded.len() >= LOADED_FILES {
            loaded.clear();
        }
        loaded.insert(path.to_owned(), Arc::clone(&symbols));
        Some(symbols)
    }

    /// Returns the text of a file.
    pub fn text(&self, path: &str) -> Option<Vec<u8>> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner).bytes(path, MAX_FILE_BYTES as u64)
    }

    /// Calls a function with a navigator.
    pub fn navigate<T>(&self, ask: impl FnOnce(Navigator<'_>) -> T) -> T {
        ask(Navigator::new(&self.index, &|path| self.load(path)))
    }

    fn lock_loaded(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<FileSymbols>>> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }
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

/// Returns the symbols of a file from the cache, or reads and caches them.
fn symbols_of(reader: &Reader, cache: Option<&SymbolCache>, item: &Item) -> Option<FileSymbols> {
    let known = cache.and_then(|cache| cache.get(&item.key));
    if let Some(symbols) = known.and_then(|bytes| postcard::from_bytes(&bytes).ok()) {
        return Some(symbols);
    }
    let bytes = reader.bytes(&item.path, MAX_FILE_BYTES as u64)?;
    let symbols = match Language::of(&item.path) {
        Some(language) => read(language, &bytes)?,
        None => read_manifest(&item.path, &String::from_utf8_lossy(&bytes))?,
    };
    if let (Some(cache), Ok(bytes)) = (cache, postcard::to_stdvec(&symbols)) {
        cache.put(&item.key, &bytes);
    }
    Some(symbols)
}
