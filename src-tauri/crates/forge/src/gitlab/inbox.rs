//! Reads the lists of merge requests that concern a user, and the details of each.

use serde::Deserialize;
use serde_json::Value;

use super::client::{Client, encoded};
use super::error::GitlabError;
use super::known_responses::KnownResponses;
use super::types::{Approvals, Discussion, Person, Reviewer};

/// A list of open merge requests of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InboxList {
    /// A review is requested from the user.
    Reviewer,
    /// They are assigned to the user.
    Assignee,
    /// The user created them.
    Author,
}

impl InboxList {
    /// All lists.
    pub const ALL: [Self; 3] = [Self::Reviewer, Self::Assignee, Self::Author];

    fn parameter(self) -> &'static str {
        match self {
            Self::Reviewer => "reviewer_username",
            Self::Assignee => "assignee_username",
            Self::Author => "author_username",
        }
    }
}

/// A merge request of a list over all projects. The list lacks its pipeline, approvals and threads.
#[derive(Clone, Debug, Deserialize)]
pub struct ListedMergeRequest {
    /// The number in the project.
    pub iid: u64,
    /// The ID of the target project.
    pub project_id: u64,
    /// The ID of the project of the source branch, which may be a fork.
    #[serde(default)]
    pub source_project_id: Option<u64>,
    /// The title.
    pub title: String,
    /// `opened`, `closed`, `merged` or `locked`.
    pub state: String,
    /// Whether it is a draft.
    #[serde(default)]
    pub draft: bool,
    /// The author.
    #[serde(default)]
    pub author: Option<Person>,
    /// The reviewers.
    #[serde(default)]
    pub reviewers: Vec<Person>,
    /// The assignees.
    #[serde(default)]
    pub assignees: Vec<Person>,
    /// The names of the labels.
    #[serde(default)]
    pub labels: Vec<String>,
    /// The head commit of the diff.
    #[serde(default)]
    pub sha: Option<String>,
    /// The branch that is merged.
    #[serde(default)]
    pub source_branch: String,
    /// The branch that the source branch is merged into.
    #[serde(default)]
    pub target_branch: String,
    /// Whether it has conflicts with the target branch.
    #[serde(default)]
    pub has_conflicts: bool,
    /// The reason why it cannot be merged: an open set of names. Since 15.6.
    #[serde(default)]
    pub detailed_merge_status: Option<String>,
    /// The address of the web page.
    #[serde(default)]
    pub web_url: Option<String>,
    /// The full reference, such as `group/project!7`.
    #[serde(default)]
    references: Option<References>,
    /// The creation time.
    #[serde(default)]
    pub created_at: Option<String>,
    /// The time of the last update.
    #[serde(default)]
    pub updated_at: Option<String>,
    /// The time of merging.
    #[serde(default)]
    pub merged_at: Option<String>,
    /// The time of closing.
    #[serde(default)]
    pub closed_at: Option<String>,
    /// The number of changed files. `1000+` if GitLab did not count them all. Only of a single merge request.
    #[serde(default)]
    pub changes_count: Option<String>,
    /// The newest pipeline of the head. Only of a single merge request.
    #[serde(default)]
    head_pipeline: Option<HeadPipeline>,
}

#[derive(Clone, Debug, Deserialize)]
struct References {
    #[serde(default)]
    full: String,
}

#[derive(Clone, Debug, Deserialize)]
struct HeadPipeline {
    status: String,
}

impl ListedMergeRequest {
    /// Returns the path of the project: from the full reference, or else from the address.
    pub fn project(&self) -> Option<String> {
        let full = self.references.as_ref().and_then(|references| references.full.rsplit_once('!'));
        if let Some((project, _)) = full {
            return Some(project.to_owned());
        }
        super::Reference::parse(self.web_url.as_deref()?)?.project
    }

    /// Returns whether its source branch is in the project of its target branch, not in a fork.
    pub fn is_internal(&self) -> bool {
        self.source_project_id.is_none_or(|source| source == self.project_id)
    }

    /// Returns the status of the head's pipeline.
    pub fn pipeline(&self) -> Option<&str> {
        self.head_pipeline.as_ref().map(|pipeline| pipeline.status.as_str())
    }
}

