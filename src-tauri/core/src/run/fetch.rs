//! A merge request, read from its GitLab.

use bytes::Bytes;

use super::opened::FetchedRequest;
use super::words::sentence;
use crate::change::Target;
use crate::error::{Error, ErrorCode, Result};
use crate::gitlab::{Client, GitlabError, Reference, Token};
use crate::repo::Repo;

/// Variables that a token is read from, the first first.
const TOKENS: &[&str] = &["DIFFSAN_GITLAB_TOKEN", "GITLAB_TOKEN"];

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

/// Reads a merge request: its diff refs, its diff and its messages.
pub async fn fetch_merge_request(target: &Target) -> Result<FetchedRequest> {
    let Target::MergeRequest { base, project, iid } = target else {
        return Err(Error::new(ErrorCode::FormatFailed, "This is no merge request."));
    };
    let token = TOKENS.iter().find_map(|name| std::env::var(name).ok()).filter(|token| !token.trim().is_empty());
    let token = token.ok_or_else(|| {
        Error::new(ErrorCode::GitlabAuthError, format!("There is no token for {base}.")).hint(format!(
            "Set {} to a personal access token with the scope api (read_api is enough for reading).",
            TOKENS[0]
        ))
    })?;
    // A project below a path cannot be told from the GitLab's own path: the parts are tried from the left.
    let mut candidates = vec![(base.clone(), project.clone())];
    let parts: Vec<&str> = project.split('/').collect();
    for count in 1..parts.len().saturating_sub(1) {
        candidates.push((format!("{base}/{}", parts[..count].join("/")), parts[count..].join("/")));
    }
    let mut first = None;
    for (base, project) in candidates {
        let client = Client::new(&base, &Token::new(token.trim()), None).map_err(failed)?;
        match fetch(&client, &project, *iid).await {
            Ok(fetched) => return Ok(fetched),
            Err(error @ (GitlabError::NotFound(_) | GitlabError::Unreadable(_))) => {
                first.get_or_insert(error);
            }
            Err(error) => return Err(failed(error)),
        }
    }
    Err(failed(first.unwrap_or_else(|| GitlabError::NotFound(format!("{project}!{iid}")))))
}

async fn fetch(client: &Client, project: &str, iid: u64) -> std::result::Result<FetchedRequest, GitlabError> {
    let request = client.merge_request(project, iid).await?;
    let refs = request.diff_refs.filter(|refs| !refs.head_sha.is_empty()).unwrap_or_default();
    let patch = client.patch(project, iid).await?;
    let messages = client.messages(project, iid).await.unwrap_or_default();
    Ok(FetchedRequest {
        refs,
        patch: Bytes::from(patch),
        messages,
        title: request.title,
        auto_merge: request.merge_when_pipeline_succeeds,
        web_url: request.web_url,
    })
}

/// A failure of the door, with what to do.
fn failed(error: GitlabError) -> Error {
    let (code, hint) = match &error {
        GitlabError::Unauthorized(_) => {
            (ErrorCode::GitlabAuthError, "Make a new token with the scope api and set DIFFSAN_GITLAB_TOKEN.")
        }
        GitlabError::Forbidden(_) => {
            (ErrorCode::GitlabAuthError, "Use a token with the scope api, of a user who may see the project.")
        }
        GitlabError::NotFound(_) => {
            (ErrorCode::DiffFetchFailed, "Check the address, and that the token's user may see the project.")
        }
        GitlabError::Settings(_) => (ErrorCode::ConfigParseError, "Correct the address."),
        _ => (ErrorCode::DiffFetchFailed, "Check the network and the proxy, and try again."),
    };
    let retryable = error.passes();
    let mut error = Error::new(code, sentence(&error.to_string())).hint(hint);
    error.retryable = retryable;
    error
}
