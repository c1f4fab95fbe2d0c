//! Updates of a file from a local server, which behaves in many ways, and starts of new versions. Everything is real: sockets, files,
//! processes.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod download;
mod killed;
mod release;
mod starting;