/// The details of a merge request that the lists lack.
#[derive(Clone, Debug)]
pub struct MergeRequestDetails {
    /// The merge request itself.
    pub request: ListedMergeRequest,
    /// The threads.
    pub discussions: Vec<Discussion>,
    /// The head commits of the versions with their times, newest first.
    pub versions: Vec<(String, Option<String>)>,
    /// The approvals. `None` if GitLab does not show them, or if they were not asked for.
    pub approvals: Option<Approvals>,
    /// The reviewers with their states. `None` if the version of GitLab has no list of them.
    pub reviewers: Option<Vec<Reviewer>>,
}

/// The state of a merge request that the lists lack.
#[derive(Clone, Debug, Default)]
pub struct RequestStatus {
    /// The status of the head's pipeline, if there is one.
    pub pipeline: Option<String>,
    /// The names of the users who have approved. Empty if GitLab does not show them.
    pub approved_by: Vec<String>,
}

impl Client {
    /// Returns the pipeline and the approvals of a merge request.
    pub async fn request_status(&self, project: &str, iid: u64) -> Result<RequestStatus, GitlabError> {
        let own = Self::request(project, iid, "");
        let (request, approvals) = tokio::join!(self.get::<ListedMergeRequest>(&own), self.approvals(project, iid));
        let approved_by = optional(approvals)?.map(|approvals| approvals.approved_by).unwrap_or_default();
        Ok(RequestStatus {
            pipeline: request?.pipeline().map(str::to_owned),
            approved_by: approved_by.into_iter().map(|approver| approver.user.username).collect(),
        })
    }

    /// Returns all open merge requests of a project, oldest first, so that new ones do not move others to another page.
    pub async fn project_requests(&self, project: &str) -> Result<Vec<ListedMergeRequest>, GitlabError> {
        self.list(&Self::project(project, "merge_requests?state=opened&order_by=created_at&sort=asc")).await
    }

    /// Returns the user of the token like [`Self::user`], with a conditional request.
    pub async fn known_user(&self, responses: &KnownResponses) -> Result<Person, GitlabError> {
        self.get_known("user", responses).await
    }

    /// Returns all open merge requests of a list, over all projects that the token can see. They are ordered by their creation, because
    /// an update while the pages are read must not move one to a page that was read before.
    pub async fn inbox_list(
        &self,
        list: InboxList,
        username: &str,
        responses: &KnownResponses,
    ) -> Result<Vec<ListedMergeRequest>, GitlabError> {
        let (parameter, name) = (list.parameter(), encoded(username));
        let path = format!("merge_requests?scope=all&state=opened&order_by=created_at&sort=asc&{parameter}={name}");
        self.list_known(&path, responses).await
    }

    /// Returns one merge request in the form of a list.
    pub async fn inbox_request(
        &self,
        project: &str,
        iid: u64,
        responses: &KnownResponses,
    ) -> Result<ListedMergeRequest, GitlabError> {
        self.get_known(&Self::request(project, iid, ""), responses).await
    }

    /// Returns the details of a merge request. Parts that a version of GitLab or the token's permission lacks are `None`.
    pub async fn inbox_details(
        &self,
        project: &str,
        iid: u64,
        with_approvals: bool,
        responses: &KnownResponses,
    ) -> Result<MergeRequestDetails, GitlabError> {
        let path = |rest: &str| Self::request(project, iid, rest);
        let (own, threads, versions, approvals, reviewers) =
            (path(""), path("discussions"), path("versions"), path("approvals"), path("reviewers"));
        let request = self.get_known(&own, responses).await?;
        let discussions = self.list_known(&threads, responses).await?;
        let versions: Vec<Value> = self.list_known(&versions, responses).await?;
        let approvals = match with_approvals {
            true => optional(self.get_known(&approvals, responses).await)?,
            false => None,
        };
        let reviewers = optional(self.list_known(&reviewers, responses).await)?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let versions =
            versions.iter().filter_map(|one| Some((text(&one["head_commit_sha"])?, text(&one["created_at"]))));
        Ok(MergeRequestDetails { request, discussions, versions: versions.collect(), approvals, reviewers })
    }

    /// Returns the commits of a merge request, newest first.
    pub async fn inbox_commits(
        &self,
        project: &str,
        iid: u64,
        responses: &KnownResponses,
    ) -> Result<Vec<String>, GitlabError> {
        let commits: Vec<Value> = self.list_known(&Self::request(project, iid, "commits"), responses).await?;
        Ok(commits.iter().filter_map(|commit| commit["id"].as_str().map(str::to_owned)).collect())
    }
}

/// Turns a part that does not exist or is not visible into `None`.
fn optional<T>(read: Result<T, GitlabError>) -> Result<Option<T>, GitlabError> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(GitlabError::NotFound(_) | GitlabError::Forbidden(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
