//! Notes, threads and drafts: creation, validation, and the effects of their text.

use std::path::Path;

use axum::response::Response;
use serde_json::{Value, json};

use super::diff::{self, Refused};
use super::markdown;
use super::reply;
use super::state::{Draft, MergeRequest, Note, Position, State, Switches, Thread};

/// Executes the commands of a body and notifies the mentioned users. Returns the text to store, or the answer for a body of only
/// commands.
pub(super) fn effects(state: &mut State, body: &str) -> Result<String, Response> {
    let base = format!("{}{}", state.base, state.switches.prefix);
    let done = markdown::effects_on(&base, body);
    let only_commands = done.stored.is_empty() && !done.executed.is_empty();
    state.executed.extend(done.executed);
    if only_commands {
        return Err(reply::status(202, &json!({ "commands_changes": {}, "summary": ["Done."] })));
    }
    state.notifications += done.mentioned.len();
    state.mentioned.extend(done.mentioned);
    state.referenced.extend(done.references);
    state.loaded.extend(done.images);
    Ok(done.stored)
}

/// Checks that a body is valid for a note.
pub(super) fn check_body(body: &str) -> Result<(), Response> {
    let refuse = |words: &str| reply::message(400, &format!("400 Bad request - Note {{:note=>[\"{words}\"]}}"));
    if body.trim().is_empty() {
        return Err(refuse("can't be blank"));
    }
    if body.chars().count() > 1_000_000 {
        return Err(refuse("is too long (maximum is 1000000 characters)"));
    }
    Ok(())
}

/// Returns the answer for a rejected position.
pub(super) fn refused(why: Refused, switches: &Switches) -> Response {
    let sign = |name: &str| if switches.ruby34 { format!("{name}: ") } else { format!(":{name}=>") };
    let mut words = format!("{}[\"can't be blank\", \"must be a valid line code\"]", sign("line_code"));
    if why == Refused::Incomplete {
        words += &format!(", {}[\"is incomplete\"]", sign("position"));
    }
    let text = json!({ "message": format!("400 Bad request - Note {{{words}}}") }).to_string();
    let text = if switches.escaped { text.replace('>', "\\u003e") } else { text };
    reply::raw(400, "application/json", &text)
}

/// Parses the position of a request.
pub(super) fn position(body: &Value) -> Result<Option<Position>, Response> {
    let Some(given) = body.get("position").filter(|given| !given.is_null()) else { return Ok(None) };
    let needed = ["base_sha", "start_sha", "head_sha", "position_type"];
    let missing: Vec<String> = needed
        .iter()
        .filter(|name| given.get(**name).is_none_or(Value::is_null))
        .map(|name| format!("position[{name}] is missing"))
        .collect();
    if !missing.is_empty() {
        return Err(reply::error(400, &missing.join(", ")));
    }
    let text = |name: &str| given[name].as_str().map(str::to_owned);
    let kind = text("position_type").unwrap_or_default();
    if !["text", "image", "file"].contains(&kind.as_str()) {
        return Err(reply::error(400, "position[position_type] does not have a valid value"));
    }
    let line = |name: &str| -> Result<Option<u32>, Response> {
        match &given[name] {
            Value::Null => Ok(None),
            Value::Number(number) => Ok(number.as_u64().and_then(|number| u32::try_from(number).ok())),
            Value::String(text) => {
                text.parse().map(Some).map_err(|_| reply::error(400, &format!("position[{name}] is invalid")))
            }
            _ => Err(reply::error(400, &format!("position[{name}] is invalid"))),
        }
    };
    Ok(Some(Position {
        base_sha: text("base_sha").unwrap_or_default(),
        start_sha: text("start_sha").unwrap_or_default(),
        head_sha: text("head_sha").unwrap_or_default(),
        position_type: kind,
        old_path: text("old_path"),
        new_path: text("new_path"),
        old_line: line("old_line")?,
        new_line: line("new_line")?,
        line_range: given.get("line_range").filter(|range| !range.is_null()).cloned(),
    }))
}

/// Returns the line code. `None` for a file's position.
pub(super) fn line_code(repository: &Path, position: &Position) -> Result<Option<String>, Refused> {
    match position.position_type.as_str() {
        "text" => diff::resolve(repository, position).map(Some),
        _ => Ok(None),
    }
}

/// Returns a note as JSON.
pub(super) fn told(state: &State, request: &MergeRequest, note: &Note) -> Value {
    let mut told = json!({
        "id": note.id, "type": note.kind, "body": note.body, "system": note.system,
        "author": { "id": note.author, "username": state.username(note.author) },
        "created_at": "2026-11-21T10:00:00.000Z", "updated_at": "2026-11-21T10:00:00.000Z",
        "noteable_id": request.id, "noteable_type": "MergeRequest", "noteable_iid": request.iid,
        "resolvable": note.kind.is_some(), "internal": false, "confidential": false, "commands_changes": {},
    });
    if note.kind.is_some() {
        told["resolved"] = json!(note.resolved);
    }
    if let Some(position) = &note.position {
        told["position"] = json!(position);
        told["suggestions"] = json!(suggestions(note));
    }
    told
}

/// Returns the applicable suggestions: those of a note on a line of the head.
fn suggestions(note: &Note) -> Vec<Value> {
    let Some(position) = note.position.as_ref().filter(|position| position.position_type == "text") else {
        return Vec::new();
    };
    let Some(line) = position.new_line else { return Vec::new() };
    let found = markdown::effects_of(&note.body).suggestions;
    let told = found.into_iter().map(|one| {
        let (from, to) = (line.saturating_sub(one.above).max(1), line + one.below);
        json!({ "from_line": from, "to_line": to, "to_content": one.content })
    });
    told.collect()
}

pub(super) fn thread_told(state: &State, request: &MergeRequest, thread: &Thread) -> Value {
    let notes: Vec<Value> = thread.notes.iter().map(|note| told(state, request, note)).collect();
    json!({ "id": thread.id, "individual_note": thread.individual, "notes": notes })
}

pub(super) fn draft_told(request: &MergeRequest, draft: &Draft, code: Option<&String>) -> Value {
    json!({
        "id": draft.id, "author_id": draft.author, "merge_request_id": request.id, "note": draft.note,
        "resolve_discussion": draft.resolve, "discussion_id": draft.reply_to, "line_code": code,
        "position": draft.position.clone().unwrap_or_default(),
    })
}
