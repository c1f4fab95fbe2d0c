//! The arguments of the command. The doc comments of options are their help texts.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::builder::PossibleValue;
use clap::{Args, Parser, Subcommand, ValueEnum};
use diffsan_app::TargetArgs;
use diffsan_config::Verify;
use diffsan_export as export;
use diffsan_pipeline::error::Result;
use diffsan_pipeline::review::MAX_RUNS;
use diffsan_posting::PostVerdict;
use diffsan_review::finding::Severity;

use crate::config_args::{ConfigArgs, SecretArgs};
use crate::history_args::{HistoryArgs, TrackRecordArgs};
use crate::inbox_args::{InboxArgs, InboxCommand};

/// Review a code change with an AI agent. Skips generated files, masks secrets, and checks every answer against the code.
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
    /// Export the latest review of a change
    Export(ExportArgs),
    /// Show the prepared diff of a change, without sending it
    Prepare(PrepareArgs),
    /// Show the exact prompt of a review, without sending it
    Prompt(PromptArgs),
    /// Report the effects of a change, compared with contracts or with its base; runs and sends nothing
    Policy(crate::policy::PolicyArgs),
    /// Talk with an agent about a change
    Chat(ChatArgs),
    /// Write a commit message for a change (the staged one by default)
    CommitMessage(CommitMessageArgs),
    /// Show the author's edits between two versions of a change, without those of the target branch
    Compare(crate::compare::CompareArgs),
    /// Seal a run: pack its files into one file that shows every later change
    Bundle(crate::bundle::BundleArgs),
    /// Check a sealed run, and make its review again without the repository
    Replay(crate::bundle::ReplayArgs),
    /// Mask the secrets in standard input
    Redact(RedactArgs),
    /// List the agents and whether they are installed
    Agents(AgentsArgs),
    /// Show settings with their origin, change your own, trust a repository
    Config(ConfigArgs),
    /// List reviews and conversations of every repository, or search them
    History(HistoryArgs),
    /// Show how you decided about the findings of each agent
    TrackRecord(TrackRecordArgs),
    /// List the merge requests and branches that concern you, by whose turn it is
    Inbox(InboxArgs),
    /// Manage tokens and keys in the system's keyring
    Secret(SecretArgs),
    /// Print the JSON Schemas
    Schema(SchemaArgs),
    /// Serve the interface to a browser on this machine
    Serve(ServeArgs),
    /// Print a completion script
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Verify the signature, sums, bills of materials and licences of a release in a folder
    VerifyRelease(crate::verify_release::VerifyReleaseArgs),
    /// Write manual pages and completion scripts, for packages
    #[command(hide = true)]
    Manual(crate::manual::ManualArgs),
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
            Self::TrackRecord(args) => args.json,
            Self::Inbox(InboxArgs { command: Some(InboxCommand::Queue(args)), .. }) => args.json,
            Self::Inbox(args) => args.json,
            Self::Chat(args) => args.json,
            Self::Compare(args) => args.json,
            Self::Bundle(args) => args.json,
            Self::Replay(args) => args.output.json(),
            Self::CommitMessage(args) => args.json,
            Self::VerifyRelease(args) => args.json,
            _ => false,
        }
    }
}

/// The options that select a change, and its settings.
#[derive(Debug, Clone, Args)]
pub struct SourceArgs {
    #[command(flatten)]
    pub target: TargetArgs,
    /// Accept a truncated patch and review its readable part
    #[arg(long, requires = "patch")]
    pub partial: bool,
    /// The repository (any folder inside it)
    #[arg(long, value_name = "DIR")]
    pub repo: Option<PathBuf>,
    /// A setting for this run, such as limits.max_files=10
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Send only the changes since this commit or version; `last` is the head of the last review, `v3` a version that `diffsan compare
    /// --versions` lists
    #[arg(long, value_name = "REV")]
    pub since: Option<String>,
    /// A report about the head to use as evidence: JUnit, Cobertura, LCOV, code quality or SARIF; repeat it for more
    #[arg(long, value_name = "FILE")]
    pub facts: Vec<PathBuf>,
    /// The pipeline in which the command runs.
    #[arg(skip)]
    pub ci: Option<crate::ci::Pipeline>,
}

/// A format of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Text for a terminal.
    Text,
    /// A document.
    Document(&'static export::Format),
}

