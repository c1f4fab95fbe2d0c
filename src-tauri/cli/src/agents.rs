//! `diffsan agents`.

use std::process::ExitCode;

use diffsan_core::app::{App, AppOptions};
use diffsan_core::error::Result;

use crate::args::AgentsArgs;
use crate::output;

/// Lists the agents.
pub fn run(args: &AgentsArgs) -> Result<ExitCode> {
    let app = App::start(AppOptions::default())?;
    let (agents, default, search) = app.agents()?;
    if args.json {
        let list: Vec<_> = agents
            .iter()
            .map(|agent| {
                serde_json::json!({
                    "name": agent.agent.name,
                    "title": agent.agent.title(),
                    "program": agent.program,
                    "url": agent.agent.is_endpoint().then_some(&agent.agent.spec.url),
                    "missing": agent.missing,
                    "looked_for": agent.agent.programs(),
                    "install": agent.agent.spec.install,
                    "sign_in": agent.agent.spec.sign_in,
                    "structured": agent.agent.spec.structured,
                })
            })
            .collect();
        let value = serde_json::json!({ "default": default, "agents": list, "looked_in": search.folders });
        output::result(&output::json(&value), None)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = String::new();
    for agent in &agents {
        let name = &agent.agent.name;
        let mark = if default.as_ref() == Some(name) { "*" } else { " " };
        let place = match (&agent.missing, &agent.program) {
            (Some(missing), _) => missing.clone(),
            (None, Some(program)) => program.display().to_string(),
            (None, None) => agent.agent.spec.url.clone(),
        };
        text.push_str(&format!("{mark} {name:<10} {place}\n"));
    }
    output::result(&text, None)?;
    Ok(ExitCode::SUCCESS)
}
