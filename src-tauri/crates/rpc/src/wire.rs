//! The types of the JSON-RPC interface. Domain types are converted to these before they are sent.
//!
//! The TypeScript types are generated from these types (through the OpenRPC document), so the doc comments appear on
//! both sides.

mod agents;
mod chat;
mod desk;
mod desktop;
mod exports;
mod history;
mod prompts;
mod requests;
mod reviews;
mod settings;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use diffsan_change::Target;
use diffsan_pipeline::error::ErrorInfo;
use diffsan_prepare::types::{CoverageMap, IgnoredFile, TruncationReport};
use diffsan_redact::types::RedactionReport;
use diffsan_review::TokenUsage;
use diffsan_store::AllowedValue;

pub use agents::*;
pub use chat::*;
pub use desk::*;
pub use desktop::*;
pub use exports::*;
pub use history::*;
pub use prompts::*;
pub use requests::*;
pub use reviews::*;
pub use settings::*;

/// Facts about the running program.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AppInfo {
    /// The program's version.
    pub version: String,
    /// The folder that contains reviews and run folders.
    pub data_dir: String,
    /// The repository that the program was started on, if any.
    pub start_repo: Option<String>,
    /// The change that the program was started on, if any.
    pub start_target: Option<Target>,
    /// The repositories that were opened before, latest first.
    pub recent: Vec<RecentRepo>,
    /// Whether the bundled sample can be opened.
    pub sample: bool,
    /// Messages for the user about the state file since it was opened; usually empty.
    pub notices: Vec<String>,
    /// Whether this session cannot save anything.
    pub read_only: bool,
}

/// A repository that was opened before.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RecentRepo {
    /// The path of its root.
    pub path: String,
    /// The name of its folder.
    pub name: String,
}

/// Identifies a repository.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RepoParams {
    /// Any path inside the repository.
    pub path: String,
}

/// A repository and the changes that it offers.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RepoView {
    /// The path of its root, or of the repository itself if it is bare.
    pub path: String,
    /// The name of its folder.
    pub name: String,
    /// The checked-out branch. None if the head is detached.
    pub branch: Option<String>,
    /// The branch that other branches are compared with.
    pub default_branch: Option<String>,
    /// The local changes, each with its number of files. Empty ones are listed too.
    pub local: Vec<LocalChange>,
    /// The local branches, latest first.
    pub branches: Vec<BranchItem>,
    /// Recent commits of the checked-out branch.
    pub commits: Vec<CommitItem>,
    /// The change that is suggested to open first.
    pub suggested: Option<Target>,
    /// Why there are no local changes, if the work tree that the repository names is not used.
    pub notice: Option<String>,
}

/// Unstaged, staged or all local changes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LocalChange {
    /// The target that opens it.
    pub target: Target,
    /// The title for display.
    pub title: String,
    /// The number of changed files.
    pub files: u32,
}

/// A branch.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BranchItem {
    /// The branch's name.
    pub name: String,
    /// The number of commits that the default branch does not have.
    pub ahead: u32,
    /// The time of its last commit, in seconds since 1970.
    pub time: i64,
    /// The subject of its last commit.
    pub subject: String,
}

/// A commit.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CommitItem {
    /// The abbreviated object id.
    pub id: String,
    /// The first line of the message.
    pub subject: String,
    /// The author's name.
    pub author: String,
    /// The time of the commit, in seconds since 1970.
    pub time: i64,
}

/// Identifies a change of a repository.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ChangeParams {
    /// The repository's path.
    pub repo: String,
    /// The change.
    pub target: Target,
    /// A commit that was already reviewed: only the changes since then are sent.
    #[serde(default)]
    pub since: Option<String>,
    /// The review to show with the change. The latest one if absent.
    #[serde(default)]
    pub review_id: Option<String>,
}

