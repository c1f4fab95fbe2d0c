//! `diffsan review`.

use std::process::ExitCode;

use diffsan_core::app::ReviewOutcome;
use diffsan_core::error::Result;
use diffsan_core::run::{ReviewRequest, RunEvent, Where};
use tokio_util::sync::CancellationToken;

use crate::args::{Format, ReviewArgs};
use crate::{output, prepare};

/// Reviews a change and prints the result.
pub async fn run(args: ReviewArgs) -> Result<ExitCode> {
    let source = args.source.clone();
    let opening = tokio::task::spawn_blocking(move || prepare::open(&source)).await;
    let (app, handle) = opening.map_err(|error| {
        diffsan_core::error::Error::new(
            diffsan_core::error::ErrorCode::DiffFetchFailed,
            "Opening the change ended unexpectedly.",
        )
        .cause(error)
    })??;
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            output::progress("stopping …");
            stop.cancel();
        }
    });
    let request = ReviewRequest {
        agents: args.agent.clone(),
        model: args.model.clone(),
        instructions: args.instructions.clone(),
        prior: None,
        place: args.run_dir.clone().map_or(Where::Data, Where::Folder),
    };
    let tell = |event: RunEvent| match event {
        RunEvent::Started { .. } => {}
        RunEvent::Step { message, .. } => output::progress(&message),
        RunEvent::Usage { .. } => {}
        RunEvent::Progress { message, elapsed_ms, .. } => {
            output::progress(&format!("  {:>4} s  {message}", elapsed_ms / 1000));
        }
    };
    let (_, result) = app.review(&handle, request, cancel, &tell).await;
    match result? {
        ReviewOutcome::Skipped { reason, message } => {
            if args.output.json() {
                let value = serde_json::json!({ "skipped": { "reason": reason, "message": message } });
                output::result(&output::json(&value), args.output.output.as_deref())?;
            } else {
                output::say(&format!("{message} ({reason})"));
            }
            Ok(ExitCode::SUCCESS)
        }
        ReviewOutcome::Kept(kept) => {
            let text = match args.output.format {
                _ if args.output.json() => output::json(&kept.output),
                Format::Markdown => output::review_markdown(&kept),
                Format::Text | Format::Json => output::review_text(&kept),
            };
            output::result(&text, args.output.output.as_deref())?;
            output::progress(&format!("kept in {}", kept.run_dir));
            let worst = kept.output.findings.iter().map(|finding| finding.said.severity).max();
            let failed = args.fail_on.is_some_and(|limit| worst.is_some_and(|worst| worst >= limit));
            Ok(if failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
        }
    }
}
