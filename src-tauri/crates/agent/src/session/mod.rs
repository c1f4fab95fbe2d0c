//! Sessions: an agent stays open, and is asked again and again.
//!
//! In: the opening of a conversation (system prompt, context, history) and one message after the other, all masked. Out: events as
//! the agent writes them, not masked: the caller masks them. A session that breaks is reported and not repaired; the caller opens
//! another one with the same history.

pub(crate) mod acp;
mod claude_stream_json;
mod codex_app_server;
pub(crate) mod driver;
mod http;

use std::sync::{Arc, OnceLock};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::command;
use super::entry::Agent;
use super::failure::{Failure, FailureKind};
use super::oneshot::{home_failure, process_failure, with_refused};
use super::process::{self, ProcessError};
use super::protocol::SessionCommand;
use super::read::last_lines;
use super::request::AgentRequest;
use super::sandbox::Recorder;
use diffsan_config::ChatTransport;
use diffsan_redact::types::Redacted;
use diffsan_review::TokenUsage;
use diffsan_review::sandbox::{SandboxMechanism, SandboxReceipt};
use driver::{Driver, SessionProtocol, State};

/// The maximum output of a whole session, in bytes.
const MAX_OUTPUT_BYTES: usize = 2 * 1024 * 1024 * 1024;
/// The time for a program to exit after its input was closed.
const CLOSE_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(4);

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The reviewer.
    User,
    /// The agent.
    Assistant,
}

/// A message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its author.
    pub role: Role,
    /// The exact text.
    pub text: Redacted<String>,
}

/// The beginning of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    /// The system prompt.
    pub system: Redacted<String>,
    /// The prepared diff and the findings. They stay the same.
    pub context: Redacted<String>,
    /// The earlier messages, oldest first.
    pub history: Vec<Message>,
}

/// The agent's message after the context, where roles must alternate.
pub const ACKNOWLEDGED: &str = "I have read the change. What would you like to know?";

impl Opening {
    /// The messages after the system prompt, in the order in which they are sent.
    pub fn messages(&self) -> Vec<Message> {
        let mut all = Vec::with_capacity(self.history.len() + 2);
        if !self.context.as_str().is_empty() {
            all.push(Message { role: Role::User, text: self.context.clone() });
            all.push(Message { role: Role::Assistant, text: Redacted::fixed(ACKNOWLEDGED) });
        }
        all.extend(self.history.iter().cloned());
        all
    }

    /// Context and history as one text, for programs that take only the reviewer's messages.
    fn transcript(&self) -> String {
        let mut text = self.context.as_str().to_owned();
        if !self.history.is_empty() {
            text.push_str("\n\n# Conversation so far\n");
            for message in &self.history {
                let author = if message.role == Role::User { "Reviewer" } else { "You" };
                text.push_str(&format!("\n## {author}\n\n{}\n", message.text.as_str().trim_end()));
            }
            text.push_str("\n# Next message of the reviewer\n");
        }
        text
    }
}

/// An event of a session.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionEvent {
    /// A message was sent to the agent.
    Asked,
    /// A part of the answer.
    Text(String),
    /// A new paragraph of the answer begins.
    Paragraph,
    /// The agent is thinking.
    Thinking,
    /// The agent uses a tool, or has used it.
    Tool {
        /// Identifies the call.
        id: String,
        /// For people.
        title: String,
        /// Whether the call has ended.
        done: bool,
    },
    /// The agent asks for permission, and waits for [`AgentSession::permit`].
    Permission {
        /// Identifies the request.
        id: String,
        /// The kind of action, which can be allowed for the whole conversation.
        kind: String,
        /// For people.
        title: String,
    },
    /// The tokens of the latest request.
    Tokens {
        /// Read and written tokens.
        used: TokenUsage,
        /// The size of the model's context, where the agent reports it.
        limit: Option<u64>,
    },
    /// The turn has ended.
    Done {
        /// Whether it was stopped.
        stopped: bool,
    },
    /// The turn has failed. The session may be usable.
    Failed(Failure),
    /// The session has ended. No event follows.
    Closed(Option<Failure>),
}

/// An open session. Dropping it ends the program. A session of an endpoint is good for one message: the whole conversation is sent
/// each time.
pub struct AgentSession {
    commands: mpsc::UnboundedSender<SessionCommand>,
    events: mpsc::UnboundedReceiver<SessionEvent>,
    cancel: CancellationToken,
    task: Option<tokio::task::JoinHandle<()>>,
    recorder: Arc<OnceLock<Recorder>>,
}

impl AgentSession {
    /// Opens a session. Nothing is sent before the first message. `resources`, such as folders, live as long as the session.
    pub fn open(request: AgentRequest, opening: Opening, resources: impl Send + 'static) -> Self {
        let (commands, receiver) = mpsc::unbounded_channel();
        let (sender, events) = mpsc::unbounded_channel();
        let cancel = CancellationToken::new();
        let token = cancel.clone();
        let recorder = Arc::new(OnceLock::new());
        let recorder_of_program = Arc::clone(&recorder);
        let task = tokio::spawn(async move {
            let failure = match &request.program {
                None => http::run(&request, &opening, receiver, &sender, &token).await,
                Some(_) => {
                    let request = for_session(request);
                    run(request, opening, (receiver, sender.clone()), &token, &recorder_of_program).await
                }
            };
            // Nobody listens to a dropped session.
            let _ = sender.send(SessionEvent::Closed(failure));
            drop(resources);
        });
        Self { commands, events, cancel, task: Some(task), recorder }
    }

