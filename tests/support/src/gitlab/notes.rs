//! Notes: validation of their text, its effects, and the endpoints.

use axum::response::Response;
use serde_json::{Value, json};

use super::routes::{Scope, page};
use super::state::{MergeRequest, Note, State, Thread};
use super::{entities, markdown, reply};

/// Executes the commands of a body and notifies the mentioned users. Returns the text to store, or the answer for a body of only
/// commands.
pub(super) fn effects(state: &mut State, body: &str) -> Result<String, Response> {
    let base = format!("{}{}", state.base, state.switches.prefix);
    let done = markdown::effects_on(&base, body);
    let only_commands = done.stored.is_empty() && !done.executed.is_empty();
    state.executed.extend(done.executed);
    if only_commands {
        return Err(reply::status(202, &json!({ "commands_changes": {}, "summary": ["Done."] })));
    }
    state.notifications += done.mentioned.len();
    state.mentioned.extend(done.mentioned);
    state.referenced.extend(done.references);
    state.loaded.extend(done.images);
    Ok(done.stored)
}

/// Checks that a body is valid for a note.
pub(super) fn check_body(body: &str) -> Result<(), Response> {
    let refuse = |words: &str| reply::message(400, &format!("400 Bad request - Note {{:note=>[\"{words}\"]}}"));
    if body.trim().is_empty() {
        return Err(refuse("can't be blank"));
    }
    if body.chars().count() > 1_000_000 {
        return Err(refuse("is too long (maximum is 1000000 characters)"));
    }
    Ok(())
}

/// Creates a note with its body as GitLab stores it.
pub(super) fn new_note(state: &mut State, user: u64, body: Option<String>) -> Result<Note, Response> {
    let Some(body) = body else { return Err(reply::error(400, "body is missing")) };
    check_body(&body)?;
    let body = effects(state, &body)?;
    let id = state.id();
    Ok(Note { id, body, author: user, at: State::time_of(id), ..Note::default() })
}

pub(super) fn list(scope: &mut Scope<'_>) -> Response {
    let notes = scope.request.threads.iter().flat_map(|thread| &thread.notes);
    let all: Vec<Value> = notes.map(|note| entities::note(scope.state, scope.request, note)).collect();
    page(scope.state, scope.call, &all)
}

pub(super) fn show(scope: &mut Scope<'_>) -> Response {
    let mut notes = scope.request.threads.iter().flat_map(|thread| &thread.notes);
    match notes.find(|note| note.id.to_string() == scope.params[0]) {
        Some(note) => reply::ok(&entities::note(scope.state, scope.request, note)),
        None => reply::message(404, "404 Not found"),
    }
}

pub(super) fn create(scope: &mut Scope<'_>) -> Response {
    post(scope.state, scope.request, scope.call.user, scope.call.text("body"))
}

/// Stores a note without a thread.
pub(super) fn post(state: &mut State, request: &mut MergeRequest, user: u64, body: Option<String>) -> Response {
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
    reply::created(&entities::note(state, request, &note))
}

pub(super) fn update(scope: &mut Scope<'_>) -> Response {
    let (body, resolved) = (scope.call.text("body"), scope.call.body["resolved"].as_bool());
    let id = scope.params.last().copied().unwrap_or_default();
    let mut notes = scope.request.threads.iter_mut().flat_map(|thread| &mut thread.notes);
    let Some(note) = notes.find(|note| note.id.to_string() == id) else { return reply::message(404, "404 Not found") };
    if note.author != scope.call.user {
        return reply::message(403, "403 Forbidden");
    }
    match (body, resolved) {
        (Some(body), None) => {
            if let Err(response) = check_body(&body) {
                return response;
            }
            match effects(scope.state, &body) {
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
    reply::ok(&entities::note(scope.state, scope.request, &note))
}

pub(super) fn delete(scope: &mut Scope<'_>) -> Response {
    let id = scope.params.last().copied().unwrap_or_default();
    for thread in &mut scope.request.threads {
        if let Some(at) = thread.notes.iter().position(|note| note.id.to_string() == id) {
            if thread.notes[at].author != scope.call.user {
                return reply::message(403, "403 Forbidden");
            }
            thread.notes.remove(at);
            scope.request.threads.retain(|thread| !thread.notes.is_empty());
            return reply::nothing();
        }
    }
    reply::message(404, "404 Not found")
}

pub(super) fn award_emoji(scope: &mut Scope<'_>) -> Response {
    let Some(name) = scope.call.text("name") else { return reply::error(400, "name is missing") };
    let Ok(id) = scope.params[0].parse::<u64>() else { return reply::not_found() };
    let known = scope.request.threads.iter().flat_map(|thread| &thread.notes).any(|note| note.id == id);
    let emoji = (id, scope.call.user, name.clone());
    if !known || scope.request.emoji.contains(&emoji) {
        return reply::message(404, "404 Award Emoji Name has already been taken Not Found");
    }
    scope.request.emoji.push(emoji);
    reply::created(&json!({ "id": scope.state.id(), "name": name }))
}
