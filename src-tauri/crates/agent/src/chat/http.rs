//! Endpoints with OpenAI's interface in a conversation: every message goes out with all that was said before it, in the same
//! order and form, so that the provider's prompt cache holds.

use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::super::http::{MAX_BODY_BYTES, MAX_ERROR_BYTES, Stream, post, words};
use super::super::process::Deadlines;
use super::super::read::readable;
use super::super::{Agent, Failure, FailureKind, classify, deadlines};
use super::{Ends, Role, Said, SessionEvent, SessionRequest, Word};
use diffsan_config::HttpApi;

/// Answers one message.
pub(super) async fn run(
    agent: &Agent,
    request: &SessionRequest,
    ends: &Ends,
    cancel: &CancellationToken,
) -> Option<Failure> {
    let message = loop {
        match ends.next() {
            Some(Word::Ask(message)) => break message,
            Some(Word::Close) => return None,
            Some(Word::Stop | Word::Permit { .. }) => {}
            None => tokio::select! {
                () = cancel.cancelled() => return Some(Failure::Cancelled),
                () = ends.bell.notified() => {}
            },
        }
    };
    let mut said = request.opening.messages();
    said.push(Said { role: Role::User, text: message });
    let asked = tokio::select! {
        biased;
        () = cancel.cancelled() => return Some(Failure::Cancelled),
        () = stopped(ends) => None,
        asked = ask(agent, request, &said, ends) => Some(asked),
    };
    ends.tell(match asked {
        None => SessionEvent::Done { stopped: true },
        Some(Ok(())) => SessionEvent::Done { stopped: false },
        Some(Err(failure)) => SessionEvent::Failed(failure),
    });
    None
}

/// Ends when the user stops the answer.
async fn stopped(ends: &Ends) {
    loop {
        ends.bell.notified().await;
        while let Some(word) = ends.next() {
            if matches!(word, Word::Stop | Word::Close) {
                return;
            }
        }
    }
}

async fn ask(agent: &Agent, request: &SessionRequest, said: &[Said], ends: &Ends) -> Result<(), Failure> {
    let spec = &agent.spec;
    let (path, body) = match spec.api {
        HttpApi::ChatCompletions => ("chat/completions", chat_body(request, said)),
        HttpApi::Responses => ("responses", responses_body(request, said)),
    };
    let post = post(spec, path, request.key.as_deref())?.json(&body);
    let limits = deadlines(agent, &request.config);
    ends.tell(SessionEvent::Asked);
    let work = stream(post, spec.api, limits, spec.context_tokens, ends);
    match tokio::time::timeout(limits.total, work).await {
        Ok(done) => done,
        Err(_) => Err(Failure::Timeout(format!("it did not finish within {} s", limits.total.as_secs()))),
    }
}

async fn stream(
    post: reqwest::RequestBuilder,
    api: HttpApi,
    limits: Deadlines,
    context: u64,
    ends: &Ends,
) -> Result<(), Failure> {
    let mut told = 0;
    let start = limits.start.unwrap_or(limits.total).max(limits.silence.unwrap_or_default());
    let mut response = match tokio::time::timeout(start, post.send()).await {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => return Err(Failure::said(FailureKind::Unreachable, words(&error))),
        Err(_) => return Err(Failure::Timeout("it stalled: no answer began".to_owned())),
    };
    let status = response.status();
    if !status.is_success() {
        let retry_after =
            response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let mut text = Vec::new();
        while let Ok(Some(chunk)) = response.chunk().await {
            text.extend_from_slice(&chunk);
            if text.len() > MAX_ERROR_BYTES {
                break;
            }
        }
        let message = format!("{}: {}", status.as_u16(), readable(&String::from_utf8_lossy(&text)).trim());
        return Err(Failure::Said { kind: classify(&message), message, retry_after });
    }
    let mut stream = Stream::default();
    let silence = limits.silence.unwrap_or(limits.total).max(Duration::from_secs(1));
    loop {
        let chunk = match tokio::time::timeout(silence, response.chunk()).await {
            Ok(Ok(Some(chunk))) => chunk,
            Ok(Ok(None)) => break,
            Ok(Err(error)) => return Err(Failure::said(FailureKind::Unreachable, words(&error))),
            Err(_) => {
                return Err(Failure::Timeout(format!("it stalled: nothing more came within {} s", silence.as_secs())));
            }
        };
        stream.total += chunk.len();
        if stream.total > MAX_BODY_BYTES {
            let words = format!("it wrote more than {} MiB", MAX_BODY_BYTES / 1024 / 1024);
            return Err(Failure::said(FailureKind::Other, words));
        }
        let sign = stream.push(&chunk, api);
        if !tell(&stream, ends, &mut told) && sign.is_some_and(|sign| sign.message == "thinking") {
            ends.tell(SessionEvent::Thinking);
        }
    }
    stream.finish(api);
    tell(&stream, ends, &mut told);
    let empty = stream.reading.answer.as_deref().unwrap_or_default().trim().is_empty();
    let reading = stream.reading;
    if let Some(used) = reading.usage {
        ends.tell(SessionEvent::Tokens { used, limit: Some(context).filter(|context| *context > 0) });
    }
    if let Some(error) = reading.error {
        return Err(Failure::said(classify(&error), error));
    }
    if !reading.completed {
        return Err(Failure::said(FailureKind::Unreachable, "stream disconnected before its end".to_owned()));
    }
    if empty {
        return Err(Failure::said(FailureKind::NoAnswer, String::new()));
    }
    Ok(())
}

/// Tells what is new of the answer. Whether there was anything.
fn tell(stream: &Stream, ends: &Ends, told: &mut usize) -> bool {
    let whole = stream.reading.answer.as_deref().unwrap_or_default();
    let Some(piece) = whole.get(*told..).filter(|piece| !piece.is_empty()) else { return false };
    *told += piece.len();
    ends.tell(SessionEvent::Text(piece.to_owned()));
    true
}

fn messages(request: &SessionRequest, said: &[Said]) -> Vec<Value> {
    let message = |role: &str, text: &str| json!({ "role": role, "content": text });
    let system = std::iter::once(message("system", request.opening.system.as_str()));
    let said =
        said.iter().map(|said| message(if said.role == Role::User { "user" } else { "assistant" }, said.text.as_str()));
    system.chain(said).collect()
}

fn chat_body(request: &SessionRequest, said: &[Said]) -> Value {
    json!({
        "model": request.model,
        "stream": true,
        "stream_options": { "include_usage": true },
        "messages": messages(request, said),
    })
}

fn responses_body(request: &SessionRequest, said: &[Said]) -> Value {
    json!({ "model": request.model, "stream": true, "store": false, "input": messages(request, said) })
}
