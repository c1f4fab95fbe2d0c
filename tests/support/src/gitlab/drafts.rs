//! Drafts, which only their author sees, and publishing them.

use axum::response::Response;
use serde_json::{Value, json};

use super::api::{Call, post_note};
use super::notes::{self, draft_told};
use super::reply;
use super::state::{Draft, MergeRequest, Note, Project, State, Thread};

pub(super) fn answer(
    state: &mut State,
    call: &Call<'_>,
    project: &Project,
    request: &mut MergeRequest,
    user: u64,
    rest: &[&str],
) -> Response {
    let code = |draft: &Draft| {
        draft.position.as_ref().and_then(|position| notes::line_code(&project.repository, position).ok().flatten())
    };
    let own = |request: &MergeRequest, id: &str| {
        request.drafts.iter().position(|draft| draft.author == user && draft.id.to_string() == id)
    };
    match (call.method, rest) {
        ("GET", []) => {
            let all: Vec<Value> = request
                .drafts
                .iter()
                .filter(|draft| draft.author == user)
                .map(|draft| draft_told(request, draft, code(draft).as_ref()))
                .collect();
            reply::ok(&json!(all))
        }
        ("POST", []) => {
            let Some(note) = call.body["note"].as_str().map(str::to_owned) else {
                return reply::error(400, "note is missing");
            };
            let position = match notes::position(&call.body) {
                Ok(position) => position,
                Err(response) => return response,
            };
            let reply_to = call.body["in_reply_to_discussion_id"].as_str().map(str::to_owned);
            let resolve = call.body["resolve_discussion"].as_bool().unwrap_or(false);
            if reply_to.as_ref().is_some_and(|id| !request.threads.iter().any(|thread| thread.id == *id)) {
                return reply::status(400, &json!({ "message": { "base": ["Thread to reply to cannot be found"] } }));
            }
            if resolve && reply_to.is_none() {
                return reply::status(
                    400,
                    &json!({ "message": { "base": ["User is not allowed to resolve thread"] } }),
                );
            }
            let second = |draft: &Draft| draft.author == user && draft.reply_to.is_some() && draft.reply_to == reply_to;
            if request.drafts.iter().any(second) {
                return reply::status(400, &json!({ "message": { "author_id": ["has already been taken"] } }));
            }
            let draft = Draft { id: state.id(), author: user, note, position, reply_to, resolve };
            let told = draft_told(request, &draft, code(&draft).as_ref());
            request.drafts.push(draft);
            reply::created(&told)
        }
        ("PUT", [id]) => {
            let Some(at) = own(request, id) else { return reply::message(404, "404 Not found") };
            let Some(note) = call.body["note"].as_str() else {
                return reply::message(400, "400 Bad request - Missing params to modify");
            };
            request.drafts[at].note = note.to_owned();
            request.drafts[at].position = notes::position(&call.body).ok().flatten();
            reply::ok(&draft_told(request, &request.drafts[at], None))
        }
        ("DELETE", [id]) => {
            let Some(at) = own(request, id) else { return reply::message(404, "404 Not found") };
            request.drafts.remove(at);
            reply::nothing()
        }
        ("PUT", [id, "publish"]) => {
            let Some(at) = own(request, id) else { return reply::message(404, "404 Not found") };
            let draft = request.drafts.remove(at);
            publish(state, project, request, &draft, false);
            state.notifications += 1;
            reply::nothing()
        }
        ("POST", ["bulk_publish"]) => publish_all(state, call, project, request, user),
        _ => reply::not_found(),
    }
}

/// Publishes all drafts of the user.
pub(super) fn publish_all(
    state: &mut State,
    call: &Call<'_>,
    project: &Project,
    request: &mut MergeRequest,
    user: u64,
) -> Response {
    let wanted = call.body["reviewer_state"].as_str();
    if state.switches.bulk_summary && wanted.is_some_and(|state| !["reviewed", "requested_changes"].contains(&state)) {
        return reply::error(400, "reviewer_state does not have a valid value");
    }
    let drafts: Vec<Draft> = request.drafts.iter().filter(|draft| draft.author == user).cloned().collect();
    for (index, draft) in drafts.iter().enumerate() {
        if state.switches.crash_publish_at == Some(index) {
            state.switches.crash_publish_at = None;
            // Published notes stay public, and all drafts remain.
            return reply::message(500, "500 Internal Server Error");
        }
        publish(state, project, request, draft, true);
    }
    request.drafts.retain(|draft| draft.author != user);
    state.notifications += usize::from(!drafts.is_empty());
    let summary = call.body["note"].as_str().filter(|_| state.switches.bulk_summary).map(str::to_owned);
    if summary.is_some() && state.switches.unsaved_summary {
        return reply::message(422, "The summary could not be saved");
    }
    if let Some(body) = summary {
        post_note(state, request, user, Some(body));
        state.notifications -= 1;
    }
    reply::nothing()
}

/// Publishes a draft. A draft that cannot be published is dropped.
fn publish(state: &mut State, project: &Project, request: &mut MergeRequest, draft: &Draft, bulk: bool) {
    if notes::check_body(&draft.note).is_err() {
        return;
    }
    let code = match &draft.position {
        Some(position) => match notes::line_code(&project.repository, position) {
            Ok(code) => code,
            Err(_) => return,
        },
        None => None,
    };
    let Ok(body) = notes::effects(state, &draft.note) else { return };
    let kind = if draft.position.is_some() { "DiffNote" } else { "DiscussionNote" };
    let note = Note {
        id: state.id(),
        kind: Some(kind.into()),
        body,
        author: draft.author,
        position: draft.position.clone(),
        line_code: code,
        bulk,
        ..Note::default()
    };
    match draft.reply_to.as_ref().and_then(|id| request.threads.iter_mut().find(|thread| thread.id == *id)) {
        Some(thread) => {
            thread.notes.push(note);
            let resolve = draft.resolve;
            thread.notes.iter_mut().for_each(|note| note.resolved = resolve);
        }
        None => {
            let id = state.thread_id();
            request.threads.push(Thread { id, individual: false, notes: vec![note] });
        }
    }
}
