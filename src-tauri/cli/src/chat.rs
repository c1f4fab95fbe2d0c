//! `diffsan chat`: a conversation in the terminal, with the same store as the window.

use std::io::{IsTerminal, Write};
use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;

use diffsan_app::{App, ChangeHandle, Signals, StopRequest};
use diffsan_chat::{About, AssembledMessage, ChatEvent, Draft, PermissionAnswer, facts_of};
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_redact::units;
use diffsan_store::{MessageState, StoredMessage};

use crate::args::ChatArgs;
use crate::input::Lines;
use crate::{output, prepare};

const HELP: &str = "\
/NAME                a snippet: its text is sent (/snippets lists them)
/file PATH           the next message is about this file
/finding PLACE       the next message is about the finding at PATH:LINE of the latest review, or the one with this key
/agent NAME          use another agent from now on
/retry               send the last message again
/apply [N [FILE]]    apply the N-th fix block of the last answer to the work tree; FILE confirms a file that configures something
/undo                undo the last fix
/compact             summarise the earlier messages
/messages            show the messages that are sent with the next one
/quit                end (also Ctrl-D); Ctrl-C stops an answer
A line that ends with \\ continues on the next line.";

struct TerminalChat {
    app: Arc<App>,
    handle: ChangeHandle,
    id: String,
    agent: Option<String>,
    model: Option<String>,
    attached: Vec<About>,
    json: bool,
    last_fix: Option<i64>,
    signals: Signals,
    /// Whether the program ends after the current work.
    leaving: bool,
}

/// Runs the conversation until the input ends.
pub async fn run(args: ChatArgs) -> Result<ExitCode> {
    let source = args.source.clone();
    let (app, handle) = prepare::open(&source).await?;
    let id = match &args.go_on {
        Some(name) => {
            let known = app.conversations(&handle.opened)?;
            let found = known.into_iter().find(|one| name.is_empty() || one.id == *name);
            found.map(|one| one.id).ok_or_else(|| {
                Error::new(ErrorCode::NotFound, "This change has no such conversation.")
                    .hint("Leave out --continue to start a new conversation.")
            })?
        }
        None => app.new_conversation(&handle, args.agent.as_deref(), args.model.as_deref())?.id,
    };
    let mut talk = TerminalChat {
        app,
        handle,
        id,
        agent: args.agent,
        model: args.model,
        attached: Vec::new(),
        json: args.json,
        last_fix: None,
        signals: Signals::listen(),
        leaving: false,
    };
    let ended = match args.message {
        Some(message) => talk.say(message, None).await.map(exit),
        None => talk.converse().await,
    };
    talk.app.end().await;
    ended
}

/// Returns the exit status of a turn. An incomplete answer is an error.
fn exit(state: MessageState) -> ExitCode {
    match state {
        MessageState::Done => ExitCode::SUCCESS,
        MessageState::Stopped => ExitCode::from(130),
        _ => ExitCode::from(5),
    }
}

impl TerminalChat {
    async fn converse(&mut self) -> Result<ExitCode> {
        let terminal = std::io::stdin().is_terminal();
        if terminal {
            output::say(&format!("{} · /help", self.handle.opened.title()));
        }
        let mut lines = Lines::of_standard_input();
        let mut message = String::new();
        let mut last = ExitCode::SUCCESS;
        while !self.leaving {
            if terminal {
                prompt(if message.is_empty() { "you> " } else { "...> " });
            }
            let line = tokio::select! {
                line = lines.next() => line,
                request = self.signals.next() => {
                    // At a terminal, Ctrl-C is a way to leave.
                    return Ok(if terminal && request == StopRequest::Work { last } else { exit(MessageState::Stopped) });
                }
            };
            let unreadable =
                |error| Error::new(ErrorCode::IoFailed, format!("Standard input cannot be read: {error}."));
            let Some(line) = line.map_err(unreadable)? else { break };
            if let Some(part) = line.strip_suffix('\\') {
                message += part;
                message.push('\n');
                continue;
            }
            message += &line;
            let whole = std::mem::take(&mut message);
            if whole.trim().is_empty() {
                continue;
            }
            let done = match whole.trim().strip_prefix('/') {
                Some("quit" | "exit") => break,
                Some(command) => self.command(command).await,
                None => self.say(whole, None).await.map(Some),
            };
            match done {
                Ok(state) => last = state.map_or(last, exit),
                // The conversation continues after an error. In a pipe, the last exit status reports it.
                Err(error) => {
                    last = ExitCode::from(error.code.presentation().exit_code);
                    output::failure(&diffsan_pipeline::error::redacted(error), false);
                }
            }
        }
        Ok(last)
    }

