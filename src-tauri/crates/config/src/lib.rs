//! The settings of a run: their names, their layers and their checks.
//!
//! In: TOML tables with their origins, lowest first. Out: one [`Config`]. Reading the files is the doors'
//! work; which layer may set what is decided here.

mod agent;
mod capability;
mod check;
mod entries;
mod layers;
mod trust_request;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use agent::{
    AGENTS, AgentSpec, Argument, ChatSpec, ChatTransport, CommandFlag, CommandSetting, Condition, HttpApi, ReadRule,
    SettingsFolder, StartIn, Transport, UsagePlaces,
};

pub use capability::CapabilityConfig;
pub use check::{key_name, key_path, schema, schema_of};
pub use entries::{Entry, Kind, entries};
pub use layers::{ConfigError, Layer, Origin, Resolved, command_line_layer, environment_layer, parse_layer, resolve};
pub use trust_request::{RequestedFile, RequestedSetting, SettingEffect, TrustRequest};

/// The defaults, which also list every key there is.
pub const DEFAULTS: &str = include_str!("../../../../config/default.toml");

/// All settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Who reviews.
    pub agent: AgentConfig,
    /// The agents by name: what is known of each.
    pub agents: BTreeMap<String, AgentSpec>,
    /// The budget.
    pub limits: Limits,
    /// What is sent, and in which order.
    pub prepare: PrepareConfig,
    /// What counts as a secret.
    pub redaction: RedactionConfig,
    /// What the agent is told.
    pub prompt: PromptConfig,
    /// GitLab.
    pub gitlab: GitlabConfig,
    /// When a merge request is not reviewed.
    pub skip: SkipConfig,
    /// How far the capability reviewer looks.
    pub capability: CapabilityConfig,
    /// What a run leaves behind.
    pub artifacts: ArtifactsConfig,
}

/// Who reviews.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentConfig {
    /// The agent's name; `auto` takes the first installed one.
    pub name: String,
    /// The model to ask for; empty leaves it to the agent.
    pub model: String,
    /// A command in place of `codex exec …`, with its arguments; empty for the built-in one.
    pub codex_command: Vec<String>,
    /// A command in place of `cursor-agent --print …`, with its arguments; empty for the built-in one.
    pub cursor_command: Vec<String>,
    /// Whether Codex reads the reviewer's own settings: another provider, its tools and servers.
    pub user_config: bool,
    /// What an agent that reads files can look at.
    pub room: Room,
    /// The agent that is asked where the first one fails; empty for none.
    pub fallback: String,
    /// How often a question is asked again that failed for now.
    #[schemars(range(min = 0, max = 10))]
    pub max_retries: u32,
    /// An OpenAI-compatible base URL that Codex is pointed at, with the key in `DIFFSAN_OPENAI_API_KEY`.
    pub proxy_url: String,
    /// Attempts for agents whose output no schema enforces.
    #[schemars(range(min = 0, max = 10))]
    pub max_json_retries: u32,
    /// Seconds until the first sign of life.
    #[schemars(range(min = 1, max = 86400))]
    pub start_timeout_seconds: u64,
    /// Seconds without any output; 0 waits for the total deadline.
    #[schemars(range(min = 0, max = 86400))]
    pub silence_timeout_seconds: u64,
    /// Seconds for one attempt altogether.
    #[schemars(range(min = 1, max = 86400))]
    pub total_timeout_seconds: u64,
}

impl AgentConfig {
    /// The command that a setting contains; empty if it is not set.
    pub fn command(&self, setting: CommandSetting) -> &[String] {
        match setting {
            CommandSetting::None => &[],
            CommandSetting::CodexCommand => &self.codex_command,
            CommandSetting::CursorCommand => &self.cursor_command,
        }
    }
}

/// What an agent that reads files can look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Room {
    /// The head's files without secrets and without what configures agents.
    Redacted,
    /// Nothing but the prompt.
    DiffOnly,
    /// The repository itself, which must be trusted.
    Repository,
}

/// The budget of one prompt. A limit of 0 is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// What becomes of a change that is over the budget.
    pub strategy: Strategy,
    /// Characters of the prepared diff.
    pub max_diff_chars: u64,
    /// Tokens of the prepared diff, counted with a common tokenizer.
    pub max_diff_tokens: u64,
    /// Files of the prepared diff.
    pub max_files: u32,
    /// Hunks kept of each file; of no account where nothing is left out.
    pub max_hunks_per_file: u32,
    /// Lines shown around each change.
    #[schemars(range(min = 0, max = 10000))]
    pub context_lines: u32,
    /// What is shown around each change.
    pub context: Context,
}

