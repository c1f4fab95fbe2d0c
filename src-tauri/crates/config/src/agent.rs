//! The entries of agents: `config/agents.toml`, and `[agents.NAME]` in the user's settings, which overrides a built-in entry key by key.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The built-in entries.
pub const AGENTS: &str = include_str!("../../../../config/agents.toml");

/// The protocol of reviews.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// A program that reads the prompt and prints the answer.
    #[default]
    OneshotText,
    /// A program that reads the prompt and prints one JSON envelope, perhaps behind a banner.
    OneshotJson,
    /// A program that reads the prompt and prints events, one JSON object a line.
    OneshotNdjson,
    /// A program with the Agent Client Protocol.
    Acp,
    /// An endpoint with OpenAI's interface.
    OpenaiHttp,
}

/// The interface of an endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HttpApi {
    /// `/chat/completions`
    #[default]
    ChatCompletions,
    /// `/responses`
    Responses,
}

/// The folder in which a program is started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StartIn {
    /// The room.
    #[default]
    Room,
    /// An empty folder. The prompt contains the path of the room.
    Empty,
}

/// An agent.
///
/// Texts of `args`, `set` and `files` may contain `{room}`, `{empty}`, `{home}`, `{temporary}`, `{schema}`, `{schema_file}`,
/// `{answer_file}`, `{model}`, `{key}`, `{proxy_url}`, `{user_home}`, `{user_config}`, `{user_data}` and `{settings_folder}`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AgentSpec {
    /// The display name.
    pub title: String,
    /// The position among the agents, from 1: `auto` selects the first installed one. 0: after all others.
    pub rank: u32,
    /// The protocol of reviews.
    pub transport: Transport,
    /// The names of the program, in order of preference.
    pub programs: Vec<String>,
    /// For a program with a common name: a text that its real path must contain.
    pub recognise: BTreeMap<String, String>,
    /// How to install the program.
    pub install: String,
    /// How to sign in.
    pub sign_in: String,
    /// Whether the agent enforces the schema of the answer.
    pub structured: bool,
    /// Whether the agent can read the files of the room.
    pub reads_files: bool,
    /// Whether the agent writes output before its answer, so that silence means a stall.
    pub talks: bool,
    /// The maximum length of a prompt, in characters.
    pub max_prompt_chars: u64,
    /// Variables that the agent gets in addition to the common ones.
    pub environment: Vec<String>,
    /// The variable that contains the value of `{key}`.
    pub key_variable: String,
    /// Variables that are set for the agent.
    pub set: BTreeMap<String, String>,
    /// The variable that names a private home, which is removed afterwards. If empty, the agent uses the user's home.
    pub home: String,
    /// Files of the user that are linked into the private home: the path there, and the path of the file. `{user_home}` and
    /// `{user_config}` are the user's folders.
    pub link: BTreeMap<String, String>,
    /// The folder of the agent's own settings, for `{settings_folder}`.
    pub settings_folder: SettingsFolder,
    /// Like `link`, but copied, for files that the agent would write to.
    pub copy: BTreeMap<String, String>,
    /// Files that are written into the private home.
    pub files: BTreeMap<String, String>,
    /// The hosts that the program can reach in the sandbox: `name`, `*.name`, `name:port`, or a URL. Placeholders of `args` and
    /// `{variable:NAME}` are replaced; an entry without a value is ignored. Without a port, 443 and 80 are allowed.
    pub hosts: Vec<String>,
    /// Files of the user whose URLs name further hosts.
    pub hosts_in: Vec<String>,
    /// Files and folders of the user that the program needs in the sandbox.
    pub state: Vec<StatePath>,
    /// Unix sockets that the program can use in the sandbox.
    pub sockets: Vec<String>,
    /// Whether the program cannot run without `/proc`. In a sandbox without namespaces, it shows names and command lines of all processes.
    pub needs_proc: bool,
    /// The mode of a session of the Agent Client Protocol.
    pub mode: String,
    /// The folder in which the program is started.
    pub start_in: StartIn,
    /// The arguments.
    pub args: Vec<Argument>,
    /// A command of the user that replaces the program and its arguments.
    pub command: Vec<String>,
    /// The setting in `[agent]` that replaces an empty `command`.
    pub command_setting: CommandSetting,
    /// Flags that such a command must have.
    pub command_flags: Vec<CommandFlag>,
    /// Rules for reading the output. Every rule that matches is applied, in order.
    pub read: Vec<ReadRule>,
    /// Rules for the events by which the program reports the files that it opens. Without rules, the agent has no such events. The Agent
    /// Client Protocol needs none.
    pub opens: Vec<OpenRule>,
    /// The base URL of an endpoint.
    pub url: String,
    /// The interface of an endpoint.
    pub api: HttpApi,
    /// The model. If empty, the agent selects it.
    pub model: String,
    /// The size of the model's context, in tokens.
    pub context_tokens: u64,
    /// The settings for conversations.
    pub chat: ChatSpec,
}

