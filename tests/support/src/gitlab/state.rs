//! What a GitLab remembers.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::diff;
use super::markdown::Reference;

/// What differs between versions and installations.
#[derive(Clone, Debug, Default)]
pub struct Switches {
    /// A path before everything: `/gitlab`.
    pub prefix: String,
    /// Leaves out `x-total`, `x-total-pages` and the last link.
    pub gitlab_com: bool,
    /// No `raw_diffs`, no `generated_file`, `collapsed`, `too_large`.
    pub old: bool,
    /// Drafts' summaries are published (19.2).
    pub bulk_summary: bool,
    /// Hides this share of notes after paging: each note whose id this divides.
    pub hide_each: Option<u64>,
    /// `>` is written as `\u003e`.
    pub escaped: bool,
    /// Bulk publishing breaks after so many.
    pub crash_publish_at: Option<usize>,
    /// Notes a minute; more are refused.
    pub notes_limit: Option<usize>,
    /// Every answer waits so long, in milliseconds.
    pub latency: u64,
    /// A proxy before it decodes `%2F`, so that no path of a project matches.
    pub decoding_proxy: bool,
    /// Commits that are not known are a crash, not a refusal.
    pub crash_unknown_commit: bool,
    /// A merge request takes no more comments than this.
    pub most_comments: Option<usize>,
    /// Errors of models are printed as Ruby 3.4 does.
    pub ruby34: bool,
    /// A renamed file without its old path on an unchanged line is refused, in place of stored and crashed on.
    pub no_hook_crash: bool,
    /// The summary of a bulk publishing is not stored.
    pub unsaved_summary: bool,
}

/// A token.
#[derive(Clone, Debug, Default)]
pub struct Token {
    /// Whose.
    pub user: u64,
    /// What it may.
    pub scopes: Vec<String>,
    /// It has expired.
    pub expired: bool,
    /// It was revoked.
    pub revoked: bool,
    /// Its user is no member of the project.
    pub stranger: bool,
    /// Its user may read and comment, and nothing else.
    pub guest: bool,
}

#[derive(Clone, Debug)]
pub(super) struct User {
    pub(super) id: u64,
    pub(super) username: String,
}

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// `POST`
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// The body, if it was JSON.
    pub body: Value,
    /// How the token came: `header`, `bearer`, `basic`, `query`, or nothing.
    pub token: String,
    /// The status that it was answered with.
    pub status: u16,
}

/// A request of git's own protocol as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitRequest {
    /// The path with its query.
    pub path: String,
    /// The `authorization` header, decoded if it is `Basic`: `user:password`. Empty if there was none.
    pub authorization: String,
    /// The status of the response.
    pub status: u16,
}

/// Where requests of git's own protocol are redirected.
#[derive(Clone, Debug)]
pub struct GitRedirect {
    /// The beginning of the path.
    pub from: String,
    /// What replaces it: an absolute path or a whole address.
    pub to: String,
    /// Whether only requests with a known token are redirected; others are asked for one.
    pub after_authentication: bool,
}

/// A failure of a request, once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An answer in place of the real one; nothing is done.
    Status(u16, String),
    /// The same after it was done.
    StatusAfter(u16, String),
    /// The connection breaks; nothing is done.
    Cut,
    /// The connection breaks after it was done.
    CutAfter,
    /// It is done, and the answer never comes.
    HangAfter,
    /// `Retry later`, as the network layer says it.
    RackAttack(u64),
    /// As the application says it.
    Limited,
    /// The token expires now.
    Expire,
}

/// One state of the diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// Its number.
    pub id: u64,
    /// The merge base.
    pub base: String,
    /// The target branch's commit.
    pub start: String,
    /// The source branch's commit.
    pub head: String,
}

/// A place in the diff as it was sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Position {
    /// The merge base.
    pub base_sha: String,
    /// The target side.
    pub start_sha: String,
    /// The head.
    pub head_sha: String,
    /// `text`, `file`, `image`.
    pub position_type: String,
    /// Before the change.
    pub old_path: Option<String>,
    /// After the change.
    pub new_path: Option<String>,
    /// Before the change.
    pub old_line: Option<u32>,
    /// After the change.
    pub new_line: Option<u32>,
    /// The highlighted lines.
    pub line_range: Option<Value>,
}

