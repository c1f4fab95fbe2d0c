//! Navigation in the files of a change: an index of the symbols of each side, and the unchanged callers of changed signatures.

mod precise;
mod signature_search;
mod signatures;
mod stored_names;
mod symbol_store;
mod tree;

pub use signature_search::{Rest, SignatureSearch};
pub use signatures::{ChangedSignature, UnchangedCaller, changed_signatures};
pub use symbol_store::SymbolStore;
pub use tree::{Effort, SkippedFile, SymbolTree};
