//! One message and its answer.

use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::attachments::render;
use super::compaction::{compact_if_due, make_room};
use super::context::{build_context, context_key, known, opening, system};
use super::errors::{busy, cannot_chat, failed, gone};
use super::history::{Facts, ToolFact, active};
use super::session::{OpenSession, SessionKey, SessionResources};
use super::{About, ChatContext, ChatEvent, LiveTool, Permission, Permit};
use diffsan_agent::session::{AgentSession, SessionEvent, supports_sessions};
use diffsan_agent::{Failure, FailureKind};
use diffsan_pipeline::agents::{AgentChoice, choose_agent};
use diffsan_pipeline::error::{Error, ErrorCode, Result, to_json, to_json_value};
use diffsan_prepare::prompt::reminder::get_system_reminder;
use diffsan_redact::{LiveText, Session};
use diffsan_store::files::artifacts::now;
use diffsan_store::files::places::random_word;
use diffsan_store::{Conversation, MessageState, StoredMessage};

/// How often what was written is shown; less often the longer it is, because drawing it takes longer.
const FRAME: Duration = Duration::from_millis(30);
const CHARS_PER_MS: usize = 1000;
/// How often it is put on disk.
const SAVE: Duration = Duration::from_millis(500);
/// How often a conversation is taken anew, and for how long, in milliseconds.
const LEASE_INTERVAL: Duration = Duration::from_secs(5);
const TAKEN: i64 = 20_000;
/// How long an agent that was stopped may take to say so.
const SETTLE: Duration = Duration::from_secs(3);
/// How long a request for permission waits for the user.
const PERMISSION_TIMEOUT: Duration = Duration::from_secs(180);
/// The rules are said again with every so many messages of the user.
const REMIND: usize = 10;
/// A longer message is refused, in characters.
const MAX_MESSAGE_CHARS: usize = 400_000;

/// A message to be sent.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// What was typed.
    pub text: String,
    /// What it is about.
    pub attached: Vec<About>,
    /// Who is asked; else who was asked last.
    pub agent: Option<String>,
    /// The model to ask for.
    pub model: Option<String>,
    /// The message that it stands in the place of.
    pub replaces: Option<i64>,
    /// What is said of the rules with it, where an answer was refused.
    pub tip: String,
}

/// A message that is on disk and not sent yet.
pub struct Begun {
    /// The conversation.
    pub conversation: Conversation,
    /// The answer's number.
    pub number: i64,
    choice: AgentChoice,
    sent: String,
    stop: CancellationToken,
    permits: mpsc::UnboundedReceiver<(String, Permit)>,
    since: Instant,
}

impl Begun {
    /// Stops its answer.
    pub fn stop(&self) -> &CancellationToken {
        &self.stop
    }
}

/// Begins a conversation about a change. Blocking.
pub fn new_conversation(
    chat_context: ChatContext<'_>,
    agent: Option<&str>,
    model: Option<&str>,
) -> Result<Conversation> {
    let mut session = chat_context.opened.prepared().session();
    let random =
        |error: std::io::Error| Error::new(ErrorCode::Internal, "The system gave no random numbers.").cause(error);
    let marker = format!("untrusted-{}", random_word(6).map_err(random)?);
    let time = now();
    let conversation = Conversation {
        id: random_word(8).map_err(random)?,
        repository: chat_context.opened.repository_name(),
        target: chat_context.opened.written_target().to_string(),
        title: String::new(),
        fingerprint: context_key(chat_context),
        context: build_context(chat_context, &marker, &mut session)?.into_inner(),
        marker,
        agent: agent.unwrap_or_default().to_owned(),
        model: model.map(str::to_owned),
        created_at: time.clone(),
        updated_at: time,
    };
    chat_context.store.add_conversation(&conversation)?;
    Ok(conversation)
}

fn milliseconds() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

