//! The search for the keywords of all rules.
//!
//! In: the keywords. Out: the places of all of them in a text, also overlapping ones. A small automaton is built at the start. The fast one
//! takes longer to build than most commands run, so it is built when enough text was searched.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::{AhoCorasick, AhoCorasickKind, BuildError, Match, StartKind};

/// The number of searched bytes after which the fast automaton is built.
const FAST_AFTER_BYTES: usize = 2 * 1024 * 1024;

/// Finds keywords, in any case.
pub(super) struct KeywordSearch {
    words: Vec<String>,
    small: AhoCorasick,
    /// The fast automaton. None if it cannot be built, so that the small one is used.
    fast: OnceLock<Option<AhoCorasick>>,
    searched: AtomicUsize,
}

impl KeywordSearch {
    pub(super) fn new(words: Vec<String>) -> Result<Self, BuildError> {
        let small = build(&words, AhoCorasickKind::ContiguousNFA)?;
        Ok(Self { words, small, fast: OnceLock::new(), searched: AtomicUsize::new(0) })
    }

    /// Returns the places of all keywords. A keyword's number is its index.
    pub(super) fn find<'a>(&'a self, text: &'a [u8]) -> impl Iterator<Item = Match> + 'a {
        self.automaton(text.len()).find_overlapping_iter(text)
    }

    fn automaton(&self, bytes: usize) -> &AhoCorasick {
        let before = self.searched.fetch_add(bytes, Ordering::Relaxed);
        if before.saturating_add(bytes) < FAST_AFTER_BYTES {
            return &self.small;
        }
        let fast = self.fast.get_or_init(|| build(&self.words, AhoCorasickKind::DFA).ok());
        fast.as_ref().unwrap_or(&self.small)
    }
}

fn build(words: &[String], kind: AhoCorasickKind) -> Result<AhoCorasick, BuildError> {
    AhoCorasick::builder().ascii_case_insensitive(true).kind(Some(kind)).start_kind(StartKind::Unanchored).build(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_automata_find_the_same_keywords_in_the_same_order() {
        let words = ["key", "api_key", "y", "password", "pass"].map(str::to_owned).to_vec();
        let search = KeywordSearch::new(words).expect("an automaton");
        let text = b"API_KEY = 1; password: pass";
        let places = || search.find(text).map(|hit| (hit.pattern().as_usize(), hit.start())).collect::<Vec<_>>();
        let small = places();
        assert!(search.fast.get().is_none());
        search.searched.store(FAST_AFTER_BYTES, Ordering::Relaxed);
        assert_eq!(places(), small);
        assert!(search.fast.get().is_some_and(Option::is_some));
        assert_eq!(small, [(1, 0), (0, 4), (2, 6), (4, 13), (3, 13), (4, 23)]);
    }
}