/// An opened change. `change.hunks` returns its lines.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ChangeView {
    /// The id of the opened change, for later calls.
    pub change_id: String,
    /// The title for display.
    pub title: String,
    /// The target under which the change is saved. It names the current branch explicitly, so that it stays the same
    /// when another branch is checked out.
    pub target: Target,
    /// The SHA-256 of the raw diff. Equal content has an equal value.
    pub fingerprint: String,
    /// The abbreviated base commit.
    pub base: Option<String>,
    /// The abbreviated head commit.
    pub head: Option<String>,
    /// The number of added lines.
    pub added: u32,
    /// The number of removed lines.
    pub removed: u32,
    /// The files, ordered by their importance for a reviewer.
    pub files: Vec<FileView>,
    /// Whether whole files can be shown, which needs a repository that contains them.
    pub whole_files: bool,
    /// The first hunks, so that the diff appears at once. `change.hunks` returns more.
    pub first: HunkPage,
    /// The latest saved review of this change.
    pub review: Option<ReviewView>,
    /// Facts about the merge request, if the change is one.
    pub request: Option<RequestView>,
    /// The interrupted runs of this change (the program ended or the machine stopped), latest first.
    pub interrupted: Vec<RunItem>,
    /// The requests of the repository that need trust. None if there are none.
    pub trust: Option<TrustView>,
}

/// A file of a change.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FileView {
    /// The current path; for a deleted file, the old path.
    pub path: String,
    /// The previous path, if it differs.
    pub old_path: Option<String>,
    /// `added`, `deleted`, `modified`, `renamed`, `copied`, `type_changed`, `unmerged`.
    pub status: String,
    /// Notes for display: `mode 100644 → 100755`, `symlink`, `submodule a1b2 → c3d4`, `binary`, `92 % similar`; often
    /// empty.
    pub notes: Vec<String>,
    /// The number of added lines.
    pub added: u32,
    /// The number of removed lines.
    pub removed: u32,
    /// The number of hunks.
    pub hunks: u32,
    /// The number of lines in all hunks.
    pub lines: u32,
    /// Whether the file has no lines because its content is binary.
    pub binary: bool,
    /// Why the file is not sent to an agent, if it is not.
    pub ignored: Option<String>,
    /// Whether the file is an image that can be shown.
    pub image: bool,
    /// The indices of the hunks that the reviewer has viewed, in this round or an earlier one; 0 for a file without
    /// hunks.
    pub viewed: Vec<u32>,
}

/// Asks for the next hunks.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HunksParams {
    /// The opened change.
    pub change_id: String,
    /// The place to continue from.
    pub from: PageCursor,
    /// The approximate number of lines to send. Hunks are cut at this number, so a page may end inside a hunk.
    pub max_lines: u32,
}

/// A place in the flat list of files, hunks and lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PageCursor {
    /// Index into `ChangeView.files`.
    pub file: u32,
    /// Index of the hunk in the file.
    pub hunk: u32,
    /// Index of the line in the hunk.
    pub line: u32,
}

/// Some hunks, in the order of the files.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HunkPage {
    /// The hunks or parts of hunks.
    pub parts: Vec<HunkPart>,
    /// The start of the next page. None at the end.
    pub next: Option<PageCursor>,
}

/// A hunk, or part of one.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HunkPart {
    /// Index into `ChangeView.files`.
    pub file: u32,
    /// Index of the hunk in the file.
    pub hunk: u32,
    /// Index of the part's first line in the hunk; 0 at the hunk's beginning.
    pub first_line: u32,
    /// The hunk's header: `@@ -1,4 +1,6 @@ fn main()`.
    pub header: String,
    /// The line number of the part's first line on the old side.
    pub old_start: u32,
    /// The line number of the part's first line on the new side.
    pub new_start: u32,
    /// One character for each line: ` ` context, `+` added, `-` removed. A `!` follows for each line that ends its file
    /// without a line feed.
    pub kinds: String,
    /// The text of the lines, in order. Bytes that are not UTF-8 are shown as U+FFFD.
    pub lines: Vec<String>,
}

