//! Resolves a target to its two sides.

use git2::{Commit, ErrorCode, Oid, Repository};

use super::between::between;
use super::{Repo, RepoError};
use diffsan_change::Target;

/// The maximum number of commit messages in a change.
const MAX_MESSAGES: usize = 200;

/// A commit of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeCommit {
    /// The full id.
    pub id: String,
    /// The whole message.
    pub message: String,
    /// The name of the author.
    pub author: String,
    /// The time at which the author wrote it, in seconds since 1970.
    pub time: i64,
}

impl ChangeCommit {
    pub(super) fn of(commit: &Commit<'_>) -> Self {
        Self {
            id: commit.id().to_string(),
            message: message(commit),
            author: String::from_utf8_lossy(commit.author().name_bytes()).into_owned(),
            time: commit.author().when().seconds(),
        }
    }
}

/// The location of one side of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// An empty tree: before a root commit, or on an unborn branch.
    Nothing,
    /// The tree of a commit.
    Commit(Oid),
    /// The index.
    Index,
    /// The work tree, with or without untracked files.
    WorkTree { untracked: bool },
}

/// The two sides of a change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sides {
    pub(super) old: Place,
    pub(super) new: Place,
}

impl Repo {
    /// Returns the sides of a target.
    pub(super) fn sides(&self, target: &Target) -> Result<Sides, RepoError> {
        let head = || Ok(self.head()?.map_or(Place::Nothing, |commit| Place::Commit(commit.id())));
        let local = |old, new| match self.git.is_bare() {
            true => Err(RepoError::NoWorkTree { path: self.root.clone(), why: self.notice.clone() }),
            false => Ok(Sides { old, new }),
        };
        match target {
            Target::Unstaged => local(Place::Index, Place::WorkTree { untracked: false }),
            Target::Staged => local(head()?, Place::Index),
            Target::All { untracked } => local(head()?, Place::WorkTree { untracked: *untracked }),
            Target::Commit { rev } => {
                let commit = self.commit(rev)?;
                let old = commit.parent_id(0).map_or(Place::Nothing, Place::Commit);
                Ok(Sides { old, new: Place::Commit(commit.id()) })
            }
            Target::Range { base, head, merge_base } => self.range(base, head, *merge_base),
            Target::Branch { name, base } => {
                // Use the full name, because a tag can have the same short name.
                let head = match name.as_deref() {
                    Some(name) if self.has_branch(name) => format!("refs/heads/{name}"),
                    other => other.unwrap_or("HEAD").to_owned(),
                };
                let default = || self.default_branch().ok_or(RepoError::NoDefaultBranch);
                let base = base.clone().map_or_else(default, Ok)?;
                self.range(&base, &head, true)
            }
            Target::Patch { .. } | Target::MergeRequest { .. } => Err(RepoError::Patch),
        }
    }

    fn range(&self, base: &str, head: &str, merge_base: bool) -> Result<Sides, RepoError> {
        let (one, two) = (self.commit(base)?.id(), self.commit(head)?.id());
        let old = match merge_base {
            true => self.git.merge_base(one, two).map_err(|_| RepoError::NoMergeBase {
                one: base.to_owned(),
                two: head.trim_start_matches("refs/heads/").to_owned(),
                shallow: self.git.is_shallow(),
            })?,
            false => one,
        };
        Ok(Sides { old: Place::Commit(old), new: Place::Commit(two) })
    }

    /// Returns the checked-out commit, or `None` on an unborn branch.
    pub(super) fn head(&self) -> Result<Option<Commit<'_>>, RepoError> {
        match self.git.head() {
            Ok(head) => head.peel_to_commit().map(Some).map_err(RepoError::read("reading HEAD")),
            Err(error) if matches!(error.code(), ErrorCode::UnbornBranch | ErrorCode::NotFound) => Ok(None),
            Err(error) => Err(RepoError::read("reading HEAD")(error)),
        }
    }

    /// Resolves a revision to a commit.
    pub(super) fn commit(&self, name: &str) -> Result<Commit<'_>, RepoError> {
        let found = self.git.revparse_single(name).and_then(|object| object.peel_to_commit());
        found.map_err(|_| match name == "HEAD" && matches!(self.head(), Ok(None)) {
            true => RepoError::Unborn,
            false => RepoError::UnknownRevision { name: name.to_owned(), nearest: self.nearest(name) },
        })
    }

    /// Returns the branch, remote branch or tag whose name is most similar to `name`.
    fn nearest(&self, name: &str) -> Option<String> {
        let references = self.git.references().ok()?;
        references
            .flatten()
            .filter_map(|reference| reference.shorthand().ok().map(str::to_owned))
            .map(|known| (strsim::damerau_levenshtein(&known, name), known))
            .filter(|(distance, known)| *distance <= 2.max(known.len() / 3))
            .min()
            .map(|(_, known)| known)
    }

    /// Returns the commit messages of a change, oldest first.
    pub(super) fn messages(git: &Repository, target: &Target, sides: Sides) -> Vec<String> {
        commits_between(git, target, sides).iter().map(message).collect()
    }

    /// Returns the commits of a change, oldest first. Empty for local changes.
    pub fn commits_of(&self, target: &Target) -> Result<Vec<ChangeCommit>, RepoError> {
        let commits = commits_between(&self.git, target, self.sides(target)?);
        Ok(commits.iter().map(ChangeCommit::of).collect())
    }
}

/// Returns the commits between two sides, oldest first.
fn commits_between<'a>(git: &'a Repository, target: &Target, sides: Sides) -> Vec<Commit<'a>> {
    let Place::Commit(head) = sides.new else { return Vec::new() };
    let mut commits = match (target, sides.old) {
        (Target::Commit { .. }, _) | (_, Place::Nothing | Place::Index | Place::WorkTree { .. }) => {
            git.find_commit(head).into_iter().collect()
        }
        (_, Place::Commit(base)) => between(git, Some(base), head, MAX_MESSAGES).unwrap_or_default(),
    };
    commits.reverse();
    commits
}

fn message(commit: &Commit<'_>) -> String {
    String::from_utf8_lossy(commit.message_bytes()).trim_end().to_owned()
}
