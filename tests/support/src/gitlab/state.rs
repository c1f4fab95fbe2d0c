//! The state of the fake GitLab.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::diff;
use super::markdown::Reference;
use super::server_version::ServerVersion;
use super::verdicts::{ReviewerState, VerdictKind};

/// Switches for behaviour that differs between installations or is uncertain. [`ServerVersion`] holds the behaviour of versions.
#[derive(Clone, Debug, Default)]
pub struct Switches {
    /// A prefix of all paths: `/gitlab`.
    pub prefix: String,
    /// Whether `x-total`, `x-total-pages` and the last link are omitted.
    pub gitlab_com: bool,
    /// Hides notes after paging: each note whose id is divisible by this number.
    pub hide_each: Option<u64>,
    /// Whether `>` is written as `\u003e`.
    pub escaped: bool,
    /// The number of drafts after which bulk publishing fails.
    pub crash_publish_at: Option<usize>,
    /// The maximum number of notes per minute.
    pub notes_limit: Option<usize>,
    /// The delay of every answer, in milliseconds.
    pub latency: u64,
    /// Whether a proxy decodes `%2F`, so that no project path matches.
    pub decoding_proxy: bool,
    /// Whether an unknown commit causes a crash instead of a rejection.
    pub crash_unknown_commit: bool,
    /// The maximum number of notes in a merge request.
    pub most_comments: Option<usize>,
    /// Whether errors of models have the format of Ruby 3.4.
    pub ruby34: bool,
    /// Whether an unchanged line of a renamed file without its old path is rejected, instead of stored with a crash.
    pub no_hook_crash: bool,
    /// Whether the summary of bulk publishing cannot be stored.
    pub unsaved_summary: bool,
    /// The maximum number of bytes of a file's patch. A larger patch is too large; one over a tenth is collapsed. GitLab's default
    /// is 204,800 (§5).
    pub patch_limit: Option<usize>,
    /// Whether discussions turn the numbers of `line_range` into text where drafts do. Some clients report this for versions
    /// before 18.6; the fact sheet names only drafts.
    pub text_in_discussion_ranges: bool,
    /// Whether the server is the edition without approval rules, whose GraphQL schema lacks `approvalsLeft`.
    pub community: bool,
    /// The seconds by which the server's clock is ahead, as the header `Date` shows it.
    pub clock_ahead: i64,
}

/// An access token.
#[derive(Clone, Debug, Default)]
pub struct Token {
    /// The id of its user.
    pub user: u64,
    /// The scopes of the token.
    pub scopes: Vec<String>,
    /// Whether the token has expired.
    pub expired: bool,
    /// Whether the token was revoked.
    pub revoked: bool,
    /// Whether the user is not a member of the project.
    pub stranger: bool,
    /// Whether the user can only read and comment.
    pub guest: bool,
}

#[derive(Clone, Debug)]
pub(super) struct User {
    pub(super) id: u64,
    pub(super) username: String,
}

/// A received request.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The method: `POST`.
    pub method: String,
    /// The path, with its query.
    pub path: String,
    /// The body, if it was JSON.
    pub body: Value,
    /// The way in which the token was sent: `header`, `bearer`, `basic`, `query`, or empty.
    pub token: String,
    /// The status of the answer.
    pub status: u16,
}

/// A received request of git's own protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitRequest {
    /// The path, with its query.
    pub path: String,
    /// The `authorization` header, decoded if it is `Basic`: `user:password`. Empty without one.
    pub authorization: String,
    /// The status of the response.
    pub status: u16,
}

/// A redirect of requests of git's own protocol.
#[derive(Clone, Debug)]
pub struct GitRedirect {
    /// The beginning of the path.
    pub from: String,
    /// The replacement: an absolute path or a whole address.
    pub to: String,
    /// Whether only requests with a known token are redirected. Other requests are asked for a token.
    pub after_authentication: bool,
}

/// A failure of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An answer in place of the real one. The request is not executed.
    Status(u16, String),
    /// An answer in place of the real one. The request is executed.
    StatusAfter(u16, String),
    /// The connection breaks. The request is not executed.
    Cut,
    /// The connection breaks after the request is executed.
    CutAfter,
    /// The request is executed, but its answer is never sent.
    HangAfter,
    /// `Retry later`, in the format of the network layer.
    RackAttack(u64),
    /// Too many requests, in the format of the application.
    Limited,
    /// The token expires.
    Expire,
}

