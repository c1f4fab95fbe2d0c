//! `/api/graphql`: the mutations of a verdict, and the queries that look for them (fact sheet, §15 and §16). Failures have the
//! status 200 and stand in `errors`.

mod document;

use axum::response::Response;
use serde_json::{Map, Value, json};

use self::document::Field;
use super::state::{MergeRequest, State};
use super::verdicts::{ReviewerState, VerdictKind};
use super::{approvals, entities, reply};

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
            _ => ("__Type", Value::Null),
        },
        "metadata" => ("Metadata", json!({ "version": state.version.full() })),
        "currentUser" => ("CurrentUser", entities::graphql_user(state, user)),
        _ => {
            let path = argument(field, "fullPath").unwrap_or_default();
            let Some(project) = state.projects.iter().find(|project| project.path == path) else {
                return Ok(("Project", Value::Null));
            };
            let inner = field.fields.iter().find(|field| field.name == "mergeRequest");
            let iid = inner.and_then(|field| argument(field, "iid")).and_then(|iid| iid.parse().ok());
            let request = iid.and_then(|iid: u64| project.merge_requests.get(&iid));
            let json = request.map(|request| merge_request(state, request));
            ("Project", json!({ "fullPath": project.path, "mergeRequest": json }))
        }
    })
}

fn merge_request(state: &State, request: &MergeRequest) -> Value {
    let reviewers = request.reviewers.iter().map(|(user, reviewer_state)| {
        let mut json = entities::graphql_user(state, *user);
        let shown = reviewer_state.shown(state.version).to_uppercase();
        json["mergeRequestInteraction"] = json!({ "reviewState": shown });
        json
    });
    let approved_by = request.approved_by.iter().map(|user| entities::graphql_user(state, *user));
    json!({
        "id": format!("gid://gitlab/MergeRequest/{}", request.id), "iid": request.iid.to_string(),
        "approved": !request.approved_by.is_empty(),
        "approvedBy": { "nodes": approved_by.collect::<Vec<_>>() },
        "reviewers": { "nodes": reviewers.collect::<Vec<_>>() },
    })
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
        "errors": errors, "clientMutationId": input["clientMutationId"], "mergeRequest": merge_request(state, &request),
    });
    let number = request.iid;
    state.projects[index].merge_requests.insert(number, request);
    Ok(Some((payload_type, payload)))
}
