//! The JSON lines of Claude Code on standard input: messages of the user, interrupts, answers to requests for permission.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::protocol::write_json;
use super::super::read::{NO_REASON, readable, with_status};
use super::SessionEvent;
use super::driver::{Driver, State};
use diffsan_redact::types::Redacted;
use diffsan_review::TokenUsage;

pub(super) struct ClaudeStreamJson {
    state: State,
    next_id: u64,
    /// Text was streamed in this turn.
    has_text: bool,
    used: TokenUsage,
    limit: Option<u64>,
    /// The titles of running tools.
    tools: BTreeMap<String, String>,
}

impl ClaudeStreamJson {
    pub(super) fn new(state: State) -> Self {
        Self { state, next_id: 0, has_text: false, used: TokenUsage::default(), limit: None, tools: BTreeMap::new() }
    }

    fn streamed(&mut self, event: &Value) {
        match event["type"].as_str() {
            Some("message_start") => self.count(&event["message"]["usage"]),
            Some("message_delta") => self.count(&event["usage"]),
            Some("content_block_start") => match event["content_block"]["type"].as_str() {
                Some("text") if self.has_text => self.state.emit(SessionEvent::Paragraph),
                Some("thinking") => self.state.emit(SessionEvent::Thinking),
                Some("tool_use") => {
                    let block = &event["content_block"];
                    let text = |name: &str| block[name].as_str().unwrap_or_default().to_owned();
                    let (id, title) = (text("id"), text("name"));
                    self.tools.insert(id.clone(), title.clone());
                    self.state.emit(SessionEvent::Tool { id, title, done: false });
                }
                _ => {}
            },
            Some("content_block_delta") => {
                if let Some(text) = event["delta"]["text"].as_str() {
                    self.has_text = true;
                    self.state.emit(SessionEvent::Text(text.to_owned()));
                }
            }
            _ => {}
        }
    }

    fn count(&mut self, usage: &Value) {
        let number = |name: &str| usage[name].as_u64();
        let cached = number("cache_read_input_tokens").unwrap_or(0);
        let written = number("cache_creation_input_tokens").unwrap_or(0);
        if let Some(input) = number("input_tokens").filter(|input| input + cached + written > 0) {
            self.used.input = input + cached + written;
            self.used.cached_input = cached;
        }
        self.used.output = number("output_tokens").unwrap_or(self.used.output);
    }

    /// Takes a complete message: tool calls with their input.
    fn complete_message(&mut self, message: &Value) {
        for block in message["content"].as_array().into_iter().flatten() {
            match block["type"].as_str() {
                Some("tool_use") => {
                    let id = block["id"].as_str().unwrap_or_default().to_owned();
                    let title = title(block["name"].as_str().unwrap_or("a tool"), &block["input"]);
                    self.tools.insert(id.clone(), title.clone());
                    self.state.emit(SessionEvent::Tool { id, title, done: false });
                }
                Some("tool_result") => {
                    let id = block["tool_use_id"].as_str().unwrap_or_default().to_owned();
                    if let Some(title) = self.tools.remove(&id) {
                        self.state.emit(SessionEvent::Tool { id, title, done: true });
                    }
                }
                _ => {}
            }
        }
    }

    fn ended(&mut self, result: &Value) {
        let windows = result["modelUsage"].as_object().into_iter().flat_map(serde_json::Map::values);
        self.limit = windows.filter_map(|model| model["contextWindow"].as_u64()).max().or(self.limit);
        if self.used.input > 0 {
            self.state.emit(SessionEvent::Tokens { used: self.used, limit: self.limit });
        }
        self.tools.clear();
        let has_text = std::mem::take(&mut self.has_text);
        if !self.state.is_asked() {
            return;
        }
        if self.state.stopping {
            return self.state.end_turn(SessionEvent::Done { stopped: true });
        }
        if result["is_error"].as_bool() == Some(true) {
            let message = result["result"].as_str().or(result["errors"][0].as_str()).or(result["subtype"].as_str());
            let message = readable(message.unwrap_or(NO_REASON));
            return self.state.fail(with_status(message, result["api_error_status"].as_u64()));
        }
        // Without streamed text, the result contains the whole answer.
        if let (false, Some(text)) = (has_text, result["result"].as_str()) {
            self.state.emit(SessionEvent::Text(text.to_owned()));
        }
        self.state.end_turn(SessionEvent::Done { stopped: false });
    }
}

fn title(name: &str, input: &Value) -> String {
    let about = ["file_path", "path", "pattern", "command", "query", "url"].iter().find_map(|key| input[*key].as_str());
    about.map_or_else(|| name.to_owned(), |about| format!("{name} {about}"))
}

impl Driver for ClaudeStreamJson {
    fn state(&mut self) -> &mut State {
        &mut self.state
    }

    fn begin(&mut self) -> Vec<u8> {
        Vec::new()
    }

    fn message(&mut self, message: &Value, reply: &mut Vec<u8>) {
        match message["type"].as_str() {
            Some("stream_event") => self.streamed(&message["event"]),
            Some("assistant" | "user") => self.complete_message(&message["message"]),
            Some("result") => self.ended(message),
            Some("control_request") => {
                let id = message["request_id"].as_str().unwrap_or_default().to_owned();
                let request = &message["request"];
                if request["subtype"] == "can_use_tool" {
                    let name = request["tool_name"].as_str().unwrap_or("a tool");
                    let title = title(name, &request["input"]);
                    self.state.permissions.insert(id.clone(), request["input"].clone());
                    self.state.emit(SessionEvent::Permission { id, kind: name.to_owned(), title });
                } else {
                    let response = json!({ "subtype": "error", "request_id": id, "error": "not offered" });
                    write_json(reply, &json!({ "type": "control_response", "response": response }));
                }
            }
            _ => {}
        }
    }

    fn ask(&mut self, message: Redacted<String>, reply: &mut Vec<u8>) {
        let mut content = Vec::new();
        let before = self.state.opening.take().map(|opening| opening.transcript()).unwrap_or_default();
        if !before.is_empty() {
            content.push(json!({ "type": "text", "text": before }));
        }
        content.push(json!({ "type": "text", "text": message.as_str() }));
        write_json(reply, &json!({ "type": "user", "message": { "role": "user", "content": content } }));
        self.has_text = false;
        self.state.emit(SessionEvent::Asked);
    }

    fn stop(&mut self, reply: &mut Vec<u8>) {
        let request = json!({ "subtype": "interrupt" });
        let id = format!("stop-{}", self.next_id);
        self.next_id += 1;
        write_json(reply, &json!({ "type": "control_request", "request_id": id, "request": request }));
    }

    fn permit(&mut self, id: &str, allowed: bool, reply: &mut Vec<u8>) {
        let Some(input) = self.state.permissions.remove(id) else { return };
        let answer = if allowed {
            json!({ "behavior": "allow", "updatedInput": input })
        } else {
            json!({ "behavior": "deny", "message": "The reviewer does not allow it. Continue without it." })
        };
        let response = json!({ "subtype": "success", "request_id": id, "response": answer });
        write_json(reply, &json!({ "type": "control_response", "response": response }));
    }
}
