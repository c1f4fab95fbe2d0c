//! Pipelines: those of a merge request, jobs, test reports, logs and artifacts, as `lib/api/ci` answers them.
//!
//! Files of `artifacts:reports` are no part of the archive, so only files of the archive can be read by path. The log is sent as it was
//! written, with escape sequences.

use axum::response::Response;
use serde_json::{Value, json};

use super::api::decoded;
use super::reply;
use super::routes::{ProjectScope, Scope, page};
use super::state::{Job, Pipeline, State, first_time};

/// `GET …/merge_requests/:iid/pipelines`: the newest first.
pub(super) fn of_merge_request(scope: &mut Scope<'_>) -> Response {
    let iid = scope.request.iid;
    let newest_first = scope.state.pipelines.iter().rev().filter(|pipeline| pipeline.iid == iid);
    let all: Vec<Value> = newest_first.map(|pipeline| entity(scope.state, scope.project.id, pipeline)).collect();
    page(scope.state, scope.call, &all)
}

fn entity(state: &State, project: u64, pipeline: &Pipeline) -> Value {
    json!({
        "id": pipeline.id, "iid": pipeline.id, "project_id": project, "sha": pipeline.sha, "status": pipeline.status,
        "ref": format!("refs/merge-requests/{}/head", pipeline.iid), "source": "merge_request_event",
        "created_at": first_time(), "updated_at": first_time(),
        "web_url": format!("{}/-/pipelines/{}", state.base, pipeline.id),
    })
}

/// `GET …/pipelines/:id/jobs`.
pub(super) fn jobs(scope: &mut ProjectScope<'_>) -> Response {
    let Some(pipeline) = pipeline(scope.state, scope.params[0]) else { return reply::message(404, "404 Not found") };
    let job = |job: &Job| {
        let archive = json!({ "filename": "artifacts.zip", "size": 1000 });
        json!({
            "id": job.id, "name": job.name, "stage": job.stage, "status": job.status, "allow_failure": job.allow_failure,
            "web_url": format!("{}/-/jobs/{}", scope.state.base, job.id), "coverage": null,
            "artifacts": [], "artifacts_file": if job.artifacts.is_empty() { Value::Null } else { archive },
        })
    };
    let all: Vec<Value> = pipeline.jobs.iter().map(job).collect();
    page(scope.state, scope.call, &all)
}

/// `GET …/pipelines/:id/test_report`. Without a report, every number is 0.
pub(super) fn test_report(scope: &mut ProjectScope<'_>) -> Response {
    let Some(pipeline) = pipeline(scope.state, scope.params[0]) else { return reply::message(404, "404 Not found") };
    let count = |status: &str| pipeline.tests.iter().filter(|test| test["status"] == status).count();
    let suite = json!({
        "name": "unit", "total_time": 1.0, "total_count": pipeline.tests.len(), "success_count": count("success"),
        "failed_count": count("failed"), "skipped_count": count("skipped"), "error_count": count("error"),
        "suite_error": null, "test_cases": pipeline.tests,
    });
    reply::ok(&json!({
        "total_time": 1.0, "total_count": pipeline.tests.len(), "success_count": count("success"),
        "failed_count": count("failed"), "skipped_count": count("skipped"), "error_count": count("error"),
        "test_suites": if pipeline.tests.is_empty() { json!([]) } else { json!([suite]) },
    }))
}

/// `GET …/jobs/:id/trace`: plain text. Guests may not read it.
pub(super) fn trace(scope: &mut ProjectScope<'_>) -> Response {
    let Some(job) = job(scope.state, scope.params[0]) else { return reply::message(404, "404 Not found") };
    if scope.call.guest {
        return reply::message(403, "403 Forbidden");
    }
    reply::raw(200, "text/plain", &job.log)
}

/// `GET …/jobs/:id/artifacts/*path`.
pub(super) fn artifact(state: &State, guest: bool, id: &str, path: &[&str]) -> Response {
    let Some(job) = job(state, id) else { return reply::message(404, "404 Not found") };
    if guest {
        return reply::message(403, "403 Forbidden");
    }
    let path = path.iter().map(|part| decoded(part)).collect::<Vec<_>>().join("/");
    if path.split('/').any(|part| part.is_empty() || part == "..") {
        return reply::message(400, "400 Bad request");
    }
    match job.artifacts.iter().find(|(name, _)| *name == path) {
        Some((_, text)) => reply::raw(200, "application/octet-stream", text),
        None => reply::message(404, "404 Not Found"),
    }
}

/// `GET …/repository/commits/:sha`.
pub(super) fn commit(scope: &mut ProjectScope<'_>) -> Response {
    let spec = decoded(scope.params[0]);
    let shown = super::diff::run(&scope.project.repository, &["show", "-s", "--format=%H %P", &spec]);
    let text = String::from_utf8_lossy(&shown).trim().to_owned();
    let mut ids = text.split(' ').filter(|id| !id.is_empty());
    match ids.next() {
        Some(id) => reply::ok(&json!({ "id": id, "parent_ids": ids.collect::<Vec<_>>() })),
        None => reply::message(404, "404 Commit Not Found"),
    }
}

fn pipeline<'a>(state: &'a State, id: &str) -> Option<&'a Pipeline> {
    state.pipelines.iter().find(|pipeline| pipeline.id.to_string() == id)
}

fn job<'a>(state: &'a State, id: &str) -> Option<&'a Job> {
    state.pipelines.iter().flat_map(|pipeline| &pipeline.jobs).find(|job| job.id.to_string() == id)
}
