use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::super::super::protocol::SessionCommand;
use super::super::Opening;
use super::*;
use crate::tests::request;

/// A client in mode `plan`, and its events.
fn client() -> (Acp, mpsc::UnboundedReceiver<SessionEvent>) {
    let (sender, events) = mpsc::unbounded_channel();
    let mut request = request("opencode", "", None, None);
    request.agent.spec.mode = "plan".to_owned();
    (Acp::new(State::new(sender, Opening::default()), &request), events)
}

fn messages(input: &[u8]) -> Vec<Value> {
    input.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// Returns the messages that the client writes in reply to a message of the agent.
fn after(client: &mut Acp, message: &Value) -> Vec<Value> {
    let mut reply = Vec::new();
    client.line(&message.to_string(), &mut reply);
    messages(&reply)
}

fn command(client: &mut Acp, command: SessionCommand) -> Vec<Value> {
    let mut reply = Vec::new();
    client.command(command, &mut reply);
    messages(&reply)
}

fn methods(messages: &[Value]) -> Vec<&str> {
    messages.iter().filter_map(|message| message["method"].as_str()).collect()
}

/// A client whose first prompt is being answered.
fn asked() -> (Acp, mpsc::UnboundedReceiver<SessionEvent>) {
    let (mut client, mut events) = client();
    client.begin();
    command(&mut client, SessionCommand::Ask(Redacted::fixed("question")));
    after(&mut client, &json!({ "id": INITIALIZE, "result": {} }));
    after(&mut client, &json!({ "id": NEW_SESSION, "result": { "sessionId": "s" } }));
    after(&mut client, &json!({ "id": SET_MODE, "result": {} }));
    assert_eq!(events.try_recv(), Ok(SessionEvent::Asked));
    (client, events)
}

#[test]
fn the_first_prompt_waits_for_the_mode() {
    let (mut client, _events) = client();
    assert_eq!(methods(&messages(&client.begin())), ["initialize"]);
    assert!(command(&mut client, SessionCommand::Ask(Redacted::fixed("question"))).is_empty());
    assert_eq!(methods(&after(&mut client, &json!({ "id": INITIALIZE, "result": {} }))), ["session/new"]);
    let opened = after(&mut client, &json!({ "id": NEW_SESSION, "result": { "sessionId": "s" } }));
    assert_eq!(methods(&opened), ["session/set_mode"]);
    let asked = after(&mut client, &json!({ "id": SET_MODE, "error": { "message": "no such mode" } }));
    assert_eq!(methods(&asked), ["session/prompt"]);
    assert_eq!(asked[0]["params"], json!({ "sessionId": "s", "prompt": [{ "type": "text", "text": "question" }] }));
}

#[test]
fn a_stop_answers_open_requests_for_permission_first() {
    let (mut client, mut events) = asked();
    let params = json!({ "toolCall": { "title": "rm a", "kind": "execute" }, "options": [] });
    after(&mut client, &json!({ "id": "p", "method": "session/request_permission", "params": params }));
    assert!(matches!(events.try_recv(), Ok(SessionEvent::Permission { kind, .. }) if kind == "execute"));
    let stopped = command(&mut client, SessionCommand::Stop);
    assert_eq!(stopped[0], json!({ "jsonrpc": "2.0", "id": "p", "result": { "outcome": { "outcome": "cancelled" } } }));
    assert_eq!(methods(&stopped), ["session/cancel"]);
    after(&mut client, &json!({ "id": FIRST_PROMPT, "result": { "stopReason": "end_turn" } }));
    assert_eq!(events.try_recv(), Ok(SessionEvent::Done { stopped: true }));
}

#[test]
fn a_permission_selects_the_option_of_its_kind() {
    let (mut client, _events) = asked();
    let options = json!([{ "optionId": "a", "kind": "allow_once" }, { "optionId": "r", "kind": "reject_once" }]);
    let params = json!({ "toolCall": {}, "options": options });
    for (allowed, option) in [(true, "a"), (false, "r")] {
        after(&mut client, &json!({ "id": 5, "method": "session/request_permission", "params": params.clone() }));
        let answer = command(&mut client, SessionCommand::Permit { id: "5".to_owned(), allowed });
        assert_eq!(answer[0]["result"]["outcome"], json!({ "outcome": "selected", "optionId": option }));
    }
}

#[test]
fn unknown_notifications_are_ignored_and_unknown_requests_refused() {
    let (mut client, mut events) = asked();
    let mut reply = Vec::new();
    client.line("Loading…", &mut reply);
    assert!(reply.is_empty());
    assert!(after(&mut client, &json!({ "method": "_vendor/news", "params": {} })).is_empty());
    let update = json!({ "update": { "sessionUpdate": "next_year" } });
    assert!(after(&mut client, &json!({ "method": "session/update", "params": update })).is_empty());
    let refused = after(&mut client, &json!({ "id": "7", "method": "fs/read_text_file", "params": {} }));
    assert_eq!((&refused[0]["id"], &refused[0]["error"]["code"]), (&json!("7"), &json!(-32601)));
    assert!(events.try_recv().is_err());
}

#[test]
fn tokens_are_read_in_both_forms() {
    let counted = Some(TokenUsage { input: 12, cached_input: 2, output: 3 });
    let usage = json!({ "inputTokens": 10, "outputTokens": 3, "cachedReadTokens": 2 });
    assert_eq!(super::usage(&json!({ "usage": usage })), counted);
    let count = json!({ "input_tokens": 12, "output_tokens": 3, "cached_tokens": 2 });
    assert_eq!(super::usage(&json!({ "_meta": { "quota": { "token_count": count } } })), counted);
    assert_eq!(super::usage(&json!({})), None);
}
