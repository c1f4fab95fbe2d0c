//! The facts about the code of files, by object id. Both sides of a change share them, and later runs read them from the data folder.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use diffsan_capability::facts::{Facts, READER_VERSION};
use diffsan_capability::read;
use diffsan_capability::words::FileWords;
use diffsan_change::parallel::{each_with, threads_for};
use diffsan_redact::Session;
use diffsan_store::files::places::Places;
use diffsan_store::files::symbol_cache::SymbolCache;
use diffsan_syntax::embedded::Format;
use diffsan_syntax::language::Language;

/// Opens the stored facts. Returns `None` where the data folder does not exist.
pub fn stored_facts(places: &Places) -> Option<SymbolCache> {
    places.data.is_dir().then(|| SymbolCache::open(&places.code_facts(), READER_VERSION)).flatten()
}

/// Opens the stored facts of earlier reviews, to read them only. Returns `None` if there are none.
pub fn stored_facts_read_only(places: &Places) -> Option<SymbolCache> {
    SymbolCache::open_read_only(&places.code_facts(), READER_VERSION)
}

/// The facts that one examination uses.
pub(crate) struct FactsCache {
    shared: Mutex<HashMap<String, Arc<OnceLock<Arc<Facts>>>>>,
    words: Mutex<HashMap<String, Arc<OnceLock<Arc<FileWords>>>>>,
    stored: Option<SymbolCache>,
    /// The facts that are not stored yet, with their keys.
    new: Mutex<Vec<(String, Arc<Facts>)>>,
}

impl FactsCache {
    /// Creates a cache over the stored facts, if there are any.
    pub(crate) fn new(stored: Option<SymbolCache>) -> Self {
        Self { shared: Mutex::default(), words: Mutex::default(), stored, new: Mutex::default() }
    }

    /// Returns the facts about an object that is the content of a file with this path and text. Another thread that wants the same ones
    /// waits for them.
    pub(crate) fn facts(&self, id: &str, (path, language): (&str, Language), text: &Arc<str>) -> Arc<Facts> {
        // The same content is read in another way as a page or a component.
        let key = match Format::of(path) {
            Some(format) => format!("{id}.{format:?}"),
            None => format!("{id}.{language:?}"),
        };
        let cell = cell(&self.shared, &key);
        Arc::clone(cell.get_or_init(|| self.stored_or_read(key, (path, language), text)))
    }

    /// Returns the words of an object, which `find` finds.
    pub(crate) fn words(&self, id: &str, find: &dyn Fn() -> FileWords) -> Arc<FileWords> {
        Arc::clone(cell(&self.words, id).get_or_init(|| Arc::new(find())))
    }

    fn stored_or_read(&self, key: String, (path, language): (&str, Language), text: &Arc<str>) -> Arc<Facts> {
        let stored = self.stored.as_ref().and_then(|stored| stored.get(&key));
        if let Some(facts) = stored.and_then(|bytes| postcard::from_bytes::<Facts>(&bytes).ok()) {
            return Arc::new(facts.with_text(Arc::clone(text)));
        }
        let facts = Arc::new(read::facts_of_file(path, language, text));
        if self.stored.as_ref().is_some_and(|stored| !stored.is_read_only()) {
            self.new.lock().unwrap_or_else(PoisonError::into_inner).push((key, Arc::clone(&facts)));
        }
        facts
    }

    /// Stores the new facts for later examinations, and removes the oldest ones. Leaves out files in which `session` finds secrets, because
    /// the literals in them can be these. Blocks.
    pub(crate) fn store(&self, session: Session) {
        let new = std::mem::take(&mut *self.new.lock().unwrap_or_else(PoisonError::into_inner));
        let Some(stored) = self.stored.as_ref().filter(|_| !new.is_empty()) else { return };
        let put = |session: &RefCell<Session>, index: usize| {
            let (key, facts) = &new[index];
            let has_secrets = session.borrow_mut().text("facts", &facts.text).into_inner() != *facts.text;
            if let (false, Ok(bytes)) = (has_secrets, postcard::to_stdvec(&**facts)) {
                stored.put(key, &bytes);
            }
        };
        let others = vec![session.clone(); threads_for(new.len()) - 1];
        each_with(new.len(), &RefCell::new(session), others, |session| Some(RefCell::new(session)), put);
        stored.prune();
    }
}

/// Returns the place of a value that several threads want.
fn cell<T>(cells: &Mutex<HashMap<String, Arc<OnceLock<T>>>>, key: &str) -> Arc<OnceLock<T>> {
    let mut cells = cells.lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(cells.entry(key.to_owned()).or_default())
}
