//! Opens a change and reviews it.

pub mod error;
pub mod export;
pub mod policy;
pub mod prices;
pub mod run;
