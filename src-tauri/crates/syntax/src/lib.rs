//! Languages by tree-sitter: highlighting and outlines.

pub mod highlight;
pub mod language;
pub mod outline;
