//! The events of a streamed answer of the chat completions API.

use serde_json::{Value, json};

use super::Turn;

fn usage(turn: &Turn, request_bytes: usize) -> Value {
    let usage = super::tokens(turn, request_bytes);
    json!({ "prompt_tokens": usage.input, "completion_tokens": usage.output, "total_tokens": usage.input + usage.output,
            "prompt_tokens_details": { "cached_tokens": usage.cached } })
}

fn calls(turn: &Turn) -> Value {
    let call = |(index, tool): (usize, &super::Tool)| {
        json!({ "index": index, "id": format!("call_{index}"), "type": "function",
        "function": { "name": tool.name, "arguments": tool.args.to_string() } })
    };
    turn.tools.iter().enumerate().map(call).collect()
}

pub(super) fn of_turn(turn: &Turn, request_bytes: usize) -> Vec<String> {
    let event = |delta: Value, finish: Value| {
        json!({ "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1,
        "model": "scripted-model", "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] })
    };
    let mut events = vec![event(json!({ "role": "assistant", "content": "" }), Value::Null)];
    if let Some(message) = &turn.stream_error {
        events.push(json!({ "error": { "message": message, "type": "server_error" } }));
        return events.iter().map(line).collect();
    }
    if let Some(thought) = &turn.reasoning {
        events.push(event(json!({ "reasoning_content": thought }), Value::Null));
    }
    for piece in super::pieces(turn.text.as_deref().unwrap_or_default(), turn) {
        events.push(event(json!({ "content": piece }), Value::Null));
    }
    if !turn.tools.is_empty() {
        events.push(event(json!({ "tool_calls": calls(turn) }), Value::Null));
    }
    events.push(event(json!({}), json!(if turn.tools.is_empty() { "stop" } else { "tool_calls" })));
    events
        .push(json!({ "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "scripted-model",
                        "choices": [], "usage": usage(turn, request_bytes) }));
    events.iter().map(line).chain(["data: [DONE]\n\n".to_owned()]).collect()
}

fn line(event: &Value) -> String {
    format!("data: {event}\n\n")
}

pub(super) fn whole(turn: &Turn, request_bytes: usize) -> Value {
    json!({ "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "scripted-model",
            "choices": [{ "index": 0, "message": { "role": "assistant", "content": turn.text }, "finish_reason": "stop" }],
            "usage": usage(turn, request_bytes) })
}
