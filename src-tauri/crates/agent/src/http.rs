//! Endpoints with OpenAI's interface: chat completions and responses, streamed, with the answer's schema where they take it.
//!
//! In: a prompt. Out: the same reading that programs give. Redirects are not followed: the prompt goes to the endpoint that
//! was named and nowhere else.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::process::Deadlines;
use super::read::Reading;
use super::{Agent, Failure, FailureKind, Progress, Request, classify};
use diffsan_config::{AgentSpec, HttpApi};
use diffsan_review::TokenUsage;
use diffsan_review::answer;

/// More is not read.
pub(super) const MAX_BODY_BYTES: usize = 32 * 1024 * 1024;
/// How much of an error's body is read.
pub(super) const MAX_ERROR_BYTES: usize = 64 * 1024;

/// Asks once; once more without the schema where the endpoint does not take it.
pub(super) async fn ask(
    agent: &Agent,
    request: &Request<'_>,
    deadlines: Deadlines,
    cancel: &CancellationToken,
    mut progress: impl FnMut(Progress) + Send,
) -> Result<Reading, Failure> {
    let work = async {
        let asked = send(agent, request, true, deadlines, &mut progress).await;
        match asked {
            Err(Refused { status: 400 | 404 | 422, failure: Failure::Said { message, .. } })
                if is_about_schema(&message) =>
            {
                progress(Progress::new("asking again without the schema"));
                send(agent, request, false, deadlines, &mut progress).await
            }
            asked => asked,
        }
    };
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(Failure::Cancelled),
        asked = tokio::time::timeout(deadlines.total, work) => match asked {
            Ok(asked) => asked.map_err(|refused| refused.failure),
            Err(_) => Err(Failure::Timeout(format!("it did not finish within {} s", deadlines.total.as_secs()))),
        },
    }
}

/// Why an endpoint gave no stream.
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

/// Whether an endpoint complains of what only the schema brought into the request.
fn is_about_schema(message: &str) -> bool {
    let message = message.to_lowercase();
    ["response_format", "json_schema", "text.format", "schema", "stream_options"]
        .iter()
        .any(|word| message.contains(word))
}

