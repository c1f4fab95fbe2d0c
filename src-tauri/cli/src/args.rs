//! The arguments of the command. The doc comments of options are their help texts.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use diffsan_app::TargetArgs;
use diffsan_review::finding::Severity;

/// Review a code change with an AI agent, safely: noise left out, secrets masked, every answer checked against the code.
#[derive(Debug, Parser)]
#[command(name = "diffsan", version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Review a change
    Review(ReviewArgs),
    /// Post a review to a merge request
    Post(PostArgs),
    /// Write the latest review of a change as a document
    Export(ExportArgs),
    /// Show what would be sent of a change; nothing is sent
    Prepare(PrepareArgs),
    /// Show the exact prompt of a review; nothing is sent
    Prompt(PromptArgs),
    /// Say what a change's code can do, against contracts or its base; nothing is run or sent
    Policy(crate::policy::PolicyArgs),
    /// Talk with an agent about a change
    Chat(ChatArgs),
    /// Write a commit message for a change (the staged one by default)
    CommitMessage(CommitMessageArgs),
    /// Mask the secrets of standard input
    Redact(RedactArgs),
    /// List the agents and whether they are installed
    Agents(AgentsArgs),
    /// Show every setting and where it came from; set your own; trust a repository
    Config(ConfigArgs),
    /// List reviews and conversations of every repository, or search them
    History(HistoryArgs),
    /// Keep tokens and keys in the system's keyring
    Secret(SecretArgs),
    /// Print the JSON Schemas
    Schema(SchemaArgs),
    /// Serve the interface to a browser on this machine
    Serve(ServeArgs),
    /// Print a completion script
    Completions {
        /// For which shell
        shell: clap_complete::Shell,
    },
}

impl Command {
    /// Whether machine-readable output is requested.
    pub fn json(&self) -> bool {
        match self {
            Self::Review(args) => args.output.json(),
            Self::Export(args) => args.output.json(),
            Self::Post(args) => args.format == PostFormat::Json,
            Self::Prepare(args) => args.json,
            Self::Policy(args) => args.output.json(),
            Self::Prompt(args) => args.json,
            Self::Agents(args) => args.json,
            Self::Config(args) => args.json(),
            Self::History(args) => args.json,
            Self::Chat(args) => args.json,
            Self::CommitMessage(args) => args.json,
            _ => false,
        }
    }
}

/// The options that select a change, and its settings.
#[derive(Debug, Clone, Args)]
pub struct SourceArgs {
    #[command(flatten)]
    pub target: TargetArgs,
    /// Of a patch that breaks off, take what can be read
    #[arg(long, requires = "patch")]
    pub partial: bool,
    /// The repository (any folder inside it)
    #[arg(long, value_name = "DIR")]
    pub repo: Option<PathBuf>,
    /// A setting for this run, such as limits.max_files=10
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Send only what changed since this commit was reviewed; `last` is the head of the latest review that was posted
    #[arg(long, value_name = "REV")]
    pub since: Option<String>,
    /// The pipeline in which the command runs.
    #[arg(skip)]
    pub ci: Option<crate::ci::Pipeline>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Json,
    Markdown,
    /// One file for a browser or paper
    Html,
    /// SARIF 2.1.0
    Sarif,
    /// GitLab's code quality report
    CodeQuality,
}

impl Format {
    /// Converts to an export format. Returns `None` for text on a terminal.
    pub fn exported(self) -> Option<diffsan_pipeline::export::Format> {
        use diffsan_pipeline::export::Format as Of;
        Some(match self {
            Self::Text => return None,
            Self::Json => Of::Json,
            Self::Markdown => Of::Markdown,
            Self::Html => Of::Html,
            Self::Sarif => Of::Sarif,
            Self::CodeQuality => Of::CodeQuality,
        })
    }
}

#[derive(Debug, Clone, Args)]
pub struct OutputArgs {
    /// How the review is written
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// The same as --format json
    #[arg(long)]
    pub json: bool,
    /// Write it to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

impl OutputArgs {
    pub fn json(&self) -> bool {
        self.json || self.format == Format::Json
    }

