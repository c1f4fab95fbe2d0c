//! The endpoints: one table for each level of the address.

use axum::response::Response;
use serde_json::{Value, json};

use super::api::{Call, decoded};
use super::server_version::ServerVersion;
use super::state::{MergeRequest, Project, State};
use super::{approvals, discussions, drafts, entities, lists, merge_requests, notes, pipelines, projects, reply};

/// An endpoint.
struct Route<Handler> {
    method: &'static str,
    /// The segments of the path. One that begins with a colon matches any text.
    path: &'static str,
    /// Returns whether a version has the endpoint.
    exists: fn(ServerVersion) -> bool,
    handler: Handler,
}

/// The place of a request within a project.
pub(super) struct ProjectScope<'a> {
    pub(super) state: &'a mut State,
    pub(super) call: &'a Call<'a>,
    pub(super) project: &'a Project,
    /// The variable segments of the path.
    pub(super) params: Vec<&'a str>,
}

/// The place of a request within a merge request.
pub(super) struct Scope<'a> {
    pub(super) state: &'a mut State,
    pub(super) call: &'a Call<'a>,
    pub(super) project: &'a Project,
    pub(super) request: &'a mut MergeRequest,
    /// The variable segments of the path.
    pub(super) params: Vec<&'a str>,
}

type Global = fn(&mut State, &Call<'_>) -> Response;
type OfProject = fn(&mut ProjectScope<'_>) -> Response;
type OfMergeRequest = fn(&mut Scope<'_>) -> Response;

const fn route<Handler: Copy>(method: &'static str, path: &'static str, handler: Handler) -> Route<Handler> {
    Route { method, path, exists: |_| true, handler }
}

/// Returns an endpoint that only some versions have. Others answer as for an unknown address.
const fn route_if<Handler: Copy>(
    method: &'static str,
    path: &'static str,
    exists: fn(ServerVersion) -> bool,
    handler: Handler,
) -> Route<Handler> {
    Route { method, path, exists, handler }
}

/// The endpoints below `/api/v4`.
const GLOBAL: &[Route<Global>] = &[
    route("GET", "user", user),
    route("GET", "merge_requests", lists::merge_requests),
    route_if("GET", "metadata", ServerVersion::has_metadata, metadata),
    route("GET", "version", metadata),
    route_if("GET", "personal_access_tokens/self", ServerVersion::has_own_token, own_token),
];

/// The endpoints below `/projects/:id`.
const PROJECT: &[Route<OfProject>] = &[
    route("GET", "", projects::show),
    route("GET", "merge_requests", projects::merge_requests),
    route("GET", "repository/files/:path/raw", projects::raw_file),
    route("GET", "repository/commits/:sha", pipelines::commit),
    route("GET", "pipelines/:id/jobs", pipelines::jobs),
    route("GET", "pipelines/:id/test_report", pipelines::test_report),
    route("GET", "jobs/:id/trace", pipelines::trace),
];

/// The endpoints below `/projects/:id/merge_requests/:iid`.
const MERGE_REQUEST: &[Route<OfMergeRequest>] = &[
    route("GET", "", merge_requests::show),
    route("GET", "versions", merge_requests::versions),
    route("GET", "versions/:id", merge_requests::version),
    route("GET", "commits", merge_requests::commits),
    route("GET", "closes_issues", merge_requests::closes_issues),
    route("GET", "pipelines", pipelines::of_merge_request),
    route_if("GET", "diffs", ServerVersion::has_diffs, merge_requests::diffs),
    route("GET", "changes", merge_requests::changes),
    route_if("GET", "raw_diffs", ServerVersion::has_raw_diffs, merge_requests::raw_diffs),
    route("GET", "notes", notes::list),
    route("POST", "notes", notes::create),
    route("GET", "notes/:id", notes::show),
    route("PUT", "notes/:id", notes::update),
    route("DELETE", "notes/:id", notes::delete),
    route("POST", "notes/:id/award_emoji", notes::award_emoji),
    route("GET", "discussions", discussions::list),
    route("POST", "discussions", discussions::create),
    route("GET", "discussions/:id", discussions::show),
    route("PUT", "discussions/:id", discussions::resolve),
    route("POST", "discussions/:id/notes", discussions::reply),
    route("PUT", "discussions/:discussion/notes/:id", notes::update),
    route("DELETE", "discussions/:discussion/notes/:id", notes::delete),
    route_if("GET", "draft_notes", ServerVersion::has_draft_notes, drafts::list),
    route_if("POST", "draft_notes", ServerVersion::has_draft_notes, drafts::create),
    route_if("POST", "draft_notes/bulk_publish", ServerVersion::has_draft_notes, drafts::bulk_publish),
    route_if("PUT", "draft_notes/:id", ServerVersion::has_draft_notes, drafts::update),
    route_if("DELETE", "draft_notes/:id", ServerVersion::has_draft_notes, drafts::delete),
    route_if("PUT", "draft_notes/:id/publish", ServerVersion::has_draft_notes, drafts::publish),
    route("POST", "approve", approvals::approve),
    route("POST", "unapprove", approvals::unapprove),
    route("GET", "approvals", approvals::show),
    route("GET", "approval_state", approvals::approval_state),
    route("GET", "reviewers", approvals::reviewers),
];

/// Answers a request for a path below `/api/v4`.
pub(super) fn answer(state: &mut State, call: &Call<'_>, parts: &[&str]) -> Response {
    let ["projects", name, rest @ ..] = parts else {
        return match find(GLOBAL, state.version, call.method, parts) {
            Some((handler, _)) => handler(state, call),
            None => reply::not_found(),
        };
    };
    let name = decoded(name);
    if let Some(moved) = state.projects.iter().find(|project| project.moved_from.contains(&name)) {
        let to = call.url.replacen(&name.replace('/', "%2F"), &moved.id.to_string(), 1);
        return reply::with(reply::raw(301, "text/plain", "moved"), "location", &to);
    }
    let named = |project: &Project| project.path == name || project.id.to_string() == name;
    let Some(index) = state.projects.iter().position(named) else {
        return reply::message(404, "404 Project Not Found");
    };
    let project = state.projects[index].clone();
    if let Some((handler, params)) = find(PROJECT, state.version, call.method, rest) {
        return handler(&mut ProjectScope { state, call, project: &project, params });
    }
    if let ("GET", ["jobs", id, "artifacts", path @ ..]) = (call.method, rest) {
        return pipelines::artifact(state, call.guest, id, path);
    }
    let ["merge_requests", iid, rest @ ..] = rest else { return reply::not_found() };
    let known = iid.parse().ok().and_then(|iid: u64| project.merge_requests.get(&iid).cloned());
    let Some(mut request) = known else { return reply::message(404, "404 Not found") };
    let Some((handler, params)) = find(MERGE_REQUEST, state.version, call.method, rest) else {
        return reply::not_found();
    };
    let response = handler(&mut Scope { state, call, project: &project, request: &mut request, params });
    let iid = request.iid;
    if call.method != "GET" && response.status().is_success() {
        request.updated_at = state.time_of_write();
    }
    state.projects[index].merge_requests.insert(iid, request);
    response
}

/// Returns the handler of a path and its variable segments.
fn find<'a, Handler: Copy>(
    routes: &[Route<Handler>],
    version: ServerVersion,
    method: &str,
    parts: &[&'a str],
) -> Option<(Handler, Vec<&'a str>)> {
    routes.iter().filter(|route| route.method == method && (route.exists)(version)).find_map(|route| {
        let pattern: Vec<&str> = route.path.split('/').filter(|part| !part.is_empty()).collect();
        let fits = |(pattern, part): (&&str, &&str)| pattern.starts_with(':') || pattern == part;
        if pattern.len() != parts.len() || !pattern.iter().zip(parts).all(fits) {
            return None;
        }
        let variable = pattern.iter().zip(parts).filter(|(pattern, _)| pattern.starts_with(':'));
        Some((route.handler, variable.map(|(_, part)| *part).collect()))
    })
}

/// Returns a page of a list.
pub(super) fn page(state: &State, call: &Call<'_>, items: &[Value]) -> Response {
    let hide = state.switches.hide_each;
    reply::page(items, &call.query, &call.url, state.switches.gitlab_com, |item| {
        hide.is_some_and(|each| item["id"].as_u64().is_some_and(|id| id % each == 0))
    })
}

fn user(state: &mut State, call: &Call<'_>) -> Response {
    reply::ok(&entities::user(state, call.user))
}

fn metadata(state: &mut State, _: &Call<'_>) -> Response {
    reply::ok(&json!({ "version": state.version.full(), "revision": "abc", "enterprise": true }))
}

fn own_token(_: &mut State, call: &Call<'_>) -> Response {
    reply::ok(
        &json!({ "id": 7, "name": "t", "active": true, "revoked": false, "scopes": call.scopes, "user_id": call.user }),
    )
}