/// A file or folder of the user that a sandboxed program needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StatePath {
    /// The path, with the placeholders of `args`. The program gets a copy of a file, and can only read a folder.
    pub path: String,
    /// Whether changes of the file are saved after the run, such as renewed sign-in data.
    pub save: bool,
    /// A variable that must be set. If empty, the path is always needed.
    pub when: String,
}

/// A folder of settings that the user can move.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SettingsFolder {
    /// The variable that names the folder.
    pub variable: String,
    /// The folder if the variable is not set. It may contain `{user_home}` and `{user_config}`.
    pub default: String,
}

/// A setting in `[agent]` that contains a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommandSetting {
    /// No setting.
    #[default]
    None,
    /// `agent.codex_command`
    CodexCommand,
    /// `agent.cursor_command`
    CursorCommand,
}

/// The settings for conversations with a program. An endpoint needs none of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ChatSpec {
    /// The protocol. With `none`, the agent answers only single questions.
    pub speaks: ChatTransport,
    /// The arguments.
    pub args: Vec<Argument>,
    /// Variables that are added to `set`, or replace some of them.
    pub set: BTreeMap<String, String>,
    /// The variable that names a private home. If empty, `home` applies. Ignored if `agent.user_config` is on.
    pub home: String,
    /// Files of the user that are linked into the private home, in addition to `link`.
    pub link: BTreeMap<String, String>,
    /// The mode of a session of the Agent Client Protocol.
    pub mode: String,
    /// Whether the agent forgets a question whose answer was stopped. It is then started again with the whole conversation.
    pub forgets_stopped: bool,
}

/// The protocol of conversations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChatTransport {
    /// The program supports no conversations.
    #[default]
    None,
    /// `codex app-server`.
    CodexAppServer,
    /// Claude Code's JSON lines on standard input.
    ClaudeStreamJson,
    /// The Agent Client Protocol.
    Acp,
}

/// An argument, or several that belong together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Argument {
    /// One argument.
    One(String),
    /// Arguments that are omitted if a placeholder has no value: `["--model", "{model}"]`.
    Group(Vec<String>),
    /// Arguments that depend on a setting.
    Where {
        /// The setting.
        when: Condition,
        /// The arguments.
        args: Vec<String>,
    },
}

/// A setting that arguments depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// `agent.user_config` is off: the agent must not read the user's own settings.
    Isolated,
}

/// A flag that a command of the user must have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommandFlag {
    /// The names of the flag. It is added with the first one.
    pub names: Vec<String>,
    /// The value, which replaces an existing one. `None` for a switch.
    #[serde(default)]
    pub value: Option<String>,
    /// Whether the flag is the last argument.
    #[serde(default)]
    pub last: bool,
}

/// The meaning of a line of output, or of the envelope in it. Places are names joined by dots: `item.text`, `errors.0`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReadRule {
    /// Places and the values that they must have.
    pub when: BTreeMap<String, serde_json::Value>,
    /// The places of the answer; the first one with a value is used.
    pub answer: Vec<String>,
    /// The place of a part of the answer.
    pub append: String,
    /// Whether earlier text is not part of the answer.
    pub forget: bool,
    /// The places of an error that ends the request.
    pub error: Vec<String>,
    /// The place of the provider's HTTP status of that error.
    pub status: String,
    /// The places of an error that does not end the request. It becomes the reason if no answer follows.
    pub note: Vec<String>,
    /// The place of the agent's identifier of the conversation.
    pub session: String,
    /// The places of token counts.
    pub usage: Option<UsagePlaces>,
    /// The progress message for the user.
    pub say: String,
    /// Whether the answer is complete.
    pub done: bool,
    /// Whether no output follows.
    pub last: bool,
}

/// An event by which a program reports that it opens a file, or that this failed. Places are names joined by dots.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OpenRule {
    /// Places of the event and the values that they must have.
    pub when: BTreeMap<String, serde_json::Value>,
    /// The place of a list in the event whose items are examined. If empty, the event itself is examined.
    pub each: String,
    /// Places of the item and the values that they must have.
    pub item: BTreeMap<String, serde_json::Value>,
    /// The place of the identifier of the call, in the item.
    pub id: String,
    /// The places of the path, in the item; the first one with a value is used.
    pub path: Vec<String>,
    /// Whether the event reports that the call with this identifier failed.
    pub failed: bool,
}

/// The places of token counts. Of several places, the first one with a number is used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UsagePlaces {
    /// The number of tokens read.
    pub input: Vec<String>,
    /// The number of tokens read from the cache.
    pub cached: Vec<String>,
    /// The number of tokens written.
    pub output: Vec<String>,
    /// The cost in US dollars.
    pub cost: Vec<String>,
    /// Whether `input` excludes cached tokens.
    pub cached_apart: bool,
    /// Whether each count is for one step, so that counts are added.
    pub adds: bool,
}
