//! The client of the Agent Client Protocol, version 1: one session, prompt after prompt. Reviews use it for one prompt.
//!
//! Files and terminals are not offered. Unknown notifications are ignored.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::super::protocol::{client_info, write_json};
use super::super::read::readable;
use super::super::reported::ReportedFiles;
use super::super::request::AgentRequest;
use super::SessionEvent;
use super::driver::{Driver, State};
use diffsan_redact::types::Redacted;
use diffsan_review::TokenUsage;

const INITIALIZE: u64 = 0;
const NEW_SESSION: u64 = 1;
const SET_MODE: u64 = 2;
const SET_MODEL: u64 = 3;
const FIRST_PROMPT: u64 = 10;

pub(crate) struct Acp {
    state: State,
    folder: String,
    /// The mode of the session; empty leaves it to the agent.
    mode: String,
    model: Option<String>,
    session: Option<String>,
    ready: bool,
    next_id: u64,
    has_text: bool,
    /// A tool was used since the last text.
    tool_used: bool,
    limit: Option<u64>,
    /// The titles of tool calls.
    tools: BTreeMap<String, String>,
    /// The calls that read files.
    reads: BTreeSet<String>,
    /// The files of these calls.
    reported: ReportedFiles,
}

impl Acp {
    pub(crate) fn new(state: State, request: &AgentRequest) -> Self {
        Self {
            state,
            folder: request.start_folder().to_string_lossy().into_owned(),
            mode: request.agent.spec.mode.clone(),
            model: request.model.clone(),
            session: None,
            ready: false,
            next_id: FIRST_PROMPT,
            has_text: false,
            tool_used: false,
            limit: None,
            tools: BTreeMap::new(),
            reads: BTreeSet::new(),
            reported: ReportedFiles::default(),
        }
    }

    /// The files that the agent reported as opened in this session.
    pub(crate) fn reported(&mut self) -> &mut ReportedFiles {
        &mut self.reported
    }

    /// The agent's identifier of the session.
    pub(crate) fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    fn response(&mut self, id: u64, message: &Value, reply: &mut Vec<u8>) {
        // An agent may not know the mode or the model.
        if let Some(error) = message.get("error").filter(|_| id != SET_MODE && id != SET_MODEL) {
            return self.error(error);
        }
        let result = &message["result"];
        match id {
            INITIALIZE => request(reply, NEW_SESSION, "session/new", &json!({ "cwd": self.folder, "mcpServers": [] })),
            NEW_SESSION => {
                self.session = result["sessionId"].as_str().map(str::to_owned);
                if self.session.is_none() {
                    return self.state.fail("it opened no session".to_owned());
                }
                self.set_model(result, reply);
                if self.mode.is_empty() {
                    self.ready(reply);
                } else {
                    let params = json!({ "sessionId": self.session, "modeId": self.mode });
                    request(reply, SET_MODE, "session/set_mode", &params);
                }
            }
            // The first prompt waits: the mode limits the agent's tools.
            SET_MODE => self.ready(reply),
            FIRST_PROMPT.. if self.state.is_asked() => self.turn_ended(result),
            _ => {}
        }
    }

    fn error(&mut self, error: &Value) {
        if self.state.stopping {
            return self.state.end_turn(SessionEvent::Done { stopped: true });
        }
        let message = error["data"]["message"].as_str().or(error["message"].as_str()).unwrap_or_default();
        let code = error["code"].as_i64().filter(|code| (400..600).contains(code));
        let message = code.map_or_else(|| message.to_owned(), |code| format!("{code}: {message}"));
        self.state.fail(readable(&message));
    }

    fn set_model(&self, session: &Value, reply: &mut Vec<u8>) {
        let Some(model) = &self.model else { return };
        let mut known = session["models"]["availableModels"].as_array().into_iter().flatten();
        if known.any(|known| known["modelId"] == model.as_str()) {
            let params = json!({ "sessionId": self.session, "modelId": model });
            request(reply, SET_MODEL, "session/set_model", &params);
        }
    }

