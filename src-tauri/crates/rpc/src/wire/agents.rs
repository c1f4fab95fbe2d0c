//! Wire types of agents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use diffsan_pipeline::error::ErrorInfo;
use diffsan_review::TokenUsage;

/// The agents that diffsan knows.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentsView {
    /// The agent that reviews unless another is selected. None if no agent is installed.
    pub default: Option<String>,
    /// Every agent.
    pub agents: Vec<AgentView>,
}

/// An agent.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentView {
    /// Its name in settings and flags.
    pub name: String,
    /// Its name for display.
    pub title: String,
    /// The path of the program, if it was found.
    pub program: Option<String>,
    /// Its address, if it is an endpoint.
    pub url: Option<String>,
    /// Why the agent cannot be used, as text for display. None if it can.
    pub missing: Option<String>,
    /// Whether only a model is missing.
    pub needs_model: bool,
    /// The names of the programs that were searched.
    pub looked_for: Vec<String>,
    /// The folders that were searched.
    pub looked_in: Vec<String>,
    /// How to install it.
    pub install: String,
    /// How to sign in.
    pub sign_in: String,
    /// Whether the agent itself enforces the schema of its answer.
    pub structured: bool,
    /// Whether the agent can read the files of the head besides the prompt.
    pub reads_files: bool,
    /// Whether this is the built-in reviewer, to which nothing is sent.
    pub built_in: bool,
    /// The result of the agent's last test, if there was one.
    pub checked: Option<LastCheckView>,
}

/// The result of an agent's last test.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LastCheckView {
    /// The time when the test ended.
    pub at: String,
    /// The agent's answer, if it answered.
    pub found: Option<AgentCheck>,
    /// The error, if the agent did not answer.
    pub error: Option<ErrorInfo>,
}

/// Tests an agent with one line.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentCheckParams {
    /// The agent's name.
    pub name: String,
    /// The model to ask for. The configured model or the agent's default if absent.
    #[serde(default)]
    pub model: Option<String>,
}

/// An agent that answered.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentCheck {
    /// The path of the program, or the endpoint's address.
    pub place: String,
    /// The version that the agent reports.
    pub version: Option<String>,
    /// The time until the answer, in milliseconds.
    pub milliseconds: u64,
    /// The number of tokens, if the agent reports it.
    pub tokens: Option<TokenUsage>,
    /// A problem that was noticed although the agent answered.
    pub note: Option<String>,
}