    /// Returns the requested format.
    pub fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}

#[derive(Debug, Clone, Args)]
pub struct ReviewArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// The agent (see `diffsan agents`); several review side by side
    #[arg(long, value_name = "NAME")]
    pub agent: Vec<String>,
    /// The model to ask for
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Instructions for this review
    #[arg(long, value_name = "TEXT")]
    pub instructions: Option<String>,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Exit with 1 if a finding is at least this bad
    #[arg(long, value_name = "SEVERITY", value_parser = severity)]
    pub fail_on: Option<Severity>,
    /// Review it even where the settings say to skip it (it merges by itself, or its latest posted review is of the same diff)
    #[arg(long)]
    pub anyway: bool,
    /// Post the review to the merge request (--mr, or --ci)
    #[arg(long)]
    pub post: bool,
    /// With --post: show what would be posted and where; nothing is posted
    #[arg(long, requires = "post")]
    pub dry_run: bool,
    /// In a merge request's pipeline: take everything from GitLab's variables, and keep the run's files in .diffsan
    #[arg(long, conflicts_with_all = ["unstaged", "staged", "all", "tracked", "commit", "range", "patch", "mr", "branch"])]
    pub ci: bool,
    /// Keep the run's files in this folder
    #[arg(long, value_name = "DIR")]
    pub run_dir: Option<PathBuf>,
}

#[derive(Debug, Clone, Args)]
pub struct PostArgs {
    /// The merge request: its address, group/project!7, or its number
    #[arg(long, value_name = "URL")]
    pub mr: String,
    /// The review: the review.json of a run, what `review --json` printed, or an agent's answer
    #[arg(long, value_name = "FILE")]
    pub review: PathBuf,
    /// A clone of the project (any folder inside it)
    #[arg(long, value_name = "DIR")]
    pub repo: Option<PathBuf>,
    /// Only these findings
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Without the summary
    #[arg(long)]
    pub no_summary: bool,
    /// Where the merge request moved on since the review, place the findings on what it is now
    #[arg(long)]
    pub reanchor: bool,
    /// Where GitLab refuses a line, post on the file, or in the summary
    #[arg(long)]
    pub degrade: bool,
    /// Show what would be posted and where; nothing is posted
    #[arg(long)]
    pub dry_run: bool,
    /// How it is told
    #[arg(long, value_enum, default_value = "text")]
    pub format: PostFormat,
    /// A setting for this run, such as gitlab.posting=discussions
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
}

impl PostArgs {
    /// Returns the merge request as the source of a change.
    pub fn source(&self) -> SourceArgs {
        let target = TargetArgs { mr: Some(self.mr.clone()), ..TargetArgs::default() };
        SourceArgs {
            target,
            partial: false,
            repo: self.repo.clone(),
            settings: self.settings.clone(),
            since: None,
            ci: None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PostFormat {
    Text,
    Json,
}

#[derive(Debug, Clone, Args)]
pub struct ExportArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// This review instead of the latest: the review.json of a run, or what `review --json` printed
    #[arg(long, value_name = "FILE")]
    pub review: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Clone, Args)]
pub struct PrepareArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// Print the diff and all reports as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Args)]
pub struct PromptArgs {
    /// `system` prints the system prompt alone, `snippets` the snippets of conversations
    #[arg(value_enum)]
    pub part: Option<PromptPart>,
    /// Of `snippets`: take those of this file (- for standard input) as your own
    #[arg(long, value_name = "FILE|-")]
    pub import: Option<PathBuf>,
    #[command(flatten)]
    pub source: SourceArgs,
    /// The agent that it is for
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// The model that will be asked for: its price is estimated
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Instructions for this review
    #[arg(long, value_name = "TEXT")]
    pub instructions: Option<String>,
    /// Only this part of a change that is sent in several (limits.strategy = "split"), from 1
    #[arg(long, value_name = "N")]
    pub batch: Option<std::num::NonZeroU32>,
    /// Print it with its size and sources as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PromptPart {
    System,
    Snippets,
}

#[derive(Debug, Clone, Args)]
pub struct ChatArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// The agent (see `diffsan agents`)
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// The model to ask for
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Go on with the latest conversation about this change, or with the one of this name
    #[arg(long = "continue", value_name = "ID", num_args = 0..=1, default_missing_value = "")]
    pub go_on: Option<String>,
    /// Send this and end with its answer
    #[arg(long, short, value_name = "TEXT")]
    pub message: Option<String>,
    /// Print each message as a line of JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Args)]
pub struct CommitMessageArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// The agent (see `diffsan agents`)
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// The model to ask for
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Print it with what is wrong with it as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Args)]
pub struct RedactArgs {
    /// Write what was masked (never the secrets) to this file, as JSON
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Read lines {id, path, format: text|diff|bytes, text or bytes_b64}, write lines {id, text}
    #[arg(long)]
    pub jsonl: bool,
}

