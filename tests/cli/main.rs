//! The program from outside: its output, its exit status and the files that it leaves.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "what fails in a test fails the test"
)]

mod agents;
mod bundle_corpus;
mod bundles;
mod canaries;
mod chat;
mod codex;
mod cursor;
mod ending;
mod errors;
mod export;
mod facts;
mod fetching;
mod inbox;
mod intent;
mod launcher;
mod layout;
mod limits;
mod merge_request;
mod opinions;
mod policy;
mod posting;
mod prepare;
mod prompts;
mod queue;
mod reading;
mod redact;
mod release;
mod rounds;
mod sandbox;
mod search_path;
mod secrets;
mod serve;
mod serve_limits;
mod several;
mod since;
mod snippets;
mod stability;
mod state;
mod support;
mod takeover;
mod terminal;
mod traces;
mod track_record;
mod trust;
mod trusted_files;
