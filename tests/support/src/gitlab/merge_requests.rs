//! Reading a merge request, its versions, commits and diffs.

use axum::response::Response;
use serde_json::{Value, json};

use super::diff::Size;
use super::routes::{Scope, page};
use super::state::Version;
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

pub(super) fn version(scope: &mut Scope<'_>) -> Response {
    let named = |version: &&Version| version.id.to_string() == scope.params[0];
    let Some(version) = scope.request.versions.iter().find(named) else {
        return reply::message(404, "404 Not found");
    };
    let mut json = entities::version(scope.request, version);
    json["commits"] = json!(entities::commits(scope.project, version));
    json["diffs"] = json!(files(scope, version));
    reply::ok(&json)
}

pub(super) fn commits(scope: &mut Scope<'_>) -> Response {
    let newest = scope.request.versions.last();
    let commits = newest.map(|version| entities::commits(scope.project, version)).unwrap_or_default();
    page(scope.state, scope.call, &commits)
}

/// Lists the issues that a merge request closes, as far as the user may read them.
pub(super) fn closes_issues(scope: &mut Scope<'_>) -> Response {
    let readable = scope.request.closes.iter().filter(|issue| !(issue.confidential && scope.call.guest));
    let all: Vec<Value> = readable.map(|issue| entities::issue(scope.project, issue)).collect();
    page(scope.state, scope.call, &all)
}

pub(super) fn diffs(scope: &mut Scope<'_>) -> Response {
    let newest = scope.request.versions.last();
    let files = newest.map(|version| files(scope, version)).unwrap_or_default();
    page(scope.state, scope.call, &files)
}

pub(super) fn changes(scope: &mut Scope<'_>) -> Response {
    let newest = scope.request.versions.last();
    let files = newest.map(|version| files(scope, version)).unwrap_or_default();
    let mut merge_request = entities::merge_request(scope.state, scope.project, scope.request);
    merge_request["changes"] = json!(files);
    merge_request["overflow"] = json!(false);
    reply::ok(&merge_request)
}

/// Returns the files of a version, as the request wants them.
fn files(scope: &Scope<'_>, version: &Version) -> Vec<Value> {
    let server = scope.state.version;
    let unified = server.has_unidiff() && scope.call.parameter("unidiff") == Some("true");
    let files = diff::files(&diff::of_version(&scope.project.repository, version));
    let raw = scope.call.parameter("access_raw_diffs") == Some("true");
    let size = |file: &diff::File| match file.size(scope.state.switches.patch_limit) {
        // Raw access reads around the stored limits, which collapse files (§5).
        Size::Collapsed if raw => Size::Whole,
        size => size,
    };
    files.iter().map(|file| entities::file(server, file, size(file), unified)).collect()
}

pub(super) fn raw_diffs(scope: &mut Scope<'_>) -> Response {
    let newest = scope.request.versions.last();
    let patch = newest.map(|version| diff::of_version(&scope.project.repository, version)).unwrap_or_default();
    let limit = scope.state.switches.patch_limit;
    let files = diff::files(&patch);
    if files.iter().all(|file| file.size(limit) != Size::TooLarge) {
        return reply::raw(200, "text/plain", &String::from_utf8_lossy(&patch));
    }
    let mut text = String::new();
    for file in &files {
        file.header.iter().for_each(|line| text += &format!("{line}\n"));
        if file.size(limit) != Size::TooLarge {
            text += &file.body;
        }
    }
    reply::raw(200, "text/plain", &text)
}
