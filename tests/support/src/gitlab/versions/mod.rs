//! Tests on every version of GitLab: the servers, and a corpus of places to comment.
//!
//! A test of a whole flow runs once per version of [`ServerVersion::TESTED`]:
//!
//! ```no_run
//! use diffsan_test_support::gitlab::{PROJECT, TOKEN, versions};
//!
//! # async fn test() {
//! let origin = versions::origin();
//! versions::for_each_version(&origin, async |gitlab| {
//!     // Merge request 7 merges `topic` into `main`.
//!     let (url, token, project) = (gitlab.url(), TOKEN, PROJECT);
//!     // … posts something, then asks where it went.
//!     for case in versions::cases() {
//!         let best = case.best(gitlab.version(), versions::PostedAs::Discussion);
//!         let posted = gitlab.posted(7).into_iter().find(|posted| posted.body.contains(&case.name));
//!         assert_eq!(posted.map(|posted| posted.placement), best);
//!     }
//! })
//! .await;
//! # }
//! ```
//!
//! The corpus is `tests/fixtures/gitlab/versions.toml`.

mod origin;
#[cfg(test)]
mod tests;

use std::path::Path;

use serde::Deserialize;

use super::{FakeGitlab, Placement, ServerVersion};
use crate::repo::TestRepo;

pub use origin::origin;

/// The limit of a file's patch in bytes that the corpus expects. It is GitLab's default.
pub const PATCH_LIMIT: usize = 204_800;

/// The kind of request that posts a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostedAs {
    /// `POST …/discussions`.
    Discussion,
    /// `POST …/draft_notes`, and publishing.
    Draft,
}

/// A line of a file: the number of an added line, of a removed line, or both numbers of an unchanged line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// The number before the change.
    pub old: Option<u32>,
    /// The number after the change.
    pub new: Option<u32>,
}

/// A place to comment.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The name: `new-lines`.
    pub name: String,
    /// The kind of place, in words.
    pub kind: String,
    /// The path before the change.
    pub old_path: String,
    /// The path after the change.
    pub new_path: String,
    /// The first line of a range.
    pub start: Option<Line>,
    /// The line, or the last line of a range. `None` for the whole file.
    pub end: Option<Line>,
    discussion: Vec<String>,
    draft: Vec<String>,
    #[serde(skip)]
    versions: Vec<ServerVersion>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Corpus {
    versions: Vec<String>,
    case: Vec<Case>,
}

impl Case {
    /// Returns the best placement that a version accepts: that of the newest listed version that is not newer. `None` if the
    /// version has no drafts.
    pub fn best(&self, version: ServerVersion, posted_as: PostedAs) -> Option<Placement> {
        let at = self.versions.iter().rposition(|listed| *listed <= version)?;
        let accepted = match posted_as {
            PostedAs::Discussion => &self.discussion,
            PostedAs::Draft => &self.draft,
        };
        match accepted[at].as_str() {
            "none" => None,
            name => Some(Placement::named(name).unwrap_or_else(|| panic!("{}: {name}", self.name))),
        }
    }
}

/// Returns the cases of the corpus.
pub fn cases() -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/gitlab/versions.toml");
    let text = std::fs::read_to_string(path).expect("the corpus");
    let corpus: Corpus = toml::from_str(&text).expect("a corpus");
    let versions: Vec<ServerVersion> = corpus.versions.iter().map(|text| text.parse().expect("a version")).collect();
    let with_versions = |case: Case| {
        assert_eq!((case.discussion.len(), case.draft.len()), (versions.len(), versions.len()), "{}", case.name);
        Case { versions: versions.clone(), ..case }
    };
    corpus.case.into_iter().map(with_versions).collect()
}

/// Starts a server of a version with merge request 7, from `topic` into `main`, and GitLab's usual limits.
pub async fn start(version: ServerVersion, origin: &TestRepo) -> FakeGitlab {
    let gitlab = FakeGitlab::start(&origin.path().join(".git")).await;
    gitlab.set_version(version);
    gitlab.with(|state| state.switches.patch_limit = Some(PATCH_LIMIT));
    gitlab.merge_request(7, "topic", "main");
    gitlab
}

/// Returns the versions of [`ServerVersion::TESTED`]. Prints each one, so that the output of a failed test names it.
#[allow(clippy::print_stderr, reason = "the output of a failed test is read by people")]
pub fn tested() -> impl Iterator<Item = ServerVersion> {
    ServerVersion::TESTED.into_iter().inspect(|version| eprintln!("GitLab {version}"))
}

/// Runs a test on each tested version, each time with a new server from [`start`].
pub async fn for_each_version(origin: &TestRepo, test: impl AsyncFn(&FakeGitlab)) {
    for version in tested() {
        let gitlab = start(version, origin).await;
        test(&gitlab).await;
    }
}
