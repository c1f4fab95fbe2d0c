//! Entries of agents: `config/agents.toml`, and `[agents.NAME]` in the user's settings, which overrides a built-in entry key by key.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The built-in entries.
pub const AGENTS: &str = include_str!("../../../../config/agents.toml");

/// How an agent is spoken to.
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
    /// A program that speaks the Agent Client Protocol.
    Acp,
    /// An endpoint with OpenAI's interface.
    OpenaiHttp,
}

/// Which of OpenAI's interfaces an endpoint has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HttpApi {
    /// `/chat/completions`
    #[default]
    ChatCompletions,
    /// `/responses`
    Responses,
}

/// Where a program is started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StartIn {
    /// In the room.
    #[default]
    Room,
    /// In an empty folder; the room is named in the prompt.
    Empty,
}

/// An agent.
///
/// Texts of `args`, `set` and `files` may hold `{room}`, `{empty}`, `{home}`, `{temporary}`, `{schema}`, `{schema_file}`,
/// `{answer_file}`, `{model}`, `{key}`, `{proxy_url}`, `{user_home}`, `{user_config}` and `{settings_folder}`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AgentSpec {
    /// Its name for people.
    pub title: String,
    /// The position among the agents, from 1 on: `auto` takes the first installed one. 0: after all others.
    pub rank: u32,
    /// How it is spoken to.
    pub transport: Transport,
    /// Its programs' names, the best first.
    pub programs: Vec<String>,
    /// For a program with a common name: what its real path must contain.
    pub recognise: BTreeMap<String, String>,
    /// How to install it.
    pub install: String,
    /// How to sign in.
    pub sign_in: String,
    /// Whether it holds its answer to the schema itself.
    pub structured: bool,
    /// Whether it can read the files of the room.
    pub reads_files: bool,
    /// Whether it shows signs of life before its answer, so that silence means a stall.
    pub talks: bool,
    /// The longest prompt that it takes, in characters.
    pub max_prompt_chars: u64,
    /// Variables that it may see besides the common ones.
    pub environment: Vec<String>,
    /// The variable whose value `{key}` stands for.
    pub key_variable: String,
    /// Variables that are set for it.
    pub set: BTreeMap<String, String>,
    /// The variable by which it gets a home of its own, removed afterwards; empty: it keeps the user's.
    pub home: String,
    /// Files of the user's that appear in that home, too: where there, and where they are. `{user_home}` and `{user_config}`
    /// stand for the user's folders.
    pub link: BTreeMap<String, String>,
    /// The folder of the agent's own settings, for `{settings_folder}`.
    pub settings_folder: SettingsFolder,
    /// The same as `link` for files that the agent would write to: it gets copies.
    pub copy: BTreeMap<String, String>,
    /// Files that are written into that home.
    pub files: BTreeMap<String, String>,
    /// For a program of the Agent Client Protocol: the mode in which it is asked.
    pub mode: String,
    /// Where it is started.
    pub start_in: StartIn,
    /// Its arguments.
    pub args: Vec<Argument>,
    /// A command of the user's own in place of the program and its arguments.
    pub command: Vec<String>,
    /// The setting in `[agent]` that replaces an empty `command`.
    pub command_setting: CommandSetting,
    /// What such a command must have.
    pub command_flags: Vec<CommandFlag>,
    /// How its output is read; every rule that fits is applied, in order.
    pub read: Vec<ReadRule>,
    /// The endpoint's base URL.
    pub url: String,
    /// Its interface.
    pub api: HttpApi,
    /// The model to ask for; empty leaves it to the agent.
    pub model: String,
    /// How many tokens its model holds at once.
    pub context_tokens: u64,
    /// How one talks with it.
    pub chat: ChatSpec,
}

/// A folder of settings that the user can move.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SettingsFolder {
    /// The variable that names the folder.
    pub variable: String,
    /// The folder where the variable is not set. It may contain `{user_home}` and `{user_config}`.
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

/// How one talks with an agent. An endpoint needs none of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ChatSpec {
    /// What it speaks; `none`: it answers single questions only.
    pub speaks: ChatTransport,
    /// Its arguments.
    pub args: Vec<Argument>,
    /// Variables that are set for it besides (and in place of) `set`.
    pub set: BTreeMap<String, String>,
    /// The variable by which it gets a home of its own; empty: as in `home`. Not where `agent.user_config` is on.
    pub home: String,
    /// Files of the user's that appear in that home, besides `link`.
    pub link: BTreeMap<String, String>,
    /// For a program of the Agent Client Protocol: the mode in which it is asked.
    pub mode: String,
    /// It forgets a question whose answer was stopped: then it is started again, and told what was said.
    pub forgets_stopped: bool,
}

/// What a program speaks in a conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChatTransport {
    /// Nothing: it cannot be talked with.
    #[default]
    None,
    /// `codex app-server`.
    CodexAppServer,
    /// Claude Code's JSON lines on standard input.
    ClaudeStreamJson,
    /// The Agent Client Protocol.
    Acp,
}

/// An argument, or several that stand or fall together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Argument {
    /// One.
    One(String),
    /// Left out where a name in braces stands for nothing: `["--model", "{model}"]`.
    Group(Vec<String>),
    /// Only there where a setting says so.
    Where {
        /// Which one.
        when: Condition,
        /// They.
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

/// A flag that a command of the user's own must have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommandFlag {
    /// Its names; it is added under the first one.
    pub names: Vec<String>,
    /// Its value, which replaces the one that stands there; none for a switch.
    #[serde(default)]
    pub value: Option<String>,
    /// Whether it stands at the end.
    #[serde(default)]
    pub last: bool,
}

/// What a line of output means, or the envelope in it. Places are names joined by dots: `item.text`, `errors.0`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReadRule {
    /// Values that must stand at places.
    pub when: BTreeMap<String, serde_json::Value>,
    /// Where the answer is; the first place that has something counts.
    pub answer: Vec<String>,
    /// Where a piece of the answer is.
    pub append: String,
    /// What came before is no part of the answer.
    pub forget: bool,
    /// Where it says that it failed.
    pub error: Vec<String>,
    /// Where the provider's HTTP status of that failure is.
    pub status: String,
    /// Where it complains; the best reason if nothing follows.
    pub note: Vec<String>,
    /// Where its own name for the conversation is.
    pub session: String,
    /// Where tokens are counted.
    pub usage: Option<UsagePlaces>,
    /// What is told to the reviewer.
    pub say: String,
    /// It has answered.
    pub done: bool,
    /// Nothing more will come.
    pub last: bool,
}

/// Where tokens are counted; of several places the first that has a number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UsagePlaces {
    /// Tokens read.
    pub input: Vec<String>,
    /// Tokens read from the cache.
    pub cached: Vec<String>,
    /// Tokens written.
    pub output: Vec<String>,
    /// What it cost, in US dollars.
    pub cost: Vec<String>,
    /// Whether `input` leaves out the cached ones.
    pub cached_apart: bool,
    /// Whether each count is one step's.
    pub adds: bool,
}