/// Puts a message on disk, with the answer that is to come. Blocking.
pub fn begin_turn(chat_context: ChatContext<'_>, id: &str, draft: Draft) -> Result<Begun> {
    let since = Instant::now();
    let mut conversation = chat_context.store.conversation(id)?.ok_or_else(gone)?;
    let length = draft.text.chars().count();
    if draft.text.trim().is_empty() {
        return Err(Error::new(ErrorCode::InvalidInput, "The message is empty.").hint("Write something first."));
    }
    if length > MAX_MESSAGE_CHARS {
        return Err(Error::new(
            ErrorCode::InvalidInput,
            format!("The message has {length} characters; at most {MAX_MESSAGE_CHARS}."),
        )
        .hint("Attach a file instead, or send it in parts."));
    }
    let config = &chat_context.opened.settings.config;
    let name = draft.agent.as_deref().or(Some(conversation.agent.as_str()).filter(|name| !name.is_empty()));
    let model = match (&draft.model, &draft.agent) {
        (Some(model), _) => Some(model.clone()),
        // A model is one agent's.
        (None, Some(agent)) if *agent != conversation.agent => None,
        _ => conversation.model.clone(),
    };
    let choice = choose_agent(name, model.as_deref(), config, &chat_context.opened.search_path())?;
    if !supports_sessions(&choice.agent) {
        return Err(cannot_chat(&choice.agent));
    }
    let time = milliseconds();
    if chat_context.chats.is_running(id)
        || !chat_context.store.occupy(id, chat_context.chats.me(), time, time + TAKEN)?
    {
        return Err(busy());
    }
    let begun = write_down(chat_context, &mut conversation, &choice, &draft, model);
    let (sent, number) = match begun {
        Ok(begun) => begun,
        Err(error) => {
            let _ = chat_context.store.leave(id, chat_context.chats.me());
            return Err(error);
        }
    };
    let (stop, permits) = chat_context.chats.begin(id, number);
    let added = chat_context.store.messages(id)?;
    let added = added.into_iter().filter(|message| message.number >= number - 1).collect();
    let event = ChatEvent::Messages { messages: added, superseded_from: draft.replaces };
    chat_context.chats.tell(id, event);
    Ok(Begun { conversation, number, choice, sent, stop, permits, since })
}

fn write_down(
    chat_context: ChatContext<'_>,
    conversation: &mut Conversation,
    choice: &AgentChoice,
    draft: &Draft,
    model: Option<String>,
) -> Result<(String, i64)> {
    let store = chat_context.store;
    store.settle_interrupted(&conversation.id)?;
    let mut session = chat_context.opened.prepared().session();
    let key = context_key(chat_context);
    if conversation.fingerprint != key {
        conversation.context = build_context(chat_context, &conversation.marker, &mut session)?.into_inner();
        conversation.fingerprint = key;
    }
    let before = store.messages(&conversation.id)?;
    let users = active(&before).into_iter().filter(|message| message.role == "user").count();
    let text = session.contract("chat", &draft.text).into_inner();
    let mut parts: Vec<String> =
        draft.attached.iter().map(|about| render(chat_context, about, &mut session, &conversation.marker)).collect();
    parts.push(text.clone());
    if !draft.tip.is_empty() || (users + 1).is_multiple_of(REMIND) {
        parts.push(get_system_reminder(&draft.tip));
    }
    let sent = session.contract("chat", &parts.join("\n")).into_inner();
    if conversation.title.is_empty() {
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
        conversation.title = first.chars().take(80).collect();
    }
    conversation.agent.clone_from(&choice.agent.name);
    conversation.model = model;
    conversation.updated_at = now();
    store.update_conversation(conversation)?;
    let attached = to_json_value(&draft.attached)?;
    let attached = session.value("chat", attached).into_inner().to_string();
    let facts = Facts {
        agent: choice.agent.name.clone(),
        title: choice.agent.title().to_owned(),
        model: choice.model.clone(),
        ..Facts::default()
    };
    let message = |role: &str, state, text: &str, sent: &str, facts: String| StoredMessage {
        number: 0,
        role: role.to_owned(),
        state,
        text: text.to_owned(),
        sent: sent.to_owned(),
        attached: if role == "user" { attached.clone() } else { "[]".to_owned() },
        facts,
        superseded: false,
        created_at: now(),
    };
    let messages = [
        message("user", MessageState::Done, &text, &sent, "{}".to_owned()),
        message("assistant", MessageState::Streaming, "", "", to_json(&facts)?),
    ];
    let first = store.add_messages(&conversation.id, &messages, draft.replaces)?;
    Ok((sent, first + 1))
}

