//! One question to an agent, by the program's own one-shot mode, the Agent Client Protocol or HTTP.
//!
//! In: a masked prompt. Out: the answer or the reason why there is none, both as the agent wrote them: the caller masks them.

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::command::{self, ANSWER_FILE};
use super::failure::{Failure, FailureKind};
use super::http::{self, StreamEvent};
use super::lines::MAX_LINE_BYTES;
use super::process::{self, Command, Ended, ProcessError};
use super::protocol::{Flow, Protocol, SessionCommand};
use super::read::Reading;
use super::request::AgentRequest;
use super::session::acp::Acp;
use super::session::driver::{Driver, State};
use super::session::{Opening, SessionEvent};
use diffsan_config::{AgentSpec, Transport};
use diffsan_redact::types::Redacted;
use diffsan_review::sandbox::SandboxReceipt;
use diffsan_review::{TokenUsage, answer};

/// The time limit for a program to print its version.
const VERSION_TIMEOUT: Duration = Duration::from_secs(20);
/// The interval between two reports of an endpoint's progress.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(250);

/// A question, beside the [`AgentRequest`].
#[derive(Debug)]
pub struct Question<'a> {
    /// The prompt.
    pub prompt: &'a Redacted<String>,
    /// The folder of schema and answer file.
    pub run_dir: &'a Path,
    /// The schema that endpoints enforce; the schema of reviews if absent.
    pub schema: Option<&'a Value>,
}

/// The facts of one run, for `agent.run.json`. They contain names of variables, never values.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RunFacts {
    /// The program.
    pub program: PathBuf,
    /// Its arguments, with sensitive values replaced.
    pub arguments: Vec<String>,
    /// The names of its variables.
    pub environment: Vec<String>,
    /// Its exit code, if it had one.
    pub exit_code: Option<i32>,
    /// The duration.
    pub milliseconds: u64,
    /// The agent's identifier of the conversation.
    pub session: Option<String>,
    /// The reported tokens.
    pub usage: Option<TokenUsage>,
    /// The reported cost in US dollars.
    pub cost_usd: Option<f64>,
    /// The confinement of the program; `None` for an endpoint.
    pub sandbox: Option<SandboxReceipt>,
}

/// The result of a question, not masked.
#[derive(Debug)]
pub struct Reply {
    /// The answer, or why there is none.
    pub answer: Result<String, Failure>,
    /// The end of standard error.
    pub stderr: String,
    /// The paths of the files that the agent reported as opened, as it wrote them.
    pub reported: BTreeSet<String>,
    /// The facts of its run.
    pub facts: RunFacts,
}

/// Asks an agent once. `progress` gets messages for people, not masked.
pub async fn ask(
    request: &AgentRequest,
    question: &Question<'_>,
    cancel: &CancellationToken,
    mut progress: impl FnMut(&str) + Send,
) -> Reply {
    let started = Instant::now();
    let program = request.program.clone().unwrap_or_else(|| PathBuf::from(&request.agent.spec.url));
    let mut facts = RunFacts { program, ..RunFacts::default() };
    let mut reading = Reading::default();
    let (answer, stderr) = match request.program {
        Some(_) => run_program(request, question, cancel, &mut progress, &mut reading, &mut facts).await,
        None => (ask_endpoint(request, question, cancel, &mut progress, &mut reading).await, String::new()),
    };
    facts.milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    facts.session = reading.session;
    facts.usage = reading.usage;
    facts.cost_usd = reading.cost;
    Reply { answer, stderr, reported: reading.reported.take(), facts }
}

type OnProgress<'a> = &'a mut (dyn FnMut(&str) + Send);

async fn ask_endpoint(
    request: &AgentRequest,
    question: &Question<'_>,
    cancel: &CancellationToken,
    progress: OnProgress<'_>,
    reading: &mut Reading,
) -> Result<String, Failure> {
    let messages = [json!({ "role": "user", "content": question.prompt.as_str() })];
    let schema = question.schema.cloned().unwrap_or_else(answer::strict_schema);
    let mut reported: Option<Instant> = None;
    let mut report = |event: StreamEvent<'_>| {
        let (message, always) = match event {
            StreamEvent::Started => ("started", true),
            StreamEvent::Repeated => ("repeating the request without the schema", true),
            StreamEvent::Thinking => ("thinking", false),
            StreamEvent::Text(_) => ("writing the answer", false),
        };
        if always || reported.is_none_or(|at| at.elapsed() >= PROGRESS_INTERVAL) {
            reported = (!always).then(Instant::now).or(reported);
            progress(message);
        }
    };
    let completion = http::complete(request, &messages, Some(&schema), &mut report);
    // The type of the client's future is too deep for the compiler in the futures of callers.
    let completion: Pin<Box<dyn Future<Output = _> + Send + '_>> = Box::pin(completion);
    *reading = cancel.run_until_cancelled(completion).await.unwrap_or(Err(Failure::Cancelled))?;
    reading.take_answer(true, "")
}

