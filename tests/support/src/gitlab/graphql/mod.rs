//! `/api/graphql`: the mutations of a verdict, and the queries that look for them (fact sheet, §15 and §16). Failures have the
//! status 200 and stand in `errors`.

mod document;

use axum::response::Response;
use serde_json::{Map, Value, json};

use self::document::Field;
use super::state::{MergeRequest, Project, State};
use super::verdicts::{ReviewerState, VerdictKind};
use super::{approvals, diff, entities, reply};

/// A failure of the whole request.
struct Failure {
    message: String,
    extensions: Value,
}

impl Failure {
    fn undefined(type_name: &str, field: &str) -> Self {
        Self {
            message: format!("Field '{field}' doesn't exist on type '{type_name}'"),
            extensions: json!({ "code": "undefinedField", "typeName": type_name, "fieldName": field }),
        }
    }

    fn argument(name: &str, object: &str, expected: &str) -> Self {
        Self {
            message: format!(
                "Argument '{name}' on InputObject '{object}' has an invalid value. Expected type '{expected}'."
            ),
            extensions: json!({ "code": "argumentLiteralsIncompatible", "argumentName": name, "typeName": object }),
        }
    }
}

/// The words of GraphQL for an object that does not exist or may not be changed.
const NO_RESOURCE: &str = "The resource that you are attempting to access does not exist or you don't have permission to \
                           perform this action";

pub(super) fn answer(state: &mut State, user: u64, may_write: bool, body: &Value) -> Response {
    let text = body["query"].as_str().unwrap_or_default();
    let operation = match document::parse(text, &body["variables"]) {
        Ok(operation) => operation,
        Err(token) => return failed(&json!([{ "message": format!("Parse error on \"{token}\"") }])),
    };
    let mut data = Map::new();
    let mut errors = Vec::new();
    let type_name = if operation.mutation { "Mutation" } else { "Query" };
    let known = if operation.mutation {
        mutations(state)
    } else {
        vec!["__schema", "__type", "currentUser", "metadata", "project"]
    };
    if let Some(unknown) = operation.fields.iter().find(|field| !known.contains(&field.name.as_str())) {
        // The document is validated as a whole before anything is executed.
        let failure = Failure::undefined(type_name, &unknown.name);
        return failed(&json!([{ "message": failure.message, "extensions": failure.extensions }]));
    }
    for field in &operation.fields {
        let resolved = match operation.mutation {
            true if !may_write => Ok(None),
            true => mutate(state, user, field),
            false => query(state, user, field).map(Some),
        };
        let selected = resolved.and_then(|value| match value {
            Some((type_name, value)) => select(type_name, &value, &field.fields).map(Some),
            None => Ok(None),
        });
        match selected {
            Ok(Some(value)) => drop(data.insert(field.key.clone(), value)),
            Ok(None) => {
                data.insert(field.key.clone(), Value::Null);
                errors.push(json!({ "message": NO_RESOURCE, "path": [field.key] }));
            }
            Err(failure) => return failed(&json!([{ "message": failure.message, "extensions": failure.extensions }])),
        }
    }
    match errors.is_empty() {
        true => reply::ok(&json!({ "data": data })),
        false => reply::ok(&json!({ "data": data, "errors": errors })),
    }
}

fn failed(errors: &Value) -> Response {
    reply::ok(&json!({ "errors": errors }))
}

/// Returns the names of the mutations.
fn mutations(state: &State) -> Vec<&'static str> {
    let mut names = vec!["mergeRequestReviewerRereview"];
    if state.version.has_request_changes_mutation() {
        names.push("mergeRequestRequestChanges");
    }
    names
}

/// Returns the selected fields of a value.
fn select(type_name: &str, value: &Value, fields: &[Field]) -> Result<Value, Failure> {
    match value {
        Value::Array(items) => items.iter().map(|item| select(type_name, item, fields)).collect(),
        Value::Object(object) => {
            let mut selected = Map::new();
            for field in fields {
                let Some(inner) = object.get(&field.name) else {
                    return Err(Failure::undefined(type_name, &field.name));
                };
                selected.insert(field.key.clone(), select(&field.name, inner, &field.fields)?);
            }
            Ok(Value::Object(selected))
        }
        other => Ok(other.clone()),
    }
}

