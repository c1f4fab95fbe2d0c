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
                    "name": agent.known.name,
                    "title": agent.known.title,
                    "program": agent.program,
                    "looked_for": agent.known.programs,
                    "install": agent.known.install,
                    "sign_in": agent.known.sign_in,
                    "structured": agent.known.structured,
                })
            })
            .collect();
        let value = serde_json::json!({ "default": default, "agents": list, "looked_in": search.folders });
        output::result(&output::json(&value), None)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = String::new();
    for agent in &agents {
        let mark = if default.as_deref() == Some(&agent.known.name) { "*" } else { " " };
        match &agent.program {
            Some(program) => text.push_str(&format!("{mark} {:<10} {}\n", agent.known.name, program.display())),
            None => text.push_str(&format!("{mark} {:<10} not installed; {}\n", agent.known.name, agent.known.install)),
        }
    }
    output::result(&text, None)?;
    Ok(ExitCode::SUCCESS)
}
