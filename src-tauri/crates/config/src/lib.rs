//! The settings of a run: names, layers and validation.
//!
//! In: TOML tables with their origins, lowest first. Out: one [`Config`]. Adapters read the files; this crate decides which layer
//! may set which keys.

mod agent;
mod capability;
mod check;
mod entries;
mod facts;
mod inbox;
mod layer;
mod layers;
mod review;
mod track_record;
mod trust_request;
mod update;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use agent::{
    AGENTS, AgentSpec, Argument, ChatSpec, ChatTransport, CommandFlag, CommandSetting, Condition, HttpApi, OpenRule,
    ReadRule, SettingsFolder, StartIn, StatePath, Transport, UsagePlaces,
};

pub use capability::CapabilityConfig;
pub use check::{key_name, key_path, schema, schema_of};
pub use entries::{Entry, SettingChoice, SettingKind, entries};
pub use facts::FactsConfig;
pub use inbox::{DayHours, InboxConfig, QueueConfig};
pub use layer::{ConfigError, Layer, Origin, command_line_layer, environment_layer, parse_layer};
pub use layers::{Resolved, resolve};
pub use review::{ReviewConfig, Verify};
pub use track_record::TrackRecordConfig;
pub use trust_request::{RequestedFile, RequestedSetting, SettingEffect, TrustRequest};
pub use update::UpdateConfig;

/// The defaults, which list every key.
pub const DEFAULTS: &str = include_str!("../../../../config/default.toml");

/// All settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The agent that reviews.
    pub agent: AgentConfig,
    /// All agents by name.
    pub agents: BTreeMap<String, AgentSpec>,
    /// The limits of one prompt.
    pub limits: Limits,
    /// Selection and order of the files that are sent.
    pub prepare: PrepareConfig,
    /// Detection of secrets.
    pub redaction: RedactionConfig,
    /// The prompt.
    pub prompt: PromptConfig,
    /// Second opinions on the findings of a review.
    pub review: ReviewConfig,
    /// The settings for GitLab.
    pub gitlab: GitlabConfig,
    /// The conditions for skipping a merge request.
    pub skip: SkipConfig,
    /// The limits of the capability reviewer.
    pub capability: CapabilityConfig,
    /// The reports of tests, coverage and linters.
    pub facts: FactsConfig,
    /// The inbox.
    pub inbox: InboxConfig,
    /// The queue that reviews rows of the inbox.
    pub queue: QueueConfig,
    /// The use of the reviewer's earlier decisions about findings.
    pub track_record: TrackRecordConfig,
    /// The updates of the window.
    pub update: UpdateConfig,
    /// The files in run folders.
    pub artifacts: ArtifactsConfig,
}

/// The agent that reviews.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentConfig {
    /// The agent's name; `auto` selects the first installed one.
    pub name: String,
    /// The requested model. If empty, the agent selects it.
    pub model: String,
    /// A command that replaces `codex exec …`, with its arguments. If empty, the built-in one is used.
    pub codex_command: Vec<String>,
    /// A command that replaces `cursor-agent --print …`, with its arguments. If empty, the built-in one is used.
    pub cursor_command: Vec<String>,
    /// Whether Codex reads the user's own settings: another provider, its tools and servers.
    pub user_config: bool,
    /// The files that an agent with file access can read.
    pub room: Room,
    /// The agent that is used if the first one fails. Empty for none.
    pub fallback: String,
    /// The maximum number of retries after a temporary failure.
    #[schemars(range(min = 0, max = 10))]
    pub max_retries: u32,
    /// An OpenAI-compatible base URL for Codex, with the key in `DIFFSAN_OPENAI_API_KEY`.
    pub proxy_url: String,
    /// The number of attempts with agents that do not enforce the schema of the answer.
    #[schemars(range(min = 0, max = 10))]
    pub max_json_retries: u32,
    /// The time limit for the first output, in seconds.
    #[schemars(range(min = 1, max = 86400))]
    pub start_timeout_seconds: u64,
    /// The maximum time without any output, in seconds; 0 disables the limit.
    #[schemars(range(min = 0, max = 86400))]
    pub silence_timeout_seconds: u64,
    /// The time limit of one attempt, in seconds.
    #[schemars(range(min = 1, max = 86400))]
    pub total_timeout_seconds: u64,
    /// The use of the operating system's sandbox for agents.
    pub sandbox: Sandbox,
    /// The maximum memory of an agent and its processes, in MiB.
    #[schemars(range(min = 64, max = 1048576))]
    pub max_memory_mb: u64,
    /// The maximum number of processes and threads of an agent.
    #[schemars(range(min = 16, max = 65536))]
    pub max_processes: u64,
    /// The maximum size of each folder that a sandboxed agent can write to, and of a file, in MiB.
    #[schemars(range(min = 16, max = 1048576))]
    pub max_written_mb: u64,
}

