//! The Agent Client Protocol, version 1, for a conversation: one session, prompt after prompt.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::Notify;

use super::super::acp::{say, usage, write};
use super::super::process::{Expect, Talk, Waiting};
use super::super::read::readable;
use super::{Driver, SessionEvent, State};
use diffsan_redact::types::Redacted;
use diffsan_review::TokenUsage;

const INITIALIZE: u64 = 0;
const NEW_SESSION: u64 = 1;
const SET_MODE: u64 = 2;
const SET_MODEL: u64 = 3;
const FIRST_PROMPT: u64 = 10;

pub(super) struct Acp {
    state: State,
    folder: String,
    mode: String,
    model: Option<String>,
    session: Option<String>,
    ready: bool,
    next: u64,
    /// Text came since the last tool.
    wrote: bool,
    parted: bool,
    limit: Option<u64>,
    tools: BTreeMap<String, String>,
    permissions: BTreeMap<String, (Value, Value)>,
}

impl Acp {
    pub(super) fn new(state: State, folder: String, mode: String, model: Option<String>) -> Self {
        Self {
            state,
            folder,
            mode,
            model,
            session: None,
            ready: false,
            next: FIRST_PROMPT,
            wrote: false,
            parted: false,
            limit: None,
            tools: BTreeMap::new(),
            permissions: BTreeMap::new(),
        }
    }

    fn answered(&mut self, id: u64, message: &Value, reply: &mut Vec<u8>) {
        // A mode or model that it does not have is no reason to give up.
        if let Some(error) = message.get("error").filter(|_| id != SET_MODE && id != SET_MODEL) {
            let words = error["data"]["message"].as_str().or(error["message"].as_str()).unwrap_or_default();
            let code = error["code"].as_i64().filter(|code| (400..600).contains(code));
            let words = code.map_or_else(|| words.to_owned(), |code| format!("{code}: {words}"));
            if self.state.stopping {
                return self.state.done(SessionEvent::Done { stopped: true });
            }
            return self.state.failed(readable(&words));
        }
        let result = &message["result"];
        match id {
            INITIALIZE => {
                let params = json!({ "cwd": self.folder, "mcpServers": [] });
                say(reply, NEW_SESSION, "session/new", &params);
            }
            NEW_SESSION => {
                self.session = result["sessionId"].as_str().map(str::to_owned);
                if self.session.is_none() {
                    return self.state.failed("it opened no session".to_owned());
                }
                let session = self.session.clone();
                if !self.mode.is_empty() {
                    let params = json!({ "sessionId": session, "modeId": self.mode });
                    say(reply, SET_MODE, "session/set_mode", &params);
                }
                let models = result["models"]["availableModels"].as_array();
                let known = |model: &&String| {
                    models.into_iter().flatten().any(|known| known["modelId"].as_str() == Some(model.as_str()))
                };
                if let Some(model) = self.model.as_ref().filter(known) {
                    let params = json!({ "sessionId": session, "modelId": model });
                    say(reply, SET_MODEL, "session/set_model", &params);
                }
                self.ready = true;
                if let Some(message) = self.state.pending.take() {
                    self.ask(message, reply);
                }
            }
            SET_MODE | SET_MODEL => {}
            _ if self.state.is_asked() => {
                if let Some(used) = usage(result) {
                    self.state.tell(SessionEvent::Tokens { used, limit: self.limit });
                }
                self.tools.clear();
                match result["stopReason"].as_str() {
                    _ if self.state.stopping => self.state.done(SessionEvent::Done { stopped: true }),
                    Some("end_turn") | None => self.state.done(SessionEvent::Done { stopped: false }),
                    Some("cancelled") => self.state.done(SessionEvent::Done { stopped: true }),
                    Some(reason) => self.state.failed(format!("it stopped: {reason}")),
                }
            }
            _ => {}
        }
    }

    fn update(&mut self, update: &Value) {
        match update["sessionUpdate"].as_str() {
            Some("agent_message_chunk") => {
                if let Some(text) = update["content"]["text"].as_str().filter(|text| !text.is_empty()) {
                    if std::mem::take(&mut self.parted) && self.wrote {
                        self.state.tell(SessionEvent::Passage);
                    }
                    self.wrote = true;
                    self.state.tell(SessionEvent::Text(text.to_owned()));
                }
            }
            Some("agent_thought_chunk") => self.state.tell(SessionEvent::Thinking),
            Some("tool_call" | "tool_call_update") => {
                let id = update["toolCallId"].as_str().unwrap_or_default().to_owned();
                if let Some(title) = update["title"].as_str().filter(|title| !title.is_empty()) {
                    self.tools.insert(id.clone(), title.to_owned());
                }
                let title = self.tools.get(&id).cloned().unwrap_or_else(|| "a tool".to_owned());
                let done = matches!(update["status"].as_str(), Some("completed" | "failed"));
                self.parted = true;
                self.state.tell(SessionEvent::Tool { id, title, done });
            }
            Some("usage_update") => {
                self.limit = update["size"].as_u64().or(self.limit);
                if let Some(used) = update["used"].as_u64().filter(|used| *used > 0) {
                    let used = TokenUsage { input: used, cached_input: 0, output: 0 };
                    self.state.tell(SessionEvent::Tokens { used, limit: self.limit });
                }
            }
            _ => {}
        }
    }
}

