//! Claude Code's lines on standard input: messages of the reviewer, interrupts, answers to requests for permission.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::Notify;

use super::super::acp::write;
use super::super::process::{Expect, Talk, Waiting};
use super::super::read::readable;
use super::{Driver, SessionEvent, State};
use diffsan_redact::types::Redacted;
use diffsan_review::TokenUsage;

pub(super) struct Claude {
    state: State,
    next: u64,
    /// A piece of text was written in this turn.
    wrote: bool,
    used: TokenUsage,
    limit: Option<u64>,
    /// Tools that run, with what they are called.
    tools: BTreeMap<String, String>,
    permissions: BTreeMap<String, Value>,
}

impl Claude {
    pub(super) fn new(state: State) -> Self {
        Self {
            state,
            next: 0,
            wrote: false,
            used: TokenUsage::default(),
            limit: None,
            tools: BTreeMap::new(),
            permissions: BTreeMap::new(),
        }
    }

    fn streamed(&mut self, event: &Value) {
        match event["type"].as_str() {
            Some("message_start") => self.count(&event["message"]["usage"]),
            Some("message_delta") => self.count(&event["usage"]),
            Some("content_block_start") => match event["content_block"]["type"].as_str() {
                Some("text") if self.wrote => self.state.tell(SessionEvent::Passage),
                Some("thinking") => self.state.tell(SessionEvent::Thinking),
                Some("tool_use") => {
                    let block = &event["content_block"];
                    let text = |name: &str| block[name].as_str().unwrap_or_default().to_owned();
                    let (id, title) = (text("id"), text("name"));
                    self.tools.insert(id.clone(), title.clone());
                    self.state.tell(SessionEvent::Tool { id, title, done: false });
                }
                _ => {}
            },
            Some("content_block_delta") => {
                if let Some(text) = event["delta"]["text"].as_str() {
                    self.wrote = true;
                    self.state.tell(SessionEvent::Text(text.to_owned()));
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

    /// A whole message of the agent: what it calls its tools with is known now.
    fn message(&mut self, message: &Value) {
        for block in message["content"].as_array().into_iter().flatten() {
            match block["type"].as_str() {
                Some("tool_use") => {
                    let id = block["id"].as_str().unwrap_or_default().to_owned();
                    let title = title(block["name"].as_str().unwrap_or("a tool"), &block["input"]);
                    self.tools.insert(id.clone(), title.clone());
                    self.state.tell(SessionEvent::Tool { id, title, done: false });
                }
                Some("tool_result") => {
                    let id = block["tool_use_id"].as_str().unwrap_or_default().to_owned();
                    if let Some(title) = self.tools.remove(&id) {
                        self.state.tell(SessionEvent::Tool { id, title, done: true });
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
            self.state.tell(SessionEvent::Tokens { used: self.used, limit: self.limit });
        }
        self.tools.clear();
        let wrote = std::mem::take(&mut self.wrote);
        if !self.state.is_asked() {
            return;
        }
        if self.state.stopping {
            return self.state.done(SessionEvent::Done { stopped: true });
        }
        if result["is_error"].as_bool() == Some(true) {
            let words = result["result"].as_str().or(result["errors"][0].as_str()).or(result["subtype"].as_str());
            let words = readable(words.unwrap_or("it reported an error without a reason"));
            let status = result["api_error_status"].as_u64().map(|status| status.to_string());
            let words = match status.filter(|status| !words.contains(status)) {
                Some(status) => format!("{status}: {words}"),
                None => words,
            };
            return self.state.failed(words);
        }
        // Where no piece came, the whole is here.
        if let (false, Some(text)) = (wrote, result["result"].as_str()) {
            self.state.tell(SessionEvent::Text(text.to_owned()));
        }
        self.state.done(SessionEvent::Done { stopped: false });
    }
}

fn title(name: &str, input: &Value) -> String {
    let about = ["file_path", "path", "pattern", "command", "query", "url"].iter().find_map(|key| input[*key].as_str());
    about.map_or_else(|| name.to_owned(), |about| format!("{name} {about}"))
}

impl Driver for Claude {
    fn state(&mut self) -> &mut State {
        &mut self.state
    }

    fn ask(&mut self, message: Redacted<String>, reply: &mut Vec<u8>) {
        let mut content = Vec::new();
        let before = self.state.opening.take().map(|opening| opening.transcript()).unwrap_or_default();
        if !before.is_empty() {
            content.push(json!({ "type": "text", "text": before }));
        }
        content.push(json!({ "type": "text", "text": message.as_str() }));
        write(reply, &json!({ "type": "user", "message": { "role": "user", "content": content } }));
        self.wrote = false;
        self.state.tell(SessionEvent::Asked);
    }

    fn stop(&mut self, reply: &mut Vec<u8>) {
        let request = json!({ "subtype": "interrupt" });
        let id = format!("stop-{}", self.next);
        self.next += 1;
        write(reply, &json!({ "type": "control_request", "request_id": id, "request": request }));
    }

    fn permit(&mut self, id: &str, allowed: bool, reply: &mut Vec<u8>) {
        let Some(input) = self.permissions.remove(id) else { return };
        let answer = if allowed {
            json!({ "behavior": "allow", "updatedInput": input })
        } else {
            json!({ "behavior": "deny", "message": "The reviewer does not allow it. Go on without it." })
        };
        let response = json!({ "subtype": "success", "request_id": id, "response": answer });
        write(reply, &json!({ "type": "control_response", "response": response }));
    }
}

impl Talk for Claude {
    fn begin(&mut self) -> (Vec<u8>, bool) {
        (Vec::new(), true)
    }

    fn line(&mut self, line: &str, reply: &mut Vec<u8>) -> Expect {
        let Ok(message) = serde_json::from_str::<Value>(line) else { return Expect::More };
        match message["type"].as_str() {
            Some("stream_event") => self.streamed(&message["event"]),
            Some("assistant" | "user") => self.message(&message["message"]),
            Some("result") => self.ended(&message),
            Some("control_request") => {
                let id = message["request_id"].as_str().unwrap_or_default().to_owned();
                let request = &message["request"];
                if request["subtype"] == "can_use_tool" {
                    let name = request["tool_name"].as_str().unwrap_or("a tool");
                    let title = title(name, &request["input"]);
                    self.permissions.insert(id.clone(), request["input"].clone());
                    self.state.tell(SessionEvent::Permission { id, what: name.to_owned(), title });
                } else {
                    let response = json!({ "subtype": "error", "request_id": id, "error": "not offered" });
                    write(reply, &json!({ "type": "control_response", "response": response }));
                }
            }
            _ => {}
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
        if self.permissions.is_empty() { self.state.waiting } else { Waiting::Nobody(std::time::Instant::now()) }
    }
}
