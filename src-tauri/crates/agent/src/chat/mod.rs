//! Talking with an agent: a line that stays open, on which one asks again and again.
//!
//! In: how a conversation begins (system prompt, context, what was said before) and one message after the other, all masked. Out:
//! events as the agent writes them, not masked yet: that is the caller's. A line that breaks is told and never mended here; the
//! caller opens another and says again what was said.

mod acp;
mod claude;
mod codex;
mod http;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use super::process::{self, Expect, ProcessError, Talk, Waiting};
use super::{Agent, Failure, FailureKind, Request, SearchPath, classify, command, deadlines};
use diffsan_config::{AgentConfig, ChatTransport};
use diffsan_redact::types::Redacted;
use diffsan_review::TokenUsage;

/// A line is open for as long as somebody talks: this bounds what a broken program writes, in bytes.
const MAX_OUTPUT_BYTES: usize = 2 * 1024 * 1024 * 1024;

/// How long a program may take to leave.
const LEAVING: std::time::Duration = std::time::Duration::from_secs(4);

/// Who said something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The reviewer.
    User,
    /// The agent.
    Assistant,
}

/// What was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// By whom.
    pub role: Role,
    /// The exact text.
    pub text: Redacted<String>,
}

/// How a conversation begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The system prompt: always first.
    pub system: Redacted<String>,
    /// What stays the same: the prepared diff, the findings.
    pub context: Redacted<String>,
    /// What was said before, oldest first.
    pub history: Vec<Said>,
}

/// What the agent says to the context, where roles must alternate.
pub const ACKNOWLEDGED: &str = "I have read the change. What would you like to know?";

impl Opening {
    /// The messages behind the system prompt, in the order in which they go out.
    pub fn messages(&self) -> Vec<Said> {
        let mut all = Vec::with_capacity(self.history.len() + 2);
        if !self.context.as_str().is_empty() {
            all.push(Said { role: Role::User, text: self.context.clone() });
            all.push(Said { role: Role::Assistant, text: Redacted::fixed(ACKNOWLEDGED) });
        }
        all.extend(self.history.iter().cloned());
        all
    }

    /// What a program gets that takes the reviewer's messages alone: everything before the first one, in one text.
    fn transcript(&self) -> String {
        let mut text = self.context.as_str().to_owned();
        if !self.history.is_empty() {
            text.push_str("\n\n# What was said so far\n");
            for said in &self.history {
                let who = if said.role == Role::User { "Reviewer" } else { "You" };
                text.push_str(&format!("\n## {who}\n\n{}\n", said.text.as_str().trim_end()));
            }
            text.push_str("\n# The reviewer's next message\n");
        }
        text
    }
}

/// What is needed to open a line.
pub struct SessionRequest {
    /// Its program; none for an endpoint.
    pub program: Option<PathBuf>,
    /// Settings: proxy, deadlines.
    pub config: AgentConfig,
    /// The model to ask for.
    pub model: Option<String>,
    /// The key that it is given.
    pub key: Option<String>,
    /// The folder that it may look at.
    pub room: PathBuf,
    /// An empty folder.
    pub empty: PathBuf,
    /// A home of its own.
    pub home: PathBuf,
    /// A temporary folder of its own.
    pub temporary: PathBuf,
    /// Where its interpreter may be found.
    pub search: SearchPath,
    /// How the conversation begins.
    pub opening: Opening,
    /// What must live as long as the line: folders, a room.
    pub keep: Box<dyn Send + Sync>,
}

/// What an agent tells.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionEvent {
    /// A message went to it: its first byte left at this moment.
    Asked,
    /// A piece of the answer.
    Text(String),
    /// A new passage of the answer begins.
    Passage,
    /// It thinks.
    Thinking,
    /// It uses a tool, or has used it.
    Tool {
        /// Names the call.
        id: String,
        /// For people.
        title: String,
        /// Whether it ended.
        done: bool,
    },
    /// It wants to be allowed something; nothing goes on until [`Line::permit`].
    Permission {
        /// Names the request.
        id: String,
        /// The kind of thing, by which it is allowed for the conversation.
        what: String,
        /// For people.
        title: String,
    },
    /// Tokens of its latest request, and how many its model holds, where it tells.
    Tokens {
        /// In all: read and written.
        used: TokenUsage,
        /// How many fit.
        limit: Option<u64>,
    },
    /// The turn ended well, or was stopped.
    Done {
        /// It was stopped.
        stopped: bool,
    },
    /// The turn failed; the line may still be good.
    Failed(Failure),
    /// The line is gone: the last event.
    Closed(Option<Failure>),
}

