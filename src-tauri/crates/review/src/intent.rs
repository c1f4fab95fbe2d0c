//! Requirements: statements of the authors about a change, and whether its code meets them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::quotes::{CheckedQuote, CodeQuote};

/// Whether the code does what a requirement says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IntentVerdict {
    /// No code decides it.
    NotFound,
    /// The evidence does it.
    Met,
    /// The evidence does something else.
    Contradicted,
}

impl IntentVerdict {
    /// Returns the verdict as text for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Contradicted => "contradicted",
            Self::NotFound => "not found",
        }
    }
}

/// A requirement as an agent answers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentRequirement {
    /// What the change should do, in one sentence.
    pub requirement: String,
    /// Whether the code does it.
    pub verdict: IntentVerdict,
    /// The code that decides it.
    pub evidence: Vec<CodeQuote>,
}

/// A requirement with its checked evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Requirement {
    /// The requirement.
    pub requirement: String,
    /// The verdict that the evidence supports.
    pub verdict: IntentVerdict,
    /// The code that decides it. Empty if the verdict is "not found".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<CheckedQuote>,
    /// The number of quotes that are not in the code.
    #[serde(default)]
    pub unproven: u32,
    /// The names of the agents that named it.
    pub sources: Vec<String>,
}

impl Requirement {
    /// Calls `each` with every text.
    pub fn for_each_text(&mut self, each: &mut dyn FnMut(&mut String)) {
        let Self { requirement, verdict: _, evidence, unproven: _, sources } = self;
        each(requirement);
        evidence.iter_mut().for_each(|quote| quote.for_each_text(each));
        sources.iter_mut().for_each(each);
    }
}
