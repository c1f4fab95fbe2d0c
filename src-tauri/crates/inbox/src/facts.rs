//! The facts of a merge request that decide whose turn it is.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The relation of the reader to a merge request. If there are several, the first one counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "InboxRole")]
pub enum Role {
    /// The reader created it.
    Author,
    /// A review is requested from the reader.
    Reviewer,
    /// It is assigned to the reader.
    Assignee,
    /// The reader only takes part in it.
    #[default]
    Participant,
}

/// The state of a merge request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RequestState {
    /// Open.
    #[default]
    Open,
    /// Merged.
    Merged,
    /// Closed without being merged.
    Closed,
}

/// The state of a reviewer's review.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewerState {
    /// Not reviewed, or asked again.
    #[default]
    Unreviewed,
    /// The reviewer has drafts.
    ReviewStarted,
    /// Reviewed without a verdict.
    Reviewed,
    /// The reviewer requested changes.
    RequestedChanges,
    /// The reviewer approved.
    Approved,
    /// The approval was revoked.
    Unapproved,
}

impl ReviewerState {
    /// Reads GitLab's name of a state. The set is open: an unknown state counts as unreviewed.
    pub fn parse(name: &str) -> Self {
        match name.to_ascii_lowercase().as_str() {
            "review_started" => Self::ReviewStarted,
            "reviewed" => Self::Reviewed,
            "requested_changes" => Self::RequestedChanges,
            "approved" => Self::Approved,
            "unapproved" => Self::Unapproved,
            _ => Self::Unreviewed,
        }
    }
}

/// The state of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PipelineState {
    /// It waits or runs.
    Running,
    /// It passed, or was skipped.
    Passed,
    /// It failed.
    Failed,
    /// It was cancelled.
    Cancelled,
    /// It waits for somebody to start a job.
    Manual,
}

impl PipelineState {
    /// Reads GitLab's name of a status. The set is open: an unknown status counts as running.
    pub fn parse(name: &str) -> Self {
        match name.to_ascii_lowercase().as_str() {
            "success" | "skipped" => Self::Passed,
            "failed" => Self::Failed,
            "canceled" | "canceling" => Self::Cancelled,
            "manual" | "scheduled" => Self::Manual,
            _ => Self::Running,
        }
    }
}

/// A reviewer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewerFacts {
    /// The user name.
    pub username: String,
    /// The state of the review.
    pub state: ReviewerState,
}

/// A comment of a person, without its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Speech {
    /// The user name of its author.
    pub username: String,
    /// The time of the comment.
    pub at: Timestamp,
}

/// A thread.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadFacts {
    /// The comments, oldest first, without those of GitLab itself.
    pub speeches: Vec<Speech>,
    /// Whether the thread can be resolved.
    pub resolvable: bool,
    /// Whether the thread is resolved.
    pub resolved: bool,
}

/// The approvals.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approvals {
    /// The user names of those who approved.
    pub by: Vec<String>,
    /// The number of missing approvals. `None` if GitLab does not report it.
    pub left: Option<u32>,
}

impl Approvals {
    /// Returns whether somebody approved and no approval is missing.
    pub fn are_enough(&self) -> bool {
        !self.by.is_empty() && self.left.unwrap_or(0) == 0
    }
}

/// The facts of a merge request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// The user name of the reader.
    pub me: String,
    /// The user name of the author.
    pub author: String,
    /// The relation of the reader to it.
    pub role: Role,
    /// The state.
    pub state: RequestState,
    /// The time of merging or closing.
    pub ended_at: Option<Timestamp>,
    /// The time of its creation.
    pub created_at: Option<Timestamp>,
    /// Whether it is a draft.
    pub draft: bool,
    /// Whether it has conflicts with the target branch.
    pub conflicts: bool,
    /// Whether it can only be merged after a rebase.
    pub needs_rebase: bool,
    /// The state of the head's pipeline, if there is one.
    pub pipeline: Option<PipelineState>,
    /// The approvals.
    pub approvals: Approvals,
    /// The reviewers.
    pub reviewers: Vec<ReviewerFacts>,
    /// The time at which the reader's review was last requested.
    pub asked_at: Option<Timestamp>,
    /// The time of the reader's last comment or verdict.
    pub spoke_at: Option<Timestamp>,
    /// The times of the versions of the diff, oldest first.
    pub pushes: Vec<Timestamp>,
    /// The number of commits since the reader's last comment or verdict. `None` if the history was rewritten.
    pub new_commits: Option<u32>,
    /// The threads.
    pub threads: Vec<ThreadFacts>,
    /// The head commit.
    pub head: Option<String>,
}

impl Facts {
    /// Returns the number of open threads that can be resolved.
    pub fn open_threads(&self) -> usize {
        self.threads.iter().filter(|thread| thread.resolvable && !thread.resolved).count()
    }

    /// Returns a text that changes when somebody else does something that concerns the reader: a push, a comment of a person, a
    /// request for a review.
    pub fn activity(&self) -> String {
        let foreign = |speech: &&Speech| speech.username != self.me && !crate::is_bot(&speech.username);
        let last =
            self.threads.iter().flat_map(|thread| &thread.speeches).filter(foreign).map(|speech| speech.at).max();
        let text = |time: Option<Timestamp>| time.map(|time| time.as_second().to_string()).unwrap_or_default();
        format!("{}/{}/{}", self.head.as_deref().unwrap_or_default(), text(last), text(self.asked_at))
    }
}
