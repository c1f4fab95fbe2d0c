//! Parses languages with tree-sitter, for highlighting, outlines and symbols.

pub mod highlight;
pub mod language;
pub mod outline;
pub mod resolve;
pub mod symbols;