/// The use of the operating system's sandbox for agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sandbox {
    /// An agent only runs in a sandbox.
    Required,
    /// An agent only runs in a sandbox of bubblewrap.
    Bubblewrap,
    /// An agent runs in a sandbox if there is one. The run reports if there is none.
    Preferred,
    /// Agents run without a sandbox.
    Off,
}

impl AgentConfig {
    /// Returns the command that a setting contains. Empty if it is not set.
    pub fn command(&self, setting: CommandSetting) -> &[String] {
        match setting {
            CommandSetting::None => &[],
            CommandSetting::CodexCommand => &self.codex_command,
            CommandSetting::CursorCommand => &self.cursor_command,
        }
    }
}

/// The files that an agent with file access can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Room {
    /// The files of the head, without secrets and without files that configure agents.
    Redacted,
    /// Only the prompt.
    DiffOnly,
    /// The repository itself, which must be trusted.
    Repository,
}

/// The limits of one prompt. 0 disables a limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// The handling of a change that exceeds the limits.
    pub strategy: Strategy,
    /// The maximum length of the prepared diff, in characters.
    pub max_diff_chars: u64,
    /// The maximum length of the prepared diff, in tokens of a common tokenizer.
    pub max_diff_tokens: u64,
    /// The maximum number of files in the prepared diff.
    pub max_files: u32,
    /// The maximum number of hunks for each file. Ignored if nothing is left out.
    pub max_hunks_per_file: u32,
    /// The number of lines shown around each change.
    #[schemars(range(min = 0, max = 10000))]
    pub context_lines: u32,
    /// The code that is shown around each change.
    pub context: Context,
}

/// The handling of a change that exceeds the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// One prompt. The rest is left out and listed.
    Truncate,
    /// As many prompts as needed. Nothing is left out.
    Split,
}

/// The code that is shown around each change, as far as the limits allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Context {
    /// `context_lines` lines.
    Lines,
    /// The whole enclosing function or class, or `context_lines` lines if there is none.
    Function,
}

/// Selection and order of the files that are sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PrepareConfig {
    /// Globs of paths that are never sent, with the syntax of `.gitignore`.
    pub ignore_globs: Vec<String>,
    /// If not empty, only files with these extensions are sent.
    pub include_extensions: Vec<String>,
    /// Whether generated, vendored, minified and lock files are left out.
    pub ignore_generated: bool,
    /// Whether hunks are left out whose changed lines have no new meaning: moved, reformatted or renamed code, comments. The prompt names them.
    pub leave_out_folded: bool,
    /// Extensions that are sent first.
    pub priority_extensions: Vec<String>,
    /// Extensions that are sent last.
    pub depriority_extensions: Vec<String>,
}

/// Detection of secrets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RedactionConfig {
    /// Whether secrets are masked. Turn it off only for changes without secrets; the report mentions it.
    pub enabled: bool,
    /// Additional patterns.
    pub extra_patterns: Vec<ExtraPattern>,
    /// Values that are not secret although a rule matches them.
    pub allow: Vec<AllowedSecret>,
}

