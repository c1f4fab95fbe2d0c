//! Agents as entries of the configuration.

use std::path::PathBuf;

use super::find::SearchPath;
use diffsan_config::{AgentSpec, Config, Transport};

/// An agent.
#[derive(Clone, Debug)]
pub struct Agent {
    /// Its name in settings and flags.
    pub name: String,
    /// Its entry.
    pub spec: AgentSpec,
}

impl Agent {
    /// The name for people.
    pub fn title(&self) -> &str {
        if self.spec.title.is_empty() { &self.name } else { &self.spec.title }
    }

    /// Whether it is an HTTP endpoint and not a program.
    pub fn is_endpoint(&self) -> bool {
        self.spec.transport == Transport::OpenaiHttp
    }

    /// The names of its program, in order of preference.
    pub fn programs(&self) -> Vec<&str> {
        match self.spec.command.first() {
            Some(program) => vec![program],
            None => self.spec.programs.iter().map(String::as_str).collect(),
        }
    }
}

/// Returns all agents of a configuration in order of preference. Agents without a rank come after those with one, endpoints last.
pub fn known(config: &Config) -> Vec<Agent> {
    let agent = |(name, spec): (&String, &AgentSpec)| {
        let mut spec = spec.clone();
        if spec.command.is_empty() {
            spec.command = config.agent.command(spec.command_setting).to_vec();
        }
        Agent { name: name.clone(), spec }
    };
    let mut agents: Vec<Agent> = config.agents.iter().map(agent).collect();
    agents.sort_by_key(|Agent { spec, .. }| (spec.rank == 0, spec.rank, spec.transport == Transport::OpenaiHttp));
    agents
}

/// Finds the program of an agent.
pub fn locate(agent: &Agent, search: &SearchPath) -> Option<PathBuf> {
    agent.programs().into_iter().find_map(|program| {
        let wanted = agent.spec.recognise.get(program);
        search.find(program).filter(|path| {
            // Other programs have a common name such as `agent`, too.
            wanted.is_none_or(|part| path.canonicalize().is_ok_and(|real| real.to_string_lossy().contains(part)))
        })
    })
}
