//! The Agent Client Protocol, version 1, as a client that asks one question: initialize, open a session, prompt, and read
//! what comes. Files, terminals and permissions are refused: what the agent may know is in the prompt and in its room.

use serde_json::{Value, json};

use super::Progress;
use super::process::{Expect, Talk};
use super::read::{Reading, readable};
use diffsan_review::TokenUsage;

const INITIALIZE: u64 = 0;
const NEW_SESSION: u64 = 1;
const SET_MODE: u64 = 2;
const PROMPT: u64 = 3;

/// What an agent is asked.
pub(super) struct Question<'a> {
    pub(super) prompt: &'a str,
    /// Where it works.
    pub(super) folder: &'a str,
    /// The mode in which it is asked; empty: its own.
    pub(super) mode: &'a str,
}

/// The talk, and what was read of it.
pub(super) struct Client<'a, F> {
    question: Question<'a>,
    pub(super) reading: Reading,
    progress: F,
}

impl<'a, F: FnMut(Progress) + Send> Client<'a, F> {
    pub(super) fn new(question: Question<'a>, progress: F) -> Self {
        Self { question, reading: Reading::default(), progress }
    }

    fn tell(&mut self, words: &str) {
        (self.progress)(Progress::new(words));
    }

    fn answered(&mut self, id: u64, message: &Value, reply: &mut Vec<u8>) -> Expect {
        if let Some(error) = message.get("error") {
            // A mode that it does not have is no reason to give up.
            if id != SET_MODE {
                let words = error["data"]["message"].as_str().or(error["message"].as_str()).unwrap_or_default();
                let code = error["code"].as_i64().filter(|code| (400..600).contains(code));
                let words = code.map_or_else(|| words.to_owned(), |code| format!("{code}: {words}"));
                self.reading.error = Some(readable(&words));
                return Expect::Nothing;
            }
        }
        let result = &message["result"];
        match id {
            INITIALIZE => {
                self.tell("started");
                let params = json!({ "cwd": self.question.folder, "mcpServers": [] });
                say(reply, NEW_SESSION, "session/new", &params);
            }
            NEW_SESSION => {
                let Some(session) = result["sessionId"].as_str().map(str::to_owned) else {
                    self.reading.error = Some("it opened no session".to_owned());
                    return Expect::Nothing;
                };
                self.reading.session = Some(session.clone());
                if self.question.mode.is_empty() {
                    self.prompt(reply);
                } else {
                    let params = json!({ "sessionId": session, "modeId": self.question.mode });
                    say(reply, SET_MODE, "session/set_mode", &params);
                }
            }
            SET_MODE => self.prompt(reply),
            PROMPT => {
                self.reading.usage = usage(result).or(self.reading.usage);
                match result["stopReason"].as_str() {
                    Some("end_turn") | None => self.reading.completed = true,
                    Some("cancelled") => self.reading.error = Some("it was cancelled".to_owned()),
                    Some(reason) => self.reading.error = Some(format!("it stopped: {reason}")),
                }
                self.reading.ended = true;
                self.tell("answered");
                return Expect::Nothing;
            }
            _ => {}
        }
        Expect::More
    }

    fn prompt(&mut self, reply: &mut Vec<u8>) {
        let text = json!([{ "type": "text", "text": self.question.prompt }]);
        say(reply, PROMPT, "session/prompt", &json!({ "sessionId": self.reading.session, "prompt": text }));
    }

    fn update(&mut self, update: &Value) {
        match update["sessionUpdate"].as_str() {
            Some("agent_message_chunk") => {
                if let Some(text) = update["content"]["text"].as_str() {
                    self.reading.answer.get_or_insert_default().push_str(text);
                }
                self.tell("writing the answer");
            }
            Some("agent_thought_chunk") => self.tell("thinking"),
            Some("tool_call") => {
                // What it wrote before it looked at something is not its answer.
                self.reading.answer = None;
                let title = update["title"].as_str().unwrap_or("using a tool").to_owned();
                self.tell(&title);
            }
            _ => {}
        }
    }
}

impl<F: FnMut(Progress) + Send> Talk for Client<'_, F> {
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
            (None, Some(id)) => match id.as_u64() {
                Some(id) => return self.answered(id, &message, reply),
                None => return Expect::More,
            },
            (Some("session/update"), _) => self.update(&message["params"]["update"]),
            (Some("session/request_permission"), Some(id)) => {
                write(reply, &json!({ "jsonrpc": "2.0", "id": id, "result": { "outcome": refusal(&message) } }));
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
        let Some(session) = &self.reading.session else { return Vec::new() };
        let mut words = Vec::new();
        let params = json!({ "sessionId": session });
        write(&mut words, &json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": params }));
        words
    }
}

pub(super) fn say(out: &mut Vec<u8>, id: u64, method: &str, params: &Value) {
    write(out, &json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
}

pub(super) fn write(out: &mut Vec<u8>, message: &Value) {
    out.extend_from_slice(message.to_string().as_bytes());
    out.push(b'\n');
}

/// Rejects once, where that is offered.
fn refusal(message: &Value) -> Value {
    let options = message["params"]["options"].as_array();
    let reject = options.into_iter().flatten().find(|option| option["kind"] == "reject_once");
    match reject.and_then(|option| option.get("optionId")) {
        Some(id) => json!({ "outcome": "selected", "optionId": id }),
        None => json!({ "outcome": "cancelled" }),
    }
}

/// Not part of the protocol yet; agents report it in two forms.
pub(super) fn usage(result: &Value) -> Option<TokenUsage> {
    let usage = &result["usage"];
    if let (Some(input), Some(output)) = (usage["inputTokens"].as_u64(), usage["outputTokens"].as_u64()) {
        let cached_input = usage["cachedReadTokens"].as_u64().unwrap_or(0);
        return Some(TokenUsage { input: input + cached_input, cached_input, output });
    }
    let count = &result["_meta"]["quota"]["token_count"];
    let (input, output) = (count["input_tokens"].as_u64()?, count["output_tokens"].as_u64()?);
    Some(TokenUsage { input, cached_input: count["cached_tokens"].as_u64().unwrap_or(0), output })
}
