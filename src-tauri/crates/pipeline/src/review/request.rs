//! The types around a review: the options, the progress events and the result.

use std::collections::BTreeMap;
use std::path::PathBuf;

use diffsan_change::Fingerprint;
use diffsan_config::Verify;
use diffsan_prepare::prompt::Prior;
use diffsan_review::rounds::KnownFinding;
use diffsan_review::{ReviewOutput, TokenUsage};

/// The place of a run folder.
#[derive(Clone, Debug, Default)]
pub enum RunLocation {
    /// Under the data folder, named after the run.
    #[default]
    Data,
    /// Exactly this folder.
    Folder(PathBuf),
}

/// The options of a review.
#[derive(Clone, Debug, Default)]
pub struct ReviewRequest {
    /// The identifier of the run; `None` for a new one.
    pub run_id: Option<String>,
    /// The agents, which are asked in parallel; empty for the configured one.
    pub agents: Vec<String>,
    /// The model; `None` for the configured one or the agent's own.
    pub model: Option<String>,
    /// Additional instructions for this review.
    pub instructions: Option<String>,
    /// The selected skills, which replace the configured ones.
    pub skills: Option<Vec<String>>,
    /// Earlier findings and comments on the change.
    pub prior: Option<Prior>,
    /// A text about its track record for each agent that gets one, by agent.
    pub records: BTreeMap<String, String>,
    /// Findings of earlier reviews of the change, each key once. New findings that match them take their keys.
    pub known: Vec<KnownFinding>,
    /// The fingerprint of the latest diff whose review was posted.
    pub posted: Option<Fingerprint>,
    /// Whether to review even if the settings say to skip the change.
    pub anyway: bool,
    /// The findings that get a second opinion; `None` for the setting.
    pub verify: Option<Verify>,
    /// The place of the run folder.
    pub place: RunLocation,
    /// The number of times that each agent is asked the same prompt; 0 and 1 mean once. Agents that are built in are always
    /// asked once.
    pub runs: u32,
    /// The folder of an interrupted run. Its answers are reused as far as they are still valid.
    pub resume: Option<PathBuf>,
}

/// A progress event of a run. Texts are masked.
#[derive(Clone, Debug, PartialEq)]
pub enum RunEvent {
    /// The agents are known.
    Agents {
        /// The names of the agents.
        agents: Vec<String>,
    },
    /// A new step started.
    Step {
        /// The step: `prepare`, `room`, `prompt`, `agent`, `validate`, `verify`.
        step: &'static str,
        /// A text for people.
        message: String,
    },
    /// A progress message of an agent.
    Progress {
        /// The name of the agent.
        agent: String,
        /// A text for people.
        message: String,
        /// The time since the start of the run, in milliseconds.
        elapsed_ms: u64,
    },
    /// The usage of an agent so far.
    Usage {
        /// The name of the agent.
        agent: String,
        /// The number of tokens, if reported.
        usage: Option<TokenUsage>,
        /// The reported cost in US dollars.
        cost_usd: Option<f64>,
    },
}

/// A finished review.
#[derive(Clone, Debug)]
pub struct Reviewed {
    /// The identifier of the run.
    pub run_id: String,
    /// The time at which it finished (RFC 3339).
    pub created_at: String,
    /// The validated result.
    pub output: ReviewOutput,
}

/// The successful end of a run.
#[derive(Clone, Debug)]
pub enum Outcome<T = Reviewed> {
    /// The change was reviewed.
    Reviewed(T),
    /// The change was skipped.
    Skipped {
        /// The first reason, such as `NO_DIFF`.
        reason: &'static str,
        /// All reasons, as text for people.
        message: String,
    },
}
