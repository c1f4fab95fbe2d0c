//! `diffsan schema`: prints the JSON Schemas.

use std::process::ExitCode;

use diffsan_pipeline::error::Result;
use diffsan_rpc::schemas;

use crate::args::{SchemaArgs, SchemaName};
use crate::output;

/// Prints a schema.
pub fn run(args: &SchemaArgs) -> Result<ExitCode> {
    let name = match args.which {
        SchemaName::AgentOutput => "agent-output",
        SchemaName::AgentOutputStrict => "agent-output-strict",
        SchemaName::OpinionOutputStrict => "opinion-output-strict",
        SchemaName::Review => "review",
        SchemaName::Inbox => "inbox",
        SchemaName::Config => "config",
        SchemaName::Openrpc => "openrpc",
    };
    for (_, schema) in schemas::ALL.iter().filter(|(known, _)| *known == name) {
        output::result(schema, None)?;
    }
    Ok(ExitCode::SUCCESS)
}
