//! A merge request, read from its GitLab.

use bytes::Bytes;

use super::access::{GitlabAccess, reading_failed};
use super::opened::FetchedRequest;
use crate::change::Target;
use crate::error::{Error, ErrorCode, Result};
use crate::gitlab::{Client, GitlabError, Reference};
use crate::repo::Repo;

/// The merge request that a text names; its project is found from the repository's remotes where it is not named.
pub fn merge_request_target(text: &str, repo: Option<&std::path::Path>) -> Result<Target> {
    let wrong = |message: String| {
        Error::new(ErrorCode::FormatFailed, message)
            .hint("Give its address, group/project!7, or its number inside a clone of the project.")
    };
    let named = Reference::parse(text).ok_or_else(|| wrong(format!("`{text}` names no merge request.")))?;
    let remote = || {
        let repo = Repo::open(repo?).ok()?;
        repo.remote_urls().into_iter().find_map(|url| Reference::of_remote(&url))
    };
    let (base, project) = match (named.base, named.project) {
        (Some(base), Some(project)) => (base, project),
        (None, Some(project)) => {
            let (base, _) = remote().ok_or_else(|| wrong(format!("It is not known which GitLab has {project}.")))?;
            (base, project)
        }
        _ => remote().ok_or_else(|| wrong("No remote of this repository is a project of a GitLab.".to_owned()))?,
    };
    Ok(Target::MergeRequest { base, project, iid: named.iid })
}

/// Reads a merge request: its diff refs, its diff and its messages. The target is given back as GitLab has it.
pub async fn fetch_merge_request(target: &Target, access: &GitlabAccess) -> Result<(Target, FetchedRequest)> {
    let Target::MergeRequest { base, project, iid } = target else {
        return Err(Error::new(ErrorCode::FormatFailed, "This is no merge request."));
    };
    let secret = {
        let (access, base) = (access.clone(), base.clone());
        let asked = tokio::task::spawn_blocking(move || access.token(&base)).await;
        asked.map_err(|error| Error::new(ErrorCode::GitlabAuthError, "The keyring broke.").cause(error))??.0
    };
    // A project below a path cannot be told from the GitLab's own path: the parts are tried from the left.
    let mut candidates = vec![(base.clone(), project.clone())];
    let parts: Vec<&str> = project.split('/').collect();
    for count in 1..parts.len().saturating_sub(1) {
        candidates.push((format!("{base}/{}", parts[..count].join("/")), parts[count..].join("/")));
    }
    let mut first = None;
    for (base, project) in candidates {
        let client = access.client_with(&base, &secret)?;
        match fetch(&client, &project, *iid).await {
            Ok(fetched) => return Ok((Target::MergeRequest { base, project, iid: *iid }, fetched)),
            Err(error @ (GitlabError::NotFound(_) | GitlabError::Unreadable(_))) => {
                first.get_or_insert(error);
            }
            Err(error) => return Err(reading_failed(error)),
        }
    }
    Err(reading_failed(first.unwrap_or_else(|| GitlabError::NotFound(format!("{project}!{iid}")))))
}

async fn fetch(client: &Client, project: &str, iid: u64) -> std::result::Result<FetchedRequest, GitlabError> {
    let request = client.merge_request(project, iid).await?;
    let refs = request.diff_refs.filter(|refs| !refs.head_sha.is_empty()).unwrap_or_default();
    let (patch, messages, discussions, me) = tokio::join!(
        client.patch(project, iid),
        client.messages(project, iid),
        client.discussions(project, iid),
        client.user()
    );
    Ok(FetchedRequest {
        refs,
        patch: Bytes::from(patch?),
        messages: messages.unwrap_or_default(),
        title: request.title,
        auto_merge: request.merge_when_pipeline_succeeds,
        web_url: request.web_url,
        state: request.state,
        source_branch: request.source_branch,
        target_branch: request.target_branch,
        author: request.author.map(|author| author.username),
        me: me.ok(),
        discussions: discussions.ok(),
    })
}
