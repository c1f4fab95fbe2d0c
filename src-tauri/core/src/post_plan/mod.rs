//! What is posted to a merge request, and where: positions that GitLab takes, and text that does nothing but be read.
//!
//! In: findings with their places, the change and GitLab's own diff refs. Out: values; the door sends them.

mod position;
mod safety;

pub use position::{DiffRefs, Landing, Position, landing};
pub use safety::neutral;