fn client() -> Result<&'static reqwest::Client, Failure> {
    static CLIENT: OnceLock<Option<reqwest::Client>> = OnceLock::new();
    let client = CLIENT.get_or_init(|| {
        // Another part of the program may have chosen one before.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = reqwest::Client::builder()
            .user_agent(concat!("diffsan/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none());
        builder.build().ok()
    });
    let failed = || Failure::said(FailureKind::Other, "the system's certificates cannot be read".to_owned());
    client.as_ref().ok_or_else(failed)
}

/// A request to an endpoint. What an address asks for behind `?`, such as a version, stays at its end.
pub(super) fn post(spec: &AgentSpec, path: &str, key: Option<&str>) -> Result<reqwest::RequestBuilder, Failure> {
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
    agent: &Agent,
    request: &Request<'_>,
    with_schema: bool,
    deadlines: Deadlines,
    progress: &mut (impl FnMut(Progress) + Send),
) -> Result<Reading, Refused> {
    let spec = &agent.spec;
    let (path, body) = match spec.api {
        HttpApi::ChatCompletions => ("chat/completions", chat_body(request, with_schema)),
        HttpApi::Responses => ("responses", responses_body(request, with_schema)),
    };
    let post = post(spec, path, request.key)?.json(&body);
    let start = deadlines.start.unwrap_or(deadlines.total);
    let sent = tokio::time::timeout(start.max(deadlines.silence.unwrap_or_default()), post.send()).await;
    let mut response = match sent {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => return Err(Failure::said(FailureKind::Unreachable, words(&error)).into()),
        Err(_) => return Err(Failure::Timeout("it stalled: no answer began".to_owned()).into()),
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
        let text = String::from_utf8_lossy(&text);
        let said = super::read::readable(&text);
        let message = format!("{}: {}", status.as_u16(), said.trim());
        let failure = Failure::Said { kind: classify(&message), message, retry_after };
        return Err(Refused { status: status.as_u16(), failure });
    }
    progress(Progress::new("started"));
    let mut stream = Stream::default();
    let silence = deadlines.silence.unwrap_or(deadlines.total);
    let mut told = Instant::now() - Duration::from_secs(1);
    loop {
        let chunk = match tokio::time::timeout(silence, response.chunk()).await {
            Ok(Ok(Some(chunk))) => chunk,
            Ok(Ok(None)) => break,
            Ok(Err(error)) => return Err(Failure::said(FailureKind::Unreachable, words(&error)).into()),
            Err(_) => {
                let words = format!("it stalled: nothing more came within {} s", silence.as_secs());
                return Err(Failure::Timeout(words).into());
            }
        };
        stream.total += chunk.len();
        if stream.total > MAX_BODY_BYTES {
            let words = format!("it wrote more than {} MiB", MAX_BODY_BYTES / 1024 / 1024);
            return Err(Failure::said(FailureKind::Other, words).into());
        }
        let sign = stream.push(&chunk, spec.api);
        if let Some(sign) = sign.filter(|_| told.elapsed() >= Duration::from_millis(250)) {
            told = Instant::now();
            progress(sign);
        }
    }
    stream.finish(spec.api);
    let mut reading = stream.reading;
    if !reading.completed && reading.error.is_none() {
        reading.note.get_or_insert_with(|| "stream disconnected before its end".to_owned());
    }
    reading.ended = true;
    Ok(reading)
}

/// What the answer is held to.
fn schema_of(request: &Request<'_>) -> Value {
    request.schema.cloned().unwrap_or_else(answer::strict_schema)
}

fn chat_body(request: &Request<'_>, with_schema: bool) -> Value {
    let mut body = json!({
        "model": request.model,
        "stream": true,
        "messages": [{ "role": "user", "content": request.prompt.as_str() }],
    });
    if with_schema {
        let schema = json!({ "name": "review", "strict": true, "schema": schema_of(request) });
        body["response_format"] = json!({ "type": "json_schema", "json_schema": schema });
        body["stream_options"] = json!({ "include_usage": true });
    }
    body
}

fn responses_body(request: &Request<'_>, with_schema: bool) -> Value {
    let mut body = json!({
        "model": request.model,
        "stream": true,
        "store": false,
        "input": [{ "role": "user", "content": request.prompt.as_str() }],
    });
    if with_schema {
        let schema = schema_of(request);
        body["text"] =
            json!({ "format": { "type": "json_schema", "name": "review", "strict": true, "schema": schema } });
    }
    body
}

/// A failed request in words, without its address: that may hold a key.
pub(super) fn words(error: &reqwest::Error) -> String {
    let mut words =
        if error.is_connect() { "error sending request: could not connect" } else { "stream disconnected" }.to_owned();
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        words = format!("{words}: {inner}");
        source = inner.source();
    }
    words
}

/// An event stream, or one JSON object where an endpoint does not stream.
#[derive(Default)]
pub(super) struct Stream {
    pub(super) reading: Reading,
    pending: Vec<u8>,
    pub(super) total: usize,
    is_stream: bool,
}

impl Stream {
    pub(super) fn push(&mut self, chunk: &[u8], api: HttpApi) -> Option<Progress> {
        self.pending.extend_from_slice(chunk);
        let mut sign = None;
        while let Some(end) = memchr::memchr(b'\n', &self.pending) {
            let line: Vec<u8> = self.pending.drain(..=end).collect();
            let Some(data) = line.strip_prefix(b"data:") else {
                if self.is_stream
                    || line.starts_with(b"event:")
                    || line.starts_with(b":")
                    || line.trim_ascii().is_empty()
                {
                    continue;
                }
                // No stream: the whole body is one object.
                self.pending.splice(0..0, line);
                return sign;
            };
            self.is_stream = true;
            if let Ok(event) = serde_json::from_slice::<Value>(data.trim_ascii()) {
                sign = self.event(&event, api).or(sign);
            } else if data.trim_ascii() == b"[DONE]" {
                self.reading.completed = true;
            }
        }
        sign
    }

