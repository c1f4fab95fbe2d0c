//! The commits of a version, and the lines that they change.

use std::hash::{DefaultHasher, Hash, Hasher};

use git2::Commit;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::between::between;
use super::super::change::binary;
use super::super::read::Source;
use super::super::revisions::{Place, Sides};
use super::super::{ChangeCommit, Repo, RepoError, text};
use super::VersionCommits;
use diffsan_change::LineKind;

/// The maximum number of commits of a version that are read.
pub(super) const MAX_COMMITS: usize = 1000;

/// The size of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct VersionSize {
    /// The number of commits without merges, at most 1,000.
    pub commits: u32,
    /// The number of changed files.
    pub files: u32,
}

impl Repo {
    /// Returns the size of a version, or `None` if the repository does not have its commits. Reads no file.
    pub fn version_size(&self, version: &VersionCommits) -> Option<VersionSize> {
        let commits = self.version_commits(version).ok()?.len();
        let base = match &version.base {
            Some(base) => Some(self.commit(base).ok()?.tree().ok()?),
            None => None,
        };
        let head = self.commit(&version.head).ok()?.tree().ok()?;
        let files = self.git.diff_tree_to_tree(base.as_ref(), Some(&head), None).ok()?.deltas().len();
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Some(VersionSize { commits: count(commits), files: count(files) })
    }

    /// Returns the commits of a version without merges, oldest first, at most the latest 1,000.
    pub fn version_commits(&self, version: &VersionCommits) -> Result<Vec<ChangeCommit>, RepoError> {
        let head = self.commit(&version.head)?.id();
        let base = version.base.as_deref().map(|base| self.commit(base)).transpose()?;
        let commits = between(&self.git, base.as_ref().map(Commit::id), head, MAX_COMMITS);
        let commits = commits.map_err(RepoError::read("listing the commits"))?.into_iter().rev();
        Ok(commits.filter(|commit| commit.parent_count() < 2).map(|commit| ChangeCommit::of(&commit)).collect())
    }

    /// Returns one commit as a version that starts at its first parent.
    pub fn commit_version(&self, id: &str) -> Result<VersionCommits, RepoError> {
        let commit = self.commit(id)?;
        let base = commit.parent_id(0).ok().map(|id| id.to_string());
        Ok(VersionCommits { base, head: commit.id().to_string() })
    }

    /// Returns the digests of the lines that a commit changes, sorted. Equal lines of equally named files have equal digests.
    pub fn changed_lines(&self, id: &str) -> Result<Vec<u64>, RepoError> {
        let commit = self.commit(id)?;
        let old = commit.parent_id(0).map_or(Place::Nothing, Place::Commit);
        let entries = self.entries(Sides { old, new: Place::Commit(commit.id()) })?;
        let rules = self.rules_for(Place::Commit(commit.id()), &entries)?;
        let source = Source::new(&self.git, &rules).map_err(RepoError::read("opening the objects"))?;
        let mut digests = Vec::new();
        for entry in &entries {
            let Ok((old, new)) = source.contents(entry) else { continue };
            let opaque = [&old, &new].iter().any(|content| binary(&rules, &entry.path, content));
            if opaque {
                digests.push(digest(&(&entry.path, &*old, &*new)));
                continue;
            }
            let hunks = text::hunks(&old, &new, 0).map_err(RepoError::read("comparing lines"))?;
            for line in hunks.iter().flat_map(|hunk| hunk.lines.iter()) {
                digests.push(digest(&(&entry.path, line.kind == LineKind::Added, &line.text)));
            }
        }
        digests.sort_unstable();
        Ok(digests)
    }
}

fn digest(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
