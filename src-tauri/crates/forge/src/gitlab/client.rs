//! Sends requests: addresses, headers, retries.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use backon::{ExponentialBuilder, Retryable as _};
use reqwest::header::{HeaderMap, HeaderValue, IF_NONE_MATCH, LINK, LOCATION, RETRY_AFTER};
use reqwest::{Method, StatusCode, Url};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::error::GitlabError;
use super::types::{
    Approvals, ClosedIssue, Discussion, Draft, MergeRequest, Note, Person, Reviewer, TokenInfo, Version,
};
use super::{KnownVersions, ServerVersion, Token};

/// The maximum number of retries of a read that failed temporarily.
const RETRIES: usize = 4;
/// The maximum wait before a retry.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// The timeout of one request.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The maximum number of times that a merge request is read again while GitLab computes its diff.
const POLLS: u32 = 15;
/// The maximum number of pages of a list. More indicate an error.
pub(super) const MAX_PAGES: usize = 10_000;
/// The maximum size of an answer, in bytes.
pub(super) const MAX_ANSWER_BYTES: usize = 256 * 1024 * 1024;

/// The part of an answer that is held in memory.
#[derive(Clone, Copy, Debug)]
pub(super) enum Held {
    /// The whole answer, of at most this number of bytes.
    Whole(usize),
    /// At least this number of bytes at the end of an answer of any size.
    End(usize),
}

/// The content of a request, and the handling of its answer.
#[derive(Clone, Copy)]
pub(super) struct Sending<'a> {
    pub(super) body: Option<&'a Value>,
    /// The tag of a known answer. GitLab answers 304 if it is still valid.
    pub(super) etag: Option<&'a str>,
    pub(super) held: Held,
}

/// A client for one GitLab server and one user.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    base: Url,
    versions: KnownVersions,
    /// The wait before the first retry.
    pause: Duration,
    /// The number of requests so far. Clones share it.
    sent: Arc<AtomicUsize>,
    /// Ends all requests of this client, also those without an answer.
    stop: CancellationToken,
}

/// A successful answer.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

impl Client {
    /// Creates a client for the GitLab server at `base`, which may have a path. `ca` has certificates that are trusted in
    /// addition to the system's.
    pub fn new(base: &str, token: &Token, ca: Option<&Path>) -> Result<Self, GitlabError> {
        let wrong = |what: &str| GitlabError::Settings(format!("{base}: {what}"));
        let base_url = Url::parse(&format!("{}/api/v4/", base.trim_end_matches('/')))
            .map_err(|error| wrong(&error.to_string()))?;
        if !["http", "https"].contains(&base_url.scheme())
            || !base_url.username().is_empty()
            || base_url.password().is_some()
        {
            return Err(wrong(
                "the address must begin with http or https and must not contain a user name or password",
            ));
        }
        let mut headers = HeaderMap::new();
        let mut value = HeaderValue::from_str(&token.0)
            .map_err(|_| wrong("the token contains characters that are not valid in a token"))?;
        value.set_sensitive(true);
        headers.insert("private-token", value);
        // Another part of the program may have installed a provider before.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("diffsan/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers)
            .timeout(TIMEOUT)
            // A redirect would send the token to another place and turn a POST into a GET.
            .redirect(reqwest::redirect::Policy::none());
        if let Some(path) = ca {
            let place = path.display();
            let pem = diffsan_bounded::read(path, diffsan_bounded::MAX_TEXT_BYTES)
                .map_err(|error| GitlabError::Settings(format!("{place}: {error}")))?;
            let certificates = reqwest::Certificate::from_pem_bundle(&pem)
                .map_err(|_| GitlabError::Settings(format!("{place}: it has no certificate in PEM form")))?;
            builder = builder.tls_certs_merge(certificates);
        }
        let http = builder.build().map_err(|error| wrong(&error.to_string()))?;
        Ok(Self {
            http,
            base: base_url,
            versions: KnownVersions::default(),
            pause: Duration::from_secs(1),
            sent: Arc::default(),
            stop: CancellationToken::new(),
        })
    }

    /// Shares the known versions of servers with other clients.
    #[must_use]
    pub fn with_versions(mut self, versions: &KnownVersions) -> Self {
        self.versions = versions.clone();
        self
    }

    /// Sets the wait before the first retry of a read. It doubles with each retry.
    #[must_use]
    pub fn with_pause(mut self, pause: Duration) -> Self {
        self.pause = pause;
        self
    }

