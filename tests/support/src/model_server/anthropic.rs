//! The events of a streamed answer of Anthropic's messages API.

use serde_json::{Value, json};

use super::Turn;

fn usage(turn: &Turn, request_bytes: usize) -> Value {
    let usage = super::tokens(turn, request_bytes);
    json!({ "input_tokens": usage.input, "cache_read_input_tokens": usage.cached, "cache_creation_input_tokens": 0,
            "output_tokens": usage.output })
}

fn blocks(turn: &Turn) -> Vec<Value> {
    let thought =
        turn.reasoning.iter().map(|text| json!({ "type": "thinking", "thinking": text, "signature": "c2ln" }));
    let text = turn.text.iter().map(|text| json!({ "type": "text", "text": text }));
    let tools = turn.tools.iter().enumerate();
    let tools = tools.map(
        |(at, tool)| json!({ "type": "tool_use", "id": format!("toolu_{at}"), "name": tool.name, "input": tool.args }),
    );
    thought.chain(text).chain(tools).collect()
}

pub(super) fn whole(turn: &Turn, request_bytes: usize) -> Value {
    json!({ "id": "msg_1", "type": "message", "role": "assistant", "model": "scripted-model", "content": blocks(turn),
            "stop_reason": if turn.tools.is_empty() { "end_turn" } else { "tool_use" }, "stop_sequence": null,
            "usage": usage(turn, request_bytes) })
}

pub(super) fn of_turn(turn: &Turn, request_bytes: usize) -> Vec<String> {
    let full = whole(turn, request_bytes);
    let mut begun = full.clone();
    begun["content"] = json!([]);
    begun["stop_reason"] = Value::Null;
    let mut events = vec![json!({ "type": "message_start", "message": begun })];
    if let Some(message) = &turn.stream_error {
        events.push(json!({ "type": "error", "error": { "type": "overloaded_error", "message": message } }));
        return events.iter().map(line).collect();
    }
    for (index, block) in blocks(turn).iter().enumerate() {
        let (start, deltas): (Value, Vec<Value>) = match block["type"].as_str() {
            Some("text") => (
                json!({ "type": "text", "text": "" }),
                super::pieces(block["text"].as_str().unwrap_or_default(), turn)
                    .into_iter()
                    .map(|text| json!({ "type": "text_delta", "text": text }))
                    .collect(),
            ),
            Some("thinking") => (
                json!({ "type": "thinking", "thinking": "", "signature": "" }),
                vec![
                    json!({ "type": "thinking_delta", "thinking": block["thinking"] }),
                    json!({ "type": "signature_delta", "signature": "c2ln" }),
                ],
            ),
            _ => {
                let mut start = block.clone();
                start["input"] = json!({});
                (start, vec![json!({ "type": "input_json_delta", "partial_json": block["input"].to_string() })])
            }
        };
        events.push(json!({ "type": "content_block_start", "index": index, "content_block": start }));
        events.extend(
            deltas.into_iter().map(|delta| json!({ "type": "content_block_delta", "index": index, "delta": delta })),
        );
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    let delta = json!({ "stop_reason": full["stop_reason"], "stop_sequence": null });
    events.push(json!({ "type": "message_delta", "delta": delta, "usage": full["usage"] }));
    events.push(json!({ "type": "message_stop" }));
    events.iter().map(line).collect()
}

fn line(event: &Value) -> String {
    format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default())
}

pub(super) fn error(status: u16, message: &str) -> Value {
    let kind = match status {
        400 => "invalid_request_error",
        401 => "authentication_error",
        404 => "not_found_error",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    };
    json!({ "type": "error", "error": { "type": kind, "message": message } })
}
