//! The agents: programs and endpoints that answer a prompt.
//!
//! In: a prompt that passed redaction. Out: the agent's raw answer, or why there is none. An agent is an entry of
//! `config/agents.toml` or of the user's settings; only [`process`] starts anything.

pub mod room;

mod acp;
pub mod chat;
mod command;
mod credentials;
mod excluded;
mod failure;
mod find;
mod http;
mod process;
mod process_tree;
mod read;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;
use tokio_util::sync::CancellationToken;

pub use command::{ANSWER_FILE, PROXY_KEY, SCHEMA_FILE};
pub use credentials::git_credentials;
pub use failure::{FailureKind, classify};
pub use find::{SearchPath, is_relative};

use diffsan_config::{AgentConfig, AgentSpec, Config, Transport};
use diffsan_redact::types::Redacted;
use diffsan_review::TokenUsage;
pub use process::none_runs;
use process::{Expect, ProcessError, Talk};
use read::Reading;

/// The order in which `auto` takes the first installed one, and in which they are listed.
const ORDER: [&str; 5] = ["codex", "claude", "cursor", "gemini", "opencode"];

/// An agent.
#[derive(Clone, Debug)]
pub struct Agent {
    /// Its name in settings and flags.
    pub name: String,
    /// What is known of it.
    pub spec: AgentSpec,
}

impl Agent {
    /// Its name for people.
    pub fn title(&self) -> &str {
        if self.spec.title.is_empty() { &self.name } else { &self.spec.title }
    }

    /// Whether it is an endpoint, and no program.
    pub fn is_endpoint(&self) -> bool {
        self.spec.transport == Transport::OpenaiHttp
    }

    /// What is looked for.
    pub fn programs(&self) -> Vec<&str> {
        match self.spec.command.first() {
            Some(program) => vec![program],
            None => self.spec.programs.iter().map(String::as_str).collect(),
        }
    }
}

/// All agents of a configuration, in the order of preference.
pub fn known(config: &Config) -> Vec<Agent> {
    let place = |name: &str| ORDER.iter().position(|known| *known == name).unwrap_or(ORDER.len());
    let mut agents: Vec<Agent> = config
        .agents
        .iter()
        .map(|(name, spec)| {
            let mut spec = spec.clone();
            let own = match name.as_str() {
                "codex" => &config.agent.codex_command,
                "cursor" => &config.agent.cursor_command,
                _ => &Vec::new(),
            };
            if spec.command.is_empty() {
                spec.command.clone_from(own);
            }
            Agent { name: name.clone(), spec }
        })
        .collect();
    // The user's own come before endpoints, which nobody has by accident.
    agents.sort_by_key(|agent| (place(&agent.name), agent.is_endpoint()));
    agents
}

/// One question to an agent.
#[derive(Debug)]
pub struct Request<'a> {
    /// The program; none for an endpoint.
    pub program: Option<&'a Path>,
    /// Settings: proxy, deadlines.
    pub config: &'a AgentConfig,
    /// The model to ask for.
    pub model: Option<&'a str>,
    /// The key that it is given.
    pub key: Option<&'a str>,
    /// The run's folder.
    pub run_dir: &'a Path,
    /// The folder that it may look at.
    pub room: &'a Path,
    /// An empty folder.
    pub empty: &'a Path,
    /// A home of its own, removed after the run.
    pub home: &'a Path,
    /// A temporary folder of its own, removed after the run.
    pub temporary: &'a Path,
    /// The prompt.
    pub prompt: &'a Redacted<String>,
    /// What the answer is held to by endpoints that can; a review's schema if absent.
    pub schema: Option<&'a serde_json::Value>,
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
    /// What it says that it cost, in US dollars.
    pub cost_usd: Option<f64>,
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
        /// How long the provider wants to be left alone, in seconds.
        retry_after: Option<u64>,
    },
}

impl Failure {
    fn said(kind: FailureKind, message: String) -> Self {
        Self::Said { kind, message, retry_after: None }
    }
}

/// Asks an agent once.
pub async fn ask(
    agent: &Agent,
    request: &Request<'_>,
    cancel: &CancellationToken,
    progress: impl FnMut(Progress) + Send,
) -> Reply {
    let started = Instant::now();
    let mut facts = RunFacts {
        program: request.program.map_or_else(|| PathBuf::from(&agent.spec.url), Path::to_owned),
        arguments: Vec::new(),
        environment: Vec::new(),
        exit_code: None,
        milliseconds: 0,
        session: None,
        usage: None,
        cost_usd: None,
    };
    let (reading, answer, stderr) = match request.program {
        Some(program) => run(agent, program, request, cancel, progress, &mut facts).await,
        None => match http::ask(agent, request, deadlines(agent, request.config), cancel, progress).await {
            Ok(mut reading) => {
                let answer = judge(&mut reading, true, "");
                (reading, answer, String::new())
            }
            Err(failure) => (Reading::default(), Err(failure), String::new()),
        },
    };
    facts.milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    facts.session = reading.session;
    facts.usage = reading.usage;
    facts.cost_usd = reading.cost;
    Reply { answer, stderr, facts }
}

fn deadlines(agent: &Agent, config: &AgentConfig) -> process::Deadlines {
    let seconds = |count: u64| (count > 0).then(|| Duration::from_secs(count));
    process::Deadlines {
        start: seconds(config.start_timeout_seconds).filter(|_| agent.spec.talks),
        silence: seconds(config.silence_timeout_seconds).filter(|_| agent.spec.talks),
        total: Duration::from_secs(config.total_timeout_seconds.max(1)),
    }
}

