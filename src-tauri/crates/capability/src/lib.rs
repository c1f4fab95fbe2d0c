//! What code can do: effects found in it, with the chain of places that leads to each. Pure: files come as values and through
//! a trait, time as a question; nothing is run, written or sent.
//!
//! `language` and `read` turn a text into facts; `project` holds the bounds and is the only way to a file; `modules` and
//! `meaning` say what names mean; `follow` goes from a use to its effects; `knowledge` knows which symbols have which.

pub mod classifier;
pub mod contracts;
pub mod diff;
pub mod facts;
pub mod follow;
pub mod join;
pub mod judge;
pub mod knowledge;
pub mod manifest;
pub mod meaning;
pub mod modules;
pub mod project;
pub mod read;
mod scope;