impl Format {
    /// Returns the format of the exported document. Returns `None` for text on a terminal.
    pub fn exported(self) -> Option<&'static export::Format> {
        match self {
            Self::Text => None,
            Self::Document(format) => Some(format),
        }
    }

    /// Returns whether the output is JSON as diffsan stores it.
    pub fn is_json(self) -> bool {
        self.exported().is_some_and(|format| format.name == "json")
    }
}

impl ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<Format>> = LazyLock::new(|| {
            std::iter::once(Format::Text).chain(export::FORMATS.iter().map(Format::Document)).collect()
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::Text => PossibleValue::new("text"),
            Self::Document(format) => PossibleValue::new(format.name).help(format.title),
        })
    }
}

#[derive(Debug, Clone, Args)]
pub struct OutputArgs {
    /// The output format
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// Same as --format json
    #[arg(long)]
    pub json: bool,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

impl OutputArgs {
    pub fn json(&self) -> bool {
        self.json || self.format.is_json()
    }

    /// Returns the requested format.
    pub fn format(&self) -> Result<Format> {
        if self.json { Ok(Format::Document(export::Format::of("json")?)) } else { Ok(self.format) }
    }
}

#[derive(Debug, Clone, Args)]
pub struct ReviewArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// The agent (see `diffsan agents`); repeat it to review with several agents
    #[arg(long, value_name = "NAME")]
    pub agent: Vec<String>,
    /// The model
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Additional instructions for this review
    #[arg(long, value_name = "TEXT")]
    pub instructions: Option<String>,
    /// Ask each agent the same prompt N times, and count how many runs found each finding
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_RUNS)))]
    pub runs: u32,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Ask for a second opinion on the findings: off, high (and critical) or all
    #[arg(long, value_name = "FINDINGS", value_parser = verify)]
    pub verify: Option<Verify>,
    /// Exit with status 1 if a finding has at least this severity, and not with 0 if an agent failed; implies --anyway
    #[arg(long, value_name = "SEVERITY", value_parser = severity)]
    pub fail_on: Option<Severity>,
    /// Review even where the settings skip it (auto-merge is set, or the latest posted review is of the same diff)
    #[arg(long)]
    pub anyway: bool,
    /// Post the review to the merge request (--mr, or --ci)
    #[arg(long)]
    pub post: bool,
    /// With --post: show the comments and their places, without posting them
    #[arg(long, requires = "post")]
    pub dry_run: bool,
    /// With --post: list in the summary the requirements of the authors, and whether the code meets them
    #[arg(long, requires = "post")]
    pub requirements: bool,
    /// With --post: leave out a finding whose line GitLab refuses (exit status 7), instead of posting it on its file or in the summary
    #[arg(long, requires = "post")]
    pub strict: bool,
    /// In a merge request's pipeline: read GitLab's variables, and write the run's files to .diffsan
    #[arg(long, conflicts_with_all = ["unstaged", "staged", "all", "tracked", "commit", "range", "patch", "mr", "branch"])]
    pub ci: bool,
    /// Write the run's files to this folder
    #[arg(long, value_name = "DIR")]
    pub run_dir: Option<PathBuf>,
}

