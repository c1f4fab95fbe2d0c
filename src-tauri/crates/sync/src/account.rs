//! Refreshes the rows of one account.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use diffsan_forge::gitlab::{
    Client, GitlabError, InboxList, KnownResponse, KnownResponses, ListedMergeRequest, RequestSummary, SummaryFields,
};
use diffsan_inbox::{Approvals, Item, PipelineState, RequestState};
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::{Error, Result};
use diffsan_store::{StoredInboxItem, StoredResponse};
use futures::StreamExt as _;
use jiff::{SignedDuration, Timestamp};

use crate::{ACCOUNTS, Account, AccountState, Inbox, Problem, facts, json};

/// The maximum number of merge requests of one server that are read at the same time.
const PARALLEL: usize = 8;
/// The age at which details are read again although the list shows no update. Most of these requests are answered without a body.
const MAX_DETAILS_AGE: SignedDuration = SignedDuration::from_mins(15);
/// The age at which the parts of GraphQL's schema are read again.
const MAX_SCHEMA_AGE: SignedDuration = SignedDuration::from_hours(24);
/// The time for which merged, closed and vanished merge requests stay in the inbox.
const MAX_ENDED_AGE: SignedDuration = SignedDuration::from_hours(7 * 24);

/// One refresh of an account.
struct Refresh<'a> {
    inbox: &'a Arc<Inbox>,
    source: String,
    host: &'a str,
    client: &'a Client,
    responses: KnownResponses,
    me: String,
    before: BTreeMap<String, Item>,
    now: Timestamp,
    /// Lines and approvals by project and number, as far as GraphQL answered.
    summaries: HashMap<(String, u64), RequestSummary>,
}

impl Inbox {
    /// Refreshes the rows of an account, and returns its new state.
    pub(crate) async fn refresh_account(self: &Arc<Self>, account: &Account) -> AccountState {
        let source = account.source();
        let states: Vec<AccountState> = self.read(ACCOUNTS).unwrap_or_default();
        let before = states.into_iter().find(|one| one.host == account.host && one.account == account.name);
        let mut state = before.unwrap_or_default();
        (state.host, state.account) = (account.host.clone(), account.name.clone());
        let client = match &account.client {
            Ok(client) => client,
            Err(error) => return AccountState { problem: Some(problem(error)), requests: 0, ..state },
        };
        let sent = client.sent();
        let result = self.read_account(&source, account, client, &mut state).await;
        state.requests = client.sent() - sent;
        match result {
            Ok(()) => AccountState { refreshed_at: Some(Timestamp::now()), problem: None, ..state },
            Err(error) => AccountState { problem: Some(problem(&error)), ..state },
        }
    }

    async fn read_account(
        self: &Arc<Self>,
        source: &str,
        account: &Account,
        client: &Client,
        state: &mut AccountState,
    ) -> Result<()> {
        let (inbox, name) = (Arc::clone(self), source.to_owned());
        let (responses, before) = blocking(move || Ok((inbox.responses(&name)?, inbox.items(&name)?))).await?;
        let me = client.known_user(&responses).await?.username;
        let now = Timestamp::now();
        state.clock_ahead = clock_ahead(&responses, now);
        state.username = Some(me.clone());
        let mut refresh = Refresh {
            inbox: self,
            source: source.to_owned(),
            host: &account.host,
            client,
            responses,
            me,
            before,
            now,
            summaries: HashMap::new(),
        };
        refresh.run(&mut state.summary_fields).await
    }

    fn responses(&self, source: &str) -> Result<KnownResponses> {
        let known = self
            .store
            .inbox_responses(source)?
            .into_iter()
            .map(|one| (one.path, KnownResponse { etag: one.etag, next: one.next, body: one.body }));
        Ok(KnownResponses::saved(known))
    }

