//! Evidence of reading: the hunks that were delivered to the agents, each with its prompts, and the files that the agents opened.
//!
//! In: a change and the parts of it that were sent; for each agent the files that it reported as opened, and those that the file system
//! saw it open. Out: a [`Reading`], which is part of a review, and sentences about it. This crate starts nothing and reads no file. It does
//! not know how an agent reports files.

mod delivery;
mod opened;
mod sentences;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use delivery::delivered;
pub use opened::{FileAccess, QuestionFiles, judge};

/// The evidence of one review.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Reading {
    /// The files of the change, in its order.
    pub files: Vec<FileReading>,
    /// The agents that answered. The capability reviewer is not among them: it reads the files itself.
    pub agents: Vec<AgentReading>,
}

/// The delivery of a file of the change. The path is masked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FileReading {
    /// The path of the file.
    pub path: String,
    /// The prompts that contain a part of the file, from 1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<u32>,
    /// The hunks, in the order of the change. Empty for a file without lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hunks: Vec<HunkReading>,
}

/// The delivery of a hunk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct HunkReading {
    /// The first line of the hunk on the old side.
    pub old_start: u32,
    /// The first line of the hunk on the new side.
    pub new_start: u32,
    /// The number of changed lines.
    pub changed: u32,
    /// The number of changed lines that were delivered.
    pub delivered: u32,
    /// The prompts that contain changed lines of the hunk, from 1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<u32>,
}

impl HunkReading {
    /// Returns whether every changed line was delivered.
    pub fn is_delivered(&self) -> bool {
        self.delivered == self.changed
    }
}

/// The files that one agent opened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AgentReading {
    /// The name of the agent.
    pub agent: String,
    /// Its display name. If empty, the name is shown.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Whether the agent reports the files that it opens.
    pub events: bool,
    /// Whether it could read files, and whether the file system was observed.
    pub access: FileAccess,
    /// The reason why the file system was not observed, or not completely.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The files that it opened, by path.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub opened: Vec<String>,
    /// The files that it reported as opened, although the file system saw no access. They do not count.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_confirmed: Vec<String>,
    /// The number of further files that the file system saw opened without a report, for example by a search. They do not count.
    pub not_reported: u32,
    /// The number of opened files that are not listed, because there are too many.
    pub not_listed: u32,
}

/// The part of a file that was neither delivered nor opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadFile<'a> {
    /// The path of the file.
    pub path: &'a str,
    /// The number of hunks that were not delivered completely.
    pub hunks: usize,
    /// The number of all hunks.
    pub of: usize,
}

impl Reading {
    /// Returns the files with parts that were neither delivered completely nor opened by an agent, in the change's order.
    pub fn unread(&self) -> Vec<UnreadFile<'_>> {
        let unread = self.files.iter().filter(|file| !self.is_opened(&file.path)).map(|file| UnreadFile {
            path: &file.path,
            hunks: file.hunks.iter().filter(|hunk| !hunk.is_delivered()).count(),
            of: file.hunks.len(),
        });
        let without_lines = |file: &UnreadFile<'_>| {
            file.of == 0 && self.files.iter().any(|known| known.path == file.path && known.prompts.is_empty())
        };
        unread.filter(|file| file.hunks > 0 || without_lines(file)).collect()
    }

    /// Returns whether an agent opened the file.
    pub fn is_opened(&self, path: &str) -> bool {
        self.agents.iter().any(|agent| agent.opened.binary_search_by(|opened| opened.as_str().cmp(path)).is_ok())
    }

    /// Calls `each` with every text.
    pub fn for_each_text(&mut self, each: &mut dyn FnMut(&mut String)) {
        let Self { files, agents } = self;
        files.iter_mut().for_each(|FileReading { path, prompts: _, hunks: _ }| each(path));
        agents.iter_mut().for_each(|agent| agent.for_each_text(each));
    }
}

impl AgentReading {
    /// Calls `each` with every text.
    pub fn for_each_text(&mut self, each: &mut dyn FnMut(&mut String)) {
        let Self { agent, title, events: _, access: _, reason, opened, not_confirmed, not_reported: _, not_listed: _ } =
            self;
        opened.iter_mut().chain(not_confirmed).chain(reason).chain([agent, title]).for_each(&mut *each);
        // A masked path may have another place in the order.
        self.opened.sort();
    }
}
