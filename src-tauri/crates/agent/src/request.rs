//! The request that reviews and conversations share: an agent, and everything that it is started with.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::entry::Agent;
use super::find::SearchPath;
use super::process::Deadlines;
use diffsan_config::{AgentConfig, StartIn};

/// An agent and its settings, folders and key.
#[derive(Clone, Debug)]
pub struct AgentRequest {
    /// The agent.
    pub agent: Agent,
    /// Its program; `None` for an endpoint.
    pub program: Option<PathBuf>,
    /// Proxy, deadlines and isolation.
    pub config: AgentConfig,
    /// The model; `None` leaves it to the agent.
    pub model: Option<String>,
    /// The key that the agent gets.
    pub key: Option<String>,
    /// Its folders.
    pub folders: AgentFolders,
    /// The folders in which its interpreter is looked for.
    pub search: SearchPath,
}

/// The folders of one run of an agent.
#[derive(Clone, Debug)]
pub struct AgentFolders {
    /// The files that the agent may read.
    pub room: PathBuf,
    /// An empty folder.
    pub empty: PathBuf,
    /// A private home.
    pub home: PathBuf,
    /// A private folder for temporary files.
    pub temporary: PathBuf,
}

impl AgentRequest {
    pub(crate) fn deadlines(&self) -> Deadlines {
        let seconds = |count: u64| (count > 0).then(|| Duration::from_secs(count));
        Deadlines {
            start: seconds(self.config.start_timeout_seconds).filter(|_| self.agent.spec.talks),
            silence: seconds(self.config.silence_timeout_seconds).filter(|_| self.agent.spec.talks),
            total: Duration::from_secs(self.config.total_timeout_seconds.max(1)),
        }
    }

    /// The folder in which the program starts.
    pub(crate) fn start_folder(&self) -> &Path {
        match self.agent.spec.start_in {
            StartIn::Room => &self.folders.room,
            StartIn::Empty => &self.folders.empty,
        }
    }
}
