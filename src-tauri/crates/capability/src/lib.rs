//! Finds the effects of code, with the chain of places that leads to each. The crate is pure: files come as values and through a
//! trait, and a callback says when time is up. It runs, writes and sends nothing.
//!
//! `read` turns a text into facts; `project` enforces the bounds and is the only access to files; `modules` and
//! `resolve` resolve names, `imports` and `results` those of other files and of calls; `follow` collects the effects of
//! definitions, `uses`, `foreign_uses` and `unknown_uses` those of one use; `knowledge` contains the effects of symbols.
//! `diffsan-contracts` reads contracts; `contracts`, `code_places` and `roles` find the code that they are about; `judge` compares them with
//! the effects that the code has, and `import_rules` with its imports. `commands` reads scripts of a shell and the files that contain some. `global_writes` has the effect of writing to state of the whole program.

pub mod additions;
mod arguments;
mod autoload;
mod built_in;
mod builtins;
pub mod classifier;
mod code_places;
pub mod commands;
mod contract_line;
pub mod contracts;
pub mod diff;
mod direction;
mod endpoints;
mod extern_crates;
pub mod facts;
pub mod follow;
mod foreign_uses;
mod found;
mod global_writes;
mod hidden_code;
mod hooks;
mod implementations;
pub mod import_rules;
mod imports;
mod java_packages;
mod jobs;
pub mod join;
pub mod judge;
pub mod kinds;
pub mod knowledge;
#[cfg(test)]
mod known_tests;
mod laravel;
mod library_use;
pub mod manifest;
mod merge;
mod missing;
mod mixins;
pub mod modules;
mod naming;
pub mod not_examined;
mod packages;
mod programs;
pub mod project;
mod rails;
pub mod reach;
pub mod read;
pub mod resolve;
mod results;
mod roles;
mod scope;
#[cfg(test)]
mod testing;
mod unknown_uses;
mod uses;
pub mod words;
