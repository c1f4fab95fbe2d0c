//! Parses languages with tree-sitter, for highlighting, outlines and comparison.

pub mod highlight;
pub mod imports;
pub mod language;
pub mod outline;
pub mod tokens;
