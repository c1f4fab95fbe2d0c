//! Answers from a SCIP index that lies in the repository's root, where its documents agree with the files of a side. Other files are
//! answered from their symbols alone.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use super::SymbolTree;
use crate::open::OpenChange;
use diffsan_bounded::MAX_PATCH_BYTES;
use diffsan_syntax::resolve::{Missing, Place, References, Resolution, Usage, place_of};
use diffsan_syntax::scip::{ScipIndex, ScipPlace};

/// The name of the index in the repository's root.
const FILE: &str = "index.scip";

/// An index, and the documents that were compared with the files of one side.
pub(super) struct PreciseIndex {
    index: Arc<ScipIndex>,
    agrees: Mutex<HashMap<String, bool>>,
}

impl PreciseIndex {
    /// Returns the index of a change's repository, if it has one. It is read at the first call. Blocks.
    pub(super) fn of(opened: &OpenChange) -> Option<Self> {
        let index = opened.scip.get_or_init(|| {
            let bytes = diffsan_bounded::read(&opened.root.as_ref()?.join(FILE), MAX_PATCH_BYTES).ok()?;
            ScipIndex::read(&bytes).map(Arc::new)
        });
        index.as_ref().map(|index| Self { index: Arc::clone(index), agrees: Mutex::default() })
    }

    /// Returns the text of a file whose document agrees with it.
    fn text(&self, tree: &SymbolTree, path: &str) -> Option<String> {
        let known = self.lock().get(path).copied();
        if known == Some(false) {
            return None;
        }
        let text = tree.text(path).and_then(|bytes| String::from_utf8(bytes).ok());
        let agrees = known == Some(true) || text.as_ref().is_some_and(|text| self.index.agrees(path, text));
        self.lock().insert(path.to_owned(), agrees);
        text.filter(|_| agrees)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, bool>> {
        self.agrees.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SymbolTree {
    /// Returns the definition of the name at a place: `line` from 1, `column` in bytes. Blocks.
    pub fn definition(&self, path: &str, line: u32, column: u32) -> Resolution {
        let places = self.precise_places(path, line, column).unwrap_or_default();
        let mut found: Vec<Place> = places.iter().filter(|one| one.defines).map(|one| self.place(one)).collect();
        match found.len() {
            0 => self.navigate(|navigator| navigator.definition(path, line, column)),
            1 => Resolution::One(found.remove(0)),
            _ => Resolution::Several(found),
        }
    }

    /// Returns the references to the name at a place: `line` from 1, `column` in bytes. Blocks.
    pub fn references(&self, path: &str, line: u32, column: u32) -> Result<References, Missing> {
        let found = self.navigate(|navigator| navigator.references(path, line, column));
        let places = self.precise_places(path, line, column).unwrap_or_default();
        if !places.iter().any(|place| place.defines) {
            return found;
        }
        let mut references = found.unwrap_or_default();
        let mut exact: BTreeMap<(String, u32, u32), &ScipPlace> = BTreeMap::new();
        for place in places.iter().filter(|place| !place.defines) {
            exact.insert((place.path.clone(), place.line, place.column), place);
        }
        // In a file whose document agrees, the index knows all references, and those to other symbols of the same name.
        let covered: BTreeSet<String> =
            references.usages.iter().map(|usage| &usage.path).filter(|path| self.is_precise(path)).cloned().collect();
        references.usages.retain_mut(|usage| {
            let is_exact = exact.remove(&(usage.path.clone(), usage.line, usage.column)).is_some();
            usage.certain |= is_exact;
            is_exact || !covered.contains(&usage.path)
        });
        references.usages.extend(exact.into_values().map(usage));
        references.usages.sort_by(|one, other| {
            (!one.certain, &one.path, one.line, one.column).cmp(&(
                !other.certain,
                &other.path,
                other.line,
                other.column,
            ))
        });
        references.candidates.clear();
        Ok(references)
    }

    fn precise_places(&self, path: &str, line: u32, column: u32) -> Option<Vec<ScipPlace>> {
        let precise = self.precise.as_ref()?;
        precise.index.places(path, line, column, |path| precise.text(self, path))
    }

    fn is_precise(&self, path: &str) -> bool {
        self.precise.as_ref().is_some_and(|precise| precise.text(self, path).is_some())
    }

    fn place(&self, one: &ScipPlace) -> Place {
        let symbols = self.load(&one.path);
        let known = symbols.as_ref().and_then(|symbols| {
            let found = symbols.definitions.iter().find(|at| (at.at.line, at.at.column) == (one.line, one.column))?;
            Some(place_of(&one.path, symbols, found))
        });
        known.unwrap_or_else(|| Place {
            path: one.path.clone(),
            line: one.line,
            column: one.column,
            last_line: one.line,
            name: one.name.clone(),
            kind: "local".to_owned(),
        })
    }
}

/// Returns a reference that only the index knows, such as one by another name.
fn usage(place: &ScipPlace) -> Usage {
    Usage {
        path: place.path.clone(),
        line: place.line,
        column: place.column,
        within: String::new(),
        within_line: 0,
        within_last: 0,
        call: false,
        certain: true,
    }
}
