//! What is posted to a merge request, and where: positions that GitLab takes, text that does nothing but be read, marks by which it is
//! found again.
//!
//! In: findings with their places, the change and GitLab's own diff refs. Out: values; the door sends them.

mod body;
mod markdown;
pub mod marks;
mod plan;
mod suggestion;

pub use markdown::{Note, check, neutral, neutral_line};
pub use marks::MarkerKeys;
pub use plan::{ChosenFinding, PlanInput, PlannedItem, PlannedSummary, PostPlan, plan};
