//! Whole flows of the core, with real temporary repositories and real programs.

mod change_patches;
mod contracts;
mod floors;
mod repo_change;
mod repo_history;
mod repo_oddities;
