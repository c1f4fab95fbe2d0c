//! The settings of pipeline facts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The reports of tests, coverage and linters that are read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FactsConfig {
    /// Reports inside the repository, relative to its root. `*` and `?` match within one name.
    pub files: Vec<String>,
    /// Whether the pipeline of a merge request is read from GitLab.
    pub gitlab: bool,
    /// The paths of reports in the artifacts of jobs.
    pub artifacts: Vec<String>,
}
