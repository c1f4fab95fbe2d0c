//! Drafts, which only their author sees, and publishing them.

use axum::response::Response;
use serde_json::{Value, json};

use super::positions::Endpoint;
use super::routes::Scope;
use super::state::{Draft, Note, Position, Project, State, Thread};
use super::verdicts::{ReviewerState, VerdictKind};
use super::{approvals, entities, notes, positions, reply};

/// Returns the line code of a draft. `None` without a line that can be commented.
fn line_code(state: &State, project: &Project, draft: &Draft) -> Option<String> {
    let position = draft.position.as_ref()?;
    positions::line_code(state, &project.repository, position).ok().flatten()
}

/// Returns the index of a draft of the user.
fn find(scope: &Scope<'_>) -> Result<usize, Response> {
    let own = |draft: &Draft| draft.author == scope.call.user && draft.id.to_string() == scope.params[0];
    scope.request.drafts.iter().position(own).ok_or_else(|| reply::message(404, "404 Not found"))
}

/// Returns the position of a request. Its fields are validated, but not its line (§8, §16).
fn position(scope: &Scope<'_>) -> Result<Option<Position>, Response> {
    let position = positions::parse(scope.state, Endpoint::Drafts, &scope.call.body)?;
    if position.as_ref().is_some_and(|position| !positions::has_valid_schema(scope.state, position)) {
        return Err(reply::status(400, &json!({ "message": { "position": [positions::BAD_SCHEMA] } })));
    }
    Ok(position)
}

pub(super) fn list(scope: &mut Scope<'_>) -> Response {
    let drafts = scope.request.drafts.iter().filter(|draft| draft.author == scope.call.user);
    let json = |draft| entities::draft(scope.request, draft, line_code(scope.state, scope.project, draft).as_ref());
    reply::ok(&Value::Array(drafts.map(json).collect()))
}

pub(super) fn create(scope: &mut Scope<'_>) -> Response {
    let user = scope.call.user;
    let Some(note) = scope.call.text("note") else { return reply::error(400, "note is missing") };
    let position = match position(scope) {
        Ok(position) => position,
        Err(response) => return response,
    };
    let reply_to = scope.call.text("in_reply_to_discussion_id");
    let resolve = scope.call.body["resolve_discussion"].as_bool().unwrap_or(false);
    if reply_to.as_ref().is_some_and(|id| !scope.request.threads.iter().any(|thread| thread.id == *id)) {
        return reply::status(400, &json!({ "message": { "base": ["Thread to reply to cannot be found"] } }));
    }
    if resolve && reply_to.is_none() {
        return reply::status(400, &json!({ "message": { "base": ["User is not allowed to resolve thread"] } }));
    }
    let second = |draft: &Draft| draft.author == user && draft.reply_to.is_some() && draft.reply_to == reply_to;
    if scope.request.drafts.iter().any(second) {
        return reply::status(400, &json!({ "message": { "author_id": ["has already been taken"] } }));
    }
    let draft = Draft { id: scope.state.id(), author: user, note, position, reply_to, resolve };
    let json = entities::draft(scope.request, &draft, line_code(scope.state, scope.project, &draft).as_ref());
    if scope.request.reviewers.contains(&(user, ReviewerState::Unreviewed)) {
        scope.request.set_reviewer_state(user, ReviewerState::ReviewStarted);
    }
    scope.request.drafts.push(draft);
    reply::created(&json)
}

pub(super) fn update(scope: &mut Scope<'_>) -> Response {
    let at = match find(scope) {
        Ok(at) => at,
        Err(response) => return response,
    };
    let Some(note) = scope.call.text("note") else {
        return reply::message(400, "400 Bad request - Missing params to modify");
    };
    let position = match position(scope) {
        Ok(position) => position,
        Err(response) => return response,
    };
    scope.request.drafts[at].note = note;
    scope.request.drafts[at].position = position;
    reply::ok(&entities::draft(scope.request, &scope.request.drafts[at], None))
}