    pub(super) fn finish(&mut self, api: HttpApi) {
        if self.is_stream {
            return;
        }
        let Ok(body) = serde_json::from_slice::<Value>(&self.pending) else { return };
        match api {
            HttpApi::ChatCompletions => {
                self.reading.answer = body["choices"][0]["message"]["content"].as_str().map(str::to_owned);
                self.reading.usage = chat_usage(&body["usage"]);
            }
            HttpApi::Responses => self.response(&body),
        }
        self.fail(&body);
        self.reading.completed = self.reading.answer.is_some();
    }

    fn fail(&mut self, event: &Value) {
        if let Some(error) = event.get("error").filter(|error| !error.is_null()) {
            let words = error["message"].as_str().or(error.as_str()).unwrap_or("it reported an error without a reason");
            self.reading.error = Some(words.to_owned());
        }
    }

    fn event(&mut self, event: &Value, api: HttpApi) -> Option<Progress> {
        self.fail(event);
        let piece = match api {
            HttpApi::ChatCompletions => {
                self.reading.usage = chat_usage(&event["usage"]).or(self.reading.usage);
                let choice = &event["choices"][0];
                match choice["finish_reason"].as_str() {
                    Some("length") => self.reading.error = Some("the answer was cut at the model's limit".to_owned()),
                    Some("content_filter") => {
                        self.reading.error = Some("the answer was held back by a filter".to_owned())
                    }
                    Some(_) => self.reading.completed = true,
                    None => {}
                }
                let delta = &choice["delta"];
                if delta["reasoning_content"].is_string() || delta["reasoning"].is_string() {
                    return Some(Progress::new("thinking"));
                }
                delta["content"].as_str()
            }
            HttpApi::Responses => match event["type"].as_str() {
                Some("response.output_text.delta") => event["delta"].as_str(),
                Some("response.completed") => {
                    self.response(&event["response"]);
                    self.reading.completed = true;
                    None
                }
                Some("response.failed" | "response.incomplete") => {
                    let response = &event["response"];
                    let words =
                        response["error"]["message"].as_str().or(response["incomplete_details"]["reason"].as_str());
                    self.reading.error = Some(words.unwrap_or("the answer failed").to_owned());
                    None
                }
                Some(kind) if kind.contains("reasoning") => return Some(Progress::new("thinking")),
                _ => None,
            },
        };
        let piece = piece.filter(|piece| !piece.is_empty())?;
        self.reading.answer.get_or_insert_default().push_str(piece);
        Some(Progress::new("writing the answer"))
    }

    /// A whole response: its texts, its tokens.
    fn response(&mut self, response: &Value) {
        let parts = response["output"].as_array().into_iter().flatten().filter(|item| item["type"] == "message");
        let texts = parts.flat_map(|item| item["content"].as_array().into_iter().flatten());
        let text: String = texts.filter_map(|part| part["text"].as_str()).collect();
        if !text.is_empty() {
            self.reading.answer = Some(text);
        }
        let usage = &response["usage"];
        if let (Some(input), Some(output)) = (usage["input_tokens"].as_u64(), usage["output_tokens"].as_u64()) {
            let cached_input = usage["input_tokens_details"]["cached_tokens"].as_u64().unwrap_or(0);
            self.reading.usage = Some(TokenUsage { input, cached_input, output });
        }
        self.reading.session = response["id"].as_str().map(str::to_owned);
    }
}

fn chat_usage(usage: &Value) -> Option<TokenUsage> {
    let (input, output) = (usage["prompt_tokens"].as_u64()?, usage["completion_tokens"].as_u64()?);
    let cached_input = usage["prompt_tokens_details"]["cached_tokens"].as_u64().unwrap_or(0);
    Some(TokenUsage { input, cached_input, output })
}
