//! Compares two versions of a change: finds each file in the four commits, and reads its sides. The author's edits of a file
//! is decided by the caller, because this crate only reads.

mod commits;
mod pairing;
mod seen;

use git2::{Commit, Oid};

pub use commits::VersionSize;
pub use seen::SeenHead;

use super::between::between;
use super::change::{Workers, binary};
use super::list::{Entry, GITLINK, SYMLINK};
use super::read::Source;
use super::revisions::{Place, Sides};
use super::{Repo, RepoError};
use diffsan_interdiff::{Content, FileSides, Reader, Side, Version};

/// The minimum percentage of equal content of a moved file: GitLab's threshold for a change.
const MIN_SIMILARITY: u8 = 30;

/// The commits of a version of a change.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VersionCommits {
    /// The full id of the commit where it starts: the merge base with the target branch. `None` for an empty tree.
    pub base: Option<String>,
    /// The full id of the commit where it ends.
    pub head: String,
}

/// The files of two versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedFiles<T> {
    /// The results for the files that the author changed in one of the versions, sorted by path.
    pub files: Vec<T>,
    /// The number of other files, which only the target branch changed.
    pub target_files: usize,
    /// Whether the versions start at related commits. Otherwise, nothing was subtracted: the heads were compared.
    pub related: bool,
}

/// The commits of both versions.
struct Commits {
    old: Sides,
    new: Sides,
    related: bool,
    /// The commits of the old version, oldest first.
    steps: Vec<Oid>,
}

impl VersionCommits {
    /// Returns the version that a text names by the full ids of its base and its head: `BASE..HEAD`.
    pub fn of_ids(text: &str) -> Option<Self> {
        let (base, head) = text.split_once("..")?;
        let is_full = |id: &str| matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_full(base) && is_full(head)).then(|| Self { base: Some(base.to_owned()), head: head.to_owned() })
    }

    /// Returns the ids of its commits, the base first.
    pub fn ids(&self) -> impl Iterator<Item = &String> {
        self.base.iter().chain([&self.head])
    }
}

impl Repo {
    /// Returns the version that ends at `head`, and starts where it leaves the nearest of the `targets`. Without a common commit, it
    /// starts at an empty tree.
    ///
    /// # Errors
    ///
    /// Returns an error if the head or all targets are unknown, and if the common commit may be missing because the clone is shallow.
    pub fn version(&self, targets: &[&str], head: &str) -> Result<VersionCommits, RepoError> {
        let end = self.commit(head)?.id();
        let found: Vec<Result<Oid, RepoError>> = targets.iter().map(|name| Ok(self.commit(name)?.id())).collect();
        if found.iter().all(Result::is_err) {
            found.into_iter().collect::<Result<Vec<_>, _>>()?;
            return Err(RepoError::NoDefaultBranch);
        }
        let targets: Vec<Oid> = found.into_iter().flatten().collect();
        let mut base: Option<Oid> = None;
        for found in targets.iter().filter_map(|target| self.git.merge_base(*target, end).ok()) {
            let nearer = |known: Oid| self.git.graph_descendant_of(found, known).unwrap_or_default();
            base = Some(base.filter(|known| !nearer(*known)).unwrap_or(found));
        }
        if base.is_none() && self.git.is_shallow() {
            let one = targets.first().map(Oid::to_string).unwrap_or_default();
            return Err(RepoError::NoMergeBase { one, two: end.to_string(), shallow: true });
        }
        Ok(VersionCommits { base: base.map(|id| id.to_string()), head: end.to_string() })
    }

