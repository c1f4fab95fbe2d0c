//! The settings of second opinions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Second opinions on the findings of a review.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewConfig {
    /// The findings that get a second opinion after each review.
    pub verify: Verify,
    /// The agent that gives it. Empty for the agent that reviewed.
    pub verify_agent: String,
    /// The maximum length of the findings with their code in one prompt, in characters; 0 disables the limit.
    pub max_verify_chars: u64,
    /// The maximum number of prompts; 0 disables the limit. Further findings get no opinion, and the review says so.
    pub max_verify_prompts: u32,
}

/// The findings that get a second opinion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verify {
    /// None, except on request.
    #[default]
    Off,
    /// Those of severity high and critical.
    High,
    /// All.
    All,
}

impl Verify {
    /// Returns the choice with this name.
    pub fn of(name: &str) -> Option<Self> {
        [("off", Self::Off), ("high", Self::High), ("all", Self::All)]
            .into_iter()
            .find_map(|(known, verify)| (known == name).then_some(verify))
    }
}
