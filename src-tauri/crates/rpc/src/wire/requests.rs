//! Merge requests: their facts, their threads, posting, tokens.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use diffsan_app::post::{ItemResult, PostOutcome};
use diffsan_change::Target;
use diffsan_forge::post_plan::ChosenFinding;
use diffsan_pipeline::error::ErrorInfo;
use diffsan_review::finding::Side;
use diffsan_review::rounds::CodeStatus;

/// Asks for the merge requests of a repository's remote.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RequestsParams {
    /// The repository's path.
    pub repo: String,
}

/// The latest open merge requests.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RequestList {
    /// Latest first.
    pub items: Vec<RequestItem>,
}

/// Names a merge request as people write it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FindRequestParams {
    /// The repository's path; its remotes tell the project where it is not named.
    pub repo: String,
    /// An address, `group/project!7`, `!7`.
    pub text: String,
}

/// A merge request that was named.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FoundRequest {
    /// To open it by.
    pub target: Target,
    /// A clone of its project that was opened before.
    pub repo: Option<String>,
}

/// A merge request that can be opened.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RequestItem {
    /// To open it by.
    pub target: Target,
    /// Its number in the project.
    pub iid: u64,
    /// What the token's user has to do with it: `reviewer`, `assigned`, `mine`.
    pub relation: Option<String>,
    /// Its headline.
    pub title: String,
    /// Who made it.
    pub author: Option<String>,
    /// The branch that is merged.
    pub source_branch: String,
    /// The branch that it goes into.
    pub target_branch: String,
    /// When something about it changed, RFC 3339.
    pub updated_at: Option<String>,
}

/// What is known of an opened merge request.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RequestView {
    /// The GitLab's address.
    pub base: String,
    /// Its number in the project.
    pub iid: u64,
    /// Its headline.
    pub title: String,
    /// `opened`, `closed`, `merged`, `locked`.
    pub state: String,
    /// Who made it.
    pub author: Option<String>,
    /// The branch that is merged.
    pub source_branch: String,
    /// The branch that it goes into.
    pub target_branch: String,
    /// Its page.
    pub web_url: Option<String>,
    /// Whose token reads and posts.
    pub me: Option<String>,
    /// The commit that is looked at and approved: its head when it was opened.
    pub head: String,
    /// Whether its head moved since it was opened.
    pub moved: bool,
    /// Whether the token's user approved it; none where that is not known.
    pub approved: Option<bool>,
    /// Whether whole files are at hand, and why not.
    pub note: Option<String>,
    /// Its threads, oldest first.
    pub threads: Vec<ThreadView>,
    /// A posting that was cut off.
    pub interrupted: Option<InterruptedPosting>,
}

/// A posting that was cut off.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct InterruptedPosting {
    /// When it began, RFC 3339.
    pub begun_at: String,
    /// The review that it posts, if that is kept.
    pub review_id: Option<String>,
    /// How many pieces it had.
    pub pieces: u32,
    /// How many of them are known to have landed.
    pub landed: u32,
}

/// A thread.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ThreadView {
    /// Its name.
    pub id: String,
    /// Index into `ChangeView.files` of its file, if it is on one of them as it is now.
    pub file: Option<u32>,
    /// The file as GitLab names it; none of a general comment.
    pub path: Option<String>,
    /// The side of its line.
    pub side: Side,
    /// Its line, if it is on one of the diff that is shown.
    pub line: Option<u32>,
    /// Whether it is about an earlier state of the diff.
    pub outdated: bool,
    /// Whether it can be resolved.
    pub resolvable: bool,
    /// Whether it is.
    pub resolved: bool,
    /// Whether diffsan posted it.
    pub own: bool,
    /// The key of the finding of the shown review that it is about.
    pub finding: Option<String>,
    /// The status of its code, where that is known.
    pub code_status: Option<CodeStatus>,
    /// Whether resolving it is proposed: its code was edited, the latest review does not find it again, and nobody answered.
    pub offered: bool,
    /// Its comments, oldest first.
    pub notes: Vec<NoteView>,
}

/// A comment.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct NoteView {
    /// Its number.
    pub id: u64,
    /// Who wrote it.
    pub author: String,
    /// What it says, without marks.
    pub body: String,
    /// When, RFC 3339.
    pub created_at: Option<String>,
}

