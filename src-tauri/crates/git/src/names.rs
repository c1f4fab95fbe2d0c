//! What a repository offers to review: its branches, commits and local changes.

use git2::{BranchType, ErrorCode, Repository, Sort};

use super::{Repo, RepoError};
use diffsan_change::Target;

/// Changed files of each kind of local change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocalCounts {
    /// The work tree against the index.
    pub unstaged: u32,
    /// The index against `HEAD`.
    pub staged: u32,
    /// The work tree, untracked files included, against `HEAD`.
    pub all: u32,
}

/// A local branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchInfo {
    /// Its short name.
    pub name: String,
    /// Commits that the default branch does not have.
    pub ahead: u32,
    /// When its last commit was made, in seconds since 1970.
    pub time: i64,
    /// That commit's subject.
    pub subject: String,
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitInfo {
    /// Its full id.
    pub id: String,
    /// The first line of its message.
    pub subject: String,
    /// Its author's name.
    pub author: String,
    /// When it was made, in seconds since 1970.
    pub time: i64,
}

impl Repo {
    /// The checked-out branch, also an unborn one; none when detached.
    pub fn head_branch(&self) -> Option<String> {
        let head = self.git.find_reference("HEAD").ok()?;
        let name = head.symbolic_target_bytes()?;
        Some(String::from_utf8_lossy(name.strip_prefix(b"refs/heads/")?).into_owned())
    }

    /// What a target means now: the current branch by its name, or by its commit where `HEAD` is detached.
    pub fn named(&self, target: &Target) -> Target {
        let Target::Branch { name: None, base } = target else { return target.clone() };
        let branch = self.head_branch().filter(|name| self.has_branch(name));
        Target::Branch { name: branch.or_else(|| self.head_id()), base: base.clone() }
    }

    /// Whether there is a local branch of that name.
    pub(super) fn has_branch(&self, name: &str) -> bool {
        self.git.find_reference(&format!("refs/heads/{name}")).is_ok()
    }

    /// The addresses of its remotes, `origin` first.
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

    /// What branches are compared with: where `origin/HEAD` points, else `main`, else `master`.
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

    /// How many files each kind of local change has; nothing in a bare repository.
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

    /// Whether a tracked file differs from `HEAD` or the index.
    pub fn is_dirty(&self) -> Result<bool, RepoError> {
        if self.git.is_bare() {
            return Ok(false);
        }
        let differs = |target: &Target| Ok(!self.entries(self.sides(target)?)?.is_empty());
        Ok(differs(&Target::Unstaged)? || differs(&Target::Staged)?)
    }

    /// Local branches, the one with the latest commit first.
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

    /// The checked-out commit and those before it, newest first.
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
