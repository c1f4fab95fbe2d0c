//! Merge requests and their threads.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::changes::ChangeIdParams;
use crate::registry::{Fault, Table, opened};
use diffsan_app::{App, ChangeHandle, ListedRequest};
use diffsan_change::Target;
use diffsan_forge::gitlab::Discussion;
use diffsan_forge::post_plan::marks;
use diffsan_pipeline::blocking;
use diffsan_pipeline::open::{FetchedRequest, OpenChange, visible_text};
use diffsan_posting::{PostVerdict, ThreadStatus, VERDICT, VerdictStatus, thread_statuses};
use diffsan_review::finding::Side;
use diffsan_review::rounds::CodeStatus;
use diffsan_store::StoredPosting;

/// Asks for the open merge requests of a repository's remote.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct RequestsParams {
    /// The repository's path.
    pub repo: String,
}

/// The latest open merge requests.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RequestList {
    /// The merge requests, latest first.
    pub items: Vec<RequestItem>,
}

/// Asks for the merge request that a text names.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct FindRequestParams {
    /// The path of the repository. Its remotes determine the project if the text does not name it.
    pub repo: String,
    /// An address, `group/project!7` or `!7`.
    pub text: String,
}

/// The merge request that a text names.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FoundRequest {
    /// The target that opens it.
    pub target: Target,
    /// The path of a clone of its project that was opened before.
    pub repo: Option<String>,
}

/// A merge request in a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RequestItem {
    /// The target that opens it.
    pub target: Target,
    /// Its number in the project.
    pub iid: u64,
    /// The relation of the token's user to it: `reviewer`, `assigned` or `mine`.
    pub relation: Option<String>,
    /// The title.
    pub title: String,
    /// The name of its author.
    pub author: Option<String>,
    /// The source branch.
    pub source_branch: String,
    /// The target branch.
    pub target_branch: String,
    /// The time of its last update, RFC 3339.
    pub updated_at: Option<String>,
}

/// Facts about an opened merge request.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RequestView {
    /// The address of the GitLab server.
    pub base: String,
    /// Its number in the project.
    pub iid: u64,
    /// The title.
    pub title: String,
    /// `opened`, `closed`, `merged`, `locked`.
    pub state: String,
    /// The name of its author.
    pub author: Option<String>,
    /// The source branch.
    pub source_branch: String,
    /// The target branch.
    pub target_branch: String,
    /// The address of its page.
    pub web_url: Option<String>,
    /// The name of the token's user, who reads and posts.
    pub me: Option<String>,
    /// The commit that is reviewed and approved: the head at the time of opening.
    pub head: String,
    /// Whether the head has changed since it was opened.
    pub moved: bool,
    /// Whether the token's user approved it. None if that is unknown.
    pub approved: Option<bool>,
    /// The names of the users who approved it. None if that is unknown.
    pub approved_by: Option<Vec<String>>,
    /// The number of missing approvals, if GitLab reports it.
    pub approvals_left: Option<u32>,
    /// The verdicts that the token's user can choose. Empty if that is unknown.
    pub verdicts: Vec<VerdictChoice>,
    /// Why whole files are not available, if they are not.
    pub note: Option<String>,
    /// The threads, oldest first.
    pub threads: Vec<ThreadView>,
    /// The interrupted posting, if there is one.
    pub interrupted: Option<InterruptedPosting>,
}

/// A verdict in the posting view.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct VerdictChoice {
    /// The verdict.
    pub verdict: PostVerdict,
    /// Why the user cannot give it, for display. None if it can be given.
    pub unavailable: Option<String>,
}

/// An interrupted posting.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InterruptedPosting {
    /// The start of the posting, RFC 3339.
    pub begun_at: String,
    /// The id of the posted review, if that is still saved.
    pub review_id: Option<String>,
    /// The number of items of the posting.
    pub comments: u32,
    /// The number of items that are known to be posted.
    pub landed: u32,
}

/// A thread of a merge request.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ThreadView {
    /// The thread's id.
    pub id: String,
    /// Index into `ChangeView.files` of the thread's file, if the file is part of the opened change.
    pub file: Option<u32>,
    /// The path of the file in GitLab. None for a general comment.
    pub path: Option<String>,
    /// The side of its line.
    pub side: Side,
    /// The line, if it is in the diff that is shown.
    pub line: Option<u32>,
    /// Whether the thread is about an earlier version of the diff.
    pub outdated: bool,
    /// Whether the thread can be resolved.
    pub resolvable: bool,
    /// Whether the thread is resolved.
    pub resolved: bool,
    /// Whether diffsan posted it.
    pub own: bool,
    /// The key of the thread's finding in the shown review.
    pub finding: Option<String>,
    /// The status of the thread's code, if it is known.
    pub code_status: Option<CodeStatus>,
    /// Whether the interface offers to resolve the thread: its code was edited, the latest review does not find it
    /// again, and nobody replied.
    pub offered: bool,
    /// The comments, oldest first.
    pub notes: Vec<NoteView>,
}

