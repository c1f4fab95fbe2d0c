//! What GitLab tells, as far as diffsan asks. Fields that versions lack are optional; unknown ones are ignored.

use serde::Deserialize;
use serde_json::Value;

use super::DiffRefs;

/// A merge request.
#[derive(Clone, Debug, Deserialize)]
pub struct MergeRequest {
    /// Its number in the project.
    pub iid: u64,
    /// The target project.
    pub project_id: u64,
    /// Its headline.
    pub title: String,
    /// What it says.
    #[serde(default)]
    pub description: Option<String>,
    /// `opened`, `closed`, `merged`, `locked`.
    pub state: String,
    /// The branch that is merged.
    pub source_branch: String,
    /// The branch that it goes into.
    pub target_branch: String,
    /// Who made it.
    #[serde(default)]
    pub author: Option<Person>,
    /// Who is asked to review it.
    #[serde(default)]
    pub reviewers: Vec<Person>,
    /// Whom it is assigned to.
    #[serde(default)]
    pub assignees: Vec<Person>,
    /// The head of its diff.
    #[serde(default)]
    pub sha: Option<String>,
    /// What its diff is made of; none until GitLab knows.
    #[serde(default)]
    pub diff_refs: Option<DiffRefs>,
    /// Whether it merges by itself when it can; none where that is not told.
    #[serde(default)]
    pub merge_when_pipeline_succeeds: Option<bool>,
    /// Its page.
    #[serde(default)]
    pub web_url: Option<String>,
    /// When something about it changed.
    #[serde(default)]
    pub updated_at: Option<String>,
}

/// A user.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Person {
    /// Their number.
    pub id: u64,
    /// Their name.
    pub username: String,
}

/// A state of the diff.
#[derive(Clone, Debug, Deserialize)]
pub struct Version {
    /// Its number.
    pub id: u64,
    /// The head.
    pub head_commit_sha: String,
    /// The merge base.
    pub base_commit_sha: String,
    /// The target branch's commit.
    pub start_commit_sha: String,
}

/// A thread.
#[derive(Clone, Debug, Deserialize)]
pub struct Discussion {
    /// Its name.
    pub id: String,
    /// Whether it is one plain comment.
    #[serde(default)]
    pub individual_note: bool,
    /// Oldest first.
    #[serde(default)]
    pub notes: Vec<Note>,
}

/// A comment.
#[derive(Clone, Debug, Deserialize)]
pub struct Note {
    /// Its number.
    pub id: u64,
    /// What it says.
    #[serde(default)]
    pub body: String,
    /// Who wrote it.
    #[serde(default)]
    pub author: Option<Person>,
    /// Whether GitLab wrote it.
    #[serde(default)]
    pub system: bool,
    /// Whether it can be resolved.
    #[serde(default)]
    pub resolvable: bool,
    /// Whether it is.
    #[serde(default)]
    pub resolved: Option<bool>,
    /// Where it is.
    #[serde(default)]
    pub position: Option<Value>,
    /// When.
    #[serde(default)]
    pub created_at: Option<String>,
}

/// A comment that only its author sees yet.
#[derive(Clone, Debug, Deserialize)]
pub struct Draft {
    /// Its number.
    pub id: u64,
    /// What it says.
    #[serde(default)]
    pub note: String,
    /// The line that it will be at; none where GitLab finds none.
    #[serde(default)]
    pub line_code: Option<String>,
}

/// Who approved.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Approvals {
    /// Whether enough did.
    pub approved: bool,
    /// How many are missing; none where that is not told.
    pub approvals_left: Option<u32>,
    /// Whether the token's user did.
    pub user_has_approved: bool,
    /// Whether the token's user may; none where that is not told.
    pub user_can_approve: Option<bool>,
}

/// What a token is and may.
#[derive(Clone, Debug, Deserialize)]
pub struct TokenInfo {
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// `api`, `read_api`, ….
    #[serde(default)]
    pub scopes: Vec<String>,
    /// Whether it works.
    #[serde(default)]
    pub active: bool,
    /// When it ends.
    #[serde(default)]
    pub expires_at: Option<String>,
}