    /// Ends requests, also those without an answer, with [`GitlabError::Stopped`] when the token is cancelled.
    #[must_use]
    pub fn with_stop(mut self, stop: CancellationToken) -> Self {
        self.stop = stop;
        self
    }

    /// Returns the number of requests that this client and its clones have sent.
    pub fn sent(&self) -> usize {
        self.sent.load(Ordering::Relaxed)
    }

    /// Returns the path of a project's resource. The project is a number, or a path that is encoded as one segment.
    pub(super) fn project(project: &str, rest: &str) -> String {
        format!("projects/{}/{rest}", project.replace('/', "%2F"))
    }

    pub(super) fn request(project: &str, iid: u64, rest: &str) -> String {
        let rest = if rest.is_empty() { String::new() } else { format!("/{rest}") };
        Self::project(project, &format!("merge_requests/{iid}{rest}"))
    }

    async fn send(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Answer, GitlabError> {
        let url = self.base.join(path).map_err(|error| GitlabError::Settings(error.to_string()))?;
        let sending = Sending { body, etag: None, held: Held::Whole(MAX_ANSWER_BYTES) };
        self.until_stopped(self.send_to(method, url, sending, 3)).await
    }

    async fn until_stopped<T>(&self, request: impl Future<Output = Result<T, GitlabError>>) -> Result<T, GitlabError> {
        self.stop.run_until_cancelled(request).await.unwrap_or(Err(GitlabError::Stopped))
    }

    async fn send_to(&self, method: Method, url: Url, sending: Sending<'_>, hops: u8) -> Result<Answer, GitlabError> {
        self.sent.fetch_add(1, Ordering::Relaxed);
        let mut request = self.http.request(method.clone(), url.clone());
        if let Some(body) = sending.body {
            request = request.json(body);
        }
        if let Some(etag) = sending.etag {
            request = request.header(IF_NONE_MATCH, etag);
        }
        let mut response = request.send().await.map_err(|error| {
            let message = message_of(&error);
            if is_certificate(&error) {
                GitlabError::Certificate(message)
            } else if error.is_connect() {
                GitlabError::Unreachable(message)
            } else {
                GitlabError::Broken(message)
            }
        })?;
        let (status, headers) = (response.status(), response.headers().clone());
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| GitlabError::Broken(message_of(&error)))? {
            bytes.extend_from_slice(&chunk);
            match sending.held {
                Held::Whole(max) if bytes.len() > max => {
                    return Err(GitlabError::Unreadable("it is too large".to_owned()));
                }
                Held::End(kept) if bytes.len() > 2 * kept => drop(bytes.drain(..bytes.len() - kept)),
                _ => {}
            }
        }
        if status == StatusCode::NOT_MODIFIED && sending.etag.is_some() {
            return Ok(Answer { status, headers, body: Vec::new() });
        }
        if status.is_redirection() {
            let to = headers.get(LOCATION).and_then(|to| to.to_str().ok()).and_then(|to| url.join(to).ok());
            let Some(to) = to.filter(|_| hops > 0) else {
                return Err(GitlabError::Unreadable("a redirect without a valid address".to_owned()));
            };
            // A redirect for a moved project is followed on the same host. The token is sent to no other host.
            if to.origin() != url.origin() {
                let words = format!(
                    "GitLab redirects to {}; the token is not sent to another host",
                    to.origin().ascii_serialization()
                );
                return Err(GitlabError::Settings(words));
            }
            return Box::pin(self.send_to(method, to, sending, hops - 1)).await;
        }
        if !status.is_success() {
            let wait = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
            return Err(GitlabError::of(status.as_u16(), wait, &String::from_utf8_lossy(&bytes)));
        }
        Ok(Answer { status, headers, body: bytes })
    }

    /// Reads a resource, and retries temporary failures.
    pub(super) async fn read(&self, path: &str) -> Result<Answer, GitlabError> {
        self.read_held(path, Held::Whole(MAX_ANSWER_BYTES)).await
    }

    /// Reads a resource, of which only a part is held, and retries temporary failures.
    pub(super) async fn read_held(&self, path: &str, held: Held) -> Result<Answer, GitlabError> {
        self.read_sending(path, Sending { body: None, etag: None, held }).await
    }

    /// Reads a resource, and retries temporary failures.
    pub(super) async fn read_sending(&self, path: &str, sending: Sending<'_>) -> Result<Answer, GitlabError> {
        self.until_stopped(self.read_with_retries(path, sending)).await
    }