    async fn command(&mut self, command: &str) -> Result<Option<MessageState>> {
        let (name, rest) = command.split_once(' ').unwrap_or((command, ""));
        let rest = rest.trim();
        match name {
            "help" => output::say(HELP),
            "snippets" => {
                let (read, _) = self.app.snippets();
                for snippet in read.snippets {
                    output::say(&format!("{}  /{}: {}", snippet.icon, snippet.name(), snippet.tooltip));
                }
            }
            "file" => self.attached.push(About::File { path: rest.to_owned() }),
            "finding" => {
                let key = self.app.find_finding(&self.handle.opened, rest)?;
                self.attached.push(About::Finding { key });
            }
            "agent" => self.agent = Some(rest.to_owned()),
            "retry" => return self.retry().await.map(Some),
            "compact" => {
                let cancel = self.app.cancellation();
                let mut compacting = pin!(self.app.compact(&self.handle, &self.id, &cancel));
                let done = loop {
                    tokio::select! {
                        done = &mut compacting => break done?,
                        request = self.signals.next() => {
                            self.leaving |= request == StopRequest::Program;
                            cancel.cancel();
                        }
                    }
                };
                output::say(&done.summary);
            }
            "messages" => {
                let all = self.app.assembled(&self.handle, &self.id, self.agent.as_deref())?;
                for AssembledMessage { role, text } in &all.messages {
                    output::say(&format!("===== {role} =====\n{text}"));
                }
                output::say(&format!("{} tokens", all.tokens));
            }
            "apply" => self.apply(rest)?,
            "undo" => match self.last_fix.take() {
                Some(fix) => {
                    let undone = self.app.undo_fix(&self.handle.opened, fix)?;
                    output::say(&format!("undone in {}", undone.path));
                }
                None => output::say("no fix was applied in this session"),
            },
            name => match self.app.snippet(name) {
                Some(message) => return self.say(message, None).await.map(Some),
                None => {
                    output::say(&format!("/{name} is neither a command nor a snippet; /help and /snippets list them"))
                }
            },
        }
        Ok(None)
    }

    fn apply(&mut self, which: &str) -> Result<()> {
        let view = self.app.conversation(&self.id)?;
        let Some(answer) = view.messages.iter().rfind(|one| one.role == "assistant" && !one.superseded) else {
            output::say("there is no answer yet");
            return Ok(());
        };
        let blocks = diffsan_prepare::prompt::fix::find(&answer.text);
        // A protected file is written only if its path follows: `/apply 2 .gitattributes`.
        let (number, confirmed) = which.split_once(' ').unwrap_or((which, ""));
        let at = number.parse::<usize>().unwrap_or(1);
        let Some(block) = at.checked_sub(1).and_then(|at| blocks.get(at)) else {
            output::say(&format!("the last answer has {} fix blocks", blocks.len()));
            return Ok(());
        };
        let confirmed = Some(confirmed.trim()).filter(|path| !path.is_empty());
        let applied = self.app.apply_fix(&self.handle, &self.id, (answer.number, block.line), confirmed);
        let fix = applied.map_err(|error| match error.context.get("confirm_path").and_then(|path| path.as_str()) {
            Some(path) => {
                let hint = format!("Read the fix. To change the file, name it: /apply {at} {path}");
                error.clone().hint(hint)
            }
            None => error,
        })?;
        output::say(&format!("applied to {}; /undo reverts it", fix.path));
        self.last_fix = Some(fix.id);
        Ok(())
    }

    async fn retry(&mut self) -> Result<MessageState> {
        let view = self.app.conversation(&self.id)?;
        let last = view.messages.into_iter().rfind(|one| one.role == "user" && !one.superseded);
        let Some(last) = last else {
            return Err(Error::new(ErrorCode::NotFound, "There is no message to send again."));
        };
        self.attached = serde_json::from_str(&last.attached).unwrap_or_default();
        self.say(last.text, Some(last.number)).await
    }

