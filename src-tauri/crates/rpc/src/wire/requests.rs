//! Wire types of merge requests, their threads, posting and tokens.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use diffsan_app::post::{ItemResult, PostOutcome};
use diffsan_change::Target;
use diffsan_forge::post_plan::ChosenFinding;
use diffsan_pipeline::error::ErrorInfo;
use diffsan_review::finding::Side;
use diffsan_review::rounds::CodeStatus;

/// Asks for the open merge requests of a repository's remote.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RequestsParams {
    /// The repository's path.
    pub repo: String,
}

/// The latest open merge requests.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RequestList {
    /// The merge requests, latest first.
    pub items: Vec<RequestItem>,
}

/// Asks for the merge request that a text names.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FindRequestParams {
    /// The path of the repository. Its remotes determine the project if the text does not name it.
    pub repo: String,
    /// An address, `group/project!7` or `!7`.
    pub text: String,
}

/// The merge request that a text names.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FoundRequest {
    /// The target that opens it.
    pub target: Target,
    /// The path of a clone of its project that was opened before.
    pub repo: Option<String>,
}

/// A merge request in a list.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
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
    /// Why whole files are not available, if they are not.
    pub note: Option<String>,
    /// The threads, oldest first.
    pub threads: Vec<ThreadView>,
    /// The interrupted posting, if there is one.
    pub interrupted: Option<InterruptedPosting>,
}

/// An interrupted posting.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct InterruptedPosting {
    /// The start of the posting, RFC 3339.
    pub begun_at: String,
    /// The id of the posted review, if that is still saved.
    pub review_id: Option<String>,
    /// The number of items of the posting.
    pub pieces: u32,
    /// The number of items that are known to be posted.
    pub landed: u32,
}

/// A thread of a merge request.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReplyParams {
    /// The opened change.
    pub change_id: String,
    /// The thread's id.
    pub thread: String,
    /// The text of the reply.
    pub body: String,
}

/// Resolves or reopens a thread.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ResolveParams {
    /// The opened change.
    pub change_id: String,
    /// The thread's id.
    pub thread: String,
    /// Whether to resolve or to reopen it.
    pub resolved: bool,
}

/// Approves a merge request, or revokes the approval.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ApproveParams {
    /// The opened change.
    pub change_id: String,
    /// Whether to approve or to revoke the approval.
    pub approve: bool,
}

/// Plans a posting.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlanParams {
    /// The opened change, which is a merge request.
    pub change_id: String,
    /// The review.
    pub review_id: String,
    /// The findings to post.
    pub chosen: Vec<ChosenFinding>,
    /// Whether to post the summary.
    pub summary: bool,
}

/// A post plan: exactly the comments that would be posted.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlanView {
    /// The id of the plan, for `post.start`.
    pub plan_id: String,
    /// The items, the summary last.
    pub pieces: Vec<PieceView>,
}

/// One item of a post plan.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PieceView {
    /// The item's key; `summary` for the summary.
    pub key: String,
    /// The key of its finding. None for the summary.
    pub finding: Option<String>,
    /// The title.
    pub title: String,
    /// Its severity's name; empty for the summary.
    pub severity: String,
    /// The place, for display.
    pub place: String,
    /// The kind of comment that it becomes.
    pub lands: Lands,
    /// The text to send, without markers.
    pub body: String,
    /// Whether the text contains a suggestion that can be applied in GitLab.
    pub suggestion: bool,
    /// The current lines that the suggestion replaces; empty without a suggestion.
    pub replaced: Vec<String>,
    /// Notes about parts that cannot be posted as intended, with the reason.
    pub notes: Vec<String>,
    /// Whether the item is already posted.
    pub there: bool,
}

/// The kind of comment that an item becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Lands {
    /// A comment on one line.
    Inline,
    /// A comment on several lines.
    Range,
    /// A comment on a file.
    File,
    /// A part of the summary.
    InSummary,
    /// The summary.
    Summary,
    /// The summary, which replaces an earlier one.
    Replaced,
}

/// Posts a post plan.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PostParams {
    /// The id of the plan.
    pub plan_id: String,
    /// Whether a finding whose line GitLab rejects is posted to its file or in the summary instead.
    #[serde(default)]
    pub degrade: bool,
}

/// An event of a posting. The last event is always `done` or `failed`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum PostingEvent {
    /// A new step, or progress in a step.
    Step {
        /// Text for display.
        message: String,
    },
    /// The result of an item changed.
    Item {
        /// The result of the item.
        item: ItemResult,
    },
    /// The posting ended. Some items may have failed.
    Done {
        /// The result of each item.
        outcome: Box<PostOutcome>,
    },
    /// The posting could not begin.
    Failed {
        /// The error.
        error: ErrorInfo,
    },
}

/// Identifies an opened change and a review to place on it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReanchorParams {
    /// The opened change.
    pub change_id: String,
    /// The review.
    pub review_id: String,
}

/// Saves a secret.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SecretParams {
    /// The address of a GitLab server, or `key:VARIABLE`.
    pub name: String,
    /// The secret. No method returns it.
    pub value: String,
    /// Whether to keep it only until the program ends.
    #[serde(default)]
    pub session_only: bool,
}

/// Identifies a secret, or a GitLab server by its address.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SecretNameParams {
    /// The name of the secret, or the server's address.
    pub name: String,
}

/// The saved secrets.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SecretList {
    /// The secrets, by name.
    pub items: Vec<SecretView>,
}

/// A saved secret.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SecretView {
    /// The name of the secret.
    pub name: String,
    /// Whether the secret still exists.
    pub there: bool,
}

/// Facts about a token.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TokenView {
    /// The name of the token's user.
    pub username: String,
    /// The scopes of the token, if they are known.
    pub scopes: Option<Vec<String>>,
    /// The expiry date, if it is known.
    pub expires_at: Option<String>,
    /// Whether the scopes are sufficient for posting, if that is known.
    pub can_post: Option<bool>,
    /// The place where the token was found, for display.
    pub place: String,
}