/// A program that reads its prompt at once.
struct Oneshot<'a, F> {
    spec: &'a AgentSpec,
    prompt: &'a str,
    reading: Reading,
    progress: F,
}

impl<F: FnMut(Progress) + Send> Talk for Oneshot<'_, F> {
    fn begin(&mut self) -> (Vec<u8>, bool) {
        (self.prompt.as_bytes().to_vec(), false)
    }

    fn line(&mut self, line: &str, _reply: &mut Vec<u8>) -> Expect {
        if let Some(sign) = self.reading.line(self.spec, line) {
            (self.progress)(sign);
        }
        if self.reading.ended { Expect::Nothing } else { Expect::More }
    }
}

/// Runs a program to its end.
async fn run(
    agent: &Agent,
    program: &Path,
    request: &Request<'_>,
    cancel: &CancellationToken,
    progress: impl FnMut(Progress) + Send,
    facts: &mut RunFacts,
) -> (Reading, Result<String, Failure>, String) {
    let args = command::arguments(agent, request);
    let environment = command::environment(agent, request);
    facts.arguments = command::without_secrets(&args);
    facts.environment = environment.iter().map(|(name, _)| name.clone()).collect();
    if let Err(error) = command::furnish_home(agent, request) {
        let words = format!("its home cannot be made: {error}");
        return (Reading::default(), Err(Failure::said(FailureKind::Other, words)), String::new());
    }
    let folder = match agent.spec.start_in {
        diffsan_config::StartIn::Room => request.room,
        diffsan_config::StartIn::Empty => request.empty,
    };
    let command = process::Command {
        program: program.to_owned(),
        args,
        environment,
        directory: folder.to_owned(),
        deadlines: deadlines(agent, request.config),
        most_output: process::OUTPUT_LIMIT,
    };
    let prompt = request.prompt.as_str();
    let (mut reading, ended) = if agent.spec.transport == Transport::Acp {
        let folder = folder.to_string_lossy();
        let question = acp::Question { prompt, folder: &folder, mode: &agent.spec.mode };
        let mut client = acp::Client::new(question, progress);
        let ended = process::run(command, cancel, &mut client).await;
        (client.reading, ended)
    } else {
        let mut talk = Oneshot { spec: &agent.spec, prompt, reading: Reading::default(), progress };
        let ended = process::run(command, cancel, &mut talk).await;
        (talk.reading, ended)
    };
    let (answer, stderr) = match ended {
        Ok(ended) => {
            facts.exit_code = ended.status.and_then(|status| status.code());
            // One that was ended after its last word, because it did not leave by itself, has done its work.
            let succeeded = ended.status.map_or(reading.ended, |status| status.success() || reading.ended);
            if agent.spec.transport != Transport::Acp {
                reading.finish(&agent.spec);
            }
            let file =
                diffsan_bounded::read_to_string(&request.run_dir.join(ANSWER_FILE), process::OUTPUT_LIMIT as u64).ok();
            reading.answer = file.filter(|text| !text.trim().is_empty()).or(reading.answer.take());
            (judge(&mut reading, succeeded, &ended.stderr), ended.stderr)
        }
        Err(ProcessError::Cancelled) => (Err(Failure::Cancelled), String::new()),
        Err(ProcessError::Timeout(which)) => {
            let note = reading.note.take().map(|note| format!("{which}; its last words: {note}"));
            (Err(Failure::Timeout(note.unwrap_or(which))), String::new())
        }
        Err(error) => (Err(Failure::said(FailureKind::Other, error.to_string())), String::new()),
    };
    (reading, answer, stderr)
}

/// What a program prints of its version.
struct VersionLine(Option<String>);

impl Talk for VersionLine {
    fn begin(&mut self) -> (Vec<u8>, bool) {
        (Vec::new(), false)
    }

    fn line(&mut self, line: &str, _reply: &mut Vec<u8>) -> Expect {
        self.0 = Some(line.trim().chars().take(100).collect::<String>()).filter(|line| !line.is_empty());
        if self.0.is_some() { Expect::Nothing } else { Expect::More }
    }
}

/// The first line of `--version`. It starts the program, so it is only looked for when somebody asks.
pub async fn version(request: &Request<'_>, cancel: &CancellationToken) -> Option<String> {
    let agent = Agent { name: String::new(), spec: AgentSpec::default() };
    let command = process::Command {
        program: request.program?.to_owned(),
        args: vec!["--version".into()],
        environment: command::environment(&agent, request),
        directory: request.empty.to_owned(),
        deadlines: process::Deadlines { start: None, silence: None, total: Duration::from_secs(20) },
        most_output: process::OUTPUT_LIMIT,
    };
    let mut line = VersionLine(None);
    process::run(command, cancel, &mut line).await.ok()?;
    line.0
}

/// Success is a good exit and a terminal event without error and an answer; never the exit code alone.
fn judge(reading: &mut Reading, succeeded: bool, stderr: &str) -> Result<String, Failure> {
    let said = |message: String| Failure::said(classify(&message), message);
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
            Err(Failure::said(kind, words))
        }
    }
}

fn first_line(text: &str) -> &str {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default()
}

/// Where an agent's program is.
pub fn locate(agent: &Agent, search: &SearchPath) -> Option<PathBuf> {
    agent.programs().into_iter().find_map(|program| {
        let wanted = agent.spec.recognise.get(program);
        search.find(program).filter(|path| {
            // `agent` is everybody's word: only the right one counts.
            wanted.is_none_or(|part| path.canonicalize().is_ok_and(|real| real.to_string_lossy().contains(part)))
        })
    })
}

#[cfg(test)]
mod tests;