    /// Compares two versions. Calls `each` on several threads for every file that the author may have edited.
    ///
    /// # Errors
    ///
    /// Returns an error if a commit is missing, and if a shallow clone does not have the common commit of the bases.
    pub fn compare_versions<T: Send>(
        &self,
        old: &VersionCommits,
        new: &VersionCommits,
        each: &(dyn Fn(&FileSides, &Reader<'_>) -> T + Sync),
    ) -> Result<ComparedFiles<T>, RepoError> {
        let commits = self.commits_of_versions(old, new)?;
        let pairs = self.pair_files(&commits)?;
        let mut handles = self.more_handles(pairs.files.len())?;
        let mut workers = Workers { own: &self.git, others: &mut handles, rules: &pairs.rules };
        let files = workers.each(&pairs.files, &|source, _, sides: &FileSides| {
            let content = |version| content(source, side(sides, version));
            let steps = || steps(source, &commits, sides);
            each(sides, &Reader { content: &content, steps: &steps })
        })?;
        Ok(ComparedFiles { files, target_files: pairs.target_files, related: commits.related })
    }

    /// Returns whether two versions start at related commits.
    ///
    /// # Errors
    ///
    /// Returns an error if a shallow clone does not have the common commit of the bases.
    pub fn are_related(&self, old: &VersionCommits, new: &VersionCommits) -> Result<bool, RepoError> {
        let (Some(one), Some(two)) = (&old.base, &new.base) else { return Ok(old.base == new.base) };
        let is_related = one == two || self.git.merge_base(self.commit(one)?.id(), self.commit(two)?.id()).is_ok();
        if !is_related && self.git.is_shallow() {
            return Err(RepoError::NoMergeBase { one: one.clone(), two: two.clone(), shallow: true });
        }
        Ok(is_related)
    }

    fn commits_of_versions(&self, old: &VersionCommits, new: &VersionCommits) -> Result<Commits, RepoError> {
        let place = |id: &str| Ok(Place::Commit(self.commit(id)?.id()));
        let base = |version: &VersionCommits| version.base.as_deref().map_or(Ok(Place::Nothing), place);
        let old_sides = Sides { old: base(old)?, new: place(&old.head)? };
        let new_sides = Sides { old: base(new)?, new: place(&new.head)? };
        let related = self.are_related(old, new)?;
        let steps = match (old_sides.old, old_sides.new) {
            (Place::Commit(base), Place::Commit(head)) => {
                between(&self.git, Some(base), head, commits::MAX_COMMITS).unwrap_or_default()
            }
            _ => Vec::new(),
        };
        let steps = steps.iter().rev().map(Commit::id).collect();
        Ok(Commits { old: old_sides, new: new_sides, related, steps })
    }

    /// Returns the differences of two sides, with moved files joined.
    fn moved(&self, sides: Sides) -> Result<Vec<Entry>, RepoError> {
        let entries = self.entries(sides)?;
        let rules = self.rules_for(sides.new, &entries)?;
        self.with_renames(entries, &rules, MIN_SIMILARITY)
    }
}

fn side(sides: &FileSides, version: Version) -> Option<&Side> {
    match version {
        Version::OldBase => sides.old_base.as_ref(),
        Version::OldHead => sides.old_head.as_ref(),
        Version::NewBase => sides.new_base.as_ref(),
        Version::NewHead => sides.new_head.as_ref(),
    }
}

fn content(source: &Source<'_>, side: Option<&Side>) -> Content {
    let Some(side) = side else { return Content::Text(bytes::Bytes::new()) };
    if matches!(side.mode, GITLINK | SYMLINK) {
        return Content::Opaque;
    }
    let id = Oid::from_str(&side.id).ok();
    let known = super::list::Side { mode: side.mode, id, work: false };
    match source.content(side.path.as_bytes(), &known) {
        Ok(bytes) if binary(source.rules, side.path.as_bytes(), &bytes) => Content::Opaque,
        Ok(bytes) => Content::Text(bytes.into_bytes()),
        Err(reason) => Content::Unread(reason),
    }
}

/// Returns the texts of a file in the commits of the old version. A file that a commit does not have is empty.
fn steps(source: &Source<'_>, commits: &Commits, sides: &FileSides) -> Vec<Vec<u8>> {
    let paths: Vec<_> = [&sides.old_head, &sides.old_base].into_iter().flatten().map(|side| &side.path).collect();
    let text = |commit: &Oid| {
        let tree = source.git.find_commit(*commit).and_then(|commit| commit.tree()).ok()?;
        let found = paths.iter().find_map(|path| tree.get_path(&super::os_path::os_path(path.as_bytes())?).ok());
        match found {
            Some(entry) => source.odb.read(entry.id()).ok().map(|object| object.data().to_vec()),
            None => Some(Vec::new()),
        }
    };
    commits.steps.iter().map(text).collect::<Option<_>>().unwrap_or_default()
}
