//! The shapes of the JSON-RPC border. Domain types do not cross it; these are made from them.
//!
//! The TypeScript types are generated from here (through the OpenRPC document), so a doc comment is read on both
//! sides.

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

/// What the program is and where it stands.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AppInfo {
    /// The program's version.
    pub version: String,
    /// Where reviews, settings and run folders are kept.
    pub data_dir: String,
    /// The repository that the program was started on, if any.
    pub start_repo: Option<String>,
    /// The change that the program was started on, if any.
    pub start_target: Option<Target>,
    /// Repositories opened before, latest first.
    pub recent: Vec<RecentRepo>,
    /// Whether the bundled sample can be opened.
    pub sample: bool,
    /// What a person has to know about the state file since it was opened; mostly nothing.
    pub notices: Vec<String>,
    /// Whether nothing can be kept in this session.
    pub read_only: bool,
}

/// A repository opened before.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RecentRepo {
    /// Its root.
    pub path: String,
    /// Its folder's name.
    pub name: String,
}

/// Names a repository.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RepoParams {
    /// Any path inside it.
    pub path: String,
}

/// A repository and the changes that it offers.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RepoView {
    /// Its root (or the repository itself, if bare).
    pub path: String,
    /// Its folder's name.
    pub name: String,
    /// The checked-out branch; none when detached.
    pub branch: Option<String>,
    /// What branches are compared with.
    pub default_branch: Option<String>,
    /// Local changes, with how many files each has; empty ones are listed too.
    pub local: Vec<LocalChange>,
    /// Local branches, latest first.
    pub branches: Vec<BranchItem>,
    /// Recent commits of the checked-out branch.
    pub commits: Vec<CommitItem>,
    /// The change to open first.
    pub suggested: Option<Target>,
    /// Why it has no local changes, if the work tree that it names does not count.
    pub notice: Option<String>,
}

/// Unstaged, staged or all local changes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LocalChange {
    /// Which.
    pub target: Target,
    /// For people.
    pub title: String,
    /// Changed files.
    pub files: u32,
}

/// A branch.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BranchItem {
    /// Its name.
    pub name: String,
    /// Commits that the default branch does not have.
    pub ahead: u32,
    /// When its last commit was made: seconds since 1970.
    pub time: i64,
    /// Its last commit's subject.
    pub subject: String,
}

/// A commit.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CommitItem {
    /// Abbreviated object id.
    pub id: String,
    /// First line of the message.
    pub subject: String,
    /// Who wrote it.
    pub author: String,
    /// When: seconds since 1970.
    pub time: i64,
}

/// Names a change of a repository.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ChangeParams {
    /// The repository's path.
    pub repo: String,
    /// The change.
    pub target: Target,
    /// A commit whose review is known: only what changed since is sent.
    #[serde(default)]
    pub since: Option<String>,
    /// The review to look at it with; its latest if absent.
    #[serde(default)]
    pub review_id: Option<String>,
}

/// An opened change. Lines come by `change.hunks`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ChangeView {
    /// Names the opened change in later calls.
    pub change_id: String,
    /// For people.
    pub title: String,
    /// What it is kept as: the current branch has its name here, whatever is checked out later.
    pub target: Target,
    /// SHA-256 of the raw diff: equal content, equal value.
    pub fingerprint: String,
    /// Abbreviated base commit.
    pub base: Option<String>,
    /// Abbreviated head commit.
    pub head: Option<String>,
    /// Added lines.
    pub added: u32,
    /// Removed lines.
    pub removed: u32,
    /// The files, ordered by their worth to a reviewer.
    pub files: Vec<FileView>,
    /// Whether whole files can be shown: there is a repository that has them.
    pub whole_files: bool,
    /// The first hunks, so that the diff is there at once; more by `change.hunks`.
    pub first: HunkPage,
    /// The latest review of this change that was kept.
    pub review: Option<ReviewView>,
    /// What is known of the merge request, if it is one.
    pub request: Option<RequestView>,
    /// Runs of this change that were cut off (program ended, machine stopped), latest first.
    pub interrupted: Vec<RunItem>,
    /// What its repository wants that takes trust; none if it wants nothing.
    pub trust: Option<TrustView>,
}

