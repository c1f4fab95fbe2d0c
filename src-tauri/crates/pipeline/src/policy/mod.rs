//! The policy: connects the capability reviewer with a repository. It is read-only: no network, no program, and nothing is written except
//! the run folder. A review also stores facts about files in the data folder.

mod classify;
mod contracts;
mod examine;
mod facts_cache;
mod report;
mod run;
pub(crate) mod trees;

pub(crate) use classify::classify;
pub use examine::{Ask, Examined, Mode, examine};
pub(crate) use facts_cache::stored_facts;
pub use report::{findings, summary};
pub use run::{PolicyOutcome, PolicyRequest, policy};
pub(crate) use run::{bounds, knowledge};
