//! `diffsan commit-message`: asks an agent for a commit message.

use std::process::ExitCode;

use diffsan_pipeline::error::Result;

use crate::args::CommitMessageArgs;
use crate::{output, prepare, stop};

/// Prints a commit message, and nothing else.
pub async fn run(args: CommitMessageArgs) -> Result<ExitCode> {
    let mut source = args.source.clone();
    if !source.target.is_named() {
        source.target.staged = true;
    }
    let (app, handle) = prepare::open(&source).await?;
    let cancel = app.cancellation();
    stop::cancels(&cancel);
    output::progress("writing a commit message …");
    let written = app.commit_message(&handle, args.agent.as_deref(), args.model.as_deref(), &cancel).await?;
    for problem in &written.problems {
        output::say(&format!("note: {problem}"));
    }
    if args.json {
        let value = serde_json::json!({ "message": written.message, "problems": written.problems, "repaired": written.repaired });
        output::result(&output::json(&value)?, None)?;
    } else {
        output::text(&format!("{}\n", written.message), None)?;
    }
    Ok(ExitCode::SUCCESS)
}
