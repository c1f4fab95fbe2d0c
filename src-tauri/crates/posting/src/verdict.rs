//! Gives the verdict of a posting: approves the merge request, or requests changes.
//!
//! The input is the chosen verdict and the progress of the comments, the output is a result of its own. A verdict is
//! given only after every comment is posted, and only to the reviewed head. Each attempt first reads the verdict that
//! GitLab has. So a retry does not give it twice.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Posting, VERDICT, current, posting_error};
use diffsan_forge::gitlab::{Approvals, Client, GitlabError, MergeRequest, Person, ServerVersion};
use diffsan_pipeline::error::{Error, ErrorCode, ErrorInfo, Result};

/// The maximum number of attempts to give a verdict.
const ATTEMPTS: u32 = 4;

/// The verdict of the reviewer about the whole merge request, which is given together with the comments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PostVerdict {
    /// No verdict: only comments.
    #[default]
    Comment,
    /// Approves the merge request.
    Approve,
    /// Requests changes.
    RequestChanges,
}

impl PostVerdict {
    /// All verdicts.
    pub const ALL: [Self; 3] = [Self::Comment, Self::Approve, Self::RequestChanges];

    /// Returns the name in the journal.
    fn name(self) -> &'static str {
        match self {
            Self::Comment => "comment",
            Self::Approve => "approve",
            Self::RequestChanges => "request_changes",
        }
    }
}

/// The state of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerdictState {
    /// GitLab has the verdict.
    Given,
    /// GitLab had the verdict before.
    AlreadyGiven,
    /// The verdict was not sent because the comments are not complete.
    NotSent,
    /// GitLab did not accept the verdict, or it could not be sent.
    Failed,
}

/// The result of a verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VerdictResult {
    /// The chosen verdict; not `comment`.
    pub verdict: PostVerdict,
    /// The state of the verdict.
    pub state: VerdictState,
    /// The error, if it failed.
    pub error: Option<ErrorInfo>,
}

impl VerdictResult {
    /// Whether GitLab has the verdict.
    pub fn is_given(&self) -> bool {
        matches!(self.state, VerdictState::Given | VerdictState::AlreadyGiven)
    }
}

/// The verdict that GitLab has of the token's user, and the facts that decide which ones it accepts.
#[derive(Clone, Debug)]
pub struct VerdictStatus {
    approvals: Approvals,
    version: Option<ServerVersion>,
    is_reviewer: bool,
    requested_changes: bool,
}

impl VerdictStatus {
    /// Reads the status for a user.
    pub async fn read(
        client: &Client,
        project: &str,
        merge_request: &MergeRequest,
        me: &Person,
    ) -> Result<Self, GitlabError> {
        let iid = merge_request.iid;
        let version = client.version().await;
        let is_reviewer = merge_request.reviewers.iter().any(|reviewer| reviewer.id == me.id);
        let states = async {
            match is_reviewer && version.is_none_or(ServerVersion::has_request_changes) {
                true => client.reviewers(project, iid).await,
                false => Ok(Vec::new()),
            }
        };
        let (approvals, reviewers) = tokio::join!(client.approvals(project, iid), states);
        let requested = |state: &str| state == "requested_changes";
        let requested_changes = reviewers?.iter().any(|one| one.user.id == me.id && requested(&one.state));
        Ok(Self { approvals: approvals?, version, is_reviewer, requested_changes })
    }

    /// Returns the approvals of all users.
    pub fn approvals(&self) -> &Approvals {
        &self.approvals
    }

    /// Whether the user has approved.
    pub fn has_approved(&self) -> bool {
        self.approvals.user_has_approved
    }

    /// Whether GitLab has this verdict of the user.
    fn has(&self, verdict: PostVerdict) -> bool {
        match verdict {
            PostVerdict::Comment => false,
            PostVerdict::Approve => self.approvals.user_has_approved,
            PostVerdict::RequestChanges => self.requested_changes,
        }
    }

    /// Returns the reason why the user cannot give a verdict, for display.
    pub fn unavailable(&self, verdict: PostVerdict) -> Option<String> {
        match verdict {
            PostVerdict::Comment => None,
            PostVerdict::Approve if self.has(verdict) => Some("You already approved this merge request.".to_owned()),
            PostVerdict::Approve => (self.approvals.user_can_approve == Some(false))
                .then(|| "GitLab does not allow you to approve this merge request.".to_owned()),
            PostVerdict::RequestChanges => match self.version.filter(|version| !version.has_request_changes()) {
                Some(version) => {
                    Some(format!("Requesting changes needs GitLab 17.0 or later. The server has {version}."))
                }
                None if !self.is_reviewer => {
                    Some("Only an assigned reviewer can request changes, and you are not one.".to_owned())
                }
                None if self.requested_changes => Some("You already requested changes.".to_owned()),
                None => None,
            },
        }
    }