#[derive(Debug, Clone, Args)]
pub struct AgentsArgs {
    /// Ask this agent one line, and say whether it works
    #[arg(long, value_name = "NAME")]
    pub check: Option<String>,
    /// The model to ask for
    #[arg(long, value_name = "MODEL", requires = "check")]
    pub model: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct ConfigArgs {
    #[command(subcommand)]
    pub command: Option<ConfigCommand>,
    /// Only keys that begin so, such as limits
    pub keys: Vec<String>,
    /// With everything that is known of the agents
    #[arg(long)]
    pub all: bool,
    /// The repository whose settings count (any folder inside it)
    #[arg(long, value_name = "DIR")]
    pub repo: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl ConfigArgs {
    fn json(&self) -> bool {
        match &self.command {
            Some(ConfigCommand::Trust(args)) => args.json,
            Some(ConfigCommand::Trusted { json }) => *json,
            _ => self.json,
        }
    }
}

#[derive(Debug, Clone, Subcommand)]
pub enum ConfigCommand {
    /// Set a value in your own config.toml, leaving everything else in it as it is
    Set {
        /// The key, such as limits.max_files
        key: String,
        /// The value: TOML, or text without quotes
        value: String,
    },
    /// Take a value out of your own config.toml
    Unset {
        /// The key
        key: String,
    },
    /// Look at what a repository wants beyond what anybody's may set, and trust it with exactly that
    Trust(Box<TrustArgs>),
    /// Take the trust from a repository
    Untrust {
        /// The repository (any folder inside it), or as `trusted` lists it
        #[arg(default_value = ".")]
        repository: String,
    },
    /// List the trusted repositories
    Trusted {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Say where your own config.toml is
    Path,
}

#[derive(Debug, Clone, Args)]
pub struct TrustArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// Trust it without asking; what it wants is printed all the same
    #[arg(long)]
    pub yes: bool,
    /// Trust it only if it wants what has this digest (as --json prints it)
    #[arg(long, value_name = "DIGEST", conflicts_with = "yes")]
    pub digest: Option<String>,
    /// Print what it wants as JSON; it is not trusted unless --yes or --digest says so
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
    /// Keep a secret that is typed, or comes on standard input
    Set {
        /// A GitLab's address (https://gitlab.example.com, with #account for one of several), or key:VARIABLE
        name: String,
    },
    /// Name what was kept
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove a secret
    Remove {
        /// As `list` names it
        name: String,
    },
    /// Ask a GitLab what its token is good for
    Check {
        /// Its address
        url: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Clone, Args)]
pub struct SchemaArgs {
    /// Which schema
    #[arg(value_enum, default_value = "agent-output")]
    pub which: SchemaName,
    /// Write all of them into this folder instead
    #[arg(long, value_name = "DIR")]
    pub write: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SchemaName {
    /// What an agent must answer
    AgentOutput,
    /// The same, as agents enforce it
    AgentOutputStrict,
    /// A review's result
    Review,
    /// The settings
    Config,
    /// The JSON-RPC interface
    Openrpc,
}

#[derive(Debug, Clone, Args)]
pub struct ServeArgs {
    /// Show the bundled sample first
    #[arg(long, conflicts_with = "repo")]
    pub sample: bool,
    /// The repository to show first
    #[arg(long, value_name = "DIR")]
    pub repo: Option<PathBuf>,
    /// The port; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    pub port: u16,
}

fn severity(text: &str) -> Result<Severity, String> {
    [Severity::Info, Severity::Low, Severity::Medium, Severity::High, Severity::Critical]
        .into_iter()
        .find(|severity| severity.name() == text)
        .ok_or_else(|| "one of info, low, medium, high, critical".to_owned())
}

/// The arguments of `diffsan history`.
#[derive(Debug, Args)]
pub struct HistoryArgs {
    /// Words that must all occur in a title, a text, a path or a message, each as it begins
    pub words: Vec<String>,
    /// Only this repository (any path inside it) or project (group/project)
    #[arg(long, value_name = "DIR|PROJECT")]
    pub repo: Option<String>,
    /// Only reviews, or only conversations
    #[arg(long, value_name = "KIND")]
    pub kind: Option<HistoryKind>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub limit: u32,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The kinds of entries to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HistoryKind {
    /// Reviews
    Reviews,
    /// Conversations
    Conversations,
}