fn query(state: &State, user: u64, field: &Field) -> Result<(&'static str, Value), Failure> {
    let fields: Vec<Value> = mutations(state).iter().map(|name| json!({ "name": name })).collect();
    let argument = |field: &Field, name: &str| field.arguments.get(name).and_then(Value::as_str).map(str::to_owned);
    Ok(match field.name.as_str() {
        "__schema" => ("__Schema", json!({ "mutationType": { "name": "Mutation", "fields": fields } })),
        "__type" => match argument(field, "name").as_deref() {
            Some("Mutation") => ("__Type", json!({ "name": "Mutation", "fields": fields })),
            Some("MergeRequest") => {
                let names = merge_request(state, &state.projects[0], &MergeRequest::default(), None);
                let names = names.as_object().into_iter().flat_map(|fields| fields.keys());
                let fields: Vec<Value> = names.map(|name| json!({ "name": name })).collect();
                ("__Type", json!({ "name": "MergeRequest", "fields": fields }))
            }
            _ => ("__Type", Value::Null),
        },
        "metadata" => ("Metadata", json!({ "version": state.version.full() })),
        "currentUser" => {
            let mut json = entities::graphql_user(state, user);
            for list in &field.fields {
                if let Some(connection) = connection(state, user, list)? {
                    json[list.name.as_str()] = connection;
                }
            }
            ("CurrentUser", json)
        }
        _ => {
            let path = argument(field, "fullPath").unwrap_or_default();
            let Some(project) = state.projects.iter().find(|project| project.path == path) else {
                return Ok(("Project", Value::Null));
            };
            let inner = field.fields.iter().find(|field| field.name == "mergeRequest");
            let iid = inner.and_then(|field| argument(field, "iid")).and_then(|iid| iid.parse().ok());
            let request = iid.and_then(|iid: u64| project.merge_requests.get(&iid));
            let json = request.map(|request| merge_request(state, project, request, None));
            ("Project", json!({ "fullPath": project.path, "mergeRequest": json }))
        }
    })
}

/// The maximum number of items of a page.
const MAX_PAGE: usize = 100;

/// Returns a page of a list of the user's merge requests, or `None` for another field.
fn connection(state: &State, user: u64, field: &Field) -> Result<Option<Value>, Failure> {
    let mine = |request: &MergeRequest| match field.name.as_str() {
        "reviewRequestedMergeRequests" => Some(request.reviewers.iter().any(|(id, _)| *id == user)),
        "assignedMergeRequests" => Some(request.assignees.contains(&user)),
        "authoredMergeRequests" => Some(request.author() == user),
        _ => None,
    };
    if mine(&MergeRequest::default()).is_none() {
        return Ok(None);
    }
    let argument = |name: &str| field.arguments.get(name).cloned().unwrap_or_default();
    let wanted = argument("state").as_str().unwrap_or("all").to_owned();
    if !["opened", "closed", "merged", "locked", "all"].contains(&wanted.as_str()) {
        return Err(Failure::argument("state", "MergeRequestState", "MergeRequestState"));
    }
    let all: Vec<_> = state
        .projects
        .iter()
        .flat_map(|project| project.merge_requests.values().map(move |request| (project, request)))
        .filter(|(_, request)| mine(request) == Some(true) && (wanted == "all" || request.state == wanted))
        .collect();
    // A cursor is the base64 of a position. Clients may not interpret it.
    let start: usize =
        argument("after").as_str().and_then(|cursor| cursor.strip_prefix("cursor=\"")?.parse().ok()).unwrap_or(0);
    let size =
        argument("first").as_u64().map_or(MAX_PAGE, |first| MAX_PAGE.min(usize::try_from(first).unwrap_or(MAX_PAGE)));
    let end = all.len().min(start + size);
    let mut stats = std::collections::HashMap::new();
    let nodes = all[start.min(end)..end].iter().map(|(project, request)| {
        let version = request.versions.last().cloned().unwrap_or_default();
        let lines = *stats
            .entry((version.base.clone(), version.head.clone()))
            .or_insert_with(|| diff::line_counts(&project.repository, &version.base, &version.head));
        merge_request(state, project, request, Some(lines))
    });
    let nodes: Vec<Value> = nodes.collect();
    let cursor = (!nodes.is_empty()).then(|| format!("cursor=\"{end}"));
    Ok(Some(json!({
        "nodes": nodes, "count": all.len(),
        "pageInfo": { "hasNextPage": end < all.len(), "endCursor": cursor },
    })))
}

