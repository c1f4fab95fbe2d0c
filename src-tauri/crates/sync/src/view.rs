//! The inbox as it is shown, from the store alone.

use std::collections::HashMap;

use diffsan_change::Target;
use diffsan_inbox::{Item, LocalItem, LocalRepository, Mark, Now, RequestState, Row, RowKind, RowReview};
use diffsan_pipeline::error::Result;
use diffsan_store::LatestReview;
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ACCOUNTS, AccountState, Inbox, LOCAL, Problem};

/// An account in the inbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "InboxAccount")]
pub struct AccountView {
    /// The address of the GitLab server.
    pub host: String,
    /// The name of the account. Empty if there is only one.
    pub account: String,
    /// The user name, if it is known.
    pub username: Option<String>,
    /// The time of the last complete refresh, RFC 3339.
    pub refreshed_at: Option<String>,
    /// Why the last refresh failed. The rows are those of the refresh before.
    pub problem: Option<Problem>,
    /// The number of requests of the last refresh.
    pub requests: usize,
    /// The seconds by which the server's clock is ahead of this machine's. 0 if they differ by less than a minute.
    pub clock_ahead: i64,
    /// The merge requests that the running refresh has read, and all of them.
    pub progress: Option<[usize; 2]>,
}

/// The inbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InboxView {
    /// The rows: by group in the order of the groups, and in each group the latest update first.
    pub rows: Vec<Row>,
    /// The accounts.
    pub accounts: Vec<AccountView>,
    /// Whether a refresh runs.
    pub refreshing: bool,
    /// After a refresh, the keys of the rows that came to wait for the reader and are to be notified. Each is returned once.
    pub news: Vec<String>,
}

impl AccountView {
    /// Returns the view of an account that was never read.
    pub fn unread(host: String, account: String) -> Self {
        account_view(AccountState { host, account, ..AccountState::default() }, None)
    }
}

impl Inbox {
    /// Returns the inbox as it was read last. Blocks.
    pub fn view(&self) -> Result<InboxView> {
        let states: Vec<AccountState> = self.read(ACCOUNTS)?;
        let marks: HashMap<String, Mark> = self
            .store
            .inbox_marks()?
            .into_iter()
            .filter_map(|(key, mark)| Some((key, serde_json::from_str(&mark).ok()?)))
            .collect();
        let ahead: HashMap<&str, i64> = states.iter().map(|state| (state.host.as_str(), state.clock_ahead)).collect();
        let local = Timestamp::now();
        let repositories = self.repositories()?;
        let (mut rows, mut locals, mut branches) = (Vec::new(), Vec::new(), HashMap::new());
        for stored in self.store.inbox_items()? {
            let mark = marks.get(&stored.key);
            if stored.source == LOCAL {
                locals.extend(serde_json::from_str::<LocalItem>(&stored.item).ok().map(|item| (item, mark)));
            } else if let Ok(item) = serde_json::from_str::<Item>(&stored.item) {
                let seconds = ahead.get(item.host.as_str()).copied().unwrap_or(0);
                let server = local.checked_add(SignedDuration::from_secs(seconds)).unwrap_or(local);
                if item.facts.state == RequestState::Open && !item.gone {
                    let branch = (item.host.clone(), item.project.clone(), item.source_branch.clone());
                    branches.insert(branch, rows.len());
                }
                rows.push(Row::of_request(&item, mark, Now { local, server }));
            }
        }
        for (item, mark) in locals {
            match request_of(&item, &repositories, &branches) {
                // The merge request's row stands for its branch.
                Some(at) => rows[at].add_uncommitted(item.facts.uncommitted),
                None => rows.extend(Row::of_local(&item, mark, local)),
            }
        }
        add_local_knowledge(&mut rows, &self.store.latest_reviews()?, &repositories);
        // Times of GitLab have the same form, so their texts are in the order of time.
        rows.sort_by(|one, other| {
            one.group
                .cmp(&other.group)
                .then_with(|| other.updated_at.cmp(&one.updated_at))
                .then_with(|| one.key.cmp(&other.key))
        });
        let progress = self.progress().clone();
        let accounts = states.into_iter().map(|state| account_view(state, progress.as_ref()));
        Ok(InboxView { rows, accounts: accounts.collect(), refreshing: progress.is_some(), news: Vec::new() })
    }
}

/// Returns the index of the row of the open merge request whose source is a local branch.
fn request_of(
    item: &LocalItem,
    repositories: &[LocalRepository],
    branches: &HashMap<(String, String, String), usize>,
) -> Option<usize> {
    let branch = item.branch.clone()?;
    let repository = repositories.iter().find(|repository| repository.path == item.repository)?;
    let named = |(host, project): &(String, String)| branches.get(&(host.clone(), project.clone(), branch.clone()));
    repository.projects.iter().find_map(named).copied()
}

fn account_view(
    state: AccountState,
    progress: Option<&std::collections::BTreeMap<String, (usize, usize)>>,
) -> AccountView {
    let source = state.source();
    AccountView {
        progress: progress.and_then(|progress| progress.get(&source)).map(|(read, all)| [*read, *all]),
        host: state.host,
        account: state.account,
        username: state.username,
        refreshed_at: state.refreshed_at.map(|time| time.to_string()),
        problem: state.problem,
        requests: state.requests,
        clock_ahead: state.clock_ahead,
    }
}

/// Adds the latest reviews and the local repositories.
fn add_local_knowledge(rows: &mut [Row], reviews: &[LatestReview], repositories: &[LocalRepository]) {
    let mut latest: HashMap<Target, &LatestReview> = HashMap::new();
    for review in reviews {
        let Ok(target) = serde_json::from_str::<Target>(&review.target) else { continue };
        let known = latest.entry(target).or_insert(review);
        if review.created_at > known.created_at {
            *known = review;
        }
    }
    for row in rows.iter_mut().filter(|row| row.kind == RowKind::MergeRequest) {
        let names = |repository: &&LocalRepository| {
            repository.projects.iter().any(|(host, project)| *host == row.host && *project == row.project)
        };
        row.repository = repositories.iter().find(names).map(|repository| repository.path.clone());
        row.review = latest.get(&row.target).map(|review| RowReview {
            id: review.id.clone(),
            created_at: review.created_at.clone(),
            head: review.head.clone(),
            current: review.head.is_some() && review.head == row.head,
            severities: review.severities,
            posted: review.posted,
        });
    }
}