    async fn read_with_retries(&self, path: &str, sending: Sending<'_>) -> Result<Answer, GitlabError> {
        let url = self.base.join(path).map_err(|error| GitlabError::Settings(error.to_string()))?;
        let waits = ExponentialBuilder::new()
            .with_min_delay(self.pause)
            .with_max_delay(LONGEST_WAIT)
            .with_max_times(RETRIES)
            .with_jitter();
        (|| self.send_to(Method::GET, url.clone(), sending, 3))
            .retry(waits)
            .when(GitlabError::is_transient)
            .adjust(|error, wait| match error {
                // The jitter separates clients that were rejected at the same time.
                GitlabError::Limited(Some(seconds)) => {
                    wait.map(|wait| LONGEST_WAIT.min(Duration::from_secs(*seconds)) + wait)
                }
                _ => wait,
            })
            .await
    }

    pub(super) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, GitlabError> {
        decoded(&self.read(path).await?.body)
    }

    /// Reads all pages of a list. A page may be shorter than requested, so only GitLab's headers end the list.
    pub(super) async fn list<T: DeserializeOwned>(&self, path: &str) -> Result<Vec<T>, GitlabError> {
        let mut all = Vec::new();
        let mut page = 1u64;
        for _ in 0..MAX_PAGES {
            let sign = if path.contains('?') { '&' } else { '?' };
            let answer = self.read(&format!("{path}{sign}page={page}&per_page=100")).await?;
            all.extend(decoded::<Vec<T>>(&answer.body)?);
            match next_page(&answer.headers) {
                Some(next) if next > page => page = next,
                _ => return Ok(all),
            }
        }
        Err(GitlabError::Unreadable("the list has too many pages".to_owned()))
    }