/// Asks, and keeps what comes until it ends.
pub async fn run_turn(chat_context: ChatContext<'_>, begun: Begun) {
    let id = begun.conversation.id.clone();
    let line = chat_context.chats.session(&id);
    // Whoever was stopped a moment ago may still settle on it.
    let mut held = line.lock().await;
    let session = chat_context.opened.prepared().session();
    let facts = Facts {
        agent: begun.choice.agent.name.clone(),
        title: begun.choice.agent.title().to_owned(),
        model: begun.choice.model.clone(),
        ..Facts::default()
    };
    let text = LiveText::new(session.clone());
    let mut turn = Turn {
        chat_context,
        begun,
        session,
        facts,
        text: Some(text),
        asked: None,
        waiting: Vec::new(),
        saved: Instant::now(),
        drawn: Instant::now(),
        ended: false,
    };
    let again = held.take();
    match turn.go(again).await {
        Ok(kept) => *held = kept,
        Err(error) => {
            let state = match error.code {
                ErrorCode::AgentCancelled => MessageState::Stopped,
                _ => MessageState::Failed,
            };
            turn.end(state, Some(error));
        }
    }
}

struct Turn<'a> {
    chat_context: ChatContext<'a>,
    begun: Begun,
    session: Session,
    facts: Facts,
    text: Option<LiveText>,
    asked: Option<Instant>,
    /// Requests for permission that the user has not answered.
    waiting: Vec<(Permission, Instant)>,
    saved: Instant,
    drawn: Instant,
    ended: bool,
}