/// A comment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Note {
    /// Its number.
    pub id: u64,
    /// `None`, `DiscussionNote`, `DiffNote`.
    pub kind: Option<String>,
    /// What it says.
    pub body: String,
    /// Whose it is.
    pub author: u64,
    /// GitLab's own.
    pub system: bool,
    /// Where it is.
    pub position: Option<Position>,
    /// The line's name.
    pub line_code: Option<String>,
    /// Whether the thread is done.
    pub resolved: bool,
    /// Whether it was published with others, under one notification.
    pub bulk: bool,
}

/// Comments that belong together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thread {
    /// 40 hex digits.
    pub id: String,
    /// One plain comment.
    pub individual: bool,
    /// Oldest first.
    pub notes: Vec<Note>,
}

/// A comment that only its author sees yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// Its number.
    pub id: u64,
    /// Whose it is.
    pub author: u64,
    /// What it says.
    pub note: String,
    /// Where it is to be.
    pub position: Option<Position>,
    /// What it replies to.
    pub reply_to: Option<String>,
    /// Whether it resolves that.
    pub resolve: bool,
}

/// A merge request.
#[derive(Clone, Debug, Default)]
pub struct MergeRequest {
    /// Global.
    pub id: u64,
    /// Of the project.
    pub iid: u64,
    /// The branch that is merged.
    pub source: String,
    /// The branch that it goes into.
    pub target: String,
    /// `opened`, `merged`, `closed`.
    pub state: String,
    /// Merges by itself when it can.
    pub auto_merge: bool,
    /// Newest last.
    pub versions: Vec<Version>,
    /// Comments.
    pub threads: Vec<Thread>,
    /// Comments to be.
    pub drafts: Vec<Draft>,
    /// Who approved.
    pub approved_by: Vec<u64>,
    /// Emoji on notes: the note, who, which.
    pub emoji: Vec<(u64, u64, String)>,
    /// How often it is read before its diff is known.
    pub polls_until_ready: u32,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Project {
    pub(super) id: u64,
    pub(super) path: String,
    pub(super) repository: PathBuf,
    /// Paths under which it was known.
    pub(super) moved_from: Vec<String>,
    pub(super) merge_requests: BTreeMap<u64, MergeRequest>,
}

/// Everything.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Scheme, host and port.
    pub(super) base: String,
    /// Where repositories are.
    pub(super) root: PathBuf,
    pub(super) users: Vec<User>,
    /// By their text.
    pub tokens: BTreeMap<String, Token>,
    pub(super) projects: Vec<Project>,
    /// What differs.
    pub switches: Switches,
    /// What came.
    pub requests: Vec<Recorded>,
    /// What goes wrong: with the request of that method whose path has that text, after so many of them went well.
    pub faults: Vec<(String, String, usize, Fault)>,
    /// Quick actions that were executed: there must be none.
    pub executed: Vec<String>,
    /// Who was notified by a mention.
    pub mentioned: Vec<String>,
    /// What notes referred to, by their text: links to objects of this GitLab, and what gets a note that it was mentioned.
    pub referenced: Vec<Reference>,
    /// What notes made readers load: images and the like.
    pub loaded: Vec<String>,
    /// Notifications that went out.
    pub notifications: usize,
    pub(super) sent_on: Vec<(String, String)>,
    /// Redirects of git's own protocol.
    pub git_redirects: Vec<GitRedirect>,
    /// Requests of git's own protocol.
    pub git_requests: Vec<GitRequest>,
    pub(super) next_id: u64,
    pub(super) notes_this_minute: usize,
}

impl State {
    pub(super) fn id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// 40 hex digits.
    pub(super) fn thread_id(&mut self) -> String {
        format!("{:040x}", self.id() as u128 * 0x9e37_79b9_7f4a_7c15)
    }

    /// A draft that the reviewer typed in the web interface.
    pub fn human_draft(&mut self, iid: u64, note: &str) {
        let id = self.id();
        if let Some(request) = self.projects[0].merge_requests.get_mut(&iid) {
            request.drafts.push(Draft { id, author: 1, note: note.into(), ..Draft::default() });
        }
    }

    /// It is set to merge by itself.
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
        request.versions.push(Version { id, base, start, head });
        if !first {
            let body = "added 1 commit".to_owned();
            let note = Note { id: note, body, author: 2, system: true, ..Note::default() };
            request.threads.push(Thread { id: thread, individual: true, notes: vec![note] });
        }
    }
}
