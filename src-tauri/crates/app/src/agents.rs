//! The agents that diffsan knows, and tests of them. The result of the last test is saved.

use schemars::JsonSchema;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use super::App;
use diffsan_agent::{Agent, SearchPath};
use diffsan_pipeline::agents::{AgentCheck, CheckRequest, FoundAgent, check_agent, find_agents};
use diffsan_pipeline::error::{Error, ErrorCode, ErrorInfo, Result, to_json};
use diffsan_pipeline::open::{Source, excluded_folders};
use diffsan_redact::Redactor;
use diffsan_store::files::artifacts::now;

/// The result of an agent's last test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LastCheck {
    /// The time when the test ended.
    pub at: String,
    /// The agent's answer, if it answered.
    pub found: Option<AgentCheck>,
    /// The error, if the agent did not answer.
    pub error: Option<ErrorInfo>,
}

/// A test result as it is saved.
#[derive(Serialize, Deserialize)]
struct SavedCheck {
    #[serde(flatten)]
    last: LastCheck,
    /// The digest of the agent's settings at that time. The result is not valid for other settings.
    settings: [u8; 32],
}

/// An agent, with facts about it.
#[derive(Clone, Debug)]
pub struct KnownAgent {
    /// The agent, and whether it can be used.
    pub found: FoundAgent,
    /// The masked address of an endpoint. Some addresses contain a key.
    pub address: Option<String>,
    /// The result of the last test with the current settings, if there was one.
    pub checked: Option<LastCheck>,
}

/// All known agents.
#[derive(Clone, Debug)]
pub struct KnownAgents {
    /// The agents, in the order in which they are tried.
    pub agents: Vec<KnownAgent>,
    /// The name of the agent that reviews by default.
    pub default: Option<String>,
    /// The folders that were searched for programs.
    pub search: SearchPath,
}

/// Returns the name under which the result of a test is saved.
fn key(agent: &str) -> String {
    format!("checked {agent}")
}

impl App {
    /// Returns all known agents. Blocks.
    pub fn agents(&self) -> Result<KnownAgents> {
        let settings = self.settings_at_hand()?;
        let search = self.search_path();
        let agents = find_agents(&settings.config, &search);
        let named = &settings.config.agent.name;
        let default = if named == "auto" || named.is_empty() {
            let installed = agents.iter().find(|found| found.program.is_some());
            installed.or(agents.last()).map(|found| found.agent.name.clone())
        } else {
            Some(named.clone())
        };
        let mut session = Arc::new(self.redactor()?).session();
        let known = |found: FoundAgent| {
            let Agent { name, spec } = &found.agent;
            let address = found.agent.is_endpoint().then(|| session.contract(name, &spec.url).into_inner());
            KnownAgent { address, checked: self.last_check(&found.agent), found }
        };
        Ok(KnownAgents { agents: agents.into_iter().map(known).collect(), default, search })
    }

    /// Tests an agent with one line, and saves the result.
    pub async fn check_agent(&self, name: &str, model: Option<&str>, cancel: &CancellationToken) -> Result<AgentCheck> {
        let _work = self.work.begin(cancel);
        let prepare = || {
            let settings = self.settings_at_hand()?;
            let redactor = Redactor::new(&settings.config.redaction, self.key)?;
            Ok::<_, Error>((settings, Arc::new(redactor).session(), self.search_path()))
        };
        let (settings, session, search) = tokio::task::block_in_place(prepare)?;
        let request = CheckRequest { config: &settings.config, name, model, search: &search };
        let checked = check_agent(&self.places, request, session, cancel).await;
        let checked = checked.map_err(diffsan_pipeline::error::redacted);
        let (found, error) = match &checked {
            Ok(found) => (Some(found.clone()), None),
            Err(error) => (None, Some(error.info())),
        };
        // Other errors are not evidence about the agent.
        let of_agent = error.as_ref().is_none_or(|error| {
            matches!(error.error_code, ErrorCode::AgentExecFailed | ErrorCode::AgentTimeout | ErrorCode::AgentQuota)
        });
        let known = diffsan_agent::known(&settings.config).into_iter().find(|known| known.name == name);
        if of_agent && let Some(agent) = known {
            let last = LastCheck { at: now(), found, error };
            let saved = SavedCheck { last, settings: self.settings_digest(&agent)? };
            // The result is shown even if it cannot be stored.
            let _ = self.store.set_state(&key(name), Some(&to_json(&saved)?));
        }
        checked
    }

    /// Returns the search path for programs. It excludes every open repository and the one in which diffsan was
    /// started.
    pub fn search_path(&self) -> SearchPath {
        self.search_path_for(None)
    }

    /// Returns the search path for work on a repository that is not open yet. Blocks.
    pub(super) fn search_path_for(&self, repo: Option<&Path>) -> SearchPath {
        let mut excluded = vec![self.places.rooms()];
        for path in [self.options.start_repo.as_deref(), repo].into_iter().flatten() {
            excluded.extend(excluded_folders(&self.places, &Source::Repository(path.to_owned())));
        }
        for opened in self.open_changes() {
            excluded.extend_from_slice(opened.excluded_folders());
        }
        SearchPath::of_this_process().outside(&excluded)
    }

    fn last_check(&self, agent: &Agent) -> Option<LastCheck> {
        let saved: SavedCheck = serde_json::from_str(&self.store.state(&key(&agent.name)).ok()??).ok()?;
        (saved.settings == self.settings_digest(agent).ok()?).then_some(saved.last)
    }

    /// Returns a keyed digest of an agent's settings. The settings may contain a key, which could be guessed from a
    /// plain digest.
    fn settings_digest(&self, agent: &Agent) -> Result<[u8; 32]> {
        let mut digest = Sha256::new_with_prefix(self.key);
        digest.update(to_json(&agent.spec)?);
        Ok(digest.finalize().into())
    }
}