/// A value that is not secret. All given conditions must apply; an entry without conditions allows nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AllowedSecret {
    /// The digest of the value, as in the reports (`match_sha256`). It is only valid on this installation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// A glob of paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The name of the rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}

/// A pattern defined by the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExtraPattern {
    /// The name in reports and masks.
    pub name: String,
    /// A regular expression. Its first group is the secret, or the whole match if it has no group.
    pub pattern: String,
}

/// The prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PromptConfig {
    /// The length of the agent's answer.
    pub verbosity: Verbosity,
    /// Names of skills; `auto` adds those for the languages of the change.
    pub skills: Vec<String>,
    /// Instructions that are added to every review.
    pub instructions: String,
    /// A file with such instructions, relative to the repository's root.
    pub instructions_file: String,
    /// The review rules of the repository that are used, from the target side.
    pub repository_rules: RepositoryRules,
    /// The maximum length of earlier remarks about the change, in characters.
    pub max_prior_chars: u64,
    /// Whether the title, description, commit messages and closed issues are sent, and the agent is asked whether the code does what they say.
    pub intent: bool,
    /// The maximum length of these texts, in characters. A longer part is left out, and the prompt says so.
    pub max_intent_chars: u64,
    /// Whether unchanged callers of changed signatures follow the diff, as far as its limits have room.
    pub callers: bool,
    /// The maximum length of these callers, in characters.
    pub max_callers_chars: u64,
    /// Whether facts of the pipeline and of reports follow the diff, as far as its limits have room.
    pub facts: bool,
    /// The maximum length of these facts, in characters.
    pub max_facts_chars: u64,
    /// Whether the files are in reading order, with a list of the hunks that belong together.
    pub reading_order: bool,
}

/// The rules of a repository that are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RepositoryRules {
    /// No rules.
    None,
    /// Rules for reviews: `REVIEW.md`, those of GitLab Duo and Cursor's Bugbot.
    Review,
    /// Also rules for other work: `AGENTS.md`, those of Copilot.
    All,
}

/// The length of the agent's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Verbosity {
    Low,
    Medium,
    High,
}

/// The settings for GitLab.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GitlabConfig {
    /// The address that tokens in variables belong to. They are sent to no other host.
    pub base_url: String,
    /// The variable with the token, after `DIFFSAN_GITLAB_TOKEN`.
    pub token_env: String,
    /// The account whose token is used, if the keyring has tokens of several accounts. Empty if there is only one.
    pub account: String,
    /// A file with PEM certificates that are trusted in addition to the system's.
    pub ca_file: String,
    /// How comments are published.
    pub posting: PostingWay,
    /// The tag by which summaries are recognised.
    pub summary_note_tag: String,
    /// Whether a new summary replaces the previous one instead of following it.
    pub idempotent_summary: bool,
    /// Whether the summary warns if something looked like a secret.
    pub warn_of_secrets: bool,
    /// Whether the summary lists the requirements of the authors, each with its verdict and evidence.
    pub post_requirements: bool,
    /// The wait before the first retry after a temporary failure, in milliseconds. It doubles with each retry.
    #[schemars(range(min = 0, max = 600000))]
    pub retry_pause_ms: u64,
}

/// How comments are published.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PostingWay {
    /// As drafts that are published together, unless that would also publish drafts of a person; then one by one.
    #[default]
    Auto,
    /// As drafts first.
    Drafts,
    /// One by one.
    Discussions,
}

/// The conditions for skipping a merge request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SkipConfig {
    /// Whether a merge request that merges automatically is skipped.
    pub skip_on_auto_merge: bool,
    /// Whether a merge request whose latest summary has the same diff is skipped.
    pub skip_on_same_fingerprint: bool,
}

/// The files in run folders.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArtifactsConfig {
    /// Whether `diff.raw.patch` is saved unmasked, with its secrets.
    pub raw_diff: bool,
}
