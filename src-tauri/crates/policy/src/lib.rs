//! The examination of a change: connects the capability reviewer with a repository.
//!
//! In: a change with the files of its sides, the tables, and the options. Out: the effects that its code reaches, the new ones, and the
//! judgments about the contracts; and the same as findings of a review. It is read-only: no network, no program, and nothing is written but
//! facts about files, if the caller names a store for them. It does not know settings, agents or run folders.

mod contracts;
mod examine;
mod facts_cache;
mod report;
mod trees;

use diffsan_git::RepoError;

pub use contracts::{check, named_contracts};
pub use examine::{Ask, Examined, Mode, Subject, examine};
pub use facts_cache::{stored_facts, stored_facts_read_only};
pub use report::{findings, judgment_text, summary};
pub use trees::{ChangeFiles, Reader, Tree, utf8};

/// The reason why a change cannot be examined.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// The repository cannot be read.
    #[error(transparent)]
    Repo(#[from] RepoError),
    /// A contract that the user names cannot be read.
    #[error("the contract {path} cannot be read: {reason}")]
    Contract {
        /// The path of the file.
        path: String,
        /// The reason.
        reason: String,
    },
    /// A thread could not be started, or panicked.
    #[error("the code analysis ended unexpectedly")]
    Ended(Option<std::io::Error>),
}