/// A file of a change.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FileView {
    /// The path now; of a deleted file the old one.
    pub path: String,
    /// The path before, if it differs.
    pub old_path: Option<String>,
    /// `added`, `deleted`, `modified`, `renamed`, `copied`, `type_changed`, `unmerged`.
    pub status: String,
    /// For people: `mode 100644 → 100755`, `symlink`, `submodule a1b2 → c3d4`, `binary`, `92 % similar`; often empty.
    pub notes: Vec<String>,
    /// Added lines.
    pub added: u32,
    /// Removed lines.
    pub removed: u32,
    /// Number of hunks.
    pub hunks: u32,
    /// Lines in all hunks.
    pub lines: u32,
    /// Whether it has no lines because its content is binary.
    pub binary: bool,
    /// Why it is not sent to an agent, if it is not.
    pub ignored: Option<String>,
    /// Whether it is a picture that can be shown.
    pub image: bool,
    /// Indices of the hunks that the reviewer has seen, in this round or an earlier one; 0 for a file without hunks.
    pub viewed: Vec<u32>,
}

/// Asks for the next hunks.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HunksParams {
    /// The opened change.
    pub change_id: String,
    /// Where to go on.
    pub from: PageCursor,
    /// About how many lines to send (whole hunks are cut at this number, so a page may hold part of one).
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

/// Some hunks, in the files' order.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HunkPage {
    /// Hunks or parts of hunks.
    pub parts: Vec<HunkPart>,
    /// Where the next page starts; none at the end.
    pub next: Option<PageCursor>,
}

/// A hunk, or part of one.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HunkPart {
    /// Index into `ChangeView.files`.
    pub file: u32,
    /// Index of the hunk in the file.
    pub hunk: u32,
    /// Index of the first line here in the hunk; 0 for its beginning.
    pub first_line: u32,
    /// The header: `@@ -1,4 +1,6 @@ fn main()`.
    pub header: String,
    /// Number of the first line here on the old side.
    pub old_start: u32,
    /// Number of the first line here on the new side.
    pub new_start: u32,
    /// One character per line: ` ` context, `+` added, `-` removed; and `!` behind each line that ends its file
    /// without a line feed.
    pub kinds: String,
    /// The lines' text, in order. Bytes that are not UTF-8 are shown as U+FFFD.
    pub lines: Vec<String>,
}

/// Asks for colours.
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
    /// How many lines.
    pub count: u32,
}

/// Colours of lines.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HighlightView {
    /// For each line a flat list `[length, class, length, class, …]` in UTF-16 units that covers the line from its
    /// start; classes index `HighlightView.classes`. Lines that have no colours are empty.
    pub lines: Vec<Vec<u32>>,
    /// Names for CSS: ``, `keyword`, `string`, `comment`, `number`, `function`, `type`, `constant`, `variable`,
    /// `operator`, `punctuation`, `tag`, `attribute`, `heading`, `escape`.
    pub classes: Vec<String>,
}

/// Names an opened change.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ChangeIdParams {
    /// The opened change.
    pub change_id: String,
}

/// What would be sent.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PreparedView {
    /// What was cut.
    pub truncation: TruncationReport,
    /// What was masked.
    pub redaction: RedactionReport,
    /// What was ignored.
    pub ignored: Vec<IgnoredFile>,
    /// The fate of every line.
    pub coverage: CoverageMap,
    /// What the reviewer said is no secret in this repository.
    pub allowed: Vec<AllowedValue>,
}

/// Says that a value is no secret in the change's repository, or takes that back. Open the change again to see it so.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AllowParams {
    /// The opened change.
    pub change_id: String,
    /// The value by its digest, with what the report says of it.
    pub secret: AllowedValue,
    /// Whether it is let through.
    pub allowed: bool,
}

/// A text to try masking on.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TryParams {
    /// The opened change whose settings hold; the user's own if absent.
    #[serde(default)]
    pub change_id: Option<String>,
    /// The file that it would be in.
    #[serde(default)]
    pub path: String,
    /// The text.
    pub text: String,
}

/// What became of it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TriedView {
    /// The text as it would leave.
    pub text: String,
    /// What was masked.
    pub redaction: RedactionReport,
}

/// Asks for the exact prompt.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PromptParams {
    /// The opened change.
    pub change_id: String,
    /// The agent that it is for; the configured one if absent.
    pub agent: Option<String>,
    /// The model to ask for; the configured or the agent's own one if absent.
    #[serde(default)]
    pub model: Option<String>,
    /// What this review adds to the instructions.
    #[serde(default)]
    pub instructions: Option<String>,
    /// The skills that were chosen for it; the configured ones if absent.
    #[serde(default)]
    pub skills: Option<Vec<String>>,
    /// Which part of a change that is sent in several, from 0.
    #[serde(default)]
    pub batch: u32,
}

/// A part of a change that is sent by itself.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BatchView {
    /// Its files, masked.
    pub files: Vec<String>,
    /// Characters of its diff.
    pub chars: u64,
    /// Tokens of its diff.
    pub tokens: u64,
}

