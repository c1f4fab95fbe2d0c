//! `diffsan policy`: what a change can do, held against contracts or compared with its base. Reads alone.

use std::process::ExitCode;

use diffsan_core::app::App;
use diffsan_core::error::{Error, ErrorCode, Result};
use diffsan_core::policy::{PolicyRequest, policy};
use tokio_util::sync::CancellationToken;

use crate::args::{Format, PolicyArgs};
use crate::{output, prepare};

/// Looks at a change and prints what was found.
pub async fn run(args: PolicyArgs) -> Result<ExitCode> {
    if matches!(args.output.format, Format::Html | Format::Sarif | Format::CodeQuality) {
        return Err(Error::new(ErrorCode::FormatFailed, "A policy report is text or JSON.")
            .hint("Take --format text or json; `diffsan review --agent capability` has the other formats."));
    }
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            stop.cancel();
        }
    });
    let request = PolicyRequest {
        contract: args.contract.clone(),
        max_files: args.max_files,
        max_follow_depth: args.max_follow_depth,
        max_search_results: args.max_search_results,
        max_runtime_seconds: args.max_runtime_seconds,
        folder: args.run_dir.clone(),
    };
    let source = args.source.clone();
    let open = move || {
        // A program that keeps nothing: only the run's folder is written.
        let app = App::reading(prepare::options(&source)?)?;
        prepare::open_in(&app, &source).map(|handle| (app, handle))
    };
    let opening = tokio::task::spawn_blocking(open).await;
    let (app, handle) = opening.map_err(|error| {
        Error::new(ErrorCode::DiffFetchFailed, "Opening the change ended unexpectedly.").cause(error)
    })??;
    let found = policy(app.places(), handle.opened, request, &cancel).await?;
    let text = match args.output.format {
        _ if args.output.json() => output::json(&found.report),
        _ => found.text,
    };
    output::result(&text, args.output.output.as_deref())?;
    output::progress(&format!("kept in {}", found.folder.display()));
    Ok(if found.violated && args.fail_on_violation { ExitCode::from(1) } else { ExitCode::SUCCESS })
}
