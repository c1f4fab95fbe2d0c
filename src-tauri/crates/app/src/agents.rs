//! The agents that diffsan knows, and tests of them; what the last one found outlasts a restart.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use super::App;
use diffsan_agent::{Agent, SearchPath};
use diffsan_pipeline::agents::{CheckRequest, Checked, FoundAgent, check_agent, find_agents};
use diffsan_pipeline::error::{Error, ErrorCode, ErrorInfo, Result, to_json};
use diffsan_pipeline::open::{Source, excluded_folders};
use diffsan_redact::Redactor;
use diffsan_store::files::artifacts::now;

/// What the last test of an agent found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LastCheck {
    /// When it ended.
    pub at: String,
    /// How it answered, if it did.
    pub found: Option<Checked>,
    /// Why it did not.
    pub error: Option<ErrorInfo>,
}

/// As it is kept.
#[derive(Serialize, Deserialize)]
struct KeptCheck {
    #[serde(flatten)]
    last: LastCheck,
    /// The digest of the agent's settings at that time: of others it says nothing.
    settings: [u8; 32],
}

/// An agent, and what is told of it.
#[derive(Clone, Debug)]
pub struct KnownAgent {
    /// It, and whether it can be asked.
    pub found: FoundAgent,
    /// An endpoint's address, masked: some hold a key.
    pub address: Option<String>,
    /// What the last test of it found, if there was one with its settings.
    pub checked: Option<LastCheck>,
}

/// All agents.
#[derive(Clone, Debug)]
pub struct KnownAgents {
    /// In the order in which they are tried.
    pub agents: Vec<KnownAgent>,
    /// Who reviews by default.
    pub default: Option<String>,
    /// Where programs were looked for.
    pub search: SearchPath,
}

/// Under which name it is kept.
fn key(agent: &str) -> String {
    format!("checked {agent}")
}

impl App {
    /// All known agents. Blocking.
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

    /// Asks an agent one line, and remembers what that says of it.
    pub async fn check_agent(&self, name: &str, model: Option<&str>, cancel: &CancellationToken) -> Result<Checked> {
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
        // What ended it otherwise says nothing of the agent.
        let of_agent = error.as_ref().is_none_or(|error| {
            matches!(error.error_code, ErrorCode::AgentExecFailed | ErrorCode::AgentTimeout | ErrorCode::AgentQuota)
        });
        let known = diffsan_agent::known(&settings.config).into_iter().find(|known| known.name == name);
        if of_agent && let Some(agent) = known {
            let last = LastCheck { at: now(), found, error };
            let kept = KeptCheck { last, settings: self.settings_digest(&agent)? };
            // The result is shown even if it cannot be stored.
            let _ = self.store.set_state(&key(name), Some(&to_json(&kept)?));
        }
        checked
    }

    /// Where programs are looked for: in no repository that is open, nor in the one in which diffsan was started. Blocks.
    pub fn search_path(&self) -> SearchPath {
        self.search_path_for(None)
    }

    /// The same for work on a repository that is not open yet. Blocks.
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
        let kept: KeptCheck = serde_json::from_str(&self.store.state(&key(&agent.name)).ok()??).ok()?;
        (kept.settings == self.settings_digest(agent).ok()?).then_some(kept.last)
    }

    /// Settings may hold a key, which a plain digest would let guess.
    fn settings_digest(&self, agent: &Agent) -> Result<[u8; 32]> {
        let mut digest = Sha256::new_with_prefix(self.key);
        digest.update(to_json(&agent.spec)?);
        Ok(digest.finalize().into())
    }
}