/// The exact prompt.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PromptView {
    /// The agent that it is for.
    pub agent: String,
    /// The text, masked as it will be sent.
    pub text: String,
    /// Its characters.
    pub chars: u64,
    /// Its tokens, counted with a common tokenizer; an agent's own count differs a little.
    pub tokens: u64,
    /// The model that will be asked for, if one is named.
    pub model: Option<String>,
    /// What it would cost by the price table, in US dollars; none where the model or its price is not known.
    pub cost_usd: Option<f64>,
    /// Which part of the change it is for, from 0.
    pub batch: u32,
    /// The parts, where the change is sent in several; else empty.
    pub batches: Vec<BatchView>,
    /// Where each prompt file came from.
    pub sources: Vec<PromptSource>,
    /// Names of the skills in it.
    pub skills: Vec<String>,
    /// Names of all skills that there are.
    pub known_skills: Vec<String>,
    /// What would be sent.
    pub prepared: PreparedView,
}

/// Where a prompt file came from.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PromptSource {
    /// The file's name, `system.md`.
    pub name: String,
    /// Its path, or `built in`.
    pub place: String,
}

/// Starts a review.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReviewParams {
    /// The opened change.
    pub change_id: String,
    /// Which agents, side by side; the configured one if there are none.
    #[serde(default)]
    pub agents: Vec<String>,
    /// Which model; the configured or the agent's own one if absent.
    #[serde(default)]
    pub model: Option<String>,
    /// What this review adds to the instructions.
    #[serde(default)]
    pub instructions: Option<String>,
    /// The skills that were chosen for it; the configured ones if absent.
    #[serde(default)]
    pub skills: Option<Vec<String>>,
    /// Review it even where the settings say to skip it.
    #[serde(default)]
    pub anyway: bool,
    /// A run that was cut off and is gone on with: its agents, model and instructions hold, and its answers as far as they are still valid.
    #[serde(default)]
    pub resume: Option<String>,
}

/// What a running review tells, in order. The last is always `done`, `skipped`, `failed` or `cancelled`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ReviewEvent {
    /// It runs; the id cancels it.
    Started {
        /// The run.
        run_id: String,
        /// Who reviews.
        agent: String,
    },
    /// A new step began.
    Step {
        /// `fetch`, `prepare`, `room`, `prompt`, `agent`, `validate`.
        step: String,
        /// For people: `Codex is reading 41,000 tokens (attempt 1 of 3)`.
        message: String,
    },
    /// A sign of life from the agent.
    Progress {
        /// Which agent.
        agent: String,
        /// For people: `thinking`, `reads src/main.rs`, `1,204 characters so far`.
        message: String,
        /// Milliseconds since the run began.
        elapsed_ms: u64,
    },
    /// What an agent used so far.
    Usage {
        /// Which agent.
        agent: String,
        /// Tokens, if it reports them.
        tokens: Option<TokenUsage>,
        /// What it says that it cost, in US dollars.
        cost_usd: Option<f64>,
    },
    /// The review is there and kept.
    Done {
        /// The review.
        review: Box<ReviewView>,
    },
    /// There was nothing to review.
    Skipped {
        /// Why: `NO_DIFF`, `AUTO_MERGE`, `SAME_FINGERPRINT`.
        reason: String,
        /// For people.
        message: String,
    },
    /// It failed.
    Failed {
        /// Why.
        error: ErrorInfo,
        /// Where everything that was produced is kept.
        run_dir: String,
    },
    /// The user stopped it.
    Cancelled {
        /// Where everything that was produced is kept.
        run_dir: String,
    },
}

/// Names a run.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RunParams {
    /// The run.
    pub run_id: String,
}

/// Names a request of the same connection.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CancelParams {
    /// Its JSON-RPC id.
    pub id: u64,
}

/// Whether a run or a request was there to be cancelled.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Cancelled {
    /// False if it had already ended.
    pub cancelled: bool,
}

/// A run that did not finish.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RunItem {
    /// The run.
    pub run_id: String,
    /// Who reviewed.
    pub agent: String,
    /// When it began, RFC 3339.
    pub started_at: String,
    /// Its folder.
    pub run_dir: String,
    /// How many answers it has already.
    pub answers: u32,
}

/// Nothing to say beyond success.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Done {}

/// Reads a piece of the interface's own state.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StateKey {
    /// Its name.
    pub key: String,
}

/// A piece of the interface's own state (theme, panes, the last change), kept by the core over restarts.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StateEntry {
    /// Its name.
    pub key: String,
    /// JSON text; none if it was never set.
    pub value: Option<String>,
}
