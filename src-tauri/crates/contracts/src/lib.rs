//! Reads contracts: sentences in English about what code may do. The crate is pure and knows no code: a text comes in, typed statements
//! go out.
//!
//! [`parse`] is the entrance. `reader` reads the formats of files; `sentences` splits a text, `clauses` and `segments` a sentence; `limits` and `code_names`
//! find the code that a clause is about, `statements` and `effect_words` its effect, `used_names` what must not be imported; `grammar` has the words by which contracts speak.
//! `vocabulary` has the effects; `phrases` and `symbol_names` find those that words name, and `wording` has the forms of words.

mod changes;
mod clauses;
pub mod code_names;
pub mod contract;
#[cfg(test)]
mod contract_sentences;
mod effect_words;
mod grammar;
pub mod http;
mod limits;
#[cfg(test)]
mod phrase_tests;
pub mod phrases;
mod reader;
mod segments;
mod sentences;
mod statements;
pub mod symbol_names;
mod used_names;
pub mod vocabulary;
pub mod wording;

pub use contract::{ContractEffect, ContractWarning, Contracts, Modal, Reading};
pub use reader::{has_block, parse};
