//! The agents: programs that answer a prompt.
//!
//! In: a prompt that passed redaction. Out: the agent's raw answer, or why there is none. An agent is an entry of
//! `config/agents.toml` plus how its command is built and how a line of its output is read; only [`process`] starts
//! anything.

mod codex;
mod cursor;
mod failure;
mod find;
mod process;
mod reap;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

pub use codex::{OUTPUT_FILE as CODEX_OUTPUT_FILE, PROXY_KEY, SCHEMA_FILE as CODEX_SCHEMA_FILE};
pub use failure::{FailureKind, classify, failure};
pub use find::SearchPath;

use crate::config::AgentConfig;
use crate::redact::types::Redacted;
use crate::review::TokenUsage;

const KNOWN: &str = include_str!("../../../../config/agents.toml");

/// The order in which `auto` takes the first installed one.
const ORDER: [&str; 2] = ["codex", "cursor"];

/// Variables that every agent gets, if they are set.
const COMMON_ENVIRONMENT: &[&str] = &[
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
    "XDG_RUNTIME_DIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
];

/// What is known of an agent.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// Its name in settings and flags.
    #[serde(skip)]
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// Its programs' names, the best first.
    pub programs: Vec<String>,
    /// How to install it.
    pub install: String,
    /// How to sign in.
    pub sign_in: String,
    /// Whether it holds its answer to a schema itself.
    pub structured: bool,
    /// The longest prompt that it takes, in characters.
    pub max_prompt_chars: u64,
    /// Variables that it may see besides the common ones.
    pub environment: Vec<String>,
}

/// What makes an agent besides its entry: pure functions on its arguments and its output.
struct Dialect {
    /// The arguments behind the program's name.
    arguments: fn(&Request<'_>) -> Vec<OsString>,
    /// Reads one line of output.
    line: fn(&mut Reading, &str) -> Option<Progress>,
    /// Looks at what is there after the last line.
    finish: fn(&mut Reading, &Path),
    /// Whether it shows signs of life before its answer, so that silence means a stall.
    talks: bool,
}

impl Known {
    fn dialect(&self) -> Dialect {
        if self.name == "codex" { codex::DIALECT } else { cursor::DIALECT }
    }
}

/// All agents that are known, in the order of preference.
pub fn known() -> Vec<Known> {
    let mut table: BTreeMap<String, Known> = toml::from_str(KNOWN).unwrap_or_default();
    ORDER
        .iter()
        .filter_map(|name| table.remove(*name).map(|known| Known { name: (*name).to_owned(), ..known }))
        .collect()
}

/// One question to an agent.
#[derive(Debug)]
pub struct Request<'a> {
    /// The program.
    pub program: &'a Path,
    /// Settings: custom commands, proxy, deadlines.
    pub config: &'a AgentConfig,
    /// The model to ask for.
    pub model: Option<&'a str>,
    /// A key that the program takes as an argument.
    pub key: Option<&'a str>,
    /// The run's folder.
    pub run_dir: &'a Path,
    /// The folder that it may look at.
    pub room: &'a Path,
    /// A temporary folder of its own, removed after the run.
    pub temporary: &'a Path,
    /// The prompt.
    pub prompt: &'a Redacted<String>,
    /// Where its interpreter may be found.
    pub search: &'a SearchPath,
}

/// A sign of life.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// For people, as the agent means it; not masked yet.
    pub message: String,
}

impl Progress {
    fn new(message: &str) -> Self {
        Self { message: message.to_owned() }
    }
}

/// What has been read of an agent's output so far.
#[derive(Debug, Default)]
struct Reading {
    answer: Option<String>,
    usage: Option<TokenUsage>,
    session: Option<String>,
    /// The agent said that it failed.
    error: Option<String>,
    /// The last thing it complained about.
    note: Option<String>,
    /// It said that it is done.
    completed: bool,
    /// Nothing more will come.
    ended: bool,
    raw: String,
}

/// How one attempt went, for `agent.run.json`. Names of variables are recorded, values never.
#[derive(Clone, Debug, Serialize)]
pub struct RunFacts {
    /// The program.
    pub program: PathBuf,
    /// Its arguments, with sensitive values replaced.
    pub arguments: Vec<String>,
    /// Names of the variables that it saw.
    pub environment: Vec<String>,
    /// Its exit code, if it had one.
    pub exit_code: Option<i32>,
    /// How long it ran.
    pub milliseconds: u64,
    /// Its own name for the conversation.
    pub session: Option<String>,
    /// What it reported.
    pub usage: Option<TokenUsage>,
}

/// What came of a question. Everything in it is as the agent wrote it: the caller masks it.
#[derive(Debug)]
pub struct Reply {
    /// The answer, or why there is none.
    pub answer: Result<String, Failure>,
    /// The end of its standard error.
    pub stderr: String,
    /// How it ran.
    pub facts: RunFacts,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The user stopped it.
    Cancelled,
    /// A deadline passed; which one.
    Timeout(String),
    /// It failed in a way that its words explain.
    Said {
        /// The kind.
        kind: FailureKind,
        /// Its words.
        message: String,
    },
}