/// Runs a program to its end.
async fn run_program(
    request: &AgentRequest,
    question: &Question<'_>,
    cancel: &CancellationToken,
    progress: OnProgress<'_>,
    reading: &mut Reading,
    facts: &mut RunFacts,
) -> (Result<String, Failure>, String) {
    let command = match prepare(request, question.run_dir).await {
        Ok(command) => command,
        Err(error) => return (Err(home_failure(&error)), String::new()),
    };
    facts.arguments = command::without_secrets(&command.args);
    facts.environment = command.environment.iter().map(|(name, _)| name.clone()).collect();
    let recorder = command.confinement.as_ref().map(|confinement| confinement.recorder.clone());
    let spec = &request.agent.spec;
    let ended = if spec.transport == Transport::Acp {
        let mut protocol = AcpQuestion::new(request, question.prompt, reading, progress);
        process::run(command, cancel, &mut protocol).await
    } else {
        let mut protocol = Oneshot { spec, prompt: question.prompt.as_str(), reading, progress };
        process::run(command, cancel, &mut protocol).await
    };
    facts.sandbox = recorder.map(|recorder| recorder.receipt());
    match ended {
        Ok(ended) => {
            reading.finish(spec);
            let answer = finish(reading, &ended, question.run_dir, facts).await;
            (answer.map_err(|failure| with_refused(failure, facts.sandbox.as_ref())), ended.stderr)
        }
        Err(ProcessError::Cancelled) => (Err(Failure::Cancelled), String::new()),
        Err(ProcessError::Timeout(which)) => {
            let note = reading.note.take().map(|note| format!("{which}; its last message: {note}"));
            (Err(Failure::Timeout(note.unwrap_or(which))), String::new())
        }
        Err(error) => (Err(process_failure(&error)), String::new()),
    }
}

/// Adds the hosts that the sandbox refused to a failure, which they may be the reason of.
pub(crate) fn with_refused(failure: Failure, receipt: Option<&SandboxReceipt>) -> Failure {
    let refused: Vec<&str> = receipt.map(|receipt| receipt.refused().collect()).unwrap_or_default();
    match failure {
        Failure::Failed { kind, message, retry_after } if !refused.is_empty() => {
            let note = format!("The sandbox refused connections to {}.", refused.join(", "));
            Failure::Failed { kind, message: format!("{}\n{note}", message.trim_end()), retry_after }
        }
        failure => failure,
    }
}

/// The failure to run a program.
pub(crate) fn process_failure(error: &ProcessError) -> Failure {
    let kind = match error {
        ProcessError::NoSandbox(_) => FailureKind::NoSandbox,
        ProcessError::Limit(_) => FailureKind::LimitExceeded,
        _ => FailureKind::Other,
    };
    Failure::new(kind, error.to_string())
}

async fn prepare(request: &AgentRequest, run_dir: &Path) -> io::Result<Command> {
    let (request, run_dir) = (request.clone(), run_dir.to_owned());
    tokio::task::spawn_blocking(move || command::prepare(&request, &run_dir, MAX_LINE_BYTES)).await?
}

/// The failure to fill a private home.
pub(crate) fn home_failure(error: &io::Error) -> Failure {
    Failure::new(FailureKind::Other, format!("its home folder cannot be created: {error}"))
}

async fn finish(reading: &mut Reading, ended: &Ended, run_dir: &Path, facts: &mut RunFacts) -> Result<String, Failure> {
    facts.exit_code = ended.status.and_then(|status| status.code());
    // A program that was ended after its last line, because it did not exit by itself, has done its work.
    let succeeded = ended.status.map_or(reading.ended, |status| status.success() || reading.ended);
    let path = run_dir.join(ANSWER_FILE);
    let file = tokio::task::spawn_blocking(move || diffsan_bounded::read_to_string(&path, MAX_LINE_BYTES as u64)).await;
    // Most agents write no file.
    let file = file.ok().and_then(Result::ok);
    reading.answer = file.filter(|text| !text.trim().is_empty()).or(reading.answer.take());
    reading.take_answer(succeeded, &ended.stderr)
}

