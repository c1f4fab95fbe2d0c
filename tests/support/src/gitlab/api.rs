//! Requests: failures that a test wants, the token, and the way to an endpoint.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::{HeaderMap, Method, Uri};
use axum::response::Response;
use base64::Engine as _;
use serde_json::{Value, json};

use super::auth::{authorise, token};
use super::state::{Fault, GitRedirect, GitRequest, Recorded, State};
use super::{git_http, graphql, reply, routes};

/// The time at which an answer is sent.
pub(super) enum Answered {
    Now(Response),
    Late(Duration, Response),
}

/// A request to an endpoint.
pub(super) struct Call<'a> {
    pub(super) method: &'a str,
    pub(super) query: Vec<(String, String)>,
    pub(super) body: Value,
    /// The whole address, without the query.
    pub(super) url: String,
    /// The id of the token's user.
    pub(super) user: u64,
    /// The scopes of the token.
    pub(super) scopes: Vec<String>,
    /// Whether the user is a guest of the project.
    pub(super) guest: bool,
}

impl Call<'_> {
    /// Returns a text of the body.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.body[name].as_str().map(str::to_owned)
    }

    /// Returns a parameter of the query.
    pub(super) fn parameter(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

pub(super) fn answer(
    state: &Arc<Mutex<State>>,
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
    body: &[u8],
) -> Answered {
    let lock = || -> MutexGuard<'_, State> { state.lock().unwrap_or_else(PoisonError::into_inner) };
    let path = uri.path().to_owned();
    let whole = uri.path_and_query().map(ToString::to_string).unwrap_or_default();
    let prefix = lock().switches.prefix.clone();
    let inside = path.strip_prefix(prefix.as_str()).unwrap_or(&path).to_owned();
    if inside.contains(".git/") {
        let response = git_answer(state, &inside, method, uri, headers, body);
        let status = response.status().as_u16();
        lock().git_requests.push(GitRequest { path: whole, authorization: authorization(headers), status });
        return Answered::Now(response);
    }
    let json_body = serde_json::from_slice(body).unwrap_or(Value::Null);
    let mut state = lock();
    let token = token(headers, uri);
    let fault = {
        let at = state.faults.iter_mut().position(|(wanted, part, after, _)| {
            let fits = wanted == method.as_str() && whole.contains(part.as_str());
            if fits && *after > 0 {
                *after -= 1;
                return false;
            }
            fits
        });
        at.map(|at| state.faults.remove(at).3)
    };
    if fault == Some(Fault::Expire)
        && let Some((text, _)) = &token
        && let Some(token) = state.tokens.get_mut(text)
    {
        token.expired = true;
    }
    let latency = state.switches.latency;
    let sent_on = state.sent_on.iter().find(|(from, _)| inside == *from).map(|(_, to)| to.clone());
    let response = match &fault {
        _ if sent_on.is_some() => {
            reply::with(reply::raw(302, "text/plain", "elsewhere"), "location", &sent_on.unwrap_or_default())
        }
        Some(Fault::Status(code, text)) => broken(*code, text),
        Some(Fault::Cut) => reply::cut(),
        Some(Fault::RackAttack(seconds)) => {
            let response = reply::raw(429, "text/plain", "Retry later\n");
            let response = reply::with(response, "ratelimit-name", "throttle_authenticated_api");
            reply::with(response, "retry-after", &seconds.to_string())
        }
        Some(Fault::Limited) => reply::status(
            429,
            &json!({ "message": { "error": "This endpoint has been requested too many times. Try again later." } }),
        ),
        _ => {
            let real = authorised_answer(&mut state, method, &inside, uri, token.as_ref(), json_body.clone());
            let real = if method == Method::GET { unchanged(real, headers) } else { real };
            match &fault {
                Some(Fault::StatusAfter(code, text)) => broken(*code, text),
                Some(Fault::CutAfter) => reply::cut(),
                _ => real,
            }
        }
    };
    state.requests.push(Recorded {
        method: method.to_string(),
        path: whole,
        body: json_body,
        token: token.map(|(_, how)| how.to_owned()).unwrap_or_default(),
        status: response.status().as_u16(),
    });
    let response = match state.switches.clock_ahead {
        0 => response,
        ahead => {
            let now = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(ahead);
            let date = jiff::fmt::rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&now);
            reply::with(response, "date", &date.expect("a date"))
        }
    };
    drop(state);
    if fault == Some(Fault::HangAfter) {
        return Answered::Late(Duration::from_secs(3600), response);
    }
    if latency > 0 { Answered::Late(Duration::from_millis(latency), response) } else { Answered::Now(response) }
}

