//! The saved form of a row: the facts that were read. Its group and reason are computed from them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Facts, LocalFacts};

/// A merge request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// The key of the row: the account, the project and the number.
    pub key: String,
    /// The address of the GitLab server.
    pub host: String,
    /// The path of the project.
    pub project: String,
    /// The number in the project.
    pub iid: u64,
    /// The title.
    pub title: String,
    /// The address of the web page.
    pub web_url: Option<String>,
    /// The names of the labels.
    pub labels: Vec<String>,
    /// The branch that is merged.
    pub source_branch: String,
    /// The branch that the source branch is merged into.
    pub target_branch: String,
    /// The time of the last update, as GitLab wrote it.
    pub updated_at: Option<String>,
    /// The number of changed files. `1000+` if GitLab did not count them all.
    pub changed_files: Option<String>,
    /// The numbers of added and removed lines, if they are known.
    #[serde(default)]
    pub lines: Option<[u64; 2]>,
    /// The facts that decide whose turn it is.
    pub facts: Facts,
    /// The reason why the row is incomplete or old, if the last reading failed.
    pub problem: Option<String>,
    /// Whether it does not exist any more, or is not visible any more.
    pub gone: bool,
    /// The time at which its details were read, by the clock of this machine. `None` if they were never read.
    pub details_at: Option<Timestamp>,
}

/// A branch or a work tree of a local repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalItem {
    /// The key of the row: the path and the branch.
    pub key: String,
    /// The path of the repository.
    pub repository: String,
    /// The branch. `None` if the head is detached.
    pub branch: Option<String>,
    /// The subject of the last commit.
    pub subject: String,
    /// The time of the last commit.
    pub committed_at: Option<Timestamp>,
    /// The facts.
    pub facts: LocalFacts,
}

/// A local repository, and the projects that its remotes name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalRepository {
    /// The path of its root.
    pub path: String,
    /// The addresses of the servers and the paths of the projects.
    pub projects: Vec<(String, String)>,
}
