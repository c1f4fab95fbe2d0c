//! `diffsan agents`: lists the agents, and tests one.

use std::process::ExitCode;

use diffsan_app::{App, AppOptions, KnownAgent};
use diffsan_pipeline::error::Result;
use diffsan_review::finding::CAPABILITY_REVIEWER;

use crate::args::AgentsArgs;
use crate::{output, stop};

/// Lists the agents, or tests one of them with one line.
pub async fn run(args: &AgentsArgs) -> Result<ExitCode> {
    // The agents of a trusted repository are included.
    let start_repo = Some(std::path::PathBuf::from("."));
    let app = output::start(AppOptions { start_repo, ..AppOptions::default() })?;
    if let Some(name) = &args.check {
        return check(&app, name, args).await;
    }
    let known = app.agents()?;
    if args.json {
        let list: Vec<_> = known
            .agents
            .iter()
            .map(|KnownAgent { found, address, checked }| {
                serde_json::json!({
                    "name": found.agent.name,
                    "title": found.agent.title(),
                    "program": found.program,
                    "url": address,
                    "missing": found.missing,
                    "looked_for": found.agent.programs(),
                    "install": found.agent.spec.install,
                    "sign_in": found.agent.spec.sign_in,
                    "structured": found.agent.spec.structured,
                    "built_in": found.agent.name == CAPABILITY_REVIEWER,
                    "checked": checked,
                })
            })
            .collect();
        let value = serde_json::json!({ "default": known.default, "agents": list, "looked_in": known.search.folders });
        output::result(&output::json(&value)?, None)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = String::new();
    for KnownAgent { found, address, .. } in &known.agents {
        let name = &found.agent.name;
        let mark = if known.default.as_ref() == Some(name) { "*" } else { " " };
        let place = match (&found.missing, &found.program, address) {
            (Some(missing), ..) => missing.clone(),
            (None, Some(program), _) => program.display().to_string(),
            (None, None, Some(address)) => address.clone(),
            (None, None, None) => "built in; needs no agent and sends nothing".to_owned(),
        };
        text.push_str(&format!("{mark} {name:<10} {place}\n"));
    }
    output::text(&text, None)?;
    Ok(ExitCode::SUCCESS)
}

async fn check(app: &App, name: &str, args: &AgentsArgs) -> Result<ExitCode> {
    output::progress(&format!("sending a test prompt to {name} …"));
    let cancel = app.cancellation();
    stop::cancels(&cancel);
    let checked = app.check_agent(name, args.model.as_deref(), &cancel).await?;
    if args.json {
        let value = serde_json::json!({ "name": name, "works": true, "place": checked.place, "version": checked.version,
            "model": checked.model, "milliseconds": checked.milliseconds, "token_usage": checked.usage, "note": checked.note });
        output::result(&output::json(&value)?, None)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = format!("{} works: it answered in {:.1} s", checked.title, checked.milliseconds as f64 / 1e3);
    if let Some(usage) = checked.usage {
        text += &format!(" ({} tokens in, {} out)", usage.input, usage.output);
    }
    text += &format!("\n  {}\n", checked.place);
    for (name, value) in [("version", &checked.version), ("model", &checked.model), ("note", &checked.note)] {
        if let Some(value) = value {
            text += &format!("  {name}: {value}\n");
        }
    }
    output::text(&text, None)?;
    Ok(ExitCode::SUCCESS)
}
