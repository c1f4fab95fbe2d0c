//! `diffsan`: reviews a change from the terminal, in CI, or in a browser. It does not link a window library.

mod agents;
mod args;
mod bundle;
mod chat;
mod ci;
mod commit;
mod compare;
mod config;
mod config_args;
mod export;
mod history;
mod history_args;
mod inbox;
mod inbox_args;
mod input;
mod manual;
mod output;
mod policy;
mod post;
mod prepare;
mod prompt;
mod queue;
mod redact;
mod reports;
mod review;
mod schema;
mod secret;
mod serve;
mod snippets;
mod stop;
mod track_record;
mod trust;
mod verify_release;

use std::process::ExitCode;

use args::{Cli, Command};
use clap::Parser;
use diffsan_pipeline::error::Error;

fn main() -> ExitCode {
    if let Some(code) = diffsan_agent::begin_program() {
        return code;
    }
    let cli = Cli::parse();
    let json = cli.command.json();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            output::say(&format!("error: the program cannot start: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let result = runtime.block_on(run(cli.command));
    // A step that still blocks, such as reading a large file, must not delay the end.
    runtime.shutdown_background();
    match result {
        Ok(code) => code,
        Err(error) => {
            let error = diffsan_pipeline::error::redacted(error);
            output::failure(&error, json);
            ExitCode::from(error.code.presentation().exit_code)
        }
    }
}

async fn run(command: Command) -> Result<ExitCode, Error> {
    match command {
        Command::Review(args) => review::run(args).await,
        Command::Post(args) => post::run(args).await,
        Command::Prepare(args) => prepare::run(args).await,
        Command::Prompt(args) => prompt::run(args).await,
        Command::Export(args) => export::run(args).await,
        Command::Policy(args) => policy::run(args).await,
        Command::Chat(args) => chat::run(args).await,
        Command::CommitMessage(args) => commit::run(args).await,
        Command::Compare(args) => compare::run(args).await,
        Command::Bundle(args) => bundle::seal(args).await,
        Command::Replay(args) => bundle::replay(args).await,
        Command::Redact(args) => redact::run(&args),
        Command::Agents(args) => agents::run(&args).await,
        Command::Config(args) => config::run(&args).await,
        Command::History(args) => history::run(args).await,
        Command::TrackRecord(args) => track_record::run(args).await,
        Command::Inbox(args) => inbox::run(args).await,
        Command::Secret(args) => secret::run(args).await,
        Command::Schema(args) => schema::run(&args),
        Command::Serve(args) => serve::run(args).await,
        Command::Completions { shell } => {
            let mut command = <Cli as clap::CommandFactory>::command();
            clap_complete::generate(shell, &mut command, "diffsan", &mut std::io::stdout());
            Ok(ExitCode::SUCCESS)
        }
        Command::VerifyRelease(args) => verify_release::run(&args),
        Command::Manual(args) => manual::run(&args),
    }
}
