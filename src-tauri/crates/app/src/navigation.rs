//! Navigation in the files of a change: definitions, references, callers, and unchanged callers of changed signatures.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::{App, ChangeHandle};
use diffsan_pipeline::error::Result;
use diffsan_pipeline::navigation::{ChangedSignature, Effort, SkippedFile, SymbolTree, changed_signatures};
use diffsan_review::finding::Side;
use diffsan_store::files::symbol_cache::SymbolCache;
use diffsan_syntax::resolve::{Missing, Place, References, Resolution, Usage};
use diffsan_syntax::symbols::READER_VERSION;

/// The maximum number of symbol trees in memory.
const MAX_TREES: usize = 4;
/// The maximum number of lines that are shown of a definition.
const PEEK_LINES: u32 = 14;
/// The maximum length of a shown line, in characters.
const MAX_LINE: usize = 400;
/// The maximum number of candidates and of references in one answer.
const MAX_PLACES: usize = 50;
const MAX_REFERENCES: usize = 500;

/// A name in a file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct NamePlace {
    /// The side of the change.
    pub side: Side,
    /// The path on that side.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in UTF-16 units, from 0.
    pub column: u32,
}

/// A name on a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NameOnLine {
    /// The name.
    pub name: String,
    /// The column in UTF-16 units, from 0.
    pub column: u32,
}

/// The names on a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NamesOnLine {
    /// The names that can be asked about, in order, each once.
    pub names: Vec<NameOnLine>,
    /// The reason if the file has no symbols.
    pub missing: Option<Missing>,
    /// Whether the file has syntax errors, so that names can be missing.
    pub partial: bool,
}

/// A definition with its first lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ShownPlace {
    /// The place.
    #[serde(flatten)]
    pub place: Place,
    /// The first lines from the place on.
    pub lines: Vec<String>,
}

/// The answer to the question where a name is defined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FoundDefinition {
    /// There is exactly one, and it is certain.
    pub certain: bool,
    /// The candidates, the most likely first.
    pub places: Vec<ShownPlace>,
    /// The reason if there is none.
    pub missing: Option<Missing>,
}

/// A reference with its line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ShownUsage {
    /// The reference.
    #[serde(flatten)]
    pub usage: Usage,
    /// The text of the line, trimmed.
    pub text: String,
}

/// The references to a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FoundReferences {
    /// The references, the certain ones first.
    pub references: Vec<ShownUsage>,
    /// The number of further references.
    pub more: u32,
    /// The search stopped at its limit, so there can be more than `more` says.
    pub stopped: bool,
    /// The possible definitions, the most likely first, if the definition is not certain. The references are those of all of them.
    pub candidates: Vec<ShownPlace>,
    /// The reason if there is none.
    pub missing: Option<Missing>,
}

/// The state of the symbols of a change's head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SymbolsState {
    /// The number of files with symbols.
    pub files: u32,
    /// Files of known languages without symbols.
    pub skipped: Vec<SkippedFile>,
}

/// A tree that is being built or is ready.
#[derive(Default)]
struct TreeSlot {
    /// The lock is held while the tree is built, so that a second caller waits for the same tree.
    tree: Mutex<Option<Arc<SymbolTree>>>,
    /// The number of callers that need the tree now. A build in the background stops for them; the files that it read are in the cache.
    urgent: AtomicUsize,
}

type Slot = Arc<TreeSlot>;

/// The symbol trees of the changes that were asked about last.
#[derive(Default)]
pub(super) struct SymbolTrees(Mutex<Vec<(String, Side, Slot)>>);

impl SymbolTrees {
    /// Returns the slot of a side, and the other slots, latest first.
    fn slot(&self, id: &str, side: Side) -> (Slot, Vec<Slot>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = match all.iter().position(|(known, at, _)| known == id && *at == side) {
            Some(at) => all.remove(at).2,
            None => Slot::default(),
        };
        let others = all.iter().rev().map(|(.., slot)| Arc::clone(slot)).collect();
        if all.len() >= MAX_TREES {
            all.remove(0);
        }
        all.push((id.to_owned(), side, Arc::clone(&slot)));
        (slot, others)
    }
}

impl App {
    /// Returns the symbols of a side of a change. Builds them at first use, from the tree of an earlier change where it can. Blocks.
    fn symbol_tree(&self, change: &ChangeHandle, side: Side) -> Result<Arc<SymbolTree>> {
        let (slot, others) = self.symbol_trees.slot(&change.id, side);
        slot.urgent.fetch_add(1, Ordering::SeqCst);
        let cancel = self.cancellation();
        let built = self.build_tree(change, side, (&slot, &others), Effort::Full, &|| cancel.is_cancelled());
        slot.urgent.fetch_sub(1, Ordering::SeqCst);
        built
    }

    fn build_tree(
        &self,
        change: &ChangeHandle,
        side: Side,
        (slot, others): (&Slot, &[Slot]),
        effort: Effort,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Arc<SymbolTree>> {
        let mut tree = slot.tree.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tree) = &*tree {
            return Ok(Arc::clone(tree));
        }
        // A tree that another thread is building is not waited for.
        let earlier = others.iter().find_map(|slot| slot.tree.try_lock().ok().and_then(|tree| tree.clone()));
        let cache = self.symbol_cache();
        let built = SymbolTree::build(&change.opened, side, cache, earlier.as_deref(), (effort, stop))?;
        Ok(Arc::clone(tree.insert(Arc::new(built))))
    }

    /// Returns the cache on disk, unless this session saves nothing.
    pub(crate) fn symbol_cache(&self) -> Option<SymbolCache> {
        let saves = !self.is_read_only() && self.places.data.is_dir();
        saves.then(|| SymbolCache::open(&self.places.symbols(), READER_VERSION)).flatten()
    }