    /// Sends a message and prints its answer while it is written.
    async fn say(&mut self, text: String, replaces: Option<i64>) -> Result<MessageState> {
        let draft = Draft {
            text,
            attached: std::mem::take(&mut self.attached),
            agent: self.agent.clone(),
            model: self.model.clone(),
            replaces,
            tip: String::new(),
        };
        let mut following = self.app.follow(&self.id);
        let (app, handle, id) = (Arc::clone(&self.app), self.handle.clone(), self.id.clone());
        let begun = tokio::task::spawn_blocking({
            let (app, handle, id) = (Arc::clone(&app), handle.clone(), id.clone());
            move || app.begin_turn(&handle, &id, draft)
        })
        .await
        .map_err(|error| Error::new(ErrorCode::AgentExecFailed, "The message could not be sent.").cause(error))??;
        let number = begun.number;
        let turn = tokio::spawn({
            let app = Arc::clone(&app);
            async move { app.run_turn(&handle.opened, begun).await }
        });
        let mut shown = String::new();
        let mut last: Option<StoredMessage> = None;
        loop {
            let event = tokio::select! {
                event = following.events.recv() => event,
                request = self.signals.next() => {
                    self.leaving |= request == StopRequest::Program;
                    app.stop_chat(&id);
                    continue;
                }
            };
            let event = match event {
                Ok(one) if *one.conversation == *id => one.event,
                Err(tokio::sync::broadcast::error::RecvError::Closed) => break,
                _ => continue,
            };
            match event {
                ChatEvent::Step(words) => output::progress(&format!("  {words}")),
                ChatEvent::Tool(tool) if !tool.done => output::progress(&format!("  {}", tool.title)),
                ChatEvent::Text { patch, .. } if !self.json => {
                    // Printed text cannot be changed, so a correction is printed below it.
                    let whole = units(&shown);
                    if patch.keep < whole {
                        let kept: String =
                            String::from_utf16_lossy(&shown.encode_utf16().take(patch.keep).collect::<Vec<_>>());
                        shown = kept;
                        output::text_now("\n(corrected) ");
                    }
                    shown.push_str(&patch.add);
                    output::text_now(&patch.add);
                }
                ChatEvent::Permission(permission) => {
                    output::say(&format!("refused: {} (the window can allow it)", permission.title));
                    app.permit(&id, &permission.id, PermissionAnswer::Refuse);
                }
                ChatEvent::Messages { messages, .. } => {
                    let ended = messages.into_iter().find(|one| one.number == number);
                    last = ended.filter(|one| one.state != MessageState::Streaming).or(last);
                }
                ChatEvent::Compacted(_) => output::progress("  earlier messages were summarised"),
                ChatEvent::Ended => break,
                _ => {}
            }
        }
        // The answer is read from the store, so the result of the task is not needed.
        let _ = turn.await;
        let Some(message) = last else {
            return Err(Error::new(ErrorCode::AgentExecFailed, "The answer is missing.").hint("Ask again."));
        };
        self.print_answer(&message, &shown)
    }

    fn print_answer(&self, message: &StoredMessage, shown: &str) -> Result<MessageState> {
        let facts = facts_of(message);
        if self.json {
            let value = serde_json::json!({ "conversation": self.id, "number": message.number, "role": message.role,
                "state": message.state.name(), "text": message.text, "facts": facts });
            output::result(&format!("{value}\n"), None)?;
        } else {
            let rest = message.text.strip_prefix(shown.trim_end()).unwrap_or_default();
            output::text_now(&format!("{}\n", rest.strip_prefix(&shown[shown.trim_end().len()..]).unwrap_or(rest)));
        }
        if let Some(error) = facts.error {
            output::say(&format!("error: {}", error.message));
            error.hint.iter().for_each(|hint| output::say(&format!("hint: {hint}")));
        }
        if message.state == MessageState::Stopped {
            output::say("stopped");
        }
        Ok(message.state)
    }
}

fn prompt(text: &str) {
    let mut err = std::io::stderr().lock();
    // Standard error may be closed.
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}
