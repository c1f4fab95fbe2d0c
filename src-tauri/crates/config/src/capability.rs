//! The settings of the capability reviewer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far the capability reviewer looks. 0 of files or seconds: no bound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CapabilityConfig {
    /// Files that are read for a contract.
    pub max_files: usize,
    /// Definitions that a chain goes through.
    pub max_follow_depth: usize,
    /// Candidates that one search by name looks at.
    pub max_search_results: usize,
    /// Seconds.
    #[schemars(range(min = 0, max = 86400))]
    pub max_runtime_seconds: u64,
    /// Files that are read of each side where a change is compared with its base.
    pub review_max_files: usize,
    /// Whether reviews by agents are checked against what the code can do.
    pub corroborate: bool,
    /// Whether an agent is asked about what is ambiguous: what was found leaves for it, masked.
    pub classifier: bool,
    /// Seconds that its answer is waited for.
    #[schemars(range(min = 0, max = 86400))]
    pub classifier_timeout_seconds: u64,
}
