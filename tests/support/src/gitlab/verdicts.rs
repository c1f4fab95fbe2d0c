//! The states of reviewers, and the record of verdicts.

use super::server_version::ServerVersion;

/// The state of a reviewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewerState {
    /// The reviewer has not reviewed.
    Unreviewed,
    /// The reviewer has drafts.
    ReviewStarted,
    /// The reviewer has commented.
    Reviewed,
    /// The reviewer requested changes.
    RequestedChanges,
    /// The reviewer approved.
    Approved,
    /// The reviewer revoked an approval.
    Unapproved,
}

impl ReviewerState {
    /// Returns the name of the state in a version. Earlier versions have fewer states (§16; the mapping is inferred).
    pub fn shown(self, version: ServerVersion) -> &'static str {
        match self {
            Self::Unreviewed => "unreviewed",
            Self::Reviewed => "reviewed",
            Self::RequestedChanges if version.has_requested_changes() => "requested_changes",
            Self::RequestedChanges => "reviewed",
            Self::ReviewStarted if version.has_review_started() => "review_started",
            Self::Approved if version.has_review_started() => "approved",
            Self::Unapproved if version.has_review_started() => "unapproved",
            Self::Approved => "reviewed",
            Self::ReviewStarted | Self::Unapproved => "unreviewed",
        }
    }
}

/// A verdict that was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerdictKind {
    /// The user approved.
    Approved,
    /// The user revoked the approval.
    Unapproved,
    /// The user requested changes.
    RequestedChanges,
    /// The user reviewed without a verdict.
    Reviewed,
    /// The user was asked for another review.
    ReviewRequested,
}
