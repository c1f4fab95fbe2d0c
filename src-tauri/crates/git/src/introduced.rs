//! Finds the commit of a version that introduced a line of its head, or removed a line of its base.
//!
//! A line of the head is followed from commit to parent, a line of the base from commit to child, in both cases only through the
//! commits of the version.

use std::collections::HashSet;

use git2::{Commit, Delta, Oid};

use super::between::between;
use super::line_history::{LineHistory, Mapped, Position, mapped};
use super::{Repo, RepoError, VersionCommits};
use diffsan_change::RepoPath;

/// The maximum number of commits of a version through which a line is followed.
const MAX_FOLLOWED: usize = 5_000;

/// A line of a version.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VersionLine {
    /// The path on the side of the line.
    pub path: RepoPath,
    /// Whether it is a line of the head. Otherwise, it is one of the base.
    pub new: bool,
    /// The number of the line, from 1.
    pub line: u32,
}

/// A line that a commit introduced or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineOfCommit {
    /// The full id of the commit.
    pub commit: String,
    /// The path in the commit, or for a removed line in its parent.
    pub path: RepoPath,
    /// The number of the line there, from 1.
    pub line: u32,
}

impl Repo {
    /// Returns for each line the commit of a version that introduced it, or that removed it if it is one of the base. `None` for a line
    /// that no commit of the version touched. Blocks.
    pub fn commits_of_lines(
        &self,
        version: &VersionCommits,
        lines: &[VersionLine],
    ) -> Result<Vec<Option<LineOfCommit>>, RepoError> {
        let failed = || RepoError::read("following the lines");
        let head = self.commit(&version.head)?;
        let base = version.base.as_deref().map(|base| self.commit(base)).transpose()?;
        let own = between(&self.git, base.as_ref().map(Commit::id), head.id(), MAX_FOLLOWED).map_err(failed())?;
        let mut own: Vec<Oid> = own.iter().map(Commit::id).collect();
        own.reverse();
        let known: HashSet<Oid> = own.iter().copied().collect();
        let one = |line: &VersionLine| match (line.new, &base) {
            (true, _) => self.introduced(&head, &known, line),
            (false, Some(base)) => self.removed(base, &own, line),
            (false, None) => Ok(None),
        };
        lines.iter().map(|line| one(line).map_err(failed())).collect()
    }

    fn introduced(
        &self,
        head: &Commit<'_>,
        own: &HashSet<Oid>,
        line: &VersionLine,
    ) -> Result<Option<LineOfCommit>, git2::Error> {
        let path = line.path.as_bytes().to_vec();
        let Some(blob) = self.blob_of(head, &path)? else { return Ok(None) };
        let mut at = Position { commit: head.clone(), path, blob, line: line.line };
        let mut history = LineHistory::default();
        while own.contains(&at.commit.id()) {
            let next = self.step(at, &mut history, &mut None)?;
            if let Some(change) = history.changes.pop() {
                let path = RepoPath::from(change.path.as_str());
                return Ok(Some(LineOfCommit { commit: change.commit, path, line: change.line }));
            }
            match next {
                Some(next) => at = next,
                None => break,
            }
        }
        Ok(None)
    }

    /// Follows a line of the base through the commits, oldest first.
    fn removed(&self, base: &Commit<'_>, own: &[Oid], line: &VersionLine) -> Result<Option<LineOfCommit>, git2::Error> {
        let mut path = line.path.as_bytes().to_vec();
        let Some(mut blob) = self.blob_of(base, &path)? else { return Ok(None) };
        let mut number = line.line;
        for id in own {
            let commit = self.git.find_commit(*id)?;
            let Ok(parent) = commit.parent(0) else { continue };
            // Another line of development has another state of the file.
            if commit.parent_count() > 1 || self.blob_of(&parent, &path)? != Some(blob) {
                continue;
            }
            let gone = LineOfCommit { commit: id.to_string(), path: RepoPath::new(path.clone()), line: number };
            let Some((next_path, next_blob)) = self.later_name(&commit, &parent, &path)? else {
                return Ok(Some(gone));
            };
            if next_blob != blob {
                let (Some(old), Some(new)) = (self.followed(blob)?, self.followed(next_blob)?) else { return Ok(None) };
                let Mapped::Same(next) = mapped(&new, &old, number)? else { return Ok(Some(gone)) };
                number = next;
            }
            (path, blob) = (next_path, next_blob);
        }
        Ok(None)
    }

    /// Returns the path and content in a commit of a file of its parent. `None` if the commit removed it.
    fn later_name(
        &self,
        commit: &Commit<'_>,
        parent: &Commit<'_>,
        path: &[u8],
    ) -> Result<Option<(Vec<u8>, Oid)>, git2::Error> {
        if let Some(blob) = self.blob_of(commit, path)? {
            return Ok(Some((path.to_vec(), blob)));
        }
        let mut diff = self.git.diff_tree_to_tree(Some(&parent.tree()?), Some(&commit.tree()?), None)?;
        diff.find_similar(Some(git2::DiffFindOptions::new().renames(true)))?;
        let moved = |delta: &git2::DiffDelta<'_>| {
            delta.status() == Delta::Renamed && delta.old_file().path_bytes() == Some(path)
        };
        let found = diff.deltas().find(moved);
        Ok(found.and_then(|delta| Some((delta.new_file().path_bytes()?.to_vec(), delta.new_file().id()))))
    }
}
