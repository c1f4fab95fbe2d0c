//! The events of a streamed answer of Google's generateContent API.

use serde_json::{Value, json};

use super::Turn;

fn chunk(parts: &Value, finish: Option<Value>) -> Value {
    let mut candidate = json!({ "content": { "role": "model", "parts": parts }, "index": 0 });
    let mut chunk = json!({ "modelVersion": "scripted-model", "responseId": "r1" });
    if let Some(usage) = finish {
        candidate["finishReason"] = json!("STOP");
        chunk["usageMetadata"] = usage;
    }
    chunk["candidates"] = json!([candidate]);
    chunk
}

fn usage(turn: &Turn, request_bytes: usize) -> Value {
    let usage = super::tokens(turn, request_bytes);
    json!({ "promptTokenCount": usage.input, "candidatesTokenCount": usage.output, "cachedContentTokenCount": usage.cached,
            "totalTokenCount": usage.input + usage.output })
}

fn parts(turn: &Turn) -> Vec<Value> {
    let thought = turn.reasoning.iter().map(|text| json!({ "text": text, "thought": true }));
    let text = turn.text.iter().map(|text| json!({ "text": text }));
    let tools = turn.tools.iter();
    let tools = tools
        .map(|tool| json!({ "functionCall": { "name": tool.name, "args": tool.args }, "thoughtSignature": "c2ln" }));
    thought.chain(text).chain(tools).collect()
}

pub(super) fn of_turn(turn: &Turn, request_bytes: usize) -> Vec<String> {
    if let Some(message) = &turn.stream_error {
        return vec![line(&json!({ "error": { "code": 500, "message": message, "status": "INTERNAL" } }))];
    }
    let mut events = Vec::new();
    for part in parts(turn) {
        match (part["text"].as_str(), part["thought"].as_bool()) {
            (Some(text), None) => {
                events
                    .extend(super::pieces(text, turn).into_iter().map(|text| chunk(&json!([{ "text": text }]), None)));
            }
            _ => events.push(chunk(&json!([part]), None)),
        }
    }
    events.push(chunk(&json!([{ "text": "" }]), Some(usage(turn, request_bytes))));
    events.iter().map(line).collect()
}

fn line(event: &Value) -> String {
    format!("data: {event}\n\n")
}

pub(super) fn whole(turn: &Turn, request_bytes: usize) -> Value {
    chunk(&Value::Array(parts(turn)), Some(usage(turn, request_bytes)))
}
