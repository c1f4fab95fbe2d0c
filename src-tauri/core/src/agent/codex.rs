//! Codex: `codex exec` with its own schema enforcement. How its command is built, and how its events are read.

use std::ffi::OsString;
use std::path::Path;

use serde_json::Value;

use super::{Dialect, Progress, Reading, Request};
use crate::review::TokenUsage;

/// The schema file's name in the run folder.
pub const SCHEMA_FILE: &str = "codex-output-schema.json";
/// The answer file's name in the run folder.
pub const OUTPUT_FILE: &str = "codex-output.json";

/// A model that only answers: no shell, no images, no helpers, nothing fetched at the start, no endless reconnects.
const QUIET: &[&str] = &[
    "features.shell_tool=false",
    "features.unified_exec=false",
    "features.view_image=false",
    "features.multi_agent=false",
    "features.goals=false",
    "features.plugins=false",
    "features.unbounded_connection_retries=false",
    "analytics.enabled=false",
    "check_for_update_on_startup=false",
    "web_search=\"disabled\"",
    "project_doc_max_bytes=0",
];

/// How Codex is spoken to.
pub(super) const DIALECT: Dialect = Dialect { arguments, line, finish, talks: true };

/// The arguments behind the program's name.
fn arguments(request: &Request<'_>) -> Vec<OsString> {
    let config = request.config;
    let schema = request.run_dir.join(SCHEMA_FILE);
    let output = request.run_dir.join(OUTPUT_FILE);
    let mut args: Vec<OsString> = Vec::new();
    if let Some((_, custom)) = config.codex_command.split_first() {
        args.extend(custom.iter().filter(|arg| *arg != "-").map(OsString::from));
        set_flag(&mut args, &["--output-schema"], schema.as_os_str());
        set_flag(&mut args, &["--output-last-message", "-o"], output.as_os_str());
        if !args.iter().any(|arg| arg == "--json" || arg == "--experimental-json") {
            args.push("--json".into());
        }
    } else {
        args.extend(["exec", "--output-schema"].map(OsString::from));
        args.push(schema.into());
        args.push("--output-last-message".into());
        args.push(output.into());
        args.extend(
            ["--sandbox", "read-only", "--json", "--ephemeral", "--skip-git-repo-check", "-C"].map(OsString::from),
        );
        args.push(request.room.into());
        for setting in QUIET {
            args.extend(["-c", setting].map(OsString::from));
        }
    }
    if !config.proxy_url.is_empty() {
        args.extend(proxy(&config.proxy_url).into_iter().map(OsString::from));
    }
    if let Some(model) = request.model {
        set_flag(&mut args, &["--model", "-m"], model.as_ref());
    }
    // The prompt comes on standard input.
    args.push("-".into());
    args
}

/// The name of the variable that holds a proxy's key.
pub const PROXY_KEY: &str = "DIFFSAN_OPENAI_API_KEY";

/// A provider of our own by overrides; the user's files are never touched.
fn proxy(url: &str) -> Vec<String> {
    let quoted = |text: &str| Value::from(text).to_string();
    [
        "model_provider=\"diffsan\"".to_owned(),
        "model_providers.diffsan.name=\"diffsan\"".to_owned(),
        format!("model_providers.diffsan.base_url={}", quoted(url)),
        format!("model_providers.diffsan.env_key={}", quoted(PROXY_KEY)),
        "model_providers.diffsan.wire_api=\"responses\"".to_owned(),
        "model_providers.diffsan.request_max_retries=1".to_owned(),
        "model_providers.diffsan.stream_max_retries=1".to_owned(),
    ]
    .into_iter()
    .flat_map(|setting| ["-c".to_owned(), setting])
    .collect()
}

/// Gives a flag its value, in place of the one it has under any of its names.
pub(super) fn set_flag(args: &mut Vec<OsString>, names: &[&str], value: &std::ffi::OsStr) {
    for index in 0..args.len() {
        let text = args[index].to_string_lossy().into_owned();
        for name in names {
            if text == *name && index + 1 < args.len() {
                args[index + 1] = value.into();
                return;
            }
            if text.strip_prefix(name).is_some_and(|rest| rest.starts_with('=')) {
                let mut joined = OsString::from(format!("{name}="));
                joined.push(value);
                args[index] = joined;
                return;
            }
        }
    }
    args.extend([OsString::from(names[0]), value.into()]);
}

/// Reads one event.
fn line(reading: &mut Reading, line: &str) -> Option<Progress> {
    let event: Value = serde_json::from_str(line).ok()?;
    match event["type"].as_str()? {
        "thread.started" => {
            reading.session = event["thread_id"].as_str().map(str::to_owned);
            Some(Progress::new("started"))
        }
        "turn.started" => Some(Progress::new("reading the change")),
        "item.started" | "item.updated" | "item.completed" => item(reading, &event["item"]),
        "turn.completed" => {
            let usage = &event["usage"];
            let count = |key: &str| usage[key].as_u64().unwrap_or(0);
            reading.usage = Some(TokenUsage {
                input: count("input_tokens"),
                cached_input: count("cached_input_tokens"),
                output: count("output_tokens"),
            });
            reading.completed = true;
            Some(Progress::new("answered"))
        }
        "turn.failed" => {
            reading.error = Some(readable(event["error"]["message"].as_str().unwrap_or("the turn failed")));
            None
        }
        // Notes about reconnecting and the like: not fatal by themselves, but the best reason if nothing follows.
        "error" => {
            let message = readable(event["message"].as_str().unwrap_or_default());
            reading.note = Some(message.clone());
            Some(Progress { message })
        }
        _ => None,
    }
}

fn item(reading: &mut Reading, item: &Value) -> Option<Progress> {
    match item["type"].as_str()? {
        "agent_message" => {
            reading.answer = item["text"].as_str().map(str::to_owned);
            Some(Progress::new("writing the answer"))
        }
        "reasoning" => Some(Progress::new("thinking")),
        "command_execution" => Some(Progress::new("running a read-only command")),
        _ => None,
    }
}

/// A provider's error arrives as its raw JSON body; the sentence in it is what a person can read.
fn readable(message: &str) -> String {
    let inner = serde_json::from_str::<Value>(message)
        .ok()
        .and_then(|body| body["error"]["message"].as_str().or(body["message"].as_str()).map(str::to_owned));
    inner.unwrap_or_else(|| message.to_owned())
}

/// The answer is in the file that Codex writes at its end; the last message is the same text, if the file is missing.
fn finish(reading: &mut Reading, run_dir: &Path) {
    let file = std::fs::read_to_string(run_dir.join(OUTPUT_FILE)).ok().filter(|text| !text.trim().is_empty());
    reading.answer = file.or(reading.answer.take());
}