impl Turn<'_> {
    fn id(&self) -> &str {
        &self.begun.conversation.id
    }

    fn tell(&self, event: ChatEvent) {
        self.chat_context.chats.tell(self.id(), event);
    }

    async fn go(&mut self, again: Option<OpenSession>) -> Result<Option<OpenSession>> {
        let cancel = self.begun.stop.clone();
        let before = self.begun.number - 1;
        let (chat_context, conversation, choice) =
            (self.chat_context, self.begun.conversation.clone(), self.begun.choice.clone());
        compact_if_due(chat_context, &conversation, &choice, before, &cancel).await?;
        let retries = chat_context.opened.settings.config.agent.max_retries;
        let mut line = self.line(again, before).await?;
        let (mut died, mut fuller) = (false, false);
        for attempt in 0.. {
            let message = self.session.contract("chat", &self.begun.sent);
            line.agent.ask(&message);
            match self.listen(&mut line).await {
                Heard::Done if cancel.is_cancelled() && choice.agent.spec.chat.forgets_stopped => return Ok(None),
                Heard::Done => {
                    line.known.extend([before, self.begun.number]);
                    let lasting = line.agent.is_usable() && !choice.agent.is_endpoint();
                    return Ok(lasting.then_some(line));
                }
                Heard::Lost => return Ok(None),
                Heard::Failed(failure) => {
                    let untouched = self.text.as_ref().is_none_or(LiveText::is_empty);
                    let passes = matches!(&failure, Failure::Failed { kind, .. } if kind.is_temporary());
                    let gone =
                        matches!(&failure, Failure::Failed { kind: FailureKind::Other, .. }) && !line.agent.is_usable();
                    let full = matches!(&failure, Failure::Failed { kind: FailureKind::ContextTooLong, .. });
                    if untouched
                        && full
                        && !fuller
                        && make_room(chat_context, &conversation, &choice, before, &cancel).await?
                    {
                        // It holds less than was thought.
                        fuller = true;
                    } else if untouched && gone && !died {
                        // It ended for no reason that it told: another begins where it left off.
                        died = true;
                        self.tell(ChatEvent::Step(format!("{} ended; starting it again", choice.agent.title())));
                    } else if untouched && passes && attempt < retries {
                        let told = match &failure {
                            Failure::Failed { retry_after, .. } => *retry_after,
                            _ => None,
                        };
                        let wait = told.unwrap_or(2 << attempt).min(60);
                        let words = format!("{} failed for now; asking again in {wait} s", choice.agent.title());
                        self.tell(ChatEvent::Step(words));
                        tokio::select! {
                            () = cancel.cancelled() => return Err(self.failed(Failure::Cancelled)),
                            () = tokio::time::sleep(Duration::from_secs(wait)) => {}
                        }
                    } else {
                        return Err(self.failed(failure));
                    }
                    line = self.line(None, before).await?;
                }
            }
        }
        Ok(None)
    }

    fn failed(&mut self, failure: Failure) -> Error {
        let config = &self.chat_context.opened.settings.config.agent;
        failed(&self.begun.choice.agent, config, &mut self.session, failure)
    }

    /// The line that the agent still knows everything on, or a new one.
    async fn line(&mut self, again: Option<OpenSession>, before: i64) -> Result<OpenSession> {
        let (chat_context, choice) = (self.chat_context, &self.begun.choice);
        let mut session = self.session.clone();
        let key = SessionKey {
            agent: choice.agent.name.clone(),
            model: choice.model.clone(),
            context: self.begun.conversation.context.clone(),
            system: system(chat_context, &mut session)?.into_inner(),
        };
        let known = known(chat_context, &self.begun.conversation, before)?;
        if let Some(mut kept) = again
            && kept.key == key
            && kept.known == known
            && kept.agent.is_usable()
        {
            return Ok(kept);
        }
        let words = match choice.agent.is_endpoint() {
            true => format!("Asking {}", choice.agent.title()),
            false => format!("Starting {}", choice.agent.title()),
        };
        self.tell(ChatEvent::Step(words));
        let (resources, request) = tokio::task::block_in_place(|| {
            let resources = SessionResources::prepare(chat_context, choice, &mut session)?;
            let request = resources.request(chat_context, choice);
            Ok::<_, Error>((resources, request))
        })?;
        let opening = opening(chat_context, &self.begun.conversation, before, resources.note.as_ref(), &mut session)?;
        Ok(OpenSession { agent: AgentSession::open(request, opening, resources), key, known })
    }

    async fn listen(&mut self, kept: &mut OpenSession) -> Heard {
        let mut frame = interval(FRAME);
        frame.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut beat = interval(LEASE_INTERVAL);
        let mut dirty = false;
        let stop = self.begun.stop.clone();
        let mut settle: Option<Instant> = None;
        let allowed = self.chat_context.store.allowances(self.id()).unwrap_or_default();
        loop {
            let settled = settle.map_or_else(|| Instant::now() + SETTLE, |since| since + SETTLE);
            tokio::select! {
                biased;
                () = stop.cancelled(), if settle.is_none() => {
                    // For the user it is over now; the agent gets a moment to put its pen down.
                    kept.agent.stop();
                    settle = Some(Instant::now());
                    self.end(MessageState::Stopped, None);
                }
                () = tokio::time::sleep_until(settled.into()), if settle.is_some() => return Heard::Lost,
                event = kept.agent.next() => match self.heard(kept, event, &allowed, settle.is_some()) {
                    Next::More => dirty = true,
                    Next::Now => dirty = !self.show(),
                    Next::End(heard) => return heard,
                },
                answer = self.begun.permits.recv() => {
                    if let Some((id, permit)) = answer {
                        self.permitted(kept, &id, permit);
                    }
                }
                _ = frame.tick(), if dirty => {
                    let length = self.text.as_ref().map_or(0, |text| text.shown().len());
                    let slower = Duration::from_millis((length / CHARS_PER_MS) as u64);
                    if self.drawn.elapsed() < FRAME + slower {
                        continue;
                    }
                    self.drawn = Instant::now();
                    dirty = false;
                    self.show();
                    self.save();
                }
                _ = beat.tick(), if settle.is_none() => {
                    let time = milliseconds();
                    let _ = self.chat_context.store.occupy(self.id(), self.chat_context.chats.me(), time, time + TAKEN);
                    self.refuse_late(kept);
                }
            }
        }
    }

    fn heard(&mut self, kept: &OpenSession, event: Option<SessionEvent>, allowed: &[String], stopping: bool) -> Next {
        let Some(event) = event else { return Next::End(self.closed(None, stopping)) };
        match event {
            SessionEvent::Asked => {
                self.asked = Some(Instant::now());
                self.facts.asked_ms = Some(millis(self.begun.since));
                self.tell(ChatEvent::Step("Waiting for the answer".to_owned()));
            }
            SessionEvent::Text(piece) if !stopping => {
                let first = self.facts.first_text_ms.is_none();
                if first {
                    self.facts.first_text_ms = self.asked.map(millis);
                }
                if let Some(text) = &mut self.text {
                    text.push(&piece);
                }
                return if first { Next::Now } else { Next::More };
            }
            SessionEvent::Paragraph if !stopping => {
                if let Some(text) = self.text.as_mut().filter(|text| !text.is_empty()) {
                    text.push("\n\n");
                }
            }
            SessionEvent::Thinking if !stopping => self.tell(ChatEvent::Thinking),
            SessionEvent::Tool { id, title, done } if !stopping => {
                let title = self.session.contract("agent output", &title).into_inner();
                if done || !self.facts.tools.iter().any(|tool| tool.title == title) {
                    match self.facts.tools.iter_mut().find(|tool| tool.title == title) {
                        Some(tool) => tool.done |= done,
                        None => self.facts.tools.push(ToolFact { title: title.clone(), done }),
                    }
                }
                self.tell(ChatEvent::Tool(LiveTool { id, title, done }));
            }
            SessionEvent::Permission { id, kind, title } => {
                let title = self.session.contract("agent output", &title).into_inner();
                let kind = self.session.contract("agent output", &kind).into_inner();
                if stopping || allowed.contains(&kind) || !self.chat_context.chats.is_heard() {
                    kept.agent.permit(&id, allowed.contains(&kind) && !stopping);
                } else {
                    let permission = Permission { id, kind, title };
                    self.waiting.push((permission.clone(), Instant::now()));
                    self.tell(ChatEvent::Permission(permission));
                }
            }
            SessionEvent::Tokens { used, limit } => {
                self.facts.usage = Some(used);
                self.facts.limit = limit.or(self.facts.limit);
                if !stopping {
                    self.tell(ChatEvent::Tokens { used, limit });
                }
            }
            SessionEvent::Done { stopped } => {
                if !stopping {
                    let state = if stopped { MessageState::Stopped } else { MessageState::Done };
                    if !stopped && self.text.as_ref().is_none_or(LiveText::is_empty) {
                        return Next::End(Heard::Failed(Failure::Failed {
                            kind: FailureKind::NoAnswer,
                            message: String::new(),
                            retry_after: None,
                        }));
                    }
                    self.end(state, None);
                }
                return Next::End(Heard::Done);
            }
            SessionEvent::Failed(_) if stopping => return Next::End(Heard::Lost),
            SessionEvent::Failed(failure) => return Next::End(Heard::Failed(failure)),
            SessionEvent::Closed(failure) => return Next::End(self.closed(failure, stopping)),
            _ => {}
        }
        Next::More
    }

    fn closed(&self, failure: Option<Failure>, stopping: bool) -> Heard {
        if stopping {
            return Heard::Lost;
        }
        let ended = || Failure::Failed {
            kind: FailureKind::Other,
            message: "it ended in the middle".to_owned(),
            retry_after: None,
        };
        Heard::Failed(failure.unwrap_or_else(ended))
    }

    fn permitted(&mut self, kept: &OpenSession, id: &str, permit: Permit) {
        let Some(at) = self.waiting.iter().position(|(known, _)| known.id == id) else { return };
        let (permission, _) = self.waiting.remove(at);
        if permit == Permit::Always {
            // Where it cannot be kept, it holds this once.
            let _ = self.chat_context.store.allow(self.id(), &permission.kind);
        }
        kept.agent.permit(id, permit != Permit::Refuse);
        self.tell(ChatEvent::Permitted { id: id.to_owned() });
    }

    /// What nobody answered is refused.
    fn refuse_late(&mut self, kept: &OpenSession) {
        let late: Vec<String> = self
            .waiting
            .iter()
            .filter(|(_, since)| since.elapsed() > PERMISSION_TIMEOUT)
            .map(|(permission, _)| permission.id.clone())
            .collect();
        for id in late {
            self.permitted(kept, &id, Permit::Refuse);
        }
    }

    /// Shows what is new. Whether there was anything.
    fn show(&mut self) -> bool {
        let Some(patch) = self.text.as_mut().and_then(LiveText::flush) else { return false };
        let number = self.begun.number;
        self.tell(ChatEvent::Text { number, patch });
        true
    }

    /// Puts on disk what was written so far, now and then.
    fn save(&mut self) {
        if self.saved.elapsed() < SAVE {
            return;
        }
        self.saved = Instant::now();
        let shown = self.text.as_ref().map(LiveText::shown).unwrap_or_default();
        let Ok(facts) = to_json(&self.facts) else { return };
        // The end is kept with its error; a piece that is not kept is in the next one.
        let _ =
            self.chat_context.store.write_answer(self.id(), self.begun.number, shown, MessageState::Streaming, &facts);
    }

    /// Ends the answer for the user, once.
    fn end(&mut self, state: MessageState, error: Option<Error>) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        let text = self.text.take().map(LiveText::finish).unwrap_or_default();
        self.facts.total_ms = Some(millis(self.begun.since));
        self.facts.error = error.filter(|_| state == MessageState::Failed).map(|error| error.info());
        let facts = self.session.value("chat", serde_json::to_value(&self.facts).unwrap_or_default());
        let (id, number) = (self.begun.conversation.id.clone(), self.begun.number);
        let store = self.chat_context.store;
        let kept = store.write_answer(&id, number, text.trim_end(), state, &facts.into_inner().to_string());
        let _ = store.leave(&id, self.chat_context.chats.me());
        let mut messages = store.messages(&id).unwrap_or_default();
        messages.retain(|message| message.number == number);
        if let (Err(error), Some(message)) = (kept, messages.first_mut()) {
            // What the user saw stays on the screen, and says that it is nowhere else.
            message.text = text;
            message.state = MessageState::Failed;
            let info = Error::from(error).info();
            message.facts = serde_json::json!({ "error": info }).to_string();
        }
        self.tell(ChatEvent::Messages { messages, superseded_from: None });
        self.tell(ChatEvent::Ended);
    }
}

/// What follows from an event.
enum Next {
    More,
    /// To be shown at once.
    Now,
    End(Heard),
}

/// How listening ended.
enum Heard {
    /// The turn is over, the line is good.
    Done,
    /// The turn is over, the line is not.
    Lost,
    /// There is no answer yet.
    Failed(Failure),
}

fn millis(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}
