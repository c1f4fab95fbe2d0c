//! The parts of the fuzz target `rpc`: a core with real state, and calls with parameters of the right types.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, reason = "a fuzz target fails by panicking")]

pub mod calls;
pub mod core;
mod releases;