/// Answers in a thread.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReplyParams {
    /// The opened change.
    pub change_id: String,
    /// The thread.
    pub thread: String,
    /// What to say.
    pub body: String,
}

/// Resolves a thread, or opens it again.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ResolveParams {
    /// The opened change.
    pub change_id: String,
    /// The thread.
    pub thread: String,
    /// Which of both.
    pub resolved: bool,
}

/// Approves a merge request, or takes that back.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ApproveParams {
    /// The opened change.
    pub change_id: String,
    /// Which of both.
    pub approve: bool,
}

/// Plans a posting.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlanParams {
    /// The opened change, a merge request.
    pub change_id: String,
    /// The review.
    pub review_id: String,
    /// The findings that are posted.
    pub chosen: Vec<ChosenFinding>,
    /// Whether the summary is posted.
    pub summary: bool,
}

/// What would be posted, exactly as it would land.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlanView {
    /// Names the plan in `post.start`.
    pub plan_id: String,
    /// The pieces, the summary last.
    pub pieces: Vec<PieceView>,
}

/// A piece of a posting.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PieceView {
    /// Its key; `summary` for the summary.
    pub key: String,
    /// The key of its finding. None for the summary.
    pub finding: Option<String>,
    /// Its headline.
    pub title: String,
    /// Its severity's name; empty for the summary.
    pub severity: String,
    /// Where it is, for people.
    pub place: String,
    /// How it lands.
    pub lands: Lands,
    /// Its text as it is sent, marks left out.
    pub body: String,
    /// Whether it has a suggestion that can be applied with a click.
    pub suggestion: bool,
    /// The lines that the suggestion replaces, as they are; empty where there is none.
    pub replaced: Vec<String>,
    /// What could not be as it was meant, and why.
    pub notes: Vec<String>,
    /// Whether it is there already.
    pub there: bool,
}

/// How a piece lands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Lands {
    /// On one line.
    Inline,
    /// On several lines.
    Range,
    /// On a file.
    File,
    /// Inside of the summary.
    InSummary,
    /// As the summary.
    Summary,
    /// As the summary, in place of the one before.
    Replaced,
}

/// Posts a plan.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PostParams {
    /// The plan as it was shown.
    pub plan_id: String,
    /// Whether a finding whose line GitLab refuses goes to its file, or into the summary.
    #[serde(default)]
    pub degrade: bool,
}

/// What a posting tells, in order. The last is always `done` or `failed`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum PostingEvent {
    /// A new step, or how far it is.
    Step {
        /// For people.
        message: String,
    },
    /// A piece stands differently.
    Item {
        /// The piece.
        item: ItemResult,
    },
    /// It ended; not everything need be there.
    Done {
        /// How each piece stands.
        outcome: Box<PostOutcome>,
    },
    /// It could not begin.
    Failed {
        /// Why.
        error: ErrorInfo,
    },
}

/// Names an opened change and a review.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReanchorParams {
    /// The opened change.
    pub change_id: String,
    /// The review.
    pub review_id: String,
}

/// Keeps a secret.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SecretParams {
    /// A GitLab's address, or `key:VARIABLE`.
    pub name: String,
    /// The secret. It goes in and never comes out again.
    pub value: String,
    /// Whether it is kept only until the program ends.
    #[serde(default)]
    pub session_only: bool,
}

/// Names a secret, or a GitLab by its address.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SecretNameParams {
    /// The name.
    pub name: String,
}

/// The secrets that were kept.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SecretList {
    /// By name.
    pub items: Vec<SecretView>,
}

/// A secret that was kept.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SecretView {
    /// Its name.
    pub name: String,
    /// Whether it is still there.
    pub there: bool,
}

/// What a token is good for.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TokenView {
    /// Whose it is.
    pub username: String,
    /// What it may, where that is told.
    pub scopes: Option<Vec<String>>,
    /// When it ends, where that is told.
    pub expires_at: Option<String>,
    /// Whether it is enough to post, where that is told.
    pub can_post: Option<bool>,
    /// Where it was found, for people.
    pub place: String,
}
