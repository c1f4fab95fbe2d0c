//! `codex app-server`: JSON-RPC lines without a version. What was said before is injected as it was, so that the provider sees
//! the same messages on a new line as on the old one.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::Notify;

use super::super::acp::write;
use super::super::process::{Expect, Talk, Waiting};
use super::super::read::readable;
use super::{Driver, Opening, Role, SessionEvent, State};
use diffsan_redact::types::Redacted;
use diffsan_review::TokenUsage;

const INITIALIZE: u64 = 0;
const THREAD: u64 = 1;
const INJECT: u64 = 2;
const FIRST_TURN: u64 = 10;

pub(super) struct Codex {
    state: State,
    folder: String,
    model: Option<String>,
    thread: Option<String>,
    turn: Option<String>,
    ready: bool,
    next: u64,
    /// The item that is being written.
    item: Option<String>,
    /// What waits for a permission: the id of its request.
    permissions: BTreeMap<String, Value>,
}

impl Codex {
    pub(super) fn new(state: State, folder: String, model: Option<String>) -> Self {
        Self {
            state,
            folder,
            model,
            thread: None,
            turn: None,
            ready: false,
            next: FIRST_TURN,
            item: None,
            permissions: BTreeMap::new(),
        }
    }

    fn opening(&self) -> Option<&Opening> {
        self.state.opening.as_ref()
    }

    fn answered(&mut self, id: u64, message: &Value, reply: &mut Vec<u8>) {
        if let Some(error) = message.get("error") {
            let words = readable(error["message"].as_str().unwrap_or("it reported an error without a reason"));
            return self.state.failed(words);
        }
        let result = &message["result"];
        match id {
            INITIALIZE => {
                write(reply, &json!({ "method": "initialized" }));
                let system = self.opening().map(|opening| opening.system.as_str().to_owned());
                let params = json!({
                    "model": self.model, "cwd": self.folder, "sandbox": "read-only", "approvalPolicy": "never",
                    "ephemeral": true, "baseInstructions": system,
                });
                write(reply, &json!({ "id": THREAD, "method": "thread/start", "params": params }));
            }
            THREAD => {
                self.thread = result["thread"]["id"].as_str().map(str::to_owned);
                let Some(thread) = &self.thread else { return self.state.failed("it opened no thread".to_owned()) };
                let before = self.state.opening.take().map(|opening| opening.messages()).unwrap_or_default();
                if before.is_empty() {
                    return self.begin(reply);
                }
                let items: Vec<Value> = before
                    .iter()
                    .map(|said| {
                        let (role, kind) = match said.role {
                            Role::User => ("user", "input_text"),
                            Role::Assistant => ("assistant", "output_text"),
                        };
                        let content = json!([{ "type": kind, "text": said.text.as_str() }]);
                        json!({ "type": "message", "role": role, "content": content })
                    })
                    .collect();
                let params = json!({ "threadId": thread, "items": items });
                write(reply, &json!({ "id": INJECT, "method": "thread/inject_items", "params": params }));
            }
            INJECT => self.begin(reply),
            _ => {
                self.turn = result["turn"]["id"].as_str().map(str::to_owned).or(self.turn.take());
                if self.state.stopping {
                    self.stop(reply);
                }
            }
        }
    }

    fn begin(&mut self, reply: &mut Vec<u8>) {
        self.ready = true;
        if let Some(message) = self.state.pending.take() {
            self.ask(message, reply);
        }
    }

