//! Recognises the parts of a change that have no new meaning, so that a reader can leave them out.
//!
//! In: a change, and the whole texts of its files where they are available. Out: folds, which are sets of changed lines with a reason.
//! Every difference inside of a fold is its reason's: two tokens that differ for another reason stay visible. If a recogniser
//! is not sure, it does not fold. This crate reads no file and knows neither agents nor the interface.

mod blanks;
mod candidates;
mod changed;
#[cfg(test)]
mod corpus;
mod directives;
mod imports;
mod lines;
mod moves;
mod names;
mod order;
mod places;
mod renames;
mod source;
mod sources;
mod summary;
#[cfg(test)]
mod tests;
mod types;

use diffsan_change::Change;

pub use candidates::Candidates;
use changed::Changed;
pub use order::{Chapter, ChapterKind, HunkRef, OrderReason, OrderedHunk, reading_order};
pub use sources::Sources;
pub use summary::{FoldedHunks, folded_hunks};
pub use types::{FileTexts, Fold, FoldReason, FoldSpan, Rename};

/// Returns the folds of a change, in its order. Files without texts have only moved lines that are equal to the byte. The texts of
/// files that are no [`Candidates`] are not used.
pub fn folds(change: &Change, sources: &Sources<'_>) -> Vec<Fold> {
    folds_in(change, sources, &Candidates::of(change))
}

/// Returns the folds in the candidates of a change.
pub fn folds_in(change: &Change, sources: &Sources<'_>, candidates: &Candidates) -> Vec<Fold> {
    let mut changed = Changed::new(change, sources, candidates.files());
    imports::fold(&mut changed);
    let renamed = places::fold(&mut changed);
    renames::fold(&mut changed, renamed);
    moves::fold(&mut changed);
    blanks::fold(&mut changed);
    changed.into_folds()
}
