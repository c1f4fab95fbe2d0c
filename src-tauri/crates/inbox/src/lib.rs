//! Decides whose turn it is.
//!
//! In: facts of a merge request or of a local repository, the reader's own mark, and the time. Out: a group, and the reason in words. The
//! table in `tests/table.rs` is the definition. This crate reads nothing and knows neither GitLab's answers nor git.

mod bots;
mod facts;
mod item;
mod local;
mod mark;
mod reason;
mod row;
#[cfg(test)]
mod tests;
mod turn;
mod words;

pub use bots::is_bot;
pub use facts::{
    Approvals, Facts, PipelineState, RequestState, ReviewerFacts, ReviewerState, Role, Speech, ThreadFacts,
};
pub use item::{Item, LocalItem, LocalRepository};
pub use local::{LocalFacts, place_local};
pub use mark::{Mark, MarkKind};
pub use reason::{Group, Placement, Reason, ReasonCode};
pub use row::{Row, RowKind, RowReview};
pub use turn::{Now, place};
pub use words::{age, amount};
