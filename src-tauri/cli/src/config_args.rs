//! The arguments of `diffsan config` and `diffsan secret`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::args::SourceArgs;

#[derive(Debug, Clone, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct ConfigArgs {
    #[command(subcommand)]
    pub command: Option<ConfigCommand>,
    /// Show only keys with this prefix, such as limits
    pub keys: Vec<String>,
    /// Include all settings of the agents
    #[arg(long)]
    pub all: bool,
    /// The repository whose settings apply (any folder inside it)
    #[arg(long, value_name = "DIR")]
    pub repo: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl ConfigArgs {
    pub fn json(&self) -> bool {
        match &self.command {
            Some(ConfigCommand::Trust(args)) => args.json,
            Some(ConfigCommand::Trusted { json }) => *json,
            _ => self.json,
        }
    }
}

#[derive(Debug, Clone, Subcommand)]
pub enum ConfigCommand {
    /// Set a value in your config.toml; the rest of the file is unchanged
    Set {
        /// The key, such as limits.max_files
        key: String,
        /// The value: TOML, or text without quotes
        value: String,
    },
    /// Remove a value from your config.toml
    Unset {
        /// The key
        key: String,
    },
    /// Show the settings and files for which a repository needs trust, and trust exactly these
    Trust(Box<TrustArgs>),
    /// Revoke the trust of a repository
    Untrust {
        /// The repository (any folder inside it), or its name in the list of `trusted`
        #[arg(default_value = ".")]
        repository: String,
    },
    /// List the trusted repositories
    Trusted {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the path of your config.toml
    Path,
}

#[derive(Debug, Clone, Args)]
pub struct TrustArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// Trust without asking; the request is printed anyway
    #[arg(long)]
    pub yes: bool,
    /// Trust only if the request has this digest (see --json)
    #[arg(long, value_name = "DIGEST", conflicts_with = "yes")]
    pub digest: Option<String>,
    /// Print the request as JSON; trusts only with --yes or --digest
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Args)]
pub struct SecretArgs {
    #[command(subcommand)]
    pub command: SecretCommand,
}

#[derive(Debug, Clone, Subcommand)]
pub enum SecretCommand {
    /// Store a secret, typed or from standard input
    Set {
        /// The address of a GitLab (https://gitlab.example.com; add #account for one of several), or key:VARIABLE
        name: String,
    },
    /// List the stored secrets by name
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove a secret
    Remove {
        /// The name in the output of `list`
        name: String,
    },
    /// Ask a GitLab for the user, scopes and expiry of its token
    Check {
        /// The address of the GitLab
        url: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}
