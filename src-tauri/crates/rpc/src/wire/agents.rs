//! What is said of agents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use diffsan_pipeline::error::ErrorInfo;
use diffsan_review::TokenUsage;

/// The agents that diffsan knows.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentsView {
    /// The one that reviews unless another is chosen; none if none is installed.
    pub default: Option<String>,
    /// All of them.
    pub agents: Vec<AgentView>,
}

/// An agent.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentView {
    /// Its name in settings and flags.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// The program found, if it was.
    pub program: Option<String>,
    /// Its address, if it is an endpoint.
    pub url: Option<String>,
    /// Why it cannot be asked, in words; none if it can.
    pub missing: Option<String>,
    /// Whether nothing is missing but a model.
    pub needs_model: bool,
    /// The program names that were looked for.
    pub looked_for: Vec<String>,
    /// The folders that were looked in.
    pub looked_in: Vec<String>,
    /// How to install it.
    pub install: String,
    /// How to sign in.
    pub sign_in: String,
    /// Whether its answer is held to the schema by the agent itself.
    pub structured: bool,
    /// Whether it can read the head's files besides the prompt.
    pub reads_files: bool,
    /// Whether it is the reviewer that is built in: nothing is sent.
    pub built_in: bool,
    /// What the last test of it found, if there was one.
    pub checked: Option<LastCheckView>,
}

/// What the last test of an agent found.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LastCheckView {
    /// When it ended.
    pub at: String,
    /// How it answered, if it did.
    pub found: Option<AgentCheck>,
    /// Why it did not.
    pub error: Option<ErrorInfo>,
}

/// Names an agent to be asked a line.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentCheckParams {
    /// The agent.
    pub name: String,
    /// The model to ask for; the configured or the agent's own one if absent.
    #[serde(default)]
    pub model: Option<String>,
}

/// An agent that answered.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentCheck {
    /// The program or the address.
    pub place: String,
    /// What it says of its version.
    pub version: Option<String>,
    /// How long the answer took.
    pub milliseconds: u64,
    /// Tokens, if it reported them.
    pub tokens: Option<TokenUsage>,
    /// What is not as it should be, although it answered.
    pub note: Option<String>,
}