    /// Returns the confinement of the program; `None` for an endpoint, and before the program is started.
    pub fn sandbox(&self) -> Option<SandboxReceipt> {
        let receipt = self.recorder.get().map(Recorder::receipt);
        receipt.filter(|receipt| receipt.mechanism != SandboxMechanism::None || receipt.reason.is_some())
    }

    fn send(&self, command: SessionCommand) {
        // A session that has ended reports that as its last event.
        let _ = self.commands.send(command);
    }

    /// Sends a message. Its answer ends with [`SessionEvent::Done`] or [`SessionEvent::Failed`].
    pub fn ask(&self, message: &Redacted<String>) {
        self.send(SessionCommand::Ask(message.clone()));
    }

    /// Stops the answer. The session stays usable where the agent supports that.
    pub fn stop(&self) {
        self.send(SessionCommand::Stop);
    }

    /// Answers a request for permission.
    pub fn permit(&self, id: &str, allowed: bool) {
        self.send(SessionCommand::Permit { id: id.to_owned(), allowed });
    }

    /// Ends the program, gently at first, and waits until no process remains.
    pub async fn close(mut self) {
        self.send(SessionCommand::Close);
        if let Some(mut task) = self.task.take()
            && tokio::time::timeout(CLOSE_TIMEOUT, &mut task).await.is_err()
        {
            self.cancel.cancel();
            // Its failure was an event.
            let _ = task.await;
        }
    }

    /// The next event; `None` after the last one.
    pub async fn next(&mut self) -> Option<SessionEvent> {
        self.events.recv().await
    }

    /// Discards pending events. Returns false if the session has ended.
    pub fn is_usable(&mut self) -> bool {
        loop {
            match self.events.try_recv() {
                Ok(SessionEvent::Closed(_)) | Err(mpsc::error::TryRecvError::Disconnected) => return false,
                Ok(_) => {}
                Err(mpsc::error::TryRecvError::Empty) => return true,
            }
        }
    }
}

impl Drop for AgentSession {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// Whether an agent supports sessions.
pub fn supports_sessions(agent: &Agent) -> bool {
    agent.is_endpoint() || agent.spec.chat.speaks != ChatTransport::None
}

/// The request with the entry's settings for conversations.
fn for_session(mut request: AgentRequest) -> AgentRequest {
    let spec = &mut request.agent.spec;
    let chat = spec.chat.clone();
    spec.command = Vec::new();
    spec.args = chat.args;
    spec.set.extend(chat.set);
    if !chat.home.is_empty() && !request.config.user_config {
        spec.home = chat.home;
        spec.link.extend(chat.link);
    }
    if !chat.mode.is_empty() {
        spec.mode = chat.mode;
    }
    request
}

async fn run(
    request: AgentRequest,
    opening: Opening,
    (mut commands, events): (mpsc::UnboundedReceiver<SessionCommand>, mpsc::UnboundedSender<SessionEvent>),
    cancel: &CancellationToken,
    recorder: &OnceLock<Recorder>,
) -> Option<Failure> {
    let (prepared, system) = (request.clone(), opening.system.clone());
    let preparing = tokio::task::spawn_blocking(move || {
        let temporary = &prepared.folders.temporary;
        std::fs::write(temporary.join("system.md"), system.as_str())?;
        command::prepare(&prepared, temporary, MAX_OUTPUT_BYTES)
    });
    let command = match preparing.await.map_err(std::io::Error::from).flatten() {
        Ok(command) => command,
        Err(error) => return Some(home_failure(&error)),
    };
    if let Some(confinement) = &command.confinement {
        // It is set once.
        let _ = recorder.set(confinement.recorder.clone());
    }
    let receipt = || recorder.get().map(Recorder::receipt);
    let state = State::new(events, opening);
    let driver: Box<dyn Driver> = match request.agent.spec.chat.speaks {
        ChatTransport::CodexAppServer => Box::new(codex_app_server::CodexAppServer::new(state, &request)),
        ChatTransport::ClaudeStreamJson => Box::new(claude_stream_json::ClaudeStreamJson::new(state)),
        ChatTransport::Acp => Box::new(acp::Acp::new(state, &request)),
        ChatTransport::None => return Some(Failure::new(FailureKind::Other, "it does not support conversations")),
    };
    match process::run_session(command, cancel, &mut SessionProtocol(driver), &mut commands).await {
        Ok(ended) if ended.status.is_none_or(|status| status.success()) => None,
        Ok(ended) => Some(with_refused(Failure::classified(last_lines(&ended.stderr)), receipt().as_ref())),
        Err(ProcessError::Cancelled) => Some(Failure::Cancelled),
        Err(ProcessError::Timeout(which)) => Some(Failure::Timeout(which)),
        Err(error) => Some(process_failure(&error)),
    }
}
