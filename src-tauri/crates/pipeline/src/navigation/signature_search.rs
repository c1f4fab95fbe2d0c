//! Searches the unchanged callers of changed signatures only as far as a prompt shows them.
//!
//! In: the sides of a change, and the paths of the files that a prompt has. Out: the first signatures with all their callers, as many as
//! are asked for, and the number of the others. Only files that can call a changed name are read.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::thread;

use super::signatures::{MAX_SIGNATURES, Touched, changes_of, is_unchanged, touched_lines};
use super::symbol_store::SymbolStore;
use super::tree::SymbolTree;
use crate::error::Result;
use crate::open::OpenChange;
use diffsan_change::{FileChange, parallel};
use diffsan_policy::utf8;
use diffsan_review::finding::Side;
use diffsan_store::files::symbol_cache::SymbolCache;
use diffsan_syntax::language::Language;
use diffsan_syntax::resolve::{Place, SignatureChange, Usage};

/// The number of signatures that are searched at once.
const BLOCK: usize = 64;

/// A function that says whether to stop.
type Stop<'s> = &'s (dyn Fn() -> bool + Sync);

/// The changed signatures of a change, and the answers found so far.
pub struct SignatureSearch {
    base: SymbolTree,
    head: SymbolTree,
    touched: Touched,
    /// The old paths of changed files.
    old_paths: BTreeSet<String>,
    /// The number of files, in the order of the plan, whose changes are known.
    files: usize,
    changes: Vec<SearchedChange>,
    /// The languages whose names are read.
    languages: BTreeSet<Language>,
    /// The number of changes before the limit of signatures, once it is known.
    end: Option<usize>,
}

/// A changed signature.
struct SearchedChange {
    change: SignatureChange,
    /// Whether it has unchanged callers, once it is known.
    has_callers: OnceLock<bool>,
}

impl SearchedChange {
    /// Returns the definition in the head, or in the base if it is removed.
    fn place(&self) -> &Place {
        self.change.head.as_ref().unwrap_or(&self.change.base)
    }
}

impl SignatureSearch {
    /// Opens both sides of a change. Blocks.
    pub fn open(opened: &OpenChange, cache: Option<SymbolCache>) -> Result<Self> {
        let store = SymbolStore::new(cache, opened.root.as_deref());
        Ok(Self {
            base: SymbolTree::open(opened, Side::Old, &store)?,
            head: SymbolTree::open(opened, Side::New, &store)?,
            touched: touched_lines(opened),
            old_paths: opened.change.files.iter().filter_map(|file| utf8(file.old_path.as_ref()?)).collect(),
            files: 0,
            changes: Vec::new(),
            languages: BTreeSet::new(),
            end: None,
        })
    }

