//! A fake GitLab for tests: an HTTP server over real bare repositories. It enforces the rules of GitLab's source for transport,
//! tokens, paging, positions, drafts and quick actions. [`ServerVersion`] selects the behaviour of a version since 15.0, [`Switches`]
//! behaviour that depends on the installation or is uncertain, and every request can be made to fail. [`versions`] runs tests on
//! all versions.

mod api;
mod approvals;
mod auth;
pub mod corpus;
mod diff;
mod discussions;
mod drafts;
mod entities;
mod git_http;
mod graphql;
pub mod hostile;
mod line_ranges;
mod lists;
pub mod markdown;
mod merge_requests;
mod notes;
mod pipelines;
mod placement;
mod positions;
mod projects;
mod reply;
mod routes;
mod server_version;
mod state;
mod tls;
mod verdicts;
pub mod versions;

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State as Shared;
pub use axum::http::Method;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;

pub use placement::{Placement, Posted};
pub use server_version::ServerVersion;
pub use state::{
    Draft, Fault, GitRedirect, GitRequest, Issue, Job, MergeRequest, Note, Pipeline, Position, Recorded, State,
    Switches, Thread, Token, Version, days_ago,
};
pub use verdicts::{ReviewerState, VerdictKind};

use state::{Project, User};

/// A running server. Stops when it is dropped.
pub struct FakeGitlab {
    folder: tempfile::TempDir,
    scheme: &'static str,
    port: u16,
    state: Arc<Mutex<State>>,
    task: tokio::task::JoinHandle<()>,
    rejected_handshakes: Arc<AtomicUsize>,
}

/// Returns whether GitLab accepts a position as a line that can be commented.
pub fn takes(repository: &Path, position: &Position) -> bool {
    diff::resolve(repository, position, None).is_ok()
}

/// Returns the quick actions that GitLab would execute in a body, and the names that it would notify.
pub fn does(body: &str) -> (Vec<String>, Vec<String>) {
    let done = markdown::effects_of(body);
    (done.executed, done.mentioned)
}

/// The reviewer's token, with all rights.
pub const TOKEN: &str = "glpat-reviewer-000000000";
/// The id of the reviewer.
const REVIEWER: u64 = 1;
/// The path of the first project.
pub const PROJECT: &str = "group/sub/project";

impl FakeGitlab {
    /// Starts a server with one project and the reviewer's token [`TOKEN`]. The project's repository is cloned from `origin`, a
    /// work tree with its branches.
    pub async fn start(origin: &Path) -> Self {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        Self::serve(origin, "http", port, |router| {
            tokio::spawn(async move { axum::serve(listener, router).await.expect("serving") })
        })
    }

    /// Starts the same server with TLS and a certificate of a private authority; see `ca_file`.
    pub async fn start_with_private_ca(origin: &Path) -> Self {
        Self::start_with_tls(origin, tls::Issuer::Authority).await
    }

    /// Starts the same server with TLS and a certificate that it signed itself. No client trusts it without `ca_file`.
    pub async fn start_with_self_signed_certificate(origin: &Path) -> Self {
        Self::start_with_tls(origin, tls::Issuer::Server).await
    }

    async fn start_with_tls(origin: &Path, issuer: tls::Issuer) -> Self {
        let listener = tls::Listener::bind(issuer).await;
        let (port, ca, rejected) = (listener.port(), listener.ca(), listener.rejected());
        let mut gitlab = Self::serve(origin, "https", port, |router| {
            tokio::spawn(async move { axum::serve(listener, router).await.expect("serving") })
        });
        gitlab.rejected_handshakes = rejected;
        std::fs::write(gitlab.ca_file(), ca).expect("written");
        gitlab
    }

    /// Returns the number of TLS connections that clients gave up because they do not trust the certificate.
    pub fn rejected_handshakes(&self) -> usize {
        self.rejected_handshakes.load(Ordering::Relaxed)
    }

    /// Returns the path of the certificate that clients have to trust, in PEM form.
    pub fn ca_file(&self) -> std::path::PathBuf {
        self.folder.path().join("ca.pem")
    }