    pub(super) async fn write<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: &Value,
    ) -> Result<T, GitlabError> {
        let answer = self.send(method, path, Some(body)).await?;
        if answer.status == StatusCode::ACCEPTED {
            // The body consisted only of quick actions, and nothing was stored. diffsan writes no such body.
            return Err(GitlabError::Refused { status: 202, message: "nothing was stored".to_owned() });
        }
        let nothing = answer.body.is_empty();
        decoded(if nothing { b"null" } else { &answer.body })
    }

    /// Executes a GraphQL mutation. GitLab reports its failures with the status 200.
    pub(super) async fn mutate(&self, mutation: &str, variables: &Value) -> Result<(), GitlabError> {
        let body = json!({ "query": mutation, "variables": variables });
        let answer: Value = self.write(Method::POST, "../graphql", &body).await?;
        let failed = answer["data"].as_object().into_iter().flat_map(|data| data.values().map(|one| &one["errors"]));
        let first = std::iter::once(&answer["errors"]).chain(failed).find_map(|errors| errors.as_array()?.first());
        match first {
            None => Ok(()),
            Some(error) => {
                let message = error.as_str().or_else(|| error["message"].as_str());
                let message = message.unwrap_or("GitLab gave no reason").to_owned();
                Err(GitlabError::Refused { status: 200, message })
            }
        }
    }

    /// Returns the user of the token.
    pub async fn user(&self) -> Result<Person, GitlabError> {
        self.get("user").await
    }

    /// Returns the properties of the token. Returns `None` if it is not a personal access token, or if the version of the
    /// server does not report them.
    pub async fn token(&self) -> Result<Option<TokenInfo>, GitlabError> {
        match self.get("personal_access_tokens/self").await {
            Err(GitlabError::Refused { status: 400, .. } | GitlabError::NotFound(_)) => Ok(None),
            other => other.map(Some),
        }
    }

    /// Returns whether a project exists and the token's user has access to it.
    pub async fn has_project(&self, project: &str) -> Result<bool, GitlabError> {
        match self.get::<Value>(&format!("projects/{}", project.replace('/', "%2F"))).await {
            Ok(_) => Ok(true),
            Err(GitlabError::NotFound(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns a merge request. Reads it repeatedly until GitLab has computed its diff.
    pub async fn merge_request(&self, project: &str, iid: u64) -> Result<MergeRequest, GitlabError> {
        let mut polls = 0;
        loop {
            let request: MergeRequest = self.get(&Self::request(project, iid, "")).await?;
            let known = request.diff_refs.as_ref().is_some_and(|refs| !refs.head_sha.is_empty());
            if known || polls >= POLLS {
                return Ok(request);
            }
            polls += 1;
            tokio::time::sleep(self.pause).await;
        }
    }

    /// Returns the most recently updated open merge requests of a project.
    pub async fn open_merge_requests(&self, project: &str) -> Result<Vec<MergeRequest>, GitlabError> {
        let path = Self::project(project, "merge_requests?state=opened&order_by=updated_at&page=1&per_page=20");
        self.get(&path).await
    }

    /// Returns the versions of the diff, newest first.
    pub async fn versions(&self, project: &str, iid: u64) -> Result<Vec<Version>, GitlabError> {
        self.list(&Self::request(project, iid, "versions")).await
    }

    /// Returns the threads of a merge request.
    pub async fn discussions(&self, project: &str, iid: u64) -> Result<Vec<Discussion>, GitlabError> {
        self.list(&Self::request(project, iid, "discussions")).await
    }

    /// Returns the comments of a merge request, oldest first.
    pub async fn notes(&self, project: &str, iid: u64) -> Result<Vec<Note>, GitlabError> {
        self.list(&Self::request(project, iid, "notes?sort=asc&order_by=created_at")).await
    }

    /// Returns the drafts of the token's user. GitLab returns this list without pages. Returns `None` if the server does not
    /// support drafts.
    pub async fn drafts(&self, project: &str, iid: u64) -> Result<Option<Vec<Draft>>, GitlabError> {
        match self.get(&Self::request(project, iid, "draft_notes")).await {
            Err(GitlabError::NotFound(_)) => Ok(None),
            other => other.map(Some),
        }
    }

    /// Returns the version of the server, or `None` if it is unknown. Reads it only if it is not among the known versions.
    pub async fn version(&self) -> Option<ServerVersion> {
        if let Some(known) = self.versions.get(&self.base) {
            return known;
        }
        let version = match self.read_version().await {
            Ok(version) => version,
            Err(GitlabError::Unauthorized(_) | GitlabError::Forbidden(_) | GitlabError::NotFound(_)) => None,
            Err(_) => return None,
        };
        self.versions.learn(&self.base, version);
        version
    }

    async fn read_version(&self) -> Result<Option<ServerVersion>, GitlabError> {
        let facts: Value = match self.get("metadata").await {
            // Before 15.2, the version has another address.
            Err(GitlabError::NotFound(_)) => self.get("version").await?,
            facts => facts?,
        };
        Ok(facts["version"].as_str().and_then(|text| text.parse().ok()))
    }

    /// Makes the next call of [`Self::version`] read the version again, because an answer contradicts it.
    pub fn forget_version(&self) {
        self.versions.forget(&self.base);
    }

    /// Returns the approvals of a merge request.
    pub async fn approvals(&self, project: &str, iid: u64) -> Result<Approvals, GitlabError> {
        self.get(&Self::request(project, iid, "approvals")).await
    }

    /// Returns the reviewers of a merge request, with the states of their reviews.
    pub async fn reviewers(&self, project: &str, iid: u64) -> Result<Vec<Reviewer>, GitlabError> {
        self.list(&Self::request(project, iid, "reviewers")).await
    }

    /// Returns a file of a commit, or `None` if it does not exist.
    pub async fn file(&self, project: &str, path: &str, commit: &str) -> Result<Option<Vec<u8>>, GitlabError> {
        let name = encoded(path);
        match self.read(&Self::project(project, &format!("repository/files/{name}/raw?ref={commit}"))).await {
            Ok(answer) => Ok(Some(answer.body)),
            Err(GitlabError::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the commit messages of a merge request, oldest first.
    pub async fn messages(&self, project: &str, iid: u64) -> Result<Vec<String>, GitlabError> {
        let commits: Vec<Value> = self.list(&Self::request(project, iid, "commits")).await?;
        Ok(commits.iter().rev().filter_map(|commit| commit["message"].as_str().map(str::to_owned)).collect())
    }

    /// Returns the issues that are closed when a merge request is merged, as far as the token's user may read them.
    pub async fn closed_issues(&self, project: &str, iid: u64) -> Result<Vec<ClosedIssue>, GitlabError> {
        self.list(&Self::request(project, iid, "closes_issues")).await
    }

    /// Returns the whole diff as a patch: as GitLab prints it or, for older versions, assembled from its files.
    pub async fn patch(&self, project: &str, iid: u64) -> Result<Vec<u8>, GitlabError> {
        let version = self.version().await;
        let has = |feature: fn(ServerVersion) -> bool| version.is_none_or(feature);
        if has(ServerVersion::has_raw_diffs) {
            match self.read(&Self::request(project, iid, "raw_diffs")).await {
                Ok(answer) => return Ok(answer.body),
                Err(GitlabError::NotFound(_)) => self.forget_version(),
                Err(error) => return Err(error),
            }
        }
        // The list of changes has the files that are too large for a page of the list of diffs.
        let changes = self.get::<Value>(&Self::request(project, iid, "changes?access_raw_diffs=true")).await;
        let files = match changes {
            Ok(mut request) => match request["changes"].take() {
                Value::Array(files) => files,
                _ => return Err(GitlabError::Unreadable("it contains no list of changes".to_owned())),
            },
            // The list of changes is deprecated.
            Err(GitlabError::NotFound(_)) if has(ServerVersion::has_diffs) => {
                self.list(&Self::request(project, iid, "diffs")).await?
            }
            Err(error) => return Err(error),
        };
        Ok(files.iter().flat_map(file_patch).collect())
    }
}

/// Encodes a text as one segment of a path.
pub(super) fn encoded(text: &str) -> String {
    let one = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(one).collect()
}

pub(super) fn decoded<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, GitlabError> {
    serde_json::from_slice(bytes).map_err(|error| GitlabError::Unreadable(error.to_string()))
}

/// Returns the number of the next page, from its own header or a link.
pub(super) fn next_page(headers: &HeaderMap) -> Option<u64> {
    if let Some(next) = headers.get("x-next-page").and_then(|next| next.to_str().ok()) {
        return next.trim().parse().ok();
    }
    let links = headers.get(LINK)?.to_str().ok()?;
    let next = links.split(',').find(|link| link.contains("rel=\"next\""))?;
    let (_, query) = next.split_once('?')?;
    query.split(['&', '>']).find_map(|pair| pair.strip_prefix("page=")?.parse().ok())
}

/// Converts a file of the list of diffs to a patch.
fn file_patch(file: &Value) -> Vec<u8> {
    let text = |name: &str| file[name].as_str().unwrap_or_default();
    let is = |name: &str| file[name].as_bool().unwrap_or(false);
    let quoted = |prefix: &str, path: &str| {
        String::from_utf8_lossy(&diffsan_change::RepoPath::from(path).quoted(prefix)).into_owned()
    };
    let (old, new) = (quoted("a/", text("old_path")), quoted("b/", text("new_path")));
    let mut patch = format!("diff --git {old} {new}\n");
    if is("new_file") {
        patch += &format!("new file mode {}\n", text("b_mode"));
    } else if is("deleted_file") {
        patch += &format!("deleted file mode {}\n", text("a_mode"));
    } else if text("a_mode") != text("b_mode") && !text("b_mode").is_empty() {
        patch += &format!("old mode {}\nnew mode {}\n", text("a_mode"), text("b_mode"));
    }
    if is("renamed_file") {
        patch += &format!("rename from {}\nrename to {}\n", quoted("", text("old_path")), quoted("", text("new_path")));
    }
    let body = text("diff");
    if body.starts_with("@@") {
        let none = "/dev/null".to_owned();
        let (before, after) =
            (if is("new_file") { &none } else { &old }, if is("deleted_file") { &none } else { &new });
        patch += &format!("--- {before}\n+++ {after}\n{body}");
        if !patch.ends_with('\n') {
            patch.push('\n');
        }
    }
    patch.into_bytes()
}

/// Returns whether the connection failed because of the server's certificate.
fn is_certificate(error: &(dyn std::error::Error + 'static)) -> bool {
    if let Some(error) = error.downcast_ref::<rustls::Error>() {
        return matches!(error, rustls::Error::InvalidCertificate(_));
    }
    // The source of an IO error is not the error inside it, but that error's source.
    let inner = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
    inner.is_some_and(|inner| is_certificate(inner)) || error.source().is_some_and(is_certificate)
}

/// Returns the message of an error, without its address.
fn message_of(error: &reqwest::Error) -> String {
    let mut source = std::error::Error::source(error);
    let mut words = Vec::new();
    while let Some(inner) = source {
        words.push(inner.to_string());
        source = inner.source();
    }
    words.pop().unwrap_or_else(|| "it ended before its answer".to_owned())
}
