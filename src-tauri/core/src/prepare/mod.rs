//! From a change to what may be sent of it: ignore, order, budget, coverage.

mod attributes;
pub mod types;

pub use attributes::{Attributes, FileAttributes};