/// What becomes of a change that is over the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// One prompt, and the rest is left out and named.
    Truncate,
    /// As many prompts as it takes, and nothing is left out.
    Split,
}

/// What is shown around each change, as far as the budget has room for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Context {
    /// `context_lines` lines.
    Lines,
    /// The whole enclosing function or class, and `context_lines` lines where there is none.
    Function,
}

/// What is sent, and in which order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PrepareConfig {
    /// Globs of paths never sent, with the meaning of `.gitignore` lines.
    pub ignore_globs: Vec<String>,
    /// If not empty, only files with these endings are sent.
    pub include_extensions: Vec<String>,
    /// Leave out generated, vendored, minified and lock files.
    pub ignore_generated: bool,
    /// Endings that come first.
    pub priority_extensions: Vec<String>,
    /// Endings that come last.
    pub depriority_extensions: Vec<String>,
}

/// What counts as a secret.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RedactionConfig {
    /// Off is for change sets that hold no secrets; the report says so.
    pub enabled: bool,
    /// More patterns.
    pub extra_patterns: Vec<ExtraPattern>,
    /// What is no secret, although a rule takes it for one.
    pub allow: Vec<AllowedSecret>,
}

/// Something that is no secret. What it says must hold together; an entry that says nothing allows nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AllowedSecret {
    /// The digest of the value, as reports have it (`match_sha256`). It holds on this installation only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// A glob of paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The rule's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}

/// A pattern of the user's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExtraPattern {
    /// Its name in reports and markers.
    pub name: String,
    /// A regular expression; its first group is the secret, or the whole match if it has none.
    pub pattern: String,
}

/// What the agent is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PromptConfig {
    /// How much it may say.
    pub verbosity: Verbosity,
    /// Names of skills; `auto` adds those that fit the languages of the change.
    pub skills: Vec<String>,
    /// Instructions of the user's own, added to every review.
    pub instructions: String,
    /// A file with such instructions, relative to the repository's root.
    pub instructions_file: String,
    /// Which of the repository's own review rules are heeded, from the target side.
    pub repository_rules: RepositoryRules,
    /// Characters of what was said of the change before.
    pub max_prior_chars: u64,
}

/// Which of a repository's own rules are heeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RepositoryRules {
    /// None.
    None,
    /// Those for reviews: `REVIEW.md`, GitLab Duo's, Cursor's Bugbot's.
    Review,
    /// Also those for work: `AGENTS.md`, Copilot's.
    All,
}

/// How much an agent may say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Verbosity {
    Low,
    Medium,
    High,
}

/// GitLab.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GitlabConfig {
    /// The address that tokens in variables are for; they go to no other host.
    pub base_url: String,
    /// The variable that the token is read from, after `DIFFSAN_GITLAB_TOKEN`.
    pub token_env: String,
    /// Which of several accounts whose tokens are in the keyring; empty for the only one.
    pub account: String,
    /// A file with certificates in PEM form that are trusted besides the system's.
    pub ca_file: String,
    /// How comments become public.
    pub posting: PostingWay,
    /// The tag by which summaries are found again.
    pub summary_note_tag: String,
    /// Put a new summary in place of the one before, instead of below it.
    pub idempotent_summary: bool,
    /// Whether the summary warns where something looked like a secret.
    pub warn_of_secrets: bool,
    /// The first wait before what failed for now is tried again, in milliseconds; it doubles each time.
    #[schemars(range(min = 0, max = 600000))]
    pub retry_pause_ms: u64,
}

/// How comments become public.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PostingWay {
    /// As drafts that are published together, where no drafts of a person would be published, too; else one by one.
    #[default]
    Auto,
    /// As drafts first.
    Drafts,
    /// One by one.
    Discussions,
}

/// When a merge request is not reviewed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SkipConfig {
    /// Where it merges by itself as soon as it can.
    pub skip_on_auto_merge: bool,
    /// Where the latest summary is of the same diff.
    pub skip_on_same_fingerprint: bool,
}

/// What a run leaves behind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArtifactsConfig {
    /// Keep `diff.raw.patch` as it was, with its secrets, instead of masked.
    pub raw_diff: bool,
}