    /// Fails if GitLab would refuse the verdict. Succeeds if GitLab already has it.
    pub(super) fn check(&self, verdict: PostVerdict) -> Result<()> {
        match self.unavailable(verdict).filter(|_| !self.has(verdict)) {
            None => Ok(()),
            Some(reason) => Err(Error::new(ErrorCode::GitlabPostFailed, reason).hint("Choose another verdict.")),
        }
    }
}

impl Posting<'_> {
    /// Gives the verdict, if one is chosen and every comment is posted.
    pub(super) async fn give_verdict(&mut self) -> Option<VerdictResult> {
        let verdict = self.request.verdict;
        if verdict == PostVerdict::Comment {
            return None;
        }
        let name = Some(verdict.name().to_owned());
        if !self.board.is_complete() || self.context.cancel.is_cancelled() {
            self.journal(VERDICT, "failed", None, name);
            return Some(VerdictResult { verdict, state: VerdictState::NotSent, error: None });
        }
        self.step(if verdict == PostVerdict::Approve { "Approving" } else { "Requesting changes" });
        self.journal(VERDICT, "sending", None, name.clone());
        let given = self.try_verdict(verdict).await;
        self.journal(VERDICT, if given.is_ok() { "landed" } else { "failed" }, None, name);
        Some(match given {
            Ok(state) => VerdictResult { verdict, state, error: None },
            Err(error) => VerdictResult { verdict, state: VerdictState::Failed, error: Some(error.info()) },
        })
    }

    /// Sends the verdict until GitLab has it, unless the failure is final.
    async fn try_verdict(&mut self, verdict: PostVerdict) -> Result<VerdictState> {
        let (client, project, iid) = (self.request.client, self.request.project, self.request.iid);
        let mut attempt = 0;
        loop {
            attempt += 1;
            // A verdict is about the reviewed head only.
            let merge_request = current(self.request).await?;
            let status = VerdictStatus::read(client, project, &merge_request, &self.me).await.map_err(posting_error)?;
            if status.has(verdict) {
                return Ok(if attempt > 1 { VerdictState::Given } else { VerdictState::AlreadyGiven });
            }
            status.check(verdict)?;
            if self.context.cancel.is_cancelled() {
                return Err(Error::new(ErrorCode::Cancelled, "The posting was stopped before the verdict was given."));
            }
            let answer = match verdict {
                PostVerdict::RequestChanges => client.request_changes(project, iid).await,
                _ => client.approve(project, iid, &self.request.plan.refs.head_sha).await,
            };
            match answer {
                Ok(()) => return Ok(VerdictState::Given),
                Err(GitlabError::Stopped) => return Err(not_given(GitlabError::Stopped)),
                // GitLab may have accepted it nevertheless. The next attempt reads that first.
                Err(error) if attempt < ATTEMPTS && (error.is_transient() || error.may_have_landed()) => {
                    let asked = match error {
                        GitlabError::Limited(seconds) => seconds.map(Duration::from_secs),
                        _ => None,
                    };
                    self.board.ask_wait(asked);
                    self.wait("The verdict was not given").await;
                }
                Err(error) => return Err(not_given(error)),
            }
        }
    }
}

/// Converts an error of sending a verdict.
fn not_given(error: GitlabError) -> Error {
    match error {
        GitlabError::Refused { status: 409, .. } => Error::new(
            ErrorCode::GitlabHeadMoved,
            "The merge request has new commits since the review, so the verdict was not given.",
        )
        .hint("Open it again and review the new commits."),
        GitlabError::Unauthorized(_) => Error::new(
            ErrorCode::GitlabAuthError,
            "GitLab does not allow the token's user to approve this merge request.",
        )
        .hint("The author and users who are not eligible cannot approve it."),
        GitlabError::Stopped => {
            let message = "The posting was stopped before GitLab answered. The verdict may be given.";
            Error::new(ErrorCode::Cancelled, message).hint("Post again: a verdict is never given twice.")
        }
        error => {
            let hint = match &error {
                GitlabError::Forbidden(_) => "The token's user may comment, but lacks the permission for a verdict.",
                _ => "Try again. Comments are never posted twice.",
            };
            posting_error(error).hint(hint)
        }
    }
}