impl Driver for Acp {
    fn state(&mut self) -> &mut State {
        &mut self.state
    }

    fn ask(&mut self, message: Redacted<String>, reply: &mut Vec<u8>) {
        if !self.ready {
            self.state.pending = Some(message);
            return;
        }
        let mut texts = Vec::new();
        if let Some(opening) = self.state.opening.take() {
            // The protocol has no place for it.
            texts.push(opening.system.as_str().to_owned());
            texts.push(opening.transcript());
        }
        texts.push(message.into_inner());
        let prompt: Vec<Value> = texts
            .into_iter()
            .filter(|text| !text.is_empty())
            .map(|text| json!({ "type": "text", "text": text }))
            .collect();
        let params = json!({ "sessionId": self.session, "prompt": prompt });
        say(reply, self.next, "session/prompt", &params);
        self.next += 1;
        (self.wrote, self.parted) = (false, false);
        self.state.tell(SessionEvent::Asked);
    }

    fn stop(&mut self, reply: &mut Vec<u8>) {
        // What waits for a permission is answered first, or it waits for ever.
        for (id, _) in std::mem::take(&mut self.permissions).into_values() {
            write(reply, &json!({ "jsonrpc": "2.0", "id": id, "result": { "outcome": { "outcome": "cancelled" } } }));
        }
        let params = json!({ "sessionId": self.session });
        write(reply, &json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": params }));
    }

    fn permit(&mut self, id: &str, allowed: bool, reply: &mut Vec<u8>) {
        let Some((id, options)) = self.permissions.remove(id) else { return };
        let kind = if allowed { "allow_once" } else { "reject_once" };
        let option = options.as_array().into_iter().flatten().find(|option| option["kind"] == kind);
        let outcome = match option.and_then(|option| option.get("optionId")) {
            Some(option) => json!({ "outcome": "selected", "optionId": option }),
            None => json!({ "outcome": "cancelled" }),
        };
        write(reply, &json!({ "jsonrpc": "2.0", "id": id, "result": { "outcome": outcome } }));
    }
}

impl Talk for Acp {
    fn begin(&mut self) -> (Vec<u8>, bool) {
        let mut first = Vec::new();
        let nothing = json!({ "fs": { "readTextFile": false, "writeTextFile": false }, "terminal": false });
        let info = json!({ "name": "diffsan", "title": "diffsan", "version": env!("CARGO_PKG_VERSION") });
        let params = json!({ "protocolVersion": 1, "clientCapabilities": nothing, "clientInfo": info });
        say(&mut first, INITIALIZE, "initialize", &params);
        (first, true)
    }

    fn line(&mut self, line: &str, reply: &mut Vec<u8>) -> Expect {
        let Ok(message) = serde_json::from_str::<Value>(line) else { return Expect::More };
        match (message["method"].as_str(), message.get("id")) {
            (None, Some(id)) => {
                if let Some(id) = id.as_u64() {
                    self.answered(id, &message, reply);
                }
            }
            (Some("session/update"), _) => self.update(&message["params"]["update"]),
            (Some("session/request_permission"), Some(id)) => {
                let params = &message["params"];
                let call = &params["toolCall"];
                let title = call["title"].as_str().unwrap_or("use a tool").to_owned();
                let what = call["kind"].as_str().unwrap_or(&title).to_owned();
                let name = id.to_string();
                self.permissions.insert(name.clone(), (id.clone(), params["options"].clone()));
                self.state.tell(SessionEvent::Permission { id: name, what, title });
            }
            (Some(_), Some(id)) => {
                let error = json!({ "code": -32601, "message": "not offered" });
                write(reply, &json!({ "jsonrpc": "2.0", "id": id, "error": error }));
            }
            _ => {}
        }
        Expect::More
    }

    fn cancel(&mut self) -> Vec<u8> {
        let mut words = Vec::new();
        if self.session.is_some() && self.state.is_asked() {
            self.stop(&mut words);
        }
        words
    }

    fn bell(&self) -> Option<Arc<Notify>> {
        Some(Arc::clone(&self.state.ends.bell))
    }

    fn woken(&mut self, reply: &mut Vec<u8>) -> Expect {
        self.hear(reply)
    }

    fn waiting(&self) -> Waiting {
        if self.permissions.is_empty() { self.state.waiting } else { Waiting::Nobody(std::time::Instant::now()) }
    }
}