/// An issue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Issue {
    /// The id within the project. 0 for an issue of another tracker.
    pub iid: u64,
    /// The title.
    pub title: String,
    /// The description, as Markdown.
    pub description: String,
    /// Whether a guest cannot read it.
    pub confidential: bool,
}

/// A version of the diff.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Version {
    /// The id of the version.
    pub id: u64,
    /// The merge base.
    pub base: String,
    /// The commit of the target branch.
    pub start: String,
    /// The commit of the source branch.
    pub head: String,
    /// The time of the push. Empty for the time of the first version.
    pub at: String,
}

/// A place in the diff, as sent by the client.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Position {
    /// The merge base.
    pub base_sha: String,
    /// The commit of the target branch.
    pub start_sha: String,
    /// The commit of the source branch.
    pub head_sha: String,
    /// The type: `text`, `file` or `image`.
    pub position_type: String,
    /// The path before the change.
    pub old_path: Option<String>,
    /// The path after the change.
    pub new_path: Option<String>,
    /// The line before the change.
    pub old_line: Option<u32>,
    /// The line after the change.
    pub new_line: Option<u32>,
    /// The range of highlighted lines.
    pub line_range: Option<Value>,
}

/// A note.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Note {
    /// The id of the note.
    pub id: u64,
    /// The type: `None`, `DiscussionNote` or `DiffNote`.
    pub kind: Option<String>,
    /// The text.
    pub body: String,
    /// The id of the author.
    pub author: u64,
    /// Whether GitLab itself created the note.
    pub system: bool,
    /// The position in the diff.
    pub position: Option<Position>,
    /// The line code.
    pub line_code: Option<String>,
    /// Whether the thread is resolved.
    pub resolved: bool,
    /// Whether the note was published together with others, with one notification.
    pub bulk: bool,
    /// Whether the note was a draft.
    pub drafted: bool,
    /// The time of creation. Empty for the time of the first version.
    pub at: String,
}

/// A thread of notes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thread {
    /// The id: 40 hex digits.
    pub id: String,
    /// Whether this is a single note without replies.
    pub individual: bool,
    /// The notes, the oldest first.
    pub notes: Vec<Note>,
}

/// A draft, which only its author sees.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// The id of the draft.
    pub id: u64,
    /// The id of the author.
    pub author: u64,
    /// The text.
    pub note: String,
    /// The position in the diff.
    pub position: Option<Position>,
    /// The id of the thread that the draft replies to.
    pub reply_to: Option<String>,
    /// Whether the draft resolves the thread.
    pub resolve: bool,
}

/// A merge request.
#[derive(Clone, Debug, Default)]
pub struct MergeRequest {
    /// The global id.
    pub id: u64,
    /// The id within the project.
    pub iid: u64,
    /// The source branch.
    pub source: String,
    /// The target branch.
    pub target: String,
    /// The state: `opened`, `merged` or `closed`.
    pub state: String,
    /// Whether the merge request is merged automatically.
    pub auto_merge: bool,
    /// The versions, the newest last.
    pub versions: Vec<Version>,
    /// The threads.
    pub threads: Vec<Thread>,
    /// The drafts.
    pub drafts: Vec<Draft>,
    /// The ids of the users who approved.
    pub approved_by: Vec<u64>,
    /// The reviewers, with their states.
    pub reviewers: Vec<(u64, ReviewerState)>,
    /// The verdicts with their users, the oldest first.
    pub verdicts: Vec<(u64, VerdictKind)>,
    /// Emoji on notes: the note's id, the user's id, and the emoji.
    pub emoji: Vec<(u64, u64, String)>,
    /// The number of reads before the diff is available.
    pub polls_until_ready: u32,
    /// The title. Empty for one that names the source branch.
    pub title: String,
    /// The description. Empty for one that every merge request has.
    pub description: String,
    /// The issues that it closes.
    pub closes: Vec<Issue>,
    /// The id of the author. 0 for the first author.
    pub author: u64,
    /// The ids of the assignees.
    pub assignees: Vec<u64>,
    /// The names of the labels.
    pub labels: Vec<String>,
    /// Whether it is a draft.
    pub draft: bool,
    /// Whether it has conflicts.
    pub conflicts: bool,
    /// `detailed_merge_status`. Empty for an unknown one.
    pub merge_status: String,
    /// The number of required approvals.
    pub approvals_required: usize,
    /// The time of the last update, and of merging or closing. Empty for the time of the first version.
    pub updated_at: String,
    /// `changes_count`. Empty for a small number.
    pub changes_count: String,
    /// The status of the pipeline. Empty for that of the newest pipeline of the first project, if there is one.
    pub pipeline: String,
}

