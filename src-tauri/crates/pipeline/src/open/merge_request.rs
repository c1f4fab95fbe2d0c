//! Reads a merge request from GitLab, and its diff from a clone if that has the commits.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::gitlab_access::GitlabAccess;
use super::request::{FetchedDiff, FetchedRequest, Threads, range_of};
use crate::blocking;
use crate::error::{Error, ErrorCode, Result};
use diffsan_agent::SearchPath;
use diffsan_change::{Body, Change, Target};
use diffsan_forge::gitlab::DiffRefs;
use diffsan_forge::gitlab::{Client, GitlabError, MergeRequest, Reference};
use diffsan_forge::post_plan::MarkerKeys;
use diffsan_git::{FetchRequest, ReadOptions, Repo, ServerToken, server_of};
use diffsan_store::files::settings::REPOSITORY_FILE;
use diffsan_store::secrets::origin;

/// The maximum time to fetch commits.
const FETCH_LIMIT: Duration = Duration::from_secs(60);
/// The error if a fetch succeeds without the commit.
const NOT_SENT: &str = "the server did not send it";

/// A repository that may be a clone of the merge request's project.
#[derive(Clone, Debug)]
pub struct LocalClone {
    /// Any path inside it.
    pub path: PathBuf,
    /// The folders in which git's credential helpers are searched.
    pub search: SearchPath,
}

/// Returns the options with which GitLab computes a diff.
fn read_options() -> ReadOptions {
    ReadOptions { renames: 30, ..ReadOptions::default() }
}

/// Parses the name of a merge request. A missing project is taken from the repository's remotes.
pub fn merge_request_target(text: &str, repo: Option<&std::path::Path>) -> Result<Target> {
    let wrong = |message: String| {
        Error::new(ErrorCode::InvalidInput, message)
            .hint("Give its address, group/project!7, or its number inside a clone of the project.")
    };
    let named = Reference::parse(text).ok_or_else(|| wrong(format!("`{text}` is not a merge request.")))?;
    let remote = || {
        let repo = Repo::open(repo?).ok()?;
        repo.remote_urls().into_iter().find_map(|url| Reference::of_remote(&url))
    };
    let (base, project) = match (named.base, named.project) {
        (Some(base), Some(project)) => (base, project),
        (None, Some(project)) => {
            let (base, _) = remote().ok_or_else(|| wrong(format!("The GitLab server of {project} is unknown.")))?;
            (base, project)
        }
        _ => remote().ok_or_else(|| wrong("No remote of this repository is a GitLab project.".to_owned()))?,
    };
    Ok(Target::MergeRequest { base, project, iid: named.iid })
}

/// Reads a merge request: its diff refs, its diff and its messages. Returns the target with the address and project that GitLab uses.
/// Fetches the commits into the clone, and reads the diff there if it has them.
pub async fn fetch_merge_request(
    target: &Target,
    access: &GitlabAccess,
    clone: Option<&LocalClone>,
) -> Result<(Target, FetchedRequest)> {
    let Target::MergeRequest { base, project, iid } = target else {
        return Err(Error::new(ErrorCode::InvalidInput, "This is not a merge request."));
    };
    let secret = {
        let (access, base) = (access.clone(), base.clone());
        blocking(move || access.token(&base)).await?.0
    };
    // A project cannot be separated from a path in the server's own address, so the parts are tried from the left.
    let mut candidates = vec![(base.clone(), project.clone())];
    let parts: Vec<&str> = project.split('/').collect();
    for count in 1..parts.len().saturating_sub(1) {
        candidates.push((format!("{base}/{}", parts[..count].join("/")), parts[count..].join("/")));
    }
    let mut first = None;
    for (base, project) in candidates {
        let client = access.client_with(&base, &secret)?;
        let keys = |request: &MergeRequest| access.marker_keys(&base, &secret, request.project_id, request.iid);
        let candidate = Candidate { client: &client, access, base: &base, project: &project, iid: *iid, clone };
        match candidate.fetch(&keys).await {
            Ok(fetched) => return Ok((Target::MergeRequest { base, project, iid: *iid }, fetched)),
            Err(error @ (GitlabError::NotFound(_) | GitlabError::Unreadable(_))) => {
                first.get_or_insert(error);
            }
            Err(error) => return Err(Error::from(error)),
        }
    }
    match first {
        Some(GitlabError::NotFound(_)) | None => {
            let client = access.client_with(base, &secret)?;
            Err(missing(client.has_project(project).await, base, project, *iid))
        }
        Some(error) => Err(Error::from(error)),
    }
}

