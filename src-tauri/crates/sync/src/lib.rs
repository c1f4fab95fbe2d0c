//! The inbox: reads every account's merge requests and the local repositories, keeps them in the store, and returns the rows.
//!
//! In: accounts with clients, paths of repositories. Out: rows with a group and a reason. One account that fails does not stop the others; its
//! rows stay as they were read last. This crate decides neither whose turn it is (`inbox`) nor which token is used (`pipeline`).

mod account;
mod facts;
mod local;
mod marks;
mod news;
mod prefetch;
mod view;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use diffsan_forge::gitlab::{Client, SummaryFields};
use diffsan_inbox::LocalRepository;
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_store::Store;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

pub use marks::MarkParams;
pub use prefetch::SearchOf;
pub use view::{AccountView, InboxView};

/// The entry of the store with the states of the accounts.
const ACCOUNTS: &str = "inbox.accounts";
/// The entry of the store with the local repositories.
const REPOSITORIES: &str = "inbox.repositories";
/// The source of local rows.
const LOCAL: &str = "local";

/// An account of a GitLab server.
#[derive(Clone, Debug)]
pub struct Account {
    /// The address of the server.
    pub host: String,
    /// The name of the account. Empty if there is only one.
    pub name: String,
    /// The client, or why there is none.
    pub client: std::result::Result<Client, Error>,
}

impl Account {
    /// Returns the name of the account's rows in the store.
    fn source(&self) -> String {
        source_of(&self.host, &self.name)
    }
}

/// Why an account could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "InboxProblem")]
pub struct Problem {
    /// The failure.
    pub message: String,
    /// The suggested action.
    pub hint: Option<String>,
}

/// The state of an account after its last refresh.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct AccountState {
    host: String,
    account: String,
    username: Option<String>,
    /// The time of the last complete refresh.
    refreshed_at: Option<Timestamp>,
    problem: Option<Problem>,
    /// The number of requests of the last refresh.
    requests: usize,
    /// The seconds by which the server's clock is ahead of this machine's.
    clock_ahead: i64,
    /// The parts of GraphQL's schema that the server has, and when they were read.
    #[serde(default)]
    summary_fields: Option<(Timestamp, SummaryFields)>,
}

impl AccountState {
    /// Returns the name of the account's rows in the store.
    fn source(&self) -> String {
        source_of(&self.host, &self.account)
    }
}

/// Returns the name of the rows of an account in the store.
fn source_of(host: &str, account: &str) -> String {
    if account.is_empty() { host.to_owned() } else { format!("{host}#{account}") }
}

/// The inbox.
#[derive(Debug)]
pub struct Inbox {
    store: Arc<Store>,
    /// Held while a refresh runs, so that two pages do not read the same at once.
    refreshing: tokio::sync::Mutex<()>,
    /// The progress of the running refresh: read and all merge requests, by source.
    progress: Mutex<Option<BTreeMap<String, (usize, usize)>>>,
    /// Cancels the running prefetch.
    prefetching: Mutex<Option<CancellationToken>>,
}

impl Inbox {
    /// Creates the inbox over a store.
    pub fn new(store: Arc<Store>) -> Self {
        Self {
            store,
            refreshing: tokio::sync::Mutex::default(),
            progress: Mutex::default(),
            prefetching: Mutex::default(),
        }
    }

    fn progress(&self) -> MutexGuard<'_, Option<BTreeMap<String, (usize, usize)>>> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_progress(&self, source: &str, read: usize, all: usize) {
        if let Some(progress) = self.progress().as_mut() {
            progress.insert(source.to_owned(), (read, all));
        }
    }

    /// Reads all accounts and repositories. A call during a refresh waits for it, and reads nothing again.
    pub async fn refresh(self: &Arc<Self>, accounts: Vec<Account>, repositories: Vec<String>) -> Result<()> {
        let Ok(_running) = self.refreshing.try_lock() else {
            drop(self.refreshing.lock().await);
            return Ok(());
        };
        *self.progress() = Some(BTreeMap::new());
        let _end = OnDrop(|| *self.progress() = None);
        let (inbox, sources) = (Arc::clone(self), accounts.iter().map(Account::source).collect::<Vec<_>>());
        blocking(move || inbox.remove_other_accounts(&sources)).await?;
        let inbox = Arc::clone(self);
        let local = blocking(move || inbox.refresh_local(&repositories));
        let servers = futures::future::join_all(accounts.iter().map(|account| self.refresh_account(account)));
        let (local, states) = futures::future::join(local, servers).await;
        let inbox = Arc::clone(self);
        blocking(move || inbox.write(ACCOUNTS, &states)).await?;
        local
    }

    /// Removes the rows of accounts whose token was removed. Blocks.
    fn remove_other_accounts(&self, sources: &[String]) -> Result<()> {
        let other = |row: &diffsan_store::StoredInboxItem| row.source != LOCAL && !sources.contains(&row.source);
        let keys: Vec<String> = self.store.inbox_items()?.into_iter().filter(other).map(|row| row.key).collect();
        Ok(self.store.remove_inbox_items(&keys)?)
    }

    fn read<T: Default + serde::de::DeserializeOwned>(&self, key: &str) -> Result<T> {
        // A value that cannot be read is from another version. The next refresh replaces it.
        Ok(self.store.state(key)?.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }

    fn write<T: Serialize>(&self, key: &str, value: &T) -> Result<()> {
        Ok(self.store.set_state(key, Some(&json(value)?))?)
    }

    fn repositories(&self) -> Result<Vec<LocalRepository>> {
        self.read(REPOSITORIES)
    }
}

/// Calls a function at the end of a scope, also if it is cancelled.
struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

fn json<T: Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|error| Error::new(ErrorCode::Internal, "A row of the inbox could not be saved.").cause(error))
}
