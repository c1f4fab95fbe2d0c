//! Merge requests: lists them, reads their threads and verdicts, replies, resolves, and revokes approvals.

use std::path::Path;
use std::sync::Arc;

use super::App;
use diffsan_change::Target;
use diffsan_forge::gitlab::{Client, GitlabError, MergeRequest, Person, Reference};
use diffsan_git::Repo;
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_pipeline::open::{FetchedRequest, OpenChange};
use diffsan_posting::VerdictStatus;

/// A merge request in a list.
#[derive(Clone, Debug)]
pub struct ListedRequest {
    /// The target that opens it.
    pub target: Target,
    /// The relation of the token's user to it: `reviewer`, `assigned` or `mine`.
    pub relation: Option<&'static str>,
    /// The merge request.
    pub request: MergeRequest,
}

/// Returns the projects that a repository's remotes name, as the address of the GitLab server and the path of the
/// project.
pub(super) fn projects(repo: &Path) -> Result<Vec<(String, String)>> {
    let repo = Repo::open(repo)?;
    let mut found: Vec<(String, String)> = Vec::new();
    for project in repo.remote_urls().iter().filter_map(|url| Reference::of_remote(url)) {
        if !found.contains(&project) {
            found.push(project);
        }
    }
    Ok(found)
}

impl App {
    /// Returns the latest open merge requests of a repository's remote. Fails if no remote is on a GitLab server with a
    /// token; returns an empty list if no remote names a project.
    pub async fn merge_requests(self: &Arc<Self>, repo: &Path) -> Result<Vec<ListedRequest>> {
        let (app, repo) = (Arc::clone(self), repo.to_owned());
        let asked = blocking(move || Ok((app.gitlab()?, projects(&repo)?))).await?;
        let (access, projects) = asked;
        let mut refused = None;
        for (base, project) in projects {
            let (keeper, host) = (access.clone(), base.clone());
            let client = match blocking(move || keeper.client(&host)).await {
                Ok(client) => client,
                Err(error) => {
                    refused.get_or_insert(error);
                    continue;
                }
            };
            let (found, me) = tokio::join!(client.open_merge_requests(&project), client.user());
            let found = found?;
            let me = me.ok();
            let target = |request: &MergeRequest| Target::MergeRequest {
                base: base.clone(),
                project: project.clone(),
                iid: request.iid,
            };
            let listed = |request: MergeRequest| {
                let is_me = |people: &[Person]| me.as_ref().is_some_and(|me| people.contains(me));
                let relation = if is_me(&request.reviewers) {
                    Some("reviewer")
                } else if is_me(&request.assignees) {
                    Some("assigned")
                } else if request.author.as_ref().is_some_and(|author| Some(author) == me.as_ref()) {
                    Some("mine")
                } else {
                    None
                };
                ListedRequest { target: target(&request), relation, request }
            };
            return Ok(found.into_iter().map(listed).collect());
        }
        match refused {
            Some(error) => Err(error),
            None => Ok(Vec::new()),
        }
    }

    /// Reads a merge request's threads and verdict again. Returns whether its head has changed since it was opened, and
    /// the verdict of the token's user, if it could be read.
    pub async fn refresh_request(self: &Arc<Self>, opened: &OpenChange) -> Result<(bool, Option<VerdictStatus>)> {
        let (client, project, iid, request) = self.reach(opened).await?;
        let (now, discussions) = tokio::join!(client.merge_request(project, iid), client.discussions(project, iid));
        let now = now?;
        request.threads.set(discussions?);
        let status = match &request.me {
            Some(me) => VerdictStatus::read(&client, project, &now, me).await.ok(),
            None => None,
        };
        let moved = now.diff_refs.is_some_and(|refs| refs.head_sha != request.refs.head_sha);
        Ok((moved, status))
    }

    /// Replies in a thread. The text is the reviewer's, so it may mention users and refer to issues.
    pub async fn reply(self: &Arc<Self>, opened: &OpenChange, discussion: &str, body: &str) -> Result<()> {
        let (client, project, iid, request) = self.reach(opened).await?;
        if body.trim().is_empty() {
            return Err(Error::new(ErrorCode::InvalidInput, "The reply is empty."));
        }
        let masked = opened.fresh_session().contract("reply", body).into_inner();
        let before = count(request, discussion);
        let sent = client.reply(project, iid, discussion, &masked).await;
        let discussions = client.discussions(project, iid).await;
        if let Ok(discussions) = discussions {
            request.threads.set(discussions);
        }
        match sent {
            Ok(_) => Ok(()),
            // The reply may exist despite the error. A second reply would be worse than reading the thread again.
            Err(error) if error.may_have_landed() && count(request, discussion) > before => Ok(()),
            Err(error) => Err(not_done(error)),
        }
    }

    /// Resolves or reopens a thread.
    pub async fn resolve(self: &Arc<Self>, opened: &OpenChange, discussion: &str, resolved: bool) -> Result<()> {
        let (client, project, iid, request) = self.reach(opened).await?;
        client.resolve(project, iid, discussion, resolved).await.map_err(not_done)?;
        if let Ok(discussions) = client.discussions(project, iid).await {
            request.threads.set(discussions);
        }
        Ok(())
    }

    /// Revokes the approval of the token's user. Succeeds if there is none.
    pub async fn revoke_approval(self: &Arc<Self>, opened: &OpenChange) -> Result<()> {
        let (client, project, iid, _) = self.reach(opened).await?;
        let Err(error) = client.unapprove(project, iid).await else { return Ok(()) };
        match client.approvals(project, iid).await {
            // There was no approval, or the request succeeded although its answer was lost.
            Ok(now) if !now.user_has_approved => Ok(()),
            _ => Err(not_done(error)),
        }
    }

    /// Returns a client for an opened merge request.
    pub(crate) async fn reach<'a>(
        self: &Arc<Self>,
        opened: &'a OpenChange,
    ) -> Result<(Client, &'a str, u64, &'a FetchedRequest)> {
        let request = diffsan_posting::request_of(opened)?;
        let Target::MergeRequest { base, project, iid } = &opened.target else {
            return Err(Error::new(ErrorCode::InvalidInput, "This change is not a merge request."));
        };
        let (app, host) = (Arc::clone(self), base.clone());
        let client = blocking(move || app.gitlab()?.client(&host)).await?;
        Ok((client, project, *iid, request))
    }
}

/// Converts the error of a single action. Unlike a posting, it is not continued, so it needs another hint.
fn not_done(error: GitlabError) -> Error {
    let hint = match &error {
        GitlabError::NotFound(_) => None,
        GitlabError::Unauthorized(_) | GitlabError::Forbidden(_) => Some(
            "This needs a token with the scope api from a user with the necessary permission. The discussion may \
             also be locked, or the project archived.",
        ),
        _ => Some("Check on the merge request whether it was done nevertheless. If not, try again."),
    };
    let failed = diffsan_posting::posting_error(error);
    match hint {
        Some(hint) => failed.hint(hint),
        None => failed,
    }
}

fn count(request: &FetchedRequest, discussion: &str) -> usize {
    let threads = request.threads.get().unwrap_or_default();
    threads.iter().find(|thread| thread.id == discussion).map_or(0, |thread| thread.notes.len())
}