/// Asks for the highlighting of some lines.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HighlightParams {
    /// The opened change.
    pub change_id: String,
    /// Index into `ChangeView.files`.
    pub file: u32,
    /// Index of the hunk.
    pub hunk: u32,
    /// Index of the first line in the hunk.
    pub first_line: u32,
    /// The number of lines.
    pub count: u32,
}

/// The highlighting of some lines.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HighlightView {
    /// For each line a flat list `[length, class, length, class, …]` in UTF-16 units that covers the line from its
    /// start. A class is an index into `HighlightView.classes`. The list is empty for a line without colours.
    pub lines: Vec<Vec<u32>>,
    /// The CSS class names: ``, `keyword`, `string`, `comment`, `number`, `function`, `type`, `constant`, `variable`,
    /// `operator`, `punctuation`, `tag`, `attribute`, `heading`, `escape`.
    pub classes: Vec<String>,
}

/// Identifies an opened change.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ChangeIdParams {
    /// The opened change.
    pub change_id: String,
}

/// The prepared change: the part that would be sent, and reports about the rest.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PreparedView {
    /// The report about cut parts.
    pub truncation: TruncationReport,
    /// The report about masked values.
    pub redaction: RedactionReport,
    /// The ignored files.
    pub ignored: Vec<IgnoredFile>,
    /// The coverage of every line.
    pub coverage: CoverageMap,
    /// The values that the reviewer marked as not secret in this repository.
    pub allowed: Vec<AllowedValue>,
}

/// Marks a value as not secret in the change's repository, or removes the mark. It takes effect when the change is
/// opened again.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AllowParams {
    /// The opened change.
    pub change_id: String,
    /// The value as its digest, with the details from the report.
    pub secret: AllowedValue,
    /// Whether the value is sent without masking.
    pub allowed: bool,
}

/// A text to test masking with.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TryParams {
    /// The opened change whose settings apply. The user's own settings if absent.
    #[serde(default)]
    pub change_id: Option<String>,
    /// The path of the file that the text is assumed to be in.
    #[serde(default)]
    pub path: String,
    /// The text to mask.
    pub text: String,
}

/// The result of masking a text.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TriedView {
    /// The masked text.
    pub text: String,
    /// The report about masked values.
    pub redaction: RedactionReport,
}

/// Asks for the exact prompt.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PromptParams {
    /// The opened change.
    pub change_id: String,
    /// The agent that the prompt is for. The configured agent if absent.
    pub agent: Option<String>,
    /// The model to ask for. The configured model or the agent's default if absent.
    #[serde(default)]
    pub model: Option<String>,
    /// Instructions that this review adds.
    #[serde(default)]
    pub instructions: Option<String>,
    /// The skills that were selected for this review. The configured skills if absent.
    #[serde(default)]
    pub skills: Option<Vec<String>>,
    /// The index of the batch, from 0.
    #[serde(default)]
    pub batch: u32,
}

/// One batch of a change that is sent in several prompts.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BatchView {
    /// The paths of its files, masked.
    pub files: Vec<String>,
    /// The number of characters of its diff.
    pub chars: u64,
    /// The number of tokens of its diff.
    pub tokens: u64,
}

/// The exact prompt.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PromptView {
    /// The agent that the prompt is for.
    pub agent: String,
    /// The text, masked as it will be sent.
    pub text: String,
    /// The number of characters.
    pub chars: u64,
    /// The number of tokens, counted with a common tokenizer. An agent's own count differs slightly.
    pub tokens: u64,
    /// The model that will be requested, if one is named.
    pub model: Option<String>,
    /// The estimated cost by the price table, in US dollars. None if the model or its price is unknown.
    pub cost_usd: Option<f64>,
    /// The index of the batch that the prompt is for, from 0.
    pub batch: u32,
    /// The batches, if the change is sent in several prompts; else empty.
    pub batches: Vec<BatchView>,
    /// The source of each prompt file.
    pub sources: Vec<PromptSource>,
    /// The names of the skills in the prompt.
    pub skills: Vec<String>,
    /// The names of all available skills.
    pub known_skills: Vec<String>,
    /// The prepared change.
    pub prepared: PreparedView,
}

