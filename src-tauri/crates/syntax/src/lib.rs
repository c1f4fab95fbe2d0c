//! Parses languages with tree-sitter, for highlighting, outlines, symbols and comparison.

pub mod embedded;
pub mod highlight;
pub mod imports;
pub mod language;
pub mod outline;
pub mod resolve;
pub mod scip;
pub mod symbols;
pub mod tokens;
pub mod tree;
