//! The endpoints: their authorization, parameters and answers.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::{HeaderMap, Method, Uri};
use axum::response::Response;
use base64::Engine as _;
use serde_json::{Value, json};

use super::diff::{self, Refused};
use super::notes::{self, thread_told, told};
use super::state::{Fault, GitRedirect, GitRequest, MergeRequest, Note, Project, Recorded, State, Thread, Version};
use super::{git_http, reply, told_diffs};

/// The time at which an answer is sent.
pub(super) enum Answered {
    Now(Response),
    Late(Duration, Response),
}

/// A request to an endpoint.
pub(super) struct Call<'a> {
    pub(super) method: &'a str,
    query: Vec<(String, String)>,
    pub(super) body: Value,
    url: String,
    user: Option<u64>,
    scopes: Vec<String>,
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
            let real = authorised(&mut state, method, &inside, uri, token.as_ref(), json_body.clone());
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
    drop(state);
    if fault == Some(Fault::HangAfter) {
        return Answered::Late(Duration::from_secs(3600), response);
    }
    if latency > 0 { Answered::Late(Duration::from_millis(latency), response) } else { Answered::Now(response) }
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

/// Returns the token and the way in which it was sent.
fn token(headers: &HeaderMap, uri: &Uri) -> Option<(String, &'static str)> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    if let Some(token) = header("private-token") {
        return Some((token, "header"));
    }
    if let Some(token) = header("job-token") {
        return Some((token, "job"));
    }
    if let Some(authorization) = header("authorization") {
        if let Some(token) = authorization.strip_prefix("Bearer ") {
            return Some((token.to_owned(), "bearer"));
        }
        let basic = authorization.strip_prefix("Basic ")?;
        let text = base64::engine::general_purpose::STANDARD.decode(basic).ok()?;
        let text = String::from_utf8(text).ok()?;
        return Some((text.split_once(':')?.1.to_owned(), "basic"));
    }
    let query = uri.query()?;
    let found = query.split('&').find_map(|pair| pair.strip_prefix("private_token="))?;
    Some((found.to_owned(), "query"))
}

