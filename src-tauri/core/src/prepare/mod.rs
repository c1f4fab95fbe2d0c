//! From a change to what may be sent of it: ignore, order, budget, coverage.

pub mod types;
