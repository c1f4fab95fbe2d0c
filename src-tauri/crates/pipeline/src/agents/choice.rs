//! Selects the agents of a review: the requested ones, otherwise the first installed one.

use std::path::PathBuf;

use crate::blocking::blocking;
use crate::error::{Error, ErrorCode, Result};
use diffsan_review::finding::CAPABILITY_REVIEWER;

/// The display name of the capability reviewer.
const TITLE: &str = "Capability reviewer";
use diffsan_agent::{Agent, AgentFolders, AgentRequest, SearchPath};
use diffsan_config::{AgentConfig, AgentSpec, Config};
use diffsan_store::secrets;

/// A known agent, and whether it can be asked.
#[derive(Clone, Debug)]
pub struct FoundAgent {
    /// The definition of the agent.
    pub agent: Agent,
    /// The path of its program; `None` for an endpoint or if it is not installed.
    pub program: Option<PathBuf>,
    /// The reason why it cannot be asked, as text; `None` if it can.
    pub missing: Option<String>,
    /// Whether a model is the only thing that is missing.
    pub needs_model: bool,
}

/// An agent that was selected for a review.
#[derive(Clone, Debug)]
pub struct AgentChoice {
    /// The definition of the agent.
    pub agent: Agent,
    /// The path of its program; `None` for an endpoint.
    pub program: Option<PathBuf>,
    /// The requested model; `None` leaves the choice to the agent.
    pub model: Option<String>,
}

impl AgentChoice {
    /// Returns whether it is the capability reviewer, which starts no program and sends nothing.
    pub fn is_built_in(&self) -> bool {
        self.agent.name == CAPABILITY_REVIEWER
    }

    /// Builds the request to the agent with these settings and folders.
    pub fn request(&self, config: &AgentConfig, folders: AgentFolders, search: &SearchPath) -> AgentRequest {
        AgentRequest {
            agent: self.agent.clone(),
            program: self.program.clone(),
            config: config.clone(),
            model: self.model.clone(),
            key: key(&self.agent),
            folders,
            search: search.clone(),
        }
    }
}

fn key(agent: &Agent) -> Option<String> {
    let name = Some(agent.spec.key_variable.as_str()).filter(|name| !name.is_empty())?;
    secrets::key(name).map(|key| key.reveal().to_owned())
}

/// Returns the agent with its variables that are in the keyring and not in this process's environment.
fn with_saved_keys(agent: &Agent) -> Agent {
    let mut agent = agent.clone();
    for name in &agent.spec.environment {
        if std::env::var_os(name).is_none()
            && !agent.spec.set.contains_key(name)
            && let Some(key) = secrets::key(name)
        {
            agent.spec.set.insert(name.clone(), key.reveal().to_owned());
        }
    }
    agent
}

/// Returns all known agents, including those that cannot be asked.
pub fn find_agents(config: &Config, search: &SearchPath) -> Vec<FoundAgent> {
    let known = diffsan_agent::known(config).into_iter().filter(|agent| agent.name != CAPABILITY_REVIEWER);
    let mut agents: Vec<FoundAgent> = known
        .map(|agent| {
            let program = if agent.is_endpoint() { None } else { diffsan_agent::locate(&agent, search) };
            let missing = match program.is_none().then(|| left_out(&agent, search)).flatten() {
                Some(path) => Some(format!(
                    "only {} was found, which is in the repository; diffsan does not run programs from a repository",
                    path.display()
                )),
                None => missing(&agent, program.is_some(), &config.agent.model),
            };
            // The model is the only thing that is missing if any model would complete the agent.
            let needs_model = missing.is_some() && agent.is_endpoint() && self::missing(&agent, false, "any").is_none();
            FoundAgent { agent, program, missing, needs_model }
        })
        .collect();
    agents.push(built_in());
    agents
}

/// Returns the capability reviewer, which needs no program. It is last, so that it is only chosen if no other agent is available.
fn built_in() -> FoundAgent {
    let spec = AgentSpec { title: TITLE.to_owned(), ..AgentSpec::default() };
    let agent = Agent { name: CAPABILITY_REVIEWER.to_owned(), spec };
    FoundAgent { agent, program: None, missing: None, needs_model: false }
}

fn missing(agent: &Agent, installed: bool, model: &str) -> Option<String> {
    let spec = &agent.spec;
    if !agent.is_endpoint() {
        let words = match relative(agent) {
            Some(program) => {
                format!("{program} is a relative path; write an absolute one, or the name of a program on PATH")
            }
            None if spec.install.is_empty() => "not installed".to_owned(),
            None => format!("not installed; {}", spec.install),
        };
        return (!installed).then_some(words);
    }
    if spec.url.is_empty() {
        return Some(format!("no address is set (agents.{}.url)", agent.name));
    }
    if !spec.key_variable.is_empty() && !secrets::has_key(&spec.key_variable) {
        return Some(format!("{} is not set, and `diffsan secret set key:{0}` was not used", spec.key_variable));
    }
    (spec.model.is_empty() && model.is_empty()).then(|| format!("no model is set (agents.{}.model)", agent.name))
}

/// Returns a program of the agent that was found, but is inside the repository and therefore not used.
fn left_out(agent: &Agent, search: &SearchPath) -> Option<PathBuf> {
    agent.programs().into_iter().filter(|_| !agent.is_endpoint()).find_map(|program| search.find_left_out(program))
}

