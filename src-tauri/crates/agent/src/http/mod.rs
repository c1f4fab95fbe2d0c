//! The client for endpoints with OpenAI's interface: chat completions and responses, streamed.
//!
//! In: messages, perhaps a schema for the answer. Out: the same reading as of programs, and events meanwhile. It follows no
//! redirects: the prompt goes to the configured endpoint only.

use std::sync::OnceLock;
use std::time::Duration;

use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};

use super::failure::{Failure, FailureKind, classify};
use super::lines::OutputTooLong;
use super::process::Deadlines;
use super::read::{Reading, readable};
use super::request::AgentRequest;
use diffsan_config::{AgentSpec, HttpApi};
use stream::Stream;

mod stream;

/// The maximum size of an error's body that is read.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// An event of a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamEvent<'a> {
    /// The answer begins.
    Started,
    /// The endpoint refuses the schema; the request is sent again without it.
    Repeated,
    Thinking,
    /// A part of the answer.
    Text(&'a str),
}

type OnEvent<'a> = &'a mut (dyn FnMut(StreamEvent<'_>) + Send);

/// Requests an answer to messages. Requests it once more without the optional fields (the schema, usage while streaming) where the
/// endpoint refuses them.
pub(crate) async fn complete(
    request: &AgentRequest,
    messages: &[Value],
    schema: Option<&Value>,
    on_event: OnEvent<'_>,
) -> Result<Reading, Failure> {
    let deadlines = request.deadlines();
    let spec = &request.agent.spec;
    let work = async {
        let optional = optional_fields(spec.api, schema);
        match send(request, body(request, messages, &optional), deadlines, on_event).await {
            Err(Refused { status: 400 | 404 | 422, failure: Failure::Failed { message, .. } })
                if !optional.is_empty() && mentions_optional_field(&message) =>
            {
                on_event(StreamEvent::Repeated);
                send(request, body(request, messages, &[]), deadlines, on_event).await
            }
            answered => answered,
        }
    };
    match tokio::time::timeout(deadlines.total, work).await {
        Ok(answered) => answered.map_err(|refused| refused.failure),
        Err(_) => Err(Failure::Timeout(format!("it did not finish within {} s", deadlines.total.as_secs()))),
    }
}

/// The reason why an endpoint gave no stream.
struct Refused {
    /// Its status; 0 if it never answered.
    status: u16,
    failure: Failure,
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Self { status: 0, failure }
    }
}

fn body(request: &AgentRequest, messages: &[Value], optional: &[(&str, Value)]) -> Value {
    let mut body = match request.agent.spec.api {
        HttpApi::ChatCompletions => json!({ "model": request.model, "stream": true, "messages": messages }),
        HttpApi::Responses => json!({ "model": request.model, "stream": true, "store": false, "input": messages }),
    };
    for (name, value) in optional {
        body[*name] = value.clone();
    }
    body
}

/// The fields that some endpoints refuse.
fn optional_fields(api: HttpApi, schema: Option<&Value>) -> Vec<(&'static str, Value)> {
    let mut fields = Vec::new();
    match api {
        HttpApi::ChatCompletions => {
            fields.push(("stream_options", json!({ "include_usage": true })));
            if let Some(schema) = schema {
                let schema = json!({ "name": "review", "strict": true, "schema": schema });
                fields.push(("response_format", json!({ "type": "json_schema", "json_schema": schema })));
            }
        }
        HttpApi::Responses => {
            if let Some(schema) = schema {
                let format = json!({ "type": "json_schema", "name": "review", "strict": true, "schema": schema });
                fields.push(("text", json!({ "format": format })));
            }
        }
    }
    fields
}

fn mentions_optional_field(message: &str) -> bool {
    let message = message.to_lowercase();
    ["response_format", "json_schema", "text.format", "schema", "stream_options"]
        .iter()
        .any(|word| message.contains(word))
}

fn client() -> Result<&'static reqwest::Client, Failure> {
    static CLIENT: OnceLock<Option<reqwest::Client>> = OnceLock::new();
    let client = CLIENT.get_or_init(|| {
        // Fails where another part of the program has chosen a provider before.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = reqwest::Client::builder()
            .user_agent(concat!("diffsan/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none());
        builder.build().ok()
    });
    let failed = || Failure::new(FailureKind::Other, "the system's certificates cannot be read");
    client.as_ref().ok_or_else(failed)
}

/// A request to an endpoint. The query of its address, such as a version, stays at the end.
fn post(spec: &AgentSpec, key: Option<&str>) -> Result<RequestBuilder, Failure> {
    let path = match spec.api {
        HttpApi::ChatCompletions => "chat/completions",
        HttpApi::Responses => "responses",
    };
    let (address, query) = match spec.url.split_once('?') {
        Some((address, query)) => (address, format!("?{query}")),
        None => (spec.url.as_str(), String::new()),
    };
    let post = client()?.post(format!("{}/{path}{query}", address.trim_end_matches('/')));
    Ok(match key {
        Some(key) => post.bearer_auth(key),
        None => post,
    })
}

async fn send(
    request: &AgentRequest,
    body: Value,
    deadlines: Deadlines,
    on_event: OnEvent<'_>,
) -> Result<Reading, Refused> {
    let spec = &request.agent.spec;
    let post = post(spec, request.key.as_deref())?.json(&body);
    let start = deadlines.start.unwrap_or(deadlines.total).max(deadlines.silence.unwrap_or_default());
    let mut response = match tokio::time::timeout(start, post.send()).await {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => return Err(unreachable(&error).into()),
        Err(_) => return Err(Failure::Timeout("it stalled: it sent no answer".to_owned()).into()),
    };
    if !response.status().is_success() {
        return Err(refused(response).await);
    }
    on_event(StreamEvent::Started);
    let silence = deadlines.silence.unwrap_or(deadlines.total).max(Duration::from_secs(1));
    let mut stream = Stream::new(spec.api);
    loop {
        let chunk = match tokio::time::timeout(silence, response.chunk()).await {
            Ok(Ok(Some(chunk))) => chunk,
            Ok(Ok(None)) => return Ok(stream.finish(on_event)),
            Ok(Err(error)) => return Err(unreachable(&error).into()),
            Err(_) => {
                let message = format!("it stalled: it sent nothing more within {} s", silence.as_secs());
                return Err(Failure::Timeout(message).into());
            }
        };
        let too_long = |error: OutputTooLong| Failure::new(FailureKind::Other, error.to_string());
        stream.push(&chunk, on_event).map_err(too_long)?;
    }
}

async fn refused(mut response: Response) -> Refused {
    let status = response.status().as_u16();
    let retry_after = response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.trim().parse().ok());
    let mut text = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        text.extend_from_slice(&chunk);
        if text.len() > MAX_ERROR_BYTES {
            break;
        }
    }
    let message = format!("{status}: {}", readable(&String::from_utf8_lossy(&text)).trim());
    let failure = Failure::Failed { kind: classify(&message), message, retry_after };
    Refused { status, failure }
}

/// A failed connection, without its address: that may contain a key.
fn unreachable(error: &reqwest::Error) -> Failure {
    let mut message =
        if error.is_connect() { "error sending request: could not connect" } else { "stream disconnected" }.to_owned();
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        message = format!("{message}: {inner}");
        source = inner.source();
    }
    Failure::new(FailureKind::Unreachable, message)
}
