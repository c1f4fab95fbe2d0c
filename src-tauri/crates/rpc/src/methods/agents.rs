//! Lists agents and tests them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::registry::{Fault, Table};
use diffsan_app::{KnownAgent, KnownAgents, LastCheck};
use diffsan_pipeline::agents::AgentCheck;
use diffsan_review::finding::CAPABILITY_REVIEWER;

/// The agents that diffsan knows.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AgentsView {
    /// The agent that reviews unless another is selected. None if no agent is installed.
    pub default: Option<String>,
    /// Every agent.
    pub agents: Vec<AgentView>,
}

/// An agent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
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
    pub checked: Option<LastCheck>,
}

/// Tests an agent with one line.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct AgentCheckParams {
    /// The agent's name.
    pub name: String,
    /// The model to ask for. The configured model or the agent's default if absent.
    #[serde(default)]
    pub model: Option<String>,
}

pub(super) fn register(table: &mut Table) {
    table.plain("agents.list", "Lists the known agents, and whether they are installed", |app| {
        Ok(agents_view(app.agents()?))
    });
    let summary = "Returns how the reviewer decided about the findings of each agent";
    table.plain("agents.record", summary, |app| app.track_record());
    let summary = "Tests an agent with a one-line request";
    table.async_query("agents.check", summary, async |app, params: AgentCheckParams, ask| {
        let model = params.model.as_deref().filter(|model| !model.trim().is_empty());
        Ok::<AgentCheck, Fault>(app.check_agent(&params.name, model, &ask.cancel).await?)
    });
}

pub(super) fn agents_view(known: KnownAgents) -> AgentsView {
    let looked_in: Vec<String> = known.search.folders.iter().map(|folder| folder.display().to_string()).collect();
    let view = |KnownAgent { found, address, checked }: KnownAgent| AgentView {
        name: found.agent.name.clone(),
        title: found.agent.title().to_owned(),
        program: found.program.as_ref().map(|path| path.display().to_string()),
        url: address,
        missing: found.missing,
        needs_model: found.needs_model,
        looked_for: found.agent.programs().into_iter().map(str::to_owned).collect(),
        looked_in: looked_in.clone(),
        install: found.agent.spec.install.clone(),
        sign_in: found.agent.spec.sign_in.clone(),
        structured: found.agent.spec.structured,
        reads_files: found.agent.spec.reads_files,
        built_in: found.agent.name == CAPABILITY_REVIEWER,
        checked,
    };
    AgentsView { default: known.default, agents: known.agents.into_iter().map(view).collect() }
}
