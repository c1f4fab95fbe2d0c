//! Real git repositories, a scripted model server and agent stand-ins for the tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot be set up has failed")]

pub mod codex;
pub mod file_server;
pub mod gitlab;
pub mod history;
pub mod model_server;
pub mod repo;
pub mod secrets;
pub mod stand_in;
pub mod timing;
