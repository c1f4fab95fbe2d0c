//! Secrets are found and masked here, before anything leaves the core.

pub mod types;