/// A program that reads its prompt at once.
struct Oneshot<'a> {
    spec: &'a AgentSpec,
    prompt: &'a str,
    reading: &'a mut Reading,
    progress: OnProgress<'a>,
}

impl Protocol for Oneshot<'_> {
    fn begin(&mut self) -> (Vec<u8>, bool) {
        (self.prompt.as_bytes().to_vec(), false)
    }

    fn line(&mut self, line: &str, _reply: &mut Vec<u8>) -> Flow {
        if let Some(message) = self.reading.line(self.spec, line) {
            (self.progress)(&message);
        }
        if self.reading.ended { Flow::Finished } else { Flow::Continue }
    }
}

/// One turn of a session of the Agent Client Protocol. Requests for permission are refused.
struct AcpQuestion<'a> {
    client: Acp,
    prompt: Option<Redacted<String>>,
    events: mpsc::UnboundedReceiver<SessionEvent>,
    tools: HashSet<String>,
    reading: &'a mut Reading,
    progress: OnProgress<'a>,
}

impl<'a> AcpQuestion<'a> {
    fn new(
        request: &AgentRequest,
        prompt: &Redacted<String>,
        reading: &'a mut Reading,
        progress: OnProgress<'a>,
    ) -> Self {
        let (sender, events) = mpsc::unbounded_channel();
        let client = Acp::new(State::new(sender, Opening::default()), request);
        Self { client, prompt: Some(prompt.clone()), events, tools: HashSet::new(), reading, progress }
    }

    fn event(&mut self, event: SessionEvent, reply: &mut Vec<u8>) {
        match event {
            SessionEvent::Asked => (self.progress)("started"),
            SessionEvent::Text(text) => {
                self.reading.answer.get_or_insert_default().push_str(&text);
                (self.progress)("writing the answer");
            }
            SessionEvent::Thinking => (self.progress)("thinking"),
            SessionEvent::Tool { id, title, .. } => {
                if self.tools.insert(id) {
                    // Text before a tool call is not part of the answer.
                    self.reading.answer = None;
                    (self.progress)(&title);
                }
            }
            SessionEvent::Permission { id, .. } => self.client.permit(&id, false, reply),
            // Without output it is the size of the context.
            SessionEvent::Tokens { used, .. } if used.output > 0 => self.reading.usage = Some(used),
            SessionEvent::Done { stopped } => {
                self.reading.ended = true;
                if stopped {
                    self.reading.error = Some("it was cancelled".to_owned());
                } else {
                    self.reading.completed = true;
                    (self.progress)("answered");
                }
            }
            SessionEvent::Failed(Failure::Failed { message, .. }) => {
                self.reading.ended = true;
                self.reading.error = Some(message);
            }
            SessionEvent::Paragraph
            | SessionEvent::Tokens { .. }
            | SessionEvent::Failed(_)
            | SessionEvent::Closed(_) => {}
        }
    }
}

impl Protocol for AcpQuestion<'_> {
    fn begin(&mut self) -> (Vec<u8>, bool) {
        let mut first = self.client.begin();
        if let Some(prompt) = self.prompt.take() {
            self.client.command(SessionCommand::Ask(prompt), &mut first);
        }
        (first, true)
    }

    fn line(&mut self, line: &str, reply: &mut Vec<u8>) -> Flow {
        self.client.line(line, reply);
        while let Ok(event) = self.events.try_recv() {
            self.event(event, reply);
        }
        self.reading.session = self.client.session().map(str::to_owned);
        if self.reading.ended {
            self.reading.reported = std::mem::take(self.client.reported());
        }
        if self.reading.ended { Flow::Finished } else { Flow::Continue }
    }

    fn cancel(&mut self) -> Vec<u8> {
        self.client.cancel()
    }
}

/// The first line of `--version`. Starts the program, so it is only called on request.
pub async fn version(request: &AgentRequest, cancel: &CancellationToken) -> Option<String> {
    request.program.as_ref()?;
    let mut version = VersionLine(None);
    process::run(command::version(request, VERSION_TIMEOUT), cancel, &mut version).await.ok()?;
    version.0
}

struct VersionLine(Option<String>);

impl Protocol for VersionLine {
    fn begin(&mut self) -> (Vec<u8>, bool) {
        (Vec::new(), false)
    }

    fn line(&mut self, line: &str, _reply: &mut Vec<u8>) -> Flow {
        self.0 = Some(line.trim().chars().take(100).collect::<String>()).filter(|line| !line.is_empty());
        if self.0.is_some() { Flow::Finished } else { Flow::Continue }
    }
}
