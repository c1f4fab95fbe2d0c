//! The arguments of `diffsan history` and `diffsan track-record`.

use clap::{Args, ValueEnum};

/// The arguments of `diffsan history`.
#[derive(Debug, Args)]
pub struct HistoryArgs {
    /// Words that all occur, as beginnings of words, in a title, text, path or message
    pub words: Vec<String>,
    /// Only this repository (any path inside it) or project (group/project)
    #[arg(long, value_name = "DIR|PROJECT")]
    pub repo: Option<String>,
    /// Only reviews, or only conversations
    #[arg(long, value_name = "KIND")]
    pub kind: Option<HistoryKind>,
    /// The maximum number of entries
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

/// The arguments of `diffsan track-record`.
#[derive(Debug, Args)]
pub struct TrackRecordArgs {
    /// Only this agent
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