    /// Reads the symbols of both sides in the background, so that later questions are answered at once. It uses one core, and ends with an
    /// error if `cancel` is cancelled, or if a question comes meanwhile, which then builds the missing symbols. Blocks.
    pub fn prepare_symbols(&self, change: &ChangeHandle, cancel: &CancellationToken) -> Result<SymbolsState> {
        let app = self.cancellation();
        let prepare = |side| {
            let (slot, others) = self.symbol_trees.slot(&change.id, side);
            let stop = || cancel.is_cancelled() || app.is_cancelled() || slot.urgent.load(Ordering::SeqCst) > 0;
            self.build_tree(change, side, (&slot, &others), Effort::Background, &stop)
        };
        let head = prepare(Side::New)?;
        prepare(Side::Old)?;
        Ok(SymbolsState { files: u32::try_from(head.len()).unwrap_or(u32::MAX), skipped: head.skipped() })
    }

    /// Returns the names on the line of a place, without keywords, literals and comments. Blocks.
    pub fn names_on_line(&self, change: &ChangeHandle, at: &NamePlace) -> Result<NamesOnLine> {
        let tree = self.symbol_tree(change, at.side)?;
        let line = line_at(&tree, at);
        let partial = tree.load(&at.path).is_some_and(|symbols| symbols.partial);
        Ok(match tree.navigate(|navigator| navigator.names_on(&at.path, at.line)) {
            Err(missing) => NamesOnLine { names: Vec::new(), missing: Some(missing), partial },
            Ok(found) => {
                let names = found.into_iter().map(|(name, bytes)| NameOnLine { name, column: units_of(&line, bytes) });
                NamesOnLine { names: names.collect(), missing: None, partial }
            }
        })
    }

    /// Returns the definition of the name at a place. Blocks.
    pub fn find_definition(&self, change: &ChangeHandle, at: &NamePlace) -> Result<FoundDefinition> {
        let tree = self.symbol_tree(change, at.side)?;
        let found = tree.definition(&at.path, at.line, column_of(&tree, at));
        let certain = matches!(found, Resolution::One(_));
        let places = found.places().iter().take(MAX_PLACES).map(|place| shown_place(&tree, place)).collect();
        let missing = if let Resolution::None(missing) = found { Some(missing) } else { None };
        Ok(FoundDefinition { certain, places, missing })
    }

    /// Returns the references to the name at a place, or only the calls. Blocks.
    pub fn find_references(&self, change: &ChangeHandle, at: &NamePlace, only_calls: bool) -> Result<FoundReferences> {
        let tree = self.symbol_tree(change, at.side)?;
        let found = tree.references(&at.path, at.line, column_of(&tree, at));
        let (found, missing) = match found {
            Ok(found) => (found, None),
            Err(missing) => (References::default(), Some(missing)),
        };
        let References { usages: mut all, candidates, stopped } = found;
        all.retain(|usage| usage.call || !only_calls);
        let more = u32::try_from(all.len().saturating_sub(MAX_REFERENCES)).unwrap_or(u32::MAX);
        all.truncate(MAX_REFERENCES);
        let shown = all.into_iter().map(|usage| {
            let text = lines_of(&tree, &usage.path, usage.line, 1).pop().unwrap_or_default().trim().to_owned();
            ShownUsage { usage, text }
        });
        let candidates = candidates.iter().take(MAX_PLACES).map(|place| shown_place(&tree, place)).collect();
        Ok(FoundReferences { references: shown.collect(), more, stopped, candidates, missing })
    }

    /// Returns the changed signatures with unchanged callers. Blocks.
    pub fn changed_signatures(&self, change: &ChangeHandle) -> Result<Vec<ChangedSignature>> {
        let (base, head) = (self.symbol_tree(change, Side::Old)?, self.symbol_tree(change, Side::New)?);
        Ok(changed_signatures(&change.opened, &base, &head, &|| false))
    }
}

fn shown_place(tree: &SymbolTree, place: &Place) -> ShownPlace {
    let count = (place.last_line.saturating_sub(place.line) + 1).min(PEEK_LINES);
    ShownPlace { place: place.clone(), lines: lines_of(tree, &place.path, place.line, count) }
}

/// Returns lines of a file, each cut to a length that can be shown.
fn lines_of(tree: &SymbolTree, path: &str, first: u32, count: u32) -> Vec<String> {
    let Some(text) = tree.text(path) else { return Vec::new() };
    let lines = text.split(|byte| *byte == b'\n').skip((first.max(1) - 1) as usize).take(count as usize);
    lines.map(|line| String::from_utf8_lossy(line).trim_end_matches('\r').chars().take(MAX_LINE).collect()).collect()
}

/// Converts a column in UTF-16 units to bytes.
fn column_of(tree: &SymbolTree, at: &NamePlace) -> u32 {
    let (mut units, mut bytes) = (0, 0);
    for char in line_at(tree, at).chars() {
        if units >= at.column {
            break;
        }
        units += u32::from(char.len_utf16() == 2) + 1;
        bytes += u32::try_from(char.len_utf8()).unwrap_or(1);
    }
    bytes
}

/// Converts a column in bytes to UTF-16 units.
fn units_of(line: &str, column: u32) -> u32 {
    let before = line.char_indices().take_while(|(at, _)| *at < column as usize);
    before.map(|(_, char)| u32::from(char.len_utf16() == 2) + 1).sum()
}

fn line_at(tree: &SymbolTree, at: &NamePlace) -> String {
    let line = tree.text(&at.path).and_then(|text| {
        let line = text.split(|byte| *byte == b'\n').nth((at.line as usize).checked_sub(1)?)?;
        Some(String::from_utf8_lossy(line).into_owned())
    });
    line.unwrap_or_default()
}
