//! Second opinions on findings.
//!
//! In: placed findings of an open change, with the results of the checks without a model. Out: the prompts that ask an agent to refute them,
//! and its opinions, whose evidence is checked against the code. It saves nothing, and it does not know where opinions are shown.

mod ask;
mod callers;
mod check;
mod material;
mod plan;

pub use ask::{Asked, ask};
pub use plan::{OpinionPlan, OpinionPrompt, choose, plan, selected};
