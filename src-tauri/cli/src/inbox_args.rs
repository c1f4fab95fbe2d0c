//! The arguments of `diffsan inbox`, and of the review queue.

use clap::{Args, Subcommand};

/// The arguments of `diffsan inbox`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct InboxArgs {
    #[command(subcommand)]
    pub command: Option<InboxCommand>,
    /// Print the inbox as it was read last, without the network
    #[arg(long)]
    pub offline: bool,
    /// List every row of long groups, and snoozed and muted rows too
    #[arg(long)]
    pub all: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The commands below `diffsan inbox`.
#[derive(Debug, Subcommand)]
pub enum InboxCommand {
    /// List the review queue, or change it
    Queue(QueueArgs),
}

/// The arguments of `diffsan inbox queue`.
#[derive(Debug, Args)]
pub struct QueueArgs {
    #[command(subcommand)]
    pub command: Option<QueueCommand>,
    /// Print JSON
    #[arg(long, global = true)]
    pub json: bool,
}

/// The commands below `diffsan inbox queue`. A row is named by its key, its address, or `group/project!7`.
#[derive(Debug, Subcommand)]
pub enum QueueCommand {
    /// Add rows of the inbox
    Add {
        /// The rows
        #[arg(required_unless_present = "all")]
        rows: Vec<String>,
        /// Add every row that waits for you and is not reviewed
        #[arg(long)]
        all: bool,
        /// The agent; repeat it for several
        #[arg(long, value_name = "NAME")]
        agent: Vec<String>,
    },
    /// Remove items; a running review is cancelled
    Remove {
        /// The items
        #[arg(required = true)]
        rows: Vec<String>,
    },
    /// Remove all items that have ended
    Clear,
    /// Move an item
    Move {
        /// The item
        row: String,
        /// The new place, from 1
        place: usize,
    },
    /// Let the window and the browser server work on the queue
    Start,
    /// Stop them after the running review
    Stop,
    /// Work on the queue here until nothing can be done any more
    Run,
}
