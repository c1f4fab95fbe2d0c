//! `diffsan policy`: compares the capabilities of a change with contracts or with its base. It only reads.

use diffsan_pipeline::blocking;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use diffsan_app::App;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_pipeline::policy::{PolicyRequest, policy};
use tokio_util::sync::CancellationToken;

use crate::args::{OutputArgs, SourceArgs};
use crate::{output, prepare, stop};

#[derive(Debug, Clone, Args)]
pub struct PolicyArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// The contracts: contracts.toml, Markdown with <capabilities>, or JSON; the repository's own by default
    #[arg(long, value_name = "FILE")]
    pub contract: Option<PathBuf>,
    /// The maximum number of files to read (0: no limit)
    #[arg(long, value_name = "N")]
    pub max_files: Option<usize>,
    /// The maximum number of definitions through which a symbol is followed
    #[arg(long, value_name = "N")]
    pub max_follow_depth: Option<usize>,
    /// The maximum number of candidates of a search by name
    #[arg(long, value_name = "N")]
    pub max_search_results: Option<usize>,
    /// The maximum time in seconds (0: no limit)
    #[arg(long, value_name = "N")]
    pub max_runtime_seconds: Option<u64>,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Exit with status 1 if a contract is violated or may be violated
    #[arg(long)]
    pub fail_on_violation: bool,
    /// Exit with status 1 if a contract cannot be judged, for example because code is left out
    #[arg(long)]
    pub fail_on_unknown: bool,
    /// Write the run's files to this folder
    #[arg(long, value_name = "DIR")]
    pub run_dir: Option<PathBuf>,
}

/// Analyses a change and prints the report.
pub async fn run(args: PolicyArgs) -> Result<ExitCode> {
    if args.output.format.exported().is_some_and(|format| !format.is_text && format.name != "json") {
        return Err(Error::new(ErrorCode::InvalidInput, "A policy report has the format text or JSON.")
            .hint("Use --format text or json; `diffsan review --agent capability` has the other formats."));
    }
    let cancel = CancellationToken::new();
    stop::cancels(&cancel);
    let request = PolicyRequest {
        contract: args.contract.clone(),
        max_files: args.max_files,
        max_follow_depth: args.max_follow_depth,
        max_search_results: args.max_search_results,
        max_runtime_seconds: args.max_runtime_seconds,
        folder: args.run_dir.clone(),
    };
    let source = args.source.clone();
    let options = prepare::options(&source)?;
    // The application saves nothing; only the run folder is written.
    let app = blocking(move || App::reading(options)).await?;
    let handle = prepare::open_in(&app, &source).await?;
    let found = policy(app.places(), handle.opened, request, &cancel).await?;
    let text = match args.output.format {
        _ if args.output.json() => output::json(&found.report)?,
        _ => found.text,
    };
    output::document(&text, args.output.format()?, args.output.output.as_deref())?;
    output::progress(&format!("saved in {}", found.folder.display()));
    let failed = found.violated && args.fail_on_violation || found.unknown && args.fail_on_unknown;
    Ok(if failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
}