    fn notified(&mut self, method: &str, params: &Value) {
        match method {
            "item/agentMessage/delta" => {
                let item = params["itemId"].as_str().map(str::to_owned);
                if self.item.is_some() && self.item != item {
                    self.state.tell(SessionEvent::Passage);
                }
                self.item = item;
                if let Some(text) = params["delta"].as_str() {
                    self.state.tell(SessionEvent::Text(text.to_owned()));
                }
            }
            "item/reasoning/summaryTextDelta" | "item/reasoning/textDelta" => self.state.tell(SessionEvent::Thinking),
            "item/started" | "item/completed" => {
                let item = &params["item"];
                let (id, done) = (item["id"].as_str().unwrap_or_default().to_owned(), method == "item/completed");
                match item["type"].as_str() {
                    Some("reasoning") => self.state.tell(SessionEvent::Thinking),
                    Some("agentMessage" | "userMessage") | None => {}
                    Some(kind) => {
                        let title = item["command"].as_str().or(item["tool"].as_str()).unwrap_or(kind).to_owned();
                        self.state.tell(SessionEvent::Tool { id, title, done });
                    }
                }
            }
            "thread/tokenUsage/updated" => {
                let usage = &params["tokenUsage"];
                let count = |name: &str| usage["last"][name].as_u64().unwrap_or(0);
                let used = TokenUsage {
                    input: count("inputTokens"),
                    cached_input: count("cachedInputTokens"),
                    output: count("outputTokens"),
                };
                if used.input > 0 {
                    self.state.tell(SessionEvent::Tokens { used, limit: usage["modelContextWindow"].as_u64() });
                }
            }
            "turn/started" => self.turn = params["turn"]["id"].as_str().map(str::to_owned).or(self.turn.take()),
            "turn/completed" => {
                self.turn = None;
                self.item = None;
                if !self.state.is_asked() {
                    return;
                }
                match params["turn"]["status"].as_str() {
                    Some("completed") => self.state.done(SessionEvent::Done { stopped: false }),
                    Some("interrupted") => self.state.done(SessionEvent::Done { stopped: true }),
                    _ => {
                        let words = params["turn"]["error"]["message"].as_str().unwrap_or("the turn failed");
                        self.state.failed(readable(words));
                    }
                }
            }
            _ => {}
        }
    }

    /// The program asks for something: permissions go to the user, everything else is declined.
    fn requested(&mut self, method: &str, id: &Value, params: &Value, reply: &mut Vec<u8>) {
        let what = match method {
            "item/commandExecution/requestApproval" => "command",
            "item/fileChange/requestApproval" => "change of files",
            "item/permissions/requestApproval" => "permission",
            _ => {
                let error = json!({ "code": -32601, "message": "not offered" });
                return write(reply, &json!({ "id": id, "error": error }));
            }
        };
        let title = match &params["command"] {
            Value::String(command) => command.clone(),
            _ => params["reason"].as_str().unwrap_or(what).to_owned(),
        };
        let name = id.to_string();
        self.permissions.insert(name.clone(), id.clone());
        self.state.tell(SessionEvent::Permission { id: name, what: what.to_owned(), title });
    }
}

impl Driver for Codex {
    fn state(&mut self) -> &mut State {
        &mut self.state
    }

    fn ask(&mut self, message: Redacted<String>, reply: &mut Vec<u8>) {
        if !self.ready {
            self.state.pending = Some(message);
            return;
        }
        let params = json!({ "threadId": self.thread, "input": [{ "type": "text", "text": message.as_str() }] });
        write(reply, &json!({ "id": self.next, "method": "turn/start", "params": params }));
        self.next += 1;
        self.turn = None;
        self.state.tell(SessionEvent::Asked);
    }

    fn stop(&mut self, reply: &mut Vec<u8>) {
        // Before the turn has a name it is stopped as soon as it gets one.
        if let Some(turn) = &self.turn {
            let params = json!({ "threadId": self.thread, "turnId": turn });
            write(reply, &json!({ "id": self.next, "method": "turn/interrupt", "params": params }));
            self.next += 1;
        }
    }

    fn permit(&mut self, id: &str, allowed: bool, reply: &mut Vec<u8>) {
        if let Some(id) = self.permissions.remove(id) {
            let decision = if allowed { "accept" } else { "decline" };
            write(reply, &json!({ "id": id, "result": { "decision": decision } }));
        }
    }
}

impl Talk for Codex {
    fn begin(&mut self) -> (Vec<u8>, bool) {
        let mut first = Vec::new();
        let info = json!({ "name": "diffsan", "title": "diffsan", "version": env!("CARGO_PKG_VERSION") });
        write(&mut first, &json!({ "id": INITIALIZE, "method": "initialize", "params": { "clientInfo": info } }));
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
            (Some(method), None) => self.notified(method, &message["params"]),
            (Some(method), Some(id)) => self.requested(method, id, &message["params"], reply),
            (None, None) => {}
        }
        Expect::More
    }

    fn bell(&self) -> Option<Arc<Notify>> {
        Some(Arc::clone(&self.state.ends.bell))
    }

    fn woken(&mut self, reply: &mut Vec<u8>) -> Expect {
        self.hear(reply)
    }

    fn waiting(&self) -> Waiting {
        // The user takes the time they need.
        if self.permissions.is_empty() { self.state.waiting } else { Waiting::Nobody(std::time::Instant::now()) }
    }
}
