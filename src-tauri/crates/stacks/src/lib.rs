//! Stacks: merge requests whose target branch is the source branch of another open one, and local branches in a row.
//!
//! In: the open merge requests of a project or the branches of a repository, and the saved reviews. Out: the layers with their states,
//! the lowest one first, and the layer that introduced the lines of a finding. It does not decide about posting.

mod layers;
mod order;
mod owners;

pub use layers::{Layer, LayerReview, Stack, of_branch, of_requests};
pub use order::{Link, Placed, stack_of};
pub use owners::{LayerOfFinding, layers_of_findings};