    fn serve(
        origin: &Path,
        scheme: &'static str,
        port: u16,
        begin: impl FnOnce(Router) -> tokio::task::JoinHandle<()>,
    ) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let base = format!("{scheme}://127.0.0.1:{port}");
        let mut state = State { base, root: folder.path().to_owned(), next_id: 1000, ..State::default() };
        state.users.push(User { id: 1, username: "reviewer".into() });
        state.users.push(User { id: 2, username: "author".into() });
        state.tokens.insert(TOKEN.into(), Token { user: 1, scopes: vec!["api".into()], ..Token::default() });
        let repository = folder.path().join(format!("{PROJECT}.git"));
        std::fs::create_dir_all(repository.parent().expect("a folder")).expect("a folder");
        let cloned = Command::new("git").args(["clone", "-q", "--bare"]).arg(origin).arg(&repository).status();
        assert!(cloned.expect("git").success());
        state.projects.push(Project { id: 42, path: PROJECT.into(), repository, ..Project::default() });
        let state = Arc::new(Mutex::new(state));
        let router = Router::new().fallback(handle).with_state(Arc::clone(&state));
        let task = begin(router.layer(axum::extract::DefaultBodyLimit::disable()));
        Self { folder, scheme, port, state, task, rejected_handshakes: Arc::default() }
    }

    /// Sets the version of the server: its endpoints, validators and errors.
    pub fn set_version(&self, version: ServerVersion) {
        self.with(|state| state.version = version);
    }

    /// Returns the version of the server.
    pub fn version(&self) -> ServerVersion {
        self.with(|state| state.version)
    }

    /// Returns the base URL, with the prefix if there is one.
    pub fn url(&self) -> String {
        let prefix = self.with(|state| state.switches.prefix.clone());
        format!("{}://127.0.0.1:{}{prefix}", self.scheme, self.port)
    }

    /// Calls a function with the state, to read or change it.
    pub fn with<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        look(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the bare repository of the project.
    pub fn repository(&self) -> std::path::PathBuf {
        self.folder.path().join(format!("{PROJECT}.git"))
    }

    /// Adds a merge request of `source` into `target`, created by the author.
    pub fn merge_request(&self, iid: u64, source: &str, target: &str) {
        self.with(|state| state.merge_request(iid, source, target));
    }

    /// Makes the diff of a merge request available only after `polls` reads.
    pub fn not_ready(&self, iid: u64, polls: u32) {
        self.with(|state| {
            if let Some(request) = state.projects[0].merge_requests.get_mut(&iid) {
                request.polls_until_ready = polls;
            }
        });
    }

    /// Adds an earlier path of the project.
    pub fn moved_from(&self, path: &str) {
        self.with(|state| state.projects[0].moved_from.push(path.to_owned()));
    }

    /// Redirects requests of a path to an address.
    pub fn sends_on(&self, path: &str, to: &str) {
        self.with(|state| state.sent_on.push((path.to_owned(), to.to_owned())));
    }

    /// Redirects requests of git's own protocol.
    pub fn redirect_git(&self, redirect: GitRedirect) {
        self.with(|state| state.git_redirects.push(redirect));
    }

    /// Returns the requests of git's own protocol so far.
    pub fn git_requests(&self) -> Vec<GitRequest> {
        self.with(|state| state.git_requests.clone())
    }

    /// Adds a version after a push to the source branch.
    pub fn pushed(&self, iid: u64) {
        self.with(|state| state.pushed(iid));
    }

    /// Commits a new text of a file to a branch.
    pub fn commit(&self, branch: &str, path: &str, text: &str) {
        diff::commit(&self.repository(), branch, path, text);
    }

    /// Adds a pipeline of a merge request, which ran for its head unless it names another commit.
    pub fn pipeline(&self, iid: u64, mut pipeline: Pipeline) {
        self.with(|state| {
            let head = state.projects[0].merge_requests.get(&iid).and_then(|request| request.versions.last());
            if let (true, Some(version)) = (pipeline.sha.is_empty(), head) {
                pipeline.sha.clone_from(&version.head);
            }
            pipeline.iid = iid;
            state.pipelines.push(pipeline);
        });
    }

    /// Adds a thread of the author on an added line of the head.
    pub fn comment(&self, iid: u64, path: &str, line: u32, body: &str) {
        self.with(|state| {
            let (id, thread) = (state.id(), state.thread_id());
            let Some(request) = state.projects[0].merge_requests.get_mut(&iid) else { return };
            let version = request.versions.last().cloned();
            let position = version.map(|version| Position {
                base_sha: version.base,
                start_sha: version.start,
                head_sha: version.head,
                position_type: "text".into(),
                old_path: Some(path.into()),
                new_path: Some(path.into()),
                new_line: Some(line),
                ..Position::default()
            });
            let kind = Some("DiffNote".to_owned());
            let at = State::time_of(id);
            request.updated_at.clone_from(&at);
            let note = Note { id, kind, body: body.into(), author: 2, position, at, ..Note::default() };
            request.threads.push(Thread { id: thread, individual: false, notes: vec![note] });
        });
    }

    /// Adds a reply of the author to the thread on a line.
    pub fn answer(&self, iid: u64, line: u32, body: &str) {
        self.with(|state| {
            let id = state.id();
            let Some(request) = state.projects[0].merge_requests.get_mut(&iid) else { return };
            let on =
                |thread: &&mut Thread| thread.notes[0].position.as_ref().is_some_and(|one| one.new_line == Some(line));
            let at = State::time_of(id);
            request.updated_at.clone_from(&at);
            if let Some(thread) = request.threads.iter_mut().find(on) {
                thread.notes.push(Note {
                    id,
                    at,
                    kind: thread.notes[0].kind.clone(),
                    body: body.into(),
                    author: 2,
                    ..Note::default()
                });
            }
        });
    }

    /// Returns the merge request.
    pub fn look(&self, iid: u64) -> MergeRequest {
        self.with(|state| state.projects[0].merge_requests[&iid].clone())
    }

    /// Sends a request of the reviewer, without the network. `path` is the part after `/api/v4/`, or `/api/graphql`. Returns the
    /// status and the JSON of the answer, or its text.
    pub async fn ask(&self, method: Method, path: &str, body: &serde_json::Value) -> (u16, serde_json::Value) {
        let prefix = self.with(|state| state.switches.prefix.clone());
        let path = if path.starts_with('/') { format!("{prefix}{path}") } else { format!("{prefix}/api/v4/{path}") };
        let mut headers = HeaderMap::new();
        headers.insert("private-token", axum::http::HeaderValue::from_static(TOKEN));
        let uri: Uri = path.parse().expect("a path");
        let (api::Answered::Now(response) | api::Answered::Late(_, response)) =
            api::answer(&self.state, &method, &uri, &headers, body.to_string().as_bytes());
        let status = response.status().as_u16();
        let bytes = axum::body::to_bytes(response.into_body(), usize::MAX).await.expect("a whole answer");
        let text = || serde_json::Value::String(String::from_utf8_lossy(&bytes).into_owned());
        (status, serde_json::from_slice(&bytes).unwrap_or_else(|_| text()))
    }

    /// Returns the comments that the reviewer posted, the oldest first.
    pub fn posted(&self, iid: u64) -> Vec<Posted> {
        placement::posted(&self.look(iid), REVIEWER)
    }

    /// Returns the verdicts of the reviewer, the oldest first.
    pub fn verdicts(&self, iid: u64) -> Vec<VerdictKind> {
        let verdicts = self.look(iid).verdicts;
        verdicts.into_iter().filter(|(user, _)| *user == REVIEWER).map(|(_, kind)| kind).collect()
    }

    /// Removes the reviewer from the reviewers of a merge request.
    pub fn unassign_reviewer(&self, iid: u64) {
        self.with(|state| {
            if let Some(request) = state.projects[0].merge_requests.get_mut(&iid) {
                request.reviewers.clear();
            }
        });
    }

    /// Returns the requests so far.
    pub fn requests(&self) -> Vec<Recorded> {
        self.with(|state| state.requests.clone())
    }
}

impl Drop for FakeGitlab {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn handle(
    Shared(state): Shared<Arc<Mutex<State>>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    // Handlers are quick, but block while git runs. Each request gets a thread of its own.
    let answered = tokio::task::spawn_blocking(move || api::answer(&state, &method, &uri, &headers, &body)).await;
    match answered {
        Ok(api::Answered::Now(response)) => response,
        Ok(api::Answered::Late(wait, response)) => {
            tokio::time::sleep(wait).await;
            response
        }
        Err(_) => reply::status(500, &serde_json::json!({ "message": "500 Internal Server Error" })),
    }
}
