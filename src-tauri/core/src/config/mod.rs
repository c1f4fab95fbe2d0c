//! The settings of a run: their names, their layers and their checks.
//!
//! In: TOML tables with their origins, lowest first. Out: one [`Config`]. Reading the files is the doors'
//! work; which layer may set what is decided here.

mod agent;
mod capability;

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

pub use agent::{
    AGENTS, AgentSpec, Argument, ChatSpec, ChatTransport, CommandFlag, Condition, HttpApi, ReadRule, StartIn,
    Transport, UsagePlaces,
};

pub use capability::CapabilityConfig;

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
    pub max_retries: u32,
    /// An OpenAI-compatible base URL that Codex is pointed at, with the key in `DIFFSAN_OPENAI_API_KEY`.
    pub proxy_url: String,
    /// Attempts for agents whose output no schema enforces.
    pub max_json_retries: u32,
    /// Seconds until the first sign of life.
    pub start_timeout_seconds: u64,
    /// Seconds without any output; 0 waits for the total deadline.
    pub silence_timeout_seconds: u64,
    /// Seconds for one attempt altogether.
    pub total_timeout_seconds: u64,
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

/// Where a layer comes from, lowest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", content = "place", rename_all = "snake_case")]
pub enum Origin {
    /// Built in.
    Default,
    /// The user's `config.toml`.
    User(String),
    /// The repository's `.diffsan.toml`.
    Repository(String),
    /// A `DIFFSAN_…` variable.
    Environment,
    /// A flag, or a choice in the window.
    CommandLine,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("the built-in defaults"),
            Self::User(place) | Self::Repository(place) => f.write_str(place),
            Self::Environment => f.write_str("the environment"),
            Self::CommandLine => f.write_str("the command line"),
        }
    }
}

/// Settings from one place.
#[derive(Clone, Debug)]
pub struct Layer {
    /// Which place.
    pub origin: Origin,
    /// What it sets.
    pub table: Table,
}

/// A configuration that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct ConfigError {
    /// The file or place.
    pub place: String,
    /// What is wrong with it, with the nearest valid name where a key is unknown.
    pub message: String,
}

/// A resolved configuration.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The values.
    pub config: Config,
    /// Where each value (`limits.max_files`) that is not a default came from.
    pub origins: BTreeMap<String, Origin>,
    /// Keys that an untrusted repository set and may not set.
    pub refused: Vec<String>,
}

/// What a repository that nobody trusts yet may set: what is sent and how it is asked, never what is run.
const REPOSITORY_MAY_SET: &[&str] = &["limits", "prepare", "prompt.verbosity", "prompt.skills", "prompt.instructions"];

/// Reads TOML text as a layer.
pub fn parse_layer(origin: Origin, text: &str) -> Result<Layer, ConfigError> {
    let table = text.parse::<Table>().map_err(|error| {
        let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        ConfigError {
            place: match line {
                Some(line) => format!("{origin}, line {line}"),
                None => origin.to_string(),
            },
            message: error.message().to_owned(),
        }
    })?;
    Ok(Layer { origin, table })
}

/// Turns `DIFFSAN_LIMITS__MAX_FILES=10` into a layer. A value is TOML where it parses as such, else a string.
/// Variables that are not settings (`DIFFSAN_OPENAI_API_KEY`, `DIFFSAN_DATA_DIR`, …) have no `__` and are left alone.
pub fn environment_layer(variables: impl Iterator<Item = (String, String)>) -> Layer {
    let mut table = Table::new();
    for (name, value) in variables {
        let Some(path) = name.strip_prefix("DIFFSAN_").filter(|rest| rest.contains("__")) else { continue };
        let value = format!("v = {value}")
            .parse::<Table>()
            .ok()
            .and_then(|mut parsed| parsed.remove("v"))
            .unwrap_or(Value::String(value));
        let keys: Vec<String> = path.to_lowercase().split("__").map(str::to_owned).collect();
        insert(&mut table, &keys, value);
    }
    Layer { origin: Origin::Environment, table }
}

fn insert(table: &mut Table, keys: &[String], value: Value) {
    match keys {
        [] => {}
        [last] => {
            table.insert(last.clone(), value);
        }
        [first, rest @ ..] => {
            let entry = table.entry(first.clone()).or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(inner) = entry {
                insert(inner, rest, value);
            }
        }
    }
}

/// Joins the layers over the defaults, later ones winning key by key.
///
/// A repository's layer is filtered to what an untrusted one may set unless `repository_trusted`.
pub fn resolve(layers: Vec<Layer>, repository_trusted: bool) -> Result<Resolved, ConfigError> {
    let schema = serde_json::to_value(schemars::schema_for!(Config)).unwrap_or_default();
    let mut merged = parse_layer(Origin::Default, DEFAULTS)?.table;
    merged.extend(parse_layer(Origin::Default, AGENTS)?.table);
    let mut origins = BTreeMap::new();
    let mut refused = Vec::new();
    for mut layer in layers {
        check_keys(&layer.table, &schema, &schema, "")
            .map_err(|message| ConfigError { place: layer.origin.to_string(), message })?;
        if matches!(layer.origin, Origin::Repository(_)) && !repository_trusted {
            refused.extend(filter_untrusted(&mut layer.table, ""));
        }
        merge(&mut merged, layer.table, "", &layer.origin, &mut origins);
        // Deserialised after each layer, so that a wrong type is told with the place that set it.
        if let Err(error) = Config::deserialize(Value::Table(merged.clone())) {
            return Err(ConfigError { place: layer.origin.to_string(), message: error.message().to_owned() });
        }
    }
    let config = Config::deserialize(Value::Table(merged))
        .map_err(|error| ConfigError { place: Origin::Default.to_string(), message: error.message().to_owned() })?;
    Ok(Resolved { config, origins, refused })
}