pub(super) fn delete(scope: &mut Scope<'_>) -> Response {
    match find(scope) {
        Ok(at) => {
            scope.request.drafts.remove(at);
            reply::nothing()
        }
        Err(response) => response,
    }
}

pub(super) fn publish(scope: &mut Scope<'_>) -> Response {
    match find(scope) {
        Ok(at) => {
            let draft = scope.request.drafts.remove(at);
            publish_one(scope, &draft, false);
            scope.state.notifications += 1;
            reply::nothing()
        }
        Err(response) => response,
    }
}

/// Publishes all drafts of the user.
pub(super) fn bulk_publish(scope: &mut Scope<'_>) -> Response {
    let user = scope.call.user;
    let takes_summary = scope.state.version.has_bulk_publish_summary();
    let wanted = scope.call.text("reviewer_state");
    if takes_summary
        && wanted.as_ref().is_some_and(|state| !["reviewed", "requested_changes"].contains(&state.as_str()))
    {
        return reply::error(400, "reviewer_state does not have a valid value");
    }
    let drafts: Vec<Draft> = scope.request.drafts.iter().filter(|draft| draft.author == user).cloned().collect();
    for (index, draft) in drafts.iter().enumerate() {
        if scope.state.switches.crash_publish_at == Some(index) {
            scope.state.switches.crash_publish_at = None;
            // Published notes stay public, and all drafts remain.
            return reply::message(500, "500 Internal Server Error");
        }
        publish_one(scope, draft, true);
    }
    scope.request.drafts.retain(|draft| draft.author != user);
    scope.state.notifications += usize::from(!drafts.is_empty());
    match wanted.as_deref().filter(|_| takes_summary) {
        Some("requested_changes") => drop(approvals::request_changes(scope.state, scope.request, user)),
        Some(_) => {
            scope.request.set_reviewer_state(user, ReviewerState::Reviewed);
            scope.request.verdicts.push((user, VerdictKind::Reviewed));
        }
        // Before reviewers could request changes, any review marked them as having reviewed (§8).
        None if !scope.state.version.has_requested_changes() => {
            scope.request.set_reviewer_state(user, ReviewerState::Reviewed);
        }
        None => {}
    }
    let summary = scope.call.text("note").filter(|_| takes_summary);
    if summary.is_some() && scope.state.switches.unsaved_summary {
        return reply::message(422, "The summary could not be saved");
    }
    if let Some(body) = summary {
        notes::post(scope.state, scope.request, user, Some(body));
        scope.state.notifications -= 1;
    }
    reply::nothing()
}

/// Publishes a draft. A draft that cannot be published is dropped.
fn publish_one(scope: &mut Scope<'_>, draft: &Draft, bulk: bool) {
    if notes::check_body(&draft.note).is_err() {
        return;
    }
    let code = match &draft.position {
        Some(position) => match positions::line_code(scope.state, &scope.project.repository, position) {
            Ok(code) => code,
            Err(_) => return,
        },
        None => None,
    };
    let Ok(body) = notes::effects(scope.state, &draft.note) else { return };
    let kind = if draft.position.is_some() { "DiffNote" } else { "DiscussionNote" };
    let note = Note {
        id: scope.state.id(),
        kind: Some(kind.into()),
        body,
        author: draft.author,
        position: draft.position.clone(),
        line_code: code,
        bulk,
        drafted: true,
        ..Note::default()
    };
    let answered = |thread: &&mut Thread| draft.reply_to.as_ref().is_some_and(|id| thread.id == *id);
    match scope.request.threads.iter_mut().find(answered) {
        Some(thread) => {
            thread.notes.push(note);
            thread.notes.iter_mut().for_each(|note| note.resolved = draft.resolve);
        }
        None => {
            let id = scope.state.thread_id();
            scope.request.threads.push(Thread { id, individual: false, notes: vec![note] });
        }
    }
}
