//! `diffsan schema`: prints the JSON Schemas.

use std::process::ExitCode;

use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_rpc::schemas;

use crate::args::{SchemaArgs, SchemaName};
use crate::output;

/// Prints a schema, or writes all of them.
pub fn run(args: &SchemaArgs) -> Result<ExitCode> {
    let Some(folder) = &args.write else {
        let name = match args.which {
            SchemaName::AgentOutput => "agent-output",
            SchemaName::AgentOutputStrict => "agent-output-strict",
            SchemaName::OpinionOutputStrict => "opinion-output-strict",
            SchemaName::Review => "review",
            SchemaName::Inbox => "inbox",
            SchemaName::Config => "config",
            SchemaName::Openrpc => "openrpc",
        };
        let all = schemas::all();
        let schema = all.iter().find(|(known, _)| *known == name).map(|(_, schema)| schema);
        output::result(&output::json(&schema)?, None)?;
        return Ok(ExitCode::SUCCESS);
    };
    for (name, schema) in schemas::all() {
        let path = folder.join(format!("{name}.json"));
        std::fs::write(&path, output::json(&schema)?).map_err(|error| {
            Error::new(ErrorCode::IoFailed, format!("{} cannot be written: {error}.", path.display()))
        })?;
        output::say(&format!("wrote {}", path.display()));
    }
    Ok(ExitCode::SUCCESS)
}
