//! Compares the commits of two versions, as `git range-diff` does.

use diffsan_git::{ChangeCommit, Repo, VersionCommits};
use diffsan_interdiff::{CommitKey, CommitPair, compare_file, pair_commits};
use diffsan_pipeline::error::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

/// A commit in both versions, or in one of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommitRow {
    /// The commit's state.
    pub state: CommitState,
    /// Whether it has another place among the commits that both versions have.
    pub reordered: bool,
    /// Whether the message differs.
    pub message_changed: bool,
    /// The commit in the old version.
    pub old: Option<CommitItem>,
    /// The commit in the new version.
    pub new: Option<CommitItem>,
}

/// The state of a commit in the later version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommitState {
    /// The author changed nothing in it.
    Unchanged,
    /// The author changed its content or its message.
    Edited,
    /// It is only in the new version.
    New,
    /// It is only in the old version.
    Dropped,
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommitItem {
    /// Its place in its version, from 1.
    pub number: u32,
    /// The full id.
    pub id: String,
    /// The first line of the message.
    pub subject: String,
}

/// Returns the commits of both versions, in the order of the new one.
pub(crate) fn commit_rows(repo: &Repo, old: &VersionCommits, new: &VersionCommits) -> Result<Vec<CommitRow>> {
    let (before, after) = (repo.version_commits(old)?, repo.version_commits(new)?);
    let mut failure = None;
    let mut lines = |is_new: bool, at: usize| {
        let commit = if is_new { &after[at] } else { &before[at] };
        repo.changed_lines(&commit.id).unwrap_or_else(|error| {
            failure = Some(error);
            Vec::new()
        })
    };
    let pairs = pair_commits(&keys(&before), &keys(&after), &mut lines);
    if let Some(error) = failure {
        return Err(Error::from(error));
    }
    pairs.into_iter().map(|pair| row(repo, &before, &after, pair)).collect()
}

fn keys(commits: &[ChangeCommit]) -> Vec<CommitKey> {
    let key = |commit: &ChangeCommit| CommitKey {
        author: commit.author.clone(),
        time: commit.time,
        subject: subject(commit).to_owned(),
    };
    commits.iter().map(key).collect()
}

fn subject(commit: &ChangeCommit) -> &str {
    commit.message.lines().next().unwrap_or_default()
}

fn row(repo: &Repo, before: &[ChangeCommit], after: &[ChangeCommit], pair: CommitPair) -> Result<CommitRow> {
    let item = |commits: &[ChangeCommit], at: usize| CommitItem {
        number: u32::try_from(at + 1).unwrap_or(u32::MAX),
        id: commits[at].id.clone(),
        subject: subject(&commits[at]).to_owned(),
    };
    let mut row = CommitRow {
        state: CommitState::Unchanged,
        reordered: pair.reordered,
        message_changed: false,
        old: pair.old.map(|at| item(before, at)),
        new: pair.new.map(|at| item(after, at)),
    };
    row.state = match (pair.old, pair.new) {
        (Some(old), Some(new)) => {
            row.message_changed = before[old].message != after[new].message;
            let same = !row.message_changed && is_same(repo, &before[old].id, &after[new].id)?;
            if same { CommitState::Unchanged } else { CommitState::Edited }
        }
        (None, _) => CommitState::New,
        (_, None) => CommitState::Dropped,
    };
    Ok(row)
}

/// Returns whether a commit does the same as another one, where it stands.
fn is_same(repo: &Repo, old: &str, new: &str) -> Result<bool> {
    if old == new {
        return Ok(true);
    }
    let (old, new) = (repo.commit_version(old)?, repo.commit_version(new)?);
    let compared = repo.compare_versions(&old, &new, &|sides, reader| compare_file(sides, reader, 0).is_empty())?;
    Ok(compared.files.iter().all(|empty| *empty))
}