/// Asks an agent once.
pub async fn ask(
    known: &Known,
    request: &Request<'_>,
    cancel: &CancellationToken,
    mut progress: impl FnMut(Progress) + Send,
) -> Reply {
    let dialect = known.dialect();
    let args = (dialect.arguments)(request);
    let environment = environment(known, request);
    let seconds = |count: u64| (count > 0).then(|| Duration::from_secs(count));
    let config = request.config;
    let deadlines = process::Deadlines {
        start: seconds(config.start_timeout_seconds).filter(|_| dialect.talks),
        silence: seconds(config.silence_timeout_seconds).filter(|_| dialect.talks),
        total: Duration::from_secs(config.total_timeout_seconds.max(1)),
    };
    let mut facts = RunFacts {
        program: request.program.to_owned(),
        arguments: without_secrets(&args),
        environment: environment.iter().map(|(name, _)| name.clone()).collect(),
        exit_code: None,
        milliseconds: 0,
        session: None,
        usage: None,
    };
    let command = process::Command {
        program: request.program.to_owned(),
        args,
        environment,
        directory: request.room.to_owned(),
        input: request.prompt.as_str().to_owned(),
        deadlines,
    };
    let started = Instant::now();
    let mut reading = Reading::default();
    let ended = process::run(command, cancel, |line| {
        if let Some(sign) = (dialect.line)(&mut reading, line) {
            progress(sign);
        }
        if reading.ended { process::Expect::Nothing } else { process::Expect::More }
    })
    .await;
    facts.milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let said = |kind, message: String| Failure::Said { kind, message };
    let (answer, stderr) = match ended {
        Ok(ended) => {
            facts.exit_code = ended.status.and_then(|status| status.code());
            (dialect.finish)(&mut reading, request.run_dir);
            // One that was ended after its last word, because it did not leave by itself, has done its work.
            let succeeded = ended.status.map_or(reading.ended, |status| status.success() || reading.ended);
            (judge(&mut reading, succeeded, &ended.stderr), ended.stderr)
        }
        Err(process::ProcessError::Cancelled) => (Err(Failure::Cancelled), String::new()),
        Err(process::ProcessError::Timeout(which)) => {
            let note = reading.note.take().map(|note| format!("{which}; its last words: {note}"));
            (Err(Failure::Timeout(note.unwrap_or(which))), String::new())
        }
        Err(error) => (Err(said(FailureKind::Other, error.to_string())), String::new()),
    };
    facts.session = reading.session;
    facts.usage = reading.usage;
    Reply { answer, stderr, facts }
}

/// Success is a good exit and a terminal event without error and an answer; never the exit code alone.
fn judge(reading: &mut Reading, succeeded: bool, stderr: &str) -> Result<String, Failure> {
    let said = |message: String| Failure::Said { kind: classify(&message), message };
    if let Some(error) = reading.error.take() {
        return Err(said(error));
    }
    let last_words = || {
        let tail: Vec<&str> = stderr.lines().rev().filter(|line| !line.trim().is_empty()).take(3).collect();
        tail.into_iter().rev().collect::<Vec<_>>().join("\n")
    };
    let answer = reading.answer.take().filter(|text| !text.trim().is_empty());
    match answer {
        Some(text) if succeeded && reading.completed => Ok(text),
        // A sign-in banner comes on standard output, as if it were the answer.
        Some(text) if !succeeded => Err(said(format!("{}\n{}", last_words(), first_line(&text)).trim().to_owned())),
        _ => {
            let words = reading.note.take().unwrap_or_else(last_words);
            let kind = match classify(&words) {
                FailureKind::Other if succeeded => FailureKind::NoAnswer,
                kind => kind,
            };
            Err(Failure::Said { kind, message: words })
        }
    }
}

fn first_line(text: &str) -> &str {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default()
}

fn environment(known: &Known, request: &Request<'_>) -> Vec<(String, OsString)> {
    let mut names: Vec<&str> = COMMON_ENVIRONMENT.to_vec();
    names.extend(known.environment.iter().map(String::as_str).filter(|name| {
        // A key that is handed over as an argument is not handed over twice.
        request.key.is_none() || !name.ends_with("_API_KEY")
    }));
    if known.name == "codex" && !request.config.proxy_url.is_empty() {
        names.push(PROXY_KEY);
    }
    let mut variables: Vec<(String, OsString)> =
        names.into_iter().filter_map(|name| Some((name.to_owned(), std::env::var_os(name)?))).collect();
    variables.push(("PATH".to_owned(), request.search.joined()));
    variables.push(("TERM".to_owned(), "xterm-256color".into()));
    variables.push(("NO_COLOR".to_owned(), "1".into()));
    for name in ["TMPDIR", "TMP", "TEMP"] {
        variables.push((name.to_owned(), request.temporary.into()));
    }
    variables
}

/// Arguments for the record: the value of anything that looks like a credential is left out.
fn without_secrets(args: &[OsString]) -> Vec<String> {
    let mut hide_next = false;
    args.iter()
        .map(|arg| {
            let text = arg.to_string_lossy();
            if std::mem::take(&mut hide_next) {
                return "[REDACTED]".to_owned();
            }
            let flag = text.split('=').next().unwrap_or_default().to_lowercase();
            let sensitive = flag.starts_with('-')
                && (flag == "-a"
                    || ["key", "token", "secret", "password", "header"].iter().any(|word| flag.contains(word)));
            match (sensitive, text.split_once('=')) {
                (true, Some((name, _))) => format!("{name}=[REDACTED]"),
                (true, None) => {
                    hide_next = true;
                    text.into_owned()
                }
                _ => text.into_owned(),
            }
        })
        .collect()
}

/// Where an agent's program is, or where it was looked for.
pub fn locate(known: &Known, config: &AgentConfig, search: &SearchPath) -> Option<PathBuf> {
    let custom = match known.name.as_str() {
        "codex" => config.codex_command.first(),
        _ => config.cursor_command.first(),
    };
    if let Some(program) = custom {
        return search.find(program);
    }
    known.programs.iter().find_map(|program| {
        search.find(program).filter(|path| {
            // `agent` is everybody's word: only Cursor's own counts.
            program != "agent" || path.canonicalize().is_ok_and(|real| real.to_string_lossy().contains("cursor"))
        })
    })
}

#[cfg(test)]
mod tests;