/// A comment.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NoteView {
    /// The comment's number.
    pub id: u64,
    /// The name of its author.
    pub author: String,
    /// The text without markers.
    pub body: String,
    /// The creation time, RFC 3339.
    pub created_at: Option<String>,
}

/// Replies in a thread.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ReplyParams {
    /// The opened change.
    pub change_id: String,
    /// The thread's id.
    pub thread: String,
    /// The text of the reply.
    pub body: String,
}

/// Resolves or reopens a thread.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ResolveParams {
    /// The opened change.
    pub change_id: String,
    /// The thread's id.
    pub thread: String,
    /// Whether to resolve or to reopen it.
    pub resolved: bool,
}

pub(super) fn register(table: &mut Table) {
    table.async_query(
        "request.list",
        "Lists the open merge requests of a repository's remote",
        |app, params: RequestsParams, _| async move {
            let found = app.merge_requests(Path::new(&params.repo)).await?;
            Ok::<RequestList, Fault>(RequestList { items: found.into_iter().map(item).collect() })
        },
    );
    table.query("request.find", "Finds the merge request that a text names", |app, params: FindRequestParams| {
        let repo = Some(params.repo.as_str()).filter(|path| !path.is_empty()).map(Path::new);
        let target = diffsan_pipeline::open::merge_request_target(&params.text, repo)?;
        let repo = app.clone_of(&target)?.map(|path| path.display().to_string());
        Ok(FoundRequest { target, repo })
    });
    table.async_query(
        "request.refresh",
        "Reads the threads and the verdict of the token's user again",
        |app, params: ChangeIdParams, _| async move { refreshed(app, params).await },
    );
    table.async_method("thread.reply", "Replies in a thread", |app, params: ReplyParams| async move {
        let handle = opened(&app, &params.change_id)?;
        app.reply(&handle.opened, &params.thread, &params.body).await?;
        shown(app, handle, false, None).await
    });
    table.async_method("thread.resolve", "Resolves or reopens a thread", |app, params: ResolveParams| async move {
        let handle = opened(&app, &params.change_id)?;
        app.resolve(&handle.opened, &params.thread, params.resolved).await?;
        shown(app, handle, false, None).await
    });
    table.async_method(
        "request.revoke_approval",
        "Revokes the approval of the token's user",
        |app, params: ChangeIdParams| async move {
            let handle = opened(&app, &params.change_id)?;
            app.revoke_approval(&handle.opened).await?;
            refreshed(app, params).await
        },
    );
}

fn item(ListedRequest { target, relation, request }: ListedRequest) -> RequestItem {
    RequestItem {
        target,
        relation: relation.map(str::to_owned),
        iid: request.iid,
        title: request.title,
        author: request.author.map(|author| author.username),
        source_branch: request.source_branch,
        target_branch: request.target_branch,
        updated_at: request.updated_at,
    }
}

pub(super) fn request_view(
    app: &App,
    opened: &OpenChange,
    moved: bool,
    status: Option<&VerdictStatus>,
) -> Result<RequestView, Fault> {
    let request = diffsan_posting::request_of(opened)?;
    let Target::MergeRequest { base, iid, .. } = &opened.target else { return Err(Fault::UnknownChange) };
    let approvals = status.map(VerdictStatus::approvals);
    let count = |posting: &StoredPosting, counts: fn(&str) -> bool| {
        let comments = posting.items.iter().filter(|item| item.key != VERDICT && counts(&item.state));
        u32::try_from(comments.count()).unwrap_or(u32::MAX)
    };
    let interrupted = app.interrupted_posting(&opened.target)?.map(|posting| InterruptedPosting {
        comments: count(&posting, |_| true),
        landed: count(&posting, |state| state == "landed"),
        begun_at: posting.begun_at,
        review_id: posting.review_id,
    });
    let latest = app.latest_review(opened)?;
    let statuses = thread_statuses(opened, latest.as_ref().map(|saved| &saved.output));
    let discussions = request.threads.get().unwrap_or_default();
    let keys: HashSet<&str> =
        latest.iter().flat_map(|saved| &saved.output.findings).map(|finding| finding.key.as_str()).collect();
    Ok(RequestView {
        base: base.clone(),
        iid: *iid,
        title: request.title.clone(),
        state: request.state.clone(),
        author: request.author.clone(),
        source_branch: request.source_branch.clone(),
        target_branch: request.target_branch.clone(),
        web_url: request.web_url.clone(),
        me: request.me.as_ref().map(|me| me.username.clone()),
        head: request.refs.head_sha.clone(),
        moved,
        approved: status.map(VerdictStatus::has_approved),
        approved_by: approvals
            .map(|approvals| approvals.approved_by.iter().map(|one| one.user.username.clone()).collect()),
        approvals_left: approvals.and_then(|approvals| approvals.approvals_left),
        verdicts: status.map(verdicts).unwrap_or_default(),
        note: request.commits.as_ref().map(|why| {
            format!("Its commits could not be fetched into this clone ({why}), so whole files are not at hand.")
        }),
        threads: discussions
            .iter()
            .filter_map(|discussion| thread(opened, request, discussion, statuses.get(&discussion.id), &keys))
            .collect(),
        interrupted,
    })
}

