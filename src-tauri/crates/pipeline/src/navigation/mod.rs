//! Navigation in the files of a change: an index of the symbols of each side, and the unchanged callers of changed signatures.

mod precise;
mod signatures;
mod tree;

pub use signatures::{ChangedSignature, UnchangedCaller, changed_signatures, has_changed_signatures};
pub use tree::{Effort, SkippedFile, SymbolTree};