#[derive(Debug, Clone, Args)]
pub struct PostArgs {
    /// The merge request: its address, group/project!7, or its number
    #[arg(long, value_name = "URL")]
    pub mr: String,
    /// The review: review.json of a run, the output of `review --json`, or an agent's answer
    #[arg(long, value_name = "FILE")]
    pub review: PathBuf,
    /// A clone of the project (any folder inside it)
    #[arg(long, value_name = "DIR")]
    pub repo: Option<PathBuf>,
    /// Post only these findings: PATH:LINE or key, separated by commas
    #[arg(long, value_name = "FINDING", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Do not post the summary
    #[arg(long)]
    pub no_summary: bool,
    /// List in the summary the requirements of the authors, and whether the code meets them
    #[arg(long, conflicts_with = "no_summary")]
    pub requirements: bool,
    /// Place the findings on the current version if the merge request changed since the review
    #[arg(long)]
    pub reanchor: bool,
    /// Leave out a finding whose line GitLab refuses (exit status 7), instead of posting it on its file or in the summary
    #[arg(long)]
    pub strict: bool,
    /// The verdict to give after all comments are posted
    #[arg(long, value_enum, default_value = "comment")]
    pub verdict: VerdictArg,
    /// Show the comments and their places, without posting them
    #[arg(long)]
    pub dry_run: bool,
    /// List every comment that was posted, also if there are many
    #[arg(long, short)]
    pub verbose: bool,
    /// The output format
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
            facts: Vec::new(),
            ci: None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum VerdictArg {
    /// No verdict
    Comment,
    /// Approve the reviewed head
    Approve,
    /// Request changes, as an assigned reviewer (GitLab 17.0 or later)
    RequestChanges,
}

impl From<VerdictArg> for PostVerdict {
    fn from(arg: VerdictArg) -> Self {
        match arg {
            VerdictArg::Comment => Self::Comment,
            VerdictArg::Approve => Self::Approve,
            VerdictArg::RequestChanges => Self::RequestChanges,
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
    /// The review instead of the latest one: review.json of a run, or the output of `review --json`
    #[arg(long, value_name = "FILE")]
    pub review: Option<PathBuf>,
    /// Place the findings on the current state of the change, and save the placed review if diffsan has the review
    #[arg(long)]
    pub reanchor: bool,
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
    /// List every cut, ignored, folded and masked part, also if there are many
    #[arg(long, short)]
    pub verbose: bool,
}

#[derive(Debug, Clone, Args)]
pub struct PromptArgs {
    /// `system` prints only the system prompt, `snippets` the snippets of conversations
    #[arg(value_enum)]
    pub part: Option<PromptPart>,
    /// With `snippets`: import the snippets of this file (- for standard input)
    #[arg(long, value_name = "FILE|-")]
    pub import: Option<PathBuf>,
    #[command(flatten)]
    pub source: SourceArgs,
    /// The agent that the prompt is for
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// The model; its price is estimated
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Additional instructions for this review
    #[arg(long, value_name = "TEXT")]
    pub instructions: Option<String>,
    /// The number of the batch, from 1, where the change is sent in several (limits.strategy = "split")
    #[arg(long, value_name = "N")]
    pub batch: Option<std::num::NonZeroU32>,
    /// Print the prompt with its size and sources as JSON
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
    /// The model
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Continue the latest conversation about this change, or the one with this ID
    #[arg(long = "continue", value_name = "ID", num_args = 0..=1, default_missing_value = "")]
    pub go_on: Option<String>,
    /// Send this message, print the answer and exit
    #[arg(long, short, value_name = "TEXT")]
    pub message: Option<String>,
    /// Print each message as one line of JSON
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
    /// The model
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Print the message and its problems as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Args)]
pub struct RedactArgs {
    /// Write a JSON report of the masked places to this file; it contains no secrets
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Read JSON lines {id, path, format: text|diff|bytes, text or bytes_b64}, write JSON lines {id, text}
    #[arg(long)]
    pub jsonl: bool,
}

#[derive(Debug, Clone, Args)]
pub struct AgentsArgs {
    /// Send one short prompt to this agent and report whether it works
    #[arg(long, value_name = "NAME")]
    pub check: Option<String>,
    /// The model
    #[arg(long, value_name = "MODEL", requires = "check")]
    pub model: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Args)]
pub struct SchemaArgs {
    /// The schema
    #[arg(value_enum, default_value = "agent-output")]
    pub which: SchemaName,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SchemaName {
    /// The answer of an agent
    AgentOutput,
    /// The answer of an agent, for agents that enforce a schema
    AgentOutputStrict,
    /// The answer of a second opinion, for agents that enforce a schema
    OpinionOutputStrict,
    /// The result of a review
    Review,
    /// The inbox
    Inbox,
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
    /// The port; 0 selects a free one
    #[arg(long, default_value_t = 0)]
    pub port: u16,
}

fn verify(text: &str) -> Result<Verify, String> {
    Verify::of(text).ok_or_else(|| "one of off, high, all".to_owned())
}

fn severity(text: &str) -> Result<Severity, String> {
    [Severity::Info, Severity::Low, Severity::Medium, Severity::High, Severity::Critical]
        .into_iter()
        .find(|severity| severity.name() == text)
        .ok_or_else(|| "one of info, low, medium, high, critical".to_owned())
}
