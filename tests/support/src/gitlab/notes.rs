//! Comments, threads and drafts: how they are made, what is refused, and what GitLab does with their text.

use std::path::Path;

use axum::response::Response;
use serde_json::{Value, json};

use super::diff::{self, Refused};
use super::reply;
use super::state::{Draft, MergeRequest, Note, Position, State, Switches, Thread};

/// Commands that a line of text gives.
const COMMANDS: &[&str] = &[
    "close",
    "reopen",
    "merge",
    "approve",
    "unapprove",
    "assign",
    "unassign",
    "label",
    "unlabel",
    "title",
    "draft",
    "ready",
    "milestone",
    "lock",
    "todo",
    "shrug",
    "tableflip",
    "estimate",
    "spend",
    "subscribe",
    "rebase",
    "target_branch",
    "reviewer",
    "request_review",
    "assign_reviewer",
    "copy_metadata",
    "confidential",
    "duplicate",
    "move",
    "clone",
    "award",
    "due",
    "weight",
    "epic",
    "iteration",
    "tag",
    "create_merge_request",
    "relate",
    "cc",
    "submit_review",
    "request_changes",
    "unlock",
    "done",
];

/// A body as it is stored: without carriage returns, without commands.
pub(super) struct Body {
    pub(super) text: String,
    pub(super) executed: Vec<String>,
    pub(super) mentioned: Vec<String>,
}

/// Takes out quick actions: lines that begin with `/` and a command, in paragraphs; finds mentions outside of code.
pub(super) fn process(body: &str) -> Body {
    let text = body.replace('\r', "");
    let mut kept = Vec::new();
    let (mut executed, mut mentioned) = (Vec::new(), Vec::new());
    let mut fence: Option<(char, usize)> = None;
    let mut html = false;
    for line in text.lines() {
        let bare = line.trim_start();
        let indent = line.len() - bare.len();
        let first = bare.chars().next().unwrap_or(' ');
        let run = bare.chars().take_while(|char| *char == first).count();
        if indent < 4 && matches!(first, '`' | '~') && run >= 3 {
            match fence {
                None => fence = Some((first, run)),
                Some((char, length)) if char == first && run >= length && bare[run..].trim().is_empty() => fence = None,
                Some(_) => {}
            }
            kept.push(line);
            continue;
        }
        if fence.is_some() {
            kept.push(line);
            continue;
        }
        if bare.is_empty() {
            html = false;
        } else if bare.starts_with("<!--")
            || bare.starts_with('<') && bare[1..].starts_with(|char: char| char.is_ascii_alphabetic())
        {
            html = true;
        }
        let word: String = line
            .strip_prefix('/')
            .unwrap_or_default()
            .chars()
            .take_while(|char| char.is_alphanumeric() || *char == '_')
            .collect();
        if line.starts_with('/') && !html && COMMANDS.contains(&word.to_lowercase().as_str()) {
            executed.push(line.to_owned());
            continue;
        }
        if !bare.starts_with("<!--") {
            mentioned.extend(mentions(line));
        }
        kept.push(line);
    }
    Body { text: kept.join("\n").trim_end().to_owned(), executed, mentioned }
}

/// Names behind `@`, outside of inline code: what stands between two runs of as many backticks.
fn mentions(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        found.extend(names(&rest[..at]));
        let count = rest[at..].bytes().take_while(|byte| *byte == b'`').count();
        rest = &rest[at + count..];
        let mut from = 0;
        let end = loop {
            let Some(next) = rest[from..].find('`').map(|next| from + next) else { break None };
            let run = rest[next..].bytes().take_while(|byte| *byte == b'`').count();
            if run == count {
                break Some(next);
            }
            from = next + run;
        };
        if let Some(end) = end {
            rest = &rest[end + count..];
        }
    }
    found.extend(names(rest));
    found
}

fn names(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices('@') {
        let before = text[..at].chars().next_back();
        let name: String =
            text[at + 1..].chars().take_while(|char| char.is_ascii_alphanumeric() || "_.-".contains(*char)).collect();
        if !name.is_empty() && before.is_none_or(|char| !char.is_alphanumeric() && char != '/') {
            found.push(name);
        }
    }
    found
}

/// Stores what a body does besides being there. The text that is left, or the answer that there is nothing to store.
pub(super) fn effects(state: &mut State, body: &str) -> Result<String, Response> {
    let done = process(body);
    let only_commands = done.text.is_empty() && !done.executed.is_empty();
    state.executed.extend(done.executed);
    if only_commands {
        return Err(reply::status(202, &json!({ "commands_changes": {}, "summary": ["Done."] })));
    }
    state.mentioned.extend(done.mentioned);
    Ok(done.text)
}

/// Why a body cannot be a comment's.
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

/// The refusal of a position.
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

/// A position out of a request, or why it is none.
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

/// The line's name; none for a file's position.
pub(super) fn line_code(repository: &Path, position: &Position) -> Result<Option<String>, Refused> {
    match position.position_type.as_str() {
        "text" => diff::resolve(repository, position).map(Some),
        _ => Ok(None),
    }
}

/// A note as it is told.
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

/// Suggestion blocks of a comment on a line that is in the head.
fn suggestions(note: &Note) -> Vec<Value> {
    let Some(position) = note.position.as_ref().filter(|position| position.position_type == "text") else {
        return Vec::new();
    };
    let Some(line) = position.new_line else { return Vec::new() };
    let mut found = Vec::new();
    let mut lines = note.body.lines();
    while let Some(text) = lines.next() {
        let ticks = text.chars().take_while(|char| *char == '`').count();
        if ticks < 3 {
            continue;
        }
        let fence = "`".repeat(ticks);
        let info = text[ticks..].trim().to_owned();
        let content: Vec<&str> = lines.by_ref().take_while(|line| line.trim() != fence).collect();
        let Some(range) = info.strip_prefix("suggestion") else { continue };
        let number = |sign: char| -> u32 {
            let rest = range.split_once(sign).map_or("", |(_, rest)| rest);
            rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0).min(100)
        };
        let (above, below) = (number('-'), number('+'));
        found.push(json!({ "from_line": line.saturating_sub(above).max(1), "to_line": line + below, "to_content": content.join("\n") }));
    }
    found
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