impl MergeRequest {
    /// Returns the id of the author.
    pub(super) fn author(&self) -> u64 {
        if self.author == 0 { 2 } else { self.author }
    }

    /// Sets the state of a reviewer. Returns whether the user is one.
    pub(super) fn set_reviewer_state(&mut self, user: u64, state: ReviewerState) -> bool {
        let reviewer = self.reviewers.iter_mut().find(|(id, _)| *id == user);
        reviewer.map(|reviewer| reviewer.1 = state).is_some()
    }
}

/// A pipeline of a merge request.
#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    /// The id.
    pub id: u64,
    /// The number of the merge request.
    pub iid: u64,
    /// The commit that it ran for. Empty for the head.
    pub sha: String,
    /// The status: `success`, `failed`, `running`.
    pub status: String,
    /// The jobs.
    pub jobs: Vec<Job>,
    /// The tests, as in the test report.
    pub tests: Vec<Value>,
}

/// A job.
#[derive(Clone, Debug, Default)]
pub struct Job {
    /// The id.
    pub id: u64,
    /// The name.
    pub name: String,
    /// The stage.
    pub stage: String,
    /// The status.
    pub status: String,
    /// Whether the pipeline may succeed without it.
    pub allow_failure: bool,
    /// The log.
    pub log: String,
    /// The files of the archive: path and text.
    pub artifacts: Vec<(String, String)>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Project {
    pub(super) id: u64,
    pub(super) path: String,
    pub(super) repository: PathBuf,
    /// Earlier paths of the project.
    pub(super) moved_from: Vec<String>,
    pub(super) merge_requests: BTreeMap<u64, MergeRequest>,
}

/// The whole state of the server.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Scheme, host and port.
    pub(super) base: String,
    /// The folder of the repositories.
    pub(super) root: PathBuf,
    pub(super) users: Vec<User>,
    /// The tokens by their text.
    pub tokens: BTreeMap<String, Token>,
    pub(super) projects: Vec<Project>,
    /// The version of the server.
    pub version: ServerVersion,
    /// The switches for the behaviour.
    pub switches: Switches,
    /// The pipelines, the oldest first.
    pub pipelines: Vec<Pipeline>,
    /// The received requests.
    pub requests: Vec<Recorded>,
    /// Pending failures: method, part of the path, number of requests that succeed before, and the failure.
    pub faults: Vec<(String, String, usize, Fault)>,
    /// The executed quick actions. There must be none.
    pub executed: Vec<String>,
    /// The names that were notified by a mention.
    pub mentioned: Vec<String>,
    /// The references in notes: links to objects of this GitLab, and objects that get a note about the mention.
    pub referenced: Vec<Reference>,
    /// The addresses of resources that notes load, such as images.
    pub loaded: Vec<String>,
    /// The number of notifications.
    pub notifications: usize,
    pub(super) sent_on: Vec<(String, String)>,
    /// Redirects of git's own protocol.
    pub git_redirects: Vec<GitRedirect>,
    /// Requests of git's own protocol.
    pub git_requests: Vec<GitRequest>,
    pub(super) next_id: u64,
    /// The number of writes so far.
    pub(super) writes: u64,
    pub(super) notes_this_minute: usize,
}

/// Returns the time of the first version of a merge request, four days ago. An inbox lists ended merge requests for seven days.
pub(super) fn first_time() -> &'static str {
    static TIME: LazyLock<String> = LazyLock::new(|| days_ago(4));
    &TIME
}

/// Returns the time some days ago as GitLab writes it.
pub fn days_ago(days: i64) -> String {
    let time = jiff::Timestamp::now() - jiff::SignedDuration::from_hours(days * 24);
    time.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string()
}

impl State {
    pub(super) fn id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// Returns a new thread id: 40 hex digits.
    pub(super) fn thread_id(&mut self) -> String {
        format!("{:040x}", self.id() as u128 * 0x9e37_79b9_7f4a_7c15)
    }

    /// Returns the time that belongs to an id: later ids have later times.
    pub(super) fn time_of(id: u64) -> String {
        let seconds = i64::try_from(id.saturating_sub(1000)).unwrap_or_default();
        let start: jiff::Timestamp = first_time().parse().expect("a time");
        (start + jiff::SignedDuration::from_secs(seconds)).to_string()
    }

