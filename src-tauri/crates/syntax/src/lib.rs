//! Parses languages with tree-sitter, for highlighting and outlines.

pub mod highlight;
pub mod language;
pub mod outline;