/// What this side says.
#[derive(Debug)]
enum Word {
    Ask(Redacted<String>),
    Stop,
    Permit { id: String, allowed: bool },
    Close,
}

/// The side of a driver: words that wait, and where events go.
#[derive(Clone)]
struct Ends {
    words: Arc<Mutex<VecDeque<Word>>>,
    bell: Arc<Notify>,
    events: mpsc::UnboundedSender<SessionEvent>,
}

impl Ends {
    fn next(&self) -> Option<Word> {
        self.words.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    fn tell(&self, event: SessionEvent) {
        let _ = self.events.send(event);
    }
}

/// An open line. Dropping it ends the program behind it. One to an endpoint is good for one message: what was said before goes
/// out each time, as it is kept.
pub struct Line {
    words: Arc<Mutex<VecDeque<Word>>>,
    bell: Arc<Notify>,
    events: mpsc::UnboundedReceiver<SessionEvent>,
    cancel: CancellationToken,
    task: Option<tokio::task::JoinHandle<()>>,
}

impl Line {
    /// Opens a line. Nothing is sent before the first message.
    pub fn open(agent: &Agent, request: SessionRequest) -> Self {
        let words: Arc<Mutex<VecDeque<Word>>> = Arc::default();
        let bell = Arc::new(Notify::new());
        let (sender, events) = mpsc::unbounded_channel();
        let cancel = CancellationToken::new();
        let ends = Ends { words: Arc::clone(&words), bell: Arc::clone(&bell), events: sender };
        let (agent, token) = (agent.clone(), cancel.clone());
        let task = tokio::spawn(async move {
            let failure = match &request.program {
                None => http::run(&agent, &request, &ends, &token).await,
                Some(_) => run(&agent, &request, &ends, &token).await,
            };
            ends.tell(SessionEvent::Closed(failure));
            drop(request);
        });
        Self { words, bell, events, cancel, task: Some(task) }
    }

    fn say(&self, word: Word) {
        self.words.lock().unwrap_or_else(PoisonError::into_inner).push_back(word);
        self.bell.notify_one();
    }

    /// Sends a message. Its answer ends with [`SessionEvent::Done`] or [`SessionEvent::Failed`].
    pub fn ask(&self, message: &Redacted<String>) {
        self.say(Word::Ask(message.clone()));
    }

    /// Stops the answer; the line stays good where the agent can do that.
    pub fn stop(&self) {
        self.say(Word::Stop);
    }

    /// Answers a request for permission.
    pub fn permit(&self, id: &str, allowed: bool) {
        self.say(Word::Permit { id: id.to_owned(), allowed });
    }

    /// Lets the program end by itself, for a little while, and waits until nothing of it is left.
    pub async fn end(mut self) {
        self.say(Word::Close);
        if let Some(mut task) = self.task.take()
            && tokio::time::timeout(LEAVING, &mut task).await.is_err()
        {
            self.cancel.cancel();
            let _ = task.await;
        }
    }

    /// The next event; none when the line is gone.
    pub async fn next(&mut self) -> Option<SessionEvent> {
        self.events.recv().await
    }