/// Returns the error for a merge request that was not found.
fn missing(project_found: std::result::Result<bool, GitlabError>, base: &str, project: &str, iid: u64) -> Error {
    let (message, hint) = match project_found {
        Err(error) => return Error::from(error),
        Ok(true) => (
            format!("The project {project} has no merge request !{iid}."),
            "Check the number. `diffsan review --mr` takes the address of the merge request, too.",
        ),
        Ok(false) => (
            format!("{base} has no project {project}, or the token's user has no access to it."),
            "Check the address. If it is right, use the token of a member of the project.",
        ),
    };
    Error::new(ErrorCode::GitlabFetchFailed, message).hint(hint)
}

/// A merge request with a possible address of its server.
struct Candidate<'a> {
    client: &'a Client,
    access: &'a GitlabAccess,
    base: &'a str,
    project: &'a str,
    iid: u64,
    clone: Option<&'a LocalClone>,
}

impl Candidate<'_> {
    async fn fetch(
        &self,
        keys: &(dyn Fn(&MergeRequest) -> MarkerKeys + Sync),
    ) -> std::result::Result<FetchedRequest, GitlabError> {
        let Self { client, project, iid, .. } = *self;
        let (version, request) = tokio::join!(client.version(), client.merge_request(project, iid));
        let request = request?;
        let markers = keys(&request);
        let refs = request.diff_refs.filter(|refs| !refs.head_sha.is_empty()).unwrap_or_default();
        let ((diff, commits), messages, issues, discussions, me, settings) = tokio::join!(
            self.diff(&refs),
            client.messages(project, iid),
            client.closed_issues(project, iid),
            client.discussions(project, iid),
            client.user(),
            client.file(project, REPOSITORY_FILE, &refs.base_sha)
        );
        let threads = Threads::default();
        if let Ok(discussions) = discussions {
            threads.set(discussions);
        }
        let settings = settings.ok().flatten().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok(FetchedRequest {
            project_id: request.project_id,
            version,
            refs,
            diff: diff?,
            messages: messages.unwrap_or_default(),
            title: request.title,
            description: request.description,
            issues: issues.unwrap_or_default(),
            auto_merge: request.merge_when_pipeline_succeeds,
            web_url: request.web_url,
            state: request.state,
            source_branch: request.source_branch,
            target_branch: request.target_branch,
            author: request.author.map(|author| author.username),
            me: me.ok(),
            settings,
            commits,
            markers,
            threads,
        })
    }

    /// Returns the diff, and the reason why the commits could not be fetched into the clone, if that was tried and failed.
    async fn diff(&self, refs: &DiffRefs) -> (std::result::Result<FetchedDiff, GitlabError>, Option<String>) {
        let (mut local, mut failure) = (None, None);
        if let Some(clone) = self.clone
            && !refs.head_sha.is_empty()
        {
            failure = self.bring_commits(clone, refs).await.err();
            let (path, refs) = (clone.path.clone(), refs.clone());
            local = blocking(move || Ok(local_diff(&path, &refs))).await.ok().flatten();
        }
        let diff = match local {
            Some(change) => Ok(FetchedDiff::Local(Arc::new(change))),
            None => self.client.patch(self.project, self.iid).await.map(|patch| FetchedDiff::Patch(patch.into())),
        };
        (diff, failure)
    }

    /// Fetches the commits into the clone. An error is a text, because the diff can come from GitLab.
    async fn bring_commits(&self, clone: &LocalClone, refs: &DiffRefs) -> std::result::Result<(), String> {
        let from = format!("refs/merge-requests/{}/head", self.iid);
        let commits = vec![refs.base_sha.clone(), refs.head_sha.clone()];
        match fetch(self.access, clone, (self.base, self.project), Wanted { from, commits, whole_history: false })
            .await?
        {
            true => Ok(()),
            false => {
                let what = "the fetched commit is not the head that GitLab reports; the merge request was just updated";
                Err(what.to_owned())
            }
        }
    }
}

/// Fetches a commit that a clone of a project does not have any more, given by its full id, into a ref of diffsan's own. The server may
/// have it still: GitLab keeps the commits of all versions of a merge request.
///
/// # Errors
///
/// Returns a text if the clone has no remote of the project, and if the server does not send the commit.
pub async fn fetch_commit(
    access: &GitlabAccess,
    clone: &LocalClone,
    project: (&str, &str),
    commit: &str,
) -> std::result::Result<(), String> {
    let wanted = Wanted { from: commit.to_owned(), commits: vec![commit.to_owned()], whole_history: false };
    match fetch(access, clone, project, wanted).await? {
        true => Ok(()),
        false => Err(NOT_SENT.to_owned()),
    }
}

