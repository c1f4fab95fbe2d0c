//! Verdicts: approvals, the states of reviewers, and requested changes (fact sheet, §12 and §16).

use axum::response::Response;
use serde_json::{Value, json};

use super::routes::Scope;
use super::state::{MergeRequest, Note, State, Thread, first_time};
use super::verdicts::{ReviewerState, VerdictKind};
use super::{drafts, entities, reply};

pub(super) fn approve(scope: &mut Scope<'_>) -> Response {
    let user = scope.call.user;
    let head = scope.request.versions.last().map(|version| version.head.clone()).unwrap_or_default();
    if scope.call.text("sha").is_some_and(|sha| sha != head) {
        return reply::message(409, &format!("SHA does not match HEAD of source branch: {head}"));
    }
    if scope.request.approved_by.contains(&user) {
        return reply::message(401, "401 Unauthorized");
    }
    scope.request.approved_by.push(user);
    scope.request.set_reviewer_state(user, ReviewerState::Approved);
    scope.request.verdicts.push((user, VerdictKind::Approved));
    if scope.call.body["publish_review"].as_bool() == Some(true) {
        let _ = drafts::bulk_publish(scope);
    }
    reply::created(&approvals(scope))
}

pub(super) fn unapprove(scope: &mut Scope<'_>) -> Response {
    let user = scope.call.user;
    if !scope.request.approved_by.contains(&user) {
        return reply::message(404, "404 Not Found");
    }
    scope.request.approved_by.retain(|other| *other != user);
    scope.request.set_reviewer_state(user, ReviewerState::Unapproved);
    scope.request.verdicts.push((user, VerdictKind::Unapproved));
    reply::created(&approvals(scope))
}

pub(super) fn show(scope: &mut Scope<'_>) -> Response {
    reply::ok(&approvals(scope))
}

/// Returns the merge request with its approvals.
fn approvals(scope: &Scope<'_>) -> Value {
    let approved_by = &scope.request.approved_by;
    let users: Vec<Value> = approved_by.iter().map(|id| json!({ "user": entities::user(scope.state, *id) })).collect();
    let own = approved_by.contains(&scope.call.user);
    let mut json = entities::merge_request(scope.state, scope.project, scope.request);
    let left = scope.request.approvals_required.saturating_sub(users.len());
    json["approved"] = json!(left == 0);
    json["approved_by"] = json!(users);
    json["approvals_required"] = json!(scope.request.approvals_required);
    json["approvals_left"] = json!(left);
    json["user_can_approve"] = json!(!own);
    json["user_has_approved"] = json!(own);
    json
}

pub(super) fn approval_state(_: &mut Scope<'_>) -> Response {
    reply::ok(&json!({ "approval_rules_overwritten": false, "rules": [] }))
}

pub(super) fn reviewers(scope: &mut Scope<'_>) -> Response {
    let json = |(user, state): &(u64, ReviewerState)| {
        json!({
            "user": entities::user(scope.state, *user), "state": state.shown(scope.state.version),
            "created_at": first_time(),
        })
    };
    reply::ok(&scope.request.reviewers.iter().map(json).collect())
}

/// Sets the state of a reviewer and removes the approval. Returns whether the user is a reviewer; the system note appears in any
/// case.
pub(super) fn request_changes(state: &mut State, request: &mut MergeRequest, user: u64) -> bool {
    let body = "requested changes".to_owned();
    let note = Note { id: state.id(), body, author: user, system: true, ..Note::default() };
    request.threads.push(Thread { id: state.thread_id(), individual: true, notes: vec![note] });
    let found = request.set_reviewer_state(user, ReviewerState::RequestedChanges);
    if found {
        request.approved_by.retain(|other| *other != user);
        request.verdicts.push((user, VerdictKind::RequestedChanges));
    }
    found
}