    /// Calls a function with each changed signature in some files and its unchanged callers, in the order of the files, until it breaks.
    /// The callers are not empty, and the certain ones are first. Then returns the number of the signatures that follow. `stop` ends the
    /// search. Blocks.
    pub fn each(
        &mut self,
        opened: &OpenChange,
        paths: &BTreeSet<String>,
        stop: Stop<'_>,
        each: &mut dyn FnMut(&SignatureChange, &[Usage]) -> ControlFlow<Rest>,
    ) -> Result<usize> {
        self.read_changes(opened, paths, stop)?;
        let asked: Vec<usize> =
            (0..self.changes.len()).filter(|at| paths.contains(&self.changes[*at].place().path)).collect();
        let mut shown = 0;
        let threads = thread::available_parallelism().map_or(1, usize::from).min(4);
        let mut rest = Rest::Counted;
        'search: for block in asked.chunks(threads) {
            let found = parallel::each(block.len(), block.len(), |at| match stop() {
                true => Vec::new(),
                false => self.callers(block[at], false),
            });
            for (at, callers) in block.iter().zip(found) {
                shown += 1;
                if *at >= MAX_SIGNATURES && *at >= self.end(stop) {
                    return Ok(0);
                }
                if !callers.is_empty()
                    && let ControlFlow::Break(wanted) = each(&self.changes[*at].change, &callers)
                {
                    rest = wanted;
                    break 'search;
                }
            }
        }
        if rest == Rest::Ignored {
            return Ok(0);
        }
        let others = &asked[shown..];
        let end = if others.iter().any(|at| *at >= MAX_SIGNATURES) { self.end(stop) } else { usize::MAX };
        let has_callers = parallel::each(others.len(), parallel::threads_for(others.len()), |at| {
            others[at] < end && !stop() && self.has_callers(others[at])
        });
        Ok(has_callers.into_iter().filter(|has| *has).count())
    }

    /// Saves what was read, so that later searches are faster. Blocks.
    pub fn save(&self) {
        SymbolTree::save_names(&[&self.head, &self.base]);
    }

    /// Compares the signatures of the files up to the last one with one of the paths.
    fn read_changes(&mut self, opened: &OpenChange, paths: &BTreeSet<String>, stop: Stop<'_>) -> Result<()> {
        let order = opened.plan.order();
        let file = |at: usize| -> &FileChange { &opened.change.files[order[at]] };
        let is_asked = |file: &FileChange| {
            let mut sides = [&file.old_path, &file.new_path].into_iter().flatten();
            sides.any(|path| utf8(path).is_some_and(|path| paths.contains(&path)))
        };
        let end = (0..order.len()).rfind(|at| is_asked(file(*at))).map_or(0, |last| last + 1);
        if end <= self.files {
            return Ok(());
        }
        let first = self.files;
        let found = parallel::each(end - first, parallel::threads_for(end - first), |at| match stop() {
            true => Vec::new(),
            false => changes_of(file(first + at), &self.base, &self.head),
        });
        self.files = end;
        let changes = found.into_iter().flatten().map(|change| SearchedChange { change, has_callers: OnceLock::new() });
        self.changes.extend(changes);
        self.end = None;
        let languages: BTreeSet<Language> =
            self.changes.iter().filter_map(|one| Language::of(&one.place().path)).collect();
        if languages != self.languages {
            self.head.read_names(&languages, None, stop)?;
            self.base.read_names(&languages, Some(&self.head), stop)?;
            self.languages = languages;
        }
        Ok(())
    }

    /// Returns the calls of a signature that the change does not touch, sorted, or only one of them.
    fn callers(&self, at: usize, only_one: bool) -> Vec<Usage> {
        let one = &self.changes[at];
        let (place, is_removed) = (one.place(), one.change.head.is_none());
        // A removed definition has no place in the head, so its calls are those that the base resolves to it.
        let tree = if is_removed { &self.base } else { &self.head };
        let is_searched =
            |path: &str| !is_removed || !self.touched.contains_key(path) && !self.old_paths.contains(path);
        let mut found = Vec::new();
        let mut add = |usage: Usage| {
            if is_unchanged(&usage, is_removed, &self.touched) {
                found.push(usage);
            }
            if only_one && !found.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        // Without an answer there are no callers.
        let _ = tree
            .navigate(|navigator| navigator.each_caller(&place.path, place.line, place.column, &is_searched, &mut add));
        found.sort_by(|one, other| (!one.certain, one).cmp(&(!other.certain, other)));
        for usage in &mut found {
            usage.certain &= !is_removed;
        }
        // Another thread can have set it to the same value.
        let _ = one.has_callers.set(!found.is_empty());
        found
    }

    fn has_callers(&self, at: usize) -> bool {
        let known = self.changes[at].has_callers.get().copied();
        known.unwrap_or_else(|| !self.callers(at, true).is_empty())
    }

    /// Returns the number of changes before the limit of signatures with callers.
    fn end(&mut self, stop: Stop<'_>) -> usize {
        if self.changes.len() <= MAX_SIGNATURES {
            return self.changes.len();
        }
        if let Some(end) = self.end {
            return end;
        }
        let mut count = 0;
        let mut end = self.changes.len();
        'blocks: for first in (0..self.changes.len()).step_by(BLOCK) {
            let size = BLOCK.min(self.changes.len() - first);
            let has_callers =
                parallel::each(size, parallel::threads_for(size), |at| !stop() && self.has_callers(first + at));
            for (at, has) in has_callers.into_iter().enumerate() {
                count += usize::from(has);
                if count == MAX_SIGNATURES {
                    end = first + at + 1;
                    break 'blocks;
                }
            }
        }
        self.end = Some(end);
        end
    }
}

/// The signatures after those that were shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// They are counted.
    Counted,
    /// Their number is not needed.
    Ignored,
}