/// Fetches all commits before a commit into a shallow clone of a project, as `git fetch --unshallow` does.
///
/// # Errors
///
/// Returns a text in the same cases as [`fetch_commit`].
pub async fn fetch_history(
    access: &GitlabAccess,
    clone: &LocalClone,
    project: (&str, &str),
    commit: &str,
) -> std::result::Result<(), String> {
    let wanted = Wanted { from: commit.to_owned(), commits: vec![commit.to_owned()], whole_history: true };
    match fetch(access, clone, project, wanted).await? {
        true => Ok(()),
        false => Err(NOT_SENT.to_owned()),
    }
}

/// The commits to fetch.
struct Wanted {
    /// The ref to fetch, or the full id of a commit.
    from: String,
    /// The commits that the clone must have then.
    commits: Vec<String>,
    /// Whether all commits before them are fetched, too, if the clone is shallow.
    whole_history: bool,
}

/// Fetches commits of a project into a clone, unless it has these commits. Returns whether it has them now; always true for a
/// repository that is not a clone of the project if a ref is asked for, because nothing is fetched into it.
async fn fetch(
    access: &GitlabAccess,
    clone: &LocalClone,
    (base, project): (&str, &str),
    wanted: Wanted,
) -> std::result::Result<bool, String> {
    let (base, project) = (base.to_owned(), project.to_owned());
    let (LocalClone { path, search }, access) = (clone.clone(), access.clone());
    let given_up = CancellationToken::new();
    // This also cancels the fetch if this future is dropped before its end.
    let _ends = given_up.clone().drop_guard();
    let runtime = tokio::runtime::Handle::current();
    let work = tokio::task::spawn_blocking(move || {
        let Wanted { from, commits, whole_history } = wanted;
        let is_ref = from.starts_with("refs/");
        let Ok(repo) = Repo::open(&path) else { return Ok(is_ref) };
        let here = || commits.iter().all(|commit| repo.has_commit(commit));
        if here() && !(whole_history && repo.is_shallow()) {
            return Ok(true);
        }
        // Nothing is fetched into a repository that is not a clone of the project.
        let Some(url) = repo.remote_urls().into_iter().find(|url| is_project(url, &base, &project)) else {
            return Ok(is_ref);
        };
        let server = origin(&base);
        let token = match server_of(&url) {
            Some(own) if Some(&own) == server.as_ref() => access
                .token(&base)
                .ok()
                .map(|(secret, _)| ServerToken { origin: own, secret: secret.reveal().to_owned() }),
            _ => None,
        };
        let ca = access.ca_file();
        let cancel = given_up.clone();
        // libgit2 asks for credentials on this thread, which may block.
        let helper = Arc::new(move |url: &str| runtime.block_on(diffsan_agent::git_credentials(url, &search, &cancel)));
        let mut request = FetchRequest { url: &url, from: &from, token, helper, ca: ca.as_deref(), whole_history };
        repo.fetch_into_private(&request, &given_up)?;
        // A shallow clone may lack the commit where the change starts.
        if !here() && repo.is_shallow() {
            request.whole_history = true;
            repo.fetch_into_private(&request, &given_up)?;
        }
        Ok(here())
    });
    match tokio::time::timeout(FETCH_LIMIT, work).await {
        Ok(Ok(done)) => done,
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err(format!("the server did not answer within {} s", FETCH_LIMIT.as_secs())),
    }
}

/// Reads the diff from a clone, as GitLab computes it. Returns `None` if the clone lacks the commits, or contents of files, as a
/// partial clone does. Blocks.
pub fn local_diff(path: &Path, refs: &DiffRefs) -> Option<Change> {
    let repo = Repo::open(path).ok()?;
    if !repo.has_commit(&refs.base_sha) || !repo.has_commit(&refs.head_sha) {
        return None;
    }
    let change = repo.change(&range_of(refs), &read_options()).ok()?;
    change.files.iter().all(|file| !matches!(file.body, Body::Unread(_))).then_some(change)
}

/// Returns whether the address of a remote belongs to the project, with any protocol.
fn is_project(url: &str, base: &str, project: &str) -> bool {
    let host =
        |url: &str| url.split_once("://").map(|(_, rest)| rest.split(['/', ':']).next().unwrap_or_default().to_owned());
    Reference::of_remote(url).is_some_and(|(remote, path)| {
        host(&remote) == host(base) && (path == project || path.ends_with(&format!("/{project}")))
    })
}
