//! Approvals of a merge request.

use axum::response::Response;
use serde_json::{Value, json};

use super::routes::Scope;
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
    if scope.call.body["publish_review"].as_bool() == Some(true) {
        let _ = drafts::bulk_publish(scope);
    }
    let mut merge_request = entities::merge_request(scope.state, scope.project, scope.request);
    merge_request["approved"] = json!(true);
    merge_request["user_has_approved"] = json!(true);
    reply::created(&merge_request)
}

pub(super) fn unapprove(scope: &mut Scope<'_>) -> Response {
    let user = scope.call.user;
    let before = scope.request.approved_by.len();
    scope.request.approved_by.retain(|other| *other != user);
    if scope.request.approved_by.len() == before {
        return reply::message(404, "404 Not Found");
    }
    reply::created(&json!({}))
}

pub(super) fn show(scope: &mut Scope<'_>) -> Response {
    let approved_by = &scope.request.approved_by;
    let users: Vec<Value> = approved_by.iter().map(|id| json!({ "user": { "id": id } })).collect();
    let own = approved_by.contains(&scope.call.user);
    reply::ok(&json!({ "approved": !users.is_empty(), "approved_by": users, "user_has_approved": own }))
}
