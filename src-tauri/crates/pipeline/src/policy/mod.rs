//! What a change's code can do: the flow that joins the capability steps with the repository. Read-only: no network, no program,
//! and nothing written but the run's own folder.

mod classify;
mod contracts;
mod examine;
mod report;
mod run;
mod trees;

pub(crate) use classify::classify;
pub use examine::{Ask, Examined, Mode, examine};
pub use report::{findings, summary};
pub use run::{PolicyOutcome, PolicyRequest, policy};
pub(crate) use run::{bounds, knowledge};
