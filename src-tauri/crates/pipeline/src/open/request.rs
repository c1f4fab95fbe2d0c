//! The request to open a change: its source, and a merge request as GitLab returned it.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use bytes::Bytes;

use diffsan_change::{Change, Target};
use diffsan_config::Layer;
use diffsan_forge::gitlab::{ClosedIssue, DiffRefs, Discussion, Person, ServerVersion};
use diffsan_forge::post_plan::MarkerKeys;

/// The source from which a change is read.
#[derive(Clone, Debug)]
pub enum Source {
    /// A repository, by any path inside it.
    Repository(PathBuf),
    /// The bytes of a patch, and the repository that it may belong to.
    Patch(Bytes, Option<PathBuf>),
    /// A merge request as GitLab returned it, and a repository that may contain its commits.
    MergeRequest(Box<FetchedRequest>, Option<PathBuf>),
}

/// The request to open a change.
#[derive(Clone, Debug)]
pub struct OpenRequest {
    /// The source from which it is read.
    pub source: Source,
    /// The change.
    pub target: Target,
    /// Layers from options or the interface that override the settings.
    pub overrides: Vec<Layer>,
    /// A commit that was reviewed before; only later changes are sent. `last` is the head of the latest posted review.
    pub since: Option<String>,
    /// Whether the repository's settings file may set everything, because it comes from the target side.
    pub trusted: bool,
    /// The paths of the files that are sent, if the user selected some. `None` means all.
    pub selected: Option<Vec<String>>,
}

/// The diff of a merge request.
#[derive(Clone, Debug)]
pub enum FetchedDiff {
    /// Read from a clone that has the commits. It also has the lines of files that are too large for GitLab.
    Local(Arc<Change>),
    /// GitLab's patch.
    Patch(Bytes),
}

/// A merge request as GitLab returned it.
#[derive(Clone, Debug)]
pub struct FetchedRequest {
    /// The ID of the target project.
    pub project_id: u64,
    /// The version of the server, if it is known.
    pub version: Option<ServerVersion>,
    /// The commits that its diff compares.
    pub refs: DiffRefs,
    /// The diff.
    pub diff: FetchedDiff,
    /// The messages of its commits, oldest first.
    pub messages: Vec<String>,
    /// The title.
    pub title: String,
    /// The description, as Markdown.
    pub description: Option<String>,
    /// The issues that it closes, as far as they could be read.
    pub issues: Vec<ClosedIssue>,
    /// Whether it is set to merge automatically; `None` if unknown.
    pub auto_merge: Option<bool>,
    /// The address of its page.
    pub web_url: Option<String>,
    /// The state: `opened`, `closed`, `merged`, `locked`.
    pub state: String,
    /// The branch that is merged.
    pub source_branch: String,
    /// The branch that it is merged into.
    pub target_branch: String,
    /// The name of the author.
    pub author: Option<String>,
    /// The user of the token.
    pub me: Option<Person>,
    /// The repository's settings file on the target side, if no clone provides it.
    pub settings: Option<String>,
    /// The reason why its commits could not be fetched into the clone, if that was tried and failed.
    pub commits: Option<String>,
    /// The keys that seal diffsan's markers in its comments.
    pub markers: MarkerKeys,
    /// Its threads and comments, which may be read again while it is open.
    pub threads: Threads,
}

/// The threads of a merge request as last read; empty if they could not be read.
#[derive(Clone, Debug, Default)]
pub struct Threads(Arc<RwLock<Option<Arc<Vec<Discussion>>>>>);

impl Threads {
    /// Returns the threads as last read.
    pub fn get(&self) -> Option<Arc<Vec<Discussion>>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the threads by newly read ones.
    pub fn set(&self, discussions: Vec<Discussion>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(discussions));
    }
}

impl FetchedRequest {
    /// Returns the same change as a range, for a repository that contains its commits.
    pub(super) fn range(&self) -> Target {
        range_of(&self.refs)
    }
}

/// Returns the range whose diff is that of a merge request.
pub(super) fn range_of(refs: &DiffRefs) -> Target {
    Target::Range { base: refs.base_sha.clone(), head: refs.head_sha.clone(), merge_base: false }
}
