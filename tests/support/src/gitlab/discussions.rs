//! Threads: their creation on a position or without one, replies and resolving.

use axum::response::Response;
use serde_json::Value;

use super::diff::{self, Refused};
use super::positions::Endpoint;
use super::routes::Scope;
use super::state::{Note, Thread};
use super::{entities, notes, positions, reply};

fn find(scope: &Scope<'_>) -> Result<usize, Response> {
    let found = scope.request.threads.iter().position(|thread| thread.id == scope.params[0]);
    found.ok_or_else(|| reply::message(404, "404 Discussion Not Found"))
}

pub(super) fn list(scope: &mut Scope<'_>) -> Response {
    let threads = &scope.request.threads;
    let all: Vec<Value> = threads.iter().map(|thread| entities::thread(scope.state, scope.request, thread)).collect();
    reply::page(&all, &scope.call.query, &scope.call.url, scope.state.switches.gitlab_com, |_| false)
}

pub(super) fn show(scope: &mut Scope<'_>) -> Response {
    match find(scope) {
        Ok(at) => reply::ok(&entities::thread(scope.state, scope.request, &scope.request.threads[at])),
        Err(response) => response,
    }
}

pub(super) fn resolve(scope: &mut Scope<'_>) -> Response {
    let at = match find(scope) {
        Ok(at) => at,
        Err(response) => return response,
    };
    let Some(resolved) = scope.call.body["resolved"].as_bool() else {
        return reply::error(400, "resolved is missing");
    };
    scope.request.threads[at].notes.iter_mut().for_each(|note| note.resolved = resolved);
    reply::ok(&entities::thread(scope.state, scope.request, &scope.request.threads[at]))
}

pub(super) fn reply(scope: &mut Scope<'_>) -> Response {
    let at = match find(scope) {
        Ok(at) => at,
        Err(response) => return response,
    };
    let first = scope.request.threads[at].notes.first().cloned().unwrap_or_default();
    if first.system {
        return reply::message(400, "400 Bad request - Discussion can not be replied to.");
    }
    let note = match notes::new_note(scope.state, scope.call.user, scope.call.text("body")) {
        Ok(note) => Note {
            kind: first.kind.clone().or(Some("DiscussionNote".into())),
            position: first.position.clone(),
            ..note
        },
        Err(response) => return response,
    };
    scope.state.notifications += 1;
    scope.request.threads[at].individual = false;
    scope.request.threads[at].notes.push(note.clone());
    reply::created(&entities::note(scope.state, scope.request, &note))
}

pub(super) fn create(scope: &mut Scope<'_>) -> Response {
    let mut position = match positions::parse(scope.state, Endpoint::Discussions, &scope.call.body) {
        Ok(position) => position,
        Err(response) => return response,
    };
    let repository = &scope.project.repository;
    let mut line_code = None;
    let mut crash = false;
    if let Some(sent) = &mut position {
        match positions::line_code(scope.state, repository, sent) {
            Ok(code) => line_code = code,
            Err(Refused::UnknownCommit) if scope.state.switches.crash_unknown_commit => {
                return reply::message(500, "500 Internal Server Error");
            }
            Err(why) => {
                let valid_schema = positions::has_valid_schema(scope.state, sent);
                return positions::refused(Some(why), valid_schema, &scope.state.switches);
            }
        }
        if !positions::has_valid_schema(scope.state, sent) {
            return positions::refused(None, false, &scope.state.switches);
        }
        if let Some(version) = scope.request.versions.last() {
            if sent.head_sha != version.head || sent.base_sha != version.base {
                *sent = diff::traced(repository, sent, version).unwrap_or_else(|| sent.clone());
            } else if sent.position_type == "text" && diff::trips_the_hook(repository, sent, version) {
                if scope.state.switches.no_hook_crash {
                    return positions::refused(Some(Refused::LineCode), true, &scope.state.switches);
                }
                crash = true;
            }
        }
    }
    let count: usize = scope.request.threads.iter().map(|thread| thread.notes.len()).sum();
    if scope.state.switches.most_comments.is_some_and(|most| count >= most) {
        return reply::message(400, "400 Bad request - Note {:base=>[\"Maximum number of comments exceeded\"]}");
    }
    let note = match notes::new_note(scope.state, scope.call.user, scope.call.text("body")) {
        Ok(note) => note,
        Err(response) => return response,
    };
    let kind = if position.is_some() { "DiffNote" } else { "DiscussionNote" };
    let note = Note { kind: Some(kind.into()), position, line_code, ..note };
    scope.state.notifications += 1;
    let thread = Thread { id: scope.state.thread_id(), individual: false, notes: vec![note] };
    scope.request.threads.push(thread.clone());
    if crash {
        // The note is stored, but a later hook does not find its line.
        return reply::message(500, "500 Internal Server Error");
    }
    reply::created(&entities::thread(scope.state, scope.request, &thread))
}