    fn ready(&mut self, reply: &mut Vec<u8>) {
        self.ready = true;
        if let Some(message) = self.state.pending.take() {
            self.ask(message, reply);
        }
    }

    fn turn_ended(&mut self, result: &Value) {
        if let Some(used) = usage(result) {
            self.state.emit(SessionEvent::Tokens { used, limit: self.limit });
        }
        self.tools.clear();
        match result["stopReason"].as_str() {
            _ if self.state.stopping => self.state.end_turn(SessionEvent::Done { stopped: true }),
            Some("end_turn") | None => self.state.end_turn(SessionEvent::Done { stopped: false }),
            Some("cancelled") => self.state.end_turn(SessionEvent::Done { stopped: true }),
            Some(reason) => self.state.fail(format!("it stopped: {reason}")),
        }
    }

    fn update(&mut self, update: &Value) {
        match update["sessionUpdate"].as_str() {
            Some("agent_message_chunk") => {
                if let Some(text) = update["content"]["text"].as_str().filter(|text| !text.is_empty()) {
                    if std::mem::take(&mut self.tool_used) && self.has_text {
                        self.state.emit(SessionEvent::Paragraph);
                    }
                    self.has_text = true;
                    self.state.emit(SessionEvent::Text(text.to_owned()));
                }
            }
            Some("agent_thought_chunk") => self.state.emit(SessionEvent::Thinking),
            Some("tool_call" | "tool_call_update") => {
                let id = update["toolCallId"].as_str().unwrap_or_default().to_owned();
                if let Some(title) = update["title"].as_str().filter(|title| !title.is_empty()) {
                    self.tools.insert(id.clone(), title.to_owned());
                }
                let title = self.tools.get(&id).cloned().unwrap_or_else(|| "a tool".to_owned());
                let done = matches!(update["status"].as_str(), Some("completed" | "failed"));
                self.tool_used = true;
                self.read_files(&id, update);
                self.state.emit(SessionEvent::Tool { id, title, done });
            }
            Some("usage_update") => {
                self.limit = update["size"].as_u64().or(self.limit);
                if let Some(used) = update["used"].as_u64().filter(|used| *used > 0) {
                    let used = TokenUsage { input: used, cached_input: 0, output: 0 };
                    self.state.emit(SessionEvent::Tokens { used, limit: self.limit });
                }
            }
            _ => {}
        }
    }

    /// Takes the files of a call that reads. Its kind and its places may come in different updates.
    fn read_files(&mut self, call: &str, update: &Value) {
        if update["kind"] == "read" {
            self.reads.insert(call.to_owned());
        }
        if !self.reads.contains(call) {
            return;
        }
        for place in update["locations"].as_array().into_iter().flatten() {
            self.reported.opened(call, place["path"].as_str().unwrap_or_default());
        }
        if update["status"] == "failed" {
            self.reported.failed(call);
        }
    }

    fn permission_requested(&mut self, id: &Value, params: &Value) {
        let call = &params["toolCall"];
        let title = call["title"].as_str().unwrap_or("use a tool").to_owned();
        let kind = call["kind"].as_str().unwrap_or(&title).to_owned();
        let name = id.to_string();
        self.state.permissions.insert(name.clone(), json!({ "id": id, "options": params["options"] }));
        self.state.emit(SessionEvent::Permission { id: name, kind, title });
    }
}

impl Driver for Acp {
    fn state(&mut self) -> &mut State {
        &mut self.state
    }

    fn begin(&mut self) -> Vec<u8> {
        let mut first = Vec::new();
        let capabilities = json!({ "fs": { "readTextFile": false, "writeTextFile": false }, "terminal": false });
        let params = json!({ "protocolVersion": 1, "clientCapabilities": capabilities, "clientInfo": client_info() });
        request(&mut first, INITIALIZE, "initialize", &params);
        first
    }

