//! A model server on loopback that answers as a script tells it, in the interfaces of OpenAI (responses, chat completions),
//! Anthropic (messages) and Google (generateContent), streamed or whole. It is also a proxy that refuses all connections and
//! records their targets.
//!
//! A script is `{"turns": [TURN, …], "after": "repeat" | "error", "side": [{"match": TEXT, "turn": TURN}]}`. A request whose body
//! contains the text of a side gets that turn, and uses none of the others. A turn combines: `tools` (`[{name, args}]`), `text`
//! (sent in pieces of `chunk` characters, `chunk_delay` seconds apart), `reasoning`, `usage` `{input, output, cached}`, `delay`
//! (seconds before the first byte), `status` with `error` and `headers`, `cut` (the number of events after which the connection
//! breaks), `hang` (seconds of silence before the connection breaks), `stream_error` (a failure within the stream).

mod anthropic;
mod chat;
mod gemini;
mod responses;

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

/// The answer to one request.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Turn {
    pub(crate) text: Option<String>,
    pub(crate) reasoning: Option<String>,
    pub(crate) tools: Vec<Tool>,
    pub(crate) usage: Option<Usage>,
    pub(crate) chunk: Option<usize>,
    pub(crate) chunk_delay: f64,
    delay: f64,
    status: Option<u16>,
    error: Option<String>,
    headers: std::collections::BTreeMap<String, String>,
    cut: Option<usize>,
    hang: Option<f64>,
    pub(crate) stream_error: Option<String>,
}

/// A tool call of the model.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) args: Value,
}

/// An answer to requests that contain a text. It uses none of the turns.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Aside {
    #[serde(rename = "match")]
    text: String,
    turn: Turn,
}

/// The token counts that a turn reports.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Usage {
    pub(crate) input: u64,
    pub(crate) output: u64,
    pub(crate) cached: u64,
}

/// The behaviour after the last turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum After {
    #[default]
    Repeat,
    Error,
}

/// A script: the turns in order, and answers outside of them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    turns: Vec<Turn>,
    #[serde(default)]
    after: After,
    #[serde(default)]
    side: Vec<Aside>,
}

/// A received request.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The path.
    pub path: String,
    /// The query, without `?`.
    pub query: Option<String>,
    /// The names of the headers in lower case, and their values.
    pub headers: Vec<(String, String)>,
    /// The body, if it was JSON.
    pub body: Value,
}

#[derive(Default)]
struct Inner {
    script: Script,
    next: usize,
    requests: Vec<Recorded>,
    connects: Vec<String>,
}

type Shared = Arc<Mutex<Inner>>;

fn lock(shared: &Shared) -> std::sync::MutexGuard<'_, Inner> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A running server. Stops when it is dropped.
pub struct ModelServer {
    port: u16,
    shared: Shared,
    task: tokio::task::JoinHandle<()>,
}

impl ModelServer {
    /// Starts on a free port.
    pub async fn start(script: Value) -> Self {
        Self::start_on(0, script).await
    }

    /// Starts on a port; 0 means a free one.
    pub async fn start_on(port: u16, script: Value) -> Self {
        let shared = Shared::default();
        lock(&shared).script = serde_json::from_value(script).expect("a script");
        let router = Router::new()
            .route("/__script", post(set_script))
            .route("/__requests", get(requests))
            .route("/v1/models", get(models))
            .route("/v1/responses", post(answer))
            .route("/v1/chat/completions", post(answer))
            .route("/v1/messages", post(answer))
            .route("/v1/messages/count_tokens", post(count))
            .route("/v1beta/models/{*call}", post(answer))
            .fallback(elsewhere)
            // Prompts can have any length.
            .layer(axum::extract::DefaultBodyLimit::disable())
            .with_state(Arc::clone(&shared));
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let task = tokio::spawn(async move { axum::serve(listener, router).await.expect("serving") });
        Self { port, shared, task }
    }

