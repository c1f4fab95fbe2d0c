//! Which agent reviews: the one that was named, else the first installed one.

use std::path::PathBuf;

use crate::agent::{self, Known, SearchPath};
use crate::config::AgentConfig;
use crate::error::{Error, ErrorCode, Result};

/// An agent and its program, if it is installed.
#[derive(Clone, Debug)]
pub struct FoundAgent {
    /// What is known of it.
    pub known: Known,
    /// Its program.
    pub program: Option<PathBuf>,
}

/// The agent that reviews.
#[derive(Clone, Debug)]
pub struct AgentChoice {
    /// What is known of it.
    pub known: Known,
    /// Its program.
    pub program: PathBuf,
}

/// All known agents, installed or not.
pub fn find_agents(config: &AgentConfig, search: &SearchPath) -> Vec<FoundAgent> {
    agent::known()
        .into_iter()
        .map(|known| FoundAgent { program: agent::locate(&known, config, search), known })
        .collect()
}

/// The agent of that name, or the first installed one for `auto`.
pub fn choose_agent(name: Option<&str>, config: &AgentConfig, search: &SearchPath) -> Result<AgentChoice> {
    let wanted = name.unwrap_or(&config.name);
    let agents = find_agents(config, search);
    let names = || agents.iter().map(|agent| agent.known.name.as_str()).collect::<Vec<_>>().join(", ");
    if wanted == "auto" || wanted.is_empty() {
        let first = agents
            .iter()
            .find_map(|agent| Some(AgentChoice { known: agent.known.clone(), program: agent.program.clone()? }));
        return first.ok_or_else(|| not_found(&agents.iter().map(|agent| &agent.known).collect::<Vec<_>>(), search));
    }
    let Some(agent) = agents.iter().find(|agent| agent.known.name == wanted) else {
        return Err(Error::new(ErrorCode::ConfigParseError, format!("There is no agent named `{wanted}`."))
            .hint(format!("The agents there are: {}.", names())));
    };
    match &agent.program {
        Some(program) => Ok(AgentChoice { known: agent.known.clone(), program: program.clone() }),
        None => Err(not_found(&[&agent.known], search)),
    }
}

fn not_found(agents: &[&Known], search: &SearchPath) -> Error {
    let looked_for: Vec<&str> = agents.iter().flat_map(|known| &known.programs).map(String::as_str).collect();
    let there = search.folders.iter().filter(|folder| folder.is_dir());
    let folders: Vec<String> = there.map(|folder| folder.display().to_string()).collect();
    let message = match agents {
        [one] => format!("{} is not installed.", one.title),
        _ => "No agent is installed that could review.".to_owned(),
    };
    let install: Vec<String> = agents.iter().map(|known| format!("{}: {}", known.title, known.install)).collect();
    Error::new(ErrorCode::AgentNotFound, format!("{message} Looked for {}.", looked_for.join(", ")))
        .hint(format!("Install one ({}) and sign in, then review again.", install.join("; ")))
        .with("looked_for", looked_for.into_iter().map(str::to_owned).collect::<Vec<_>>())
        .with("looked_in", folders)
}
