//! Local branches in a row: which branch another one builds on.

use std::collections::HashMap;

use git2::{BranchType, Oid, Sort};

use super::{Repo, RepoError};

/// The maximum number of branches that are compared.
const MAX_BRANCHES: usize = 200;
/// The maximum number of commits of a branch among which the tips of others are searched.
const MAX_COMMITS: usize = 1_000;

/// A local branch with commits that the default branch does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackedBranch {
    /// The short name.
    pub name: String,
    /// The full id of its last commit.
    pub tip: String,
    /// The subject of its last commit.
    pub subject: String,
    /// The nearest other branch that it contains. `None` if it builds on the default branch.
    pub below: Option<String>,
}

impl Repo {
    /// Returns the local branches with commits of their own, and for each the nearest other one that it builds on. Of branches with the
    /// same last commit, the first by name counts. Empty without a default branch. Blocks.
    pub fn stacked_branches(&self) -> Result<Vec<StackedBranch>, RepoError> {
        let failed = || RepoError::read("comparing the branches");
        let Some(default) = self.default_branch() else { return Ok(Vec::new()) };
        let base = self.commit(&default)?.id();
        let mut tips: Vec<(String, Oid)> = self
            .git
            .branches(Some(BranchType::Local))
            .map_err(failed())?
            .flatten()
            .filter_map(|(branch, _)| {
                let name = String::from_utf8_lossy(branch.name_bytes().ok()?).into_owned();
                Some((name, branch.get().peel_to_commit().ok()?.id()))
            })
            .take(MAX_BRANCHES)
            .collect();
        tips.sort();
        let mut by_tip: HashMap<Oid, &str> = HashMap::new();
        for (name, tip) in &tips {
            by_tip.entry(*tip).or_insert(name);
        }
        let mut found = Vec::new();
        for (name, tip) in &tips {
            let mut walk = self.git.revwalk().map_err(failed())?;
            walk.set_sorting(Sort::TOPOLOGICAL).map_err(failed())?;
            walk.push(*tip).map_err(failed())?;
            walk.hide(base).map_err(failed())?;
            let commits: Vec<Oid> = walk.take(MAX_COMMITS).flatten().collect();
            if commits.is_empty() {
                continue;
            }
            let below = commits.iter().skip(1).find_map(|id| by_tip.get(id));
            let commit = self.git.find_commit(*tip).map_err(failed())?;
            found.push(StackedBranch {
                name: name.clone(),
                tip: tip.to_string(),
                subject: String::from_utf8_lossy(commit.summary_bytes().unwrap_or_default()).into_owned(),
                below: below.map(|name| (*name).to_owned()),
            });
        }
        Ok(found)
    }

    /// Returns whether a commit is another one or has it as an ancestor. `None` if the repository lacks one of them. Both are full ids.
    pub fn contains(&self, commit: &str, ancestor: &str) -> Option<bool> {
        let (commit, ancestor) = (self.commit(commit).ok()?.id(), self.commit(ancestor).ok()?.id());
        Some(commit == ancestor || self.git.graph_descendant_of(commit, ancestor).unwrap_or_default())
    }
}