    /// Returns the base URL, ending in `/v1`.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// Returns the address without a path. It is also the address of the proxy.
    pub fn root(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns the targets of the connections that the proxy refused.
    pub fn connects(&self) -> Vec<String> {
        lock(&self.shared).connects.clone()
    }

    /// Replaces the script and forgets the requests so far.
    pub fn play(&self, script: Value) {
        let mut inner = lock(&self.shared);
        inner.script = serde_json::from_value(script).expect("a script");
        inner.next = 0;
        inner.requests.clear();
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the requests so far.
    pub fn requests(&self) -> Vec<Recorded> {
        lock(&self.shared).requests.clone()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn set_script(State(shared): State<Shared>, Json(script): Json<Script>) -> Json<Value> {
    let mut inner = lock(&shared);
    inner.script = script;
    inner.next = 0;
    Json(json!({ "ok": true }))
}

async fn requests(State(shared): State<Shared>) -> Json<Value> {
    let inner = lock(&shared);
    let list = inner.requests.iter().map(|one| json!({ "path": one.path, "headers": one.headers, "body": one.body }));
    Json(list.collect())
}

async fn models() -> Json<Value> {
    Json(json!({ "object": "list", "data": [{ "id": "scripted-model", "object": "model" }] }))
}

/// Answers other requests. Requests to a proxy are recorded and refused.
async fn elsewhere(State(shared): State<Shared>, method: Method, uri: Uri) -> Response {
    if method == Method::CONNECT || uri.host().is_some() {
        lock(&shared).connects.push(uri.to_string());
        return StatusCode::FORBIDDEN.into_response();
    }
    StatusCode::NOT_FOUND.into_response()
}

async fn count(body: Bytes) -> Json<Value> {
    Json(json!({ "input_tokens": body.len() / 4 }))
}

fn take_turn(shared: &Shared, uri: &Uri, headers: &HeaderMap, body: &Bytes) -> Turn {
    let mut inner = lock(shared);
    let text = |value: &header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect();
    let raw = String::from_utf8_lossy(body).into_owned();
    let body = serde_json::from_slice(body).unwrap_or(Value::Null);
    inner.requests.push(Recorded { path: uri.path().to_owned(), query: uri.query().map(str::to_owned), headers, body });
    if let Some(aside) = inner.script.side.iter().find(|aside| raw.contains(&aside.text)) {
        return aside.turn.clone();
    }
    let at = inner.next;
    inner.next += 1;
    let last = inner.script.turns.last().filter(|_| inner.script.after == After::Repeat);
    let used_up = Turn { status: Some(500), error: Some("the script is used up".into()), ..Turn::default() };
    inner.script.turns.get(at).or(last).cloned().unwrap_or(used_up)
}

/// The interface of a provider.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Api {
    Responses,
    Chat,
    Anthropic,
    Gemini,
}

async fn answer(State(shared): State<Shared>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let path = uri.path();
    let api = match path {
        "/v1/responses" => Api::Responses,
        "/v1/chat/completions" => Api::Chat,
        "/v1/messages" => Api::Anthropic,
        _ => Api::Gemini,
    };
    let turn = take_turn(&shared, &uri, &headers, &body);
    tokio::time::sleep(Duration::from_secs_f64(turn.delay)).await;
    if let Some(seconds) = turn.hang {
        tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
        return broken(Vec::new());
    }
    if let Some(status) = turn.status {
        let message = turn.error.unwrap_or_else(|| format!("scripted error {status}"));
        let body = match api {
            Api::Anthropic => anthropic::error(status, &message),
            Api::Gemini => json!({ "error": { "code": status, "message": message, "status": "SCRIPTED" } }),
            Api::Responses | Api::Chat => json!({ "error": { "message": message, "type": "scripted", "code": null } }),
        };
        let mut response = Json(body).into_response();
        *response.status_mut() = StatusCode::from_u16(status).expect("a status");
        for (name, value) in turn.headers {
            let name = header::HeaderName::try_from(name).expect("a header's name");
            response.headers_mut().insert(name, value.parse().expect("a header's value"));
        }
        return response;
    }
    let wants_stream = serde_json::from_slice::<Value>(&body).is_ok_and(|body| body["stream"] == true);
    let streams = wants_stream || path.ends_with(":streamGenerateContent");
    let events = match api {
        Api::Responses => responses::of_turn(&turn, body.len()),
        Api::Chat => chat::of_turn(&turn, body.len()),
        Api::Anthropic => anthropic::of_turn(&turn, body.len()),
        Api::Gemini => gemini::of_turn(&turn, body.len()),
    };
    if !streams {
        if turn.cut.is_some() {
            return broken(Vec::new());
        }
        return Json(match api {
            Api::Responses => responses::whole(&turn, body.len()),
            Api::Chat => chat::whole(&turn, body.len()),
            Api::Anthropic => anthropic::whole(&turn, body.len()),
            Api::Gemini => gemini::whole(&turn, body.len()),
        })
        .into_response();
    }
    let mut lines = events;
    if let Some(count) = turn.cut {
        lines.truncate(count);
        return broken(lines);
    }
    let pause = Duration::from_secs_f64(turn.chunk_delay);
    let stream = futures::stream::unfold(lines.into_iter(), move |mut lines| async move {
        let line = lines.next()?;
        tokio::time::sleep(pause).await;
        Some((Ok::<_, Infallible>(line), lines))
    });
    event_stream(Body::from_stream(stream))
}

/// Splits the text of a turn into the pieces of a stream.
fn pieces(text: &str, turn: &Turn) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(turn.chunk.unwrap_or(24)).map(|piece| piece.iter().collect()).collect()
}

/// Returns the token counts of a turn. Estimates the input if the turn does not set it.
fn tokens(turn: &Turn, request_bytes: usize) -> Usage {
    let usage = turn.usage.unwrap_or_default();
    Usage { input: if usage.input == 0 { request_bytes as u64 / 4 } else { usage.input }, ..usage }
}

fn event_stream(body: Body) -> Response {
    ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
}

/// Returns a stream whose connection breaks after its last line.
fn broken(lines: Vec<String>) -> Response {
    let items = lines.into_iter().map(Ok).chain([Err(std::io::Error::other("cut"))]);
    event_stream(Body::from_stream(futures::stream::iter(items)))
}