fn join(prefix: &str, key: &str) -> String {
    if prefix.is_empty() { key.to_owned() } else { format!("{prefix}.{key}") }
}

fn merge(into: &mut Table, from: Table, prefix: &str, origin: &Origin, origins: &mut BTreeMap<String, Origin>) {
    for (key, value) in from {
        let path = join(prefix, &key);
        match (into.get_mut(&key), value) {
            (Some(Value::Table(inner)), Value::Table(value)) => merge(inner, value, &path, origin, origins),
            (_, value) => {
                origins.insert(path, origin.clone());
                into.insert(key, value);
            }
        }
    }
}

fn filter_untrusted(table: &mut Table, prefix: &str) -> Vec<String> {
    let mut refused = Vec::new();
    let keys: Vec<String> = table.keys().cloned().collect();
    for key in keys {
        let path = join(prefix, &key);
        if REPOSITORY_MAY_SET.contains(&path.as_str()) {
            continue;
        }
        let inside = REPOSITORY_MAY_SET.iter().any(|allowed| allowed.starts_with(&format!("{path}.")));
        match table.get_mut(&key) {
            Some(Value::Table(inner)) if inside => refused.extend(filter_untrusted(inner, &path)),
            _ => {
                table.remove(&key);
                refused.push(path);
            }
        }
    }
    refused
}

/// Checks keys against the schema, so that a misspelt one is told with the name that was meant.
fn check_keys(table: &Table, node: &serde_json::Value, root: &serde_json::Value, prefix: &str) -> Result<(), String> {
    let node = follow(node, root);
    // A table whose keys are names.
    if let (None, Some(each)) =
        (node.get("properties"), node.get("additionalProperties").filter(|each| each.is_object()))
    {
        for (key, value) in table {
            if let Value::Table(inner) = value {
                check_keys(inner, each, root, &join(prefix, key))?;
            }
        }
        return Ok(());
    }
    let Some(properties) = node.get("properties").and_then(|value| value.as_object()) else { return Ok(()) };
    for (key, value) in table {
        let path = join(prefix, key);
        match (properties.get(key), value) {
            (Some(child), Value::Table(inner)) => check_keys(inner, child, root, &path)?,
            (Some(_), _) => {}
            (None, _) => {
                let nearest = properties
                    .keys()
                    .map(|name| (strsim::damerau_levenshtein(name, key), name))
                    .min()
                    .filter(|(distance, name)| *distance <= 2.max(name.len() / 3));
                return Err(match nearest {
                    Some((_, name)) => format!("unknown key `{path}`; did you mean `{}`?", join(prefix, name)),
                    None => {
                        let known: Vec<&str> = properties.keys().map(String::as_str).collect();
                        format!("unknown key `{path}`; known here: {}", known.join(", "))
                    }
                });
            }
        }
    }
    Ok(())
}

fn follow<'a>(node: &'a serde_json::Value, root: &'a serde_json::Value) -> &'a serde_json::Value {
    node.get("$ref")
        .and_then(|value| value.as_str())
        .and_then(|reference| root.pointer(reference.trim_start_matches('#')))
        .unwrap_or(node)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(origin: Origin, text: &str) -> Layer {
        parse_layer(origin, text).expect("valid TOML")
    }

    #[test]
    fn the_defaults_are_complete() {
        let resolved = resolve(Vec::new(), false).expect("defaults");
        assert_eq!(resolved.config.limits.max_diff_chars, 200_000);
    }

    #[test]
    fn a_misspelt_key_is_told_with_the_right_one() {
        let error = resolve(vec![layer(Origin::User("config.toml".into()), "[limits]\nmax_file = 3")], false)
            .expect_err("unknown key");
        assert_eq!(error.to_string(), "config.toml: unknown key `limits.max_file`; did you mean `limits.max_files`?");
    }

    #[test]
    fn a_wrong_type_is_told_with_the_layer_that_set_it() {
        let error = resolve(vec![layer(Origin::User("config.toml".into()), "[limits]\nmax_files = 'x'")], false)
            .expect_err("wrong type");
        assert!(error.to_string().starts_with("config.toml: invalid type: string \"x\""), "{error}");
    }

    #[test]
    fn an_untrusted_repository_sets_limits_but_never_commands() {
        let text = "[limits]\nmax_files = 3\n[agent]\ncodex_command = ['evil']\n[prompt]\ninstructions_file = '/etc/passwd'\nskills = ['sql']";
        let layers = || vec![layer(Origin::Repository(".diffsan.toml".into()), text)];
        let resolved = resolve(layers(), false).expect("valid");
        assert_eq!(resolved.config.limits.max_files, 3);
        assert_eq!(resolved.config.prompt.skills, ["sql"]);
        assert!(resolved.config.agent.codex_command.is_empty());
        assert_eq!(resolved.refused, ["agent", "prompt.instructions_file"]);
        assert_eq!(resolve(layers(), true).expect("valid").config.agent.codex_command, ["evil"]);
    }

    #[test]
    fn variables_nest_with_two_underscores() {
        let variables =
            [("DIFFSAN_LIMITS__MAX_FILES", "7"), ("DIFFSAN_AGENT__NAME", "codex"), ("DIFFSAN_OPENAI_API_KEY", "k")];
        let layer = environment_layer(variables.iter().map(|(name, value)| ((*name).into(), (*value).into())));
        let resolved = resolve(vec![layer], false).expect("valid");
        assert_eq!(resolved.config.limits.max_files, 7);
        assert_eq!(resolved.config.agent.name, "codex");
        assert_eq!(resolved.origins.get("limits.max_files"), Some(&Origin::Environment));
    }
}