fn authorised(
    state: &mut State,
    method: &Method,
    path: &str,
    uri: &Uri,
    token: Option<&(String, &'static str)>,
    body: Value,
) -> Response {
    let Some(path) = path.strip_prefix("/api/v4/") else { return reply::not_found() };
    if state.switches.decoding_proxy && path.contains("%2F") {
        // The path of a project has several segments after decoding, so no route matches.
        return reply::not_found();
    }
    let mut call = Call {
        method: method.as_str(),
        query: uri
            .query()
            .unwrap_or_default()
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .map(|(key, value)| (key.to_owned(), decoded(value)))
            .collect(),
        body,
        url: format!("{}{}", state.base, uri.path()),
        user: None,
        scopes: Vec::new(),
    };
    if let Some((text, how)) = token {
        let Some(known) = state.tokens.get(text).cloned() else {
            return match *how {
                "bearer" => invalid("Bad Access Token."),
                _ => reply::message(401, "401 Unauthorized"),
            };
        };
        if known.expired {
            return invalid("Token is expired. You can either do re-authorization or token refresh.");
        }
        if known.revoked {
            return invalid("Token was revoked. You have to re-authorize from the user.");
        }
        let reading = matches!(call.method, "GET" | "HEAD");
        let has = |scope: &str| known.scopes.iter().any(|own| own == scope);
        let about_itself = ["user", "metadata", "version", "personal_access_tokens/self"].contains(&path);
        let enough = has("api")
            || has("read_api") && reading
            || has("read_user") && about_itself
            || path == "personal_access_tokens/self";
        if !enough {
            let text = json!({ "error": "insufficient_scope", "scope": "api read_api",
                "error_description": "The request requires higher privileges than provided by the access token." });
            return reply::status(403, &text);
        }
        if known.stranger && path.starts_with("projects/") {
            return reply::message(404, "404 Project Not Found");
        }
        let more = ["approve", "unapprove"].iter().any(|end| path.ends_with(end))
            || call.method == "PUT" && path.contains("/discussions/");
        if known.guest && more {
            return reply::message(403, "403 Forbidden");
        }
        call.user = Some(known.user);
        call.scopes = known.scopes;
    } else {
        return reply::message(401, "401 Unauthorized");
    }
    let parts: Vec<&str> = path.split('/').collect();
    let user = call.user.unwrap_or_default();
    match (call.method, parts.as_slice()) {
        ("GET", ["user"]) => reply::ok(&json!({ "id": user, "username": state.username(user), "state": "active" })),
        ("GET", ["metadata" | "version"]) => {
            let version = if state.switches.bulk_summary { "19.2.1-ee" } else { "17.5.5-ee" };
            reply::ok(&json!({ "version": version, "revision": "abc", "enterprise": true }))
        }
        ("GET", ["personal_access_tokens", "self"]) => reply::ok(
            &json!({ "id": 7, "name": "t", "active": true, "revoked": false, "scopes": call.scopes, "user_id": user }),
        ),
        (_, ["projects", project, rest @ ..]) => of_project(state, &call, &decoded(project), rest),
        _ => reply::not_found(),
    }
}

fn invalid(description: &str) -> Response {
    let body = json!({ "error": "invalid_token", "error_description": description });
    reply::with(
        reply::status(401, &body),
        "www-authenticate",
        "Bearer realm=\"Protected by OAuth 2.0\", error=\"invalid_token\"",
    )
}

fn decoded(text: &str) -> String {
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

fn of_project(state: &mut State, call: &Call<'_>, name: &str, rest: &[&str]) -> Response {
    if let Some(moved) = state.projects.iter().find(|project| project.moved_from.iter().any(|old| old == name)) {
        let to = call.url.replacen(&name.replace('/', "%2F"), &moved.id.to_string(), 1);
        return reply::with(reply::raw(301, "text/plain", "moved"), "location", &to);
    }
    let Some(index) = state.projects.iter().position(|project| project.path == name || project.id.to_string() == name)
    else {
        return reply::message(404, "404 Project Not Found");
    };
    let project = state.projects[index].clone();
    match (call.method, rest) {
        ("GET", []) => reply::ok(&json!({ "id": project.id, "path_with_namespace": project.path, "name": "project" })),
        ("GET", ["merge_requests"]) => {
            let all: Vec<Value> =
                project.merge_requests.values().rev().map(|request| summary(state, &project, request)).collect();
            list(state, call, &all)
        }
        ("GET", ["repository", "files", path, "raw"]) => {
            let query =
                call.query.iter().find(|(key, _)| key == "ref").map(|(_, value)| value.clone()).unwrap_or_default();
            let spec = format!("{query}:{}", decoded(path));
            if diff::run(&project.repository, &["cat-file", "-t", &spec]).is_empty() {
                return reply::message(404, "404 File Not Found");
            }
            reply::raw(200, "text/plain", &String::from_utf8_lossy(&diff::run(&project.repository, &["show", &spec])))
        }
        (_, ["merge_requests", iid, rest @ ..]) => {
            let known = iid.parse().ok().and_then(|iid: u64| project.merge_requests.get(&iid).cloned());
            let Some(mut request) = known else { return reply::message(404, "404 Not found") };
            let response = of_request(state, call, &project, &mut request, rest);
            let iid = request.iid;
            state.projects[index].merge_requests.insert(iid, request);
            response
        }
        _ => reply::not_found(),
    }
}

fn list(state: &State, call: &Call<'_>, items: &[Value]) -> Response {
    let hide = state.switches.hide_each;
    reply::page(items, &call.query, &call.url, state.switches.gitlab_com, |item| {
        hide.is_some_and(|each| item["id"].as_u64().is_some_and(|id| id % each == 0))
    })
}

fn summary(state: &State, project: &Project, request: &MergeRequest) -> Value {
    let version = request.versions.last();
    let refs =
        |version: &Version| json!({ "base_sha": version.base, "start_sha": version.start, "head_sha": version.head });
    json!({
        "id": request.id, "iid": request.iid, "project_id": project.id, "source_project_id": project.id,
        "title": format!("Merge {}", request.source), "description": "What it is for.", "state": request.state,
        "source_branch": request.source, "target_branch": request.target, "draft": false,
        "author": { "id": 2, "username": state.username(2) },
        "reviewers": [{ "id": 1, "username": state.username(1) }], "assignees": [], "sha": version.map(|version| &version.head),
        "diff_refs": version.map(refs), "changes_count": "3", "detailed_merge_status": "something_new",
        "merge_when_pipeline_succeeds": request.auto_merge, "discussion_locked": null,
        "updated_at": "2026-11-21T10:00:00.000Z",
        "web_url": format!("http://gitlab.test/{}/-/merge_requests/{}", project.path, request.iid),
        "references": { "full": format!("{}!{}", project.path, request.iid) },
    })
}

fn of_request(
    state: &mut State,
    call: &Call<'_>,
    project: &Project,
    request: &mut MergeRequest,
    rest: &[&str],
) -> Response {
    let user = call.user.unwrap_or_default();
    let text = |name: &str| call.body[name].as_str().map(str::to_owned);
    match (call.method, rest) {
        ("GET", []) => {
            let mut told = summary(state, project, request);
            if request.polls_until_ready > 0 {
                request.polls_until_ready -= 1;
                told["diff_refs"] = Value::Null;
                told["sha"] = Value::Null;
            }
            reply::ok(&told)
        }
        ("GET", ["versions"]) => {
            let told = |version: &Version| {
                json!({ "id": version.id, "head_commit_sha": version.head, "base_commit_sha": version.base,
                "start_commit_sha": version.start, "merge_request_id": request.id, "state": "collected", "real_size": "3" })
            };
            let all: Vec<Value> = request.versions.iter().rev().map(told).collect();
            list(state, call, &all)
        }
        ("GET", ["commits"]) => list(state, call, &told_diffs::commits(project, request)),
        ("GET", ["diffs"]) => list(state, call, &told_diffs::diffs(state, project, request)),
        ("GET", ["changes"]) => {
            let mut told = summary(state, project, request);
            told["changes"] = json!(told_diffs::diffs(state, project, request));
            told["overflow"] = json!(false);
            reply::ok(&told)
        }
        ("GET", ["raw_diffs"]) if !state.switches.old => {
            let patch = request.versions.last().map(|version| diff::of_version(&project.repository, version));
            reply::raw(200, "text/plain", &String::from_utf8_lossy(&patch.unwrap_or_default()))
        }
        ("GET", ["notes"]) => {
            let all: Vec<Value> = request
                .threads
                .iter()
                .flat_map(|thread| &thread.notes)
                .map(|note| told(state, request, note))
                .collect();
            list(state, call, &all)
        }
        ("GET", ["notes", id]) => {
            let found = request.threads.iter().flat_map(|thread| &thread.notes).find(|note| note.id.to_string() == *id);
            found.map_or_else(|| reply::message(404, "404 Not found"), |note| reply::ok(&told(state, request, note)))
        }
        ("GET", ["discussions", id]) => match request.threads.iter().find(|thread| thread.id == *id) {
            Some(thread) => reply::ok(&thread_told(state, request, thread)),
            None => reply::message(404, "404 Discussion Not Found"),
        },
        ("POST", ["notes"]) => post_note(state, request, user, text("body")),
        ("PUT", ["notes", id]) | ("PUT", ["discussions", _, "notes", id]) => edit_note(state, call, request, user, id),
        ("DELETE", ["notes", id]) | ("DELETE", ["discussions", _, "notes", id]) => delete_note(request, user, id),
        ("GET", ["discussions"]) => {
            let all: Vec<Value> = request.threads.iter().map(|thread| thread_told(state, request, thread)).collect();
            reply::page(&all, &call.query, &call.url, state.switches.gitlab_com, |_| false)
        }
        ("POST", ["discussions"]) => post_thread(state, call, project, request, user),
        ("PUT", ["discussions", id]) => {
            let Some(at) = request.threads.iter().position(|thread| thread.id == *id) else {
                return reply::message(404, "404 Discussion Not Found");
            };
            let Some(resolved) = call.body["resolved"].as_bool() else {
                return reply::error(400, "resolved is missing");
            };
            request.threads[at].notes.iter_mut().for_each(|note| note.resolved = resolved);
            let told = thread_told(state, request, &request.threads[at]);
            reply::ok(&told)
        }
        ("POST", ["discussions", id, "notes"]) => {
            let Some(at) = request.threads.iter().position(|thread| thread.id == *id) else {
                return reply::message(404, "404 Discussion Not Found");
            };
            let first = request.threads[at].notes.first().cloned().unwrap_or_default();
            if first.system {
                return reply::message(400, "400 Bad request - Discussion can not be replied to.");
            }
            let note = match new_note(state, user, text("body")) {
                Ok(note) => Note {
                    kind: first.kind.clone().or(Some("DiscussionNote".into())),
                    position: first.position.clone(),
                    ..note
                },
                Err(response) => return response,
            };
            state.notifications += 1;
            request.threads[at].individual = false;
            request.threads[at].notes.push(note.clone());
            reply::created(&told(state, request, &note))
        }
        (_, ["draft_notes", rest @ ..]) => super::drafts::answer(state, call, project, request, user, rest),
        ("POST", ["notes", id, "award_emoji"]) => {
            let Some(name) = text("name") else { return reply::error(400, "name is missing") };
            let Ok(id) = id.parse::<u64>() else { return reply::not_found() };
            let known = request.threads.iter().flat_map(|thread| &thread.notes).any(|note| note.id == id);
            let emoji = (id, user, name.clone());
            if !known || request.emoji.contains(&emoji) {
                return reply::message(404, "404 Award Emoji Name has already been taken Not Found");
            }
            request.emoji.push(emoji);
            reply::created(&json!({ "id": state.id(), "name": name }))
        }
        ("POST", ["approve"]) => {
            let head = request.versions.last().map(|version| version.head.clone()).unwrap_or_default();
            if text("sha").is_some_and(|sha| sha != head) {
                return reply::message(409, &format!("SHA does not match HEAD of source branch: {head}"));
            }
            if request.approved_by.contains(&user) {
                return reply::message(401, "401 Unauthorized");
            }
            request.approved_by.push(user);
            if call.body["publish_review"].as_bool() == Some(true) {
                let _ = super::drafts::publish_all(state, call, project, request, user);
            }
            let mut told = summary(state, project, request);
            told["approved"] = json!(true);
            told["user_has_approved"] = json!(true);
            reply::created(&told)
        }
        ("POST", ["unapprove"]) => {
            let before = request.approved_by.len();
            request.approved_by.retain(|other| *other != user);
            if request.approved_by.len() == before {
                reply::message(404, "404 Not Found")
            } else {
                reply::created(&json!({}))
            }
        }
        ("GET", ["approvals"]) => {
            let by: Vec<Value> = request.approved_by.iter().map(|id| json!({ "user": { "id": id } })).collect();
            reply::ok(
                &json!({ "approved": !by.is_empty(), "approved_by": by, "user_has_approved": request.approved_by.contains(&user) }),
            )
        }
        _ => reply::not_found(),
    }
}

/// Creates a note with its body as GitLab stores it.
fn new_note(state: &mut State, user: u64, body: Option<String>) -> Result<Note, Response> {
    let Some(body) = body else { return Err(reply::error(400, "body is missing")) };
    notes::check_body(&body)?;
    let body = notes::effects(state, &body)?;
    Ok(Note { id: state.id(), body, author: user, ..Note::default() })
}

pub(super) fn post_note(state: &mut State, request: &mut MergeRequest, user: u64, body: Option<String>) -> Response {
    if let Some(limit) = state.switches.notes_limit {
        state.notes_this_minute += 1;
        if state.notes_this_minute > limit {
            return reply::status(
                429,
                &json!({ "message": { "error": "This endpoint has been requested too many times. Try again later." } }),
            );
        }
    }
    let note = match new_note(state, user, body) {
        Ok(note) => note,
        Err(response) => return response,
    };
    state.notifications += 1;
    let id = state.thread_id();
    request.threads.push(Thread { id, individual: true, notes: vec![note.clone()] });
    reply::created(&told(state, request, &note))
}

fn edit_note(state: &mut State, call: &Call<'_>, request: &mut MergeRequest, user: u64, id: &str) -> Response {
    let body = call.body["body"].as_str().map(str::to_owned);
    let resolved = call.body["resolved"].as_bool();
    let found = request.threads.iter_mut().flat_map(|thread| &mut thread.notes).find(|note| note.id.to_string() == id);
    let Some(note) = found else { return reply::message(404, "404 Not found") };
    if note.author != user {
        return reply::message(403, "403 Forbidden");
    }
    match (body, resolved) {
        (Some(body), None) => {
            if let Err(response) = notes::check_body(&body) {
                return response;
            }
            match notes::effects(state, &body) {
                Ok(body) => note.body = body,
                Err(response) => return response,
            }
        }
        (None, Some(resolved)) if note.kind.is_some() => note.resolved = resolved,
        (None, Some(_)) => return reply::message(400, "400 Bad request - Note is not resolvable"),
        (Some(_), Some(_)) => return reply::error(400, "body, resolved are mutually exclusive"),
        (None, None) => return reply::error(400, "body is missing"),
    }
    let note = note.clone();
    reply::ok(&told(state, request, &note))
}

fn delete_note(request: &mut MergeRequest, user: u64, id: &str) -> Response {
    for thread in &mut request.threads {
        if let Some(at) = thread.notes.iter().position(|note| note.id.to_string() == id) {
            if thread.notes[at].author != user {
                return reply::message(403, "403 Forbidden");
            }
            thread.notes.remove(at);
            request.threads.retain(|thread| !thread.notes.is_empty());
            return reply::nothing();
        }
    }
    reply::message(404, "404 Not found")
}

fn post_thread(
    state: &mut State,
    call: &Call<'_>,
    project: &Project,
    request: &mut MergeRequest,
    user: u64,
) -> Response {
    let position = match notes::position(&call.body) {
        Ok(position) => position,
        Err(response) => return response,
    };
    let mut line_code = None;
    let mut position = position;
    let mut crash = false;
    if let Some(sent) = &mut position {
        match notes::line_code(&project.repository, sent) {
            Ok(code) => line_code = code,
            Err(Refused::UnknownCommit) if state.switches.crash_unknown_commit => {
                return reply::message(500, "500 Internal Server Error");
            }
            Err(why) => return notes::refused(why, &state.switches),
        }
        if let Some(version) = request.versions.last() {
            if sent.head_sha != version.head || sent.base_sha != version.base {
                *sent = diff::traced(&project.repository, sent, version).unwrap_or_else(|| sent.clone());
            } else if sent.position_type == "text" && diff::trips_the_hook(&project.repository, sent, version) {
                if state.switches.no_hook_crash {
                    return notes::refused(Refused::LineCode, &state.switches);
                }
                crash = true;
            }
        }
    }
    let count: usize = request.threads.iter().map(|thread| thread.notes.len()).sum();
    if state.switches.most_comments.is_some_and(|most| count >= most) {
        return reply::message(400, "400 Bad request - Note {:base=>[\"Maximum number of comments exceeded\"]}");
    }
    let note = match new_note(state, user, call.body["body"].as_str().map(str::to_owned)) {
        Ok(note) => note,
        Err(response) => return response,
    };
    let kind = if position.is_some() { "DiffNote" } else { "DiscussionNote" };
    let note = Note { kind: Some(kind.into()), position, line_code, ..note };
    state.notifications += 1;
    let thread = Thread { id: state.thread_id(), individual: false, notes: vec![note] };
    request.threads.push(thread.clone());
    if crash {
        // The note is stored, but a later hook does not find its line.
        return reply::message(500, "500 Internal Server Error");
    }
    reply::created(&thread_told(state, request, &thread))
}