    /// Returns the saved merge requests of an account, by key.
    fn items(&self, source: &str) -> Result<BTreeMap<String, Item>> {
        let stored = self.store.inbox_items()?.into_iter().filter(|one| one.source == source);
        Ok(stored.filter_map(|one| Some((one.key, serde_json::from_str(&one.item).ok()?))).collect())
    }
}

impl Refresh<'_> {
    async fn run(&mut self, fields: &mut Option<(Timestamp, SummaryFields)>) -> Result<()> {
        let lists = InboxList::ALL.map(|list| self.client.inbox_list(list, &self.me, &self.responses));
        let mut listed: BTreeMap<String, ListedMergeRequest> = BTreeMap::new();
        for list in futures::future::try_join_all(lists).await? {
            for request in list {
                if let Some(project) = request.project() {
                    listed.entry(self.key(&project, request.iid)).or_insert(request);
                }
            }
        }
        let gone = self.before.values().filter(|item| !listed.contains_key(&item.key));
        let (ended, left): (Vec<&Item>, Vec<&Item>) =
            gone.partition(|item| item.gone || item.facts.state != RequestState::Open);
        self.remove(&ended).await?;
        let left: Vec<Item> = left.into_iter().cloned().collect();
        let all = listed.len() + left.len();
        let current = |(key, request): (&String, &ListedMergeRequest)| {
            self.before.get(key).is_some_and(|before| self.is_current(before, request))
        };
        if !listed.iter().all(current) {
            self.summaries = self.read_summaries(fields).await;
        }
        self.inbox.set_progress(&self.source, 0, all);
        let listed = listed.into_iter().map(|(key, request)| Work::Listed(key, Box::new(request)));
        let work: Vec<Work> = listed.chain(left.into_iter().map(|item| Work::Left(Box::new(item)))).collect();
        let mut results = futures::stream::iter(work).map(|work| self.item(work)).buffer_unordered(PARALLEL);
        let mut read = 0;
        let mut failure = None;
        while let Some(result) = results.next().await {
            match result {
                Ok(item) => self.save(item).await?,
                // The other requests would fail, too. The rows stay as they were read last.
                Err(error) if is_of_server(&error) => {
                    failure = Some(error);
                    break;
                }
                Err(error) => return Err(error.into()),
            }
            read += 1;
            self.inbox.set_progress(&self.source, read, all);
        }
        match failure {
            Some(error) => Err(error.into()),
            None => self.forget_responses().await,
        }
    }

    /// Reads lines and approvals with GraphQL. Without an answer, REST is asked.
    async fn read_summaries(
        &self,
        fields: &mut Option<(Timestamp, SummaryFields)>,
    ) -> HashMap<(String, u64), RequestSummary> {
        let known = fields.filter(|(at, _)| {
            let age = self.now.duration_since(*at);
            age >= SignedDuration::ZERO && age < MAX_SCHEMA_AGE
        });
        let schema = match known {
            Some((_, schema)) => schema,
            None => match self.client.summary_fields().await {
                Ok(schema) => schema,
                Err(GitlabError::NotFound(_) | GitlabError::Forbidden(_) | GitlabError::Refused { .. }) => {
                    SummaryFields::default()
                }
                // The server may answer the next time.
                Err(_) => return HashMap::new(),
            },
        };
        *fields = Some((known.map_or(self.now, |(at, _)| at), schema));
        if !schema.basic {
            return HashMap::new();
        }
        let summaries = self.client.inbox_summaries(schema).await;
        if let Err(GitlabError::Refused { .. } | GitlabError::Unreadable(_)) = &summaries {
            // The schema has other fields than it says. It is asked again when its age says so.
            *fields = Some((self.now, SummaryFields::default()));
        }
        let summaries = summaries.unwrap_or_default().into_iter();
        summaries.map(|one| ((one.project.clone(), one.iid), one)).collect()
    }

    fn key(&self, project: &str, iid: u64) -> String {
        format!("{}|{project}!{iid}", self.source)
    }

    /// Reads one merge request. A failure that only concerns it becomes a part of its row.
    async fn item(&self, work: Work) -> Result<Item, GitlabError> {
        match work {
            Work::Listed(key, listed) => {
                let before = self.before.get(&key);
                if let Some(before) = before.filter(|before| self.is_current(before, &listed)) {
                    return Ok(self.of_list(&key, &listed, Some(before)));
                }
                match self.details(&key, &listed).await {
                    Err(error) if !is_of_server(&error) => {
                        let mut item = self.of_list(&key, &listed, before);
                        item.problem = Some(sentence(&error));
                        Ok(item)
                    }
                    read => read,
                }
            }
            Work::Left(item) => self.left(*item).await,
        }
    }

    /// Returns whether the details that were read before are still valid.
    fn is_current(&self, before: &Item, listed: &ListedMergeRequest) -> bool {
        let age = before.details_at.map(|at| self.now.duration_since(at));
        // An age below zero comes from a wrong clock.
        let fresh = age.is_some_and(|age| age >= SignedDuration::ZERO && age < MAX_DETAILS_AGE);
        let unfinished = matches!(before.facts.pipeline, Some(PipelineState::Running));
        fresh
            && !unfinished
            && before.problem.is_none()
            && before.facts.me == self.me
            && before.facts.head == listed.sha
            && before.updated_at == listed.updated_at
    }

    async fn details(&self, key: &str, listed: &ListedMergeRequest) -> Result<Item, GitlabError> {
        let project = listed.project_id.to_string();
        let summary = listed.project().and_then(|path| self.summaries.get(&(path, listed.iid)));
        let details = self.client.inbox_details(&project, listed.iid, summary.is_none(), &self.responses).await?;
        let mut facts = facts::of_details(&details, &self.me);
        if let Some(summary) = summary {
            facts.approvals = Approvals { by: summary.approved_by.clone(), left: summary.approvals_left };
        }
        if let Some(seen) = facts::seen_head(&facts, &details).map(str::to_owned) {
            let commits = self.client.inbox_commits(&project, listed.iid, &self.responses).await?;
            facts.new_commits = commits.iter().position(|id| *id == seen).and_then(|count| u32::try_from(count).ok());
        }
        let mut item = self.of_list(key, &details.request, None);
        item.lines = summary.and_then(|summary| summary.lines);
        (item.facts, item.details_at) = (facts, Some(self.now));
        Ok(item)
    }

    /// Reads a merge request that is in no list any more: it was merged or closed, the reader is no reviewer any more, or it vanished.
    async fn left(&self, before: Item) -> Result<Item, GitlabError> {
        match self.client.inbox_request(&before.project, before.iid, &self.responses).await {
            Ok(request) if request.state == "opened" => match self.details(&before.key, &request).await {
                Err(error) if !is_of_server(&error) => Ok(Item { problem: Some(sentence(&error)), ..before }),
                read => read,
            },
            Ok(request) => Ok(self.of_list(&before.key, &request, Some(&before))),
            Err(GitlabError::NotFound(_)) => Ok(Item { gone: true, details_at: Some(self.now), ..before }),
            Err(error) if is_of_server(&error) => Err(error),
            Err(error) => Ok(Item { problem: Some(sentence(&error)), ..before }),
        }
    }

    /// Returns a row from a list, with the details that were read before.
    fn of_list(&self, key: &str, listed: &ListedMergeRequest, before: Option<&Item>) -> Item {
        Item {
            key: key.to_owned(),
            host: self.host.to_owned(),
            project: listed.project().or_else(|| before.map(|item| item.project.clone())).unwrap_or_default(),
            iid: listed.iid,
            title: listed.title.clone(),
            web_url: listed.web_url.clone(),
            labels: listed.labels.clone(),
            source_branch: listed.source_branch.clone(),
            target_branch: listed.target_branch.clone(),
            updated_at: listed.updated_at.clone(),
            changed_files: listed.changes_count.clone().or_else(|| before.and_then(|item| item.changed_files.clone())),
            lines: before.and_then(|item| item.lines),
            facts: facts::of_list(listed, &self.me, before.map(|item| &item.facts)),
            problem: None,
            gone: false,
            details_at: before.and_then(|item| item.details_at),
        }
    }

    /// Saves a row with the answers that it was read from, so that a kill loses nothing.
    async fn save(&self, item: Item) -> Result<()> {
        if self.before.get(&item.key) == Some(&item) {
            return Ok(());
        }
        let row = StoredInboxItem { key: item.key.clone(), source: self.source.clone(), item: json(&item)? };
        self.save_with(vec![row]).await
    }

    async fn save_with(&self, rows: Vec<StoredInboxItem>) -> Result<()> {
        let changed = self.responses.take_changed().into_iter().map(|(path, known)| StoredResponse {
            path,
            etag: known.etag,
            next: known.next,
            body: known.body,
        });
        let (store, source, changed) =
            (Arc::clone(&self.inbox.store), self.source.clone(), changed.collect::<Vec<_>>());
        blocking(move || Ok(store.save_inbox_items(&source, &rows, &changed)?)).await
    }

    /// Removes rows that ended long ago.
    async fn remove(&self, ended: &[&Item]) -> Result<()> {
        let is_old = |item: &&&Item| {
            let at = item.facts.ended_at.or(item.details_at).unwrap_or(self.now);
            self.now.duration_since(at) > MAX_ENDED_AGE
        };
        let keys: Vec<String> = ended.iter().filter(is_old).map(|item| item.key.clone()).collect();
        let store = Arc::clone(&self.inbox.store);
        blocking(move || Ok(store.remove_inbox_items(&keys)?)).await
    }

    /// Saves the remaining answers, and removes those of merge requests that are not in the inbox any more.
    async fn forget_responses(&self) -> Result<()> {
        self.save_with(Vec::new()).await?;
        let (inbox, source) = (Arc::clone(self.inbox), self.source.clone());
        blocking(move || {
            let items = inbox.items(&source)?;
            let numbers: Vec<String> = items.values().map(|item| format!("/merge_requests/{}", item.iid)).collect();
            let of_item = |path: &str| {
                numbers.iter().any(|number| {
                    let after = path.split_once(number.as_str()).map(|(_, after)| after);
                    after.is_some_and(|after| after.is_empty() || after.starts_with('/'))
                })
            };
            Ok(inbox.store.retain_inbox_responses(&source, |path| !path.starts_with("projects/") || of_item(path))?)
        })
        .await
    }
}

/// A merge request to read.
enum Work {
    /// It is in a list.
    Listed(String, Box<ListedMergeRequest>),
    /// It was in a list before.
    Left(Box<Item>),
}

/// Returns whether an error concerns all requests to a server.
fn is_of_server(error: &GitlabError) -> bool {
    matches!(
        error,
        GitlabError::Unauthorized(_)
            | GitlabError::Limited(_)
            | GitlabError::Unreachable(_)
            | GitlabError::Certificate(_)
            | GitlabError::Settings(_)
    )
}

fn problem(error: &Error) -> Problem {
    Problem { message: error.message.clone(), hint: error.hint.clone() }
}

fn sentence(error: &GitlabError) -> String {
    Error::from(error.clone()).message
}

/// Returns the seconds by which the server's clock is ahead of this machine's. Differences below a minute count as none.
fn clock_ahead(responses: &KnownResponses, now: Timestamp) -> i64 {
    let date = responses.server_date().and_then(|date| jiff::fmt::rfc2822::parse(&date).ok());
    let ahead = date.map_or(0, |date| date.timestamp().as_second() - now.as_second());
    if ahead.abs() < 60 { 0 } else { ahead }
}