/// Returns a merge request. `lines` are the numbers of added and removed lines, if they were asked for.
fn merge_request(state: &State, project: &Project, request: &MergeRequest, lines: Option<(u64, u64)>) -> Value {
    let reviewers = request.reviewers.iter().map(|(user, reviewer_state)| {
        let mut json = entities::graphql_user(state, *user);
        let shown = reviewer_state.shown(state.version).to_uppercase();
        json["mergeRequestInteraction"] = json!({ "reviewState": shown });
        json
    });
    let approved_by = request.approved_by.iter().map(|user| entities::graphql_user(state, *user));
    let stats =
        lines.map(|(added, removed)| json!({ "additions": added, "deletions": removed, "changes": added + removed }));
    let mut json = json!({
        "id": format!("gid://gitlab/MergeRequest/{}", request.id), "iid": request.iid.to_string(),
        "approved": !request.approved_by.is_empty(),
        "approvedBy": { "nodes": approved_by.collect::<Vec<_>>() },
        "reviewers": { "nodes": reviewers.collect::<Vec<_>>() },
        "project": { "fullPath": project.path }, "diffStatsSummary": stats,
    });
    if !state.switches.community {
        json["approvalsLeft"] = json!(request.approvals_required.saturating_sub(request.approved_by.len()));
    }
    json
}

/// Executes a mutation. Returns `None` for a merge request that does not exist.
fn mutate(state: &mut State, user: u64, field: &Field) -> Result<Option<(&'static str, Value)>, Failure> {
    let (input_type, payload_type) = match field.name.as_str() {
        "mergeRequestRequestChanges" => ("MergeRequestRequestChangesInput", "MergeRequestRequestChangesPayload"),
        _ => ("MergeRequestReviewerRereviewInput", "MergeRequestReviewerRereviewPayload"),
    };
    let input = field.arguments.get("input").cloned().unwrap_or_default();
    let text = |name: &str, expected: &str| {
        let value = input[name].as_str().map(str::to_owned);
        value.ok_or_else(|| Failure::argument(name, input_type, expected))
    };
    let path = text("projectPath", "ID!")?;
    // The number of a merge request is text here.
    let iid = text("iid", "String!")?;
    let Some(index) = state.projects.iter().position(|project| project.path == path) else { return Ok(None) };
    let known = iid.parse().ok().and_then(|iid: u64| state.projects[index].merge_requests.get(&iid).cloned());
    let Some(mut request) = known else { return Ok(None) };
    let found = if field.name == "mergeRequestRequestChanges" {
        approvals::request_changes(state, &mut request, user)
    } else {
        let id = text("userId", "UserID!")?;
        let reviewer = id.rsplit('/').next().and_then(|id| id.parse().ok()).unwrap_or_default();
        let found = request.set_reviewer_state(reviewer, ReviewerState::Unreviewed);
        if found {
            request.verdicts.push((reviewer, VerdictKind::ReviewRequested));
        }
        found
    };
    let errors: &[&str] = if found { &[] } else { &["Reviewer not found"] };
    let payload = json!({
        "errors": errors, "clientMutationId": input["clientMutationId"], "mergeRequest": merge_request(state, &state.projects[index], &request, None),
    });
    let number = request.iid;
    state.projects[index].merge_requests.insert(number, request);
    Ok(Some((payload_type, payload)))
}
