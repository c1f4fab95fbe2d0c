//! Lists the branches, commits and local changes that can be reviewed.

use git2::{BranchType, ErrorCode, Repository, Sort};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Repo, RepoError};
use diffsan_change::Target;

/// The numbers of changed files, by kind of local change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocalCounts {
    /// The work tree against the index.
    pub unstaged: u32,
    /// The index against `HEAD`.
    pub staged: u32,
    /// The work tree, including untracked files, against `HEAD`.
    pub all: u32,
}

/// A local branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BranchInfo {
    /// The short name.
    pub name: String,
    /// The number of commits that are not in the default branch.
    pub ahead: u32,
    /// The time of the last commit, in seconds since 1970.
    pub time: i64,
    /// The subject of the last commit.
    pub subject: String,
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommitInfo {
    /// The full id.
    pub id: String,
    /// The first line of the message.
    pub subject: String,
    /// The author's name.
    pub author: String,
    /// The time of the commit, in seconds since 1970.
    pub time: i64,
}

impl Repo {
    /// Returns the checked-out branch, also an unborn one, or `None` if `HEAD` is detached.
    pub fn head_branch(&self) -> Option<String> {
        let head = self.git.find_reference("HEAD").ok()?;
        let name = head.symbolic_target_bytes()?;
        Some(String::from_utf8_lossy(name.strip_prefix(b"refs/heads/")?).into_owned())
    }

    /// Resolves a target for the current branch to the branch's name, or to its commit if `HEAD` is detached.
    pub fn named(&self, target: &Target) -> Target {
        let Target::Branch { name: None, base } = target else { return target.clone() };
        let branch = self.head_branch().filter(|name| self.has_branch(name));
        Target::Branch { name: branch.or_else(|| self.head_id()), base: base.clone() }
    }

    /// Returns whether a local branch has this name.
    pub(super) fn has_branch(&self, name: &str) -> bool {
        self.git.find_reference(&format!("refs/heads/{name}")).is_ok()
    }

    /// Returns the addresses of the remotes, `origin` first.
    pub fn remote_urls(&self) -> Vec<String> {
        let names = self.git.remotes().ok();
        let mut names: Vec<String> = names
            .iter()
            .flat_map(|names| names.iter())
            .filter_map(|name| name.ok().flatten().map(str::to_owned))
            .collect();
        names.sort_by_key(|name| name != "origin");
        names.iter().filter_map(|name| self.git.find_remote(name).ok()?.url().ok().map(str::to_owned)).collect()
    }

    /// Returns the branch that others are compared with: the target of `origin/HEAD`, or else `main`, or else `master`.
    pub fn default_branch(&self) -> Option<String> {
        let target = |name: &str| {
            let reference = self.git.find_reference(name).ok()?;
            Some(String::from_utf8_lossy(reference.symbolic_target_bytes()?).into_owned())
        };
        let remote = target("refs/remotes/origin/HEAD")
            .filter(|name| self.git.find_reference(name).is_ok())
            .and_then(|name| name.strip_prefix("refs/remotes/").map(str::to_owned));
        let exists = |name: &&str| self.git.find_reference(&format!("refs/heads/{name}")).is_ok();
        let remote_exists = |name: &&str| self.git.find_reference(&format!("refs/remotes/{name}")).is_ok();
        remote
            .or_else(|| ["main", "master"].into_iter().find(exists).map(str::to_owned))
            .or_else(|| ["origin/main", "origin/master"].into_iter().find(remote_exists).map(str::to_owned))
    }

    /// Returns the numbers of changed files. All are 0 in a bare repository.
    pub fn local_counts(&self) -> Result<LocalCounts, RepoError> {
        if self.git.is_bare() {
            return Ok(LocalCounts::default());
        }
        let count = |target: &Target| {
            let entries = self.entries(self.sides(target)?)?;
            let mut paths: Vec<&[u8]> = entries.iter().map(|entry| &*entry.path).collect();
            paths.dedup();
            Ok(u32::try_from(paths.len()).unwrap_or(u32::MAX))
        };
        Ok(LocalCounts {
            unstaged: count(&Target::Unstaged)?,
            staged: count(&Target::Staged)?,
            all: count(&Target::All { untracked: true })?,
        })
    }

    /// Returns whether a tracked file differs from `HEAD` or the index.
    pub fn is_dirty(&self) -> Result<bool, RepoError> {
        if self.git.is_bare() {
            return Ok(false);
        }
        let differs = |target: &Target| Ok(!self.entries(self.sides(target)?)?.is_empty());
        Ok(differs(&Target::Unstaged)? || differs(&Target::Staged)?)
    }

    /// Returns at most `limit` local branches, the one with the latest commit first.
    pub fn branches(&self, limit: usize) -> Vec<BranchInfo> {
        let Ok(branches) = self.git.branches(Some(BranchType::Local)) else { return Vec::new() };
        let mut found: Vec<(String, git2::Commit<'_>)> = branches
            .flatten()
            .filter_map(|(branch, _)| {
                let name = String::from_utf8_lossy(branch.name_bytes().ok()?).into_owned();
                Some((name, branch.get().peel_to_commit().ok()?))
            })
            .collect();
        found.sort_by(|(one, a), (two, b)| b.time().seconds().cmp(&a.time().seconds()).then_with(|| one.cmp(two)));
        let base = self.default_branch().and_then(|name| self.commit(&name).ok()).map(|commit| commit.id());
        found
            .into_iter()
            .take(limit)
            .map(|(name, commit)| BranchInfo {
                name,
                ahead: base.map_or(0, |base| ahead(&self.git, commit.id(), base)),
                time: commit.time().seconds(),
                subject: subject(&commit),
            })
            .collect()
    }

    /// Returns the checked-out commit and its ancestors, newest first, at most `limit`.
    pub fn commits(&self, limit: usize) -> Vec<CommitInfo> {
        let walk = || {
            let mut walk = self.git.revwalk()?;
            walk.set_sorting(Sort::TOPOLOGICAL | Sort::TIME)?;
            match walk.push_head() {
                Err(error) if error.code() != ErrorCode::NotFound => return Err(error),
                _ => {}
            }
            Ok(walk)
        };
        let Ok(walk) = walk() else { return Vec::new() };
        walk.flatten()
            .take(limit)
            .filter_map(|id| self.git.find_commit(id).ok())
            .map(|commit| CommitInfo {
                id: commit.id().to_string(),
                subject: subject(&commit),
                author: String::from_utf8_lossy(commit.author().name_bytes()).into_owned(),
                time: commit.time().seconds(),
            })
            .collect()
    }
}

fn ahead(git: &Repository, branch: git2::Oid, base: git2::Oid) -> u32 {
    git.graph_ahead_behind(branch, base).map_or(0, |(ahead, _)| u32::try_from(ahead).unwrap_or(u32::MAX))
}

fn subject(commit: &git2::Commit<'_>) -> String {
    let message = String::from_utf8_lossy(commit.message_bytes());
    message.trim_start().lines().next().unwrap_or_default().trim_end().to_owned()
}
