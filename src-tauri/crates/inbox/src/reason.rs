//! The result: a group and the reason for it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A group of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "InboxGroup")]
pub enum Group {
    /// The reader has to do something.
    YourTurn,
    /// It can be merged.
    ReadyToMerge,
    /// Somebody else has to do something.
    Waiting,
    /// Drafts.
    Drafts,
    /// Merged, closed or marked as done.
    Done,
}

/// The kind of a reason. New kinds may be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "InboxReasonCode")]
pub enum ReasonCode {
    /// A review is requested from the reader.
    ReviewRequested,
    /// Another review is requested after the reader's review.
    ReviewRequestedAgain,
    /// The reader has drafts of comments.
    ReviewStarted,
    /// New commits since the reader's review, verdict or comment.
    NewCommits,
    /// Somebody answered in a thread of the reader.
    Answered,
    /// Threads wait for an answer of the reader.
    ThreadsOpen,
    /// A reviewer requested changes.
    ChangesRequested,
    /// A reviewer reviewed without a verdict.
    Reviewed,
    /// The pipeline failed.
    PipelineFailed,
    /// There are conflicts with the target branch.
    Conflicts,
    /// A rebase is needed.
    NeedsRebase,
    /// No reviewer is assigned.
    NoReviewer,
    /// The author or a reviewer has to do something.
    WaitingForOthers,
    /// Approvals are missing.
    ApprovalsMissing,
    /// It can be merged.
    Ready,
    /// The pipeline of an approved merge request has not passed yet.
    PipelineUnfinished,
    /// A draft.
    Draft,
    /// Merged.
    Merged,
    /// Closed.
    Closed,
    /// The project or the merge request does not exist any more, or the token has no access to it any more.
    Gone,
    /// The reader marked it as done.
    MarkedDone,
    /// The reader snoozed it.
    Snoozed,
    /// The reader muted it.
    Muted,
    /// A local branch with commits that nobody reviewed.
    Unreviewed,
    /// A work tree with changes that are not committed.
    Uncommitted,
    /// A local branch that was reviewed.
    LocalReviewed,
}

/// The reason for a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "InboxReason")]
pub struct Reason {
    /// The kind of the reason.
    pub code: ReasonCode,
    /// The reason in words, such as `author answered in 3 threads`.
    pub text: String,
}

/// The place of a row in the inbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Placement {
    /// The group.
    pub group: Group,
    /// The reason.
    pub reason: Reason,
    /// Whether the reader snoozed or muted the row.
    pub hidden: bool,
}

impl Placement {
    pub(crate) fn new(group: Group, code: ReasonCode, text: impl Into<String>) -> Self {
        Self { group, reason: Reason { code, text: text.into() }, hidden: false }
    }

    /// Adds a remark to the reason.
    pub(crate) fn and(mut self, remark: Option<String>) -> Self {
        if let Some(remark) = remark {
            self.reason.text = format!("{}, {remark}", self.reason.text);
        }
        self
    }

    pub(crate) fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }
}
