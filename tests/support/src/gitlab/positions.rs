//! Positions: parsing, validation, and GitLab's words for a rejected one.

use std::path::Path;

use axum::response::Response;
use serde_json::{Value, json};

use super::diff::{self, Refused};
use super::reply;
use super::state::{Position, Switches};

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
pub(super) fn parse(body: &Value) -> Result<Option<Position>, Response> {
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