/// The source of a prompt file.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PromptSource {
    /// The file's name, such as `system.md`.
    pub name: String,
    /// Its path, or `built in`.
    pub place: String,
}

/// Starts a review.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReviewParams {
    /// The opened change.
    pub change_id: String,
    /// The agents, which review at the same time. The configured agent if empty.
    #[serde(default)]
    pub agents: Vec<String>,
    /// The model to ask for. The configured model or the agent's default if absent.
    #[serde(default)]
    pub model: Option<String>,
    /// Instructions that this review adds.
    #[serde(default)]
    pub instructions: Option<String>,
    /// The skills that were selected for this review. The configured skills if absent.
    #[serde(default)]
    pub skills: Option<Vec<String>>,
    /// Whether to review even if the settings say to skip the change.
    #[serde(default)]
    pub anyway: bool,
    /// An interrupted run to resume: its agents, model and instructions are used again, and its answers as far as they
    /// are still valid.
    #[serde(default)]
    pub resume: Option<String>,
}

/// An event of a running review. The last event is always `done`, `skipped`, `failed` or `cancelled`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ReviewEvent {
    /// The run has started. Its id can be used to cancel it.
    Started {
        /// The run's id.
        run_id: String,
        /// The agent's name.
        agent: String,
    },
    /// A new step began.
    Step {
        /// `fetch`, `prepare`, `room`, `prompt`, `agent`, `validate`.
        step: String,
        /// Text for display: `Codex is reading 41,000 tokens (attempt 1 of 3)`.
        message: String,
    },
    /// The agent reported progress.
    Progress {
        /// The agent's name.
        agent: String,
        /// Text for display: `thinking`, `reads src/main.rs`, `1,204 characters so far`.
        message: String,
        /// Milliseconds since the start of the run.
        elapsed_ms: u64,
    },
    /// The agent's usage so far.
    Usage {
        /// The agent's name.
        agent: String,
        /// The number of tokens, if the agent reports it.
        tokens: Option<TokenUsage>,
        /// The cost that the agent reports, in US dollars.
        cost_usd: Option<f64>,
    },
    /// The review is complete and saved.
    Done {
        /// The review.
        review: Box<ReviewView>,
    },
    /// There was nothing to review.
    Skipped {
        /// Why: `NO_DIFF`, `AUTO_MERGE`, `SAME_FINGERPRINT`.
        reason: String,
        /// The reason as text for display.
        message: String,
    },
    /// The review failed.
    Failed {
        /// The error.
        error: ErrorInfo,
        /// The run folder, which contains everything that was produced.
        run_dir: String,
    },
    /// The user cancelled the review.
    Cancelled {
        /// The run folder, which contains everything that was produced.
        run_dir: String,
    },
}

/// Identifies a run.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RunParams {
    /// The run's id.
    pub run_id: String,
}

/// Identifies a request of the same connection.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CancelParams {
    /// The request's JSON-RPC id.
    pub id: u64,
}

/// The result of cancelling a run or a request.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Cancelled {
    /// Whether it was cancelled. False if it had already ended.
    pub cancelled: bool,
}

/// A run that did not finish.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RunItem {
    /// The run's id.
    pub run_id: String,
    /// The agent's name.
    pub agent: String,
    /// The start of the run, RFC 3339.
    pub started_at: String,
    /// The run folder.
    pub run_dir: String,
    /// The number of answers that were already received.
    pub answers: u32,
}

/// The empty result of a method that succeeded.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Done {}

/// Reads one value of the interface's state.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StateKey {
    /// The name of the value.
    pub key: String,
}

/// A value of the interface's state (theme, panes, the last change), which the core saves across restarts.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StateEntry {
    /// The name of the value.
    pub key: String,
    /// The value as JSON text. None if it was never set.
    pub value: Option<String>,
}
