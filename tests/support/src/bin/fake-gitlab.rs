//! The fake GitLab as a program: `fake-gitlab ORIGIN SOURCE TARGET`. Merge request 7 merges branch SOURCE into TARGET. Each line of
//! standard input is a JSON command and gets one line as its answer.
#![allow(clippy::print_stdout, reason = "its answers are its output")]

use std::io::BufRead;
use std::path::Path;

use diffsan_test_support::gitlab::{FakeGitlab, Fault, Job, PROJECT, Pipeline, TOKEN};
use serde_json::{Value, json};

/// The user `author`.
const AUTHOR: u64 = 2;

#[tokio::main]
async fn main() {
    let args: Vec<String> = std::env::args().collect();
    let gitlab = FakeGitlab::start(Path::new(&args[1])).await;
    gitlab.merge_request(7, &args[2], &args[3]);
    println!("{}", json!({ "url": gitlab.url(), "project": PROJECT, "token": TOKEN }));
    let commands = tokio::task::spawn_blocking(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let command: Value = serde_json::from_str(&line).unwrap_or_default();
            println!("{}", answer(&gitlab, &command));
        }
    });
    let _ = commands.await;
}

fn answer(gitlab: &FakeGitlab, command: &Value) -> Value {
    let text = |name: &str| command[name].as_str().unwrap_or_default().to_owned();
    match text("do").as_str() {
        "push" => {
            gitlab.commit(&text("branch"), &text("path"), &text("text"));
            gitlab.pushed(7);
            json!({})
        }
        // A test has pushed to the repository of the server.
        "pushed" => {
            gitlab.pushed(command["iid"].as_u64().unwrap_or(7));
            json!({})
        }
        // The path of the repository of the server.
        "repository" => json!({ "path": gitlab.repository() }),
        // A person approves a merge request.
        "approve" => {
            let iid = command["iid"].as_u64().unwrap_or(7);
            gitlab.with(|state| {
                state.change(PROJECT, iid, |request| request.approved_by.push(AUTHOR));
            });
            json!({})
        }
        // Adds a thread of a person on a line of the head.
        "comment" => {
            let line = command["line"].as_u64().and_then(|line| u32::try_from(line).ok()).unwrap_or(1);
            gitlab.comment(7, &text("path"), line, &text("body"));
            json!({})
        }
        // Adds another merge request for the review of the token's user.
        "request" => {
            let iid = command["iid"].as_u64().unwrap_or_default();
            gitlab.merge_request(iid, &text("source"), &text("target"));
            gitlab.with(|state| {
                state.change(PROJECT, iid, |request| {
                    request.title = text("title");
                    request.pipeline = text("pipeline");
                    request.labels = text("label").split_whitespace().map(str::to_owned).collect();
                });
            });
            json!({})
        }
        // Adds a pipeline of the head with one failed job, its log and artifacts.
        "pipeline" => {
            let artifacts = command["artifacts"].as_object().cloned().unwrap_or_default();
            let artifacts =
                artifacts.into_iter().map(|(path, text)| (path, text.as_str().unwrap_or_default().to_owned()));
            let job = Job {
                id: 501,
                name: "unit".into(),
                stage: "test".into(),
                status: "failed".into(),
                log: text("log"),
                artifacts: artifacts.collect(),
                ..Job::default()
            };
            let lint =
                Job { id: 502, name: "lint".into(), stage: "test".into(), status: "success".into(), ..Job::default() };
            let tests = command["tests"].as_array().cloned().unwrap_or_default();
            let (jobs, status) = (vec![lint, job], "failed".to_owned());
            gitlab.pipeline(7, Pipeline { id: 90, status, jobs, tests, ..Pipeline::default() });
            json!({})
        }
        // One request never gets its answer.
        "hang" => {
            gitlab.with(|state| state.faults.push((text("method"), text("path"), 0, Fault::HangAfter)));
            json!({})
        }
        // Delays every answer by the given number of milliseconds.
        "slow" => {
            gitlab.with(|state| state.switches.latency = command["milliseconds"].as_u64().unwrap_or_default());
            json!({})
        }
        // Sets the version of the server: `18.6`.
        "version" => match text("version").parse() {
            Ok(version) => {
                gitlab.set_version(version);
                json!({})
            }
            Err(error) => json!({ "error": error }),
        },
        // The next request gets an error: by default, of the server.
        "fail" => {
            let status = command["status"].as_u64().and_then(|status| u16::try_from(status).ok());
            let message = command["message"].as_str().unwrap_or("500 Internal Server Error").to_owned();
            let fault = Fault::Status(status.unwrap_or(500), message);
            gitlab.with(|state| state.faults.push((text("method"), text("path"), 0, fault)));
            json!({})
        }
        // The user of the token is no longer a reviewer.
        "unassign" => {
            gitlab.unassign_reviewer(7);
            json!({})
        }
        _ => {
            let iid = command["iid"].as_u64().unwrap_or(7);
            let request = gitlab.look(iid);
            let threads: Vec<Value> = request
                .threads
                .iter()
                .map(|thread| {
                    let first = &thread.notes[0];
                    json!({
                        "resolved": first.resolved,
                        "line": first.position.as_ref().and_then(|position| position.new_line),
                        "file": first.position.as_ref().is_some_and(|position| position.position_type == "file"),
                        "bodies": thread.notes.iter().map(|note| &note.body).collect::<Vec<_>>(),
                    })
                })
                .collect();
            let (did, faults) = gitlab.with(|state| (state.executed.len() + state.mentioned.len(), state.faults.len()));
            let verdicts: Vec<String> = gitlab.verdicts(iid).iter().map(|kind| format!("{kind:?}")).collect();
            json!({ "threads": threads, "drafts": request.drafts.len(), "verdicts": verdicts, "did": did, "faults": faults })
        }
    }
}
