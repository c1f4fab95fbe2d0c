//! `diffsan track-record`: how the reviewer decided about the findings of each agent.

use std::process::ExitCode;

use diffsan_app::AppOptions;
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::Result;
use diffsan_track_record::TrackRecord;

use crate::history_args::TrackRecordArgs;
use crate::output;

/// Prints the track record of all agents, or of one.
pub async fn run(args: TrackRecordArgs) -> Result<ExitCode> {
    let mut record = blocking(move || output::start(AppOptions::default())?.track_record()).await?;
    if let Some(agent) = &args.agent {
        record.agents.retain(|one| one.agent == *agent);
        record.models.retain(|one| one.agent == *agent);
    }
    match args.json {
        true => output::result(&output::json(&record)?, None)?,
        false => output::text(&text(&record), None)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn text(record: &TrackRecord) -> String {
    if record.agents.is_empty() {
        return "You have not decided about any finding of an agent yet.\n".to_owned();
    }
    let mut out = String::new();
    for agent in &record.agents {
        out += &format!("{}: {}\n", agent.agent, agent.total.sentence());
        for one in record.models.iter().filter(|one| one.agent == agent.agent) {
            out += &format!("  model {}: {}\n", one.model.as_deref().unwrap_or("default"), one.total.sentence());
        }
        for one in &agent.categories {
            out += &format!("  category {}: {}\n", one.category.name(), one.tally.sentence());
        }
        for one in &agent.severities {
            out += &format!("  severity {}: {}\n", one.severity.name(), one.tally.sentence());
        }
        for one in &agent.reasons {
            out += &format!("  dismissed {} times: {}\n", one.count, one.reason);
        }
    }
    out
}
