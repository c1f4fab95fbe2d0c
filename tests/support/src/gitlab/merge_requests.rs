//! Reading a merge request, its versions, commits and diffs.

use axum::response::Response;
use serde_json::{Value, json};

use super::routes::{Scope, page};
use super::{diff, entities, reply};

pub(super) fn show(scope: &mut Scope<'_>) -> Response {
    let mut merge_request = entities::merge_request(scope.state, scope.project, scope.request);
    if scope.request.polls_until_ready > 0 {
        scope.request.polls_until_ready -= 1;
        merge_request["diff_refs"] = Value::Null;
        merge_request["sha"] = Value::Null;
    }
    reply::ok(&merge_request)
}

pub(super) fn versions(scope: &mut Scope<'_>) -> Response {
    let newest_first = scope.request.versions.iter().rev();
    let all: Vec<Value> = newest_first.map(|version| entities::version(scope.request, version)).collect();
    page(scope.state, scope.call, &all)
}

pub(super) fn commits(scope: &mut Scope<'_>) -> Response {
    page(scope.state, scope.call, &entities::commits(scope.project, scope.request))
}

pub(super) fn diffs(scope: &mut Scope<'_>) -> Response {
    page(scope.state, scope.call, &entities::diffs(scope.state, scope.project, scope.request))
}

pub(super) fn changes(scope: &mut Scope<'_>) -> Response {
    let mut merge_request = entities::merge_request(scope.state, scope.project, scope.request);
    merge_request["changes"] = json!(entities::diffs(scope.state, scope.project, scope.request));
    merge_request["overflow"] = json!(false);
    reply::ok(&merge_request)
}

pub(super) fn raw_diffs(scope: &mut Scope<'_>) -> Response {
    if scope.state.switches.old {
        return reply::not_found();
    }
    let patch = scope.request.versions.last().map(|version| diff::of_version(&scope.project.repository, version));
    reply::raw(200, "text/plain", &String::from_utf8_lossy(&patch.unwrap_or_default()))
}
