//! Whole flows of the core, with real temporary repositories and real programs.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "what fails in a test fails the test"
)]

mod anchoring;
mod capability_contracts;
mod capability_corpus;
mod capability_examination;
mod capability_policy;
mod capability_projects;
mod carry_over;
mod change_patches;
mod commit_ranges;
mod commits;
mod conversations;
mod desk;
mod facts;
mod findings_corpus;
mod fix_paths;
mod folded_lines;
mod gitlab;
mod gitlab_client;
mod gitlab_fake;
mod gitlab_versions;
mod histories;
mod history;
mod inbox;
mod intent;
mod line_history;
mod live_runs;
mod merge_requests;
mod navigation;
mod page_start;
mod posted_notes;
mod posting;
mod recorded_comments;
mod redaction;
mod redaction_corpus;
mod repo_bounds;
mod repo_change;
mod repo_history;
mod repo_layout;
mod repo_oddities;
mod repo_patterns;
mod repo_sizes;
mod review_scope;
mod rounds;
mod shallow;
mod stacks;
mod store;
mod symbol_definitions;
mod verdicts;
mod versions;
