//! `codex app-server`: JSON-RPC lines without a version. Earlier messages are injected with their roles, so that the provider gets the
//! same messages in a new session as in the old one.

use serde_json::{Value, json};

use super::super::protocol::{client_info, write_json};
use super::super::read::{NO_REASON, readable};
use super::super::request::AgentRequest;
use super::driver::{Driver, State};
use super::{Message, Role, SessionEvent};
use diffsan_redact::types::Redacted;
use diffsan_review::TokenUsage;

const INITIALIZE: u64 = 0;
const THREAD: u64 = 1;
const INJECT: u64 = 2;
const FIRST_TURN: u64 = 10;

pub(super) struct CodexAppServer {
    state: State,
    folder: String,
    model: Option<String>,
    thread: Option<String>,
    turn: Option<String>,
    ready: bool,
    next_id: u64,
    /// The item whose text is streamed.
    item: Option<String>,
}

impl CodexAppServer {
    pub(super) fn new(state: State, request: &AgentRequest) -> Self {
        Self {
            state,
            folder: request.start_folder().to_string_lossy().into_owned(),
            model: request.model.clone(),
            thread: None,
            turn: None,
            ready: false,
            next_id: FIRST_TURN,
            item: None,
        }
    }

    fn response(&mut self, id: u64, message: &Value, reply: &mut Vec<u8>) {
        if let Some(error) = message.get("error") {
            return self.state.fail(readable(error["message"].as_str().unwrap_or(NO_REASON)));
        }
        let result = &message["result"];
        match id {
            INITIALIZE => {
                write_json(reply, &json!({ "method": "initialized" }));
                let system = self.state.opening.as_ref().map(|opening| opening.system.as_str().to_owned());
                let params = json!({
                    "model": self.model, "cwd": self.folder, "sandbox": "read-only", "approvalPolicy": "never",
                    "ephemeral": true, "baseInstructions": system,
                });
                write_json(reply, &json!({ "id": THREAD, "method": "thread/start", "params": params }));
            }
            THREAD => {
                self.thread = result["thread"]["id"].as_str().map(str::to_owned);
                let Some(thread) = &self.thread else { return self.state.fail("it opened no thread".to_owned()) };
                let before = self.state.opening.take().map(|opening| opening.messages()).unwrap_or_default();
                if before.is_empty() {
                    return self.ready(reply);
                }
                let items: Vec<Value> = before.iter().map(item).collect();
                let params = json!({ "threadId": thread, "items": items });
                write_json(reply, &json!({ "id": INJECT, "method": "thread/inject_items", "params": params }));
            }
            INJECT => self.ready(reply),
            _ => {
                self.turn = result["turn"]["id"].as_str().map(str::to_owned).or(self.turn.take());
                if self.state.stopping {
                    self.stop(reply);
                }
            }
        }
    }

    fn ready(&mut self, reply: &mut Vec<u8>) {
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
                    self.state.emit(SessionEvent::Paragraph);
                }
                self.item = item;
                if let Some(text) = params["delta"].as_str() {
                    self.state.emit(SessionEvent::Text(text.to_owned()));
                }
            }
            "item/reasoning/summaryTextDelta" | "item/reasoning/textDelta" => self.state.emit(SessionEvent::Thinking),
            "item/started" | "item/completed" => {
                let item = &params["item"];
                let (id, done) = (item["id"].as_str().unwrap_or_default().to_owned(), method == "item/completed");
                match item["type"].as_str() {
                    Some("reasoning") => self.state.emit(SessionEvent::Thinking),
                    Some("agentMessage" | "userMessage") | None => {}
                    Some(kind) => {
                        let title = item["command"].as_str().or(item["tool"].as_str()).unwrap_or(kind).to_owned();
                        self.state.emit(SessionEvent::Tool { id, title, done });
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
                    self.state.emit(SessionEvent::Tokens { used, limit: usage["modelContextWindow"].as_u64() });
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
                    Some("completed") => self.state.end_turn(SessionEvent::Done { stopped: false }),
                    Some("interrupted") => self.state.end_turn(SessionEvent::Done { stopped: true }),
                    _ => {
                        let message = params["turn"]["error"]["message"].as_str().unwrap_or("the turn failed");
                        self.state.fail(readable(message));
                    }
                }
            }
            _ => {}
        }
    }

    /// Takes a request of the program. The user decides about permissions; everything else is declined.
    fn requested(&mut self, method: &str, id: &Value, params: &Value, reply: &mut Vec<u8>) {
        let kind = match method {
            "item/commandExecution/requestApproval" => "command",
            "item/fileChange/requestApproval" => "change of files",
            "item/permissions/requestApproval" => "permission",
            _ => {
                let error = json!({ "code": -32601, "message": "not offered" });
                return write_json(reply, &json!({ "id": id, "error": error }));
            }
        };
        let title = match &params["command"] {
            Value::String(command) => command.clone(),
            _ => params["reason"].as_str().unwrap_or(kind).to_owned(),
        };
        let name = id.to_string();
        self.state.permissions.insert(name.clone(), id.clone());
        self.state.emit(SessionEvent::Permission { id: name, kind: kind.to_owned(), title });
    }
}

impl Driver for CodexAppServer {
    fn state(&mut self) -> &mut State {
        &mut self.state
    }

    fn begin(&mut self) -> Vec<u8> {
        let mut first = Vec::new();
        write_json(
            &mut first,
            &json!({ "id": INITIALIZE, "method": "initialize", "params": { "clientInfo": client_info() } }),
        );
        first
    }

    fn message(&mut self, message: &Value, reply: &mut Vec<u8>) {
        match (message["method"].as_str(), message.get("id")) {
            (None, Some(id)) => {
                if let Some(id) = id.as_u64() {
                    self.response(id, message, reply);
                }
            }
            (Some(method), None) => self.notified(method, &message["params"]),
            (Some(method), Some(id)) => self.requested(method, id, &message["params"], reply),
            (None, None) => {}
        }
    }

    fn ask(&mut self, message: Redacted<String>, reply: &mut Vec<u8>) {
        if !self.ready {
            self.state.pending = Some(message);
            return;
        }
        let params = json!({ "threadId": self.thread, "input": [{ "type": "text", "text": message.as_str() }] });
        write_json(reply, &json!({ "id": self.next_id, "method": "turn/start", "params": params }));
        self.next_id += 1;
        self.turn = None;
        self.state.emit(SessionEvent::Asked);
    }

    fn stop(&mut self, reply: &mut Vec<u8>) {
        // A turn without an identifier is interrupted as soon as the response contains one.
        if let Some(turn) = &self.turn {
            let params = json!({ "threadId": self.thread, "turnId": turn });
            write_json(reply, &json!({ "id": self.next_id, "method": "turn/interrupt", "params": params }));
            self.next_id += 1;
        }
    }

    fn permit(&mut self, id: &str, allowed: bool, reply: &mut Vec<u8>) {
        if let Some(id) = self.state.permissions.remove(id) {
            let decision = if allowed { "accept" } else { "decline" };
            write_json(reply, &json!({ "id": id, "result": { "decision": decision } }));
        }
    }
}

/// A message as an item of a thread.
fn item(message: &Message) -> Value {
    let (role, kind) = match message.role {
        Role::User => ("user", "input_text"),
        Role::Assistant => ("assistant", "output_text"),
    };
    json!({ "type": "message", "role": role, "content": [{ "type": kind, "text": message.text.as_str() }] })
}
