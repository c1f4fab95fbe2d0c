//! The symbols and names of files by the key of their content, for both sides of a change: read at most once, and cached on disk.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};

use super::stored_names;
use diffsan_policy::Reader;
use diffsan_store::files::symbol_cache::SymbolCache;
use diffsan_syntax::language::Language;
use diffsan_syntax::symbols::{FileNames, FileSymbols, MAX_FILE_BYTES, read, read_manifest};

/// The maximum number of files whose references stay in memory.
const LOADED_FILES: usize = 2_000;

/// The names of files by key. `None` for a file that has no symbols.
pub(super) type NamesByKey = HashMap<String, Option<FileNames>>;

/// Symbols and names by the key of a file's content.
pub struct SymbolStore {
    cache: Option<SymbolCache>,
    loaded: Mutex<HashMap<String, Arc<FileSymbols>>>,
    /// The key of the stored names of a repository, and the names. They are read at the first need.
    names_key: Option<String>,
    names: Mutex<Option<NamesByKey>>,
    /// The names differ from the stored ones.
    is_changed: AtomicBool,
    /// An entry was added to the cache.
    is_added: AtomicBool,
}

impl SymbolStore {
    /// Returns the store of a repository.
    pub fn new(cache: Option<SymbolCache>, root: Option<&Path>) -> Arc<Self> {
        let names_key = root.map(|root| {
            let digest = Sha256::digest(root.as_os_str().as_encoded_bytes());
            format!("{}.names", hex::encode(&digest[..16]))
        });
        Arc::new(Self {
            cache,
            loaded: Mutex::default(),
            names_key,
            names: Mutex::default(),
            is_changed: AtomicBool::new(false),
            is_added: AtomicBool::new(false),
        })
    }

    /// Returns the symbols of a file, from memory, the cache or its content. They stay in memory.
    pub(super) fn load(
        &self,
        path: &str,
        key: &str,
        bytes: impl FnOnce() -> Option<Vec<u8>>,
    ) -> Option<Arc<FileSymbols>> {
        if let Some(known) = lock(&self.loaded).get(key) {
            return Some(Arc::clone(known));
        }
        let symbols = Arc::new(self.read(path, key, bytes)?);
        if let Some(names) = lock(&self.names).as_mut()
            && let Some(Some(known)) = names.get_mut(key)
            && !known.is_exact()
        {
            *known = FileNames::of_symbols(&symbols);
            self.is_changed.store(true, Ordering::Relaxed);
        }
        let mut loaded = lock(&self.loaded);
        if loaded.len() >= LOADED_FILES {
            loaded.clear();
        }
        loaded.insert(key.to_owned(), Arc::clone(&symbols));
        Some(symbols)
    }

    /// Returns the symbols of a file from the cache, or reads and caches them.
    pub(super) fn read(&self, path: &str, key: &str, bytes: impl FnOnce() -> Option<Vec<u8>>) -> Option<FileSymbols> {
        let known = self.cache.as_ref().and_then(|cache| cache.get(key));
        if let Some(symbols) = known.and_then(|bytes| postcard::from_bytes(&bytes).ok()) {
            return Some(symbols);
        }
        let bytes = bytes()?;
        let symbols = match Language::of(path) {
            Some(language) => read(language, &bytes)?,
            None => read_manifest(path, &String::from_utf8_lossy(&bytes))?,
        };
        if let (Some(cache), Ok(bytes)) = (&self.cache, postcard::to_stdvec(&symbols)) {
            cache.put(key, &bytes);
            self.is_added.store(true, Ordering::Relaxed);
        }
        Some(symbols)
    }

    /// Returns the known names of a file. The outer `None` means that they are not known.
    pub(super) fn names(&self, key: &str) -> Option<Option<FileNames>> {
        let mut names = lock(&self.names);
        let names = names.get_or_insert_with(|| {
            let stored = self.cache.as_ref().and_then(|cache| cache.get(self.names_key.as_ref()?));
            stored.and_then(|bytes| stored_names::decode(&bytes)).unwrap_or_default()
        });
        names.get(key).cloned()
    }

    /// Remembers the names of a file. `None` if it has no symbols.
    pub(super) fn set_names(&self, key: &str, names: Option<FileNames>) {
        lock(&self.names).get_or_insert_default().insert(key.to_owned(), names);
        self.is_changed.store(true, Ordering::Relaxed);
    }

    /// Saves the names for later processes, and bounds the cache. `keys` are those that are needed now: others are removed when they are
    /// the larger part. Blocks.
    pub(super) fn save(&self, keys: &HashSet<&str>) {
        if let (Some(cache), Some(key), Some(names)) = (&self.cache, &self.names_key, lock(&self.names).as_mut())
            && self.is_changed.swap(false, Ordering::Relaxed)
        {
            if names.len() > keys.len() * 2 {
                names.retain(|key, _| keys.contains(key.as_str()));
            }
            cache.put(key, &stored_names::encode(names));
        }
        self.prune();
    }

    /// Bounds the cache, if it grew. Blocks.
    pub(super) fn prune(&self) {
        if let Some(cache) = self.cache.as_ref().filter(|_| self.is_added.swap(false, Ordering::Relaxed)) {
            cache.prune();
        }
    }
}

/// Returns the content of a file that can have symbols.
pub(super) fn bytes_of(reader: &Reader, path: &str) -> Option<Vec<u8>> {
    reader.bytes(path, MAX_FILE_BYTES as u64)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
