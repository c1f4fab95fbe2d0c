//! Projects: the list of merge requests, and files of the repository.

use axum::response::Response;
use serde_json::{Value, json};

use super::api::decoded;
use super::routes::{ProjectScope, page};
use super::state::MergeRequest;
use super::{diff, entities, reply};

pub(super) fn show(scope: &mut ProjectScope<'_>) -> Response {
    let project = scope.project;
    reply::ok(&json!({ "id": project.id, "path_with_namespace": project.path, "name": "project" }))
}

pub(super) fn merge_requests(scope: &mut ProjectScope<'_>) -> Response {
    let project = scope.project;
    let wanted = scope.call.parameter("state").filter(|state| *state != "all");
    let fits = |request: &&MergeRequest| wanted.is_none_or(|state| state == request.state);
    let newest_first = project.merge_requests.values().rev().filter(fits);
    let all: Vec<Value> = newest_first.map(|request| entities::listed(scope.state, project, request)).collect();
    page(scope.state, scope.call, &all)
}

pub(super) fn raw_file(scope: &mut ProjectScope<'_>) -> Response {
    let revision = scope.call.parameter("ref").unwrap_or_default();
    let spec = format!("{revision}:{}", decoded(scope.params[0]));
    let repository = &scope.project.repository;
    if diff::run(repository, &["cat-file", "-t", &spec]).is_empty() {
        return reply::message(404, "404 File Not Found");
    }
    reply::raw(200, "text/plain", &String::from_utf8_lossy(&diff::run(repository, &["show", &spec])))
}