    fn message(&mut self, message: &Value, reply: &mut Vec<u8>) {
        match (message["method"].as_str(), message.get("id")) {
            (None, Some(id)) => {
                if let Some(id) = id.as_u64() {
                    self.response(id, message, reply);
                }
            }
            (Some("session/update"), _) => self.update(&message["params"]["update"]),
            (Some("session/request_permission"), Some(id)) => self.permission_requested(id, &message["params"]),
            (Some(_), Some(id)) => {
                let error = json!({ "code": -32601, "message": "not offered" });
                write_json(reply, &json!({ "jsonrpc": "2.0", "id": id, "error": error }));
            }
            _ => {}
        }
    }

    fn ask(&mut self, message: Redacted<String>, reply: &mut Vec<u8>) {
        if !self.ready {
            self.state.pending = Some(message);
            return;
        }
        let mut texts = Vec::new();
        if let Some(opening) = self.state.opening.take() {
            // The protocol has no field for the system prompt.
            texts.push(opening.system.as_str().to_owned());
            texts.push(opening.transcript());
        }
        texts.push(message.into_inner());
        let texts = texts.into_iter().filter(|text| !text.is_empty());
        let prompt: Vec<Value> = texts.map(|text| json!({ "type": "text", "text": text })).collect();
        request(reply, self.next_id, "session/prompt", &json!({ "sessionId": self.session, "prompt": prompt }));
        self.next_id += 1;
        (self.has_text, self.tool_used) = (false, false);
        self.state.emit(SessionEvent::Asked);
    }

    fn stop(&mut self, reply: &mut Vec<u8>) {
        // An agent that waits for a permission does not react to the notification.
        for permission in std::mem::take(&mut self.state.permissions).into_values() {
            answer_permission(reply, &permission, None);
        }
        let params = json!({ "sessionId": self.session });
        write_json(reply, &json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": params }));
    }

    fn permit(&mut self, id: &str, allowed: bool, reply: &mut Vec<u8>) {
        if let Some(permission) = self.state.permissions.remove(id) {
            answer_permission(reply, &permission, Some(if allowed { "allow_once" } else { "reject_once" }));
        }
    }

    fn cancel(&mut self) -> Vec<u8> {
        let mut input = Vec::new();
        if self.session.is_some() && self.state.is_asked() {
            self.stop(&mut input);
        }
        input
    }
}

fn request(out: &mut Vec<u8>, id: u64, method: &str, params: &Value) {
    write_json(out, &json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
}

/// Selects an option of that kind; cancels where there is none.
fn answer_permission(out: &mut Vec<u8>, permission: &Value, kind: Option<&str>) {
    let mut options = permission["options"].as_array().into_iter().flatten();
    let option = kind.and_then(|kind| options.find(|option| option["kind"] == kind)?.get("optionId"));
    let outcome = match option {
        Some(id) => json!({ "outcome": "selected", "optionId": id }),
        None => json!({ "outcome": "cancelled" }),
    };
    write_json(out, &json!({ "jsonrpc": "2.0", "id": permission["id"], "result": { "outcome": outcome } }));
}

/// The tokens of a turn. They are not part of the protocol yet; agents report them in two forms.
fn usage(result: &Value) -> Option<TokenUsage> {
    let usage = &result["usage"];
    if let (Some(input), Some(output)) = (usage["inputTokens"].as_u64(), usage["outputTokens"].as_u64()) {
        let cached_input = usage["cachedReadTokens"].as_u64().unwrap_or(0);
        return Some(TokenUsage { input: input + cached_input, cached_input, output });
    }
    let count = &result["_meta"]["quota"]["token_count"];
    let (input, output) = (count["input_tokens"].as_u64()?, count["output_tokens"].as_u64()?);
    Some(TokenUsage { input, cached_input: count["cached_tokens"].as_u64().unwrap_or(0), output })
}

#[cfg(test)]
mod tests;