/// Turns an answer into one with the status 304 if the request names its tag. The other headers stay.
fn unchanged(mut response: Response, headers: &HeaderMap) -> Response {
    let tag = headers.get("if-none-match");
    if tag.is_some() && tag == response.headers().get("etag") {
        *response.status_mut() = axum::http::StatusCode::NOT_MODIFIED;
        *response.body_mut() = axum::body::Body::empty();
        response.headers_mut().remove("content-type");
    }
    response
}

/// Answers a request of git's protocol. `inside` is the path after the prefix.
fn git_answer(
    state: &Arc<Mutex<State>>,
    inside: &str,
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
    body: &[u8],
) -> Response {
    let query = uri.query().unwrap_or_default();
    let (root, known, redirect) = {
        let state = state.lock().unwrap_or_else(PoisonError::into_inner);
        let known = token(headers, uri).is_some_and(|(token, _)| state.tokens.contains_key(&token));
        let fits = |one: &&GitRedirect| inside.starts_with(&one.from) && (known || !one.after_authentication);
        let redirect = state.git_redirects.iter().find(fits).map(|one| inside.replacen(&one.from, &one.to, 1));
        (state.root.clone(), known, redirect)
    };
    if let Some(to) = redirect {
        return reply::with(reply::raw(302, "text/plain", "elsewhere"), "location", &format!("{to}?{query}"));
    }
    if !known {
        let response = reply::raw(401, "text/plain", "HTTP Basic: Access denied");
        return reply::with(response, "www-authenticate", "Basic realm=\"GitLab\"");
    }
    git_http::answer(&root, method, inside, query, headers, body)
}

/// Returns the `authorization` header, decoded if it is `Basic`.
fn authorization(headers: &HeaderMap) -> String {
    let text = headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let basic = text.strip_prefix("Basic ");
    let decoded = basic.and_then(|basic| base64::engine::general_purpose::STANDARD.decode(basic).ok());
    decoded.map_or_else(|| text.to_owned(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn broken(code: u16, text: &str) -> Response {
    if text.starts_with('<') { reply::raw(code, "text/html", text) } else { reply::message(code, text) }
}

fn authorised_answer(
    state: &mut State,
    method: &Method,
    path: &str,
    uri: &Uri,
    token: Option<&(String, &'static str)>,
    body: Value,
) -> Response {
    if path == "/api/graphql" {
        return match authorise(state, "GET", path, token) {
            Ok(token) if method == Method::POST => {
                let may_write = token.scopes.iter().any(|scope| scope == "api");
                graphql::answer(state, token.user, may_write, &body)
            }
            Ok(_) => reply::not_found(),
            Err(_) => reply::status(401, &json!({ "errors": [{ "message": "Invalid token" }] })),
        };
    }
    let Some(path) = path.strip_prefix("/api/v4/") else { return reply::not_found() };
    if state.switches.decoding_proxy && path.contains("%2F") {
        // The path of a project has several segments after decoding, so no route matches.
        return reply::not_found();
    }
    let token = match authorise(state, method.as_str(), path, token) {
        Ok(token) => token,
        Err(response) => return response,
    };
    let query = uri.query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
    let call = Call {
        method: method.as_str(),
        query: query.map(|(key, value)| (key.to_owned(), decoded(value))).collect(),
        body,
        url: format!("{}{}", state.base, uri.path()),
        user: token.user,
        scopes: token.scopes,
        guest: token.guest,
    };
    let parts: Vec<&str> = path.split('/').collect();
    routes::answer(state, &call, &parts)
}

/// Decodes percent signs.
pub(super) fn decoded(text: &str) -> String {
    let mut out = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], text.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok())) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 3;
            }
            (byte, _) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
