//! The rows of local repositories: branches with commits that are not reviewed, and changes that are not committed.

use std::path::Path;

use diffsan_change::Target;
use diffsan_forge::gitlab::Reference;
use diffsan_git::Repo;
use diffsan_inbox::{LocalFacts, LocalItem, LocalRepository};
use diffsan_pipeline::error::Result;
use diffsan_store::{LatestReview, StoredInboxItem};
use jiff::{SignedDuration, Timestamp};

use crate::{Inbox, LOCAL, REPOSITORIES, json};

/// The maximum number of branches of a repository.
const MAX_BRANCHES: usize = 30;
/// The age of the last commit at which a branch that is not checked out counts as abandoned.
const MAX_BRANCH_AGE: SignedDuration = SignedDuration::from_hours(60 * 24);

impl Inbox {
    /// Reads the local repositories. One that cannot be read has no rows. Blocks.
    pub(crate) fn refresh_local(&self, paths: &[String]) -> Result<()> {
        let reviews = self.store.latest_reviews()?;
        let (mut repositories, mut rows) = (Vec::new(), Vec::new());
        for path in paths {
            let Ok(repo) = Repo::open(Path::new(path)) else { continue };
            let root = repo.root().display().to_string();
            let projects = repo.remote_urls().iter().filter_map(|url| Reference::of_remote(url)).collect();
            repositories.push(LocalRepository { path: root.clone(), projects });
            for item in items(&repo, &root, &reviews) {
                rows.push(StoredInboxItem { key: item.key.clone(), source: LOCAL.to_owned(), item: json(&item)? });
            }
        }
        let before = self.store.inbox_items()?.into_iter().filter(|row| row.source == LOCAL).map(|row| row.key);
        let gone: Vec<String> = before.filter(|key| rows.iter().all(|row| row.key != *key)).collect();
        self.store.remove_inbox_items(&gone)?;
        self.store.save_inbox_items(LOCAL, &rows, &[])?;
        self.write(REPOSITORIES, &repositories)
    }
}

fn items(repo: &Repo, root: &str, reviews: &[LatestReview]) -> Vec<LocalItem> {
    let (current, default) = (repo.head_branch(), repo.default_branch());
    let uncommitted = repo.local_counts().map_or(0, |counts| counts.all as usize);
    let now = Timestamp::now();
    let mut items = Vec::new();
    for branch in repo.branches(MAX_BRANCHES) {
        let checked_out = current.as_deref() == Some(branch.name.as_str());
        let committed_at = Timestamp::from_second(branch.time).ok();
        let recent = committed_at.is_some_and(|at| now.duration_since(at) < MAX_BRANCH_AGE);
        let own = default.as_deref() != Some(branch.name.as_str());
        let commits = if own && (recent || checked_out) { branch.ahead as usize } else { 0 };
        let uncommitted = if checked_out { uncommitted } else { 0 };
        if commits == 0 && uncommitted == 0 {
            continue;
        }
        let (reviewed, new_commits) = reviewed(repo, root, &branch.name, reviews);
        let activity = format!("{}/{}/{uncommitted}", branch.time, branch.ahead);
        items.push(LocalItem {
            key: format!("{LOCAL}|{root}#{}", branch.name),
            repository: root.to_owned(),
            facts: LocalFacts { uncommitted, commits, reviewed, new_commits, activity },
            committed_at,
            subject: branch.subject,
            branch: Some(branch.name),
        });
    }
    if current.is_none() && uncommitted > 0 {
        let activity = format!("{uncommitted}");
        items.push(LocalItem {
            key: format!("{LOCAL}|{root}#"),
            repository: root.to_owned(),
            branch: None,
            subject: String::new(),
            committed_at: None,
            facts: LocalFacts { uncommitted, activity, ..LocalFacts::default() },
        });
    }
    items
}

/// Returns whether a review of a branch is saved, and the number of commits since then.
fn reviewed(repo: &Repo, root: &str, branch: &str, reviews: &[LatestReview]) -> (bool, Option<usize>) {
    let is_branch = |review: &&LatestReview| {
        let target: Option<Target> = serde_json::from_str(&review.target).ok();
        review.repository == root && matches!(target, Some(Target::Branch { name: Some(name), .. }) if name == branch)
    };
    let Some(review) = reviews.iter().filter(is_branch).max_by(|one, other| one.created_at.cmp(&other.created_at))
    else {
        return (false, None);
    };
    let Some(seen) = &review.head else { return (true, None) };
    let count = |base: &str, head: &str| {
        let range = Target::Range { base: base.to_owned(), head: head.to_owned(), merge_base: false };
        repo.commits_of(&range).ok().map(|commits| commits.len())
    };
    // Commits of the reviewed head that the branch does not have show that the history was rewritten.
    let rewritten = count(branch, seen) != Some(0);
    (true, count(seen, branch).filter(|_| !rewritten))
}
