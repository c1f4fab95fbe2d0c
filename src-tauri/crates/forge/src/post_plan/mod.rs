//! Plans the comments of a posting: positions that GitLab accepts, inert text, and markers by which a comment is recognised later.
//!
//! In: findings with their anchors, the change and GitLab's own diff refs. Out: values; the client sends them.

mod body;
mod markdown;
pub mod marks;
mod plan;
mod sections;
mod suggestion;

pub use markdown::{Note, check, neutral, neutral_line};
pub use marks::{MarkerKeys, OwnNote};
pub use plan::{ChosenFinding, PlanInput, PlannedItem, PlannedSummary, PostPlan, plan};