    /// Returns the time of a write. Each one is later than the one before. Takes no id.
    pub(super) fn time_of_write(&mut self) -> String {
        self.writes += 1;
        let write = i64::try_from(self.writes).unwrap_or_default();
        let time: jiff::Timestamp = Self::time_of(self.next_id).parse().expect("a time");
        (time + jiff::SignedDuration::from_millis(write)).to_string()
    }

    /// Returns the id of a user, who is added if there is none with this name.
    pub fn user(&mut self, username: &str) -> u64 {
        if let Some(user) = self.users.iter().find(|user| user.username == username) {
            return user.id;
        }
        let id = self.users.len() as u64 + 1;
        self.users.push(User { id, username: username.to_owned() });
        id
    }

    /// Adds a project that shares the repository of the first one. Returns its id.
    pub fn project(&mut self, path: &str) -> u64 {
        let id = self.id();
        let repository = self.projects[0].repository.clone();
        self.projects.push(Project { id, path: path.to_owned(), repository, ..Project::default() });
        id
    }

    /// Removes a project, as if it were deleted or the user had lost access.
    pub fn remove_project(&mut self, path: &str) {
        self.projects.retain(|project| project.path != path);
    }

    /// Adds a merge request to a project. It has the commits of the given one of the first project, if it has no versions.
    pub fn add_merge_request(&mut self, project: u64, like: u64, mut request: MergeRequest) {
        request.id = self.id();
        if let Some(first) = self.projects[0].merge_requests.get(&like) {
            request.source.clone_from(&first.source);
            request.target.clone_from(&first.target);
            let version = first.versions.last().cloned().unwrap_or_default();
            for one in &mut request.versions {
                *one = Version { id: one.id, at: one.at.clone(), ..version.clone() };
            }
        }
        if let Some(project) = self.projects.iter_mut().find(|one| one.id == project) {
            project.merge_requests.insert(request.iid, request);
        }
    }

    /// Changes a merge request of a project.
    pub fn change(&mut self, path: &str, iid: u64, change: impl FnOnce(&mut MergeRequest)) {
        let project = self.projects.iter_mut().find(|project| project.path == path);
        if let Some(request) = project.and_then(|project| project.merge_requests.get_mut(&iid)) {
            change(request);
        }
    }

    /// Adds a draft that the reviewer wrote in the web interface.
    pub fn human_draft(&mut self, iid: u64, note: &str) {
        let id = self.id();
        if let Some(request) = self.projects[0].merge_requests.get_mut(&iid) {
            request.drafts.push(Draft { id, author: 1, note: note.into(), ..Draft::default() });
        }
    }

    /// Sets a merge request to merge automatically.
    pub fn auto_merge(&mut self, iid: u64) {
        if let Some(request) = self.projects[0].merge_requests.get_mut(&iid) {
            request.auto_merge = true;
        }
    }

    pub(super) fn username(&self, id: u64) -> String {
        self.users.iter().find(|user| user.id == id).map(|user| user.username.clone()).unwrap_or_default()
    }

    pub(super) fn merge_request(&mut self, iid: u64, source: &str, target: &str) {
        let id = self.id();
        let request = MergeRequest {
            id,
            iid,
            source: source.into(),
            target: target.into(),
            state: "opened".into(),
            reviewers: vec![(1, ReviewerState::Unreviewed)],
            ..MergeRequest::default()
        };
        self.projects[0].merge_requests.insert(iid, request);
        self.pushed(iid);
    }

    pub(super) fn pushed(&mut self, iid: u64) {
        let id = self.id();
        let note = self.id();
        let thread = self.thread_id();
        let project = &mut self.projects[0];
        let repository = project.repository.clone();
        let Some(request) = project.merge_requests.get_mut(&iid) else { return };
        let head = diff::rev(&repository, &request.source);
        let start = diff::rev(&repository, &request.target);
        let base = diff::merge_base(&repository, &start, &head);
        diff::run(&repository, &["update-ref", &format!("refs/merge-requests/{iid}/head"), &head]);
        let first = request.versions.is_empty();
        let at = State::time_of(id);
        request.updated_at.clone_from(&at);
        request.versions.push(Version { id, base, start, head, at: at.clone() });
        if !first {
            let body = "added 1 commit".to_owned();
            let note = Note { id: note, body, author: 2, system: true, at, ..Note::default() };
            request.threads.push(Thread { id: thread, individual: true, notes: vec![note] });
        }
    }
}
