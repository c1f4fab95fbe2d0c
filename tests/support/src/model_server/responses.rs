//! The events of a streamed answer of the Responses API.

use serde_json::{Value, json};

use super::Turn;

/// Returns all events of a turn, as lines of an event stream.
pub(super) fn of_turn(turn: &Turn, request_bytes: usize) -> Vec<String> {
    let response = |status: &str, output: Value| json!({ "id": "resp_1", "object": "response", "created_at": 1, "model": "scripted-model", "status": status, "output": output });
    let mut events = vec![json!({ "type": "response.created", "response": response("in_progress", json!([])) })];
    if let Some(message) = &turn.stream_error {
        let mut failed = response("failed", json!([]));
        failed["error"] = json!({ "code": "server_error", "message": message });
        events.push(json!({ "type": "response.failed", "response": failed }));
        return events.iter().map(line).collect();
    }
    let mut output = Vec::new();
    if let Some(thought) = &turn.reasoning {
        let item = json!({ "id": "rs_1", "type": "reasoning", "summary": [{ "type": "summary_text", "text": thought }], "encrypted_content": null });
        events.push(json!({ "type": "response.output_item.added", "output_index": 0, "item": { "id": "rs_1", "type": "reasoning", "summary": [] } }));
        events.push(json!({ "type": "response.output_item.done", "output_index": 0, "item": item }));
        output.push(item);
    }
    if let Some(text) = &turn.text {
        let at = output.len();
        let started =
            json!({ "id": "msg_1", "type": "message", "role": "assistant", "status": "in_progress", "content": [] });
        events.push(json!({ "type": "response.output_item.added", "output_index": at, "item": started }));
        for delta in super::pieces(text, turn) {
            events.push(json!({ "type": "response.output_text.delta", "item_id": "msg_1", "output_index": at, "content_index": 0, "delta": delta }));
        }
        let content = json!([{ "type": "output_text", "text": text, "annotations": [] }]);
        let item =
            json!({ "id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": content });
        events.push(json!({ "type": "response.output_item.done", "output_index": at, "item": item }));
        output.push(item);
    }
    for tool in &turn.tools {
        let at = output.len();
        let item = json!({ "id": format!("fc_{at}"), "type": "function_call", "call_id": format!("call_{at}"), "name": tool.name, "arguments": tool.args.to_string(), "status": "completed" });
        events.push(json!({ "type": "response.output_item.added", "output_index": at, "item": item }));
        events.push(json!({ "type": "response.output_item.done", "output_index": at, "item": item }));
        output.push(item);
    }
    let usage = super::tokens(turn, request_bytes);
    let input = usage.input;
    let mut done = response("completed", Value::Array(output));
    done["usage"] = json!({
        "input_tokens": input,
        "input_tokens_details": { "cached_tokens": usage.cached },
        "output_tokens": usage.output,
        "output_tokens_details": { "reasoning_tokens": 0 },
        "total_tokens": input + usage.output,
    });
    events.push(json!({ "type": "response.completed", "response": done }));
    events.iter().map(line).collect()
}

fn line(event: &Value) -> String {
    format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default())
}

/// Returns the answer without streaming.
pub(super) fn whole(turn: &Turn, request_bytes: usize) -> Value {
    let usage = super::tokens(turn, request_bytes);
    let content = json!([{ "type": "output_text", "text": turn.text, "annotations": [] }]);
    json!({
        "id": "resp_1", "object": "response", "created_at": 1, "model": "scripted-model", "status": "completed",
        "output": [{ "id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": content }],
        "usage": { "input_tokens": usage.input, "output_tokens": usage.output, "total_tokens": usage.input + usage.output },
    })
}
