//! The pipeline of a review: opens a change, reviews it and applies fixes.

pub mod agents;
mod blocking;
pub mod error;
pub mod facts;
pub mod fixes;
pub mod navigation;
pub mod open;
pub mod policy;
pub mod prices;
mod random;
pub mod review;
mod run_start;

pub use blocking::blocking;
pub use random::{random_id, random_marker};
