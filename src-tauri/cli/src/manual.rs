//! `diffsan manual`: writes manual pages and completion scripts, for packages.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;
use diffsan_pipeline::error::{Error, ErrorCode, Result};

use crate::args::Cli;

/// The arguments of `diffsan manual`.
#[derive(Debug, clap::Args)]
pub struct ManualArgs {
    /// The folder in which `man/man1`, `bash-completion/completions`, `zsh/site-functions` and `fish/vendor_completions.d` are created, such
    /// as `/usr/share`
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// Writes a manual page for each command, and a completion script for each shell.
pub fn run(args: &ManualArgs) -> Result<ExitCode> {
    write(&args.folder).map_err(|error| {
        Error::new(ErrorCode::IoFailed, format!("{} cannot be written: {error}.", args.folder.display()))
    })?;
    Ok(ExitCode::SUCCESS)
}

fn write(folder: &Path) -> std::io::Result<()> {
    let pages = folder.join("man/man1");
    std::fs::create_dir_all(&pages)?;
    // The date would make each build different; the version tells as much.
    clap_mangen::generate_to(Cli::command().disable_help_subcommand(true), &pages)?;
    let scripts = [
        (Shell::Bash, "bash-completion/completions/diffsan"),
        (Shell::Zsh, "zsh/site-functions/_diffsan"),
        (Shell::Fish, "fish/vendor_completions.d/diffsan.fish"),
    ];
    for (shell, name) in scripts {
        let file = folder.join(name);
        std::fs::create_dir_all(file.parent().unwrap_or(folder))?;
        clap_complete::generate(shell, &mut Cli::command(), "diffsan", &mut std::fs::File::create(file)?);
    }
    Ok(())
}
