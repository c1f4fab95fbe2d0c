//! `GET /merge_requests`: the merge requests of all projects that the user can see (fact sheet, §17).

use axum::response::Response;
use serde_json::Value;

use super::api::Call;
use super::routes::page;
use super::state::{MergeRequest, State};
use super::{entities, reply};

/// Answers with the merge requests that have the state and the people of the query. Without `scope=all`, those of the user.
pub(super) fn merge_requests(state: &mut State, call: &Call<'_>) -> Response {
    let order = call.parameter("order_by").unwrap_or("created_at");
    if !["created_at", "updated_at", "title", "merged_at"].contains(&order) {
        return reply::error(400, "order_by does not have a valid value");
    }
    let fits = |request: &MergeRequest| {
        let is = |name: &str, ids: &[u64]| {
            call.parameter(name).is_none_or(|wanted| ids.iter().any(|id| state.username(*id) == wanted))
        };
        let reviewers: Vec<u64> = request.reviewers.iter().map(|(id, _)| *id).collect();
        call.parameter("state").is_none_or(|wanted| wanted == "all" || wanted == request.state)
            && is("reviewer_username", &reviewers)
            && is("assignee_username", &request.assignees)
            && is("author_username", &[request.author()])
            && (call.parameter("scope") == Some("all") || request.author() == call.user)
    };
    let mut all: Vec<Value> = Vec::new();
    for project in &state.projects {
        let requests = project.merge_requests.values().filter(|request| fits(request));
        all.extend(requests.map(|request| entities::listed(state, project, request)));
    }
    let text = |one: &Value| one[order].as_str().unwrap_or_default().to_owned();
    all.sort_by_key(|one| (text(one), one["id"].as_u64()));
    if call.parameter("sort") != Some("asc") {
        all.reverse();
    }
    page(state, call, &all)
}
