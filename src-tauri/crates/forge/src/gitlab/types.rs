//! The parts of GitLab's answers that diffsan uses. Fields that some versions lack are optional; unknown fields are ignored.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::DiffRefs;

/// A merge request.
#[derive(Clone, Debug, Deserialize)]
pub struct MergeRequest {
    /// The number in the project.
    pub iid: u64,
    /// The ID of the target project.
    pub project_id: u64,
    /// The title.
    pub title: String,
    /// The description.
    #[serde(default)]
    pub description: Option<String>,
    /// `opened`, `closed`, `merged` or `locked`.
    pub state: String,
    /// The branch that is merged.
    pub source_branch: String,
    /// The branch that the source branch is merged into.
    pub target_branch: String,
    /// The author.
    #[serde(default)]
    pub author: Option<Person>,
    /// The reviewers.
    #[serde(default)]
    pub reviewers: Vec<Person>,
    /// The assignees.
    #[serde(default)]
    pub assignees: Vec<Person>,
    /// The head commit of the diff.
    #[serde(default)]
    pub sha: Option<String>,
    /// The commits of the diff. `None` until GitLab has computed it.
    #[serde(default)]
    pub diff_refs: Option<DiffRefs>,
    /// Whether the merge request merges automatically when its pipeline succeeds. `None` if GitLab does not report it.
    #[serde(default)]
    pub merge_when_pipeline_succeeds: Option<bool>,
    /// The address of the web page.
    #[serde(default)]
    pub web_url: Option<String>,
    /// The time of the last update.
    #[serde(default)]
    pub updated_at: Option<String>,
}

/// An issue that a merge request closes.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct ClosedIssue {
    /// The number in its project. `None` for an issue of another tracker.
    #[serde(default)]
    pub iid: Option<u64>,
    /// The title.
    #[serde(default)]
    pub title: String,
    /// The description, as Markdown.
    #[serde(default)]
    pub description: Option<String>,
    /// Whether only members of its project may read it.
    #[serde(default)]
    pub confidential: bool,
    /// Its names.
    #[serde(default)]
    pub references: IssueReferences,
}

/// The names of an issue.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct IssueReferences {
    /// The name as the merge request's project uses it: `#12`, or `group/project#12` of another project.
    #[serde(default)]
    pub relative: String,
}

/// A user.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Person {
    /// The ID.
    pub id: u64,
    /// The user name.
    pub username: String,
}

/// A version of the diff.
#[derive(Clone, Debug, Deserialize)]
pub struct Version {
    /// The ID.
    pub id: u64,
    /// The head commit.
    pub head_commit_sha: String,
    /// The merge base.
    pub base_commit_sha: String,
    /// The commit of the target branch.
    pub start_commit_sha: String,
}

/// A thread.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Discussion {
    /// The ID.
    pub id: String,
    /// Whether the thread is a single comment without replies.
    #[serde(default)]
    pub individual_note: bool,
    /// The comments, oldest first.
    #[serde(default)]
    pub notes: Vec<Note>,
}

/// A comment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Note {
    /// The ID.
    pub id: u64,
    /// The text.
    #[serde(default)]
    pub body: String,
    /// The author.
    #[serde(default)]
    pub author: Option<Person>,
    /// Whether GitLab itself created the comment.
    #[serde(default)]
    pub system: bool,
    /// Whether the comment can be resolved.
    #[serde(default)]
    pub resolvable: bool,
    /// Whether the comment is resolved.
    #[serde(default)]
    pub resolved: Option<bool>,
    /// The position in the diff.
    #[serde(default)]
    pub position: Option<Value>,
    /// The creation time.
    #[serde(default)]
    pub created_at: Option<String>,
}

/// A draft, which only its author sees.
#[derive(Clone, Debug, Deserialize)]
pub struct Draft {
    /// The ID.
    pub id: u64,
    /// The text.
    #[serde(default)]
    pub note: String,
    /// The line code of the position. `None` if GitLab does not find the line.
    #[serde(default)]
    pub line_code: Option<String>,
    /// The position, as GitLab writes it.
    #[serde(default)]
    pub position: Value,
}

/// The approvals of a merge request.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Approvals {
    /// Whether there are enough approvals.
    pub approved: bool,
    /// The number of missing approvals. `None` if GitLab does not report it.
    pub approvals_left: Option<u32>,
    /// Whether the token's user has approved.
    pub user_has_approved: bool,
    /// Whether the token's user may approve. `None` if GitLab does not report it.
    pub user_can_approve: Option<bool>,
    /// The users who have approved.
    pub approved_by: Vec<Approver>,
}

/// A user who has approved.
#[derive(Clone, Debug, Deserialize)]
pub struct Approver {
    /// The user.
    pub user: Person,
}

/// A reviewer of a merge request.
#[derive(Clone, Debug, Deserialize)]
pub struct Reviewer {
    /// The user.
    pub user: Person,
    /// The state of the review: `unreviewed`, `requested_changes`, ….
    #[serde(default)]
    pub state: String,
    /// The time at which the user became a reviewer.
    #[serde(default)]
    pub created_at: Option<String>,
}

/// The properties of a token.
#[derive(Clone, Debug, Deserialize)]
pub struct TokenInfo {
    /// The name.
    #[serde(default)]
    pub name: String,
    /// The scopes: `api`, `read_api`, ….
    #[serde(default)]
    pub scopes: Vec<String>,
    /// Whether the token is valid.
    #[serde(default)]
    pub active: bool,
    /// The expiry date.
    #[serde(default)]
    pub expires_at: Option<String>,
}