/// Returns a program of the agent that is named by a relative path and therefore never found.
fn relative(agent: &Agent) -> Option<&str> {
    agent.programs().into_iter().find(|program| diffsan_agent::is_relative(program))
}

/// Selects the agents with these names, each once, or the configured one if `names` is empty. A requested model applies to all of them; the
/// configured one only to agents without a model of their own.
pub fn choose_agents(
    names: &[String],
    model: Option<&str>,
    config: &Config,
    search: &SearchPath,
) -> Result<Vec<AgentChoice>> {
    let mut choices: Vec<AgentChoice> = Vec::new();
    if names.is_empty() {
        return choose_agent(None, model, config, search).map(|choice| vec![choice]);
    }
    for name in names {
        if !choices.iter().any(|choice| choice.agent.name == *name) {
            choices.push(choose_agent(Some(name), model, config, search)?);
        }
    }
    Ok(choices)
}

/// Selects the agent with this name, without blocking.
pub(super) async fn named_agent(
    name: &str,
    model: Option<&str>,
    config: &Config,
    search: &SearchPath,
) -> Result<AgentChoice> {
    let (name, model) = (name.to_owned(), model.map(str::to_owned));
    let (config, search) = (config.clone(), search.clone());
    blocking(move || choose_agent(Some(&name), model.as_deref(), &config, &search)).await
}

/// Selects the agent with this name, or the first installed one for `auto`.
pub fn choose_agent(
    name: Option<&str>,
    model: Option<&str>,
    config: &Config,
    search: &SearchPath,
) -> Result<AgentChoice> {
    let wanted = name.unwrap_or(&config.agent.name);
    let agents = find_agents(config, search);
    let choice = |found: &FoundAgent| AgentChoice {
        agent: with_saved_keys(&found.agent),
        program: found.program.clone(),
        model: [model.unwrap_or_default(), &found.agent.spec.model, &config.agent.model]
            .into_iter()
            .find(|model| !model.is_empty())
            .map(str::to_owned),
    };
    if wanted == "auto" || wanted.is_empty() {
        // `auto` never selects an endpoint, because the change would be sent to a place that the user did not name.
        let programs: Vec<&FoundAgent> = agents.iter().filter(|found| !found.agent.is_endpoint()).collect();
        let first = programs.iter().find(|found| found.missing.is_none());
        return first
            .map(|found| choice(found))
            .ok_or_else(|| not_found(&programs.iter().map(|found| &found.agent).collect::<Vec<_>>(), search));
    }
    let Some(found) = agents.iter().find(|found| found.agent.name == wanted) else {
        let names: Vec<&str> = agents.iter().map(|found| found.agent.name.as_str()).collect();
        return Err(Error::new(ErrorCode::ConfigParseError, format!("There is no agent named `{wanted}`."))
            .hint(format!("Available agents: {}.", names.join(", "))));
    };
    match &found.missing {
        None => Ok(choice(found)),
        Some(_) if model.is_some() && found.needs_model => Ok(choice(found)),
        Some(missing) if found.agent.is_endpoint() => {
            let message = format!("{} cannot be used: {missing}.", found.agent.title());
            let hint = format!("Set it up ({}), or choose another agent.", found.agent.spec.sign_in);
            Err(Error::new(ErrorCode::AgentNotFound, message).hint(hint))
        }
        Some(_) => Err(not_found(&[&found.agent], search)),
    }
}

fn not_found(agents: &[&Agent], search: &SearchPath) -> Error {
    if let [one] = agents
        && let Some(program) = relative(one)
    {
        let message = format!("{} cannot be started: `{program}` is a relative path.", one.title());
        let hint = "Agents start in a separate folder. Set the absolute path of the program, or the name of a program on PATH.";
        return Error::new(ErrorCode::AgentNotFound, message).hint(hint);
    }
    if let [one] = agents
        && let Some(program) = left_out(one, search)
    {
        let message = format!(
            "{} was only found at {}, which is in the repository. diffsan does not run programs from a repository.",
            one.title(),
            program.display()
        );
        let hint = format!(
            "Install it outside the repository, or name this file in your own settings: agents.{}.programs.",
            one.name
        );
        return Error::new(ErrorCode::AgentNotFound, message).hint(hint);
    }
    let looked_for: Vec<&str> = agents.iter().flat_map(|agent| agent.programs()).collect();
    let there = search.folders.iter().filter(|folder| folder.is_dir());
    let folders: Vec<String> = there.map(|folder| folder.display().to_string()).collect();
    let message = match agents {
        [one] => format!("{} is not installed.", one.title()),
        _ => "No agent is installed.".to_owned(),
    };
    let install: Vec<String> = agents
        .iter()
        .filter(|agent| !agent.spec.install.is_empty())
        .map(|agent| format!("{}: {}", agent.title(), agent.spec.install))
        .collect();
    let one = match (agents, install.is_empty()) {
        ([_], true) => "it".to_owned(),
        (_, true) => "one".to_owned(),
        (_, false) => format!("one ({})", install.join("; ")),
    };
    Error::new(ErrorCode::AgentNotFound, format!("{message} diffsan searched for {}.", looked_for.join(", ")))
        .hint(format!("Install {one} and sign in, then review again."))
        .with("looked_for", looked_for.into_iter().map(str::to_owned).collect::<Vec<_>>())
        .with("looked_in", folders)
}