    /// Events that came while nobody listened. False if the line is gone.
    pub fn is_good(&mut self) -> bool {
        loop {
            match self.events.try_recv() {
                Ok(SessionEvent::Closed(_)) | Err(mpsc::error::TryRecvError::Disconnected) => return false,
                Ok(_) => {}
                Err(mpsc::error::TryRecvError::Empty) => return true,
            }
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// Whether one can talk with an agent.
pub fn can_chat(agent: &Agent) -> bool {
    agent.is_endpoint() || agent.spec.chat.speaks != ChatTransport::None
}

/// The agent as it is started for a conversation.
fn for_chat(agent: &Agent, config: &AgentConfig) -> Agent {
    let mut agent = agent.clone();
    let chat = std::mem::take(&mut agent.spec.chat);
    agent.spec.command = Vec::new();
    agent.spec.args = chat.args;
    agent.spec.set.extend(chat.set);
    if !chat.home.is_empty() && !config.user_config {
        agent.spec.home = chat.home;
        agent.spec.link.extend(chat.link);
    }
    if !chat.mode.is_empty() {
        agent.spec.mode = chat.mode;
    }
    agent
}

async fn run(agent: &Agent, request: &SessionRequest, ends: &Ends, cancel: &CancellationToken) -> Option<Failure> {
    let speaks = agent.spec.chat.speaks;
    let agent = for_chat(agent, &request.config);
    let program = request.program.clone()?;
    let nothing = Redacted::fixed("");
    let asked = Request {
        program: Some(&program),
        config: &request.config,
        model: request.model.as_deref(),
        key: request.key.as_deref(),
        run_dir: &request.temporary,
        room: &request.room,
        empty: &request.empty,
        home: &request.home,
        temporary: &request.temporary,
        prompt: &nothing,
        schema: None,
        search: &request.search,
    };
    let furnished = command::furnish_home(&agent, &asked)
        .and_then(|()| std::fs::write(request.temporary.join("system.md"), request.opening.system.as_str()));
    if let Err(error) = furnished {
        return Some(Failure::said(FailureKind::Other, format!("its home cannot be made: {error}")));
    }
    let folder = match agent.spec.start_in {
        diffsan_config::StartIn::Room => &request.room,
        diffsan_config::StartIn::Empty => &request.empty,
    };
    let command = process::Command {
        program: program.clone(),
        args: command::arguments(&agent, &asked),
        environment: command::environment(&agent, &asked),
        directory: folder.clone(),
        deadlines: deadlines(&agent, &request.config),
        most_output: MAX_OUTPUT_BYTES,
    };
    let state = State::new(ends.clone(), request.opening.clone());
    let folder = folder.to_string_lossy().into_owned();
    let model = request.model.clone();
    let mut talk: Box<dyn Talk> = match speaks {
        ChatTransport::CodexAppServer => Box::new(codex::Codex::new(state, folder, model)),
        ChatTransport::ClaudeStreamJson => Box::new(claude::Claude::new(state)),
        ChatTransport::Acp => Box::new(acp::Acp::new(state, folder, agent.spec.mode.clone(), model)),
        ChatTransport::None => {
            return Some(Failure::said(FailureKind::Other, "it cannot be talked with".to_owned()));
        }
    };
    match process::run(command, cancel, talk.as_mut()).await {
        Ok(ended) if ended.status.is_none_or(|status| status.success()) => None,
        Ok(ended) => {
            let words: Vec<&str> = ended.stderr.lines().rev().filter(|line| !line.trim().is_empty()).take(3).collect();
            let words = words.into_iter().rev().collect::<Vec<_>>().join("\n");
            Some(Failure::said(classify(&words), words))
        }
        Err(ProcessError::Cancelled) => Some(Failure::Cancelled),
        Err(ProcessError::Timeout(which)) => Some(Failure::Timeout(which)),
        Err(error) => Some(Failure::said(FailureKind::Other, error.to_string())),
    }
}

/// What every driver keeps: the ends, what was said before, and whether somebody waits.
struct State {
    ends: Ends,
    opening: Option<Opening>,
    /// A message that waits until the line is ready.
    pending: Option<Redacted<String>>,
    waiting: Waiting,
    /// The turn that runs was stopped by the user.
    stopping: bool,
}

impl State {
    fn new(ends: Ends, opening: Opening) -> Self {
        Self { ends, opening: Some(opening), pending: None, waiting: Waiting::Nobody(Instant::now()), stopping: false }
    }

    fn tell(&self, event: SessionEvent) {
        self.ends.tell(event);
    }

    fn asked(&mut self) {
        self.stopping = false;
        self.waiting = Waiting::Since(Instant::now());
    }

    fn is_asked(&self) -> bool {
        matches!(self.waiting, Waiting::Since(_))
    }

    /// The turn is over.
    fn done(&mut self, event: SessionEvent) {
        self.waiting = Waiting::Nobody(Instant::now());
        self.stopping = false;
        self.tell(event);
    }

    fn failed(&mut self, words: String) {
        let failure = Failure::said(classify(&words), words);
        self.done(SessionEvent::Failed(failure));
    }
}

/// What a driver does with each word; the reading of words is the same for all.
trait Driver {
    fn state(&mut self) -> &mut State;
    /// Sends a message, or keeps it until the line is ready.
    fn ask(&mut self, message: Redacted<String>, reply: &mut Vec<u8>);
    /// Stops the turn.
    fn stop(&mut self, reply: &mut Vec<u8>);
    /// Answers a request for permission.
    fn permit(&mut self, id: &str, allowed: bool, reply: &mut Vec<u8>);

    fn hear(&mut self, reply: &mut Vec<u8>) -> Expect {
        while let Some(word) = self.state().ends.next() {
            match word {
                Word::Ask(message) => {
                    self.state().asked();
                    self.ask(message, reply);
                }
                Word::Stop => {
                    if self.state().pending.take().is_some() {
                        self.state().done(SessionEvent::Done { stopped: true });
                    } else if self.state().is_asked() {
                        self.state().stopping = true;
                        self.stop(reply);
                    }
                }
                Word::Permit { id, allowed } => self.permit(&id, allowed, reply),
                Word::Close => return Expect::Nothing,
            }
        }
        Expect::More
    }
}
