//! The facts about the code of files, by object id. Both sides of a change share them, and later runs read them from the data folder.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use diffsan_capability::facts::{Facts, READER_VERSION};
use diffsan_capability::read;
use diffsan_redact::Session;
use diffsan_store::files::places::Places;
use diffsan_store::files::symbol_cache::SymbolCache;
use diffsan_syntax::embedded::Format;
use diffsan_syntax::language::Language;

/// Opens the stored facts. Returns `None` where the data folder does not exist.
pub fn stored_facts(places: &Places) -> Option<SymbolCache> {
    places.data.is_dir().then(|| SymbolCache::open(&places.code_facts(), READER_VERSION)).flatten()
}

/// The facts that one examination uses.
pub(crate) struct FactsCache {
    shared: Mutex<HashMap<String, Arc<OnceLock<Arc<Facts>>>>>,
    stored: Option<SymbolCache>,
    /// Finds the files whose facts are not stored, because the literals in them can be secrets.
    session: Mutex<Session>,
    has_new: AtomicBool,
}

impl FactsCache {
    /// Creates a cache over the stored facts, if there are any.
    pub(crate) fn new(stored: Option<SymbolCache>, session: Session) -> Self {
        Self { shared: Mutex::default(), stored, session: Mutex::new(session), has_new: AtomicBool::new(false) }
    }

    /// Returns the facts about an object that is the content of a file with this path and text. Another thread that wants the same ones
    /// waits for them.
    pub(crate) fn facts(&self, id: &str, (path, language): (&str, Language), text: &Arc<str>) -> Arc<Facts> {
        // The same content is read in another way as a page or a component.
        let key = match Format::of(path) {
            Some(format) => format!("{id}.{format:?}"),
            None => format!("{id}.{language:?}"),
        };
        let cell = {
            let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(shared.entry(key.clone()).or_default())
        };
        Arc::clone(cell.get_or_init(|| Arc::new(self.stored_or_read(&key, (path, language), text))))
    }

    fn stored_or_read(&self, key: &str, (path, language): (&str, Language), text: &Arc<str>) -> Facts {
        let stored = self.stored.as_ref().and_then(|stored| stored.get(key));
        if let Some(facts) = stored.and_then(|bytes| postcard::from_bytes::<Facts>(&bytes).ok()) {
            return facts.with_text(Arc::clone(text));
        }
        let facts = read::facts_of_file(path, language, text);
        if let Some(stored) = self.stored.as_ref().filter(|_| !self.has_secrets(text))
            && let Ok(bytes) = postcard::to_stdvec(&facts)
        {
            stored.put(key, &bytes);
            self.has_new.store(true, Ordering::Relaxed);
        }
        facts
    }

    fn has_secrets(&self, text: &str) -> bool {
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        session.text("facts", text).into_inner() != text
    }

    /// Removes the oldest stored facts, if this examination added some. Blocks.
    pub(crate) fn prune(&self) {
        if let Some(stored) = self.stored.as_ref().filter(|_| self.has_new.load(Ordering::Relaxed)) {
            stored.prune();
        }
    }
}
