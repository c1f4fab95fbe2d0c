//! The settings of the track record of agents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The use of the reviewer's earlier decisions about findings. An agent has a record from ten decisions on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrackRecordConfig {
    /// Whether new findings of equal severity are ordered by the record of their agents.
    pub order_findings: bool,
    /// Whether an agent gets its own record in the prompt, with frequent reasons of dismissals.
    pub tell_agents: bool,
}
