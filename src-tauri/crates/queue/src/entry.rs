//! The items of the queue, as they are saved and shown.

use diffsan_change::Target;
use diffsan_config::Config;
use diffsan_inbox::{Row, RowKind};
use diffsan_store::StoredQueueItem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::QueueBudget;

/// The reviewed change, and its reviewers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueEntry {
    /// The change.
    pub target: Target,
    /// The path of a repository that may contain it.
    pub repository: Option<String>,
    /// The title, for display.
    pub title: String,
    /// The project and number, or the name of the repository, for display.
    pub place: String,
    /// The agents. Empty for the configured one.
    pub agents: Vec<String>,
}

impl QueueEntry {
    /// Returns the entry of a row.
    pub fn of(row: &Row, agents: &[String]) -> Self {
        let place = match (row.kind, row.iid) {
            (RowKind::MergeRequest, Some(iid)) => format!("{}!{iid}", row.project),
            _ => row.project.clone(),
        };
        Self {
            target: row.target.clone(),
            repository: row.repository.clone(),
            title: row.title.clone(),
            place,
            agents: agents.to_vec(),
        }
    }
}

/// The state of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QueueState {
    /// It waits for its turn.
    Waiting,
    /// It is being reviewed.
    Running,
    /// It is reviewed, or there was nothing to review.
    Done,
    /// Its review failed.
    Failed,
}

impl QueueState {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        [Self::Waiting, Self::Running, Self::Done, Self::Failed].into_iter().find(|state| state.name() == name)
    }
}

/// An item of the review queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QueueItem {
    /// The key of the inbox's row.
    pub key: String,
    /// The change.
    pub target: Target,
    /// The title.
    pub title: String,
    /// The project and number, or the name of the repository.
    pub place: String,
    /// The agents. Empty for the configured one.
    pub agents: Vec<String>,
    /// The state.
    pub state: QueueState,
    /// The reason of the state, such as `pushed during the review` or `3 findings, 1 high`.
    pub reason: Option<String>,
    /// The ID of the latest run.
    pub run_id: Option<String>,
    /// The time of the latest change, RFC 3339.
    pub changed_at: String,
}

impl QueueItem {
    /// Returns an item. `None` for one that another version saved in another form.
    pub(crate) fn of(stored: StoredQueueItem) -> Option<Self> {
        let QueueEntry { target, repository: _, title, place, agents } = serde_json::from_str(&stored.entry).ok()?;
        Some(Self {
            key: stored.key,
            target,
            title,
            place,
            agents,
            state: QueueState::parse(&stored.state)?,
            reason: stored.reason,
            run_id: stored.run_id,
            changed_at: stored.changed_at,
        })
    }
}

/// The review queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QueueView {
    /// Whether the queue is on.
    pub on: bool,
    /// Why it was turned off by itself.
    pub note: Option<String>,
    /// The agent of items without one.
    pub agent: String,
    /// The budget of today.
    pub budget: QueueBudget,
    /// The items in their order.
    pub items: Vec<QueueItem>,
}

/// Returns the agent of items without one.
pub(crate) fn default_agent(config: &Config) -> String {
    if config.queue.agent.is_empty() { config.agent.name.clone() } else { config.queue.agent.clone() }
}
