//! Whole flows of the core, on real temporary repositories.

mod repo_change;
