//! The settings of the capability reviewer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The limits of the capability reviewer. 0 disables a limit of files or seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CapabilityConfig {
    /// The maximum number of files that are read for a contract.
    pub max_files: usize,
    /// The maximum number of definitions in a chain.
    pub max_follow_depth: usize,
    /// The maximum number of candidates that one search by name examines.
    pub max_search_results: usize,
    /// The maximum run time, in seconds.
    #[schemars(range(min = 0, max = 86400))]
    pub max_runtime_seconds: u64,
    /// The maximum number of files that are read from each side when a change is compared with its base.
    pub review_max_files: usize,
    /// Whether agents' reviews are compared with the capability reviewer's result.
    pub corroborate: bool,
    /// Whether an agent classifies ambiguous results, which are sent to it masked.
    pub classifier: bool,
    /// The maximum time to wait for the agent's answer, in seconds.
    #[schemars(range(min = 0, max = 86400))]
    pub classifier_timeout_seconds: u64,
}
