//! Positions: parsing, validation, and GitLab's words for a rejected one.

use std::path::Path;

use axum::response::Response;
use serde_json::{Value, json};

use super::diff::{self, Refused};
use super::state::{Position, State, Switches};
use super::{line_ranges, reply};

/// The endpoints that take positions. Their rules differ.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Endpoint {
    Discussions,
    Drafts,
}

/// The validator's words about a position with unknown or wrong fields.
pub(super) const BAD_SCHEMA: &str = "must be a valid json schema";

/// Returns the answer for a position that `POST …/discussions` rejects (§7.4). `valid_schema` tells whether its fields are valid.
pub(super) fn refused(line: Option<Refused>, valid_schema: bool, switches: &Switches) -> Response {
    let mut errors: Vec<(&str, Vec<&str>)> = Vec::new();
    if line.is_some() {
        errors.push(("line_code", vec!["can't be blank", "must be a valid line code"]));
    }
    let mut of_position = Vec::new();
    if line == Some(Refused::Incomplete) {
        of_position.push("is incomplete");
    }
    if !valid_schema {
        of_position.push(BAD_SCHEMA);
    }
    if !of_position.is_empty() {
        errors.push(("position", of_position));
    }
    let inspected = errors.iter().map(|(name, words)| {
        let words: Vec<String> = words.iter().map(|words| format!("\"{words}\"")).collect();
        let sign = if switches.ruby34 { format!("{name}: ") } else { format!(":{name}=>") };
        format!("{sign}[{}]", words.join(", "))
    });
    let inspected: Vec<String> = inspected.collect();
    let text = json!({ "message": format!("400 Bad request - Note {{{}}}", inspected.join(", ")) }).to_string();
    let text = if switches.escaped { text.replace('>', "\\u003e") } else { text };
    reply::raw(400, "application/json", &text)
}

/// Parses the position of a request and converts its fields to their declared types.
pub(super) fn parse(state: &State, endpoint: Endpoint, body: &Value) -> Result<Option<Position>, Response> {
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
    let known = match kind.as_str() {
        "text" | "image" => true,
        "file" => state.version.has_file_positions(),
        _ => false,
    };
    if !known {
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
    let affected = endpoint == Endpoint::Drafts || state.switches.text_in_discussion_ranges;
    let lines_are_text = affected && !state.version.has_lines_in_draft_ranges();
    let range = given.get("line_range").filter(|range| !range.is_null());
    Ok(Some(Position {
        base_sha: text("base_sha").unwrap_or_default(),
        start_sha: text("start_sha").unwrap_or_default(),
        head_sha: text("head_sha").unwrap_or_default(),
        position_type: kind,
        old_path: text("old_path"),
        new_path: text("new_path"),
        old_line: line("old_line")?,
        new_line: line("new_line")?,
        line_range: range.map(|range| line_ranges::convert(range, lines_are_text)).transpose()?,
    }))
}

/// Returns whether the fields of a position are valid in the version of the server (§16).
pub(super) fn has_valid_schema(state: &State, position: &Position) -> bool {
    let short = |path: &Option<String>| path.as_ref().is_none_or(|path| path.chars().count() <= 1000);
    let range = position.line_range.as_ref();
    short(&position.old_path)
        && short(&position.new_path)
        && range.is_none_or(|range| line_ranges::is_valid(range, state.version))
}

/// Returns the line code. `None` for a file's position.
pub(super) fn line_code(state: &State, repository: &Path, position: &Position) -> Result<Option<String>, Refused> {
    match position.position_type.as_str() {
        "text" => diff::resolve(repository, position, state.switches.patch_limit).map(Some),
        _ => Ok(None),
    }
}