fn verdicts(status: &VerdictStatus) -> Vec<VerdictChoice> {
    let choice = |verdict| VerdictChoice { verdict, unavailable: status.unavailable(verdict) };
    PostVerdict::ALL.into_iter().map(choice).collect()
}

/// Converts a thread that people wrote. Returns `None` for a thread that has only system notes.
fn thread(
    opened: &OpenChange,
    request: &FetchedRequest,
    discussion: &Discussion,
    status: Option<&ThreadStatus>,
    keys: &HashSet<&str>,
) -> Option<ThreadView> {
    let notes: Vec<_> = discussion.notes.iter().filter(|note| !note.system).collect();
    let first = notes.first()?;
    let text = |name: &str| first.position.as_ref()?[name].as_str().map(str::to_owned);
    let number = |name: &str| first.position.as_ref()?[name].as_u64().and_then(|line| u32::try_from(line).ok());
    let path = text("new_path").or_else(|| text("old_path"));
    let current = text("head_sha").as_deref() == Some(request.refs.head_sha.as_str());
    let (side, line) = match (number("new_line"), number("old_line")) {
        (Some(line), _) => (Side::New, Some(line)),
        (None, line) => (Side::Old, line),
    };
    let file = path.as_deref().and_then(|path| {
        let is = |index: usize| {
            let file = &opened.change.files[index];
            file.path().to_text() == path || file.old_path.as_ref().is_some_and(|old| old.to_text() == path)
        };
        opened.plan.order().iter().position(|&index| is(index)).and_then(|at| u32::try_from(at).ok())
    });
    let me = request.me.as_ref().map(|me| me.id);
    let mine = first.author.as_ref().map(|author| author.id) == me && me.is_some();
    let marked = marks::read(&first.body, &request.markers).findings;
    Some(ThreadView {
        id: discussion.id.clone(),
        file,
        path,
        side,
        // The current line of the code, if it is known.
        line: if current { line } else { status.and_then(|status| status.line) },
        outdated: first.position.is_some() && !current,
        resolvable: first.resolvable,
        resolved: first.resolved == Some(true),
        own: mine && !marked.is_empty(),
        finding: marked.into_iter().find(|key| mine && keys.contains(key.as_str())),
        code_status: status.map(|status| status.code),
        offered: status.is_some_and(|status| status.offered),
        notes: notes
            .iter()
            .map(|note| NoteView {
                id: note.id,
                author: note.author.as_ref().map(|author| author.username.clone()).unwrap_or_default(),
                body: visible_text(&note.body),
                created_at: note.created_at.clone(),
            })
            .collect(),
    })
}

/// Reads a merge request again and converts it for the interface.
async fn refreshed(app: Arc<App>, params: ChangeIdParams) -> Result<RequestView, Fault> {
    let handle = opened(&app, &params.change_id)?;
    let (moved, status) = app.refresh_request(&handle.opened).await?;
    shown(app, handle, moved, status).await
}

/// Converts a merge request for the interface.
async fn shown(
    app: Arc<App>,
    handle: ChangeHandle,
    moved: bool,
    status: Option<VerdictStatus>,
) -> Result<RequestView, Fault> {
    let made = move || Ok(request_view(&app, &handle.opened, moved, status.as_ref()));
    blocking(made).await?
}

/// Returns the facts about an opened merge request. Returns `None` for other changes.
pub(super) fn opened_request(app: &App, handle: &ChangeHandle) -> Option<RequestView> {
    request_view(app, &handle.opened, false, None).ok()
}
