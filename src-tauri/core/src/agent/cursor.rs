//! Cursor: `cursor-agent --print` with one JSON envelope at its end. How its command is built, and how it is read.

use std::ffi::OsString;
use std::path::Path;

use serde_json::Value;

use super::codex::set_flag;
use super::{Dialect, Progress, Reading, Request};
use crate::review::TokenUsage;

/// How Cursor is spoken to.
pub(super) const DIALECT: Dialect = Dialect { arguments, line, finish, talks: false };

/// The arguments behind the program's name.
fn arguments(request: &Request<'_>) -> Vec<OsString> {
    let mut args: Vec<OsString> = match request.config.cursor_command.split_first() {
        Some((_, custom)) => custom.iter().map(OsString::from).collect(),
        None => ["--print", "--output-format", "json", "--trust"].map(OsString::from).to_vec(),
    };
    if !args.iter().any(|arg| arg == "--trust" || arg == "--yolo" || arg == "-f") {
        args.push("--trust".into());
    }
    if let Some(model) = request.model {
        set_flag(&mut args, &["--model", "-m"], model.as_ref());
    }
    if let Some(key) = request.key {
        set_flag(&mut args, &["--api-key", "-a"], key.as_ref());
    }
    args
}

/// Reads one line of output; the envelope may stand behind a banner, on a line of its own.
fn line(reading: &mut Reading, line: &str) -> Option<Progress> {
    let keep = reading.raw.len() < 16 * 1024 * 1024;
    if keep {
        reading.raw.push_str(line);
        reading.raw.push('\n');
    }
    let event: Value = serde_json::from_str(line).ok()?;
    match event["type"].as_str()? {
        "system" => Some(Progress::new("started")),
        "thinking" => Some(Progress::new("thinking")),
        "assistant" => Some(Progress::new("writing the answer")),
        "tool_call" => Some(Progress::new("using a tool")),
        "result" => {
            result(reading, &event);
            reading.ended = true;
            Some(Progress::new("answered"))
        }
        _ => None,
    }
}

fn result(reading: &mut Reading, envelope: &Value) {
    reading.session = envelope["session_id"].as_str().map(str::to_owned);
    let text = envelope["result"].as_str().map(str::to_owned);
    if envelope["is_error"].as_bool() == Some(true) {
        reading.error = Some(text.unwrap_or_else(|| "the agent reported an error without a reason".to_owned()));
        return;
    }
    let usage = &envelope["usage"];
    let count = |names: [&str; 2]| names.iter().find_map(|name| usage[*name].as_u64());
    if let (Some(input), Some(output)) =
        (count(["inputTokens", "input_tokens"]), count(["outputTokens", "output_tokens"]))
    {
        let cached_input = count(["cacheReadTokens", "cache_read_input_tokens"]).unwrap_or(0);
        reading.usage = Some(TokenUsage { input: input + cached_input, cached_input, output });
    }
    reading.answer = text;
    reading.completed = true;
}

/// Looks at the whole output where no line was an envelope: it may be spread over lines, or stand behind a preamble on
/// the same line.
fn finish(reading: &mut Reading, _run_dir: &Path) {
    if reading.completed || reading.error.is_some() {
        return;
    }
    let raw = std::mem::take(&mut reading.raw);
    let envelope = raw.match_indices('{').take(1000).find_map(|(start, _)| {
        let mut stream = serde_json::Deserializer::from_str(&raw[start..]).into_iter::<Value>();
        stream.next()?.ok().filter(|value| value["type"] == "result")
    });
    match envelope {
        Some(envelope) => result(reading, &envelope),
        // Other output formats print the answer as it is.
        None if !raw.trim().is_empty() => {
            reading.answer = Some(raw);
            reading.completed = true;
        }
        None => {}
    }
}
