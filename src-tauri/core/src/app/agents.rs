//! The agents that diffsan knows, and tests of them; what the last one found outlasts a restart.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::App;
use crate::agent::SearchPath;
use crate::error::{ErrorCode, ErrorInfo, Result};
use crate::files::artifacts::now;
use crate::redact::Redactor;
use crate::run::{Checked, FoundAgent, check_agent, find_agents};

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

/// Under which name it is kept.
fn key(agent: &str) -> String {
    format!("checked {agent}")
}

impl App {
    /// All known agents, and the configured default. Blocking.
    pub fn agents(&self) -> Result<(Vec<FoundAgent>, Option<String>, SearchPath)> {
        let settings = self.settings_at_hand()?;
        let search = SearchPath::of_this_process();
        let agents = find_agents(&settings.config, &search);
        let named = &settings.config.agent.name;
        let default = if named == "auto" || named.is_empty() {
            let installed = agents.iter().find(|found| found.program.is_some());
            installed.or(agents.last()).map(|found| found.agent.name.clone())
        } else {
            Some(named.clone())
        };
        Ok((agents, default, search))
    }

    /// Asks an agent one line, and remembers what that says of it.
    pub async fn check_agent(&self, name: &str, model: Option<&str>, cancel: &CancellationToken) -> Result<Checked> {
        let _work = self.work.begin(cancel);
        let settings = self.settings_at_hand()?;
        let redactor = Redactor::new(&settings.config.redaction, self.key).map_err(crate::run::redact_error)?;
        let session = Arc::new(redactor).session();
        let checked = check_agent(&self.places, &settings.config, name, model, session, cancel).await;
        let checked = checked.map_err(crate::redact::failure);
        let (found, error) = match &checked {
            Ok(found) => (Some(found.clone()), None),
            Err(error) => (None, Some(error.info())),
        };
        // What ended it otherwise says nothing of the agent.
        let of_agent = error.as_ref().is_none_or(|error| {
            matches!(error.error_code, ErrorCode::AgentExecFailed | ErrorCode::AgentTimeout | ErrorCode::AgentQuota)
        });
        if of_agent && let Ok(text) = serde_json::to_string(&LastCheck { at: now(), found, error }) {
            // Where nothing can be kept, it is told all the same.
            let _ = self.store.set_state(&key(name), Some(&text));
        }
        checked
    }

    /// What the last test of an agent found, if there was one. Blocking.
    pub fn last_check(&self, name: &str) -> Option<LastCheck> {
        serde_json::from_str(&self.store.state(&key(name)).ok()??).ok()
    }
}
